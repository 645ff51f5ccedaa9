//! The `order` example as a person meets it: files that are good and wrong, and paths that cost what it says.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tensorwrapper::order::{Search, find};

// The example is a program; how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/order/main.rs"]
mod order;

/// What the program prints, or the sentence with which it refuses.
fn run(arguments: &[&str]) -> Result<String, String> {
    let mut out = Vec::new();
    order::run(arguments.iter().map(OsString::from).collect(), &mut out).map_err(|refused| refused.0)?;
    Ok(String::from_utf8(out).expect("the program prints text"))
}

/// A file of this test's own.
fn scratch(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("order_program");
    fs::create_dir_all(&folder).expect("the build's folder takes files");
    folder.join(name).to_str().expect("paths of builds are text").to_string()
}

fn problems(name: &str, json: &str, more: &[&str]) -> Result<String, String> {
    let file = scratch(name);
    fs::write(&file, json).expect("the build's folder takes files");
    run(&[&[file.as_str()], more].concat()).map_err(|sentence| sentence.replace(&file, "FILE"))
}

/// Operations and size of a linear path by the definition.
fn score(problem: &Value, path: &Value) -> (f64, f64) {
    let extent = |labels: &BTreeSet<char>| labels.iter().map(|l| problem["extents"][l.to_string()].as_f64().unwrap()).product();
    let labels = |value: &Value| value.as_str().unwrap().chars().collect::<BTreeSet<char>>();
    let mut live: Vec<BTreeSet<char>> = problem["inputs"].as_array().unwrap().iter().map(labels).collect();
    let (mut operations, mut largest) = (0f64, 0f64);
    for pair in path.as_array().unwrap() {
        let [a, b] = [0, 1].map(|n| pair[n].as_u64().unwrap() as usize);
        assert!(a < b);
        let (b, a) = (live.remove(b), live.remove(a));
        let union: BTreeSet<char> = a.union(&b).copied().collect();
        operations += extent(&union);
        let needed: BTreeSet<char> = live.iter().flatten().copied().chain(labels(&problem["output"])).collect();
        let kept: BTreeSet<char> = union.intersection(&needed).copied().collect();
        largest = largest.max(extent(&kept));
        live.push(kept);
    }
    assert_eq!(live.len(), 1);
    (operations.log10(), largest.log2())
}

#[test]
fn printed_and_written_paths_agree() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/order.json");
    let json: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    for mode in ["auto", "size", "exact"] {
        let paths = scratch(&format!("{mode}.json"));
        let printed = run(&["--seconds", "0.05", "--mode", mode, "--paths", &paths]).unwrap();
        let written: Value = serde_json::from_str(&fs::read_to_string(&paths).unwrap()).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines.len(), 6, "{printed}");
        for (n, line) in lines[1..5].iter().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |n: usize| words[n].parse::<f64>().expect("a column of numbers");
            let (problem, solution) = (&json["problems"][n], &written["problems"][n]);
            assert_eq!((words[0], &problem["name"]), (problem["name"].as_str().unwrap(), &solution["name"]));
            let (operations, size) = score(problem, &solution["path"]);
            assert!((operations - number(1)).abs() < 1e-5 && (size - number(2)).abs() < 1e-3, "{line}: {operations} {size}");
            let best = &problem["best_known"];
            let above = if mode == "size" {
                size - best["log2_size"].as_f64().unwrap()
            } else {
                operations - best["log10_flops"].as_f64().unwrap()
            };
            assert!((above - number(4)).abs() < 1e-5, "{line}: {above}");
            // A chain of matrices is within reach of the exact search, however little time there is.
            assert!((mode, words[0]) != ("exact", "matrix_chain_20") || above < 1e-6 && words.len() == 5, "{line}");
        }
        assert!(lines[5].starts_with("mean excess "), "{printed}");
    }
}

