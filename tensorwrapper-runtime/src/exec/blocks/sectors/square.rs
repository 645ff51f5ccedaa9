//! Functions of square matrices, and systems of equations, sector by sector. Matrices of one size are a few calls of the device, which
//! threads share.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use num_complex::Complex;
use tensorwrapper_core::backend::{Decomposition, Device, Factorisation};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::sentence::counted;

use super::super::super::context::Context;
use super::super::operand::BlockOperand;
use super::super::pieces::images;
use super::assembled::{Part, Reach, assembled};
use super::dense::{self, Stack, of_squares};
use super::each::{Tasks, WORTH_THREADS, cubed};
use super::inherited;
use super::matrix::{BlockMatrix, COLUMNS, Line, ROWS, Sector};
use super::triangle::{self, Triangles};
use crate::tensor::Blocks;

/// The right side of each sector, row by row, and how many columns it has.
type Right<'r, T> = &'r [(Vec<T>, usize)];

/// The results of an operation for each sector, of its matrix, and of its right side where there are some.
///
/// # Errors
/// Memory, cancellation, and those of the device, each with the sector that it is about.
pub(super) fn of_sectors<T: Element>(
    context: &Context,
    call: &Decomposition,
    sectors: &[Sector<'_>],
    (matrices, right): (&[Vec<T>], Option<Right<'_, T>>),
) -> Result<Vec<Vec<T>>, Error> {
    let mut alike: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (n, sector) in sectors.iter().enumerate() {
        let columns = right.map_or(0, |right| right[n].1);
        alike.entry((sector.extents[ROWS], columns)).or_default().push(n);
    }
    // Cut for one thread as for several, because a device may compute few matrices by another algorithm than many.
    let is_shared = context.backend.device().with_threads(1).is_some();
    let pieces: Vec<Piece> = alike.into_iter().flat_map(|(extents, numbers)| pieces(extents, numbers, is_shared)).collect();
    let costs: Vec<f64> = pieces.iter().map(Piece::cost).collect();
    let compute = |device: &dyn Device, n: usize| {
        let Piece { extents: (rows, columns), numbers } = &pieces[n];
        Alike { device, call, sectors, matrices, right, extents: [*rows, *columns] }.compute(numbers)
    };
    let said = |n: usize| {
        let (matrices, rows) = (counted(pieces[n].numbers.len(), "matrix"), counted(pieces[n].extents.0, "row"));
        format!("{matrices} of {rows}")
    };
    let threads = context.threads_worth(costs.iter().sum());
    let found = Tasks::new(context, &costs).run(threads, (said, "groups of matrices"), compute)?;
    let mut results = vec![Vec::new(); sectors.len()];
    for (piece, found) in pieces.iter().zip(found) {
        piece.numbers.iter().zip(found).for_each(|(&n, result)| results[n] = result);
    }
    Ok(results)
}

/// Pieces of matrices of one size at most, so that threads can share them.
const PIECES: usize = 64;
/// Matrices that the `cpu` backend computes together in vectors: pieces are multiples of it.
const TOGETHER: usize = 8;

/// Some matrices of one size, which are one call of the device.
struct Piece {
    /// Rows, and columns of the right side.
    extents: (usize, usize),
    numbers: Vec<usize>,
}

impl Piece {
    fn cost(&self) -> f64 {
        let (rows, columns) = self.extents;
        cubed(self.numbers.len(), rows, rows.max(columns))
    }
}

/// The matrices of one size in pieces, each of which is worth a thread; all of them on a device whose threads cannot share sectors.
fn pieces(extents: (usize, usize), numbers: Vec<usize>, is_shared: bool) -> Vec<Piece> {
    let one = Piece { extents, numbers: vec![0] }.cost().max(1.0);
    let worth = (WORTH_THREADS / one).ceil() as usize;
    let each = if is_shared { worth.max(numbers.len().div_ceil(PIECES)) } else { numbers.len() };
    // Large matrices are computed one by one.
    let each = if each > 1 { each.next_multiple_of(TOGETHER) } else { 1 };
    numbers.chunks(each).map(|some| Piece { extents, numbers: some.to_vec() }).collect()
}

/// Sectors of one size.
struct Alike<'s, T> {
    device: &'s dyn Device,
    call: &'s Decomposition,
    sectors: &'s [Sector<'s>],
    matrices: &'s [Vec<T>],
    right: Option<Right<'s, T>>,
    /// Rows, and columns of the right side.
    extents: [usize; 2],
}

