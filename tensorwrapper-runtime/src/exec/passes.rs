//! The passes that a program adds to a context, and the checks of the graphs that they return.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{OpGraph, Rewrite, TensorId, TensorNode};
use tensorwrapper_notation::sentence::counted;

/// Passes in the order in which they run. They are compared by instance, because two passes with the same name may do different
/// things. A context without passes, as most are, allocates nothing for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passes(Option<Arc<[Numbered]>>);

/// A pass, and the number by which it is compared.
type Numbered = (usize, Arc<dyn Rewrite>);

/// The next number of a pass.
static NEXT: AtomicUsize = AtomicUsize::new(0);

impl PartialEq for Passes {
    #[inline]
    fn eq(&self, other: &Passes) -> bool {
        self.numbers().eq(other.numbers())
    }
}

impl Hash for Passes {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.numbers().for_each(|number| number.hash(hasher));
    }
}

impl Passes {
    /// The same with one more, which runs last.
    pub(super) fn with(&self, pass: impl Rewrite + 'static) -> Passes {
        let pass: Numbered = (NEXT.fetch_add(1, Ordering::Relaxed), Arc::new(pass));
        Passes(Some(self.list().iter().cloned().chain([pass]).collect()))
    }

    fn list(&self) -> &[Numbered] {
        self.0.as_deref().unwrap_or_default()
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        self.list().iter().map(|(number, _)| *number)
    }

    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The graph after all of them.
    ///
    /// # Errors
    /// [`ErrorKind::Pass`] for a pass that fails, or that returns a graph with other sources or sinks of other extents or
    /// element types.
    pub(super) fn apply(&self, graph: OpGraph) -> Result<OpGraph, Error> {
        self.list().iter().try_fold(graph, |graph, (_, pass)| {
            let refused =
                |error: Error| Error::new(ErrorKind::Pass { name: pass.name().to_string(), message: error.to_string() });
            match pass.rewrite(&graph).map_err(refused)? {
                Some(mut made) => {
                    check(&graph, &made).map_err(refused)?;
                    made.copy_wanted_sources();
                    Ok(made)
                }
                None => Ok(graph),
            }
        })
    }
}

/// Checks that a graph is valid, has the sources of another, and has sinks of the same extents and element types.
fn check(graph: &OpGraph, made: &OpGraph) -> Result<(), Error> {
    made.verify()?;
    let wrong = |message: String| Err(Error::new(ErrorKind::Shape(message)));
    for (what, known, found) in [
        ("source", nodes(graph, graph.sources()), nodes(made, made.sources())),
        ("result", nodes(graph, graph.sinks().iter().copied()), nodes(made, made.sinks().iter().copied())),
    ] {
        if known.len() != found.len() {
            return wrong(format!("its graph has {} instead of {}", counted(found.len(), what), known.len()));
        }
        if let Some(n) = (0..known.len()).find(|&n| !known[n].is_like(found[n])) {
            return wrong(format!("number {n} of the {what}s of its graph is {} instead of {}", found[n], known[n]));
        }
    }
    match (graph.functions(), made.functions()) {
        (known, found) if found > known => {
            wrong(format!("its graph calls {} of the program's instead of {known}", counted(found, "function")))
        }
        _ => Ok(()),
    }
}

fn nodes(graph: &OpGraph, tensors: impl Iterator<Item = TensorId>) -> Vec<&TensorNode> {
    tensors.map(|tensor| graph.tensor(tensor)).collect()
}
