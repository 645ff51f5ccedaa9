//! A toy device with memory of its own: no feature is needed, and nothing of ours knows of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, ComputeDevice, Dtype, ErrorKind, MemoryKind, Structure, Tiling};
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{
    Contraction, Copied, Decomposition, Device, DeviceMemory, Factorisation, Factorised, KernelRequest, LoopNest, Mapped,
    MemoryLocation, MemoryUse, Operand, Output, PreparedContraction, Program, Reduction, Resident, Session,
};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::device_mirror;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// A device whose memory is buffers that nobody else has, with products of its own; the host does everything else.
#[derive(Clone, Debug, Default)]
struct Island {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Copies of the host's elements to the device, copies back, and products there.
    there: AtomicUsize,
    back: AtomicUsize,
    products: AtomicUsize,
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Island {
    fn counted(&self) -> [usize; 3] {
        [&self.counts.there, &self.counts.back, &self.counts.products].map(|counter| counter.load(Ordering::Relaxed))
    }

    /// The elements of a source: those that are there already, or a copy of the host's.
    fn taken(&self, source: SliceRef<'_>) -> Vec<f64> {
        let known = device_mirror::find(source.addresses()).and_then(|(copy, before)| {
            let memory = copy.downcast_ref::<Copied>()?.memory.clone();
            let own = memory.downcast_ref::<Memory>().filter(|own| Arc::ptr_eq(&own.counts, &self.counts))?;
            let start = before / size_of::<f64>();
            Some(own.elements[start..start + source.len()].to_vec())
        });
        known.unwrap_or_else(|| {
            count(&self.counts.there);
            f64::typed(source).expect("an island knows `f64` alone").to_vec()
        })
    }
}

/// A tensor's elements on the island.
#[derive(Debug)]
struct Memory {
    counts: Arc<Counts>,
    elements: Vec<f64>,
}

impl Device for Island {
    fn name(&self) -> &'static str {
        "island"
    }

    fn resident(&self) -> Option<&dyn Resident> {
        Some(self)
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        Reference.prepare(contraction)
    }

    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error> {
        Reference.map(nest, program, reduction, functions, inputs, output)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        Reference.factorise(call, inputs, outputs)
    }
}

impl Resident for Island {
    fn make(&self, _: &[KernelRequest<'_>]) -> Result<(), Error> {
        Ok(())
    }

    fn session(&self, sources: &[SliceRef<'_>], sizes: &[usize], _: bool) -> Result<Box<dyn Session>, Error> {
        let others = sizes.iter().map(|bytes| vec![0.0; bytes / size_of::<f64>()]);
        let memories = sources.iter().map(|source| self.taken(*source)).chain(others).collect();
        Ok(Box::new(Visit { island: self.clone(), memories, sources: sources.len() }))
    }

    fn hold(&self, elements: SliceRef<'_>) -> Result<DeviceMemory, Error> {
        count(&self.counts.there);
        let elements = f64::typed(elements).expect("an island knows `f64` alone").to_vec();
        Ok(Arc::new(Memory { counts: Arc::clone(&self.counts), elements }))
    }

    fn pin(&self, _: std::ops::Range<usize>) -> Result<DeviceMemory, Error> {
        Err(Error::new(ErrorKind::Device("an island pins nothing".to_string())))
    }

    fn has(&self, memory: &DeviceMemory) -> bool {
        memory.downcast_ref::<Memory>().is_some_and(|own| Arc::ptr_eq(&own.counts, &self.counts))
    }

    fn fetch(&self, memory: &DeviceMemory, to: SliceMut<'_>) -> Result<(), Error> {
        count(&self.counts.back);
        let own = memory.downcast_ref::<Memory>().expect("only its own memory is asked for");
        let to = f64::typed_mut(to).expect("an island knows `f64` alone");
        to.copy_from_slice(&own.elements[..to.len()]);
        Ok(())
    }

    fn opening(&self) -> usize {
        1
    }

    fn finish(&self) -> Result<(), Error> {
        Ok(())
    }

    fn memory_use(&self) -> Result<MemoryUse, Error> {
        Ok(MemoryUse::default())
    }
}

/// One run of a plan, or several.
#[derive(Debug)]
struct Visit {
    island: Island,
    memories: Vec<Vec<f64>>,
    sources: usize,
}

impl Visit {
    fn at(&mut self, location: MemoryLocation) -> &mut [f64] {
        &mut self.memories[location.memory][location.start / size_of::<f64>()..]
    }
}

impl Session for Visit {
    fn write(&mut self, from: SliceRef<'_>, to: MemoryLocation) -> Result<(), Error> {
        let from = f64::typed(from).expect("an island knows `f64` alone");
        self.at(to)[..from.len()].copy_from_slice(from);
        Ok(())
    }

    fn read(&mut self, from: MemoryLocation, to: SliceMut<'_>) -> Result<(), Error> {
        count(&self.island.counts.back);
        let to = f64::typed_mut(to).expect("an island knows `f64` alone");
        to.copy_from_slice(&self.at(from)[..to.len()]);
        Ok(())
    }

    fn copy(&mut self, from: MemoryLocation, to: MemoryLocation, bytes: usize) -> Result<(), Error> {
        let elements = self.at(from)[..bytes / size_of::<f64>()].to_vec();
        self.at(to)[..elements.len()].copy_from_slice(&elements);
        Ok(())
    }

    fn clear(&mut self, at: MemoryLocation, bytes: usize) -> Result<(), Error> {
        self.at(at)[..bytes / size_of::<f64>()].fill(0.0);
        Ok(())
    }

    fn contract(
        &mut self,
        contraction: &PreparedContraction,
        inputs: &[MemoryLocation],
        output: MemoryLocation,
    ) -> Result<bool, Error> {
        count(&self.island.counts.products);
        let (needs, made) = contraction.needs();
        let factors: Vec<Vec<f64>> =
            inputs.iter().zip(&needs).map(|(&location, &need)| self.at(location)[..need / size_of::<f64>()].to_vec()).collect();
        let factors: Vec<SliceRef<'_>> = factors.iter().map(|factor| f64::erase(factor)).collect();
        contraction.run(&Reference, &factors, f64::erase_mut(&mut self.at(output)[..made / size_of::<f64>()]))?;
        Ok(true)
    }

    fn map(&mut self, _: &Mapped<'_>, _: &[MemoryLocation], _: MemoryLocation) -> Result<bool, Error> {
        Ok(false)
    }

    fn factorise(&mut self, _: &Factorised<'_>, _: &[MemoryLocation], _: &[MemoryLocation]) -> Result<bool, Error> {
        Ok(false)
    }

    fn keep(&mut self, memory: usize) -> Result<DeviceMemory, Error> {
        Ok(Arc::new(Memory { counts: Arc::clone(&self.island.counts), elements: self.memories[memory].clone() }))
    }

    fn renew(&mut self, sources: &[SliceRef<'_>]) -> Result<bool, Error> {
        for (n, source) in sources.iter().enumerate() {
            self.memories[n] = self.island.taken(*source);
        }
        Ok(false)
    }

    fn record(&mut self, _: &mut dyn FnMut(&mut dyn Session) -> Result<(), Error>) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Device("an island records nothing".to_string())))
    }

