//! The tensor renormalisation group: the partition function of a square lattice as a network of tensors, half as many in each step.
//!
//! A tensor `T[u,l,d,r]` is cut into two along a diagonal, which keeps the largest singular values; the four halves around an empty
//! square are one tensor of the next lattice, which is turned by 45°. Source: M. Levin, C. P. Nave, Phys. Rev. Lett. 99, 120601
//! (2007).

use tensorwrapper::prelude::*;

type Recorded<'a> = Expr<'a, f64>;
type Halves<'a> = Result<(Recorded<'a>, Recorded<'a>), Error>;

/// How a tensor is cut: into the halves with these axes, `rows,n` and `n,columns`, of which n keeps so many values.
pub(crate) type Cut = for<'a> fn(&Recorded<'a>, [&str; 2], usize) -> Halves<'a>;

/// Values smaller than this, by the largest, are zero.
const ZERO: f64 = 1e-10;
/// Two neighbouring values are of different multiplets if the smaller one is smaller than this part of the larger one.
const APART: f64 = 0.97;
/// Two values are equal if they differ by less, by the largest.
const EQUAL: f64 = 1e-10;

/// What the tensor of a site is made of.
pub(crate) struct Site {
    signs: Tensor<f64>,
    even: Tensor<f64>,
    odd: Tensor<f64>,
}

impl Site {
    pub(crate) fn new() -> Result<Site, Error> {
        let unit = |place: usize| Tensor::from_fn([2], |i| if i[0] == place { 1.0 } else { 0.0 });
        let signs = Tensor::from_fn([2, 2], |i| if i == [1, 1] { -1.0 } else { 1.0 })?;
        Ok(Site { signs, even: unit(0)?, odd: unit(1)? })
    }

    /// The tensor of a spin x and its four bonds, of which each is `exp(β·x·y) = W[x,b] * W[y,b]`.
    fn tensor<'a>(&'a self, beta: &'a Tensor<f64, ()>) -> Result<Recorded<'a>, Error> {
        let (plus, minus) = (beta.at("").exp(), (-beta.at("")).exp());
        let even = ((plus.clone() + minus.clone()) * 0.5).sqrt().record("")?;
        let odd = ((plus - minus) * 0.5).sqrt().record("")?;
        let weights = (even.at("") * self.even.at("b") + odd.at("") * self.odd.at("b")).record("b")?;
        let W = (self.signs.at("xb") * weights.at("b")).record("xb")?;
        (W.at("xu") * W.at("xl") * W.at("xd") * W.at("xr")).record("uldr")
    }
}

/// The length of a tensor, and the tensor of length one.
fn normalised<'a>(T: &Recorded<'a>) -> Halves<'a> {
    let length = (T.at("uldr") * T.at("uldr")).sum("u,l,d,r").sqrt().record("")?;
    let one = (T.at("uldr") / length.at("")).record("uldr")?;
    Ok((length, one))
}

/// The tensor of the next lattice: the halves of four tensors that face an empty square.
fn next<'a>(T: &Recorded<'a>, keep: usize, cut: Cut) -> Result<Recorded<'a>, Error> {
    let (below, above) = cut(T, ["u,l", "d,r"], keep)?;
    let (left, right) = cut(T, ["l,d", "r,u"], keep)?;
    (above.at("u,x,a") * left.at("a,b,r") * below.at("b,c,d") * right.at("l,c,x")).record("uldr")
}

/// How many values each step keeps, at most `most`, so that no multiplet is cut; and how many pairs of equal values there are in the
/// last step.
pub(crate) fn kept(site: &Site, beta: &Tensor<f64, ()>, (most, steps): (usize, usize)) -> Result<(Vec<usize>, usize), Error> {
    println!("{:>5} {:>7} {:>6} {:>12} {:>10}", "step", "values", "kept", "equal pairs", "next value");
    let mut T = site.tensor(beta)?.eval()?;
    let (mut all, mut pairs) = (Vec::with_capacity(steps), 0);
    for _ in 0..steps {
        let (_, values, _) = try_tensor!(([u,l,n], [n], [n,d,r]) = svd(T[u,l,d,r]))?;
        let values = values.as_slice();
        let rank = values.iter().filter(|value| **value > ZERO * values[0]).count();
        let is_between = |&n: &usize| n == rank || values[n] < APART * values[n - 1];
        let keep = (1..=most.min(rank)).rev().find(is_between).unwrap_or(1);
        pairs = values[..keep].windows(2).filter(|pair| pair[0] - pair[1] < EQUAL * values[0]).count();
        let rest = values.get(keep).map_or(0.0, |value| value / values[0]);
        println!("{:>5} {:>7} {keep:>6} {pairs:>12} {rest:>10.1e}", all.len() + 1, values.len());
        all.push(keep);
        let recorded = T.at("uldr").record("uldr")?;
        T = normalised(&next(&recorded, keep, by_vectors)?)?.1.eval()?;
    }
    Ok((all, pairs))
}

