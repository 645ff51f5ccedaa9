//! Operations of linear algebra in chains of operators: `svd(T[l, s, t, q]; max = 64)`.
//!
//! A chain of operators builds the same syntax tree that `tensor!` would have parsed, so labels determine rows, columns and
//! batch in the same way.

use std::fmt;
use std::marker::PhantomData;

use tensorwrapper_notation::sentence::counted;
use tensorwrapper_notation::syntax::{
    Count, Decomposition, Expression, Factorisation, Hole, LeftSide, Options, Right, Scalar, Statement, Target, Word,
};
use tensorwrapper_notation::{Cast, CastId, FunctionId, OperandId, Span, check};

use super::leaves::dense;
use super::{Indexed, Leaf, Leaves, labels, names};
use crate::expr::bind::{Bound, Holes, bind};
use crate::expr::faults::{Notation, faults_to_error};
use crate::expr::value::{Tree, Value};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;

/// An operation of linear algebra that is not computed yet; `R` are the element types of its results. Methods of [`Indexed`]
/// and the functions of [`linalg`](crate::linalg) return it. It has the same options as in `tensor!`.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::Tensor;
/// let t = Tensor::<f64>::from_fn([2, 3, 3, 2], |i| ((i[0] + 2 * i[1]) * (3 * i[2] + i[3]) + i[1] * i[3]) as f64)?;
/// let (u, s, v) = t.at("l,a,b,q").svd(["l,a,r", "r,", "r,b,q"]).max(2).eval()?;
/// assert_eq!((u.extents(), s.extents(), v.extents()), (&[2, 3, 2][..], &[2][..], &[2, 3, 2][..]));
/// let s = s.as_slice();
/// assert!(s[0] > s[1]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "nothing is computed before `eval`"]
pub struct Factors<'a, T, R> {
    call: Result<Decomposition, Error>,
    left: Vec<Result<tensorwrapper_notation::syntax::Indices, Error>>,
    leaves: Vec<(usize, Leaf<'a>)>,
    types: PhantomData<fn() -> (T, R)>,
}

impl<T, R> fmt::Debug for Factors<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.call {
            Ok(call) => write!(f, "Factors, `{}` of {}", call.kind.name(), counted(call.arguments.len(), "argument")),
            Err(error) => write!(f, "Factors, {error}"),
        }
    }
}

impl<'a, T: Element, R> Factors<'a, T, R> {
    fn new(kind: Factorisation, arguments: Vec<Indexed<'a, T>>, left: &[&str]) -> Self {
        let (mut leaves, mut expressions, mut faults) = (Vec::new(), Vec::<Expression>::new(), Vec::new());
        for argument in arguments {
            leaves.extend(argument.leaves);
            match argument.expression {
                Ok(expression) => expressions.push(expression),
                Err(fault) => faults.push(fault),
            }
        }
        let call =
            Decomposition { kind, groups: None, arguments: expressions, options: Options::default(), span: Span::default() };
        let call = if faults.is_empty() { Ok(call) } else { Err(Error::all(faults)) };
        Factors { call, left: left.iter().map(|text| labels(text)).collect(), leaves, types: PhantomData }
    }

    fn with(mut self, change: impl FnOnce(&mut Decomposition)) -> Self {
        if let Ok(call) = &mut self.call {
            change(call);
        }
        self
    }

    fn word(self, word: Word, change: impl FnOnce(&mut Options)) -> Self {
        self.with(|call| {
            call.options.words.push((word, Span::default()));
            change(&mut call.options);
        })
    }

    /// Keeps at most `count` singular values.
    #[doc(alias("maxdim", "chi", "bond_dimension"))]
    pub fn max(self, count: usize) -> Self {
        self.word(Word::Max, |options| options.max = Some(Count::Literal(count, Span::default())))
    }

