//! What is computed element by element, box by box: sums, quotients and functions of tensors, with the structure that results.
//!
//! A box is a part of a block within which no operand is cut. Which boxes are zero is known before anything is computed.

mod candidates;
mod emitter;
mod presence;

use std::collections::HashMap;

use tensorwrapper_core::backend::{Device, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::structure::Structure;

use self::emitter::Emitter;
use self::presence::{Has, Presence};
use super::cuts::{Cuts, Part, Parts};
use super::definition::Pointwise;
use super::equal::ProductComparison;
use super::flow;
use super::infer::{Said, align, frame, renamed};
use super::permuted::{Permuted, suggested};
use super::pieces::{Piece, labels, pieces};
use super::same;
use super::tensors::Tensors;
use super::terms::{Factor, Sum, Term};
use super::tree::Tree;

/// A plan of element-wise work.
pub(super) struct Elements {
    programs: Vec<Program>,
    boxes: Vec<Boxed>,
    pub(super) result: Structure,
    /// Whether there are elements of the result that no box has.
    leaves_out: bool,
    /// What defines the result.
    pub(super) defined: Pointwise,
}

/// The work of one box.
struct Boxed {
    program: usize,
    nest: LoopNest,
    /// The number of each tensor that is read, where the box lies in it, and whether elements are conjugated.
    inputs: Vec<(usize, Strided, bool)>,
    output: Strided,
}

/// Pieces by their parts.
type Pieces = HashMap<Parts, Piece>;
/// The part of each label of the result that a box has.
type At = Vec<(usize, Part)>;

/// What element-wise work is planned from.
struct Planner<'p> {
    tree: &'p Tree,
    factors: Vec<&'p Factor>,
    left: &'p [usize],
    cuts: &'p Cuts,
    tensors: &'p Tensors,
    presence: Presence<'p>,
    /// Of each factor its labels, each once, and its pieces by their parts.
    pieces: Vec<(Vec<usize>, Pieces)>,
}

impl Elements {
    /// Plans an expression without sums over labels, of whose result, with these labels, this is said.
    ///
    /// # Errors
    /// What does not fit, and a block that divides and is zero.
    pub(super) fn new(
        tree: &Tree,
        (left, said): (&[usize], Said<'_>),
        names: &[String],
        tensors: &Tensors,
        dtype: Dtype,
    ) -> Result<Elements, Error> {
        let is_complex = dtype.is_complex();
        let factors = tree.factors();
        let all =
            Term { scale: num_complex::Complex::ONE, factors: factors.iter().map(|&f| f.clone()).collect(), summed: vec![] };
        let sum = Sum { terms: vec![all], left: left.to_vec(), names: names.to_vec(), within: None };
        let mut cuts = Cuts::new(&sum, tensors, said.cuts)?;
        let comparison = ProductComparison { symmetries: &tensors.symmetries(), is_complex, labels: names.len(), fixed: None };
        let sign_of = |axes: &[usize], conjugates: bool| {
            let rename = |factor: &Factor| {
                let labels = factor.labels.iter().map(|&label| renamed(left, axes, label)).collect();
                Factor { labels, ..factor.clone() }
            };
            let image = tree.map(&rename, &|value| value);
            let image = if conjugates { image.conjugated()? } else { image };
            same::sign(&image, tree, &comparison)
        };
        let suggested = suggested(&sum.terms, left, comparison.symmetries);
        let permuted = Permuted { is_complex, sign_of: &sign_of, suggested };
        align(left, &mut cuts, said, &permuted);
        let frame = frame(left, &cuts, (flow::of_expression(tree, left, &cuts, tensors)?, said), &permuted)?;
        let of = |factor: &&Factor| -> Result<_, Error> {
            let structure = &tensors.structures[factor.operand];
            let found = pieces(factor, structure, &cuts, is_complex)?;
            Ok((labels(factor), found.into_iter().map(|piece| (piece.parts.clone(), piece)).collect()))
        };
        let pieces = factors.iter().map(of).collect::<Result<Vec<_>, _>>()?;
        let presence = Presence { names: &tensors.names, dtype };
        Planner { tree, factors, left, cuts: &cuts, tensors, presence, pieces }.plan(&frame)
    }

    /// How many boxes are computed.
    pub(super) fn boxes(&self) -> usize {
        self.boxes.len()
    }

    /// The numbers of all tensors that are read.
    pub(super) fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.boxes.iter().flat_map(|work| work.inputs.iter().map(|(number, ..)| *number))
    }

    /// Computes it from the elements of the tensors that it may read.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn run<T: Element>(&self, device: &dyn Device, slabs: &[&[T]], out: &mut [T]) -> Result<(), Error> {
        if device.is_definition() {
            return self.defined.run(slabs, (&self.result, out));
        }
        if self.leaves_out {
            out.fill(T::ZERO);
        }
        for work in &self.boxes {
            let inputs = work.inputs.iter().map(|(number, layout, conjugates)| {
                let mut operand = Operand::new(T::erase(slabs[*number]), layout);
                operand.conjugate = *conjugates;
                operand
            });
            let inputs: Vec<Operand<'_>> = inputs.collect();
            let output = Output::new(T::erase_mut(out), &work.output);
            device.map(&work.nest, &self.programs[work.program], Reduction::Sum, &[], &inputs, output)?;
        }
        Ok(())
    }
}

