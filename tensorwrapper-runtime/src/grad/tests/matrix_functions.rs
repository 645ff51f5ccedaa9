//! Functions of matrices by their vectors, where values are equal, nearly equal and apart: against differences, which know nothing of
//! vectors.

use num_complex::Complex;

use super::spectral::with_values;
use super::{Drawn, Function, check};
use crate::{Error, Expr, Tensor};

/// Values that are apart, equal, and closer than what quotients resolve.
const VALUES: [[f64; 3]; 7] = [
    [1.0, 2.0, 4.0],
    [1.0, 1.0, 2.0],
    [1.5, 1.5, 1.5],
    [1.0, 1.0 + 1e-13, 2.0],
    [1.0, 1.0 + 1e-9, 2.0],
    [1.0, 2.0, 2.0 + 1e-5],
    [1.0, 1.0 + 1e-3, 1.0 + 2e-3],
];

fn hermitian<'a>(x: &Expr<'a, f64>) -> Result<Expr<'a, f64>, Error> {
    ((x.at("ij") + x.at("ji")) * 0.5).record("ij")
}

/// A function of a symmetric matrix at all these eigenvalues.
fn of_symmetric(seed: u64, function: &Function<f64>) {
    let mut drawn = Drawn::new(seed);
    for values in VALUES {
        let a = with_values(&values, true, &mut drawn);
        check(&[a], function, &mut drawn);
    }
}

/// A function of a matrix with these singular values, square, tall and wide.
fn of_any(seed: u64, values: &[[f64; 3]], function: &Function<f64>) {
    let mut drawn = Drawn::new(seed);
    for values in values {
        let square = with_values(values, false, &mut drawn);
        let (q, _) = drawn.tensor::<f64>(&[5, 3]).at("ij").qr(["ir", "rj"]).eval().unwrap();
        let tall = (q.at("ik") * square.at("kj")).eval("ij").unwrap();
        let wide = tall.at("ij").eval("ji").unwrap();
        for a in [square, tall, wide] {
            check(&[a], function, &mut drawn);
        }
    }
}

