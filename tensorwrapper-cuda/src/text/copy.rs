//! Copies between layouts by kernels for any size, which linear algebra uses to gather matrices from strided memory and scatter
//! them back.

use super::fold::{SIDE, THREADS};
use super::linear::SizedLaunch;
use super::space::{Axes, axes, normal, unit};
use tensorwrapper_core::backend::fuse::{Axis, points};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// Positions of the target and the source among the strides.
const TO: usize = 0;
const FROM: usize = 1;

/// The launch that copies all elements of one layout to another, from the start of each; `None` where that takes more than three
/// axes.
pub(crate) fn copy_launch(dtype: Dtype, [from, to]: [&Strided; 2], conjugate: bool) -> Option<SizedLaunch> {
    let extents = to.extents();
    let mut axes = normal(axes(extents, 0..extents.len(), &[to, from]), &[TO, FROM]);
    while axes.len() < 3 {
        axes.insert(0, Axis { extent: 1, strides: vec![0; 2] });
    }
    if axes.len() > 3 {
        return None;
    }
    let transposed = transposed(&axes);
    let [a, b, c] = transposed.unwrap_or([0, 1, 2]).map(|axis| &axes[axis]);
    let numbers = [a, b, c].map(|axis| axis.extent as u64).into_iter();
    let strides = [FROM, TO].into_iter().flat_map(|operand| [a, b, c].map(|axis| axis.strides[operand] as u64));
    let numbers = numbers.chain(strides).chain([u64::from(conjugate)]);
    let (name, shape) = match transposed {
        Some(_) => {
            let tiles = a.extent * b.extent.div_ceil(SIDE) * c.extent.div_ceil(SIDE);
            ("copy_transposed", [tiles, THREADS, SIDE * (SIDE + 1) * dtype.size()])
        }
        None => ("copy", [points(&axes).div_ceil(THREADS).min(1 << 20), THREADS, 0]),
    };
    Some(SizedLaunch::new((name, dtype, points(&axes)), shape, numbers))
}

/// The remaining axis, the axis of the target's neighbours and that of the source's, if these differ and are long enough for a
/// transposition in tiles.
fn transposed(axes: &Axes) -> Option<[usize; 3]> {
    const LEAST: usize = 8;
    let (u, v) = (unit(axes, TO)?, unit(axes, FROM)?);
    let is_worth = u != v && axes[u].extent >= LEAST && axes[v].extent >= LEAST;
    is_worth.then(|| [3 - u - v, u, v])
}
