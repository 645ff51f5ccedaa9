//! What plans say of themselves: the table and the drawing of a known block, word for word; what the numbers mean for any network;
//! text that a page could not bear.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper::order::{Rates, Search, find};
use tensorwrapper::prelude::*;
use tensorwrapper::{Class, Context, DynOperand, Explanation, Order};

/// Two results that share a product.
fn block() -> Explanation {
    let a = Tensor::<f64>::filled([20, 30], 1.0).unwrap();
    let b = Tensor::<f64>::filled([30, 20], 1.0).unwrap();
    let square = (a.at("row,mid") * b.at("mid,col")).record("row,col").unwrap();
    let spread = (square.at("row,col").exp() - 0.5 * square.at("col,row")).record("row,col").unwrap();
    let trace = square.at("p,p").record("").unwrap();
    Context::reference().explain((&spread, &trace)).unwrap()
}

#[test]
fn table_of_a_block() {
    let expected = include_str!("../data/explained_block.txt");
    let found = block().to_string();
    assert_eq!(found, expected, "\n{found}");
}

#[test]
fn single_precision_constants_print_short() {
    let x = Tensor::<f32>::filled([3], 1.0).unwrap();
    let said = |expr: Result<Expr<'_, f32>, Error>| expr.unwrap().explain().unwrap().steps()[0].equation.clone();
    let text = said((0.1f32 * x.at("i").exp() + x.at("i").powf(0.7)).record("i"));
    assert!(text.contains("0.1") && text.contains("0.7") && text.len() < 60, "{text}");
    let text = said((1e30f32 * x.at("i") * x.at("i")).record(""));
    assert!(text.contains("1e30"), "{text}");
    let z = Tensor::<Complex<f32>>::filled([3], Complex::new(1.0, 0.0)).unwrap();
    let expr = (Complex::new(0.1f32, -0.3) * z.at("i")).record("i").unwrap();
    let text = expr.explain().unwrap().steps()[0].equation.clone();
    assert!(text.contains("(0.1-0.3i)"), "{text}");
}

#[test]
fn dot_graph_of_a_block() {
    let expected = include_str!("../data/explained_block.dot");
    let found = block().dot();
    assert_eq!(found, expected, "\n{found}");
}

#[test]
fn classes_are_found_by_labels() {
    let (m, v) = (Tensor::<f64>::filled([3, 3], 1.0).unwrap(), Tensor::<f64>::filled([3], 1.0).unwrap());
    let (t, s) = (Tensor::<f64>::filled([3, 3, 3], 1.0).unwrap(), Tensor::<f64>::filled([], 1.0).unwrap());
    let class = |subscripts: &str, operands: &[&dyn DynOperand<f64>]| {
        let explanation = Context::cpu().prepare(subscripts, operands).unwrap().explain();
        let [step] = explanation.steps() else { panic!("{subscripts} is one step: {explanation}") };
        (step.class, step.batched)
    };
    assert_eq!(class("i,i->", &[&v, &v]), (Class::Dot, false));
    assert_eq!(class("bi,bi->b", &[&m, &m]), (Class::Dot, true));
    assert_eq!(class("i,j->ij", &[&v, &v]), (Class::Outer, false));
    assert_eq!(class("bi,bj->bij", &[&m, &m]), (Class::Outer, true));
    assert_eq!(class("ij,j->i", &[&m, &v]), (Class::MatVec, false));
    assert_eq!(class("bij,bj->bi", &[&t, &m]), (Class::MatVec, true));
    assert_eq!(class("ij,jk->ki", &[&m, &m]), (Class::MatMul, false));
    assert_eq!(class("bij,bjk->bik", &[&t, &t]), (Class::MatMul, true));
    assert_eq!(class(",ij->ij", &[&s, &m]), (Class::Axpy, false));
    assert_eq!(class("i,ij->ij", &[&v, &m]), (Class::Axpy, true));
    assert_eq!(class("ij,ij->ij", &[&m, &m]), (Class::ElementWise, false));
    assert_eq!(class("ij->ji", &[&m]), (Class::Permutation, false));
    assert_eq!(class("ij->j", &[&m]), (Class::Reduction, false));
    let of = |expr: Result<Expr<'_, f64>, Error>| expr.unwrap().explain().unwrap().steps()[0].class;
    assert_eq!(of((2.0 * m.at("ij") - m.at("ji")).record("ij")), Class::Axpy);
    assert_eq!(of((m.at("ij").exp() - m.at("ji")).record("ij")), Class::ElementWise);
    assert_eq!(of(m.at("ij").max("j").record("i")), Class::Reduction);
    let graph = Graph::new();
    let f: Tensor<f64, Shape![_, _]> = m.into_typed().unwrap();
    let c = tensor! { in &graph; let c[i, k] = cholesky(f[i, j]); c };
    let last = c.explain().unwrap().steps().last().unwrap().class;
    assert_eq!(last, Class::Decomposition);
}

