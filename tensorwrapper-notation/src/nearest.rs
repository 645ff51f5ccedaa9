//! Finds the known name that is most similar to a misspelt one.

/// The most similar candidate, if its edit distance is at most a third of its length.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let close = |candidate: &&str| distance(name, candidate) <= candidate.chars().count().div_ceil(3);
    candidates.into_iter().filter(close).min_by_key(|candidate| distance(name, candidate))
}

/// Levenshtein's edit distance, one row at a time.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The candidate that one slip of the hand turns into this name: a letter too many, too few or another one, or two that changed
/// places. Short names differ by one letter from too many others. A letter at the end that makes other functions, as in `sqrtm` and
/// `log2`, is no slip. The same name in capital letters is meant, too.
pub(crate) fn slipped<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_long = name.chars().count() >= 4;
    let is_meant = |candidate: &&str| {
        candidate.eq_ignore_ascii_case(name) || is_long && is_slip(name, candidate) && !is_variant(name, candidate)
    };
    candidates.into_iter().find(is_meant)
}

fn is_slip(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let front = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let back = a[front..].iter().rev().zip(b[front..].iter().rev()).take_while(|(x, y)| x == y).count();
    match (&a[front..a.len() - back], &b[front..b.len() - back]) {
        ([v, w], [x, y]) => v == y && w == x,
        (one, other) => one.len() <= 1 && other.len() <= 1,
    }
}

/// Whether one name is the other with a suffix by which functions of matrices and of other bases are named.
fn is_variant(a: &str, b: &str) -> bool {
    let suffix = a.strip_prefix(b).or_else(|| b.strip_prefix(a));
    suffix.is_some_and(|suffix| matches!(suffix, "m" | "1" | "2" | "10" | "1p" | "m1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_misspelt_name() {
        assert_eq!(nearest("sqr", ["exp", "sqrt", "abs"]), Some("sqrt"));
        assert_eq!(nearest("conjg", ["exp", "conj"]), Some("conj"));
        assert_eq!(nearest("A", ["exp", "ln"]), None);
    }

    #[test]
    fn finds_the_name_before_a_slip() {
        let all = ["exp", "sqrt", "abs", "conj", "tanh", "norm", "expm", "sum"];
        for (written, meant) in [("sqtr", "sqrt"), ("conjg", "conj"), ("tahn", "tanh"), ("nrom", "norm"), ("summ", "sum")] {
            let expected = if written == "summ" { None } else { Some(meant) };
            assert_eq!(slipped(written, all), expected, "{written}");
        }
        for other in ["sqrtm", "abs2", "sgn", "expm1", "count", "any", "logm", "trans", "exq", "sqrt"] {
            let found = slipped(other, all.into_iter().filter(|known| *known != other));
            assert_eq!(found, None, "{other}");
        }
    }
}
