//! Records a checked equation with the values for its holes. All entry points end here; the macros pass the text of their
//! equations.

use num_complex::Complex;
use tensorwrapper_notation::syntax::{Count, Hole, Operator, Range, Reduction, Scalar, Word};
use tensorwrapper_notation::{
    Builder, Cast, CastId, Condition, Equation, Factorise, Function, FunctionId, Index as Written, LabelId, Left, LeftAxis,
    Mapped, Operand, OperandId, Right, ScalarId, sentence,
};

use super::recorder::{Computing, Index, Labels, Node, Recorder, Write};
use super::value::{Axis, Tree, Value};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::backend::{Decomposition, Role};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::LabelNames;

/// The values for the holes of an equation. Run-time entry points have only operands and numbers, because they write positions,
/// ranges and exponents as literals.
pub(crate) trait Holes<'a> {
    /// An operand.
    fn tensor(&self, id: OperandId, hole: &Hole) -> Link<Value<'a>>;
    /// A number.
    fn scalar(&self, hole: &Hole) -> Tree<'a>;
    /// A function of the program.
    fn function(&self, _: FunctionId, hole: &Hole) -> Callback<'a> {
        unreachable!("this entry point has no functions, and refuses `{}`", hole.text)
    }
    /// The element type inside of a cast.
    fn element(&self, _: CastId, _: &Cast) -> Dtype {
        unreachable!("this entry point has no casts, and refuses them")
    }
    /// Computes values while the equation is recorded, because extents depend on their elements.
    ///
    /// # Errors
    /// The error of computing them, or an error that says that nothing is computed here.
    fn compute(&self, _: &[Link<Value<'a>>]) -> Result<Vec<AnyTensor>, Error> {
        Err(only_recorded())
    }
    /// Whether derivatives of what is recorded may be taken later, so that what is computed at once is recorded, too.
    fn is_differentiated(&self) -> bool {
        false
    }
    /// The right side of an equation without the derivatives that stand in it.
    ///
    /// # Errors
    /// What has no derivative.
    fn derive(&self, _: Tree<'a>, _: &Derivatives<'a>) -> Result<Tree<'a>, Error> {
        unreachable!("this entry point reads no `grad`")
    }
    /// A position or an extent.
    fn count(&self, _: &Hole) -> usize {
        unreachable!("entry points at run time write positions as literals")
    }
    /// A range of indices.
    fn range(&self, _: &Hole) -> (usize, Option<usize>) {
        unreachable!("entry points at run time write ranges as literals")
    }
    /// The exponent of `powi`.
    fn whole(&self, _: &Hole) -> i32 {
        unreachable!("entry points at run time write exponents as literals")
    }
    /// The exponent of `powf`.
    fn real(&self, _: &Hole) -> f64 {
        unreachable!("entry points at run time write exponents as literals")
    }
}

/// The derivatives in a right side, and its labels.
#[derive(Debug)]
pub(crate) struct Derivatives<'a> {
    pub(crate) factors: Vec<Derivative<'a>>,
    pub(crate) extents: Vec<usize>,
    pub(crate) names: LabelNames,
    /// The element type of the equation.
    pub(crate) dtype: Dtype,
}

/// `grad(X; A[k, l])` as a factor: the derivatives of X, read with its axes, by A, read with its own.
#[derive(Debug)]
pub(crate) struct Derivative<'a> {
    /// What stands in the tree for all derivatives, with the labels of X and the axes of A. Its elements do not matter.
    pub(crate) stands: Link<Value<'a>>,
    pub(crate) value: Read<'a>,
    pub(crate) variable: Read<'a>,
}

/// An operand of a `grad`.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    pub(crate) value: Link<Value<'a>>,
    pub(crate) axes: Vec<Axis>,
    /// As the equation names it.
    pub(crate) text: String,
}

/// The error for a truncation whose extents depend on elements that are not computed.
pub(crate) fn only_recorded() -> Error {
    let message = "how many singular values a tolerance keeps is known when they are computed, and here they are only recorded";
    let error = Error::new(ErrorKind::Unsupported(message.to_string()));
    error.with_help("compute the equation, without `in &graph;`, or give `max` alone")
}

