//! A block tensor as a matrix: some axes are its rows, the others its columns, and what blocks connect is a [`Sector`], a dense
//! matrix of its own.
//!
//! Knows nothing of factorisations.

use std::collections::{BTreeMap, HashMap, HashSet};

use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Charge, Shape, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::Sign;
use tensorwrapper_notation::sentence::counted;

use super::super::group::Move;
use super::super::pieces::{BlockImage, images};

/// Rows of tiles, or columns of tiles.
pub(super) const ROWS: usize = 0;
pub(super) const COLUMNS: usize = 1;
/// Rows and columns of tiles of a square matrix at most: all of them take part, whether they have blocks or not.
const MOST_LINES: usize = 1 << 24;
/// Blocks of a sector that a message names at most.
const NAMED: usize = 4;

/// A structure and which of its axes are rows and columns.
pub(super) struct BlockMatrix<'m> {
    pub(super) structure: &'m Structure,
    pub(super) axes: [Vec<usize>; 2],
}

/// A dense matrix of rows and columns that no block connects with others.
pub(super) struct Sector<'m> {
    /// The charge of its rows, where charges are known.
    pub(super) charge: Option<Charge>,
    /// Its rows and its columns of tiles, in ascending order.
    pub(super) lines: [Vec<Line>; 2],
    /// How many rows and columns of elements it has.
    pub(super) extents: [usize; 2],
    pub(super) blocks: Vec<BlockImage<'m>>,
}

/// One tile of each axis of the rows, or of the columns: where their elements stand in a sector, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tiles: Vec<usize>,
    pub(super) first: usize,
    pub(super) extent: usize,
}

/// Rows and columns of tiles, each with a number, and which are connected: each knows one that it is connected with, or itself.
#[derive(Default)]
struct Lines {
    numbers: BTreeMap<(usize, Vec<usize>), usize>,
    connected: Vec<usize>,
}

impl Lines {
    /// The number of a row or column.
    fn number(&mut self, side: usize, tiles: Vec<usize>) -> usize {
        let number = *self.numbers.entry((side, tiles)).or_insert(self.connected.len());
        if number == self.connected.len() {
            self.connected.push(number);
        }
        number
    }

    /// The one that stands for all that are connected with this one.
    fn root(&mut self, mut number: usize) -> usize {
        while self.connected[number] != number {
            self.connected[number] = self.connected[self.connected[number]];
            number = self.connected[number];
        }
        number
    }

    fn connect(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.connected[one.max(other)] = one.min(other);
    }
}

impl Sector<'_> {
    /// Elements of its matrix.
    pub(super) fn elements(&self) -> usize {
        self.extents[ROWS] * self.extents[COLUMNS]
    }

    /// Elements of two factors of its matrix, and of the numbers between them.
    pub(super) fn factors(&self) -> usize {
        let [rows, columns] = self.extents;
        (rows + columns + 1) * rows.min(columns)
    }

    /// The same error, which says what the sector is.
    pub(super) fn named(&self, error: Error) -> Error {
        error.with_help(format!("this is {}", self.described()))
    }

    /// What messages call it: its charge, if it has one, and its first blocks.
    pub(super) fn described(&self) -> String {
        let charge = self.charge.as_ref().map(|charge| format!(" of charge {charge:?}")).unwrap_or_default();
        let named: Vec<String> = self.blocks.iter().take(NAMED).map(|image| format!("{:?}", image.block)).collect();
        let others = self.blocks.len() - named.len();
        let others = if others > 0 { format!(" and {others} more") } else { String::new() };
        match named.is_empty() {
            true => format!("the sector{charge} without blocks, at the row of tiles {:?}", self.lines[ROWS][0].tiles),
            false => format!("the sector{charge} with blocks {}{others}", named.join(", ")),
        }
    }
}

