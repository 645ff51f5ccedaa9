//! Equations that are a single sum of a product of whole tensors. These are planned most often, and their labels alone are the fastest
//! way to plan them.

use crate::equation::{Equation, Index, LabelId, Left, LeftAxis, Meaning, Node};
use crate::syntax::{Operator, Reduction};

/// A sum of a product of whole tensors. Its labels have numbers of their own: first the labels of the result in the order of its axes,
/// then the summed labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The labels of each factor's axes. No factor has a label twice.
    pub factors: Vec<Vec<usize>>,
    /// How many labels the result has.
    pub kept: usize,
    /// For each label, its number in the equation.
    pub labels: Vec<LabelId>,
}

impl Equation {
    /// The equation as a single sum of a product of at most `most` whole tensors. `None` if it has another form: numbers, slices,
    /// positions, diagonals, an assignment to an existing tensor, or a declared label.
    pub fn product(&self, most: usize) -> Option<Product> {
        if self.operands.len() > most {
            return None;
        }
        let Meaning::Expression(Node::Reduce(Reduction::Sum, summed, body)) = &self.meaning else { return None };
        let ([left], None) = (&self.left[..], self.place) else { return None };
        let mut labels = result(left)?;
        let kept = labels.len();
        labels.extend(summed);
        if !self.claims.is_empty() || labels.iter().any(|label| self.labels[label.0].declared.is_some()) {
            return None;
        }
        let mut factors = Vec::new();
        self.factors(body, &labels, &mut factors)?;
        // A sum over a label that no factor has multiplies by its extent.
        let is_used = |label| factors.iter().any(|factor| factor.contains(&label));
        (0..labels.len()).all(is_used).then_some(Product { factors, kept, labels })
    }

    /// Adds the labels of all factors of a product, by their positions among `labels`.
    fn factors(&self, node: &Node, labels: &[LabelId], found: &mut Vec<Vec<usize>>) -> Option<()> {
        match node {
            Node::Binary(Operator::Multiply, left, right) => {
                self.factors(left, labels, found)?;
                self.factors(right, labels, found)
            }
            Node::Operand(id) => {
                let mut own: Vec<usize> = Vec::new();
                for index in &self.operands[id.0].indices {
                    let Index::Label(label, _) = index else { return None };
                    let label = labels.iter().position(|known| known == label)?;
                    if own.contains(&label) {
                        return None;
                    }
                    own.push(label);
                }
                // Operands are numbered in the order of writing, which is also the order of the factors.
                (id.0 == found.len()).then(|| found.push(own))
            }
            _ => None,
        }
    }
}

/// The labels of a result without diagonals, fused axes and `..`.
fn result(left: &Left) -> Option<Vec<LabelId>> {
    let label = |axis: &LeftAxis| if let LeftAxis::Label(label) = axis { Some(*label) } else { None };
    let labels: Vec<LabelId> = left.axes().iter().map(label).collect::<Option<_>>()?;
    left.is_plain().then_some(labels)
}

#[cfg(test)]
mod tests {
    use crate::{check, einsum, numbered_operands};

    #[test]
    fn products_of_whole_tensors_are_found_and_nothing_else() {
        let product = |text: &str, operands: usize| {
            let statement = einsum(text, &numbered_operands(operands), None).unwrap();
            check(&statement, &[]).unwrap().product(3)
        };
        let found = product("ik,kj,jl->li", 3).unwrap();
        assert_eq!((found.factors, found.kept), (vec![vec![1, 2], vec![2, 3], vec![3, 0]], 2));
        for (text, operands) in
            [("ij,ij->ij", 2), ("iij,jk->ik", 2), ("ab,bc,cd,de->ae", 4), ("ik,kj->iji", 2), ("i...,ij->j...", 2)]
        {
            assert_eq!(product(text, operands), None, "{text}");
        }
    }
}
