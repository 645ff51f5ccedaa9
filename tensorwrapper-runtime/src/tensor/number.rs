//! Numbers as text, with one style for all numbers of a table.
//!
//! Every digit comes from the standard library's conversion, which rounds the number only once. So the text is the number
//! correctly rounded to the last digit shown.

use std::fmt::LowerExp;

use tensorwrapper_core::element::Element;

/// The most significant digits that are shown of the largest number of a table if no precision was requested.
const DIGITS: usize = 8;

/// Fixed notation covers magnitudes from here on …
const SMALLEST: i32 = -4;

/// … to below ten to this power …
const LARGEST: i32 = 8;

/// … if the largest is not this many powers of ten above the smallest.
const SPREAD: i32 = 6;

/// What a number of decimal digits looks like: d.ddd… · 10^exponent.
#[derive(Debug)]
struct Decimal {
    /// Significant digits up to the last that is not zero; none for zero.
    digits: usize,
    /// Power of ten of the first digit.
    exponent: i32,
}

impl Decimal {
    /// Reads a number in scientific notation; `None` for infinities and NaN.
    fn read(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = text.split_once('e')?;
        let digits = mantissa.trim_end_matches(['0', '.', '-']).bytes().filter(u8::is_ascii_digit).count();
        Some(Decimal { digits, exponent: exponent.parse().ok()? })
    }

    /// The fewest digits that tell the number from its neighbours.
    fn shortest(x: impl LowerExp) -> Option<Decimal> {
        Decimal::read(&format!("{x:e}"))
    }

    /// At most [`DIGITS`] of them.
    fn shown(x: impl LowerExp + Copy) -> Option<Decimal> {
        let places = Decimal::shortest(x)?.places().min(DIGITS - 1);
        Decimal::read(&format!("{x:.places$e}"))
    }

    /// Digits after the point in scientific notation.
    fn places(&self) -> usize {
        self.digits.saturating_sub(1)
    }

    /// Digits after the point in fixed notation.
    fn decimals(&self) -> usize {
        (self.places() as i32 - self.exponent).max(0) as usize
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
    /// The same in scientific notation; `None` means the fewest digits from which each number can be read back.
    AskedScientific { decimals: Option<usize> },
}

impl Style {
    /// The style that suits all of some numbers and all their parts.
    pub(super) fn of<T: Element>(numbers: &[T]) -> Style {
        let finite = || numbers.iter().flat_map(|x| parts(*x)).filter_map(|x| Some((x, Decimal::shown(x)?)));
        let exponents = || finite().filter(|(_, decimal)| decimal.digits > 0).map(|(_, decimal)| decimal.exponent);
        let (low, high) = (exponents().min().unwrap_or(0), exponents().max().unwrap_or(0));
        if low < SMALLEST || high >= LARGEST || high - low > SPREAD {
            return Style::Scientific { decimals: finite().map(|(_, decimal)| decimal.places()).max().unwrap_or(0) };
        }
        // Eight places for numbers like 1; as many more as the largest number begins behind the point.
        let most = (DIGITS as i32 - 1 - high.min(-1)) as usize;
        let decimals = finite().map(|(x, decimal)| match decimal.decimals() {
            decimals if decimals <= most => decimals,
            _ => format!("{x:.most$}").trim_end_matches('0').split_once('.').map_or(0, |(_, decimals)| decimals.len()),
        });
        Style::Fixed { decimals: decimals.max().unwrap_or(0) }
    }

    /// One element, with blanks at its end where zeros would be no digits of it; `plus` writes the sign of what is not negative.
    pub(super) fn cell<T: Element>(self, x: T, plus: bool) -> String {
        let signed = |text: String| if text.starts_with('-') || text == "NaN" { text } else { format!("+{text}") };
        let re = self.real(x.re());
        let re = if plus { signed(re) } else { re };
        if !T::DTYPE.is_complex() {
            return re;
        }
        let im = self.real(x.im());
        let sign = if im.starts_with('-') { "" } else { "+" };
        format!("{}{sign}{}i", re.trim_end(), im.trim_end())
    }

    fn real<R: Element>(self, x: R) -> String {
        let Some(own) = Decimal::shortest(x) else { return x.to_string() };
        match self {
            Style::Fixed { decimals } => {
                let (short, long) = (own.decimals().min(decimals), format!("{x:.decimals$}"));
                let short = format!("{x:.short$}");
                // Behind its own digits a number of single precision goes on with others, which nobody has written.
                let zeros = long.strip_prefix(&short).is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b'0' | b'.')));
                if zeros { long } else { format!("{short:long$}", long = long.len()) }
            }
            Style::Scientific { decimals } => {
                let (short, long) = (own.places().min(decimals), format!("{x:.decimals$e}"));
                let digits = Decimal::read(&long).map_or(0, |long| long.digits);
                if digits <= short + 1 { long } else { format!("{x:.short$e}") }
            }
            Style::Asked { decimals } => format!("{x:.decimals$}"),
            Style::AskedScientific { decimals: Some(decimals) } => format!("{x:.decimals$e}"),
            Style::AskedScientific { decimals: None } => format!("{x:e}"),
        }
    }
}

