//! A device's context and its memory pool. Both are released when the last user of the device is dropped.

use cudarc::driver::sys::{self, CUresult};

use super::status::check;
use crate::memory::Address;
use tensorwrapper_core::backend::MemoryUse;
use tensorwrapper_core::error::{Error, ErrorKind};

/// A reference to the primary context, which all libraries of a program share on a device.
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
        // SAFETY: it was retained once, and everything that belongs to it was dropped. The thread must not keep a released
        // context as its current one.
        unsafe {
            if sys::cuCtxGetCurrent(&raw mut current) != CUresult::CUDA_SUCCESS || current == self.context {
                let _ = sys::cuCtxSetCurrent(std::ptr::null_mut());
            }
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

/// A memory pool, whose memory is allocated and freed in the order of the stream. It is the backend's own: it keeps freed memory
/// for later runs, and does not change the device's default pool, which other libraries use.
#[derive(Debug)]
pub(super) struct Pool(sys::CUmemoryPool);

impl Pool {
    /// A pool of this device, whose context is current.
    ///
    /// # Errors
    /// When the device refuses it.
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
        // SAFETY: the pool is written, then one of its attributes is set; all arguments live until the calls return.
        unsafe {
            check(sys::cuMemPoolCreate(&raw mut pool, &raw const properties), "a memory pool is made")?;
            let pool = Pool(pool);
            let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            check(sys::cuMemPoolSetAttribute(pool.0, attribute, (&raw mut most).cast()), "its memory pool is set up")?;
            Ok(pool)
        }
    }

    /// Allocates this many bytes, which may be used by work that is queued from now on.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] where there is no more.
    ///
    /// # Safety
    /// The stream is of the pool's device, whose context is current.
    pub(super) unsafe fn allocate(&self, bytes: usize, stream: sys::CUstream) -> Result<Address, Error> {
        let mut address = 0;
        // SAFETY: the caller's promise, and the address is written.
        match unsafe { sys::cuMemAllocFromPoolAsync(&raw mut address, bytes, self.0, stream) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(Error::new(ErrorKind::Memory { bytes: bytes as u128 })),
            other => check(other, "memory is allocated").map(|()| address),
        }
    }

    /// How much memory is allocated now, and the most since the last call.
    ///
    /// # Errors
    /// When the device does not answer.
    pub(super) fn memory_use(&self) -> Result<MemoryUse, Error> {
        use sys::CUmemPool_attribute as Attribute;
        let (mut now, mut most, mut none) = (0_u64, 0_u64, 0_u64);
        let what = "its memory is counted";
        // SAFETY: the pool is valid, its counts are 64 bits wide, and each call has a variable of its own that lives until it
        // returns.
        unsafe {
            let attribute = Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
            check(sys::cuMemPoolGetAttribute(self.0, attribute, (&raw mut now).cast()), what)?;
            let attribute = Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH;
            check(sys::cuMemPoolGetAttribute(self.0, attribute, (&raw mut most).cast()), what)?;
            // The maximum can only be set to zero. The next allocation raises it to what is allocated then.
            check(sys::cuMemPoolSetAttribute(self.0, attribute, (&raw mut none).cast()), what)?;
        }
        Ok(MemoryUse { current: now as usize, peak: most.max(now) as usize })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the only owner is being dropped; memory that is still being freed is released when that is done.
        let _ = unsafe { sys::cuMemPoolDestroy(self.0) };
    }
}
