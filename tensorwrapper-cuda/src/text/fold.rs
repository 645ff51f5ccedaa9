//! Element-wise programs and reductions as kernels: everything but products of matrices.

use num_complex::Complex;

use super::space::{Axes, axes, normal, place, unit};
use super::{Argument, Kernel, Launch, Launches, MANY_BLOCKS, Memory, Route, cut, integers, number, program, type_name};
use tensorwrapper_core::backend::fuse::{Axis, points};
use tensorwrapper_core::backend::{Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// Something to read: where, of what type, and whether it is conjugated.
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

/// Memory as a kernel's text has it: a member of the kernel's type.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) field: String,
    pub(super) dtype: Dtype,
    pub(super) conjugate: bool,
    pub(super) argument: Argument,
}

/// The same without layouts: spaces over columns, of which the first is written.
pub(super) struct Shape<'a> {
    pub(super) dtype: Dtype,
    pub(super) columns: Vec<Column>,
    pub(super) kept: Axes,
    pub(super) terms: Axes,
    pub(super) program: &'a Program,
    pub(super) reduction: Reduction,
    pub(super) finish: Finish<'a>,
}

/// What becomes of a sum: multiplied by a number, then input 0 of a program whose other inputs are the columns `z0`, `z1`, …
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish<'a> {
    pub(super) alpha: Complex<f64>,
    pub(super) then: Option<&'a Program>,
}

/// How the points of a space are shared out.
enum Form {
    Each,
    /// The axes along which the result and the inputs of these columns have their neighbours.
    Cross {
        u: usize,
        v: usize,
        staged: Vec<usize>,
    },
    Threads,
    Blocks {
        threads: usize,
        splits: usize,
    },
}

/// The most threads of a block, and the side of a tile that is turned.
pub(super) const THREADS: usize = 256;
pub(super) const SIDE: usize = 32;

/// The kernels of an operation; `None` where it calls functions of the host's.
pub(crate) fn folded(fold: &Fold<'_>, route: Route) -> Option<Launches> {
    let nothing = fold.nest.reduced_extents().contains(&0);
    let value = if fold.reduction == Reduction::Product { Complex::ONE } else { Complex::ZERO };
    let constant = Program::new(vec![Instruction::Constant(value)]);
    let (program, inputs) = if nothing { (&constant, &[][..]) } else { (fold.program, &fold.inputs[..]) };
    let mut columns = vec![column("y".to_string(), (fold.output, fold.dtype, false), Memory::Output)];
    for (n, input) in inputs.iter().enumerate() {
        columns.push(column(format!("x{n}"), (input.layout, input.dtype, input.conjugate), Memory::Input(n)));
    }
    for (n, other) in fold.others.iter().enumerate() {
        let memory = Memory::Input(fold.inputs.len() + n);
        columns.push(column(format!("z{n}"), (other.layout, other.dtype, other.conjugate), memory));
    }
    let layouts = inputs.iter().chain(&fold.others).map(|input| input.layout);
    let layouts: Vec<&Strided> = std::iter::once(fold.output).chain(layouts).collect();
    let (extents, kept) = (fold.nest.extents(), fold.nest.kept());
    let terms = if nothing { Axes::new() } else { axes(extents, kept..extents.len(), &layouts) };
    let kept = axes(extents, 0..kept, &layouts);
    let finish = Finish { alpha: fold.alpha, then: fold.then };
    Shape { dtype: fold.dtype, columns, kept, terms, program, reduction: fold.reduction, finish }.launches(route)
}

/// A column for memory that lies like this.
pub(super) fn column(field: String, (layout, dtype, conjugate): (&Strided, Dtype, bool), memory: Memory) -> Column {
    Column { field, dtype, conjugate, argument: Argument { memory, start: layout.offset() * dtype.size() } }
}

