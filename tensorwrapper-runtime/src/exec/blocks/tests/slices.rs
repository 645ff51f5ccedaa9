//! Functions of slices against dense equations: drawn, over rows, and what is refused.

use rand::seq::{IndexedRandom, SliceRandom};
use tensorwrapper_core::shape::Shape;

use super::*;
use crate::tensor::{TensorMut, TensorRef};

fn error_of<R>(result: Result<R, crate::Error>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

/// The product of slices, summed over the labels that the result has not.
fn product<T: Element>(of: &[TensorRef<'_, T>], labels: &[Vec<usize>], out: &mut TensorMut<'_, T>, kept: &[usize]) {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for (slice, labels) in of.iter().zip(labels) {
        for (&label, &extent) in labels.iter().zip(slice.extents()) {
            if !all.contains(&(label, extent)) {
                all.push((label, extent));
            }
        }
    }
    let shape: Shape = all.iter().map(|(_, extent)| *extent).collect();
    for index in &shape {
        let at = |labels: &[usize]| -> Vec<usize> {
            labels.iter().map(|label| index[all.iter().position(|(own, _)| own == label).unwrap()]).collect()
        };
        let factors = of.iter().zip(labels).map(|(slice, labels)| slice.get(&at(labels)).unwrap());
        *out.get_mut(&at(kept)).unwrap() += factors.fold(T::ONE, |product, x| product * x);
    }
}

fn compare<T: Element>(rng: &mut StdRng) {
    let kinds: Vec<Tiling> =
        (0..2).map(|_| Tiling::cuts((0..rng.random_range(1..4)).map(|_| rng.random_range(0..3)).collect::<Vec<_>>())).collect();
    let cuts: Vec<Tiling> = (0..5).map(|_| kinds.choose(rng).unwrap().clone()).collect();
    let mut drawn = |most: usize| {
        let mut all: Vec<usize> = (0..5).collect();
        all.shuffle(rng);
        all.truncate(rng.random_range(0..most));
        all
    };
    let labels = [drawn(4), drawn(4)];
    let mut result = labels.concat();
    result.sort_unstable();
    result.dedup();
    result.shuffle(rng);
    result.truncate(rng.random_range(0..5));
    let mut at = result.clone();
    at.shuffle(rng);
    at.truncate(rng.random_range(0..3));
    let tensors: Vec<Blocks<T>> = labels
        .iter()
        .map(|labels| {
            let own: Vec<&Tiling> = labels.iter().map(|&label| &cuts[label]).collect();
            let structure = sparse(rng, &own, 0.7).with(super::drawn::symmetry(rng, &own, T::DTYPE.is_complex())).unwrap();
            filled(rng, &structure)
        })
        .collect();
    let dense: Vec<Tensor<T>> = tensors.iter().map(|tensor| tensor.to_dense().unwrap()).collect();
    let letters = |labels: &[usize]| labels.iter().map(|&label| (b'a' + label as u8) as char).collect::<String>();
    let is_kept = |label: &&usize| !at.contains(label);
    let of_slices: Vec<Vec<usize>> = labels.iter().map(|labels| labels.iter().filter(is_kept).copied().collect()).collect();
    let kept: Vec<usize> = result.iter().filter(is_kept).copied().collect();
    let texts = labels.each_ref().map(|labels| letters(labels));
    let found = Blocks::map_slices(
        |_, of, mut out| {
            product(of, &of_slices, &mut out, &kept);
            Ok(())
        },
        &letters(&at),
        &letters(&result),
        // One of them dense.
        &[
            (&texts[0], &tensors[0]),
            (&texts[1], if rng.random_bool(0.5) { &tensors[1] } else { &dense[1] as &dyn DynOperand<T> }),
        ],
    );
    let subscripts = format!("{},{}->{}", texts[0], texts[1], letters(&result));
    let expected = einsum(&subscripts, &[&dense[0], &dense[1]]).unwrap();
    same(&found.unwrap(), &expected, &format!("{subscripts} at {}", letters(&at)));
}

#[test]
fn drawn_functions_of_slices() {
    let mut rng = StdRng::seed_from_u64(2361);
    for round in 0..400 {
        match round % 3 {
            0 => compare::<Complex<f64>>(&mut rng),
            _ => compare::<f64>(&mut rng),
        }
    }
}

#[test]
fn slices_that_are_not_there_stay_zero() {
    let (cut, other) = (Tiling::cuts([2, 1, 1]), Tiling::cuts([1, 2]));
    let t = Blocks::<f64>::from_fn(&Structure::new([&cut, &other]).with_blocks([[0, 1], [2, 0]]).unwrap(), |_| 1.0).unwrap();
    let mut seen = Vec::new();
    let made = Blocks::map_slices(
        |index, of, mut out| {
            seen.push(index[0]);
            (0..3).for_each(|a| *out.get_mut(&[a]).unwrap() = of[0].get(&[a]).unwrap() + 1.0);
            Ok(())
        },
        "i",
        "a,i",
        &[("i,a", &t)],
    )
    .unwrap();
    assert_eq!(seen, [0, 1, 3]);
    assert_eq!(made.blocks(), [[0, 0], [0, 2], [1, 0], [1, 2]]);
    assert_eq!(made.to_dense().unwrap().as_slice(), [1.0, 1.0, 0.0, 2.0, 2.0, 2.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0]);
    // A diagonal, with its zeros; no label: the whole tensor at once.
    let d = Blocks::diagonal(Blocks::<f64>::filled(&Structure::new([&other]), 3.0).unwrap()).unwrap();
    let sums = |at, result| {
        let sum = |_: &[usize], of: &[TensorRef<'_, f64>], mut out: TensorMut<'_, f64>| {
            out.as_mut_slice().unwrap()[0] = of[0].elements().sum();
            Ok(())
        };
        Blocks::map_slices(sum, at, result, &[("i,j", &d)]).unwrap().to_dense().unwrap().as_slice().to_vec()
    };
    assert_eq!((sums("j", "j"), sums("", "")), (vec![3.0; 3], vec![9.0]));
}

#[test]
fn rows_are_slices_of_their_own_extents() {
    let row = |extent: usize| Tensor::<f64>::from_fn([extent, 2], |i| (1 + 2 * i[0] + i[1]) as f64).unwrap();
    let rows = Blocks::rows([row(3), row(1), row(2)]).unwrap();
    let mut extents = Vec::new();
    let made = Blocks::map_slices(
        |_, of, mut out| {
            extents.push(of[0].extents().to_vec());
            for index in &Shape::new(of[0].extents()) {
                *out.get_mut(&index).unwrap() = -of[0].get(&index).unwrap();
            }
            Ok(())
        },
        "p",
        "p,a,x",
        &[("p,a,x", &rows)],
    )
    .unwrap();
    assert_eq!(extents, [[3, 2], [1, 2], [2, 2]]);
    assert_eq!((made.structure().ragged_by(1), made.structure().row_extents(1).unwrap()), (Some(&[0][..]), vec![3, 1, 2]));
    let negative: Vec<f64> = rows.to_dense().unwrap().as_slice().iter().map(|x| -x).collect();
    assert_eq!(made.to_dense().unwrap().as_slice(), negative);
    let back = made.into_rows().unwrap();
    assert_eq!(back[1].as_slice(), [-1.0, -2.0]);
}

#[test]
fn slices_that_do_not_fit() {
    let t = Tensor::<f64>::zeros([2, 3]).unwrap();
    let none = |_: &[usize], _: &[TensorRef<'_, f64>], _: TensorMut<'_, f64>| Ok(());
    let refused = |at, result, of: &[(&str, &dyn DynOperand<f64>)]| error_of(Blocks::map_slices(none, at, result, of));
    assert_eq!(refused("i", "j", &[("i,j", &t)]), "slices are taken at `i`, but the result has no such label");
    assert_eq!(refused("", "k", &[("i,j", &t)]), "no operand has index `k`");
    assert!(refused("i", "i", &[("i", &t)]).contains("rank 2"));
    assert_eq!(refused("i", "i,i", &[("i,j", &t)]), "`i` stands twice in `i,i`, and slices have each label once");
    assert!(refused("i", "i", &[("i, 2", &t)]).contains("something other than labels"));
    let sentence = "index `j` has extent 3 in `[i,j]` but 2 in `[j,i]`";
    assert!(refused("", "i", &[("i,j", &t), ("j,i", &t)]).starts_with(sentence));
    let fails =
        |_: &[usize], _: &[TensorRef<'_, f64>], _: TensorMut<'_, f64>| Err(Tensor::<f64>::from_slice([2], &[]).unwrap_err());
    assert!(Blocks::map_slices(fails, "i", "i", &[("i,j", &t)]).is_err());
    let row = |extent: usize| Tensor::<f64>::zeros([extent]).unwrap();
    let (one, other) = (Blocks::rows([row(2), row(1)]).unwrap(), Blocks::rows([row(1), row(2)]).unwrap());
    let sentence = "index `a` has extent 2 in `[p,a]` but 1 in `[p, a]`";
    assert!(refused("p", "p,a", &[("p,a", &one), ("p, a", &other)]).starts_with(sentence));
}
