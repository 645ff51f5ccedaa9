//! Elements that something owns, and the memory of large ones that are gone, kept for the next.
//!
//! The system clears every page that it gives, which takes longer than many a product that fills it: so memory of large
//! tensors is kept when they go, up to a bound, and results are made in it. What a tensor looks like is not known here.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::element::Element;
use crate::erased::zeros;
use crate::error::Error;
#[cfg(feature = "cuda")]
use crate::held::Held;

/// Bytes of memory that is worth keeping: smaller memory the allocator keeps itself.
const LARGE: usize = 4 << 20;
/// Bytes that are kept at most, unless the program says otherwise.
const MOST: usize = 1 << 30;

/// Elements and their memory.
#[derive(Debug, Default)]
pub struct Owned<T: Element> {
    elements: Vec<T>,
    /// Their copy on a device: gone as soon as they may change, and before their memory is.
    #[cfg(feature = "cuda")]
    held: Option<Held>,
}

impl<T: Element> Owned<T> {
    /// `len` elements that are to be written before they are read: what they are is not known.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has none.
    pub(crate) fn for_results(len: usize) -> Result<Owned<T>, Error> {
        if len.saturating_mul(size_of::<T>()) < LARGE {
            return zeros(len).map(Owned::from);
        }
        let kept = spare().take::<T>(len);
        if let Some(mut kept) = kept {
            if cfg!(debug_assertions) {
                // Whoever reads what it has not written is to be found out.
                kept.fill(T::from_complex(f64::NAN.into()));
            }
            return Ok(Owned::from(kept));
        }
        zeros(len).map(Owned::from)
    }

    /// The elements, for good.
    pub(crate) fn into_vec(mut self) -> Vec<T> {
        self.let_go();
        std::mem::take(&mut self.elements)
    }

    /// The elements have no copy on a device from now on.
    #[inline]
    pub(crate) fn let_go(&mut self) {
        #[cfg(feature = "cuda")]
        if self.held.is_some() {
            self.held = None;
        }
    }

    /// The elements have this copy on a device.
    #[cfg(feature = "cuda")]
    pub(crate) fn hold(&mut self, copy: crate::held::Copy) {
        self.let_go();
        self.held = Held::new(T::erase(&self.elements).addresses(), copy);
    }

    /// Whether they have a copy on a device.
    pub(crate) fn is_held(&self) -> bool {
        #[cfg(feature = "cuda")]
        return self.held.is_some();
        #[cfg(not(feature = "cuda"))]
        false
    }
}

/// Elements without the copy on a device that others have.
impl<T: Element> Clone for Owned<T> {
    fn clone(&self) -> Owned<T> {
        Owned::from(self.elements.clone())
    }
}

impl<T: Element> PartialEq for Owned<T> {
    fn eq(&self, other: &Owned<T>) -> bool {
        self.elements == other.elements
    }
}

impl<T: Element> From<Vec<T>> for Owned<T> {
    fn from(elements: Vec<T>) -> Owned<T> {
        Owned {
            elements,
            #[cfg(feature = "cuda")]
            held: None,
        }
    }
}

impl<T: Element> Deref for Owned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T: Element> DerefMut for Owned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.let_go();
        &mut self.elements
    }
}

impl<T: Element> AsRef<[T]> for Owned<T> {
    fn as_ref(&self) -> &[T] {
        &self.elements
    }
}

impl<T: Element> AsMut<[T]> for Owned<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Element> Drop for Owned<T> {
    #[inline]
    fn drop(&mut self) {
        self.let_go();
        if self.elements.len() >= LARGE / size_of::<T>() {
            let gone = spare().keep(std::mem::take(&mut self.elements));
            // The lock is open again: giving memory back takes its time.
            drop(gone);
        }
    }
}

/// Says how many bytes of memory of large tensors that are gone the whole process keeps for results to come: 1 GiB until
/// told otherwise. What is above that now is given back at once, so that 0 gives back all, and nothing is kept from then on.
///
/// Memory of less than 4 MiB is the allocator's business in any case. Kept memory makes the next large result faster: pages
/// that are new must be cleared by the system first, which takes longer than many a product that fills them.
///
/// ```
/// use tensorwrapper_runtime::{Tensor, keep_memory};
/// drop(Tensor::<f64>::zeros([1024, 1024])?); // its 8 MiB wait for a result of that size
/// keep_memory(0); // and are the system's again
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn keep_memory(bytes: usize) {
    let gone = {
        let mut spare = spare();
        spare.most = bytes;
        spare.shrink(bytes)
    };
    drop(gone);
}

