//! Sweeps over a chain, two neighbours at a time, whatever its tensors are.

use tensorwrapper::Error;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Toward {
    Right,
    Left,
}

/// What was found at one pair, or in a whole sweep.
pub(crate) struct Found {
    pub(crate) energy: f64,
    /// The most that a bond lost.
    pub(crate) discarded: f64,
}

/// How wide a state's bonds are cut.
#[derive(Clone, Copy)]
pub(crate) struct Width {
    /// Most values that a bond keeps, and the weight that may go.
    pub(crate) bond: usize,
    pub(crate) tolerance: f64,
}

pub(crate) trait Sweeps {
    fn sites(&self) -> usize;

    /// Optimizes a site and its right neighbour, and moves on.
    fn optimize(&mut self, site: usize, toward: Toward) -> Result<Found, Error>;

    /// The largest bond of the state.
    fn largest_bond(&self) -> usize;

    /// Weights of the values at the middle bond.
    fn middle(&self) -> &[f64];

    /// Whether the operator on the first two sites is as it is seen from either side.
    fn is_symmetric(&self) -> Result<bool, Error>;

    /// Optimizes every pair of neighbours, from left to right and back.
    fn sweep(&mut self) -> Result<Found, Error> {
        let last = self.sites() - 2;
        let mut found = Found { energy: f64::INFINITY, discarded: 0.0 };
        let right = (0..last).map(|site| (site, Toward::Right));
        let left = (0..=last).rev().map(|site| (site, Toward::Left));
        for (site, toward) in right.chain(left) {
            let pair = self.optimize(site, toward)?;
            found = Found { energy: pair.energy, discarded: found.discarded.max(pair.discarded) };
        }
        Ok(found)
    }

    /// The entropy at the middle bond, in nats.
    fn entropy(&self) -> f64 {
        let all: f64 = self.middle().iter().map(|weight| weight.max(0.0)).sum();
        let term = |weight: &f64| if *weight > 0.0 { -(weight / all) * (weight / all).ln() } else { 0.0 };
        // Not −0, which a product state's sum of nothing would be.
        self.middle().iter().map(term).sum::<f64>() + 0.0
    }
}
