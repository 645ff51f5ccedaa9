//! Operations of linear algebra: a table with one row for each, which the grammar, the checker, the recorder and the devices read. It
//! must not know labels or elements. A new operation needs a variant, a row here, and a kernel.
//!
//! A row has the roles of the axes of each argument and each result. The axes of the batch are in all of them. The role of a label
//! follows from the arguments and results that have the label.
//!
//! The checker uses the table to find the role of each label, the recorder to find the extents of new axes, the expansion to find their
//! types, and the graph to find the axes of each operand.

/// Operations on matrices over named axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factorisation {
    /// A = L·Lᴴ
    Cholesky,
    /// A·x = λ·B·x for Hermitian A
    Eigh,
    /// A·x = λ·x
    Eig,
    /// A = Q·R
    Qr,
    /// A = L·Q
    Lq,
    /// A = U·diag(s)·V
    Svd,
    /// A = P·L·U
    Lu,
    /// A·X = B
    Solve,
    /// A·X = B for a triangular A
    TriangularSolve,
    /// The shortest X with the least ‖A·X − B‖
    Lstsq,
    /// A⁻¹
    Inv,
    /// A⁺, the inverse of Moore and Penrose
    Pinv,
    /// Aⁿ
    Matpow,
    /// exp A
    Expm,
    /// det A
    Det,
    /// The phase of det A and the logarithm of its absolute value
    Slogdet,
    /// The root of the sum of all squares
    Norm,
    /// The sum of the diagonal
    Trace,
    /// The number of singular values that are not zero
    Rank,
    /// ½(A − Aᴴ) between states of different values. It has no name in the language: derivatives of eigenvectors and singular vectors
    /// are made with it, and it fails where these do not exist. With `unit` it is A as it is, after the same check.
    Gaps,
    /// A matrix as it is, where the values of all states differ. It has no name in the language: derivatives divide by the differences of
    /// these values, and it fails where two are equal. With `max` one of the two has to be among so many first ones.
    Distinct,
    /// Numbers of all states as they are, where states of equal values have equal ones. It has no name in the language: what depends on
    /// values without an order has such derivatives, and it fails for others.
    Uniform,
    /// The divided differences of a function, from its values and derivatives. It has no name in the language: derivatives of functions of
    /// a matrix are made with it. The exponent of the call is the order.
    Divided,
    /// The first matrix as it is, which is the adjugate of the second one. It has no name in the language: derivatives of determinants are
    /// made with it, because the adjugate is smooth where the singular vectors, of which it is computed, are not.
    Adjugate,
}

/// The role of an axis that is not part of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The rows of the first matrix.
    Row,
    /// Its columns.
    Column,
    /// The columns of the second matrix, if they differ from those of the first.
    Side,
    /// A new axis. Its extent is the smaller of the extents of rows and columns, or the number of singular values that are kept.
    New,
    /// A new axis with as many indices as all rows together.
    NewRow,
    /// A new axis with as many indices as all columns together.
    NewColumn,
}

impl Role {
    /// Every role, in the order in which devices have the axes.
    pub const ALL: [Role; 6] = [Role::Row, Role::Column, Role::Side, Role::New, Role::NewRow, Role::NewColumn];
}

/// How the element type of a result follows from that of the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elements {
    /// The element type of the arguments.
    Same,
    /// The type of the absolute values of the arguments' elements.
    Real,
    /// The complex type with the precision of the arguments.
    Complex,
}

/// One result: the roles of its axes after the batch, and its element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The roles of its axes.
    pub roles: &'static [Role],
    /// Its element type.
    pub elements: Elements,
}

/// The words that name options, which follow the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// `max = 64`: the most singular values that are kept.
    Max,
    /// `tol = 1e-10`: which singular values are negligible.
    Tol,
    /// `full`: square factors.
    Full,
    /// `upper`: the upper triangle is read.
    Upper,
    /// `unit`: the diagonal is taken as ones and is not read.
    Unit,
    /// `broaden = 1e-8`: by how much derivatives take values apart.
    Broaden,
}

