//! Fragments that are valid Rust pass; any other fragment has one error.

use crate::expand::{Failure, invocation};

/// The expansion of an equation as text.
fn expansion(text: &str) -> String {
    invocation(text.parse().expect("the text is Rust tokens"), Failure::Panic).to_string()
}

/// Everything that stable Rust accepts is accepted here, also where the parser is older than the syntax.
#[test]
fn rust_is_accepted() {
    let expressions = [
        "{ n as f64 }",
        "{ let m = n + 1; m as f64 }",
        "{ if let Some(x) = y && x > 0.0 { x } else { 0.0 } }",
        "{ match y { Some(x) if let Ok(z) = x => z, _ => 0.0 } }",
        "{ const { 2.0 } }",
        "{ unsafe { *(&raw const x) } }",
        "{ f::<{ N }, f64>(x)?.g().0.1[2] }",
        "{ std::hint::black_box!(1.0) }",
        "{ 'a: { loop { break 'a 1.0 } } }",
    ];
    for expression in expressions {
        let text = expansion(&format!("[i] = {expression} * a[i]"));
        assert!(!text.contains("compile_error"), "{expression}: {text}");
    }
    let equations = [
        "[i] = map(move |x: f64| -> f64 { x }; a[i])",
        "[i] = map(|x, (y, z)| async move { x }; a[i], b[i])",
        "[i] = map(<f64 as Add>::add::<f64>; a[i], b[i])",
        "[i] = cast(<T as Element>::Real; a[i])",
        "[i] = cast(Complex<f32>; a[i])",
        "[i] = a[i in ..=n]",
        "[i] = a[i in ..]",
        "[i] = a[i in r.start..r.end] + 1[i] where i: { n + 1 }",
        "(self.all[n].t2)[i] += a[i]",
        "in &*self.context; let b[i] = a[i]; b",
    ];
    for equation in equations {
        let text = expansion(equation);
        assert!(!text.contains("compile_error"), "{equation}: {text}");
    }
}

#[test]
fn slips_have_one_error_each() {
    let slips = [
        ("[i] = { x * } * a[i]", "expected an expression, found `}`"),
        ("[i] = map(|x| x + ; a[i])", "expected an expression, but nothing follows"),
        ("[i] = map(|x; a[i])", "expected `,` or `|`, but nothing follows"),
        ("[i] = map(move |x, y; a[i], b[i])", "expected `,` or `|`, but nothing follows"),
        ("[i] = cast(Vec<; a[i])", "expected a type, but nothing follows"),
        ("[i] = cast(f64 f32; a[i])", "unexpected token `f32`"),
        ("[i] = powf(a[i], 2.0 *)", "expected an expression, but nothing follows"),
        ("in &; let b[i] = a[i]; b", "expected an expression, but nothing follows"),
    ];
    for (equation, message) in slips {
        let text = expansion(equation);
        assert_eq!(text.matches("compile_error").count(), 1, "{equation}: {text}");
        assert!(text.contains(message), "{equation}: {text}");
    }
}
