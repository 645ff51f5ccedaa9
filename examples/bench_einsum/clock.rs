//! The time that the processor gave to this process, for programs that share a machine with others.

/// Seconds that all threads of this process have run.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn processor_seconds() -> f64 {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    const PROCESS: i32 = 2;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the structure is the one that 64-bit Linux fills, and it lives during the call.
    let status = unsafe { clock_gettime(PROCESS, &mut time) };
    assert_eq!(status, 0, "Linux has a clock of the process");
    time.seconds as f64 + 1e-9 * time.nanoseconds as f64
}

/// The standard library has no such clock; drivers take the time on the wall.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub(crate) fn processor_seconds() -> f64 {
    f64::NAN
}
