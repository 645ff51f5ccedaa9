//! Tests of labels that are neither on the left nor outside of an operation's argument. They are summed where the operation is
//! linear, are axes of a matrix where that is unambiguous, and are refused with a help everywhere else.

use super::tests::meaning;
use crate::Function;
use crate::syntax::{Ending, Exchange, Factorisation};
use crate::testing::{checked, faults, warnings};

/// The meaning of an equation, or its faults, each of which has a help.
#[track_caller]
fn outcome(text: &str) -> String {
    if checked(text).is_ok() {
        return meaning(text);
    }
    let sentence = |fault: &String| {
        let (sentence, help) = fault.split_once(" | ").unwrap_or_else(|| panic!("`{text}`: {fault} has no help"));
        assert!(!help.is_empty(), "`{text}`: {fault}");
        sentence.to_string()
    };
    faults(text).iter().map(sentence).collect::<Vec<_>>().join("; ")
}

/// Compares, and demands that each name is in a table.
#[track_caller]
fn table<'n>(names: impl IntoIterator<Item = &'n str>, cases: &[(&str, &str, &str)]) {
    for (_, text, expected) in cases {
        assert_eq!(outcome(text), *expected, "`{text}`");
    }
    for name in names {
        assert!(cases.iter().any(|(known, ..)| *known == name), "`{name}` is not in the table");
    }
}

fn summed_inside(place: &str) -> String {
    format!("k: index `k` would be summed inside {place}, or outside: the equation does not say")
}

#[test]
fn functions_of_elements() {
    for function in Function::ALL {
        let name = function.name();
        for argument in
            ["a[i, k] * b[k]", "a[i, k]", "c[i] - a[i, k] * b[k]", "conj(a[i, k])", "c[i] * cast(a[i, k])", "sum(l; a[i, k, l])"]
        {
            let found = outcome(&format!("[i] = {name}({argument})"));
            match function.is_linear() {
                true => assert!(found.starts_with(&format!("{name}(")) && found.contains("sum(k"), "{found}"),
                false => assert_eq!(found, summed_inside("a function's argument"), "{name}({argument})"),
            }
        }
        // A label that also stands outside belongs to the whole term.
        let found = outcome(&format!("[i] = {name}(a[i, k]) * b[k]"));
        assert_eq!(found, format!("sum(k; ({name}(a[i,k]) * b[k]))"));
        let found = outcome(&format!("[i] = sum(k; {name}(a[i, k] * b[k]))"));
        assert_eq!(found, format!("sum(k; {name}((a[i,k] * b[k])))"));
    }
    let base = summed_inside("the base of a power");
    let argument = summed_inside("a function's argument");
    let select = summed_inside("`select`");
    table(
        ["powi", "powf", "map", "select", "clip", "cast"],
        &[
            ("powi", "[i] = powi(a[i, k] * b[k], 2)", &base),
            ("powi", "[i] = powi(a[i, k], n)", &base),
            ("powf", "[i] = powf(c[i] + a[i, k] * b[k], 0.5)", &base),
            ("map", "[i] = map(f; a[i, k] * b[k])", &argument),
            ("map", "[i] = map(f; c[i], a[i, k])", &argument),
            ("select", "[i] = select(a[i, k] * b[k] > 0.0; c[i], 0.0)", &select),
            ("select", "[i] = select(c[i] > 0.0; a[i, k], b[k])", &select),
            ("select", "[i] = select(c[i] > 0.0; sum(k; a[i, k]), x)", "select(c[i] > 0; sum(k; a[i,k]), x)"),
            ("select", "[i] = select(a[i, k] > 0.0; c[i], 1.0) * b[k]", "sum(k; (select(a[i,k] > 0; c[i], 1) * b[k]))"),
            ("select", "[i] = select(m[i] && !n[i]; c[i], 1.0)", "select(cast(m[i]) != 0 && !(cast(n[i]) != 0); c[i], 1)"),
            ("", "[i, j] = c[i] < d[j] || m[i]", "select(c[i] < d[j] || cast(m[i]) != 0; 1, 0)"),
            ("", "[i] = c[i] == 1.0 + sum(k; a[i, k])", "select(c[i] == (1 + sum(k; a[i,k])); 1, 0)"),
            ("", "[i] = (c[i] < d[i])", "select(c[i] < d[i]; 1, 0)"),
            ("", "[i] = !(m[i])", "select(!(cast(m[i]) != 0); 1, 0)"),
            ("", "[i] = a[i, k] > 0.0", &summed_inside("a comparison")),
            ("clip", "[i] = clip(c[i], a, b)", "select(c[i] < a; a, select(c[i] > b; b, c[i]))"),
            ("clip", "[i] = clip(a[i, k], 0.0, 1.0)", &summed_inside("`clip`")),
            // Each argument is a place of its own.
            ("map", "[i] = map(f; a[i, k], b[k])", &format!("{argument}; {argument}")),
            ("cast", "[i] = c[i] + cast(a[i, k] * b[k])", "(c[i] + cast(sum(k; (a[i,k] * b[k]))))"),
            ("cast", "[i] = c[i] + exp(cast(a[i, k] * b[k]))", &argument),
        ],
    );
}

