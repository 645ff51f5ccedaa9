//! Equations in generic functions: over extents, shapes and elements.

use super::{assert_close, assert_type, reference, sample};
use num_complex::Complex;
use tensorwrapper::{IntoShape, einsum, prelude::*};

fn gram<const N: usize, const M: usize>(a: &Tensor<f64, Shape![N, M]>) -> Tensor<f64, Shape![M, M]> {
    tensor!([i, j] = a[k, i] * a[k, j])
}

fn product<const N: usize>(a: &Tensor<f64, Shape![N, _]>, b: &Tensor<f64, Shape![_, N]>) -> Tensor<f64, Shape![N, N]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn outer<D: Len, E: Len>(x: &Tensor<f64, (D,)>, y: &Tensor<f64, (E,)>) -> Tensor<f64, (D, E)> {
    tensor!([i, j] = x[i] * y[j])
}

fn symmetric<D: Len>(a: &Tensor<f64, (D, D)>) -> Tensor<f64, (D, D)> {
    tensor!([i, j] = 0.5 * (a[i, j] + a[j, i]))
}

fn row_sums<D: Extent, E: Extent>(a: &Tensor<f64, (D, E)>) -> Tensor<f64, (D,)> {
    tensor!([i] = sum(k; a[i, k]))
}

fn trace<S: Extents>(a: &Tensor<f64, S>) -> Result<f64, Error> {
    try_tensor!([] = a[i, i])
}

fn norm<T: Element, S: Extents>(a: &Tensor<T, S>) -> Result<T, Error> {
    try_tensor!([] = a[i, j] * conj(a[i, j]))
}

fn scale<T: Element, S: Extents>(a: &mut Tensor<T, S>, factor: T) -> Result<(), Error> {
    try_tensor!(a[i, j] *= factor)
}

fn axpy<T: Element, D: Len>(x: &Tensor<T, (D,)>, y: &mut Tensor<T, (D,)>) {
    tensor!(y[i] += 2.0 * x[i]);
}

fn transform<T: Element>(h: &Tensor<T>, c: &Tensor<T>) -> Tensor<T> {
    tensor! {
        let half[m, j] = h[m, n] * c[n, j];
        let full[i, j] = conj(c[m, i]) * half[m, j];
        full
    }
    .into_dyn()
}

#[test]
fn over_constants() {
    let a: Tensor<f64, Shape![2, 3]> = sample((Const, Const), 1);
    assert_close(&gram(&a), &reference(&(a.at("ki") * a.at("kj")), "ij"));
    let b: Tensor<f64, Shape![2, _]> = sample((Const, 4), 1);
    let c: Tensor<f64, Shape![_, 2]> = sample((4, Const), 2);
    assert_close(&product(&b, &c), &reference(&(b.at("ik") * c.at("kj")), "ij"));
}

#[test]
fn over_extents() {
    let (x, y): (Tensor<f64, Shape![2]>, Tensor<f64, Shape![_]>) = (sample((Const,), 1), sample((3,), 2));
    let found = outer(&x, &y);
    assert_type::<Tensor<f64, Shape![2, _]>>(&found);
    assert_close(&found, &reference(&(x.at("i") * y.at("j")), "ij"));
    let s = sample((3, 3), 3);
    assert_close(&symmetric(&s), &reference(&(0.5 * (s.at("ij") + s.at("ji"))), "ij"));
    let fixed: Tensor<f64, Shape![3, 3]> = sample((Const, Const), 3);
    assert_close(&symmetric(&fixed), &symmetric(&s));
    assert_close(&row_sums(&found), &reference(&found.at("ik"), "i"));
}

