//! Element types behind `as` and in the place of functions, `a[i] as f32` and `f32(a[i])`: what converts to them.

use super::cursor::split;
use super::unread::labels_in;
use crate::token::{Delimiter, Token, Tree, text};

/// The type that a word of this or another language names, if an equation converts to it.
fn element(name: &str) -> Option<&'static str> {
    Some(match name {
        "f32" | "float32" | "Float32" | "single" => "f32",
        "f64" | "float64" | "Float64" | "double" => "f64",
        // The number of bits is that of both parts in NumPy, and that of one part in Rust.
        "c32" | "Complex32" | "ComplexF32" | "complex64" | "cfloat" => "Complex<f32>",
        "c64" | "Complex64" | "ComplexF64" | "complex128" | "cdouble" => "Complex<f64>",
        _ => return None,
    })
}

/// What converts an operand to the type behind `as`.
pub(super) fn conversion(operand: &[Token], named: &[Token]) -> String {
    let name = match named.first().map(|token| &token.tree) {
        Some(Tree::Ident(name)) => name.as_str(),
        _ => "",
    };
    let element = match (name, named) {
        ("Complex" | "complex", [_, open, part, close, ..]) if open.is_punct('<') && close.is_punct('>') => {
            if part.is_ident("f32") { Some("Complex<f32>") } else { Some("Complex<f64>") }
        }
        ("Complex" | "complex", _) => Some("Complex<f64>"),
        _ => element(name),
    };
    let inside = match operand {
        [group] => group.group(Delimiter::Parenthesis).unwrap_or(operand),
        operand => operand,
    };
    match element {
        Some(element) => format!("an element of another type is `cast({element}; {})`", text(inside)),
        None => of_whole(operand, name),
    }
}

/// What converts whole tensors to integers and truth values.
fn of_whole(operand: &[Token], name: &str) -> String {
    // Tensors have no other integers.
    let named = if let "i32" | "u8" | "bool" = name { name } else { "i64" };
    let tensor = match operand {
        [tensor @ .., last] if last.group(Delimiter::Bracket).is_some() => text(tensor),
        _ => "a".into(),
    };
    let result = if tensor == "b" { "c" } else { "b" };
    format!("whole tensors are converted to other types before the equation: `let {result} = {tensor}.cast::<{named}>()?;`")
}

/// The help for a type in the place of a function, `f32(a[i])` and `complex(a[i], b[i])`.
pub(super) fn converted(name: &str, arguments: &[&[Token]]) -> Option<String> {
    let is_complex = matches!(name, "Complex" | "complex") || element(name).is_some_and(|element| element.starts_with('C'));
    let [argument] = arguments else {
        return if is_complex { of_parts(arguments) } else { None };
    };
    if labels_in(argument).is_empty() {
        let named = element(name).or(if name == "float" { Some("f64") } else { None }).filter(|_| !is_complex)?;
        let number = if argument.len() == 1 { text(argument) } else { format!("({})", text(argument)) };
        return Some(format!("a number is converted in Rust, `{{ {number} as {named} }}`"));
    }
    let written = text(argument);
    if let Some(element) = element(name) {
        return Some(format!("an element of another type is `cast({element}; {written})`"));
    }
    Some(match name {
        "float" => format!("an element of another type is `cast(f32; {written})`, or `cast(f64; {written})`"),
        "Complex" | "complex" => {
            format!("an element of another type is `cast(Complex<f64>; {written})`, or `cast(Complex<f32>; {written})`")
        }
        "bool" => format!("a right side such as `{written} != 0.0` gives truth values"),
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" | "int" | "int32" | "int64" | "uint8"
        | "integer" | "long" => of_whole(argument, if name == "int32" { "i32" } else { name }),
        _ => return None,
    })
}

/// The help for `Complex::new(a[i], b[i])`, whose arguments are these tokens.
pub(super) fn complex(arguments: &[Token]) -> Option<String> {
    of_parts(&split(arguments, ','))
}

