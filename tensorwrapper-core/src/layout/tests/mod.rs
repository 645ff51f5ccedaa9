//! Layouts against hand-computed positions, against a plain model of padding and tiles, and against everybody's mistakes.

mod bitcasts;
mod mistakes;
mod model;
mod positions;
mod queries;

use rand::RngExt;
use rand::rngs::StdRng;

use super::{Fill, Layout, Logical, Physical, Tile};
use crate::element::Dtype;

/// Cases of each property.
const CASES: u64 = 3000;

fn read(text: &str) -> Physical {
    text.parse().unwrap_or_else(|error| panic!("`{text}`: {error}"))
}

/// Mostly small, sometimes 0 or 1.
fn extents(random: &mut StdRng, rank: usize) -> Vec<usize> {
    (0..rank).map(|_| if random.random_bool(0.06) { 0 } else { random.random_range(1..5) }).collect()
}

fn order(random: &mut StdRng, rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    (1..rank).for_each(|n| order.swap(n, random.random_range(0..=n)));
    order
}

fn tile(random: &mut StdRng) -> Tile {
    let mut extents: Vec<Option<usize>> =
        (0..random.random_range(1..4)).map(|_| random.random_bool(0.8).then(|| random.random_range(1..5))).collect();
    *extents.last_mut().unwrap() = Some(random.random_range(1..5));
    Tile::combining(extents).unwrap()
}

/// An array of these extents in any layout, in tiles or not.
fn stored(random: &mut StdRng, extents: &[usize], tiled: bool) -> Physical {
    let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][random.random_range(0..4)];
    let mut layout = Layout::new(order(random, extents.len())).unwrap();
    if random.random_bool(0.5) {
        let widths: Vec<usize> = extents.iter().map(|e| e + random.random_range(0..3)).collect();
        let fill = Fill::ALL[random.random_range(0..5)];
        layout = layout.with_padding(widths, if dtype.is_complex() && fill.needs_order() { Fill::One } else { fill }).unwrap();
    }
    if tiled {
        layout = layout.with_tiles((0..random.random_range(1..3)).map(|_| tile(random)).collect::<Vec<_>>());
    }
    let layout = layout.with_memory_space(if random.random_bool(0.9) { 0 } else { 3 });
    Physical::new(Logical::new(dtype, extents).unwrap(), layout).unwrap()
}

/// An array in any layout.
fn any(random: &mut StdRng) -> Physical {
    let rank = random.random_range(0..5);
    let extents = extents(random, rank);
    let tiled = random.random_bool(0.5);
    stored(random, &extents, tiled)
}
