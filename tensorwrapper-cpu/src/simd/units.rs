//! How many multiplications of the widest vectors a core begins in a cycle.

/// Of vectors of 512 bits; of narrower ones every processor with AVX-512 begins two.
#[cfg(target_arch = "x86_64")]
pub(crate) fn wide_multiplications() -> usize {
    use std::arch::x86_64::__cpuid;
    use std::sync::OnceLock;
    static HERE: OnceLock<usize> = OnceLock::new();
    *HERE.get_or_init(|| {
        let vendor = __cpuid(0);
        let signature = __cpuid(1).eax;
        let family = (signature >> 8 & 15) + (signature >> 20 & 255);
        // "AuthenticAMD". AMD's optimisation guides say that a Zen 4 (family 19h) computes vectors of 512 bits in halves; a Zen 5 computes
        // two whole ones in a cycle, as most of Intel's processors for servers do. Where there is one, the estimate is too high.
        let is_amd = vendor.ebx == 0x6874_7541;
        if is_amd && family <= 0x19 { 1 } else { 2 }
    })
}

/// Other processors have no vectors of 512 bits.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn wide_multiplications() -> usize {
    1
}
