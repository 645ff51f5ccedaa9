//! For which numbers the run time's `private` has names. rustc reads a name faster than a number in angle brackets, which is a body of its
//! own to it; larger numbers are written in angle brackets. Nothing else in the macros repeats how far the names go.

/// Operands that are given fewer indices than this: `INDICES_0` and so on, in `private/mod.rs`.
pub(super) const INDICES: usize = 9;

/// Labels with smaller numbers than this: `LabelIndex0` and so on, in `private/static_expr/names.rs`.
pub(super) const LABELS: usize = 8;

/// Operands with smaller numbers than this: `Read0` and so on, there.
pub(super) const OPERANDS: usize = 6;

/// Axes of these operands with smaller numbers than this: `AxisExtent0_0` and so on, there.
pub(super) const AXES: usize = 4;
