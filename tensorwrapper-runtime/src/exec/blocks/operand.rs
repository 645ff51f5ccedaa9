//! Operands of equations over block tensors: block tensors, and dense ones, each as one block.

use std::borrow::Cow;

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_core::structure::Structure;

use super::super::operands::DynOperand;
use super::super::run::copied;
use crate::expr::OperandData;

/// An operand: its structure, and the elements of its blocks.
#[derive(Clone, Debug)]
pub(in crate::exec) struct BlockOperand<'o, T: Element> {
    pub(super) structure: Structure,
    pub(super) slab: Cow<'o, [T]>,
    /// Whether it is a dense tensor, which is one block and has no cuts of its own.
    pub(super) is_dense: bool,
}

impl<'o, T: Element> BlockOperand<'o, T> {
    /// An operand of an equation over elements of type `T`. A dense one whose elements are not in C order is copied, and so is a real one
    /// in an equation over complex numbers.
    ///
    /// # Errors
    /// [`ErrorKind::Element`] for elements of another type; [`ErrorKind::Unsupported`] for recorded results; [`ErrorKind::Memory`].
    pub(in crate::exec) fn of(given: &OperandData<'o>) -> Result<BlockOperand<'o, T>, Error> {
        match given {
            OperandData::Blocks(blocks) => {
                let (structure, slab) = (blocks.structure.clone(), elements(blocks.slab)?);
                Ok(BlockOperand { structure, slab, is_dense: false })
            }
            OperandData::Elements(data, layout) => BlockOperand::dense(*data, layout),
            OperandData::Inline(data, layout) => BlockOperand::dense(*data, layout),
            OperandData::Truth(data, layout) => Ok(BlockOperand::truth(layout, |at| data[at])),
            OperandData::Recorded(_) => {
                let error = Error::new(ErrorKind::Unsupported("a recorded result in an equation of block tensors".to_string()));
                Err(error.with_help("compute it first"))
            }
            OperandData::Integers(..) => {
                let error = Error::new(ErrorKind::Unsupported("integers in an equation of block tensors".to_string()));
                Err(error.with_help("convert them: `a.cast::<f64>()?`"))
            }
        }
    }

    /// Truth values, as themselves or as the numbers that a run reads in their place.
    ///
    /// # Errors
    /// As [`of`](BlockOperand::of).
    pub(in crate::exec) fn mask(given: &OperandData<'o>) -> Result<BlockOperand<'o, T>, Error> {
        match given {
            OperandData::Elements(SliceRef::F32(data), layout) => Ok(BlockOperand::truth(layout, |at| data[at] != 0.0)),
            other => BlockOperand::of(other),
        }
    }

    /// One where something is true, and zero elsewhere.
    fn truth(layout: &Strided, is_true: impl Fn(usize) -> bool) -> BlockOperand<'o, T> {
        let numbers = layout.positions().map(|at| if is_true(at) { T::ONE } else { T::ZERO }).collect();
        BlockOperand { structure: whole(layout), slab: Cow::Owned(numbers), is_dense: true }
    }

    fn dense(data: SliceRef<'o>, layout: &Strided) -> Result<BlockOperand<'o, T>, Error> {
        if copied(data, |copied, _| copied.is_only) == Some(true) {
            let message = "a tensor that is only in the memory of a device, in an equation of block tensors".to_string();
            return Err(Error::new(ErrorKind::Placement(message)).with_help("take it to the host with `to_host()`"));
        }
        let (structure, len) = (whole(layout), layout.len());
        // An axis without indices has no tiles, and so no block.
        let in_order = |data: &[T]| data.get(layout.start()..).and_then(|data| data.get(..len)).unwrap_or_default().to_vec();
        let slab = match (layout.is_row_major(), elements(data)?) {
            (true, Cow::Borrowed(data)) => {
                Cow::Borrowed(data.get(layout.start()..).and_then(|data| data.get(..len)).unwrap_or_default())
            }
            (true, Cow::Owned(data)) => Cow::Owned(in_order(&data)),
            (false, data) => {
                let (plain, mut copy) = (Strided::row_major(layout.extents())?, vec![T::ZERO; len]);
                tensorwrapper_cpu::copy(&data, layout, &mut copy, &plain)?;
                Cow::Owned(copy)
            }
        };
        Ok(BlockOperand { structure, slab, is_dense: true })
    }

    /// Whether both are the same tensor, not only equal ones.
    pub(super) fn is_same(&self, other: &BlockOperand<'_, T>) -> bool {
        std::ptr::eq(&*self.slab, &*other.slab) && self.structure == other.structure
    }
}

/// The structure of a dense tensor: one block.
fn whole(layout: &Strided) -> Structure {
    let cuts: Vec<Tiling> = layout.extents().iter().map(|&extent| Tiling::whole(extent)).collect();
    Structure::new(&cuts)
}

/// Elements as those of type `T`: as they are, or converted if they are its real parts.
fn elements<'o, T: Element>(data: SliceRef<'o>) -> Result<Cow<'o, [T]>, Error> {
    if let Some(own) = T::typed(data) {
        return Ok(Cow::Borrowed(own));
    }
    if data.dtype() != T::DTYPE.real() {
        return Err(Error::new(ErrorKind::Element { expected: T::DTYPE, found: data.dtype() }));
    }
    let real = <T::Real as Element>::typed(data).unwrap_or_default();
    Ok(Cow::Owned(real.iter().map(|&x| T::from_real(x)).collect()))
}

/// The operands of a call.
///
/// # Errors
/// As [`BlockOperand::of`].
pub(super) fn block_operands<'o, T: Element>(operands: &[&'o dyn DynOperand<T>]) -> Result<Vec<BlockOperand<'o, T>>, Error> {
    operands.iter().map(|operand| BlockOperand::of(&operand.dyn_operand().0)).collect()
}
