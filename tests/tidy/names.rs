//! Names of other libraries, by which the documentation finds what does the same here.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What users of NumPy, Julia, MATLAB and ITensor search for.
const SEARCHED: [&str; 72] = [
    "where",
    "zip",
    "sort",
    "argsort",
    "cumsum",
    "cumprod",
    "permutedims",
    "transpose",
    "swapaxes",
    "moveaxis",
    "expand_dims",
    "newaxis",
    "squeeze",
    "ravel",
    "flatten",
    "reshape",
    "matmul",
    "einsum",
    "tensordot",
    "ncon",
    "concatenate",
    "vstack",
    "hstack",
    "cat",
    "stack",
    "split",
    "array_split",
    "pad",
    "roll",
    "circshift",
    "tile",
    "repmat",
    "repeat",
    "broadcast_to",
    "flip",
    "diag",
    "diagm",
    "tril",
    "triu",
    "kron",
    "outer",
    "trace",
    "tr",
    "det",
    "inv",
    "pinv",
    "svd",
    "cutoff",
    "maxdim",
    "full_matrices",
    "qr",
    "eigh",
    "eigen",
    "lstsq",
    "norm",
    "average",
    "variance",
    "amax",
    "findmax",
    "count_nonzero",
    "clamp",
    "full",
    "identity",
    "array",
    "rand",
    "randn",
    "astype",
    "isapprox",
    "load",
    "save",
    "apply_along_axis",
    "QN",
];

/// The names of functions of a source, and their aliases.
fn names(source: &str) -> impl Iterator<Item = &str> {
    let quoted = |list: &'static str, end: char| {
        let lists = source.split(list).skip(1).filter_map(move |rest| rest.split(end).next());
        lists.flat_map(|list| list.split('"').skip(1).step_by(2))
    };
    let functions = source.split("fn ").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
    // A macro makes functions of rows such as `Svd, svd, "…", ["svdvals"];`.
    let rows = source.lines().filter_map(|row| row.strip_suffix("];")?.split(", ").nth(1));
    quoted("alias(", ')').chain(quoted("alias = ", ']')).chain(quoted(", [", ']')).chain(functions).chain(rows)
}

#[test]
fn other_names_are_found() {
    let mut files: Vec<PathBuf> = Vec::new();
    super::sources(&Path::new(super::ROOT).join("tensorwrapper-runtime/src"), &mut files);
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).expect("a source can be read")).collect();
    let known: HashSet<&str> = texts.iter().flat_map(|text| names(text)).collect();
    let missing: Vec<&str> = SEARCHED.into_iter().filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "`#[doc(alias)]` is missing for {missing:?}");
}
