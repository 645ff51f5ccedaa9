//! Real operands in equations over complex numbers: they are what an explicit cast makes of them, wherever they stand.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Symmetry, Tiling};

type C = Complex<f64>;

fn complex(extents: [usize; 2]) -> Tensor<C, Shape![_, _]> {
    Tensor::from_fn((extents[0], extents[1]), |i| C::new(i[0] as f64 - 0.5, 1.0 + (i[0] * i[1]) as f64)).unwrap()
}

fn real(extents: [usize; 2]) -> Tensor<f64, Shape![_, _]> {
    Tensor::from_fn((extents[0], extents[1]), |i| 0.25 + i[0] as f64 - 2.0 * i[1] as f64).unwrap()
}

#[test]
fn products_sums_and_functions() {
    let (z, r) = (complex([3, 4]), real([4, 2]));
    let v = Tensor::<f64, Shape![_]>::from_fn((3,), |i| i[0] as f64 + 0.5).unwrap();
    for context in [Context::reference(), Context::cpu(), Context::cpu().threads(2)] {
        let context = &context;
        let product = tensor! { in context; let p[i, k] = z[i, j] * r[j, k]; p };
        assert_eq!(product, tensor! { in context; let p[i, k] = z[i, j] * cast(r[j, k]); p });
        // The order of writing does not matter.
        assert_eq!(product, tensor! { in context; let p[i, k] = r[j, k] * z[i, j]; p });
        let shifted = tensor! { in context; let p[i, j] = z[i, j] / (v[i] * 1[j] - z[i, j]) + exp(z[i, j]) * v[i]; p };
        let expected =
            tensor! { in context; let p[i, j] = z[i, j] / (cast(v[i]) * 1[j] - z[i, j]) + exp(z[i, j]) * cast(v[i]); p };
        assert_eq!(shifted, expected);
        // What is real on both sides of a product is multiplied as complex numbers, because the equation is over them.
        let diagonal = tensor! { in context; let p[i, i] = v[i] * v[i] + z[i, 0] * z[i, 1]; p };
        assert_eq!(diagonal, tensor! { in context; let p[i, i] = cast(v[i]) * cast(v[i]) + z[i, 0] * z[i, 1]; p });
    }
}

#[test]
fn singles_and_views() {
    let z = Tensor::<Complex<f32>>::from_fn([2, 3], |i| Complex::new(i[0] as f32, i[1] as f32)).unwrap();
    let r = Tensor::<f32>::from_fn([3, 2], |i| (i[0] + 2 * i[1]) as f32).unwrap();
    let turned = r.view().permute(&[1, 0]).unwrap();
    assert_eq!(tensor!([i, j] = z[i, j] * turned[i, j]), tensor!([i, j] = z[i, j] * cast(r[j, i])));
}

#[test]
fn written_into_complex_tensors() {
    let (z, r) = (complex([3, 3]), real([3, 3]));
    let mut c = z.clone();
    tensor!(c[i, j] += 2.0 * r[i, j]);
    assert_eq!(c, tensor!([i, j] = z[i, j] + 2.0 * cast(r[i, j])));
    tensor!(c[i, 0] = r[i, i]);
    assert_eq!(c[[2, 0]], C::from(r[[2, 2]]));
    tensor!(c[i, j] *= r[j, i]);
    assert_eq!(c[[2, 0]], C::from(r[[2, 2]] * r[[0, 2]]));
}

#[test]
fn factors_put_together() {
    let z = complex([4, 3]);
    let (u, s, v) = tensor!(([i, k], [k], [k, j]) = svd(z[i, j]));
    let back = tensor!([i, j] = u[i, k] * s[k] * v[k, j]);
    assert!(back.allclose(&z, 1e-13, 1e-13).is_ok());
    let h = tensor!([i, j] = z[k, i] * conj(z[k, j]));
    let h = tensor!([i, j] = conj(h[i, j]));
    let (e, x) = tensor!(([n], [p, n]) = eigh(h[p, q]));
    let residual = tensor!([p, n] = h[p, q] * x[q, n] - x[p, n] * e[n]);
    assert!(residual.iter().all(|x| x.norm() < 1e-12));
    let (unit, b) = (Tensor::<f64, _>::eye(3).unwrap(), real([3, 1]));
    let x = tensor!([j] = solve(h[i, j] + unit[i, j], b[i, 0]));
    let residual = tensor!([i] = (h[i, j] + unit[i, j]) * x[j] - b[i, 0]);
    assert!(residual.iter().all(|x| x.norm() < 1e-12));
}

/// Over real and complex numbers alike: the potential is real.
fn expectation<T: Element>(psi: &Tensor<T, Shape![_]>, potential: &Tensor<T::Real, Shape![_]>) -> T {
    tensor!([] = conj(psi[i]) * potential[i] * psi[i])
}

fn scale<T: Element>(psi: &mut Tensor<T, Shape![_]>, by: &Tensor<T::Real, Shape![_]>) {
    tensor!(psi[i] *= by[i]);
}

#[test]
fn generic_code() {
    let v = Tensor::<f64, _>::arange(1..4).unwrap();
    let mut z = v.map(|x| C::new(0.0, x)).unwrap();
    assert_eq!((expectation(&v, &v), expectation(&z, &v)), (36.0, C::from(36.0)));
    scale(&mut z, &v);
    assert_eq!(z[[2]], C::new(0.0, 9.0));
}

