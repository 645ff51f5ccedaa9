//! A molecule as a folder of integrals, read and checked: whoever holds a `Molecule` may calculate with it.
//!
//! `molecule.json` says what it is; `S.npy`, `H.npy` and `eri.npy` hold the overlap, the core Hamiltonian and the
//! repulsion integrals (pq|rs) over nao basis functions; `reference.json` may say what comes out. The repulsion integrals
//! are whole, of shape (nao, nao, nao, nao), or one list of those with p >= q, r >= s and (p,q) >= (r,s), which is how
//! PySCF packs them with `aosym="s8"`.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Error, Sign, Structure, Symmetry, Tiling};

use super::{Failure, Matrix};

/// Integrals are symmetric to this, or they are not what they are said to be.
const SYMMETRIC: f64 = 1e-8;
/// Below this eigenvalue of the overlap, basis functions are linearly dependent as far as doubles can tell.
const INDEPENDENT: f64 = 1e-10;
/// Basis functions, or orbitals, in a tile at most. Smaller tiles keep fewer integrals that follow from others; larger ones
/// are multiplied faster.
const TILE: usize = 24;

/// A closed-shell molecule in a basis, energies in Hartree.
pub(crate) struct Molecule {
    pub(crate) name: String,
    /// Number of basis functions.
    pub(crate) nao: usize,
    /// Number of doubly occupied orbitals, half the number of electrons.
    pub(crate) nocc: usize,
    /// Repulsion of the nuclei.
    pub(crate) E_nuc: f64,
    /// Overlap.
    pub(crate) S: Matrix,
    /// Kinetic energy and attraction by the nuclei.
    pub(crate) H: Matrix,
    /// Repulsion of electrons, (pq|rs): electron 1 in p, q and electron 2 in r, s. Integrals that follow from others are
    /// not kept.
    pub(crate) eri: Blocks<f64>,
    /// Basis functions, or orbitals, in a tile at most.
    pub(crate) tile: usize,
    reference: Option<Value>,
}

impl Molecule {
    pub(crate) fn read(folder: &Path) -> Result<Molecule, Failure> {
        Molecule::read_in_tiles(folder, TILE)
    }

    /// The same with other tiles: of so many basis functions, or orbitals, at most.
    pub(crate) fn read_in_tiles(folder: &Path, tile: usize) -> Result<Molecule, Failure> {
        if !folder.is_dir() {
            return Err(wrong(folder, "there is no such folder"));
        }
        let file = folder.join("molecule.json");
        let json = read_json(&file)?;
        let (nao, nocc) = closed_shell(&file, &json)?;
        let E_nuc = json["E_nuc"].as_f64().filter(|x| x.is_finite());
        let molecule = Molecule {
            name: json["name"].as_str().map_or_else(|| folder.display().to_string(), str::to_owned),
            nao,
            nocc,
            E_nuc: E_nuc.ok_or_else(|| wrong(&file, format!("`E_nuc` is {} where a number is needed", shown(&json["E_nuc"]))))?,
            S: read_npy(&folder.join("S.npy"), &[nao; 2])?.into_typed().map_err(|e| wrong(&folder.join("S.npy"), e))?,
            H: read_npy(&folder.join("H.npy"), &[nao; 2])?.into_typed().map_err(|e| wrong(&folder.join("H.npy"), e))?,
            eri: read_repulsion(&folder.join("eri.npy"), &Tiling::even(nao, tile))?,
            tile,
            reference: read_reference(&folder.join("reference.json"))?,
        };
        molecule.check_integrals(folder)?;
        Ok(molecule)
    }

    /// What the folder says should come out, where it says so.
    pub(crate) fn reference<const N: usize>(&self, keys: [&str; N]) -> [Option<f64>; N] {
        keys.map(|key| self.reference.as_ref()?.get(key)?.as_f64())
    }

    /// The symmetries that every set of real integrals has; a file in another convention lacks some.
    fn check_integrals(&self, folder: &Path) -> Result<(), Failure> {
        let Molecule { S, H, .. } = self;
        check_symmetry(&folder.join("S.npy"), "S[p,q] = S[q,p]", tensor!([] = max(p,q; abs(S[p,q] - S[q,p]))))?;
        check_symmetry(&folder.join("H.npy"), "H[p,q] = H[q,p]", tensor!([] = max(p,q; abs(H[p,q] - H[q,p]))))?;

        let (s, _) = tensor!(([n], [p,n]) = eigh(S[p,q])); // ascending
        let smallest = s.as_slice()[0];
        if smallest < INDEPENDENT {
            let what = format!("no overlap of independent functions, its smallest eigenvalue is {smallest:.1e}");
            return Err(wrong(&folder.join("S.npy"), what));
        }
        Ok(())
    }
}

