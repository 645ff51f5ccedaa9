//! Sorting of few items, such as the axes of a product. What the standard library has for long slices as well is many times as much code,
//! for each key.

use std::cmp::Ordering;

/// Sorts a few items by their keys; those with equal ones keep their order.
pub(super) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// The same by what compares two of them.
pub(super) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for n in 1..items.len() {
        let mut at = n;
        while at > 0 && compare(&items[at], &items[at - 1]).is_lt() {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort_by_key;

    #[test]
    fn items_with_equal_keys_keep_their_order() {
        for count in 0..12 {
            let mut items: Vec<(usize, usize)> = (0..count).map(|n| (n * 7 % 5, n)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_by_key(&mut items, |item| item.0);
            assert_eq!(items, expected);
        }
    }
}
