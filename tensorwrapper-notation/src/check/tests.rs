//! Tests of the rules of meaning: what equations become.

use crate::condition::Condition;
use crate::equation::{Cast, CastId, Equation, Exponent, FunctionId, Index, LabelId, Mapped, Operand, OperandId, ScalarId};
use crate::function::Function;
use crate::syntax::{self, Operator, Reduction, Role, Scalar};
use crate::testing::{checked, faults, refused, warnings};
use crate::traversal::{Builder, Right};

/// Writes an equation with every sum explicit; a second label of a name gets a prime.
struct Writer<'e>(&'e Equation);

impl Writer<'_> {
    fn label(&self, id: LabelId) -> String {
        let labels = self.0.labels();
        let earlier = labels[..id.0].iter().filter(|label| label.name == labels[id.0].name).count();
        labels[id.0].name.clone() + &"'".repeat(earlier)
    }

    fn list(&self, ids: &[LabelId]) -> String {
        ids.iter().map(|id| self.label(*id)).collect::<Vec<_>>().join(",")
    }

    fn number(scalar: &Scalar) -> String {
        match scalar {
            Scalar::Literal(value, _) => value.to_string(),
            Scalar::Hole(hole) => hole.text.clone(),
        }
    }
}

impl Builder for Writer<'_> {
    type Value = String;
    fn operand(&mut self, _: OperandId, operand: &Operand) -> String {
        let index = |index: &Index| match index {
            Index::Label(id, _) => self.label(*id),
            Index::Slice(id, syntax::Range::Literal(start, end, _), _) => {
                format!("{} in {start}..{}", self.label(*id), end.map_or(String::new(), |e| e.to_string()))
            }
            Index::Slice(id, syntax::Range::Hole(hole), _) => format!("{} in {}", self.label(*id), hole.text),
            Index::Chip(syntax::Count::Literal(value, _)) => value.to_string(),
            Index::Chip(syntax::Count::Hole(hole)) => hole.text.clone(),
            Index::Fused(ids, _) => format!("({})", self.list(ids)),
            Index::Rest => "..".to_string(),
        };
        format!("{}[{}]", operand.hole.text, operand.indices.iter().map(index).collect::<Vec<_>>().join(","))
    }
    fn gradient(&mut self, value: (OperandId, &Operand), variable: (OperandId, &Operand)) -> String {
        format!("grad({}; {})", self.operand(value.0, value.1), self.operand(variable.0, variable.1))
    }
    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> String {
        Self::number(scalar)
    }
    fn spread(&mut self, _: ScalarId, scalar: &Scalar, labels: &[LabelId]) -> String {
        format!("{}[{}]", Self::number(scalar), self.list(labels))
    }
    fn iota(&mut self, label: LabelId) -> String {
        format!("iota[{}]", self.label(label))
    }
    fn extent(&mut self, label: LabelId) -> String {
        format!("extent[{}]", self.label(label))
    }
    fn negate(&mut self, value: String) -> String {
        format!("-{value}")
    }
    fn binary(&mut self, operator: Operator, left: String, right: String) -> String {
        format!("({left} {} {right})", operator.symbol())
    }
    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: String) -> String {
        format!("{}({}; {value})", reduction.name(), self.list(labels))
    }
    fn apply(&mut self, function: Function, value: String) -> String {
        format!("{}({value})", function.name())
    }
    fn map(&mut self, functions: &[(FunctionId, &Mapped)], arguments: Vec<String>) -> String {
        let functions: Vec<&str> = functions.iter().map(|(_, function)| &function.hole.text[..]).collect();
        format!("map({}; {})", functions.join(", "), arguments.join(", "))
    }
    fn select(&mut self, condition: Condition<String>, chosen: String, other: String) -> String {
        format!("select({}; {chosen}, {other})", condition.text(&mut String::clone))
    }
    fn begin_cast(&mut self, _: CastId, _: &Cast) {}
    fn cast(&mut self, id: CastId, value: String) -> String {
        let named = self.0.casts()[id.0].named.as_ref().map_or(String::new(), |named| format!("{}; ", named.text));
        format!("cast({named}{value})")
    }
    fn power_integer(&mut self, value: String, _: ScalarId, exponent: &Scalar) -> String {
        format!("powi({value}, {})", Self::number(exponent))
    }
    fn power_real(&mut self, value: String, _: ScalarId, exponent: &Scalar) -> String {
        format!("powf({value}, {})", Self::number(exponent))
    }
}

