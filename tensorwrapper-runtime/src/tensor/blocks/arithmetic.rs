//! Arithmetic of block tensors as vectors: inner products, norms, sums with factors, and a factor for each index of an axis.

use num_complex::Complex;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::ties::places;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::structure::Structure;

use super::Blocks;
use super::lines::{combine, each, inner};
use super::norm::{is_exact, norm};

impl<T: Element, S: Extents> Blocks<T, S> {
    /// The inner product `Σ conj(self) · other` over all elements, those that follow by symmetry included.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the structures differ.
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Error, Structure, Symmetry, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1])?)?, |_| 2.0)?;
    /// assert_eq!((a.inner(&a)?, a.frobenius_norm()), (16.0, 4.0)); // of three stored elements
    /// # Ok::<(), Error>(())
    /// ```
    pub fn inner(&self, other: &Blocks<T, impl Extents>) -> Result<T, Error> {
        self.check_same(other)?;
        let stored = self.structure.stored()?;
        let mut sum = T::ZERO;
        for number in 0..stored.len() {
            let range = stored.start(number)..stored.start(number) + stored.size(number);
            let own = inner(&self.slab[range.clone()], &other.slab[range]);
            let (plain, conjugated) = self.images(number)?;
            sum += T::from_complex(Complex::from(plain as f64)) * own;
            // Nothing times infinity is no number.
            if conjugated > 0 {
                sum += T::from_complex(Complex::from(conjugated as f64)) * own.conj();
            }
        }
        Ok(sum)
    }

    /// The root of the sum of the squares of all elements, those that follow by symmetry included.
    pub fn frobenius_norm(&self) -> f64 {
        let square = self.inner(self).map_or(f64::NAN, |square| square.to_complex().re);
        if is_exact(square) { square.sqrt() } else { self.norm_of_blocks().unwrap_or(f64::NAN) }
    }

    /// The same from the norms of blocks, whose squares need not be numbers of the type.
    fn norm_of_blocks(&self) -> Result<f64, Error> {
        let stored = self.structure.stored()?;
        let of_orbit = |number: usize| {
            let (plain, conjugated) = self.images(number)?;
            let own = &self.slab[stored.start(number)..][..stored.size(number)];
            Ok(norm(own) * ((plain + conjugated) as f64).sqrt())
        };
        (0..stored.len()).map(of_orbit).collect::<Result<Vec<f64>, Error>>().map(|norms| norm(&norms))
    }

    /// Multiplies all elements by a number.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the number is not real, but the symmetry conjugates.
    pub fn scale(&mut self, by: T) -> Result<(), Error> {
        self.check_factor(by)?;
        self.each_stored(|x| x * by);
        Ok(())
    }

    /// Adds another tensor, multiplied by a number.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the structures differ, and as [`scale`](Blocks::scale). Nothing is changed then.
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Error, Structure, Tiling};
    /// let structure = Structure::new([&Tiling::cuts([1, 2])]);
    /// let (mut x, y) = (Blocks::<f64>::from_fn(&structure, |_| 3.0)?, Blocks::from_fn(&structure, |i| i[0] as f64)?);
    /// x.add_scaled(-2.0, &y)?;
    /// assert_eq!(x.get(&[2])?, -1.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn add_scaled(&mut self, by: T, other: &Blocks<T, impl Extents>) -> Result<(), Error> {
        self.check_same(other)?;
        self.check_factor(by)?;
        self.combine_stored(other, |x, y| x + by * y);
        Ok(())
    }

    /// A function of each stored element, under which elements that follow from others still must.
    pub(crate) fn each_stored(&mut self, function: impl Fn(T) -> T) {
        each(&mut self.slab, function);
    }

    /// A function of each stored element and of that of another tensor of the same structure, under which elements that follow from
    /// others still must.
    pub(crate) fn combine_stored(&mut self, other: &Blocks<T, impl Extents>, function: impl Fn(T, T) -> T) {
        combine(&mut self.slab, &other.slab, function);
    }

    /// The same with each element multiplied by the vector's element at its index on this axis: with singular values, what is
    /// between the factors goes into one of them. The structure stays.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such axis, when the vector is none, is cut differently, or when a symmetry moves
    /// the axis.
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 2]);
    /// let v = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |_| 1.0)?;
    /// let s = Blocks::<f64>::from_fn(&Structure::new([&cut]), |k| (1 + k[0]) as f64)?;
    /// assert_eq!(v.scaled_along(0, &s)?.get(&[2, 1])?, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scaled_along(&self, axis: usize, vector: &Blocks<T::Real, impl Extents>) -> Result<Blocks<T, S>, Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        let Some(tiling) = self.structure.tilings().get(axis) else {
            return refused(format!("there is no axis {axis} of a tensor of rank {}", self.structure.rank()));
        };
        let [own] = vector.structure.tilings() else {
            return refused(format!("an axis is multiplied by a vector, not by a tensor of rank {}", vector.structure.rank()));
        };
        if !own.same_cuts(tiling) {
            return refused(format!("axis {axis} is cut {tiling}, but the vector {own}"));
        }
        if self.structure.symmetry().elements().iter().any(|element| element.axis(axis) != axis) {
            return refused(format!("a symmetry moves axis {axis}: multiplied by a vector, the tensor would not have it"));
        }
        if self.structure.has_equal_blocks() {
            return self.without_equal_blocks()?.scaled_along(axis, vector);
        }
        if let Some(ties) = self.structure.ties() {
            let core: Blocks<T> = Blocks::from_slab(self.slab.clone(), self.structure.core()?);
            return Ok(Blocks::from_slab(core.scaled_along(places(ties)[axis], vector)?.slab, self.structure.clone()));
        }
        let factors = vector.to_dense()?;
        let (mut result, stored) = (self.clone(), self.structure.stored()?);
        for number in 0..stored.len() {
            let block = stored.block(number);
            let shape = self.structure.block_shape(&block)?;
            let inner: usize = shape.extents()[axis + 1..].iter().product();
            let (first, extent) = (tiling.bounds()[block[axis]], shape.extents()[axis]);
            let elements = &mut result.slab[stored.start(number)..][..stored.size(number)];
            for (row, elements) in elements.chunks_exact_mut(inner.max(1)).enumerate() {
                let factor = T::from_real(factors.as_slice()[first + row % extent]);
                elements.iter_mut().for_each(|x| *x *= factor);
            }
        }
        Ok(result)
    }

    /// The same elements with another structure, which has all blocks that are stored here: blocks that it has beside them are
    /// zero.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when axes are cut differently, when a structure has a symmetry, and when a block would be lost.
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 2]);
    /// let all = Structure::new([&cut, &cut]);
    /// let diagonal = Blocks::<f64>::from_fn(&all.with_blocks([[0, 0], [1, 1]])?, |_| 1.0)?;
    /// assert_eq!(diagonal.widened(&all)?.blocks().len(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn widened(self, structure: &Structure) -> Result<Blocks<T, S>, Error> {
        self.into_dyn().with_blocks_of(structure)?.into_typed()
    }

    /// [`widened`](Blocks::widened), of any shape type.
    fn with_blocks_of(self, structure: &Structure) -> Result<Blocks<T, S>, Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        if self.structure == *structure {
            return Ok(self);
        }
        if !self.structure.symmetry().is_none() || !structure.symmetry().is_none() {
            return refused("a tensor with a symmetry has no other structure".to_string());
        }
        match (self.structure.has_equal_blocks(), structure.has_equal_blocks()) {
            (true, false) => return self.without_equal_blocks()?.with_blocks_of(structure),
            (_, true) => return refused("no tensor is widened to one of which blocks are equal".to_string()),
            (false, false) => {}
        }
        if self.structure.ties() != structure.ties() {
            return match structure.ties() {
                None => self.untied()?.with_blocks_of(structure),
                Some(_) => refused(format!("{:?} is wider than {structure:?}, whose axes are tied", self.structure)),
            };
        }
        let (own, other) = (self.structure.tilings(), structure.tilings());
        if own.len() != other.len() || own.iter().zip(other).any(|(own, other)| !own.same_cuts(other)) {
            return refused(format!("{:?} and {structure:?} are cut differently", self.structure));
        }
        let to = structure.stored()?;
        match self.structure.stored()?.iter().find(|block| to.find(block).is_none()) {
            Some(block) => refused(format!("block {block:?} would be lost: {structure:?} does not have it")),
            None => self.with_pattern_of(structure),
        }
    }

    /// The same with the blocks of another structure, whose axes are cut alike and tied alike, and whose blocks are stored in the same
    /// form: those that are not here are zero, and others are left out.
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    pub(super) fn with_pattern_of(&self, structure: &Structure) -> Result<Blocks<T, S>, Error> {
        let (own, other) = (self.structure.tilings(), structure.tilings());
        debug_assert!(own.len() == other.len() && own.iter().zip(other).all(|(own, other)| own.same_cuts(other)));
        debug_assert_eq!(self.structure.ties(), structure.ties());
        let (from, to) = (self.structure.stored()?, structure.stored()?);
        let mut result = Blocks { origin: self.origin.clone(), ..Blocks::zeros_like(structure)? };
        for (place, block) in to.iter().enumerate() {
            let Some(number) = from.find(&block) else { continue };
            let elements = &self.slab[from.start(number)..][..from.size(number)];
            result.slab[to.start(place)..][..from.size(number)].copy_from_slice(elements);
        }
        Ok(result)
    }

    /// The same tensor, which begins at zero and no longer in the one that it is a part of.
    pub(crate) fn without_origin(self) -> Blocks<T, S> {
        Blocks { origin: Vec::new(), ..self }
    }

    /// Takes the elements and the structure of another tensor, and begins where this one does.
    ///
    /// # Errors
    /// As [`into_typed`](Blocks::into_typed). Nothing is changed then.
    pub(crate) fn replace(&mut self, by: Blocks<T>) -> Result<(), Error> {
        let by: Blocks<T, S> = by.into_typed()?;
        (self.structure, self.slab) = (by.structure, by.slab);
        Ok(())
    }

    /// The same with blocks that are [equal](Structure::equal_blocks) stored each.
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    pub fn without_equal_blocks(&self) -> Result<Blocks<T, S>, Error> {
        let structure = self.structure.without_equal_blocks()?;
        let mut result = Blocks { origin: self.origin.clone(), ..Blocks::zeros_like(&structure)? };
        let (from, to) = (self.structure.stored()?, structure.stored()?);
        for number in 0..to.len() {
            let Some(image) = self.structure.image(&to.block(number))? else { continue };
            let elements = &self.slab[from.start(image.number)..][..to.size(number)];
            result.slab[to.start(number)..][..to.size(number)].copy_from_slice(elements);
        }
        Ok(result)
    }

    /// How many blocks follow from a stored one, itself included, without conjugation and with it.
    fn images(&self, number: usize) -> Result<(usize, usize), Error> {
        if self.structure.symmetry().is_none() && !self.structure.has_equal_blocks() {
            return Ok((1, 0));
        }
        let orbit = self.structure.orbit(number)?;
        let conjugated = orbit.iter().filter(|(_, by)| by.conjugates()).count();
        Ok((orbit.len() - conjugated, conjugated))
    }

    pub(super) fn check_same(&self, other: &Blocks<T, impl Extents>) -> Result<(), Error> {
        if self.structure == other.structure {
            return Ok(());
        }
        let message = format!("the tensors have different structures: {:?} and {:?}", self.structure, other.structure);
        Err(Error::new(ErrorKind::Shape(message)))
    }

    /// Whether the tensor keeps its symmetry when it is multiplied by this number.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`].
    pub(crate) fn check_factor(&self, by: T) -> Result<(), Error> {
        let conjugates = self.structure.symmetry().elements().iter().any(|element| element.conjugates());
        if !conjugates || by.to_complex().im == 0.0 {
            return Ok(());
        }
        let message =
            format!("a tensor whose symmetry conjugates is multiplied by real numbers only, not by {}", by.to_complex());
        Err(Error::new(ErrorKind::Shape(message)))
    }
}