/// ln Z per site.
pub(crate) fn partition<'a>(site: &'a Site, beta: &'a Tensor<f64, ()>, kept: &[usize], cut: Cut) -> Result<Recorded<'a>, Error> {
    let (length, mut T) = normalised(&site.tensor(beta)?)?;
    let mut all = length.at("").ln().record("")?;
    let mut share = 1.0;
    for &keep in kept {
        share *= 0.5;
        let (length, one) = normalised(&next(&T, keep, cut)?)?;
        all = (all.at("") + length.at("").ln() * share).record("")?;
        T = one;
    }
    (all.at("") + T.at("ulul").sum("u,l").ln() * share).record("")
}

/// Cuts by singular vectors. The halves depend on the choice of vectors where values are equal or nearly so, and there derivatives through
/// them are refused, although that choice cancels when the halves meet.
pub(crate) fn by_vectors<'a>(T: &Recorded<'a>, [rows, columns]: [&str; 2], keep: usize) -> Halves<'a> {
    let left = [&format!("{rows},n"), "n", &format!("n,{columns}")];
    let (U, values, V) = T.at("u,l,d,r").svd(left).max(keep).record()?;
    Ok(((U.at("xyn") * values.at("n").sqrt()).record("xyn")?, (V.at("nxy") * values.at("n").sqrt()).record("nxy")?))
}

/// Cuts by the projector P on the space of the singular vectors that are kept. It is a function of M·Mᵀ, which is smooth where kept values
/// are equal among themselves.
///
/// With the kept vectors U held as a basis, `P·U·Q` and `Q⁻¹·(Uᵀ·P·U)⁻¹·Uᵀ·P·M` are halves of P·M, however P changes. Q is the fourth root
/// of Uᵀ·M·Mᵀ·U, so that both halves take their share of a change: what one of them has too much is amplified from step to step.
pub(crate) fn by_spaces<'a>(T: &Recorded<'a>, [rows, columns]: [&str; 2], keep: usize) -> Halves<'a> {
    let M = T.at("uldr").record(&format!("({rows}),({columns})"))?;
    let gram = (M.at("pr") * M.at("qr")).record("pq")?;
    let (squares, C) = gram.at("pq").eigh(["n", "pn"]).record()?;
    // Ascending: those that are kept come last.
    let kept = format!("n in {}..", squares.extents()[0] - keep);
    let states = |row: &str| C.at(&format!("{row}, {kept}"));
    let P = (states("p") * states("q")).record("pq")?;
    let U = states("p").record("pn")?.held();
    let (values, W) = (U.at("pm") * gram.at("pq") * U.at("qn")).record("mn")?.at("mn").eigh(["r", "mr"]).record()?;
    let root = |power: f64| (W.at("mr") * values.at("r").powf(power) * W.at("nr")).record("mn");
    let (Q, inverse) = (root(0.25)?, root(-0.25)?);
    let image = (P.at("pq") * U.at("qn")).record("pn")?;
    let overlap = (U.at("pm") * image.at("pn")).record("mn")?;
    let inner = (image.at("pm") * M.at("pr")).record("mr")?;
    let left = (image.at("pm") * Q.at("mn")).record("pn")?;
    let right = (inverse.at("mn") * overlap.at("nk").solve(inner.at("nr"), "kr").record()?.at("nr")).record("mr")?;
    let extents =
        |labels: &str| labels.split(',').map(|label| T.extents()["uldr".find(label).expect("an axis")]).collect::<Vec<_>>();
    let left = left.reshape([&extents(rows)[..], &[keep]].concat())?;
    Ok((left, right.reshape([&[keep], &extents(columns)[..]].concat())?))
}
