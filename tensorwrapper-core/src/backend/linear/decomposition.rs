//! One call of an operation of linear algebra: the operation, its settings, and how the axes of operands are grouped.

use tensorwrapper_notation::syntax::{Elements, Factorisation, Form, Role};

use crate::element::Dtype;

/// An operation of linear algebra, with everything that decides what is computed.
///
/// The axes of an operand are those of the batch, then those of its roles in the order of the table ([`Form`]). All axes of one role
/// together are one axis of the matrix, the first of them slowest.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// Which operation.
    pub kind: Factorisation,
    /// The most singular values that are kept.
    pub max: Option<usize>,
    /// The tolerance, which decides which singular values are negligible.
    pub tol: Option<f64>,
    /// Whether factors are square.
    pub full: bool,
    /// Whether the upper triangle is read.
    pub upper: bool,
    /// Whether the diagonal is taken as ones and is not read.
    pub unit: bool,
    /// By which part of the largest value derivatives take values apart; devices do not see it.
    pub broaden: Option<f64>,
    /// The exponent of a power.
    pub exponent: i32,
    /// Number of axes of the batch.
    pub batch: usize,
    /// Number of axes of each role, in the order of [`Role::ALL`].
    pub roles: [usize; 6],
}

impl Decomposition {
    /// An operation without options.
    pub fn plain(kind: Factorisation, batch: usize, roles: [usize; 6]) -> Decomposition {
        let (max, tol, broaden) = (None, None, None);
        Decomposition { kind, max, tol, full: false, upper: false, unit: false, broaden, exponent: 1, batch, roles }
    }

    /// Its row of the table.
    pub fn form(&self) -> &'static Form {
        self.kind.form(self.full, self.max.is_some() || self.tol.is_some())
    }

    /// The labels of an operand's axes: those of the batch, then those of `roles`. Labels are numbered in the order of the batch, then of
    /// all roles in the order of [`Role::ALL`].
    pub fn labels(&self, roles: &[Role]) -> Vec<usize> {
        let of = |role: &Role| {
            let start = self.batch + self.roles[..*role as usize].iter().sum::<usize>();
            start..start + self.roles[*role as usize]
        };
        (0..self.batch).chain(roles.iter().flat_map(of)).collect()
    }

    /// The element type of a result.
    pub fn dtype(&self, elements: Elements, arguments: Dtype) -> Dtype {
        match elements {
            Elements::Same => arguments,
            Elements::Real => arguments.real(),
            Elements::Complex => arguments.complex(),
        }
    }
}