    fn replay(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn copied(&self) -> usize {
        self.memories[..self.sources].iter().map(|memory| memory.len() * size_of::<f64>()).sum()
    }
}

fn matrix(n: usize) -> Tensor<f64> {
    Tensor::from_fn([n, n], |at| (at[0] + 2 * at[1]) as f64).expect("a small matrix")
}

#[test]
fn operands_go_there_once_and_results_come_back_at_the_end() {
    let island = Island::default();
    let context = Context::on(island.clone());
    let (a, b) = (matrix(3), matrix(3));
    let expected = Context::reference().einsum("ij,jk,kl->il", &[&a, &b, &a]).unwrap();
    assert_eq!(context.einsum("ij,jk,kl->il", &[&a, &b, &a]).unwrap(), expected);
    let [there, back, products] = island.counted();
    assert!((2..=3).contains(&there) && (back, products) == (1, 2), "{:?}", island.counted());
    // What the device leaves to the host is computed there.
    let exponents = (a.at("ij") * b.at("jk")).record("ik").unwrap();
    let found = exponents.at("ik").exp().eval_in(&context, "ik").unwrap();
    assert_eq!(found, exponents.at("ik").exp().eval_in(&Context::reference(), "ik").unwrap());
}

#[test]
fn tensors_stay_on_the_device() {
    let island = Island::default();
    let context = Context::on(island.clone());
    let a = matrix(3).to(&context).unwrap();
    assert_eq!(a.placement().memory_kind, MemoryKind::Device);
    assert!(matches!(a.placement().resident_device, Some(ComputeDevice::Other { .. })));
    // An equation that names no context runs where its operands are, and copies none of them.
    let square = tensor!([i, k] = a[i, j] * a[j, k]);
    assert_eq!(square, Context::reference().einsum("ij,jk->ik", &[&a, &a]).unwrap());
    assert_eq!(island.counted(), [1, 1, 1]);
    let device = context.on_device().unwrap();
    let mut power = device.einsum("ij,jk->ik", &[&a, &a]).unwrap();
    for _ in 0..3 {
        power = device.einsum("ij,jk->ik", &[&power, &a]).unwrap();
    }
    assert_eq!(island.counted(), [1, 1, 5]);
    let expected = Context::reference().einsum("ij,jk,kl,lm,mn->in", &[&a, &a, &a, &a, &a]).unwrap();
    assert_eq!(power.to_host().unwrap(), expected);
    // Nobody else can read it there.
    let elsewhere = Context::on(Island::default());
    let error = elsewhere.einsum("ij,jk->ik", &[&power, &a]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Placement(_)), "{error}");
    let other = matrix(3).to(&elsewhere).unwrap();
    assert!(matches!(tensorwrapper::einsum("ij,jk->ik", &[&other, &a]).unwrap_err().kind(), ErrorKind::Placement(_)));
}

