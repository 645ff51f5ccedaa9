//! What a processor does in a cycle and by itself, told from its name: not measured, so that results repeat bit by bit.

/// How many multiplications of vectors of 512 bits a core begins in a cycle; of narrower ones every processor with AVX-512 begins two.
///
/// AMD's optimisation guides say that a Zen 4 (family 19h) computes vectors of 512 bits in halves; a Zen 5 computes two whole ones in a
/// cycle, as most of Intel's processors for servers do. Where there is one, the estimate is too high.
pub(crate) fn wide_multiplications() -> usize {
    if cfg!(target_arch = "x86_64") && amd_family().is_none_or(|family| family > ZEN_4) { 2 } else { 1 }
}

/// Whether a core reads packed panels, what lies in a near cache, and writes rows of tiles without waiting although nobody has asked for
/// their lines, so that asking takes more time than it saves. Measured on a Zen 5, whose queue of stores is long (decision 41); a Xeon and
/// a Zen 4 wait.
pub(crate) fn foresees() -> bool {
    amd_family().is_some_and(|family| family > ZEN_4)
}

/// Whether a core that reads vectors of 512 bits across two cache lines multiplies slower for it. Measured on a Xeon, which multiplies two
/// of them in a cycle and loads two lines; a Zen 4, which multiplies one, does not, and a Zen 5 was not measured.
pub(crate) fn loads_across_lines_slowly() -> bool {
    cfg!(target_arch = "x86_64") && amd_family().is_none()
}

/// Whether a core by itself has more lines on their way for one stream from memory than for several whose lines are asked for. A Zen 4
/// reads 1.3 to 2 times as fast so, a Xeon 0.5 to 0.9 times as fast (`docs/results/contraction.md`); others were not measured.
pub(crate) fn follows_one_stream() -> bool {
    amd_family().is_some()
}

/// The family of Zen 3 and Zen 4; Zen 5 has the next one.
const ZEN_4: u32 = 0x19;

/// The family of a processor of AMD.
#[cfg(target_arch = "x86_64")]
fn amd_family() -> Option<u32> {
    use std::arch::x86_64::__cpuid;
    use std::sync::OnceLock;
    static HERE: OnceLock<Option<u32>> = OnceLock::new();
    *HERE.get_or_init(|| {
        let signature = __cpuid(1).eax;
        let family = (signature >> 8 & 15) + (signature >> 20 & 255);
        // "AuthenticAMD".
        (__cpuid(0).ebx == 0x6874_7541).then_some(family)
    })
}

/// There is none.
#[cfg(not(target_arch = "x86_64"))]
fn amd_family() -> Option<u32> {
    None
}
