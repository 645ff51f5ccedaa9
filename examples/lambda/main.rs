//! The Lagrangian of coupled cluster for a closed-shell molecule, and the dipole moment as its derivative.
//!
//! ```text
//! cargo run --release --example lambda [-- FOLDER]
//! ```
//!
//! The equations are those of the `ccsd_naive` example, term by term, with a field along z in the Fock matrix. Nothing here is derived by
//! hand: the multipliers λ solve ∂L/∂t = 0, and the dipole moment is -∂L/∂field, where L is the energy plus the residuals of the
//! equations, each weighted by its multiplier (H. Koch et al., J. Chem. Phys. 92, 4924 (1990)). The dipole moment is computed twice:
//! with orbitals that do not follow the field, and in `relaxed.rs` with orbitals that do.
#![allow(non_snake_case)]

#[path = "../ccsd_naive/ladder.rs"]
mod ladder;
#[allow(dead_code)]
#[path = "../ccsd_naive/main.rs"]
mod naive;
mod relaxed;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::Value;
use tensorwrapper::prelude::*;

use ladder::whole_ladder;
use naive::ccsd;
use naive::ccsd::cc::{Amplitudes, Next, Orbitals, mp2, solve};
use naive::ccsd::diis::{Diis, DiisVector};
use naive::ccsd::molecule::Molecule;
use naive::ccsd::scf::{HartreeFock, lowest_state};
use naive::ccsd::{Failure, Matrix, Tensor4, ended, folder};
use naive::equations::term_by_term;

/// The last step changes the multipliers by less.
const CONVERGED: f64 = 1e-10;
const MOST_ITERATIONS: usize = 100;
const DIIS_CAPACITY: usize = 8;

/// What is compared with `reference.json`, where it has these keys, and how near it has to be.
pub(crate) const RESULTS: [(&str, &str, f64); 4] = [
    ("|λ1|", "lambda1_norm", 1e-8),
    ("|λ2|", "lambda2_norm", 1e-8),
    ("dipole z", "dipole_z_CCSD_unrelaxed", 1e-7),
    ("dipole z, relaxed", "dipole_z_CCSD_relaxed", 1e-6),
];

fn main() -> ExitCode {
    ended("lambda", folder("lambda").and_then(|folder| run(&folder)))
}

/// Integrals of z between orbitals, and what the nuclei and the Hartree-Fock state contribute to the dipole moment.
struct Field {
    /// Between basis functions.
    z: Matrix,
    oo: Tensor<f64, Shape![_, _]>,
    ov: Tensor<f64, Shape![_, _]>,
    vv: Tensor<f64, Shape![_, _]>,
    /// The strength of the field, which is zero and by which energies are differentiated.
    strength: Tensor<f64, ()>,
    dipole: f64,
}

impl Field {
    fn new(folder: &Path, molecule: &Molecule, hf: &HartreeFock) -> Result<Field, Failure> {
        let input = |error: String| Failure::Input(error);
        let all = AnyTensor::read_npy(folder.join("dipole.npy")).map_err(|error| input(error.to_string()))?;
        let all: Tensor<f64, Shape![3, _, _]> =
            all.into_tensor().and_then(Tensor::into_typed).map_err(|error| input(error.to_string()))?;
        let (nocc, C) = (molecule.nocc, &hf.C);
        let (z, oo, ov, vv, electrons) = tensor! {
            let Co[p,i] = C[p, i in ..nocc];
            let Cv[p,a] = C[p, a in nocc..];
            let z[p,q]  = all[2, p, q];
            let oo[i,j] = z[p,q] * Co[p,i] * Co[q,j];
            let ov[i,a] = z[p,q] * Co[p,i] * Cv[q,a];
            let vv[a,b] = z[p,q] * Cv[p,a] * Cv[q,b];
            let electrons = 2.0 * oo[i,i];
            (z, oo, ov, vv, electrons)
        };
        let strength = Tensor::filled((), 0.0)?;
        Ok(Field { z, oo, ov, vv, strength, dipole: nuclei(folder)? - electrons })
    }
}

/// The sum of charge times z over the nuclei.
fn nuclei(folder: &Path) -> Result<f64, Failure> {
    let wrong = |what: &str| Failure::Input(format!("{}: {what}", folder.join("molecule.json").display()));
    let text = std::fs::read_to_string(folder.join("molecule.json")).map_err(|error| wrong(&error.to_string()))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let (Some(places), Some(charges)) = (json["geometry_bohr"].as_array(), json["charges"].as_array()) else {
        return Err(wrong("a dipole moment needs `geometry_bohr` and `charges`"));
    };
    let term = |(place, charge): (&Value, &Value)| Some(place[3].as_f64()? * charge.as_f64()?);
    let terms: Option<Vec<f64>> = places.iter().zip(charges).map(term).collect();
    terms.map(|terms| terms.into_iter().sum()).ok_or_else(|| wrong("a place or a charge is no number"))
}