#[test]
fn over_shapes_and_elements() {
    let a = sample::<Shape>([2, 2], 1);
    assert!((trace(&a).unwrap() - a[[0, 0]] - a[[1, 1]]).abs() < 1e-14);
    let fixed: Tensor<f64, Shape![2, 2]> = sample((Const, Const), 1);
    assert_eq!(trace(&fixed).unwrap(), trace(&a).unwrap());
    // Rank and extents that the compiler could not see.
    assert_eq!(trace(&sample::<Shape>([2, 2, 2], 1)).unwrap_err().to_string(), "`a` has rank 3 but 2 indices are given");
    assert_eq!(trace(&sample((2, 3), 1)).unwrap_err().to_string(), "index `i` has extent 2 on axis 0 of `a` but 3 on axis 1");
    let z = Tensor::<Complex<f32>>::filled([2, 2], Complex::new(3.0, 4.0)).unwrap();
    assert_eq!(norm(&z).unwrap(), Complex::new(100.0, 0.0));
    assert_eq!(norm(&Tensor::<f32>::filled([1, 2], 2.0).unwrap()).unwrap(), 8.0);
    let mut z = z;
    scale(&mut z, Complex::new(0.0, 1.0)).unwrap();
    assert_eq!(z[[0, 0]], Complex::new(-4.0, 3.0));
    let mut y = sample((3,), 2);
    let x = sample((3,), 1);
    let before = y.clone();
    axpy(&x, &mut y);
    assert_close(&y, &reference(&(before.at("i") + 2.0 * x.at("i")), "i"));
    let c = sample::<Shape>([2, 2], 5);
    assert_close(&transform(&a, &c), &reference(&(c.at("mi") * a.at("mn") * c.at("nj")), "ij"));
}

/// The rank is known to the run alone, or to one operand.
#[test]
fn run_time_rank_beside_static_rank() {
    let (any, fixed): (Tensor<f64>, Tensor<f64, Shape![3, 4]>) = (sample([2, 3], 1), sample((Const, Const), 2));
    let found = tensor!([i, j] = any[i, k] * fixed[k, j]);
    assert_type::<Tensor<f64, Shape![_, 4]>>(&found);
    assert_close(&found, &reference(&(any.at("ik") * fixed.at("kj")), "ij"));
    let error = try_tensor!([i, j] = any[i, j] * fixed[i, j]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index `i` has extent 2 in `any` but 3 in `fixed`\nindex `j` has extent 3 in `any` but 4 in `fixed`"
    );
}

/// A matrix of constant extents as a type of its own, with everything that a block may hold.
struct System<T: Element, const N: usize, const K: usize> {
    h: Tensor<T, Shape![N, N]>,
    c: Tensor<T, Shape![N, K]>,
}

impl<T: Element, const N: usize, const K: usize> System<T, N, K> {
    fn new(seed: usize) -> Self {
        let element = |x: f64| T::from_complex(Complex::new(x, 0.3 * x));
        let (h, c) = (sample::<Shape![N, N]>((Const, Const), seed), sample::<Shape![N, K]>((Const, Const), seed + 1));
        System {
            h: Tensor::from_fn((Const, Const), |i| element(h[[i[0], i[1]]])).unwrap(),
            c: Tensor::from_fn((Const, Const), |i| element(c[[i[0], i[1]]])).unwrap(),
        }
    }

    /// A block with a header, rebinding, a tensor that is written and read again, and two results.
    fn project(&mut self, shift: T) -> (Tensor<T, Shape![K, K]>, T) {
        tensor! {
            where m, n: N;
            let half[m, j] = self.h[m, n] * self.c[n, j];
            let full[i, j] = conj(self.c[m, i]) * half[m, j];
            let full[i, j] = 0.5 * (full[i, j] + conj(full[j, i])) + shift * 2.0[i, j];
            self.c[m, j] *= 2.0;
            let e = full[i, i] - 3.0 * self.c[n, i] * half[n, i];
            (full, e)
        }
    }

    fn gram(&self) -> Tensor<T, Shape![K, K]> {
        einsum!("mi,mj->ij", self.c, self.c)
    }

    fn flat(&self) -> Result<Tensor<T>, Error> {
        Ok(try_tensor!([(m, j)] = self.c[m, j])?.into_dyn())
    }

    fn cut(&mut self, n: usize) {
        tensor!(self.h[m in ..n, 0] = 1.0[m] * self.h[0, 0]);
        tensor!(self.h[{ n }, k] -= self.h[0, k]);
    }
}

