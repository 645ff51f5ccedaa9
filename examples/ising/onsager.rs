//! The exact solution of the two-dimensional Ising model without a field (L. Onsager, Phys. Rev. 65, 117 (1944)): ln Z per site and its
//! first two derivatives by β, in units in which the coupling is one.

use std::f64::consts::PI;

/// Points of the quadrature. The integrands are periodic and smooth, so that equal steps converge exponentially.
const POINTS: usize = 1000;

/// ln Z per site, and its first and second derivative.
pub(crate) fn onsager(beta: f64) -> [f64; 3] {
    let (sinh, cosh) = ((2.0 * beta).sinh(), (2.0 * beta).cosh());
    let modulus = 2.0 * sinh / (cosh * cosh);
    let root = |angle: f64| (1.0 - (modulus * angle.sin()).powi(2)).sqrt();
    let mean = |of: &dyn Fn(f64) -> f64| {
        let at = |n: usize| of((n as f64 + 0.5) * PI / POINTS as f64);
        (0..POINTS).map(at).sum::<f64>() / POINTS as f64
    };
    let value = (2.0 * cosh).ln() + 0.5 * mean(&|angle| (0.5 * (1.0 + root(angle))).ln());
    // The complete elliptic integrals of the first and the second kind.
    let (first, second) = (0.5 * PI * mean(&|angle| 1.0 / root(angle)), 0.5 * PI * mean(&root));
    let (coth, square) = (cosh / sinh, (sinh / cosh).powi(2));
    let energy = coth * (1.0 + 2.0 / PI * (2.0 * square - 1.0) * first);
    let heat = 4.0 / PI * coth * coth * (first - second - (1.0 - square) * (0.5 * PI + (2.0 * square - 1.0) * first));
    [value, energy, heat]
}
