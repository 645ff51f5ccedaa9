//! What orders of products are worth where they run: networks of three to some hundred tensors, each contracted in the order of the
//! fewest operations, and in that of the least time by the rates that are assumed and by those of this machine.
//!
//! `cargo bench --bench networks [PART OF A NAME]`, or `-- --seed N` for ten networks that are drawn; the figures stand in
//! `docs/results/order.md`. Times are the smallest of many runs that take turns, on one thread.

mod draw;

use std::time::Instant;

use tensorwrapper::order::Minimize;
use tensorwrapper::prelude::*;
use tensorwrapper::{DynOperand, Prepared};

use draw::{Network, Random, drawn};

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

/// A label as subscripts write it.
fn character(label: usize) -> char {
    let letter = "abcdefghijklmnopqrstuvwxyz".chars().nth(label);
    letter.unwrap_or_else(|| char::from_u32(0x4E00 + label as u32).expect("there are thousands of such letters"))
}

impl Network {
    fn of(&(name, subscripts, some, other): &Case) -> Network {
        let (inputs, output) = subscripts.split_once("->").expect("a case has a result");
        let labels = |text: &str| text.bytes().map(|letter| usize::from(letter - b'a')).collect();
        let extent =
            |label: usize| some.iter().find(|(on, _)| on.contains(character(label))).map_or(other, |(_, extent)| *extent);
        let inputs = inputs.split(',').map(labels).collect();
        Network { name: name.to_string(), inputs, output: labels(output), extents: (0..26).map(extent).collect() }
    }

    fn subscripts(&self) -> String {
        let text = |labels: &Vec<usize>| labels.iter().map(|&label| character(label)).collect::<String>();
        let inputs: Vec<String> = self.inputs.iter().map(text).collect();
        format!("{}->{}", inputs.join(","), text(&self.output))
    }

    fn tensors(&self) -> Vec<Tensor<f64>> {
        let mut random = Random(1);
        let tensor = |labels: &Vec<usize>| {
            let extents: Vec<usize> = labels.iter().map(|&label| self.extents[label]).collect();
            Tensor::from_fn(extents, |_| random.next() as f64 / u64::MAX as f64 - 0.5)
        };
        self.inputs.iter().map(tensor).collect::<Result<_, _>>().expect("operands fit memory")
    }
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

/// The networks that were asked for: a draw, or those of the list.
fn networks() -> Vec<Network> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = arguments.iter().position(|argument| argument == "--seed").map(|n| &arguments[n + 1]);
    match seed {
        Some(seed) => drawn(seed.parse().expect("a seed is a number")),
        None => {
            let is_asked = |network: &Network| arguments.iter().all(|part| part.starts_with('-') || network.name.contains(part));
            CASES.iter().map(Network::of).filter(is_asked).collect()
        }
    }
}

fn main() {
    let context = Context::cpu().threads(1);
    let rates = context.measured_rates().expect("there is memory to measure with");
    println!("{rates:?}");
    let aims = [Minimize::Operations, Minimize::Time(Default::default()), Minimize::Time(rates)];
    println!(
        "{:48} {:>11} {:>11} {:>11}  {:>10} {:>10}",
        "milliseconds", "operations", "time", "measured", "time/ops", "meas./ops"
    );
    let (mut sums, mut totals, mut cases) = ([0.0; 2], [0.0; 3], 0.0);
    for network in networks() {
        let tensors = network.tensors();
        let operands: Vec<&dyn DynOperand<f64>> = tensors.iter().map(|tensor| tensor as _).collect();
        let subscripts = network.subscripts();
        let plan = |aim: Minimize| context.clone().minimize(aim).prepare(&subscripts, &operands).expect("a case is a network");
        let plans = aims.map(plan);
        let best = seconds(&plans, &operands);
        let shown: Vec<String> = best.iter().map(|seconds| format!("{:11.3}", seconds * 1e3)).collect();
        let ratios = [best[1] / best[0], best[2] / best[0]];
        println!("{:48} {}  {:10.3} {:10.3}", network.name, shown.join(" "), ratios[0], ratios[1]);
        (0..2).for_each(|n| sums[n] += ratios[n].ln());
        (0..3).for_each(|n| totals[n] += best[n]);
        cases += 1.0;
    }
    let shown = totals.map(|seconds: f64| format!("{:11.3}", seconds * 1e3)).join(" ");
    println!("{:48} {shown}  {:10.3} {:10.3}", "all together", totals[1] / totals[0], totals[2] / totals[0]);
    let [time, measured] = sums.map(|sum: f64| (sum / cases).exp());
    println!("{:48} {:>11} {:>11} {:>11}  {time:10.3} {measured:10.3}", "geometric mean", "", "", "");
}
