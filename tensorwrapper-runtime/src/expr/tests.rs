//! The recorder's checks, and what operator chains keep for `eval`.

use super::recorder::{Index, Recorder};
use super::*;
use crate::tensor::Tensor;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};

fn zeros(extents: &[usize]) -> Tensor<f64> {
    Tensor::zeros(extents).unwrap()
}

/// Records operands with their indices, and ends with the first label as the result's axis.
fn record(
    labels: &[&str],
    declared: &[(usize, usize)],
    operands: &[(&str, &Tensor<f64>, &[Index<'_>])],
) -> Result<Vec<usize>, Error> {
    let mut recorder = Recorder::new(Dtype::F64, labels);
    for &(label, extent) in declared {
        recorder.declare(label, extent);
    }
    let mut last = recorder.literal(1.0);
    for &(text, tensor, indices) in operands {
        last = recorder.tensor(&tensor.operand().given.value().unwrap(), text, indices);
    }
    recorder.finish_value(last, 1, &[Index::Label(0)]).map(|value| value.extents.clone())
}

fn sentence(result: Result<Vec<usize>, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn extents_meet() {
    use Index::{Chip, Label, Slice};
    let (a, b) = (zeros(&[2, 3]), zeros(&[3, 4]));
    assert_eq!(record(&["i", "k"], &[], &[("a", &a, &[Label(0), Label(1)]), ("b", &b, &[Label(1), Chip(3)])]).unwrap(), [2]);
    assert_eq!(record(&["i"], &[(0, 2)], &[("b", &b, &[Slice(0, 1, None), Chip(0)])]).unwrap(), [2]);
    assert_eq!(record(&["i"], &[], &[("b", &b, &[Slice(0, 3, None), Slice(0, 4, Some(4))])]).unwrap(), [0]);
    let wrong = record(&["i", "k"], &[], &[("a", &a, &[Label(0), Label(1)]), ("b", &b, &[Chip(0), Label(1)])]);
    assert_eq!(sentence(wrong), "index `k` has extent 3 in `a` but 4 in `b`");
    let wrong = record(&["i"], &[(0, 5)], &[("a", &a, &[Label(0), Chip(0)])]);
    assert_eq!(sentence(wrong), "index `i` has extent 2 in `a` but 5 in `where`");
    let wrong = record(&["i"], &[], &[("a", &a, &[Label(0), Label(0)])]);
    assert_eq!(sentence(wrong), "index `i` has extent 2 on axis 0 of `a` but 3 on axis 1");
    let one = zeros(&[1]);
    let wrong = record(&["i"], &[], &[("a", &a, &[Chip(0), Label(0)]), ("one", &one, &[Label(0)])]);
    assert_eq!(sentence(wrong), "index `i` has extent 3 in `a` but 1 in `one`");
}

#[test]
fn positions_and_slices_stay_inside() {
    use Index::{Chip, Label, Slice};
    let a = zeros(&[2, 3]);
    let of = |index: Index<'_>| record(&["i"], &[], &[("a", &a, &[Label(0), index])]);
    assert!(of(Chip(2)).is_ok());
    assert_eq!(sentence(of(Chip(3))), "index 3 is out of range for axis 1 of `a`, which has extent 3");
    assert_eq!(
        sentence(of(Chip(usize::MAX))),
        format!("index {} is out of range for axis 1 of `a`, which has extent 3", usize::MAX)
    );
    for (start, end) in [(1, Some(4)), (4, None), (usize::MAX, None), (0, Some(usize::MAX))] {
        let error = record(&["i", "k"], &[], &[("a", &a, &[Label(0), Slice(1, start, end)])]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Bounds { .. }), "{error}");
    }
    let reversed = record(&["i", "k"], &[], &[("a", &a, &[Label(0), Slice(1, 2, Some(1))])]);
    assert_eq!(sentence(reversed), "the range 2..1 on axis 1 of `a` ends before it begins");
}

#[test]
fn all_faults_come_out_together() {
    use Index::Label;
    let (a, b) = (zeros(&[2, 3]), zeros(&[3, 4]));
    let result =
        record(&["i", "k"], &[], &[("a", &a, &[Label(0)]), ("a", &a, &[Label(0), Label(1)]), ("b", &b, &[Label(0), Label(1)])]);
    let error = result.unwrap_err();
    let ErrorKind::Several(errors) = error.kind() else { panic!("{error}") };
    assert!(matches!(errors[0].kind(), ErrorKind::Rank { rank: 2, given: 1, .. }));
    assert!(matches!(errors[1].kind(), ErrorKind::Extent { .. }) && matches!(errors[2].kind(), ErrorKind::Extent { .. }));
    assert_eq!(errors.len(), 3);
}

#[test]
fn chains_keep_their_faults() {
    let a = zeros(&[2, 3]);
    let said = |chain: Indexed<'_, f64>, left: &str| chain.eval(left).unwrap_err().to_string();
    let twice = said(a.at("i,") * a.at("i, j, k"), "");
    assert_eq!(twice, "`[i,]` has rank 2 but 1 index is given\n`[i, j, k]` has rank 2 but 3 indices are given");
    assert!(matches!((a.at("i j") + a.at("ij")).exp().eval("ij").unwrap_err().kind(), ErrorKind::Syntax { .. }));
    let (layers, layers_and_syntax) = (said(a.at("i;j"), "ij"), (a.at("i;j") / a.at("i..")).eval("ij").unwrap_err());
    assert_eq!(layers, "`[i;j]` has one layer, but `;` asks for two");
    assert!(matches!(layers_and_syntax.kind(), ErrorKind::Several(faults) if faults.len() == 2), "{layers_and_syntax}");
    assert!(matches!(a.at("i,{ n }").eval("i").unwrap_err().kind(), ErrorKind::Syntax { .. }));
    assert!(matches!(a.at("i,j in n..").eval("i,j").unwrap_err().kind(), ErrorKind::Syntax { .. }));
    // How a fused axis splits must be told, and remaining axes are kept.
    let split = said(a.at("i,(j, k)"), "i,j,k");
    assert!(split.contains("extent"), "{split}");
    assert_eq!(a.at("i,..").eval("..,i").unwrap().extents(), [3, 2]);
    assert!(matches!(a.at("i,..").eval("i").unwrap_err().kind(), ErrorKind::Label(_)));
    assert!(matches!(a.at("ij").eval("i,j in 0..2").unwrap_err().kind(), ErrorKind::Label(_)));
    assert!(matches!(a.at("ij").sum("0,").eval("ij").unwrap_err().kind(), ErrorKind::Label(_)));
    assert!(matches!((a.at("ij") + 1.0).eval("ij").unwrap_err().kind(), ErrorKind::Label(_)));
    assert!(matches!(Indexed::<f64>::spread(1.0, "i").eval("i").unwrap_err().kind(), ErrorKind::Label(_)));
    let wide = "j in ..=18446744073709551615";
    assert!(matches!(a.at(&format!("i,{wide}")).eval("ij").unwrap_err().kind(), ErrorKind::Syntax { .. }));
    assert!(matches!(a.at(&"(".repeat(100_000)).eval("ij").unwrap_err().kind(), ErrorKind::Syntax { .. }));
}

#[test]
fn operators_group_as_rust_does() {
    let a = Tensor::<f64>::from_vec([2], vec![3.0, 5.0]).unwrap();
    let b = Tensor::<f64>::from_vec([2], vec![2.0, 7.0]).unwrap();
    let (x, y) = (|| a.at("i"), || b.at("i"));
    let value = |chain: Indexed<'_, f64>| chain.eval("i").unwrap()[[0]];
    assert_eq!(value(x() - (x() - y())), 2.0);
    assert_eq!(value(x() - y() - y()), -1.0);
    assert_eq!(value((x() + y()) * y()), 10.0);
    assert_eq!(value(x() * (x() + y())), 15.0);
    assert_eq!(value(12.0 / (x() * y())), 2.0);
    assert_eq!(value(12.0 / x() * y()), 8.0);
    assert_eq!(value(-(x() + y()) * y()), -10.0);
    assert_eq!(value(-(x() - y()) - x()), -4.0);
    assert_eq!(value(x() / y() - 0.5 * x()), 0.0);
    assert_eq!(value((x() - y()).powi(2) + x().powi(2)), 10.0);
}

/// The compiler's sentence, from a file that it refuses.
#[test]
fn elements_do_not_mix() {
    let single = Tensor::<f32>::zeros([2]).unwrap();
    let mut recorder = Recorder::new(Dtype::F64, &["i"]);
    let node = recorder.tensor(&single.operand().given.value().unwrap(), "x", &[Index::Label(0)]);
    let error = recorder.finish_value(node, 1, &[Index::Label(0)]).unwrap_err();
    let compiler = include_str!("../../../ui-tests/mixed_elements.stderr").lines().next().unwrap();
    let (_, sentence) = compiler.split_once(": ").unwrap();
    assert_eq!(error.kind().to_string(), sentence);
    assert!(error.help().unwrap().contains("cast"));
}
