//! What a reader may rely on in every file: it says what it is for, it is short, and it uses lower floors only.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The floors of the runtime, bottom-up, as its `lib.rs` lists them; modules of one floor stand together.
const FLOORS: [&[&str]; 9] = [
    &["callback", "element", "erased", "error", "held", "link", "owned", "pool"],
    &["layout", "shape"],
    &["backend"],
    &["tensor"],
    &["expr"],
    &["graph"],
    &["optimize"],
    &["exec"],
    &["__private"],
];

/// A file may be this long before it is cut.
const MOST_LINES: usize = 420;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the project's folders can be read") {
        let path = entry.expect("the project's folders can be read").path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let folders = [
        "tensorwrapper",
        "tensorwrapper-macros",
        "tensorwrapper-notation",
        "tensorwrapper-runtime",
        "tests",
        "benches",
        "examples",
        "ui-tests",
    ];
    folders.iter().for_each(|folder| sources(&Path::new(ROOT).join(folder), &mut found));
    assert!(found.len() > 100, "the project has more than {} files", found.len());
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("sources are text"))).collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<_> = all_sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path).collect();
    assert!(silent.is_empty(), "files that do not open with `//!`: {silent:?}");
}

#[test]
fn files_are_short() {
    let long: Vec<_> =
        all_sources().into_iter().filter(|(_, text)| text.lines().count() > MOST_LINES).map(|(path, _)| path).collect();
    assert!(long.is_empty(), "files of more than {MOST_LINES} lines: {long:?}");
}

#[test]
fn the_runtime_uses_lower_floors_only() {
    let source = Path::new(ROOT).join("tensorwrapper-runtime/src");
    let floor = |name: &str| FLOORS.iter().position(|modules| modules.contains(&name));
    for (path, text) in all_sources() {
        let Ok(inside) =
            path.strip_prefix(fs::canonicalize(&source).unwrap_or(source.clone())).or_else(|_| path.strip_prefix(&source))
        else {
            continue;
        };
        let first = inside.iter().next().expect("a file has a name").to_string_lossy().trim_end_matches(".rs").to_string();
        // Tests look wherever they need to.
        let is_test = inside.to_string_lossy().contains("test");
        let Some(own) = floor(if first == "private" { "__private" } else { &first }).filter(|_| !is_test) else { continue };
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let mut rest = line;
            while let Some(at) = rest.find("crate::") {
                rest = &rest[at + "crate::".len()..];
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(used) = floor(&name) {
                    assert!(used <= own, "{}: floor {own} uses `{name}` of floor {used}: {line}", path.display());
                }
            }
        }
    }
}

/// Files of the runtime that send work to rayon's pool, each of which asks `pool` before: a process made by `fork` has no threads there.
const TO_THE_POOL: [&str; 4] = ["pool.rs", "shape/indices.rs", "backend/cpu/gemm.rs", "backend/cpu/factorise/worth.rs"];

#[test]
fn work_goes_to_the_pool_by_known_roads() {
    let mut found = 0;
    for (path, text) in all_sources() {
        let path = path.to_string_lossy().replace('\\', "/");
        let Some((_, inside)) = path.split_once("tensorwrapper-runtime/src/") else { continue };
        // The simulator is for tests.
        if inside.contains("test") || inside.starts_with("backend/cuda/simulator/") {
            continue;
        }
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        if code.into_iter().any(|line| ["rayon::", "Par::rayon", "Parallelism::Rayon"].iter().any(|road| line.contains(road))) {
            assert!(TO_THE_POOL.contains(&inside), "{inside} sends work to the pool, where `pool` is to be asked before");
            assert!(text.contains("pool::threads(") || inside == "pool.rs", "{inside} does not ask `pool`");
            found += 1;
        }
    }
    assert_eq!(found, TO_THE_POOL.len());
}
