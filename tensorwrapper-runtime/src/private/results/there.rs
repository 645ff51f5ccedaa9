//! Blocks whose results stay on a device.

use super::{Evaluator, IntoContext, Patched, WritesTensors};
use crate::__private::block::Block;
use crate::__private::mask::MaskNumbers;
use crate::__private::ticket::Ticket;
use crate::exec::{DeviceTensor, OnDevice};
use crate::expr::{Form, Operand, Truth, Whole};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Extents;

#[diagnostic::do_not_recommend]
impl<'c> IntoContext<'c> for &'c OnDevice {
    type Evaluator = OnDevice;
    fn context(self) -> &'c OnDevice {
        self
    }
}

impl Evaluator for OnDevice {
    type Tensor<'a, F: Form, T: Numeric, S: Extents> = DeviceTensor<T, S>;
    type Number<'a, F: Form, T: Numeric> = F::Number<T>;
    type Mask<'a, S> = MaskNumbers<'a, S>;

    fn mask<'a, S>(mask: Operand<'a, f32, S, Truth>) -> MaskNumbers<'a, S> {
        MaskNumbers::new(mask)
    }

    fn run(block: &mut Block<'_, '_, Self>) -> Result<(), Error> {
        if block.is_in_blocks() {
            let message = "block tensors in a block whose results stay on a device".to_string();
            return Err(Error::new(ErrorKind::Unsupported(message)).with_help("compute it `in &context;`"));
        }
        block.refuse_integers("results of equations over integers do not stay on a device")?;
        block.compute()
    }

    fn is_new(block: &mut Block<'_, '_, Self>) -> bool {
        block.is_new()
    }

    fn take_tensor<'a, F: Form, T: Numeric, S: Extents>(
        block: &mut Block<'_, 'a, Self>,
        _: &Ticket<T, S, F>,
    ) -> DeviceTensor<T, S> {
        let device = &block.context.context.backend;
        DeviceTensor::new(block.take::<Whole, T, S>(), device)
    }

    fn take_number<'a, F: Form, T: Numeric>(block: &mut Block<'_, 'a, Self>, _: &Ticket<T, (), F>) -> F::Number<T> {
        F::number(block.take_number())
    }
}

#[diagnostic::do_not_recommend]
impl WritesTensors for OnDevice {
    fn take_patch<T: Numeric, S, F>(block: &mut Block<'_, '_, Self>, _: &Ticket<T, S, F>) -> <T as Patched>::Patch {
        block.take_patch()
    }
}
