//! Functions of the program, which `map(f; X, Y)` calls, with their element type and number of arguments erased.
//!
//! A function is called for a chunk of elements at a time, in a loop that is compiled for it, so that it is inlined. How the compiler
//! checks the function is not known here, but in `map_function`.

use std::fmt;

use num_complex::Complex;

use crate::dtype::Dtype;

/// The table of functions by their number of arguments, handed to a macro: count, trait, variant, constructor, method of the
/// compile-time check, arguments.
macro_rules! by_arity {
    ($each:ident) => {
        $each! {
            1 Function1 One callback1 __function1 (a T);
            2 Function2 Two callback2 __function2 (a T, b T);
            3 Function3 Three callback3 __function3 (a T, b T, c T);
            4 Function4 Four callback4 __function4 (a T, b T, c T, d T);
            5 Function5 Five callback5 __function5 (a T, b T, c T, d T, e T);
            6 Function6 Six callback6 __function6 (a T, b T, c T, d T, e T, f T);
            7 Function7 Seven callback7 __function7 (a T, b T, c T, d T, e T, f T, g T);
            8 Function8 Eight callback8 __function8 (a T, b T, c T, d T, e T, f T, g T, h T);
        }
    };
}
pub(crate) use by_arity;

macro_rules! functions {
    ($($count:literal $Function:ident $Variant:ident $callback:ident $lookup:ident ($($a:ident $T:ident),*);)*) => {
        $(
            /// A function of this number of elements, called for a chunk of elements at a time.
            pub trait $Function<T> {
                /// Writes one value to each element of `out`.
                fn fill(&self, arguments: [&[T]; $count], out: &mut [T]);
            }
            impl<T: Copy, F: Fn($($T),*) -> T> $Function<T> for F {
                fn fill(&self, arguments: [&[T]; $count], out: &mut [T]) {
                    // Equal lengths, so that the loop checks no bounds.
                    let [$($a),*] = arguments.map(|argument| &argument[..out.len()]);
                    for n in 0..out.len() {
                        out[n] = self($($a[n]),*);
                    }
                }
            }
        )*

        #[derive(Clone, Copy)]
        pub(crate) enum Arity<'a, T> {
            $($Variant(&'a (dyn $Function<T> + Sync)),)*
        }

        impl<T> Typed<'_, T> {
            /// Writes one value to each element of `out`.
            ///
            /// # Panics
            /// When the number of arguments is not that of the function, or an argument is shorter than `out`.
            pub fn fill(self, arguments: &[&[T]], out: &mut [T]) {
                match self.0 {
                    $(Arity::$Variant(function) => {
                        function.fill(arguments.try_into().expect("a function is given as many arguments as it takes"), out);
                    })*
                }
            }
        }
    };
}
by_arity!(functions);

/// A function of elements of one type.
#[derive(Clone, Copy)]
pub struct Typed<'a, T>(pub(crate) Arity<'a, T>);

/// A function of elements of any type, borrowed. A program names it by a slot, as a graph names its sources.
#[derive(Clone, Copy)]
pub enum Callback<'a> {
    /// `f32`
    F32(Typed<'a, f32>),
    /// `f64`
    F64(Typed<'a, f64>),
    /// `Complex<f32>`
    C32(Typed<'a, Complex<f32>>),
    /// `Complex<f64>`
    C64(Typed<'a, Complex<f64>>),
}

impl Callback<'_> {
    /// The type of its elements.
    pub fn dtype(&self) -> Dtype {
        match self {
            Callback::F32(_) => Dtype::F32,
            Callback::F64(_) => Dtype::F64,
            Callback::C32(_) => Dtype::C32,
            Callback::C64(_) => Dtype::C64,
        }
    }
}

impl fmt::Debug for Callback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Callback({})", self.dtype())
    }
}
