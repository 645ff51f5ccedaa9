//! Anderson's mixing: the next state of an iteration `x = f(x)` from the last few, such that their residuals `f(x) - x` cancel as far as
//! they can. Sources: D. G. Anderson, J. ACM 12, 547 (1965); H. F. Walker, P. Ni, SIAM J. Numer. Anal. 49, 1715 (2011).

use super::vectors::{add, difference, dot, norm, scaled};

/// The states that are remembered.
const MEMORY: usize = 8;
/// A change of the residual of which less is new, by its length, tells nothing.
const NEW: f64 = 1e-8;

/// The last states and their residuals, oldest first.
#[derive(Default)]
pub(super) struct Mixing {
    known: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Mixing {
    /// The next state, for a state and its residual.
    pub(super) fn next(&mut self, state: Vec<f64>, residual: Vec<f64>) -> Vec<f64> {
        // Changes of state and residual, from the newest on, made orthogonal in the residuals.
        let mut changes: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let mut next = state.clone();
        let mut rest = residual.clone();
        for (old_state, old_residual) in self.known.iter().rev() {
            let (mut by_state, mut by_residual) = (difference(&state, old_state), difference(&residual, old_residual));
            let whole = norm(&by_residual);
            for (of_state, of_residual) in &changes {
                let part = dot(of_residual, &by_residual);
                add(&mut by_state, -part, of_state);
                add(&mut by_residual, -part, of_residual);
            }
            let length = norm(&by_residual);
            if length <= NEW * whole {
                continue;
            }
            let (by_state, by_residual) = (scaled(&by_state, 1.0 / length), scaled(&by_residual, 1.0 / length));
            let part = dot(&by_residual, &rest);
            add(&mut next, -part, &by_state);
            add(&mut rest, -part, &by_residual);
            changes.push((by_state, by_residual));
        }
        if self.known.len() == MEMORY {
            self.known.remove(0);
        }
        self.known.push((state, residual));
        add(&mut next, 1.0, &rest);
        next
    }
}
