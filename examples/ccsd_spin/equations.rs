//! The CCSD equations in spin orbitals, as J. F. Stanton, J. Gauss, J. D. Watts and R. J. Bartlett, J. Chem. Phys. 94, 4334 (1991) write
//! them, for canonical orbitals; and a program of them, planned once for the structures of its tensors.
//!
//! Nothing here knows of spin, of blocks or of symmetries: the library infers those of everything that is made.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, DynOperand, PreparedBlocks, RecordOperand};

use super::integrals::Tensors;

/// One equation.
pub(crate) struct Line {
    /// What it makes.
    pub(crate) name: &'static str,
    /// The tensors that it reads.
    reads: &'static [&'static str],
    text: &'static str,
}

const fn line(name: &'static str, reads: &'static [&'static str], text: &'static str) -> Line {
    Line { name, reads, text }
}

/// One iteration. Integrals are stored for one order of their axes: <mb||ej> is -ovov[m, b, j, e], and where bra and ket change
/// places, as in <ab||ij>, they are conjugated. The numbers are those of the paper's equations.
#[rustfmt::skip]
pub(crate) const ITERATION: [Line; 19] = [
    // (9), (10): both electrons together; tau_half is tau with a tilde
    line("tau_half", &["T1", "T2"],
        "[i, j, a, b] = T2[i, j, a, b] + 0.5 * asym(i, j; T1[i, a] * T1[j, b])"),
    line("tau", &["T1", "T2"],
        "[i, j, a, b] = T2[i, j, a, b] + asym(i, j; T1[i, a] * T1[j, b])"),
    // (3) to (5): one electron in the field of the others
    line("F_ae", &["tau_half", "T1", "oovv", "ovvv"],
        "[a, e] = T1[m, f] * ovvv[m, a, f, e] - 0.5 * tau_half[m, n, a, f] * oovv[m, n, e, f]"),
    line("F_mi", &["tau_half", "T1", "ooov", "oovv"],
        "[m, i] = T1[n, e] * ooov[m, n, i, e] + 0.5 * tau_half[i, n, e, f] * oovv[m, n, e, f]"),
    line("F_me", &["T1", "oovv"],
        "[m, e] = T1[n, f] * oovv[m, n, e, f]"),
    // (6) to (8): two electrons
    line("W_mnij", &["tau", "T1", "oooo", "ooov", "oovv"],
        "[m, n, i, j] = oooo[m, n, i, j] + asym(i, j; T1[j, e] * ooov[m, n, i, e])
            + 0.25 * tau[i, j, e, f] * oovv[m, n, e, f]"),
    line("W_abef", &["tau", "T1", "vvvv", "ovvv", "oovv"],
        "[a, b, e, f] = vvvv[a, b, e, f] + asym(a, b; T1[m, b] * ovvv[m, a, e, f])
            + 0.25 * tau[m, n, a, b] * oovv[m, n, e, f]"),
    line("t_jnfb", &["T1", "T2"],
        "[j, n, f, b] = 0.5 * T2[j, n, f, b] + T1[j, f] * T1[n, b]"),
    line("W_mbej", &["t_jnfb", "T1", "ovov", "ovvv", "ooov", "oovv"],
        "[m, b, e, j] = -ovov[m, b, j, e] + T1[j, f] * ovvv[m, b, e, f] + T1[n, b] * ooov[m, n, j, e]
            - t_jnfb[j, n, f, b] * oovv[m, n, e, f]"),
    // parts of (2) that are made once rather than for every exchange
    line("F_be", &["T1", "F_ae", "F_me"],
        "[b, e] = F_ae[b, e] - 0.5 * T1[m, b] * F_me[m, e]"),
    line("F_mj", &["T1", "F_mi", "F_me"],
        "[m, j] = F_mi[m, j] + 0.5 * T1[j, e] * F_me[m, e]"),
    line("V_mbij", &["T1", "ovov"],
        "[m, b, i, j] = -T1[i, e] * ovov[m, b, j, e]"),
    line("particles", &["T2", "F_be"],
        "[i, j, a, b] = asym(a, b; T2[i, j, a, e] * F_be[b, e])"),
    line("holes", &["T2", "F_mj"],
        "[i, j, a, b] = asym(i, j; T2[i, m, a, b] * F_mj[m, j])"),
    line("hole_ladder", &["tau", "W_mnij"],
        "[i, j, a, b] = 0.5 * tau[m, n, a, b] * W_mnij[m, n, i, j]"),
    line("particle_ladder", &["tau", "W_abef"],
        "[i, j, a, b] = 0.5 * tau[i, j, e, f] * W_abef[a, b, e, f]"),
    line("ring", &["T1", "T2", "W_mbej", "V_mbij"],
        "[i, j, a, b] = T2[i, m, a, e] * W_mbej[m, b, e, j] - T1[m, a] * V_mbij[m, b, i, j]"),
    // (1) and (2): what the orbital energies divide
    line("R1", &["T1", "T2", "F_ae", "F_mi", "F_me", "ovov", "ovvv", "ooov"],
        "[i, a] = T1[i, e] * F_ae[a, e] - T1[m, a] * F_mi[m, i] + T2[i, m, a, e] * F_me[m, e]
            - T1[n, f] * ovov[n, a, i, f] - 0.5 * T2[i, m, e, f] * ovvv[m, a, e, f]
            + 0.5 * T2[m, n, a, e] * ooov[n, m, i, e]"),
    line("R2", &["particles", "holes", "hole_ladder", "particle_ladder", "ring", "T1", "oovv", "ovvv", "ooov"],
        "[i, j, a, b] = conj(oovv[i, j, a, b]) + particles[i, j, a, b] - holes[i, j, a, b]
            + hole_ladder[i, j, a, b] + particle_ladder[i, j, a, b] + asym(i, j; asym(a, b; ring[i, j, a, b]))
            - asym(i, j; T1[i, e] * conj(ovvv[j, e, a, b])) - asym(a, b; T1[m, a] * conj(ooov[i, j, m, b]))"),
];

/// The correlation energy.
pub(crate) const ENERGY: [Line; 1] = [line(
    "E",
    &["T1", "T2", "oovv"],
    "[] = 0.25 * oovv[i, j, a, b] * T2[i, j, a, b] + 0.5 * oovv[i, j, a, b] * T1[i, a] * T1[j, b]",
)];

/// Equations planned in their order: each may read what those before it make.
pub(crate) struct Program {
    pub(crate) steps: Vec<(&'static Line, PreparedBlocks)>,
}

impl Program {
    /// Plans equations for tensors of these structures, and adds what they make, of zeros so far.
    pub(crate) fn new(context: &Context, lines: &'static [Line], tensors: &mut Tensors) -> Result<Program, Error> {
        let mut steps = Vec::new();
        for line in lines {
            let named = |&name: &&'static str| (name, &tensors[name] as &dyn RecordOperand<f64>);
            let operands: Vec<(&str, &dyn RecordOperand<f64>)> = line.reads.iter().map(named).collect();
            let product = context.prepare_blocks(line.text, &operands)?;
            tensors.insert(line.name, Blocks::zeros(product.structure())?);
            steps.push((line, product));
        }
        Ok(Program { steps })
    }

    /// Computes them.
    pub(crate) fn run(&self, tensors: &mut Tensors) -> Result<(), Error> {
        for (line, product) in &self.steps {
            let operands: Vec<&dyn DynOperand<f64>> =
                line.reads.iter().map(|&name| &tensors[name] as &dyn DynOperand<f64>).collect();
            let made = product.run(&operands)?;
            tensors.insert(line.name, made);
        }
        Ok(())
    }
}
