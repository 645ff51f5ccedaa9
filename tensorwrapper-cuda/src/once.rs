//! Values that are made once for each key: of several threads that ask for the same one, one makes it, and different ones are made at the same
//! time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tensorwrapper_core::error::Error;

/// Values by their keys. What is being made is locked by whoever makes it.
#[derive(Debug)]
pub(super) struct Once<K, V>(Mutex<HashMap<K, Arc<Mutex<Option<V>>>>>);

impl<K, V> Default for Once<K, V> {
    fn default() -> Once<K, V> {
        Once(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Once<K, V> {
    /// All values, none of which is there then.
    pub(super) fn take(&mut self) -> Vec<V> {
        let places = std::mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner));
        places.into_values().filter_map(|place| place.lock().unwrap_or_else(PoisonError::into_inner).take()).collect()
    }

    fn place(&self, key: K) -> Arc<Mutex<Option<V>>> {
        Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default())
    }

    /// The value of a key. Who asks while it is made waits for it; nobody waits for others. What was not made is tried again.
    pub(super) fn get(&self, key: K, make: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
        let place = self.place(key);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        match &*place {
            Some(value) => Ok(value.clone()),
            None => make().inspect(|value| *place = Some(value.clone())),
        }
    }

    /// The value, if it is there now: nobody waits for whoever makes it.
    pub(super) fn find(&self, key: &K) -> Option<V> {
        let place = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key)?);
        // One of a thread that has panicked is asked for by `get`.
        place.try_lock().ok().and_then(|place| place.clone())
    }

    /// Forgets a value: whoever asks for it then makes it again.
    pub(super) fn forget(&self, key: &K) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// Adds a value where there is none, and where nobody makes one now.
    pub(super) fn add(&self, key: K, value: V) {
        if let Ok(mut place) = self.place(key).try_lock() {
            place.get_or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use tensorwrapper_core::error::ErrorKind;

    #[test]
    fn each_is_made_once_and_different_ones_at_the_same_time() {
        let (once, made) = (Once::<&str, usize>::default(), AtomicUsize::new(0));
        let late = Instant::now() + Duration::from_secs(60);
        let make = |value: usize| {
            made.fetch_add(1, Ordering::Relaxed);
            // Who makes one waits here for whoever makes the other.
            while made.load(Ordering::Relaxed) < 2 {
                assert!(Instant::now() < late, "one is made after the other");
                std::thread::yield_now();
            }
            Ok(value)
        };
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (once, make) = (&once, &make);
                scope.spawn(move || assert_eq!(once.get(["a", "b"][n % 2], || make(n % 2)), Ok(n % 2)));
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn what_failed_is_tried_again() {
        let once = Once::<&str, usize>::default();
        let failed = || Err(Error::new(ErrorKind::Device("no memory".to_string())));
        assert!(once.get("a", failed).is_err());
        assert_eq!(once.find(&"a"), None);
        assert_eq!(once.get("a", || Ok(1)), Ok(1));
        assert_eq!(once.get("a", failed), Ok(1));
    }

    #[test]
    fn what_is_being_made_is_neither_found_nor_replaced() {
        let once = Once::<&str, usize>::default();
        let made = once.get("a", || {
            once.add("a", 1);
            once.add("b", 2);
            assert_eq!((once.find(&"a"), once.find(&"b"), once.find(&"c")), (None, Some(2), None));
            Ok(3)
        });
        once.add("a", 4);
        once.add("b", 5);
        assert_eq!((made, once.find(&"a"), once.find(&"b")), (Ok(3), Some(3), Some(2)));
    }
}