    /// Sets the tolerance. For [`svd`](Indexed::svd) it bounds the discarded weight; other operations ignore singular values
    /// that are at most `tol` times the largest one.
    #[doc(alias("cutoff", "rcond", "rtol"))]
    pub fn tol(self, tol: f64) -> Self {
        self.word(Word::Tol, |options| options.tol = Some(Scalar::Literal(tol, Span::default())))
    }

    /// Asks for derivatives of [`eigh`](Indexed::eigh) and [`svd`](Indexed::svd) that exist where values are equal: each inverse difference
    /// 1/d becomes d/(d² + b²), with b this part of the largest value. They are approximate, elsewhere too, by about (b/d)².
    pub fn broaden(self, part: f64) -> Self {
        self.word(Word::Broaden, |options| options.broaden = Some(Scalar::Literal(part, Span::default())))
    }

    /// Requests square factors, as `; full` in `tensor!`.
    #[doc(alias("full_matrices"))]
    pub fn full(self) -> Self {
        self.word(Word::Full, |_| {})
    }

    /// Reads the upper triangle instead of the lower one.
    pub fn upper(self) -> Self {
        self.word(Word::Upper, |_| {})
    }

    /// Takes ones as the diagonal, which is not read.
    pub fn unit(self) -> Self {
        self.word(Word::Unit, |_| {})
    }

    /// Names the labels of rows and columns if the results do not determine them, as for a batch of inverses.
    pub fn matrix(mut self, rows: &str, columns: &str) -> Self {
        match (names(rows), names(columns)) {
            (Ok(rows), Ok(columns)) => self.with(|call| call.groups = Some([rows, columns])),
            (Err(fault), _) | (_, Err(fault)) => {
                self.call = self.call.and(Err(fault));
                self
            }
        }
    }

    /// The recorded results. `compute` is called if their extents depend on elements.
    pub(crate) fn values(&self, compute: Compute<'_, 'a>) -> Result<Vec<Link<Value<'a>>>, Error> {
        let call = self.call.clone()?;
        let side = |indices: &Result<_, Error>| Ok(LeftSide { indices: Some(indices.clone()?), span: Span::default() });
        let target = Target::Value(self.left.iter().map(side).collect::<Result<_, Error>>()?);
        let statement = Statement {
            target,
            right: Right::Factorisation(Box::new(call)),
            declarations: Vec::new(),
            claims: Vec::new(),
            span: Span::default(),
        };
        let equation = check(&statement, &[]).map_err(|faults| faults_to_error(faults, Notation::Operators))?;
        let leaves = dense(&self.leaves)?;
        let leaves = Leaves::new(&leaves);
        match bind(&equation, T::DTYPE, &Computing { leaves, compute })? {
            Bound::Results(results) => Ok(results),
            Bound::Write(_) => unreachable!("an equation in value form writes nothing"),
        }
    }
}

/// Computes values immediately.
pub(crate) type Compute<'c, 'a> = &'c dyn Fn(&[Link<Value<'a>>]) -> Result<Vec<AnyTensor>, Error>;

/// The leaves of a chain, and what computes.
struct Computing<'l, 'a> {
    leaves: Leaves<'l, 'a>,
    compute: Compute<'l, 'a>,
}

impl<'a> Holes<'a> for Computing<'_, 'a> {
    fn tensor(&self, id: OperandId, hole: &Hole) -> Link<Value<'a>> {
        self.leaves.tensor(id, hole)
    }

    fn scalar(&self, hole: &Hole) -> Tree<'a> {
        self.leaves.scalar(hole)
    }

    fn function(&self, id: FunctionId, hole: &Hole) -> Callback<'a> {
        self.leaves.function(id, hole)
    }

    fn element(&self, id: CastId, cast: &Cast) -> Dtype {
        self.leaves.element(id, cast)
    }

    fn compute(&self, values: &[Link<Value<'a>>]) -> Result<Vec<AnyTensor>, Error> {
        (self.compute)(values)
    }
}