/// The Lagrangian, and what a field adds to the Fock matrix.
struct Recorded<'a> {
    L: Expr<'a, f64, ()>,
    f_oo: Expr<'a, f64, Shape![_, _]>,
    f_ov: Expr<'a, f64, Shape![_, _]>,
    f_vv: Expr<'a, f64, Shape![_, _]>,
}

/// The energy and the residuals weighted by multipliers, in a field along z.
#[rustfmt::skip]
fn lagrangian<'a>(
    mo: &'a Orbitals,
    field: &'a Field,
    t: &'a Amplitudes,
    m: &'a Amplitudes,
    next: &'a Next<'a>,
) -> Recorded<'a> {
    let graph = Graph::new();
    let (L, f_oo, f_ov, f_vv) = tensor! {
        in &graph;
        // What the field adds to the Fock matrix.
        let f_oo[i,j] = field.strength * field.oo[i,j];
        let f_ov[i,a] = field.strength * field.ov[i,a];
        let f_vv[a,b] = field.strength * field.vv[a,b];

        let energy = 2.0 * f_ov[i,a] * t.t1[i,a]
            + (2.0 * mo.oovv[i,j,a,b] - mo.oovv[i,j,b,a]) * (t.t2[i,j,a,b] + t.t1[i,a] * t.t1[j,b]);
        let singles[i,a] = (next.0[i,a] - t.t1[i,a]) * (mo.eo[i] - mo.ev[a])
            + f_ov[i,a]
            + f_vv[a,c] * t.t1[i,c]
            - f_oo[k,i] * t.t1[k,a]
            - f_ov[k,c] * t.t1[k,a] * t.t1[i,c]
            + 2.0 * f_ov[k,c] * t.t2[i,k,a,c]
            - f_ov[k,c] * t.t2[i,k,c,a];
        let half[i,j,a,b] = f_vv[a,c] * t.t2[i,j,c,b]
            - f_oo[k,i] * t.t2[k,j,a,b]
            - f_ov[k,c] * t.t1[i,c] * t.t2[k,j,a,b]
            - f_ov[k,c] * t.t1[k,a] * t.t2[i,j,c,b];
        let doubles[i,j,a,b] = (next.1[i,j,a,b] - t.t2[i,j,a,b]) * (mo.eo[i] + mo.eo[j] - mo.ev[a] - mo.ev[b])
            + half[i,j,a,b] + half[j,i,b,a];
        let L = energy + m.t1[i,a] * singles[i,a] + m.t2[i,j,a,b] * doubles[i,j,a,b];
        (L, f_oo, f_ov, f_vv)
    };
    Recorded { L, f_oo, f_ov, f_vv }
}

