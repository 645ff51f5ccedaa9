//! One invocation of the macros before it runs: the texts of its equations, and the values that the program passes to them.
//! This file must not know of runs.

use std::sync::OnceLock;

use num_complex::Complex;
use tensorwrapper_notation::{Equation, read};

use crate::exec::{KeptIntegers, KeptPlan, Number, RecentPlans};
use crate::expr::{OperandData, ScalarKind, ScalarValue};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;

/// One equation of an invocation: its text, and for each operand the number of its value. The results of the equations have the
/// first numbers, in order, and the values that the program passes have the next.
#[derive(Debug)]
pub struct Recipe(pub &'static str, pub &'static [usize]);

/// The most plans of one kind that an invocation keeps. Methods that extend a basis by one vector in each step (Lanczos, Davidson) meet two
/// dozen extents again and again.
pub(super) const MOST_PLANS: usize = 32;

/// One invocation: the data that the macro emits, and the plans of earlier runs.
#[derive(Debug)]
pub struct CallSite {
    pub(super) recipes: &'static [Recipe],
    /// The results that leave the block.
    pub(super) sinks: &'static [usize],
    equations: OnceLock<Vec<Equation>>,
    pub(super) kept: RecentPlans<KeptPlan>,
    pub(super) kept_integers: RecentPlans<KeptIntegers>,
}

impl CallSite {
    /// An invocation that has never run.
    pub const fn new(recipes: &'static [Recipe], sinks: &'static [usize]) -> CallSite {
        CallSite { recipes, sinks, equations: OnceLock::new(), kept: RecentPlans::new(), kept_integers: RecentPlans::new() }
    }

    /// Whether an equation has derivatives, which depend on which operands are the same tensor.
    pub(super) fn has_derivatives(&self) -> bool {
        self.equations().iter().any(|equation| !equation.gradients().is_empty())
    }

    pub(super) fn equations(&self) -> &[Equation] {
        self.equations.get_or_init(|| self.recipes.iter().map(|recipe| read(recipe.0)).collect())
    }
}

/// A tensor that the program gives.
#[derive(Clone, Debug)]
pub struct Tensor<'a>(pub(super) OperandData<'a>);

/// The values that one equation takes from the program in addition to tensors.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) dtype: Dtype,
    /// Whether its elements are integers, which are recorded as elements of that type.
    pub(super) is_integer: bool,
    pub(super) scalars: Vec<ScalarValue<'a>>,
    pub(super) numbers: Vec<Number>,
    pub(super) functions: Vec<Callback<'a>>,
    /// Element types inside of the casts.
    pub(super) casts: Vec<Dtype>,
}

/// The scalars of an equation, those that are plain numbers.
pub(super) fn constants(scalars: &[ScalarValue<'_>]) -> impl Iterator<Item = Option<Complex<f64>>> {
    scalars.iter().map(|scalar| if let ScalarKind::Number(value) = scalar.0 { Some(value) } else { None })
}
