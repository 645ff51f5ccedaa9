//! The same sums where neighbours along the innermost loop are none in memory: element by element.

use super::block::{LARGE, SUMS, Task, VECTOR};
use tensorwrapper_core::element::Element;

/// Terms that are summed in a few running sums before these are added to a sum, so that long sums stay accurate.
const STRETCH: usize = 4096;

/// Adds what so many rows from there on bring.
///
/// # Safety
/// All positions lie inside the memory; there is a sum for each result.
#[inline(always)]
pub(super) unsafe fn add<T: Element>(task: &Task<'_, T>, rows: usize, at: [isize; 3], sums: &mut [T]) {
    let (run, next) = (task.block.run, task.block.next);
    let conjugate = task.conjugate[LARGE] != task.conjugate[VECTOR];
    for row in 0..rows as isize {
        let [large, vector, to] = [LARGE, VECTOR, SUMS].map(|operand| at[operand] + row * next.strides[operand]);
        let product = |n: usize| {
            let n = n as isize;
            // SAFETY: the caller's promise.
            unsafe {
                let a = task.data[LARGE].as_ptr().offset(large + n * run.strides[LARGE]).read();
                let x = task.data[VECTOR].as_ptr().offset(vector + n * run.strides[VECTOR]).read();
                a * if conjugate { x.conj() } else { x }
            }
        };
        if run.strides[SUMS] != 0 {
            (0..run.extent).for_each(|n| sums[(to + n as isize * run.strides[SUMS]) as usize] += product(n));
            continue;
        }
        for first in (0..run.extent).step_by(STRETCH) {
            let mut running = [T::ZERO; 4];
            (first..run.extent.min(first + STRETCH)).for_each(|n| running[n % 4] += product(n));
            sums[to as usize] += (running[0] + running[1]) + (running[2] + running[3]);
        }
    }
}