impl<'m> BlockMatrix<'m> {
    /// The matrix whose rows are these axes, and whose columns are the others in ascending order.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such axis, or when one is named twice; [`ErrorKind::Unsupported`] when rows have extents of
    /// their own.
    pub(super) fn new(structure: &'m Structure, rows: &[usize]) -> Result<BlockMatrix<'m>, Error> {
        let rank = structure.rank();
        for (n, &axis) in rows.iter().enumerate() {
            if axis >= rank {
                let message = format!(
                    "axis {axis} cannot be among the rows: the tensor has {}, the first of which is axis 0",
                    counted(rank, "axis")
                );
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            if rows[..n].contains(&axis) {
                return Err(Error::new(ErrorKind::Shape(format!("axis {axis} is named twice among the rows"))));
            }
        }
        for axis in 0..rank {
            if structure.has_unequal_rows(axis)? {
                let message = format!("linear algebra of a tensor whose axis {axis} is ragged");
                return Err(Error::new(ErrorKind::Unsupported(message)).with_help("`smooth()` pads rows with zeros"));
            }
        }
        let columns = (0..rank).filter(|axis| !rows.contains(axis)).collect();
        Ok(BlockMatrix { structure, axes: [rows.to_vec(), columns] })
    }

    /// The tilings of the axes of rows or columns.
    pub(super) fn tilings(&self, side: usize) -> impl ExactSizeIterator<Item = &'m Tiling> + '_ {
        self.axes[side].iter().map(|&axis| &self.structure.tilings()[axis])
    }

    /// The signs of the charges of the rows or the columns, where charges are known.
    pub(super) fn signs(&self, side: usize) -> Option<Vec<i64>> {
        let flow = self.structure.charge_flow()?;
        Some(self.axes[side].iter().map(|&axis| flow.signs()[axis]).collect())
    }

    /// The sectors in which blocks are: by charge, or else in the order of their first rows.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn sectors(&self) -> Result<Vec<Sector<'m>>, Error> {
        self.joined(Lines::default(), true)
    }

    /// The sectors of a square matrix, whose rows and columns are numbered alike. All rows take part, those without blocks too.
    /// Sectors have charges where the charge of each column is that of the row with its number.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when rows and columns are cut differently, or are too many; and as [`Structure::stored`].
    pub(super) fn square_sectors(&self, name: &str) -> Result<Vec<Sector<'m>>, Error> {
        let [rows, columns] = [ROWS, COLUMNS].map(|side| self.tilings(side).collect::<Vec<_>>());
        if rows.len() != columns.len() || rows.iter().zip(&columns).any(|(row, column)| !row.same_cuts(column)) {
            let listed = |tilings: &[&Tiling]| tilings.iter().map(|tiling| format!("[{tiling}]")).collect::<Vec<_>>().join(", ");
            let (rows, columns) = (listed(&rows), listed(&columns));
            let message =
                format!("`{name}` needs rows and columns that are cut alike, but rows are cut {rows} and columns {columns}");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let counts: Shape = rows.iter().map(|tiling| tiling.len()).collect();
        if rows.iter().try_fold(1usize, |count, tiling| count.checked_mul(tiling.len())).is_none_or(|count| count > MOST_LINES) {
            let message = format!("`{name}` of more than {MOST_LINES} rows of tiles");
            return Err(Error::new(ErrorKind::Shape(message)).with_help("use fewer, larger tiles"));
        }
        let (mut lines, mut has_charges) = (Lines::default(), true);
        for tiles in &counts {
            let [row, column] = [ROWS, COLUMNS].map(|side| lines.number(side, tiles.to_vec()));
            lines.connect(row, column);
            has_charges = has_charges && self.charge(ROWS, &tiles) == self.charge(COLUMNS, &tiles);
        }
        self.joined(lines, has_charges)
    }

    /// The sectors of a matrix that may have an inverse: each has as many rows as columns, and all rows have blocks.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there are not as many rows as columns; [`ErrorKind::LinearAlgebra`] when no matrix with these
    /// blocks has an inverse.
    pub(super) fn regular_sectors(&self, name: &str) -> Result<Vec<Sector<'m>>, Error> {
        let [rows, columns] =
            [ROWS, COLUMNS].map(|side| self.tilings(side).map(|tiling| tiling.extent() as u128).product::<u128>());
        if rows != columns {
            let message = format!(
                "`{name}` needs as many rows as columns, but there are {} and {}",
                counted(rows, "row"),
                counted(columns, "column")
            );
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let sectors = self.sectors()?;
        let singular =
            |why: String| Error::new(ErrorKind::LinearAlgebra { message: format!("the matrix of `{name}` is singular: {why}") });
        for (side, what) in [(ROWS, "the row"), (COLUMNS, "the column")] {
            if sectors.iter().map(|sector| sector.extents[side] as u128).sum::<u128>() < rows {
                return Err(match self.line_without_block(side, &sectors) {
                    Some(tiles) => singular(format!("{what} of tiles {tiles:?} has no block")),
                    None => singular(format!("a {} has no block", &what[4..])),
                });
            }
        }
        match sectors.iter().find(|sector| sector.extents[ROWS] != sector.extents[COLUMNS]) {
            Some(sector) => {
                let [rows, columns] = sector.extents;
                let (rows, columns) = (counted(rows, "row"), counted(columns, "column"));
                Err(singular(format!("{} has {rows}, but {columns}", sector.described())))
            }
            None => Ok(sectors),
        }
    }

    /// The first row or column of tiles that has indices, but is in no sector.
    fn line_without_block(&self, side: usize, sectors: &[Sector<'_>]) -> Option<Vec<usize>> {
        let has: HashSet<&[usize]> = sectors.iter().flat_map(|sector| &sector.lines[side]).map(|line| &line.tiles[..]).collect();
        let counts: Shape = self.tilings(side).map(Tiling::len).collect();
        let has_indices =
            |tiles: &[usize]| self.tilings(side).zip(tiles).all(|(tiling, &tile)| tiling.extents().nth(tile) > Some(0));
        counts.into_iter().map(|tiles| tiles.to_vec()).find(|tiles| !has.contains(&tiles[..]) && has_indices(tiles))
    }

    /// The charge of the sector that a row or a column of tiles belongs to.
    fn charge(&self, side: usize, tiles: &[usize]) -> Option<Charge> {
        let flow = self.structure.charge_flow()?;
        // Blocks are where the charges of row and column add up to the total.
        let (mut sum, sign) = match side {
            ROWS => (flow.group().neutral(), 1),
            _ => (flow.total().to_vec(), -1),
        };
        for (&axis, &tile) in self.axes[side].iter().zip(tiles) {
            let charges = self.structure.tilings()[axis].charges().expect("every axis of a flow has charges");
            flow.group().add(&mut sum, sign * flow.signs()[axis], charges.of(tile));
        }
        Some(sum)
    }

    /// What blocks, and charges where they are to be used, connect, beside what is connected already.
    fn joined(&self, mut lines: Lines, has_charges: bool) -> Result<Vec<Sector<'m>>, Error> {
        let blocks = images(self.structure)?;
        let places: Vec<usize> = blocks
            .iter()
            .map(|image| {
                let tiles = |side: usize| self.axes[side].iter().map(|&axis| image.block[axis]).collect::<Vec<_>>();
                let [row, column] = [ROWS, COLUMNS].map(|side| lines.number(side, tiles(side)));
                lines.connect(row, column);
                row
            })
            .collect();
        let all: Vec<(usize, Vec<usize>, usize)> =
            lines.numbers.iter().map(|((side, tiles), &number)| (*side, tiles.clone(), number)).collect();
        let mut charged: BTreeMap<Charge, usize> = BTreeMap::new();
        if has_charges {
            for (side, tiles, number) in &all {
                let Some(charge) = self.charge(*side, tiles) else { break };
                lines.connect(*charged.entry(charge).or_insert(*number), *number);
            }
        }
        let mut sectors: Vec<Sector<'m>> = Vec::new();
        let mut of_root: HashMap<usize, usize> = HashMap::new();
        for (side, tiles, number) in all {
            let at = *of_root.entry(lines.root(number)).or_insert(sectors.len());
            if at == sectors.len() {
                let charge = if has_charges { self.charge(side, &tiles) } else { None };
                sectors.push(Sector { charge, lines: [vec![], vec![]], extents: [0, 0], blocks: vec![] });
            }
            let sector = &mut sectors[at];
            let extents = self.tilings(side).zip(&tiles).map(|(tiling, &tile)| tiling.bounds()[tile + 1] - tiling.bounds()[tile]);
            let (first, extent) = (sector.extents[side], extents.product());
            sector.lines[side].push(Line { tiles, first, extent });
            sector.extents[side] += extent;
        }
        for (image, place) in blocks.into_iter().zip(places) {
            sectors[of_root[&lines.root(place)]].blocks.push(image);
        }
        sectors.retain(|sector| sector.extents.iter().all(|&extent| extent > 0));
        sectors.sort_by(|one, other| one.charge.cmp(&other.charge));
        Ok(sectors)
    }

    /// The elements of a sector, row by row.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn gather<T: Element>(&self, device: &dyn Device, sector: &Sector<'_>, slab: &[T]) -> Result<Vec<T>, Error> {
        let [rows, columns] = sector.extents;
        let mut matrix = zeros(rows * columns)?;
        for image in &sector.blocks {
            let extents = image.extents(self.structure);
            if extents.contains(&0) {
                continue;
            }
            let (strides, at) = self.place(sector, &image.block, &extents);
            let weight = if image.by.sign() == Sign::Minus { -1.0 } else { 1.0 };
            let how = (weight, T::DTYPE.is_complex() && image.by.conjugates());
            let piece = Move::new(&extents, [&image.strides(self.structure), &strides], [image.start, at], how);
            piece.gather(device, slab, &mut matrix)?;
        }
        Ok(matrix)
    }

