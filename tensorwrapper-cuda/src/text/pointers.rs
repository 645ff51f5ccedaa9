//! The operands of a kernel as its text has them: pointers, positions, and what is read and written there.

use num_complex::Complex;

use super::launch::{Argument, Memory};
use super::program;
use super::syntax::{number, type_name};
use tensorwrapper_core::backend::Program;
use tensorwrapper_core::backend::fuse::Axis;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// A pointer as a kernel's text has it: a member of the kernel's type.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) field: String,
    pub(super) dtype: Dtype,
    pub(super) conjugate: bool,
    pub(super) argument: Argument,
}

/// What happens to a sum before it is stored: it is multiplied by a number, and is then input 0 of a program whose other inputs
/// are the pointers `z0`, `z1`, …
#[derive(Clone, Copy, Debug)]
pub(super) struct Epilogue<'a> {
    pub(super) alpha: Complex<f64>,
    pub(super) then: Option<&'a Program>,
}

/// The pointer to an operand with this layout.
pub(super) fn pointer(field: String, (layout, dtype, conjugate): (&Strided, Dtype, bool), memory: Memory) -> Pointer {
    Pointer { field, dtype, conjugate, argument: Argument { memory, start: layout.offset() * dtype.size() } }
}

/// The largest distance of a position from its start.
pub(super) fn reach<'a>(axes: impl Iterator<Item = &'a Axis<Vec<isize>>>, operands: usize) -> usize {
    let mut far = vec![0usize; operands];
    for axis in axes {
        far.iter_mut()
            .zip(&axis.strides)
            .for_each(|(far, s)| *far = far.saturating_add(s.unsigned_abs().saturating_mul(axis.extent)));
    }
    far.into_iter().max().unwrap_or(0)
}

/// The member of a place that each pointer adds its positions to.
pub(super) fn fields(pointers: &[Pointer]) -> Vec<String> {
    pointers.iter().map(|pointer| format!("p.{}", pointer.field)).collect()
}

/// The expression for an element at place `p`, converted and conjugated.
pub(super) fn read(pointer: &Pointer, dtype: Dtype) -> String {
    let field = &pointer.field;
    let mut text = format!("{field}[p.{field}]");
    if pointer.dtype != dtype {
        text = format!("tw::cast_of<T, {}>::from({text})", type_name(pointer.dtype));
    }
    if pointer.conjugate && dtype.is_complex() { format!("tw::conj({text})") } else { text }
}

/// The members of a kernel's type: the pointers, and the type `Place` with a position for each of them.
pub(super) fn members(pointers: &[Pointer]) -> String {
    let positions: String = pointers.iter().map(|c| format!(" P {} = 0;", c.field)).collect();
    let sums: Vec<String> = pointers.iter().map(|c| format!("{0} + o.{0}", c.field)).collect();
    let declarations: String = pointers.iter().map(|c| format!("  {};\n", declaration(c))).collect();
    format!(
        "  struct Place {{{positions}\n    __device__ __forceinline__ Place operator+(const Place& o) const {{ return {{{}}}; }}\n  }};\n{declarations}",
        sums.join(", ")
    )
}

fn declaration(pointer: &Pointer) -> String {
    let constant = if pointer.field == "y" { "" } else { "const " };
    format!("{constant}{}* __restrict__ {}", type_name(pointer.dtype), pointer.field)
}

/// The values of the members in their order.
pub(super) fn initialised(pointers: &[Pointer]) -> String {
    pointers.iter().map(|pointer| pointer.field.as_str()).collect::<Vec<_>>().join(", ")
}

/// The kernel itself, with the pointers of its inputs and then that of its output as parameters. The launch bounds ask for
/// room for `resident` blocks on a multiprocessor. With one, the compiler uses as many registers as it needs; without bounds it spills.
pub(super) fn entry(pointers: &[Pointer], body: &str, [threads, resident]: [usize; 2], value: &str) -> String {
    let parameters: Vec<String> = pointers[1..].iter().chain(&pointers[..1]).map(declaration).collect();
    format!(
        "extern \"C\" __global__ void __launch_bounds__({threads}, {resident}) KERNEL({}) {{\n  tw::{body}(KERNEL_type{{{value}}});\n}}\nTW_EXPORT(KERNEL)\n",
        parameters.join(", ")
    )
}

/// The arguments of a kernel, in the order of the parameters that [`entry`] declares.
pub(super) fn arguments(pointers: &[Pointer]) -> Vec<Argument> {
    pointers[1..].iter().chain(&pointers[..1]).map(|pointer| pointer.argument).collect()
}

/// The function that stores a sum. Without an epilogue the sum is stored as it is. `None` where the epilogue calls functions of
/// the host.
pub(super) fn store(pointers: &[Pointer], dtype: Dtype, epilogue: Option<Epilogue<'_>>) -> Option<String> {
    let mut text = String::from("  __device__ __forceinline__ void store(T sum, const Place& p) const {\n");
    let mut result = "sum".to_string();
    if let Some(Epilogue { alpha, then }) = epilogue {
        if alpha != Complex::ONE {
            text += &format!("    sum = {} * sum;\n", number(alpha));
        }
        if let Some(then) = then {
            let input = |n: usize| match n {
                0 => "sum".to_string(),
                _ => {
                    let field = format!("z{}", n - 1);
                    read(pointers.iter().find(|c| c.field == field).expect("a program reads only its inputs"), dtype)
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
