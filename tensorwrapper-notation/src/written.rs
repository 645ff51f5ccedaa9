//! Writes equations as text that reads back as the same equation. The macros put this text into their expansions, and the run time reads
//! it.
//!
//! The text is the equation as its author wrote it, without the names that a block gives to results. Rust fragments that are more than a
//! single name are between backticks, which no Rust token contains.
//!
//! This way, equations are read by one grammar and have one meaning. rustc has little to read, and the program reads each text once.

use crate::check::check_again;
use crate::equation::Equation;
use crate::lex::lex_written;
use crate::parse::parse;
use crate::spelling::{axes, count, expression, host, label, list, scalar, word};
use crate::syntax::{Assignment, Claim, Count, Decomposition, Invocation, LeftSide, Name, Right, Statement, Target, Word};

/// The text of a checked equation; `equation` has the declared labels.
pub fn write(statement: &Statement, equation: &Equation) -> String {
    let target = match &statement.target {
        Target::Value(sides) => sides_text(&sides.iter().collect::<Vec<_>>()),
        Target::Let(results) => sides_text(&results.iter().map(|(_, side)| side).collect::<Vec<_>>()),
        Target::Place(hole, indices, assignment) => format!("{}[{}] {}", host(hole), axes(indices), sign(*assignment)),
    };
    let right = match &statement.right {
        Right::Expression(inner) => expression(inner),
        Right::Factorisation(call) => decomposition(call),
    };
    // One Rust fragment may declare several labels, and is written once.
    let mut declared: Vec<(&Count, Vec<String>)> = Vec::new();
    for label in equation.labels() {
        let (Some(extent), name) = (&label.declared, word(&label.name)) else { continue };
        match declared.iter_mut().find(|(known, _)| *known == extent) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => declared.push((extent, vec![name])),
        }
    }
    let declared: Vec<String> =
        declared.iter().map(|(extent, names)| format!("{}: {}", names.join(", "), count(extent))).collect();
    let claims = statement.claims.iter().map(claim);
    let declared: Vec<String> = declared.into_iter().chain(claims).collect();
    let declared = if declared.is_empty() { String::new() } else { format!(" where {}", declared.join(", ")) };
    format!("{target} {right}{declared}")
}

fn claim(claim: &Claim) -> String {
    let group = |names: &Vec<Name>| match names.as_slice() {
        [name] => label(name),
        names => format!("({})", list(names, label)),
    };
    let groups: Vec<String> = claim.groups.iter().map(group).collect();
    format!("{}{}({})", if claim.assumed { "assume " } else { "" }, claim.kind.name(), groups.join(", "))
}

/// Reads a text that [`write()`] wrote.
///
/// # Panics
/// On any other text.
pub fn read(text: &str) -> Equation {
    let tokens = lex_written(text).unwrap_or_else(|fault| panic!("`{text}` was written by `write`: {}", fault.message));
    match parse(&tokens) {
        Ok(Invocation::Equation(statement)) => {
            check_again(&statement).unwrap_or_else(|faults| panic!("`{text}` was checked before: {}", faults[0].message))
        }
        other => panic!("`{text}` was written as one equation: {other:?}"),
    }
}

fn decomposition(call: &Decomposition) -> String {
    let group = |names: &Vec<Name>| format!("({})", list(names, label));
    let groups = match &call.groups {
        None => String::new(),
        Some([axes, _]) if !call.kind.form(false, false).has_columns() => format!("{}; ", list(axes, label)),
        Some([rows, columns]) => format!("{}, {}; ", group(rows), group(columns)),
    };
    let exponent = call.options.exponent.as_ref().map_or(String::new(), |exponent| format!(", {}", scalar(exponent)));
    let word = |(word, _): &(Word, _)| match word {
        Word::Max => format!("max = {}", call.options.max.as_ref().map_or(String::new(), count)),
        Word::Tol => format!("tol = {}", call.options.tol.as_ref().map_or(String::new(), scalar)),
        Word::Broaden => format!("broaden = {}", call.options.broaden.as_ref().map_or(String::new(), scalar)),
        Word::Full | Word::Upper | Word::Unit => word.name().to_string(),
    };
    let words = list(&call.options.words, word);
    let words = if words.is_empty() { words } else { format!("; {words}") };
    format!("{}({groups}{}{exponent}{words})", call.kind.name(), list(&call.arguments, expression))
}

fn sides_text(sides: &[&LeftSide]) -> String {
    let one = |side: &&LeftSide| format!("[{}]", side.indices.as_ref().map_or(String::new(), axes));
    match sides {
        [side] => format!("{} =", one(side)),
        several => format!("({}) =", several.iter().map(one).collect::<Vec<_>>().join(", ")),
    }
}

