//! A projected entangled pair state of 2×3 sites: the correlation of two spins, by double layers.

use tensorwrapper::prelude::*;

type Site = Tensor<f64, Shape![2, _, _, _, _]>;

fn site([u, l, d, r]: [usize; 4]) -> Result<Site, Error> {
    let all = Tensor::arange(1..1 + (2 * u * l * d * r) as i64)?;
    Ok(all.map(f64::cos)?.reshape((Const, u, l, d, r))?.0)
}

fn layer(site: &Site, operator: &Tensor<f64, Shape![_, _]>) -> Tensor<f64, Shape![_, _, _, _]> {
    tensor!([(u, U), (l, L), (d, D), (r, R)] = site[s, u, l, d, r] * operator[s, t] * site[t, U, L, D, R])
}

fn expectation(sites: &[Site], operators: [&Tensor<f64, Shape![_, _]>; 6]) -> Result<f64, Error> {
    let l: Vec<_> = sites.iter().zip(operators).map(|(site, operator)| layer(site, operator)).collect();
    Ok(einsum("xyai,zibj,wjcv,aklm,bmno,copq->", &[&l[0], &l[1], &l[2], &l[3], &l[4], &l[5]])?[[]])
}

pub fn run() -> Result<f64, Error> {
    let shapes = [[1, 1, 3, 3], [1, 3, 3, 3], [1, 3, 3, 1], [3, 1, 1, 3], [3, 3, 1, 3], [3, 3, 1, 1]];
    let sites = shapes.into_iter().map(site).collect::<Result<Vec<_>, _>>()?;
    let one = Tensor::eye(2)?;
    let z = tensor!([s, t] = one[s, t] * (1[s] - 2.0 * one[1, s]));
    Ok(expectation(&sites, [&z, &one, &one, &one, &one, &z])? / expectation(&sites, [&one; 6])?)
}