impl<T: Element> Alike<'_, T> {
    /// Computes those of these numbers in one call.
    fn compute(&self, numbers: &[usize]) -> Result<Vec<Vec<T>>, Error> {
        let &Alike { device, call, sectors, matrices, right, extents: [rows, columns] } = self;
        let elements = stacked(numbers, |n| &matrices[n]);
        let a = Stack { elements: &elements, count: numbers.len(), extents: [rows, rows] };
        let sides = right.map(|right| stacked(numbers, |n| &right[n].0));
        let b = sides.as_ref().map(|elements| Stack { elements, count: numbers.len(), extents: [rows, columns] });
        let triangles = Triangles::of(call, a);
        let computed = triangles.and_then(|triangles| triangles.computed(device, call, a, b));
        if let Ok(all) = computed.unwrap_or_else(|| dense::one_result(device, call, a, b)) {
            // The stack is freed before results are copied out of theirs.
            drop((elements, sides));
            let length = all.len() / numbers.len();
            return Ok(match numbers {
                [_] => vec![all],
                _ => (0..numbers.len()).map(|at| all[at * length..][..length].to_vec()).collect(),
            });
        }
        // One by one, to know which one it is. Some may be triangles where not all of them are.
        let each = numbers.iter().map(|&n| {
            let a = Stack { elements: &matrices[n][..], count: 1, extents: [rows, rows] };
            let triangle = if numbers.len() == 1 { triangles } else { triangles.or_else(|| Triangles::of(call, a)) };
            let singular = triangle.and_then(|triangle| triangle.singular(call, a));
            let a = Stack { elements: singular.as_deref().unwrap_or(a.elements), ..a };
            let b = right.map(|right| Stack { elements: &right[n].0[..], count: 1, extents: [rows, columns] });
            let own = Decomposition { batch: 0, ..call.clone() };
            dense::one_result(device, &own, a, b).map_err(|error| sectors[n].named(error))
        });
        each.collect()
    }
}

/// The elements of these matrices, one after the other: of one matrix they are not copied.
fn stacked<'m, T: Element>(numbers: &[usize], matrix: impl Fn(usize) -> &'m Vec<T>) -> Cow<'m, [T]> {
    match numbers {
        &[n] => Cow::Borrowed(matrix(n)),
        _ => numbers.iter().flat_map(|&n| matrix(n)).copied().collect(),
    }
}

