//! What the compiler found when it compared or divided two numbers of types, as types without content. It must not know how they are
//! compared.

/// Two numbers that must be equal; 0 and 0 where the compiler does not know both.
#[derive(Debug)]
pub struct Compared<const L: usize, const R: usize>;

/// The answer to whether a position lies on an axis of extent `N`.
#[derive(Debug)]
pub struct Located<const N: usize, const INSIDE: bool>;

/// The answer to whether the product `P` divides the extent `N`.
#[derive(Debug)]
pub struct Divided<const P: usize, const N: usize, const EVENLY: bool>;
