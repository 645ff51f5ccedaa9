//! `tensor!` over block tensors: results are in blocks where an operand is, and agree with the same equation over dense tensors.

use tensorwrapper::{
    Blocks, Context, Error, Extents, Form, Graph, InBlocks, Shape, Sign, Structure, Symmetry, Tensor, TensorLike, Tiling, record,
    tensor, try_tensor,
};

/// Numbers that differ from element to element.
pub(super) fn value(index: &[usize]) -> f64 {
    index.iter().enumerate().map(|(axis, &n)| ((axis + 2) * (n + 3) % 7) as f64 - 2.5).product()
}

pub(super) fn blocks(structure: &Structure) -> Blocks<f64> {
    Blocks::from_fn(structure, value).unwrap()
}

pub(super) fn same<S: Extents, S2: Extents>(found: &Blocks<f64, S>, expected: &Tensor<f64, S2>) {
    let dense = found.to_dense().unwrap();
    assert_eq!(dense.extents(), expected.extents());
    for (a, b) in dense.as_slice().iter().zip(expected.as_slice()) {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} is not {b} in {found:?}");
    }
}

pub(super) fn tilings() -> (Tiling, Tiling) {
    (Tiling::cuts([2, 1]), Tiling::cuts([1, 3, 2]))
}

#[test]
fn products_are_in_blocks() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [1, 2]]).unwrap());
    let b = blocks(&Structure::new([&vir, &occ]));
    let c: Blocks<f64, Shape![_, _]> = tensor!([i, j] = a[i, k] * b[k, j] - 2.0 * b[k, i] * a[j, k]);
    let (x, y) = (a.to_dense().unwrap(), b.to_dense().unwrap());
    let expected = tensor!([i, j] = x[i, k] * y[k, j] - 2.0 * y[k, i] * x[j, k]);
    same(&c, &expected);
}

#[test]
fn extents_are_checked_by_the_compiler_where_the_type_has_them() {
    let (occ, vir) = tilings();
    let a: Blocks<f64, Shape![3, 6]> = blocks(&Structure::new([&occ, &vir])).into_typed().unwrap();
    let gram: Blocks<f64, Shape![3, 3]> = tensor!([i, j] = a[i, k] * a[j, k]);
    // The symmetry of the result is inferred.
    assert_eq!(*gram.structure().symmetry(), Symmetry::none(2).symmetric([0, 1]).unwrap());
    let e: f64 = tensor!([] = a[i, k] * a[i, k]);
    let trace: f64 = tensor!([] = gram[i, i]);
    assert!((e - trace).abs() < 1e-9 * e);
}

#[test]
fn dense_and_block_operands_mix() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&vir, &occ]).with_blocks([[1, 0], [2, 1]]).unwrap());
    let d = Tensor::<f64>::from_fn([6, 4], value).unwrap();
    let c = tensor!([p, i] = d[a1, p] * a[a1, i]);
    // The result takes the cuts of the block tensor where it has them.
    assert_eq!(c.structure().tilings(), [Tiling::whole(4), occ]);
    let x = a.to_dense().unwrap();
    same(&c, &tensor!([p, i] = d[a1, p] * x[a1, i]));
    // A transposed view of a dense tensor, and a factor that is read twice.
    let t = Tensor::<f64>::from_fn([3, 6], value).unwrap();
    let view = t.view();
    let h = tensor!([b, i] = view[i, b] * a[b, i] + a[b, i]);
    let (view, x) = (t.view(), a.to_dense().unwrap());
    same(&h, &tensor!([b, i] = view[i, b] * x[b, i] + x[b, i]));
}

