//! Element-wise programs and reductions as kernels: everything but products of matrices.

use num_complex::Complex;

use super::launch::{Argument, Kernel, Launch, Launches, Memory};
use super::pointers::{Epilogue, Pointer, arguments, entry, fields, initialised, members, pointer, reach, read, store};
use super::program;
use super::route::Route;
use super::space::{Axes, axes, normal, place, unit};
use super::syntax::{MANY_BLOCKS, cut, integers, type_name};
use tensorwrapper_core::backend::fuse::{Axis, points};
use tensorwrapper_core::backend::{Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// An operand that is read: its layout, its element type, and whether it is conjugated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) layout: &'a Strided,
    pub(crate) dtype: Dtype,
    pub(crate) conjugate: bool,
}

/// `output[o] = then(alpha · reduction over the reduced axes of program(inputs), others)`.
#[derive(Clone, Debug)]
pub(crate) struct Fold<'a> {
    pub(crate) nest: &'a LoopNest,
    pub(crate) dtype: Dtype,
    pub(crate) inputs: Vec<Input<'a>>,
    pub(crate) program: &'a Program,
    pub(crate) reduction: Reduction,
    pub(crate) alpha: Complex<f64>,
    pub(crate) then: Option<&'a Program>,
    pub(crate) others: Vec<Input<'a>>,
    pub(crate) output: &'a Strided,
}

impl<'a> Fold<'a> {
    /// A program and its reduction, without scaling or epilogue.
    pub(crate) fn map(
        nest: &'a LoopNest,
        (program, reduction): (&'a Program, Reduction),
        inputs: Vec<Input<'a>>,
        (output, dtype): (&'a Strided, Dtype),
    ) -> Fold<'a> {
        Fold { nest, dtype, inputs, program, reduction, alpha: Complex::ONE, then: None, others: Vec::new(), output }
    }
}

/// A fold in terms of pointers and axes. The first pointer is written.
pub(super) struct FoldKernel<'a> {
    pub(super) dtype: Dtype,
    pub(super) pointers: Vec<Pointer>,
    pub(super) kept: Axes,
    pub(super) terms: Axes,
    pub(super) program: &'a Program,
    pub(super) reduction: Reduction,
    pub(super) epilogue: Epilogue<'a>,
}

/// How the points of a space are shared out among threads.
enum ThreadMapping {
    Each,
    /// The axes along which the result and the inputs of these pointers have their neighbours.
    TransposedTiles {
        u: usize,
        v: usize,
        staged: Vec<usize>,
    },
    Threads,
    Blocks {
        threads: usize,
        splits: usize,
    },
    /// Of the threads of a block, those side by side have elements that are neighbours, and those one behind the other share the
    /// terms of an element, or of one of the parts of its terms.
    Columns {
        splits: usize,
    },
}

/// How a kernel is launched: the template that is its body, a short description, blocks of threads, and bytes of shared memory.
struct Grid {
    body: &'static str,
    kind: &'static str,
    threads: usize,
    blocks: usize,
    shared: usize,
    /// What the template needs of the kernel's type besides what all of them need.
    members: String,
}

/// The most threads of a block.
pub(super) const THREADS: usize = 256;
/// The side of a tile that is transposed.
pub(super) const SIDE: usize = 32;

/// The kernels of a fold; `None` where its program calls functions of the host.
pub(crate) fn fold_launches(fold: &Fold<'_>, route: Route) -> Option<Launches> {
    let nothing = fold.nest.reduced_extents().contains(&0);
    let value = if fold.reduction == Reduction::Product { Complex::ONE } else { Complex::ZERO };
    let constant = Program::new(vec![Instruction::Constant(value)]);
    let (program, inputs) = if nothing { (&constant, &[][..]) } else { (fold.program, &fold.inputs[..]) };
    let mut pointers = vec![pointer("y".to_string(), (fold.output, fold.dtype, false), Memory::Output)];
    for (n, input) in inputs.iter().enumerate() {
        pointers.push(pointer(format!("x{n}"), (input.layout, input.dtype, input.conjugate), Memory::Input(n)));
    }
    for (n, other) in fold.others.iter().enumerate() {
        let memory = Memory::Input(fold.inputs.len() + n);
        pointers.push(pointer(format!("z{n}"), (other.layout, other.dtype, other.conjugate), memory));
    }
    let layouts = inputs.iter().chain(&fold.others).map(|input| input.layout);
    let layouts: Vec<&Strided> = std::iter::once(fold.output).chain(layouts).collect();
    let (extents, kept) = (fold.nest.extents(), fold.nest.kept());
    let terms = if nothing { Axes::new() } else { axes(extents, kept..extents.len(), &layouts) };
    let kept = axes(extents, 0..kept, &layouts);
    let epilogue = Epilogue { alpha: fold.alpha, then: fold.then };
    FoldKernel { dtype: fold.dtype, pointers, kept, terms, program, reduction: fold.reduction, epilogue }.launches(route)
}

