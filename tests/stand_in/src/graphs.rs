//! Graphs: work that was captured, and graphs of it that are ready to run.

use std::collections::BTreeMap;
use std::ffi::c_ulonglong;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUresult, CUstream};

use crate::driver::current;
use crate::streams::{self, Work};
use crate::{export, forbidden};

struct Graphs {
    there: BTreeMap<usize, Arc<Vec<Work>>>,
    made: usize,
}

static GRAPHS: Mutex<Graphs> = Mutex::new(Graphs { there: BTreeMap::new(), made: 0 });

fn all() -> MutexGuard<'static, Graphs> {
    GRAPHS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Graphs {
    fn add(&mut self, work: Arc<Vec<Work>>) -> usize {
        self.made += 1;
        self.there.insert(self.made, work);
        self.made
    }

    fn get(&self, number: usize) -> &Arc<Vec<Work>> {
        match self.there.get(&number) {
            Some(work) => work,
            None => forbidden!("there is no graph {number}"),
        }
    }

    fn remove(&mut self, number: usize) {
        self.get(number);
        self.there.remove(&number);
    }
}

pub(crate) fn reset() {
    all().there.clear();
}

pub(crate) fn graphs() -> usize {
    all().there.len()
}

/// A graph of what was captured.
pub(crate) fn captured(work: Vec<Work>) -> CUgraph {
    all().add(Arc::new(work)) as CUgraph
}

export! { sys;
    fn cuGraphInstantiateWithFlags(ready: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong) -> CUresult {
        current();
        if flags != 0 {
            forbidden!("a graph with the flags {flags}");
        }
        let mut all = all();
        let work = Arc::clone(all.get(graph as usize));
        *ready = all.add(work) as CUgraphExec;
        Ok(())
    }
    fn cuGraphDestroy(graph: CUgraph) -> CUresult {
        all().remove(graph as usize);
        Ok(())
    }
    fn cuGraphExecDestroy(ready: CUgraphExec) -> CUresult {
        current();
        all().remove(ready as usize);
        Ok(())
    }
    fn cuGraphLaunch(ready: CUgraphExec, stream: CUstream) -> CUresult {
        streams::forbid_captured(stream, "cuGraphLaunch");
        let work = Arc::clone(all().get(ready as usize));
        streams::queue(stream, Work::new(move || work.iter().try_for_each(Work::run)));
        Ok(())
    }
}