#[test]
fn amplitudes_are_divided_block_by_block() {
    let (occ, vir) = tilings();
    let group = Symmetry::none(4).antisymmetric([0, 1]).unwrap().antisymmetric([2, 3]).unwrap();
    let v = blocks(&Structure::new([&occ, &occ, &vir, &vir]).with(group.clone()).unwrap());
    let (eo, ev) = (
        Tensor::<f64>::from_fn([3], |i| -1.0 - i[0] as f64).unwrap(),
        Tensor::<f64>::from_fn([6], |i| 1.0 + i[0] as f64).unwrap(),
    );
    let t = tensor!([i, j, a, b] = v[i, j, a, b] / (eo[i] + eo[j] - ev[a] - ev[b]));
    assert_eq!(*t.structure().symmetry(), group);
    assert_eq!(t.bytes(), v.bytes());
    let x = v.to_dense().unwrap();
    same(&t, &tensor!([i, j, a, b] = x[i, j, a, b] / (eo[i] + eo[j] - ev[a] - ev[b])));
    // With a contraction in the numerator, and a function.
    let r = tensor!([i, j, a, b] = (v[i, j, a, b] + 0.5 * sum(c, d; v[c1, d1, a, b] * v[i, j, c, d] * v[c1, d1, c, d])) / exp(eo[i] + eo[j]));
    let expected = tensor!([i, j, a, b] = (x[i, j, a, b] + 0.5 * sum(c, d; x[c1, d1, a, b] * x[i, j, c, d] * x[c1, d1, c, d])) / exp(eo[i] + eo[j]));
    same(&r, &expected);
    assert_eq!(*r.structure().symmetry(), group);
}

#[test]
fn functions_keep_zeros_where_they_can() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 1], [1, 1]]).unwrap());
    let s = tensor!([i, b] = sin(a[i, b]) * 2.0);
    assert_eq!(s.blocks(), a.blocks());
    let c = tensor!([i, b] = cos(a[i, b]));
    assert_eq!(c.blocks().len(), 6);
    let x = a.to_dense().unwrap();
    same(&s, &tensor!([i, b] = sin(x[i, b]) * 2.0));
    same(&c, &tensor!([i, b] = cos(x[i, b])));
    let n = 3;
    same(&tensor!([i, b] = powi(a[i, b], {n}) - abs(a[i, b])), &tensor!([i, b] = powi(x[i, b], {n}) - abs(x[i, b])));
}

#[test]
fn blocks_of_equations_write_and_read() {
    let (occ, vir) = tilings();
    let f = blocks(&Structure::new([&vir, &vir]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap());
    let mut t = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [1, 2]]).unwrap());
    let (before, shift) = (t.to_dense().unwrap(), 0.25);
    let (w, e) = tensor! {
        let w[i, a] = t[i, b] * f[b, a];
        t[i, a] += shift * w[i, a];
        let e = w[i, a] * t[i, a];
        (w, e)
    };
    let g = f.to_dense().unwrap();
    let expected = tensor!([i, a] = before[i, b] * g[b, a]);
    same(&w, &expected);
    let after = tensor!([i, a] = before[i, a] + shift * expected[i, a]);
    same(&t, &after);
    assert!((e - tensor!([] = expected[i, a] * after[i, a])).abs() < 1e-9 * e.abs());
    // What is written keeps its cuts, a dense target is dense.
    let coarse = Tiling::whole(3);
    let mut other = Blocks::<f64>::zeros(&Structure::new([&coarse, &vir])).unwrap();
    tensor!(other[i, a] = w[i, a]);
    assert_eq!(other.structure().tilings()[0], coarse);
    same(&other, &expected);
    let mut dense = Tensor::<f64>::zeros([3, 6]).unwrap();
    tensor!(dense[i, a] = w[i, a] + before[i, a]);
    assert_eq!(dense, tensor!([i, a] = expected[i, a] + before[i, a]).into_dyn());
}