/// The complex elements of two real parts.
fn of_parts(parts: &[&[Token]]) -> Option<String> {
    let [real, imaginary] = parts else { return None };
    let is_tensor = |part: &[Token]| !labels_in(part).is_empty();
    (is_tensor(real) && is_tensor(imaginary)).then(|| {
        format!(
            "complex elements of two parts are `(cast(Complex<f64>; {}) + {{ Complex::new(0.0, 1.0) }} * cast(Complex<f64>; {}))`",
            text(real),
            text(imaginary)
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn types_in_the_place_of_functions() {
        refused(&[
            (
                "[i] = f32(a[i])",
                &["f32: `f32` is not a function of tensor equations | an element of another type is `cast(f32; a[i])`"],
            ),
            (
                "[i, j] = f64(2.0 * a[i, j])",
                &["f64: `f64` is not a function of tensor equations | an element of another type is `cast(f64; 2.0 * a[i, j])`"],
            ),
            (
                "[i] = double(a[i]) * b[i]",
                &["double: `double` is not a function of tensor equations | an element of another type is `cast(f64; a[i])`"],
            ),
            (
                "[i, j] = c64(a[i, j])",
                &[
                    "c64: `c64` is not a function of tensor equations | an element of another type is `cast(Complex<f64>; a[i, j])`",
                ],
            ),
            (
                "[i, j] = complex64(a[i, j])",
                &[
                    "complex64: `complex64` is not a function of tensor equations | an element of another type is `cast(Complex<f32>; a[i, j])`",
                ],
            ),
            (
                "[i, j] = complex128(a[i, j])",
                &[
                    "complex128: `complex128` is not a function of tensor equations | an element of another type is `cast(Complex<f64>; a[i, j])`",
                ],
            ),
            (
                "[i, j] = Complex64(a[i, j])",
                &[
                    "Complex64: `Complex64` is not a function of tensor equations | an element of another type is `cast(Complex<f64>; a[i, j])`",
                ],
            ),
            (
                "[i, j] = float(a[i, j])",
                &[
                    "float: `float` is not a function of tensor equations | an element of another type is `cast(f32; a[i, j])`, or `cast(f64; a[i, j])`",
                ],
            ),
            (
                "[i, j] = complex(a[i, j])",
                &[
                    "complex: `complex` is not a function of tensor equations | an element of another type is `cast(Complex<f64>; a[i, j])`, or `cast(Complex<f32>; a[i, j])`",
                ],
            ),
            (
                "[i, j] = int(t.a[i, j])",
                &[
                    "int: `int` is not a function of tensor equations | whole tensors are converted to other types before the equation: `let b = t.a.cast::<i64>()?;`",
                ],
            ),
            (
                "[i, j] = u8(a[i, j])",
                &[
                    "u8: `u8` is not a function of tensor equations | whole tensors are converted to other types before the equation: `let b = a.cast::<u8>()?;`",
                ],
            ),
            (
                "[i, j] = int32(a[i, j])",
                &[
                    "int32: `int32` is not a function of tensor equations | whole tensors are converted to other types before the equation: `let b = a.cast::<i32>()?;`",
                ],
            ),
            (
                "[i, j] = bool(a[i, j])",
                &[
                    "bool: `bool` is not a function of tensor equations | a right side such as `a[i, j] != 0.0` gives truth values",
                ],
            ),
            (
                "[i, j] = complex(a[i, j], b[i, j])",
                &[
                    "complex: `complex` is not a function of tensor equations | complex elements of two parts are `(cast(Complex<f64>; a[i, j]) + { Complex::new(0.0, 1.0) } * cast(Complex<f64>; b[i, j]))`",
                ],
            ),
            (
                "[i, j] = Complex::new(a[i, j], -b[j, i])",
                &[
                    "(a[i, j], -b[j, i]): parentheses follow an operand | complex elements of two parts are `(cast(Complex<f64>; a[i, j]) + { Complex::new(0.0, 1.0) } * cast(Complex<f64>; -b[j, i]))`",
                ],
            ),
            (
                "[i] = map(f32; a[i]) * f32(n + 1)",
                &["f32: `f32` is not a function of tensor equations | a number is converted in Rust, `{ (n + 1) as f32 }`"],
            ),
            (
                "[i] = a[i] as c64",
                &["as: expected an operator, found `as` | an element of another type is `cast(Complex<f64>; a[i])`"],
            ),
            (
                "[i] = a[i] as Complex<f32>",
                &["as: expected an operator, found `as` | an element of another type is `cast(Complex<f32>; a[i])`"],
            ),
            (
                "[i] = a[i] as Complex<f64> * z[i]",
                &["as: expected an operator, found `as` | an element of another type is `cast(Complex<f64>; a[i])`"],
            ),
        ]);
    }
}
