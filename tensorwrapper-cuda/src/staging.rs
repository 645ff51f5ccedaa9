//! Pinned memory of the host, through which transfers go in pieces: a device copies from there by itself, so that what is taken to it
//! is copied to the pinned memory alone before the caller goes on, and the next piece is copied by the host while the device copies
//! the last.
//!
//! There is a bounded number of pieces. Where the system pins no memory, there are none, and the caller copies as without.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use super::driver::Address;
use tensorwrapper_core::error::Error;

/// What a device does with pinned memory. All copies are queued in its one order.
pub(super) trait Pinning {
    /// A place in that order.
    type Mark: Debug + Send;

    /// Memory that the system never moves.
    ///
    /// # Errors
    /// Where there is none.
    fn pin(&self, bytes: usize) -> Result<*mut u8, Error>;

    /// Gives it back.
    ///
    /// # Safety
    /// It came from `pin` with so many bytes, and no copy that uses it is queued.
    unsafe fn unpin(&self, start: *mut u8, bytes: usize);

    /// Queues a copy from pinned memory.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// Both places have so many bytes, and nobody writes to the pinned ones until the copy is done.
    unsafe fn push(&self, from: *const u8, to: Address, bytes: usize) -> Result<(), Error>;

    /// Queues a copy to pinned memory.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// Both places have so many bytes, and nobody reads or writes the pinned ones until the copy is done.
    unsafe fn pull(&self, from: Address, to: *mut u8, bytes: usize) -> Result<(), Error>;

    /// A new mark, which is nowhere.
    ///
    /// # Errors
    /// When the device is lost.
    fn marker(&self) -> Result<Self::Mark, Error>;

    /// Puts it behind what is queued now.
    ///
    /// # Errors
    /// When the device is lost.
    fn mark(&self, mark: &mut Self::Mark) -> Result<(), Error>;

    /// Waits until all before it is done.
    ///
    /// # Errors
    /// When the device is lost, or work before it failed.
    fn wait(&self, mark: &Self::Mark) -> Result<(), Error>;

    /// Gives it back.
    fn unmark(&self, mark: Self::Mark);

    /// Waits until all copies that are queued are done.
    ///
    /// # Errors
    /// When the device is lost.
    fn settle(&self) -> Result<(), Error>;
}

/// The pieces of one device.
#[derive(Debug)]
pub(super) struct Staging<M> {
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
    /// Whether the device may still copy from it, up to the mark.
    is_busy: bool,
}

// SAFETY: pinned memory belongs to the piece alone, and may be used from any thread.
unsafe impl<M: Send> Send for Piece<M> {}

impl<M: Debug + Send> Staging<M> {
    /// At most so many pieces of so many bytes, at least one of one.
    pub(super) fn new(bytes: usize, count: usize) -> Staging<M> {
        Staging { bytes: bytes.max(1), count: count.max(1), pieces: Mutex::new(None) }
    }

    /// The pieces, made at the first transfer: as many as the system pins. After a failure no copy uses them, or nobody does any more.
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
                // A lost device may copy from or to them as long as the program runs.
                Err(_) => pieces.all.clear(),
            }
        }
        done
    }

    /// Queues a copy from the host, whose memory is read when this returns; whether there is pinned memory for it.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// The device has memory for all bytes from the address on.
    pub(super) unsafe fn upload(&self, device: &impl Pinning<Mark = M>, from: &[u8], to: Address) -> Result<bool, Error> {
        self.with(device, |pieces| {
            for (n, part) in from.chunks(self.bytes).enumerate() {
                let Some(piece) = pieces.take(device)? else { return Ok(false) };
                let piece = &mut pieces.all[piece];
                // SAFETY: the piece is as long, and no copy uses it: it was waited for.
                unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), piece.start, part.len()) };
                // SAFETY: as the caller promises; the piece is written again behind its mark.
                unsafe { device.push(piece.start, to + (n * self.bytes) as u64, part.len()) }?;
                piece.is_busy = true;
                device.mark(&mut piece.mark)?;
            }
            Ok(true)
        })
    }

    /// Copies to the host, once what is queued has been done; whether there is pinned memory for it.
    ///
    /// # Errors
    /// When the device is lost, or work in its queue failed.
    ///
    /// # Safety
    /// The device has memory for all bytes from the address on.
    pub(super) unsafe fn download(&self, device: &impl Pinning<Mark = M>, from: Address, to: &mut [u8]) -> Result<bool, Error> {
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
                // SAFETY: as the caller promises; the piece is read behind its mark.
                unsafe { device.pull(from + (n * self.bytes) as u64, piece.start, part.len()) }?;
                piece.is_busy = true;
                device.mark(&mut piece.mark)?;
                underway.push_back((taken, part));
            }
            underway.into_iter().try_for_each(|(piece, part)| pieces.arrived(device, piece, part))?;
            Ok(true)
        })
    }

    /// Gives all back. Nothing that uses them is queued any more.
    pub(super) fn clear(&self, device: &impl Pinning<Mark = M>) {
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner).take();
        for Piece { start, mark, .. } in pieces.into_iter().flat_map(|pieces| pieces.all) {
            device.unmark(mark);
            // SAFETY: it was pinned with so many bytes, and nothing that uses it is queued.
            unsafe { device.unpin(start, self.bytes) };
        }
    }
}

