//! The passes by their names, and sets of them.

/// A pass: one way in which a block of equations becomes cheaper than what was written. All passes run unless a context goes
/// [`without`](crate::Context::without) some; results are then the same but for rounding, and for overflow of intermediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pass {
    /// Constant folding: what programs compute from numbers alone is computed once.
    Constants,
    /// Common sub-expressions: what is computed twice is computed once, also where labels have other names, axes another order,
    /// elements are conjugated or multiplied by a number.
    Cse,
    /// Sums of products are brought into the cheapest form that is found: `A·B + A·C` becomes `A·(B + C)`, products that several
    /// terms need are formed once, in the order that is best for all of them.
    Factorise,
    /// Element-wise equations are computed as part of those that read them, and copies are not made.
    Fuse,
    /// Products that are terms of a sum are added to it one after the other as they are computed, and none is stored.
    ChainAccumulate,
    /// What is done with each element of a product is done as it is computed.
    Finish,
    /// Dead code: what nobody reads is not computed.
    Dce,
    /// What a block that is [prepared](crate::Context::prepare_all) computes from tensors that do not change is computed once.
    Hoist,
}

impl Pass {
    /// All passes.
    pub const ALL: [Pass; 8] =
        [Pass::Constants, Pass::Cse, Pass::Factorise, Pass::Fuse, Pass::ChainAccumulate, Pass::Finish, Pass::Dce, Pass::Hoist];
}

/// Names that passes had before.
#[allow(non_upper_case_globals, reason = "they were variants")]
impl Pass {
    /// [`Pass::Cse`].
    #[deprecated(since = "0.1.0", note = "is `Pass::Cse`")]
    pub const Share: Pass = Pass::Cse;
    /// [`Pass::ChainAccumulate`].
    #[deprecated(since = "0.1.0", note = "is `Pass::ChainAccumulate`")]
    pub const Accumulate: Pass = Pass::ChainAccumulate;
    /// [`Pass::Dce`].
    #[deprecated(since = "0.1.0", note = "is `Pass::Dce`")]
    pub const Dead: Pass = Pass::Dce;
}

/// Passes that are not made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Without(u16);

impl Without {
    pub(crate) fn and(self, pass: Pass) -> Without {
        Without(self.0 | 1 << pass as u16)
    }

    pub(crate) fn makes(self, pass: Pass) -> bool {
        self.0 >> pass as u16 & 1 == 0
    }
}
