//! The ground state of a spin chain as a product of matrices, found by Newton's method.
//!
//! ```text
//! cargo run --release --example fit
//! ```
//!
//! The state of the open Heisenberg chain of eight spins is a product of tensors `A[a, s, b]` (left bond, spin, right bond), and its
//! energy ⟨ψ|H|ψ⟩/⟨ψ|ψ⟩ is a number made of all of them. It is minimised over all tensors at once. What Newton's method needs is asked
//! of the energy: the gradient, and second derivatives along a direction (`hvp`); no derivative is written here. The steps are found
//! by conjugate gradients inside a region of trust (T. Steihaug, SIAM J. Numer. Anal. 20, 626 (1983)), which follows directions of
//! negative curvature, and to which it is nothing that many products of matrices are one state. The operator is that of
//! `examples/data/heisenberg-chain`; the exact energy is the lowest eigenvalue of its matrix of 256 by 256.
#![allow(non_snake_case)] // W, A and H are what these tensors are called

#[path = "../common/compare.rs"]
mod compare;
mod newton;

use std::process::ExitCode;

use tensorwrapper::AnyOperand;
use tensorwrapper::prelude::*;

use compare::{Compared, ended};
use newton::{Point, Problem, Site, minimum};

const SITES: usize = 8;
/// With this many states a bond holds every state of half the chain.
const BOND: usize = 16;
const TOLERANCE: f64 = 1e-9;

/// `W[l, r, s, t]`: left and right bond, spin after and before.
type Operator = Tensor<f64, Shape![_, _, _, _]>;

fn main() -> ExitCode {
    ended("fit", run())
}

/// The energy that is found, and the exact one.
pub(crate) fn run() -> Result<Vec<Compared>, Error> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/heisenberg-chain/mpo_N12_D1_h0.npy");
    let W: Operator = AnyTensor::read_npy(file)?.into_tensor()?.into_typed()?;
    let start = state()?;
    let (ends, direction) = (Ends::new(&W)?, start.clone());
    let context = Context::default();
    let prepared = context.prepare_grad(&start[..], |_| energy(&ends, &start))?;
    let pairs: Vec<(&Site, &Site)> = start.iter().zip(&direction).collect();
    let along = energy(&ends, &start)?.hvp(&pairs[..])?;
    let changing: Vec<&dyn AnyOperand> = start.iter().chain(&direction).map(|site| site as &dyn AnyOperand).collect();
    let second = context.prepare_all(&along[..], &changing)?;
    let numbers: usize = start.iter().map(|site| site.as_slice().len()).sum();
    let (first, both) = (prepared.operations(), second.operations());
    println!(
        "{numbers} numbers; {first:.0} operations for energy and gradient, {both:.0} for second derivatives along a direction"
    );
    let problem = Problem {
        gradient: &|x| prepared.run(&x[..]),
        along: &|x, d| {
            let changing: Vec<&dyn AnyOperand> = x.iter().chain(d).map(|site| site as &dyn AnyOperand).collect();
            second.run(&changing)
        },
        settled: &canonical,
    };
    let found = minimum(&problem, &start)?;
    let compared = |name: &str, expected| Compared { name: name.into(), found, expected, tolerance: TOLERANCE };
    Ok(vec![
        compared("energy, by the lowest eigenvalue", exact(&ends)?),
        compared("energy, by the literature", -3.374_932_598_688),
    ])
}

/// A state in which nothing is zero and nothing is alike.
fn state() -> Result<Point, Error> {
    let bond = |n: usize| (1 << n.min(SITES - n)).min(BOND);
    let mut chance = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = || {
        chance = chance.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (chance >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..SITES).map(|n| Tensor::from_fn((bond(n), 2, bond(n + 1)), |_| random())).collect()
}

/// The same state with orthogonal tensors on both sides of its middle and length one, in which a step means the same everywhere.
fn canonical(mut sites: Point) -> Result<Point, Error> {
    let middle = SITES / 2;
    for n in 0..middle {
        let (A, B) = (&sites[n], &sites[n + 1]);
        let (Q, R) = try_tensor!(([a,s,k], [k,b]) = qr(A[a,s,b]))?;
        (sites[n + 1], sites[n]) = (try_tensor!([k,s,b] = R[k,a] * B[a,s,b])?, Q);
    }
    for n in (middle + 1..SITES).rev() {
        let (A, B) = (&sites[n - 1], &sites[n]);
        let (L, Q) = try_tensor!(([a,k], [k,s,b]) = lq(B[a,s,b]))?;
        (sites[n - 1], sites[n]) = (try_tensor!([a,s,k] = A[a,s,b] * L[b,k])?, Q);
    }
    let A = &sites[middle];
    let square: f64 = try_tensor!([] = A[a,s,b] * A[a,s,b])?;
    let length = square.sqrt();
    sites[middle] = try_tensor!([a,s,b] = A[a,s,b] / length)?;
    Ok(sites)
}

/// The operator of a site, and where its bonds begin and end.
struct Ends<'a> {
    W: &'a Operator,
    first: Tensor<f64, Shape![_]>,
    last: Tensor<f64, Shape![_]>,
}

impl Ends<'_> {
    fn new(W: &Operator) -> Result<Ends<'_>, Error> {
        let bonds = W.extents()[0];
        let end = |at: usize| Tensor::from_fn((bonds,), |i| if i[0] == at { 1.0 } else { 0.0 });
        Ok(Ends { W, first: end(bonds - 1)?, last: end(0)? })
    }
}

/// The energy of a product of tensors, recorded.
fn energy<'a>(ends: &'a Ends<'a>, sites: &'a [Site]) -> Result<Expr<'a, f64>, Error> {
    let (W, A) = (ends.W, &sites[0]);
    let mut H = (ends.first.at("l") * A.at("0,s,c") * W.at("lrst") * A.at("0,t,d")).record("crd")?;
    let mut N = (A.at("0,s,c") * A.at("0,s,d")).record("cd")?;
    for A in &sites[1..] {
        H = (H.at("alb") * A.at("asc") * W.at("lrst") * A.at("btd")).record("crd")?;
        N = (N.at("ab") * A.at("asc") * A.at("bsd")).record("cd")?;
    }
    (H.at("0,l,0") * ends.last.at("l") / N.at("0,0")).record("")
}

/// The lowest eigenvalue of the operator as one matrix.
fn exact(ends: &Ends<'_>) -> Result<f64, Error> {
    let (W, first, last) = (ends.W, &ends.first, &ends.last);
    let mut H: Tensor<f64, Shape![_, _, _]> = try_tensor!([r,s,t] = first[l] * W[l,r,s,t])?;
    for _ in 1..SITES {
        H = try_tensor!([r,(x,s),(y,t)] = H[l,x,y] * W[l,r,s,t])?;
    }
    let H = try_tensor!([x,y] = H[r,x,y] * last[r])?;
    let (energies, _) = try_tensor!(([n], [x,n]) = eigh(H[x,y]))?;
    Ok(energies.as_slice()[0])
}
