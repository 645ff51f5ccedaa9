//! Helps for choices between values that other languages write otherwise.

use crate::token::{Token, text};

/// What a choice between bounds is written as. One bound alone may be either of them.
pub(super) fn clipped(parts: &[&[Token]]) -> String {
    match parts {
        [of, bound] if of.len() > 1 => {
            let [of, bound] = [of, bound].map(|part| text(part));
            format!(
                "a lower bound alone is `select({of} < {bound}; {bound}, {of})`, and an upper one `select({of} > {bound}; {bound}, {of})`"
            )
        }
        [of, low, high] => format!("write `clip({}, {}, {})`", text(of), text(low), text(high)),
        _ => "write `clip(X, 0.0, 1.0)`".into(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn bounds_and_values() {
        refused(&[
            (
                "[i] = clip(v[i], 0.0)",
                &[
                    "clip: `clip` takes three arguments, X and its bounds, but 2 are given | a lower bound alone is `select(v[i] < 0.0; 0.0, v[i])`, and an upper one `select(v[i] > 0.0; 0.0, v[i])`",
                ],
            ),
            (
                "[i] = clamp(v[i], -2.0, 3.0)",
                &["clamp: `clamp` is not a function of tensor equations | write `clip(v[i], -2.0, 3.0)`"],
            ),
            (
                "[i] = clamp(v[i], 0.0)",
                &[
                    "clamp: `clamp` is not a function of tensor equations | a lower bound alone is `select(v[i] < 0.0; 0.0, v[i])`, and an upper one `select(v[i] > 0.0; 0.0, v[i])`",
                ],
            ),
            (
                "[i] = select(v[i] > 0.0; v[i]; 0.0)",
                &["select: the values of `select` have `,` between them | write `select(v[i] > 0.0; v[i], 0.0)`"],
            ),
        ]);
    }
}
