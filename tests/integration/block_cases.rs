//! The cases of the example `blocks`, and the U(1) products of `u1_bonds.json`, against dense tensors.

#[path = "../../examples/blocks/cases.rs"]
mod cases;
// A program evaluates the files of its command line.
#[allow(dead_code)]
#[path = "../../examples/common/cases.rs"]
mod common;
#[path = "../../examples/blocks/judge.rs"]
mod judge;
#[path = "../../examples/blocks/work.rs"]
mod work;

use std::path::Path;

use serde_json::Value;
use tensorwrapper::{Blocks, Context, Structure, Tiling, einsum};

fn data(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/structured").join(name)
}

#[test]
fn samples_pass() {
    let mut passed = 0;
    for file in ["blocks.json", "sparse.json", "jagged.json"] {
        for case in cases::read(&data(file)).unwrap() {
            judge::judge(&case).unwrap_or_else(|sentence| panic!("{file}, {}: {sentence}", case.name));
            passed += 1;
        }
    }
    assert_eq!(passed, 14);
}

/// A case of more operands fails where a pair takes too many products of blocks, or the file expects fewer elements.
#[test]
fn work_is_judged() {
    let file = |name: &str| cases::read(&data(name)).unwrap().into_iter();
    let mut sandwich = file("blocks.json").find(|case| case.name == "symmetric sandwich").unwrap();
    sandwich.expect["sum"] = serde_json::json!(1e3);
    assert!(judge::judge(&sandwich).unwrap_err().contains("the sum is"));
    let mut half = file("blocks.json").find(|case| case.name == "half of the blocks").unwrap();
    half.expect["canonical_tuples"] = serde_json::json!(12);
    assert_eq!(judge::judge(&half).unwrap_err(), "13 products of blocks instead of 12");
}

/// Tiles of the charges −1 and 1 meet where charges add up; so many products there are, and the numbers are those of the dense product.
#[test]
fn two_sites_that_conserve_a_charge() {
    let text = std::fs::read_to_string(data("u1_bonds.json")).unwrap();
    let bonds: Value = serde_json::from_str(&text).unwrap();
    let list = |bond: &Value, axis: &str, field: &str| -> Vec<i64> {
        bond[axis][field].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect()
    };
    for bond in &bonds["bonds"].as_array().unwrap()[..2] {
        let axis = |name: &str| {
            let extents = list(bond, name, "extents").into_iter().map(|n| n as usize);
            Tiling::cuts(extents).charged(list(bond, name, "charges")).unwrap()
        };
        let (site, l, m, r) = (Tiling::cuts([1, 1]).charged([-1, 1]).unwrap(), axis("l"), axis("m"), axis("r"));
        let filled = |axes: [&Tiling; 3], seed: usize| {
            let number = |index: &[usize]| (index.iter().fold(seed, |at, n| at * 31 + n) as f64).sin();
            Blocks::<f64>::from_fn(&Structure::new(axes).flow([1, 1, -1], 0).unwrap(), number).unwrap()
        };
        let (a, b) = (filled([&l, &site, &m], 1), filled([&m, &site, &r], 2));
        let prepared = Context::cpu().prepare_blocks("[l, s, t, r] = A[l, s, m] * B[m, t, r]", &[("A", &a), ("B", &b)]).unwrap();
        let theta: Blocks<f64> = prepared.run(&[&a, &b]).unwrap();
        let expected = einsum("lsm,mtr->lstr", &[&a.to_dense().unwrap(), &b.to_dense().unwrap()]).unwrap();
        theta.to_dense().unwrap().allclose(&expected, 1e-13, 1e-12).unwrap();
        // What enters by l, s and t leaves by r.
        let flow = theta.structure().charge_flow().unwrap();
        assert_eq!((flow.signs(), flow.total()), (&[1, 1, 1, -1][..], &[0][..]));
        let mut tuples = 0;
        for l in list(bond, "l", "charges") {
            for (s, t) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
                let is_there = list(bond, "m", "charges").contains(&(l + s)) && list(bond, "r", "charges").contains(&(l + s + t));
                tuples += usize::from(is_there);
            }
        }
        assert_eq!(prepared.tuples(), tuples, "{}", bond["size"]);
    }
}
