//! Transfers through pinned memory of the host, in pieces. The device copies from and to pinned memory by itself: an upload
//! returns when the last piece is in pinned memory, and the host fills one piece while the device copies another.
//!
//! The number of pieces is bounded. Where the system pins no memory there are none, and the caller copies without them.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use super::memory::Address;
use tensorwrapper_core::error::Error;

/// A device's stream, as far as copies from and to pinned memory need it.
pub(crate) trait Pinning {
    /// A position in the stream.
    type Mark: Debug + Send;

    /// Allocates pinned memory, which the system never moves.
    ///
    /// # Errors
    /// Where the system has none.
    fn pin(&self, bytes: usize) -> Result<*mut u8, Error>;

    /// Frees pinned memory.
    ///
    /// # Safety
    /// It came from `pin` with this many bytes, and no copy that uses it is queued.
    unsafe fn unpin(&self, start: *mut u8, bytes: usize);

    /// Queues a copy from pinned memory.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// Both places have this many bytes, and the pinned ones are not written before the copy is done.
    unsafe fn push(&self, from: *const u8, to: Address, bytes: usize) -> Result<(), Error>;

    /// Queues a copy to pinned memory.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// Both places have this many bytes, and the pinned ones are neither read nor written before the copy is done.
    unsafe fn pull(&self, from: Address, to: *mut u8, bytes: usize) -> Result<(), Error>;

    /// A new mark, which has no position yet.
    ///
    /// # Errors
    /// When the device is lost.
    fn marker(&self) -> Result<Self::Mark, Error>;

    /// Places a mark behind the work that is queued now.
    ///
    /// # Errors
    /// When the device is lost.
    fn mark(&self, mark: &mut Self::Mark) -> Result<(), Error>;

    /// Waits until all work in front of a mark is done.
    ///
    /// # Errors
    /// When the device is lost, or work before it failed.
    fn wait(&self, mark: &Self::Mark) -> Result<(), Error>;

    /// Frees a mark.
    fn unmark(&self, mark: Self::Mark);

    /// Waits until all queued copies are done.
    ///
    /// # Errors
    /// When the device is lost.
    fn settle(&self) -> Result<(), Error>;
}

/// Copies pinned bytes to a device, and waits until they are read: the tensor that they belong to may be written then.
///
/// # Errors
/// When the device is lost.
///
/// # Safety
/// The device has memory for all bytes from the address on, and they are pinned.
pub(crate) unsafe fn upload_pinned(device: &impl Pinning, from: &[u8], to: Address) -> Result<(), Error> {
    let mut mark = device.marker()?;
    // SAFETY: the caller's promise; the copy is waited for.
    let copied = unsafe { device.push(from.as_ptr(), to, from.len()) };
    let done = copied.and_then(|()| device.mark(&mut mark)).and_then(|()| device.wait(&mark));
    device.unmark(mark);
    // The copy may be queued in spite of the error.
    done.inspect_err(|_| {
        let _ = device.settle();
    })
}

/// The pinned pieces of one device.
#[derive(Debug)]
pub(crate) struct Staging<M> {
    bytes: usize,
    count: usize,
    /// `None` until the first transfer.
    pieces: Mutex<Option<Pieces<M>>>,
}

#[derive(Debug)]
struct Pieces<M> {
    all: Vec<Piece<M>>,
    next: usize,
}

#[derive(Debug)]
struct Piece<M> {
    start: *mut u8,
    mark: M,
    /// Whether a copy that uses it may not be done. Then the mark is behind that copy.
    is_busy: bool,
}

// SAFETY: only the piece uses its pinned memory, which may be used from any thread.
unsafe impl<M: Send> Send for Piece<M> {}

impl<M: Debug + Send> Staging<M> {
    /// At most `count` pieces of this many bytes; both are at least one.
    pub(crate) fn new(bytes: usize, count: usize) -> Staging<M> {
        Staging { bytes: bytes.max(1), count: count.max(1), pieces: Mutex::new(None) }
    }

    /// Calls `act` with the pieces. They are allocated at the first transfer, as many as the system pins. After a failure, either
    /// all copies are waited for or the pieces are never used again.
    fn with<R>(&self, device: &impl Pinning<Mark = M>, act: impl FnOnce(&mut Pieces<M>) -> Result<R, Error>) -> Result<R, Error> {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces = pieces.get_or_insert_with(|| {
            let piece = |_| {
                let mark = device.marker().ok()?;
                match device.pin(self.bytes) {
                    Ok(start) => Some(Piece { start, mark, is_busy: false }),
                    Err(_) => {
                        device.unmark(mark);
                        None
                    }
                }
            };
            Pieces { all: (0..self.count).map_while(piece).collect(), next: 0 }
        });
        let done = act(pieces);
        if done.is_err() {
            match device.settle() {
                Ok(()) => pieces.all.iter_mut().for_each(|piece| piece.is_busy = false),
                // A lost device may still copy from or to them, so they are never freed.
                Err(_) => pieces.all.clear(),
            }
        }
        done
    }

