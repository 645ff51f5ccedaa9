//! Functions of slices of tensors, over named labels: a result has a slice for each index of some labels, which a function of the
//! program makes of the operands' slices.
//!
//! Knows nothing of equations.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind, Place};
use tensorwrapper_core::shape::{Shape, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::syntax::Index;

use super::super::operands::DynOperand;
use super::operand::BlockOperand;
use super::pieces::{BlockImage, images};
use crate::expr::labels;
use crate::tensor::{Blocks, TensorMut, TensorRef, follows, meeting, untie};

/// Blocks of a result at most, as [`Structure::stored`] has them.
const MOST_BLOCKS: usize = 1 << 26;

impl<T: Element> Blocks<T> {
    /// A function of slices: for each index of the labels `at`, it gets that index, the slice that each tensor has there, and that of
    /// the result, which is zero at first. A slice has the axes whose labels are not among `at`, in the order of its tensor's labels; a
    /// tensor without any label of `at` is given whole. Labels are written as for [`at`](crate::Tensor::at). Tensors may be dense.
    ///
    /// Where no tensor with a label of `at` has a block, the function is not called, and the result has none. Other slices have all
    /// blocks of the result ([`truncated`](Blocks::truncated) drops those that are zero). Axes are cut as those of the first block
    /// tensor with the label. A label that is [ragged](Structure::ragged_by) by labels of `at` has the extent of its row in each
    /// slice. Nothing is known of what the function does, so the result has no symmetry and no charge.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tensor, Tiling};
    /// let (occ, vir) = (Tiling::cuts([1, 1]), Tiling::cuts([2, 1]));
    /// let t = Blocks::<f64>::from_fn(&Structure::new([&occ, &vir]), |i| (3 * i[0] + i[1]) as f64)?;
    /// let shift = Tensor::from_slice([3], &[10.0, 20.0, 30.0])?;
    /// // Each row sorted in descending order, and shifted.
    /// let sorted = Blocks::map_slices(
    ///     |_, of, mut out| {
    ///         let mut row: Vec<f64> = of[0].elements().copied().collect();
    ///         row.sort_by(|x, y| y.total_cmp(x));
    ///         let out = out.as_mut_slice().expect("slices are in C order");
    ///         out.iter_mut().zip(row.iter().zip(of[1].elements())).for_each(|(out, (x, shift))| *out = x + shift);
    ///         Ok(())
    ///     },
    ///     "i",
    ///     "i, a",
    ///     &[("i, a", &t), ("a", &shift)],
    /// )?;
    /// assert_eq!(sorted.to_dense()?.as_slice(), [12.0, 21.0, 30.0, 15.0, 24.0, 33.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Label`] when a label of the result is on no tensor, when one of `at` is not on the result, and when one stands
    /// twice on a tensor; [`ErrorKind::Rank`] and [`ErrorKind::Extent`] when labels do not fit; [`ErrorKind::Shape`] when rows do not;
    /// [`ErrorKind::Memory`]; and what the function returns.
    pub fn map_slices(
        mut function: impl FnMut(&[usize], &[TensorRef<'_, T>], TensorMut<'_, T>) -> Result<(), Error>,
        at: &str,
        result: &str,
        of: &[(&str, &dyn DynOperand<T>)],
    ) -> Result<Blocks<T>, Error> {
        let (at, result) = (names(at)?, names(result)?);
        let mut tensors = Vec::with_capacity(of.len());
        for (text, tensor) in of {
            let operand = without_ties(BlockOperand::of(&tensor.dyn_operand().0)?)?;
            tensors.push(Labelled { text, labels: names(text)?, operand });
        }
        check(&at, &result, &tensors)?;
        let sliced = tensors.iter().map(|tensor| Sliced::new(tensor, &at)).collect::<Result<Vec<_>, Error>>()?;
        let frame = Frame::new(&at, &result, &sliced);
        let tiles = frame.tiles(&sliced);
        let mut made = Blocks::zeros(&frame.structure(&tiles, &sliced)?)?;
        for tiles in &tiles {
            for index in frame.indices(tiles)?.indices() {
                if !at.is_empty() && !sliced.iter().any(|tensor| tensor.is_there(&index)) {
                    continue;
                }
                let extents = extents_at(&sliced, &index)?;
                let slices = sliced.iter().map(|tensor| tensor.slice(&index)).collect::<Vec<_>>();
                let views = slices.iter().map(|(extents, slice)| TensorRef::from_slice(extents.as_slice(), slice));
                let views = views.collect::<Result<Vec<_>, Error>>()?;
                let kept: Vec<usize> = frame.kept.iter().map(|&axis| extents[&*result[axis]]).collect();
                let mut out = vec![T::ZERO; kept.iter().product()];
                function(&index, &views, TensorMut::from_slice(kept.as_slice(), &mut out)?)?;
                frame.write((tiles, &index), (&kept, &out), &mut made)?;
            }
        }
        Ok(made)
    }
}

/// A tensor with the labels of its axes.
struct Labelled<'o, T: Element> {
    text: &'o str,
    labels: Vec<String>,
    operand: BlockOperand<'o, T>,
}

/// A tensor of which slices are read.
struct Sliced<'s, T: Element> {
    tensor: &'s Labelled<'s, T>,
    /// The axes that slices are taken at, each with the place of its label.
    fixed: Vec<(usize, usize)>,
    /// The other axes, each with the extents that it has in slices.
    kept: Vec<(usize, SliceExtent)>,
    /// The blocks that are there, by their tiles on the fixed axes.
    blocks: HashMap<Vec<usize>, Vec<BlockImage<'s>>>,
}

