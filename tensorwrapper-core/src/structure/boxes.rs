//! Parts of tensors as boxes of indices: what they have in common, and what is left of one without another.
//!
//! Knows nothing of what the parts are for.

use std::ops::Range;

/// A part of a tensor: the indices of each axis.
pub(super) type Part = Vec<Range<usize>>;

/// Whether a part has no element.
pub(super) fn is_empty(part: &Part) -> bool {
    part.iter().any(Range::is_empty)
}

/// What is around elements, which ascend, as parts of the tensor: `chosen` are the ranges of the first axes, which all of them share.
pub(super) fn around(whole: &Part, elements: &[&Part], chosen: &mut Part, rest: &mut Vec<Part>) {
    let axis = chosen.len();
    if axis == whole.len() {
        rest.extend(elements.is_empty().then(|| chosen.clone()));
        return;
    }
    if is_empty(whole) {
        return;
    }
    let mut free = |range: Range<usize>, chosen: &Part| {
        if !range.is_empty() {
            rest.push(chosen.iter().cloned().chain([range]).chain(whole[axis + 1..].iter().cloned()).collect());
        }
    };
    let mut next = whole[axis].start;
    let mut inner: Vec<(Range<usize>, &[&Part])> = Vec::new();
    for same in elements.chunk_by(|one, other| one[axis] == other[axis]) {
        let own = same[0][axis].clone();
        free(next..own.start, chosen);
        next = own.end;
        inner.push((own, same));
    }
    free(next..whole[axis].end, chosen);
    for (own, same) in inner {
        chosen.push(own);
        around(whole, same, chosen, rest);
        chosen.pop();
    }
}

/// Takes a part out of others.
pub(super) fn cut_out(parts: &mut Vec<Part>, part: &Part) {
    if parts.iter().any(|own| meet(own, part)) {
        *parts = std::mem::take(parts).into_iter().flat_map(|own| without(own, part)).collect();
    }
}

/// Whether parts that do not overlap have the same elements of a box as other ones. Boxes are halved, along one axis after the other, until
/// it is known by counting.
pub(super) fn same(one: &[Part], other: &[Part], within: &Part, axis: usize) -> bool {
    let both = [one, other];
    let counts = both.map(|parts| parts.iter().try_fold(0, |sum: u128, part| sum.checked_add(size(part)?)));
    match counts {
        [Some(one), Some(other)] if one != other => return false,
        [Some(one), Some(_)] if one == 0 || Some(one) == size(within) => return true,
        _ => {}
    }
    let inner = |axis: usize| {
        let ends = both.into_iter().flatten().flat_map(move |part| [part[axis].start, part[axis].end]);
        let mut inner: Vec<usize> = ends.filter(|end| within[axis].start < *end && *end < within[axis].end).collect();
        inner.sort_unstable();
        (!inner.is_empty()).then(|| (axis, inner[inner.len() / 2]))
    };
    // Where no part ends inside, a part is the whole box.
    let Some((axis, at)) = (axis..within.len()).chain(0..axis).find_map(inner) else { return one.is_empty() == other.is_empty() };
    [within[axis].start..at, at..within[axis].end].into_iter().all(|half| {
        let [one, other] = both.map(|parts| parts.iter().filter_map(|part| clipped(part, axis, &half)).collect::<Vec<Part>>());
        let mut within = within.clone();
        within[axis] = half;
        same(&one, &other, &within, (axis + 1) % within.len())
    })
}

/// Number of elements of a part, where a number can say it.
fn size(part: &Part) -> Option<u128> {
    part.iter().try_fold(1u128, |size, range| size.checked_mul(range.len() as u128))
}

/// What a part has in a range of an axis.
fn clipped(part: &Part, axis: usize, range: &Range<usize>) -> Option<Part> {
    let common = part[axis].start.max(range.start)..part[axis].end.min(range.end);
    (!common.is_empty()).then(|| {
        let mut clipped = part.clone();
        clipped[axis] = common;
        clipped
    })
}

/// Whether two parts have an index in common.
pub(super) fn meet(one: &Part, other: &Part) -> bool {
    one.iter().zip(other).all(|(one, other)| one.start.max(other.start) < one.end.min(other.end))
}

/// What two parts have in common, if that is anything.
pub(super) fn common(one: &Part, other: &Part) -> Option<Part> {
    let range = |(one, other): (&Range<usize>, &Range<usize>)| one.start.max(other.start)..one.end.min(other.end);
    meet(one, other).then(|| one.iter().zip(other).map(range).collect())
}

/// What is left of a part without another one: slabs along each axis, around what they have in common.
fn without(part: Part, other: &Part) -> Vec<Part> {
    if !meet(&part, other) {
        return vec![part];
    }
    let (mut inner, mut left) = (part, Vec::new());
    for (axis, cut) in other.iter().enumerate() {
        let own = inner[axis].clone();
        let (begin, end) = (own.start.max(cut.start), own.end.min(cut.end));
        for outside in [own.start..begin, end..own.end] {
            if !outside.is_empty() {
                let mut slab = inner.clone();
                slab[axis] = outside;
                left.push(slab);
            }
        }
        inner[axis] = begin..end;
    }
    left
}
