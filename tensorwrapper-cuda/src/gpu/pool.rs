//! A device's context and its memory pool, both of which are let go with the last that uses the device here.

use cudarc::driver::sys::{self, CUresult};

use super::status::check;
use crate::memory::Address;
use tensorwrapper_core::backend::Taken;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The context that all libraries of a program share on a device, held.
#[derive(Debug)]
pub(super) struct Primary {
    device: sys::CUdevice,
    pub(super) context: sys::CUcontext,
}

impl Primary {
    /// # Errors
    /// When the device refuses it.
    pub(super) fn new(device: sys::CUdevice) -> Result<Primary, Error> {
        let mut context = std::ptr::null_mut();
        // SAFETY: the driver is started, and the context is written.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut context, device) }, "a device is opened")?;
        Ok(Primary { device, context })
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        let mut current = std::ptr::null_mut();
        // SAFETY: it was retained once, and everything that was made in it is gone. A thread is not to be left with a context that nobody holds.
        unsafe {
            if sys::cuCtxGetCurrent(&raw mut current) != CUresult::CUDA_SUCCESS || current == self.context {
                let _ = sys::cuCtxSetCurrent(std::ptr::null_mut());
            }
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

/// Memory in the stream's order. The pool is the backend's own, so that it may keep what is freed for what every run asks for again,
/// and other libraries of the program find the device's as they know it.
#[derive(Debug)]
pub(super) struct Pool(sys::CUmemoryPool);

impl Pool {
    /// A pool of the calling thread's device, which is this one.
    ///
    /// # Errors
    /// When the device has none to give.
    pub(super) fn new(device: sys::CUdevice) -> Result<Pool, Error> {
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: device },
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let (mut pool, mut most) = (std::ptr::null_mut(), u64::MAX);
        // SAFETY: the pool is written, then told a number; what is read lives until the calls return.
        unsafe {
            check(sys::cuMemPoolCreate(&raw mut pool, &raw const properties), "a memory pool is made")?;
            let pool = Pool(pool);
            let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            check(sys::cuMemPoolSetAttribute(pool.0, attribute, (&raw mut most).cast()), "its memory pool is set up")?;
            Ok(pool)
        }
    }

    /// Memory for so many bytes, from when what is queued in the stream has been done. It is the pool's as long as this lives.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] where there is no more.
    ///
    /// # Safety
    /// The stream is of the pool's device, which is the calling thread's.
    pub(super) unsafe fn allocate(&self, bytes: usize, stream: sys::CUstream) -> Result<Address, Error> {
        let mut address = 0;
        // SAFETY: the caller's promise, and the address is written.
        match unsafe { sys::cuMemAllocFromPoolAsync(&raw mut address, bytes, self.0, stream) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(Error::new(ErrorKind::Memory { bytes: bytes as u128 })),
            other => check(other, "memory is allocated").map(|()| address),
        }
    }

    /// How much of it is taken; the most is counted anew from then on.
    ///
    /// # Errors
    /// When the device does not say.
    pub(super) fn taken(&self) -> Result<Taken, Error> {
        use sys::CUmemPool_attribute as Attribute;
        let (mut now, mut most, mut none) = (0_u64, 0_u64, 0_u64);
        let what = "its memory is counted";
        // SAFETY: the pool is one, its counts are 64 bits wide, and each call has a variable of its own that lives until it returns.
        unsafe {
            let attribute = Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
            check(sys::cuMemPoolGetAttribute(self.0, attribute, (&raw mut now).cast()), what)?;
            let attribute = Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH;
            check(sys::cuMemPoolGetAttribute(self.0, attribute, (&raw mut most).cast()), what)?;
            // It can be made zero alone, and rises to what is taken with the next piece of memory.
            check(sys::cuMemPoolSetAttribute(self.0, attribute, (&raw mut none).cast()), what)?;
        }
        Ok(Taken { now: now as usize, most: most.max(now) as usize })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the only owner is going; what is still on its way back goes when it has come.
        let _ = unsafe { sys::cuMemPoolDestroy(self.0) };
    }
}
