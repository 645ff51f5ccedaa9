//! The `network` example as a person meets it: folders that are good, damaged and wrong.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use num_complex::Complex;
use tensorwrapper::Tensor;

// The example is a program; how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/network/main.rs"]
mod network;

/// What the program prints and whether all is well, or the sentence with which it refuses.
fn run(arguments: &[&str]) -> Result<(String, bool), String> {
    let mut out = Vec::new();
    let good = network::run(arguments.iter().map(OsString::from).collect(), &mut out).map_err(|refused| refused.0)?;
    Ok((String::from_utf8(out).expect("the program prints text"), good))
}

/// A folder of this test's own, empty.
fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("network_program").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the build's folder takes files");
    folder
}

/// Six numbers, in which every small network finds its elements.
fn numbers(folder: &Path) {
    let elements = Tensor::<f64>::from_slice([6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    elements.write_npy(folder.join("tensors.npy")).unwrap();
}

/// What the program says of a folder with this file in it.
fn says(name: &str, file: &str, json: &str) -> Result<(String, bool), String> {
    let folder = scratch(name);
    numbers(&folder);
    fs::write(folder.join(file), json).unwrap();
    let path = folder.to_str().expect("paths of builds are text").to_string();
    run(&[&path]).map_err(|sentence| sentence.replace(&path, "FOLDER"))
}

#[test]
fn the_networks_of_the_repository_are_as_expected() {
    let (text, good) = run(&[]).unwrap();
    assert!(good && text.ends_with("\n6 as expected, 0 not\n"), "{text}");
    assert!(text.contains("circuit-4x5                      337"), "{text}");
    assert!(text.contains("indep:6:6") && text.contains("5598861  as expected (0.0e0)"), "{text}");
}

/// Networks that are not part of the repository, where a folder with them is named.
#[test]
fn further_networks_are_as_expected() {
    let Some(folder) = std::env::var_os("TENSORWRAPPER_NETWORKS") else { return };
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let networks = folders.filter(|folder| folder.join("network.json").exists() || folder.join("counts.json").exists());
    for folder in networks {
        let (text, good) = run(&[folder.to_str().unwrap()]).unwrap();
        assert!(good, "{text}");
    }
}

#[test]
fn every_order_and_number_of_threads_finds_the_same() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/counting");
    for more in [["--order", "greedy"], ["--order", "0.01"], ["--threads", "1"], ["--memory-limit", "4000"]] {
        let (text, good) = run(&[&[data], &more[..]].concat()).unwrap();
        assert!(good && text.ends_with("\n5 as expected, 0 not\n"), "{text}");
    }
}

/// The circuit's largest products have half a megabyte and more; with less they are made in parts, with much less there is no way.
#[test]
fn a_limit_of_memory_is_kept_or_refused() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/circuit-4x5");
    let (text, good) = run(&[data, "--memory-limit", "300000"]).unwrap();
    assert!(good, "{text}");
    let sentence = run(&[data, "--memory-limit", "20"]).unwrap_err();
    assert!(sentence.starts_with("circuit-4x5: ") && sentence.contains("the context allows 20"), "{sentence}");
}

