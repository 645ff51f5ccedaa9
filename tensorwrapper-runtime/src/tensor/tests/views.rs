//! Views: selections against indices computed by hand, refusals, copies of any strides.

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::*;

fn counted(extents: &[usize]) -> Tensor<f64> {
    let mut next = 0.0;
    let count = |_: &[usize]| {
        next += 1.0;
        next - 1.0
    };
    Tensor::from_fn(extents, count).unwrap()
}

fn sentence<T>(result: Result<T, Error>) -> String {
    result.err().expect("this should have been refused").to_string()
}

#[test]
fn selections() {
    let t = counted(&[2, 3, 4]);
    let v = t.view();
    assert!(v.slice(2, 1..3).unwrap().chip(0, 1).unwrap().elements().eq(&[13.0, 14.0, 17.0, 18.0, 21.0, 22.0]));
    assert_eq!(v.slice(1, ..=1).unwrap().extents(), [2, 2, 4]);
    assert_eq!(v.slice(1, 3..).unwrap().extents(), [2, 0, 4]);
    assert_eq!(v.permute(&[2, 0, 1]).unwrap()[[3, 1, 2]], v[[1, 2, 3]]);
    let square = counted(&[3, 2, 3]);
    let diagonal = square.view().diagonal(2, 0).unwrap();
    assert_eq!(diagonal.extents(), [3, 2]);
    assert!(diagonal.elements().eq(&[0.0, 3.0, 7.0, 10.0, 14.0, 17.0]));
    assert_eq!(diagonal.to_tensor().unwrap()[[2, 1]], 17.0);
}

#[test]
fn refusals() {
    let t = counted(&[2, 5]);
    let v = t.view();
    assert_eq!(sentence(v.slice(1, 2..7)), "range 2..7 is out of range for axis 1 of `tensor`, which has extent 5");
    assert_eq!(sentence(v.slice(1, ..=5)), "range ..=5 is out of range for axis 1 of `tensor`, which has extent 5");
    assert_eq!(sentence(v.slice(1, 6..)), "range 6.. is out of range for axis 1 of `tensor`, which has extent 5");
    assert_eq!(sentence(v.slice(1, 0..=usize::MAX)).split(' ').nth(1), Some("0..=18446744073709551615"));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = v.slice(1, 3..2);
    assert_eq!(sentence(reversed), "the range 3..2 on axis 1 of `tensor` ends before it begins");
    assert_eq!(sentence(v.slice(2, ..)), "there is no axis 2 in a tensor of rank 2");
    assert_eq!(sentence(v.chip(0, 2)), "index 2 is out of range for axis 0 of `tensor`, which has extent 2");
    assert_eq!(sentence(v.permute(&[0, 0])), "[0, 0] does not name each axis once: a tensor of rank 2 has axes 0 to 1");
    assert_eq!(sentence(v.diagonal(0, 0)), "a diagonal runs along two axes, but both are axis 0");
    assert!(sentence(v.diagonal(0, 1)).ends_with("but axis 0 has extent 2 and axis 1 has extent 5"));
    let mut t = t.clone();
    assert!(matches!(t.view_mut().chip(0, 2).unwrap_err().kind(), ErrorKind::Bounds { .. }));
}

#[test]
fn writing_through_selections() {
    let mut t = counted(&[3, 3]).into_typed::<Shape![3, _]>().unwrap();
    let mut view = t.view_mut();
    let mut diagonal = view.reborrow().diagonal(0, 1).unwrap();
    for i in 0..3 {
        diagonal[[i]] = -1.0;
    }
    view.reborrow().permute(&[1, 0]).unwrap().slice(0, 2..).unwrap()[[0, 0]] = 8.0;
    *view.get_mut(&[2, 0]).unwrap() = 7.0;
    assert_eq!((view.get(&[2, 0]), view[[2, 2]], view.view()[[0, 2]]), (Some(7.0), -1.0, 8.0));
    assert!(view.reborrow().slice(1, ..2).unwrap().as_mut_slice().is_none());
    view.reborrow().chip(0, 1).unwrap().slice(0, 2..).unwrap().as_mut_slice().unwrap()[0] += 0.5;
    assert_eq!(view.into_dyn().into_typed::<Shape![_, 3]>().unwrap().extents(), [3, 3]);
    assert_eq!(t.as_slice(), [-1.0, 1.0, 8.0, 3.0, -1.0, 5.5, 7.0, 7.0, -1.0]);
}