/// Operations and bytes are those that orders are searched by.
#[test]
fn operations_are_those_that_orders_count() {
    let mut random = StdRng::seed_from_u64(23);
    for round in 0..150 {
        let factors = random.random_range(2..8);
        let extents: Vec<usize> = (0..random.random_range(1..8)).map(|_| random.random_range(1..4)).collect();
        let label = |random: &mut StdRng| random.random_range(0..extents.len());
        let inputs: Vec<Vec<usize>> =
            (0..factors).map(|_| (0..random.random_range(0..5)).map(|_| label(&mut random)).collect()).collect();
        let mut output: Vec<usize> = inputs.iter().flatten().copied().filter(|_| random.random_range(0..3) == 0).collect();
        output.sort_unstable();
        output.dedup();
        if inputs.iter().flatten().all(|label| output.contains(label)) {
            continue; // Where nothing is summed, nothing is ordered: it is one pass over the result.
        }
        let shape = |labels: &[usize]| labels.iter().map(|&label| extents[label]).collect::<Vec<_>>();
        let tensors: Vec<Tensor<f64>> = inputs.iter().map(|labels| Tensor::filled(&shape(labels)[..], 1.0).unwrap()).collect();
        let operands: Vec<(&dyn DynOperand<f64>, &[usize])> =
            tensors.iter().zip(&inputs).map(|(tensor, labels)| (tensor as _, &labels[..])).collect();
        // These two say which order it is; others may differ where labels have other numbers.
        for order in [Order::Exact, Order::AsWritten] {
            let explanation =
                Context::reference().order(order.clone()).prepare_contraction(&operands, &output).unwrap().explain();
            let found = find(&inputs, &output, &extents, &Search::new().order(order)).unwrap();
            let products: f64 = explanation.steps().iter().map(|step| step.operations).sum();
            let expected = found.log2_operations.exp2();
            assert!((products - expected).abs() <= 1e-6 * expected, "round {round}: {inputs:?} {output:?}\n{explanation}");
            let largest = explanation.steps().iter().map(|step| step.made).max().unwrap() as f64 / 8.0;
            assert!((largest.log2() - found.log2_largest).abs() < 1e-6, "round {round}: {explanation}");
            assert!(explanation.peak_bytes() >= explanation.steps().iter().map(|step| step.made).max().unwrap());
        }
    }
}

/// A time by rates is what `Minimize::Time` has least of.
#[test]
fn predicted_times_follow_rates() {
    let a = Tensor::<f64>::filled([64, 64], 1.0).unwrap();
    let prepared = Context::cpu().prepare("ij,jk->ik", &[&a, &a]).unwrap();
    let rates = Rates { matrix: 1e9, other: 1e3, elements: 1e6 };
    let explanation = prepared.explain().rates(rates);
    let seconds = explanation.predicted().as_secs_f64();
    let expected = rates.product(64f64.powi(3), [4096.0; 2], 4096.0);
    assert!((seconds - expected).abs() < 1e-8, "{seconds} {expected}");
    let least = 64f64.powi(3) / 1e9 + 3.0 * 64.0 * 64.0 / 1e6;
    assert!(seconds > least && seconds < 1.5 * least, "{seconds} {least}");
}

#[test]
fn measured_steps_have_times_and_others_none() {
    let a = Tensor::<f64>::filled([16, 16], 1.0).unwrap();
    let prepared = Context::cpu().prepare("ij,jk,kl->il", &[&a, &a, &a]).unwrap();
    assert!(prepared.explain().measured().is_none());
    assert!(!prepared.explain().to_string().contains("measured"));
    let measured = prepared.measure(&[&a, &a, &a], 3).unwrap();
    assert!(measured.measured().is_some() && measured.to_string().contains("measured"));
    let product = (a.at("ij") * a.at("jk")).record("ik").unwrap();
    assert!(Context::cpu().measure((&product,), 0).unwrap().measured().is_some());
}