#[test]
fn entry_points_of_dense_tensors_read_blocks_as_dense_ones() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 1]]).unwrap());
    let x = a.to_dense().unwrap();
    let expected = tensor!([i, j] = x[i, k] * x[j, k]).into_dyn();
    assert_eq!(tensorwrapper::einsum::<f64>("ik,jk->ij", &[&a, &a]).unwrap(), expected);
    assert_eq!((a.at("ik") * a.at("jk")).eval("ij").unwrap(), expected);
    assert_eq!(record::<f64>("[i, j] = A[i, k] * A[j, k]", &[("A", &a)]).unwrap().eval().unwrap(), expected);
}

#[test]
fn texts_take_numbers_and_dense_tensors() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 1], [1, 1]]).unwrap());
    let d = Tensor::<f64>::from_fn([6], value).unwrap();
    let context = Context::cpu();
    for scale in [0.5, -2.0] {
        let c =
            context.eval_blocks::<f64>("[i, k] = scale * A[i, k] * d[k]", &[("A", &a), ("d", &d), ("scale", &scale)]).unwrap();
        let x = a.to_dense().unwrap();
        same(&c, &tensor!([i, k] = scale * x[i, k] * d[k]));
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 1], [1, 1]]).unwrap());
    let said = |error: Error| error.to_string();
    let b = blocks(&Structure::new([&Tiling::cuts([4, 1]), &occ]));
    let c = try_tensor!([i, j] = a[i, k] * b[k, j]);
    assert_eq!(said(c.unwrap_err()), "index `k` has extent 6 in `a` but 5 in `b`");
    let d = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 1]]).unwrap());
    let c = try_tensor!([i, k] = a[i, k] / d[i, k]);
    assert_eq!(said(c.unwrap_err()), "`d` is zero where it divides, at block [1, 1] of the result");
    let c = try_tensor!([i] = a[i, k] * cast(b[i, k]));
    assert!(said(c.unwrap_err()).starts_with("casts in an equation of block tensors"));
    let rows = Blocks::<f64>::rows([1, 2].map(|extent| Tensor::filled([extent], 1.0).unwrap())).unwrap();
    let c = try_tensor!([i] = max(k; rows[i, k]));
    assert!(said(c.unwrap_err()).starts_with("reductions other than sums of tensors with ragged axes"));
    let mut e = a.clone();
    let c = try_tensor!(e[0, k] = a[1, k]);
    assert!(said(c.unwrap_err()).starts_with("a part of the block tensor `e` cannot be written"));
    let mut g = Blocks::<f64>::zeros(&Structure::new([&occ, &occ])).unwrap();
    let c = try_tensor!(g[i, k] = a[i, k]);
    assert_eq!(said(c.unwrap_err()), "index `k` has extent 3 in `g` but 6 in `a`");
}

/// In generic code the form of a result follows from those of its operands.
fn scaled<X: TensorLike<Elem = f64, Shape = Shape![_, _]>>(x: &X) -> <X::Form as Form>::Computed<f64, Shape![_, _]> {
    tensor!([i, j] = 2.0 * x[j, i])
}

#[test]
fn generic_functions_take_both() {
    let (occ, vir) = tilings();
    let a: Blocks<f64, Shape![_, _]> = blocks(&Structure::new([&occ, &vir])).into_typed().unwrap();
    let dense = a.to_dense().unwrap();
    let b: Blocks<f64, Shape![_, _]> = scaled(&a);
    let d: Tensor<f64, Shape![_, _]> = scaled(&dense);
    same(&b, &d);
    fn is_in_blocks<F: Form>() -> bool {
        std::any::TypeId::of::<F>() == std::any::TypeId::of::<InBlocks>()
    }
    assert!(is_in_blocks::<<Blocks<f64> as TensorLike>::Form>());
}

