//! The plan of a product over integers, as subscripts or numbered labels give it, for operands of the same extents. Those of subscripts
//! are kept for the whole program.

use std::sync::Arc;

use super::kept::SourcePlace;
use super::known::KnownIntegers;
use super::plan::{IntegerPlan, IntegerSource};
use crate::exec::context::Context;
use crate::exec::plan_key::{Equations, PlanKey};
use crate::exec::recent_plans::RecentPlans;
use crate::exec::statements::{checked, product, subscripts_statement};
use crate::expr::{Integers, OperandData};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::error::Error;
use tensorwrapper_notation::Equation;

/// A product that is planned.
#[derive(Debug)]
pub(crate) struct IntegerProduct {
    plan: IntegerPlan,
    /// For each source of the plan, its operand.
    sources: Vec<SourcePlace>,
}

impl IntegerProduct {
    /// Plans the product of operands with the extents of these, all of which are tensors of integers. No element is read.
    ///
    /// # Errors
    /// Ranks and extents that do not fit, and memory.
    pub(crate) fn new<T: Numeric>(
        context: &Context,
        equation: &Equation,
        given: &[OperandData<'_>],
    ) -> Result<IntegerProduct, Error> {
        let known = known(given);
        let values: Vec<_> = known.iter().map(KnownIntegers::value).collect::<Result<_, _>>()?;
        let (plan, tensors) = IntegerPlan::new(context, &[product::<T>(equation, &values)?])?;
        let sources = tensors.iter().map(|tensor| SourcePlace::of(tensor, &known, &[])).collect::<Option<_>>();
        let sources = sources.unwrap_or_else(|| unreachable!("a product reads its operands, which were recorded"));
        Ok(IntegerProduct { plan, sources })
    }

    /// The product that subscripts stand for: a kept one, or a new one, which is then kept.
    ///
    /// # Errors
    /// Text that is not a subscript; otherwise as [`new`](IntegerProduct::new).
    pub(crate) fn of_subscripts<T: Numeric>(
        context: &Context,
        subscripts: &str,
        given: &[OperandData<'_>],
    ) -> Result<Arc<IntegerProduct>, Error> {
        if let Some((known, ())) = PRODUCTS.find(|known| known.is_for(context, subscripts, given).then_some(())) {
            return Ok(Arc::clone(&known.product));
        }
        let equation = checked(&subscripts_statement(subscripts, given.len())?)?;
        let product = Arc::new(IntegerProduct::new::<T>(context, &equation, given)?);
        let key = PlanKey::new(context, Equations::Subscripts(subscripts.into(), T::COMPUTED), std::iter::empty());
        let extents = given.iter().map(|given| extents(given).to_vec()).collect();
        let kept = KeptProduct { key, extents, product: Arc::clone(&product) };
        PRODUCTS.add(Arc::new(kept), |products| products.len() <= MOST);
        Ok(product)
    }

    /// What computes it, in a few words.
    pub(crate) fn computed_by(&self, context: &Context) -> &'static str {
        self.plan.computed_by(context)
    }

    /// Computes it, in a context with the settings of the one that it was planned in.
    ///
    /// # Errors
    /// Memory, and what the device reports.
    pub(crate) fn run(&self, context: &Context, given: &[OperandData<'_>]) -> Result<Integers, Error> {
        let known = known(given);
        let sources: Vec<IntegerSource<'_>> = self.sources.iter().map(|place| place.source(&known, &[])).collect();
        Ok(self.plan.run(context, &sources)?.remove(0))
    }
}

fn known<'g>(given: &[OperandData<'g>]) -> Vec<KnownIntegers<'g>> {
    given.iter().map(|given| KnownIntegers::of(given, false)).collect()
}

/// Extents of a tensor of integers.
fn extents<'g>(given: &'g OperandData<'_>) -> &'g [usize] {
    match given {
        OperandData::Integers(_, layout) => layout.extents(),
        _ => unreachable!("tensors of integers are nothing else"),
    }
}

/// The product of subscripts, and what it was planned for.
struct KeptProduct {
    key: PlanKey,
    extents: Vec<Vec<usize>>,
    product: Arc<IntegerProduct>,
}

/// Products that are kept at most; they are compared one by one.
const MOST: usize = 64;

static PRODUCTS: RecentPlans<KeptProduct> = RecentPlans::new();

impl KeptProduct {
    fn is_for(&self, context: &Context, subscripts: &str, given: &[OperandData<'_>]) -> bool {
        self.key.text() == subscripts
            && self.extents.iter().map(Vec::as_slice).eq(given.iter().map(extents))
            && self.key.is_of(context)
    }
}
