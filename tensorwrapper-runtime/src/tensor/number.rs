//! Numbers as text: one style for all that stand in one table.

use std::fmt::Write;

use crate::element::Element;

/// Significant digits shown at most.
const DIGITS: usize = 8;

/// Fixed notation covers magnitudes from here on …
const SMALLEST: i32 = -4;

/// … to below ten to this power …
const LARGEST: i32 = 8;

/// … if the largest is not this many powers of ten above the smallest.
const SPREAD: i32 = 6;

/// A finite number in decimal: ± 0.d₁d₂d₃… · 10^(exponent + 1), rounded to [`DIGITS`] digits.
#[derive(Debug)]
struct Decimal {
    negative: bool,
    /// Without trailing zeros; none for zero.
    digits: Vec<u8>,
    /// Power of ten of the first digit.
    exponent: i32,
}

impl Decimal {
    /// The shortest digits that tell the number from its neighbours, rounded; `None` for infinities and NaN.
    fn new<R: Element>(number: R) -> Option<Decimal> {
        // `Debug` of a float writes those digits, with an exponent where the number is very large or very small.
        let text = format!("{number:?}");
        let (negative, text) = text.strip_prefix('-').map_or((false, &*text), |rest| (true, rest));
        let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let power: i32 = power.parse().ok()?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let leading = digits.iter().take_while(|&&d| d == b'0').count();
        let exponent = power + whole.len() as i32 - 1 - leading as i32;
        let mut decimal = Decimal { negative, digits: digits[leading..].to_vec(), exponent };
        decimal.round(DIGITS);
        if decimal.digits.is_empty() {
            decimal.exponent = 0;
        }
        Some(decimal)
    }

    /// Keeps the first `keep` digits, the last one rounded.
    fn round(&mut self, keep: usize) {
        let up = self.digits.get(keep).is_some_and(|&d| d >= b'5');
        self.digits.truncate(keep);
        if up {
            while self.digits.last() == Some(&b'9') {
                self.digits.pop();
            }
            match self.digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    self.digits.push(b'1');
                    self.exponent += 1;
                }
            }
        }
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
    }

    /// Digits after the point in fixed notation.
    fn decimals(&self) -> usize {
        (self.digits.len() as i32 - 1 - self.exponent).max(0) as usize
    }

    fn digit(&self, n: i32) -> char {
        usize::try_from(n).ok().and_then(|n| self.digits.get(n)).map_or('0', |&d| char::from(d))
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    /// Rounded to a place after the point.
    fn at_decimals(mut self, decimals: usize) -> Decimal {
        match usize::try_from(self.exponent + 1 + decimals as i32) {
            Ok(keep) => self.round(keep),
            Err(_) => self.digits.clear(),
        }
        if self.digits.is_empty() {
            self.exponent = 0;
        }
        self
    }

    fn fixed(&self, decimals: usize) -> String {
        let mut text = self.sign().to_string();
        text.extend((0..=self.exponent.max(0)).map(|n| self.digit(n + self.exponent.min(0))));
        if decimals > 0 {
            text.push('.');
            text.extend((1..=decimals as i32).map(|n| self.digit(self.exponent + n)));
        }
        text
    }

    fn scientific(&self, decimals: usize) -> String {
        let mut text = format!("{}{}", self.sign(), self.digit(0));
        if decimals > 0 {
            text.push('.');
            text.extend((1..=decimals as i32).map(|n| self.digit(n)));
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "e{}", self.exponent);
        text
    }
}

/// How the numbers of one table are written, so that their points stand below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `12.50`
    Fixed { decimals: usize },
    /// `1.25e1`
    Scientific { decimals: usize },
    /// As many digits after the point as the caller wants.
    Asked { decimals: usize },
}

