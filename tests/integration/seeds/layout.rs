//! The pages on XLA's shapes and layouts, and on the design of the layout component (what is stored in one tile).

use tensorwrapper::{Dtype, Error, Fill, Layout, Logical, Physical, Shape};

/// Letters for numbers, which elements are; 0 is 0.
fn letters(memory: &[f32]) -> String {
    let letter = |&number: &f32| if number == 0.0 { '0' } else { char::from(number as u8) };
    memory.iter().map(|number| letter(number).to_string()).collect::<Vec<_>>().join(" ")
}

/// The array of the page, `a b c` over `d e f`.
fn page() -> Vec<f32> {
    "abcdef".bytes().map(f32::from).collect()
}

fn array() -> Logical {
    Logical::new(Dtype::F32, [2, 3]).expect("a small array")
}

/// "The XLA Shape"
mod the_xla_shape {
    use super::*;

    /// "describes the rank, size, and data type of an N-dimensional array"
    #[test]
    fn rank_size_and_data_type() {
        let array = array();
        assert_eq!((array.rank(), array.extents(), array.dtype()), (2, &[2, 3][..], Dtype::F32));
        assert_eq!(array.shape(), &Shape::new([2, 3]));
    }
}

/// "Terminology, Notation, and Conventions"
mod terminology_notation_and_conventions {
    use super::*;

    /// "The rank of an array is equal to the number of dimensions."
    #[test]
    fn rank() -> Result<(), Error> {
        assert_eq!(Logical::new(Dtype::F32, [])?.rank(), 0);
        assert_eq!(Logical::new(Dtype::F32, [4, 1, 7])?.rank(), 3);
        Ok(())
    }

    /// "The true rank of an array is the number of dimensions which have a size greater than 1." XLA's code counts those
    /// that are not 1, and so do we.
    #[test]
    fn true_rank() -> Result<(), Error> {
        assert_eq!(Logical::new(Dtype::F32, [4, 1, 7])?.true_rank(), 2);
        assert_eq!(Logical::new(Dtype::F32, [1, 1])?.true_rank(), 0);
        assert_eq!(Logical::new(Dtype::F32, [0, 1])?.true_rank(), 1);
        Ok(())
    }

    /// "The order of these dimension numbers does not imply a particular minor/major ordering in the layout"
    #[test]
    fn numbers_of_dimensions_imply_no_order() -> Result<(), Error> {
        let (rows, columns) = (Layout::new([1, 0])?, Layout::new([0, 1])?);
        assert_eq!(Physical::new(array(), rows)?.logical(), Physical::new(array(), columns)?.logical());
        Ok(())
    }

    /// "dimensions are listed in increasing order of dimension number" and "-1 is the last dimension"
    #[test]
    fn dimensions_by_number() -> Result<(), Error> {
        let (a, b, c) = (5, 6, 7);
        let shape = Logical::new(Dtype::F32, [a, b, c])?; // ShapeUtil::MakeShape(F32, {A, B, C, D})
        assert_eq!([shape.extent(0)?, shape.extent(1)?, shape.extent(2)?], [a, b, c]);
        assert_eq!([shape.extent(-1)?, shape.extent(-2)?, shape.extent(-3)?], [c, b, a]);
        assert!(shape.extent(3).is_err() && shape.extent(-4).is_err());
        let four = Logical::new(Dtype::F32, [2, 3, 4, 5])?;
        assert_eq!(four.extents(), [2, 3, 4, 5]);
        Ok(())
    }

    /// "Two, three, and four dimensional arrays often have specific letters associated with dimensions."
    #[test]
    fn letters_of_dimensions() -> Result<(), Error> {
        let names = |rank: usize| Logical::new(Dtype::F32, vec![2; rank]).map(|array| array.axis_names().join(","));
        assert_eq!(names(1)?, "x");
        assert_eq!(names(2)?, "y,x");
        assert_eq!(names(3)?, "z,y,x");
        assert_eq!(names(4)?, "p,z,y,x");
        let three = Logical::new(Dtype::F32, [5, 6, 7])?;
        assert_eq!([three.axis_named("z")?, three.axis_named("y")?, three.axis_named("x")?], [0, 1, 2]);
        Ok(())
    }
}

/// "Layout"
mod layout_of_memory {
    use super::*;

    /// "minor_to_major", "padded_dimensions", "padding_value"
    #[test]
    fn fields() -> Result<(), Error> {
        let layout = Layout::new([0, 1])?.with_padding([3, 5], Fill::One)?;
        assert_eq!(layout.minor_to_major(), [0, 1]);
        assert_eq!(layout.padded_extents(), Some(&[3, 5][..]));
        assert_eq!(layout.fill(), Fill::One);
        Ok(())
    }
}

/// "Minor-to-major dimension ordering"
mod minor_to_major_dimension_ordering {
    use super::*;

