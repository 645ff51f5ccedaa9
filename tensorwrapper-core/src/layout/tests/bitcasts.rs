//! Bitcasts and alignment, judged by what stands at every position.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::model::memory;
use super::*;
use crate::layout::Strided;

/// Whether the second reads the first's memory as its own.
fn by_brute_force(a: &Physical, b: &Physical) -> bool {
    let (here, there) = (memory(a), memory(b));
    let same_padding = !here.contains(&None) || a.layout().fill() == b.layout().fill();
    a.dtype() == b.dtype() && a.layout().memory_space() == b.layout().memory_space() && same_padding && here == there
}

/// Other extents of the same product.
fn reshaped(random: &mut StdRng, extents: &[usize]) -> Vec<usize> {
    let count: usize = extents.iter().product();
    if count == 0 {
        return order(random, extents.len()).into_iter().map(|axis| extents[axis]).collect();
    }
    let mut primes = Vec::new();
    for &extent in extents {
        primes.extend_from_slice([&[][..], &[], &[2], &[3], &[2, 2]][extent]);
    }
    let mut result = vec![1; random.random_range(0..5)];
    if result.is_empty() && count > 1 {
        result.push(1);
    }
    for prime in primes {
        let at = random.random_range(0..result.len());
        result[at] *= prime;
    }
    if random.random_bool(0.5) { extents.to_vec() } else { result }
}

/// The same memory and elements in another layout.
fn alike(random: &mut StdRng, a: &Physical, extents: &[usize], tiled: bool) -> Physical {
    let mut layout = stored(random, extents, tiled).layout().clone();
    let fill = if random.random_bool(0.8) { a.layout().fill() } else { Fill::Unknown };
    if let Some(widths) = layout.padded_extents().map(<[usize]>::to_vec) {
        layout = layout.with_padding(widths, fill).unwrap();
    }
    if random.random_bool(0.4) && extents.len() == a.rank() {
        if let (Some(widths), Ok(())) = (a.layout().padded_extents(), fits(a, extents)) {
            layout = layout.with_padding(widths, fill).unwrap();
        }
        layout = layout.with_tiles(a.layout().tiles().to_vec());
    }
    let layout = layout.with_memory_space(a.layout().memory_space());
    Physical::new(Logical::new(a.dtype(), extents).unwrap(), layout).unwrap()
}

fn fits(a: &Physical, extents: &[usize]) -> Result<(), ()> {
    let widths = a.layout().padded_extents().unwrap_or(&[]);
    if widths.iter().zip(extents).all(|(width, extent)| width >= extent) { Ok(()) } else { Err(()) }
}

#[test]
fn reshapes_are_bitcasts_where_nothing_moves() {
    let mut random = StdRng::seed_from_u64(21);
    let mut yes = [0; 2];
    for case in 0..6 * CASES {
        let a = any(&mut random);
        let extents = reshaped(&mut random, a.extents());
        let tiled = !a.layout().tiles().is_empty() || random.random_bool(0.1);
        let b = alike(&mut random, &a, &extents, tiled);
        let wanted = by_brute_force(&a, &b);
        assert_eq!(a.reshape_is_bitcast(&b).unwrap(), wanted, "case {case}: {a} as {b}");
        assert_eq!(b.reshape_is_bitcast(&a).unwrap(), wanted, "case {case}: {b} as {a}");
        yes[usize::from(tiled)] += usize::from(wanted && a != b && a.logical().element_count() > 1);
    }
    assert!(yes[0] > 200 && yes[1] > 50, "{yes:?} interesting ones");
}

#[test]
fn transposes_are_bitcasts_where_nothing_moves() {
    let mut random = StdRng::seed_from_u64(22);
    let mut yes = 0;
    for case in 0..3 * CASES {
        let a = any(&mut random);
        let axes = order(&mut random, a.rank());
        let permuted = a.permute(&axes).unwrap();
        assert!(a.transpose_is_bitcast(&axes, &permuted).unwrap(), "case {case}: {a} by {axes:?}");
        let b = alike(&mut random, &permuted, permuted.extents(), !a.layout().tiles().is_empty());
        let wanted = by_brute_force(&permuted, &b);
        assert_eq!(a.transpose_is_bitcast(&axes, &b).unwrap(), wanted, "case {case}: {a} by {axes:?} as {b}");
        yes += usize::from(wanted && permuted != b && a.logical().element_count() > 1);
    }
    assert!(yes > 100, "{yes} interesting ones");
}

/// All lists of widths of at least these extents with a product.
fn widths(extents: &[usize], product: usize) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = extents.split_first() else {
        return if product == 1 { vec![Vec::new()] } else { Vec::new() };
    };
    let fitting = (first..=product).filter(|&width| product.is_multiple_of(width));
    fitting.flat_map(|w| widths(rest, product / w).into_iter().map(move |others| [&[w], &others[..]].concat())).collect()
}

fn orders(rank: usize) -> Vec<Vec<usize>> {
    let all = super::model::indices(&vec![rank; rank]);
    all.into_iter().filter(|order| (0..rank).all(|axis| order.contains(&axis))).collect()
}