#[test]
fn reductions_exchanges_and_quotients() {
    let body = |name: &str| summed_inside(&format!("the body of `{name}`"));
    let denominator = summed_inside("a denominator");
    table(
        Ending::names().chain(Exchange::ALL.into_iter().map(Exchange::name)),
        &[
            ("sum", "[i] = sum(l; a[i, k, l] * b[k])", "sum(l; sum(k; (a[i,k,l] * b[k])))"),
            ("prod", "[i] = prod(l; a[i, k, l] * b[k])", &body("prod")),
            ("max", "[i] = max(l; a[i, k, l] * b[k])", &body("max")),
            ("min", "[i] = min(l; c[i, l] - a[i, k, l])", &body("min")),
            ("var", "[i] = var(l; a[i, k, l] * b[k])", &body("var")),
            ("std", "[i] = std(l; a[i, k, l] * b[k])", &body("std")),
            ("argmax", "[i] = argmax(l; a[i, k, l] * b[k])", &body("argmax")),
            ("argmin", "[i] = argmin(l; a[i, k, l] * b[k])", &body("argmin")),
            ("mean", "[i] = mean(l; a[i, k, l] * b[k])", "(sum(l; sum(k; (a[i,k,l] * b[k]))) / extent[l])"),
            ("max", "[i] = max(l; a[i, k, l]) * b[k]", "sum(k; (max(l; a[i,k,l]) * b[k]))"),
            ("sym", "[i, j] = sym(i, j; a[i, k] * b[k, j])", "(sum(k; (a[i,k] * b[k,j])) + sum(k'; (a[j,k'] * b[k',i])))"),
            ("asym", "[i, j] = exp(asym(i, j; a[i, k] * b[k, j]))", &summed_inside("a function's argument")),
            ("", "[i] = c[i] / (a[i, k] * b[k])", &denominator),
            ("", "[i] = c[i] / conj(a[i, k])", &denominator),
            ("", "c[i] /= a[i, k] * b[k]", &denominator),
            ("", "c[i] *= a[i, k] * b[k]", "(c[i] * sum(k; (a[i,k] * b[k])))"),
        ],
    );
}

