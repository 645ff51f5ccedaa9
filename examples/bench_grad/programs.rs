//! Values and their derivatives by everything that varies.

use std::collections::BTreeMap;
use std::path::Path;

use tensorwrapper::prelude::*;
use tensorwrapper::{AnyOperand, Blocks, Extents, Structure, Tiling};

use crate::ccsd::Failure;
use crate::ccsd::cc::{Amplitudes, Orbitals};
use crate::equations::term_by_term;
use crate::ladder::whole_ladder;

/// A number, its derivatives, and the tensors that a run may change.
pub(crate) struct Recorded<'a, 'i> {
    pub(crate) value: Expr<'a, f64>,
    pub(crate) derivatives: Vec<Expr<'a, f64>>,
    pub(crate) inputs: &'i [&'i dyn AnyOperand],
}

type Then<'t> = &'t mut dyn FnMut(Recorded<'_, '_>) -> Result<(), Failure>;
type Program = fn(&Tensors, Then<'_>) -> Result<(), Failure>;

pub(crate) const PROGRAMS: [(&str, Program); 5] =
    [("layers", layers), ("layers_hvp", layers_hvp), ("deep", deep), ("chain", chain), ("lagrangian", lagrangian)];

/// The tensors of a folder by the names of their files.
pub(crate) struct Tensors(BTreeMap<String, Tensor<f64>>);

impl Tensors {
    pub(crate) fn read(folder: &Path) -> Result<Tensors, Failure> {
        let wrong = |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", folder.display()));
        let mut all = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(|error| wrong(&error))? {
            let path = entry.map_err(|error| wrong(&error))?.path();
            if let (Some("npy"), Some(name)) = (path.extension().and_then(|it| it.to_str()), path.file_stem()) {
                all.insert(name.to_string_lossy().into_owned(), AnyTensor::read_npy(&path)?.into_tensor()?);
            }
        }
        Ok(Tensors(all))
    }

    fn get(&self, name: &str) -> Result<&Tensor<f64>, Failure> {
        self.0.get(name).ok_or_else(|| Failure::Input(format!("the folder has no {name}.npy")))
    }

    fn typed<S: Extents>(&self, name: &str) -> Result<Tensor<f64, S>, Failure> {
        Ok(self.get(name)?.clone().into_typed()?)
    }
}

/// Two layers: what goes in, the labels, the parameters, and directions in which these change.
struct Layers {
    x: Tensor<f64>,
    y: Tensor<f64>,
    W1: Tensor<f64>,
    b1: Tensor<f64>,
    W2: Tensor<f64>,
    b2: Tensor<f64>,
    directions: Vec<Tensor<f64>>,
}

impl Layers {
    fn new(all: &Tensors) -> Result<Layers, Failure> {
        let of = |name: &str| all.get(name).cloned();
        let directions = ["dW1", "db1", "dW2", "db2"].into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(Layers { x: of("x")?, y: of("y")?, W1: of("W1")?, b1: of("b1")?, W2: of("W2")?, b2: of("b2")?, directions })
    }

    /// The mean of the negative logarithms of the probabilities of the labels.
    fn loss(&self) -> Expr<'_, f64, ()> {
        let (graph, count) = (Graph::new(), self.x.extents()[0] as f64);
        tensor! {
            in &graph;
            let first[s, j] = self.x[s, i] * self.W1[i, j] + 1[s] * self.b1[j];
            let h[s, j] = tanh(first[s, j]);
            let z[s, k] = h[s, j] * self.W2[j, k] + 1[s] * self.b2[k];
            let most[s] = max(k; z[s, k]);
            let total[s] = sum(k; exp(z[s, k] - most[s] * 1[k]));
            let loss = sum(s; ln(total[s]) + most[s]) / count - z[s, k] * self.y[s, k] / count;
            loss
        }
    }

    fn inputs(&self) -> [&dyn AnyOperand; 4] {
        [&self.W1, &self.b1, &self.W2, &self.b2]
    }
}

fn layers(all: &Tensors, then: Then<'_>) -> Result<(), Failure> {
    let of = Layers::new(all)?;
    let value = of.loss();
    let (by_W1, by_b1, by_W2, by_b2) = value.grad((&of.W1, &of.b1, &of.W2, &of.b2))?;
    let derivatives = vec![by_W1, by_b1, by_W2, by_b2];
    then(Recorded { value: value.at("").record("")?, derivatives, inputs: &of.inputs() })
}

