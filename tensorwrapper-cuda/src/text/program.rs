//! Element-wise programs as text: one statement for each instruction.

use std::fmt::Write as _;

use super::syntax::number;
use tensorwrapper_core::backend::function::cuda;
use tensorwrapper_core::backend::{Binary, Comparison, Instruction, Program};
use tensorwrapper_core::element::Dtype;

/// The statements that compute a program, and the name of their result. `input` gives the expression for an element of an input.
/// `None` for programs that call functions of the host.
pub(super) fn statements(program: &Program, dtype: Dtype, input: impl Fn(usize) -> String) -> Option<(String, String)> {
    let mut text = String::new();
    for (n, instruction) in program.instructions().iter().enumerate() {
        let value = match *instruction {
            Instruction::Input(slot) | Instruction::Converted(slot) => input(slot),
            Instruction::Constant(value) => number(value),
            Instruction::Negate(a) => format!("-r{a}"),
            Instruction::Apply(function, a) => {
                let rows = cuda(function);
                let row = if dtype.is_complex() { rows.complex } else { rows.real };
                let _ = writeln!(text, "    T r{n};\n    {{ const T x = r{a}; r{n} = {row}; }}");
                continue;
            }
            Instruction::PowerInteger(a, exponent) => format!("tw::power_integer(r{a}, {exponent})"),
            Instruction::PowerReal(a, exponent) => {
                format!("tw::power_real(r{a}, __longlong_as_double(0x{:016x}ll))", exponent.to_bits())
            }
            Instruction::Combine(operator, a, b) => {
                let sign = match operator {
                    Binary::Add => '+',
                    Binary::Subtract => '-',
                    Binary::Multiply => '*',
                    Binary::Divide => '/',
                };
                format!("r{a} {sign} r{b}")
            }
            Instruction::Compare(comparison, a, b) => format!("{} ? T(1) : T(0)", compared(comparison, a, b, dtype)),
            Instruction::Select(condition, a, b) if dtype.is_complex() => format!("real(r{condition}) != 0 ? r{a} : r{b}"),
            Instruction::Select(condition, a, b) => format!("r{condition} != T(0) ? r{a} : r{b}"),
            Instruction::Call(..) => return None,
        };
        let _ = writeln!(text, "    const T r{n} = {value};");
    }
    Some((text, format!("r{}", program.instructions().len() - 1)))
}

/// The comparison of two registers. Complex numbers are ordered by their real parts.
fn compared(comparison: Comparison, a: usize, b: usize, dtype: Dtype) -> String {
    let sign = comparison.symbol();
    match (dtype.is_complex(), comparison) {
        (false, _) => format!("r{a} {sign} r{b}"),
        (true, Comparison::Equal) => format!("real(r{a}) == real(r{b}) && imag(r{a}) == imag(r{b})"),
        (true, Comparison::NotEqual) => format!("real(r{a}) != real(r{b}) || imag(r{a}) != imag(r{b})"),
        (true, _) => format!("real(r{a}) {sign} real(r{b})"),
    }
}
