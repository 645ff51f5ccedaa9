//! Layouts against hand-computed positions, against a plain model of padding and tiles, and against everybody's mistakes.
