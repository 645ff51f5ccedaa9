//! Bad input without end: right texts with mistakes in them, soups of tokens and of characters, numbers beyond all
//! measure, deep nests and long chains. The same number makes the same text.
//!
//! Shared by the fuzz targets of all crates, so it knows nothing of any. `FUZZ_CASES` says how many texts each of them
//! reads, `FUZZ_SEED` from which number on; `tests/fuzz/run.sh` reads a million.

use std::time::{Duration, Instant};

/// Equations of the language that are right, of each form.
const EQUATIONS: [&str; 30] = [
    "[i, j] = A[i, k] * B[k, j]",
    "[] = A[i, i]",
    "A[i, j] += 0.5 * B[j, i]",
    "A[i, j] /= a[i] + a[j] - x",
    "[i, j] = 1[i, j] - A[j, i] / (a[i] + b[j])",
    "[i] = sum(k, l; A[i, k] * B[k, l])",
    "[i] = max(k; abs(A[i, k])) + min(k; A[k, i])",
    "[i, j] = asym(i, j; A[i, j] * a[j])",
    "[i, a, j, b] = sym((i, a), (j, b); A[i, a] * B[j, b])",
    "[i, k, j] = A[i, (j, k)] where j: 2, k: 3",
    "[(i, j), k] = A[i, k] * B[j, k]",
    "[.., i] = A[i, ..] + B[0, ..] * 1[i]",
    "[i] = A[i in 0..2, 1] * a[i in ..2] - a[i in 0..]",
    "[i, i, j] = A[i, j]",
    "[i] = powi(a[i], -2) + powf(exp(a[i]), 0.5) - -a[i]",
    "[i, k] = cholesky(A[i, j])",
    "([n], [p, n]) = eigh(A[p, q], B[p, q])",
    "[b, i, k] = cholesky(i, j; C[b, i, j])",
    "let w[i, j] = A[i, k] * B[k, j]; let e = w[i, i]; (w, e)",
    "in &ctx; where i, j: n; let w[i, j] = A[i, j] + 2 * x; A[i, j] *= w[j, i]; w",
    "let (e[n], v[p, n]) = eigh(A[p, q]); e",
    "[i, j] = (f(x))[i, j] * self.t2[j, i] + { n as f64 } * x.0[i, { n - 1 }]",
    "[i] = A[i, j] * r#type[j] + crate::CONSTANT",
    "([i], [i, j]) = svd(A[i, j])",
    "[i] = a[i] where i: n",
    "[α, β] = A[α, γ] * B[γ, β]",
    "\"ik,kj->ij\", A, B",
    "\"...ij,...jk\", A, self.b",
    "[i] = tanh(re(conj(a[i]))) * recip(x)",
    "let a[i] = 2.5e-3 * b[i]; [i, j] = a[i] * a[j]",
];

/// Subscripts of `einsum`.
const SUBSCRIPTS: [&str; 13] = [
    "...i->i",
    "i -> ...i",
    "i j - > . . . j",
    "ij,jk->ik",
    "ii",
    "ii->i",
    "i->ii",
    "...ij,...jk->...ik",
    "i,i,i->",
    "ab , bc",
    "->",
    ",",
    "αβ,βγ->αγ",
];

/// Texts of layouts.
const LAYOUTS: [&str; 10] = [
    "f32[2,3]{1,0}",
    "f64[]",
    "f32[<=456,3]{1,0:T(2,2)S(1)}",
    "(f32[2]{0}, (f64[], c64[3]{0}))",
    "c128[2,3]{0,1:W(3,5)}",
    "f32[2,3]{1,0:W(3,5;-inf)T(8,128)(2,1)}",
    "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
    "f32[]{:T(128)}",
    "(f32[2]{0}, /*index=1*/f32[0,1,2]{2,0,1})",
    "()",
];

/// Indices as `at` reads them.
const INDICES: [&str; 12] =
    ["ij", "i,j", "i in 0..2, j", "i,1", "(i,j),k", "..,i", "i,", "", "ii", "i in ..1, j in 1..", "α,β", "occ, vir"];

const TOKENS: [&str; 64] = [
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    ":",
    "..",
    "...",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "+=",
    "*=",
    "->",
    "=>",
    "!",
    "?",
    "&",
    "&&",
    "|",
    "^",
    "%",
    "@",
    "#",
    "$",
    "~",
    "<",
    ">",
    "'",
    "'a",
    "\"",
    "\"ij->ji\"",
    ".",
    "::",
    "i",
    "j",
    "k",
    "A",
    "B",
    "a",
    "x",
    "sum",
    "max",
    "sym",
    "exp",
    "powi",
    "cholesky",
    "eigh",
    "svd",
    "let",
    "where",
    "in",
    "self",
    "_",
    "0",
    "1",
    "2.5",
    "r#fn",
];

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "4294967296",
    "1e308",
    "1e999",
    "1e-999",
    "0x1f",
    "1_000_000",
    "99999999999999999999999999999999999999999",
    "0.1.2",
    "1usize",
];

/// Letters that are none in Rust, digits that are letters, marks that join, directions that turn, and worse.
const CHARACTERS: [char; 40] = [
    'i',
    'j',
    'k',
    ',',
    ' ',
    '.',
    '-',
    '>',
    '[',
    ']',
    '(',
    ')',
    'α',
    'ß',
    'é',
    'ñ',
    '日',
    'ⓐ',
    'Ⅷ',
    '²',
    '½',
    '٣',
    'ª',
    'ʰ',
    'ǅ',
    '\u{301}',
    '\u{200d}',
    '\u{202e}',
    '\u{feff}',
    '\u{0}',
    '\u{7f}',
    '\n',
    '\t',
    '\u{2028}',
    '🦀',
    '𝐀',
    '\u{10ffff}',
    '\\',
    '"',
    '_',
];

