//! Block tensors whose indices are in layers, computed: `;` on the left makes layers, and changes no element.

use tensorwrapper::{Blocks, Context, Structure, Tensor, Tiling, tensor, try_tensor};

use super::block_tensors::{blocks, same};

#[test]
fn a_product_of_matrices_for_each_index_of_the_outer_layer() {
    let (outer, inner) = (Tiling::cuts([1, 2]), Tiling::cuts([2, 1]));
    let three = Structure::new([&outer, &inner, &inner]);
    let t = blocks(&three).nested([1, 2]).unwrap();
    let v = blocks(&three.with_blocks([[0, 0, 1], [1, 1, 0], [1, 1, 1]]).unwrap()).nested([1, 2]).unwrap();
    let product = tensor!([p; a, b] = t[p; a, c] * v[p; c, b]);
    assert_eq!(product.structure().layers(), [1, 2]);
    let (x, y) = (t.to_dense().unwrap(), v.to_dense().unwrap());
    same(&product, &tensor!([p, a, b] = x[p, a, c] * y[p, c, b]));
    // A matrix at a time, as it is written.
    for n in 0..3 {
        let one = tensor!([a, b] = t[{ n }, a, c] * v[{ n }, c, b]);
        same(&tensor!([a, b] = product[{ n }, a, b]), &one.to_dense().unwrap());
    }
    // Without `;` there are none, and other layers are those of the left.
    assert_eq!(tensor!([p, a, b] = t[p; a, c] * v[p; c, b]).structure().layers(), [3]);
    let other = tensor!([p, a; b] = t[p; a, c] * v[p; c, b] + t[p; a, b]);
    assert_eq!(other.structure().layers(), [2, 1]);
    same(&other, &tensor!([p, a, b] = x[p, a, c] * y[p, c, b] + x[p, a, b]));
    let text = Context::cpu().eval_blocks::<f64>("[p; a, b] = T[p; a, c] * V[p; c, b]", &[("T", &t), ("V", &v)]).unwrap();
    assert_eq!(text.structure().layers(), [1, 2]);
    same(&text, &product.to_dense().unwrap());
    let wrong = try_tensor!([p; a, b] = t[p, a; c] * v[p; c, b]).unwrap_err().to_string();
    assert_eq!(wrong, "`t` has layers of 1 and 2 axes, but `;` divides it into 2 and 1");
}

#[test]
fn matrices_of_different_extents() {
    let domain = |n: usize, by: f64| Tensor::<f64>::from_fn([n, n], |i| (by * (1 + i[0] + 3 * i[1]) as f64).sin()).unwrap();
    let rows = |by: f64| Blocks::rows([2, 3, 1].map(|n| domain(n, by))).unwrap().nested([1, 2]).unwrap();
    let (t, v) = (rows(0.5), rows(1.5));
    let product = tensor!([p; a, b] = t[p; a, c] * v[p; c, b]);
    assert_eq!(product.structure().layers(), [1, 2]);
    assert_eq!(product.structure().row_extents(1).unwrap(), [2, 3, 1]);
    for (p, n) in [2, 3, 1].into_iter().enumerate() {
        let (x, y) = (domain(n, 0.5), domain(n, 1.5));
        let expected = tensor!([a, b] = x[a, c] * y[c, b]);
        for index in 0..n * n {
            let (a, b) = (index / n, index % n);
            assert!((product.get(&[p, a, b]).unwrap() - expected[[a, b]]).abs() < 1e-14);
        }
    }
}

#[test]
fn results_of_linear_algebra_have_the_layers_of_the_left() {
    let (rows, columns) = (Tiling::cuts([2, 1]), Tiling::cuts([1, 1]));
    let a = blocks(&Structure::new([&rows, &columns]));
    let (u, s, v) = tensor!(([i; r], [r], [j; r]) = svd(a[i, j]));
    let layers = [u.structure(), s.structure(), v.structure()].map(Structure::layers);
    assert_eq!(layers, [vec![1, 1], vec![1], vec![1, 1]]);
    same(&tensor!([i, j] = u[i; r] * s[r] * v[j; r]), &a.to_dense().unwrap());
    let (q, r) = tensor!(([i, r], [r; j]) = qr(a[i, j]));
    assert_eq!((q.structure().layers(), r.structure().layers()), (vec![2], vec![1, 1]));
    same(&tensor!([i, j] = q[i, r] * r[r; j]), &a.to_dense().unwrap());
    let square = Blocks::<f64>::from_fn(&Structure::new([&rows, &rows]), |i| if i[0] == i[1] { 4.0 } else { i[1] as f64 });
    let square = square.unwrap();
    let inverse = tensor!([j; i] = inv(square[i, j]));
    assert_eq!(inverse.structure().layers(), [1, 1]);
    assert_eq!(tensor!([j, i] = inv(square[i, j])).to_dense().unwrap().as_slice(), inverse.to_dense().unwrap().as_slice());
}