fn project_several<T: Element, const N: usize, const K: usize>() {
    let mut system = System::<T, N, K>::new(N + K);
    let (h, before) = (system.h.clone(), system.c.clone());
    let shift = T::from_complex(Complex::new(0.5, 0.0));
    let (full, e) = system.project(shift);
    assert_type::<Tensor<T, Shape![K, K]>>(&full);
    assert_close(&system.c, &reference(&(before.at("mj") + before.at("mj")), "mj"));
    let full_by_hand = before.at("mi").conj() * h.at("mn") * before.at("nj");
    let turned = before.at("mj").conj() * h.at("mn") * before.at("ni");
    let two = T::from_complex(Complex::new(2.0, 0.0));
    let half = T::from_complex(Complex::new(0.5, 0.0));
    let expected = reference(&(full_by_hand.sum("mn") * half + turned.sum("mn").conj() * half), "ij");
    let shifted = expected.at("ij") + tensorwrapper::Indexed::spread(shift * two, "ij");
    assert_close(&full, &reference(&shifted, "ij"));
    let six = T::from_complex(Complex::new(6.0, 0.0));
    let trace = reference(&(full.at("ii") - (before.at("mi") * h.at("mn") * before.at("ni")) * six), "").as_slice()[0];
    assert!((e - trace).to_complex().norm() < 1e-10 * (1.0 + trace.to_complex().norm()), "{e} against {trace}");
    assert_close(&system.gram(), &reference(&(system.c.at("mi") * system.c.at("mj")), "ij"));
    assert_eq!(system.flat().unwrap().as_slice(), system.c.as_slice());
    let old = system.h.clone();
    system.cut(N - 1);
    assert_eq!(system.h[[0, 0]], old[[0, 0]]);
    assert_eq!(system.h[[N - 1, 0]], old[[N - 1, 0]] - old[[0, 0]]);
}

#[test]
fn constants_with_several_values() {
    project_several::<f64, 2, 3>();
    project_several::<f64, 5, 1>();
    project_several::<Complex<f64>, 2, 2>();
    project_several::<Complex<f64>, 4, 3>();
    let a: Tensor<f64, Shape![4, 2]> = sample((Const, Const), 1);
    assert_close(&gram(&a), &reference(&(a.at("ki") * a.at("kj")), "ij"));
    let a: Tensor<f64, Shape![0, 2]> = sample((Const, Const), 1);
    assert_eq!(gram(&a).as_slice(), [0.0; 4]);
}

fn solve_pair<T: Element, const N: usize>(a: &Tensor<T, Shape![N, N]>) -> Result<Tensor<T, Shape![N, N]>, Error> {
    try_tensor! {
        let (e[n], v[p, n]) = eigh(a[p, q]);
        let back[p, q] = v[p, n] * cast(e[n]) * conj(v[q, n]);
        back
    }
}

type Square<T, D> = Tensor<T, (D, D)>;

fn factor<T: Element, D: Len>(a: &Square<T, D>) -> Result<Square<T, D>, Error> {
    try_tensor!([i, k] = cholesky(a[i, j]))
}

fn values<T: Element, D: Len>(a: &Square<T, D>) -> Tensor<T::Real, (D,)> {
    let (values, _) = tensor!(([n], [i, n]) = eigh(a[i, j]));
    values
}

/// Results whose type is the elements' real one.
#[test]
fn decompositions_in_generic_functions() {
    fn check<T: Element, const N: usize>() {
        let g = System::<T, N, N>::new(3).c;
        let a: Tensor<T, Shape![N, N]> = tensor!([i, j] = g[i, k] * conj(g[j, k]) + 1[i, j] * 0.0);
        assert_close(&solve_pair(&a).unwrap(), &a);
        let mut a = a;
        tensor!(a[i, i] += 1[i]);
        let (l, values) = (factor(&a).unwrap(), values(&a));
        assert_close(&tensor!([i, j] = l[i, k] * conj(l[j, k])), &a);
        let trace = tensor!([] = a[i, i]).to_complex();
        let sum = tensor!([] = sum(n; values[n])).to_complex();
        assert!((trace - sum).norm() < 1e-10 * trace.norm());
    }
    check::<f64, 2>();
    check::<f64, 4>();
    check::<Complex<f64>, 3>();
    let wide: Tensor<f64, Shape![_, _]> = sample((2, 3), 1);
    let error = factor(&wide).unwrap_err().to_string();
    assert!(error.starts_with("row index `i` has extent 2 but column index `j` has 3: the matrix is not square"), "{error}");
}

fn literals<T: Element>(x: &Tensor<T>, n: usize) -> Tensor<T, Shape![_]> {
    let scale = T::from_complex(Complex::new(n as f64, 0.0));
    tensor!([i] = 2.5 * x[i] - x[i] / 4 + { scale } * x[i] + scale * 1e0[i] - powi(x[i], 2) * powf(x[i], 1.0))
}

