//! Owned elements, aligned to cache lines.
//!
//! The elements begin at a cache line, so that no vector of them crosses two lines. When an owner is dropped, its memory goes to the
//! memory pool, from which new results take it; memory of small tensors does not. Shapes are not known here.
//!
//! Allocators begin large memory 16 bytes after a cache line, and every vector of 512 bits then lies in two lines (by the alignment
//! alone, outer products in `f32` went from 56 to 96 % of the speed of writing). The memory is a `Vec` one line longer than its elements,
//! because a `Vec` of another alignment would be freed wrongly; `into_vec` moves the elements to its beginning. Elements that are given
//! as a `Vec` stay where they are.
//!
//! In debug builds the memory of a result begins as NaN, so that tests find a kernel that reads memory that it has not written, or leaves
//! it unwritten.

mod pages;

use std::ops::{Deref, DerefMut};

use super::device_mirror::{self, Mirror};
use super::memory::{addresses, refused, reserve, zeros};
use super::memory_pool::{LINE, class_of, is_near, pool};
use super::plain::Plain;
use crate::error::Error;

/// Bytes of elements that are worth beginning at a line.
const ALIGNED: usize = 4 << 10;

/// Elements and the memory that they are in.
///
/// Allocators align a vector to its elements, or to 16 bytes. So the vector is longer than needed, and the elements begin at its first
/// cache line.
#[derive(Debug, Default)]
pub struct Owned<T: Plain> {
    memory: Vec<T>,
    /// The place of the first element, at most the vector's length.
    start: usize,
    /// Their copy on a device: dropped as soon as they may change, and before their memory is.
    mirror: Option<Mirror>,
    /// What pins their pages: dropped before their memory is moved or freed.
    pinned: Option<device_mirror::Copy>,
}

/// A panic leaves elements as it leaves those of a vector; a copy on a device is dropped as a whole.
impl<T: Plain> std::panic::UnwindSafe for Owned<T> {}
impl<T: Plain> std::panic::RefUnwindSafe for Owned<T> {}

impl<T: Plain> Owned<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the system has none.
    pub fn zeros(len: usize) -> Result<Owned<T>, Error> {
        match Owned::kept(len) {
            // Clearing memory that is mapped takes less time than the system takes to map it and clear it.
            Some(mut owned) => {
                owned.fill(T::default());
                Ok(owned)
            }
            None => Owned::mapped(len, len),
        }
    }

    /// `len` zeros in memory of the system that has room for `room` elements.
    fn mapped(len: usize, room: usize) -> Result<Owned<T>, Error> {
        let memory = zeros(padded::<T>(room)).map_err(|_| refused::<T>(len))?;
        Ok(Owned::within(memory, len))
    }

    /// `len` elements of any values in memory of the pool, if it has such.
    fn kept(len: usize) -> Option<Owned<T>> {
        let memory = pool(len.saturating_mul(size_of::<T>()))?.take(len)?;
        Some(Owned::within(memory, len))
    }

    /// `len` elements of one value.
    ///
    /// # Errors
    /// As [`zeros`](Owned::zeros).
    pub fn filled(len: usize, value: T) -> Result<Owned<T>, Error> {
        let mut owned = Owned::with_room(len)?;
        owned.memory.resize(owned.start + len, value);
        Ok(owned)
    }

    /// No elements yet, and room for `len`, in memory of the pool if it has such.
    ///
    /// # Errors
    /// As [`zeros`](Owned::zeros).
    pub fn with_room(len: usize) -> Result<Owned<T>, Error> {
        if let Some(mut owned) = Owned::kept(len) {
            owned.memory.truncate(owned.start);
            return Ok(owned);
        }
        let memory = reserve(padded::<T>(len)).map_err(|_| refused::<T>(len))?;
        Ok(Owned::in_room(memory, len))
    }

    /// `len` elements whose values are arbitrary: each has to be written before it is read.
    ///
    /// # Errors
    /// As [`zeros`](Owned::zeros).
    pub fn for_results(len: usize) -> Result<Owned<T>, Error> {
        Ok(Owned::for_addresses(len)?.unwritten())
    }

    /// As [`for_results`](Owned::for_results), where results follow that are nearly as long: new memory of 16 KiB to 4 MiB is rounded up to
    /// one of eight sizes for each power of two, so that these take it when it is kept.
    ///
    /// # Errors
    /// As [`zeros`](Owned::zeros).
    pub fn for_results_of_its_class(len: usize) -> Result<Owned<T>, Error> {
        Ok(Owned::kept(len).map_or_else(|| Owned::mapped(len, class_of::<T>(len)), Ok)?.unwritten())
    }

    /// In debug builds, elements that are to be written: whoever reads one that it has not written is to be found out.
    fn unwritten(mut self) -> Owned<T> {
        if cfg!(debug_assertions) {
            self.fill(T::UNWRITTEN);
        }
        self
    }

    /// `len` elements that are neither read nor written, for their addresses alone. The memory comes from the pool, or else from the
    /// system as zeroed pages that are not mapped yet. Without the pool, an allocator would clear memory that it reuses.
    ///
    /// # Errors
    /// As [`zeros`](Owned::zeros).
    pub fn for_addresses(len: usize) -> Result<Owned<T>, Error> {
        Owned::kept(len).map_or_else(|| Owned::mapped(len, len), Ok)
    }

    /// The last `len` elements of memory that has room for them after the beginning of its first cache line.
    fn within(memory: Vec<T>, len: usize) -> Owned<T> {
        let start = start_in(&memory, memory.len() - len);
        let mut owned = Owned::from(memory);
        owned.memory.truncate(start + len);
        owned.start = start;
        owned
    }

    /// No elements yet, in an empty vector that has room for `len` elements after the beginning of its first cache line.
    fn in_room(memory: Vec<T>, len: usize) -> Owned<T> {
        let start = start_in(&memory, padded::<T>(len) - len);
        let mut owned = Owned::from(memory);
        owned.memory.resize(start, T::default());
        owned.start = start;
        owned
    }

    /// Appends an element.
    pub fn push(&mut self, element: T) {
        self.unpin();
        self.memory.push(element);
    }

    /// The elements as a vector. They are moved to the beginning of their memory, but not to other memory.
    pub fn into_vec(mut self) -> Vec<T> {
        self.unpin();
        let mut elements = std::mem::take(&mut self.memory);
        elements.drain(..self.start);
        self.start = 0;
        elements
    }

    /// Removes the registration of the copy on a device.
    #[inline]
    pub fn drop_mirror(&mut self) {
        if self.mirror.is_some() {
            self.mirror = None;
        }
    }

    /// Registers a copy of the elements on a device.
    pub fn set_mirror(&mut self, copy: device_mirror::Copy) {
        self.drop_mirror();
        self.mirror = Mirror::new(addresses(self), copy);
    }

    /// Whether they have a copy on a device.
    pub fn is_mirrored(&self) -> bool {
        self.mirror.is_some()
    }
}

