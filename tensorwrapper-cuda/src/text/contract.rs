//! Contractions as kernels: two tensors are multiplied as matrices in tiles, any other number of tensors by a reduction.

use num_complex::Complex;

use super::fold::{Fold, FoldKernel, Input, PartialSums, dense, fold_launches};
use super::launch::{Argument, Kernel, Launch, Launches, Memory};
use super::pointers::{Epilogue, Pointer, arguments, entry, fields, members, pointer, reach, store};
use super::route::Route;
use super::space::{Axes, axes, in_pieces, nearest, normal, place};
use super::syntax::{cut, integers, type_name};
use super::tile::{Sizes, Tile};
use tensorwrapper_core::backend::fuse::points;
use tensorwrapper_core::backend::{Binary, Contraction, Instruction, Program, Reduction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// Positions of the result and of both factors among the operands; those of the epilogue come behind them.
const Y: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;

/// The kernels of a contraction; `None` where its epilogue calls functions of the host.
pub(crate) fn contract_launches(contraction: &Contraction<'_>, route: Route) -> Option<Launches> {
    if let Some(tiled) = TiledContraction::of(contraction, route) {
        return tiled.launches(route);
    }
    let count = contraction.factors.len();
    let mut product: Vec<Instruction> = (0..count).map(Instruction::Input).collect();
    (1..count).for_each(|n| {
        let before = if n == 1 { 0 } else { product.len() - 1 };
        product.push(Instruction::Combine(Binary::Multiply, before, n));
    });
    if count == 0 {
        product.push(Instruction::Constant(Complex::ONE));
    }
    let input = |&(layout, conjugate): &(_, bool)| Input { layout, dtype: contraction.dtype, conjugate };
    let fold = Fold {
        nest: contraction.nest,
        dtype: contraction.dtype,
        inputs: contraction.factors.iter().map(input).collect(),
        program: &Program::new(product),
        reduction: Reduction::Sum,
        alpha: contraction.alpha,
        then: contraction.then,
        others: contraction.others.iter().map(input).collect(),
        output: contraction.output,
    };
    fold_launches(&fold, route)
}

/// The factors of a contraction of two tensors in the order in which kernels take them: the left one has the axis along which the
/// result has its neighbours, because threads that are neighbours write rows.
fn in_order(contraction: &Contraction<'_>) -> Option<[usize; 2]> {
    let &[left, right] = contraction.factors else { return None };
    let extents = &contraction.nest.extents()[..contraction.nest.kept()];
    let stride = |axis: &usize| contraction.output.strides()[*axis].unsigned_abs();
    let near = (0..extents.len()).filter(|&axis| extents[axis] > 1).min_by_key(stride);
    let [of_left, of_right] = [left, right].map(|(layout, _)| near.is_some_and(|axis| layout.strides()[axis] != 0));
    Some(if of_right && !of_left { [1, 0] } else { [0, 1] })
}

/// Whether the elements of a factor are closer together along the terms than along its lines.
fn along_terms(terms: &Axes, lines: &Axes, factor: usize) -> bool {
    match (nearest(terms, factor), nearest(lines, factor)) {
        (Some(term), Some(line)) => terms[term].strides[factor].unsigned_abs() < lines[line].strides[factor].unsigned_abs(),
        (term, _) => term.is_some(),
    }
}

/// A contraction of two tensors, with its axes sorted by the tensors that have them.
struct TiledContraction<'a> {
    dtype: Dtype,
    pointers: Vec<Pointer>,
    /// Axes of the result and the left factor.
    rows: Axes,
    /// Axes of the result and the right factor.
    columns: Axes,
    /// Axes of the factors only.
    terms: Axes,
    /// All other axes.
    batch: Axes,
    epilogue: Epilogue<'a>,
}

