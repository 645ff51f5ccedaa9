//! Derivatives in a run over block tensors.
//!
//! The equations so far are recorded over stand-ins for the tensors, the derivative is taken of that recording, and its equations are
//! computed over the block tensors, so that the structure of each intermediate is inferred as that of any other equation. A gradient by a
//! block tensor has the structure of that tensor.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use num_complex::Complex;

use super::super::evaluator::Computes;
use super::Block;
use super::holes::BlockHoles;
use super::in_blocks::given;
use super::made::Made;
use crate::exec::{WrittenValue, evaluate, written_values};
use crate::expr::{Bound, OperandData, Value, bind};
use crate::grad::Projection;
use crate::link::Link;
use crate::tensor::{AnyBlocks, Blocks, element_at, follows};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};

type Address = usize;

fn address(value: &Link<Value<'_>>) -> Address {
    Link::address(value).addr()
}

fn refused(what: &str) -> Error {
    let error = Error::new(ErrorKind::Unsupported(format!("a derivative over block tensors {what}")));
    error.with_help("take it of dense tensors, which `to_dense` makes")
}

impl<'a, E: Computes> Block<'_, 'a, E> {
    /// The results of an equation with derivatives, each a block tensor.
    ///
    /// # Errors
    /// What has no derivative, and what is not computed over block tensors.
    pub(super) fn call_derivative(&self, number: usize, made: &[Made]) -> Result<Vec<AnyBlocks>, Error> {
        let mut symbols = Symbols::new(self, number)?;
        let results = self.recorded_until(number, &symbols)?;
        let (earlier, wanted) = results.split_at(results.len() - self.site.equations()[number].left().len());
        for (n, result) in earlier.iter().enumerate() {
            symbols.names.entry(address(result)).or_insert_with(|| format!("m{n}"));
        }
        let mut known: HashMap<String, OperandData<'_>> = HashMap::new();
        known.extend(self.tensors.iter().enumerate().map(|(n, tensor)| (format!("a{n}"), tensor.0.clone())));
        known.extend(made.iter().enumerate().map(|(n, made)| (format!("m{n}"), given(made))));
        let masks = std::mem::take(&mut symbols.masks);
        known.extend(masks.iter().map(|(name, mask)| (name.clone(), OperandData::Blocks(mask.erase()))));
        self.computed_values(wanted, symbols, &known)
    }

    /// The equations up to this one, recorded over stand-ins: the results of all of them.
    fn recorded_until(&self, number: usize, symbols: &Symbols<'a>) -> Result<Vec<Link<Value<'a>>>, Error> {
        let mut results: Vec<Link<Value<'a>>> = Vec::new();
        for (n, equation) in self.site.equations()[..=number].iter().enumerate() {
            let holes = BlockHoles {
                number: n,
                call: &self.calls[n],
                dense: &symbols.stand_ins,
                projections: &symbols.projections,
                are_stand_ins: true,
                ..self.holes(n, equation, &results)
            };
            match bind(equation, self.calls[n].dtype, &holes)? {
                Bound::Results(own) => results.extend(own),
                Bound::Write(_) if n == number => {
                    let error = Error::new(ErrorKind::Unsupported(
                        "a derivative written into a tensor of a block with block tensors".into(),
                    ));
                    return Err(error.with_help("give it a name first: `let g[i, j] = grad(L; A[i, j]);`"));
                }
                Bound::Write(write) => results.push(write.after),
            }
        }
        Ok(results)
    }

    /// Computes recorded values over the tensors that are known.
    fn computed_values(
        &self,
        wanted: &[Link<Value<'a>>],
        mut symbols: Symbols<'a>,
        known: &HashMap<String, OperandData<'_>>,
    ) -> Result<Vec<AnyBlocks>, Error> {
        let steps = written_values(wanted, &mut symbols.names).map_err(|what| refused(&format!("that needs {what}")))?;
        let context = self.context.context();
        let mut found: HashMap<&str, Made> = HashMap::new();
        for WrittenValue { name, value, equation, reads } in &steps {
            let operand = |name: &str| found.get(name).map(given).or_else(|| known.get(name).cloned());
            let operand = |name: &str| operand(name).ok_or_else(|| refused(&format!("that reads `{name}`")));
            let made = match (equation, symbols.projected(value)) {
                (None, _) => {
                    let tensor = evaluate(context, std::slice::from_ref(value))?.pop().expect("one value was computed");
                    Made::Dense(Arc::new(tensor), None)
                }
                (Some(_), Some((structure, gradient))) => {
                    let gradient = operand(&symbols.names[&address(&gradient)])?;
                    Made::Blocks(dispatch!(value.dtype, T => projected::<T>(&gradient, structure)?.into()))
                }
                (Some(text), None) => {
                    let named = reads.iter().map(|name| Ok((&name[..], operand(name)?))).collect::<Result<Vec<_>, Error>>()?;
                    let found = context.call_text(text, value.dtype, &named)?;
                    Made::Blocks(match symbols.masked(value) {
                        Some(structure) => {
                            let found = OperandData::Blocks(found.erase());
                            dispatch!(value.dtype, T => projected::<T>(&found, structure)?.into())
                        }
                        None => found,
                    })
                }
            };
            found.insert(name, made);
        }
        let result = |value: &Link<Value<'a>>| {
            let name = &symbols.names[&address(value)][..];
            let made = found.get(name).map(given).or_else(|| known.get(name).cloned());
            match (found.get(name), made) {
                (Some(Made::Blocks(blocks)), _) => Ok(blocks.clone()),
                (_, Some(tensor)) => {
                    let labels = (0..value.extents.len()).map(|n| format!("l{n}")).collect::<Vec<_>>().join(", ");
                    context.call_text(&format!("[{labels}] = {name}[{labels}]"), value.dtype, &[(name, tensor)])
                }
                (_, None) => Err(refused("that is a constant")),
            }
        };
        wanted.iter().map(result).collect()
    }
}