/// The numbers of basis functions and of occupied orbitals, if these belong to a closed shell.
fn closed_shell(file: &Path, json: &Value) -> Result<(usize, usize), Failure> {
    let count = |key: &str| {
        let number = json[key].as_u64().and_then(|n| usize::try_from(n).ok());
        number.ok_or_else(|| wrong(file, format!("`{key}` is {} where a whole number is needed", shown(&json[key]))))
    };
    let (nelectron, nocc, nao) = (count("nelectron")?, count("nocc")?, count("nao")?);
    if nelectron == 0 {
        return Err(wrong(file, "`nelectron` is 0, so there is nothing to calculate"));
    }
    if nelectron % 2 == 1 {
        return Err(wrong(file, format!("`nelectron` is {nelectron}, an odd number, which is no closed shell")));
    }
    if nelectron / 2 != nocc {
        return Err(wrong(file, format!("`nocc` is {nocc}, but {nelectron} electrons fill {} orbitals", nelectron / 2)));
    }
    if nocc > nao {
        return Err(wrong(file, format!("`nocc` is {nocc}, more orbitals than the {nao} that `nao` basis functions make")));
    }
    Ok((nao, nocc))
}

fn shown(value: &Value) -> String {
    if value.is_null() { "missing".into() } else { value.to_string() }
}

fn read_json(file: &Path) -> Result<Value, Failure> {
    let text = fs::read_to_string(file).map_err(|error| wrong(file, error))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| wrong(file, format!("not JSON, {error}")))?;
    if json.is_object() { Ok(json) } else { Err(wrong(file, "not a JSON object")) }
}

/// A reference is welcome, but not needed.
fn read_reference(file: &Path) -> Result<Option<Value>, Failure> {
    if file.exists() { read_json(file).map(Some) } else { Ok(None) }
}

/// Reads repulsion integrals, whole or packed.
fn read_repulsion(file: &Path, functions: &Tiling) -> Result<Blocks<f64>, Failure> {
    let nao = functions.extent();
    let packed = triangle(triangle(nao));
    let tensor = read_npy_of(file, &[&[nao; 4], &[packed]])?;
    let made = |blocks: Result<Blocks<f64>, Error>| blocks.map_err(|error| wrong(file, error));
    let structure = Structure::new([functions; 4]).with(symmetry_of_pairs([0, 1], [2, 3])?)?;
    if tensor.extents() == [packed] {
        let integrals = tensor.as_slice();
        return made(Blocks::from_fn(&structure, |i| integrals[pair(pair(i[0], i[1]), pair(i[2], i[3]))]));
    }
    let eri = &tensor;
    check_symmetry(file, "(pq|rs) = (qp|rs)", tensor!([] = max(p,q,r,s; abs(eri[p,q,r,s] - eri[q,p,r,s]))))?;
    check_symmetry(file, "(pq|rs) = (rs|pq)", tensor!([] = max(p,q,r,s; abs(eri[p,q,r,s] - eri[r,s,p,q]))))?;
    made(Blocks::from_dense(&tensor, &structure))
}

/// The symmetry of real integrals over two electrons: each has a pair of axes that change places, and the pairs do.
pub(crate) fn symmetry_of_pairs(first: [usize; 2], second: [usize; 2]) -> Result<Symmetry, Error> {
    Symmetry::none(4).symmetric(first)?.exchange(&first, &second, Sign::Plus)
}

/// How many pairs n objects make, in any order.
fn triangle(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The place of a pair among pairs that are ordered by the larger of both.
fn pair(p: usize, q: usize) -> usize {
    triangle(p.max(q)) + p.min(q)
}

fn check_symmetry(file: &Path, symmetry: &str, deviation: f64) -> Result<(), Failure> {
    if deviation > SYMMETRIC {
        return Err(wrong(file, format!("{symmetry} does not hold, it is off by {deviation:.1e}")));
    }
    Ok(())
}

/// Reads finite doubles of this shape.
fn read_npy(file: &Path, shape: &[usize]) -> Result<Tensor<f64>, Failure> {
    read_npy_of(file, &[shape])
}

/// Reads finite doubles of one of these shapes.
fn read_npy_of(file: &Path, shapes: &[&[usize]]) -> Result<Tensor<f64>, Failure> {
    let read = AnyTensor::read_npy(file).map_err(|error| Failure::Input(error.to_string()))?;
    if !shapes.contains(&read.extents()) {
        let wanted: Vec<String> = shapes.iter().map(|shape| format!("{shape:?}")).collect();
        let message = format!("its shape is {:?} where `nao` asks for {}", read.extents(), wanted.join(" or "));
        return Err(wrong(file, message));
    }
    let tensor = read.into_tensor::<f64>().map_err(|error| wrong(file, error))?;
    match tensor.as_slice().iter().position(|x| !x.is_finite()) {
        Some(n) => Err(wrong(file, format!("its number {n} in C order, {}, is not finite", tensor.as_slice()[n]))),
        None => Ok(tensor),
    }
}

/// One sentence that names the file.
fn wrong(file: &Path, what: impl Display) -> Failure {
    Failure::Input(format!("{}: {what}", file.display()))
}
