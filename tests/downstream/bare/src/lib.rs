//! A program whose own names are those that an expansion, or the prelude, needs.

#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(dead_code, non_snake_case, non_camel_case_types)]

mod std {}
mod core {}
mod alloc {}
mod tensorwrapper {}
mod __private {}
mod __macros {}

struct Tensor;
struct Result;
struct Option;
struct Some;
struct None;
struct Ok;
struct Err;
struct Vec;
struct Index;
struct Label;
struct PhantomData;
type f64 = u8;
type usize = u8;
fn __unwrap() {}
fn drop() {}

/// What nobody should touch.
trait Into {
    fn into(&self) {}
}
impl<T> Into for T {}

type Matrix = ::tensorwrapper::Tensor<::core::primitive::f64, ::tensorwrapper::Shape![2, 2]>;

fn equation(a: &Matrix, x0: &Matrix, Dyn: &Matrix, __context: ::core::primitive::f64) -> Matrix {
    let (__recorder, __results, __value, __element, __operand0, __node0, __given0, __extent0, __unwrap) =
        (1, 2, 3, 4, 5, 6, 7, 8, 9);
    let _ = (__recorder, __results, __value, __element, __operand0, __node0, __given0, __extent0, __unwrap);
    ::tensorwrapper::tensor!([i, j] = __context * a[i, k] * x0[k, l] * Dyn[l, j])
}

fn block(a: &Matrix, c: &mut Matrix) -> ::core::result::Result<Matrix, ::tensorwrapper::Error> {
    ::tensorwrapper::try_tensor! {
        where i, j, k: 2;
        let __equation0[i, j] = a[i, k] * a[k, j] + a[0, i] * 1[j];
        c[i, j] += __equation0[i, j];
        __equation0
    }
}

fn subscripts(a: &Matrix) -> ::core::primitive::f64 {
    ::tensorwrapper::einsum!("ij,ij->", a, a)
}