impl<M: Debug + Send> Pieces<M> {
    /// The next piece, once the device has done with it; `None` where there are none.
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

    /// Takes out what the device has copied to a piece.
    fn arrived(&mut self, device: &impl Pinning<Mark = M>, piece: usize, part: &mut [u8]) -> Result<(), Error> {
        let piece = &mut self.all[piece];
        device.wait(&piece.mark)?;
        piece.is_busy = false;
        // SAFETY: the piece is as long, and the copy to it is done.
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

    /// A device with ten bytes of memory, whose copies are done when somebody waits; it pins so many pieces.
    struct Device {
        memory: Mutex<Vec<u8>>,
        pins: Mutex<usize>,
        pinned: Mutex<Vec<Box<[u8]>>>,
        /// Copies that are not done: from and to pinned memory.
        late: Mutex<VecDeque<Copy>>,
        waits: Mutex<usize>,
        /// Whether marks fail, and whether it is lost.
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
    fn pieces_are_used_again_once_the_device_has_done_with_them() {
        let elements: Vec<u8> = (1..=10).collect();
        for (pins, waits) in [(1, 3), (2, 2), (4, 0)] {
            let (device, staging) = (Device::new(pins), Staging::new(3, 4));
            // SAFETY: there are ten bytes.
            assert_eq!(unsafe { staging.upload(&device, &elements, 0) }, Ok(true));
            assert_eq!(*device.waits.lock().unwrap(), waits, "{pins} pieces");
            let mut found = [0; 10];
            // SAFETY: as above.
            assert_eq!(unsafe { staging.download(&device, 0, &mut found) }, Ok(true));
            assert_eq!(found[..], elements, "{pins} pieces");
            staging.clear(&device);
            assert_eq!(*device.pins.lock().unwrap(), pins, "all that was pinned is given back");
        }
    }

    /// Where the system pins nothing, the caller is told to copy by itself.
    #[test]
    fn without_pinned_memory_there_is_no_piece() {
        let (device, staging) = (Device::new(0), Staging::new(3, 4));
        // SAFETY: there are ten bytes.
        assert_eq!(unsafe { staging.upload(&device, &[1; 10], 0) }, Ok(false));
        // SAFETY: as above.
        assert_eq!(unsafe { staging.download(&device, 0, &mut [1; 10]) }, Ok(false));
        assert!(device.late.lock().unwrap().is_empty());
    }

    /// A copy whose end nobody can wait for is not to find other bytes in its piece.
    #[test]
    fn after_a_failure_no_copy_uses_a_piece() {
        let (mut device, staging) = (Device::new(2), Staging::new(3, 4));
        device.fails = [true, false];
        // SAFETY: there are ten bytes.
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
        assert_eq!(unsafe { staging.upload(&device, &[3; 10], 0) }, Ok(false), "there are no pieces for a device that was lost");
        staging.clear(&device);
        assert_eq!(*device.pins.lock().unwrap(), 0);
    }
}