#[test]
fn linear_algebra_of_a_product() {
    let doubt = |label: &str, name: &str| {
        format!("{label}: index `{label}` would be summed inside `{name}`, or be an axis of it: the equation does not say")
    };
    table(
        Factorisation::ALL.into_iter().map(Factorisation::name),
        &[
            ("cholesky", "[i, n] = cholesky(a[i, k] * b[k, j])", &doubt("k", "cholesky")),
            ("eigh", "([n], [i, n]) = eigh(a[i, k] * b[k, j])", &doubt("k", "eigh")),
            ("eigh", "([n], [i, n]) = eigh(f[i, j], a[i, k] * b[k, j])", "k: index `k` is in one matrix of `eigh` only"),
            ("eig", "([n], [i, n]) = eig(a[i, k] * b[k, j])", &doubt("k", "eig")),
            ("svd", "([i, r], [r], [r, j]) = svd(a[i, k] * b[k, j])", &doubt("k", "svd")),
            ("qr", "([i, r], [r, j]) = qr(a[i, k] * b[k, j])", &doubt("k", "qr")),
            ("lq", "([i, r], [r, j]) = lq(a[i, k] * b[k, j])", &doubt("k", "lq")),
            ("lu", "([i, q], [q, r], [r, j]) = lu(a[i, k] * b[k, j])", &doubt("k", "lu")),
            ("solve", "[j] = solve(a[i, k] * b[k, j], c[i])", &doubt("k", "solve")),
            ("solve", "[j] = solve(a[i, j], b[i, k] * c[k])", &doubt("k", "solve")),
            ("triangular_solve", "[j] = triangular_solve(a[i, k] * b[k, j], c[i])", &doubt("k", "triangular_solve")),
            ("lstsq", "[j] = lstsq(a[i, k] * b[k, j], c[i])", &doubt("k", "lstsq")),
            ("inv", "[j, i] = inv(a[i, k] * b[k, j])", &doubt("k", "inv")),
            ("pinv", "[j, i] = pinv(a[i, k] * b[k, j])", &doubt("k", "pinv")),
            ("matpow", "[i, j] = matpow(a[i, k] * b[k, j], 2)", &doubt("k", "matpow")),
            ("expm", "[i, j] = expm(a[i, k] * b[k, j])", &doubt("k", "expm")),
            ("det", "[] = det(a[i, k] * b[k, j])", &doubt("k", "det")),
            ("slogdet", "([], []) = slogdet(a[i, k] * b[k, j])", &doubt("k", "slogdet")),
            ("rank", "[] = rank(a[i, k] * b[k, j])", &doubt("k", "rank")),
            ("norm", "[] = norm(a[i, k] * b[k, j] - p[i, j])", &doubt("k", "norm")),
            ("norm", "[] = norm(sqrt(a[i, k]) / exp(b[k]))", &doubt("k", "norm")),
            ("norm", "[j] = norm(conj(a[j, k, k]))", &doubt("k", "norm")),
            // A trace of a product is no trace of the products of elements.
            (
                "trace",
                "[] = trace(a[i, k] * b[k, i])",
                "i: indices `i`, `k` would be summed inside `trace`, or be axes of it: the equation does not say",
            ),
        ],
    );
}

#[test]
fn linear_algebra_of_what_is_summed_said_or_beyond_doubt() {
    table(
        [],
        &[
            (
                "",
                "[] = norm(sum(k; a[i, k] * b[k, j]) - p[i, j])",
                "Norm of (sum(k; (a[i,k] * b[k,j])) - p[i,j]) rows i,j columns  new ",
            ),
            ("", "[j] = norm(a[i, j] * s[j])", "Norm of (a[i,j] * s[j]) rows i columns  new "),
            ("", "[] = norm(i; a[i] / s[i])", "Norm of (a[i] / s[i]) rows i columns  new "),
            ("", "[j] = norm(i, k; a[i, k] * b[k, j])", "Norm of (a[i,k] * b[k,j]) rows i,k columns  new "),
            ("", "[] = trace(i, k; a[i, k] * b[k, i])", "Trace of (a[i,k] * b[k,i]) rows i columns k new "),
            ("", "[] = det(sum(k; a[i, k] * b[k, j]))", "Det of sum(k; (a[i,k] * b[k,j])) rows i columns j new "),
            ("", "([n], [p, n]) = eigh(p, q; f[p, q] * m[p, q])", "Eigh of (f[p,q] * m[p,q]) rows p columns q new n"),
            (
                "",
                "([n], [p, n]) = eigh(f[p, q] * m[p, q], s[p, q])",
                "Eigh of (f[p,q] * m[p,q]) and s[p,q] rows p columns q new n",
            ),
            ("", "[j] = solve(a[i, j] * m[i, j], b[i])", "Solve of (a[i,j] * m[i,j]) and b[i] rows i columns j new "),
            ("", "[j, i] = inv(a[i, j] * m[i, j])", "Inv of (a[i,j] * m[i,j]) rows i columns j new "),
            ("", "[] = norm(map(f; a[i], b[i], 2.0))", "Norm of map(f; a[i], b[i], 2) rows i columns  new "),
            ("", "[] = det(sym(i, j; a[i, j]))", "Det of (a[i,j] + a[j,i]) rows i columns j new "),
            ("", "[] = norm(i; a[i, k])", "k: index `k` is in the matrix of `norm`, and no result has it"),
            ("", "[] = norm(j; a[i])", "j: index `j` is in no matrix of this `norm`"),
        ],
    );
}