/// What an equation was recorded as.
#[derive(Debug)]
pub(crate) enum Bound<'a> {
    /// A new result, or those of a decomposition.
    Results(Vec<Link<Value<'a>>>),
    /// A part of an existing tensor, and the whole of it afterwards.
    Write(Write<'a>),
}

/// Records an equation over elements of one type.
///
/// # Errors
/// Ranks and extents that do not fit.
pub(crate) fn bind<'a>(equation: &Equation, dtype: Dtype, holes: &dyn Holes<'a>) -> Result<Bound<'a>, Error> {
    let names: Vec<&str> = equation.labels().iter().map(|label| label.name.as_str()).collect();
    let new = || Binder { recorder: Recorder::new(dtype, &names), holes, derivatives: Vec::new(), extents: Vec::new() };
    let mut binder = new();
    if !equation.claims().is_empty() {
        let error = Error::new(ErrorKind::Unsupported("a claim of symmetry about a dense result".to_string()));
        return Err(error.with_help(
            "leave it out: a dense tensor stores every element. Only block tensors have symmetries; a result is a block tensor if an operand \
             is",
        ));
    }
    if let Some(left) = equation.left().iter().find(|left| !left.layers.is_empty() && equation.place().is_none()) {
        binder.recorder.fault(one_layer("a dense result", left.layers.len()));
    }
    if equation.reads_extents() {
        // Extents are known when all operands are read.
        let mut reader = new();
        reader.begin(equation);
        equation.build(&mut reader);
        if reader.recorder.labels().is_some() {
            binder.extents = (0..names.len()).map(|label| reader.recorder.known(label)).collect();
        }
    }
    let place = binder.begin(equation);
    let terms = equation.terms();
    match (equation.build(&mut binder), place) {
        (Right::Expression(node), None) => {
            let node = binder.derived(vec![node])?.remove(0);
            let value = with_axes(&equation.left()[0], |axes| binder.recorder.finish_value(node, terms, axes));
            value.map(|value| Bound::Results(vec![value]))
        }
        (Right::Expression(node), Some(place)) => {
            let node = binder.derived(vec![node])?.remove(0);
            with_axes(&equation.left()[0], |axes| binder.recorder.finish_write(node, terms, axes, place)).map(Bound::Write)
        }
        (Right::Factorise(factorise, arguments), _) => {
            let arguments = binder.derived(arguments)?;
            decomposition(equation, factorise, arguments, binder)
        }
    }
}

/// That a tensor, which has one layer, is written with several.
pub(crate) fn one_layer(what: &str, layers: usize) -> Error {
    let count = if layers == 2 { "two".to_string() } else { layers.to_string() };
    Error::new(ErrorKind::Label(format!("{what} has one layer, but `;` asks for {count}")))
}

/// The one result of an equation in value form.
///
/// # Errors
/// As [`bind`]'s.
pub(crate) fn bind_value<'a>(equation: &Equation, dtype: Dtype, holes: &dyn Holes<'a>) -> Result<Link<Value<'a>>, Error> {
    match bind(equation, dtype, holes)? {
        Bound::Results(mut results) => Ok(results.remove(0)),
        Bound::Write(_) => unreachable!("an equation in value form writes nothing"),
    }
}

fn decomposition<'a>(
    equation: &Equation,
    factorise: &Factorise,
    arguments: Vec<Node<'a>>,
    binder: Binder<'_, '_, 'a>,
) -> Result<Bound<'a>, Error> {
    let (options, holes) = (factorise.options(), binder.holes);
    let roles = Role::ALL.map(|role| numbers(factorise.labels(role)));
    let real = |scalar: &Scalar| scalar.real(|hole| holes.real(hole));
    let call = Decomposition {
        kind: factorise.kind(),
        max: options.max.as_ref().map(|max| binder.count(max)),
        tol: options.tol.as_ref().map(real),
        broaden: options.broaden.as_ref().map(real),
        full: options.has(Word::Full),
        upper: options.has(Word::Upper),
        unit: options.has(Word::Unit),
        exponent: options.exponent.as_ref().map_or(1, |exponent| exponent.whole(|hole| holes.whole(hole))),
        batch: factorise.batch().len(),
        roles: roles.each_ref().map(Vec::len),
    };
    let wanted = equation.left().iter().map(|left| numbers(&left.labels())).collect();
    let labels = Labels { batch: numbers(factorise.batch()), roles, wanted };
    let compute = |values: &[Link<Value<'a>>]| holes.compute(values);
    let computing = Computing { compute: &compute, is_differentiated: holes.is_differentiated() };
    binder.recorder.finish_factorise(call, arguments, &labels, computing).map(Bound::Results)
}

