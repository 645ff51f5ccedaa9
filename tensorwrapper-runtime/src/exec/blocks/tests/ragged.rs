//! Ragged rows and layers against dense tensors padded with zeros.

use super::*;
use tensorwrapper_core::error::Error;

/// Rows of these extents, each followed by the same axes.
fn rows(rng: &mut StdRng, lengths: &[usize], tail: &[usize]) -> Blocks<f64> {
    let row = |&length: &usize| Tensor::from_fn([&[length], tail].concat(), |_| rng.random_range(-1.0..1.0)).unwrap();
    Blocks::rows(lengths.iter().map(row)).unwrap()
}

/// A vector of square matrices.
fn domains(rng: &mut StdRng, extents: &[usize]) -> Blocks<f64> {
    let domain = |&n: &usize| Tensor::from_fn([n, n], |_| rng.random_range(-1.0..1.0)).unwrap();
    Blocks::rows(extents.iter().map(domain)).unwrap().nested([1, 2]).unwrap()
}

fn eval(equation: &str, names: &[(&str, &Blocks<f64>)]) -> Result<Blocks<f64>, Error> {
    let names: Vec<(&str, &dyn crate::RecordOperand<f64>)> =
        names.iter().map(|(name, tensor)| (*name, *tensor as &dyn crate::RecordOperand<f64>)).collect();
    let [found, defined] = [Context::cpu(), Context::reference()].map(|context| context.eval_blocks(equation, &names));
    match (&found, defined) {
        (Ok(found), Ok(defined)) => is_as_defined(found, &defined, equation),
        (found, defined) => assert_eq!(found.as_ref().err().map(Error::to_string), defined.err().map(|error| error.to_string())),
    }
    found
}

/// The element of a tensor padded with zeros.
fn padded(tensor: &Blocks<f64>, index: &[usize]) -> f64 {
    tensor.get(index).unwrap_or(0.0)
}

#[test]
fn rows_have_their_common_part() {
    let mut rng = StdRng::seed_from_u64(1);
    for lengths in [[3, 0, 5, 2], [1, 1, 4, 7], [2, 6, 1, 3]] {
        let (a, b) = (rows(&mut rng, &lengths, &[]), rows(&mut rng, &[4, 2, 2, 6], &[]));
        let g = eval("[i, k] = A[i, j] * B[k, j]", &[("A", &a), ("B", &b)]).unwrap();
        let both = eval("[i, j] = A[i, j] * B[i, j]", &[("A", &a), ("B", &b)]).unwrap();
        let either = eval("[i, j] = A[i, j] - 2.0 * B[i, j]", &[("A", &a), ("B", &b)]).unwrap();
        for i in 0..4 {
            for k in 0..4 {
                let expected: f64 = (0..7).map(|j| padded(&a, &[i, j]) * padded(&b, &[k, j])).sum();
                assert!((g.get(&[i, k]).unwrap() - expected).abs() < 1e-14);
            }
            for j in 0..7 {
                let (a, b) = (padded(&a, &[i, j]), padded(&b, &[i, j]));
                assert_eq!((padded(&both, &[i, j]), padded(&either, &[i, j])), (a * b, a - 2.0 * b));
            }
        }
        let ends = [4, 2, 2, 6].into_iter().zip(lengths);
        let (short, long): (Vec<usize>, Vec<usize>) = ends.map(|(a, b)| (a.min(b), a.max(b))).unzip();
        assert_eq!((both.structure().row_extents(1), either.structure().row_extents(1)), (Ok(short.clone()), Ok(long)));
        // The result is as long as its longest row.
        assert_eq!(both.structure().tilings()[1].extent(), *short.iter().max().unwrap());
    }
}

#[test]
fn functions_end_where_rows_end() {
    let a = rows(&mut StdRng::seed_from_u64(2), &[2, 3], &[]);
    let e = eval("[i, j] = exp(A[i, j]) + 1[i, j]", &[("A", &a)]).unwrap();
    assert_eq!((e.structure().row_extents(1).unwrap(), e.get(&[0, 2]).unwrap()), (vec![2, 3], 0.0));
    assert!(e.get(&[1, 2]).unwrap() > 1.0);
    let chosen = eval("[i, j] = select(A[i, j] > 2.0; A[i, j], 3.0)", &[("A", &a)]).unwrap();
    assert_eq!((chosen.structure().row_extents(1).unwrap(), padded(&chosen, &[0, 2])), (vec![2, 3], 0.0));
    assert_eq!(chosen.get(&[0, 1]).unwrap(), 3.0);
    let t = eval("[j, i] = A[i, j]", &[("A", &a)]).unwrap();
    assert_eq!((t.structure().ragged_by(0), t.structure().ragged_by(1)), (Some(&[1][..]), None));
    let rows = a.clone().into_rows().unwrap();
    assert_eq!(Blocks::rows(rows).unwrap().to_dense().unwrap().as_slice(), a.to_dense().unwrap().as_slice());
}

