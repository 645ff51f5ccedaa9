//! How large the caches of this processor are: what blocks are cut for.

use std::sync::OnceLock;

/// Bytes of the caches that a core uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caches {
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// Shared with other cores, as a rule.
    pub(crate) third: usize,
}

/// Where the processor does not say: what the smallest of recent years have.
const USUAL: Caches = Caches { first: 32 << 10, second: 256 << 10, third: 8 << 20 };

impl Caches {
    /// What the processor says; it is asked once.
    pub(crate) fn here() -> Caches {
        static HERE: OnceLock<Caches> = OnceLock::new();
        *HERE.get_or_init(|| Caches::sensible(read()))
    }

    /// Emulators say what they like; blocks need some room, and more than so much brings nothing.
    fn sensible(sizes: [usize; 3]) -> Caches {
        let size = |level: usize, usual: usize, most: usize| match sizes[level] {
            0 => usual,
            size => size.clamp(usual / 2, most),
        };
        Caches {
            first: size(0, USUAL.first, 128 << 10),
            second: size(1, USUAL.second, 2 << 20),
            third: size(2, USUAL.third, 64 << 20),
        }
    }
}

/// Bytes of the data caches of levels 1 to 3; 0 where they are unknown.
#[cfg(target_arch = "x86_64")]
fn read() -> [usize; 3] {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    // The same table under two numbers: "Deterministic Cache Parameters" (Intel, Software Developer's Manual, volume 2,
    // CPUID) and "Cache Topology Information" (AMD, Architecture Programmer's Manual, volume 3, E.4.15).
    let mut sizes = [0; 3];
    for (leaf, last) in [(4, __cpuid(0).eax), (0x8000_001d, __cpuid(0x8000_0000).eax)] {
        if leaf > last {
            continue;
        }
        for number in 0..16 {
            let cache = __cpuid_count(leaf, number);
            let (kind, level) = (cache.eax & 31, (cache.eax >> 5 & 7) as usize);
            if kind == 0 {
                break;
            }
            let field = |low: u32, bits: u32| (cache.ebx >> low & ((1 << bits) - 1)) as usize + 1;
            // Not the instructions' cache.
            if kind != 2 && (1..=3).contains(&level) {
                sizes[level - 1] = field(22, 10) * field(12, 10) * field(0, 12) * (cache.ecx as usize).saturating_add(1);
            }
        }
    }
    sizes
}

/// Other processors tell nobody but the operating system.
#[cfg(not(target_arch = "x86_64"))]
fn read() -> [usize; 3] {
    [0; 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_sensible_whatever_the_processor_says() {
        assert_eq!(Caches::sensible([0; 3]), USUAL);
        let zen = [48 << 10, 1 << 20, 32 << 20];
        assert_eq!(Caches::sensible(zen), Caches { first: zen[0], second: zen[1], third: zen[2] });
        let strange = Caches::sensible([1, usize::MAX, 1]);
        assert_eq!(strange, Caches { first: 16 << 10, second: 2 << 20, third: 4 << 20 });
        let here = Caches::here();
        assert!(here.first < here.second && here.second < here.third, "{here:?}");
    }
}
