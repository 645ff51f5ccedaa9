//! The state of a chain over dense tensors, and what its parts make of the operator.
//!
//! A state is a product of tensors `A[a, s, b]`: left bond, spin, right bond. Of the part of the chain on one side, the operator
//! leaves an environment `L[a, l, b]`: bond of the state above, bond of the operator, bond of the state below.

use tensorwrapper::prelude::*;

use super::lanczos::{Vector, ground, is_symmetric};
use super::sweep::{Found, Sweeps, Toward, Width};

/// `W[l, r, s, t]`
pub(crate) type Operator = Tensor<f64, Shape![_, _, _, _]>;
/// Two neighbouring sites: left bond, two spins, right bond.
pub(crate) type Pair = Tensor<f64, Shape![_, _, _, _]>;
/// One site: left bond, spin, right bond. Or an environment.
type Site = Tensor<f64, Shape![_, _, _]>;

pub(crate) struct Chain {
    W: Operator,
    sites: Vec<Site>,
    /// What is left of each site, and what is right of the site before each; where a sweep has not been, of an older state.
    left: Vec<Site>,
    right: Vec<Site>,
    width: Width,
    /// Weights of the values at the middle bond.
    middle: Vec<f64>,
}

/// A bond cut: the sites on both sides, and the weights of what is kept and of what is gone.
struct Cut {
    /// Orthogonal: the left site if the sweep goes right, else the right one.
    rotation: Site,
    rest: Site,
    weights: Vec<f64>,
    discarded: f64,
}

impl Vector for Pair {
    fn overlap(&self, other: &Pair) -> Result<f64, Error> {
        try_tensor!([] = self[a, s, t, b] * other[a, s, t, b])
    }

    fn add(&mut self, part: f64, other: &Pair) -> Result<(), Error> {
        try_tensor!(self[a, s, t, b] += part * other[a, s, t, b])
    }

    fn scale(&mut self, number: f64) -> Result<(), Error> {
        try_tensor!(self[a, s, t, b] *= number)
    }
}

impl Chain {
    /// A state in which every spin points somewhere else by itself.
    pub(crate) fn new(W: Operator, sites: usize, width: Width) -> Result<Chain, Error> {
        let (bonds, spins) = (W.extents()[0], W.extents()[2]);
        let mut chance = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = || {
            chance = chance.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (chance >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut product = Vec::with_capacity(sites);
        for _ in 0..sites {
            let site: Site = Tensor::from_fn((1, spins, 1), |_| random())?;
            let length: f64 = try_tensor!([] = site[a, s, b] * site[a, s, b])?;
            let length = length.sqrt();
            product.push(try_tensor!([a, s, b] = site[a, s, b] / length)?);
        }
        let end = |at: usize| Tensor::from_fn((1, bonds, 1), |i| if i[1] == at { 1.0 } else { 0.0 });
        let (left, right) = (vec![end(bonds - 1)?; sites + 1], vec![end(0)?; sites + 1]);
        let mut chain = Chain { W, sites: product, left, right, width, middle: vec![1.0] };
        for site in (1..sites).rev() {
            chain.grow(site, Toward::Left)?;
        }
        Ok(chain)
    }

    /// The operator on two neighbours, seen through the state of all others.
    fn apply(&self, site: usize, psi: &Pair) -> Result<Pair, Error> {
        let (L, W, R) = (&self.left[site], &self.W, &self.right[site + 2]);
        try_tensor!([a, s, t, d] = L[a, l, b] * W[l, m, s, u] * W[m, r, t, v] * R[d, r, e] * psi[b, u, v, e])
    }

    /// The environment with one site more.
    fn grow(&mut self, site: usize, toward: Toward) -> Result<(), Error> {
        let (A, W) = (&self.sites[site], &self.W);
        match toward {
            Toward::Right => {
                let L = &self.left[site];
                self.left[site + 1] = try_tensor!([c, r, d] = L[a, l, b] * conj(A[a, s, c]) * W[l, r, s, t] * A[b, t, d])?;
            }
            Toward::Left => {
                let R = &self.right[site + 1];
                self.right[site] = try_tensor!([a, l, b] = conj(A[a, s, c]) * W[l, r, s, t] * A[b, t, d] * R[c, r, d])?;
            }
        }
        Ok(())
    }

    /// Cuts two sites at their bond, and keeps the largest of its singular values.
    fn cut(&self, theta: &Pair, toward: Toward) -> Result<Cut, Error> {
        let (U, S, V, discarded) = try_tensor!(
            ([a, s, k], [k], [k, t, b], []) = svd(theta[a, s, t, b]; max = self.width.bond, tol = self.width.tolerance)
        )?;
        let weights = S.as_slice().iter().map(|value| value * value).collect();
        let (rotation, rest): (Site, Site) = match toward {
            Toward::Right => (U, try_tensor!([k, t, b] = S[k] * V[k, t, b])?),
            Toward::Left => (V, try_tensor!([a, s, k] = U[a, s, k] * S[k])?),
        };
        Ok(Cut { rotation, rest, weights, discarded })
    }
}

impl Sweeps for Chain {
    fn sites(&self) -> usize {
        self.sites.len()
    }

    fn optimize(&mut self, site: usize, toward: Toward) -> Result<Found, Error> {
        let (A, B) = (&self.sites[site], &self.sites[site + 1]);
        let start = try_tensor!([a, s, t, c] = A[a, s, b] * B[b, t, c])?;
        let (energy, theta) = ground(|pair| self.apply(site, pair), start)?;
        let cut = self.cut(&theta, toward)?;
        if site == (self.sites.len() - 2) / 2 {
            self.middle.clone_from(&cut.weights);
        }
        match toward {
            Toward::Right => (self.sites[site], self.sites[site + 1]) = (cut.rotation, cut.rest),
            Toward::Left => (self.sites[site], self.sites[site + 1]) = (cut.rest, cut.rotation),
        }
        self.grow(if toward == Toward::Right { site } else { site + 1 }, toward)?;
        Ok(Found { energy, discarded: cut.discarded })
    }

    fn largest_bond(&self) -> usize {
        self.sites.iter().map(|site| site.extents()[2]).max().unwrap_or(1)
    }

    fn middle(&self) -> &[f64] {
        &self.middle
    }

    fn is_symmetric(&self) -> Result<bool, Error> {
        let (spins, right) = (self.W.extents()[2], self.right[2].extents()[0]);
        let vector = |k: f64| {
            let element = |i: &[usize]| ((1 + i[1] * 7 + i[2] * 3 + i[3]) as f64 * k).sin();
            Tensor::from_fn((1, spins, spins, right), element)
        };
        is_symmetric(|pair| self.apply(0, pair), vector(1.3)?, vector(2.9)?)
    }
}