#[test]
fn written_strides_must_not_meet() {
    let mut elements = [0.0; 12];
    let mut strided = |extents: &[usize], strides: &[isize]| {
        TensorMut::strided(extents, strides, if strides[0] < 0 { 11 } else { 0 }, &mut elements).map(|_| ())
    };
    assert!(strided(&[3, 4], &[4, 1]).is_ok());
    assert!(strided(&[3, 4], &[1, 3]).is_ok());
    assert!(strided(&[12], &[-1]).is_ok());
    assert!(strided(&[3, 2], &[2, 3]).is_ok(), "0 2 4 and 3 5 7 never meet");
    assert!(strided(&[3, 1], &[1, 0]).is_ok());
    assert!(strided(&[4, 2], &[2, 4]).is_err(), "4 is met twice");
    assert!(strided(&[7, 6], &[1, 1]).is_err());
    let broadcast = strided(&[3, 2], &[1, 0]);
    assert!(sentence(broadcast).ends_with("lead two indices to one element, which cannot be written"));
    assert!(strided(&[0, 2], &[1, 0]).is_ok());
    assert!(strided(&[3, 4, 2], &[4, 1, 1]).is_err());
}

#[test]
fn absurd_strides_of_empty_views_are_harmless() {
    let nothing: [f64; 0] = [];
    let max = isize::MAX;
    let view = TensorRef::strided([3, 0, 5], &[max, max, -max], usize::MAX, &nothing).unwrap();
    assert_eq!(view.elements().count(), 0);
    assert_eq!(view.get(&[2, 0, 4]), None);
    assert!(view.slice(0, 2..).unwrap().chip(0, 0).unwrap().permute(&[1, 0]).unwrap().is_empty());
    assert_eq!(view.to_tensor().unwrap().extents(), [3, 0, 5]);
    assert_eq!(view.to_string(), "[]");
    let one = TensorRef::strided([1, 1], &[max, max], 0, &[4.0]).unwrap();
    assert!(one.diagonal(0, 1).unwrap().elements().eq(&[4.0]));
    assert_eq!(one.to_tensor().unwrap().as_slice(), [4.0]);
    assert_eq!(one.to_string(), "[[4]]");
}

#[test]
fn slices_of_contiguous_views() {
    let t = counted(&[2, 3, 4]);
    let v = t.view();
    assert_eq!(v.as_slice(), Some(t.as_slice()));
    assert_eq!(v.chip(0, 1).unwrap().slice(0, 1..).unwrap().as_slice(), Some(&t.as_slice()[16..]));
    assert_eq!(v.slice(2, ..2).unwrap().as_slice(), None);
    assert_eq!(v.slice(2, ..0).unwrap().as_slice(), Some(&[][..]));
    assert_eq!(v.elements().len(), 24);
}

/// Any chain of selections finds the elements that the definition of each selection finds.
#[test]
fn random_selections_against_their_definitions() {
    let mut random = StdRng::seed_from_u64(11);
    for _ in 0..300 {
        let rank = random.random_range(0..5);
        let extents: Vec<usize> = (0..rank).map(|_| random.random_range(1..5)).collect();
        let t = counted(&extents);
        let mut view = t.view();
        for _ in 0..random.random_range(0..4) {
            view = random_selection(&mut random, view);
        }
        let copy = view.to_tensor().unwrap();
        assert!(view.elements().eq(copy.as_slice()), "{:?} of {extents:?}", view.located.layout);
        assert_eq!(copy.view(), view);
    }
}

