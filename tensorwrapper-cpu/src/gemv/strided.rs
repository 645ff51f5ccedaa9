//! The same sums where neighbours along the innermost loop are none in memory: element by element.

use super::block::{LARGE, SUMS, Task, VECTOR};
use tensorwrapper_core::element::Element;

/// Adds what the two innermost loops from there on bring.
///
/// # Safety
/// All positions lie inside the memory; there is a sum for each result.
#[inline(always)]
pub(super) unsafe fn add<T: Element>(task: &Task<'_, T>, at: [isize; 3], sums: &mut [T]) {
    let (run, next) = (task.block.run, task.block.next);
    let conjugate = task.conjugate[LARGE] != task.conjugate[VECTOR];
    for row in 0..next.extent as isize {
        let [large, vector, to] = [LARGE, VECTOR, SUMS].map(|operand| at[operand] + row * next.strides[operand]);
        for n in 0..run.extent as isize {
            // SAFETY: the caller's promise.
            unsafe {
                let a = task.data[LARGE].as_ptr().offset(large + n * run.strides[LARGE]).read();
                let x = task.data[VECTOR].as_ptr().offset(vector + n * run.strides[VECTOR]).read();
                *sums.as_mut_ptr().offset(to + n * run.strides[SUMS]) += a * if conjugate { x.conj() } else { x };
            }
        }
    }
}
