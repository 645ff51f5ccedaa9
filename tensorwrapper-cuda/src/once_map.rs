//! A map whose values are computed once for each key: if several threads ask for the same key, one of them computes the value and
//! the others wait; values of different keys are computed at the same time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tensorwrapper_core::error::Error;

/// Values by their keys. A value that is being computed is locked by the thread that computes it.
#[derive(Debug)]
pub(crate) struct OnceMap<K, V>(Mutex<HashMap<K, Arc<Mutex<Option<V>>>>>);

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> OnceMap<K, V> {
        OnceMap(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> OnceMap<K, V> {
    /// Takes all values out.
    pub(crate) fn take(&mut self) -> Vec<V> {
        let places = std::mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner));
        places.into_values().filter_map(|place| place.lock().unwrap_or_else(PoisonError::into_inner).take()).collect()
    }

    fn place(&self, key: K) -> Arc<Mutex<Option<V>>> {
        Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default())
    }

    /// The value of a key, computed by `make` if there is none. This waits if another thread computes the same value. After an
    /// error the next call tries again.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
        let place = self.place(key);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        match &*place {
            Some(value) => Ok(value.clone()),
            None => make().inspect(|value| *place = Some(value.clone())),
        }
    }

    /// The value, if there is one now. This does not wait for a thread that computes it.
    pub(crate) fn find(&self, key: &K) -> Option<V> {
        let place = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key)?);
        // A value whose thread has panicked is left to `get`.
        place.try_lock().ok().and_then(|place| place.clone())
    }

    /// Removes a value.
    pub(crate) fn forget(&self, key: &K) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// Adds a value if there is none and no thread computes one now.
    pub(crate) fn add(&self, key: K, value: V) {
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
    fn values_are_computed_once_and_in_parallel() {
        let (once, made) = (OnceMap::<&str, usize>::default(), AtomicUsize::new(0));
        let late = Instant::now() + Duration::from_secs(60);
        let make = |value: usize| {
            made.fetch_add(1, Ordering::Relaxed);
            // The thread that computes one value waits here for the other.
            while made.load(Ordering::Relaxed) < 2 {
                assert!(Instant::now() < late, "the values are computed one after the other");
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
    fn failures_are_tried_again() {
        let once = OnceMap::<&str, usize>::default();
        let failed = || Err(Error::new(ErrorKind::Device("no memory".to_string())));
        assert!(once.get("a", failed).is_err());
        assert_eq!(once.find(&"a"), None);
        assert_eq!(once.get("a", || Ok(1)), Ok(1));
        assert_eq!(once.get("a", failed), Ok(1));
    }

    #[test]
    fn values_in_the_making_are_neither_found_nor_replaced() {
        let once = OnceMap::<&str, usize>::default();
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
