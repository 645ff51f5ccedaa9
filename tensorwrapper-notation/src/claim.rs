//! The symmetries that the left side of an equation can be claimed to have.

/// How the left side of an equation behaves when labels change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// It stays the same.
    Sym,
    /// Its sign turns with each exchange.
    Asym,
    /// It becomes its conjugate.
    Herm,
}

impl ClaimKind {
    /// Every kind.
    pub const ALL: [ClaimKind; 3] = [ClaimKind::Sym, ClaimKind::Asym, ClaimKind::Herm];

    /// The name in equations.
    pub fn name(self) -> &'static str {
        match self {
            ClaimKind::Sym => "sym",
            ClaimKind::Asym => "asym",
            ClaimKind::Herm => "herm",
        }
    }

    /// The name in sentences.
    pub fn adjective(self) -> &'static str {
        match self {
            ClaimKind::Sym => "symmetric",
            ClaimKind::Asym => "antisymmetric",
            ClaimKind::Herm => "Hermitian",
        }
    }
}