    /// "The only required field is minor_to_major."
    #[test]
    fn the_order_is_enough() -> Result<(), Error> {
        let layout = Layout::new([0, 1])?;
        assert_eq!((layout.padded_extents(), layout.tiles().len(), layout.memory_space()), (None, 0, 0));
        assert!(Layout::new([0, 0]).is_err() && Layout::new([1, 2]).is_err());
        Ok(())
    }

    /// "The most-minor dimension is the dimension which changes most rapidly when stepping through the elements"
    #[test]
    fn the_most_minor_changes_most_rapidly() -> Result<(), Error> {
        let stored = Physical::new(Logical::new(Dtype::F32, [2, 3, 4])?, Layout::new([1, 2, 0])?)?;
        assert_eq!(stored.index_at(1)?, Some(vec![0, 1, 0]));
        assert_eq!(stored.index_at(3)?, Some(vec![0, 0, 1]));
        assert_eq!(stored.index_at(12)?, Some(vec![1, 0, 0]));
        Ok(())
    }

    /// "a d b e c f", "dim 0 is minor"
    #[test]
    fn column_major() -> Result<(), Error> {
        let stored = Physical::new(array(), Layout::new([0, 1])?)?;
        assert_eq!(letters(&stored.store(&page())?), "a d b e c f");
        assert!(stored.layout().is_column_major() && !stored.layout().is_row_major());
        assert_eq!(stored, Physical::column_major(array()));
        Ok(())
    }

    /// "a b c d e f", "dim 0 is major"
    #[test]
    fn row_major() -> Result<(), Error> {
        let stored = Physical::new(array(), Layout::new([1, 0])?)?;
        assert_eq!(letters(&stored.store(&page())?), "a b c d e f");
        assert!(stored.layout().is_row_major() && !stored.layout().is_column_major());
        Ok(())
    }
}

/// "Default minor-to-major ordering"
mod default_minor_to_major_ordering {
    use super::*;

    /// "dimension order is major-to-minor"
    #[test]
    fn the_default() -> Result<(), Error> {
        let stored = Physical::from(Logical::new(Dtype::F32, [2, 3, 4])?);
        assert_eq!(stored.layout(), &Layout::row_major(3));
        assert_eq!((stored.layout().minor_to_major(), stored.major_to_minor()), (&[2, 1, 0][..], vec![0, 1, 2]));
        Ok(())
    }
}

/// "Padding"
mod padding {
    use super::*;

    /// "the number of elements in padded_dimensions must equal the rank of the shape"
    #[test]
    fn one_width_for_each_dimension() -> Result<(), Error> {
        assert!(Layout::new([0, 1])?.with_padding([3], Fill::Zero).is_err());
        assert!(Layout::new([0, 1])?.with_padding([3, 5, 7], Fill::Zero).is_err());
        Ok(())
    }

    /// "a d 0 b e 0 c f 0 0 0 0 0 0 0"
    #[test]
    fn padded_to_3_and_5() -> Result<(), Error> {
        let stored = Physical::new(array(), Layout::new([0, 1])?.with_padding([3, 5], Fill::Zero)?)?;
        let memory = stored.store(&page())?;
        assert_eq!(letters(&memory), "a d 0 b e 0 c f 0 0 0 0 0 0 0");
        assert_eq!(stored.load(&memory)?, page());
        assert_eq!(stored.byte_size(), 60);
        Ok(())
    }

    /// "This is equivalent to the layout of the following array with the same minor-to-major dimension order"
    #[test]
    fn the_padded_array_is_an_array() -> Result<(), Error> {
        let stored = Physical::new(array(), Layout::new([0, 1])?.with_padding([3, 5], Fill::Zero)?)?;
        let larger = Physical::new(Logical::new(Dtype::F32, [3, 5])?, Layout::new([0, 1])?)?;
        let rows: Vec<f32> = "abc00def0000000".bytes().map(|c| if c == b'0' { 0.0 } else { f32::from(c) }).collect();
        assert_eq!(stored.store(&page())?, larger.store(&rows)?);
        for index in [[0, 0], [1, 0], [0, 2], [1, 2]] {
            assert_eq!(stored.position(&index)?, larger.position(&index)?);
        }
        Ok(())
    }
}

/// "Indexing into arrays"
mod indexing_into_arrays {
    use super::*;

    /// "Multidimensional indices include a int64 index for each dimension. Linear indices are a single int64 value which
    /// indexes into the buffer holding the array."
    #[test]
    fn indices_and_positions() -> Result<(), Error> {
        let stored = Physical::new(array(), Layout::new([0, 1])?.with_padding([3, 5], Fill::Zero)?)?;
        let memory = stored.store(&page())?;
        let (indexer, mut index) = (stored.indexer(), [0; 2]);
        for (position, &element) in memory.iter().enumerate() {
            // XLA converts no positions in padding; here they have no index.
            let found = indexer.index_at(position, &mut index);
            assert_eq!(found, element != 0.0);
            assert!(!found || indexer.position(&index) == Some(position));
        }
        assert!(stored.position(&[0]).is_err() && stored.index_at(15).is_err());
        Ok(())
    }
}