    /// Queues a copy from the host, whose memory has been read when this returns. False if there is no pinned memory, and nothing
    /// was copied.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// The device has memory for all bytes from the address on.
    pub(crate) unsafe fn upload(&self, device: &impl Pinning<Mark = M>, from: &[u8], to: Address) -> Result<bool, Error> {
        self.with(device, |pieces| {
            for (n, part) in from.chunks(self.bytes).enumerate() {
                let Some(piece) = pieces.take(device)? else { return Ok(false) };
                let piece = &mut pieces.all[piece];
                // SAFETY: the piece is long enough, and the last copy that uses it was waited for.
                unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), piece.start, part.len()) };
                // SAFETY: the caller's promise; the piece is not written again before its mark is reached.
                unsafe { device.push(piece.start, to + (n * self.bytes) as u64, part.len()) }?;
                piece.is_busy = true;
                device.mark(&mut piece.mark)?;
            }
            Ok(true)
        })
    }

    /// Copies to the host, once the queued work is done. False if there is no pinned memory, and nothing was copied.
    ///
    /// # Errors
    /// When the device is lost, or work in its queue failed.
    ///
    /// # Safety
    /// The device has memory for all bytes from the address on.
    pub(crate) unsafe fn download(&self, device: &impl Pinning<Mark = M>, from: Address, to: &mut [u8]) -> Result<bool, Error> {
        self.with(device, |pieces| {
            let mut underway: VecDeque<(usize, &mut [u8])> = VecDeque::new();
            for (n, part) in to.chunks_mut(self.bytes).enumerate() {
                if underway.len() == pieces.all.len()
                    && let Some((piece, part)) = underway.pop_front()
                {
                    pieces.arrived(device, piece, part)?;
                }
                let Some(taken) = pieces.take(device)? else { return Ok(false) };
                let piece = &mut pieces.all[taken];
                // SAFETY: the caller's promise; the piece is not read before its mark is reached.
                unsafe { device.pull(from + (n * self.bytes) as u64, piece.start, part.len()) }?;
                piece.is_busy = true;
                device.mark(&mut piece.mark)?;
                underway.push_back((taken, part));
            }
            underway.into_iter().try_for_each(|(piece, part)| pieces.arrived(device, piece, part))?;
            Ok(true)
        })
    }

    /// Frees all pieces. No queued copy uses them.
    pub(crate) fn clear(&self, device: &impl Pinning<Mark = M>) {
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner).take();
        for Piece { start, mark, .. } in pieces.into_iter().flat_map(|pieces| pieces.all) {
            device.unmark(mark);
            // SAFETY: it was pinned with this many bytes, and no queued copy uses it.
            unsafe { device.unpin(start, self.bytes) };
        }
    }
}

impl<M: Debug + Send> Pieces<M> {
    /// The next piece, once no copy uses it; `None` where there are no pieces.
    fn take(&mut self, device: &impl Pinning<Mark = M>) -> Result<Option<usize>, Error> {
        let n = self.next;
        let Some(piece) = self.all.get_mut(n) else { return Ok(None) };
        if piece.is_busy {
            device.wait(&piece.mark)?;
            piece.is_busy = false;
        }
        self.next = (n + 1) % self.all.len();
        Ok(Some(n))
    }

