//! Every form of the language parses, blocks report all faults, and nothing panics.

use crate::syntax::{
    Block, BlockValue, Count, ExpressionKind, Index, Indices, Invocation, Range, Right, Scalar, Statement, Target,
};
use crate::testing::{checked, parsed};
use crate::{axes, einsum, lex, numbered_operands, parse};

#[track_caller]
fn statement(text: &str) -> Statement {
    match parsed(text) {
        Ok(Invocation::Equation(statement)) => statement,
        other => panic!("`{text}`: {other:?}"),
    }
}

#[track_caller]
fn block(text: &str) -> Block {
    match parsed(text) {
        Ok(Invocation::Block(block)) => block,
        other => panic!("`{text}`: {other:?}"),
    }
}

#[test]
fn every_form_of_the_language() {
    for text in [
        "[i, j] = A[i, k, l] * B[k, l, j]",
        "[i, j,] = A[i, j,]",
        "([n], [p, n]) = eigh(F[p, q], S[p, q])",
        "C[i, j] += A[i, k, l] * B[k, l, j]",
        "C[i] -= A[i]",
        "C[i] *= A[i]",
        "C[i] /= A[i]",
        "self.c.0[i] = A[i]",
        "(psi[n])[l, s, r] = (psi[n + 1])[l, s, r]",
        "C[i in 2..5, 3, { n - 1 }] = A[i]",
        "C[i, i] = A[i]",
        "[] = A[i, i]",
        "[i] = self.t2[i] * x.0[i] * x.0.1[i] * (f(x))[i] * a.view()[i] * m::n::A[i] * (x).y[i] * f?[i]",
        "[i] = 2.0 * alpha * { n as f64 } * A[i] * 1_000e-3 * 2f64 * self.alpha * x.0 * B[]",
        "[i, j] = A[i, j] + 1[i] * b[j] - 2.5[i, j] + { x }[i, j]",
        "[i] = -A[i] + (B[i] - --C[i]) / (D[i] * E[i])",
        "[i] = sum(k, l; A[i, k, l]) + max(k; B[i, k]) + min(k; B[i, k]) + prod(k; B[i, k])",
        "[i] = exp(a[i]) + ln(a[i]) + sqrt(a[i]) + abs(a[i]) + sin(a[i]) + cos(a[i]) + tan(a[i]) + tanh(a[i])",
        "[i] = recip(a[i]) + conj(a[i]) + re(a[i]) + im(a[i]) + powi(a[i], -2) + powi(a[i], n) + powf(a[i], p + 0.5)",
        "[α, i1, _x] = A[α, i1, _x]",
        "[i, j] = A[i in 2..5, j in ..n] * B[i in occ, j in 2..] * C[i in ..=4, j in ..] * D[i in a.b..c(), j in 1..=n]",
        "[i, i] = A[i]",
        "[i] = A[i, 3] * B[{ n - 1 }, 0]",
        "[i] = 1[i] where i: 4",
        "[i, j, a] = 1[i, j, a] where i, j: n, a: m.extent(0)",
        "let tau[i, j] = t[i, j]; tau",
        "where i, j, m, n: nocc; a, b, e, f: nvir; let x[i, j] = y[i, m, n, j] * t[a, b, e, f]; x",
        "where i: 4; where a: n; let x[i] = y[i, a]; [i] = x[i]",
        "in &ctx; [i] = A[i]",
        "in &self.context; where i: n; let e = A[i, i]; e",
        "let E = V[i, j] * T[i, j]; let E0[] = V[i, i]; (E, E0)",
        "let (e[n], C[p, n]) = eigh(F[p, q]); R[p] += C[p, n] * e[n]; (e, C,)",
        "R[i] = A[i]; S[i] += R[i];",
        "R[i] = A[i]; ()",
        "let l[b, i, k] = cholesky(i, j; A[b, i, j]); l",
    ] {
        assert!(checked(text).is_ok(), "`{text}`: {:#?}", checked(text));
    }
}