/// Names come along through the order that was found.
#[test]
fn labels_have_the_names_of_the_program() {
    let a = Tensor::<f64>::filled([3, 3], 1.0).unwrap();
    let equation = |subscripts: &str| {
        let operands = vec![&a as &dyn DynOperand<f64>; subscripts.matches(',').count() + 1];
        let explanation = Context::cpu().order(Order::AsWritten).prepare(subscripts, &operands).unwrap().explain();
        explanation.steps().iter().map(|step| step.equation.clone()).collect::<Vec<_>>()
    };
    assert_eq!(equation("αβ,βγ,γδ->αδ"), ["t1[α,γ] = x0[α,β] * x1[β,γ]", "r[α,δ] = t1[α,γ] * x2[γ,δ]"]);
}

/// No name and no equation can end the element that it stands in, and nothing is fetched from anywhere.
#[test]
fn html_pages_are_well_formed() {
    let a = Tensor::<f64>::filled([3, 3], 1.0).unwrap();
    let compared = (a.at("i,j") * a.at("j,k") + 1.0 * a.at("i,k")).record("i,k").unwrap();
    let nothing = Tensor::<f64>::filled([0, 3], 1.0).unwrap();
    let empty = Context::cpu().prepare("ij,jk->ik", &[&nothing, &a]).unwrap().explain();
    let chain = vec![&a as &dyn DynOperand<f64>; 200];
    let labels: Vec<[usize; 2]> = (0..200).map(|n| [n, n + 1]).collect();
    let operands: Vec<(&dyn DynOperand<f64>, &[usize])> =
        chain.iter().zip(&labels).map(|(&operand, labels)| (operand, &labels[..])).collect();
    let long = Context::cpu().prepare_contraction(&operands, &[0, 200]).unwrap().explain();
    for explanation in [compared.explain().unwrap(), empty, long, block()] {
        let page = explanation.html();
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(!page.contains("NaN") && !page.contains("inf\""), "{page}");
        for outside in ["http:", "https:", "src=", "url(", "<script"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for element in ["svg", "table", "section", "div", "title", "text", "tr", "td", "main", "dl", "ul"] {
            let (open, close) = (format!("<{element}"), format!("</{element}>"));
            let opened = page.matches(&format!("{open}>")).count() + page.matches(&format!("{open} ")).count();
            assert_eq!(opened, page.matches(&close).count(), "{element}");
        }
    }
}

/// The steps of one part stand behind the step that is made in parts, under its number, and read what it reads.
#[test]
fn a_product_in_parts_shows_the_steps_of_a_part() {
    let a = Tensor::<f64>::filled([64, 64], 1.0).unwrap();
    let context = Context::reference().memory_limit(10_000).order(Order::AsWritten);
    let explanation = context.prepare("ij,jk,ki->", &[&a, &a, &a]).unwrap().explain();
    let [step] = explanation.steps() else { panic!("{explanation}") };
    assert_eq!(step.class, Class::Parts);
    let [first, last] = &step.inner[..] else { panic!("{explanation}") };
    assert!(first.equation.starts_with("t1.1[") && first.equation.ends_with("x0[i,j] * x1[j,k]"), "{}", first.equation);
    assert!(last.equation.starts_with("r[] = ") && last.equation.contains("t1.1["), "{}", last.equation);
    // 64^3 multiplications and 64^2, shared out evenly.
    let parts = step.operations / (first.operations + last.operations);
    assert!((parts - parts.round()).abs() < 1e-9 && parts > 1.0, "{parts}");
    assert!(first.live <= step.live && last.live <= step.live && step.live <= 10_000, "{explanation}");
    assert!(first.predicted > std::time::Duration::ZERO && first.measured.is_none());
    let table = explanation.to_string();
    let numbers: Vec<&str> = table.lines().skip(2).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(numbers, ["1", "1.1", "1.2"], "{table}");
    assert!(explanation.html().contains("<td>1.2</td>"));
}
