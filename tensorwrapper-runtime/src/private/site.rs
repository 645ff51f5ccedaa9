//! One invocation of the macros before it runs: the texts of its equations, and what the program gives them. It must not know of runs.

use std::sync::OnceLock;

use num_complex::Complex;
use tensorwrapper_notation::{Equation, read};

use crate::exec::{CallSiteCache, Number};
use crate::expr::{OperandData, ScalarKind, ScalarValue};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;

/// One equation of an invocation: its text, and the number of the value that each of its operands is. Results have the
/// first numbers, in the order of the equations, and what the program gives the next.
#[derive(Debug)]
pub struct Recipe(pub &'static str, pub &'static [usize]);

/// One invocation: what is known of it before the program runs, and what an earlier run has left.
#[derive(Debug)]
pub struct CallSite {
    pub(super) recipes: &'static [Recipe],
    /// The results that leave the block.
    pub(super) sinks: &'static [usize],
    equations: OnceLock<Vec<Equation>>,
    pub(super) kept: CallSiteCache,
}

impl CallSite {
    /// An invocation that has never run.
    pub const fn new(recipes: &'static [Recipe], sinks: &'static [usize]) -> CallSite {
        CallSite { recipes, sinks, equations: OnceLock::new(), kept: CallSiteCache::new() }
    }

    pub(super) fn equations(&self) -> &[Equation] {
        self.equations.get_or_init(|| self.recipes.iter().map(|recipe| read(recipe.0)).collect())
    }
}

/// A tensor that the program gives.
#[derive(Clone, Debug)]
pub struct Tensor<'a>(pub(super) OperandData<'a>);

/// What one equation takes from the program beside tensors.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) dtype: Dtype,
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