/// The dense matrices of sectors.
fn gathered<T: Element>(
    context: &Context,
    matrix: &BlockMatrix<'_>,
    sectors: &[Sector<'_>],
    a: &BlockOperand<'_, T>,
) -> Result<Vec<Vec<T>>, Error> {
    // Results that are matrices are as large as these, and are there as dense matrices and as blocks in the end. While they are computed, a
    // stack of matrices is there once more instead of the blocks, or of one triangle an identity. Right sides, the one identity of a stack
    // of triangles, and what devices copy are not counted.
    context.check_sectors::<T>(sectors, 3 * sectors.iter().map(Sector::elements).sum::<usize>())?;
    sectors.iter().map(|sector| matrix.gather(context.backend.device(), sector, &a.slab)).collect()
}

/// A function of a matrix whose rows and columns are numbered alike, which has blocks where powers of the matrix have some.
pub(super) fn function<T: Element>(
    context: &Context,
    call: &Decomposition,
    a: &BlockOperand<'_, T>,
    rows: &[usize],
) -> Result<Blocks<T>, Error> {
    let matrix = BlockMatrix::new(&a.structure, rows)?;
    let sectors = matrix.square_sectors(call.form().name)?;
    let matrices = gathered(context, &matrix, &sectors, a)?;
    let results = of_sectors(context, call, &sectors, (&matrices, None))?;
    let plain = Structure::new(a.structure.tilings());
    let keeps = |flow: &&tensorwrapper_core::structure::Flow| {
        flow.total() == flow.group().neutral() && sectors.iter().all(|sector| sector.charge.is_some())
    };
    let frame = match a.structure.charge_flow().filter(keeps) {
        Some(flow) => plain.flow(flow.signs(), flow.total().to_vec())?,
        None => plain,
    };
    let frame = frame.with(inherited::of_function(&matrix, call)?)?;
    let parts = sectors.into_iter().zip(results).map(|(sector, result)| {
        let reach = Reach::of(&matrix, &sector);
        Part { lines: sector.lines, has: Box::new(move |row, column| reach.leads(row, column)), matrix: result }
    });
    assembled(context.backend.device(), &frame, rows, parts.collect())
}

/// The inverse: its rows are the columns of the matrix.
pub(super) fn inverse<T: Element>(context: &Context, a: &BlockOperand<'_, T>, rows: &[usize]) -> Result<Blocks<T>, Error> {
    let matrix = BlockMatrix::new(&a.structure, rows)?;
    let sectors = matrix.regular_sectors("inv")?;
    let matrices = gathered(context, &matrix, &sectors, a)?;
    let results = of_sectors(context, &of_squares(Factorisation::Inv), &sectors, (&matrices, None))?;
    let plain = Structure::new(matrix.tilings(COLUMNS).chain(matrix.tilings(ROWS)));
    let frame = match a.structure.charge_flow() {
        Some(flow) => {
            let signs: Vec<i64> = [COLUMNS, ROWS].iter().flat_map(|&side| matrix.signs(side).unwrap_or_default()).collect();
            let mut total = flow.group().neutral();
            flow.group().add(&mut total, -1, flow.total());
            plain.flow(signs.iter().map(|sign| -sign).collect::<Vec<_>>(), total)?
        }
        None => plain,
    };
    let frame = frame.with(inherited::of_inverse(&matrix)?)?;
    let parts = sectors.into_iter().zip(results).map(|(sector, result)| {
        let reach = Reach::of(&matrix, &sector);
        let [rows, columns] = sector.lines;
        Part { lines: [columns, rows], has: Box::new(move |row, column| reach.leads(row, column)), matrix: result }
    });
    assembled(context.backend.device(), &frame, &(0..matrix.axes[COLUMNS].len()).collect::<Vec<_>>(), parts.collect())
}

/// The X of A·X = B: the first axes of B are the rows of A.
pub(super) fn solution<T: Element>(
    context: &Context,
    a: &BlockOperand<'_, T>,
    rows: &[usize],
    b: &BlockOperand<'_, T>,
) -> Result<Blocks<T>, Error> {
    let matrix = BlockMatrix::new(&a.structure, rows)?;
    let frame = frame_of_solution(&matrix, &b.structure)?;
    let sectors = matrix.regular_sectors("solve")?;
    let sides = BlockMatrix::new(&b.structure, &(0..rows.len()).collect::<Vec<_>>())?;
    let right = right_sides(&sectors, &sides)?;
    // Where nothing is on the right, nothing is solved.
    let mut used: Vec<(Sector<'_>, Sector<'_>)> =
        sectors.into_iter().zip(right).filter(|(_, right)| right.extents[COLUMNS] > 0).collect();
    let right =
        used.iter().map(|(_, right)| Ok((sides.gather(context.backend.device(), right, &b.slab)?, right.extents[COLUMNS])));
    let right: Vec<(Vec<T>, usize)> = right.collect::<Result<_, Error>>()?;
    let lines: Vec<(Vec<Line>, Vec<Vec<usize>>)> =
        used.iter_mut().map(|(sector, right)| with_blocks(sector, right, &sides)).collect();
    let sectors: Vec<Sector<'_>> = used.into_iter().map(|(sector, _)| sector).collect();
    let matrices = gathered(context, &matrix, &sectors, a)?;
    let results = of_sectors(context, &of_squares(Factorisation::Solve), &sectors, (&matrices, Some(&right)))?;
    let parts = sectors.into_iter().zip(results).zip(lines).map(|((sector, result), (side, rows_of))| {
        let reach = Reach::of(&matrix, &sector);
        let [_, columns] = sector.lines;
        let has = move |row: usize, column: usize| rows_of[column].iter().any(|&through| reach.leads(row, through));
        Part { lines: [columns, side], has: Box::new(has), matrix: result }
    });
    assembled(context.backend.device(), &frame, &(0..matrix.axes[COLUMNS].len()).collect::<Vec<_>>(), parts.collect())
}

/// The columns of a right side, and of each the rows of tiles in which it has blocks.
fn with_blocks(sector: &Sector<'_>, right: &mut Sector<'_>, sides: &BlockMatrix<'_>) -> (Vec<Line>, Vec<Vec<usize>>) {
    let mut rows_of = vec![Vec::new(); right.lines[COLUMNS].len()];
    for image in &right.blocks {
        let [row, column] = [(ROWS, &sector.lines[ROWS]), (COLUMNS, &right.lines[COLUMNS])].map(|(side, lines)| {
            let tiles: Vec<usize> = sides.axes[side].iter().map(|&axis| image.block[axis]).collect();
            lines.binary_search_by(|line| line.tiles.cmp(&tiles)).expect("a right side has its blocks' lines")
        });
        rows_of[column].push(row);
    }
    (std::mem::take(&mut right.lines[COLUMNS]), rows_of)
}

/// What each sector has on the right: its rows, and those columns that have blocks there.
fn right_sides<'b>(sectors: &[Sector<'_>], sides: &BlockMatrix<'b>) -> Result<Vec<Sector<'b>>, Error> {
    let of_row: HashMap<&[usize], usize> = sectors
        .iter()
        .enumerate()
        .flat_map(|(n, sector)| sector.lines[ROWS].iter().map(move |line| (&line.tiles[..], n)))
        .collect();
    let mut found: Vec<Sector<'b>> = sectors
        .iter()
        .map(|sector| {
            let (lines, extents) = ([sector.lines[ROWS].clone(), Vec::new()], [sector.extents[ROWS], 0]);
            Sector { charge: sector.charge.clone(), lines, extents, blocks: Vec::new() }
        })
        .collect();
    for image in images(sides.structure)? {
        let tiles: Vec<usize> = sides.axes[ROWS].iter().map(|&axis| image.block[axis]).collect();
        // A row without indices is in no sector.
        if let Some(&n) = of_row.get(&tiles[..]) {
            found[n].blocks.push(image);
        }
    }
    for sector in &mut found {
        let tiles = |image: &super::super::pieces::BlockImage<'_>| {
            sides.axes[COLUMNS].iter().map(|&axis| image.block[axis]).collect::<Vec<_>>()
        };
        let mut columns: Vec<Vec<usize>> = sector.blocks.iter().map(tiles).collect();
        columns.sort_unstable();
        columns.dedup();
        for tiles in columns {
            let extents =
                sides.tilings(COLUMNS).zip(&tiles).map(|(tiling, &tile)| tiling.bounds()[tile + 1] - tiling.bounds()[tile]);
            let (first, extent) = (sector.extents[COLUMNS], extents.product());
            sector.lines[COLUMNS].push(Line { tiles, first, extent });
            sector.extents[COLUMNS] += extent;
        }
    }
    Ok(found)
}

