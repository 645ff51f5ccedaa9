//! The `einsum` example as a person meets it: cases that pass and fail, equations on files, and input that is wrong.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use num_complex::Complex;
use tensorwrapper::{AnyTensor, Element, Tensor};

// The example is a program; how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/einsum/main.rs"]
mod einsum;

/// What the program prints and whether all is well, or the sentence with which it refuses.
fn run(arguments: &[&str]) -> Result<(String, bool), String> {
    let arguments = arguments.iter().map(OsString::from).collect();
    let mut out = Vec::new();
    let good = einsum::run(arguments, &mut out).map_err(|refused| refused.0)?;
    Ok((String::from_utf8(out).expect("the program prints text"), good))
}

/// A file of this test's own.
fn scratch(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("einsum_program");
    fs::create_dir_all(&folder).expect("the build's folder takes files");
    folder.join(name).to_str().expect("paths of builds are text").to_string()
}

fn cases(name: &str, json: &str) -> Result<(String, bool), String> {
    let file = scratch(name);
    fs::write(&file, json).expect("the build's folder takes files");
    run(&["--cases", &file]).map_err(|sentence| sentence.replace(&file, "FILE"))
}

#[test]
fn the_cases_of_the_repository_pass() {
    assert_eq!(run(&[]), Ok(("76 passed, 0 failed\n".to_string(), true)));
}

#[test]
fn a_wrong_number_fails_and_nothing_expected_is_printed() {
    let (text, good) = cases(
        "numbers.json",
        r#"{"cases": [
            {"id": "right", "einsum": "i->", "shapes": [[0]], "seeds": [1], "out": [0]},
            {"id": "wrong", "einsum": "i,i->", "shapes": [[2], [2]], "seeds": [1, 2], "expect": "value", "sum": 7},
            {"id": "shape", "einsum": "i", "shapes": [[2]], "seeds": [1], "out_shape": [3]},
            {"id": "free", "einsum": "i->i", "shapes": [[0]], "seeds": [1]},
            {"id": "refused", "einsum": "i,i->", "shapes": [[2], [3]], "expect": "error", "error_kind": "extent_mismatch"},
            {"id": "not refused", "einsum": "i->i", "shapes": [[0]], "expect": "error"},
            {"id": "complex", "einsum": "i->", "shapes": [[1]], "seeds": [1], "dtype": "complex64",
             "sum": [0.1331231503445618, -0.3422024714400409]},
            {"id": "one", "einsum": "i,i->i", "shapes": [[1], [3]], "seeds": [1, 2], "features": ["broadcast1"]}
        ]}"#,
    )
    .expect("these are cases");
    let lines: Vec<&str> = text.lines().collect();
    assert!(!good && lines.last() == Some(&"5 passed, 3 failed"), "{text}");
    assert!(lines[0].starts_with("wrong `i,i->` [[2], [2]]: the sum is 0.269") && lines[0].ends_with(" instead of 7"), "{text}");
    assert!(lines[1].ends_with("extents [2] instead of [3]") && lines[2].starts_with("free `i->i` = "), "{text}");
    assert!(text.contains("not refused `i->i` [[0]]: a value came out where an error was due"), "{text}");
}