impl Shape<'_> {
    /// The kernels of the operation.
    pub(super) fn launches(mut self, route: Route) -> Option<Launches> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        self.kept = normal(self.kept, &all);
        // The input that is read most decides in which order.
        let mut by_size: Vec<usize> = (1..self.columns.len()).collect();
        by_size.sort_by_key(|&c| std::cmp::Reverse(self.kept.iter().chain(&self.terms).filter(|a| a.strides[c] != 0).count()));
        self.terms = normal(self.terms, &by_size);
        if points(&self.kept) == 0 {
            return Some(Launches { before: Vec::new(), product: None, launches: Vec::new(), scratch: 0 });
        }
        let form = self.form(&by_size, route);
        let Form::Blocks { splits, .. } = form else {
            return Some(Launches { before: Vec::new(), product: None, launches: vec![self.launch(&form)?], scratch: 0 });
        };
        if splits == 1 {
            return Some(Launches { before: Vec::new(), product: None, launches: vec![self.launch(&form)?], scratch: 0 });
        }
        let scratch = points(&self.kept) * splits * self.dtype.size();
        let strides = dense(&self.kept, splits as isize);
        let sums = Sums { strides, splits, stride: 1 };
        let second = self.of_sums(&sums, &Program::new(vec![Instruction::Input(0)]))?;
        self.columns[0].argument = Argument { memory: Memory::Scratch, start: 0 };
        Some(Launches { before: Vec::new(), product: None, launches: vec![self.launch(&form)?, second], scratch })
    }

    fn form(&self, by_size: &[usize], route: Route) -> Form {
        let (count, terms) = (points(&self.kept), points(&self.terms));
        if terms == 1 {
            return self.cross(route).unwrap_or(Form::Each);
        }
        let threads = terms.next_power_of_two().clamp(32, THREADS);
        // Whether the neighbours of what is read most are terms of one element.
        let along = by_size.first().is_some_and(|&c| unit(&self.terms, c).is_some());
        match route {
            Route::Threads => Form::Threads,
            Route::Parts => Form::Blocks { threads: 32, splits: cut(terms, 3) },
            Route::Chosen | Route::Library | Route::LargeTiles | Route::SmallTiles => {
                if !(along && terms >= 32 || count < 1 << 14 && terms > 64) {
                    Form::Threads
                } else if count < MANY_BLOCKS && terms >= 1 << 13 {
                    let splits = cut(terms, (2 * MANY_BLOCKS).div_ceil(count).min(terms >> 12));
                    Form::Blocks { threads, splits }
                } else {
                    Form::Blocks { threads, splits: 1 }
                }
            }
        }
    }

    /// Turning tiles, where the result's neighbours are not those of an input.
    fn cross(&self, route: Route) -> Option<Form> {
        let least = match route {
            Route::Chosen | Route::Library => 8,
            Route::LargeTiles | Route::SmallTiles => 2,
            Route::Parts | Route::Threads => return None,
        };
        let u = unit(&self.kept, 0)?;
        let crossed = |c: &usize| self.columns[*c].field.starts_with('x') && unit(&self.kept, *c).is_some_and(|v| v != u);
        let v = unit(&self.kept, (1..self.columns.len()).find(crossed)?)?;
        let staged: Vec<usize> = (1..self.columns.len()).filter(|c| crossed(c) && unit(&self.kept, *c) == Some(v)).collect();
        let fits = staged.len() * SIDE * (SIDE + 1) * self.dtype.size() <= 48 << 10;
        let tiles = points(&self.kept) / (self.kept[u].extent * self.kept[v].extent)
            * (self.kept[u].extent.div_ceil(SIDE) * self.kept[v].extent.div_ceil(SIDE));
        let worth = self.kept[u].extent >= least && self.kept[v].extent >= least && tiles < 1 << 31;
        (fits && worth).then_some(Form::Cross { u, v, staged })
    }

    /// The text of the functions that every form has: what an element is, how two are folded, what becomes of the fold.
    fn launch(&self, form: &Form) -> Option<Launch> {
        let (count, terms) = (points(&self.kept), points(&self.terms));
        let stored = matches!(form, Form::Blocks { splits: 2.., .. });
        let members = members(&self.columns);
        let most = self.kept.iter().chain(&self.terms);
        let mut reach = reach(most, self.columns.len());
        let (threads, blocks, shared, body, kind, special);
        match form {
            Form::Each | Form::Threads => {
                (threads, shared) = (THREADS, 0);
                blocks = count.div_ceil(THREADS).min(1 << 20);
                (body, kind) = if terms == 1 { ("each", "element-wise") } else { ("fold_in_threads", "reduction by threads") };
                special = String::new();
            }
            &Form::Blocks { threads: chosen, splits } => {
                threads = chosen;
                blocks = count * splits;
                shared = threads * self.dtype.size();
                (body, kind) = ("fold_in_blocks", "reduction by blocks");
                reach = reach.max(blocks);
                let target = if stored { "Place q = place; q.y = P(block); return q;" } else { "return place;" };
                special = format!(
                    "  static constexpr I SPLITS = {splits}u, CHUNK = {}u;\n  \
                     static __device__ __forceinline__ Place target(const Place& place, I block) {{ {target} }}\n",
                    terms.div_ceil(splits)
                );
            }
            Form::Cross { u, v, staged } => {
                let (u_extent, v_extent) = (self.kept[*u].extent, self.kept[*v].extent);
                let tiles = [u_extent.div_ceil(SIDE), v_extent.div_ceil(SIDE)];
                (threads, shared) = (THREADS, staged.len() * SIDE * (SIDE + 1) * self.dtype.size());
                blocks = count / (u_extent * v_extent) * tiles[0] * tiles[1];
                (body, kind) = ("cross", "permutation");
                special = self.turning((*u, *v), staged, tiles)?;
            }
        }
        let blocks = u32::try_from(blocks).ok()?;
        let outer: Axes = match form {
            Form::Cross { u, v, .. } => {
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
        let fields = fields(&self.columns);
        let text = format!(
            "struct KERNEL_type {{\n  using T = {};\n{}  static constexpr int THREADS = {threads};\n  \
             static constexpr I POINTS = {count}u, TERMS = {terms}u;\n{members}  \
             static __device__ __forceinline__ Place kept(I n) {{ Place p{{}};{} return p; }}\n  \
             static __device__ __forceinline__ Place term(I n) {{ Place p{{}};{} return p; }}\n  \
             static __device__ __forceinline__ T combine(T a, T b) {{ return {combine}; }}\n  \
             __device__ __forceinline__ T value(const Place& p) const {{\n{statements}    return {result};\n  }}\n{}{special}}};\n{}",
            type_name(self.dtype),
            integers(count.max(terms).max(blocks as usize * threads), reach),
            place(&outer, &fields),
            place(&self.terms, &fields),
            store(&self.columns, self.dtype, if stored { None } else { Some(self.finish) })?,
            entry(&self.columns, body, threads, &initialised(&self.columns)),
        );
        let kernel = Kernel::alone(&text, (kind, self.dtype), blocks, threads, shared);
        Some(Launch { kernel, arguments: arguments(&self.columns) })
    }

    /// What the turning of tiles needs beside: the two axes, what is staged, and the program over what was staged.
    fn turning(&self, (u, v): (usize, usize), staged: &[usize], tiles: [usize; 2]) -> Option<String> {
        let fields = fields(&self.columns);
        let along = |axis: usize| place(&vec![self.kept[axis].clone()], &fields);
        let stage: String = staged
            .iter()
            .enumerate()
            .map(|(n, &c)| format!(" tile[{}] = {};", n * SIDE * (SIDE + 1), self.read(&self.columns[c].field)))
            .collect();
        let input = |slot: usize| match staged.iter().position(|&c| self.columns[c].field == format!("x{slot}")) {
            Some(n) => format!("tile[{}]", n * SIDE * (SIDE + 1)),
            None => self.read(&format!("x{slot}")),
        };
        let (statements, result) = program::statements(self.program, self.dtype, input)?;
        Some(format!(
            "  static constexpr int SIDE = {SIDE};\n  static constexpr I U = {}u, V = {}u, TILES_U = {}u, TILES_V = {}u;\n  \
             static __device__ __forceinline__ Place along_u(I n) {{ Place p{{}};{} return p; }}\n  \
             static __device__ __forceinline__ Place along_v(I n) {{ Place p{{}};{} return p; }}\n  \
             __device__ __forceinline__ void stage(T* tile, const Place& p) const {{{stage} }}\n  \
             __device__ __forceinline__ T turned(const T* tile, const Place& p) const {{\n{statements}    return {result};\n  }}\n",
            self.kept[u].extent,
            self.kept[v].extent,
            tiles[0],
            tiles[1],
            along(u),
            along(v),
        ))
    }

    /// The element of a column.
    fn read(&self, field: &str) -> String {
        let column = self.columns.iter().find(|column| column.field == field).expect("a program reads inputs that there are");
        read(column, self.dtype)
    }

    /// The second kernel of a sum in parts: the parts are in scratch memory, and everything else is as it was.
    pub(super) fn of_sums(&self, sums: &Sums, identity: &Program) -> Option<Launch> {
        let scratch = Argument { memory: Memory::Scratch, start: 0 };
        let others = self.columns.iter().enumerate().filter(|(_, column)| column.field.starts_with('z'));
        let mut columns = vec![self.columns[0].clone()];
        columns.push(Column { field: "x0".to_string(), dtype: self.dtype, conjugate: false, argument: scratch });
        let numbers: Vec<usize> = others.clone().map(|(n, _)| n).collect();
        columns.extend(others.map(|(_, column)| column.clone()));
        let axis = |(axis, &stride): (&Axis<Vec<isize>>, &isize)| {
            let strides = [axis.strides[0], stride].into_iter().chain(numbers.iter().map(|&n| axis.strides[n]));
            Axis { extent: axis.extent, strides: strides.collect() }
        };
        let kept = self.kept.iter().zip(&sums.strides).map(axis).collect();
        let mut strides = vec![0; columns.len()];
        strides[1] = sums.stride;
        let terms = vec![Axis { extent: sums.splits, strides }];
        let second =
            Shape { dtype: self.dtype, columns, kept, terms, program: identity, reduction: self.reduction, finish: self.finish };
        second.launch(&Form::Threads)
    }
}

/// Where the parts of sums lie in scratch memory.
pub(super) struct Sums {
    /// Strides along the axes of the result.
    pub(super) strides: Vec<isize>,
    pub(super) splits: usize,
    /// The stride from part to part.
    pub(super) stride: isize,
}

/// Strides of memory that is filled without gaps, in elements of `unit` each.
pub(super) fn dense(axes: &Axes, unit: isize) -> Vec<isize> {
    let mut strides = vec![0; axes.len()];
    axes.iter().enumerate().rev().fold(unit, |stride, (n, axis)| {
        strides[n] = stride;
        stride * axis.extent as isize
    });
    strides
}

/// How far from its start a position may be.
pub(super) fn reach<'a>(axes: impl Iterator<Item = &'a Axis<Vec<isize>>>, columns: usize) -> usize {
    let mut far = vec![0usize; columns];
    for axis in axes {
        far.iter_mut()
            .zip(&axis.strides)
            .for_each(|(far, s)| *far = far.saturating_add(s.unsigned_abs().saturating_mul(axis.extent)));
    }
    far.into_iter().max().unwrap_or(0)
}

