//! What an equation reads beside its operands: parts of them, and the values of indices. Each is made by a stage before all others.

use std::borrow::Cow;

use tensorwrapper_core::error::{Error, ErrorKind, Place};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;

use super::super::reader::Written;
use super::super::terms::Factor;
use super::super::tree::{Extra, ReadAxis, ReadPart};
use super::{Part, Stage, Staging};

impl Staging<'_> {
    /// Adds the stages that make what is read beside operands, and returns the equation with the numbers of what they make. Labels of one
    /// extent share the values of their index, so that an exchange of such labels is seen to change nothing.
    pub(super) fn read_extras<'w>(&mut self, written: &'w Written) -> Result<Cow<'w, Written>, Error> {
        let operands = self.tensors.len();
        let (mut numbers, mut made): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        for extra in &written.extras {
            numbers.push(match extra {
                Extra::Part(part) => self.read_part(part)?,
                Extra::Iota(label) => {
                    let extent = self.iota_extent(*label, written, operands);
                    match made.iter().find(|(known, _)| *known == extent) {
                        Some(&(_, number)) => number,
                        None => {
                            let number = self.iota(extent);
                            made.push((extent, number));
                            number
                        }
                    }
                }
            });
        }
        if numbers.iter().copied().eq(operands..operands + numbers.len()) {
            return Ok(Cow::Borrowed(written));
        }
        let tree = written.tree.numbered(&|number| number.checked_sub(operands).map_or(number, |extra| numbers[extra]));
        Ok(Cow::Owned(Written { tree, ..written.clone() }))
    }

    /// Adds the stage that copies a part of an operand.
    fn read_part(&mut self, part: &ReadPart) -> Result<usize, Error> {
        let (structure, name) = (self.tensors.structures[part.operand].clone(), self.tensors.names[part.operand].clone());
        let tilings = structure.tilings();
        if part.axes.len() != tilings.len() {
            return Err(Error::new(ErrorKind::Rank { operand: name, rank: tilings.len(), given: part.axes.len() }));
        }
        for (axis, (read, tiling)) in part.axes.iter().zip(tilings).enumerate() {
            let extent = tiling.extent();
            let place = || Place { operand: name.clone(), axis, extent };
            let error = match *read {
                ReadAxis::Position(position) => Place::position_error(position, extent, place),
                ReadAxis::Range(start, end) => Place::range_error(start, end, extent, place),
            };
            error.map_or(Ok(()), Err)?;
        }
        let axes = part.axis_parts(&structure);
        let result = structure.part(&axes)?;
        let number = self.tensors.add(result.clone(), &name);
        self.tensors.dense[number] = self.tensors.dense[part.operand];
        self.stages.push(Stage::Part(Part { of: (part.operand, structure), axes, result }));
        Ok(number)
    }

    /// How many values a label's index has: the extent of the first tensor that has the label.
    fn iota_extent(&self, label: usize, written: &Written, operands: usize) -> usize {
        let extent = |factor: &Factor| written.extent_on(factor, label, (&self.tensors.structures, operands));
        let known = written.declared[label].or_else(|| written.tree.factors().into_iter().find_map(extent));
        // Where labels became one, another may stand for it in the expression.
        known.or_else(|| written.tied.get(&label).copied()).unwrap_or_default()
    }

    /// Adds the stage that makes the values of an index.
    fn iota(&mut self, extent: usize) -> usize {
        let structure = Structure::new([&Tiling::whole(extent)]);
        let number = self.tensors.add(structure.clone(), "iota");
        self.tensors.dense[number] = true;
        self.stages.push(Stage::Iota(structure));
        number
    }
}