/// Gives all that is kept back to the system, which has refused to give more; whether there was any.
pub(crate) fn give_back() -> bool {
    let gone = spare().shrink(0);
    !gone.is_empty()
}

/// Memory without a tensor, the longest kept first.
#[derive(Debug)]
struct Spare {
    kept: VecDeque<Kept>,
    bytes: usize,
    most: usize,
}

#[derive(Debug)]
struct Kept {
    bytes: usize,
    /// A vector of elements.
    elements: Box<dyn Any + Send>,
}

fn spare() -> MutexGuard<'static, Spare> {
    static SPARE: Mutex<Spare> = Mutex::new(Spare { kept: VecDeque::new(), bytes: 0, most: MOST });
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Spare {
    /// Keeps memory, and says what has to go for it.
    #[must_use]
    fn keep<T: Element>(&mut self, elements: Vec<T>) -> (Vec<Kept>, Option<Vec<T>>) {
        let bytes = elements.capacity() * size_of::<T>();
        if bytes > self.most {
            return (Vec::new(), Some(elements));
        }
        let gone = self.shrink(self.most - bytes);
        self.bytes += bytes;
        self.kept.push_back(Kept { bytes, elements: Box::new(elements) });
        (gone, None)
    }

    /// Gives up the longest kept until no more than so many bytes are left.
    #[must_use]
    fn shrink(&mut self, bytes: usize) -> Vec<Kept> {
        let mut gone = Vec::new();
        while self.bytes > bytes {
            let kept = self.kept.pop_front().expect("bytes are kept somewhere");
            self.bytes -= kept.bytes;
            gone.push(kept);
        }
        gone
    }

    /// The smallest that is kept for so many elements, if it is not much too large.
    fn take<T: Element>(&mut self, len: usize) -> Option<Vec<T>> {
        let fits = |kept: &Kept| {
            let found = kept.elements.downcast_ref::<Vec<T>>()?.len();
            (found >= len && kept.bytes / size_of::<T>() <= len + len / 4).then_some(found)
        };
        let best = self.kept.iter().enumerate().filter_map(|(n, kept)| Some((fits(kept)?, n))).min()?;
        let kept = self.kept.remove(best.1)?;
        self.bytes -= kept.bytes;
        let mut elements = *kept.elements.downcast::<Vec<T>>().ok()?;
        elements.truncate(len);
        Some(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of another length than tensors of other tests, which share what is kept.
    const LEN: usize = LARGE / 8 + 12_345;

    #[test]
    fn memory_that_is_gone_is_the_next_results() {
        let mut spare = Spare { kept: VecDeque::new(), bytes: 0, most: 3 * 8 * LEN };
        let first = vec![1.0; LEN];
        let at = first.as_ptr();
        assert!(spare.keep(first).0.is_empty());
        assert!(spare.take::<f32>(LEN).is_none(), "another type");
        assert!(spare.take::<f64>(LEN + 1).is_none(), "too small");
        assert!(spare.take::<f64>(LEN / 2).is_none(), "much too large");
        let again = spare.take::<f64>(LEN - 10).unwrap();
        assert_eq!((again.as_ptr(), again.len(), spare.bytes), (at, LEN - 10, 0));
        assert!(spare.take::<f64>(LEN - 10).is_none(), "it was taken");
    }

    #[test]
    fn no_more_is_kept_than_is_said() {
        let mut spare = Spare { kept: VecDeque::new(), bytes: 0, most: 2 * 8 * LEN };
        for n in 0..4 {
            let (gone, refused) = spare.keep(vec![n as f64; LEN]);
            assert_eq!((gone.len(), refused), (usize::from(n >= 2), None));
        }
        assert_eq!((spare.bytes, spare.kept.len()), (2 * 8 * LEN, 2));
        assert_eq!(spare.take::<f64>(LEN).unwrap()[0], 2.0, "of equals the longest kept");
        assert!(spare.keep(vec![0.0; 3 * LEN]).1.is_some(), "more than may be kept at all");
        assert_eq!((spare.shrink(0).len(), spare.bytes), (1, 0));
    }

    #[test]
    fn results_are_made_in_what_is_kept() {
        let len = 2 * LEN;
        let owned = Owned::<f64>::from(vec![1.0; len]);
        drop(owned);
        let result = Owned::<f64>::for_results(len).unwrap();
        assert_eq!(result.len(), len);
        assert_eq!(result.into_vec().len(), len);
    }
}