/// The search that equations use: no time decides what it finds.
#[test]
fn the_problems_of_the_repository_are_solved_as_well_as_is_known() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/order.json");
    let json: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    for problem in json["problems"].as_array().unwrap() {
        let names: Vec<&String> = problem["extents"].as_object().unwrap().keys().collect();
        let number = |label: char| names.iter().position(|name| name.starts_with(label)).unwrap();
        let labels = |value: &Value| value.as_str().unwrap().chars().map(number).collect::<Vec<usize>>();
        let inputs: Vec<Vec<usize>> = problem["inputs"].as_array().unwrap().iter().map(labels).collect();
        let extents: Vec<usize> = names.iter().map(|name| problem["extents"][*name].as_u64().unwrap() as usize).collect();
        let found = find(&inputs, &labels(&problem["output"]), &extents, &Search::new()).unwrap();
        let best = problem["best_known"]["log10_flops"].as_f64().unwrap();
        let excess = found.log2_operations * 2f64.log10() - best;
        assert!(excess < 0.05, "{}: {excess}", problem["name"]);
    }
}

#[test]
fn labels_may_be_lists_and_fields_may_be_missing() {
    let json = r#"{"problems": [{"inputs": [["i", "long"], ["long", 7]], "extents": {"i": 10, "long": 10, "7": 10}}]}"#;
    let printed = problems("lists.json", json, &[]).unwrap();
    let line = printed.lines().nth(1).unwrap();
    assert!(line.starts_with("problem 0 ") && line.contains(" 3.000000 ") && line.ends_with(" -"), "{line}");
    assert!(printed.ends_with("mean excess -\n"), "{printed}");
    assert_eq!(problems("none.json", r#"{"problems": []}"#, &[]).unwrap().lines().last(), Some("mean excess -"));
}

#[test]
fn wrong_input_is_reported_in_one_sentence() {
    let one = |problem: &str| problems("wrong.json", &format!("{{\"problems\": [{problem}]}}"), &[]).unwrap_err();
    assert_eq!(one(r#"{"name": "a"}"#), "`a`: there is no table `extents`");
    assert_eq!(one(r#"{"name": "a", "extents": {}}"#), "`a`: there is no list `inputs`");
    assert_eq!(one(r#"{"name": "a", "inputs": ["i"], "extents": {}}"#), "`a`: label `i` has no extent");
    assert_eq!(one(r#"{"name": "a", "inputs": [1], "extents": {}}"#), "`a`: `1` are no labels");
    let extent = r#"{"name": "a", "inputs": ["i"], "extents": {"i": -1}}"#;
    assert_eq!(one(extent), "`a`: the extent of `i` is -1, which is no extent");
    let output = r#"{"name": "a", "inputs": ["i"], "output": "j", "extents": {"i": 2, "j": 2}}"#;
    assert_eq!(one(output), "`a`: label 1 of the result is on no tensor");
    assert_eq!(one(r#"{"name": "a", "inputs": [], "extents": {}}"#), "`a`: a product needs at least one tensor");
    assert_eq!(problems("empty.json", "{}", &[]).unwrap_err(), "`FILE` has no list `problems`");
    assert!(problems("text.json", "text", &[]).unwrap_err().starts_with("`FILE` is no JSON: "));
    assert!(run(&["nowhere.json"]).unwrap_err().starts_with("`nowhere.json` cannot be read: "));
    assert!(run(&["--mode", "best"]).unwrap_err().starts_with("there is no mode `best`; usage: "));
    assert!(run(&["--fast", "1"]).unwrap_err().starts_with("there is no option `--fast`; usage: "));
    assert!(run(&["--mode"]).unwrap_err().starts_with("`--mode` needs a value behind it; usage: "));
    assert_eq!(run(&["--seconds", "-1"]).unwrap_err(), "`-1` is no number of seconds");
    assert!(run(&["a", "b"]).unwrap_err().starts_with("one file at a time; usage: "));
    assert!(run(&["--help"]).unwrap().starts_with("usage: "));
}