/// How the solution of a system is cut, and the charge that it conserves.
pub(super) fn frame_of_solution(matrix: &BlockMatrix<'_>, b: &Structure) -> Result<Structure, Error> {
    let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
    let rows: Vec<&Tiling> = matrix.tilings(ROWS).collect();
    if b.rank() < rows.len() {
        let message = format!("the matrix of `solve` has rows of rank {}, but the right side has rank {}", rows.len(), b.rank());
        return refused(message);
    }
    for (n, (own, other)) in rows.iter().zip(b.tilings()).enumerate() {
        if !own.same_cuts(other) {
            return refused(format!("axis {n} of the right side of `solve` is cut {other}, but that of the rows {own}"));
        }
    }
    let sides = &b.tilings()[rows.len()..];
    let plain = Structure::new(matrix.tilings(COLUMNS).chain(sides));
    let (Some(flow), Some(other)) = (matrix.structure.charge_flow(), b.charge_flow()) else { return Ok(plain) };
    let signs = matrix.signs(ROWS).unwrap_or_default();
    for (n, (own, tiling)) in rows.iter().zip(b.tilings()).enumerate() {
        if own.charges() != tiling.charges() {
            return refused(format!("axis {n} of the right side of `solve` is cut {tiling}, but that of the rows {own}"));
        }
        if flow.group().has_signs() && signs[n] != other.signs()[n] {
            return refused(format!(
                "charges enter axis {n} of the right side of `solve` with sign {}, but the rows with sign {}",
                other.signs()[n],
                signs[n]
            ));
        }
    }
    let own = matrix.signs(COLUMNS).unwrap_or_default().into_iter().map(|sign| -sign);
    let signs: Vec<i64> = own.chain(other.signs()[rows.len()..].iter().copied()).collect();
    let mut total = other.total().to_vec();
    flow.group().add(&mut total, -1, flow.total());
    plain.flow(signs, total)
}

