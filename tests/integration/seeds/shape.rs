//! "Tensor Shape Design": what its examples assert, as this library says it. Smooth shapes.

// "Constructing a Shape"
mod constructing_a_shape {
    use tensorwrapper::Shape;

    // "Shape null_shape; Shape rank0_shape{}; … Shape rank3_shape{10, 20, 30};"
    #[test]
    fn of_extents() {
        let null_shape = Shape::null(); // No rank and no elements
        let rank0_shape = Shape::new([]); // A scalar
        let rank1_shape = Shape::new([10]); // 10 element vector
        let rank2_shape = Shape::new([10, 20]); // 10 by 20 matrix
        let rank3_shape = Shape::new([10, 20, 30]); // 10 by 20 by 30 tensor
        let all = [null_shape, rank0_shape, rank1_shape, rank2_shape, rank3_shape];
        assert_eq!(all.each_ref().map(Shape::rank), [0, 0, 1, 2, 3]);
        assert_eq!(all.each_ref().map(|shape| shape.size().unwrap()), [0, 1, 10, 200, 6000]);
        assert_ne!(all[0], all[1]);
    }

    // "If we want to determine the rank at runtime we can use iterators"
    #[test]
    fn of_an_iterator() {
        let extents: Vec<usize> = "10 20 30".split(' ').map(|extent| extent.parse().unwrap()).collect();
        let runtime_rank_shape: Shape = extents.iter().copied().collect();
        assert_eq!(runtime_rank_shape, Shape::new([10, 20, 30]));
    }

    // "some, all, or none of these properties may be known at compile time"
    #[test]
    fn of_a_type() {
        use tensorwrapper::Extents;
        assert_eq!(Shape::of::<Shape![10, 20]>(), Shape::new([10, 20]));
        assert_eq!((<Shape![10, _]>::RANK, <Shape![10, _]>::known(0), <Shape![10, _]>::known(1)), (Some(2), Some(10), None));
        assert!(<Shape![10, _]>::check(Shape::new([10, 20]).extents()).is_ok());
        assert!(<Shape![10, _]>::check(Shape::new([20, 20]).extents()).is_err());
    }
}

// "Basic Operations"
mod basic_operations {
    use tensorwrapper::Shape;

    #[test]
    fn rank_and_size() {
        let s = Shape::new([10, 20, 30]);
        assert_eq!(s.rank(), 3);
        assert_eq!(s.size().unwrap(), 6000); // 10 * 20 * 30 = 6000
    }

    // "they need to represent: rank, extent, sub-shapes"
    #[test]
    fn extents() {
        let s = Shape::new([10, 20, 30]);
        assert_eq!(s.extents(), [10, 20, 30]);
        assert_eq!((s.extent(1).unwrap(), s.extent(-1).unwrap()), (20, 30));
    }
}

// "Slicing and Chipping"
mod slicing_and_chipping {
    use tensorwrapper::Shape;

    // "Get the shape of row 0 as a matrix"
    #[test]
    fn row_as_a_matrix() {
        let s0 = Shape::new([10, 20]).slice_at([0]).unwrap();
        assert_eq!(s0, Shape::new([1, 20]));
    }

    // "Get the shape of column 0 as a matrix"
    #[test]
    fn column_as_a_matrix() {
        let sx0 = Shape::new([10, 20]).slice([0, 0], [10, 1]).unwrap();
        assert_eq!(sx0, Shape::new([10, 1]));
    }

    // "Get the shape of the first five columns of the first five rows..."
    #[test]
    fn block() {
        let s05_05 = Shape::new([10, 20]).slice([0, 0], [5, 5]).unwrap();
        assert_eq!(s05_05, Shape::new([5, 5]));
    }

    // "this shape still refers to a rank 2 tensor even though the first mode has a single element"
    #[test]
    fn a_slice_keeps_its_rank() {
        let s01_05 = Shape::new([10, 20]).slice([0, 0], [1, 5]).unwrap();
        assert_eq!(s01_05, Shape::new([1, 5]));
    }

    // "Get the shape of row 2 as a vector"
    #[test]
    fn row_as_a_vector() {
        let s2 = Shape::new([10, 20]).chip_at([2]).unwrap();
        assert_eq!(s2, Shape::new([20]));
    }

    // "Get the shape of column 2 as a vector"
    #[test]
    fn column_as_a_vector() {
        let sx2 = Shape::new([10, 20]).chip([0, 2], [10, 3]).unwrap();
        assert_eq!(sx2, Shape::new([10]));
    }

    // "we also provide an overload where the user may provide up to r integers"
    #[test]
    fn as_many_integers_as_axes() {
        let s = Shape::new([2, 2, 10, 10]);
        assert_eq!(s.chip_at([1]).unwrap(), Shape::new([2, 10, 10]));
        assert_eq!(s.chip_at([1, 1, 3]).unwrap(), Shape::new([10]));
        assert_eq!(s.chip_at([1, 1, 3, 4]).unwrap(), Shape::new([]));
        assert!(s.chip_at([1, 1, 3, 4, 5]).is_err());
        assert!(s.chip_at([1, 2]).is_err(), "axis 1 has no index 2");
    }
}

// "By default the origin of a freshly constructed shape is the zero vector": iteration and origins
mod iteration {
    use tensorwrapper::{Indices, Shape};

