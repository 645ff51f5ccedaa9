//! Describes nodes that are sums of products, as constants: a node gives the stride of each label in its operands, and a sum of
//! products of two such nodes is matched with a kernel's problem. This file must not know of nodes.

use tensorwrapper_core::element::{Dtype, EveryDtype};
use tensorwrapper_cpu::fixed::{Axis, MOST_OUTER, MOST_TRANSPOSED, Problem, Term};

/// Labels that are told apart.
pub(super) const LABELS: usize = 16;

/// Labels of a sum.
pub(super) const SUMMED: usize = 8;

/// Factors of a product.
pub(super) const FACTORS: usize = 5;

/// Products of so many multiplications are loops where they stand: a call takes longer.
pub(super) const INLINE: usize = 64;

/// The stride of each label in an operand.
#[derive(Clone, Copy, Debug)]
pub struct Steps(pub(super) [usize; LABELS]);

impl Steps {
    pub(super) const NONE: Steps = Steps([0; LABELS]);
}

/// A label that is summed over, and its extent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summed {
    pub(super) label: usize,
    pub(super) extent: usize,
}

/// The form of a node as a sum of products, if it has one.
#[derive(Clone, Copy, Debug)]
pub enum ProductForm {
    /// A number.
    Number,
    /// Elements of one operand, or of several, multiplied.
    Elements(Contraction),
    /// Such products, summed.
    Sum(Contraction),
    /// Something else.
    Other,
}

/// A sum of products of elements of operands.
#[derive(Clone, Copy, Debug)]
pub struct Contraction {
    pub(super) steps: [Steps; FACTORS],
    /// Number of operands.
    pub(super) count: usize,
    pub(super) summed: [Option<Summed>; SUMMED],
}

impl ProductForm {
    /// An operand in C order whose axes run with these labels.
    pub(super) const fn elements(extents: &[usize], labels: &[Option<usize>]) -> ProductForm {
        let (mut steps, mut step, mut axis) = ([0; LABELS], 1, extents.len());
        while axis > 0 {
            axis -= 1;
            match labels[axis] {
                Some(label) if label >= LABELS => return ProductForm::Other,
                Some(label) => steps[label] += step,
                None => {}
            }
            step *= extents[axis];
        }
        let mut contraction = Contraction { steps: [Steps::NONE; FACTORS], count: 1, summed: [None; SUMMED] };
        contraction.steps[0] = Steps(steps);
        ProductForm::Elements(contraction)
    }

    /// The product of two trees. A number is no part of its form, but scales what is computed. A sum inside a factor can be
    /// moved to the front of the product, because no other factor has its labels.
    pub(super) const fn times(self, other: ProductForm) -> ProductForm {
        match (self, other) {
            (ProductForm::Number, form) | (form, ProductForm::Number) => form,
            (ProductForm::Elements(a), ProductForm::Elements(b)) => match a.times(&b) {
                Some(all) => ProductForm::Elements(all),
                None => ProductForm::Other,
            },
            (ProductForm::Elements(a) | ProductForm::Sum(a), ProductForm::Elements(b) | ProductForm::Sum(b)) => match a.times(&b)
            {
                Some(all) => ProductForm::Sum(all),
                None => ProductForm::Other,
            },
            (ProductForm::Other, _) | (_, ProductForm::Other) => ProductForm::Other,
        }
    }

    /// The sum over a label.
    pub(super) const fn sum(self, label: usize, extent: usize) -> ProductForm {
        let mut contraction = match self {
            ProductForm::Elements(contraction) | ProductForm::Sum(contraction) => contraction,
            ProductForm::Number | ProductForm::Other => return ProductForm::Other,
        };
        if contraction.sums(Summed { label, extent }) { ProductForm::Sum(contraction) } else { ProductForm::Other }
    }

    /// The one of two that is a sum of products, that of more factors first.
    pub(super) const fn or(self, other: ProductForm) -> ProductForm {
        match (self, other) {
            (ProductForm::Sum(a), ProductForm::Sum(b)) if b.count > a.count => other,
            (ProductForm::Sum(_), _) => self,
            (ProductForm::Number | ProductForm::Elements(_) | ProductForm::Other, _) => other,
        }
    }

    /// Number of operands that are multiplied.
    pub(super) const fn count(self) -> usize {
        match self {
            ProductForm::Elements(contraction) | ProductForm::Sum(contraction) => contraction.count,
            ProductForm::Number | ProductForm::Other => 0,
        }
    }

    /// Whether it is a sum of products.
    pub(super) const fn is_sum(self) -> bool {
        matches!(self, ProductForm::Sum(_))
    }
}

