//! Steps of coupled cluster on a device against the processor: water in a minimal basis, whose integrals the program carries along.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use tensorwrapper::Context;

use super::ccsd::Failure;
use super::ccsd::cc::{Amplitudes, Next, Orbitals, equations, mp2};
use super::ccsd::molecule::Molecule;
use super::ccsd::scf::lowest_state;
use super::ladder::whole_ladder;

/// The folder of the molecule: names of files and what is in them.
const FILES: [(&str, &[u8]); 5] = [
    ("S.npy", include_bytes!("../data/water-sto3g/S.npy")),
    ("H.npy", include_bytes!("../data/water-sto3g/H.npy")),
    ("eri.npy", include_bytes!("../data/water-sto3g/eri.npy")),
    ("molecule.json", include_bytes!("../data/water-sto3g/molecule.json")),
    ("reference.json", include_bytes!("../data/water-sto3g/reference.json")),
];
/// So many steps are compared, each from where the one before has led.
const STEPS: usize = 5;
/// Largest difference of an amplitude.
const TOLERANCE: f64 = 1e-10;

/// Takes the same steps in both contexts, and says how far the amplitudes are apart.
pub(crate) fn check(device: &Context, processor: &Context) -> Result<String, String> {
    // Several checks of one process may run at once.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("gpu_check-water-{}-{number}", std::process::id()));
    let orbitals = written(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    let sentence = |failure| match failure {
        Failure::Input(sentence) | Failure::Calculation(sentence) => sentence,
    };
    let orbitals = orbitals?;
    let steps = |context| amplitudes(context, &orbitals).map_err(sentence);
    let (found, expected) = (steps(device)?, steps(processor)?);
    let both =
        found.t1.as_slice().iter().zip(expected.t1.as_slice()).chain(found.t2.as_slice().iter().zip(expected.t2.as_slice()));
    let mut apart = 0.0;
    for (a, b) in both {
        let off = (a - b).abs();
        // NaN is far from everything.
        if off > apart || off.is_nan() {
            apart = off;
        }
    }
    match apart <= TOLERANCE {
        true => Ok(format!("{STEPS} steps of CCSD agree to {apart:.1e}")),
        false => Err(format!("amplitudes of CCSD are {apart:.1e} apart behind {STEPS} steps")),
    }
}

fn written(folder: &Path) -> Result<Orbitals, String> {
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    // Not where there is something: others may put things into the folder of what is temporary.
    std::fs::create_dir(folder).map_err(io)?;
    for (name, bytes) in FILES {
        std::fs::write(folder.join(name), bytes).map_err(io)?;
    }
    let orbitals = Molecule::read(folder).and_then(|molecule| Orbitals::new(&molecule, &lowest_state(&molecule)?));
    orbitals.map_err(|failure| match failure {
        Failure::Input(sentence) | Failure::Calculation(sentence) => sentence,
    })
}

/// The amplitudes behind some steps from those of perturbation theory, without extrapolation.
fn amplitudes(context: &Context, orbitals: &Orbitals) -> Result<Amplitudes, Failure> {
    let (_, guess) = mp2(orbitals)?;
    let (vvvv, mut last) = (orbitals.vvvv.to_dense()?.into_typed()?, None);
    equations(orbitals, &guess, &whole_ladder(&vvvv, &guess), &mut |(next1, next2): &Next<'_>| {
        let step = context.prepare_all((next1, next2), &[&guess.t1, &guess.t2])?;
        let mut t = Amplitudes { t1: guess.t1.clone(), t2: guess.t2.clone() };
        for _ in 0..STEPS {
            let (t1, t2) = step.run(&[&t.t1, &t.t2])?;
            t = Amplitudes { t1, t2 };
        }
        last = Some(t);
        Ok(())
    })?;
    Ok(last.expect("equations hand on what they record"))
}
