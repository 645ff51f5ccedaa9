//! `cast(X)`: parts of an equation in an element type of their own.

use super::{Outcome, assert_close, assert_type, reference, sample};
use num_complex::Complex;
use tensorwrapper::CastInto;
use tensorwrapper::prelude::*;

type C64 = Complex<f64>;

/// Elements that single precision holds exactly.
fn single(extents: &[usize], seed: usize) -> Tensor<f32> {
    Tensor::from_fn(extents, |index| (index.iter().fold(seed, |n, i| 3 * n + i) % 17) as f32 * 0.25 - 1.0).unwrap()
}

#[test]
fn an_operand_becomes_of_the_equations_type() -> Outcome {
    let (s, d) = (single(&[3, 4], 1), sample((4, 3), 2));
    let wide = s.cast::<f64>()?;
    let found = tensor!([i, j] = cast(s[i, k]) * d[k, j]);
    assert_type::<Tensor<f64, Shape![_, _]>>(&found);
    assert_close(&found, &reference(&(wide.at("ik") * d.at("kj")), "ij"));
    assert_close(&tensor!([i, j] = d[j, i] / cast(s[i, j])), &reference(&(d.at("ji") / wide.at("ij")), "ij"));
    assert_close(&tensor!([i] = d[3, i] + cast(s[i, k in 1..3] * s[i, k in 1..3])), &{
        let part = wide.at("i,k in 1..3");
        reference(&(d.at("3,i") + part.clone() * part), "i")
    });
    // Into single precision each product is rounded, and nothing else is.
    let mut narrow = single(&[4, 3], 2);
    let before = narrow.clone();
    tensor!(narrow[k, j] += cast(d[k, j]));
    for (n, (&x, &y)) in before.as_slice().iter().zip(d.as_slice()).enumerate() {
        assert_eq!(narrow.as_slice()[n], x + y as f32);
    }
    tensor!(narrow[k, j] = cast(d[k, j]));
    assert_eq!(narrow.as_slice()[5], d.as_slice()[5] as f32);
    Ok(())
}

#[test]
fn real_values_beside_complex_vectors() -> Outcome {
    let h = Tensor::<C64>::from_fn([3, 3], |i| {
        let (a, b) = (i[0] as f64, i[1] as f64);
        Complex::new(1.0 + a * b, a - b)
    })?;
    let rebuilt = tensor! {
        let (e[n], c[p, n]) = eigh(h[p, q]);
        let rebuilt[p, q] = c[p, n] * cast(e[n]) * conj(c[q, n]);
        rebuilt
    };
    assert_close(&rebuilt, &h);
    // From complex to real by a part, whose type is complex all the same.
    let x = sample((3,), 1);
    let found = tensor!([p] = x[p] * cast(re(h[p, 1])) - cast(abs(h[p, 2]) + 2.0 * im(h[2, p])));
    for p in 0..3 {
        let expected = x[[p]] * h[[p, 1]].re - h[[p, 2]].norm() - 2.0 * h[[2, p]].im;
        assert!((found[[p]] - expected).abs() < 1e-12);
    }
    Ok(())
}

#[test]
fn a_cast_may_name_its_type() -> Outcome {
    let s = single(&[3, 4], 1);
    let found = tensor!([j, i] = cast(f64; s[i, j]));
    assert_type::<Tensor<f64, Shape![_, _]>>(&found);
    assert_close(&found, &reference(&s.cast::<f64>()?.at("ij"), "ji"));
    let there = tensor!([i, j] = cast(Complex<f32>; s[i, j] - 1.0[i, j]));
    assert_eq!(there[[2, 1]], Complex::new(s[[2, 1]] - 1.0, 0.0));
    // Summed in single precision, and then converted; one in another.
    let total: f64 = tensor!([] = cast(f64; s[i, j] * s[i, j]));
    assert_eq!(total, f64::from(tensor!([] = s[i, j] * s[i, j])));
    let nested = tensor!([i, j] = cast(C64; cast(f64; s[i, j]) * (found_at(&found))[j, i]));
    assert_close(&nested, &reference(&(found.at("ji") * found.at("ji")).cast::<C64>(), "ij"));
    // Every pair of types that the rule allows.
    fn pair<T: Element + CastInto<U>, U: Element>(s: &Tensor<f32>) -> Outcome
    where
        f32: CastInto<T> + CastInto<U>,
    {
        let from = s.cast::<T>()?;
        for context in [Context::cpu(), Context::reference()] {
            let found = tensor! { in &context; [i, j] = cast(U; from[j, i]) };
            assert_close(&found, &reference(&s.cast::<U>()?.at("ji"), "ij"));
            assert_close(&context.eval(&from.at("ij").cast::<U>().record("ij")?)?, &s.cast::<U>()?);
        }
        Ok(())
    }
    pair::<f32, f32>(&s)?;
    pair::<f32, f64>(&s)?;
    pair::<f32, Complex<f32>>(&s)?;
    pair::<f32, C64>(&s)?;
    pair::<f64, f32>(&s)?;
    pair::<f64, f64>(&s)?;
    pair::<f64, Complex<f32>>(&s)?;
    pair::<f64, C64>(&s)?;
    pair::<Complex<f32>, Complex<f32>>(&s)?;
    pair::<Complex<f32>, C64>(&s)?;
    pair::<C64, Complex<f32>>(&s)?;
    pair::<C64, C64>(&s)
}

