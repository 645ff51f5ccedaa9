//! What is measured: subscripts and extents, and the tensors of one.

use std::collections::BTreeMap;
use std::hint::black_box;

use tensorwrapper::{Context, DynOperand, Element, Prepared, Tensor};

/// What a row cannot be faster than, beside the processor's peak.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Nothing.
    Peak,
    /// Its operands have to be read.
    Read,
    /// Its result has to be written.
    Write,
    /// As many bytes have to be copied as it reads and writes.
    Copy,
}

impl Bound {
    pub fn name(self) -> &'static str {
        match self {
            Bound::Peak => "peak",
            Bound::Read => "read",
            Bound::Write => "write",
            Bound::Copy => "copy",
        }
    }
}

/// A contraction of two operands.
pub struct Row {
    pub name: String,
    subscripts: String,
    extents: BTreeMap<char, usize>,
    pub bound: Bound,
}

impl Row {
    /// `extents` are labels and their extents, as in `b1000 i16`; a label that is not there has the last one's.
    fn new(name: &str, subscripts: &str, extents: &str, bound: Bound) -> Row {
        let pairs = extents.split(' ').map(|pair| (pair.chars().next(), pair.trim_start_matches(char::is_alphabetic)));
        let pairs: Vec<(char, usize)> =
            pairs.map(|(label, extent)| (label.expect("a label"), extent.parse().expect("an extent"))).collect();
        let (_, rest) = pairs[pairs.len() - 1];
        let mut all: BTreeMap<char, usize> =
            subscripts.chars().filter(|label| label.is_alphabetic()).map(|label| (label, rest)).collect();
        all.extend(pairs);
        Row { name: format!("{name} `{subscripts}` {extents}"), subscripts: subscripts.into(), extents: all, bound }
    }

    /// The extents of both operands and the result.
    fn shapes(&self) -> [Vec<usize>; 3] {
        let mut parts = self.subscripts.split([',', '>']);
        [(); 3].map(|()| {
            let labels = parts.next().expect("two operands and a result").trim_end_matches('-');
            labels.chars().map(|label| self.extents[&label]).collect()
        })
    }

    /// Elements of both operands and the result.
    pub fn sizes(&self) -> [usize; 3] {
        self.shapes().map(|shape| shape.iter().product())
    }

    /// Operations on real numbers, a multiplication and an addition for each product of two.
    pub fn operations<T: Element>(&self) -> f64 {
        let each = if T::DTYPE.is_complex() { 8.0 } else { 2.0 };
        self.extents.values().map(|&extent| extent as f64).product::<f64>() * each
    }
}

/// Products of square matrices.
pub fn square(n: usize) -> Row {
    Row::new("square", "ik,kj->ij", &format!("i{n}"), Bound::Peak)
}

/// Products that read or write much for what they compute.
pub fn thin() -> Vec<Row> {
    vec![
        Row::new("batched", "bik,bkj->bij", "b1000 i16", Bound::Copy),
        Row::new("batched", "bik,bkj->bij", "b4000 i8", Bound::Copy),
        Row::new("batched", "bik,bkj->bij", "b300 i32", Bound::Copy),
        Row::new("batched, right one transposed", "bik,bjk->bij", "b1000 i16", Bound::Copy),
        Row::new("batch inside", "ikb,kjb->ijb", "b1000 i16", Bound::Copy),
        Row::new("batch inside", "ikb,kjb->ijb", "b1000 i64", Bound::Copy),
        Row::new("dot", "i,i->", "i10000000", Bound::Read),
        Row::new("outer", "i,j->ij", "i4000", Bound::Write),
        Row::new("matrix times vector", "ij,j->i", "i4000", Bound::Read),
        Row::new("transpose times vector", "ij,i->j", "i4000", Bound::Read),
        Row::new("few rows", "ik,kj->ij", "i8 k2000 j2000", Bound::Read),
        Row::new("reversed result", "abcdf,fg->gdcba", "a20 b12 c14 d30 f10 g10", Bound::Copy),
    ]
}

/// Products that are worth a second thread.
pub fn shared() -> Vec<Row> {
    vec![square(2400), contraction()]
}

/// Two axes summed that lie apart, four kept whose order is a new one.
fn contraction() -> Row {
    Row::new("contraction", "aebf,dfce->abcd", "a40 b36 e32", Bound::Peak)
}

/// Products that might need memory beside their operands: large ones, lying in several ways.
pub fn large() -> Vec<Row> {
    vec![
        square(2400),
        Row::new("of transposes", "ki,jk->ij", "i2400", Bound::Peak),
        contraction(),
        Row::new("rank 3 by matrix", "adb,cd->cba", "a312 c24 b312", Bound::Peak),
        Row::new("rank 6 result", "dega,gfbc->abcdef", "a24 d24 e16 f16 g24 b16 c16", Bound::Peak),
        Row::new("batched", "bik,bkj->bij", "b1000 i64", Bound::Peak),
        Row::new("batch inside", "ikb,kjb->ijb", "b1000 i64", Bound::Peak),
    ]
}

/// The tensors of a row, all of them there before it runs.
pub struct Problem<T: Element> {
    subscripts: String,
    operands: [Tensor<T>; 2],
    result: Tensor<T>,
}

impl<T: Element> Problem<T> {
    pub fn new(row: &Row) -> Problem<T> {
        let mut tensors = row.shapes().map(|shape| {
            let mut tensor = Tensor::<T>::zeros(shape).expect("the machine has memory for the rows");
            // Written, so that the system has given the pages.
            tensor.as_mut_slice().iter_mut().enumerate().for_each(|(n, x)| *x = T::from_complex(((n % 97) as f64 * 0.01).into()));
            tensor
        });
        let result = std::mem::replace(&mut tensors[2], Tensor::zeros(vec![0]).expect("nothing needs no memory"));
        let [left, right, _] = tensors;
        Problem { subscripts: row.subscripts.clone(), operands: [left, right], result }
    }

    pub fn prepare(&self, threads: usize) -> Prepared<T> {
        let context = Context::cpu().threads(threads);
        context.prepare(&self.subscripts, &self.given()).expect("rows are well formed")
    }

    pub fn run(&mut self, product: &Prepared<T>) {
        let [left, right] = &self.operands;
        let operands: [&dyn DynOperand<T>; 2] = [black_box(left), black_box(right)];
        product.run_into(&operands, &mut self.result).expect("rows are well formed");
        black_box(&self.result);
    }

    fn given(&self) -> [&dyn DynOperand<T>; 2] {
        [&self.operands[0], &self.operands[1]]
    }
}