impl Word {
    /// Every word of an option.
    pub const ALL: [Word; 6] = [Word::Max, Word::Tol, Word::Full, Word::Upper, Word::Unit, Word::Broaden];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Word::Max => "max",
            Word::Tol => "tol",
            Word::Full => "full",
            Word::Upper => "upper",
            Word::Unit => "unit",
            Word::Broaden => "broaden",
        }
    }

    /// The word of that name.
    pub fn from_name(name: &str) -> Option<Word> {
        Word::ALL.into_iter().find(|word| word.name() == name)
    }
}

/// One row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    /// The name in equations.
    pub name: &'static str,
    /// An example equation, for messages.
    pub usage: &'static str,
    /// An example with more than the least number of arguments, if there may be more.
    pub usage_with_more: Option<&'static str>,
    /// The left side of a `let` with this operation, for messages.
    pub results_named: &'static str,
    /// The number of arguments in words.
    pub takes: &'static str,
    /// The roles of each argument's axes after the batch.
    pub arguments: &'static [&'static [Role]],
    /// The least number of arguments.
    pub least_arguments: usize,
    /// The results. The results from number `named` on are internal to the library.
    pub results: &'static [Outcome],
    /// The most results that an equation may name.
    pub named: usize,
    /// The least results that an equation must name.
    pub least_results: usize,
    /// Whether rows and columns have the same extent.
    pub is_square: bool,
    /// Whether the result has rows and columns swapped.
    pub swaps: bool,
    /// Whether a whole number follows the argument.
    pub has_exponent: bool,
    /// The options that it has.
    pub words: &'static [Word],
}

impl Form {
    /// The help for a word that another operation has, which is meant.
    pub(crate) fn elsewhere(&self, word: Word) -> Option<&'static str> {
        Some(match (self.name, word) {
            ("solve", Word::Upper | Word::Unit) => "a triangle alone is read by `triangular_solve`, with the same arguments",
            ("inv", Word::Tol) => "`pinv` leaves out negligible values, with the same argument",
            ("cholesky", Word::Upper) => {
                "the factor is the lower one; the upper one of real elements is its transpose, `[r, i] = cholesky(A[i, j])`"
            }
            _ => return None,
        })
    }

    /// Whether the axes of the first argument are rows and columns, as for all operations but `norm`.
    pub fn has_columns(&self) -> bool {
        self.arguments[0].contains(&Role::Column)
    }

    /// An example equation with so many arguments.
    pub fn usage_of(&self, arguments: usize) -> &'static str {
        self.usage_with_more.filter(|_| arguments > self.least_arguments).unwrap_or(self.usage)
    }
}

use Role::{Column, New, NewColumn, NewRow, Row, Side};

const fn same(roles: &'static [Role]) -> Outcome {
    Outcome { roles, elements: Elements::Same }
}

const fn real(roles: &'static [Role]) -> Outcome {
    Outcome { roles, elements: Elements::Real }
}

const fn complex(roles: &'static [Role]) -> Outcome {
    Outcome { roles, elements: Elements::Complex }
}

/// A row with the values that most rows have.
const fn row(name: &'static str, usage: &'static str, results_named: &'static str, results: &'static [Outcome]) -> Form {
    Form {
        name,
        usage,
        usage_with_more: None,
        results_named,
        takes: "one matrix",
        arguments: &[&[Row, Column]],
        least_arguments: 1,
        results,
        named: results.len(),
        least_results: results.len(),
        is_square: false,
        swaps: false,
        has_exponent: false,
        words: &[],
    }
}

const fn square(form: Form) -> Form {
    Form { is_square: true, ..form }
}

/// A system of equations: a matrix, and right sides that share its rows.
const fn system(form: Form) -> Form {
    Form { takes: "a matrix and its right side", arguments: &[&[Row, Column], &[Row, Side]], least_arguments: 2, ..form }
}