fn found_at(tensor: &Tensor<f64, Shape![_, _]>) -> &Tensor<f64, Shape![_, _]> {
    tensor
}

#[test]
fn casts_are_read_in_one_pass() -> Outcome {
    let (s, d) = (single(&[300, 200], 1), sample((200, 300), 2));
    let found = (s.at("ij").cast() + d.at("ji")).exp().record("ij")?;
    assert_eq!(found.graph().operations().len(), 1);
    let wide = s.cast::<f64>()?;
    assert_close(&found.eval()?, &reference(&(wide.at("ij") + d.at("ji")).exp(), "ij"));
    // Before a product there is a step of conversion.
    let product = (s.at("ik").cast() * d.at("kj")).record("ij")?;
    assert_eq!(product.graph().operations().len(), 2);
    let conjugated = (s.at("ij").cast::<Complex<f32>>() * Complex::new(0.0, 1.0)).record("ij")?.eval()?;
    let found = tensor!([j] = max(i; cast(f64; re(conj(conjugated[i, j]))) + cast(f64; im(conj(conjugated[i, j])))));
    assert_close(&found, &reference(&(-1.0 * wide.at("ij")).max("i"), "j"));
    Ok(())
}

/// A type's own real numbers, and one type in another.
#[test]
fn in_generic_code() -> Outcome {
    fn scaled<T: Element>(x: &Tensor<T>, e: &Tensor<T::Real>) -> Tensor<T, Shape![_]> {
        tensor!([i] = x[i] * cast(e[i]))
    }
    fn sum<T: Element + CastInto<U>, U: Element>(x: &Tensor<T>, y: &Tensor<U>) -> Tensor<U, Shape![_]> {
        tensor!([i] = cast(x[i]) + y[i])
    }
    let (x, y) = (single(&[4], 1), single(&[4], 2).cast::<C64>()?);
    let wide = x.cast::<f64>()?;
    assert_close(&scaled(&y, &wide), &reference(&(y.at("i") * wide.at("i").cast()), "i"));
    assert_close(&scaled(&wide, &wide), &reference(&(wide.at("i") * wide.at("i")), "i"));
    assert_close(&sum(&x, &y), &reference(&(x.at("i").cast() + y.at("i")), "i"));
    let view = wide.view().slice(0, 1..3)?;
    assert_eq!(view.cast::<f32>()?.as_slice(), &x.as_slice()[1..3]);
    Ok(())
}

/// One place in the program, run with several types inside of its cast.
fn through<U: Element + CastInto<f64>>(x: &Tensor<f64>) -> Vec<f64>
where
    f64: CastInto<U>,
{
    tensor!([..] = cast(f64; cast(U; x[..]))).as_slice().to_vec()
}

#[test]
fn a_kept_plan_is_for_the_types_inside_of_casts() {
    let x = Tensor::<f64>::from_fn([2], |i| 0.1 + i[0] as f64).unwrap();
    let narrow: Vec<f64> = x.as_slice().iter().map(|&x| f64::from(x as f32)).collect();
    assert_eq!(through::<f32>(&x), narrow);
    assert_eq!(through::<f64>(&x), x.as_slice());
    assert_eq!(through::<f32>(&x), narrow);
}
