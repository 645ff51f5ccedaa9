//! Names of the program that an expansion uses too, and names of the prelude that mean something else here.

#![deny(warnings)]
#![allow(dead_code, unused_macros, non_snake_case, non_camel_case_types, clippy::all)]

mod core {}
mod std {}
mod alloc {}

struct Result;
struct Option;
struct Ok;
struct Err;
struct Some;
struct None;
struct Vec;
struct String;
struct PhantomData;
struct Tensor;
type f64 = u8;
type usize = u8;
type bool = u8;

macro_rules! vec {
    () => {};
}
macro_rules! compile_error {
    () => {};
}

type Matrix = tensorwrapper::Tensor<::core::primitive::f64, tensorwrapper::Shape![2, 2]>;

fn equation(__recorder: &Matrix, __operand0: &Matrix, __given0: &Matrix, __context: ::core::primitive::f64) -> Matrix {
    let (__results, __value, __write0, __patch0, __element, __node0) = (1, 2, 3, 4, 5, 6);
    let _ = (__results, __value, __write0, __patch0, __element, __node0);
    tensorwrapper::tensor!([i, j] = __context * __recorder[i, k] * __operand0[k, l] * __given0[l, j])
}

fn labels_as_types(a: &Matrix) -> Matrix {
    tensorwrapper::tensor!([f64, usize] = a[f64, T] * a[T, usize])
}

fn generic<T, N, E, L, R, M, W>(a: &Matrix, _: (T, N, E, L, R, M, W)) -> ::core::primitive::f64 {
    let i = a;
    let j = tensorwrapper::tensor!([i, j] = i[i, k] * i[k, j]);
    tensorwrapper::tensor!([] = j[a, a])
}

fn types_named_as_the_numbers_of_messages(a: &Matrix) -> Matrix {
    #[allow(dead_code)]
    struct L;
    #[allow(dead_code)]
    type R = u8;
    tensorwrapper::tensor!([i, j] = a[i, k] * a[k, j])
}

fn block(a: &Matrix, c: &mut Matrix) -> Matrix {
    tensorwrapper::tensor! {
        where i, j, k: 2;
        let __equation[i, j] = a[i, k] * a[k, j];
        let w[i, j] = powi(__equation[i, j], 2) + a[0, i] * 1[j];
        c[i, j] += w[i, j];
        w
    }
}

fn fallible(a: &Matrix, c: &mut Matrix) -> ::core::result::Result<(), tensorwrapper::Error> {
    tensorwrapper::try_tensor!(c[i, j] += a[i, k] * a[k, j])?;
    let _ = tensorwrapper::try_tensor! {
        let (e[n], v[p, n]) = eigh(a[p, q]);
        (e, v)
    }?;
    ::core::result::Result::Ok(())
}
