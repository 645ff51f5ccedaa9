//! The particle ladder over integrals that are all kept, recorded: for programs that differentiate it, or count its operations.

use tensorwrapper::prelude::*;

use super::ccsd::Tensor4;
use super::ccsd::cc::{Amplitudes, Ladder};

/// <ab|cd> times both electrons in c and d.
pub(crate) fn whole_ladder<'a>(vvvv: &'a Tensor4, t: &'a Amplitudes) -> Ladder<'a> {
    let graph = Graph::new();
    tensor! {
        in &graph;
        let ladder[i,j,a,b] = vvvv[a,b,c,d] * (t.t2[i,j,c,d] + t.t1[i,c] * t.t1[j,d]);
        ladder
    }
}