/// Second derivatives along the directions.
fn layers_hvp(all: &Tensors, then: Then<'_>) -> Result<(), Failure> {
    let of = Layers::new(all)?;
    let value = of.loss();
    let [d1, d2, d3, d4] = &of.directions[..] else { unreachable!("there are four") };
    let (by_W1, by_b1, by_W2, by_b2) = value.hvp(((&of.W1, d1), (&of.b1, d2), (&of.W2, d3), (&of.b2, d4)))?;
    let derivatives = vec![by_W1, by_b1, by_W2, by_b2];
    then(Recorded { value: value.at("").record("")?, derivatives, inputs: &of.inputs() })
}

/// 64 layers `tanh(h·W)` of one matrix, and the sum of the squares of what they make.
fn deep(all: &Tensors, then: Then<'_>) -> Result<(), Failure> {
    let (x, W) = (all.get("x")?, all.get("W")?);
    let graph = Graph::new();
    let mut h = tensor! { in &graph; let h[s, j] = x[s, j]; h };
    for _ in 0..64 {
        h = tensor! { in &graph; let z[s, j] = h[s, k] * W[k, j]; let next[s, j] = tanh(z[s, j]); next };
    }
    let value = tensor! { in &graph; let value = h[s, j] * h[s, j]; value };
    let by_W = value.grad(W)?;
    then(Recorded { value: value.at("").record("")?, derivatives: vec![by_W.at("kj").record("kj")?], inputs: &[x, W] })
}

/// The trace of the product of all matrices `A000`, `A001` and so on.
fn chain(all: &Tensors, then: Then<'_>) -> Result<(), Failure> {
    let tensors: Vec<&Tensor<f64>> = all.0.iter().filter(|(name, _)| name.starts_with('A')).map(|(_, tensor)| tensor).collect();
    let names: Vec<String> = (0..=tensors.len()).map(|n| format!("i{}", n % tensors.len())).collect();
    let factor = |n: usize| tensors[n].at(&format!("{},{}", names[n], names[n + 1]));
    let value = (1..tensors.len()).fold(factor(0), |product, n| product * factor(n)).record("")?;
    let derivatives = value.grad(&tensors[..])?;
    let inputs: Vec<&dyn AnyOperand> = tensors.iter().map(|&tensor| tensor as &dyn AnyOperand).collect();
    then(Recorded { value, derivatives, inputs: &inputs })
}

/// The residuals of coupled cluster, each times its multiplier, by the amplitudes.
fn lagrangian(all: &Tensors, then: Then<'_>) -> Result<(), Failure> {
    let mo = Orbitals {
        nocc: all.get("eo")?.extents()[0],
        nvir: all.get("ev")?.extents()[0],
        eo: all.typed("eo")?,
        ev: all.typed("ev")?,
        oooo: all.typed("oooo")?,
        ooov: all.typed("ooov")?,
        oovv: all.typed("oovv")?,
        ovov: all.typed("ovov")?,
        ovvv: all.typed("ovvv")?,
        vvvv: Blocks::zeros(&Structure::new([&Tiling::whole(0); 4]))?,
    };
    let vvvv = all.typed("vvvv")?;
    let t = Amplitudes { t1: all.typed("t1")?, t2: all.typed("t2")? };
    let (m1, m2) = (all.get("m1")?, all.get("m2")?);
    term_by_term(&mo, &t, &whole_ladder(&vvvv, &t), &mut |(next1, next2)| {
        let graph = Graph::new();
        let L = tensor! {
            in &graph;
            let L = m1[i, a] * (*next1)[i, a] + m2[i, j, a, b] * (*next2)[i, j, a, b];
            L
        };
        let (g1, g2) = L.grad((&t.t1, &t.t2))?;
        let derivatives = vec![g1.at("ia").record("ia")?, g2.at("ijab").record("ijab")?];
        then(Recorded { value: L.at("").record("")?, derivatives, inputs: &[&t.t1, &t.t2, m1, m2] })
    })
}
