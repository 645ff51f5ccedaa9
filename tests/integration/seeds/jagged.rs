//! "Tensor Shape Design": what its examples assert, as this library says it. Jagged shapes.

use tensorwrapper::{JaggedShape, Shape};

/// Smooth vectors as rows.
fn vectors(extents: impl IntoIterator<Item = usize>) -> JaggedShape {
    JaggedShape::rows(extents.into_iter().map(|extent| Shape::new([extent]))).unwrap()
}

/// Smooth matrices as rows.
fn matrices(extents: impl IntoIterator<Item = [usize; 2]>) -> JaggedShape {
    JaggedShape::rows(extents.into_iter().map(Shape::new)).unwrap()
}

fn of(rows: impl IntoIterator<Item = JaggedShape>) -> JaggedShape {
    JaggedShape::of(rows).unwrap()
}

fn at(extents: impl AsRef<[usize]>, origin: impl AsRef<[usize]>) -> Shape {
    Shape::new(extents).with_origin(origin).unwrap()
}

/// The shape of rank 4 whose elements are jagged in three modes.
fn rank4_shape() -> JaggedShape {
    of([of([vectors([10]), vectors([20, 30])]), of([vectors([10, 30]), vectors([20]), vectors([10, 20, 30])])])
}

// "Jagged Shape Construction"
mod construction {
    use super::*;

    // "JaggedShape null_shape; JaggedShape smooth0_shape(Shape{}); … JaggedShape smooth2_shape(Shape{10, 20});"
    #[test]
    fn smooth_shapes() {
        let null_shape = JaggedShape::null(); // No elements, no rank
        let smooth0_shape = JaggedShape::from(Shape::new([])); // Smooth scalar viewed as a JaggedShape
        let smooth1_shape = JaggedShape::from(Shape::new([10])); // Smooth vector viewed as a JaggedShape
        let smooth2_shape = JaggedShape::from(Shape::new([10, 20])); // Smooth matrix viewed as a JaggedShape
        let all = [null_shape, smooth0_shape, smooth1_shape, smooth2_shape];
        assert_eq!(all.each_ref().map(JaggedShape::rank), [0, 0, 1, 2]);
        assert_eq!(all.each_ref().map(|shape| shape.size().unwrap()), [0, 1, 10, 200]);
        assert!(all.iter().all(JaggedShape::is_smooth));
        assert_ne!(all[0], all[1]);
    }

    // "A "jagged" vector with no elements": "JaggedShape rank0_shape{};"
    #[test]
    fn without_rows() {
        let rank0_shape = JaggedShape::rows([]).unwrap();
        assert_eq!((rank0_shape.rank(), rank0_shape.size().unwrap()), (1, 0));
    }

    // "A jagged matrix with 1 row"
    #[test]
    fn one_row() {
        let rank2_shape = JaggedShape::rows([Shape::new([10])]).unwrap();
        assert_eq!((rank2_shape.rank(), rank2_shape.size().unwrap()), (2, 10));
    }

    // "A jagged matrix with 3 rows; row 0 has 10 elements, row 1 has 20, row 2 30"
    #[test]
    fn three_rows() {
        let [s10, s20, s30] = [10, 20, 30].map(|extent| Shape::new([extent]));
        let rank2_shape2 = JaggedShape::rows([s10.clone(), s20.clone(), s30.clone()]).unwrap();
        assert_eq!((rank2_shape2.rank(), rank2_shape2.size().unwrap()), (2, 60));
        for (row, shape) in [s10, s20, s30].into_iter().enumerate() {
            assert_eq!(rank2_shape2.row([row]).unwrap(), shape.into());
        }
    }

    // "A jagged rank 3 tensor with smooth matrices"
    #[test]
    fn smooth_matrices() {
        let rank3_shape = matrices([[10, 20], [30, 40], [50, 60]]);
        assert_eq!((rank3_shape.rank(), rank3_shape.smooth_rank(), rank3_shape.size().unwrap()), (3, 2, 200 + 1200 + 3000));
        assert_eq!(rank3_shape.row([1]).unwrap(), Shape::new([30, 40]).into());
    }