impl<'a> TiledContraction<'a> {
    /// A contraction as matrices; `None` where these are too thin for tiles.
    fn of(contraction: &Contraction<'a>, route: Route) -> Option<TiledContraction<'a>> {
        let factors = in_order(contraction)?;
        let (thin, shallow) = match route {
            Route::Chosen | Route::Library => (16, 4),
            Route::LargeTiles | Route::SmallTiles => (2, 1),
            Route::Parts => (2, 2),
            Route::Threads => return None,
        };
        let layouts: Vec<&Strided> = std::iter::once(contraction.output)
            .chain(factors.map(|n| contraction.factors[n].0))
            .chain(contraction.others.iter().map(|(layout, _)| *layout))
            .collect();
        let dtype = contraction.dtype;
        let mut pointers = vec![pointer("y".to_string(), (contraction.output, dtype, false), Memory::Output)];
        for n in factors {
            let (layout, conjugate) = contraction.factors[n];
            pointers.push(pointer(format!("x{n}"), (layout, dtype, conjugate), Memory::Input(n)));
        }
        for (n, &(layout, conjugate)) in contraction.others.iter().enumerate() {
            pointers.push(pointer(format!("z{n}"), (layout, dtype, conjugate), Memory::Input(2 + n)));
        }
        let (extents, kept) = (contraction.nest.extents(), contraction.nest.kept());
        let (mut rows, mut columns, mut batch) = (Axes::new(), Axes::new(), Axes::new());
        for axis in axes(extents, 0..kept, &layouts) {
            match (axis.strides[LEFT] != 0, axis.strides[RIGHT] != 0) {
                (true, false) => rows.push(axis),
                (false, true) => columns.push(axis),
                _ => batch.push(axis),
            }
        }
        let terms = axes(extents, kept..extents.len(), &layouts);
        let (m, n, k, items) = (points(&rows), points(&columns), points(&terms), points(&batch));
        if m < thin || n < thin || k < shallow || items == 0 {
            return None;
        }
        let epilogue = Epilogue { alpha: contraction.alpha, then: contraction.then };
        let by = |axes: Axes, first: [usize; 2]| -> Axes {
            let rest = (0..layouts.len()).filter(|c| !first.contains(c));
            normal(axes, &first.into_iter().chain(rest).collect::<Vec<usize>>())
        };
        // Terms run in the order of the factor whose terms are neighbours in memory.
        let neighbours = |c: usize| terms.iter().any(|axis| axis.extent > 1 && axis.strides[c].unsigned_abs() == 1);
        let first = if neighbours(RIGHT) && !neighbours(LEFT) { [RIGHT, LEFT] } else { [LEFT, RIGHT] };
        let terms = by(terms, first);
        let lines = |axes: Axes, factor: usize, others: usize| -> Axes {
            let along = along_terms(&terms, &axes, factor);
            let axes = by(axes, [Y, factor]);
            // A factor whose terms are neighbours is read along them, in whatever order its lines are.
            if along {
                return axes;
            }
            // Where one order cannot serve both, it is that of the larger tensor.
            let of_larger = |axes| if k > others { by(axes, [factor, Y]) } else { axes };
            in_pieces(&axes, [Y, factor], dtype.size()).unwrap_or_else(|| of_larger(axes))
        };
        let (rows, columns) = (lines(rows, LEFT, n), lines(columns, RIGHT, m));
        Some(TiledContraction { dtype, pointers, rows, columns, terms, batch: by(batch, [Y, LEFT]), epilogue })
    }

    fn launches(mut self, route: Route) -> Option<Launches> {
        let (m, n, k, items) = (points(&self.rows), points(&self.columns), points(&self.terms), points(&self.batch));
        let (tile, parts) = Tile::and_parts(self.dtype, Sizes { rows: m, columns: n, terms: k, items }, route);
        let splits = cut(k, parts);
        if splits == 1 {
            return Some(Launches::generated(vec![self.launch(tile, None)?], 0));
        }
        // Partial sums lie in the order of the kernel's own indices.
        let kept: Axes = self.batch.iter().chain(&self.columns).chain(&self.rows).cloned().collect();
        let (sums, whole) = (dense(&kept, 1), (m * n * items) as isize);
        let sum = FoldKernel {
            dtype: self.dtype,
            pointers: self.pointers.clone(),
            kept,
            terms: Axes::new(),
            program: &Program::new(vec![Instruction::Input(0)]),
            reduction: Reduction::Sum,
            epilogue: self.epilogue,
        };
        let second = sum.of_sums(&PartialSums { strides: sums.clone(), splits, stride: whole }, sum.program)?;
        let (in_batch, rest) = sums.split_at(self.batch.len());
        let (in_columns, in_rows) = rest.split_at(self.columns.len());
        for (axes, strides) in [(&mut self.batch, in_batch), (&mut self.columns, in_columns), (&mut self.rows, in_rows)] {
            axes.iter_mut().zip(strides).for_each(|(axis, &stride)| axis.strides[Y] = stride);
        }
        self.pointers[Y].argument = Argument { memory: Memory::Scratch, start: 0 };
        let scratch = m * n * items * splits * self.dtype.size();
        Some(Launches::generated(vec![self.launch(tile, Some((splits, whole)))?, second], scratch))
    }

    /// The launch of the kernel. `parts`: the number of parts into which sums are cut, and the stride between these in scratch
    /// memory.
    fn launch(&self, tile: Tile, parts: Option<(usize, isize)>) -> Option<Launch> {
        let (m, n, k, items) = (points(&self.rows), points(&self.columns), points(&self.terms), points(&self.batch));
        let tiles = [m.div_ceil(tile.rows), n.div_ceil(tile.columns)];
        let (splits, whole) = parts.unwrap_or((1, 0));
        let chunk = k.div_ceil(splits);
        let blocks = u32::try_from(tiles[0] * tiles[1] * items * splits).ok()?;
        let ld = [tile.rows + tile.gap, tile.columns + tile.gap];
        let shared = tile.stages * tile.depth * (ld[0] + ld[1]) * self.dtype.size();
        let all = self.rows.iter().chain(&self.columns).chain(&self.terms).chain(&self.batch);
        let far = reach(all, self.pointers.len()).max(whole.unsigned_abs() * splits);
        let most = m.max(n).max(k).saturating_add(tile.rows).max(blocks as usize);
        let mut written: Vec<Pointer> = self.pointers.clone();
        written.drain(LEFT..=RIGHT);
        let without_factors = |axes: &Axes| {
            let mut names = fields(&self.pointers);
            names[LEFT].clear();
            names[RIGHT].clear();
            place(axes, &names)
        };
        let function = |name: &str, axes: &Axes| {
            format!(
                "  static __device__ __forceinline__ Place {name}(I n) {{ Place p{{}};{} return p; }}\n",
                without_factors(axes)
            )
        };
        let part = if parts.is_some() { format!(" p.y += P(split) * P({whole});") } else { String::new() };
        let text = format!(
            "struct KERNEL_type {{\n  using T = {};\n{}  static constexpr int BM = {}, BN = {}, BK = {}, THREADS = {}, LEFT_LD = {}, RIGHT_LD = {};\n  \
             static constexpr int WARPS_M = {}, WARPS_N = {}, SIDE = {}, STAGES = {};\n  static constexpr bool TENSOR_CORES = {};\n  \
             static constexpr I ROWS = {m}u, COLUMNS = {n}u, TERMS = {k}u, TILES_M = {}u, TILES_N = {}u, SPLITS = {splits}u, CHUNK = {chunk}u;\n\
             {}{}  Left left;\n  Right right;\n{}{}{}{}  \
             static __device__ __forceinline__ Place target(Place p, I split) {{{part} return p; }}\n{}}};\n{}",
            type_name(self.dtype),
            integers(most, far),
            tile.rows,
            tile.columns,
            tile.depth,
            tile.threads,
            ld[0],
            ld[1],
            tile.warps[0],
            tile.warps[1],
            tile.side,
            tile.stages,
            self.dtype == Dtype::F64,
            tiles[0],
            tiles[1],
            self.side("Left", LEFT, &self.rows),
            self.side("Right", RIGHT, &self.columns),
            members(&written),
            function("row", &self.rows),
            function("column", &self.columns),
            function("item", &self.batch),
            store(&written, self.dtype, if parts.is_some() { None } else { Some(self.epilogue) })?,
            entry(&self.pointers, "contract", [tile.threads, tile.resident(blocks as usize)], &self.initialised(&written)),
        );
        let kind = if tile.rows >= 64 { "product, large tiles" } else { "product, small tiles" };
        let kernel = Kernel::alone(&text, (kind, self.dtype), blocks, tile.threads, shared);
        Some(Launch { kernel, arguments: arguments(&self.pointers) })
    }

    /// The type of a factor: where its lines (rows of the left factor, columns of the right one), terms and batch items lie.
    fn side(&self, name: &str, operand: usize, lines: &Axes) -> String {
        let only = |axes: &Axes| {
            let mut names = vec![String::new(); self.pointers.len()];
            names[operand] = "p".to_string();
            place(axes, &names)
        };
        let function = |name: &str, axes: &Axes| {
            format!("    static __device__ __forceinline__ P {name}(I n) {{ P p = 0;{} return p; }}\n", only(axes))
        };
        let along = along_terms(&self.terms, lines, operand);
        let value = if self.pointers[operand].conjugate && self.dtype.is_complex() { "tw::conj(element)" } else { "element" };
        format!(
            "  struct {name} {{\n    using T = {0};\n    using I = KERNEL_type::I;\n    using P = KERNEL_type::P;\n    \
             static constexpr I LINES = {1}u;\n    static constexpr bool ALONG_TERMS = {along};\n    \
             const T* __restrict__ data;\n{2}{3}{4}    \
             static __device__ __forceinline__ T value(T element) {{ return {value}; }}\n  }};\n",
            type_name(self.dtype),
            points(lines),
            function("line", lines),
            function("term", &self.terms),
            function("item", &self.batch),
        )
    }

    /// The values of the members in their order: both factors, then the other pointers.
    fn initialised(&self, written: &[Pointer]) -> String {
        let factors = [LEFT, RIGHT].map(|n| format!("{{{}}}", self.pointers[n].field));
        let pointers = written.iter().map(|pointer| pointer.field.clone());
        factors.into_iter().chain(pointers).collect::<Vec<_>>().join(", ")
    }
}