/// What stands for the tensors of a run while a derivative is recorded.
struct Symbols<'a> {
    /// By the number of the tensor; the same one for the same tensor.
    stand_ins: Vec<Option<Link<Value<'a>>>>,
    projections: Vec<Projection<'a>>,
    /// The structures that they project on.
    structures: Vec<Structure>,
    /// By their names.
    masks: Vec<(String, AnyBlocks)>,
    /// By the addresses of values.
    names: HashMap<Address, String>,
}

impl<'a> Symbols<'a> {
    /// For the equations of a block up to this one.
    fn new<E>(block: &Block<'_, 'a, E>, number: usize) -> Result<Symbols<'a>, Error> {
        let mut found = Symbols {
            stand_ins: Vec::new(),
            projections: Vec::new(),
            structures: Vec::new(),
            masks: Vec::new(),
            names: HashMap::new(),
        };
        for (n, tensor) in block.tensors.iter().enumerate() {
            let same = (0..n).find(|&m| is_same(&block.tensors[m].0, &tensor.0));
            let known = same.and_then(|same| found.stand_ins[same].clone());
            let stand_in = known.map_or_else(|| stand_in(&tensor.0), Ok)?;
            found.names.entry(address(&stand_in)).or_insert_with(|| format!("a{n}"));
            found.stand_ins.push(Some(stand_in));
        }
        let all_results = block.all_results();
        for (n, equation) in block.site.equations()[..=number].iter().enumerate() {
            for [_, variable] in equation.gradients() {
                let Some(given) = block.site.recipes[n].1[variable.0].checked_sub(all_results) else { continue };
                let (OperandData::Blocks(blocks), Some(stand_in)) = (&block.tensors[given].0, &found.stand_ins[given]) else {
                    continue;
                };
                let (structure, stand_in) = (blocks.structure, Link::clone(stand_in));
                if !found.projections.iter().any(|known| address(&known.variable) == address(&stand_in)) {
                    found.project(stand_in, structure, format!("k{given}"))?;
                }
            }
        }
        Ok(found)
    }

    /// Lets gradients by a variable be projected on its structure.
    fn project(&mut self, variable: Link<Value<'a>>, structure: &Structure, name: String) -> Result<(), Error> {
        let is_ragged = (0..structure.rank()).any(|axis| structure.ragged_by(axis).is_some());
        if is_ragged || structure.ties().is_some() || structure.has_equal_blocks() {
            return Err(refused("by one that is ragged, diagonal, or has equal blocks"));
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for number in 0..structure.stored()?.len() {
            blocks.extend(structure.orbit(number)?.into_iter().map(|(block, _)| block));
        }
        let mut mask = None;
        if blocks.len() < structure.tilings().iter().map(Tiling::len).product() {
            // With all permutations of the variable, so that what is multiplied by it keeps its symmetry.
            let permutations: Vec<SignedPermutation> = structure
                .symmetry()
                .elements()
                .iter()
                .map(|by| SignedPermutation::new(&by.axes().collect::<Vec<_>>(), Sign::Plus))
                .collect::<Result<_, _>>()?;
            let symmetry = Symmetry::none(structure.rank()).generated(permutations)?;
            let pattern = Structure::new(structure.tilings()).with(symmetry)?.with_blocks(blocks)?;
            let dtype = variable.dtype;
            let ones: AnyBlocks = dispatch!(dtype, T => Blocks::<T>::filled(&pattern, T::ONE)?.into());
            let stands = Value::filled(Complex::ONE, variable.extents.clone(), dtype);
            self.names.insert(address(&stands), name.clone());
            self.masks.push((name, ones));
            mask = Some(stands);
        }
        let symmetry = structure.symmetry().clone();
        self.projections.push(Projection { variable, mask, symmetry, made: RefCell::default() });
        self.structures.push(structure.clone());
        Ok(())
    }

    /// The structure of a variable that conserves a charge, in whose blocks a value lies because all of its terms are multiplied by the
    /// mask: that it conserves the charge, too, is not seen otherwise.
    fn masked(&self, value: &Link<Value<'a>>) -> Option<&Structure> {
        let found = self.projections.iter().zip(&self.structures).find(|(projection, structure)| {
            structure.charge_flow().is_some() && structure.symmetry().is_none() && projection.masks(value)
        });
        found.map(|(_, structure)| structure)
    }

    /// The structure on which a value projects a gradient, and the gradient.
    fn projected(&self, value: &Link<Value<'a>>) -> Option<(&Structure, Link<Value<'a>>)> {
        self.projections.iter().zip(&self.structures).find_map(|(projection, structure)| {
            let made = projection.made.borrow();
            let [_, gradient] = made.iter().find(|[made, _]| address(made) == address(value))?;
            Some((structure, Link::clone(gradient)))
        })
    }
}

