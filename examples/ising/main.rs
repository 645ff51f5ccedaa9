//! EXPERIMENT
#![allow(non_snake_case)]

use tensorwrapper::prelude::*;


fn main() {
    let beta: f64 = std::env::args().nth(1).map_or(0.3, |x| x.parse().unwrap());
    let chi: usize = std::env::args().nth(2).map_or(8, |x| x.parse().unwrap());
    let steps: usize = std::env::args().nth(3).map_or(16, |x| x.parse().unwrap());
    let mode: usize = std::env::args().nth(4).map_or(0, |x| x.parse().unwrap());
    let b = Tensor::<f64, ()>::filled((), beta).unwrap();
    let start = std::time::Instant::now();
    let lnz = lnz(&b, chi, steps).unwrap();
    println!("recorded {:.2}", start.elapsed().as_secs_f64());
    let exact = onsager(beta);
    let v = lnz.eval().unwrap().as_slice()[0];
    println!("lnZ {v:.12} {:.1e}  {:.2}", v - exact.0, start.elapsed().as_secs_f64());
    let g = lnz.grad(&b).unwrap();
    let v = g.eval().unwrap().as_slice()[0];
    println!("d {v:.12} {:.1e}  {:.2}", v - exact.1, start.elapsed().as_secs_f64());
    if mode > 0 {
        let one = Tensor::<f64, ()>::filled((), 1.0).unwrap();
        let v = g.jvp((&b, &one)).unwrap().eval().unwrap().as_slice()[0];
        println!("dd {v:.12} {:.1e}  {:.2}", v - exact.2, start.elapsed().as_secs_f64());
    }
}

fn onsager(beta: f64) -> (f64, f64, f64) {
    let k = 2.0 * (2.0 * beta).sinh() / (2.0 * beta).cosh().powi(2);
    let n = 2000;
    let pi = std::f64::consts::PI;
    let mean = |f: &dyn Fn(f64) -> f64| (0..n).map(|i| f((i as f64 + 0.5) * pi / n as f64)).sum::<f64>() / n as f64;
    let root = |x: f64| (1.0 - k * k * x.sin().powi(2)).sqrt();
    let value = (2.0 * (2.0 * beta).cosh()).ln() + 0.5 * mean(&|x| (0.5 * (1.0 + root(x))).ln());
    let (K, E) = (0.5 * pi * mean(&|x| 1.0 / root(x)), 0.5 * pi * mean(&root));
    let (t, c) = ((2.0 * beta).tanh().powi(2), 1.0 / (2.0 * beta).tanh());
    let first = c * (1.0 + 2.0 / pi * (2.0 * t - 1.0) * K);
    let second = 4.0 / pi * c * c * (K - E - (1.0 - t) * (0.5 * pi + (2.0 * t - 1.0) * K));
    (value, first, second)
}

type One<'a> = Expr<'a, f64>;

fn split<'a>(T: &One<'a>, axes: [&str; 2], keep: usize) -> Result<(One<'a>, One<'a>), Error> {
    // rows axes[0], columns axes[1]
    let (p, s, q) = T.at("u,l,d,r").svd([&format!("{},n", axes[0]), "n", &format!("n,{}", axes[1])]).max(keep).record()?;
    let f = (p.at("x,y,n") * s.at("n").sqrt()).record("x,y,n")?;
    let g = (q.at("n,x,y") * s.at("n").sqrt()).record("x,y,n")?;
    Ok((f, g))
}

fn lnz<'a>(beta: &'a Tensor<f64, ()>, chi: usize, steps: usize) -> Result<One<'a>, Error> {
    let sign: &Tensor<f64> = Box::leak(Box::new(Tensor::<f64>::from_fn([2, 2], |i| if i[0] == 1 && i[1] == 1 { -1.0 } else { 1.0 })?));
    let first: &Tensor<f64> = Box::leak(Box::new(Tensor::<f64>::from_fn([2], |i| if i[0] == 0 { 1.0 } else { 0.0 })?));
    let second: &Tensor<f64> = Box::leak(Box::new(Tensor::<f64>::from_fn([2], |i| if i[0] == 1 { 1.0 } else { 0.0 })?));
    let c = ((beta.at("").exp() + (-beta.at("")).exp()) * 0.5).sqrt().record("")?;
    let s = ((beta.at("").exp() - (-beta.at("")).exp()) * 0.5).sqrt().record("")?;
    let w = (c.at("") * first.at("a") + s.at("") * second.at("a")).record("a")?;
    let W = (sign.at("xa") * w.at("a")).record("xa")?;
    let mut T = (W.at("xu") * W.at("xl") * W.at("xd") * W.at("xr")).record("uldr")?;
    let mut all = (beta.at("") * 0.0).record("")?;
    let mut weight = 1.0;
    for step in 0..steps {
        let norm = (T.at("uldr") * T.at("uldr")).sum("u,l,d,r").sqrt().record("")?;
        T = (T.at("uldr") / norm.at("")).record("uldr")?;
        all = (all.at("") + norm.at("").ln() * weight).record("")?;
        weight *= 0.5;
        let now = T.eval()?;
        let (_, s, _) = try_tensor!(([u,l,n], [n], [n,d,r]) = svd(now[u,l,d,r]))?;
        let s = s.as_slice();
        let mut keep = s.iter().filter(|x| **x > 1e-10 * s[0]).count().min(chi);
        while keep < s.len() && s[keep] > 1e-10 * s[0] && s[keep - 1] - s[keep] < 1e-6 * s[keep] { keep -= 1; }
        let pairs = s.windows(2).take(keep).filter(|w| (w[0] - w[1]) < 1e-6 * w[0]).count();
        println!("step {step} keep {keep} cut {:.1e} pairs {pairs} {:.3?}", s.get(keep).unwrap_or(&0.0) / s[0], &s[..keep.min(6)]);
        let (f1, f3) = split(&T, ["u,l", "d,r"], keep)?;
        let (f2, f4) = split(&T, ["l,d", "r,u"], keep)?;
        // f3[d,r,n], f2[l,d,n], f1[u,l,n], f4[r,u,n]
        T = (f3.at("xau") * f2.at("abr") * f1.at("bcd") * f4.at("cxl")).record("uldr")?;
    }
    (all.at("") + T.at("ulul").sum("u,l").ln() * weight).record("")
}
