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

/// Cuts by singular vectors. Where values are nearly equal, the derivatives of vectors are large and cancel, so that they are only as
/// good as the values are apart; where values are equal, they are refused.
pub(crate) fn by_vectors<'a>(T: &Recorded<'a>, [rows, columns]: [&str; 2], keep: usize) -> Halves<'a> {
    let left = [&format!("{rows},n"), "n", &format!("n,{columns}")];
    let (U, values, V) = T.at("u,l,d,r").svd(left).max(keep).record()?;
    Ok(((U.at("xyn") * values.at("n").sqrt()).record("xyn")?, (V.at("nxy") * values.at("n").sqrt()).record("nxy")?))
}

/// Cuts by the space of the singular vectors that are kept, which is all that the cut depends on, but for a rotation of n: where values
/// are equal, their vectors are a choice, but their space is none.
///
/// With the singular vectors C of the matrix M held, the space is that of `kept + others·X`, where X is zero at this M and changes with it:
/// `B + D·X - X·A - X·Bᵀ·X = 0`, where A, B and D are the parts of M·Mᵀ between vectors. In an orthonormal basis U of the space the
/// halves are U·Q and Q⁻¹·Uᵀ·M, where Q is the fourth root of Uᵀ·M·Mᵀ·U. Newton's method with held slopes finds X and the roots; each of
/// its steps is right to one order more, and two are taken. What it divides by are differences between a kept value and another one, and
/// sums.
pub(crate) fn by_spaces<'a>(T: &Recorded<'a>, [rows, columns]: [&str; 2], keep: usize) -> Halves<'a> {
    let M = T.at("uldr").record(&format!("({rows}),({columns})"))?;
    let gram = (M.at("pr") * M.at("qr")).record("pq")?;
    let (squares, C) = gram.held().at("pq").eigh(["n", "p,n"]).record()?;
    // Ascending: those that are kept come last.
    let cut = squares.extents()[0] - keep;
    let (low, high) = (format!("n in ..{cut}"), format!("n in {cut}.."));
    let (others, kept) = (C.at(&format!("p, {low}")).record("pn")?, C.at(&format!("p, {high}")).record("pn")?);
    let (small, large) = (squares.at(&low).record("n")?, squares.at(&high).record("n")?);
    let between = |a: &Recorded<'a>, b: &Recorded<'a>| (a.at("pi") * gram.at("pq") * b.at("qj")).record("ij");
    let (A, B, D) = (between(&kept, &kept)?, between(&others, &kept)?, between(&others, &others)?);
    let slopes = (large.at("j") - small.at("i")).recip().record("ij")?;
    let first = (B.at("ij") * slopes.at("ij")).record("ij")?;
    let rest =
        B.at("ij") + D.at("ik") * first.at("kj") - first.at("ik") * A.at("kj") - first.at("ik") * B.at("lk") * first.at("lj");
    let X = (first.at("ij") + rest.record("ij")?.at("ij") * slopes.at("ij")).record("ij")?;
    // (1 + XᵀX) to the power -1/2 makes the basis orthonormal.
    let length = (X.at("ki") * X.at("kj") * -0.5).record("ij")?;
    let basis = (kept.at("pj") + others.at("pi") * X.at("ij")).record("pj")?;
    let U = (basis.at("pj") + basis.at("pi") * length.at("ij")).record("pj")?;
    let values = large.at("n").sqrt().record("n")?;
    let Q = root(&root(&between(&U, &U)?, &values)?, &values.at("n").sqrt().record("n")?)?;
    let left = (U.at("pi") * Q.at("ij")).record("pj")?;
    let image = (U.at("pj") * M.at("pq")).record("jq")?;
    let right = Q.at("ij").solve(image.at("iq"), "jq").record()?;
    let extents =
        |labels: &str| labels.split(',').map(|label| T.extents()["uldr".find(label).expect("an axis")]).collect::<Vec<_>>();
    let left = left.reshape([&extents(rows)[..], &[keep]].concat())?;
    Ok((left, right.reshape([&[keep], &extents(columns)[..]].concat())?))
}

/// The square root of a symmetric matrix, whose own values are these squared, its vectors those of the axes.
fn root<'a>(matrix: &Recorded<'a>, values: &Recorded<'a>) -> Result<Recorded<'a>, Error> {
    let slopes = (values.at("i") + values.at("j")).recip().record("ij")?;
    let zero = (slopes.at("ij") * 0.0).record("ij")?;
    let mut root = zero.with_part("i, i", values)?;
    for _ in 0..2 {
        let rest = (matrix.at("ij") - root.at("ik") * root.at("kj")).record("ij")?;
        root = (root.at("ij") + rest.at("ij") * slopes.at("ij")).record("ij")?;
    }
    Ok(root)
}