    // "A jagged rank 3 tensor where elements are jagged matrices"
    #[test]
    fn jagged_matrices() {
        let rank3_shape2 = of([vectors([10]), vectors([20, 30]), vectors([30, 10, 20])]);
        assert_eq!((rank3_shape2.rank(), rank3_shape2.size().unwrap()), (3, 120));
        // "Matrix 0 is 1 by 10, …"
        assert_eq!(rank3_shape2.row([0]).unwrap(), Shape::new([1, 10]).into());
        assert_eq!(rank3_shape2.row([1, 1]).unwrap(), Shape::new([30]).into());
        let last = [0, 1, 2].map(|row| rank3_shape2.row([2, row]).unwrap());
        assert_eq!(last, [30, 10, 20].map(|columns| Shape::new([columns]).into()));
    }

    // "A jagged rank 4 tensor where the 0-th element of the 0-th mode is a 10 by 20 by 30 smooth tensor"
    #[test]
    fn smooth_tensors_of_rank_3() {
        let rank4_shape = JaggedShape::rows([Shape::new([10, 20, 30]), Shape::new([40, 50, 60])]).unwrap();
        assert_eq!((rank4_shape.rank(), rank4_shape.size().unwrap()), (4, 6000 + 120_000));
        assert_eq!(rank4_shape.row([1]).unwrap(), Shape::new([40, 50, 60]).into());
    }

    // "A jagged rank 4 tensor where the elements are jagged rank 3 tensors. Taking slices along the 0 and 1-st modes …"
    #[test]
    fn jagged_tensors_of_rank_3() {
        let rank4_shape2 = of([matrices([[10, 20], [30, 40]]), matrices([[30, 40], [10, 20], [50, 60]])]);
        assert_eq!((rank4_shape2.rank(), rank4_shape2.smooth_rank()), (4, 2));
        let slices = [([0, 0], [10, 20]), ([0, 1], [30, 40]), ([1, 0], [30, 40]), ([1, 1], [10, 20]), ([1, 2], [50, 60])];
        for (index, extents) in slices {
            assert_eq!(rank4_shape2.row(index).unwrap(), Shape::new(extents).into());
        }
        assert!(rank4_shape2.row([0, 2]).is_err());
    }

    // "… which have jagged matrices for elements. Taking slices along the 0, 1, and 2 modes we have:"
    #[test]
    fn jagged_tensors_of_jagged_matrices() {
        let rank4_shape = rank4_shape();
        let slices = [
            ([0, 0, 0], 10),
            ([0, 1, 0], 20),
            ([0, 1, 1], 30),
            ([1, 0, 0], 10),
            ([1, 0, 1], 30),
            ([1, 1, 0], 20),
            ([1, 2, 0], 10),
            ([1, 2, 1], 20),
            ([1, 2, 2], 30),
        ];
        for (index, extent) in slices {
            assert_eq!(rank4_shape.row(index).unwrap(), Shape::new([extent]).into());
        }
        let sum: usize = slices.iter().map(|(_, extent)| extent).sum();
        assert_eq!((rank4_shape.rank(), rank4_shape.size().unwrap()), (4, sum));
    }

    // "the shape of the (0,1) slice of rank4_shape … could have been initialized by JaggedShape{s20, s30}"
    #[test]
    fn a_slice_of_it() {
        assert_eq!(rank4_shape().row([0, 1]).unwrap(), vectors([20, 30]));
    }

    // "the above construction of rank4_shape is actually equivalent to:"
    #[test]
    fn step_by_step() {
        let (e00, e01) = (vectors([10]), vectors([20, 30]));
        let (e10, e11, e12) = (vectors([10, 30]), vectors([20]), vectors([10, 20, 30]));
        let (e0, e1) = (of([e00, e01]), of([e10, e11, e12]));
        assert_eq!(of([e0, e1]), rank4_shape());
    }

    // "the runtime mechanism for initializing a JaggedShape is with iterators running over JaggedShape objects"
    #[test]
    fn of_an_iterator() {
        let slice_shapes: Vec<JaggedShape> = (1..=3).map(|rows| vectors(1..=rows)).collect();
        let shape = JaggedShape::of(slice_shapes).unwrap();
        assert_eq!((shape.rank(), shape.size().unwrap()), (3, 1 + 3 + 6));
    }
}

