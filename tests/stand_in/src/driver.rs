//! Devices and contexts.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute, CUresult};

use crate::memory::DEVICES;
use crate::{export, forbidden};

/// What the driver says that it is.
const VERSION: c_int = 13_000;
const NAME: &[u8] = b"no GPU: a stand-in on the processor\0";

static STARTED: AtomicBool = AtomicBool::new(false);
/// How many hold each device's context.
static HELD: Mutex<[usize; DEVICES]> = Mutex::new([0; DEVICES]);

thread_local! {
    /// The context of this thread: the number of its device and one, or 0.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

fn held() -> [usize; DEVICES] {
    *HELD.lock().unwrap()
}

pub(crate) fn contexts() -> usize {
    held().iter().sum()
}

pub(crate) fn reset() {
    *HELD.lock().unwrap() = [0; DEVICES];
}

/// Whether the thread has a context that nobody holds.
pub(crate) fn dangles() -> bool {
    CURRENT.get().checked_sub(1).is_some_and(|device| held()[device] == 0)
}

/// The thread's device.
pub(crate) fn current() -> usize {
    match CURRENT.get() {
        0 => forbidden!("a thread without a context"),
        context if held()[context - 1] == 0 => forbidden!("a context that nobody holds"),
        context => context - 1,
    }
}

fn started() {
    if !STARTED.load(Ordering::Relaxed) {
        forbidden!("a call before cuInit");
    }
}

export! { sys;
    fn cuInit(flags: c_uint) -> CUresult {
        if flags != 0 {
            forbidden!("cuInit({flags})");
        }
        STARTED.store(true, Ordering::Relaxed);
        Ok(())
    }
    fn cuDriverGetVersion(version: *mut c_int) -> CUresult {
        *version = VERSION;
        Ok(())
    }
    fn cuDeviceGetCount(count: *mut c_int) -> CUresult {
        started();
        *count = DEVICES as c_int;
        Ok(())
    }
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) -> CUresult {
        started();
        if !(0..DEVICES as c_int).contains(&ordinal) {
            return Err(CUresult::CUDA_ERROR_INVALID_DEVICE);
        }
        *device = ordinal;
        Ok(())
    }
    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice) -> CUresult {
        started();
        if len < NAME.len() as c_int || !(0..DEVICES as c_int).contains(&device) {
            forbidden!("the name of device {device} in {len} characters");
        }
        std::ptr::copy_nonoverlapping(NAME.as_ptr().cast(), name, NAME.len());
        Ok(())
    }
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice) -> CUresult {
        started();
        *value = match attribute {
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR => 0,
            other => forbidden!("device {device} is asked for {other:?}"),
        };
        Ok(())
    }
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice) -> CUresult {
        started();
        HELD.lock().unwrap()[device as usize] += 1;
        *context = (device as usize + 1) as CUcontext;
        Ok(())
    }
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) -> CUresult {
        let mut held = HELD.lock().unwrap();
        match held[device as usize] {
            0 => forbidden!("a context is released that nobody holds"),
            _ => held[device as usize] -= 1,
        }
        Ok(())
    }
    fn cuCtxGetCurrent(context: *mut CUcontext) -> CUresult {
        *context = CURRENT.get() as CUcontext;
        Ok(())
    }
    fn cuCtxSetCurrent(context: CUcontext) -> CUresult {
        CURRENT.set(context as usize);
        if !context.is_null() {
            current();
        }
        Ok(())
    }
}