/// One left side, or several.
trait Sides<'s> {
    fn of(&self) -> &[&'s str];
}
impl<'s> Sides<'s> for &'s str {
    fn of(&self) -> &[&'s str] {
        std::slice::from_ref(self)
    }
}
impl<'s, const N: usize> Sides<'s> for [&'s str; N] {
    fn of(&self) -> &[&'s str] {
        self
    }
}

/// The operations of one argument: their results as `&str` or as so many of them.
macro_rules! methods {
    ($($name:ident: $Left:ty, $kind:ident -> ($($E:ty),*), $doc:literal;)*) => {
        impl<'a, T: Element> Indexed<'a, T> { $(
            #[doc = $doc]
            pub fn $name(self, left: $Left) -> Factors<'a, T, ($($E,)*)> {
                Factors::new(Factorisation::$kind, vec![self], Sides::of(&left))
            }
        )* }
    };
}
methods! {
    cholesky: &str, Cholesky -> (T), "`[i, k] = cholesky(X)`";
    eigh: [&str; 2], Eigh -> (T::Real, T), "`([n], [p, n]) = eigh(X)`";
    eig: [&str; 2], Eig -> (T::Complex, T::Complex), "`([n], [p, n]) = eig(X)`";
    qr: [&str; 2], Qr -> (T, T), "`([i, r], [r, j]) = qr(X)`";
    lq: [&str; 2], Lq -> (T, T), "`([i, r], [r, j]) = lq(X)`";
    svd: [&str; 3], Svd -> (T, T::Real, T), "`([i, r], [r], [r, j]) = svd(X)`";
    svd_cut: [&str; 4], Svd -> (T, T::Real, T, T::Real), "`([i, r], [r], [r, j], []) = svd(X; max = …, tol = …)`, whose last result is the discarded weight. Where nothing is discarded, it is about ε² by rounding.";
    lu: [&str; 3], Lu -> (T, T, T), "`([i, q], [q, r], [r, j]) = lu(X)`";
    inv: &str, Inv -> (T), "`[j, i] = inv(X)`";
    pinv: &str, Pinv -> (T), "`[j, i] = pinv(X)`";
    expm: &str, Expm -> (T), "`[i, j] = expm(X)`";
    det: &str, Det -> (T), "`[] = det(X)`";
    slogdet: [&str; 2], Slogdet -> (T, T::Real), "`([], []) = slogdet(X)`";
    norm: &str, Norm -> (T::Real), "`[] = norm(X)`";
    trace: &str, Trace -> (T), "`[] = trace(X)`";
    rank: &str, Rank -> (T::Real), "`[] = rank(X)`";
}

impl<'a, T: Element> Indexed<'a, T> {
    /// `([n], [p, n]) = eigh(X, S)`: eigenvalues and eigenvectors with respect to the metric S.
    pub fn eigh_in_metric(self, metric: Self, left: [&str; 2]) -> Factors<'a, T, (T::Real, T)> {
        Factors::new(Factorisation::Eigh, vec![self, metric], &left)
    }

    /// `[k, j] = solve(X, B)`
    pub fn solve(self, right: Self, left: &str) -> Factors<'a, T, (T,)> {
        Factors::new(Factorisation::Solve, vec![self, right], &[left])
    }

    /// `[k, j] = triangular_solve(X, B)`
    pub fn triangular_solve(self, right: Self, left: &str) -> Factors<'a, T, (T,)> {
        Factors::new(Factorisation::TriangularSolve, vec![self, right], &[left])
    }

    /// `[k, j] = lstsq(X, B)`
    pub fn lstsq(self, right: Self, left: &str) -> Factors<'a, T, (T,)> {
        Factors::new(Factorisation::Lstsq, vec![self, right], &[left])
    }

    /// `[i, j] = matpow(X, n)`
    pub fn matpow(self, exponent: i32, left: &str) -> Factors<'a, T, (T,)> {
        let exponent = Scalar::Literal(f64::from(exponent), Span::default());
        Factors::new(Factorisation::Matpow, vec![self], &[left]).with(|call| call.options.exponent = Some(exponent))
    }
}