impl Planner<'_> {
    fn plan(&self, frame: &Structure) -> Result<Elements, Error> {
        let candidates = self.candidates(frame)?;
        let mut found: Vec<(Vec<usize>, Vec<At>)> = Vec::new();
        let mut ends = false;
        for block in candidates.stored()?.iter() {
            let mut boxes = Vec::new();
            self.boxes(&block, &mut Vec::new(), &mut boxes);
            let all = boxes.len();
            boxes.retain(|at| self.is_in_rows(at));
            ends |= boxes.len() < all;
            let mut is_there = false;
            for at in &boxes {
                is_there |= self.presence.is_there(self.tree, &mut self.has(at).into_iter(), &block)?;
            }
            if is_there {
                found.push((block, boxes));
            }
        }
        let result = frame.with_blocks(found.iter().map(|(block, _)| block))?;
        let left = self.left.iter().map(|&label| (label, self.cuts.ragged_by(label).is_some())).collect();
        let structures = self.factors.iter().map(|factor| self.tensors.structures[factor.operand].clone()).collect();
        let defined = Pointwise::new(self.tree, left, structures);
        let mut planned = Elements { programs: Vec::new(), boxes: Vec::new(), result, leaves_out: false, defined };
        let mut known: HashMap<Vec<Has>, (usize, Vec<bool>)> = HashMap::new();
        let stored = planned.result.stored()?;
        planned.leaves_out = ends || stored.filled() < stored.elements();
        let mut boxes = Vec::new();
        for (block, parts) in &found {
            let number = stored.find(block).expect("these blocks are stored");
            for at in parts {
                let has = self.has(at);
                let (program, read) = known.entry(has).or_insert_with_key(|has| {
                    let (program, read) = self.program(has);
                    planned.programs.push(program);
                    (planned.programs.len() - 1, read)
                });
                let extents = planned.result.block_shape(block)?;
                let place = (extents.extents(), stored.start(number), stored.elements());
                boxes.push(self.boxed((*program, read), place, at)?);
            }
        }
        planned.boxes = boxes;
        Ok(planned)
    }

    /// The boxes of a block of the result.
    fn boxes(&self, block: &[usize], chosen: &mut At, found: &mut Vec<At>) {
        let Some(&label) = self.left.get(chosen.len()) else { return found.push(chosen.clone()) };
        for part in self.cuts.parts(label, self.cuts.result(label), block[chosen.len()]) {
            chosen.push(part);
            self.boxes(block, chosen, found);
            chosen.pop();
        }
    }

    /// The piece of a factor in a box.
    fn piece(&self, factor: usize, at: &[(usize, Part)]) -> Option<&Piece> {
        let (labels, pieces) = &self.pieces[factor];
        let part = |label: &usize| {
            let axis = self.left.iter().position(|own| own == label).expect("a label that is not summed is on the left");
            at[axis].0
        };
        pieces.get(&labels.iter().map(part).collect::<Parts>())
    }

    /// Whether a box lies within the rows of ragged axes: there are no indices behind their ends, whatever a function makes of zero.
    fn is_in_rows(&self, at: &[(usize, Part)]) -> bool {
        let reaches =
            |label: &usize| (0..self.factors.len()).any(|n| self.pieces[n].0.contains(label) && self.piece(n, at).is_some());
        self.left.iter().all(|label| self.cuts.ragged_by(*label).is_none() || reaches(label))
    }

    /// What a box has of each factor.
    fn has(&self, at: &[(usize, Part)]) -> Vec<Has> {
        let of = |factor: usize| match self.piece(factor, at) {
            None => Has::Nothing,
            Some(piece) if piece.negates => Has::Negated,
            Some(_) => Has::Elements,
        };
        (0..self.factors.len()).map(of).collect()
    }

    /// The program of boxes that have this of the factors, and whether it reads each of them.
    fn program(&self, has: &[Has]) -> (Program, Vec<bool>) {
        let mut emitter = Emitter::new(self.presence);
        emitter.tree(self.tree, has);
        (Program::new(emitter.instructions), emitter.read)
    }

    /// The work of a box of a block of the result, which has these extents and begins there in the elements of all.
    fn boxed(
        &self,
        (program, read): (usize, &[bool]),
        (whole, start, elements): (&[usize], usize, usize),
        at: &[(usize, Part)],
    ) -> Result<Boxed, Error> {
        let extents: Vec<usize> = at.iter().map(|(_, part)| part.extent).collect();
        let mut inputs = Vec::new();
        for (number, factor) in self.factors.iter().enumerate() {
            let Some(piece) = self.piece(number, at).filter(|_| read[number]) else { continue };
            let stride = |label: &usize| {
                let axis = self.pieces[number].0.iter().position(|own| own == label);
                axis.map_or(0, |axis| piece.strides[axis])
            };
            let strides: Vec<isize> = self.left.iter().map(stride).collect();
            let len = self.tensors.structures[factor.operand].stored()?.elements();
            inputs.push((factor.operand, Strided::within(&extents, &strides, piece.offset, len)?, piece.conjugates));
        }
        let lies = Strided::row_major(whole)?;
        let first = self.left.iter().zip(at).map(|(&label, &(part, _))| self.cuts.in_result(label, part).first);
        let offset: usize = first.zip(lies.strides()).map(|(first, &stride)| first * stride as usize).sum();
        let output = Strided::within(&extents, lies.strides(), start + offset, elements)?;
        Ok(Boxed { program, nest: LoopNest::new(&extents[..], extents.len()), inputs, output })
    }
}