#[test]
fn where_cuts_results() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 1], [1, 1]]).unwrap());
    let halves = Tiling::cuts([3, 3]);
    let c = tensor!([b, i] = 2.0 * a[i, b] where b: &halves);
    assert_eq!(c.structure().tilings()[0], halves);
    let x = a.to_dense().unwrap();
    same(&c, &tensor!([b, i] = 2.0 * x[i, b] where b: &halves));
    let (one, other) = tensor! {
        where b: &halves; i: 3;
        let one[b, c] = a[i, b] * a[i, c];
        let other[b] = a[i, b] / (2.0 + cos(a[i, b]));
        (one, other)
    };
    same(&one, &tensor!([b, c] = x[i, b] * x[i, c]));
    assert_eq!(other.structure().tilings()[0], halves);
    let wrong = try_tensor!([b, i] = a[i, b] where i: &halves);
    assert_eq!(wrong.unwrap_err().to_string(), "index `i` has extent 3 in `a` but 6 in `where`");
}

#[test]
fn claims_are_proved_refused_or_believed() {
    let (occ, _) = tilings();
    let a = blocks(&Structure::new([&occ, &occ]));
    let group = |sign| Symmetry::none(2).exchange(&[0], &[1], sign).unwrap();
    let s = tensor!([i, j] = a[i, k] * a[j, k] where sym(i, j));
    assert_eq!(*s.structure().symmetry(), group(Sign::Plus));
    let r = tensor!([i, j] = asym(i, j; a[i, k] * a[k, j]) where asym(i, j));
    assert_eq!(*r.structure().symmetry(), group(Sign::Minus));
    let refused = try_tensor!([i, j] = a[i, k] * a[k, j] where asym(i, j)).unwrap_err().to_string();
    assert!(refused.starts_with("the left side is claimed to be antisymmetric in `i`, `j`, but the right side is"), "{refused}");
    assert!(refused.contains("help: if it is, write `where assume asym(i, j)`; `asym(i, j; X)` is another"), "{refused}");
    // Elements that are symmetric though nothing says so.
    let m = Blocks::<f64>::from_fn(&Structure::new([&occ, &occ]), |i| (i[0] * i[1]) as f64).unwrap();
    let believed = tensor!([i, j] = m[i, j] where assume sym(i, j));
    assert_eq!(believed.blocks().len(), 3);
    same(&believed, &m.to_dense().unwrap());
    let wide = blocks(&Structure::new([&occ, &Tiling::cuts([2, 3])]));
    let refused = try_tensor!([i, j] = 2.0 * wide[i, j] where assume sym(i, j)).unwrap_err().to_string();
    assert_eq!(refused, "index `i` has extent 3 but index `j` has 5: `sym` exchanges indices of equal extents");
    let dense = a.to_dense().unwrap();
    let refused = try_tensor!([i, j] = dense[i, k] * dense[j, k] where sym(i, j)).unwrap_err().to_string();
    assert!(
        refused.starts_with("a claim of symmetry about a dense result") && refused.contains("help: leave it out: "),
        "{refused}"
    );
    // Pairs that change places together, and a text.
    let v =
        Context::cpu().eval_blocks::<f64>("[i, a, j, b] = A[i, a] * A[j, b] where sym((i, a), (j, b))", &[("A", &a)]).unwrap();
    assert_eq!(v.structure().symmetry().elements().len(), 2);
}

#[test]
fn differences_are_not_expanded() {
    let cut = Tiling::cuts([2, 1]);
    let a = Blocks::<f64>::from_fn(&Structure::new([&cut]), |i| 1e8 + i[0] as f64).unwrap();
    let b = Blocks::<f64>::from_fn(&Structure::new([&cut]), |i| 1e8 + i[0] as f64 - 0.5).unwrap();
    let norm: f64 = tensor!([] = (a[i] - b[i]) * (a[i] - b[i]));
    assert_eq!(norm, 0.75);
    assert_eq!(tensor!([i] = (a[i] - b[i]) * (a[i] - b[i])).get(&[1]).unwrap(), 0.25);
    // Both factors are one tensor, so that the product is symmetric.
    let outer = tensor!([i, j] = (a[i] - b[i]) * (a[j] - b[j]) where sym(i, j));
    assert_eq!(outer.get(&[0, 2]).unwrap(), 0.25);
}