#[test]
fn alignment_finds_a_layout_wherever_there_is_one() {
    let mut random = StdRng::seed_from_u64(23);
    let (mut found, mut none) = (0, 0);
    for case in 0..CASES {
        let rank = random.random_range(0..4);
        let extents: Vec<usize> = (0..rank).map(|_| random.random_range(1..5)).collect();
        let a = stored(&mut random, &extents, false);
        let output = Logical::new(a.dtype(), reshaped(&mut random, &extents)).unwrap();
        if let Some(aligned) = a.align(&output).unwrap() {
            assert_eq!(aligned.logical(), &output);
            assert!(by_brute_force(&a, &aligned), "case {case}: {a} aligned as {aligned}");
            found += usize::from(output.extents() != extents);
            continue;
        }
        none += 1;
        if output.rank() > 3 {
            continue;
        }
        for order in orders(output.rank()) {
            for widths in widths(output.extents(), a.buffer_len()) {
                let layout = Layout::new(&order).unwrap().with_padding(widths, a.layout().fill()).unwrap();
                let other = Physical::new(output.clone(), layout.with_memory_space(a.layout().memory_space())).unwrap();
                assert!(!by_brute_force(&a, &other), "case {case}: {a} is {other}");
            }
        }
    }
    assert!(found > 300 && none > 300, "{found} found, {none} not");
}

#[test]
fn alignment_keeps_to_the_rows() {
    let aligned = |from: &str, to: &str| read(from).align(&to.parse().unwrap()).unwrap().map(|stored| stored.to_string());
    assert_eq!(aligned("f32[2,3,4]{2,1,0}", "f32[6,4]").unwrap(), "f32[6,4]{1,0}");
    assert_eq!(aligned("f32[2,3]{1,0}", "f32[1,2,1,3,1]").unwrap(), "f32[1,2,1,3,1]{4,3,2,1,0}");
    assert_eq!(aligned("f32[6,4]{0,1}", "f32[2,3,4]").unwrap(), "f32[2,3,4]{1,0,2}");
    assert_eq!(aligned("f32[6,4]{0,1}", "f32[24]"), None);
    assert_eq!(aligned("f32[4,3]{1,0:W(5,3;1)S(2)}", "f32[2,2,3]"), None);
    assert_eq!(aligned("f32[4,3]{1,0:W(6,3;1)S(2)}", "f32[2,2,3]").unwrap(), "f32[2,2,3]{2,1,0:W(3,2,3;1)S(2)}");
    assert_eq!(aligned("f32[2,1]{1,0:W(2,5)}", "f32[2]"), None);
    assert_eq!(aligned("f32[2,1]{1,0:W(2,5)}", "f32[1,2]").unwrap(), "f32[1,2]{0,1:W(5,2)}");
    assert_eq!(aligned("f32[2,3]{1,0:T(2,2)}", "f32[<=2,3]").unwrap(), "f32[<=2,3]{1,0:T(2,2)}");
    assert_eq!(aligned("f32[2,3]{1,0:T(2,2)}", "f32[3,2]"), None);
    assert_eq!(aligned("f32[2,3]{1,0}", "f64[3,2]"), None);
    assert_eq!(aligned("f32[0,3]{1,0}", "f32[3,0]").unwrap(), "f32[3,0]{1,0}");
}

/// Maps without tiles go to strides and come back.
#[test]
fn strides_tell_the_layout() {
    let mut random = StdRng::seed_from_u64(24);
    for case in 0..CASES {
        let a = any(&mut random);
        let Some(strided) = a.strided() else {
            assert!(!a.layout().tiles().is_empty());
            continue;
        };
        assert!(strided.positions().eq(super::model::indices(a.extents()).iter().map(|index| a.position(index).unwrap())));
        let layout = Layout::of_strided(&strided);
        if a.logical().element_count() == 0 {
            assert_eq!(layout, Some(Layout::row_major(a.rank())));
            continue;
        }
        let layout = layout.unwrap_or_else(|| panic!("case {case}: {a} is in no layout"));
        let b = Physical::new(a.logical().clone(), layout).unwrap();
        assert!(b.strided().unwrap().positions().eq(strided.positions()), "case {case}: {a} told as {b}");
        // An axis of extent 1 may stand anywhere.
        let plain = a.layout().padded_extents().is_none() && a.logical().true_rank() == a.rank();
        if plain && (a.layout().is_row_major() || a.layout().is_column_major()) {
            assert_eq!(b.layout().minor_to_major(), a.layout().minor_to_major(), "case {case}: {a} told as {b}");
        }
    }
    let strided = |extents: &[usize], strides: &[isize]| Strided::within(extents, strides, 20, 100).unwrap();
    let told = |extents: &[usize], strides: &[isize]| Layout::of_strided(&strided(extents, strides)).map(|l| l.to_string());
    assert_eq!(told(&[2, 3], &[5, 1]).unwrap(), "{1,0:W(2,5)}");
    assert_eq!(told(&[2, 3], &[1, 2]).unwrap(), "{0,1}");
    assert_eq!(told(&[2, 1, 3], &[3, -7, 1]).unwrap(), "{1,2,0}");
    assert_eq!(told(&[3], &[2]), None);
    assert_eq!(told(&[3], &[-1]), None);
    assert_eq!(told(&[2, 3], &[2, 1]), None);
    assert_eq!(told(&[2, 3], &[4, 0]), None);
    assert_eq!(told(&[2, 2, 2], &[5, 2, 1]), None);
    assert_eq!(told(&[], &[]).unwrap(), "{}");
}
