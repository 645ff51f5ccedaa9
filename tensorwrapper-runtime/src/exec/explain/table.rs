//! Writes the table, and formats numbers for the table and the page.

use std::fmt;
use std::time::Duration;

use tensorwrapper_notation::sentence::counted;

use super::explanation::{ExplainedStep, Explanation};

/// Equations that are longer are cut short in the table; the page has more of them.
const WIDEST: usize = 72;

/// What stands above the columns; the first two are text.
pub(super) const COLUMNS: [&str; 9] =
    ["step", "equation", "class", "operations", "traffic", "live", "of peak", "predicted", "measured"];

/// Why there is a column, in a sentence.
pub(super) const MEANINGS: [&str; 9] = [
    "position in the order of running",
    "what is computed, in the program's names",
    "kind of work",
    "multiplications of a product, else operations on elements",
    "bytes read and written",
    "bytes of results, intermediates and work space while the step runs",
    "the same as a part of the most that there is",
    "time by the rates of the machine",
    "the least time that the step took",
];

impl Explanation {
    /// What is said above everything: how many steps, operations, bytes, how much time.
    pub(super) fn summary(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("steps", self.steps.len().to_string()),
            ("operations", count(self.operations())),
            ("peak memory", bytes(self.peak_bytes())),
            ("predicted", time(self.predicted())),
        ];
        lines.extend(self.taken.map(|taken| ("memory taken", bytes(taken))));
        lines.extend(self.measured().filter(|_| self.runs > 0).map(|taken| ("measured", time(taken))));
        lines.push(("device", self.device.clone()));
        lines.extend(self.integers.map(|how| ("integers", how.to_string())));
        lines.extend(self.replay.as_ref().map(|replay| ("replayed as one", replay.to_string())));
        lines
    }

    /// One row of the table for each step, in the order of [`COLUMNS`], and behind those that are made in parts one for each step of a
    /// part.
    pub(super) fn rows(&self) -> impl Iterator<Item = ([String; 9], &ExplainedStep)> + '_ {
        let numbered = self.steps.iter().enumerate().flat_map(|(n, step)| {
            let inner = step.inner.iter().enumerate().map(move |(m, inner)| (format!("{}.{}", n + 1, m + 1), inner));
            std::iter::once(((n + 1).to_string(), step)).chain(inner)
        });
        numbered.map(|(number, step)| (self.row(number, step), step))
    }

    fn row(&self, number: String, step: &ExplainedStep) -> [String; 9] {
        [
            number,
            step.equation.clone(),
            step.kind(),
            count(step.operations),
            bytes(step.traffic),
            bytes(step.live),
            format!("{:.0} %", 100.0 * self.share(step)),
            time(step.predicted),
            step.measured.map_or("-".to_string(), time),
        ]
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary: Vec<String> = self.summary().into_iter().map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(f, "{}", summary.join(", "))?;
        let mut rows: Vec<[String; 9]> = vec![COLUMNS.map(String::from)];
        rows.extend(self.rows().map(|(row, _)| row));
        rows.iter_mut().for_each(|row| row[1] = shortened(&row[1], WIDEST));
        // Nobody waits for a column without a number in it.
        let columns = if self.measured().is_some_and(|_| self.runs > 0) { 9 } else { 8 };
        let widths: Vec<usize> = (0..columns).map(|n| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0)).collect();
        for row in &rows {
            let mut line = String::new();
            for (n, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let pad = " ".repeat(width - cell.chars().count());
                line += &if n == 1 || n == 2 { format!("{cell}{pad}") } else { format!("{pad}{cell}") };
                line += if n + 1 < columns { "  " } else { "" };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The beginning of a text of more characters than that.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}

/// A number of operations: all digits of a small one.
pub(super) fn count(operations: f64) -> String {
    if operations < 1e6 { format!("{operations:.0}") } else { format!("{operations:.3e}") }
}

/// Operations with their noun.
pub(super) fn operations(number: f64) -> String {
    if number < 1e6 { counted(number.round(), "operation") } else { format!("{} operations", count(number)) }
}

/// Bytes, in the unit that leaves one to three digits before the point.
pub(super) fn bytes(bytes: u128) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    scaled(value, units[unit], unit == 0)
}

/// A time, in the unit that leaves one to three digits before the point.
pub(super) fn time(time: Duration) -> String {
    if time == Duration::MAX {
        return "ages".to_string();
    }
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 999.5e-9 => scaled(seconds * 1e9, "ns", true),
        _ if seconds < 999.5e-6 => scaled(seconds * 1e6, "µs", false),
        _ if seconds < 999.5e-3 => scaled(seconds * 1e3, "ms", false),
        _ if seconds < 1e6 => scaled(seconds, "s", false),
        _ => format!("{seconds:.1e} s"),
    }
}

/// Three digits, or a whole number.
fn scaled(value: f64, unit: &str, is_whole: bool) -> String {
    let digits = match value {
        _ if is_whole => 0,
        _ if value < 9.995 => 2,
        _ if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted() {
        let said: Vec<String> = [0.0, 1.0, 64.0, 2.5e7].map(operations).into();
        assert_eq!(said, ["0 operations", "1 operation", "64 operations", "2.500e7 operations"]);
    }
}