fn largest<T: Element<Real = T>, S: Extents>(x: &Tensor<T, S>) -> T {
    tensor!([] = max(i, j; abs(x[i, j]) - min(k; x[i, k])))
}

fn largest_of_any<T: Element>(x: &Tensor<T>) -> Result<T, Error> {
    try_tensor!([] = max(i; x[i]))
}

fn clamped<T: Element<Real = T> + PartialOrd>(x: &Tensor<T>, low: T, high: T) -> Tensor<T, Shape![_]> {
    let clamp = |x: T| {
        if x < low {
            low
        } else if x > high {
            high
        } else {
            x
        }
    };
    tensor!([i] = map(clamp; x[i]))
}

#[test]
fn numbers_in_generic_equations() {
    let x = sample::<Shape>([4], 1);
    let by_hand = |x: f64| 2.25 * x + 3.0 * x + 3.0 - x * x * x;
    let expected: Vec<f64> = x.as_slice().iter().map(|&x| by_hand(x)).collect();
    assert_close(&literals(&x, 3), &Tensor::<f64>::from_slice([4], &expected).unwrap());
    let complex = literals(&x.cast::<Complex<f64>>().unwrap(), 3);
    assert_close(&complex, &literals(&x, 3).cast::<Complex<f64>>().unwrap());
    let single = literals(&x.cast::<f32>().unwrap(), 3);
    assert!(single.as_slice().iter().zip(&expected).all(|(&a, &b)| (f64::from(a) - b).abs() < 1e-5));
    // An order is what real numbers have.
    let m: Tensor<f32, Shape![2, _]> = Tensor::from_slice((Const, 2), &[1.0, -5.0, 2.0, 3.0]).unwrap();
    assert_eq!(largest(&m), 10.0);
    assert_eq!(largest_of_any(&x).unwrap(), x.as_slice().iter().copied().fold(0.0, f64::max));
    let error = largest_of_any(&Tensor::<Complex<f32>>::zeros([2]).unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("`max` and `min` need an order, which `Complex<f32>` has not"), "{error}");
    assert_eq!(clamped(&Tensor::<f32>::from_slice([3], &[-2.0, 0.5, 7.0]).unwrap(), 0.0, 1.0).as_slice(), [0.0, 0.5, 1.0]);
}

fn update<S: Extents, T: Element>(c: &mut Tensor<T, S>, a: &TensorRef<'_, T, S>, b: &[Tensor<T>]) -> Result<(), Error> {
    try_tensor! {
        let sum[i, j] = a[i, j] + (b[0])[i, j];
        c[i, j] = sum[i, k] * (b[1])[k, j];
        c[i, i] -= sum[i, i];
    }
}

fn traced<S: Extents>(a: &Tensor<f64, S>) -> Tensor<f64> {
    tensor!([..] = 2.0 * a[.., 0]).into_dyn()
}

/// One function for constant extents, for a rank known to the compiler, and for none.
#[test]
fn one_function_for_every_kind_of_shape() {
    fn check<S: Extents>(shape: impl IntoShape<S> + Copy) {
        let (a, b) = (sample(shape, 1), [sample([3, 3], 2), sample([3, 3], 3)]);
        let mut c = sample(shape, 4);
        update(&mut c, &a.view(), &b).unwrap();
        let sum = reference(&(a.at("ij") + b[0].at("ij")), "ij");
        let mut expected = reference(&(sum.at("ik") * b[1].at("kj")), "ij");
        tensor!(expected[i, i] -= sum[i, i]);
        assert_close(&c, &expected);
        assert_close(&traced(&a), &reference(&(2.0 * a.at("i,0")), "i"));
        let small = [sample([2, 2], 2), sample([2, 2], 3)];
        let before = c.clone();
        let error = update(&mut c, &a.view(), &small).unwrap_err().to_string();
        assert!(error.starts_with("index `i` has extent 3 in `a` but 2 in `(b[0])`"), "{error}");
        assert_eq!(c, before);
    }
    check::<Shape![3, 3]>((Const, Const));
    check::<Shape![3, _]>((Const, 3));
    check::<Shape![_, _]>((3, 3));
    check::<Shape>([3, 3]);
}