/// The whole calculation; false if a result differs from the reference.
pub(crate) fn run(folder: &Path) -> Result<bool, Failure> {
    let molecule = Molecule::read(folder)?;
    let hf = lowest_state(&molecule)?;
    let mo = Orbitals::new(&molecule, &hf)?;
    let field = Field::new(folder, &molecule, &hf)?;
    let (_, guess) = mp2(&mo)?;
    let (energy, t) = solve(&mo, &guess, term_by_term)?;

    let vvvv: Tensor4 = mo.vvvv.to_dense()?.into_typed()?;
    let mut found = None;
    term_by_term(&mo, &t, &whole_ladder(&vvvv, &t), &mut |next| {
        let first =
            Amplitudes { t1: Tensor::zeros((mo.nocc, mo.nvir))?, t2: Tensor::zeros((mo.nocc, mo.nocc, mo.nvir, mo.nvir))? };
        let start = Instant::now();
        let recorded = lagrangian(&mo, &field, &t, &first, next);
        let L = &recorded.L;
        let (g1, g2, by_field) = L.grad((&t.t1, &t.t2, &field.strength))?;
        let (next1, next2) = step(&mo, &first, &g1, &g2);
        let recording = start.elapsed().as_secs_f64();
        let prepared = Context::default().prepare_all((&next1, &next2), &[&first.t1, &first.t2])?;
        let planned = start.elapsed().as_secs_f64() - recording;
        let value = Context::default().prepare_all((L,), &[&t.t1, &t.t2, &first.t1, &first.t2])?;
        let both = Context::default().prepare_all((L, &g1, &g2), &[&t.t1, &t.t2, &first.t1, &first.t2])?;
        println!("\nLagrangian: {:.0} operations; with its derivatives {:.0}", value.operations(), both.operations());
        println!("a step of the multipliers: {:.0} operations", prepared.operations());
        println!("recorded in {recording:.3} s, a step planned in {planned:.3} s");
        let m = iterate(first.t1.clone(), first.t2.clone(), |m| {
            let (t1, t2) = prepared.run(&[&m.t1, &m.t2])?;
            Ok(Amplitudes { t1, t2 })
        })?;
        let moment = Context::default().prepare_all((&by_field,), &[&first.t1, &first.t2])?;
        let (correlation,) = moment.run(&[&m.t1, &m.t2])?;
        let start = Instant::now();
        let relaxed = relaxed::slope((&molecule, &hf, &mo, &vvvv, &field), &recorded, (&first, &m))?;
        println!("\norbitals that follow the field: {:.3} s", start.elapsed().as_secs_f64());
        found = Some((m, correlation.as_slice()[0], relaxed));
        Ok(())
    })?;
    let (Amplitudes { t1: m1, t2: m2 }, correlation, relaxed) = found.expect("equations hand on what they record");

    // In the usual normalisation ∂L/∂Ω1 = 2 λ1 and ∂L/∂Ω2 = 2 λ2[i,j,a,b] - λ2[i,j,b,a].
    let lambda2 = tensor!([i,j,a,b] = (2.0 * m2[i,j,a,b] + m2[i,j,b,a]) / 3.0);
    let (norm1, norm2) = tensor! {
        let norm1 = 0.25 * m1[i,a] * m1[i,a];
        let norm2 = lambda2[i,j,a,b] * lambda2[i,j,a,b];
        (norm1, norm2)
    };
    let found = [norm1.sqrt(), norm2.sqrt(), field.dipole - correlation, field.dipole - relaxed];
    println!("\nE(CCSD corr) = {energy:.12}");
    println!("dipole z of Hartree-Fock = {:.10}", field.dipole);
    let known = molecule.reference(RESULTS.map(|(_, key, _)| key));
    let mut is_good = true;
    for (((label, _, tolerance), found), known) in RESULTS.iter().zip(found).zip(known) {
        let difference = known.map(|known| found - known);
        let is_near = difference.is_none_or(|difference| difference.abs() <= *tolerance);
        let compared = difference.map_or(String::new(), |difference| format!(", {difference:.1e} from the reference"));
        println!("{label:<17} = {found:.10}{compared}{}", if is_near { "" } else { "  too far" });
        is_good &= is_near;
    }
    Ok(is_good)
}

/// The next multipliers: the derivative of L by an amplitude is its multiplier times minus the denominator, and smaller terms. The two
/// electrons of a pair are alike.
fn step<'a>(
    mo: &'a Orbitals,
    m: &'a Amplitudes,
    g1: &'a Expr<'a, f64, Shape![_, _]>,
    g2: &'a Expr<'a, f64, Shape![_, _, _, _]>,
) -> Next<'a> {
    let graph = Graph::new();
    tensor! {
        in &graph;
        let next1[i,a] = m.t1[i,a] + (*g1)[i,a] / (mo.eo[i] - mo.ev[a]);
        let next2[i,j,a,b] = m.t2[i,j,a,b]
            + 0.5 * ((*g2)[i,j,a,b] + (*g2)[j,i,b,a]) / (mo.eo[i] + mo.eo[j] - mo.ev[a] - mo.ev[b]);
        (next1, next2)
    }
}

/// Repeats a step until the multipliers no longer change.
fn iterate(
    t1: Tensor<f64, Shape![_, _]>,
    t2: Tensor<f64, Shape![_, _, _, _]>,
    step: impl Fn(&Amplitudes) -> Result<Amplitudes, Error>,
) -> Result<Amplitudes, Failure> {
    println!("\n{:>9} {:>12}", "iteration", "|step|");
    let mut diis = Diis::new(DIIS_CAPACITY);
    let mut m = Amplitudes { t1, t2 };
    for iteration in 1..=MOST_ITERATIONS {
        let next = step(&m)?;
        let change = Amplitudes::plus(Amplitudes::times(-1.0, &m), 1.0, &next);
        let length = Amplitudes::overlap(&change, &change).sqrt();
        m = diis.extrapolate(next, change);
        println!("{iteration:>9} {length:>12.1e}");
        if length < CONVERGED {
            return Ok(m);
        }
        if !length.is_finite() {
            break;
        }
    }
    Err(Failure::Calculation(format!("the multipliers did not converge in {MOST_ITERATIONS} iterations")))
}
