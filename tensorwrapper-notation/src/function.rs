//! Names of the element-wise functions. Backends know how to compute them.

/// A function of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// eˣ
    Exp,
    /// Natural logarithm.
    Ln,
    /// Square root.
    Sqrt,
    /// Absolute value; of a complex number its modulus, with zero imaginary part.
    Abs,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
    /// 1/x
    Recip,
    /// Complex conjugate.
    Conj,
    /// Real part, with zero imaginary part.
    Re,
    /// Imaginary part, with zero imaginary part.
    Im,
}

impl Function {
    /// Every function, in the order of the language reference.
    pub const ALL: [Function; 12] = [
        Function::Exp,
        Function::Ln,
        Function::Sqrt,
        Function::Abs,
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Tanh,
        Function::Recip,
        Function::Conj,
        Function::Re,
        Function::Im,
    ];

    /// The name in equations.
    pub fn name(self) -> &'static str {
        match self {
            Function::Exp => "exp",
            Function::Ln => "ln",
            Function::Sqrt => "sqrt",
            Function::Abs => "abs",
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Tan => "tan",
            Function::Tanh => "tanh",
            Function::Recip => "recip",
            Function::Conj => "conj",
            Function::Re => "re",
            Function::Im => "im",
        }
    }

    /// The function of that name.
    pub fn from_name(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether f(a + b) = f(a) + f(b), so that an implicit sum may be inside the function.
    pub fn is_linear(self) -> bool {
        matches!(self, Function::Conj | Function::Re | Function::Im)
    }
}