#[test]
fn what_is_ragged_meets_nothing_else() {
    let mut rng = StdRng::seed_from_u64(3);
    let (a, equal) = (rows(&mut rng, &[1, 3, 2], &[2]), rows(&mut rng, &[3, 3], &[]));
    let dense = Blocks::<f64>::zeros(&Structure::new(&[Tiling::whole(3), Tiling::cuts([1, 2])])).unwrap();
    let refused = |equation: &str, names: &[(&str, &Blocks<f64>)]| eval(equation, names).unwrap_err().to_string();
    let expected = "index `j` has extents 1, 3, 2 in `A`, one for each `i`, but extent 3 in `B`";
    assert_eq!(refused("[i, t, k] = A[i, j, t] * B[k, j]", &[("A", &a), ("B", &dense)]), expected);
    assert_eq!(refused("[i, t, k] = B[k, j] * A[i, j, t]", &[("A", &a), ("B", &dense)]), expected);
    // In parts of an equation that would be computed apart, too.
    assert_eq!(refused("[t] = A[i, j, t] * sum(k; B[k, j])", &[("A", &a), ("B", &dense)]), expected);
    // Rows have no one number of terms.
    let expected = "a sum over the ragged index `j` of a term that does not have it in an equation of block tensors";
    for equation in ["[i, t] = mean(j; A[i, j, t])", "[i, t] = sum(j; A[i, j, t] + 2.0[i, j, t])"] {
        assert!(refused(equation, &[("A", &a)]).starts_with(expected), "{equation}");
    }
    let told = refused("[i, j, t] = A[i, j, t] * iota[j]", &[("A", &a)]);
    assert_eq!(told, "index `j` has extents 1, 3, 2 in `A`, one for each `i`, but extent 3 in `iota`");
    // Rows that happen to be equal go with both; smooth axes of rows are smooth.
    assert!(eval("[i, k] = E[i, j] * B[k, j]", &[("E", &equal), ("B", &dense)]).is_ok());
    assert!(eval("[i, t, k] = A[i, j, t] * E[k, j]", &[("A", &a), ("E", &equal)]).is_ok());
    assert!(a.clone().into_typed::<(tensorwrapper_core::shape::Const<3>, crate::Dyn, crate::Dyn)>().is_ok());
    assert!(a.into_typed::<(crate::Dyn, tensorwrapper_core::shape::Const<3>, crate::Dyn)>().is_err());
}

#[test]
fn layers_are_as_they_are_written() {
    let mut rng = StdRng::seed_from_u64(4);
    let (t, v) = (domains(&mut rng, &[2, 4, 1, 3]), domains(&mut rng, &[3, 2, 1, 4]));
    let product = eval("[p; a, b] = T[p; a, c] * V[p; c, b]", &[("T", &t), ("V", &v)]).unwrap();
    assert_eq!(product.structure().layers(), [1, 2]);
    assert_eq!(product.structure().row_extents(1).unwrap(), [2, 4, 1, 3]);
    assert_eq!(product.structure().row_extents(2).unwrap(), [3, 2, 1, 4]);
    let expected: f64 = (0..2).map(|c| padded(&t, &[0, 1, c]) * padded(&v, &[0, c, 2])).sum();
    assert!((product.get(&[0, 1, 2]).unwrap() - expected).abs() < 1e-14);
    let flat = eval("[p, a] = T[p, a, a]", &[("T", &t)]).unwrap();
    assert_eq!(flat.structure().layers(), [2]);
    let x = rows(&mut rng, &[2, 4], &[]);
    let refused = |equation: &str, names: &[(&str, &Blocks<f64>)]| eval(equation, names).unwrap_err().to_string();
    assert_eq!(refused("[i] = x[i; j]", &[("x", &x)]), "`x` has one layer, but `;` asks for two");
    let expected = "`T` has layers of 1 and 2 axes, but `;` divides it into 2 and 1";
    assert_eq!(refused("[p] = T[p, a; a]", &[("T", &t)]), expected);
    let y = Blocks::rows([2, 4, 1, 3].map(|n| Tensor::<f64>::zeros([n, n]).unwrap())).unwrap();
    let expected = "`a` stands in layer 1 of `T` but in layer 0 of `y`";
    assert_eq!(refused("[p, a, b] = T[p; a, b] + y[p, a, b]", &[("T", &t), ("y", &y)]), expected);
}

#[test]
fn blocks_that_nothing_reads_are_not_made() {
    let cut = Tiling::cuts([2, 2, 2]);
    let structure = Structure::new([&cut, &cut]);
    let mut rng = StdRng::seed_from_u64(5);
    let full: Blocks<f64> = filled(&mut rng, &structure);
    let corner: Blocks<f64> = filled(&mut rng, &structure.with_blocks([[0, 0]]).unwrap());
    let names: [(&str, &dyn crate::RecordOperand<f64>); 3] = [("A", &full), ("B", &full), ("C", &corner)];
    // Whichever pair comes first, only the first column of A · B is needed.
    let prepared = Context::cpu().prepare_blocks("[i, l] = A[i, j] * B[j, k] * C[k, l]", &names).unwrap();
    assert!(prepared.tuples() <= 12, "{prepared:?}");
    agrees("ij,jk,kl->il", &[&full, &full, &corner]);
    // Sums of what one tensor alone has are no products.
    let sums =
        Context::cpu().prepare_blocks("[] = sum(i, j; A[i, k] * C[k, j])", &[("A", &full as _), ("C", &corner as _)]).unwrap();
    assert_eq!((sums.tuples(), sums.sums()), (1, 4));
}

#[test]
fn axes_that_change_places_are_cut_alike() {
    let mut rng = StdRng::seed_from_u64(6);
    let a: Blocks<f64> = filled(&mut rng, &Structure::new(&[Tiling::cuts([3, 1, 3]), Tiling::cuts([2, 5])]));
    let s = eval("[k, j] = asym(j, k; A[k, j])", &[("A", &a)]).unwrap();
    assert_eq!(s.structure().symmetry(), &Symmetry::none(2).antisymmetric([0, 1]).unwrap());
    assert_eq!(s.structure().tilings()[0], Tiling::cuts([2, 1, 1, 3]));
    for (j, k) in [(0, 6), (2, 3), (5, 5)] {
        assert_eq!(s.get(&[k, j]).unwrap(), a.get(&[k, j]).unwrap() - a.get(&[j, k]).unwrap());
    }
}