pub(super) fn fields(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| format!("p.{}", column.field)).collect()
}

/// An element, converted and conjugated as it is read at place `p`.
pub(super) fn read(column: &Column, dtype: Dtype) -> String {
    let field = &column.field;
    let mut text = format!("{field}[p.{field}]");
    if column.dtype != dtype {
        text = format!("tw::cast_of<T, {}>::from({text})", type_name(column.dtype));
    }
    if column.conjugate && dtype.is_complex() { format!("tw::conj({text})") } else { text }
}

/// The members of a kernel's type: pointers, and a place with a position for each.
pub(super) fn members(columns: &[Column]) -> String {
    let positions: String = columns.iter().map(|c| format!(" P {} = 0;", c.field)).collect();
    let sums: Vec<String> = columns.iter().map(|c| format!("{0} + o.{0}", c.field)).collect();
    let pointers: String = columns.iter().map(|c| format!("  {};\n", pointer(c))).collect();
    format!(
        "  struct Place {{{positions}\n    __device__ __forceinline__ Place operator+(const Place& o) const {{ return {{{}}}; }}\n  }};\n{pointers}",
        sums.join(", ")
    )
}

fn pointer(column: &Column) -> String {
    let constant = if column.field == "y" { "" } else { "const " };
    format!("{constant}{}* __restrict__ {}", type_name(column.dtype), column.field)
}