#[test]
fn zeros_divided_by_zeros_are_zeros_however_they_are_cut() {
    let (cut, whole) = (Tiling::cuts([1, 1]), Tiling::whole(2));
    let structure = |blocks: &[usize]| Structure::new([&cut]).with_blocks(blocks.iter().map(|block| [*block])).unwrap();
    let (a, b) = (blocks(&structure(&[0, 1])), blocks(&structure(&[0])));
    let sum = tensor!([i] = a[i] + b[i] / b[i]);
    assert_eq!(sum.get(&[1]).unwrap(), a.get(&[1]).unwrap());
    let quotient = tensor!([i] = b[i] / b[i] where i: &whole);
    assert_eq!((quotient.get(&[0]).unwrap(), quotient.get(&[1]).unwrap()), (1.0, 0.0));
}

#[test]
fn what_a_reader_found() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]));
    let said = |error: Error| error.to_string();
    // Recorded numbers are not zero.
    let (graph, x) = (Graph::new(), Tensor::<f64>::filled([2], 2.0).unwrap());
    let recorded = tensor!(in &graph; let s = x[i] * x[i]; s);
    let refused = try_tensor!([i, b] = recorded * a[i, b]);
    assert!(said(refused.unwrap_err()).starts_with("a recorded number"));
    // Tiles without indices.
    let empty = blocks(&Structure::new([&occ, &Tiling::cuts([2, 0])]));
    let d = Tensor::<f64>::filled([3], 2.0).unwrap();
    assert_eq!(tensor!([i, j] = empty[i, j] / d[i]).get(&[2, 1]).unwrap(), empty.get(&[2, 1]).unwrap() / 2.0);
    // A target of another rank.
    let mut t = Blocks::<f64>::zeros(&Structure::new([&occ, &vir, &vir])).unwrap();
    assert!(said(try_tensor!(t[i, b] = 2.0 * a[i, b]).unwrap_err()).contains("rank 3"));
    // A charge is not shown by an axis without charges, and other charges do not fit.
    let spin = Tiling::cuts([1, 2]).charged([0, 1]).unwrap();
    let c = blocks(&Structure::new([&spin, &spin]).flow([1, -1], [0]).unwrap());
    let plain = tensor!([i, j] = 2.0 * c[i, j] where i: &Tiling::cuts([1, 2]));
    assert!(plain.structure().charge_flow().is_none());
    same(&plain, &tensor!([i, j] = 2.0 * c[i, j]).to_dense().unwrap());
    let other = Tiling::cuts([1, 2]).charged([1, 0]).unwrap();
    let refused = said(try_tensor!([i, j] = c[i, j] / d[i] where i: &other).unwrap_err());
    assert!(refused.contains("carries charges 1, 0 in `where` but 0, 1 in `c`"), "{refused}");
    // What an equation does not read is not made dense.
    let huge =
        Blocks::<f64>::zeros(&Structure::new([&Tiling::even(1 << 20, 1 << 10); 3]).with_blocks([[0usize, 0, 0]; 0]).unwrap())
            .unwrap();
    let (y, e) = tensor! {
        let e = huge[i, j, k] * huge[i, j, k];
        let y[i] = 2.0 * d[i];
        (y, e)
    };
    assert_eq!((y[[0]], e), (4.0, 0.0));
    // A claim about zero.
    let f = blocks(&Structure::new([&occ, &occ]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap());
    assert!(tensor!([p, q] = asym(p, q; f[p, q]) where asym(p, q)).blocks().is_empty());
}