/// Rule 3, for axes that the left side does not have.
#[test]
fn linear_algebra_of_sums_whose_addends_lack_an_axis() {
    table(
        [],
        &[
            ("", "[] = norm(a[i, j] - b[i])", "b[i]: this term lacks index `j`, an axis of `norm`"),
            ("", "[] = det(a[i, j] - x)", "x: this term lacks indices `i`, `j`, axes of `det`"),
            ("", "([n], [p, n]) = eigh(h[p, q] - mu)", "mu: this term lacks index `q`, an axis of `eigh`"),
            ("", "[i, n] = cholesky(2.0 * (a[i, j] + s))", "s: this term lacks index `j`, an axis of `cholesky`"),
            ("", "[] = rank(sym(i, j; a[i]) + b[i, j])", "a[i]: this term lacks indices `i`, `j`, axes of `rank`"),
            ("", "[] = det(a[i, j] - 1[i, j] * x)", "Det of (a[i,j] - (1[i,j] * x)) rows i columns j new "),
            // The left side has the label, and what lacks it is constant along it (rule 4).
            ("", "[j, i] = inv(a[i, j] + s[i])", "Inv of (a[i,j] + s[i]) rows i columns j new "),
        ],
    );
}

#[test]
fn helps_name_the_axes_or_the_sum() {
    let help = |text: &str| {
        faults(text).iter().map(|fault| fault.split_once(" | ").map_or("", |(_, help)| help).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        help("[] = norm(a[i, k] * b[k, j] - p[i, j])"),
        ["write `sum(k; …)` around what is summed; if it is an axis, name the axes first: `norm(i, k, j; …)`"]
    );
    assert_eq!(
        help("([n], [p, n]) = eigh(f[p, q] * m[p, q])"),
        ["write `sum(q; …)` around what is summed; if it is an axis, name the axes first: `eigh(p, q; …)`"]
    );
    assert_eq!(
        help("[i, n] = cholesky(m[j, i] * a[j, i])"),
        ["write `sum(j; …)` around what is summed; if it is an axis, name the axes first: `cholesky(i, j; …)`"]
    );
    assert_eq!(
        help("[] = trace(a[i, k] * b[k, i])"),
        ["leave out `trace` for the sum over `i`, `k`; if they are axes, name the axes first: `trace(i, k; …)`"]
    );
    assert_eq!(help("[] = det(a[i, k] * b[k, i])"), ["name the axes first: `det(i, k; …)`"]);
    assert_eq!(
        help("[j] = norm(a[i, j] * b[i])"),
        ["write `abs(sum(i; …))` for the size of the sum; if it is an axis, name the axes first: `norm(i; …)`"]
    );
    assert_eq!(help("[] = det(a[i, k] * b[k, j])"), ["write `sum(k; …)` around what is summed"]);
    assert_eq!(help("[] = det(a[i, j] - x)"), ["a term that is constant along `i`, `j` is spread over it: `1[i, j] * …`"]);
}

/// One slip is one message: the brackets that a `let` lacks, and a letter in another case.
#[test]
fn labels_of_one_slip() {
    let once = |labels: &str, at: &str, help: &str| format!("{at}: {labels} so they are summed | {help}");
    let both = once(
        "indices `i`, `j` occur once and are not on the left,",
        "i",
        "if `w` has these indices, write `let w[i, j] = …`; if the sum is meant, say so: `sum(i, j; …)`",
    );
    assert_eq!(warnings("let w = a[i, k] * b[k, j]; w"), [both.as_str()]);
    assert_eq!(warnings("let w = a[i, k] * b[k, j] - c[i, j]; w"), [both.as_str()]);
    assert_eq!(
        warnings("let w = v[i]; w"),
        [
            "i: index `i` occurs once and is not on the left, so it is summed | if `w` has this index, write `let w[i] = …`; if the variable `i` is meant, write `v[{ i }]`; if the sum is meant, say so: `sum(i; …)`"
        ]
    );
    assert_eq!(
        faults("let w = exp(a[p, q]); w"),
        [
            "p: indices `p`, `q` would be summed inside a function's argument, or outside: the equation does not say | if `w` has these indices, write `let w[p, q] = …`; if the sum, write `sum(p, q; …)` around what stands inside, or around the whole term"
        ]
    );
    assert_eq!(
        warnings("[i] = a[i, j] * b[J]"),
        [
            "j: index `j` occurs once and is not on the left, so it is summed | `J` is not `j`; if the variable `j` is meant, write `a[i, { j }]`; if the sum is meant, say so: `sum(j; …)`"
        ]
    );
    assert_eq!(
        faults("[i, j] = a[i, k] * b[k, J]"),
        [
            "j: index `j` is on the left, but no term on the right has it | `J` is not `j`; a result that is constant along `j` is written `1[j] * …`"
        ]
    );
    assert_eq!(
        faults("[i] = a[i] / exp(b[I])"),
        [
            "I: index `I` would be summed inside a function's argument, or outside: the equation does not say | `i` is not `I`; if the variable `I` is meant, write `b[{ I }]`; if the sum, write `sum(I; …)` around what stands inside, or around the whole term"
        ]
    );
}

/// A lone label may be the value of a variable.
#[test]
fn helps_offer_a_position_first() {
    let help = |text: &str| match checked(text) {
        Ok(_) => warnings(text),
        Err(_) => faults(text),
    };
    for (text, written) in [
        ("st[k, j] = r[j]", "st[{ k }, j]"),
        ("st[k, j] += r[j] - s[j]", "st[{ k }, j]"),
        ("st[k, j in 1..3, k] -= r[j]", "st[{ k }, j in 1..3, { k }]"),
        ("c[k] = x", "c[{ k }]"),
        ("self.c[k, l] += x", "self.c[{ k }, { l }]"),
        ("r[j] = st[k, j]", "st[{ k }, j]"),
        ("[] = 2.0 * a[3, k, { n - 1 }]", "a[3, { k }, { n - 1 }]"),
        ("[j] = exp(st[k, j])", "st[{ k }, j]"),
        ("[j] = a[j] / (st[k, j] + b[j])", "st[{ k }, j]"),
        ("([i, r], [r], [r, j]) = svd((t[n])[k, i, j])", "(t[n])[{ k }, i, j]"),
        ("[] = det(i, j; a[k, i, j])", "a[{ k }, i, j]"),
    ] {
        let said = help(text);
        let all = said.join("\n");
        assert!(all.contains(&format!("meant, write `{written}`; ")), "`{text}`: {all}");
        assert_eq!(said.iter().filter(|one| one.contains(" | if the variable")).count(), 1, "`{text}`: {all}");
    }
    for text in ["[k, j] = r[j]", "C[(k, i)] = r[i]", "C[k in 0..2, j] = r[j]", "[i] = a[i] * 1[k] where k: 3"] {
        let all = help(text).join("\n");
        assert!(!all.is_empty() && !all.contains("variable"), "`{text}`: {all}");
    }
}