impl Contraction {
    /// The operands of both, and the labels that either is summed over.
    const fn times(&self, other: &Contraction) -> Option<Contraction> {
        let (mut all, mut n) = (*self, 0);
        while n < other.count {
            if all.count == FACTORS {
                return None;
            }
            all.steps[all.count] = other.steps[n];
            (all.count, n) = (all.count + 1, n + 1);
        }
        let mut n = 0;
        while n < SUMMED {
            if let Some(summed) = other.summed[n]
                && !all.sums(summed)
            {
                return None;
            }
            n += 1;
        }
        Some(all)
    }

    /// Adds a label that is summed over; whether there is room for it.
    pub(super) const fn sums(&mut self, summed: Summed) -> bool {
        let mut n = 0;
        while n < SUMMED {
            if self.summed[n].is_none() && summed.label < LABELS {
                self.summed[n] = Some(summed);
                return true;
            }
            n += 1;
        }
        false
    }

    /// The problem of a kernel for these labels, and whether the operand on the right comes first in it. Nothing where loops serve as
    /// well or better.
    pub(super) const fn kernel(&self, labels: &[usize], extents: &[usize], dtype: Dtype) -> Option<(Problem, bool)> {
        if self.count != 2 {
            return None;
        }
        let Some((problem, is_swapped)) = self.problem(labels, extents) else { return None };
        let (parts, narrowest) = match dtype.every() {
            EveryDtype::F64 => (1, 2),
            EveryDtype::C64 => (2, 2),
            EveryDtype::F32 => (1, 4),
            EveryDtype::C32 => (2, 4),
        };
        let transposed =
            if problem.b_column == 1 { 0 } else { problem.columns * problem.terms[0].extent * problem.terms[1].extent };
        if problem.columns * parts < narrowest || problem.work() <= INLINE || transposed > MOST_TRANSPOSED {
            return None;
        }
        Some((problem, is_swapped))
    }

    /// The problem, of any size.
    const fn problem(&self, labels: &[usize], extents: &[usize]) -> Option<(Problem, bool)> {
        let Some(last) = labels.len().checked_sub(1) else { return None };
        let mut n = 0;
        while n < labels.len() {
            if labels[n] >= LABELS || extents[n] == 0 {
                return None;
            }
            n += 1;
        }
        // Columns are of one operand alone, which is then on the right.
        let column = labels[last];
        let [Steps(a), Steps(b), ..] = self.steps;
        let is_swapped = a[column] != 0;
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        if a[column] != 0 || b[column] == 0 {
            return None;
        }
        let Some(terms) = self.terms(&a, &b) else { return None };
        // Rows are the longest axis of the other operand alone.
        let (mut row, mut n) = (last, 0);
        while n < last {
            if a[labels[n]] != 0 && b[labels[n]] == 0 && (row == last || extents[n] > extents[row]) {
                row = n;
            }
            n += 1;
        }
        if row == last {
            return None;
        }
        let mut problem = Problem {
            rows: extents[row],
            columns: extents[last],
            terms,
            a_row: a[labels[row]],
            c_row: 0,
            b_column: b[column],
            outer: [Axis::NONE; MOST_OUTER],
        };
        let (mut c, mut outer, mut n) = (extents[last], 0, last);
        while n > 0 {
            n -= 1;
            if n == row {
                problem.c_row = c;
            } else if outer == MOST_OUTER {
                return None;
            } else {
                problem.outer[outer] = Axis { extent: extents[n], a: a[labels[n]], b: b[labels[n]], c };
                outer += 1;
            }
            c *= extents[n];
        }
        Some((problem, is_swapped))
    }

    /// The summed labels as two loops: those that follow each other in both operands are one.
    const fn terms(&self, a: &[usize; LABELS], b: &[usize; LABELS]) -> Option<[Term; 2]> {
        let (mut terms, mut found, mut n) = ([Term::NONE; 2], 0, 0);
        while n < SUMMED {
            if let Some(Summed { label, extent }) = self.summed[n] {
                let term = Term { extent, a: a[label], b: b[label] };
                let inner = if found == 0 { Term::NONE } else { terms[found - 1] };
                if extent == 0 {
                    return None;
                } else if extent == 1 {
                } else if found > 0 && term.a == inner.extent * inner.a && term.b == inner.extent * inner.b {
                    terms[found - 1].extent *= extent;
                } else if found == terms.len() {
                    return None;
                } else {
                    terms[found] = term;
                    found += 1;
                }
            }
            n += 1;
        }
        Some(terms)
    }
}
