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
    /// An operand of an equation over elements of type `T`. A dense one whose elements are not in C order is copied.
    ///
    /// # Errors
    /// [`ErrorKind::Element`] for elements of another type; [`ErrorKind::Unsupported`] for recorded results; [`ErrorKind::Memory`].
    pub(in crate::exec) fn of(given: &OperandData<'o>) -> Result<BlockOperand<'o, T>, Error> {
        let typed = |data: SliceRef<'o>| {
            T::typed(data).ok_or_else(|| Error::new(ErrorKind::Element { expected: T::DTYPE, found: data.dtype() }))
        };
        match given {
            OperandData::Blocks(blocks) => {
                let (structure, slab) = (blocks.structure.clone(), Cow::Borrowed(typed(blocks.slab)?));
                Ok(BlockOperand { structure, slab, is_dense: false })
            }
            OperandData::Elements(data, layout) => BlockOperand::dense(typed(*data)?, layout),
            OperandData::Inline(data, layout) => BlockOperand::dense(typed(*data)?, layout),
            OperandData::Recorded(_) => {
                let error = Error::new(ErrorKind::Unsupported("a recorded result in an equation of block tensors".to_string()));
                Err(error.with_help("compute it first"))
            }
        }
    }

    fn dense(data: &'o [T], layout: &Strided) -> Result<BlockOperand<'o, T>, Error> {
        if copied(T::erase(data), |copied, _| copied.is_only) == Some(true) {
            let message = "a tensor that is only in the memory of a device, in an equation of block tensors".to_string();
            return Err(Error::new(ErrorKind::Placement(message)).with_help("take it to the host with `to_host()`"));
        }
        let cuts: Vec<Tiling> = layout.extents().iter().map(|&extent| Tiling::whole(extent)).collect();
        let (structure, len) = (Structure::new(&cuts), layout.len());
        // An axis without indices has no tiles, and so no block.
        let slab = match layout.is_row_major() {
            true => Cow::Borrowed(data.get(layout.start()..).and_then(|data| data.get(..len)).unwrap_or_default()),
            false => {
                let (plain, mut copy) = (Strided::row_major(layout.extents())?, vec![T::ZERO; len]);
                tensorwrapper_cpu::copy(data, layout, &mut copy, &plain)?;
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

/// The operands of a call.
///
/// # Errors
/// As [`BlockOperand::of`].
pub(super) fn block_operands<'o, T: Element>(operands: &[&'o dyn DynOperand<T>]) -> Result<Vec<BlockOperand<'o, T>>, Error> {
    operands.iter().map(|operand| BlockOperand::of(&operand.dyn_operand().0)).collect()
}
