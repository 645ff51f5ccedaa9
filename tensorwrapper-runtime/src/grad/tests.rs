//! Derivatives against finite differences.
