//! Which file of a crate uses which other, read from its text: `use` declarations and paths, with re-exports followed to the file
//! that defines a name. It must not know which order is allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The path of a module from the root of its crate; the root's is empty.
type Module = Vec<String>;

/// The files of a crate and what each uses.
pub struct Crate {
    files: BTreeMap<Module, Source>,
}

/// A file without its tests.
struct Source {
    path: PathBuf,
    tokens: Vec<String>,
    /// Names that `use` brings in, and the paths that they stand for.
    imports: BTreeMap<String, Vec<String>>,
    /// Those of them that are handed on to others.
    exports: BTreeSet<String>,
    /// Modules all of whose names are brought in.
    globs: Vec<Vec<String>>,
    defined: BTreeSet<String>,
}

/// What introduces the name of an item.
const ITEMS: [&str; 10] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules", "mod"];

impl Crate {
    /// Reads the sources of a crate below its `src` folder; files of tests alone are left out.
    pub fn read(src: &Path) -> Crate {
        let mut files = BTreeMap::new();
        collect(src, &mut Vec::new(), &mut files);
        Crate { files }
    }

    /// The number of its files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// For each file the files whose items it uses.
    pub fn uses(&self) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let of = |(module, source): (&Module, &Source)| {
            let mut used = BTreeSet::new();
            for path in source.paths() {
                let found = self.resolve(module, &path, 0).map(|found| self.files[&found].path.clone());
                used.extend(found.filter(|file| *file != source.path));
            }
            (source.path.clone(), used)
        };
        self.files.iter().map(of).collect()
    }

    /// The module that defines the item to which a path in a module leads; none for other crates and for modules themselves.
    fn resolve(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        // Imports of names from each other end somewhere.
        if depth > 20 {
            return None;
        }
        let (mut at, mut rest) = (from.clone(), path);
        match path.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|first| first == "super") {
                    at.pop()?;
                    rest = &rest[1..];
                }
            }
            first if self.is_module(from, first) || self.files[from].imports.contains_key(first) => {}
            _ => return None,
        }
        while let Some((name, behind)) = rest.split_first() {
            if !self.is_module(&at, name) {
                return self.item(&at, name, behind, depth);
            }
            at.push(name.clone());
            rest = behind;
        }
        None
    }

    /// The module that defines a name which another module has, and behind which a path goes on.
    fn item(&self, module: &Module, name: &str, behind: &[String], depth: usize) -> Option<Module> {
        let source = self.files.get(module)?;
        if source.defined.contains(name) {
            return Some(module.clone());
        }
        if let Some(path) = source.imports.get(name) {
            let path: Vec<String> = path.iter().chain(behind).cloned().collect();
            // A name that stands for itself is one of another crate.
            return if path.first().is_some_and(|first| first == name) { None } else { self.resolve(module, &path, depth + 1) };
        }
        source.globs.iter().find_map(|glob| {
            let path: Vec<String> = glob.iter().cloned().chain([name.to_string()]).chain(behind.iter().cloned()).collect();
            self.resolve(module, &path, depth + 1)
        })
    }

    fn is_module(&self, parent: &Module, name: &str) -> bool {
        let mut child = parent.clone();
        child.push(name.to_string());
        self.files.contains_key(&child)
    }
}

impl Source {
    fn read(path: &Path) -> Source {
        let text = fs::read_to_string(path).expect("sources are text");
        let tokens = without_tests(tokens(&text));
        let mut source = Source {
            path: path.to_path_buf(),
            tokens: Vec::new(),
            imports: BTreeMap::new(),
            exports: BTreeSet::new(),
            globs: Vec::new(),
            defined: BTreeSet::new(),
        };
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at].as_str();
            if token == "use" {
                let is_export = at > 0 && ["pub", ")"].contains(&tokens[at - 1].as_str());
                let mut found = Vec::new();
                at += 1;
                tree(&tokens, &mut at, &mut Vec::new(), &mut found);
                for (alias, path) in found {
                    match alias {
                        Some(alias) => {
                            source.exports.extend(is_export.then(|| alias.clone()));
                            source.imports.insert(alias, path);
                        }
                        None => source.globs.push(path),
                    }
                }
                continue;
            }
            if ITEMS.contains(&token) {
                let name = tokens[at + 1..].iter().find(|next| *next != "!" && *next != "mut");
                // A module has a file of its own, or its items are this file's.
                source.defined.extend(name.filter(|_| token != "mod").cloned());
            }
            source.tokens.push(tokens[at].clone());
            at += 1;
        }
        source
    }

    /// All paths of the file: those of its imports, and those in its code. What it hands on to others and does not use is none of them.
    fn paths(&self) -> Vec<Vec<String>> {
        let is_used = |name: &&String| !self.exports.contains(*name) || self.tokens.contains(name);
        let mut paths: Vec<Vec<String>> = self.imports.keys().filter(is_used).map(|name| self.imports[name].clone()).collect();
        let mut at = 0;
        while at < self.tokens.len() {
            let mut path = vec![self.tokens[at].clone()];
            let mut end = at + 1;
            while end + 1 < self.tokens.len() && self.tokens[end] == "::" && is_word(&self.tokens[end + 1]) {
                path.push(self.tokens[end + 1].clone());
                end += 2;
            }
            let is_start = is_word(&path[0]) && (at == 0 || self.tokens[at - 1] != "::");
            if is_start && path.len() > 1 {
                paths.push(path);
            }
            at = end;
        }
        paths
    }
}