pub(super) fn initialised(columns: &[Column]) -> String {
    columns.iter().map(|column| column.field.as_str()).collect::<Vec<_>>().join(", ")
}

/// The kernel proper: the inputs' pointers, then the written one. Told to hold one block at a time at least, the compiler takes the
/// registers that it needs; left to guess how many blocks there should be, it spills.
pub(super) fn entry(columns: &[Column], body: &str, threads: usize, value: &str) -> String {
    let parameters: Vec<String> = columns[1..].iter().chain(&columns[..1]).map(pointer).collect();
    format!(
        "extern \"C\" __global__ void __launch_bounds__({threads}, 1) KERNEL({}) {{\n  tw::{body}(KERNEL_type{{{value}}});\n}}\nTW_EXPORT(KERNEL)\n",
        parameters.join(", ")
    )
}

pub(super) fn arguments(columns: &[Column]) -> Vec<Argument> {
    columns[1..].iter().chain(&columns[..1]).map(|column| column.argument).collect()
}

/// What becomes of a sum as it is stored; `None`: it is stored as it is.
pub(super) fn store(columns: &[Column], dtype: Dtype, finish: Option<Finish<'_>>) -> Option<String> {
    let mut text = String::from("  __device__ __forceinline__ void store(T sum, const Place& p) const {\n");
    let mut result = "sum".to_string();
    if let Some(Finish { alpha, then }) = finish {
        if alpha != Complex::ONE {
            text += &format!("    sum = {} * sum;\n", number(alpha));
        }
        if let Some(then) = then {
            let input = |n: usize| match n {
                0 => "sum".to_string(),
                _ => {
                    let field = format!("z{}", n - 1);
                    read(columns.iter().find(|c| c.field == field).expect("a program reads inputs that there are"), dtype)
                }
            };
            let (statements, last) = program::statements(then, dtype, input)?;
            text += &statements;
            result = last;
        }
    }
    text += &format!("    y[p.y] = {result};\n  }}\n");
    Some(text)
}
