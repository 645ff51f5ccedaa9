//! Counted pointers between the nodes of a recording, which may be a chain of any length: dropping one never recurses.
//!
//! An `Arc` drops its value inside its own `drop`, so dropping a chain of ten thousand `Arc`s overflows the stack. A [`Link`]
//! that is dropped while another link drops its node is put on a list instead; the outermost drop works through the list. This
//! file must not know what nodes are.
//!
//! The type behind a link is erased, so that a recorded result needs no `Drop` implementation. With one, the borrow checker
//! would require its borrows to live longer than programs keep them. Lowering and the passes are loops, too, so that long
//! chains do not overflow the stack.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// What links may point to.
///
/// # Safety
/// Dropping a node must read nothing that it borrows, because a node may be dropped later than its last link, though before the
/// outermost drop on that thread returns. Types without a `Drop` of their own that hold plain borrows, owned memory and links
/// keep this promise.
pub(crate) unsafe trait Node {}

/// A counted pointer to a node, as an [`Arc`] is one.
pub(crate) struct Link<N> {
    count: Count,
    node: PhantomData<Arc<N>>,
}

/// One reference count of an `Arc` whose type is erased. It has the `Drop` implementation that [`Link`] must not have: with a
/// `Drop` on the generic type, the borrow checker would require the borrows of nodes to live longer than programs keep them.
struct Count {
    node: NonNull<()>,
    /// Gives the count back, and drops the node if it was the last.
    release: unsafe fn(NonNull<()>),
}

// SAFETY: a link is an `Arc`, which may be sent and shared where its node may be sent and shared.
unsafe impl<N: Send + Sync> Send for Link<N> {}
// SAFETY: as above.
unsafe impl<N: Send + Sync> Sync for Link<N> {}

impl<N: Node> Link<N> {
    /// A node with one link.
    pub(crate) fn new(node: N) -> Link<N> {
        Link::counted(Arc::new(node))
    }

    fn counted(node: Arc<N>) -> Link<N> {
        let node = NonNull::new(Arc::into_raw(node).cast_mut()).expect("an `Arc` is nowhere null").cast();
        Link { count: Count { node, release: release::<N> }, node: PhantomData }
    }

    /// The address of the node, which is the same for all links to it.
    pub(crate) fn address(link: &Link<N>) -> *const N {
        link.count.node.as_ptr().cast_const().cast()
    }
}

/// # Safety
/// `node` comes from `Arc::<N>::into_raw`, and the caller owns one count of it.
unsafe fn release<N>(node: NonNull<()>) {
    // SAFETY: the caller hands over the count.
    drop(unsafe { Arc::from_raw(node.as_ptr().cast_const().cast::<N>()) });
}

impl<N: Node> Clone for Link<N> {
    fn clone(&self) -> Link<N> {
        // SAFETY: the pointer comes from `Arc::into_raw`, and this link's count keeps the node.
        unsafe { Arc::increment_strong_count(Link::address(self)) };
        Link { count: Count { ..self.count }, node: PhantomData }
    }
}

impl<N: Node> Deref for Link<N> {
    type Target = N;
    fn deref(&self) -> &N {
        // SAFETY: this link's count keeps the node, to which there are shared references alone.
        unsafe { &*Link::address(self) }
    }
}

impl<N: Node + fmt::Debug> fmt::Debug for Link<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Counts that wait to be released while another one is being released. The order of release does not matter.
type Waiting = Vec<(NonNull<()>, unsafe fn(NonNull<()>))>;

thread_local! {
    static WAITING: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}

/// Ends the list of this thread, also when a node panics as it is dropped; what still waits is then never freed.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        let _ = WAITING.try_with(|waiting| waiting.take());
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        let own = (self.node, self.release);
        let is_outermost = WAITING.try_with(|waiting| match &mut *waiting.borrow_mut() {
            Some(list) => {
                list.push(own);
                false
            }
            list @ None => {
                *list = Some(Waiting::new());
                true
            }
        });
        // A thread that ends has no list any more. What it still holds then recurses, as `Arc`s do.
        let Ok(true) = is_outermost else {
            if is_outermost.is_err() {
                // SAFETY: this count is given back once, here.
                unsafe { (self.release)(self.node) };
            }
            return;
        };
        let _end = End;
        let mut next = Some(own);
        while let Some((node, release)) = next {
            // SAFETY: each count is on the list once, put there by its drop, which did not give it back.
            unsafe { release(node) };
            next = WAITING.with(|waiting| waiting.borrow_mut().as_mut().and_then(Vec::pop));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A node that counts its drops, and reads nothing that it borrows.
    struct Counted<'a> {
        before: Vec<Link<Counted<'a>>>,
        _guard: Guard,
        _borrows: &'a str,
    }

    struct Guard(Arc<AtomicUsize>);

    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    // SAFETY: dropping it counts in memory of its own.
    unsafe impl Node for Counted<'_> {}

    #[test]
    fn chains_are_dropped_without_recursion_and_whole() {
        let dropped = Arc::new(AtomicUsize::new(0));
        let text = String::from("borrowed");
        let node = |before| Link::new(Counted { before, _guard: Guard(Arc::clone(&dropped)), _borrows: &text });
        let first = node(Vec::new());
        let mut last = first.clone();
        for _ in 0..200_000 {
            // Two ways lead to each node, so that it is on the list twice.
            last = node(vec![last.clone(), last]);
        }
        assert_eq!(last.before.len(), 2);
        assert_eq!(dropped.load(Ordering::Relaxed), 0);
        drop(last);
        assert_eq!(dropped.load(Ordering::Relaxed), 200_000);
        assert!(first.before.is_empty());
        drop(first);
        assert_eq!(dropped.load(Ordering::Relaxed), 200_001);
    }

    #[test]
    #[allow(clippy::needless_late_init, reason = "what is declared first is dropped last")]
    fn what_nodes_borrow_may_go_before_them() {
        // The compiler refuses this program where a link has a `Drop` of its own.
        let held;
        let text = String::from("borrowed");
        held = Link::new(Counted { before: Vec::new(), _guard: Guard(Arc::default()), _borrows: &text });
        assert_eq!(held._borrows, "borrowed");
    }

    #[test]
    fn links_go_from_thread_to_thread() {
        let dropped = Arc::new(AtomicUsize::new(0));
        let shared = Link::new(Counted { before: Vec::new(), _guard: Guard(Arc::clone(&dropped)), _borrows: "" });
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let own = shared.clone();
                scope.spawn(move || drop((0..1000).map(|_| own.clone()).collect::<Vec<_>>()));
            }
        });
        drop(shared);
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }
}
