//! What a kernel of fixed size computes, as constants: `c[o, i, j] = Σₖ a[o, i, k] · b[o, k, j]`.
//!
//! Pure arithmetic, evaluated by the compiler.

/// Loops around a product of matrices, at most.
pub const MOST_OUTER: usize = 6;

/// Elements of a right operand that is transposed first, at most.
pub const MOST_TRANSPOSED: usize = 1024;

/// Bytes of a row of the result at least: the narrowest vector.
pub const NARROWEST: usize = 16;

/// A loop around a product of matrices: how often, and how much further in the operands and the result each time.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// How often.
    pub extent: usize,
    /// How much further in `a`.
    pub a: usize,
    /// How much further in `b`.
    pub b: usize,
    /// How much further in `c`.
    pub c: usize,
}

impl Axis {
    /// Once.
    pub const NONE: Axis = Axis { extent: 1, a: 0, b: 0, c: 0 };
}

/// A loop over terms of the sum: how many, and how much further in the operands each is.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// How many terms.
    pub extent: usize,
    /// How much further each is in `a`.
    pub a: usize,
    /// How much further each is in `b`.
    pub b: usize,
}

impl Term {
    /// One term.
    pub const NONE: Term = Term { extent: 1, a: 0, b: 0 };
}

/// Extents and strides of a product. No extent is zero; the rows of the result have no gaps.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// Rows of the result.
    pub rows: usize,
    /// Columns of the result.
    pub columns: usize,
    /// The terms, the inner loop first.
    pub terms: [Term; 2],
    /// How much further each row is in `a`.
    pub a_row: usize,
    /// How much further each row is in `c`.
    pub c_row: usize,
    /// How much further each column is in `b`; other than 1, and `b` is transposed first.
    pub b_column: usize,
    /// Loops around all of it.
    pub outer: [Axis; MOST_OUTER],
}

impl Problem {
    /// One number times another.
    pub const ONE: Problem =
        Problem { rows: 1, columns: 1, terms: [Term::NONE; 2], a_row: 0, c_row: 1, b_column: 1, outer: [Axis::NONE; MOST_OUTER] };

    /// Multiplications of one product of matrices.
    pub const fn work(&self) -> usize {
        self.rows * self.columns * self.terms[0].extent * self.terms[1].extent
    }

    /// Elements that `a`, `b` and `c` have at least.
    pub const fn reach(&self) -> [usize; 3] {
        let mut a = (self.rows - 1) * self.a_row;
        let mut b = (self.columns - 1) * self.b_column;
        let mut c = (self.rows - 1) * self.c_row + self.columns - 1;
        let mut n = 0;
        while n < 2 {
            a += (self.terms[n].extent - 1) * self.terms[n].a;
            b += (self.terms[n].extent - 1) * self.terms[n].b;
            n += 1;
        }
        let mut n = 0;
        while n < MOST_OUTER {
            let last = self.outer[n].extent - 1;
            a += last * self.outer[n].a;
            b += last * self.outer[n].b;
            c += last * self.outer[n].c;
            n += 1;
        }
        [a + 1, b + 1, c + 1]
    }

    /// Whether the loops lead to every element of `c` up to the last, and to each once: sorted by their strides, each loop goes
    /// as far as those inside of it together.
    pub const fn covers(&self) -> bool {
        let (rows, columns) = ([self.rows, self.c_row], [self.columns, 1]);
        let mut loops = [[1, 0]; MOST_OUTER + 2];
        (loops[MOST_OUTER], loops[MOST_OUTER + 1]) = (rows, columns);
        let mut n = 0;
        while n < MOST_OUTER {
            loops[n] = [self.outer[n].extent, self.outer[n].c];
            n += 1;
        }
        let mut n = 0;
        while n < loops.len() {
            let [extent, stride] = loops[n];
            let (mut inside, mut m) = (1, 0);
            while m < loops.len() {
                if loops[m][1] < stride {
                    inside *= loops[m][0];
                } else if loops[m][1] == stride && m != n && extent > 1 && loops[m][0] > 1 {
                    return false;
                }
                m += 1;
            }
            if extent > 1 && inside != stride {
                return false;
            }
            n += 1;
        }
        true
    }

    /// The strides of the terms in `b` as the kernel sees it, transposed or not.
    pub const fn b_terms(&self) -> [usize; 2] {
        match self.b_column {
            1 => [self.terms[0].b, self.terms[1].b],
            _ => [self.columns, self.terms[0].extent * self.columns],
        }
    }
}
