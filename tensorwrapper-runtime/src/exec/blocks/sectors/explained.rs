//! What linear algebra over a block tensor will do, as text: its sectors, and who factorises their matrices.

use std::fmt::Write;

use tensorwrapper_core::backend::{Decomposition, Device, Factorisation};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_notation::sentence::counted;

use super::super::super::context::Context;
use super::dense::{REDUCED, Stack, of_squares};
use super::diagonal::{Diagonal, untied};
use super::matrix::{BlockMatrix, COLUMNS, ROWS, Sector};
use super::triangle::Triangles;
use crate::tensor::Blocks;

/// Operations of any matrix.
const OF_ANY: [Factorisation; 3] = [Factorisation::Svd, Factorisation::Qr, Factorisation::Lq];
/// Operations of square matrices.
const OF_SQUARES: [Factorisation; 7] = [
    Factorisation::Eigh,
    Factorisation::Cholesky,
    Factorisation::Expm,
    Factorisation::Matpow,
    Factorisation::Det,
    Factorisation::Slogdet,
    Factorisation::Trace,
];
/// Operations of matrices that may have an inverse.
const OF_REGULAR: [Factorisation; 2] = [Factorisation::Solve, Factorisation::Inv];

impl Context {
    /// The sectors of a block tensor as a matrix, as text: each is factorised as a dense matrix. Where the context's device has memory of
    /// its own, it says which operations a library computes there and which are left to the host; of a triangle, who computes what is
    /// computed instead. Functions of square matrices join each row with the column of its number, so that their sectors may be larger than
    /// these.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when `rows` are no axes of the tensor;
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) when rows of a ragged axis have different extents;
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Context, Error, Structure, Tiling};
    /// let spin = Tiling::cuts([1, 2]).charged([-1, 1])?;
    /// let h = Blocks::<f64>::zeros(&Structure::new([&spin, &spin]).flow([1, -1], [0])?)?;
    /// let text = "\
    /// a matrix of 3 rows and 3 columns in 2 sectors, 5 of 9 elements
    /// 1 row, 1 column: the sector of charge [-1] with blocks [0, 0]
    /// 2 rows, 2 columns: the sector of charge [1] with blocks [1, 1]
    /// ";
    /// assert_eq!(Context::cpu().explain_sectors(&h, [0])?, text);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn explain_sectors<T: Element>(&self, a: &Blocks<T, impl Extents>, rows: impl AsRef<[usize]>) -> Result<String, Error> {
        if Diagonal::of(a, rows.as_ref()).is_some() {
            return Ok("a diagonal: its factors are found on the host, without a matrix\n".to_string());
        }
        let structure = a.structure().untied()?;
        let matrix = BlockMatrix::new(&structure, rows.as_ref())?;
        let sectors = matrix.sectors()?;
        let [all_rows, all_columns] =
            [ROWS, COLUMNS].map(|side| matrix.tilings(side).map(|tiling| tiling.extent() as f64).product::<f64>());
        let (elements, all) = (sectors.iter().map(Sector::elements).sum::<usize>(), all_rows * all_columns);
        let mut text = format!("a matrix of {} and {} in ", counted(all_rows, "row"), counted(all_columns, "column"));
        let _ = writeln!(text, "{}, {elements} of {}", counted(sectors.len(), "sector"), counted(all, "element"));
        for sector in &sectors {
            let [rows, columns] = sector.extents;
            let _ = writeln!(text, "{}, {}: {}", counted(rows, "row"), counted(columns, "column"), sector.described());
        }
        if self.backend.device().resident().is_some() {
            let _ = writeln!(text, "sectors are gathered, and their factors are cut into blocks, on the host");
            let asked = Asked { device: self.backend.device(), matrix: &matrix, slab: &untied(a)?.slab };
            // What the matrix does not allow is left out.
            let of_squares = matrix.square_sectors("eigh").ok();
            let of_regular = matrix.regular_sectors("inv").ok();
            for (kinds, own) in [(&OF_ANY[..], Some(sectors)), (&OF_SQUARES, of_squares), (&OF_REGULAR, of_regular)] {
                let Some(own) = own else { continue };
                for &kind in kinds {
                    let _ = writeln!(text, "{}: {}", kind.name(), asked.who(kind, &own)?);
                }
            }
        }
        Ok(text)
    }
}

/// A device that is asked what it computes, and the matrix that it is asked about.
struct Asked<'s, 'm, T> {
    device: &'s dyn Device,
    matrix: &'s BlockMatrix<'m>,
    slab: &'s [T],
}

impl<T: Element> Asked<'_, '_, T> {
    /// Who computes an operation of the matrices of these sectors.
    fn who(&self, kind: Factorisation, sectors: &[Sector<'_>]) -> Result<String, Error> {
        let (mut library, mut there) = (None, 0);
        for sector in sectors {
            if let Some(name) = self.library(kind, sector)? {
                (library, there) = (Some(name), there + 1);
            }
        }
        let device = self.device.name();
        Ok(match library {
            Some(name) if there == sectors.len() => format!("by `{name}` on `{device}`"),
            Some(name) => {
                format!("by `{name}` on `{device}` in {there} of {}, else on the host", counted(sectors.len(), "sector"))
            }
            None => "on the host".to_string(),
        })
    }

    /// The library that computes an operation of the matrix of a sector on the device, if one does.
    fn library(&self, kind: Factorisation, sector: &Sector<'_>) -> Result<Option<&'static str>, Error> {
        let own = match OF_ANY.contains(&kind) {
            true => Decomposition::plain(kind, 0, REDUCED),
            false => of_squares(kind),
        };
        let triangles = match Triangles::have_another_way(kind) {
            true => {
                let elements = self.matrix.gather(self.device, sector, self.slab)?;
                Triangles::of(&own, Stack { elements: &elements, count: 1, extents: sector.extents })
            }
            false => None,
        };
        let Some(call) = triangles.map_or(Some(own), |triangles| triangles.instead_of(kind)) else { return Ok(None) };
        let layout = Strided::row_major(&sector.extents)?;
        let has_right_side = matches!(call.kind, Factorisation::Solve | Factorisation::TriangularSolve);
        let arguments = &[&layout, &layout][..1 + usize::from(has_right_side)];
        Ok(self.device.factors_by(&Decomposition { batch: 0, ..call }, T::DTYPE, arguments, &[]))
    }
}
