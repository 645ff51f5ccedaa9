//! Chooses how to compute a product form as the value of a tensor with given labels: by a kernel, by pairwise contractions, or
//! by the loops of its node.

use super::form::ProductForm;
use super::node::Loops;
use super::pairs::plan::PairPlan;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::shape::StaticExtents;
use tensorwrapper_cpu::fixed::Problem;

impl ProductForm {
    /// Whether all its values together are better computed than each by itself.
    pub(super) const fn is_called<G: Loops>(self, dtype: Dtype) -> bool {
        self.has_kernel::<G>(dtype) || self.plan::<G>().is_some()
    }

    /// The pairs that it is made of as the value of a tensor with these labels, in the best order. Nothing for two factors, and where
    /// loops serve as well.
    pub(super) const fn plan<G: Loops>(self) -> Option<PairPlan> {
        match self {
            ProductForm::Sum(contraction) => PairPlan::new(&contraction, G::LABELS, <G::Shape as StaticExtents>::EXTENTS),
            ProductForm::Number | ProductForm::Elements(_) | ProductForm::Other => None,
        }
    }

    /// Whether there is a kernel for it as the value of a tensor with these labels.
    pub(super) const fn has_kernel<G: Loops>(self, dtype: Dtype) -> bool {
        self.problem::<G>(dtype).is_some()
    }

    /// The problem that there is a kernel for; any, where there is none.
    pub(super) const fn matched<G: Loops>(self, dtype: Dtype) -> (Problem, bool) {
        match self.problem::<G>(dtype) {
            Some(matched) => matched,
            None => (Problem::ONE, false),
        }
    }

    /// The kernel's problem that it is as the value of a tensor with these labels, and whether the operand on the right
    /// comes first in it. Nothing where loops serve as well or better.
    pub(super) const fn problem<G: Loops>(self, dtype: Dtype) -> Option<(Problem, bool)> {
        let ProductForm::Sum(contraction) = self else { return None };
        contraction.kernel(G::LABELS, <G::Shape as StaticExtents>::EXTENTS, dtype)
    }
}
