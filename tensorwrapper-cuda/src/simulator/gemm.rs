//! A product of matrices with the arguments of cuBLAS and the meaning that its manual gives them. Arguments that the library
//! would refuse are refused here, too.

use num_complex::Complex;

use crate::memory::Address;
use crate::text::{Gemm, Stored, Transpose};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};

/// Multiplies matrices in the host's memory.
///
/// # Errors
/// [`ErrorKind::Device`] for arguments that a library refuses.
///
/// # Safety
/// There is memory for all elements that the arguments describe.
pub unsafe fn multiply(gemm: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error> {
    let [m, n, k] = gemm.sizes;
    let [(a, left), (b, right)] = gemm.factors;
    let rows = |transpose: Transpose, plain: i32, transposed: i32| if transpose == Transpose::Plain { plain } else { transposed };
    let short = |stored: &Stored, rows: i32| stored.ld < rows.max(1);
    if m < 0 || n < 0 || k < 0 || gemm.batch < 0 {
        return Err(refused(gemm, "a negative size"));
    }
    if short(&left, rows(a, m, k)) || short(&right, rows(b, k, n)) || short(&gemm.output, m) {
        return Err(refused(gemm, "columns that overlap"));
    }
    // SAFETY: the caller's promise.
    dispatch!(gemm.dtype, T => unsafe { each::<T>(gemm, factors, output) });
    Ok(())
}

fn refused(gemm: &Gemm, what: &str) -> Error {
    Error::new(ErrorKind::Device(format!("{what} in {gemm:?}")))
}

/// # Safety
/// As for [`multiply`], and the elements are of this type.
unsafe fn each<T: Element>(gemm: &Gemm, [a, b]: [Address; 2], c: Address) {
    let [m, n, k] = gemm.sizes.map(|size| size as usize);
    // SAFETY: the caller's promise.
    let at = |address: Address, position: isize| unsafe { *(address as *const T).offset(position) };
    let read = |address: Address, (transpose, stored): (Transpose, Stored), item: usize, row: usize, column: usize| {
        let (row, column) = if transpose == Transpose::Plain { (row, column) } else { (column, row) };
        let position = item as isize * stored.batch_stride as isize + (row + column * stored.ld as usize) as isize;
        let value = at(address, position).to_complex();
        if transpose == Transpose::Adjoint { value.conj() } else { value }
    };
    for item in 0..gemm.batch as usize {
        for (column, row) in (0..n).flat_map(|column| (0..m).map(move |row| (column, row))) {
            let product = |term| read(a, gemm.factors[0], item, row, term) * read(b, gemm.factors[1], item, term, column);
            let sum: Complex<f64> = (0..k).map(product).sum();
            let position = item as isize * gemm.output.batch_stride as isize + (row + column * gemm.output.ld as usize) as isize;
            // SAFETY: the caller's promise.
            unsafe { *(c as *mut T).offset(position) = T::from_complex(gemm.alpha * sum) };
        }
    }
}