    /// Writes the elements of a sector, which lie row by row, into those of these blocks of it that are stored: others follow from them.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn scatter<T: Element>(
        &self,
        device: &dyn Device,
        sector: &Sector<'_>,
        (matrix, blocks): (&[T], &[Vec<usize>]),
        slab: &mut [T],
    ) -> Result<(), Error> {
        let stored = self.structure.stored()?;
        for block in blocks {
            let shape = self.structure.block_shape(block)?;
            let extents = shape.extents();
            let Some(number) = stored.find(block).filter(|_| !extents.contains(&0)) else { continue };
            let (strides, at) = self.place(sector, block, extents);
            let own = Strided::row_major(extents)?;
            Move::new(extents, [&strides, own.strides()], [at, stored.start(number)], (1.0, false))
                .gather(device, matrix, slab)?;
        }
        Ok(())
    }

    /// The number of the row, or the column, of tiles of a sector that one of its blocks is in.
    pub(super) fn line(&self, sector: &Sector<'_>, side: usize, block: &[usize]) -> usize {
        let tiles: Vec<usize> = self.axes[side].iter().map(|&axis| block[axis]).collect();
        sector.lines[side].binary_search_by(|line| line.tiles.cmp(&tiles)).expect("a sector has its blocks' lines")
    }

    /// Where a block lies in the matrix of its sector: its strides, and where it begins.
    fn place(&self, sector: &Sector<'_>, block: &[usize], extents: &[usize]) -> (Vec<isize>, usize) {
        let (mut strides, mut at) = (vec![0; extents.len()], 0);
        for (side, step) in [(ROWS, sector.extents[COLUMNS]), (COLUMNS, 1)] {
            let line = self.line(sector, side, block);
            at += sector.lines[side][line].first * step;
            let mut stride = step as isize;
            for &axis in self.axes[side].iter().rev() {
                strides[axis] = stride;
                stride *= extents[axis] as isize;
            }
        }
        (strides, at)
    }
}
