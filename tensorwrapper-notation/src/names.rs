//! The spelling of operators, reductions and exchanges in equations. It must not know what they mean.

use crate::syntax::{Ending, Exchange, Operator, Reduction};

impl Operator {
    /// Every operator.
    pub const ALL: [Operator; 4] = [Operator::Add, Operator::Subtract, Operator::Multiply, Operator::Divide];

    /// The operator's sign in equations.
    pub fn symbol(self) -> char {
        match self {
            Operator::Add => '+',
            Operator::Subtract => '-',
            Operator::Multiply => '*',
            Operator::Divide => '/',
        }
    }
}

impl Reduction {
    /// Every reduction.
    pub const ALL: [Reduction; 4] = [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min];

    /// The reduction's name in equations.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Product => "prod",
            Reduction::Max => "max",
            Reduction::Min => "min",
        }
    }
}

impl Ending {
    /// All of them.
    fn all() -> impl Iterator<Item = Ending> {
        let others = [Ending::Mean, Ending::Variance, Ending::Deviation, Ending::Argmax, Ending::Argmin];
        Reduction::ALL.into_iter().map(Ending::Reduce).chain(others)
    }

    /// The names of all of them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Ending::all().map(Ending::name)
    }

    /// Its name in equations.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Reduce(reduction) => reduction.name(),
            Ending::Mean => "mean",
            Ending::Variance => "var",
            Ending::Deviation => "std",
            Ending::Argmax => "argmax",
            Ending::Argmin => "argmin",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Ending> {
        Ending::all().find(|ending| ending.name() == name)
    }
}

impl Exchange {
    /// Both exchanges.
    pub const ALL: [Exchange; 2] = [Exchange::Symmetric, Exchange::Antisymmetric];

    /// The exchange's name in equations.
    pub fn name(self) -> &'static str {
        match self {
            Exchange::Symmetric => "sym",
            Exchange::Antisymmetric => "asym",
        }
    }

    /// The exchange of that name.
    pub fn from_name(name: &str) -> Option<Exchange> {
        Exchange::ALL.into_iter().find(|e| e.name() == name)
    }
}