/// The right side of a text's only equation with every sum explicit.
#[track_caller]
pub(super) fn meaning(text: &str) -> String {
    let equations = checked(text).unwrap_or_else(|_| panic!("{:#?}", faults(text)));
    let [equation] = equations.as_slice() else { panic!("one equation") };
    match equation.build(&mut Writer(equation)) {
        Right::Expression(value) => value,
        Right::Factorise(factorise, arguments) => {
            let writer = Writer(equation);
            let names = |role| factorise.labels(role).iter().map(|id| writer.label(*id)).collect::<Vec<_>>().join(",");
            let [row, column] = [Role::Row, Role::Column].map(names);
            let new = [Role::New, Role::NewRow, Role::NewColumn].map(names).concat();
            format!("{:?} of {} rows {row} columns {column} new {new}", factorise.kind(), arguments.join(" and "))
        }
    }
}

#[track_caller]
fn means(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(meaning(text), *expected, "`{text}`");
    }
}

#[test]
fn labels_not_on_the_left_are_summed_over_their_term() {
    means(&[
        ("[i, j] = a[i, k] * b[k, j]", "sum(k; (a[i,k] * b[k,j]))"),
        ("[] = a[i, i]", "sum(i; a[i,i])"),
        ("[i] = a[i, i]", "a[i,i]"),
        ("[i] = a[i, k] * b[k] / c[k]", "sum(k; ((a[i,k] * b[k]) / c[k]))"),
        // Different terms share no summed label.
        ("[i] = a[i, k] * b[k] - c[k] * d[i, k]", "(sum(k; (a[i,k] * b[k])) - sum(k'; (c[k'] * d[i,k'])))"),
        ("[i] = -a[i, k] * b[k]", "sum(k; (-a[i,k] * b[k]))"),
        ("[i] = a[i] / b[k]", "sum(k; (a[i] / b[k]))"),
        // A hyper-edge stays one label.
        ("[i, j] = a[i, r] * b[j, r] * c[r]", "sum(r; ((a[i,r] * b[j,r]) * c[r]))"),
        ("[i] = a[i] * 2[k] where k: 3", "sum(k; (a[i] * 2[k]))"),
        ("let e = x[i] * y[i]; e", "sum(i; (x[i] * y[i]))"),
    ]);
}

