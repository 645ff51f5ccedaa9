//! Stores elements in a layout, and loads them from it.
//!
//! Knows nothing of who owns the memory.

use tensorwrapper_notation::sentence::{are, counted};

use super::physical::Physical;
use super::refuse;
use crate::element::Element;
use crate::error::{Error, ErrorKind};
use crate::storage::memory;

impl Physical {
    /// The memory in this layout of elements that are given in C order. Padding has the value of the layout's [`Fill`](super::Fill).
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Physical};
    /// let stored: Physical = "f32[2,3]{0,1:W(3,5)}".parse()?;
    /// let memory = stored.store(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(memory, [1.0, 4.0, 0.0, 2.0, 5.0, 0.0, 3.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(stored.load(&memory)?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When the elements have another type or number, or the system refuses memory.
    pub fn store<T: Element>(&self, elements: &[T]) -> Result<Vec<T>, Error> {
        self.check::<T>(elements.len(), self.logical().element_count())?;
        let mut memory = memory::filled(self.buffer_len(), self.fill().value())?;
        let mut next = elements.iter();
        self.in_order(|position| memory[position] = *next.next().expect("elements have been counted"));
        Ok(memory)
    }

    /// The elements in C order, from memory in this layout.
    ///
    /// # Errors
    /// When the elements have another type or number, or the system refuses memory.
    pub fn load<T: Element>(&self, memory: &[T]) -> Result<Vec<T>, Error> {
        self.check::<T>(memory.len(), self.buffer_len())?;
        let mut elements = memory::reserve(self.logical().element_count())?;
        self.in_order(|position| elements.push(memory[position]));
        Ok(elements)
    }

    fn check<T: Element>(&self, given: usize, wanted: usize) -> Result<(), Error> {
        if T::DTYPE != self.dtype() {
            return Err(Error::new(ErrorKind::Element { expected: self.dtype(), found: T::DTYPE }));
        }
        if given != wanted {
            return refuse(format!("{} {} given where `{self}` takes {wanted}", counted(given, "element"), are(given)));
        }
        Ok(())
    }

    /// The positions of all elements in the order of their indices.
    fn in_order(&self, mut visit: impl FnMut(usize)) {
        if self.logical().element_count() == 0 {
            return;
        }
        let (indexer, mut index) = (self.indexer(), vec![0; self.rank()]);
        loop {
            visit(indexer.position(&index).expect("an index in range has a position"));
            if !self.logical().next(&mut index) {
                return;
            }
        }
    }
}