#[test]
fn precedence_is_that_of_rust() {
    fn shape(text: &str) -> String {
        fn show(e: &crate::syntax::Expression) -> String {
            match &e.kind {
                ExpressionKind::Operand(hole, _) => hole.text.clone(),
                ExpressionKind::Binary(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
                ExpressionKind::Negate(a) => format!("-{}", show(a)),
                ExpressionKind::Parentheses(a) => format!("[{}]", show(a)),
                other => format!("{other:?}"),
            }
        }
        match statement(text).right {
            Right::Expression(e) => {
                show(&e).replace("Subtract", "-").replace("Add", "+").replace("Multiply", "*").replace("Divide", "/")
            }
            Right::Factorisation(..) => panic!("an expression"),
        }
    }
    assert_eq!(shape("[] = a[] + b[] * c[] - d[] / e[] * f[]"), "((a + (b * c)) - ((d / e) * f))");
    assert_eq!(shape("[] = -a[] * -(b[] - c[])"), "(-a * -[(b - c)])");
}

#[test]
fn holes_keep_their_text() {
    let Target::Place(place, _, _) = statement("(psi[n + 1]).0[i] = A[i]").target else { panic!("a place") };
    assert_eq!(place.text, "(psi[n + 1]).0");
    let Right::Expression(right) = statement("[i] = { n as f64 } * (f(&x, 2))[i in a.b..c()]").right else {
        panic!("an expression")
    };
    let ExpressionKind::Binary(_, scalar, operand) = right.kind else { panic!("a product") };
    let (ExpressionKind::Scalar(Scalar::Hole(scalar)), ExpressionKind::Operand(operand, indices)) = (scalar.kind, operand.kind)
    else {
        panic!("a scalar and an operand")
    };
    assert_eq!((scalar.text.as_str(), operand.text.as_str()), ("{ n as f64 }", "(f(&x, 2))"));
    let Index::Slice(_, Range::Hole(range)) = &indices[0] else { panic!("a slice") };
    assert_eq!(range.text, "a.b..c()");
}

#[test]
fn blocks_are_told_apart() {
    let full = block("in &ctx; where i, j: n; a: 3; let x[i] = y[i, a]; z[i] += x[i]; (x, z)");
    assert_eq!(full.context.unwrap().text, "&ctx");
    assert_eq!(full.declarations.iter().map(|d| d.labels.len()).collect::<Vec<_>>(), [2, 1]);
    assert!(matches!(full.declarations[1].extent, Count::Literal(3, _)));
    assert_eq!(full.statements.len(), 2);
    assert!(matches!(&full.value, BlockValue::Names(names) if names.len() == 2));
    assert!(matches!(block("let x[i, j] = y[i, m, n, j] * t[a, b, e, f]; x").value, BlockValue::Name(_)));
    assert!(matches!(block("let x[i] = y[i]; [i] = x[i]").value, BlockValue::Equation(_)));
    assert!(matches!(block("z[i] = y[i];").value, BlockValue::Nothing));
    // An assignment may end a block without a `;`.
    assert_eq!(block("z[i] = y[i]; w[i] = y[i]").statements.len(), 2);
    // All faults of a block at once, one for each statement.
    assert_eq!(parsed("let x[i] = ; let y[i] = A[i][j]; let z[i] = A[i]; z z").unwrap_err().len(), 3);
}

#[test]
fn indices_of_a_string() {
    let read = |text: &str| axes(&lex(text).unwrap());
    assert_eq!(read("").unwrap(), Indices::default());
    assert_eq!(read("i, j in 1..3, 2,").unwrap().len(), 3);
    assert_eq!(read("i; a, b").unwrap().counts(), [1, 2]);
    assert!(matches!(read("k in ..=4").unwrap()[0], Index::Slice(_, Range::Literal(0, Some(5), _))));
    assert!(read("i j").is_err() && read("i; , j").is_err() && read("i;").is_err() && read("i, , j").is_err());
}

#[test]
fn a_text_nested_beyond_measure_is_refused() {
    let deep = "(".repeat(100_000) + &")".repeat(100_000);
    assert_eq!(lex(&deep).unwrap_err().message, "more than 64 groups inside each other");
    assert!(lex(&("[".repeat(64) + &"]".repeat(64))).is_ok());
}

/// Texts of the language's words in random order may be refused, but never panic.
#[test]
fn random_tokens_do_not_panic() {
    const WORDS: &[&str] = &[
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "=",
        "+=",
        "-",
        "*",
        "/",
        "+",
        ",",
        ";",
        ":",
        "::",
        ".",
        "..",
        "..=",
        "->",
        "==",
        "&",
        "i",
        "j",
        "k",
        "A",
        "B",
        "[i]",
        "[i, j]",
        "[i, k]",
        "A[i, j]",
        "B[k, j]",
        "C[i]",
        "1",
        "2.5",
        "0",
        "7",
        "1[i]",
        "let",
        "where",
        "in",
        "mut",
        "sum",
        "max",
        "prod",
        "exp",
        "conj",
        "powi",
        "powf",
        "cholesky",
        "eigh",
        "svd",
        "map(f; x[i])",
        "cast(x[i])",
        "map",
        "sym",
        "sum(k; A[i, k])",
        "eigh(A[i, j])",
        "{ n }",
        "(i, j)",
        "x",
        "self",
        "'",
        "α",
        "?",
        "#",
        "18446744073709551615",
        "_",
        "([n], [p, n]) =",
        "i in 1..3",
        "where i: 3",
        "let x[i] =",
        "A[i] *",
        "A[:, j]",
        "A[p[i], j]",
        "A[i in 0..6..2]",
        "A[i + 1 in ..2]",
        "(A[i] > x)",
        "as",
        "Σ_j",
        "solve(A, b)",
        "return",
        "||",
        "{i, j}",
        ".map(|x| x)",
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end as u64) as usize
    };
    let (mut right, mut read) = (0, 0);
    for _ in 0..10_000 {
        let length = 1 + next(14);
        // Half of the texts start like an equation, so that more of them are read to the end.
        let start = ["[i] = ", "", "C[i] += ", "", "let x[i] = ", ""][next(6)].to_string();
        let text = (0..length).fold(start, |text, _| text + WORDS[next(WORDS.len())] + " ");
        if let Ok(tokens) = lex(&text) {
            read += 1;
            let _ = axes(&tokens);
            let _ = parse(&tokens);
            right += usize::from(checked(&text).is_ok());
        }
        let _ = einsum(&text, &numbered_operands(2), None);
    }
    assert!(right > 20 && read > 2000, "{right} equations among {read} texts");
}

