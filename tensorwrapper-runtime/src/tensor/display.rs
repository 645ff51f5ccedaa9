//! Formats tensors for people: nested brackets, aligned columns, and only the edges of large tensors.
//!
//! Only the elements that are shown are read, so a huge tensor prints as fast as a small one.
//!
//! Supported options: digits after the point (`{:.3}`), scientific notation (`{:e}`, `{:.3e}`, `{:E}`), signs of numbers that
//! are not negative (`{:+}`), and a least width of each element (`{:12}`).

use std::fmt::{self, Debug, Display, Formatter, LowerExp, UpperExp};

use super::any::AnyTensor;
use super::dense::Tensor;
use super::fixed::{StaticTensor, layout};
use super::number::Style;
use super::view::TensorRef;
use super::view_mut::TensorMut;
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, StaticExtents};
use tensorwrapper_core::stored::Stored;
use tensorwrapper_notation::sentence::counted;

/// Tensors of more elements are shown without their middle.
const WHOLE: usize = 1000;

/// The most elements that are shown of such a tensor: the number at each edge of each axis shrinks until no more are left.
const SHOWN: usize = 10_000;

/// Tensors of more axes are only described, because so many brackets cannot be read.
const AXES: usize = 64;

/// Width at which a row of elements goes on in the next line.
const LINE: usize = 100;

/// The notation that a formatter was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// `{}`
    Plain,
    /// `{:e}`
    LowerExp,
    /// `{:E}`
    UpperExp,
}

/// Writes the elements that a layout finds, in brackets.
fn write<T: Stored>(f: &mut Formatter<'_>, notation: Notation, elements: &[T], layout: &Strided) -> fmt::Result {
    if layout.is_empty() {
        return f.write_str("[]");
    }
    if layout.rank() > AXES {
        return write!(f, "[... {} in {} axes ...]", counted(layout.len(), "element"), layout.rank());
    }
    let picture = Picture::new(layout);
    let mut shown = Vec::new();
    picture.collect(elements, layout, 0, layout.offset() as isize, &mut shown);
    let cells: Vec<String> = match T::numbers(&shown) {
        Some(numbers) => dispatch!(numbers.dtype(), E => written(f, notation, E::typed(numbers).unwrap_or_default())),
        // Whole numbers and truth values have no digits to choose, whatever the notation.
        None => shown.iter().map(T::to_string).collect(),
    };
    let width = cells.iter().map(|cell| cell.chars().count()).chain(f.width()).max().unwrap_or(0);
    picture.write(f, 0, &mut cells.iter().map(|cell| format!("{cell:>width$}")))
}

/// Numbers as text, in one style.
fn written<T: Element>(f: &Formatter<'_>, notation: Notation, numbers: &[T]) -> Vec<String> {
    let style = match (notation, f.precision()) {
        (Notation::Plain, None) => Style::of(numbers),
        (Notation::Plain, Some(decimals)) => Style::Asked { decimals },
        (_, decimals) => Style::AskedScientific { decimals },
    };
    let cell = |&x| {
        let cell = style.cell(x, f.sign_plus());
        if notation == Notation::UpperExp { cell.replace('e', "E") } else { cell }
    };
    numbers.iter().map(cell).collect()
}

/// Which indices of each axis are shown.
struct Picture {
    axes: Vec<Edges>,
}

/// The first and the last indices of an axis; all of them where nothing is left out.
#[derive(Clone, Copy)]
struct Edges {
    extent: usize,
    first: usize,
    last: usize,
}

impl Edges {
    fn are_all(self) -> bool {
        self.first + self.last == self.extent
    }

    fn indices(self) -> impl Iterator<Item = usize> {
        (0..self.first).chain(self.extent - self.last..self.extent)
    }
}