    /// What `print_shape` prints.
    fn printed(indices: Indices) -> String {
        indices.map(|index| format!("{{{},{}}}", index[0], index[1])).collect::<Vec<_>>().join(" ")
    }

    // "print_shape(s);  // prints {0,0} {0,1} {0,2} {1,0} {1,1} {1,2}"
    #[test]
    fn of_a_new_shape() {
        let s = Shape::new([2, 3]);
        assert_eq!(s.origin(), [0, 0]);
        assert_eq!(printed(s.indices()), "{0,0} {0,1} {0,2} {1,0} {1,1} {1,2}");
    }

    // "prints {0,1}, {0,2} NOT {0,0} {0,1}"
    #[test]
    fn of_a_slice() {
        let s01_13 = Shape::new([2, 3]).slice([0, 1], [1, 3]).unwrap();
        assert_eq!(s01_13.origin(), [0, 1]);
        assert_eq!(printed(s01_13.indices()), "{0,1} {0,2}");
        let mut in_a_loop = Vec::new();
        for index in &s01_13 {
            in_a_loop.push(index);
        }
        assert_eq!(in_a_loop, [[0, 1], [0, 2]]);
    }

    // "If we wanted {0,0} {0,1}"
    #[test]
    fn of_offsets() {
        let s01_13 = Shape::new([2, 3]).slice([0, 1], [1, 3]).unwrap();
        assert_eq!(printed(s01_13.offsets()), "{0,0} {0,1}");
    }

    // "We can move the origin"
    #[test]
    fn of_a_moved_shape() {
        let s = Shape::new([2, 3]).with_origin([10, 10]).unwrap();
        assert_eq!(printed(s.indices()), "{10,10} {10,11} {10,12} {11,10} {11,11} {11,12}");
        assert_eq!(printed(s.offsets()), "{0,0} {0,1} {0,2} {1,0} {1,1} {1,2}");
    }

    // "Shape s01({1, 1, 10, 10}, {0, 1, 0, 0});": what a slice by hand is
    #[test]
    fn of_a_slice_by_hand() {
        let by_hand = Shape::new([1, 1, 10, 10]).with_origin([0, 1, 0, 0]).unwrap();
        assert_eq!(Shape::new([2, 2, 10, 10]).slice_at([0, 1]).unwrap(), by_hand);
        let bottom = Shape::new([1, 2, 5, 5]).with_origin([1, 0, 5, 0]).unwrap();
        assert_eq!(Shape::new([2, 2, 10, 10]).slice([1, 0, 5, 0], [2, 2, 10, 5]).unwrap(), bottom);
    }
}

// "Shape Composition"
mod shape_composition {
    use tensorwrapper::{LabelAxes, Shape};

    fn s0() -> Shape {
        Shape::new([10, 20, 30])
    }

    // "s1("i,j,k") =  s0("i,j,k") + s0("i,j,k");", and the same of differences and element-wise products
    #[test]
    fn element_wise() {
        let s0 = s0();
        assert_eq!((s0.at("i,j,k") + s0.at("i,j,k")).shape("i,j,k").unwrap(), s0);
        assert_eq!((s0.at("i,j,k") - s0.at("i,j,k")).shape("i,j,k").unwrap(), s0);
        assert_eq!((s0.at("i,j,k") * s0.at("i,j,k")).shape("i,j,k").unwrap(), s0);
    }

    // "Permuting modes"
    #[test]
    fn permuting_modes() {
        let s1 = (s0().at("i,j,k") + s0().at("i,j,k")).shape("j,i,k").unwrap();
        assert_eq!(s1, Shape::new([20, 10, 30]));
    }

    // "Contraction": "s1("i,k") = s0("i,j,k") * s0("i,j,k");"
    #[test]
    fn contraction() {
        let s1 = (s0().at("i,j,k") * s0().at("i,j,k")).shape("i,k").unwrap();
        assert_eq!(s1, Shape::new([10, 30]));
    }

    // "These would throw since contracted modes aren't the same length"
    #[test]
    fn contraction_of_other_lengths() {
        let error = (s0().at("j,i,k") * s0().at("i,j,k")).shape("i,k").unwrap_err().to_string();
        assert!(error.contains("index `j` has extent 10 in `[j,i,k]` but 20 in `[i,j,k]`"), "{error}");
    }

    // "Direct product"
    #[test]
    fn direct_product() {
        let s1 = (s0().at("i,j,k") * s0().at("i,j,l")).shape("i,j,k,l").unwrap();
        assert_eq!(s1, Shape::new([10, 20, 30, 30]));
    }
}

// "Additional Notes"
mod additional_notes {
    use tensorwrapper::{Mask, Shape};

    // "Masks allow you to view a non contiguous set of indices as if they were contiguous"
    #[test]
    fn masks() {
        let mask = Mask::new(&Shape::new([10, 20]), [vec![1, 4, 9], vec![0, 19]]).unwrap();
        assert_eq!(mask.shape(), &Shape::new([3, 2]));
        assert_eq!(mask.original([2, 1]).unwrap(), [9, 19]);
        assert_eq!(mask.indices().collect::<Vec<_>>(), [[1, 0], [1, 19], [4, 0], [4, 19], [9, 0], [9, 19]]);
    }
}
