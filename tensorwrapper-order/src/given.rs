//! An order that the program gives, in the numbers of NumPy's `einsum_path`. The file must not know what the factors are.

use super::network::Path;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Converts pairs of positions to a path of this number of factors.
///
/// # Errors
/// When the pairs do not fit the factors.
pub(super) fn given(pairs: &[(usize, usize)], factors: usize) -> Result<Path, Error> {
    let refuse = |message: String| Err(Error::new(ErrorKind::Order(message)));
    if pairs.len() != factors - 1 {
        let (given, of) = (counted(pairs.len(), "pair"), counted(factors, "factor"));
        return refuse(format!("the path has {given}, but a product of {of} is made of {}", factors - 1));
    }
    let mut left: Vec<usize> = (0..factors).collect();
    let mut path = Path::with_capacity(pairs.len());
    for (n, &(a, b)) in pairs.iter().enumerate() {
        let (low, high) = (a.min(b), a.max(b));
        if low == high {
            return refuse(format!("pair {n} of the path, ({a}, {b}), takes one factor twice"));
        }
        if high >= left.len() {
            let most = left.len() - 1;
            return refuse(format!("pair {n} of the path, ({a}, {b}), takes factor {high}, but the last that is left is {most}"));
        }
        let second = left.remove(high);
        let first = left.remove(low);
        path.push((first.min(second), first.max(second)));
        left.push(factors + n);
    }
    Ok(path)
}

/// So many of what has a name with a regular plural. The crate has no other such message, and no part of the language to share one with.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_in_what_is_left() {
        // The last factor left may be the product itself.
        assert_eq!(given(&[(1, 0), (0, 2), (1, 0)], 4).unwrap(), [(0, 1), (2, 4), (3, 5)]);
        assert_eq!(given(&[], 1).unwrap(), []);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let said = |pairs: &[(usize, usize)], factors| given(pairs, factors).unwrap_err().to_string();
        assert_eq!(said(&[(0, 1)], 3), "the path has 1 pair, but a product of 3 factors is made of 2");
        assert_eq!(said(&[(0, 1), (0, 1)], 1), "the path has 2 pairs, but a product of 1 factor is made of 0");
        assert_eq!(said(&[(0, 1), (1, 1)], 3), "pair 1 of the path, (1, 1), takes one factor twice");
        assert_eq!(said(&[(0, 1), (2, 0)], 3), "pair 1 of the path, (2, 0), takes factor 2, but the last that is left is 1");
    }
}