// "Jaggedness", and "Basic Operations"
mod basic_operations {
    use super::*;

    // "JaggedShape js{s, Shape{10, 20}};": "children of unequal rank are an error" is decided
    #[test]
    fn rank_and_size() {
        let s = Shape::new([10, 20, 30]);
        let unequal = JaggedShape::rows([s.clone(), Shape::new([10, 20])]).unwrap_err();
        assert_eq!(unequal.to_string(), "row 1 has rank 2, but row 0 has rank 3");
        let js = JaggedShape::rows([s, Shape::new([1, 10, 20])]).unwrap();
        assert_eq!((js.rank(), js.size().unwrap()), (4, 6200)); // 6000 + (10*20) = 6200
    }

    // "A jagged tensor of rank r, which has smooth slices of rank s must minimally be viewed as having r-s layers"
    #[test]
    fn layers() {
        let ranks = [vectors([10, 20]), matrices([[10, 20], [30, 40]]), rank4_shape()].map(|shape| {
            let (r, s) = (shape.rank(), shape.smooth_rank());
            (r, s, r - s)
        });
        assert_eq!(ranks, [(2, 1, 1), (3, 2, 1), (4, 1, 3)]);
    }

    // "a jagged shape can always be turned into a smooth shape by introducing padding"
    #[test]
    fn padding() {
        assert_eq!(vectors([10, 20, 30]).padded(), &Shape::new([3, 30]));
        assert_eq!(rank4_shape().padded(), &Shape::new([2, 3, 3, 30]));
    }
}

// "Slicing and chipping JaggedShape objects is largely the same"
mod slicing_and_chipping {
    use super::*;

    // "auto j0 = js0.chip(0);": a chip drops an axis, so that row 0 is a vector
    #[test]
    fn chip() {
        let js0 = vectors([10, 20]);
        assert_eq!(js0.chip_at([0]).unwrap(), Shape::new([10]).into());
        assert_eq!(js0.chip([0, 0], [1, 10]).unwrap(), Shape::new([10]).into());
    }

    // "auto j1 = js0.slice(0);": a slice keeps it
    #[test]
    fn slice() {
        let js0 = vectors([10, 20]);
        assert_eq!(js0.slice_at([0]).unwrap(), JaggedShape::rows([Shape::new([10])]).unwrap());
        assert_eq!(js0.slice([0, 0], [1, 10]).unwrap(), JaggedShape::rows([Shape::new([10])]).unwrap());
    }

    // "the first 5 rows of outer element {1,0} and the last 3 rows of outer element {1,1}": a selection by hand
    #[test]
    fn by_hand() {
        let e10 = at([5, 10], [0, 0]); // The first 5 rows of a 10 by 10 matrix
        let e11 = at([3, 10], [7, 0]); // The last 3 rows of a 10 by 10 matrix
        let slice = of([JaggedShape::rows([e10.clone(), e11.clone()]).unwrap()]).with_origin([1, 0]).unwrap();
        assert_eq!((slice.rank(), slice.size().unwrap()), (4, 80));
        assert_eq!((slice.row([1, 0]).unwrap(), slice.row([1, 1]).unwrap()), (e10.into(), e11.into()));
        assert_eq!(slice.indices().next().unwrap(), [1, 0, 0, 0]);
        assert_eq!(slice.indices().last().unwrap(), [1, 1, 9, 9]);
        // It is a part of the whole that it is selected from.
        let s2_2 = Shape::new([2, 2, 10, 10]);
        assert!(slice.indices().all(|index| s2_2.chip_at(&index).is_ok()));
    }
}

// "The various classes define iterators which allow users to iterate over the indices contained in the shape"
mod iteration {
    use super::*;

    // "indices are returned … in lexicographical order"
    #[test]
    fn in_order() {
        let mut printed = String::new();
        for index in &vectors([2, 1]) {
            printed += &format!("{{{},{}}} ", index[0], index[1]);
        }
        assert_eq!(printed, "{0,0} {0,1} {1,0} ");
    }

