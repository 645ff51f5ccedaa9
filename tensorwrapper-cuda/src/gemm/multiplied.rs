//! A contraction as a library's product of matrices on the tensors as they are, with a kernel behind it for its epilogue.

use super::strided::strided_gemm;
use crate::text::{Argument, Fold, Gemm, Input, Launches, Memory, Route, fold_launches};
use tensorwrapper_core::backend::{Contraction, Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::layout::Strided;

/// Whether a library is faster than generated kernels, by the size of the matrices alone.
fn is_worth(gemm: &Gemm, route: Route, has_epilogue: bool) -> bool {
    let [m, n, k] = gemm.sizes;
    match route {
        Route::Library => true,
        // These sizes would be computed in tiles otherwise. Behind a library the epilogue is a kernel of its own, so short
        // sums are cheaper in one kernel with it.
        Route::Chosen => m.min(n) >= 16 && k >= if has_epilogue { 64 } else { 4 },
        Route::LargeTiles | Route::SmallTiles | Route::Parts | Route::Threads => false,
    }
}

/// The launches of a contraction with a library's product, and a kernel behind it for the epilogue; `None` where generated
/// kernels compute it.
pub(crate) fn gemm_launches(contraction: &Contraction<'_>, route: Route, tf32: bool) -> Option<Launches> {
    let with = |gemm: Gemm| Gemm { tf32, ..gemm };
    if contraction.then.is_none() {
        let product = strided_gemm(contraction).filter(|gemm| is_worth(gemm, route, false)).map(with)?;
        return Some(Launches { before: Vec::new(), product: Some(product), launches: Vec::new(), scratch: 0 });
    }
    let sum = Strided::row_major(&contraction.nest.extents()[..contraction.nest.kept()]).ok()?;
    let product = strided_gemm(&Contraction { output: &sum, then: None, others: &[], ..*contraction });
    with_epilogue(contraction, with(product.filter(|gemm| is_worth(gemm, route, true))?), &sum, 0, route)
}

/// A product that goes to scratch memory, from byte `at` on with layout `sum`, and the kernel that runs the epilogue on it and
/// writes the output.
pub(super) fn with_epilogue(
    contraction: &Contraction<'_>,
    product: Gemm,
    sum: &Strided,
    at: usize,
    route: Route,
) -> Option<Launches> {
    let kept = contraction.nest.kept();
    let extents = &contraction.nest.extents()[..kept];
    let mut product = product;
    let Argument { start, .. } = product.output.argument;
    product.output.argument = Argument { memory: Memory::Scratch, start: at + start };
    let others = contraction.others.iter().map(|&(layout, conjugate)| {
        let layout = Strided::within(extents, &layout.strides()[..kept], layout.offset(), usize::MAX).ok()?;
        Some((layout, conjugate))
    });
    let others = others.collect::<Option<Vec<(Strided, bool)>>>()?;
    let input = |layout, conjugate| Input { layout, dtype: contraction.dtype, conjugate };
    let inputs = std::iter::once(input(sum, false)).chain(others.iter().map(|(layout, c)| input(layout, *c))).collect();
    let nest = LoopNest::new(extents.to_vec(), kept);
    let identity = Program::new(vec![Instruction::Input(0)]);
    let then = contraction.then.unwrap_or(&identity);
    let fold = Fold::map(&nest, (then, Reduction::Sum), inputs, (contraction.output, contraction.dtype));
    let mut launches = fold_launches(&fold, route)?;
    // The first input of the kernel is the sum; its other inputs come behind both factors of the contraction.
    for argument in launches.launches.iter_mut().flat_map(|launch| &mut launch.arguments) {
        *argument = match argument.memory {
            Memory::Input(0) => Argument { memory: Memory::Scratch, start: at + argument.start },
            Memory::Input(n) => Argument { memory: Memory::Input(n + 1), ..*argument },
            Memory::Output | Memory::Scratch => *argument,
        };
    }
    let scratch = at + sum.len() * contraction.dtype.size();
    Some(Launches { product: Some(product), scratch, ..launches })
}
