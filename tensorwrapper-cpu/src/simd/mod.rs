//! Which vector instructions the kernels use: what the processor has, or what `TENSORWRAPPER_SIMD` asks for.

mod cache;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(target_arch = "x86_64")]
mod parts_x86;
pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod squares_x86;
mod units;
pub(crate) mod vector;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

pub(crate) use self::cache::Caches;
pub(crate) use self::units::{follows_one_stream, foresees, loads_across_lines_slowly, wide_multiplications};

use std::sync::OnceLock;

use tensorwrapper_core::error::{Error, ErrorKind};

/// The environment variable that forces a form of the kernels.
const VARIABLE: &str = "TENSORWRAPPER_SIMD";

/// A set of vector instructions that the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simd {
    /// 512 bits, on x86-64.
    Avx512,
    /// 256 bits with fused multiply-add, on x86-64.
    Avx2,
    /// 128 bits, on 64-bit ARM.
    Neon,
    /// Whatever the compilation's target has.
    Portable,
}

impl Simd {
    /// All of them, the fastest first.
    pub(crate) const ALL: [Simd; 4] = [Simd::Avx512, Simd::Avx2, Simd::Neon, Simd::Portable];

    fn name(self) -> &'static str {
        match self {
            Simd::Avx512 => "avx512",
            Simd::Avx2 => "avx2",
            Simd::Neon => "neon",
            Simd::Portable => "portable",
        }
    }

    /// Whether this processor has the instructions, and this library kernels for them.
    pub(crate) fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") && Simd::Avx2.is_available()
            }
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[cfg(not(target_arch = "x86_64"))]
            Simd::Avx512 | Simd::Avx2 => false,
            #[cfg(not(target_arch = "aarch64"))]
            Simd::Neon => false,
            Simd::Portable => true,
        }
    }

    /// What the environment asks for, or else the fastest that there is; found out once.
    pub(crate) fn chosen() -> Result<Simd, Error> {
        static CHOSEN: OnceLock<Result<Simd, Error>> = OnceLock::new();
        CHOSEN.get_or_init(|| Simd::choose(std::env::var_os(VARIABLE).map(|name| name.to_string_lossy().into_owned()))).clone()
    }

    fn choose(asked: Option<String>) -> Result<Simd, Error> {
        let Some(asked) = asked.filter(|name| !name.is_empty()) else {
            let fastest = Simd::ALL.into_iter().find(|simd| simd.is_available());
            return Ok(fastest.unwrap_or(Simd::Portable));
        };
        let unsupported = |sentence: String| Error::new(ErrorKind::Unsupported(sentence));
        let names = |all: &mut dyn Iterator<Item = Simd>| all.map(Simd::name).collect::<Vec<_>>().join(", ");
        let Some(simd) = Simd::ALL.into_iter().find(|simd| simd.name() == asked) else {
            let all = names(&mut Simd::ALL.into_iter());
            return Err(unsupported(format!("`{VARIABLE}` is `{asked}`, which is none of {all}")));
        };
        if !simd.is_available() {
            let there = names(&mut Simd::ALL.into_iter().filter(|simd| simd.is_available()));
            return Err(unsupported(format!("`{VARIABLE}` is `{asked}`, which this processor has not; it has {there}")));
        }
        Ok(simd)
    }
}

/// Gives a macro both types of reals, each with its vector for every set of instructions, their names and the processor that has them.
macro_rules! for_vectors {
    ($given:ident) => {
        $given! {
            f64,
            Avx512: $crate::simd::x86::F64x8, "avx512f,avx2,fma", "x86_64";
            Avx2: $crate::simd::x86::F64x4, "avx2,fma", "x86_64";
            Neon: $crate::simd::neon::F64x4, "neon", "aarch64";
        }
        $given! {
            f32,
            Avx512: $crate::simd::x86::F32x16, "avx512f,avx2,fma", "x86_64";
            Avx2: $crate::simd::x86::F32x8, "avx2,fma", "x86_64";
            Neon: $crate::simd::neon::F32x8, "neon", "aarch64";
        }
    };
}
pub(crate) use for_vectors;

/// Compiles a function for every set of instructions, and gives the one for `simd`: `generic` is generic over the vector of the element
/// type's reals, the element type, and the number of reals of an element.
macro_rules! by_vectors {
    (@ $T:ident, $generic:ident, ($($argument:ident: $Argument:ty),*), $Double:ty, $Single:ty $(, $features:literal)?) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn compiled<$T: tensorwrapper_core::element::Element>($($argument: $Argument),*) {
            use tensorwrapper_core::element::EveryDtype;
            // The choice is a constant, so that the compiler makes code of what is chosen, and not of all four for each element type.
            // SAFETY: the caller's promise; elements are one or two reals of the type that is named.
            unsafe {
                (const {
                    match $T::DTYPE.every() {
                        EveryDtype::F64 => $generic::<$Double, $T, 1>,
                        EveryDtype::F32 => $generic::<$Single, $T, 1>,
                        EveryDtype::C64 => $generic::<$Double, $T, 2>,
                        EveryDtype::C32 => $generic::<$Single, $T, 2>,
                    }
                })($($argument),*)
            }
        }
        compiled::<$T>
    }};
    ($simd:expr, $T:ident, $generic:ident $arguments:tt) => {{
        use $crate::simd::{Simd, portable::Array};
        match $simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => {
                by_vectors!(@ $T, $generic, $arguments, $crate::simd::x86::F64x8, $crate::simd::x86::F32x16, "avx512f,avx2,fma")
            }
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => by_vectors!(@ $T, $generic, $arguments, $crate::simd::x86::F64x4, $crate::simd::x86::F32x8, "avx2,fma"),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => by_vectors!(@ $T, $generic, $arguments, $crate::simd::neon::F64x4, $crate::simd::neon::F32x8, "neon"),
            _ => by_vectors!(@ $T, $generic, $arguments, Array<f64>, Array<f32>),
        }
    }};
}
pub(crate) use by_vectors;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_a_form_or_is_refused() {
        assert!(Simd::choose(None).unwrap().is_available());
        assert_eq!(Simd::choose(Some(String::new())), Simd::choose(None));
        for simd in Simd::ALL {
            match Simd::choose(Some(simd.name().into())) {
                Ok(chosen) => assert!(chosen == simd && simd.is_available()),
                Err(error) => assert!(!simd.is_available() && error.to_string().contains("which this processor has not; it has")),
            }
        }
        let error = Simd::choose(Some("mmx".into())).unwrap_err();
        assert_eq!(error.to_string(), "`TENSORWRAPPER_SIMD` is `mmx`, which is none of avx512, avx2, neon, portable");
    }
}