impl FoldKernel<'_> {
    /// The kernels of the operation.
    pub(super) fn launches(mut self, route: Route) -> Option<Launches> {
        let all: Vec<usize> = (0..self.pointers.len()).collect();
        self.kept = normal(self.kept, &all);
        // The order of the terms is that of the input with the most axes.
        let mut by_size: Vec<usize> = (1..self.pointers.len()).collect();
        by_size.sort_by_key(|&c| std::cmp::Reverse(self.kept.iter().chain(&self.terms).filter(|a| a.strides[c] != 0).count()));
        self.terms = normal(self.terms, &by_size);
        if points(&self.kept) == 0 {
            return Some(Launches::generated(Vec::new(), 0));
        }
        let mapping = self.mapping(&by_size, route);
        let count = points(&self.kept);
        // Partial sums lie in the order in which threads that are neighbours write them.
        let (splits, unit, stride) = match mapping {
            ThreadMapping::Blocks { splits: splits @ 2.., .. } => (splits, splits as isize, 1),
            ThreadMapping::Columns { splits: splits @ 2.. } => (splits, 1, count as isize),
            _ => return Some(Launches::generated(vec![self.launch(&mapping)?], 0)),
        };
        let scratch = count * splits * self.dtype.size();
        let sums = PartialSums { strides: dense(&self.kept, unit), splits, stride };
        let second = self.of_sums(&sums, &Program::new(vec![Instruction::Input(0)]))?;
        self.pointers[0].argument = Argument { memory: Memory::Scratch, start: 0 };
        Some(Launches::generated(vec![self.launch(&mapping)?, second], scratch))
    }

    fn mapping(&self, by_size: &[usize], route: Route) -> ThreadMapping {
        let (count, terms) = (points(&self.kept), points(&self.terms));
        if terms == 1 {
            return self.transposed_tiles(route).unwrap_or(ThreadMapping::Each);
        }
        let threads = terms.next_power_of_two().clamp(32, THREADS);
        let widest = by_size.first();
        // Whether the terms of one element are neighbours in the input with the most axes, or the elements of the result are.
        let along = widest.is_some_and(|&c| unit(&self.terms, c).is_some());
        let is_column = |&c: &usize| self.kept.last().is_some_and(|axis| axis.strides[c].unsigned_abs() == 1 && axis.extent >= 8);
        let across = widest.is_some_and(is_column);
        match route {
            Route::Threads => ThreadMapping::Threads,
            Route::Parts if across => ThreadMapping::Columns { splits: cut(terms, 3) },
            Route::Parts => ThreadMapping::Blocks { threads: 32, splits: cut(terms, 3) },
            Route::Chosen | Route::Library | Route::LargeTiles | Route::SmallTiles => {
                if across && terms >= 16 {
                    // Enough blocks for a GPU, unless their parts would be short.
                    let wanted = (16 * MANY_BLOCKS).div_ceil(count.div_ceil(SIDE));
                    ThreadMapping::Columns { splits: cut(terms, wanted.min(terms / 128).max(1)) }
                } else if !(along && terms >= 32 || count < 1 << 14 && terms > 64) {
                    ThreadMapping::Threads
                } else if count < MANY_BLOCKS && terms >= 1 << 13 {
                    let splits = cut(terms, (2 * MANY_BLOCKS).div_ceil(count).min(terms >> 12));
                    ThreadMapping::Blocks { threads, splits }
                } else {
                    ThreadMapping::Blocks { threads, splits: 1 }
                }
            }
        }
    }

    /// Tiles that are transposed in shared memory, where the result's neighbours are not those of an input.
    fn transposed_tiles(&self, route: Route) -> Option<ThreadMapping> {
        let least = match route {
            Route::Chosen | Route::Library => 8,
            Route::LargeTiles | Route::SmallTiles => 2,
            Route::Parts | Route::Threads => return None,
        };
        let u = unit(&self.kept, 0)?;
        let crossed = |c: &usize| self.pointers[*c].field.starts_with('x') && unit(&self.kept, *c).is_some_and(|v| v != u);
        let v = unit(&self.kept, (1..self.pointers.len()).find(crossed)?)?;
        let staged: Vec<usize> = (1..self.pointers.len()).filter(|c| crossed(c) && unit(&self.kept, *c) == Some(v)).collect();
        let fits = staged.len() * SIDE * (SIDE + 1) * self.dtype.size() <= 48 << 10;
        let tiles = points(&self.kept) / (self.kept[u].extent * self.kept[v].extent)
            * (self.kept[u].extent.div_ceil(SIDE) * self.kept[v].extent.div_ceil(SIDE));
        let worth = self.kept[u].extent >= least && self.kept[v].extent >= least && tiles < 1 << 31;
        (fits && worth).then_some(ThreadMapping::TransposedTiles { u, v, staged })
    }

    /// The launch of one kernel. Its text has what every mapping needs (the value of a point, how two values are combined, how the
    /// result is stored), and what this mapping needs besides.
    fn launch(&self, mapping: &ThreadMapping) -> Option<Launch> {
        let (count, terms) = (points(&self.kept), points(&self.terms));
        let Grid { body, kind, threads, blocks, shared, members: special } = self.grid(mapping)?;
        let splits = match mapping {
            ThreadMapping::Blocks { splits, .. } | ThreadMapping::Columns { splits } => *splits,
            _ => 1,
        };
        let far = reach(self.kept.iter().chain(&self.terms), self.pointers.len());
        let far = if splits > 1 { far.max(count * splits) } else { far };
        let outer: Axes = match mapping {
            ThreadMapping::TransposedTiles { u, v, .. } => {
                self.kept.iter().enumerate().filter(|(n, _)| n != u && n != v).map(|(_, axis)| axis.clone()).collect()
            }
            _ => self.kept.clone(),
        };
        let (statements, result) = program::statements(self.program, self.dtype, |n| self.read(&format!("x{n}")))?;
        let combine = match self.reduction {
            Reduction::Sum => "a + b",
            Reduction::Product => "a * b",
            Reduction::Max => "tw::maximum(a, b)",
            Reduction::Min => "tw::minimum(a, b)",
        };
        let fields = fields(&self.pointers);
        let members = members(&self.pointers);
        let text = format!(
            "struct KERNEL_type {{\n  using T = {};\n{}  static constexpr int THREADS = {threads};\n  \
             static constexpr I POINTS = {count}u, TERMS = {terms}u;\n{members}  \
             static __device__ __forceinline__ Place kept(I n) {{ Place p{{}};{} return p; }}\n  \
             static __device__ __forceinline__ Place term(I n) {{ Place p{{}};{} return p; }}\n  \
             static __device__ __forceinline__ T combine(T a, T b) {{ return {combine}; }}\n  \
             __device__ __forceinline__ T value(const Place& p) const {{\n{statements}    return {result};\n  }}\n{}{special}}};\n{}",
            type_name(self.dtype),
            integers(count.max(terms).max(blocks * threads), far),
            place(&outer, &fields),
            place(&self.terms, &fields),
            store(&self.pointers, self.dtype, if splits > 1 { None } else { Some(self.epilogue) })?,
            entry(&self.pointers, body, [threads, 1], &initialised(&self.pointers)),
        );
        let kernel = Kernel::alone(&text, (kind, self.dtype), u32::try_from(blocks).ok()?, threads, shared);
        Some(Launch { kernel, arguments: arguments(&self.pointers) })
    }

    /// The template that a mapping instantiates, and its blocks of threads.
    fn grid(&self, mapping: &ThreadMapping) -> Option<Grid> {
        let (count, terms) = (points(&self.kept), points(&self.terms));
        Some(match mapping {
            ThreadMapping::Each | ThreadMapping::Threads => {
                let (body, kind) =
                    if terms == 1 { ("each", "element-wise") } else { ("fold_in_threads", "reduction by threads") };
                let blocks = count.div_ceil(THREADS).min(1 << 20);
                Grid { body, kind, threads: THREADS, blocks, shared: 0, members: String::new() }
            }
            &ThreadMapping::Blocks { threads, splits } => {
                let (body, kind) = ("fold_in_blocks", "reduction by blocks");
                let members = part_members(terms, splits);
                Grid { body, kind, threads, blocks: count * splits, shared: threads * self.dtype.size(), members }
            }
            &ThreadMapping::Columns { splits } => {
                let (body, kind, tiles) = ("fold_in_columns", "reduction by columns", count.div_ceil(SIDE));
                let columns = format!("  static constexpr int SIDE = {SIDE};\n  static constexpr I TILES = {tiles}u;\n");
                let members = columns + &part_members(terms, splits);
                let shared = THREADS * self.dtype.size();
                Grid { body, kind, threads: THREADS, blocks: tiles * splits, shared, members }
            }
            ThreadMapping::TransposedTiles { u, v, staged } => {
                let extents = [self.kept[*u].extent, self.kept[*v].extent];
                let tiles = extents.map(|extent| extent.div_ceil(SIDE));
                let blocks = count / (extents[0] * extents[1]) * tiles[0] * tiles[1];
                let shared = staged.len() * SIDE * (SIDE + 1) * self.dtype.size();
                let members = self.tile_members((*u, *v), staged, tiles)?;
                Grid { body: "transpose_tiles", kind: "permutation", threads: THREADS, blocks, shared, members }
            }
        })
    }

    /// The members that transposed tiles need: the two axes, how inputs are staged, and the program on staged inputs.
    fn tile_members(&self, (u, v): (usize, usize), staged: &[usize], tiles: [usize; 2]) -> Option<String> {
        let fields = fields(&self.pointers);
        let along = |axis: usize| place(&vec![self.kept[axis].clone()], &fields);
        let stage: String = staged
            .iter()
            .enumerate()
            .map(|(n, &c)| format!(" tile[{}] = {};", n * SIDE * (SIDE + 1), self.read(&self.pointers[c].field)))
            .collect();
        let input = |slot: usize| match staged.iter().position(|&c| self.pointers[c].field == format!("x{slot}")) {
            Some(n) => format!("tile[{}]", n * SIDE * (SIDE + 1)),
            None => self.read(&format!("x{slot}")),
        };
        let (statements, result) = program::statements(self.program, self.dtype, input)?;
        Some(format!(
            "  static constexpr int SIDE = {SIDE};\n  static constexpr I U = {}u, V = {}u, TILES_U = {}u, TILES_V = {}u;\n  \
             static __device__ __forceinline__ Place along_u(I n) {{ Place p{{}};{} return p; }}\n  \
             static __device__ __forceinline__ Place along_v(I n) {{ Place p{{}};{} return p; }}\n  \
             __device__ __forceinline__ void stage(T* tile, const Place& p) const {{{stage} }}\n  \
             __device__ __forceinline__ T staged_value(const T* tile, const Place& p) const {{\n{statements}    return {result};\n  }}\n",
            self.kept[u].extent,
            self.kept[v].extent,
            tiles[0],
            tiles[1],
            along(u),
            along(v),
        ))
    }

    /// The expression for the element of the pointer with this name.
    fn read(&self, field: &str) -> String {
        let pointer = self.pointers.iter().find(|pointer| pointer.field == field).expect("a program reads only its inputs");
        read(pointer, self.dtype)
    }

    /// The second kernel of a sum in parts: it adds the parts, which are in scratch memory, and runs the epilogue.
    pub(super) fn of_sums(&self, sums: &PartialSums, identity: &Program) -> Option<Launch> {
        let scratch = Argument { memory: Memory::Scratch, start: 0 };
        let others = self.pointers.iter().enumerate().filter(|(_, pointer)| pointer.field.starts_with('z'));
        let mut pointers = vec![self.pointers[0].clone()];
        pointers.push(Pointer { field: "x0".to_string(), dtype: self.dtype, conjugate: false, argument: scratch });
        let numbers: Vec<usize> = others.clone().map(|(n, _)| n).collect();
        pointers.extend(others.map(|(_, pointer)| pointer.clone()));
        let axis = |(axis, &stride): (&Axis<Vec<isize>>, &isize)| {
            let strides = [axis.strides[0], stride].into_iter().chain(numbers.iter().map(|&n| axis.strides[n]));
            Axis { extent: axis.extent, strides: strides.collect() }
        };
        let kept = self.kept.iter().zip(&sums.strides).map(axis).collect();
        let mut strides = vec![0; pointers.len()];
        strides[1] = sums.stride;
        let terms = vec![Axis { extent: sums.splits, strides }];
        let second = FoldKernel {
            dtype: self.dtype,
            pointers,
            kept,
            terms,
            program: identity,
            reduction: self.reduction,
            epilogue: self.epilogue,
        };
        second.launch(&ThreadMapping::Threads)
    }
}

/// The members of a kernel whose terms may be cut into parts. Partial sums are stored at a position of their own.
fn part_members(terms: usize, splits: usize) -> String {
    let target = if splits > 1 { "Place q = place; q.y = P(part); return q;" } else { "return place;" };
    format!(
        "  static constexpr I SPLITS = {splits}u, CHUNK = {}u;\n  \
         static __device__ __forceinline__ Place target(const Place& place, I part) {{ {target} }}\n",
        terms.div_ceil(splits)
    )
}

/// The layout of partial sums in scratch memory.
pub(super) struct PartialSums {
    /// The strides along the axes of the result.
    pub(super) strides: Vec<isize>,
    pub(super) splits: usize,
    /// The stride from one part to the next.
    pub(super) stride: isize,
}

/// The strides of a dense layout whose elements are `unit` apart.
pub(super) fn dense(axes: &Axes, unit: isize) -> Vec<isize> {
    let mut strides = vec![0; axes.len()];
    axes.iter().enumerate().rev().fold(unit, |stride, (n, axis)| {
        strides[n] = stride;
        stride * axis.extent as isize
    });
    strides
}
