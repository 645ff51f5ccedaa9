//! Texts that are loaded, and their kernels.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute, CUmodule, CUresult, CUstream};
use libloading::Library;

use crate::compiler::MARK;
use crate::driver::current;
use crate::streams::{self, Work};
use crate::{export, forbidden};

/// Bytes of shared memory that a block may have without being asked for, and with it: those of compute capability 9.0.
const SHARED: [c_int; 2] = [48 << 10, 227 << 10];
const THREADS: c_uint = 1024;

/// Blocks, threads of each, bytes of shared memory, the order of the threads, arguments; a message, or null.
type Run = unsafe extern "C" fn(c_uint, c_uint, c_uint, c_int, *mut *mut c_void) -> *const c_char;

struct Module {
    device: usize,
    code: Arc<Library>,
}

#[derive(Clone)]
struct Function {
    module: usize,
    run: Run,
    arguments: usize,
    shared: c_int,
}

struct Modules {
    there: BTreeMap<usize, Module>,
    functions: BTreeMap<usize, Function>,
    made: usize,
}

static MODULES: Mutex<Modules> = Mutex::new(Modules { there: BTreeMap::new(), functions: BTreeMap::new(), made: 0 });

fn all() -> MutexGuard<'static, Modules> {
    MODULES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Modules {
    fn number(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    fn module(&self, number: usize) -> &Module {
        match self.there.get(&number) {
            Some(module) if module.device == current() => module,
            _ => forbidden!("there is no text {number} on device {}", current()),
        }
    }

    fn function(&mut self, function: CUfunction) -> &mut Function {
        match self.functions.get_mut(&(function as usize)) {
            Some(function) => function,
            None => forbidden!("there is no kernel {function:?}"),
        }
    }
}

pub(crate) fn reset() {
    let mut all = all();
    all.functions.clear();
    all.there.clear();
}

pub(crate) fn modules() -> usize {
    all().there.len()
}

/// The library that `compiler.rs` has made a text into.
fn open(code: &[u8]) -> Result<Library, CUresult> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("cuda-stand-in-{}-{number}.so", std::process::id()));
    let opened = std::fs::write(&file, code).ok().and_then(|()| {
        // SAFETY: its constructors do nothing.
        unsafe { Library::new(&file) }.ok()
    });
    let _ = std::fs::remove_file(&file);
    opened.ok_or(CUresult::CUDA_ERROR_INVALID_IMAGE)
}

export! { sys;
    fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> CUresult {
        streams::forbid_capture("cuModuleLoadData");
        let start = image.cast::<u8>();
        if std::slice::from_raw_parts(start, MARK.len()) != MARK {
            return Err(CUresult::CUDA_ERROR_INVALID_IMAGE);
        }
        let length = start.add(MARK.len()).cast::<u64>().read_unaligned() as usize;
        let code = Arc::new(open(std::slice::from_raw_parts(start.add(MARK.len() + 8), length))?);
        let mut all = all();
        let number = all.number();
        all.there.insert(number, Module { device: current(), code });
        *module = number as CUmodule;
        Ok(())
    }
    fn cuModuleUnload(module: CUmodule) -> CUresult {
        // No manual says that it waits for kernels.
        streams::forbid_queued("cuModuleUnload");
        let mut all = all();
        all.module(module as usize);
        all.functions.retain(|_, function| function.module != module as usize);
        all.there.remove(&(module as usize));
        Ok(())
    }
    fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char) -> CUresult {
        let mut all = all();
        let code = &all.module(module as usize).code;
        let name = CStr::from_ptr(name).to_string_lossy();
        let found = code.get::<Run>(format!("tw_run_{name}").as_bytes()).map(|run| *run);
        let counted = code.get::<*const c_uint>(format!("tw_count_{name}").as_bytes()).map(|count| **count as usize);
        let (Ok(run), Ok(arguments)) = (found, counted) else { return Err(CUresult::CUDA_ERROR_NOT_FOUND) };
        let number = all.number();
        all.functions.insert(number, Function { module: module as usize, run, arguments, shared: SHARED[0] });
        *function = number as CUfunction;
        Ok(())
    }
    fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int) -> CUresult {
        current();
        if attribute != CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES {
            forbidden!("a kernel's {attribute:?} is set");
        }
        if !(0..=SHARED[1]).contains(&value) {
            return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        all().function(function).shared = value;
        Ok(())
    }
    fn cuLaunchKernel(
        function: CUfunction,
        blocks: c_uint,
        blocks_y: c_uint,
        blocks_z: c_uint,
        threads: c_uint,
        threads_y: c_uint,
        threads_z: c_uint,
        shared: c_uint,
        stream: CUstream,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> CUresult {
        static LAUNCHES: AtomicUsize = AtomicUsize::new(0);
        let mut all = all();
        let known = all.function(function).clone();
        let Module { code, .. } = all.module(known.module);
        let is_flat = [blocks_y, blocks_z, threads_y, threads_z] == [1; 4] && extra.is_null();
        let fits = (1..=THREADS).contains(&threads) && (1..1 << 31).contains(&blocks) && shared <= known.shared as c_uint;
        if !is_flat || !fits {
            forbidden!("{blocks} blocks of {threads} threads with {shared} bytes of shared memory, of which {} were asked for", known.shared);
        }
        // Arguments have been read when the call returns.
        let values: Vec<u64> = (0..known.arguments).map(|n| (*arguments.add(n)).cast::<u64>().read()).collect();
        let order = LAUNCHES.fetch_add(1, Ordering::Relaxed) as c_int % 3;
        let code = Arc::clone(code);
        drop(all);
        streams::queue(stream, Work::new(move || {
            // The text stays loaded as long as anything of it is queued or captured.
            let _ = &code;
            let mut values = values.clone();
            let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
            let message = (known.run)(blocks, threads, shared, order, pointers.as_mut_ptr());
            if !message.is_null() {
                forbidden!("a kernel: {}", CStr::from_ptr(message).to_string_lossy());
            }
            Ok(())
        }));
        Ok(())
    }
}