/// The extent of an axis in slices.
enum SliceExtent {
    Same(usize),
    /// That of the row at the index of some labels, each with its place and its extent.
    Row(Vec<(usize, usize)>, Vec<usize>),
}

impl SliceExtent {
    fn at(&self, index: &[usize]) -> usize {
        match self {
            SliceExtent::Same(extent) => *extent,
            SliceExtent::Row(by, rows) => rows[by.iter().fold(0, |row, &(place, extent)| row * extent + index[place])],
        }
    }
}

impl<'s, T: Element> Sliced<'s, T> {
    fn new(tensor: &'s Labelled<'s, T>, at: &[String]) -> Result<Sliced<'s, T>, Error> {
        let structure = &tensor.operand.structure;
        let place = |axis: usize| at.iter().position(|label| *label == tensor.labels[axis]);
        let extent = |axis: usize| structure.tilings()[axis].extent();
        let (mut fixed, mut kept) = (Vec::new(), Vec::new());
        for axis in 0..structure.rank() {
            let by = structure.ragged_by(axis).unwrap_or_default();
            let by: Option<Vec<(usize, usize)>> = by.iter().map(|&by| Some((place(by)?, extent(by)))).collect();
            match (place(axis), by) {
                (Some(place), _) => fixed.push((axis, place)),
                (None, Some(by)) if !by.is_empty() => kept.push((axis, SliceExtent::Row(by, structure.row_extents(axis)?))),
                _ => kept.push((axis, SliceExtent::Same(extent(axis)))),
            }
        }
        let mut blocks: HashMap<Vec<usize>, Vec<BlockImage<'s>>> = HashMap::new();
        for image in images(structure)? {
            blocks.entry(fixed.iter().map(|&(axis, _)| image.block[axis]).collect()).or_default().push(image);
        }
        Ok(Sliced { tensor, fixed, kept, blocks })
    }

    fn tilings(&self) -> &'s [Tiling] {
        self.tensor.operand.structure.tilings()
    }

    /// The tiles of an index on the fixed axes, and where it is in each.
    fn located(&self, index: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let places = self.fixed.iter().map(|&(axis, place)| self.tilings()[axis].locate(index[place]));
        places.map(|place| place.expect("extents of labels were compared")).unzip()
    }

    /// Whether there is a slice at this index, of a tensor that has one for each.
    fn is_there(&self, index: &[usize]) -> bool {
        !self.fixed.is_empty() && self.blocks.contains_key(&self.located(index).0)
    }

    /// The slice at this index: its extents, and its elements in C order.
    fn slice(&self, index: &[usize]) -> (Vec<usize>, Vec<T>) {
        let extents: Vec<usize> = self.kept.iter().map(|(_, extent)| extent.at(index)).collect();
        let mut slice = vec![T::ZERO; extents.iter().product()];
        let (tiles, offsets) = self.located(index);
        for image in self.blocks.get(&tiles).into_iter().flatten() {
            let strides = image.strides(&self.tensor.operand.structure);
            let fixed =
                self.fixed.iter().zip(&offsets).map(|(&(axis, _), &offset)| offset as isize * strides[axis]).sum::<isize>();
            let block = Part {
                ranges: self.kept.iter().map(|&(axis, _)| bounds(&self.tilings()[axis], image.block[axis])).collect(),
                start: image.start + fixed as usize,
                strides: self.kept.iter().map(|&(axis, _)| strides[axis] as usize).collect(),
            };
            block.walk(&extents, |at, own| slice[own] = follows(self.tensor.operand.slab[at], image.by));
        }
        (extents, slice)
    }
}