#[test]
fn numpy_subscripts() {
    let render = |subscripts: &str, operands: usize| match einsum(subscripts, &numbered_operands(operands), None) {
        Err(fault) => fault.message,
        Ok(statement) => {
            let Target::Value(left) = &statement.target else { panic!("a value") };
            fn names(indices: &[Index]) -> String {
                let name = |index: &Index| match index {
                    Index::Label(name) => name.text.clone(),
                    Index::NoAxes(_) => "(..)".to_string(),
                    _ => "..".to_string(),
                };
                indices.iter().map(name).collect::<Vec<_>>().join(" ")
            }
            fn factors(e: &crate::syntax::Expression, found: &mut Vec<String>) {
                match &e.kind {
                    ExpressionKind::Binary(_, a, b) => {
                        factors(a, found);
                        factors(b, found);
                    }
                    ExpressionKind::Reduce(_, _, inner) => factors(inner, found),
                    ExpressionKind::Operand(_, indices) => found.push(names(indices)),
                    _ => panic!("a sum of a product"),
                }
            }
            let Right::Expression(right) = &statement.right else { panic!("an expression") };
            let mut inputs = Vec::new();
            factors(right, &mut inputs);
            format!("{} -> {}", inputs.join(" | "), names(left[0].indices.as_deref().unwrap()))
        }
    };
    let cases: &[(&str, usize, &str)] = &[
        ("ik,kj->ij", 2, "i k | k j -> i j"),
        (" i k , k j -> i j ", 2, "i k | k j -> i j"),
        ("ba", 1, "b a -> a b"),
        ("ij,jk", 2, "i j | j k -> i k"),
        ("i,i", 2, "i | i -> "),
        ("bA", 1, "b A -> A b"),
        ("ij->", 1, "i j -> "),
        (",", 2, " |  -> "),
        ("...i,...i->...", 2, ".. i | .. i -> .."),
        ("...a,...b", 2, ".. a | .. b -> .. a b"),
        ("i...->...i", 1, "i .. -> .. i"),
        ("a...a->a...", 1, "a .. a -> a .."),
        ("i j - > i", 1, "i j -> i"),
        ("i-\t\n>i", 1, "i -> i"),
        (". . .i , .. . -> . ..", 2, ".. i | .. -> .."),
        // On one side alone `...` stands for no axes, and on the left of nothing at all.
        ("...i->i", 1, "(..) i -> i"),
        ("i...,...->i", 2, "i (..) | (..) -> i"),
        ("i->...i", 1, "i -> i"),
        ("->...", 1, " -> "),
        ("...->", 1, "(..) -> "),
        ("......i->i", 1, "`...` stands once in an operand: where it ends must be clear"),
        ("...i->...i...", 1, "`...` stands once in an operand: where it ends must be clear"),
        ("i- j->i", 1, "`-` is not a label: labels are letters"),
        ("αβ,βγ->αγ", 2, "α β | β γ -> α γ"),
        ("ij,jk->ik", 1, "`ij,jk->ik` names 2 operands, but 1 is given"),
        ("ij;jk->ik", 1, "`;` is not a label: labels are letters"),
        ("i.j", 1, "`.` is not a label: labels are letters"),
        ("i->j->k", 1, "`-` is not a label: labels are letters"),
        ("i1", 1, "`1` is not a label: labels are letters"),
    ];
    for (subscripts, operands, expected) in cases {
        assert_eq!(render(subscripts, *operands), *expected, "`{subscripts}`");
    }
    assert!(crate::contraction(&[], &[]).is_err());
}
