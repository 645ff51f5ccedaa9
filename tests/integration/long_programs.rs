//! Programs of many recorded steps: recorded, lowered, planned, computed, printed and dropped on a small stack.

use tensorwrapper::prelude::*;
use tensorwrapper::{Context, eval_all};

/// A stack that a recursion over this many steps would not fit.
const STACK: usize = 1 << 20;
const STEPS: usize = 10_000;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap();
}

fn vector() -> Tensor<f64> {
    Tensor::from_slice([2], &[1.0, 2.0]).unwrap()
}

/// The vector added up, so many times.
fn sum<'a>(vector: &'a Tensor<f64>, steps: usize) -> Expr<'a, f64> {
    let first = vector.at("i").record("i").unwrap();
    // A recorded result is shared and not borrowed, so each step may go when the next one is there.
    (1..steps).fold(first, |x, _| (x.at("i") + vector.at("i")).record("i").unwrap())
}

#[test]
fn ten_thousand_additions() {
    on_a_small_stack(|| {
        let a = vector();
        let x = sum(&a, STEPS);
        assert_eq!(x.graph().operations().len(), STEPS);
        assert_eq!(x.eval().unwrap().as_slice(), [1e4, 2e4]);
        // Expressions are printed without what they are made of.
        assert!(format!("{x:?} {:?}", x.at("i")).len() < 1000);
        let explained = x.explain().unwrap();
        assert!(!explained.to_string().is_empty() && !explained.html().is_empty() && !explained.dot().is_empty());
        let prepared = Context::cpu().prepare_all((&x,), &[&a]).unwrap();
        let b = Tensor::from_slice([2], &[0.5, 0.0]).unwrap();
        assert_eq!(prepared.run(&[&b]).unwrap().0.as_slice(), [5e3, 0.0]);
    });
}

/// A step of a program that is written as a block: it borrows the step before it.
fn block<'a>(graph: &Graph, y: &'a Expr<'a, f64, Shape![_]>, a: &'a Tensor<f64>) -> Expr<'a, f64, Shape![_]> {
    tensor! { in graph; [i] = (*y)[i] + (*a)[i] }
}

#[test]
fn ten_thousand_blocks() {
    on_a_small_stack(|| {
        let (graph, a) = (Graph::new(), vector());
        let mut last = tensor! { in &graph; [i] = a[i] };
        for _ in 1..STEPS {
            last = block(&graph, Box::leak(Box::new(last)), &a);
        }
        assert_eq!(last.eval().unwrap().as_slice(), [1e4, 2e4]);
    });
}

/// Every way in which a value is recorded: element-wise, as a product, by a function, with fused axes, as linear algebra.
fn steps_of_all_kinds<'a>(turn: &'a Tensor<f64>, vector: &'a Tensor<f64>, steps: usize) -> Expr<'a, f64> {
    let mut x = vector.at("i").record("i").unwrap();
    for n in 0..steps {
        x = match n % 5 {
            0 => (x.at("i") - vector.at("i") * 2.0 + vector.at("i") + vector.at("i")).record("i").unwrap(),
            1 => (turn.at("ik") * x.at("k")).record("i").unwrap(),
            2 => x.at("i").abs().record("i").unwrap(),
            3 => {
                let row = (x.at("(i,j)") * turn.at("jk")).record("i,k");
                row.unwrap_or_else(|error| panic!("{error}")).at("i,k").record("(i,k)").unwrap()
            }
            _ => turn.at("ik").solve(x.at("i"), "k").record().unwrap(),
        };
    }
    x
}

#[test]
fn steps_of_all_kinds_need_no_recursion() {
    on_a_small_stack(|| {
        let turn = Tensor::from_slice([2, 2], &[0.0, 1.0, 1.0, 0.0]).unwrap();
        let a = vector();
        let few = Context::reference().eval(&steps_of_all_kinds(&turn, &a, 20)).unwrap();
        assert_eq!(few, steps_of_all_kinds(&turn, &a, 20).eval().unwrap());
        // Two rounds of steps bring the vector back.
        assert_eq!(few, steps_of_all_kinds(&turn, &a, 2000).eval().unwrap());
    });
}

