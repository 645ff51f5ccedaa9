//! What a reader may rely on in every file: it says what it is for, it is short, and it uses lower floors only.

mod imports;
mod messages;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use imports::Crate;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The crates of the library, bottom-up, and of which others each is built. Tests may use any.
const CRATES: [(&str, &[&str]); 10] = [
    ("tensorwrapper-notation", &[]),
    ("tensorwrapper-core", &["tensorwrapper-notation"]),
    ("tensorwrapper-order", &["tensorwrapper-core"]),
    ("tensorwrapper-cpu", &["tensorwrapper-core", "tensorwrapper-notation"]),
    ("tensorwrapper-cuda", &["tensorwrapper-core"]),
    ("tensorwrapper-testing", &["tensorwrapper-core"]),
    (
        "tensorwrapper-runtime",
        &["tensorwrapper-core", "tensorwrapper-cpu", "tensorwrapper-cuda", "tensorwrapper-notation", "tensorwrapper-order"],
    ),
    ("tensorwrapper-macros", &["tensorwrapper-notation"]),
    ("tensorwrapper-derive", &[]),
    ("tensorwrapper", &["tensorwrapper-derive", "tensorwrapper-macros", "tensorwrapper-runtime"]),
];

/// Circles of files that are meant to be, in alphabetical order, each with the decision page that defends it.
const DEFENDED: [(&[&str], &str); 0] = [];

/// The floors of the runtime, bottom-up, as its `lib.rs` lists them; modules of one floor stand together.
const FLOORS: [&[&str]; 10] = [
    &["link"],
    &["tensor"],
    &["expr"],
    &["lower"],
    &["optimize"],
    &["exec"],
    &["structs"],
    &["grad"],
    &["functions"],
    &["__private"],
];

/// A file may be this long before it is cut.
const MOST_LINES: usize = 420;
/// A line of a comment may have so many characters.
const WIDEST: usize = 140;

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
        "tensorwrapper-core",
        "tensorwrapper-cpu",
        "tensorwrapper-cuda",
        "tensorwrapper-derive",
        "tensorwrapper-macros",
        "tensorwrapper-notation",
        "tensorwrapper-order",
        "tensorwrapper-runtime",
        "tensorwrapper-testing",
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

/// Who reads an example in the documentation has the crate `tensorwrapper`, not those that it is made of.
#[test]
fn examples_name_the_library_as_its_users_do() {
    let is_shown = |line: &&str| {
        let text = line.trim_start();
        let inner = ["use tensorwrapper_runtime::", "use num_complex::"];
        ["/// ", "//! "]
            .iter()
            .any(|comment| text.strip_prefix(comment).is_some_and(|code| inner.iter().any(|name| code.starts_with(name))))
    };
    let is_user_facing =
        |path: &Path| ["tensorwrapper", "tensorwrapper-runtime"].iter().any(|name| path.starts_with(Path::new(ROOT).join(name)));
    let sources = all_sources();
    let shown = sources.iter().filter(|(path, _)| is_user_facing(path));
    let wrong: Vec<_> = shown.flat_map(|(path, text)| text.lines().filter(is_shown).map(move |line| (path, line))).collect();
    assert!(wrong.is_empty(), "examples that name crates their readers do not have: {wrong:?}");
}

#[test]
fn files_are_short() {
    let long: Vec<_> =
        all_sources().into_iter().filter(|(_, text)| text.lines().count() > MOST_LINES).map(|(path, _)| path).collect();
    assert!(long.is_empty(), "files of more than {MOST_LINES} lines: {long:?}");
}

/// A row of a table is one line, however long it is.
#[test]
fn lines_of_comments_are_short() {
    let is_row = |text: &str| text.trim_start_matches(['/', '!']).trim_start().starts_with('|');
    let is_long = |line: &str| {
        let text = line.trim_start();
        text.starts_with("//") && !is_row(text) && line.chars().count() > WIDEST
    };
    let places = |(path, text): &(PathBuf, String)| -> Vec<String> {
        let long = text.lines().enumerate().filter(|(_, line)| is_long(line));
        long.map(|(n, _)| format!("{}:{}", path.display(), n + 1)).collect()
    };
    let long: Vec<String> = all_sources().iter().flat_map(places).collect();
    assert!(long.is_empty(), "lines of comments with more than {WIDEST} characters: {long:#?}");
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

#[test]
fn crates_use_lower_crates_only() {
    for (name, lower) in CRATES {
        let manifest = fs::read_to_string(Path::new(ROOT).join(name).join("Cargo.toml")).expect("each crate has a manifest");
        let dependencies = manifest.split("\n[").find(|part| part.starts_with("dependencies]")).unwrap_or("");
        let used: BTreeSet<&str> = dependencies
            .lines()
            .filter(|line| line.starts_with("tensorwrapper"))
            .map(|line| line.split(['.', ' ']).next().unwrap_or(line))
            .collect();
        assert_eq!(used, lower.iter().copied().collect(), "{name}");
    }
}

#[test]
fn versions_of_the_crates_are_pinned_to_each_other() {
    let manifest = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).expect("the workspace has a manifest");
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = ")).expect("the workspace has a version");
    let wanted = format!("version = \"={}\"", version.trim_matches('"'));
    let pinned = manifest.lines().filter(|line| line.starts_with("tensorwrapper") && line.contains("path = "));
    let loose: Vec<_> = pinned.clone().filter(|line| !line.contains(&wanted)).collect();
    assert!(pinned.count() >= CRATES.len() && loose.is_empty(), "not pinned to this version: {loose:?}");
}