fn sign(assignment: Assignment) -> String {
    match assignment {
        Assignment::Set => "=".to_string(),
        Assignment::Update(operator) => format!("{}=", operator.symbol()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::testing::parsed;

    /// Every node and every fragment of an equation, without the places where they were written.
    fn trace(equation: &Equation) -> String {
        // Spans, and the tokens of holes, which are spans, are the only things that may differ.
        let without = |text: String, start: &str, end: char| {
            let mut parts = text.split(start);
            let first = parts.next().unwrap_or_default().to_string();
            parts.fold(first, |out, part| out + part.split_once(end).expect("what is printed is closed").1)
        };
        without(without(format!("{equation:?}"), "Span {", '}'), "tokens: [", ']')
    }

    fn statement(text: &str) -> Statement {
        match parsed(text) {
            Ok(Invocation::Equation(statement)) => statement,
            other => panic!("`{text}`: {other:?}"),
        }
    }

    #[test]
    fn reads_back_as_the_same_equation() {
        let texts = [
            "[i, j] = A[i, k] * B[k, j]",
            "[] = A[i, i]",
            "[i, i] = a[i]",
            "C[i, j] += alpha * A[i, j] - 2.5 * B[j, i] / 3",
            "C[0, j in 2..5] = A[j in ..3, 1]",
            "C[i in r, j] /= e[i] - f[j]",
            "[i, j] = self.t2[i, j] * (psi[n])[j] - -A[i, j]",
            "[i] = sum(k; exp(A[i, k])) / max(k; B[i, k]) + powi(c[i], 3) + powf(c[i], p) + powi(c[i], { n })",
            "[(i, j), k] = A[i, (j, k)] where k: 4",
            "[i, j, a, b] = asym((i, a), (j, b); T[i, a, j, b]) + sym(i, j; U[i, j, a, b])",
            "[.., i] = A[.., k] * B[k, i]",
            "[i, j] = 1[i] * b[j] + { n as f64 }[i, j] + 1e-300[i, j] where i: n, j: { n + 1 }",
            "[i, j] = A[i, { n - 1 }] * 1[j] where i, j: nocc",
            "[i, j, k] = A[i, j] * 1[k] where i, k: { n + 1 }, j: 3",
            "([n], [p, n]) = eigh(F[p, q], S[p, q])",
            "[b, i, k] = cholesky(i, j; A[b, i, j])",
            "([i, r], [r], [r, j], []) = svd(A[i, j]; max = n, tol = 1e-10)",
            "([n], [p, n]) = eigh(A[p, q]; broaden = x)",
            "([i, r], [r], [r, j]) = svd(A[i, j]) where r: ..={ n + 1 }",
            "([i, m], [r], [n, j]) = svd(A[i, j]; full)",
            "[i, j] = matpow(A[i, j], { n - 1 })",
            "[x, i, j] = expm((i), (j); A[x, i, j])",
            "[x] = norm(i, j; A[x, i] * B[i, j])",
            "[k, j] = triangular_solve(A[i, k], B[i, j]; upper, unit)",
            "[i] = -(a[i] + 1[i]) * b[i]",
            "[i, k] = grad(L; self.a[i, k]) - V[j] * grad(C[j, 0]; A[i in ..3, k])",
            "[i] = select(!(a[i] < b[i] && (c[i] == 0.0 || x >= { y })) || !(c[i] != 1.0); 2.0 * a[i], clip(b[i], -1.0, z))",
            "[i, j] = a[i] < x * b[j] && !m[i, j] || (a[i] >= { n as f64 }) where i: 3",
            "[i] = select(m[i] || !(n[i, { k }] && a[i] == 0.5); 1.0, 2.0 * a[i])",
            "[i, j] = select((a[i] + b[j]) * 2.0 <= c[i, j]; select(b[j] > 0.0; 1.0, -1.0), (((1.0))) / c[i, j])",
            "[i] = map(|x, y| x + y; A[i, 0], cast(f64; b[i] * alpha)) + map(f; map({ g }; c[i])) * cast(re(z[i]))",
        ];
        for text in texts {
            let statement = statement(text);
            let equation = check(&statement, &[]).unwrap_or_else(|faults| panic!("`{text}`: {faults:?}"));
            let written = write(&statement, &equation);
            let again = read(&written);
            assert_eq!(again.holes().len(), equation.holes().len(), "{written}");
            let (a, b) = (trace(&equation), trace(&again));
            // Fragments in braces have their braces in the original, and none when they are read back.
            let plain = |text: &str| text.replace("{ ", "").replace(" }", "").replace(['{', '}', '`'], "");
            assert_eq!(plain(&a), plain(&b), "`{text}` was written as `{written}`");
        }
    }

    /// The extents that a block gives to indices which operations make stand behind the written equations.
    #[test]
    fn reads_back_under_the_extents_of_a_block() {
        for text in [
            "where r: 3; let (q[i, r], u[r, j]) = qr(a[i, j]); let z[r] = 1.0[r] * 2.0; z",
            "where n: &occ; let (e[n], x[p, n]) = eigh(a[p, q]); e",
            "where k: 3; let l[i, k] = cholesky(a[i, j]); l",
            "where i, j, k: n; let (U[i, k], s[k], V[k, j]) = svd(A[i, j]); (U, s, V)",
            "where i: n; r: chi; let (U[i, r], s[r], V[r, j]) = svd(A[i, j]; max = chi); U",
        ] {
            let Ok(Invocation::Block(block)) = parsed(text) else { panic!("`{text}` is a block") };
            let (declared, _) = crate::check::header(&block);
            for statement in &block.statements {
                let equation = check(statement, &declared).unwrap_or_else(|faults| panic!("`{text}`: {faults:?}"));
                assert_eq!(read(&write(statement, &equation)).labels().len(), equation.labels().len(), "`{text}`");
            }
        }
    }
}
