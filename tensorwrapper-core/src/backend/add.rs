//! Adds one operand to an output, element by element. Sums that are computed in parts are accumulated this way.

use super::{Operand, Output};
use crate::element::Element;
use crate::layout::Strided;

/// `output[o] += part[o]`.
pub(crate) fn add(part: &Operand<'_>, output: Output<'_>) {
    dispatch!(output.dtype(), T => typed::<T>(part, output));
}

fn typed<T: Element>(part: &Operand<'_>, output: Output<'_>) {
    let source = part.typed::<T>();
    let from = part.layout();
    let (target, to) = output.typed::<T>();
    let row = to.extents().last().filter(|&&length| to.strides().last() == from.strides().last() && length > 0);
    // Rows along the last axis, where it is contiguous in both; an axis of one element has no stride.
    match row {
        Some(&length) if length == 1 || to.strides().last() == Some(&1) => {
            let rows = |layout: &Strided| {
                let outer = layout.rank() - 1;
                Strided::within(&layout.extents()[..outer], &layout.strides()[..outer], layout.offset(), usize::MAX)
                    .expect("rows of a layout lie where it does")
                    .into_positions()
            };
            for (to, from) in rows(to).zip(rows(from)) {
                let row = target[to..][..length].iter_mut().zip(&source[from..][..length]);
                row.for_each(|(sum, &term)| *sum += term);
            }
        }
        _ => to.positions().zip(from.positions()).for_each(|(to, from)| target[to] += source[from]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_added_wherever_they_lie() {
        let source: Vec<f32> = (0..24).map(|n| n as f32).collect();
        let layouts: [(&[usize], &[isize], &[isize]); 6] = [
            (&[2, 3], &[3, 1], &[8, 1]),
            (&[2, 3], &[1, 2], &[8, 1]),
            (&[3, 2], &[2, 1], &[1, 5]),
            (&[3, 1], &[1, 0], &[4, 0]),
            (&[], &[], &[]),
            (&[2, 0], &[0, 0], &[0, 0]),
        ];
        for (extents, from, to) in layouts {
            let from = Strided::within(extents, from, 3, 24).unwrap();
            let to = Strided::within(extents, to, 2, 24).unwrap();
            let mut target = vec![100.0; 24];
            add(&Operand::new(f32::erase(&source), &from), Output::new(f32::erase_mut(&mut target), &to));
            let mut expected = vec![100.0; 24];
            to.positions().zip(from.positions()).for_each(|(to, from)| expected[to] += source[from]);
            assert_eq!(target, expected, "{extents:?}");
        }
    }
}