/// The clone has no copy on a device.
impl<T: Plain> Clone for Owned<T> {
    fn clone(&self) -> Owned<T> {
        Owned::from(&**self)
    }
}

impl<T: Plain> From<&[T]> for Owned<T> {
    fn from(elements: &[T]) -> Owned<T> {
        let len = elements.len();
        // If the system has no memory, the program ends, as when a vector is cloned.
        let mut copy = Owned::with_room(len).unwrap_or_else(|_| Owned::in_room(Vec::with_capacity(padded::<T>(len)), len));
        copy.memory.extend_from_slice(elements);
        copy
    }
}

impl<T: Plain> PartialEq for Owned<T> {
    fn eq(&self, other: &Owned<T>) -> bool {
        **self == **other
    }
}

impl<T: Plain> From<Vec<T>> for Owned<T> {
    /// Keeps the vector's memory as it is, no matter how it is aligned.
    fn from(memory: Vec<T>) -> Owned<T> {
        Owned { memory, start: 0, mirror: None, pinned: None }
    }
}

impl<T: Plain> Deref for Owned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.start..]
    }
}

impl<T: Plain> DerefMut for Owned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.drop_mirror();
        &mut self.memory[self.start..]
    }
}

impl<T: Plain> AsRef<[T]> for Owned<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Plain> AsMut<[T]> for Owned<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Plain> Extend<T> for Owned<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        self.unpin();
        self.memory.extend(elements);
    }
}

impl<T: Plain> Drop for Owned<T> {
    #[inline]
    fn drop(&mut self) {
        self.unpin();
        let elements = self.len();
        let (room, class) = (self.memory.capacity() - self.start, class_of::<T>(elements));
        if class > elements && room >= class && is_near(room, elements) {
            // Longer results of its class may take it, too. Nobody waits for the pool meanwhile.
            self.memory.resize(self.memory.capacity(), T::default());
        }
        if let Some(mut pool) = pool(elements * size_of::<T>()) {
            let gone = pool.keep(std::mem::take(&mut self.memory), elements);
            // Giving memory back takes its time.
            drop(pool);
            drop(gone);
        }
    }
}

