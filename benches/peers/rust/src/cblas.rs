//! The four CBLAS symbols that `cpueinsum-blas` calls, forwarded to a library
//! opened at run time: `RUST_PEERS_BLAS=/path/libopenblas.so`. It also opens the
//! OpenBLAS of Python wheels (`scipy_` prefix, `64_` suffix, 64-bit integers).
use std::ffi::{c_char, c_int, c_void, CString};
use std::sync::OnceLock;

#[link(name = "dl")]
extern "C" {
    fn dlopen(path: *const c_char, flag: c_int) -> *mut c_void;
    fn dlsym(lib: *mut c_void, name: *const c_char) -> *mut c_void;
}

struct Blas {
    /// s, d, c, z
    gemm: [usize; 4],
    wide: bool,
}
static BLAS: OnceLock<Result<Blas, String>> = OnceLock::new();

fn open() -> &'static Result<Blas, String> {
    BLAS.get_or_init(|| {
        let path = std::env::var("RUST_PEERS_BLAS").map_err(|_| "RUST_PEERS_BLAS is not set")?;
        let c = CString::new(path.clone()).unwrap();
        // SAFETY: a library the caller names; symbols are checked for null.
        let lib = unsafe { dlopen(c.as_ptr(), 2) };
        if lib.is_null() {
            return Err(format!("cannot open {path}"));
        }
        for (pre, post, wide) in [("scipy_", "64_", true), ("", "64_", true), ("scipy_", "", false), ("", "", false)] {
            let sym = |t: &str| {
                let s = CString::new(format!("{pre}cblas_{t}gemm{post}")).unwrap();
                // SAFETY: the library is open and the name ends with a zero byte; a symbol that is missing is null.
                unsafe { dlsym(lib, s.as_ptr()) as usize }
            };
            let gemm = ["s", "d", "c", "z"].map(sym);
            if gemm.iter().all(|&p| p != 0) {
                return Ok(Blas { gemm, wide });
            }
        }
        Err("no cblas_?gemm in the library".into())
    })
}

pub fn check() -> Result<(), String> {
    open().as_ref().map(|_| ()).map_err(|e| e.clone())
}

macro_rules! forward {
    ($name:ident, $slot:expr, $scalar:ty, $ptr:ty, $out:ty) => {
        /// # Safety
        /// As CBLAS.
        #[no_mangle]
        #[allow(clippy::missing_safety_doc)]
        pub unsafe extern "C" fn $name(
            layout: c_int,
            ta: c_int,
            tb: c_int,
            m: c_int,
            n: c_int,
            k: c_int,
            alpha: $scalar,
            a: $ptr,
            lda: c_int,
            b: $ptr,
            ldb: c_int,
            beta: $scalar,
            c: $out,
            ldc: c_int,
        ) {
            type F<I> = unsafe extern "C" fn(c_int, c_int, c_int, I, I, I, $scalar, $ptr, I, $ptr, I, $scalar, $out, I);
            let lib = open().as_ref().expect("checked at start");
            if lib.wide {
                let f: F<i64> = std::mem::transmute(lib.gemm[$slot]);
                f(layout, ta, tb, m as i64, n as i64, k as i64, alpha, a, lda as i64, b, ldb as i64, beta, c, ldc as i64)
            } else {
                let f: F<c_int> = std::mem::transmute(lib.gemm[$slot]);
                f(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
            }
        }
    };
}
forward!(cblas_sgemm, 0, f32, *const f32, *mut f32);
forward!(cblas_dgemm, 1, f64, *const f64, *mut f64);
forward!(cblas_cgemm, 2, *const c_void, *const c_void, *mut c_void);
forward!(cblas_zgemm, 3, *const c_void, *const c_void, *mut c_void);