/// "What is a (tensor) layout?"
mod what_is_a_tensor_layout {
    use super::*;

    /// "Layouts can be logical (how the user wants to interact with the tensor class) or physical (how the tensor is actually
    /// stored in memory)." The types differ: what takes one refuses the other.
    #[test]
    fn logical_or_physical() {
        let logical: Logical = array();
        let physical: Physical = Physical::row_major(logical.clone());
        assert_eq!(physical.logical(), &logical);
        assert!("f32[2,3]{1,0}".parse::<Logical>().is_err() && "f32[2,3]".parse::<Physical>().is_err());
    }
}

/// "Tensor Layout Considerations"
mod tensor_layout_considerations {
    use super::*;
    use tensorwrapper::Tile;

    /// "reshapes can be logical and need not be physical"
    #[test]
    fn reshapes() -> Result<(), Error> {
        let stored = Physical::row_major(Logical::new(Dtype::F64, [4, 6])?);
        let reshaped = stored.align(&Logical::new(Dtype::F64, [2, 2, 6])?)?.expect("rows are cut");
        assert!(stored.reshape_is_bitcast(&reshaped)?);
        assert!(!stored.reshape_is_bitcast(&Physical::column_major(reshaped.logical().clone()))?);
        Ok(())
    }

    /// "Tiling a tensor is also a reshape, albeit one that increases the rank"; the indices of the user stay. Element (2,3)
    /// of a 3 x 5 array in tiles of 2 x 2 sits at 17.
    #[test]
    fn tiles() -> Result<(), Error> {
        let tiled = Layout::row_major(2).with_tiles([Tile::new([2, 2])?]);
        let stored = Physical::new(Logical::new(Dtype::F64, [3, 5])?, tiled)?;
        assert_eq!((stored.rank(), stored.buffer_len()), (2, 2 * 3 * 2 * 2));
        assert_eq!(stored.position(&[2, 3])?, 17);
        Ok(())
    }

    /// "Multiple vectorization strategies exist (row-major, column-major being the most natural)."
    #[test]
    fn vectorization_strategies() -> Result<(), Error> {
        let shape = Logical::new(Dtype::F64, [2, 3, 4])?;
        assert_eq!(Physical::row_major(shape.clone()).strides(), Some(vec![12, 4, 1]));
        assert_eq!(Physical::column_major(shape.clone()).strides(), Some(vec![1, 2, 6]));
        assert_eq!(Physical::new(shape, Layout::new([1, 0, 2])?)?.strides(), Some(vec![3, 1, 6]));
        Ok(())
    }

    /// "Elements of a tensor can have a variety of types", "Where do the literal values live?"
    #[test]
    fn types_of_elements_and_memories() -> Result<(), Error> {
        let double = Physical::new(array().with_dtype(Dtype::F64)?, Layout::row_major(2).with_memory_space(1))?;
        assert_eq!((double.dtype(), double.byte_size(), double.layout().memory_space()), (Dtype::F64, 48, 1));
        assert_eq!(double.to_string(), "f64[2,3]{1,0:S(1)}");
        Ok(())
    }
}

/// "Basic operations"
mod basic_operations {
    use super::*;

    /// "users will minimally want to be able to retrieve the state stored in the classes", "Change the representation"
    #[test]
    fn state() -> Result<(), Error> {
        let stored: Physical = "f32[2,3]{0,1:W(3,5;1)T(2,2)S(1)}".parse()?;
        assert_eq!((stored.dtype(), stored.extents()), (Dtype::F32, &[2, 3][..]));
        assert_eq!(stored.layout().tiles()[0].extents(), [Some(2), Some(2)]);
        let changed = Physical::new(stored.logical().clone().with_dtype(Dtype::C64)?, stored.layout().clone())?;
        assert_eq!(changed.to_string(), "c128[2,3]{0,1:W(3,5;1)T(2,2)S(1)}");
        Ok(())
    }
}

/// "Proposed APIs": `MonoTile l(shape, symmetry, sparsity);` without the symmetry and sparsity, which layouts do not hold yet
mod proposed_apis {
    use super::*;

    /// "By default all tiles will be stored, row major, […], and RAM based."
    #[test]
    fn mono_tile() -> Result<(), Error> {
        let l = Physical::from(Logical::new(Dtype::F64, [10, 20])?);
        assert!(l.layout().is_row_major());
        assert_eq!((l.dtype(), l.layout().memory_space()), (Dtype::F64, 0));
        // `tl.set_all_tiles(RowMajor)` of one tile, and another order.
        let columns = Physical::new(l.logical().clone(), Layout::column_major(2))?;
        assert_eq!(columns.strides(), Some(vec![1, 10]));
        Ok(())
    }
}