/// Where the part of a slice that lies in one block is in a slab.
struct Part {
    /// Its indices in the slice.
    ranges: Vec<(usize, usize)>,
    start: usize,
    strides: Vec<usize>,
}

impl Part {
    /// Calls back with the place in the slab and that in a slice of these extents, in C order, of each element that both have.
    fn walk(&self, slice: &[usize], mut each: impl FnMut(usize, usize)) {
        let common = self.ranges.iter().zip(slice).map(|(&(begin, end), &extent)| end.min(extent).saturating_sub(begin));
        common.collect::<Shape>().indices().visit(|offset| {
            let at = offset.iter().zip(&self.strides).map(|(offset, stride)| offset * stride).sum::<usize>();
            let own = offset.iter().zip(&self.ranges).zip(slice);
            each(self.start + at, own.fold(0, |own, ((offset, (begin, _)), extent)| own * extent + begin + offset));
        });
    }
}

/// How a result is cut.
struct Frame<'f> {
    tilings: Vec<Tiling>,
    /// The axes that slices are taken at, in the order of `at`, and the others.
    fixed: Vec<usize>,
    kept: Vec<usize>,
    result: &'f [String],
}

impl<'f> Frame<'f> {
    fn new<T: Element>(at: &[String], result: &'f [String], sliced: &[Sliced<'_, T>]) -> Frame<'f> {
        // Rows end at the cuts of the tensor that has them.
        let mut order: Vec<&Labelled<'_, T>> = sliced.iter().map(|sliced| sliced.tensor).collect();
        let is_ragged = |structure: &Structure| (0..structure.rank()).any(|axis| structure.ragged_by(axis).is_some());
        order.sort_by_key(|tensor| (tensor.operand.is_dense, !is_ragged(&tensor.operand.structure)));
        let axis = |label: &String, of: &Labelled<'_, T>| of.labels.iter().position(|own| own == label);
        let cut = |label: &String| {
            let found = order.iter().find_map(|of| Some(of.operand.structure.tilings()[axis(label, of)?].clone()));
            found.expect("each label is on a tensor").uncharged()
        };
        let place = |label: &String| result.iter().position(|own| own == label).expect("it is on the result");
        let kept = (0..result.len()).filter(|&axis| !at.contains(&result[axis])).collect();
        Frame { tilings: result.iter().map(cut).collect(), fixed: at.iter().map(place).collect(), kept, result }
    }

    /// The tiles on fixed axes at which some tensor has a block.
    fn tiles<T: Element>(&self, sliced: &[Sliced<'_, T>]) -> BTreeSet<Vec<usize>> {
        if self.fixed.is_empty() {
            return BTreeSet::from([Vec::new()]);
        }
        let mut found = BTreeSet::new();
        for tensor in sliced.iter().filter(|tensor| !tensor.fixed.is_empty()) {
            for known in tensor.blocks.keys() {
                let tiles = |(place, &axis): (usize, &usize)| {
                    let own = tensor.fixed.iter().zip(known).find(|((_, own), _)| *own == place);
                    let range = own.map(|(&(axis, _), &tile)| bounds(&tensor.tilings()[axis], tile));
                    meeting(&self.tilings[axis], range.unwrap_or((0, self.tilings[axis].extent())))
                };
                let tiles: Vec<Vec<usize>> = self.fixed.iter().enumerate().map(tiles).collect();
                let choices: Shape = tiles.iter().map(Vec::len).collect();
                choices
                    .indices()
                    .visit(|choice| _ = found.insert(choice.iter().zip(&tiles).map(|(&n, tiles)| tiles[n]).collect()));
            }
        }
        found
    }

    /// The indices of a tile of the fixed axes.
    fn indices(&self, tiles: &[usize]) -> Result<Shape, Error> {
        let ranges = || self.fixed.iter().zip(tiles).map(|(&axis, &tile)| bounds(&self.tilings[axis], tile));
        ranges()
            .map(|(begin, end)| end - begin)
            .collect::<Shape>()
            .with_origin(ranges().map(|(begin, _)| begin).collect::<Vec<_>>())
    }

    /// All blocks with these tiles on the fixed axes.
    fn blocks(&self, tiles: &[usize]) -> impl Iterator<Item = Vec<usize>> {
        let counts: Shape = self.kept.iter().map(|&axis| self.tilings[axis].len()).collect();
        counts.indices().map(move |kept| {
            let mut block = vec![0; self.tilings.len()];
            self.fixed.iter().zip(tiles).chain(self.kept.iter().zip(&kept[..])).for_each(|(&axis, &tile)| block[axis] = tile);
            block
        })
    }

    /// The structure of the result.
    fn structure<T: Element>(&self, tiles: &BTreeSet<Vec<usize>>, sliced: &[Sliced<'_, T>]) -> Result<Structure, Error> {
        let count = self.kept.iter().try_fold(tiles.len(), |count, &axis| count.checked_mul(self.tilings[axis].len()));
        if count.is_none_or(|count| count > MOST_BLOCKS) {
            let message = format!("slices cut so make more than {MOST_BLOCKS} blocks");
            return Err(Error::new(ErrorKind::Shape(message)).with_help("use fewer, larger tiles"));
        }
        let mut rows: Vec<(usize, Vec<usize>, &SliceExtent)> = Vec::new();
        for (axis, extent) in
            sliced.iter().flat_map(|tensor| tensor.kept.iter().map(|kept| (&tensor.tensor.labels[kept.0], &kept.1)))
        {
            if let (Some(&axis), SliceExtent::Row(by, _)) = (self.kept.iter().find(|&&own| self.result[own] == *axis), extent) {
                rows.push((axis, by.iter().map(|&(place, _)| self.fixed[place]).collect(), extent));
            }
        }
        let mut blocks = Vec::new();
        for tiles in tiles {
            let first: Vec<usize> =
                self.fixed.iter().zip(tiles).map(|(&axis, &tile)| bounds(&self.tilings[axis], tile).0).collect();
            let is_in_row = |block: &Vec<usize>| {
                rows.iter().all(|(axis, _, extent)| bounds(&self.tilings[*axis], block[*axis]).0 < extent.at(&first))
            };
            blocks.extend(self.blocks(tiles).filter(is_in_row));
        }
        let mut ragged: Vec<(usize, Vec<usize>)> = rows.into_iter().map(|(axis, by, _)| (axis, by)).collect();
        ragged.sort_unstable();
        ragged.dedup_by_key(|(axis, _)| *axis);
        Structure::new(&self.tilings).with_blocks(blocks)?.with_ragged(ragged)
    }

    /// Writes a slice of these extents into the blocks of a result.
    fn write<T: Element>(
        &self,
        (tiles, index): (&[usize], &[usize]),
        (extents, slice): (&[usize], &[T]),
        made: &mut Blocks<T>,
    ) -> Result<(), Error> {
        let structure = made.structure().clone();
        let stored = structure.stored()?;
        for block in self.blocks(tiles) {
            let Some(number) = stored.find(&block) else { continue };
            let shape = structure.block_shape(&block)?;
            let (mut strides, mut stride) = (vec![0; block.len()], 1);
            for (axis, &extent) in shape.extents().iter().enumerate().rev() {
                strides[axis] = stride;
                stride *= extent;
            }
            let fixed = self.fixed.iter().zip(index).map(|(&axis, &n)| (n - shape.origin()[axis]) * strides[axis]).sum::<usize>();
            let part = Part {
                ranges: self.kept.iter().map(|&axis| bounds(&self.tilings[axis], block[axis])).collect(),
                start: stored.start(number) + fixed,
                strides: self.kept.iter().map(|&axis| strides[axis]).collect(),
            };
            part.walk(extents, |at, own| made.slab_mut()[at] = slice[own]);
        }
        Ok(())
    }
}

/// The first index of a tile, and the first behind it.
fn bounds(tiling: &Tiling, tile: usize) -> (usize, usize) {
    (tiling.bounds()[tile], tiling.bounds()[tile + 1])
}

/// The same tensor, with its zeros where its axes are tied.
pub(super) fn without_ties<T: Element>(operand: BlockOperand<'_, T>) -> Result<BlockOperand<'_, T>, Error> {
    if operand.structure.ties().is_none() {
        return Ok(operand);
    }
    let structure = operand.structure.untied()?;
    let mut slab = vec![T::ZERO; structure.stored()?.elements()];
    untie(&operand.structure, &operand.slab, &mut slab)?;
    Ok(BlockOperand { structure, slab: Cow::Owned(slab), is_dense: false })
}

/// Labels of a text, each of which stands once.
fn names(text: &str) -> Result<Vec<String>, Error> {
    let refused = |message: String| Err(Error::new(ErrorKind::Label(message)));
    let mut found: Vec<String> = Vec::new();
    for index in labels(text)?.iter() {
        match index {
            Index::Label(name) if found.contains(&name.text) => {
                return refused(format!("`{}` stands twice in `{text}`, and slices have each label once", name.text));
            }
            Index::Label(name) => found.push(name.text.clone()),
            _ => return refused(format!("`{text}` has something other than labels, which functions of slices do not read")),
        }
    }
    Ok(found)
}

/// Whether labels and tensors fit together.
fn check<T: Element>(at: &[String], result: &[String], tensors: &[Labelled<'_, T>]) -> Result<(), Error> {
    if let Some(label) = at.iter().find(|label| !result.contains(label)) {
        let message = format!("slices are taken at `{label}`, but the result has no such label");
        return Err(Error::new(ErrorKind::Label(message)));
    }
    if let Some(label) = result.iter().find(|&label| !tensors.iter().any(|tensor| tensor.labels.contains(label))) {
        return Err(Error::new(ErrorKind::Label(format!("no operand has index `{label}`"))));
    }
    let mut known = HashMap::new();
    for tensor in tensors {
        let (structure, given) = (&tensor.operand.structure, tensor.labels.len());
        if structure.rank() != given {
            return Err(Error::new(ErrorKind::Rank { operand: tensor.text.to_string(), rank: structure.rank(), given }));
        }
        for axis in (0..given).filter(|&axis| structure.ragged_by(axis).is_none() || at.contains(&tensor.labels[axis])) {
            agree(&mut known, (tensor, axis), structure.tilings()[axis].extent())?;
        }
    }
    Ok(())
}

/// The extent of each label in the slices at this index.
fn extents_at<'s, T: Element>(sliced: &[Sliced<'s, T>], index: &[usize]) -> Result<HashMap<&'s str, usize>, Error> {
    let mut known = HashMap::new();
    for tensor in sliced {
        for (axis, extent) in &tensor.kept {
            agree(&mut known, (tensor.tensor, *axis), extent.at(index))?;
        }
    }
    Ok(known.into_iter().map(|(label, place)| (label, place.extent)).collect())
}

/// Remembers the extent of an axis, if it is that of other axes with its label.
fn agree<'s, T: Element>(
    known: &mut HashMap<&'s str, Place>,
    (tensor, axis): (&'s Labelled<'_, T>, usize),
    extent: usize,
) -> Result<(), Error> {
    let place = Place { operand: format!("[{}]", tensor.text), axis, extent };
    let first = known.entry(&tensor.labels[axis]).or_insert_with(|| place.clone());
    match first.extent == extent {
        true => Ok(()),
        false => {
            let label = tensor.labels[axis].clone();
            Err(Error::new(ErrorKind::Extent { label, first: first.clone(), second: place }))
        }
    }
}