static CHOLESKY: Form = square(row("cholesky", "[i, k] = cholesky(A[i, j])", "L[i, k]", &[same(&[Row, NewRow])]));
static EIGH: Form = Form {
    usage_with_more: Some("([n], [p, n]) = eigh(F[p, q], S[p, q])"),
    takes: "one or two matrices",
    arguments: &[&[Row, Column], &[Row, Column]],
    words: &[Word::Broaden],
    ..square(row("eigh", "([n], [p, n]) = eigh(F[p, q])", "(e[n], C[p, n])", &[real(&[NewRow]), same(&[Row, NewRow])]))
};
static EIG: Form =
    square(row("eig", "([n], [p, n]) = eig(A[p, q])", "(e[n], C[p, n])", &[complex(&[NewRow]), complex(&[Row, NewRow])]));
static QR: Form = Form {
    words: &[Word::Full],
    ..row("qr", "([i, r], [r, j]) = qr(A[i, j])", "(Q[i, r], R[r, j])", &[same(&[Row, New]), same(&[New, Column])])
};
static QR_FULL: Form = Form { results: &[same(&[Row, NewRow]), same(&[NewRow, Column])], ..copy(&QR) };
static LQ: Form = Form {
    words: &[Word::Full],
    ..row("lq", "([i, r], [r, j]) = lq(A[i, j])", "(L[i, r], Q[r, j])", &[same(&[Row, New]), same(&[New, Column])])
};
static LQ_FULL: Form = Form { results: &[same(&[Row, NewColumn]), same(&[NewColumn, Column])], ..copy(&LQ) };
static SVD: Form = Form {
    words: &[Word::Max, Word::Tol, Word::Full, Word::Broaden],
    ..row(
        "svd",
        "([i, r], [r], [r, j]) = svd(A[i, j])",
        "(U[i, r], s[r], V[r, j])",
        &[same(&[Row, New]), real(&[New]), same(&[New, Column])],
    )
};
static SVD_FULL: Form = Form {
    usage: "([i, m], [r], [n, j]) = svd(A[i, j]; full)",
    results: &[same(&[Row, NewRow]), real(&[New]), same(&[NewColumn, Column])],
    ..copy(&SVD)
};
static SVD_CUT: Form = Form {
    usage: "([i, r], [r], [r, j], []) = svd(A[i, j]; max = 64)",
    // The discarded weight, and how many singular values were kept.
    results: &[same(&[Row, New]), real(&[New]), same(&[New, Column]), real(&[]), real(&[])],
    named: 4,
    ..copy(&SVD)
};
static LU: Form = row(
    "lu",
    "([i, q], [q, r], [r, j]) = lu(A[i, j])",
    "(P[i, q], L[q, r], U[r, j])",
    &[same(&[Row, NewRow]), same(&[NewRow, New]), same(&[New, Column])],
);
static SOLVE: Form = system(square(row("solve", "[k, j] = solve(A[i, k], B[i, j])", "X[k, j]", &[same(&[Column, Side])])));
static TRIANGULAR_SOLVE: Form = Form {
    words: &[Word::Upper, Word::Unit],
    ..system(square(row("triangular_solve", "[k, j] = triangular_solve(A[i, k], B[i, j])", "X[k, j]", &[same(&[Column, Side])])))
};
static LSTSQ: Form =
    Form { words: &[Word::Tol], ..system(row("lstsq", "[k, j] = lstsq(A[i, k], B[i, j])", "X[k, j]", &[same(&[Column, Side])])) };
static INV: Form = Form { swaps: true, ..square(row("inv", "[j, i] = inv(A[i, j])", "X[j, i]", &[same(&[Column, Row])])) };
static PINV: Form =
    Form { swaps: true, words: &[Word::Tol], ..row("pinv", "[j, i] = pinv(A[i, j])", "X[j, i]", &[same(&[Column, Row])]) };