/// A value with the extents of a tensor, which takes no memory.
fn stand_in<'a>(tensor: &OperandData<'_>) -> Result<Link<Value<'a>>, Error> {
    let (extents, dtype) = match tensor {
        OperandData::Blocks(blocks) => (blocks.structure.shape().extents().to_vec(), blocks.slab.dtype()),
        OperandData::Elements(data, layout) => (layout.extents().to_vec(), data.dtype()),
        OperandData::Inline(data, layout) => (layout.extents().to_vec(), data.dtype()),
        OperandData::Truth(..) => return Err(refused("and truth values")),
        OperandData::Integers(..) => return Err(refused("and integers")),
        OperandData::Recorded(_) => return Err(refused("and recorded results")),
    };
    Ok(Value::filled(Complex::ONE, extents, dtype))
}

/// Whether both are one tensor of the program.
fn is_same(one: &OperandData<'_>, other: &OperandData<'_>) -> bool {
    match (one, other) {
        (OperandData::Blocks(one), OperandData::Blocks(other)) => {
            one.slab.is_same(&other.slab) && one.structure == other.structure
        }
        (OperandData::Elements(data, layout), OperandData::Elements(other, other_layout)) => {
            data.is_same(other) && layout == other_layout
        }
        _ => false,
    }
}

/// The elements of a tensor by their indices.
type Elements<'d, T> = Box<dyn Fn(&[usize]) -> T + 'd>;

fn dense<'d, T: Element>(data: SliceRef<'d>, layout: &'d Strided) -> Elements<'d, T> {
    let elements = T::typed(data).unwrap_or_default();
    Box::new(move |index| layout.position(index).and_then(|at| elements.get(at)).copied().unwrap_or(T::ZERO))
}

/// The part of a gradient that lies in a structure: the mean over its symmetry, in its blocks.
fn projected<T: Element>(gradient: &OperandData<'_>, structure: &Structure) -> Result<Blocks<T>, Error> {
    let at: Elements<'_, T> = match gradient {
        OperandData::Blocks(blocks) => {
            let (structure, slab) = (blocks.structure, T::typed(blocks.slab).unwrap_or_default());
            Box::new(|index| element_at(structure, slab, index).unwrap_or(T::ZERO))
        }
        OperandData::Elements(data, layout) => dense::<T>(*data, layout),
        OperandData::Inline(data, layout) => dense::<T>(*data, layout),
        OperandData::Recorded(_) | OperandData::Truth(..) | OperandData::Integers(..) => unreachable!("a gradient was computed"),
    };
    let elements = structure.symmetry().elements();
    let share = T::from_complex(Complex::new(1.0 / elements.len() as f64, 0.0));
    let of = |index: &[usize]| {
        let all = elements.iter().map(|by| follows(at(&by.image(index)), by));
        all.fold(T::ZERO, |sum, element| sum + element) * share
    };
    Blocks::from_fn(structure, of)
}