/// Selects at random and checks the result index by index.
fn random_selection<'a>(random: &mut StdRng, view: TensorRef<'a, f64>) -> TensorRef<'a, f64> {
    let rank = view.rank();
    if rank == 0 {
        return view.permute(&[]).unwrap();
    }
    let axis = random.random_range(0..rank);
    let extent = view.extents()[axis];
    let same = |result: TensorRef<'a, f64>, source: &dyn Fn(&[usize]) -> Vec<usize>| {
        let expected = Tensor::<f64, _>::from_fn(result.extents(), |i| view.get(&source(i)).unwrap()).unwrap();
        assert_eq!(result, expected.view());
        result
    };
    match random.random_range(0..4) {
        0 => {
            let start = random.random_range(0..=extent);
            let end = random.random_range(start..=extent);
            same(view.slice(axis, start..end).unwrap(), &|i| {
                let mut i = i.to_vec();
                i[axis] += start;
                i
            })
        }
        1 if extent > 0 => {
            let at = random.random_range(0..extent);
            same(view.chip(axis, at).unwrap(), &|i| [&i[..axis], &[at], &i[axis..]].concat())
        }
        2 => {
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.rotate_left(axis);
            axes.swap(0, rank - 1);
            same(view.permute(&axes).unwrap(), &|i| {
                let mut source = vec![0; rank];
                axes.iter().zip(i).for_each(|(&a, &i)| source[a] = i);
                source
            })
        }
        _ => match (0..rank).find(|&b| b != axis && view.extents()[b] == extent) {
            Some(b) => same(view.diagonal(axis, b).unwrap(), &|i| {
                let mut i = i.to_vec();
                i.insert(axis.max(b), i[axis.min(b)]);
                i
            }),
            None => view,
        },
    }
}

/// The blocked path: matrices larger than a block, with ragged borders and axes around them.
#[test]
fn copies_of_large_transpositions() {
    for (extents, axes) in [
        (&[70, 45][..], &[1, 0][..]),
        (&[3, 40, 33], &[0, 2, 1]),
        (&[40, 3, 33], &[2, 1, 0]),
        (&[2, 33, 2, 35], &[3, 0, 2, 1]),
        (&[64, 1, 64], &[2, 1, 0]),
    ] {
        let t = counted(extents);
        let view = t.view().permute(axes).unwrap();
        assert!(view.elements().eq(view.to_tensor().unwrap().as_slice()), "{extents:?} {axes:?}");
    }
}

#[test]
fn copies_of_broadcasts_and_backward_strides() {
    let numbers: Vec<f64> = (0..2560).map(f64::from).collect();
    let backward = TensorRef::strided([64, 40], &[-1, -64], 2559, &numbers).unwrap();
    assert!(backward.elements().eq(backward.to_tensor().unwrap().as_slice()));
    let v = TensorRef::strided([3, 2, 2], &[0, 1, 0], 0, &[5.0, 6.0]).unwrap();
    assert_eq!(v.to_tensor().unwrap().as_slice(), [5.0, 5.0, 6.0, 6.0].repeat(3));
    assert_eq!(v, v.to_tensor().unwrap().view());
}

#[test]
fn walks_backwards_in_steps_and_in_place() {
    let t = counted(&[2, 5]);
    let v = t.view();
    assert!(v.reverse(1).unwrap().chip(0, 1).unwrap().elements().eq(&[9.0, 8.0, 7.0, 6.0, 5.0]));
    assert!(v.step(1, 2).unwrap().elements().eq(&[0.0, 2.0, 4.0, 5.0, 7.0, 9.0]));
    assert!(v.step(1, 9).unwrap().reverse(0).unwrap().elements().eq(&[5.0, 0.0]));
    let repeated = v.chip(0, 1).unwrap().repeat(1, 2).unwrap();
    assert_eq!((repeated.extents(), repeated.strides()), (&[5, 2][..], &[1, 0][..]));
    assert!(repeated.elements().take(4).eq(&[5.0, 5.0, 6.0, 6.0]));
    assert_eq!(sentence(v.reverse(2)), "there is no axis 2 in a tensor of rank 2");
    assert_eq!(sentence(v.step(1, 0)), "a step of 0 along axis 1 goes nowhere");
    assert_eq!(sentence(v.repeat(3, 2)), "a new axis of a tensor of rank 2 is one of 0 to 2, not 3");
    assert!(v.repeat(0, usize::MAX).is_err());
    let mut t = t.clone();
    t.view_mut().reverse(1).unwrap().step(1, 2).unwrap()[[0, 1]] = -1.0;
    assert_eq!(t[[0, 2]], -1.0);
}

