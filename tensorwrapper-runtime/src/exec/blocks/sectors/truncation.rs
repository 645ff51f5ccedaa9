//! [`Truncation`]: which singular values of all sectors are kept.
//!
//! Knows nothing of sectors but their singular values.

use tensorwrapper_core::error::{Error, ErrorKind};

/// How many singular values `svd_cut` keeps, of all sectors together.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::Truncation;
/// let truncation = Truncation::none().max(128).tol(1e-12);
/// assert_eq!((truncation.max, truncation.tol), (Some(128), Some(1e-12)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Truncation {
    /// The most values that are kept, the largest ones.
    pub max: Option<usize>,
    /// The most that may be lost: the sum of the squares of the values that are not kept, divided by that of all. One value is
    /// kept in any case.
    pub tol: Option<f64>,
}

impl Truncation {
    /// All values are kept.
    pub fn none() -> Truncation {
        Truncation::default()
    }

    /// The same with at most so many values.
    #[must_use]
    pub fn max(self, max: usize) -> Truncation {
        Truncation { max: Some(max), ..self }
    }

    /// The same with no more values than leave this weight.
    #[must_use]
    pub fn tol(self, tol: f64) -> Truncation {
        Truncation { tol: Some(tol), ..self }
    }

    /// How many values each sector keeps, whose values descend, and which part of all squares is lost. Of equal values those of
    /// earlier sectors are kept.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the tolerance is negative or no number.
    pub(super) fn kept(&self, sectors: &[Vec<f64>]) -> Result<(Vec<usize>, f64), Error> {
        if let Some(tol) = self.tol.filter(|tol| tol.is_nan() || *tol < 0.0) {
            return Err(Error::new(ErrorKind::Shape(format!("the tolerance of `svd` is a number from 0 on, not {tol}"))));
        }
        let mut all: Vec<(f64, usize)> =
            sectors.iter().enumerate().flat_map(|(n, values)| values.iter().map(move |&value| (value, n))).collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        // Divided by the largest, so that squares neither overflow nor vanish.
        let unit = all.first().map(|first| first.0).filter(|&first| first > 0.0).unwrap_or(1.0);
        // What is lost with all values from one on, added up from the smallest, so that small weights have all their digits.
        let mut lost = vec![0.0; all.len() + 1];
        for n in (0..all.len()).rev() {
            lost[n] = lost[n + 1] + (all[n].0 / unit).powi(2);
        }
        let weight = |kept: usize| if lost[kept] == 0.0 { 0.0 } else { lost[kept] / lost[0] };
        let most = self.max.unwrap_or(all.len()).min(all.len());
        let count = match self.tol {
            Some(tol) => (most.min(1)..most).find(|&kept| weight(kept) <= tol).unwrap_or(most),
            None => most,
        };
        let mut kept = vec![0; sectors.len()];
        all[..count].iter().for_each(|&(_, n)| kept[n] += 1);
        Ok((kept, weight(count)))
    }
}
