//! Chains of operators over block tensors: `eval_blocks` has results in blocks, which agree with `eval` and with `tensor!`.

use tensorwrapper::{Blocks, Complex, Context, Error, Indexed, Structure, Symmetry, Tensor, tensor};

use super::block_tensors::{blocks, same, tilings, value};

#[test]
fn operators_keep_blocks() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [1, 2]]).unwrap());
    let b = blocks(&Structure::new([&vir, &occ]));
    let d = Tensor::<f64>::from_fn([3, 3], value).unwrap();
    let chain = || a.at("ik") * b.at("kj") - 2.0 * b.at("ki") * a.at("jk");
    let found = chain().eval_blocks("ij").unwrap();
    let expected = tensor!([i, j] = a[i, k] * b[k, j] - 2.0 * b[k, i] * a[j, k]);
    assert_eq!(found.structure(), expected.structure());
    same(&found, &expected.to_dense().unwrap().into_dyn());
    same(&found, &chain().eval("ij").unwrap());
    let gram = (a.at("ik") * a.at("jk")).eval_blocks("ij").unwrap();
    assert_eq!(*gram.structure().symmetry(), Symmetry::none(2).symmetric([0, 1]).unwrap());
    for context in [Context::cpu(), Context::reference()] {
        let chain =
            (a.at("ij").sin() * d.at("ik") + a.at("ij").greater(0.5).select(a.at("ij"), 0.0)).powi(2).sum("j") * d.at("kk");
        same(&chain.eval_blocks_in(&context, "ik").unwrap(), &chain.eval("ik").unwrap());
    }
    let layers = a.clone().nested([1, 1]).unwrap();
    assert_eq!((2.0 * layers.at("i;k")).eval_blocks("i;k").unwrap().structure().layers(), [1, 1]);
    // What chains over blocks do not have.
    let told = |result: Result<Blocks<f64>, Error>| result.unwrap_err().to_string();
    let function = |x: f64| x + 1.0;
    assert!(told(a.at("ij").map(&function).eval_blocks("ij")).starts_with("a function or a cast in a chain"));
    assert!(told((a.at("ik") * b.at("kj")).eval_blocks("il")).contains("`l`"));
    let recorded = (d.at("ij") * d.at("jk")).record("ik").unwrap();
    assert!(
        told((recorded.at("ij") * a.at("jk")).eval_blocks("ik")).contains("a recorded result in an equation of block tensors")
    );
    // Dense chains refuse layers, as before.
    assert_eq!(layers.at("i;k").eval("ik").unwrap_err().to_string(), "`[i;k]` has one layer, but `;` asks for two");
}

/// A chain that is cloned, and a variance, read one number several times.
#[test]
fn numbers_are_read_where_they_are_written() {
    let (occ, vir) = tilings();
    let a = blocks(&Structure::new([&occ, &vir]));
    let b = blocks(&Structure::new([&occ]));
    let twice = 2.0 * a.at("ij");
    let equations: [(Indexed<'_, f64>, &str); 5] = [
        (twice.clone() * twice.clone() - 3.0 * a.at("ij") + twice.clone() / 5.0, "ij"),
        ((2.0 * a.at("ij")).var("j") * 3.0, "i"),
        ((0.5 * b.at("i") + Indexed::spread(4.0, "i")) * Indexed::iota("i"), "i"),
        (3.0 * a.at("ij").argmax("j"), "i"),
        ((0.5 * a.at("ij") * a.at("ij")).sum("i,j") * 7.0, ""),
    ];
    for (chain, left) in equations {
        for context in [Context::cpu(), Context::reference()] {
            same(&chain.eval_blocks_in(&context, left).unwrap(), &chain.eval(left).unwrap());
        }
    }
    // Over complex numbers, with a tensor without axes, and a part.
    let z = Blocks::<Complex<f64>>::from_fn(a.structure(), |i| Complex::new(value(i), 1.0)).unwrap();
    let n = Tensor::scalar(Complex::new(0.0, 2.0));
    let chain = z.at("1,j").conj() * n.at("") * Complex::new(1.0, -1.0);
    assert_eq!(chain.eval_blocks("j").unwrap().to_dense().unwrap(), chain.eval("j").unwrap());
}