#[test]
fn ten_thousand_results_of_which_each_reads_the_two_before_it() {
    on_a_small_stack(|| {
        let a = vector();
        let one = a.at("i").record("i").unwrap();
        let mut all = vec![one.clone(), one];
        for n in 2..STEPS {
            all.push((all[n - 1].at("i") - all[n - 2].at("i")).record("i").unwrap());
        }
        let found = eval_all(&all[..]).unwrap();
        let (mut x, mut y) = (1.0, 1.0);
        for tensor in &found[2..] {
            (x, y) = (y, y - x);
            assert_eq!(tensor.as_slice(), [y, 2.0 * y]);
        }
        // One that is wanted twice is there twice.
        let twice = eval_all((&all[5], &all[5])).unwrap();
        assert_eq!((twice.0.as_slice(), twice.1.as_slice()), (found[5].as_slice(), found[5].as_slice()));
    });
}

#[test]
fn hundred_thousand_steps_fit_a_small_stack() {
    on_a_small_stack(|| {
        let a = vector();
        let x = sum(&a, 10 * STEPS);
        assert_eq!(x.graph().operations().len(), 10 * STEPS);
        assert_eq!(x.eval().unwrap().as_slice(), [1e5, 2e5]);
    });
}

/// What a text of many indices is answered with, whatever door it comes through.
const TOO_MANY: &str = "an operand or a result has at most 256 indices, and here are 16000";

#[test]
fn texts_of_any_length_are_read_and_refused() {
    on_a_small_stack(|| {
        let a = vector();
        let many = "i".repeat(16_000);
        let names = (0..16_000).map(|n| format!("i{n}")).collect::<Vec<_>>().join(",");
        let labels: Vec<usize> = (0..16_000).collect();
        let said = |result: Result<Tensor<f64>, Error>| result.unwrap_err().to_string();
        assert_eq!(said(einsum(&format!("i->{many}"), &[&a])), TOO_MANY);
        assert_eq!(said(einsum(&format!("{many}->i"), &[&a])), TOO_MANY);
        assert_eq!(said(a.at(&many).eval("i")), TOO_MANY);
        assert_eq!(said(a.at("i").eval(&names)), TOO_MANY);
        assert_eq!(said(a.at(&names).eval("i0")), TOO_MANY);
        assert_eq!(said(a.at(&format!("({names})")).eval("i0")), TOO_MANY);
        assert_eq!(said(contract(&[(&a, &labels)], &[0])), TOO_MANY);
        assert_eq!(said(contract(&[(&a, &[0])], &labels)), TOO_MANY);
        assert_eq!(Shape::new([2]).at(&many).shape("i").unwrap_err().to_string(), TOO_MANY);
        // A megabyte, of one operand and of a million.
        assert!(said(einsum(&"i".repeat(1 << 20), &[&a])).ends_with("and here are 1048576"));
        let operands = said(einsum(&",".repeat(1 << 20), &[&a]));
        assert!(operands.contains("names 1048577 operands, but 1 is given") && operands.len() < 300, "{operands}");
    });
}

#[test]
fn two_hundred_and_fifty_six_axes_are_computed() {
    let extents: Vec<usize> = (0..256).map(|n| if n == 100 { 3 } else { 1 }).collect();
    let a = Tensor::<f64>::from_fn(&extents, |i| i[100] as f64).unwrap();
    let labels: Vec<usize> = (0..256).collect();
    let reversed: Vec<usize> = (0..256).rev().collect();
    let turned = contract(&[(&a, &labels)], &reversed).unwrap();
    assert_eq!((turned.extents()[155], turned.as_slice()), (3, &[0.0, 1.0, 2.0][..]));
    let names = |labels: &[usize]| labels.iter().map(|n| format!("i{n}")).collect::<Vec<_>>().join(",");
    let same = (a.at(&names(&labels)) * turned.at(&names(&reversed))).eval("i100").unwrap();
    assert_eq!(same.as_slice(), [0.0, 1.0, 4.0]);
}

#[test]
fn networks_of_many_labels_are_contracted() {
    // A ring of matrices, each label on two of them.
    let turn = Tensor::<f64>::from_slice([2, 2], &[0.0, 1.0, 1.0, 0.0]).unwrap();
    let pairs: Vec<[usize; 2]> = (0..2000).map(|n| [n, (n + 1) % 2000]).collect();
    let operands: Vec<(&dyn tensorwrapper::DynOperand<f64>, &[usize])> =
        pairs.iter().map(|pair| (&turn as _, &pair[..])).collect();
    let trace = contract(&operands, &[]).unwrap();
    assert_eq!(trace.as_slice(), [2.0]);
}