impl Picture {
    fn new(layout: &Strided) -> Picture {
        if layout.len() <= WHOLE {
            let all = |&extent| Edges { extent, first: extent, last: 0 };
            return Picture { axes: layout.extents().iter().map(all).collect() };
        }
        let with = |first: usize, last: usize| -> Vec<Edges> {
            let cut = |&extent: &usize| match extent <= first + last {
                true => Edges { extent, first: extent, last: 0 },
                false => Edges { extent, first, last },
            };
            layout.extents().iter().map(cut).collect()
        };
        let fits =
            |axes: &Vec<Edges>| axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.first + a.last)).is_some_and(|n| n <= SHOWN);
        let mut candidates = [(3, 3), (2, 2), (1, 1)].into_iter().map(|(first, last)| with(first, last));
        Picture { axes: candidates.find(fits).unwrap_or_else(|| with(1, 0)) }
    }

    /// Gathers the elements shown, in the order in which they are written.
    fn collect<T: Stored>(&self, elements: &[T], layout: &Strided, axis: usize, position: isize, shown: &mut Vec<T>) {
        let Some(edges) = self.axes.get(axis) else {
            shown.push(elements[position as usize]);
            return;
        };
        for i in edges.indices() {
            self.collect(elements, layout, axis + 1, position + i as isize * layout.strides()[axis], shown);
        }
    }

    /// Writes everything below an axis, taking the elements' texts from an iterator.
    fn write(&self, f: &mut Formatter<'_>, axis: usize, cells: &mut impl Iterator<Item = String>) -> fmt::Result {
        let mut cell = || cells.next().unwrap_or_default();
        let Some(&edges) = self.axes.get(axis) else { return f.write_str(&cell()) };
        let indent = axis + 1;
        f.write_str("[")?;
        if indent == self.axes.len() {
            let mut row = Row { used: indent, indent };
            for n in 0..edges.first {
                row.write(f, n == 0, &cell())?;
            }
            if !edges.are_all() {
                row.write(f, edges.first == 0, "...")?;
            }
            for _ in 0..edges.last {
                row.write(f, false, &cell())?;
            }
            return f.write_str("]");
        }
        // As many line breaks as axes have begun anew, so that matrices stand apart.
        let gap = format!(",{}{}", "\n".repeat(self.axes.len() - indent), " ".repeat(indent));
        for n in 0..edges.first + edges.last {
            if n == edges.first {
                write!(f, "{gap}...")?;
            }
            if n > 0 {
                f.write_str(&gap)?;
            }
            self.write(f, axis + 1, cells)?;
        }
        if !edges.are_all() && edges.last == 0 {
            write!(f, "{gap}...")?;
        }
        f.write_str("]")
    }
}

/// A row of elements, broken into lines.
struct Row {
    used: usize,
    indent: usize,
}

impl Row {
    fn write(&mut self, f: &mut Formatter<'_>, first: bool, cell: &str) -> fmt::Result {
        let width = cell.chars().count();
        if !first && self.used + 2 + width > LINE {
            self.used = self.indent;
            write!(f, ",\n{:indent$}", "", indent = self.indent)?;
        } else if !first {
            self.used += 2;
            f.write_str(", ")?;
        }
        self.used += width;
        f.write_str(cell)
    }
}

macro_rules! shown {
    ($([$($generics:tt)*] $Type:ty, $name:literal, $dtype:expr, $write:expr;)*) => { $(
        /// Writes the elements as a table, each correctly rounded to its last digit. By default a single number has up to eight
        /// significant digits, and all numbers of a table have as many digits after the point as the one that needs most.
        /// `{:.3}` shows three digits after the point, `{:+}` shows signs, and `{:12}` makes elements at least 12 characters
        /// wide.
        impl<$($generics)*> Display for $Type {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                $write(self, f, Notation::Plain)
            }
        }

        /// Writes the elements in scientific notation, each with the fewest digits from which the same number can be read back;
        /// `{:.3e}` shows three digits after the point.
        impl<$($generics)*> LowerExp for $Type {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                $write(self, f, Notation::LowerExp)
            }
        }

        /// As `{:e}`, with `E`.
        impl<$($generics)*> UpperExp for $Type {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                $write(self, f, Notation::UpperExp)
            }
        }

        /// Writes element type and extents in a line of their own, then the elements.
        impl<$($generics)*> Debug for $Type {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                // The head line, which says what the brackets cannot.
                let dtype: fn(&Self) -> &'static str = $dtype;
                writeln!(f, "{}<{}, extents {:?}>", $name, dtype(self), self.extents())?;
                Display::fmt(self, f)
            }
        }
    )* };
}
shown! {
    [T: Stored, S: Extents] Tensor<T, S>, "Tensor", |_| T::NAME,
        |own: &Self, f: &mut Formatter<'_>, notation| write(f, notation, &own.located.data[..], &own.located.layout);
    [T: Stored, S: Extents] TensorRef<'_, T, S>, "TensorRef", |_| T::NAME,
        |own: &Self, f: &mut Formatter<'_>, notation| write(f, notation, own.located.data, &own.located.layout);
    [T: Stored, S: Extents] TensorMut<'_, T, S>, "TensorMut", |_| T::NAME,
        |own: &Self, f: &mut Formatter<'_>, notation| write(f, notation, &own.located.data[..], &own.located.layout);
    [T: Element, S: StaticExtents] StaticTensor<T, S>, "StaticTensor", |_| T::NAME,
        |own: &Self, f: &mut Formatter<'_>, notation| write(f, notation, own.as_slice(), &layout::<S>());
    [] AnyTensor, "AnyTensor", |own| dispatch!(own.dtype(), T => T::NAME), any;
}

fn any(tensor: &AnyTensor, f: &mut Formatter<'_>, notation: Notation) -> fmt::Result {
    dispatch!(tensor.dtype(), T => match T::typed(tensor.located.data.as_ref()) {
        Some(elements) => write(f, notation, elements, &tensor.located.layout),
        None => Err(fmt::Error),
    })
}
