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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_misspelt_name() {
        assert_eq!(nearest("sqr", ["exp", "sqrt", "abs"]), Some("sqrt"));
        assert_eq!(nearest("conjg", ["exp", "conj"]), Some("conj"));
        assert_eq!(nearest("A", ["exp", "ln"]), None);
    }
}