impl Style {
    /// The style that suits all of some numbers and all their parts.
    pub(super) fn of<T: Element>(numbers: &[T]) -> Style {
        let parts = numbers.iter().flat_map(|x| parts(*x));
        let finite: Vec<Decimal> = parts.filter_map(Decimal::new).collect();
        let exponents = || finite.iter().filter(|d| !d.digits.is_empty()).map(|d| d.exponent);
        let (low, high) = (exponents().min().unwrap_or(0), exponents().max().unwrap_or(0));
        if low < SMALLEST || high >= LARGEST || high - low > SPREAD {
            let decimals = finite.iter().map(|d| d.digits.len().saturating_sub(1)).max().unwrap_or(0);
            Style::Scientific { decimals }
        } else {
            // Eight places for numbers like 1; as many more as the largest number begins behind the point.
            let most = (DIGITS as i32 - 1 - high.min(-1)) as usize;
            Style::Fixed { decimals: finite.into_iter().map(|d| d.at_decimals(most).decimals()).max().unwrap_or(0) }
        }
    }

    /// One element, unpadded.
    pub(super) fn cell<T: Element>(self, x: T) -> String {
        let re = self.real(x.re());
        if !T::DTYPE.is_complex() {
            return re;
        }
        let im = self.real(x.im());
        let plus = if im.starts_with('-') { "" } else { "+" };
        format!("{re}{plus}{im}i")
    }

    fn real<R: Element>(self, x: R) -> String {
        if let Style::Asked { decimals } = self {
            return format!("{x:.decimals$}");
        }
        match (Decimal::new(x), self) {
            (Some(decimal), Style::Fixed { decimals }) => decimal.at_decimals(decimals).fixed(decimals),
            (Some(decimal), Style::Scientific { decimals }) => decimal.scientific(decimals),
            _ => x.to_string(),
        }
    }
}

/// The real part, and where there is one the imaginary part.
fn parts<T: Element>(x: T) -> impl Iterator<Item = T::Real> {
    std::iter::once(x.re()).chain(T::DTYPE.is_complex().then(|| x.im()))
}

#[cfg(test)]
mod tests {
    //! Every number that is written reads back as itself, to the digits shown.

    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;

    #[test]
    fn single_numbers_read_back() {
        let mut random = StdRng::seed_from_u64(3);
        for _ in 0..20_000 {
            let x = f64::from_bits(random.random());
            let x = if random.random() { x } else { (x % 1e6) * 10f64.powi(random.random_range(-8..4)) };
            let text = Style::of(&[x]).cell(x);
            let read: f64 = text.parse().unwrap();
            assert!(x.is_nan() && read.is_nan() || x == read || ((x - read) / x).abs() <= 5.01e-8, "{x:e} is shown as {text}");
            assert!(text.len() <= 17, "{text}");
        }
    }

    #[test]
    fn numbers_in_company_keep_their_places() {
        let mut random = StdRng::seed_from_u64(4);
        for _ in 0..2_000 {
            let exponents = random.random_range(1..9);
            let company: Vec<f32> =
                (0..6).map(|_| (random.random::<f32>() - 0.5) * 10f32.powi(random.random_range(-exponents..exponents))).collect();
            let style = Style::of(&company);
            let (texts, largest): (Vec<String>, f32) =
                (company.iter().map(|&x| style.cell(x)).collect(), company.iter().fold(0.0, |m, x| m.max(x.abs())));
            for (x, text) in company.iter().zip(&texts) {
                let read: f32 = text.parse().unwrap();
                let close = match style {
                    Style::Scientific { .. } => (x - read).abs() <= x.abs() * 1e-6,
                    _ => (x - read).abs() <= largest.max(0.1) * 1e-6,
                };
                assert!(close, "{x:e} is shown as {text}");
            }
            let places = |text: &String| text.split('e').next().and_then(|m| m.split_once('.')).map(|(_, places)| places.len());
            assert!(texts.iter().all(|text| places(text) == places(&texts[0])), "{texts:?}");
        }
    }
}
