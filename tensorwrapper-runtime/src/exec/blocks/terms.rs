//! The right side of an equation over block tensors, as a sum of products: what structures are inferred from, and what is computed.
//!
//! Knows nothing of the structures of operands.

use num_complex::Complex;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_notation::syntax::{Operator, Reduction, Scalar};
use tensorwrapper_notation::{
    Builder, Cast, CastId, Equation, Function, FunctionId, Index, LabelId, LeftAxis, Mapped, Operand, OperandId, Right, ScalarId,
};

/// Products that a right side may expand to.
const MOST_TERMS: usize = 4096;

/// A number times a product of factors, summed over labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) scale: Complex<f64>,
    pub(super) factors: Vec<Factor>,
    pub(super) summed: Vec<usize>,
}

/// An operand of an equation, by its number, and the label of each of its axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Factor {
    pub(super) operand: usize,
    pub(super) conjugates: bool,
    pub(super) labels: Vec<usize>,
}

/// A right side and the labels of the left one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    pub(super) terms: Vec<Term>,
    pub(super) left: Vec<usize>,
    /// The names of the labels.
    pub(super) names: Vec<String>,
}

impl Sum {
    /// Reads an equation; `operand` knows what the names of tensors stand for.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for what is not computed over block tensors.
    pub(super) fn of(equation: &Equation, operand: &dyn Fn(OperandId, &Operand) -> usize) -> Result<Sum, Error> {
        let [left] = equation.left() else { return Err(unsupported("several results")) };
        let axis = |axis: &LeftAxis| match axis {
            LeftAxis::Label(label) => Ok(label.0),
            LeftAxis::Fused(_) => Err(unsupported("fused axes")),
            LeftAxis::Rest => Err(unsupported("`..`")),
        };
        let left: Vec<usize> = left.axes().iter().map(axis).collect::<Result<_, _>>()?;
        if let Some(label) = (1..left.len()).find(|&n| left[..n].contains(&left[n])).map(|n| left[n]) {
            let message = format!("index `{}` twice on the left", equation.labels()[label].name);
            return Err(unsupported(&message));
        }
        if let Some(label) = equation.labels().iter().find(|label| label.declared.is_some()) {
            return Err(unsupported(&format!("an extent given by `where {}`", label.name)));
        }
        let mut reader = Reader { operand, faults: Vec::new() };
        let terms = match equation.build(&mut reader) {
            Right::Expression(terms) => terms,
            Right::Factorise(..) => return Err(unsupported("decompositions")),
        };
        match reader.faults.is_empty() {
            true => Ok(Sum { terms, left, names: equation.labels().iter().map(|label| label.name.clone()).collect() }),
            false => Err(Error::all(reader.faults)),
        }
    }
}

/// That something is not computed over block tensors.
fn unsupported(what: &str) -> Error {
    let error = Error::new(ErrorKind::Unsupported(format!("{what} in an equation of block tensors")));
    error.with_help("sums of products are computed; `to_dense` makes a tensor for everything else")
}

struct Reader<'r> {
    operand: &'r dyn Fn(OperandId, &Operand) -> usize,
    faults: Vec<Error>,
}

impl Reader<'_> {
    fn refuse(&mut self, what: &str) -> Vec<Term> {
        self.faults.push(unsupported(what));
        Vec::new()
    }
}

/// Both, term by term.
fn product(left: &Term, right: &Term) -> Term {
    Term {
        scale: left.scale * right.scale,
        factors: [&left.factors[..], &right.factors[..]].concat(),
        summed: [&left.summed[..], &right.summed[..]].concat(),
    }
}

impl Builder for Reader<'_> {
    type Value = Vec<Term>;

    fn operand(&mut self, id: OperandId, operand: &Operand) -> Vec<Term> {
        let mut labels = Vec::new();
        for index in &operand.indices {
            match index {
                Index::Label(label, _) => labels.push(label.0),
                Index::Slice(..) => return self.refuse("slices"),
                Index::Chip(_) => return self.refuse("positions"),
                Index::Fused(..) => return self.refuse("fused axes"),
                Index::Rest => return self.refuse("`..`"),
            }
        }
        let factor = Factor { operand: (self.operand)(id, operand), conjugates: false, labels };
        vec![Term { scale: Complex::ONE, factors: vec![factor], summed: Vec::new() }]
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> Vec<Term> {
        match scalar {
            Scalar::Literal(value, _) => vec![Term { scale: (*value).into(), factors: Vec::new(), summed: Vec::new() }],
            Scalar::Hole(hole) => {
                self.faults.push(Error::new(ErrorKind::Label(format!("`{}` is no number", hole.text))));
                Vec::new()
            }
        }
    }

    fn spread(&mut self, _: ScalarId, _: &Scalar, _: &[LabelId]) -> Vec<Term> {
        self.refuse("a number that is spread over labels")
    }

    fn negate(&mut self, mut value: Vec<Term>) -> Vec<Term> {
        value.iter_mut().for_each(|term| term.scale = -term.scale);
        value
    }

    fn binary(&mut self, operator: Operator, mut left: Vec<Term>, right: Vec<Term>) -> Vec<Term> {
        match operator {
            Operator::Add => left.extend(right),
            Operator::Subtract => {
                let right = self.negate(right);
                left.extend(right);
            }
            Operator::Multiply if left.len().saturating_mul(right.len()) > MOST_TERMS => {
                return self.refuse(&format!("products of sums with more than {MOST_TERMS} terms"));
            }
            Operator::Multiply => return left.iter().flat_map(|left| right.iter().map(|right| product(left, right))).collect(),
            Operator::Divide => match &right[..] {
                [number] if number.factors.is_empty() && number.summed.is_empty() => {
                    // Divisors are real: a complex quotient would round, overflow and underflow where a real one does not.
                    let divisor = number.scale.re;
                    left.iter_mut().for_each(|term| {
                        let im = if term.scale.im == 0.0 { 0.0 } else { term.scale.im / divisor };
                        term.scale = Complex::new(term.scale.re / divisor, im);
                    });
                }
                _ => return self.refuse("quotients by tensors"),
            },
        }
        left
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], mut value: Vec<Term>) -> Vec<Term> {
        if reduction != Reduction::Sum {
            return self.refuse("reductions other than sums");
        }
        value.iter_mut().for_each(|term| term.summed.extend(labels.iter().map(|label| label.0)));
        value
    }

    fn apply(&mut self, function: Function, mut value: Vec<Term>) -> Vec<Term> {
        if function != Function::Conj {
            return self.refuse("functions of elements");
        }
        for term in &mut value {
            term.scale = term.scale.conj();
            term.factors.iter_mut().for_each(|factor| factor.conjugates = !factor.conjugates);
        }
        value
    }

    fn map(&mut self, _: FunctionId, _: &Mapped, _: Vec<Vec<Term>>) -> Vec<Term> {
        self.refuse("functions of elements")
    }

    fn begin_cast(&mut self, _: CastId, _: &Cast) {}

    fn cast(&mut self, _: CastId, _: Vec<Term>) -> Vec<Term> {
        self.refuse("casts")
    }

    fn power_integer(&mut self, _: Vec<Term>, _: ScalarId, _: &Scalar) -> Vec<Term> {
        self.refuse("powers of elements")
    }

    fn power_real(&mut self, _: Vec<Term>, _: ScalarId, _: &Scalar) -> Vec<Term> {
        self.refuse("powers of elements")
    }
}