/// The real part, and where there is one the imaginary part.
fn parts<T: Element>(x: T) -> impl Iterator<Item = T::Real> {
    std::iter::once(x.re()).chain(T::DTYPE.is_complex().then(|| x.im()))
}

#[cfg(test)]
mod tests {
    //! Every number that is written is the number rounded to the digits shown.

    use std::fmt::Debug;
    use std::str::FromStr;

    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;

    /// What is wrong with a text of a number: a digit of it, or a digit more than tell the number from its neighbours.
    fn check<R: Element + FromStr<Err: Debug> + PartialOrd>(x: R, text: &str) {
        let trimmed = text.trim();
        if x.re().partial_cmp(&x.re()).is_none() {
            return assert_eq!(trimmed, "NaN");
        }
        let (mantissa, is_scientific) = trimmed.split_once('e').map_or((trimmed, false), |(mantissa, _)| (mantissa, true));
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let rounded = if is_scientific { format!("{x:.decimals$e}") } else { format!("{x:.decimals$}") };
        assert_eq!(trimmed, rounded, "{x:?}");
        let read: R = trimmed.parse().unwrap();
        assert_eq!(read, rounded.parse().unwrap());
        let significant = |text: &str| {
            let mantissa = text.split('e').next().unwrap_or_default().replace(['-', '.'], "");
            mantissa.trim_matches('0').len()
        };
        // A whole number has no place behind its own digits that could be left out.
        let is_whole = decimals == 0 && !is_scientific;
        assert!(is_whole || significant(trimmed) <= significant(&format!("{x:e}")), "{x:?} is shown as {text}");
    }

    #[test]
    fn single_numbers() {
        let mut random = StdRng::seed_from_u64(3);
        let powers = (-1074..1024).map(|n| 2f64.powi(n));
        let drawn = (0..20_000).map(|_| {
            let x = f64::from_bits(random.random());
            if random.random() { x } else { (x % 1e6) * 10f64.powi(random.random_range(-8..4)) }
        });
        for x in drawn.chain(powers).chain([-0.0, 5e-324, -f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NEG_INFINITY]) {
            let text = Style::of(&[x]).cell(x, false);
            check(x, &text);
            assert!(text.len() <= 17, "{text}");
            let short = x as f32;
            check(short, &Style::of(&[short]).cell(short, false));
        }
    }

    #[test]
    fn the_fewest_digits_read_back_as_the_number() {
        let mut random = StdRng::seed_from_u64(5);
        for _ in 0..20_000 {
            let (x, y) = (f64::from_bits(random.random()), f32::from_bits(random.random()));
            let style = Style::AskedScientific { decimals: None };
            assert!(x.is_nan() || style.cell(x, false).parse::<f64>().unwrap().to_bits() == x.to_bits());
            assert!(y.is_nan() || style.cell(y, true).parse::<f32>().unwrap().to_bits() == y.to_bits());
        }
    }

    fn company<R: Element + FromStr<Err: Debug> + PartialOrd>(company: &[R]) {
        let style = Style::of(company);
        let texts: Vec<String> = company.iter().map(|&x| style.cell(x, false)).collect();
        company.iter().zip(&texts).for_each(|(&x, text)| check(x, text));
        // In fixed notation points stand below each other: as many characters follow.
        let behind = |text: &String| text.split_once('.').map_or(0, |(_, behind)| behind.len());
        assert!(
            texts.iter().all(|text| text.contains('e') || behind(text) == behind(&texts[0]) || text.ends_with(' ')),
            "{texts:?}"
        );
    }

    #[test]
    fn numbers_in_company() {
        let mut random = StdRng::seed_from_u64(4);
        for _ in 0..5_000 {
            let exponents = random.random_range(1..9);
            let digits = random.random_range(0..9);
            let mut number = || {
                let x = (random.random::<f64>() - 0.5) * 10f64.powi(random.random_range(-exponents..exponents));
                // Half of them have few digits.
                if random.random() { x } else { format!("{x:.digits$}").parse().unwrap() }
            };
            let numbers: [f64; 6] = std::array::from_fn(|_| number());
            company(&numbers);
            company(&numbers.map(|x| x as f32));
        }
    }
}
