//! The kernels compiled by NVRTC, without a GPU: all of them for each architecture, none with a spill, and with as many registers as
//! the table beside this file says. `TENSORWRAPPER_BLESS=1` writes the table anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use tensorwrapper::__private::cuda::{Collected, Collection, Route, collecting, compile, version};
use tensorwrapper::{Context, Dtype};

use crate::program::linalg;
use crate::{equations, is_there};

const ARCHITECTURES: [&str; 3] = ["sm_80", "sm_90a", "sm_100"];
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cuda/registers.txt");
/// The table's compiler: another one counts other registers.
const COMPILER: (i32, i32) = (13, 0);

/// The kernels that a GPU would run: of all equations and of large ones, as they are chosen, and of some with each size of tiles.
fn collected() -> Collection {
    let collection = Collection::default();
    equations::all(&collecting(&collection, Route::Chosen), &mut |_, _| {});
    equations::all_large(&collecting(&collection, Route::Chosen));
    // Between the routines of a library for linear algebra; what is collected computes zeros, which agree with nothing.
    let _ = linalg::check(&collecting(&collection, Route::Library), &Context::cpu());
    for route in [Route::LargeTiles, Route::SmallTiles, Route::Parts] {
        equations::all_programs(&collecting(&collection, route), &mut |_, _| {});
    }
    collection
}

/// What the compiler says of a kernel.
#[derive(Clone, Copy, Debug)]
struct Used {
    registers: u32,
    spilled: u32,
}

/// Reads the compiler's log: a line that names the kernel, then those with its figures.
fn used(log: &str) -> BTreeMap<String, Used> {
    let mut found = BTreeMap::new();
    let mut name = None;
    let mut spilled = 0;
    let number = |line: &str, behind: &str| -> u32 {
        let words: Vec<&str> = line.split_whitespace().collect();
        let place = words.windows(2).position(|pair| pair[1].starts_with(behind));
        place.and_then(|place| words[place].parse().ok()).unwrap_or(0)
    };
    for line in log.lines() {
        if line.contains("Compiling entry function") {
            name = line.split('\'').nth(1).map(str::to_string);
        } else if line.contains("spill stores") {
            // "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
            let bytes = |what: &str| line.split(',').find(|part| part.contains(what)).map_or(0, |part| number(part, "bytes"));
            spilled = bytes("spill stores") + bytes("spill loads");
        } else if line.contains("registers")
            && let Some(name) = name.take()
        {
            found.insert(name, Used { registers: number(line, "registers"), spilled });
        }
    }
    found
}

/// Compiles texts together, as many at once as keep a program short.
fn compiled(texts: &[&str], architecture: &str) -> BTreeMap<String, Used> {
    let mut found = BTreeMap::new();
    for texts in texts.chunks(64) {
        let made = compile(&(Collection::preamble() + &texts.concat()), architecture).unwrap_or_else(|error| panic!("{error}"));
        assert!(made.cubin.len() > 1000, "{architecture}: {} bytes of machine code", made.cubin.len());
        found.extend(used(&made.log));
    }
    found
}

#[test]
fn every_kernel_compiles_without_spills() {
    if !is_there("compiled kernels", version()) {
        return;
    }
    let kernels = collected().kernels();
    let mut table: BTreeMap<(&str, String), [u32; 3]> = BTreeMap::new();
    // Some texts have several kernels.
    let texts: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.text.as_str()).collect();
    let texts: &Vec<&str> = &texts.into_iter().collect();
    let found = std::thread::scope(|scope| {
        let threads = ARCHITECTURES.map(|architecture| scope.spawn(move || compiled(texts, architecture)));
        threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    for (n, (architecture, found)) in ARCHITECTURES.into_iter().zip(found).enumerate() {
        // Those of a text that nothing asked for, too.
        let spilled: Vec<_> = found.iter().filter(|(_, used)| used.spilled != 0).collect();
        assert!(spilled.is_empty(), "{architecture}: {spilled:?}");
        for kernel in &kernels {
            let used = found.get(&kernel.name).unwrap_or_else(|| panic!("{architecture}: the log does not name {}", kernel.name));
            assert!(used.registers > 0 && used.spilled == 0, "{architecture}: {used:?} of {} in\n{}", kernel.name, kernel.text);
            let most = &mut table.entry((kernel.kind, kernel.dtype.to_string())).or_default()[n];
            *most = used.registers.max(*most);
        }
    }
    let mut text = format!("# Most registers of a thread, by kind of kernel; NVRTC {}.{}\n", COMPILER.0, COMPILER.1);
    let _ = writeln!(text, "{:24}{:14}{:>8}{:>8}{:>8}", "kind", "elements", "sm_80", "sm_90a", "sm_100");
    for ((kind, dtype), [a, b, c]) in &table {
        let _ = writeln!(text, "{kind:24}{dtype:14}{a:8}{b:8}{c:8}");
    }
    println!("{} kernels in {} texts for {} architectures\n{text}", kernels.len(), texts.len(), ARCHITECTURES.len());
    if version().ok() != Some(COMPILER) {
        println!("SKIPPED the table of registers: it is NVRTC {COMPILER:?}'s, and this is {:?}", version());
    } else if std::env::var_os("TENSORWRAPPER_BLESS").is_some() {
        std::fs::write(TABLE, text).expect("the table can be written");
    } else {
        let known = std::fs::read_to_string(TABLE).expect("the table can be read");
        assert_eq!(text, known, "registers have changed; TENSORWRAPPER_BLESS=1 writes the table anew");
    }
}

#[test]
fn products_in_double_precision_use_tensor_cores_on_every_architecture() {
    if !is_there("tensor cores", version()) {
        return;
    }
    let is_product = |kernel: &Collected| kernel.dtype == Dtype::F64 && kernel.kind.starts_with("product");
    let kernel = collected().kernels().into_iter().find(is_product).expect("the corpus has products");
    let source = Collection::preamble() + &kernel.text;
    for architecture in ARCHITECTURES {
        let made = compile(&source, architecture).unwrap_or_else(|error| panic!("{error}"));
        // The larger product is there since `sm_90`.
        let size = if architecture == "sm_80" { "m8n8k4" } else { "m16n8k8" };
        assert!(made.ptx.contains(&format!("mma.sync.aligned.{size}.row.col.f64")), "{architecture}");
    }
}

/// A text that is wrong is an error with the compiler's words and the source.
#[test]
fn compile_error_shows_its_source() {
    if !is_there("errors of the compiler", version()) {
        return;
    }
    let error = compile("__global__ void broken() { undeclared = 1; }", "sm_80").expect_err("the text is wrong");
    let words = error.to_string();
    assert!(words.contains("undeclared") && words.contains("__global__ void broken"), "{words}");
}