#[test]
fn a_function_that_is_contracted_in_its_own_equation() {
    of_symmetric(61, &|x| {
        let (e, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
        // The matrix itself is the weight: a product with another operand that varies.
        (x[0].at("pq") * c.at("pn") * (e.at("n") * 0.7).exp() * c.at("qn")).record("")
    });
}

#[test]
fn functions_of_named_values_and_of_other_numbers() {
    let mut drawn = Drawn::new(62);
    let function: &Function<f64> = &|x| {
        let (e, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
        let trace = x[0].at("ii").record("")?;
        let level = (e.at("n") - trace.at("") * crate::Indexed::spread(0.3, "n")).record("n")?;
        let occupation = (1.0 / ((level.at("n") * 0.5).exp() + 1.0)).record("n")?;
        (c.at("pn") * occupation.at("n") * c.at("qn")).record("pq")
    };
    for values in VALUES {
        super::check_first(&[with_values(&values, true, &mut drawn)], function, &mut drawn);
    }
    check(&[with_values(&VALUES[0], true, &mut drawn)], function, &mut drawn);
}

#[test]
fn a_quotient_and_two_functions_in_one_term() {
    of_symmetric(63, &|x| {
        let (e, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
        let first = c.at("pn") * c.at("qn") / (e.at("n") + 1.0);
        (first * c.at("qm") * (e.at("m") * e.at("m")) * c.at("rm") * x[0].at("rs")).record("ps")
    });
}

#[test]
fn projectors_on_a_whole_group_of_states() {
    let mut drawn = Drawn::new(64);
    let function: &Function<f64> = &|x| {
        let (e, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
        (c.at("p,n in 0..2") * c.at("q,n in 0..2") * e.at("n in 0..2")).record("p,q")
    };
    for values in [[1.0, 1.0, 2.0], [1.0, 1.0 + 1e-10, 2.0], [1.0, 1.5, 2.0]] {
        check(&[with_values(&values, true, &mut drawn)], function, &mut drawn);
    }
    // A group that is cut has no derivative.
    let a = with_values(&[1.0, 2.0, 2.0], true, &mut drawn);
    let x = a.at("ij").record("ij").unwrap();
    let error = function(std::slice::from_ref(&x)).unwrap().jvp((&x, &a)).unwrap().eval().unwrap_err().to_string();
    assert!(error.contains("states 1 and 2 have values that are equal"), "{error}");
}

#[test]
fn axes_that_are_matrices_of_several_labels() {
    let mut drawn = Drawn::new(65);
    for values in [[1.0, 1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 2.0]] {
        let a = with_values(&values, true, &mut drawn);
        let split = Tensor::from_vec([2, 2, 2, 2], a.as_slice().to_vec()).unwrap();
        let function: &Function<f64> = &|x| {
            let both = ((x[0].at("abcd") + x[0].at("cdab")) * 0.5).record("abcd")?;
            let (e, c) = both.at("abcd").eigh(["n", "abn"]).matrix("ab", "cd").record()?;
            (c.at("abn") * e.at("n").sqrt() * c.at("cdn")).record("abcd")
        };
        check(&[split], function, &mut drawn);
    }
}

#[test]
fn complex_functions_of_complex_and_of_real_matrices() {
    let mut drawn = Drawn::new(66);
    let complex: &Function<Complex<f64>> = &|x| {
        let both = ((x[0].at("ij") + x[0].at("ji").conj()) * Complex::from(0.5)).record("ij")?;
        let (e, c) = both.at("ij").eigh(["n", "in"]).record()?;
        let phases = (e.at("n").converted::<Complex<f64>>() * Complex::new(0.0, -0.5)).exp();
        (c.at("qn").conj() * phases * c.at("pn")).record("pq")
    };
    for values in [[1.0, 1.0, 2.0], [1.0, 2.0, 2.0 + 1e-9], [1.0, 2.0, 3.0]] {
        let own = Tensor::<Complex<f64>>::from_fn([3, 3], |i| Complex::from(if i[0] == i[1] { values[i[0]] } else { 0.0 }));
        let (q, _) = drawn.tensor::<Complex<f64>>(&[3, 3]).at("ij").qr(["ir", "rj"]).eval().unwrap();
        let a = (q.at("ik") * own.unwrap().at("kl") * q.at("jl").conj()).eval("ij").unwrap();
        check(&[a], complex, &mut drawn);
    }
    let real: &Function<f64> = &|x| {
        let (e, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
        let phases = (e.at("n").converted::<Complex<f64>>() * Complex::new(0.0, -0.5)).exp();
        let evolved = c.at("pn").converted::<Complex<f64>>() * phases * c.at("qn").converted::<Complex<f64>>();
        evolved.record("pq")?.at("pq").re().converted::<f64>().record("pq")
    };
    for values in VALUES {
        super::check_first(&[with_values(&values, true, &mut drawn)], real, &mut drawn);
    }
    check(&[with_values(&VALUES[0], true, &mut drawn)], real, &mut drawn);
}

#[test]
fn in_a_metric_the_first_derivative_is_right_at_equal_eigenvalues() {
    let mut drawn = Drawn::new(68);
    for values in [[1.0, 2.0, 4.0], [1.0, 1.0, 2.0], [1.5, 1.5, 1.5]] {
        // A = L·diag(e)·Lᵀ in the metric L·Lᵀ has these eigenvalues.
        let l = drawn.tensor::<f64>(&[3, 3]);
        let l =
            Tensor::<f64>::from_fn([3, 3], |i| l.as_slice()[3 * i[0] + i[1]] * 0.3 + f64::from(u8::from(i[0] == i[1]))).unwrap();
        let own = with_values(&values, true, &mut drawn);
        let a = (l.at("ik") * own.at("kl") * l.at("jl")).eval("ij").unwrap();
        let metric = (l.at("ik") * l.at("jk")).eval("ij").unwrap();
        let function: &Function<f64> = &|x| {
            let (a, metric) = (hermitian(&x[0])?, hermitian(&x[1])?);
            let (e, c) = a.at("ij").eigh_in_metric(metric.at("ij"), ["n", "in"]).record()?;
            (c.at("pn") * (e.at("n") * 0.5).exp() * c.at("qn")).record("pq")
        };
        super::check_first(&[a, metric], function, &mut drawn);
    }
}

#[test]
fn functions_of_singular_values_on_both_sides() {
    let polar: &Function<f64> = &|x| {
        let (u, _, v) = x[0].at("ij").svd(["ir", "r", "rj"]).record()?;
        (u.at("ir") * v.at("rj")).record("ij")
    };
    let mut drawn = Drawn::new(69);
    for values in VALUES {
        super::check_first(&[with_values(&values, false, &mut drawn)], polar, &mut drawn);
    }
    // The second derivative goes through vectors, whose values have to be apart.
    of_any(70, &VALUES[..1], &|x| {
        let (u, s, v) = x[0].at("ij").svd(["ir", "r", "rj"]).record()?;
        (u.at("ir") * (s.at("r") * s.at("r") + 1.0).sqrt() * v.at("rj") * x[0].at("kj")).record("ik")
    });
}

#[test]
fn functions_of_singular_values_on_one_side() {
    let singular: [[f64; 3]; 4] = [[1.0, 2.0, 4.0], [1.0, 1.0, 2.0], [0.5, 0.5 + 1e-9, 0.5 + 1e-6], [0.0, 0.0, 1.0]];
    for is_left in [true, false] {
        let function: &Function<f64> = &move |x| {
            let (u, s, v) = x[0].at("ij").svd(["ir", "r", "rj"]).record()?;
            let damped = s.at("r") * s.at("r") / (s.at("r") * s.at("r") + 1.0);
            if is_left {
                (u.at("ir") * damped * u.at("jr")).record("ij")
            } else {
                (v.at("ri") * v.at("rj") * damped).record("ij")
            }
        };
        let mut drawn = Drawn::new(71);
        for values in singular {
            let square = with_values(&values, false, &mut drawn);
            let tall =
                (drawn.tensor::<f64>(&[5, 3]).at("ij").qr(["ir", "rj"]).eval().unwrap().0.at("ik") * square.at("kj")).eval("ij");
            let tall = tall.unwrap();
            let wide = tall.at("ij").eval("ji").unwrap();
            for a in [square, tall, wide] {
                super::check_first(&[a], function, &mut drawn);
            }
        }
    }
}

#[test]
fn truncations_between_groups() {
    let mut drawn = Drawn::new(72);
    let function: &Function<f64> = &|x| {
        let (u, s, v) = x[0].at("ij").svd(["ir", "r", "rj"]).max(2).record()?;
        (u.at("ir") * s.at("r") * v.at("rj")).record("ij")
    };
    for values in [[3.0, 3.0, 1.0], [3.0, 2.0, 0.0], [3.0, 3.0 - 1e-8, 1.0]] {
        super::check_first(&[with_values(&values, false, &mut drawn)], function, &mut drawn);
    }
    let a = with_values(&[3.0, 1.0, 1.0], false, &mut drawn);
    let x = a.at("ij").record("ij").unwrap();
    let error = function(std::slice::from_ref(&x)).unwrap().jvp((&x, &a)).unwrap().eval().unwrap_err().to_string();
    assert!(error.contains("states 1 and 2 have values that are equal"), "{error}");
}

#[test]
fn results_that_are_variables_themselves_are_operands_as_any_other() {
    let mut drawn = Drawn::new(73);
    let a = with_values(&[1.0, 2.0, 4.0], true, &mut drawn);
    let (e, c) = a.at("ij").eigh(["n", "in"]).record().unwrap();
    let weight = drawn.tensor::<f64>(&[3, 3]);
    let value = (weight.at("pq") * c.at("pn") * e.at("n").exp() * c.at("qn")).record("").unwrap();
    let (by_e, by_c) = value.grad((&e, &c)).unwrap();
    let expected = (weight.at("pq") * c.at("pn") * e.at("n").exp() * c.at("qn")).eval("n").unwrap();
    super::near("by the values", &by_e.eval().unwrap(), &expected, 1e-13);
    let both = ((weight.at("pq") + weight.at("qp")) * c.at("qn") * e.at("n").exp()).eval("pn").unwrap();
    super::near("by the vectors", &by_c.eval().unwrap(), &both, 1e-13);
}

/// The error of a gradient and that of a change, or what these are.
fn both<'a>(value: &Expr<'a, f64>, x: &Expr<'a, f64>, direction: &'a Tensor<f64>) -> [Result<Tensor<f64>, String>; 2] {
    let ones = Tensor::<f64>::from_vec([], vec![1.0]).unwrap();
    [value.vjp(&ones, x), value.jvp((x, direction))]
        .map(|found| found.and_then(|found| found.eval()).map_err(|error| error.to_string()))
}

#[test]
fn what_depends_on_the_choice_of_vectors_is_an_error_in_both_modes() {
    let mut drawn = Drawn::new(74);
    let weight = drawn.tensor::<f64>(&[3, 3]);
    let functions: [(&str, &Function<f64>); 4] = [
        ("a single vector", &|x| {
            let (_, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
            (c.at("i,0") * c.at("j,0") * x[1].at("ij")).record("")
        }),
        ("a single value", &|x| {
            let (e, _) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
            (e.at("0") * e.at("0") * x[1].at("0,0")).record("")
        }),
        ("values in an order", &|x| {
            let (e, _) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
            (e.at("n") * x[1].at("n,0")).record("")
        }),
        // The weights of the vectors and those of the values depend on each other, and nothing tells that no choice of vectors matters.
        ("half of a function in an equation of its own", &|x| {
            let (e, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
            let half = (c.at("in") * e.at("n").exp()).record("in")?;
            (half.at("in") * c.at("jn") * x[1].at("ij")).record("")
        }),
    ];
    for (name, function) in functions {
        for gap in [0.0, 1e-15, 1e-12] {
            let a = with_values(&[1.0, 1.0 + gap, 2.0], true, &mut drawn);
            let [a, weight] = [&a, &weight].map(|a| a.at("ij").record("ij").unwrap());
            let direction = drawn.tensor::<f64>(&[3, 3]);
            let value = function(&[a.clone(), weight]).unwrap();
            for found in both(&value, &a, &direction) {
                // Values that are apart by more than rounding have derivatives; those of vectors have no digits left.
                if gap > 1e-14 && name.contains("value") {
                    assert!(found.is_ok(), "{name}: {found:?}");
                } else {
                    let error = found.expect_err(name);
                    assert!(error.contains("states 0 and 1 have values that are equal"), "{name}: {error}");
                }
            }
        }
        let a = with_values(&[1.0, 1.5, 2.0], true, &mut drawn);
        super::check(&[a, weight.clone()], function, &mut drawn);
    }
}

#[test]
fn sums_over_all_values_have_derivatives_in_both_modes() {
    let mut drawn = Drawn::new(75);
    let functions: [&Function<f64>; 3] = [
        &|x| {
            let (e, _) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
            let boltzmann = (e.at("n") * -0.5).exp().record("n")?;
            let total = boltzmann.at("n").sum("n").record("")?;
            (total.at("").ln() * e.at("n").sum("n")).record("")
        },
        &|x| {
            let (_, s, _) = x[0].at("ij").svd(["ir", "r", "rj"]).record()?;
            (s.at("r") * s.at("r") + 1.0).sqrt().sum("r").record("")
        },
        &|x| {
            let (e, _) = x[0].at("ij").eig(["n", "in"]).record()?;
            (e.at("n") * e.at("n") * e.at("n")).re().converted::<f64>().sum("n").record("")
        },
    ];
    for (n, function) in functions.into_iter().enumerate() {
        for values in [[1.0, 1.0, 2.0], [1.5, 1.5, 1.5], [1.0, 1.0 + 1e-13, 2.0]] {
            let a = with_values(&values, true, &mut drawn);
            if n < 2 { check(&[a], function, &mut drawn) } else { super::check_first(&[a], function, &mut drawn) }
        }
    }
}

#[test]
fn second_changes_of_projectors_on_groups_that_are_nearly_equal() {
    let mut drawn = Drawn::new(76);
    for gap in [0.0, 1e-14, 1e-12, 1e-10, 1e-7] {
        let a = with_values(&[0.0, 1e-17, 1.0, 1.0 + gap], true, &mut drawn);
        let direction = drawn.tensor::<f64>(&[4, 4]);
        let of = |x: &Expr<'_, f64>| -> Tensor<f64> {
            let (_, c) = hermitian(x).unwrap().at("ij").eigh(["n", "in"]).record().unwrap();
            (c.at("p,n in 2..4") * c.at("q,n in 2..4")).eval("p,q").unwrap()
        };
        let x = a.at("ij").record("ij").unwrap();
        let (_, c) = hermitian(&x).unwrap().at("ij").eigh(["n", "in"]).record().unwrap();
        let projector = (c.at("p,n in 2..4") * c.at("q,n in 2..4")).record("p,q").unwrap();
        let second = projector.jvp((&x, &direction)).unwrap().jvp((&x, &direction)).unwrap().eval().unwrap();
        let at =
            |step: f64| of(&super::recorded(&super::moved(std::slice::from_ref(&a), std::slice::from_ref(&direction), step))[0]);
        let (step, middle) = (1e-3, at(0.0));
        let around: Vec<Tensor<f64>> = [-2.0, -1.0, 1.0, 2.0].iter().map(|n| at(n * step)).collect();
        let expected = Tensor::from_fn([4, 4], |i| {
            let n = 4 * i[0] + i[1];
            let sum: f64 =
                around.iter().zip([-1.0, 16.0, 16.0, -1.0]).map(|(tensor, weight)| weight * tensor.as_slice()[n]).sum();
            (sum - 30.0 * middle.as_slice()[n]) / (12.0 * step * step)
        });
        super::near(&format!("gap {gap}"), &second, &expected.unwrap(), 1e-7);
    }
}

#[test]
fn parts_diagonals_and_batches_of_functions() {
    of_symmetric(77, &|x| {
        let (e, c) = hermitian(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
        let corner = (c.at("0,n") * (e.at("n") * 0.5).exp() * c.at("q,n in 0..3")).record("q")?;
        let diagonal = (c.at("pn") * e.at("n") * e.at("n") * c.at("pn")).record("p")?;
        (corner.at("p") * diagonal.at("p") + (c.at("p,n") * e.at("n").recip() * c.at("1,n"))).record("p")
    });
    // Two matrices at once, of which one has equal eigenvalues; the function has an axis of its own.
    let mut drawn = Drawn::new(78);
    let [a, b] = [[1.0, 1.0, 2.0], [1.0, 1.5, 2.0]].map(|values| with_values(&values, true, &mut drawn));
    let both = Tensor::from_vec([2, 3, 3], [a.as_slice(), b.as_slice()].concat()).unwrap();
    let powers = drawn.tensor::<f64>(&[2, 4]);
    check(
        &[both, powers],
        &|x: &[Expr<'_, f64>]| {
            let symmetric = ((x[0].at("bij") + x[0].at("bji")) * 0.5).record("bij")?;
            let (e, c) = symmetric.at("bij").eigh(["bn", "bin"]).matrix("i", "j").record()?;
            let function = (e.at("bn") * x[1].at("bs") * 0.5).exp();
            (c.at("bpn") * function * c.at("bqn")).record("bspq")
        },
        &mut drawn,
    );
}

#[test]
fn single_precision() {
    let mut drawn = Drawn::new(79);
    for values in [[1.0, 1.0, 2.0], [1.0, 1.0 + 1e-4, 2.0], [1.0, 1.5, 2.0]] {
        let a = with_values(&values, true, &mut drawn);
        let direction = drawn.tensor::<f64>(&[3, 3]);
        let single =
            |tensor: &Tensor<f64>| Tensor::<f32>::from_fn([3, 3], |i| tensor.as_slice()[3 * i[0] + i[1]] as f32).unwrap();
        let (x, dx) = (single(&a), single(&direction));
        let (e, c) = ((x.at("ij") + x.at("ji")) * 0.5).record("ij").unwrap().at("ij").eigh(["n", "in"]).record().unwrap();
        let found = (c.at("pn") * e.at("n").exp() * c.at("qn")).record("pq").unwrap().jvp((&x, &dx)).unwrap().eval().unwrap();
        let (e, c) = hermitian(&a.at("ij").record("ij").unwrap()).unwrap().at("ij").eigh(["n", "in"]).record().unwrap();
        let value = (c.at("pn") * e.at("n").exp() * c.at("qn")).record("pq").unwrap();
        let expected = value.jvp((&a, &direction)).unwrap().eval().unwrap();
        super::near("the change", &found, &single(&expected), 1e-4);
    }
}
