//! Memory of devices, pools, and pinned memory of the host.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{
    self, CUdeviceptr, CUmemPool_attribute as Attribute, CUmemPoolProps, CUmemoryPool, CUresult, CUstream,
};

use crate::driver::current;
use crate::pages::GuardedMemory;
use crate::streams::{self, Work};
use crate::{export, forbidden};

/// What each device has, where nobody asks for less.
const BYTES: usize = 2 << 30;
/// Devices that there are: two, so that a tensor of one can be given to the other.
pub(crate) const DEVICES: usize = 2;

#[derive(Clone, Copy)]
struct Allocation {
    bytes: usize,
    device: usize,
    pool: Option<usize>,
}

#[derive(Clone, Copy)]
struct Pool {
    device: usize,
    used: u64,
    most: u64,
}

struct Memory {
    /// What nobody has given back, by where it begins.
    there: BTreeMap<u64, Allocation>,
    /// Of the host: bytes by where they begin, and whether the driver has given them.
    pinned: BTreeMap<usize, (usize, bool)>,
    pools: BTreeMap<usize, Pool>,
    made: usize,
    limit: usize,
}

static MEMORY: Mutex<Memory> =
    Mutex::new(Memory { there: BTreeMap::new(), pinned: BTreeMap::new(), pools: BTreeMap::new(), made: DEVICES, limit: BYTES });

fn memory() -> MutexGuard<'static, Memory> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn limit(bytes: usize) -> usize {
    let mut memory = memory();
    memory.limit = bytes.min(BYTES);
    memory.there.values().map(|allocation| allocation.bytes).sum()
}

/// Pools that somebody has made.
pub(crate) fn pools() -> usize {
    memory().pools.keys().filter(|&&pool| pool > DEVICES).count()
}

/// Pieces of pinned memory.
pub(crate) fn pinned() -> usize {
    memory().pinned.len()
}

pub(crate) fn reset() {
    let mut memory = memory();
    std::mem::take(&mut memory.there).into_iter().for_each(|(start, there)| close(start, there.bytes));
    let pinned = std::mem::take(&mut memory.pinned);
    pinned.into_iter().filter(|(_, (_, is_given))| *is_given).for_each(|(start, (bytes, _))| close(start as u64, bytes));
    memory.pools.clear();
}

/// Ends the program unless all of these bytes are the device's, given to somebody.
pub(crate) fn check(what: &str, start: u64, bytes: usize) {
    let device = current();
    let memory = memory();
    let found = memory.there.range(..=start).next_back();
    let is_there =
        found.is_some_and(|(at, allocation)| allocation.device == device && start + bytes as u64 <= at + allocation.bytes as u64);
    if !is_there {
        forbidden!("{what}: {bytes} bytes from {start:#x} on are no memory of device {device}");
    }
}

/// Whether these bytes of the host are pinned.
pub(crate) fn is_pinned(bytes: Range<usize>) -> bool {
    let memory = memory();
    let found = memory.pinned.range(..=bytes.start).next_back();
    found.is_some_and(|(&start, &(length, _))| bytes.end <= start + length)
}

impl Memory {
    fn allocate(&mut self, bytes: usize, pool: Option<usize>) -> Result<u64, CUresult> {
        let device = current();
        if bytes == 0 {
            forbidden!("no bytes are asked for");
        }
        let taken: usize = self.there.values().filter(|allocation| allocation.device == device).map(|there| there.bytes).sum();
        if taken.saturating_add(bytes) > self.limit {
            return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        }
        let start = GuardedMemory::allocate(bytes).ok_or(CUresult::CUDA_ERROR_OUT_OF_MEMORY)?;
        self.there.insert(start, Allocation { bytes, device, pool });
        if let Some(pool) = pool.and_then(|pool| self.pools.get_mut(&pool)) {
            if pool.device != device {
                forbidden!("memory of a pool of device {} is asked for on device {device}", pool.device);
            }
            pool.used += bytes as u64;
            pool.most = pool.most.max(pool.used);
        }
        Ok(start)
    }

    /// Takes memory out of the books; its pages go when what is queued has been done.
    fn forget(&mut self, start: u64) -> usize {
        let Some(allocation) = self.there.remove(&start) else { forbidden!("{start:#x} is given back, and is not there") };
        if let Some(pool) = allocation.pool.and_then(|pool| self.pools.get_mut(&pool)) {
            pool.used -= allocation.bytes as u64;
        }
        allocation.bytes
    }

    fn pool(&mut self, pool: CUmemoryPool) -> &mut Pool {
        let number = pool as usize;
        if (1..=DEVICES).contains(&number) {
            return self.pools.entry(number).or_insert(Pool { device: number - 1, used: 0, most: 0 });
        }
        match self.pools.get_mut(&number) {
            Some(pool) => pool,
            None => forbidden!("there is no pool {number}"),
        }
    }
}

/// Gives pages back to the system.
fn close(start: u64, bytes: usize) {
    // SAFETY: they were taken out of the books, which had them from `GuardedMemory::allocate` with so many bytes.
    unsafe { GuardedMemory::free(start, bytes) }
}

