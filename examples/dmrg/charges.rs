//! The charges that an operator conserves, found from its tensor: of the spins twice their z components, and of each bond index
//! what it passes on. Knows nothing of states.

use tensorwrapper::{Blocks, Error, Structure, Tensor, Tiling};

use super::chain::Operator;

/// An operator whose tensor `W[l, r, s, t]` conserves charges. Its bond is in another order: indices of one charge are
/// neighbours.
pub(crate) struct Conserving {
    pub(crate) W: Blocks<f64>,
    /// Where the bond indices stand with which a chain ends on the right and begins on the left.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Conserving {
    /// The operator of a dense tensor; nothing where it changes the sum of the spins' charges.
    pub(crate) fn new(dense: &Operator) -> Result<Option<Conserving>, Error> {
        let (bonds, spins) = (dense.extents()[0], dense.extents()[2]);
        let of_spin: Vec<i64> = (0..spins as i64).map(|n| spins as i64 - 1 - 2 * n).collect();
        let Some(of_bond) = bond_charges(dense, &of_spin) else { return Ok(None) };
        let mut order: Vec<usize> = (0..bonds).collect();
        order.sort_by_key(|&n| of_bond[n]);
        let mut tiles: Vec<(i64, usize)> = Vec::new();
        for &n in &order {
            match tiles.last_mut() {
                Some((charge, extent)) if *charge == of_bond[n] => *extent += 1,
                _ => tiles.push((of_bond[n], 1)),
            }
        }
        let charges: Vec<i64> = tiles.iter().map(|tile| tile.0).collect();
        let bond = Tiling::cuts(tiles.iter().map(|tile| tile.1)).charged(charges)?;
        let spin = Tiling::each(spins).charged(of_spin)?;
        // What a spin loses, the bond passes on to the right.
        let structure = Structure::new([&bond, &bond, &spin, &spin]).flow([-1, 1, 1, -1], [0])?;
        let element = |i: &[usize]| dense[[order[i[0]], order[i[1]], i[2], i[3]]];
        let W = Blocks::from_dense(&Tensor::from_fn([bonds, bonds, spins, spins], element)?, &structure)?;
        let place = |index: usize| order.iter().position(|&n| n == index).expect("every index has its place");
        Ok(Some(Conserving { W, first: place(0), last: place(bonds - 1) }))
    }
}

/// The charge of each bond index, beginning with 0 where the chain begins; nothing where two paths lead to different ones, or
/// where what comes out at the end is not 0.
fn bond_charges(W: &Operator, of_spin: &[i64]) -> Option<Vec<i64>> {
    let (bonds, spins) = (W.extents()[0], of_spin.len());
    let mut found: Vec<Option<i64>> = vec![None; bonds];
    for start in (0..bonds).rev() {
        if found[start].is_some() {
            continue;
        }
        found[start] = Some(0);
        let mut open = vec![start];
        while let Some(l) = open.pop() {
            let own = found[l]?;
            for (r, s, t) in (0..bonds * spins * spins).map(|n| (n / (spins * spins), n / spins % spins, n % spins)) {
                let step = of_spin[t] - of_spin[s];
                for (leads, other) in [(W[[l, r, s, t]] != 0.0, own + step), (W[[r, l, s, t]] != 0.0, own - step)] {
                    if !leads {
                        continue;
                    }
                    match found[r] {
                        Some(known) if known != other => return None,
                        Some(_) => {}
                        None => {
                            found[r] = Some(other);
                            open.push(r);
                        }
                    }
                }
            }
        }
    }
    found.into_iter().collect::<Option<Vec<i64>>>().filter(|charges| charges[0] == 0)
}