    // "Outer vector starts at 10, element 11 of the outer vector starts at 5, …": elements are 10 and 11
    #[test]
    fn from_origins() {
        let js = JaggedShape::rows([at([10], [5]), at([20], [6])]).unwrap().with_origin([10]).unwrap();
        assert_eq!((js.row([10]).unwrap(), js.row([11]).unwrap()), (at([10], [5]).into(), at([20], [6]).into()));
        assert!(js.row([12]).is_err());
        assert_eq!((js.indices().next().unwrap(), js.indices().last().unwrap()), ([10, 5].into(), [11, 25].into()));
        // "other times we only want the offsets (always relative to zero)"
        assert_eq!(js.offsets().collect::<Vec<_>>(), vectors([10, 20]).indices().collect::<Vec<_>>());
    }
}

// "Shape Composition": "JaggedShape objects having many more checks to ensure slices are of compatible sizes"
mod shape_composition {
    use tensorwrapper::{LabelAxes, Sparsity};

    use super::*;

    // "JaggedShape js0{Shape{10}, Shape{20}}"
    fn js0() -> JaggedShape {
        vectors([10, 20])
    }

    // "js1("i,j") = js0("i,j") + js0("i,j"); assert(js1 == js0);", and the same of differences and element-wise products
    #[test]
    fn element_wise() {
        let js0 = js0();
        assert_eq!((js0.at("i,j") + js0.at("i,j")).jagged("i,j").unwrap(), js0);
        assert_eq!((js0.at("i,j") - js0.at("i,j")).jagged("i,j").unwrap(), js0);
        assert_eq!((js0.at("i,j") * js0.at("i,j")).jagged("i,j").unwrap(), js0);
    }

    // "Permuting modes": the page has `JaggedShape{Shape{20}, Shape{10}}`, which is not the transposed set of indices. Columns 0 to 9 have
    // both rows, and columns 10 to 19 have row 1 alone
    #[test]
    fn permuting_modes() {
        let transposed = (js0().at("i,j") + js0().at("i,j")).jagged("j,i").unwrap();
        let column = |n| if n < 10 { Shape::new([2]) } else { at([1], [1]) };
        assert_eq!(transposed, JaggedShape::rows((0..20).map(column)).unwrap());
        assert_eq!(transposed.size().unwrap(), js0().size().unwrap());
        // Where rows become shorter, each column begins at row 0, and is composed again.
        let falling = vectors([20, 10]);
        let transposed = falling.at("i,j").jagged("j,i").unwrap();
        assert_eq!(transposed.at("j,i").jagged("i,j").unwrap(), falling);
    }

    // "contracting over the variable number of columns gives a 2 by 2 matrix (represented as jagged matrix even though it's smooth)"
    #[test]
    fn contraction() {
        let product = (js0().at("i,j") * js0().at("k,j")).jagged("i,k").unwrap();
        assert_eq!((product.is_smooth(), product), (true, JaggedShape::from(Shape::new([2, 2]))));
    }

    // "These would throw since contracted modes aren't the same length": "js1("i,k") = js0("i,j") * js0("j,k");"
    #[test]
    fn contraction_of_other_lengths() {
        let error = (js0().at("i,j") * js0().at("j,k")).jagged("i,k").unwrap_err().to_string();
        assert_eq!(error, "index `j` has extents 10, 20 in `[i,j]`, one for each `i`, but extent 2 in `[j,k]`");
    }

    // "Direct product": "js1 == JaggedShape{Shape{10,10}, Shape{20,20}}"
    #[test]
    fn direct_product() {
        let product = (js0().at("i,j") * js0().at("i,k")).jagged("i,j,k").unwrap();
        assert_eq!(product, matrices([[10, 10], [20, 20]]));
    }

    // "it should always be possible to build the resulting shape manually": which elements of a padded shape are there composes in the same
    // way
    #[test]
    fn as_sparsity() {
        let sparsity = Sparsity::elements(&Shape::new([2, 20]), js0().indices()).unwrap();
        let product = (sparsity.at("i,j") * sparsity.at("k,j")).sparsity("i,k").unwrap();
        assert_eq!(product.fraction(), 1.0);
    }
}
