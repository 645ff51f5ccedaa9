//! The nodes of a recording in an order in which each comes after what it is made of, and which of them vary with the variables.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tensorwrapper_notation::syntax::Factorisation;

use super::build::{Labels, constant, is_same_value};
use super::normal::{Normal, normal};
use crate::expr::{Factorised, Solved, Source, Tree, Value};
use crate::link::Link;
use crate::tensor::AnyRef;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::error::{Error, ErrorKind};

/// What a derivative is taken by.
#[derive(Clone, Debug)]
pub(super) enum Variable<'a> {
    /// A recorded value.
    Recorded(Link<Value<'a>>),
    /// A tensor of the program, wherever its elements are read.
    Elements(AnyRef<'a>),
}

impl<'a> Variable<'a> {
    pub(super) fn new(value: Link<Value<'a>>) -> Variable<'a> {
        match &value.source {
            Source::Tensor(tensor) => Variable::Elements(tensor.clone()),
            _ => Variable::Recorded(value),
        }
    }

    /// Recorded values, each as a variable.
    pub(super) fn recorded(values: &[Link<Value<'a>>]) -> Vec<Variable<'a>> {
        values.iter().map(|value| Variable::Recorded(Link::clone(value))).collect()
    }

    /// The derivative by it of what does not depend on it.
    pub(super) fn zero(&self) -> Link<Value<'a>> {
        match self {
            Variable::Recorded(value) => constant(0.0, &value.extents, value.dtype),
            Variable::Elements(tensor) => constant(0.0, tensor.layout.extents(), tensor.dtype()),
        }
    }
}

/// A node: a value, or an operation of linear algebra or the solution of equations with all its results.
#[derive(Clone, Debug)]
pub(super) enum Node<'a> {
    Value(Link<Value<'a>>),
    Call(Arc<Factorised<'a>>),
    Solved(Arc<Solved<'a>>),
}

/// A node by where it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Value(usize),
    Call(usize),
    Solved(usize),
}

pub(super) fn key_of(value: &Link<Value<'_>>) -> Key {
    Key::Value(Link::address(value).addr())
}

impl Node<'_> {
    pub(super) fn key(&self) -> Key {
        match self {
            Node::Value(value) => key_of(value),
            Node::Call(call) => Key::Call(Arc::as_ptr(call).addr()),
            Node::Solved(solved) => Key::Solved(Arc::as_ptr(solved).addr()),
        }
    }
}

/// The first function of a complex variable in a tree that has no complex derivative.
fn not_analytic<'a>(tree: &Tree<'a>, varies: &dyn Fn(&Tree<'a>) -> bool) -> Option<&'static str> {
    if !varies(tree) {
        return None;
    }
    match tree {
        Tree::Apply(Unary::Conj, _) => Some("`conj`"),
        Tree::Apply(Unary::Re, _) => Some("`re`"),
        Tree::Apply(Unary::Im, _) => Some("`im`"),
        Tree::Apply(Unary::Abs | Unary::Sign | Unary::IsZero | Unary::IsPositive, _) => Some("`abs`"),
        Tree::Cast(from, _) if !from.is_complex() => Some("a cast of real numbers"),
        // What is compared only chooses.
        Tree::Select(_, values) => values.iter().find_map(|value| not_analytic(value, varies)),
        other => other.parts().into_iter().find_map(|part| not_analytic(part, varies)),
    }
}

/// A recording, in order.
#[derive(Debug)]
pub(super) struct Recording<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// The normal forms of equations.
    normals: HashMap<Key, Normal<'a>>,
    varying: HashSet<Key>,
    constant: HashSet<Key>,
    /// The nodes that are variables, and which.
    variables: HashMap<Key, Vec<usize>>,
}

impl<'a> Recording<'a> {
    /// The nodes of which these values are made.
    ///
    /// # Errors
    /// A tensor that shares elements with a variable but is another part of them; nodes that vary and have no derivative.
    pub(super) fn new(values: &[Link<Value<'a>>], variables: &[Variable<'a>]) -> Result<Recording<'a>, Error> {
        let mut recording = Recording {
            nodes: Vec::new(),
            normals: HashMap::new(),
            varying: HashSet::new(),
            constant: HashSet::new(),
            variables: HashMap::new(),
        };
        recording.collect(values, variables);
        recording.find(variables)?;
        recording.spread()?;
        Ok(recording)
    }

    pub(super) fn varies(&self, key: Key) -> bool {
        self.varying.contains(&key)
    }

    /// The numbers of the variables that a node is.
    pub(super) fn variables(&self, key: Key) -> &[usize] {
        self.variables.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Whether the values are made of a variable.
    pub(super) fn reads(&self, variable: usize) -> bool {
        self.variables.values().any(|all| all.contains(&variable))
    }

    pub(super) fn normal(&self, key: Key) -> &Normal<'a> {
        &self.normals[&key]
    }

    /// What keeps a complex value from having one derivative for all directions in the complex plane, if there is such.
    pub(super) fn without_complex_derivative(&self) -> Option<String> {
        let varies = |tree: &Tree<'a>| {
            let mut varies = false;
            tree.operands(&mut |value, _| varies |= self.varies(key_of(value)));
            varies
        };
        self.nodes.iter().filter(|node| self.varies(node.key())).find_map(|node| match node {
            Node::Call(call) => {
                let form = call.call.form();
                let is_analytic = matches!(
                    call.call.kind,
                    Factorisation::Solve
                        | Factorisation::TriangularSolve
                        | Factorisation::Inv
                        | Factorisation::Det
                        | Factorisation::Adjugate
                        | Factorisation::Expm
                        | Factorisation::Matpow
                        | Factorisation::Trace
                );
                (!is_analytic).then(|| format!("`{}`", form.name))
            }
            Node::Solved(_) => Some("a fixed point".to_string()),
            Node::Value(_) => {
                let terms = self.normals.get(&node.key()).into_iter().flat_map(|form| &form.terms);
                terms.into_iter().find_map(|term| not_analytic(&term.body, &varies)).map(str::to_string)
            }
        })
    }

    /// Collects the nodes without recursion: chains may be of any length.
    fn collect(&mut self, values: &[Link<Value<'a>>], variables: &[Variable<'a>]) {
        let is_variable = |value: &Link<Value<'a>>| {
            variables.iter().any(|variable| matches!(variable, Variable::Recorded(recorded) if is_same_value(recorded, value)))
        };
        let (mut open, mut opened, mut done) = (Vec::new(), HashSet::new(), HashSet::new());
        for value in values {
            open.push(Node::Value(Link::clone(value)));
            while let Some(node) = open.last().cloned() {
                let key = node.key();
                if done.contains(&key) {
                    open.pop();
                    continue;
                }
                if !opened.insert(key) {
                    done.insert(key);
                    self.nodes.push(node);
                    open.pop();
                    continue;
                }
                if let Node::Value(value) = &node
                    && let Source::Equation { tree, extents, axes, names } = &value.source
                {
                    let form = normal(value, tree, Labels::of(extents, names), axes, &is_variable);
                    self.constant.extend(form.constant.iter().map(key_of));
                    self.normals.insert(key, form);
                }
                let own = open.len();
                self.parts(&node, &mut |part| {
                    if !done.contains(&part.key()) {
                        open.push(part);
                    }
                });
                open[own..].reverse();
            }
        }
    }

    /// Visits what a node is made of. The normal form of an equation is known.
    fn parts(&self, node: &Node<'a>, visit: &mut dyn FnMut(Node<'a>)) {
        let mut visit_value = |value: &Link<Value<'a>>| visit(Node::Value(Link::clone(value)));
        let value = match node {
            Node::Call(call) => return call.arguments.iter().for_each(visit_value),
            Node::Solved(solved) => return solved.arguments.iter().for_each(visit_value),
            Node::Value(value) => value,
        };
        match &value.source {
            Source::Tensor(_) | Source::Computed(..) | Source::Held(_) => {}
            Source::Equation { .. } => {
                for term in &self.normals[&node.key()].terms {
                    term.body.operands(&mut |operand, _| visit_value(operand));
                }
            }
            Source::Factorised(call, _) => visit(Node::Call(Arc::clone(call))),
            Source::Solved(solved, _) => visit(Node::Solved(Arc::clone(solved))),
            Source::Graph(inlined, _) => inlined.operands.iter().for_each(visit_value),
            Source::Reshaped(inner) => visit_value(inner),
            Source::Written { base, part, .. } => [part].into_iter().chain(base).for_each(visit_value),
        }
    }

    /// Finds the variables among the nodes.
    fn find(&mut self, variables: &[Variable<'a>]) -> Result<(), Error> {
        for node in &self.nodes {
            let Node::Value(value) = node else { continue };
            for (n, variable) in variables.iter().enumerate() {
                let is_it = match (variable, &value.source) {
                    (Variable::Recorded(recorded), _) => is_same_value(recorded, value),
                    (Variable::Elements(tensor), Source::Tensor(read)) => {
                        let is_same = read.data.is_same(&tensor.data) && read.layout == tensor.layout;
                        if !is_same && read.data.overlaps(&tensor.data) {
                            let message = "the derivative by a tensor of which a part is read through another view".to_string();
                            let error = Error::new(ErrorKind::Unsupported(message));
                            return Err(error.with_help("read the part in the equation, as in `A[0, j]` or `A[i in 2..5, j]`"));
                        }
                        is_same
                    }
                    (Variable::Elements(_), _) => false,
                };
                if is_it {
                    self.variables.entry(node.key()).or_default().push(n);
                }
            }
        }
        Ok(())
    }

    /// Which nodes vary.
    fn spread(&mut self) -> Result<(), Error> {
        for n in 0..self.nodes.len() {
            let (node, mut varies) = (self.nodes[n].clone(), false);
            self.parts(&node, &mut |part| varies |= self.varies(part.key()));
            if let Node::Value(value) = &node
                && varies
                && matches!(value.source, Source::Graph(..))
            {
                let message = "the derivative of a graph that was recorded as a value".to_string();
                return Err(Error::new(ErrorKind::Unsupported(message)));
            }
            varies &= !self.constant.contains(&node.key());
            if varies || self.variables.contains_key(&node.key()) {
                self.varying.insert(node.key());
            }
        }
        Ok(())
    }
}
