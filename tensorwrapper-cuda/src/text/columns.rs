//! The memory of a kernel's operands as its text has it: pointers, positions, and what is read and written there.

use num_complex::Complex;

use super::launch::{Argument, Memory};
use super::program;
use super::syntax::{number, type_name};
use tensorwrapper_core::backend::Program;
use tensorwrapper_core::backend::fuse::Axis;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// Memory as a kernel's text has it: a member of the kernel's type.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) field: String,
    pub(super) dtype: Dtype,
    pub(super) conjugate: bool,
    pub(super) argument: Argument,
}

/// What becomes of a sum: multiplied by a number, then input 0 of a program whose other inputs are the columns `z0`, `z1`, …
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish<'a> {
    pub(super) alpha: Complex<f64>,
    pub(super) then: Option<&'a Program>,
}

/// A column for memory that lies like this.
pub(super) fn column(field: String, (layout, dtype, conjugate): (&Strided, Dtype, bool), memory: Memory) -> Column {
    Column { field, dtype, conjugate, argument: Argument { memory, start: layout.offset() * dtype.size() } }
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