static MATPOW: Form = Form {
    takes: "a matrix and a whole number",
    has_exponent: true,
    ..square(row("matpow", "[i, j] = matpow(A[i, j], 3)", "X[i, j]", &[same(&[Row, Column])]))
};
static EXPM: Form = square(row("expm", "[i, j] = expm(A[i, j])", "X[i, j]", &[same(&[Row, Column])]));
static DET: Form = square(row("det", "[] = det(A[i, j])", "d", &[same(&[])]));
static SLOGDET: Form = square(row("slogdet", "([], []) = slogdet(A[i, j])", "(sign, log)", &[same(&[]), real(&[])]));
static NORM: Form = Form { arguments: &[&[Row]], takes: "one tensor", ..row("norm", "[] = norm(A[i, j])", "n", &[real(&[])]) };
static TRACE: Form = square(row("trace", "[] = trace(A[i, j])", "t", &[same(&[])]));
static GAPS: Form = system(square(row("gaps", "", "", &[same(&[Row, Column])])));
static DISTINCT: Form = system(square(row("distinct", "", "", &[same(&[Row, Column])])));
static UNIFORM: Form = system(row("uniform", "", "", &[same(&[Row, Column])]));
// The columns of the first argument are the values of the function and its derivatives; the second one has the places.
static DIVIDED: Form = system(row("divided", "", "", &[same(&[Row, NewRow])]));
static ADJUGATE: Form = system(square(row("adjugate", "", "", &[same(&[Row, Column])])));
static RANK: Form = Form { words: &[Word::Tol], ..row("rank", "[] = rank(A[i, j])", "r", &[real(&[])]) };

/// A copy of a row, for variants of it.
const fn copy(form: &Form) -> Form {
    Form {
        name: form.name,
        usage: form.usage,
        usage_with_more: form.usage_with_more,
        results_named: form.results_named,
        takes: form.takes,
        arguments: form.arguments,
        least_arguments: form.least_arguments,
        results: form.results,
        named: form.named,
        least_results: form.least_results,
        is_square: form.is_square,
        swaps: form.swaps,
        has_exponent: form.has_exponent,
        words: form.words,
    }
}

impl Factorisation {
    /// Every operation of the language.
    pub const ALL: [Factorisation; 19] = [
        Factorisation::Cholesky,
        Factorisation::Eigh,
        Factorisation::Eig,
        Factorisation::Qr,
        Factorisation::Lq,
        Factorisation::Svd,
        Factorisation::Lu,
        Factorisation::Solve,
        Factorisation::TriangularSolve,
        Factorisation::Lstsq,
        Factorisation::Inv,
        Factorisation::Pinv,
        Factorisation::Matpow,
        Factorisation::Expm,
        Factorisation::Det,
        Factorisation::Slogdet,
        Factorisation::Norm,
        Factorisation::Trace,
        Factorisation::Rank,
    ];

    /// Its row. If `full` or a truncation changes the results, the operation has further rows for these variants.
    pub fn form(self, is_full: bool, is_cut: bool) -> &'static Form {
        match self {
            Factorisation::Cholesky => &CHOLESKY,
            Factorisation::Eigh => &EIGH,
            Factorisation::Eig => &EIG,
            Factorisation::Qr if is_full => &QR_FULL,
            Factorisation::Qr => &QR,
            Factorisation::Lq if is_full => &LQ_FULL,
            Factorisation::Lq => &LQ,
            Factorisation::Svd if is_full => &SVD_FULL,
            Factorisation::Svd if is_cut => &SVD_CUT,
            Factorisation::Svd => &SVD,
            Factorisation::Lu => &LU,
            Factorisation::Solve => &SOLVE,
            Factorisation::TriangularSolve => &TRIANGULAR_SOLVE,
            Factorisation::Lstsq => &LSTSQ,
            Factorisation::Inv => &INV,
            Factorisation::Pinv => &PINV,
            Factorisation::Matpow => &MATPOW,
            Factorisation::Expm => &EXPM,
            Factorisation::Det => &DET,
            Factorisation::Slogdet => &SLOGDET,
            Factorisation::Norm => &NORM,
            Factorisation::Trace => &TRACE,
            Factorisation::Rank => &RANK,
            Factorisation::Gaps => &GAPS,
            Factorisation::Distinct => &DISTINCT,
            Factorisation::Uniform => &UNIFORM,
            Factorisation::Divided => &DIVIDED,
            Factorisation::Adjugate => &ADJUGATE,
        }
    }

    /// The name in equations.
    pub fn name(self) -> &'static str {
        self.form(false, false).name
    }

    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<Factorisation> {
        Factorisation::ALL.into_iter().find(|f| f.name() == name)
    }
}