/// The number of elements that memory must have, so that `len` elements fit after the beginning of its first cache line.
fn padded<T: Plain>(len: usize) -> usize {
    let few = len < ALIGNED / size_of::<T>();
    if few { len } else { len.saturating_add(LINE / size_of::<T>() - 1) }
}

/// The first position at which a cache line begins, if it is one of the first `places`; otherwise 0.
fn start_in<T: Plain>(memory: &[T], places: usize) -> usize {
    let start = memory.as_ptr().align_offset(LINE);
    if start <= places { start } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;

    /// Of another length than tensors of other tests, which share what is kept.
    const LEN: usize = (4 << 20) / 8 + 12_345;

    #[test]
    fn results_are_made_in_what_is_kept() {
        // Other tests use the pool, too: the one for what is not large may be taken just then.
        for len in [2 * LEN, 12_345] {
            let is_same = (0..1000).any(|_| {
                let gone = Owned::<f64>::zeros(len).unwrap();
                let at = gone.as_ptr();
                drop(gone);
                // As long as it is in the pool, no allocator gives it to anybody.
                let Some(kept) = pool(8 * len).and_then(|mut pool| pool.take::<f64>(len)) else { return false };
                let is_kept = kept.as_ptr_range().contains(&at);
                drop(pool(8 * len).map(|mut pool| pool.keep(kept, len)));
                let result = Owned::<f64>::for_results(len).unwrap();
                assert_eq!((result.len(), result.as_ptr() as usize % LINE), (len, 0));
                assert!(!cfg!(debug_assertions) || result.iter().all(|x| x.is_nan()));
                let is_same = is_kept && result.as_ptr() == at;
                assert_eq!(result.into_vec().len(), len);
                is_same
            });
            assert!(is_same, "{len}");
        }
    }

    #[test]
    fn a_longer_result_is_made_in_memory_of_its_class() {
        // As above.
        let (shorter, longer) = (40_001, 40_960);
        let is_same = (0..1000).any(|_| {
            let gone = Owned::<f64>::for_results_of_its_class(shorter).unwrap();
            let at = gone.as_ptr();
            drop(gone);
            let result = Owned::<f64>::for_results_of_its_class(longer).unwrap();
            assert_eq!((result.len(), result.as_ptr() as usize % LINE), (longer, 0));
            result.as_ptr() == at
        });
        assert!(is_same);
    }

    #[test]
    fn memory_for_addresses_is_what_is_kept_and_is_not_touched() {
        let len = 3 * LEN;
        // As above.
        let is_same = (0..1000).any(|_| {
            let mut gone = Owned::<f64>::zeros(len).unwrap();
            gone[len / 2] = 7.0;
            let at = gone.as_ptr();
            drop(gone);
            let addresses = Owned::<f64>::for_addresses(len).unwrap();
            addresses.as_ptr() == at && addresses[len / 2] == 7.0
        });
        assert!(is_same);
    }

    #[test]
    fn copies_are_made_in_what_is_kept() {
        let elements = vec![7.0; LEN + 4321];
        // As above.
        let is_same = (0..1000).any(|_| {
            let gone = Owned::from(&elements[..]);
            let at = gone.as_ptr();
            drop(gone);
            let copy = Owned::from(&elements[..]);
            assert_eq!(*copy, elements);
            copy.as_ptr() == at && copy.clone().as_ptr() != at
        });
        assert!(is_same);
    }

    #[test]
    fn large_elements_begin_at_a_line_however_they_are_made() {
        fn check<T: Element>() {
            let (few, many) = (ALIGNED / size_of::<T>() - 1, ALIGNED / size_of::<T>() + 3);
            for len in [0, 1, few, many] {
                let numbers: Vec<T> = (0..len).map(|n| T::from_complex((n as f64).into())).collect();
                let mut pushed = Owned::with_room(len).unwrap();
                numbers.iter().for_each(|x| pushed.push(*x));
                let mut extended = Owned::with_room(len).unwrap();
                extended.extend(numbers.iter().copied());
                let mut written = Owned::zeros(len).unwrap();
                written.copy_from_slice(&numbers);
                let copied = Owned::from(&numbers[..]);
                for owned in [pushed, extended, written, copied.clone(), copied] {
                    assert!(len < many || (owned.as_ptr() as usize).is_multiple_of(LINE), "{len} {:?}", T::DTYPE);
                    assert_eq!(*owned, numbers);
                    assert_eq!(owned.into_vec(), numbers);
                }
                assert_eq!(*Owned::filled(len, T::ONE).unwrap(), vec![T::ONE; len]);
            }
        }
        check::<f32>();
        check::<f64>();
        check::<num_complex::Complex<f32>>();
        check::<num_complex::Complex<f64>>();
    }
}
