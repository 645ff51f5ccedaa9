//! Tensors in files: NumPy's `.npy` format.
//!
//! Files are untrusted input: nothing in a file is used before it is checked against the file's length, and every error names
//! the file. `head` reads and writes the text at the beginning.

mod fault;
mod head;
mod header;
mod write;

use std::io::{self, Read};
use std::path::Path;

use self::fault::in_file;
pub(super) use self::header::Header;
use super::any::AnyTensor;
use super::copy;
use super::dense::Tensor;
use super::view::TensorRef;
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

impl AnyTensor {
    /// Reads an `.npy` file of any element type that tensors can hold, in either byte order, in C or Fortran order.
    ///
    /// ```no_run
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::AnyTensor;
    /// let integrals = AnyTensor::read_npy("integrals.npy")?;
    /// println!("{} {:?}", integrals.dtype(), integrals.extents());
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when the file cannot be read, is not a regular file or not an `.npy` file, is cut short or
    /// goes on after its last element, or holds elements of a type that tensors cannot hold;
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the elements.
    #[doc(alias("load", "numpy"))]
    pub fn read_npy(path: impl AsRef<Path>) -> Result<AnyTensor, Error> {
        let path = path.as_ref();
        read_any(path, Header::open(path)?)
    }

    /// Writes the tensor to an `.npy` file, in C order, as [`Tensor::write_npy`] does.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if [`Tensor::write_npy`] would fail.
    #[doc(alias("save", "numpy"))]
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        dispatch!(self.dtype(), T => {
            let elements = T::typed(self.erase().data).unwrap_or_default();
            write::write(path.as_ref(), elements, &self.located.layout)
        })
    }
}

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// Reads an `.npy` file of elements `T`, in either byte order, in C or Fortran order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor};
    /// let path = std::env::temp_dir().join(format!("tensorwrapper-example-{}.npy", std::process::id()));
    /// let written = Tensor::<f64, _>::from_fn((2, 3), |i| (i[0] + i[1]) as f64)?;
    /// written.write_npy(&path)?;
    /// let read = Tensor::<f64>::read_npy(&path)?;
    /// assert_eq!(read, written);
    /// let read: Tensor<f64, Shape![2, _]> = Tensor::read_npy(&path)?; // fails unless there are two rows
    /// assert!(Tensor::<f32>::read_npy(&path).unwrap_err().to_string().ends_with("`f64` where `f32` is needed"));
    /// # drop(read);
    /// # std::fs::remove_file(path).ok();
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) where [`AnyTensor::read_npy`] fails, when the elements are of another type, and when the
    /// extents do not fit `S`; [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the elements.
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Tensor<T, S>, Error> {
        let path = path.as_ref();
        let header = Header::open(path)?;
        if header.kind.numpy != T::NUMPY {
            return Err(in_file(path, format!("elements are `{}` where `{}` is needed", header.kind.name, T::NAME)));
        }
        S::check(header.layout.extents()).map_err(|error| in_file(path, error))?;
        read::<T, _>(path, header)?.into_typed()
    }

    /// Writes the tensor to an `.npy` file, in C order. An existing file stays as it was until the new one is complete, and is
    /// then replaced. If writing fails, no temporary file is left behind.
    ///
    /// The new file has the mode of the old one, and its owner and group if the system allows that. Access control lists are
    /// not copied, and other hard links to the old file keep its old content. Symbolic links are followed and stay links.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when the file cannot be written; when there is no permission to write it, which includes a
    /// file without any write permission that the system would let an administrator write; and when it is a directory, a pipe, a socket or
    /// a device.
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.view().write_npy(path)
    }
}

impl<T: Stored, S: Extents> TensorRef<'_, T, S> {
    /// Writes the elements of the view to an `.npy` file, in C order, as [`Tensor::write_npy`] does.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if [`Tensor::write_npy`] would fail.
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (elements, layout) = self.located();
        write::write(path.as_ref(), elements, layout)
    }
}

/// Reads the elements that a header has announced, if equations compute with such.
pub(super) fn read_any<R: Read>(path: &Path, header: Header<R>) -> Result<AnyTensor, Error> {
    let Some(dtype) = header.kind.dtype else {
        let message = format!(
            "elements are of NumPy's type '{numpy}', but an `AnyTensor` holds 'f4', 'f8', 'c8' or 'c16'; `Tensor::<{name}>::read_npy` reads \
             this file",
            numpy = header.kind.numpy,
            name = header.kind.name
        );
        return Err(in_file(path, message));
    };
    dispatch!(dtype, T => Ok(read::<T, _>(path, header)?.into()))
}

/// Reads the elements that a header has announced, which are of this type.
fn read<T: Stored, R: Read>(path: &Path, header: Header<R>) -> Result<Tensor<T>, Error> {
    let Header { layout, is_big_endian, mut reader, .. } = header;
    let elements = match read_elements::<T>(&mut reader, layout.len(), is_big_endian)? {
        Ok(elements) if layout.is_row_major() => elements,
        Ok(elements) => copy::in_c_order(&elements, &layout)?,
        Err(error) => return Err(in_file(path, error)),
    };
    Ok(Tensor::from_parts(elements, Strided::row_major(layout.extents())?))
}

/// All elements in the file's order. The outer error is a lack of memory, the inner one a fault of the file.
fn read_elements<T: Stored>(reader: &mut impl Read, len: usize, is_big_endian: bool) -> Result<io::Result<Owned<T>>, Error> {
    /// Bytes that are read at a time; elements of all types fill them.
    const CHUNK: usize = 1 << 16;
    let mut elements = Owned::with_room(len)?;
    let mut bytes = vec![0; CHUNK.min(len * size_of::<T>())];
    while elements.len() < len {
        let now = (len - elements.len()).min(CHUNK / size_of::<T>()) * size_of::<T>();
        if let Err(error) = reader.read_exact(&mut bytes[..now]) {
            return Ok(Err(error));
        }
        elements.extend(bytes[..now].chunks_exact(size_of::<T>()).map(|bytes| T::from_bytes(bytes, is_big_endian)));
    }
    Ok(Ok(elements))
}
