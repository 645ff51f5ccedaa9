//! Tensors in layouts: values stay, memory is as the layout says, and what cannot be is refused.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::*;

fn counted(extents: &[usize]) -> Tensor<f64> {
    let mut next = 0.0;
    Tensor::from_fn(extents, |_| {
        next += 1.0;
        next
    })
    .unwrap()
}

/// Any order of the axes, padded or not.
pub(crate) fn random_layout(rng: &mut StdRng, extents: &[usize]) -> Layout {
    let mut order: Vec<usize> = (0..extents.len()).collect();
    for n in (1..order.len()).rev() {
        order.swap(n, rng.random_range(0..=n));
    }
    let layout = Layout::new(order).unwrap();
    if rng.random_bool(0.5) {
        return layout;
    }
    let widths: Vec<usize> = extents.iter().map(|extent| extent + rng.random_range(0..3)).collect();
    layout.with_padding(widths, Fill::One).unwrap()
}

#[test]
fn relayout_keeps_values_and_fills_padding() {
    let mut rng = StdRng::seed_from_u64(5);
    let mut unmoved = 0;
    for _ in 0..2000 {
        let extents: Vec<usize> = (0..rng.random_range(0..5)).map(|_| rng.random_range(0..4)).collect();
        let t = counted(&extents);
        let mut other = t.clone();
        for _ in 0..2 {
            let layout = random_layout(&mut rng, &extents);
            let before = other.memory().as_ptr();
            let moved;
            (other, moved) = other.relayout(&layout).unwrap();
            assert_eq!(other.layout(), layout);
            assert_eq!(other.physical().store(t.as_slice()).unwrap(), other.memory(), "{}", other.physical());
            if moved == Moved::Nothing {
                assert_eq!(other.memory().as_ptr(), before);
                unmoved += 1;
            }
            assert_eq!(other, t);
            assert_eq!(other.clone().into_vec(), t.as_slice());
            let given = Tensor::<f64>::from_memory(&extents, &layout, other.memory().to_vec()).unwrap();
            assert_eq!(given, t);
            let any = AnyTensor::from(given);
            assert_eq!(any, AnyTensor::from(t.clone()));
            assert_eq!(any.physical(), other.physical());
            assert_eq!(any.into_tensor::<f64>().unwrap().layout(), layout);
        }
        let (back, _) = other.relayout(&Layout::row_major(extents.len())).unwrap();
        assert_eq!(back.as_slice(), t.as_slice());
    }
    assert!(unmoved > 200, "{unmoved}");
}

#[test]
fn reshapes_keep_the_order_of_elements() {
    let mut rng = StdRng::seed_from_u64(6);
    let mut moves = [0, 0];
    for _ in 0..1000 {
        let extents = [rng.random_range(1..4), 2 * rng.random_range(1..3), 3];
        let [a, b, c] = extents;
        let t = counted(&extents);
        let (stored, _) = t.clone().relayout(&random_layout(&mut rng, &extents)).unwrap();
        let shapes = [vec![a * b, c], vec![a, b * c], vec![a, b / 2, 2, c], vec![a * b * c], vec![a, 1, b, c, 1]];
        let shape = &shapes[rng.random_range(0..shapes.len())];
        let memory = stored.memory().as_ptr();
        let reshaped = stored.reshape::<Shape>(shape).unwrap();
        assert!(reshaped.view().elements().eq(t.as_slice()));
        assert_eq!(reshaped.extents(), shape);
        let is_copy = reshaped.memory().as_ptr() != memory;
        assert!(!is_copy || reshaped.is_plain());
        moves[usize::from(is_copy)] += 1;
        assert_eq!(reshaped.physical().load(reshaped.memory()).unwrap(), t.as_slice());
    }
    assert!(moves.iter().all(|&count| count > 100), "{moves:?}");
}

#[test]
fn equations_write_into_layouts() {
    let layout = Layout::column_major(2).with_padding([3, 4], Fill::Lowest).unwrap();
    let (mut t, _) = counted(&[2, 3]).relayout(&layout).unwrap();
    t.view_mut().chip(0, 1).unwrap()[[2]] = -1.0;
    t[[0, 0]] = 9.0;
    let low = f64::NEG_INFINITY;
    assert_eq!(t.memory(), [9.0, 4.0, low, 2.0, 5.0, low, 3.0, -1.0, low, low, low, low]);
    let (unknown, moved) = t.clone().relayout(&"{0,1:W(3,4;?)}".parse().unwrap()).unwrap();
    assert_eq!((unknown.memory(), moved), (t.memory(), Moved::Nothing));
    let sum = t.at("ij").eval("j").unwrap();
    assert_eq!(sum.as_slice(), [13.0, 7.0, 2.0]);
}

#[test]
fn refusals() {
    let sentence = |result: Result<Tensor<f64>, Error>| result.unwrap_err().to_string();
    let from = |layout: &str, memory: usize| sentence(Tensor::from_memory([2, 3], &layout.parse().unwrap(), vec![0.0; memory]));
    assert_eq!(from("{0,1}", 5), "`f64[2,3]{0,1}` takes 6 elements of memory, but 5 are given");
    assert_eq!(from("{0,1:W(3,5)}", 6), "`f64[2,3]{0,1:W(3,5)}` takes 15 elements of memory, but 6 are given");
    assert_eq!(from("{0,1:W(1,5)}", 5), "axis 0 of `f64[2,3]` is padded to 1, below its extent 2");
    assert_eq!(from("{0,1,2}", 6), "layout `{0,1,2}` orders 3 axes, `f64[2,3]` has 2");
    assert_eq!(from("{0,1:S(1)}", 6), "memory 1 of `f64[2,3]{0,1:S(1)}` is not the host's, which is 0");
    let tiles =
        "a dense tensor is not computed in tiles, as `f64[2,3]{0,1:T(2,2)}` has them; `Physical::store` and `load` convert";
    assert_eq!(from("{0,1:T(2,2)}", 8), tiles);
    let t = counted(&[2, 3]);
    assert_eq!(
        sentence(t.clone().relayout(&Layout::row_major(3)).map(|t| t.0)),
        "layout `{2,1,0}` orders 3 axes, `f64[2,3]` has 2"
    );
    let seven = t.reshape::<Shape>([7]);
    assert_eq!(sentence(seven), "extents [2, 3] hold 6 elements, but extents [7] need 7");
}

#[test]
#[should_panic(expected = "the tensor is stored as `f64[2,3]{0,1}`")]
fn c_order_is_not_invented() {
    let (t, _) = counted(&[2, 3]).relayout(&Layout::column_major(2)).unwrap();
    t.as_slice();
}