/// In an order of writing that begins with real operands, too: the result is complex and static.
#[test]
fn static_tensors() {
    let z = StaticTensor::new([[C::new(1.0, 1.0), C::new(0.0, 2.0)], [C::new(1.0, 0.0), C::new(3.0, 2.0)]]);
    let r = StaticTensor::new([[1.0, 2.0], [3.0, 4.0]]);
    let v = StaticTensor::new([1.0, -1.0]);
    let (dz, dr, dv) = (z.to_tensor().unwrap(), r.to_tensor().unwrap(), v.to_tensor().unwrap());
    let product: StaticTensor<C, Shape![2, 2]> = tensor!([i, k] = r[i, j] * z[j, k]);
    assert_eq!(product, tensor!([i, k] = dr[i, j] * dz[j, k]));
    assert_eq!(tensor!([] = r[i, j] * v[i] * z[j, j]), tensor!([] = dr[i, j] * dv[i] * dz[j, j]));
    let x: StaticTensor<C, Shape![2]> = tensor!([j] = solve(r[i, j], z[i, 0]));
    assert!(x.to_tensor().unwrap().allclose(&tensor!([j] = solve(dr[i, j], dz[i, 0])), 1e-14, 1e-14).is_ok());
    let x: StaticTensor<C, Shape![2]> = tensor!([j] = solve(z[i, j], v[i]));
    assert!(x.to_tensor().unwrap().allclose(&tensor!([j] = solve(dz[i, j], dv[i])), 1e-14, 1e-14).is_ok());
    let y = try_tensor!([i] = exp(v[i]) * z[i, i] / r[i, i]).unwrap();
    assert_eq!(y.extents(), [2]);
    let (mut sum, mut dsum) = (z, dz.clone());
    tensor!(sum[i, j] += v[i] * r[i, j]);
    tensor!(dsum[i, j] += dv[i] * dr[i, j]);
    tensor!(sum[0, j] = r[1, j]);
    tensor!(dsum[0, j] = dr[1, j]);
    assert_eq!(sum, dsum);
}

#[test]
fn block_tensors() {
    let cut = Tiling::cuts([1, 3]);
    let structure = Structure::new([&cut, &cut]).with(Symmetry::none(2).hermitian(0, 1).unwrap()).unwrap();
    let h = Blocks::<C>::from_fn(&structure, |i| C::new(i[0] as f64 + i[1] as f64, i[0] as f64 - i[1] as f64)).unwrap();
    let r = real([4, 4]);
    let dense = h.to_dense().unwrap();
    let product = tensor!([i, k] = h[i, j] * r[j, k]);
    assert_eq!(product.to_dense().unwrap(), tensor!([i, k] = dense[i, j] * r[j, k]));
    let turned = r.view().permute(&[1, 0]).unwrap();
    let product = tensor!([i, k] = h[i, j] * turned[k, j]);
    assert_eq!(product.to_dense().unwrap(), tensor!([i, k] = dense[i, j] * r[j, k]));
    let pairs = Structure::new([&cut, &cut]).with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap();
    let odd = Blocks::<f64>::from_fn(&pairs, |i| i[0] as f64 - i[1] as f64).unwrap();
    let sum = tensor!([i, j] = h[i, j] + odd[i, j]);
    let odd = odd.to_dense().unwrap();
    assert_eq!(sum.to_dense().unwrap(), tensor!([i, j] = dense[i, j] + cast(odd[i, j])));
}

#[test]
fn derivatives() {
    let (z, r) = (complex([3, 1]), real([3, 1]));
    let of = |by_cast: bool| {
        let (by_z, by_r) = match by_cast {
            false => tensor! {
                let L = cast(f64; re(conj(z[i, k]) * r[i, k] * z[i, k]));
                let (a[i, k], b[i, k]) = grad(L; z[i, k], r[i, k]);
                (a, b)
            },
            true => tensor! {
                let L = cast(f64; re(conj(z[i, k]) * cast(r[i, k]) * z[i, k]));
                let (a[i, k], b[i, k]) = grad(L; z[i, k], r[i, k]);
                (a, b)
            },
        };
        (by_z, by_r)
    };
    let (by_z, by_r) = of(false);
    assert_eq!((&by_z, &by_r), (&of(true).0, &of(true).1));
    assert_eq!(by_r[[1, 0]], z[[1, 0]].norm_sqr());
    assert_eq!(by_z[[2, 0]], z[[2, 0]] * 2.0 * r[[2, 0]]);
}

#[test]
fn recorded_and_kept_plans() {
    let (z, r) = (complex([3, 3]), real([3, 3]));
    let graph = Graph::new();
    let product: Expr<'_, C, _> = tensor! { in &graph; let p[i, k] = z[i, j] * r[j, k]; p };
    let expected = tensor!([i, k] = z[i, j] * cast(r[j, k]));
    assert_eq!(product.eval().unwrap(), expected);
    // One place, which runs with real and with complex elements, and again with the plans of both.
    fn square<T: Element>(a: &Tensor<T, Shape![_, _]>, b: &Tensor<T::Real, Shape![_, _]>) -> Tensor<T, Shape![_, _]> {
        tensor!([i, k] = a[i, j] * b[j, k])
    }
    for _ in 0..3 {
        assert_eq!(square(&z, &r), expected);
        assert_eq!(square(&r, &r), tensor!([i, k] = r[i, j] * r[j, k]));
    }
}