#[test]
fn functions_and_casts_of_the_programs() {
    means(&[
        ("[i] = map(f; a[i], 2.0 * b[i])", "map(f; a[i], (2 * b[i]))"),
        ("[i] = map({ |x| x }; map(self.g; a[i]))", "map({ |x| x }; map(self.g; a[i]))"),
        ("[] = map(f; a[i]) * b[i]", "sum(i; (map(f; a[i]) * b[i]))"),
        ("[i, j] = asym(i, j; map(f; a[i, j]))", "(map(f; a[i,j]) - map(f; a[j,i]))"),
        ("[i] = a[i] * cast(b[i, k])", "(a[i] * cast(sum(k; b[i,k])))"),
        ("[i] = a[i, k] * cast(b[k])", "sum(k; (a[i,k] * cast(b[k])))"),
        ("c[i] = cast(b[i])", "cast(b[i])"),
        ("[i] = cast(f64; cast(b[i]) * a[i])", "cast(f64; (cast(b[i]) * a[i]))"),
    ]);
    let equations = checked("[i, j] = sym(i, j; map(f; a[i, j]))").unwrap();
    assert_eq!(equations[0].functions().len(), 1);
    refused(&[
        (
            "[i] = map(f; a[i, k])",
            &[
                "k: index `k` would be summed inside a function's argument, or outside: the equation does not say | if the variable `k` is meant, write `a[i, { k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "[i] = cast(cast(a[i]) + 1[i])",
            &[
                "cast(cast(a[i]) + 1[i]): nothing tells the element type of this equation | name it in the outer `cast`: `cast(f64; cast(…))`",
                "cast(a[i]): nothing tells the element type of what this `cast` converts to | name it in this `cast`, the inner one: `cast(cast(f64; …))`",
            ],
        ),
        ("[i] = a[i] * map(|x, y| x; a[i])", &["|x, y| x: the function of this `map` takes 2 arguments, but 1 is given"]),
    ]);
}

#[test]
fn addends_in_parentheses_are_terms() {
    means(&[
        ("[i] = a[i] * (b[k] + c[i])", "(a[i] * (sum(k; b[k]) + c[i]))"),
        ("[i] = d[k] * (b[k] + c[i])", "sum(k; (d[k] * (b[k] + c[i])))"),
        ("[i] = (a[k] + b[i]) * (c[k] - d[i])", "sum(k; ((a[k] + b[i]) * (c[k] - d[i])))"),
        ("[i, a] = v[i, a] / (e[i] - f[a])", "(v[i,a] / (e[i] - f[a]))"),
        ("[i] = a[i] * (b[k] + c[k] * (d[k] - x))", "(a[i] * (sum(k; b[k]) + sum(k'; (c[k'] * (d[k'] - x)))))"),
        ("[i] = conj(a[i, k] * b[k] + c[i])", "conj((sum(k; (a[i,k] * b[k])) + c[i]))"),
        ("[i] = -(a[i, k] + b[i])", "-(sum(k; a[i,k]) + b[i])"),
        ("[i] = a[k] * exp(b[i, k])", "sum(k; (a[k] * exp(b[i,k])))"),
        ("[i] = a[i] / (b[i, k] * c[k]) * d[k]", "sum(k; ((a[i] / (b[i,k] * c[k])) * d[k]))"),
        ("[i, j] = exp(a[i]) * sqrt(b[j] + a[i])", "(exp(a[i]) * sqrt((b[j] + a[i])))"),
    ]);
}

#[test]
fn values_of_indices_are_factors() {
    means(&[
        ("[i, j] = a[i, j] * iota[j]", "(a[i,j] * iota[j])"),
        ("[i] = a[i, j] * iota[j]", "sum(j; (a[i,j] * iota[j]))"),
        ("[i, j] = select(iota[i] >= iota[j]; a[i, j], 0.0)", "select(iota[i] >= iota[j]; a[i,j], 0)"),
        ("[i, j] = sym(i, j; a[i, j] * iota[i])", "((a[i,j] * iota[i]) + (a[j,i] * iota[j]))"),
        ("[i] = self.iota[i]", "self.iota[i]"),
    ]);
}

#[test]
fn means_are_sums_over_extents() {
    means(&[
        ("[i] = mean(j; a[i, j])", "(sum(j; a[i,j]) / extent[j])"),
        ("[i] = var(j; a[i, j])", "(sum(j'; powi(abs((a[i,j'] - (sum(j; a[i,j]) / extent[j]))), 2)) / extent[j'])"),
        ("[] = std(i; b[i])", "sqrt((sum(i'; powi(abs((b[i'] - (sum(i; b[i]) / extent[i]))), 2)) / extent[i']))"),
        ("[i] = argmax(j; a[i, j])", "min(j'; select(a[i,j'] == max(j; a[i,j]) || a[i,j'] != a[i,j']; iota[j'], extent[j']))"),
        (
            "[] = argmin(i; b[i] * b[i])",
            "min(i'; select((b[i'] * b[i']) == min(i; (b[i] * b[i])) || (b[i'] * b[i']) != (b[i'] * b[i']); iota[i'], extent[i']))",
        ),
        ("[] = mean(i, j; exp(a[i, j]))", "((sum(i,j; exp(a[i,j])) / extent[i]) / extent[j])"),
        ("[i, j] = a[i, j] - mean(k; a[i, k]) * 1[j]", "(a[i,j] - ((sum(k; a[i,k]) / extent[k]) * 1[j]))"),
        ("[i] = mean[i] * a[i]", "(mean[i] * a[i])"),
    ]);
}

#[test]
fn explicit_reductions_bind_inside_only() {
    means(&[
        ("[i] = sum(k; a[i, k])", "sum(k; a[i,k])"),
        ("[i] = a[i] / sum(k; exp(a[k]))", "(a[i] / sum(k; exp(a[k])))"),
        ("[i] = max(k; a[i, k] + b[k]) - min(k; a[i, k])", "(max(k; (a[i,k] + b[k])) - min(k'; a[i,k']))"),
        ("[i] = b[l] * prod(k; a[i, k, l])", "sum(l; (b[l] * prod(k; a[i,k,l])))"),
        ("[] = sum(i, j; a[i, j]) * sum(i; b[i])", "(sum(i,j; a[i,j]) * sum(i'; b[i']))"),
        ("[i] = sum(k; a[i, k] * sum(l; b[k, l]))", "sum(k; (a[i,k] * sum(l; b[k,l])))"),
    ]);
}

#[test]
fn exchanged_twins_fused_and_remaining_axes() {
    means(&[
        ("[i, j] = sym(i, j; a[i, j])", "(a[i,j] + a[j,i])"),
        ("[i, j] = asym(i, j; a[i, k] * b[k, j])", "(sum(k; (a[i,k] * b[k,j])) - sum(k'; (a[j,k'] * b[k',i])))"),
        ("[i, j, a, b] = 0.5 * sym((i, a), (j, b); v[i, j, a, b])", "(0.5 * (v[i,j,a,b] + v[j,i,b,a]))"),
        ("[i, k] = a[(i, j), k] * b[j] where i: n", "sum(j; (a[(i,j),k] * b[j]))"),
        ("[(i, j), k] = a[i, k, j]", "a[i,k,j]"),
        ("[i, ..] = a[i, ..] * b[..]", "(a[i,..] * b[..])"),
        ("[..] = a[k, ..] - b[..]", "(sum(k; a[k,..]) - b[..])"),
    ]);
}

#[test]
fn an_update_is_an_operation_with_the_old_value() {
    means(&[
        ("C[i] = A[i, k]", "sum(k; A[i,k])"),
        ("C[i] += A[i, k] * B[k]", "(C[i] + sum(k; (A[i,k] * B[k])))"),
        ("C[i] -= A[i] - B[i]", "(C[i] - (A[i] - B[i]))"),
        ("C[i, j] *= s[i]", "(C[i,j] * s[i])"),
        ("C[i, j] /= e[i] + f[j]", "(C[i,j] / (e[i] + f[j]))"),
        ("C[i in 1..3, 0] += A[i]", "(C[i in 1..3,0] + A[i])"),
        ("C[i, i] = A[i]", "A[i]"),
        ("C[i, j] = C[j, i]", "C[j,i]"),
    ]);
}

#[test]
fn decompositions_tell_their_axes_apart() {
    means(&[
        ("[i, k] = cholesky(A[i, j])", "Cholesky of A[i,j] rows i columns j new k"),
        ("[k, i] = cholesky(A[j, i])", "Cholesky of A[j,i] rows i columns j new k"),
        ("[b, i, k] = cholesky(i, j; A[b, i, j])", "Cholesky of A[b,i,j] rows i columns j new k"),
        ("([n], [p, n]) = eigh(F[p, q], S[p, q])", "Eigh of F[p,q] and S[p,q] rows p columns q new n"),
        ("([b, n], [n, b, p]) = eigh(F[p, b, q])", "Eigh of F[p,b,q] rows p columns q new n"),
        ("([l, s, r], [r], [r, t, q]) = svd(T[l, s, t, q])", "Svd of T[l,s,t,q] rows l,s columns t,q new r"),
        ("([r, i, b], [b, r], [r, j, b]) = svd(T[b, i, j]; max = 3)", "Svd of T[b,i,j] rows i columns j new r"),
        ("([r, i, b], [b, r], [r, j, b], [b]) = svd(T[b, i, j]) where r: ..=chi", "Svd of T[b,i,j] rows i columns j new r"),
        ("[k, b, j] = solve(A[i, k, b], B[b, i, j])", "Solve of A[i,k,b] and B[b,i,j] rows i columns k new "),
        ("[k, l] = solve(A[i, j, k, l], B[i, j])", "Solve of A[i,j,k,l] and B[i,j] rows i,j columns k,l new "),
        ("[b, j, i] = inv(i, j; A[b, i, j])", "Inv of A[b,i,j] rows i columns j new "),
        ("[b] = det((i, j), (k, l); A[b, i, j, k, l])", "Det of A[b,i,j,k,l] rows i,j columns k,l new "),
        ("[b] = det(A[i, b, j])", "Det of A[i,b,j] rows i columns j new "),
        ("[b] = norm(A[i, b, j])", "Norm of A[i,b,j] rows i,j columns  new "),
        ("([i, q], [q, r], [r, j]) = lu(A[i, j])", "Lu of A[i,j] rows i columns j new rq"),
        ("let (e[n], C[p, n]) = eigh(0.5 * (F[p, q] + F[q, p])); e", "Eigh of (0.5 * (F[p,q] + F[q,p])) rows p columns q new n"),
    ]);
    let both = checked("([n, b], [p, n, b]) = eigh(F[b, p, q])").unwrap().remove(0);
    let names = |ids: &[LabelId]| ids.iter().map(|id| both.labels()[id.0].name.as_str()).collect::<String>();
    let factorise = both.factorise().unwrap();
    assert_eq!(names(&factorise.argument_axes(0)), "bpq");
    assert_eq!([0, 1].map(|n| names(&factorise.result_axes(n))), ["bn", "bpn"]);
}

#[test]
fn results_know_what_was_written() {
    let equation = checked("[i, j, i] = A[i, j]").unwrap().remove(0);
    let left = &equation.left()[0];
    assert!(!left.is_plain());
    assert_eq!((left.labels().len(), left.axes().len()), (2, 3));
    let number = checked("let e = A[i, i]; e").unwrap().remove(0);
    assert_eq!(number.left()[0].axes, None);
    let scalar = checked("[] = A[i, i]").unwrap().remove(0);
    assert_eq!(scalar.left()[0].axes.as_deref(), Some(&[][..]));
}

#[test]
fn declarations_of_the_equation_come_first() {
    let equation = checked("where i, k: 3; [i] = A[i, k] where k: n").unwrap().remove(0);
    let declared = |n: usize| match &equation.labels()[n].declared {
        Some(syntax::Count::Literal(value, _)) => value.to_string(),
        Some(syntax::Count::Hole(hole)) => hole.text.clone(),
        None => String::new(),
    };
    assert_eq!((declared(0), declared(1)), ("3".to_string(), "n".to_string()));
}

#[test]
fn a_label_that_occurs_once_is_summed_with_a_warning() {
    let said = |label: &str, position: &str| {
        format!(
            "{label}: index `{label}` occurs once and is not on the left, so it is summed | if the variable `{label}` is meant, write `{position}`; if the sum is meant, say so: `sum({label}; …)`"
        )
    };
    assert_eq!(warnings("[i] = a[i, k]"), [said("k", "a[i, { k }]")]);
    assert_eq!(warnings("[i] = a[i, k] + b[l] * c[i, m] * d[m]"), [said("k", "a[i, { k }]"), said("l", "b[{ l }]")]);
    assert_eq!(warnings("[i] = a[i] * (b[k] + c[i])"), [said("k", "b[{ k }]")]);
    assert_eq!(warnings("C[i] += a[i, 3, k, j in 1..] * 2[j]"), [said("k", "a[i, 3, { k }, j in 1..]")]);
    assert_eq!(warnings("[i, j] = asym(i, j; a[i, k] * b[j])"), [said("k", "a[i, { k }]")]);
    for silent in ["[i] = sum(k; a[i, k])", "[] = a[i, i]", "[i] = a[i, k] * b[k]", "[i] = a[k] * exp(b[i, k])", "[i, i] = a[i]"]
    {
        assert_eq!(warnings(silent), [""; 0], "`{silent}`");
    }
}

#[test]
fn scalars_and_exponents_are_told_apart() {
    let equation = checked("[i] = 2 * x * powi(a[i], n) + powf({ y }[i], 0.5) where i: 3").unwrap().remove(0);
    let exponents: Vec<Option<Exponent>> = (0..equation.scalars().len()).map(|n| equation.exponent(ScalarId(n))).collect();
    assert_eq!(exponents, [None, None, Some(Exponent::Whole), None, Some(Exponent::Real)]);
}

#[test]
fn extents_of_labels_that_nothing_has() {
    let of =
        |label: &str, of: &str| format!("{label}: `where` gives `{label}` an extent, and no index of this {of} has that name");
    for (text, sentence, help) in [
        ("[i] = A[i, k] * B[k] where m: 4", of("m", "equation"), "leave it out; the indices are `i`, `k`"),
        ("[row] = A[row, col] * B[col] where cols: 4", of("cols", "equation"), "is `col` meant?"),
        // What an index lacks is not said beside what it is called.
        ("[row, col] = A[row] * 1[col] where row: 3, cols: 4", of("cols", "equation"), "is `col` meant?"),
        ("C[i] = A[i] * 1[k] where i: 3, n: 3", of("n", "equation"), "is `k` meant?"),
        ("[] = x where k: 4", of("k", "equation"), "leave it out"),
        ("where occ: n; let x[i] = A[i]; x", of("occ", "block"), "leave it out; the indices are `i`"),
        ("where i, occup: n; let x[i, occu] = 1[i, occu]; x", of("occup", "block"), "is `occu` meant?"),
        ("where i: n; where j: m; C[i] = A[i];", of("j", "block"), "leave it out; the indices are `i`"),
    ] {
        let found: Vec<String> = faults(text);
        let label_fault = format!("{sentence} | {help}");
        // `1[k]` without an extent is another fault, where nothing says that it is this one.
        assert_eq!(found, [label_fault], "`{text}`");
    }
    for right in [
        "where i, j, k: n; let x[i] = A[i, k]; [j] = x[j]",
        "where l: n; [i] = sum(l; A[i, l])",
        "where n, p: 3; ([n], [p, n]) = eigh(p, q; F[p, q] * M[p, q])",
        "[i, j] = sym(i, j; A[i, j]) where i, j: 3",
        "[(i, j)] = A[i] * B[j, k in 1..3] where i, j: 3, k: 2",
    ] {
        assert!(checked(right).is_ok(), "`{right}`");
    }
}

#[test]
fn indices_as_numbers_and_factors_of_groups() {
    let usage =
        |name: &str| format!("the value of an index is `iota[{name}]`; a variable of that name stands in braces, `{{ {name} }}`");
    let number = |name: &str| format!("{name}: `{name}` is an index here, and not a number | {}", usage(name));
    refused(&[
        ("[] = n * p[n]", &[&number("n")]),
        ("[i] = x[i] + i", &[&number("i")]),
        ("[i] = i", &[&number("i")]),
        ("C[i] += exp(-i * x[i])", &[&number("i")]),
        ("[i] = k * sum(k; x[i, k])", &[&number("k")]),
    ]);
    let lacking =
        "b[j]: this term lacks the left side's index `i` | a term that is constant along `i` is spread over it: `1[i] * b[j]`";
    refused(&[
        ("[i, j] = sqrt(2.0) * (a[i, j] + b[j])", &[lacking]),
        ("[i, j] = (a[i, j] + b[j]) / powi(x, 2) * exp(-t)", &[lacking]),
    ]);
}