/// Steps and strides that are never followed may be any numbers.
#[test]
fn strides_that_are_never_followed() {
    let one = counted(&[1, 1]);
    for step in [usize::MAX, 1 << 63, isize::MAX as usize] {
        let view = one.view().step(0, step).unwrap().step(1, step).unwrap();
        assert_eq!(view.at("ii").eval("").unwrap().as_slice(), [0.0]);
        assert_eq!(view.at("ij").eval("j").unwrap().as_slice(), [0.0]);
    }
    for stride in [isize::MAX, isize::MIN, -1] {
        let view = TensorRef::<f64>::strided([1, 1], &[stride; 2], 0, &[3.0]).unwrap();
        assert_eq!(view.at("ii").eval("").unwrap().as_slice(), [3.0]);
        assert_eq!(view.reverse(0).unwrap().at("ij").eval("i").unwrap().as_slice(), [3.0]);
        let none = TensorRef::<f64>::strided([0, 3, 3], &[stride; 3], 0, &[]).unwrap();
        assert_eq!(none.at("ijj").eval("j").unwrap().as_slice(), [0.0; 3]);
    }
    assert!(Tensor::<f64>::zeros([0, 1 << 62, 1 << 62]).is_err(), "its extents without the 0 have no product");
    let none = Tensor::<f64>::zeros([0, 0, 1 << 62]).unwrap();
    assert_eq!(none.at("iij").eval("i").unwrap().extents(), [0]);
}

/// Extents that multiply to `len`, ones among them.
fn factors(rng: &mut StdRng, mut len: usize) -> Vec<usize> {
    let mut extents = Vec::new();
    while len > 1 || rng.random_bool(0.3) {
        let divisors: Vec<usize> = (1..=len).filter(|d| len.is_multiple_of(*d)).collect();
        let extent = divisors[rng.random_range(0..divisors.len())];
        extents.push(extent);
        len /= extent;
    }
    extents
}

/// A view with other extents has the same elements in the same order; where it is refused, the axes that it names have not
/// one stride.
#[test]
fn reshapes_keep_the_order() {
    let mut rng = StdRng::seed_from_u64(11);
    let (mut done, mut refused) = (0, 0);
    for _ in 0..3000 {
        let extents: Vec<usize> = (0..rng.random_range(0..4)).map(|_| rng.random_range(0..5)).collect();
        let t = counted(&extents);
        let mut view = t.view();
        for axis in 0..extents.len() {
            match rng.random_range(0..6) {
                0 => view = view.reverse(axis).unwrap(),
                1 => view = view.step(axis, 2).unwrap(),
                2 => view = view.slice(axis, ..view.extents()[axis].min(2)).unwrap(),
                3 => view = view.permute(&(0..extents.len()).rev().collect::<Vec<_>>()).unwrap(),
                _ => {}
            }
        }
        let shape = if view.is_empty() { vec![0, rng.random_range(0..3)] } else { factors(&mut rng, view.len()) };
        match view.reshape::<Shape>(&shape) {
            Ok(reshaped) => {
                assert_eq!(reshaped.extents(), shape);
                assert!(reshaped.elements().eq(view.elements()), "{extents:?} {:?} to {shape:?}", view.strides());
                done += 1;
            }
            Err(error) => {
                assert!(view.as_slice().is_none(), "{error}");
                refused += 1;
            }
        }
        let copy = view.to_tensor().unwrap();
        assert!(copy.view().reshape::<Shape>(&shape).unwrap().elements().eq(view.elements()));
    }
    assert!(done > 1000 && refused > 100, "{done} done, {refused} refused");
    assert_eq!(sentence(counted(&[2, 3]).view().reshape::<Shape>([7])), "extents [2, 3] hold 6 elements, but extents [7] need 7");
}