#[test]
fn axes_are_reduced() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [0, 1], [1, 2]]).unwrap());
    let b = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [0, 1], [0, 2], [1, 1]]).unwrap());
    let (x, y) = (a.to_dense().unwrap(), b.to_dense().unwrap());
    // Zeros of blocks that are not there take part.
    let largest: Blocks<f64, Shape![_]> = tensor!([i] = max(p; -abs(a[i, p])));
    same(&largest, &tensor!([i] = max(p; -abs(x[i, p]))));
    let least: Blocks<f64, Shape![_]> = tensor!([p] = min(i; a[i, p] - b[i, p]));
    same(&least, &tensor!([p] = min(i; x[i, p] - y[i, p])));
    // A product has blocks where all are there.
    let product = tensor!([i] = prod(p; b[i, p]));
    same(&product, &tensor!([i] = prod(p; y[i, p])));
    assert_eq!((b.blocks().len(), product.blocks().len()), (4, 1));
    let all = tensor!([] = max(i, p; a[i, p] * b[i, p]));
    assert_eq!(all, tensor!([] = max(i, p; x[i, p] * y[i, p])));
    // Inside of sums, of choices and of each other, and where values of indices are chosen.
    let shifted = tensor!([i, p] = a[i, p] - 1[p] * max(q; a[i, q]) + 1[i, p] * min(j, q; b[j, q]));
    same(&shifted, &tensor!([i, p] = x[i, p] - 1[p] * max(q; x[i, q]) + 1[i, p] * min(j, q; y[j, q])));
    let nested = tensor!([i] = max(p; a[i, p] * min(j; b[j, p])));
    same(&nested, &tensor!([i] = max(p; x[i, p] * min(j; y[j, p]))));
    let place = tensor!([p] = argmax(i; a[i, p]));
    same(&place, &tensor!([p] = argmax(i; x[i, p])));
    let spread = tensor!([] = max(i; sum(p; a[i, p])) - argmin(i; b[i, 1]));
    assert_eq!(spread, tensor!([] = max(i; sum(p; x[i, p])) - argmin(i; y[i, 1])));
    // Of what follows by symmetry, with its sign, and of charges.
    let t = blocks(&Structure::new([&vir, &vir]).with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap());
    let d = t.to_dense().unwrap();
    let (high, low) = (tensor!([p] = max(q; t[p, q])), tensor!([p] = min(q; t[p, q])));
    same(&high, &tensor!([p] = max(q; d[p, q])));
    same(&low, &tensor!([p] = -max(q; d[q, p])));
    let spin = Tiling::cuts([2, 1]).charged([1, -1]).unwrap();
    let c = blocks(&Structure::new([&spin, &spin]).flow([1, -1], [0]).unwrap());
    let e = c.to_dense().unwrap();
    same(&tensor!([i] = max(j; c[i, j])), &tensor!([i] = max(j; e[i, j])));
    // Over nothing there is a product alone.
    let none = Tiling::whole(0);
    let z = Blocks::<f64>::zeros(&Structure::new([&occ, &none])).unwrap();
    same(&tensor!([i] = prod(j; z[i, j])), &Tensor::<f64, _>::filled((occ.extent(),), 1.0).unwrap());
    assert_eq!(
        try_tensor!([i] = max(j; z[i, j])).unwrap_err().to_string(),
        "index `j` has extent 0, and `max` or `min` over nothing has no value"
    );
}