export! { sys;
    fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult {
        streams::forbid_capture("cuMemAlloc");
        *dptr = memory().allocate(bytesize, None)?;
        Ok(())
    }
    fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult {
        streams::forbid_capture("cuMemFree");
        streams::finish_all()?;
        let bytes = memory().forget(dptr);
        close(dptr, bytes);
        Ok(())
    }
    fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, stream: CUstream) -> CUresult {
        streams::forbid_captured(stream, "cuMemAllocAsync");
        *dptr = memory().allocate(bytesize, Some(current() + 1))?;
        Ok(())
    }
    fn cuMemAllocFromPoolAsync(dptr: *mut CUdeviceptr, bytesize: usize, pool: CUmemoryPool, stream: CUstream) -> CUresult {
        streams::forbid_captured(stream, "cuMemAllocFromPoolAsync");
        let mut memory = memory();
        memory.pool(pool);
        *dptr = memory.allocate(bytesize, Some(pool as usize))?;
        Ok(())
    }
    fn cuMemFreeAsync(dptr: CUdeviceptr, stream: CUstream) -> CUresult {
        streams::forbid_captured(stream, "cuMemFreeAsync");
        let bytes = memory().forget(dptr);
        streams::queue(stream, Work::new(move || { close(dptr, bytes); Ok(()) }));
        Ok(())
    }
    fn cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: c_int) -> CUresult {
        *pool_out = (dev as usize + 1) as CUmemoryPool;
        Ok(())
    }
    fn cuMemPoolCreate(pool: *mut CUmemoryPool, props: *const CUmemPoolProps) -> CUresult {
        let props = &*props;
        let is_plain = props.allocType == sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED
            && props.location.type_ == sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE
            && props.handleTypes == sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE
            && props.reserved.iter().all(|byte| *byte == 0);
        if !is_plain || !(0..DEVICES as c_int).contains(&props.location.id) {
            forbidden!("a pool of {props:?}");
        }
        let mut memory = memory();
        memory.made += 1;
        let number = memory.made;
        memory.pools.insert(number, Pool { device: props.location.id as usize, used: 0, most: 0 });
        *pool = number as CUmemoryPool;
        Ok(())
    }
    fn cuMemPoolDestroy(pool: CUmemoryPool) -> CUresult {
        let mut memory = memory();
        memory.pool(pool);
        if (pool as usize) <= DEVICES {
            forbidden!("a pool is destroyed that is the device's own");
        }
        // What is still there of its memory stays until it is given back.
        memory.pools.remove(&(pool as usize));
        Ok(())
    }
    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: Attribute, value: *mut c_void) -> CUresult {
        let value = *value.cast::<u64>();
        let mut memory = memory();
        let pool = memory.pool(pool);
        match attr {
            Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => (),
            Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH | Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH if value == 0 => {
                pool.most = 0;
            }
            other => forbidden!("a pool's {other:?} is set to {value}"),
        }
        Ok(())
    }
    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: Attribute, value: *mut c_void) -> CUresult {
        let mut memory = memory();
        let pool = *memory.pool(pool);
        *value.cast::<u64>() = match attr {
            Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT | Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => pool.used,
            Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH | Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => pool.most,
            other => forbidden!("a pool is asked for its {other:?}"),
        };
        Ok(())
    }
    fn cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, flags: c_uint) -> CUresult {
        current();
        streams::forbid_capture("cuMemHostAlloc");
        if flags != 0 {
            forbidden!("pinned memory with the flags {flags}");
        }
        let start = GuardedMemory::allocate(bytesize).ok_or(CUresult::CUDA_ERROR_OUT_OF_MEMORY)?;
        memory().pinned.insert(start as usize, (bytesize, true));
        *pp = start as *mut c_void;
        Ok(())
    }
    fn cuMemFreeHost(p: *mut c_void) -> CUresult {
        current();
        let Some((bytes, true)) = memory().pinned.remove(&(p as usize)) else {
            forbidden!("{p:?} is given back, and is no pinned memory of the driver's");
        };
        streams::forbid_use("cuMemFreeHost", p as usize..p as usize + bytes);
        close(p as u64, bytes);
        Ok(())
    }
    fn cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, flags: c_uint) -> CUresult {
        current();
        if flags != 0 || bytesize == 0 {
            forbidden!("{bytesize} bytes at {p:?} are pinned with the flags {flags}");
        }
        let overlaps = |(&start, &(length, _)): (&usize, &(usize, bool))| start < p as usize + bytesize && (p as usize) < start + length;
        if memory().pinned.iter().any(overlaps) {
            return Err(CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        }
        memory().pinned.insert(p as usize, (bytesize, false));
        Ok(())
    }
    fn cuMemHostUnregister(p: *mut c_void) -> CUresult {
        current();
        let Some((bytes, false)) = memory().pinned.remove(&(p as usize)) else {
            forbidden!("{p:?} is let go, and is no memory that was pinned");
        };
        streams::forbid_use("cuMemHostUnregister", p as usize..p as usize + bytes);
        Ok(())
    }
}