#[test]
fn files_that_are_no_cases() {
    let case = |fields: &str| format!(r#"{{"cases": [{{"id": "x", "einsum": "i->i", "shapes": [[2]], {fields}}}]}}"#);
    let said = [
        ("{", "FILE: this is not JSON: EOF while parsing an object at line 1 column 1"),
        ("[]", "FILE: an object with a list `cases` is needed"),
        ("{}", "FILE: there is no list `cases`"),
        (r#"{"cases": [7]}"#, "FILE: case 0, counted from 0: a case is an object"),
        (r#"{"cases": [{"id": "x"}]}"#, "FILE: case `x`: `einsum` is missing"),
        (&case(r#""seeds": []"#), "FILE: case `x`: there are 0 `seeds` for 1 `shapes`"),
        (&case(r#""seeds": [-1]"#), "FILE: case `x`: item 0 of `seeds` is wrong: -1"),
        (&case(r#""expect": "value""#), "FILE: case `x`: `seeds` is missing"),
        (&case(r#""expect": "nothing""#), "FILE: case `x`: `expect` is `nothing`, where `value` or `error` is needed"),
        (
            &case(r#""seeds": [1], "out_shape": [2], "out": [1, 2, 3]"#),
            "FILE: case `x`: `out` has 3 elements, more than a result of extents [2]",
        ),
        (
            &case(r#""seeds": [1], "shapes": [[1000000000, 1000000000, 1000000000]]"#),
            "FILE: case `x`: an operand of extents [1000000000, 1000000000, 1000000000] has more than 268435456 elements, and no case is that large",
        ),
    ];
    for (n, (json, sentence)) in said.into_iter().enumerate() {
        assert_eq!(cases(&format!("wrong{n}.json"), json), Err(sentence.to_string()), "{json}");
    }
    let unknown = cases("unknown.json", &case(r#""seeds": [1], "summ": 1"#)).unwrap_err();
    assert!(unknown.starts_with("FILE: case `x`: there is no field `summ`; the fields are id, einsum"), "{unknown}");
    let missing = run(&["--cases", "no/such/file"]).unwrap_err();
    assert!(missing.starts_with("no/such/file: ") && !missing.contains('\n'), "{missing}");
}

/// An equation on files of one element type, printed and written.
fn on_files<T: Element>(x: T) {
    let [a, b, c] = ["a", "b", "c"].map(|name| scratch(&format!("{name}-{}.npy", T::DTYPE)));
    Tensor::<T>::filled([2, 3], x).expect("memory").write_npy(&a).expect("the build's folder takes files");
    Tensor::<T>::filled([3, 1], x).expect("memory").write_npy(&b).expect("the build's folder takes files");
    assert_eq!(run(&["ij,jk->ik", &a, &b, "-o", &c]), Ok((String::new(), true)));
    let expected = Tensor::<T>::filled([2, 1], T::from_complex(x.to_complex() * x.to_complex() * 3.0)).expect("memory");
    assert_eq!(AnyTensor::read_npy(&c).expect("a file was written"), AnyTensor::from(expected.clone()));
    assert_eq!(run(&["ij,jk->ik", &a, &b]), Ok((format!("{expected}\n"), true)));
}

#[test]
fn equations_on_files_of_each_element_type() {
    on_files(1.5f32);
    on_files(1.5f64);
    on_files(Complex::new(1.5f32, -0.5));
    on_files(Complex::new(1.5f64, -0.5));
}

#[test]
fn equations_that_are_refused() {
    let [a, b] = ["real.npy", "complex.npy"].map(scratch);
    Tensor::<f64>::zeros([2, 3]).expect("memory").write_npy(&a).expect("the build's folder takes files");
    Tensor::<Complex<f64>>::zeros([3, 2]).expect("memory").write_npy(&b).expect("the build's folder takes files");
    let usage = "usage: einsum [--cases FILE] or einsum SUBSCRIPTS OPERAND.npy... [-o RESULT.npy]";
    let said = [
        (vec!["ij->"], format!("`ij->` has no operands; {usage}")),
        (
            vec!["ij,jk->ik", &a, &b],
            format!("elements do not mix: {a} holds `f64` and {b} `Complex<f64>`; nothing is converted in silence"),
        ),
        (vec!["ij,jk->ik", &a, &a], "index `j` has extent 3 in `operand 0` but 2 in `operand 1`".to_string()),
        (vec!["ij,jk->ik", &a], "`ij,jk->ik` names 2 operands, but 1 is given (at byte 0)".to_string()),
        (vec!["ij", &a, "-o"], format!("one file follows `-o`, and nothing follows that; {usage}")),
        (vec!["--case", &a], format!("there is no option `--case`; {usage}")),
        (vec!["--cases"], format!("one file follows `--cases`; {usage}")),
    ];
    for (arguments, sentence) in said {
        assert_eq!(run(&arguments), Err(sentence), "{arguments:?}");
    }
    for (arguments, start) in
        [(vec!["i->", "none.npy"], "none.npy: "), (vec!["ij", &a, "-o", "no/such/folder/c.npy"], "no/such/folder/")]
    {
        let sentence = run(&arguments).unwrap_err();
        assert!(sentence.starts_with(start) && !sentence.contains('\n'), "{sentence}");
    }
}