fn collect(folder: &Path, module: &mut Module, files: &mut BTreeMap<Module, Source>) {
    for entry in fs::read_dir(folder).expect("the project's folders can be read") {
        let path = entry.expect("the project's folders can be read").path();
        let name = path.file_stem().expect("a file has a name").to_string_lossy().to_string();
        if name.contains("tests") || name == "snapshots" {
            continue;
        }
        if path.is_dir() {
            // The folder of the module that other crates' expansions use.
            module.push(if name == "private" { "__private".to_string() } else { name });
            collect(&path, module, files);
            module.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut own = module.clone();
            if !["lib", "mod"].contains(&name.as_str()) {
                own.push(name);
            }
            files.insert(own, Source::read(&path));
        }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The tree of a `use`, from the place behind it on: each name with its path, and the paths of `*` without a name.
fn tree(tokens: &[String], at: &mut usize, prefix: &mut Vec<String>, found: &mut Vec<(Option<String>, Vec<String>)>) {
    let depth = prefix.len();
    loop {
        match tokens.get(*at).map(String::as_str) {
            Some("{") => {
                *at += 1;
                while tokens.get(*at).is_some_and(|token| token != "}") {
                    tree(tokens, at, prefix, found);
                    *at += usize::from(tokens.get(*at).is_some_and(|token| token == ","));
                }
                *at += 1;
                break;
            }
            Some("*") => {
                found.push((None, prefix.clone()));
                *at += 1;
                break;
            }
            Some("::") => *at += 1,
            Some("as") => {
                found.push((tokens.get(*at + 1).cloned(), prefix.clone()));
                *at += 2;
                break;
            }
            Some(word) if is_word(word) => {
                if word != "self" || prefix.is_empty() {
                    prefix.push(word.to_string());
                }
                *at += 1;
                if !matches!(tokens.get(*at).map(String::as_str), Some("::" | "as")) {
                    found.push((prefix.last().cloned(), prefix.clone()));
                    break;
                }
            }
            _ => break,
        }
    }
    prefix.truncate(depth);
}

/// Words, `::` and single signs; comments, strings, characters and lifetimes are left out.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = literal(rest) {
            length
        } else if rest.starts_with("::") {
            tokens.push("::".to_string());
            2
        } else if first.is_alphanumeric() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(rest[..length].to_string());
            length
        } else {
            tokens.extend((!first.is_whitespace()).then(|| first.to_string()));
            first.len_utf8()
        };
        rest = &rest[skipped..];
    }
    tokens
}

/// The length of the string, character or lifetime with which a text begins.
fn literal(text: &str) -> Option<usize> {
    let raw = text.strip_prefix('b').unwrap_or(text);
    if let Some(hashes) = raw.strip_prefix('r').map(|rest| rest.len() - rest.trim_start_matches('#').len())
        && raw[1 + hashes..].starts_with('"')
    {
        let end = format!("\"{}", "#".repeat(hashes));
        let start = text.len() - raw.len() + 2 + hashes;
        return Some(text[start..].find(&end).map_or(text.len(), |at| start + at + end.len()));
    }
    let quote = text.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let mut characters = text.char_indices().skip(1);
    if quote == '\'' {
        let (mut two, c) = (text[1..].chars(), text[1..].chars().next()?);
        // A lifetime is a word without an end.
        if c != '\\' && two.nth(1) != Some('\'') {
            return Some(1);
        }
    }
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => drop(characters.next()),
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// Leaves out what stands behind `#[cfg(test)]`, or another condition that begins with it: a module, an import or an item.
fn without_tests(tokens: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_condition = tokens[at..].starts_with(&["#", "[", "cfg"].map(String::from));
        let end = tokens[at..].iter().position(|token| token == "]").map_or(tokens.len(), |end| at + end + 1);
        if is_condition
            && tokens[at..end].iter().any(|token| token == "test")
            && !tokens[at..end].iter().any(|token| token == "not")
        {
            at = item_end(&tokens, end);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// The place behind an item: behind its braces, or behind its semicolon.
fn item_end(tokens: &[String], start: usize) -> usize {
    let mut open = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.as_str() {
            "{" | "(" | "[" => open += 1,
            "}" | ")" | "]" => {
                open -= 1;
                // A field or a method of something larger ends with it.
                if open < 0 {
                    return at;
                }
                if open == 0 && token == "}" {
                    return at + 1;
                }
            }
            ";" | "," if open == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}