/// The traces of the sectors of a matrix whose rows and columns are numbered alike.
pub(super) fn traces<T: Element>(context: &Context, a: &BlockOperand<'_, T>, rows: &[usize]) -> Result<Vec<T>, Error> {
    let matrix = BlockMatrix::new(&a.structure, rows)?;
    let sectors = matrix.square_sectors("trace")?;
    values(context, Factorisation::Trace, (&matrix, &sectors), a)
}

/// A number for each sector.
fn values<T: Element>(
    context: &Context,
    kind: Factorisation,
    (matrix, sectors): (&BlockMatrix<'_>, &[Sector<'_>]),
    a: &BlockOperand<'_, T>,
) -> Result<Vec<T>, Error> {
    let matrices = gathered(context, matrix, sectors, a)?;
    Ok(of_sectors(context, &of_squares(kind), sectors, (&matrices, None))?.concat())
}

/// The determinant of a matrix whose rows and columns are numbered alike.
pub(super) fn determinant<T: Element>(context: &Context, a: &BlockOperand<'_, T>, rows: &[usize]) -> Result<T, Error> {
    let matrix = BlockMatrix::new(&a.structure, rows)?;
    let whole = matrix.square_sectors("det")?;
    let dets = |sectors: &[Sector<'_>]| values(context, Factorisation::Det, (&matrix, sectors), a);
    let is_of_matrix = |error: &Error| matches!(error.kind(), ErrorKind::LinearAlgebra { .. });
    let of_parts = triangle::parts(&matrix, &whole, &a.slab).map(|parts| Ok((dets(&parts)?, parts)));
    let (dets, sectors) = match of_parts {
        Some(Ok(found)) => found,
        Some(Err(error)) if !is_of_matrix(&error) => return Err(error),
        // Where a part is too large for a number, the whole need not be.
        _ => (dets(&whole)?, whole),
    };
    if let Some(det) = triangle::product_of_parts(&dets) {
        return Ok(det);
    }
    // The others are large, so that those that are too small for a number, and they alone, are found once more, as logarithms.
    let small = sectors.into_iter().zip(&dets).filter(|(_, det)| !triangle::has_all_digits(*det)).map(|(sector, _)| sector);
    let again = slogdets_of(context, (&matrix, &small.collect::<Vec<_>>()), a)?;
    let others = triangle::multiplied(dets.iter().copied().filter(triangle::has_all_digits));
    let (sign, logarithm) = triangle::together(again);
    // In two halves, neither of which is infinite: a part of the phase may be zero.
    let half = ((others.logarithm() + logarithm.to_complex().re) / 2.0).exp().min(f64::MAX);
    Ok(T::from_complex(others.sign::<Complex<f64>>() * sign.to_complex() * half * half))
}

/// The phases of the determinants of the sectors, and the logarithms of their absolute values.
pub(super) fn slogdets<T: Element>(
    context: &Context,
    a: &BlockOperand<'_, T>,
    rows: &[usize],
) -> Result<Vec<(T, T::Real)>, Error> {
    let matrix = BlockMatrix::new(&a.structure, rows)?;
    let whole = matrix.square_sectors("slogdet")?;
    let sectors = triangle::parts(&matrix, &whole, &a.slab).unwrap_or(whole);
    slogdets_of(context, (&matrix, &sectors), a)
}

fn slogdets_of<T: Element>(
    context: &Context,
    (matrix, sectors): (&BlockMatrix<'_>, &[Sector<'_>]),
    a: &BlockOperand<'_, T>,
) -> Result<Vec<(T, T::Real)>, Error> {
    context.each_sector(matrix, sectors, a, |device, elements, extents| {
        triangle::slogdet(device, Stack { elements, count: 1, extents })
    })
}

/// The factor L of L·Lᴴ in each sector.
pub(super) fn cholesky_factors<T: Element>(
    context: &Context,
    matrix: &BlockMatrix<'_>,
    sectors: &[Sector<'_>],
    a: &BlockOperand<'_, T>,
) -> Result<Vec<Vec<T>>, Error> {
    of_sectors(context, &of_squares(Factorisation::Cholesky), sectors, (&gathered(context, matrix, sectors, a)?, None))
}