/// Calls back with the axes of a result.
fn with_axes<R>(left: &Left, then: impl FnOnce(&[Index<'_>]) -> R) -> R {
    let labels = |axis: &LeftAxis| if let LeftAxis::Fused(labels) = axis { numbers(labels) } else { Vec::new() };
    let fused: Vec<Vec<usize>> = left.axes().iter().map(labels).collect();
    let axes = left.axes().iter().zip(&fused).map(|(axis, fused)| match axis {
        LeftAxis::Label(label) => Index::Label(label.0),
        LeftAxis::Fused(_) => Index::Fused(fused),
        LeftAxis::Rest => Index::Rest,
    });
    then(&axes.collect::<Vec<_>>())
}

struct Binder<'b, 'n, 'a> {
    recorder: Recorder<'n>,
    holes: &'b dyn Holes<'a>,
    derivatives: Vec<Derivative<'a>>,
    /// The extents of all labels, as far as they are known, where the equation asks for them.
    extents: Vec<Option<usize>>,
}

impl<'n, 'a> Binder<'_, 'n, 'a> {
    /// Notes what is declared, and the place that is written to.
    fn begin(&mut self, equation: &Equation) -> Option<Node<'a>> {
        for (n, label) in equation.labels().iter().enumerate() {
            if let Some(extent) = &label.declared {
                let extent = self.count(extent);
                self.recorder.declare(n, extent);
            }
        }
        // The place of a plain `=` is no part of the right side, but its extents count, and it is written first.
        equation.place().map(|(id, _)| self.operand(id, &equation.operands()[id.0]))
    }

    /// Right sides without the derivatives that stand in them. If there are faults, which the end of the equation reports, nothing is
    /// derived.
    fn derived(&mut self, nodes: Vec<Node<'a>>) -> Result<Vec<Node<'a>>, Error> {
        let factors = std::mem::take(&mut self.derivatives);
        if factors.is_empty() {
            return Ok(nodes);
        }
        let Some((extents, names)) = self.recorder.labels() else { return Ok(nodes) };
        let derivatives = Derivatives { factors, extents, names, dtype: self.recorder.dtype() };
        nodes.into_iter().map(|node| self.holes.derive(node.0, &derivatives).map(Node)).collect()
    }

    /// An operand of the equation, read by the method of the recorder.
    fn read(
        &mut self,
        (id, operand): (OperandId, &Operand),
        method: fn(&mut Recorder<'n>, &Link<Value<'a>>, &str, &[Index<'_>]) -> Node<'a>,
    ) -> Node<'a> {
        let labels = |index: &Written| if let Written::Fused(labels, _) = index { numbers(labels) } else { Vec::new() };
        let fused: Vec<Vec<usize>> = operand.indices.iter().map(labels).collect();
        let indices = operand.indices.iter().zip(&fused).map(|(index, fused)| match index {
            Written::Label(label, _) => Index::Label(label.0),
            Written::Slice(label, Range::Literal(start, end, _), _) => Index::Slice(label.0, *start, *end),
            Written::Slice(label, Range::Hole(hole), _) => {
                let (start, end) = self.holes.range(hole);
                Index::Slice(label.0, start, end)
            }
            Written::Chip(count) => Index::Chip(self.count(count)),
            Written::Fused(..) => Index::Fused(fused),
            Written::Rest => Index::Rest,
        });
        let indices: Vec<Index<'_>> = indices.collect();
        let tensor = self.holes.tensor(id, &operand.hole);
        let node = method(&mut self.recorder, &tensor, &operand.hole.text, &indices);
        if !operand.layers.is_empty() {
            self.recorder.fault(one_layer(&format!("`{}`", operand.hole.text), operand.layers.len()));
        }
        if operand.has_no_rest && tensor.extents.len() > indices.len() {
            self.recorder.help(sentence::NO_REST);
        }
        node
    }

    fn count(&self, count: &Count) -> usize {
        count.value(|hole| self.holes.count(hole))
    }
}

fn numbers(labels: &[LabelId]) -> Vec<usize> {
    labels.iter().map(|label| label.0).collect()
}

impl<'a> Builder for Binder<'_, '_, 'a> {
    type Value = Node<'a>;

    fn operand(&mut self, id: OperandId, operand: &Operand) -> Node<'a> {
        self.read((id, operand), Recorder::tensor)
    }

    fn gradient(&mut self, value: (OperandId, &Operand), variable: (OperandId, &Operand)) -> Node<'a> {
        let read = |node: Node<'a>, operand: &Operand| match node.0 {
            Tree::Operand(value, axes) => Read { value, axes, text: operand.hole.text.clone() },
            other => unreachable!("an operand was read, not {other:?}"),
        };
        let differentiated = self.read(value, Recorder::differentiated);
        let is_tensor = matches!(&differentiated.0, Tree::Operand(tensor, _) if !tensor.extents.is_empty());
        if value.1.indices.is_empty() && is_tensor {
            self.recorder.help(sentence::GRADIENT_OF_A_TENSOR);
        }
        let (value, variable) = (read(differentiated, value.1), read(self.read(variable, Recorder::tensor), variable.1));
        let all = [&value.value.extents[..], &variable.value.extents].concat();
        let axes = [&value.axes[..], &variable.axes].concat();
        let stands = Value::filled(Complex::ZERO, all, variable.value.dtype);
        let node = Node(Tree::Operand(Link::clone(&stands), axes));
        self.derivatives.push(Derivative { stands, value, variable });
        node
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> Node<'a> {
        match scalar {
            Scalar::Literal(value, _) => self.recorder.literal(*value),
            Scalar::Hole(hole) => Node(self.holes.scalar(hole)),
        }
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) -> Node<'a> {
        // Labels have their extents from elsewhere, and a number does not change along them.
        self.scalar(id, scalar)
    }

    fn iota(&mut self, label: LabelId) -> Node<'a> {
        // The end of the equation reports what is amiss.
        let Some(&Some(extent)) = self.extents.get(label.0) else { return self.recorder.literal(0.0) };
        match Value::iota(extent, self.recorder.dtype()) {
            Ok(values) => self.recorder.tensor(&values, "iota", &[Index::Label(label.0)]),
            Err(fault) => {
                self.recorder.fault(fault);
                self.recorder.literal(0.0)
            }
        }
    }

    fn extent(&mut self, label: LabelId) -> Node<'a> {
        // The end of the equation reports what is amiss.
        let extent = self.extents.get(label.0).copied().flatten().unwrap_or(1);
        self.recorder.literal(extent as f64)
    }

    fn negate(&mut self, value: Node<'a>) -> Node<'a> {
        self.recorder.negate(value)
    }

    fn binary(&mut self, operator: Operator, left: Node<'a>, right: Node<'a>) -> Node<'a> {
        self.recorder.binary(operator, left, right)
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: Node<'a>) -> Node<'a> {
        self.recorder.reduce(reduction, &numbers(labels), value)
    }

    fn apply(&mut self, function: Function, value: Node<'a>) -> Node<'a> {
        self.recorder.apply(function, value)
    }

    fn map(&mut self, functions: &[(FunctionId, &Mapped)], arguments: Vec<Node<'a>>) -> Node<'a> {
        let functions = functions.iter().map(|(id, function)| self.holes.function(*id, &function.hole)).collect();
        self.recorder.map(functions, arguments)
    }

    fn select(&mut self, condition: Condition<Node<'a>>, chosen: Node<'a>, other: Node<'a>) -> Node<'a> {
        self.recorder.select(condition, chosen, other)
    }

    fn begin_cast(&mut self, id: CastId, cast: &Cast) {
        self.recorder.begin_cast(self.holes.element(id, cast));
    }

    fn cast(&mut self, _: CastId, value: Node<'a>) -> Node<'a> {
        self.recorder.cast(value)
    }

    fn power_integer(&mut self, value: Node<'a>, _: ScalarId, exponent: &Scalar) -> Node<'a> {
        let exponent = exponent.whole(|hole| self.holes.whole(hole));
        self.recorder.power_integer(value, exponent)
    }

    fn power_real(&mut self, value: Node<'a>, _: ScalarId, exponent: &Scalar) -> Node<'a> {
        let exponent = exponent.real(|hole| self.holes.real(hole));
        self.recorder.power_real(value, exponent)
    }
}
