//! Reductions of a chain of operators: what ends labels.

use tensorwrapper_core::element::Element;
use tensorwrapper_notation::syntax::{Ending, ExpressionKind, Reduction};

use super::{Indexed, names};

impl<T: Element> Indexed<'_, T> {
    /// The mean over these labels, which end here: `mean(k; X)` in `tensor!`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [5.0, 8.0]])?;
    /// assert_eq!(a.at("i,j").mean("j").eval("i")?.as_slice(), [1.5, 6.5]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("average"))]
    pub fn mean(self, labels: &str) -> Self {
        self.reduce(Ending::Mean, labels)
    }

    /// The variance over these labels, which end here: the mean of the squares by which this differs from its mean, `var(k; X)` in
    /// `tensor!`. Of complex numbers the squares are those of absolute values.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 3.0], [5.0, 11.0]])?;
    /// assert_eq!(a.at("i,j").var("j").eval("i")?.as_slice(), [1.0, 9.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("variance"))]
    pub fn var(self, labels: &str) -> Self {
        self.reduce(Ending::Variance, labels)
    }

    /// The standard deviation over these labels, which end here: the square root of [`var`](Indexed::var), `std(k; X)` in `tensor!`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 3.0], [5.0, 11.0]])?;
    /// assert_eq!(a.at("i,j").std("j").eval("i")?.as_slice(), [1.0, 3.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("stddev"))]
    pub fn std(self, labels: &str) -> Self {
        self.reduce(Ending::Deviation, labels)
    }

    /// The value of a label, 0, 1, 2, …, at which this is largest: `argmax(k; X)` in `tensor!`. The label ends here. It is the first of
    /// equal ones, and the first NaN if there is one. Real elements only; in `f32`, values beyond 2²⁴ are rounded.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 7.0], [5.0, 5.0]])?;
    /// assert_eq!(a.at("i,j").argmax("j").eval("i")?.as_slice(), [1.0, 0.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn argmax(self, label: &str) -> Self {
        self.reduce(Ending::Argmax, label)
    }

    /// The value of a label at which this is smallest, as [`argmax`](Indexed::argmax): `argmin(k; X)` in `tensor!`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let energies = Tensor::from_array([[3.0, -1.0, 2.0], [0.5, 4.0, 0.5]])?;
    /// assert_eq!(energies.at("s,k").argmin("k").eval("s")?.as_slice(), [1.0, 0.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn argmin(self, label: &str) -> Self {
        self.reduce(Ending::Argmin, label)
    }

    fn reduce(self, ending: Ending, over: &str) -> Self {
        match names(over) {
            Ok(names) => self.wrap(|inner| ExpressionKind::Reduce(ending, names, inner)),
            Err(fault) => Indexed { expression: self.expression.and(Err(fault)), ..self },
        }
    }
}

macro_rules! reductions {
    ($($name:ident: $Reduction:ident, $result:literal, $doc:literal;)*) => {
        impl<T: Element> Indexed<'_, T> { $(
            #[doc = $doc]
            ///
            /// ```
            /// # use tensorwrapper_runtime as tensorwrapper;
            /// use tensorwrapper::Tensor;
            /// let a = Tensor::from_array([[1.0, 4.0], [-2.0, 3.0]])?;
            #[doc = concat!("assert_eq!(a.at(\"i,j\").", stringify!($name), "(\"j\").eval(\"i\")?.as_slice(), ", $result, ");")]
            /// # Ok::<(), tensorwrapper_runtime::Error>(())
            /// ```
            pub fn $name(self, labels: &str) -> Self {
                self.reduce(Ending::Reduce(Reduction::$Reduction), labels)
            }
        )* }
    };
}
reductions! {
    sum: Sum, "[5.0, 1.0]", "The sum over these labels, which end here.";
    prod: Product, "[4.0, -6.0]", "The product over these labels, which end here.";
    max: Max, "[4.0, 3.0]", "The largest element over these labels, which end here. Real elements only.";
    min: Min, "[1.0, -2.0]", "The smallest element over these labels, which end here. Real elements only.";
}
