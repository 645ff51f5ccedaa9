//! Names of the passes, and sets of passes.

/// A pass, which rewrites the graph of a block of equations into a cheaper one. All passes run unless
/// [`Context::without`](crate::Context::without) leaves some out; results are then the same except for rounding and overflow of
/// intermediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pass {
    /// Constant folding: parts of element-wise programs that depend only on numbers are computed when the graph is planned.
    Constants,
    /// Common sub-expression elimination: an operation that occurs twice is computed once, even if labels have other names,
    /// axes have another order, or elements are conjugated or multiplied by a number.
    Cse,
    /// Factorisation: sums of products are rewritten in the cheapest form that is found. `A·B + A·C` becomes `A·(B + C)`, and
    /// products that several terms need are formed once, in the order that is best for all of them.
    Factorise,
    /// Fusion: element-wise equations are computed as part of the operations that read them, and copies are avoided.
    Fuse,
    /// Products that are terms of a sum are added to it one after the other as they are computed, and are not stored
    /// separately.
    ChainAccumulate,
    /// Element-wise work on the result of a product becomes its epilogue, which is applied to each element as it is computed.
    Finish,
    /// Dead code elimination: operations whose results are not read are removed.
    Dce,
    /// In a [prepared](crate::Context::prepare_all) block, the part that depends only on tensors that do not change is computed
    /// once.
    Hoist,
    /// Rematerialisation: where memory is limited ([`Context::memory_limit`](crate::Context::memory_limit)), intermediates that wait
    /// long for a late reader, as those of a value wait for its derivatives, are computed again instead of being kept.
    Again,
}

impl Pass {
    /// All passes.
    pub const ALL: [Pass; 9] = [
        Pass::Constants,
        Pass::Cse,
        Pass::Factorise,
        Pass::Fuse,
        Pass::ChainAccumulate,
        Pass::Finish,
        Pass::Dce,
        Pass::Hoist,
        Pass::Again,
    ];
}

/// Earlier names of passes.
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

/// A set of passes that are left out.
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