#[test]
fn elements_are_chosen_and_averaged() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [0, 1], [1, 2]]).unwrap());
    let b = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 1], [1, 1]]).unwrap());
    let (x, y) = (a.to_dense().unwrap(), b.to_dense().unwrap());
    // What is compared with zero where nothing is: the block of a result is there where one of the values is.
    let positive: Blocks<f64, Shape![_, _]> = tensor!([i, p] = select(a[i, p] > 0.0; a[i, p], 0.0));
    same(&positive, &tensor!([i, p] = select(x[i, p] > 0.0; x[i, p], 0.0)));
    assert_eq!(positive.blocks().len(), 3);
    // A quotient that is not chosen is not computed, so that nothing divides by zeros that are not there.
    let inverse = tensor!([i, p] = select(abs(a[i, p]) > 1e-3; b[i, p] / a[i, p], 0.0));
    same(&inverse, &tensor!([i, p] = select(abs(x[i, p]) > 1e-3; y[i, p] / x[i, p], 0.0)));
    let far = tensor!([i, p] = select(a[i, p] == 0.0 || b[i, p] < -1.0; 2.0, a[i, p] - b[i, p]));
    same(&far, &tensor!([i, p] = select(x[i, p] == 0.0 || y[i, p] < -1.0; 2.0, x[i, p] - y[i, p])));
    let small = tensor!([i, p] = clip(a[i, p], -1.5, 2.0) * b[i, p]);
    same(&small, &tensor!([i, p] = clip(x[i, p], -1.5, 2.0) * y[i, p]));
    // Truth values of a dense tensor.
    let mask: Tensor<bool, Shape![_, _]> = tensor!([i, p] = y[i, p] >= 0.5);
    let masked = tensor!([i, p] = select(mask[i, p] && !(a[i, p] > 5.0); a[i, p], 0.0));
    same(&masked, &tensor!([i, p] = select(mask[i, p] && !(x[i, p] > 5.0); x[i, p], 0.0)));
    // Sums inside of conditions and of values.
    let mean = tensor!([i] = mean(p; a[i, p] * b[i, p]));
    same(&mean, &tensor!([i] = mean(p; x[i, p] * y[i, p])));
    let spread = tensor!([p] = std(i; a[i, p] - b[i, p]));
    same(&spread, &tensor!([p] = std(i; x[i, p] - y[i, p])));
    let all = tensor!([i, p] = select(a[i, p] > mean(q; a[i, q]); a[i, p], mean(k; b[k, p])));
    same(&all, &tensor!([i, p] = select(x[i, p] > mean(q; x[i, q]); x[i, p], mean(k; y[k, p]))));
    // Values of indices, of whole axes and of parts.
    let lower = tensor!([i, p] = select(iota[i] >= iota[p]; a[i, p], 0.0));
    same(&lower, &tensor!([i, p] = select(iota[i] >= iota[p]; x[i, p], 0.0)));
    let moment: Blocks<f64, Shape![_]> = tensor!([i] = iota[p] * a[i, p in 1..5] * iota[p]);
    same(&moment, &tensor!([i] = iota[p] * x[i, p in 1..5] * iota[p]));
    // A comparison's values are a dense tensor, also of what has blocks, and a condition of later equations.
    let (high, chosen) = tensor! {
        let high[i, p] = a[i, p] >= b[i, p] && !(b[i, p] == 0.0 && iota[p] < 3.0);
        let chosen[i, p] = select(high[i, p] || y[i, p] > 2.0; a[i, p], b[i, p]);
        (high, chosen)
    };
    let expected: Tensor<bool, Shape![_, _]> = tensor!([i, p] = x[i, p] >= y[i, p] && !(y[i, p] == 0.0 && iota[p] < 3.0));
    assert_eq!(high, expected);
    let negative = tensor!([i, p] = a[i, p] < 0.0);
    assert_eq!(negative.count(), tensor!([i, p] = x[i, p] < 0.0).count());
    same(&chosen, &tensor!([i, p] = select(expected[i, p] || y[i, p] > 2.0; x[i, p], y[i, p])));
    // Symmetry stays where the same is compared.
    let pairs = Structure::new([&vir, &vir]).with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap();
    let t = blocks(&pairs);
    let large = tensor!([p, q] = select(abs(t[p, q]) > 1.0; t[p, q], 0.0));
    assert_eq!(large.structure(), t.structure());
    let positive = tensor!([p, q] = select(t[p, q] > 0.0; t[p, q], 0.0));
    assert_eq!(positive.structure().symmetry().elements().len(), 1);
    let d = t.to_dense().unwrap();
    same(&positive, &tensor!([p, q] = select(d[p, q] > 0.0; d[p, q], 0.0)));
}
