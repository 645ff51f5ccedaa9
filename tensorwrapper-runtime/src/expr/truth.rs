//! Truth values as the numbers that equations compute with, and back.

use tensorwrapper_core::Numeric;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_cpu::{Loops, vectorised};

use crate::tensor::{Tensor, extend_from};

/// Truth values as 1 and 0, in the smallest element type.
///
/// # Errors
/// Memory.
pub(crate) fn truth_numbers(data: &[bool], layout: &Strided) -> Result<Tensor<f32>, Error> {
    let to = Strided::row_major(layout.extents())?;
    let elements = if layout.is_row_major() {
        let mut elements = Owned::for_results(to.len())?;
        vectorised(Each(&data[layout.start()..][..to.len()], &mut elements, f32::from));
        elements
    } else {
        let mut elements = Owned::with_room(to.len())?;
        extend_from(&mut elements, data, layout, f32::from);
        elements
    };
    Ok(Tensor::from_parts(elements, to))
}

/// Whether each number is another one than 0.
pub(super) fn truths<T: Numeric>(numbers: &[T]) -> Owned<bool> {
    // Where the system has no memory, this fails as a vector does.
    let mut truths = Owned::for_results(numbers.len()).unwrap_or_else(|_| vec![false; numbers.len()].into());
    vectorised(Each(numbers, &mut truths, |number| number != T::NOTHING));
    truths
}

/// What a function makes of each element.
struct Each<'e, T, U, F>(&'e [T], &'e mut [U], F);

impl<T: Copy, U, F: Fn(T) -> U> Loops for Each<'_, T, U, F> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        self.1.iter_mut().zip(self.0).for_each(|(to, &element)| *to = (self.2)(element));
    }
}
