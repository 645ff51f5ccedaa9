//! The passes by their names, and sets of them.

/// One way in which a block of equations becomes cheaper than what was written. All are made unless a context goes
/// [`without`](crate::Context::without) some: results are then the same but for
/// rounding, and overflow on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pass {
    /// Numbers that are known are computed once.
    Constants,
    /// What is computed twice is computed once, also where labels have other names, axes another order, elements are
    /// conjugated or multiplied by a number.
    Share,
    /// Sums of products are brought into the cheapest form that is found: `A·B + A·C` becomes `A·(B + C)`, products that several
    /// terms need are formed once, in the order that is best for all of them.
    Factorise,
    /// Element-wise equations are computed with those that read them, and copies are not made.
    Fuse,
    /// Products that are terms of a sum are added to it one after the other as they are computed, and none is stored.
    Accumulate,
    /// What is done with each element of a product is done as it is computed.
    Finish,
    /// What nobody needs is not computed.
    Dead,
    /// What a block that is [prepared](crate::Context::prepare_all) computes from tensors that stay is computed once.
    Hoist,
}

impl Pass {
    /// All passes.
    pub const ALL: [Pass; 8] =
        [Pass::Constants, Pass::Share, Pass::Factorise, Pass::Fuse, Pass::Accumulate, Pass::Finish, Pass::Dead, Pass::Hoist];
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
