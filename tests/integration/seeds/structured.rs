//! "Tensors, n-ary einsum with hyper-edges, structured tensors above them": what the page says of structure, as this library says it.

use tensorwrapper::{Blocks, Structure, Tensor, Tiling, einsum, einsum_blocks};

fn matrix(rows: usize, columns: usize) -> Tensor<f64> {
    Tensor::from_fn([rows, columns], |i| ((3 * i[0] + 5 * i[1]) % 7) as f64 - 2.0).unwrap()
}

fn vector() -> Blocks<f64> {
    Blocks::from_fn(&Structure::new([&Tiling::cuts([2, 1])]), |i| [2.0, 3.0, 5.0][i[0]]).unwrap()
}

// "DiagonalTensor { diag }": "to_dense" is "i->ii"
#[test]
fn diagonals() {
    let d = Blocks::diagonal(vector()).unwrap();
    let dense = vector().to_dense().unwrap();
    assert_eq!(d.to_dense().unwrap().as_slice(), einsum("i->ii", &[&dense]).unwrap().as_slice());
    assert_eq!((d.bytes(), d.structure().ties()), (24, Some(&[0, 0][..])));
}

// "matmul: no scatter, no dense diagonal matrix": "i,ij->ij"
#[test]
fn products_of_diagonals() {
    let (d, a) = (Blocks::diagonal(vector()).unwrap(), matrix(3, 4));
    let product = einsum_blocks("ij,jk->ik", &[&d, &a]).unwrap();
    let expected = einsum("i,ij->ij", &[&vector().to_dense().unwrap(), &a]).unwrap();
    assert_eq!(product.to_dense().unwrap().as_slice(), expected.as_slice());
    // As many multiplications as the matrix has elements.
    let prepared = tensorwrapper::Context::default();
    let prepared = prepared.prepare_blocks::<f64>("[i, k] = D[i, j] * A[j, k]", &[("D", &d), ("A", &a)]).unwrap();
    assert_eq!(prepared.multiplications(), 12);
}

// "U Σ Vᵀ": "einsum 3-input (no scatter)"; "Tr(A)": "ii->"
#[test]
fn hyper_edges() {
    let (u, d, v) = (matrix(2, 3), Blocks::diagonal(vector()).unwrap(), matrix(3, 4));
    let three = einsum_blocks("ik,kl,lj->ij", &[&u, &d, &v]).unwrap();
    let expected = einsum("ik,k,kj->ij", &[&u, &vector().to_dense().unwrap(), &v]).unwrap();
    assert_eq!(three.to_dense().unwrap().as_slice(), expected.as_slice());
    assert_eq!(einsum_blocks("ii->", &[&d]).unwrap().to_dense().unwrap().as_slice(), [10.0]);
}

// "i->iii": several axes of one index
#[test]
fn more_axes_of_one_index() {
    let cut = Tiling::cuts([2, 1]);
    let three = Structure::new([&cut, &cut, &cut]).tied([0, 1, 2]).unwrap();
    let d = Blocks::<f64>::from_fn(&three, |i| [2.0, 3.0, 5.0][i[0]]).unwrap();
    let expected = einsum("i->iii", &[&vector().to_dense().unwrap()]).unwrap();
    assert_eq!((d.to_dense().unwrap().as_slice(), d.bytes()), (expected.as_slice(), 24));
    assert_eq!(einsum_blocks("iii->i", &[&d]).unwrap().to_dense().unwrap().as_slice(), [2.0, 3.0, 5.0]);
}

// "BlockDiagonal { blocks }: each block is dense"
#[test]
fn block_diagonals() {
    let (a, b) = (matrix(2, 2), matrix(1, 1));
    let both = Blocks::block_diagonal([&a, &b]).unwrap();
    assert_eq!((both.blocks(), both.bytes()), (vec![vec![0, 0], vec![1, 1]], 40));
    let square = einsum_blocks("ij,jk->ik", &[&both, &both]).unwrap();
    assert_eq!((square.blocks(), square.get(&[2, 2]).unwrap()), (both.blocks(), b.as_slice()[0] * b.as_slice()[0]));
    let dense = both.to_dense().unwrap();
    assert_eq!(square.to_dense().unwrap().as_slice(), einsum("ij,jk->ik", &[&dense, &dense]).unwrap().as_slice());
}