#[test]
fn prepared_plans_run_there_again_and_again() {
    let island = Island::default();
    let context = Context::on(island.clone());
    let (a, b) = (matrix(3), matrix(3));
    let product = context.prepare("ij,jk->ik", &[&a, &b]).unwrap();
    let expected = Context::reference().einsum("ij,jk->ik", &[&a, &b]).unwrap();
    let mut target = matrix(3);
    for _ in 0..4 {
        assert_eq!(product.run(&[&a, &b]).unwrap(), expected);
        product.run_into(&[&a, &b], &mut target).unwrap();
        assert_eq!(target, expected);
        assert_eq!(product.run_on_device(&[&a, &b]).unwrap().to_host().unwrap(), expected);
    }
    assert!(product.explain().replay().is_some());
    assert_eq!(island.counted()[2], 12);
}

/// Block tensors lie in memory of the host; what is left to it is named.
#[test]
fn plans_of_block_tensors_say_what_the_host_does() {
    let cut = Tiling::cuts([2, 1]);
    let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| (i[0] + 2 * i[1]) as f64).unwrap();
    let d = Blocks::<f64>::identity(&cut).unwrap();
    let equations = [
        ("[i] = iota[k] * A[i, k] * A[1, k]", &["the values of an index on the host", "a part of A on the host"][..]),
        ("[i] = max(k; A[i, k])", &["reduced in 4 blocks on the host"]),
        ("[i, j] = exp(D[i, j]) * A[i, j]", &["D with the zeros of its blocks on the host"]),
        ("[i, j] = A[i, k] * A[k, j]", &[]),
    ];
    for (equation, by_host) in equations {
        let read = [("A", &a), ("D", &d)].into_iter().filter(|(name, _)| equation.contains(&format!("{name}[")));
        let read: Vec<(&str, &dyn tensorwrapper::RecordOperand<f64>)> = read.map(|(name, tensor)| (name, tensor as _)).collect();
        let explained = |context: &Context| context.prepare_blocks(equation, &read).unwrap().explain();
        let text = explained(&Context::on(Island::default()));
        assert_eq!(text.matches(" on the host").count(), by_host.len(), "{text}");
        assert!(by_host.iter().all(|step| text.contains(step)), "{text}");
        assert!(text.contains("memory of the host, which gathers and adds what `island` multiplies"), "{text}");
        // The host's own devices have nobody to leave anything to.
        assert!(!explained(&Context::cpu()).contains("host"));
        assert_eq!(
            Context::on(Island::default()).eval_blocks(equation, &read).unwrap().to_dense().unwrap(),
            Context::reference().eval_blocks(equation, &read).unwrap().to_dense().unwrap()
        );
    }
}

/// An island with a library for triangles and determinants alone.
#[derive(Clone, Debug, Default)]
struct Shore(Island);

impl Device for Shore {
    fn name(&self) -> &'static str {
        "shore"
    }

    fn resident(&self) -> Option<&dyn Resident> {
        self.0.resident()
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        Reference.prepare(contraction)
    }

    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error> {
        Reference.map(nest, program, reduction, functions, inputs, output)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        Reference.factorise(call, inputs, outputs)
    }

    fn factors_by(&self, call: &Decomposition, _: Dtype, arguments: &[&Strided], _: &[&Strided]) -> Option<&'static str> {
        match (call.kind, arguments) {
            (Factorisation::TriangularSolve, [_, _]) | (Factorisation::Det, [_]) => Some("tide"),
            _ => None,
        }
    }
}

#[test]
fn explanations_of_triangles_ask_for_what_runs() {
    let cut = Tiling::cuts([1, 1]);
    let explained = |above: f64| {
        let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| if i[0] < i[1] { above } else { 2.0 });
        Context::on(Shore::default()).explain_sectors(&a.unwrap(), [0]).unwrap()
    };
    for (above, said) in [(0.0, ["by `tide` on `shore`", "on the host"]), (1.0, ["on the host", "by `tide` on `shore`"])] {
        let text = explained(above);
        for (name, who) in [("solve", said[0]), ("inv", said[0]), ("det", said[1])] {
            assert!(text.contains(&format!("\n{name}: {who}\n")), "{text}");
        }
    }
}