    /// Waits for the copy to a piece, and copies on from there to the host's memory.
    fn arrived(&mut self, device: &impl Pinning<Mark = M>, piece: usize, part: &mut [u8]) -> Result<(), Error> {
        let piece = &mut self.all[piece];
        device.wait(&piece.mark)?;
        piece.is_busy = false;
        // SAFETY: the piece is long enough, and the copy to it is done.
        unsafe { std::ptr::copy_nonoverlapping(piece.start, part.as_mut_ptr(), part.len()) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use tensorwrapper_core::error::ErrorKind;

    /// A copy from or to this memory.
    type Copy = Box<dyn FnOnce(&mut Vec<u8>) + Send>;

    /// A device with ten bytes of memory that does its copies only when somebody waits for them, and pins a given number of
    /// pieces.
    struct Device {
        memory: Mutex<Vec<u8>>,
        pins: Mutex<usize>,
        pinned: Mutex<Vec<Box<[u8]>>>,
        /// Copies from and to pinned memory that are not done yet.
        late: Mutex<VecDeque<Copy>>,
        waits: Mutex<usize>,
        /// Whether marks fail, and whether the device is lost.
        fails: [bool; 2],
    }

    impl Device {
        fn new(pins: usize) -> Device {
            let (pinned, late, waits) = Default::default();
            Device { memory: Mutex::new(vec![0; 10]), pins: Mutex::new(pins), pinned, late, waits, fails: [false; 2] }
        }

        fn failing(&self, which: usize) -> Result<(), Error> {
            if self.fails[which] { Err(Error::new(ErrorKind::Device("lost".to_string()))) } else { Ok(()) }
        }

        fn finish(&self) {
            while let Some(copy) = self.late.lock().unwrap().pop_front() {
                copy(&mut self.memory.lock().unwrap());
            }
        }
    }

    impl Pinning for Device {
        type Mark = ();

        fn pin(&self, bytes: usize) -> Result<*mut u8, Error> {
            let mut pins = self.pins.lock().unwrap();
            *pins = pins.checked_sub(1).ok_or_else(|| Error::new(ErrorKind::Device("no more".to_string())))?;
            let mut piece = vec![0; bytes].into_boxed_slice();
            let start = piece.as_mut_ptr();
            self.pinned.lock().unwrap().push(piece);
            Ok(start)
        }

        unsafe fn unpin(&self, _: *mut u8, _: usize) {
            *self.pins.lock().unwrap() += 1;
        }

        unsafe fn push(&self, from: *const u8, to: Address, bytes: usize) -> Result<(), Error> {
            let from = from as usize;
            let copy = move |memory: &mut Vec<u8>| {
                // SAFETY: the piece is there as long as the device.
                let part = unsafe { std::slice::from_raw_parts(from as *const u8, bytes) };
                memory[to as usize..][..bytes].copy_from_slice(part);
            };
            self.late.lock().unwrap().push_back(Box::new(copy));
            Ok(())
        }

        unsafe fn pull(&self, from: Address, to: *mut u8, bytes: usize) -> Result<(), Error> {
            let to = to as usize;
            let copy = move |memory: &mut Vec<u8>| {
                // SAFETY: the piece is there as long as the device.
                let part = unsafe { std::slice::from_raw_parts_mut(to as *mut u8, bytes) };
                part.copy_from_slice(&memory[from as usize..][..bytes]);
            };
            self.late.lock().unwrap().push_back(Box::new(copy));
            Ok(())
        }

        fn marker(&self) -> Result<(), Error> {
            Ok(())
        }

        fn mark(&self, _: &mut ()) -> Result<(), Error> {
            self.failing(0)
        }

        fn wait(&self, _: &()) -> Result<(), Error> {
            *self.waits.lock().unwrap() += 1;
            self.finish();
            Ok(())
        }

        fn unmark(&self, _: ()) {}

        fn settle(&self) -> Result<(), Error> {
            self.failing(1).map(|()| self.finish())
        }
    }

    #[test]
    fn pieces_are_reused_once_their_copies_are_done() {
        let elements: Vec<u8> = (1..=10).collect();
        for (pins, waits) in [(1, 3), (2, 2), (4, 0)] {
            let (device, staging) = (Device::new(pins), Staging::new(3, 4));
            // SAFETY: the device has ten bytes.
            assert_eq!(unsafe { staging.upload(&device, &elements, 0) }, Ok(true));
            assert_eq!(*device.waits.lock().unwrap(), waits, "{pins} pieces");
            let mut found = [0; 10];
            // SAFETY: as above.
            assert_eq!(unsafe { staging.download(&device, 0, &mut found) }, Ok(true));
            assert_eq!(found[..], elements, "{pins} pieces");
            staging.clear(&device);
            assert_eq!(*device.pins.lock().unwrap(), pins, "all pinned memory is freed");
        }
    }

    /// Where the system pins nothing, the caller must copy by itself.
    #[test]
    fn without_pinned_memory_there_is_no_piece() {
        let (device, staging) = (Device::new(0), Staging::new(3, 4));
        // SAFETY: the device has ten bytes.
        assert_eq!(unsafe { staging.upload(&device, &[1; 10], 0) }, Ok(false));
        // SAFETY: as above.
        assert_eq!(unsafe { staging.download(&device, 0, &mut [1; 10]) }, Ok(false));
        assert!(device.late.lock().unwrap().is_empty());
    }

    /// A copy that cannot be waited for must not find other bytes in its piece.
    #[test]
    fn after_a_failure_no_copy_uses_a_piece() {
        let (mut device, staging) = (Device::new(2), Staging::new(3, 4));
        device.fails = [true, false];
        // SAFETY: the device has ten bytes.
        assert!(unsafe { staging.upload(&device, &[1; 10], 0) }.is_err());
        assert!(device.late.lock().unwrap().is_empty());
        device.fails = [false, false];
        // SAFETY: as above.
        assert_eq!(unsafe { staging.upload(&device, &[2; 10], 0) }, Ok(true));
        device.finish();
        assert_eq!(device.memory.lock().unwrap()[..], [2; 10]);
        device.fails = [true, true];
        // SAFETY: as above.
        assert!(unsafe { staging.download(&device, 0, &mut [0; 10]) }.is_err());
        device.fails = [false, false];
        // SAFETY: as above.
        assert_eq!(unsafe { staging.upload(&device, &[3; 10], 0) }, Ok(false), "a device that was lost has no pieces");
        staging.clear(&device);
        assert_eq!(*device.pins.lock().unwrap(), 0);
    }
}
