//! The outcomes of comparing or dividing two numbers of types at compile time, as types without data. They must not know how numbers are
//! compared.

/// Two numbers that must be equal; both are 0 if one of them is not known at compile time.
#[derive(Debug)]
pub struct Compared<const L: usize, const R: usize>;

/// Whether a position lies on an axis of extent `N`.
#[derive(Debug)]
pub struct Located<const N: usize, const INSIDE: bool>;

/// Whether the product `P` divides the extent `N`.
#[derive(Debug)]
pub struct Divided<const P: usize, const N: usize, const EVENLY: bool>;
