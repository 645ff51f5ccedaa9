//! The state of a chain over block tensors that conserve charges, and what its parts make of the operator.
//!
//! Charges go in by left bonds and spins, and out by right bonds: sites are `A[a, s, b]` as those of `chain.rs`, and so are
//! environments.

use tensorwrapper::{Blocks, Context, Error, PreparedBlocks, RecordOperand, Structure, Tiling, Truncation};

use super::charges::Conserving;
use super::lanczos::{Vector, ground, is_symmetric};
use super::sweep::{Found, Sweeps, Toward, Width};

/// The operator on two neighbours, seen through the state of all others.
const APPLY: &str = "[a, s, t, d] = L[a, l, b] * W[l, m, s, u] * W[m, r, t, v] * R[d, r, e] * psi[b, u, v, e]";
/// The environment with one site more.
const GROW_RIGHT: &str = "[c, r, d] = L[a, l, b] * conj(A[a, s, c]) * W[l, r, s, t] * A[b, t, d]";
const GROW_LEFT: &str = "[a, l, b] = conj(A[a, s, c]) * W[l, r, s, t] * A[b, t, d] * R[c, r, d]";

pub(crate) struct BlockChain {
    context: Context,
    W: Blocks<f64>,
    sites: Vec<Blocks<f64>>,
    /// What is left of each site, and what is right of the site before each; where a sweep has not been, of an older state.
    left: Vec<Blocks<f64>>,
    right: Vec<Blocks<f64>>,
    width: Width,
    /// Weights of the values at the middle bond.
    middle: Vec<f64>,
}

/// The operator on two neighbours, ready to be applied to any pair of these bonds.
struct Local<'c> {
    chain: &'c BlockChain,
    site: usize,
    /// Of a pair with all blocks that conserve the charge.
    structure: Structure,
    plan: PreparedBlocks,
}

impl Local<'_> {
    fn apply(&self, psi: &Blocks<f64>) -> Result<Blocks<f64>, Error> {
        let BlockChain { W, left, right, .. } = self.chain;
        self.plan.run(&[&left[self.site], W, &right[self.site + 2], psi])?.widened(&self.structure)
    }
}

impl Vector for Blocks<f64> {
    fn overlap(&self, other: &Blocks<f64>) -> Result<f64, Error> {
        self.inner(other)
    }

    fn add(&mut self, part: f64, other: &Blocks<f64>) -> Result<(), Error> {
        self.add_scaled(part, other)
    }

    fn scale(&mut self, number: f64) -> Result<(), Error> {
        Blocks::scale(self, number)
    }
}

impl BlockChain {
    /// The state in which spins point up and down by turns.
    pub(crate) fn new(operator: Conserving, sites: usize, width: Width) -> Result<BlockChain, Error> {
        let Conserving { W, first, last } = operator;
        let (bond, spin) = (W.structure().tilings()[0].clone(), W.structure().tilings()[2].clone());
        let at = |charge: i64| Tiling::whole(1).charged([charge]);
        let (mut product, mut charge) = (Vec::with_capacity(sites), 0);
        for site in 0..sites {
            let own = if site % 2 == 0 { spin.extent() as i64 - 1 } else { 1 - spin.extent() as i64 };
            let structure = Structure::new([&at(charge)?, &spin, &at(charge + own)?]).flow([1, 1, -1], [0])?;
            product.push(Blocks::from_fn(&structure, |_| 1.0)?);
            charge += own;
        }
        let end = |charge: i64, signs: [i64; 3], place: usize| {
            let structure = Structure::new([&at(charge)?, &bond, &at(charge)?]).flow(signs, [0])?;
            Blocks::from_fn(&structure, |i| if i[1] == place { 1.0 } else { 0.0 })
        };
        let left = vec![end(0, [1, 1, -1], last)?; sites + 1];
        let right = vec![end(charge, [-1, -1, 1], first)?; sites + 1];
        let mut chain = BlockChain { context: Context::default(), W, sites: product, left, right, width, middle: vec![1.0] };
        for site in (1..sites).rev() {
            chain.grow(site, Toward::Left)?;
        }
        Ok(chain)
    }

    /// The operator on a site and its right neighbour.
    fn local(&self, site: usize) -> Result<Local<'_>, Error> {
        let tilings = |site: usize| self.sites[site].structure().tilings();
        let [left, spin, _] = tilings(site) else { unreachable!("sites have three axes") };
        let [_, _, right] = tilings(site + 1) else { unreachable!("sites have three axes") };
        let structure = Structure::new([left, spin, spin, right]).flow([1, 1, 1, -1], [0])?;
        let psi = Blocks::zeros(&structure)?;
        let names: [(&str, &dyn RecordOperand<f64>); 4] =
            [("L", &self.left[site]), ("W", &self.W), ("R", &self.right[site + 2]), ("psi", &psi)];
        let plan = self.context.prepare_blocks(APPLY, &names)?;
        Ok(Local { chain: self, site, structure, plan })
    }

    /// The environment with one site more.
    fn grow(&mut self, site: usize, toward: Toward) -> Result<(), Error> {
        let (A, W) = (&self.sites[site], &self.W);
        match toward {
            Toward::Right => {
                let names: [(&str, &dyn RecordOperand<f64>); 3] = [("L", &self.left[site]), ("A", A), ("W", W)];
                self.left[site + 1] = self.context.eval_blocks(GROW_RIGHT, &names)?;
            }
            Toward::Left => {
                let names: [(&str, &dyn RecordOperand<f64>); 3] = [("A", A), ("W", W), ("R", &self.right[site + 1])];
                self.right[site] = self.context.eval_blocks(GROW_LEFT, &names)?;
            }
        }
        Ok(())
    }
}

impl Sweeps for BlockChain {
    fn sites(&self) -> usize {
        self.sites.len()
    }

    fn optimize(&mut self, site: usize, toward: Toward) -> Result<Found, Error> {
        let local = self.local(site)?;
        let (A, B) = (&self.sites[site], &self.sites[site + 1]);
        let start = self.context.einsum_blocks("asb,btc->astc", &[A, B])?.widened(&local.structure)?;
        let (energy, theta) = ground(|pair| local.apply(pair), start)?;
        let truncation = Truncation::none().max(self.width.bond).tol(self.width.tolerance);
        let (U, S, V, discarded) = self.context.svd_cut_blocks(&theta, [0, 1], &truncation)?;
        if site == (self.sites.len() - 2) / 2 {
            self.middle = S.to_dense()?.as_slice().iter().map(|value| value * value).collect();
        }
        (self.sites[site], self.sites[site + 1]) = match toward {
            Toward::Right => (U, V.scaled_along(0, &S)?),
            Toward::Left => (U.scaled_along(2, &S)?, V),
        };
        self.grow(if toward == Toward::Right { site } else { site + 1 }, toward)?;
        Ok(Found { energy, discarded })
    }

    fn largest_bond(&self) -> usize {
        self.sites.iter().map(|site| site.structure().tilings()[2].extent()).max().unwrap_or(1)
    }

    fn middle(&self) -> &[f64] {
        &self.middle
    }

    fn is_symmetric(&self) -> Result<bool, Error> {
        let local = self.local(0)?;
        let vector = |k: f64| Blocks::from_fn(&local.structure, |i| ((1 + i[1] * 7 + i[2] * 3 + i[3]) as f64 * k).sin());
        is_symmetric(|pair| local.apply(pair), vector(1.3)?, vector(2.9)?)
    }
}