#[test]
fn steps_and_pages_are_written() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/counting");
    let pages = scratch("pages");
    let (text, _) = run(&[data, "--explain", "--pages", pages.to_str().unwrap()]).unwrap();
    assert!(text.contains("step  equation") && text.contains("matmul"), "{text}");
    let page = fs::read_to_string(pages.join("color-petersen-3.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
}

const SQUARE: &str = r#"{"inds": [0, 7000000000], "shape": [2, 2], "offset": 0}"#;

#[test]
fn a_result_is_printed_compared_or_found_wrong() {
    let network = |rest: &str| format!(r#"{{"tensors": [{SQUARE}, {SQUARE}], "output": []{rest}}}"#);
    let (text, good) = says("plain", "network.json", &network("")).unwrap();
    assert!(good && text.contains(" 30\n") && text.ends_with("0 as expected, 0 not\n"), "{text}");
    let (text, good) = says("right", "network.json", &network(r#", "amplitude": [30, 0], "n_qubits": 2"#)).unwrap();
    assert!(good && text.contains("30  as expected (0.0e0)"), "{text}");
    let (text, good) = says("wrong", "network.json", &network(r#", "amplitude": [30, 1e-6]"#)).unwrap();
    assert!(!good && text.contains("30  DIFFERS by 1.0e-6") && text.ends_with("0 as expected, 1 not\n"), "{text}");
    let count = |count: &str| format!(r#"{{"cases": [{{"tensors": [{SQUARE}], "exact_count": {count}}}]}}"#);
    assert!(says("ten", "counts.json", &count("10")).unwrap().1);
    assert!(!says("eleven", "counts.json", &count("11")).unwrap().1);
    assert!(says("unknown", "counts.json", &count("null")).unwrap().1);
}

/// Evidence is given by position or name, expected are joint probabilities; nothing of that is needed.
#[test]
fn bayesian_queries_take_evidence_by_position_and_name() {
    let network = |queries: &str| {
        format!(
            r#"{{"variables": ["rain", "wet"], "queries": [{queries}], "tensors": [
            {{"inds": [0], "shape": [2], "offset": 0}}, {{"inds": [1, 0], "shape": [2, 2], "offset": 2}}]}}"#
        )
    };
    // P(wet, rain = 1) = 2 · [4, 6]
    let queries = r#"{"evidence": {"rain": 1}, "output": [1], "expected": [8, 12]}, {"evidence": {"0": 1}, "output": [1]},
        {"output": [0, 1], "expected": [3, 5, 8, 12]}, {"evidence": {"rain": 1, "wet": 0}, "expected": [8]}"#;
    let (text, good) = says("rain", "network.json", &network(queries)).unwrap();
    assert!(good && text.matches("[8, 12]").count() == 2 && text.ends_with("\n3 as expected, 0 not\n"), "{text}");
    let refused = |name: &str, queries: &str| says(name, "network.json", &network(queries)).unwrap_err();
    assert_eq!(
        refused("snow", r#"{"evidence": {"snow": 1}}"#),
        "`snow` of `evidence` of element 0 of `queries` of `FOLDER/network.json` is evidence of a variable that there is not"
    );
    assert_eq!(
        refused("state", r#"{"evidence": {"rain": 2}}"#),
        "`rain` of `evidence` of element 0 of `queries` of `FOLDER/network.json` is 2, and the variable has no such state"
    );
}

#[test]
fn complex_elements_of_either_precision_are_contracted() {
    let folder = scratch("complex");
    let json = r#"{"tensors": [{"inds": [3], "shape": [2], "offset": 0}, {"inds": [3], "shape": [2], "offset": 1}],
        "output": [], "amplitude": [-3, 3], "n_qubits": 1}"#;
    fs::write(folder.join("network.json"), json).unwrap();
    let i = Complex::new(0.0, 1.0);
    let one = Complex::new(1.0, 0.0);
    Tensor::<Complex<f64>>::from_slice([3], &[i, one + i, i * 2.0]).unwrap().write_npy(folder.join("tensors.npy")).unwrap();
    let (text, good) = run(&[folder.to_str().unwrap()]).unwrap();
    assert!(good, "{text}"); // i·(1 + i) + (1 + i)·2i
    let single = |z: Complex<f64>| Complex::new(z.re as f32, z.im as f32);
    let elements = [i, one + i, i * 2.0].map(single);
    Tensor::<Complex<f32>>::from_slice([3], &elements).unwrap().write_npy(folder.join("tensors.npy")).unwrap();
    let (text, good) = run(&[folder.to_str().unwrap()]).unwrap();
    assert!(good, "{text}");
}

/// Each is refused in one sentence, and nothing panics.
#[test]
fn damaged_folders_are_refused_in_one_sentence() {
    let tensor = |tensor: &str| format!(r#"{{"tensors": [{tensor}], "output": []}}"#);
    let cases: Vec<(&str, String, &str)> = vec![
        ("network.json", String::new(), "`FOLDER/network.json` is no JSON: EOF while parsing a value at line 1 column 0"),
        (
            "network.json",
            "{\"tensors\": [".into(),
            "`FOLDER/network.json` is no JSON: EOF while parsing a list at line 1 column 13",
        ),
        (
            "network.json",
            "[]".into(),
            "`FOLDER/network.json` has none of `tensors`, `variables` and `cases`, one of which every network has",
        ),
        ("network.json", r#"{"tensors": 3}"#.into(), "`tensors` of `FOLDER/network.json` is 3, which is no list"),
        (
            "network.json",
            r#"{"tensors": []}"#.into(),
            "`tensors` of `FOLDER/network.json` is empty, and a product has at least one tensor",
        ),
        ("network.json", format!(r#"{{"tensors": [{SQUARE}]}}"#), "`FOLDER/network.json` has no field `output`"),
        ("network.json", tensor("7"), "element 0 of `tensors` of `FOLDER/network.json` is 7, which is no object"),
        ("network.json", tensor(r#"{"inds": [0]}"#), "element 0 of `tensors` of `FOLDER/network.json` has no field `shape`"),
        (
            "network.json",
            tensor(r#"{"inds": [-1], "shape": [2], "offset": 0}"#),
            "element 0 of `inds` of element 0 of `tensors` of `FOLDER/network.json` is -1, which is no whole number from 0 on",
        ),
        (
            "network.json",
            tensor(r#"{"inds": [0], "shape": [2.5], "offset": 0}"#),
            "element 0 of `shape` of element 0 of `tensors` of `FOLDER/network.json` is 2.5, which is no whole number from 0 on",
        ),
        (
            "network.json",
            tensor(r#"{"inds": [0, 1], "shape": [2], "offset": 0}"#),
            "element 0 of `tensors` of `FOLDER/network.json` has 2 `inds`, but its `shape` has 1",
        ),
        (
            "network.json",
            tensor(r#"{"inds": [0], "shape": [2], "offset": 5}"#),
            "element 0 of `tensors` of `FOLDER/network.json` needs elements behind the 6 of `tensors.npy`",
        ),
        (
            "network.json",
            tensor(r#"{"inds": [0, 1], "shape": [4294967296, 4294967296], "offset": 0}"#),
            "element 0 of `tensors` of `FOLDER/network.json` needs elements behind the 6 of `tensors.npy`",
        ),
        (
            "network.json",
            tensor(r#"{"inds": [0], "shape": [2], "offset": 18446744073709551615}"#),
            "element 0 of `tensors` of `FOLDER/network.json` needs elements behind the 6 of `tensors.npy`",
        ),
        (
            "network.json",
            tensor(r#"{"inds": [5], "shape": [2], "offset": 0}, {"inds": [5], "shape": [3], "offset": 0}"#),
            "element 1 of `tensors` of `FOLDER/network.json` has extent 3 at index 5, which has extent 2 before",
        ),
        (
            "network.json",
            format!(r#"{{"tensors": [{SQUARE}], "output": [1]}}"#),
            "`FOLDER/network.json` has index 1 in its `output`, which no tensor has",
        ),
        (
            "network.json",
            format!(r#"{{"tensors": [{SQUARE}], "output": [0, 0]}}"#),
            "`FOLDER/network.json` has index 0 twice in its `output`",
        ),
        (
            "network.json",
            format!(r#"{{"tensors": [{SQUARE}], "output": [], "amplitude": [1]}}"#),
            "`amplitude` of `FOLDER/network.json` is to be real and imaginary part",
        ),
        (
            "network.json",
            format!(r#"{{"tensors": [{SQUARE}], "output": [0], "amplitude": [1, 2]}}"#),
            "`FOLDER/network.json` expects 1 elements of a result that has 2",
        ),
        (
            "network.json",
            format!(r#"{{"tensors": [{SQUARE}], "variables": ["a"]}}"#),
            "`FOLDER/network.json` has no field `queries`",
        ),
        (
            "network.json",
            format!(r#"{{"tensors": [{SQUARE}], "variables": [1], "queries": []}}"#),
            "element 0 of `variables` of `FOLDER/network.json` is 1, which is no text",
        ),
        ("counts.json", r#"{"cases": {}}"#.into(), "`cases` of `FOLDER/counts.json` is {}, which is no list"),
        (
            "counts.json",
            format!(r#"{{"cases": [{{"tensors": [{SQUARE}], "exact_count": "many"}}]}}"#),
            "`exact_count` of element 0 of `cases` of `FOLDER/counts.json` is \"many\", which is no whole number from 0 on",
        ),
    ];
    for (n, (file, json, sentence)) in cases.iter().enumerate() {
        let said = says(&format!("damaged-{n}"), file, json);
        assert_eq!(said.as_ref().map_err(String::as_str), Err(*sentence), "{json}");
    }
}

#[test]
fn folders_without_their_files_are_refused_in_one_sentence() {
    let refused = |arguments: &[&str], folder: &Path| run(arguments).unwrap_err().replace(folder.to_str().unwrap(), "FOLDER");
    let empty = scratch("empty");
    let path = empty.to_str().unwrap();
    assert_eq!(refused(&[path], &empty), "`FOLDER` has neither `network.json` nor `counts.json`");
    assert_eq!(refused(&[&format!("{path}/none")], &empty), "`FOLDER/none` is no folder");
    fs::write(empty.join("network.json"), "{}").unwrap();
    let sentence = refused(&[path], &empty);
    assert!(sentence.starts_with("FOLDER/tensors.npy: ") && !sentence.contains('\n'), "{sentence}");
    fs::write(empty.join("tensors.npy"), "no array").unwrap();
    let sentence = refused(&[path], &empty);
    assert!(sentence.starts_with("FOLDER/tensors.npy: ") && !sentence.contains('\n'), "{sentence}");
    Tensor::<f64>::zeros([2, 3]).unwrap().write_npy(empty.join("tensors.npy")).unwrap();
    assert_eq!(
        refused(&[path], &empty),
        "`tensors.npy` of `FOLDER` has extents [2, 3], but its elements are to stand in one row"
    );
    fs::write(empty.join("counts.json"), "{}").unwrap();
    assert_eq!(refused(&[path], &empty), "`FOLDER` has both `network.json` and `counts.json`, and is one thing or the other");
    for wrong in [&["--order"][..], &["--order", "best"], &["--order", "-1"], &["--threads", "x"], &["--what", "1"]] {
        let sentence = run(wrong).unwrap_err();
        assert!(sentence.contains("usage: network") && !sentence.contains('\n'), "{sentence}");
    }
}
