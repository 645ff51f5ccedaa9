//! What orders of products are worth where they run: networks of three to sixteen tensors, each contracted in the order of the fewest
//! operations, and in that of the least time by the rates that are assumed and by those of this machine.
//!
//! `cargo bench --bench networks [PART OF A NAME]`; the figures stand in `docs/results/order.md`. Times are the smallest of many runs
//! that take turns, on one thread.

use std::time::Instant;

use tensorwrapper::order::Minimize;
use tensorwrapper::prelude::*;
use tensorwrapper::{DynOperand, Prepared};

/// Runs of each order, at least; and seconds that those of one network take together, about.
const LEAST: usize = 5;
const SECONDS: f64 = 6.0;

/// Name, subscripts, and the extents of labels: those of a list, all others the last number.
type Case = (&'static str, &'static str, &'static [(&'static str, usize)], usize);

const CASES: [Case; 16] = [
    (
        "chain of six matrices",
        "ab,bc,cd,de,ef,fg->ag",
        &[("a", 40), ("b", 900), ("c", 60), ("d", 700), ("e", 90), ("f", 800)],
        50,
    ),
    ("ring of four matrices", "ab,bc,cd,da->", &[], 400),
    ("norm of a matrix product state", "ax,xby,ycz,zd,aw,wbv,vcu,ud->", &[("abcd", 4)], 200),
    ("effective operator of DMRG", "lap,pstq,absu,bctv,rcq->luvr", &[("abc", 5), ("stuv", 2)], 120),
    ("Tucker", "abc,ia,jb,kc->ijk", &[("abc", 30)], 110),
    ("MTTKRP", "ijk,jr,kr->ir", &[("r", 40)], 160),
    ("canonical form, four axes", "ir,jr,kr,lr->ijkl", &[("r", 20)], 48),
    ("attention in batches", "bhid,bhjd,bhjv->bhiv", &[("bh", 8), ("dv", 48)], 150),
    ("bilinear forms", "ai,aj,ijk,bk->ab", &[("ab", 300)], 60),
    ("hyper-edge on all", "abx,bcx,cdx,dax->x", &[("x", 40)], 70),
    ("coupled cluster", "klcd,ci,dj,ak,bl->ijab", &[("ijkl", 10)], 30),
    ("vectors between matrices", "i,ij,jk,k,kl,l->", &[], 900),
    ("outer product, then a sum", "i,j,ijk,k->", &[], 200),
    ("lattice of 3 x 3", "ab,acd,be,cfgh,dgi,ej,fk,hkl,ijl->", &[], 18),
    ("cube of 2 x 2 x 2", "abc,ade,bdf,cef,agh,bgi,chj,eij,dhi,fgj->", &[], 10),
    ("regular graph of twelve", "abc,ade,bfg,chi,djk,elm,fnj,gol,hkp,ipn,oqm,q->", &[], 9),
];

fn extent(case: &Case, label: char) -> usize {
    case.2.iter().find(|(labels, _)| labels.contains(label)).map_or(case.3, |(_, extent)| *extent)
}

fn tensors(case: &Case) -> Vec<Tensor<f64>> {
    let inputs = case.1.split_once("->").expect("a case has a result").0;
    let tensor = |labels: &str| {
        let extents: Vec<usize> = labels.chars().map(|label| extent(case, label)).collect();
        Tensor::from_fn(extents, |at| ((at.iter().sum::<usize>() * 7919) % 101) as f64 / 101.0 - 0.5)
    };
    inputs.split(',').map(|labels| tensor(labels).expect("an operand fits memory")).collect()
}

/// The least seconds of each plan; they take turns, so that what else the machine does meets all of them.
fn seconds(plans: &[Prepared<f64>], operands: &[&dyn DynOperand<f64>]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; plans.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < LEAST || start.elapsed().as_secs_f64() < SECONDS && rounds < 2000 {
        for (plan, best) in plans.iter().zip(&mut best) {
            let start = Instant::now();
            drop(plan.run(operands).expect("a network runs"));
            *best = best.min(start.elapsed().as_secs_f64());
        }
        rounds += 1;
    }
    best
}

fn main() {
    let context = Context::cpu().threads(1);
    let rates = context.measured_rates().expect("there is memory to measure with");
    println!("{rates:?}");
    let aims = [Minimize::Operations, Minimize::Time(Default::default()), Minimize::Time(rates)];
    println!(
        "{:32} {:>11} {:>11} {:>11}  {:>10} {:>10}",
        "milliseconds", "operations", "time", "measured", "time/ops", "meas./ops"
    );
    let (mut sums, mut cases) = ([0.0; 2], 0.0);
    for case in &CASES {
        if std::env::args().skip(1).any(|part| !part.starts_with('-') && !case.0.contains(&part)) {
            continue;
        }
        let tensors = tensors(case);
        let operands: Vec<&dyn DynOperand<f64>> = tensors.iter().map(|tensor| tensor as _).collect();
        let plan = |aim: Minimize| context.clone().minimize(aim).prepare(case.1, &operands).expect("a case is a network");
        let plans = aims.map(plan);
        let best = seconds(&plans, &operands);
        let shown: Vec<String> = best.iter().map(|seconds| format!("{:11.3}", seconds * 1e3)).collect();
        let ratios = [best[1] / best[0], best[2] / best[0]];
        println!("{:32} {}  {:10.3} {:10.3}", case.0, shown.join(" "), ratios[0], ratios[1]);
        (0..2).for_each(|n| sums[n] += ratios[n].ln());
        cases += 1.0;
    }
    let [time, measured] = sums.map(|sum: f64| (sum / cases).exp());
    println!("{:32} {:>11} {:>11} {:>11}  {time:10.3} {measured:10.3}", "geometric mean", "", "", "");
}
