//! Sums of texts and of machine code, by which files and kernels are named and files are known to be whole.

/// FNV-1a, 64 bits.
pub(super) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