#[test]
fn files_of_a_crate_do_not_import_each_other_in_a_circle() {
    let (mut files, mut found) = (0, Vec::new());
    for (name, _) in CRATES {
        let sources = Crate::read(&Path::new(ROOT).join(name).join("src"));
        files += sources.len();
        for circle in circles(&sources.uses()) {
            let names: BTreeSet<String> = circle.iter().map(|file| inside(file)).collect();
            let is_known = |known: &[&str]| known.iter().copied().eq(names.iter().map(String::as_str));
            if !DEFENDED.iter().any(|(known, _)| is_known(known)) {
                found.push(names);
            }
        }
    }
    assert!(found.is_empty(), "these files import each other in circles: {found:#?}");
    assert!(files > 300, "{files} files were read");
}

#[test]
fn defended_circles_have_their_pages() {
    for (_, page) in DEFENDED {
        assert!(Path::new(ROOT).join(page).is_file(), "{page}");
    }
}

/// A file's path from the project's root.
fn inside(file: &Path) -> String {
    let path = file.to_string_lossy().replace('\\', "/");
    path.split_once("/../").map_or(path.clone(), |(_, inside)| inside.to_string())
}

/// Files that reach each other, by depth-first search (R. Tarjan, SIAM J. Comput. 1, 146, 1972).
fn circles(uses: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> Vec<Vec<PathBuf>> {
    #[derive(Default)]
    struct Search {
        met: BTreeMap<PathBuf, (usize, usize)>,
        stack: Vec<PathBuf>,
        found: Vec<Vec<PathBuf>>,
    }
    fn visit(file: &PathBuf, uses: &BTreeMap<PathBuf, BTreeSet<PathBuf>>, search: &mut Search) {
        let number = search.met.len();
        search.met.insert(file.clone(), (number, number));
        search.stack.push(file.clone());
        for used in &uses[file] {
            let lowest = if !search.met.contains_key(used) {
                visit(used, uses, search);
                search.met[used].1
            } else if search.stack.contains(used) {
                search.met[used].0
            } else {
                continue;
            };
            let own = search.met.get_mut(file).expect("the file was met");
            own.1 = own.1.min(lowest);
        }
        if search.met[file].1 == number {
            let start = search.stack.iter().position(|known| known == file).expect("the file is on the stack");
            let circle = search.stack.split_off(start);
            search.found.extend((circle.len() > 1).then_some(circle));
        }
    }
    let mut search = Search::default();
    for file in uses.keys() {
        if !search.met.contains_key(file) {
            visit(file, uses, &mut search);
        }
    }
    search.found
}

#[test]
fn circles_are_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut uses: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        for (from, to) in edges {
            uses.entry(to.into()).or_default();
            uses.entry(from.into()).or_default().insert(to.into());
        }
        circles(&uses).len()
    };
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("a", "c")]), 0);
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("c", "b")]), 1);
    assert_eq!(graph(&[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c")]), 2);
}

/// Files that send work to rayon's pool, each of which asks `thread_pool` before: a process made by `fork` has no threads there.
const TO_THE_POOL: [&str; 3] = [
    "tensorwrapper-core/src/thread_pool.rs",
    "tensorwrapper-core/src/shape/indices.rs",
    "tensorwrapper-cpu/src/factorise/worth.rs",
];

#[test]
fn work_goes_to_the_pool_by_known_roads() {
    let mut found = 0;
    for (path, text) in all_sources() {
        let path = inside(&path);
        // The simulator is for tests.
        let is_source = path.starts_with("tensorwrapper") && path.contains("/src/") && !path.contains("test");
        if !is_source || path.starts_with("tensorwrapper-cuda/src/simulator/") {
            continue;
        }
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        if code.into_iter().any(|line| ["rayon::", "Par::rayon", "Parallelism::Rayon"].iter().any(|road| line.contains(road))) {
            assert!(
                TO_THE_POOL.contains(&path.as_str()),
                "{path} sends work to the pool, where `thread_pool` is to be asked before"
            );
            assert!(text.contains("pool::threads(") || path.ends_with("thread_pool.rs"), "{path} does not ask `thread_pool`");
            found += 1;
        }
    }
    assert_eq!(found, TO_THE_POOL.len());
}