/// How many texts a target reads.
pub fn cases() -> u64 {
    environment("FUZZ_CASES").unwrap_or(10_000)
}

fn environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{name} is `{text}`, which is no number")))
}

/// Gives each text's maker to a door; a door that panics fails with the number that makes the text again. Says what took
/// longest.
pub fn run(door: &str, mut read: impl FnMut(&mut Soup) -> bool) {
    let (first, count) = (environment("FUZZ_SEED").unwrap_or(0), cases());
    let (start, mut slowest, mut accepted) = (Instant::now(), (Duration::ZERO, 0), 0u64);
    for number in first..first + count {
        let case = Instant::now();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&mut Soup::new(number))));
        match outcome {
            Ok(good) => accepted += u64::from(good),
            Err(_) => panic!("{door} panicked: FUZZ_SEED={number} FUZZ_CASES=1 shows it again"),
        }
        slowest = slowest.max((case.elapsed(), number));
    }
    let (took, (longest, which)) = (start.elapsed(), slowest);
    println!("{door}: {count} cases in {took:.1?}, {accepted} accepted; case {which} took longest, {longest:.1?}");
    // Otherwise nothing would get past the first check.
    assert!(count < 1000 || accepted * 100 > count, "only {accepted} of {count} texts were accepted by {door}");
}

/// A source of texts.
pub struct Soup(u64);

impl Soup {
    fn new(number: u64) -> Soup {
        Soup(number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// splitmix64
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below another.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// An equation or a block, most often a wrong one.
    pub fn equation(&mut self) -> String {
        self.text(&EQUATIONS)
    }

    /// Subscripts for `einsum`, most often wrong ones.
    pub fn subscripts(&mut self) -> String {
        self.text(&SUBSCRIPTS)
    }

    /// Layouts, most often wrong ones.
    pub fn layouts(&mut self) -> String {
        self.text(&LAYOUTS)
    }

    /// Indices for `at`, most often wrong ones.
    pub fn indices(&mut self) -> String {
        self.text(&INDICES)
    }

    fn text(&mut self, right: &[&str]) -> String {
        match self.below(40) {
            0..4 => self.pick(right).to_string(),
            4..22 => self.mutated(right),
            22..30 => self.list(30, |soup| soup.pick(&TOKENS).to_string(), " "),
            30..34 => self.list(30, |soup| soup.pick(&CHARACTERS).to_string(), ""),
            34..37 => self.numbers(right),
            _ => self.nest(right),
        }
    }

    fn list(&mut self, most: usize, item: impl Fn(&mut Soup) -> String, separator: &str) -> String {
        let count = self.below(most);
        (0..count).map(|_| item(self)).collect::<Vec<_>>().join(separator)
    }

    /// Right texts with up to six mistakes.
    fn mutated(&mut self, right: &[&str]) -> String {
        let mut text: Vec<char> = self.pick(right).chars().collect();
        for _ in 0..1 + self.below(6) {
            let at = self.below(text.len() + 1);
            let to = (at + self.below(8)).min(text.len());
            match self.below(6) {
                0 => drop(text.drain(at..to)),
                1 => drop(text.splice(at..at, text[at..to].to_vec())),
                2 => drop(text.splice(at..at, self.pick(&TOKENS).chars())),
                3 => drop(text.splice(at..to, self.pick(&TOKENS).chars())),
                4 => text.insert(at, self.pick(&CHARACTERS)),
                // The head of one and the tail of another.
                _ => {
                    let other: Vec<char> = self.pick(right).chars().collect();
                    let from = self.below(other.len() + 1);
                    drop(text.splice(at.., other[from..].iter().copied()));
                }
            }
        }
        text.into_iter().collect()
    }

    /// Right texts with other numbers, and numbers in the place of labels.
    fn numbers(&mut self, right: &[&str]) -> String {
        let text = self.pick(right);
        let mut found = String::new();
        for c in text.chars() {
            match c {
                '0'..='9' => found += self.pick(&NUMBERS),
                'i'..='k' if self.below(4) == 0 => found += self.pick(&NUMBERS),
                c => found.push(c),
            }
        }
        found
    }

    /// Something inside itself, or after itself: often a few times, seldom thousands of times.
    fn nest(&mut self, right: &[&str]) -> String {
        let times = match self.below(100) {
            0 => self.below(4000),
            1..10 => self.below(200),
            _ => self.below(20),
        };
        let (open, close) = self.pick(&[
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("-", ""),
            ("(A[i, j] + ", ")"),
            ("A[i, j] * (", ")"),
            ("exp(", ")"),
            ("sum(k; ", ")"),
            ("sym(i, j; ", ")"),
            ("max(k; A[i, k] * ", ")"),
            ("powi(", ", 2)"),
            ("A[i, j] + ", ""),
            ("A[i, j] * ", ""),
            ("let a[i] = b[i]; ", ""),
            ("i, ", ""),
            ("ij,", ""),
            ("(f32[2]{0}, ", ")"),
            ("x.", ""),
        ]);
        let head = self.pick(&["", "[i, j] = ", "A[i, j] = ", "[i"]);
        let whole = self.pick(right);
        let inner = self.pick(&["", "A[i, j]", "i", whole]);
        let closing = if self.below(4) == 0 { times.saturating_sub(1) } else { times };
        format!("{head}{}{inner}{}", open.repeat(times), close.repeat(closing))
    }
}
