//! "Tensor Shape Design": what its examples assert, as this library says it. Nested shapes.

use tensorwrapper::{AnyShape, JaggedShape, Nested, Shape};

fn nested<S: AnyShape>(layers: impl AsRef<[usize]>, shape: S) -> Nested<S> {
    Nested::new(layers, shape).unwrap()
}

// "Constructing Nested Shapes"
mod constructing {
    use super::*;

    // "Zero layer scalar", "One layer scalar", "Two layer scalar"
    #[test]
    fn scalars() {
        let all = [nested([], Shape::new([])), nested([0], Shape::new([])), nested([0, 0], Shape::new([]))];
        assert_eq!(all.each_ref().map(Nested::n_layers), [0, 1, 2]);
        assert!(all.iter().all(|scalar| scalar.rank() == 0 && scalar.size().unwrap() == 1));
        assert_ne!(all[0], all[1]);
    }

    // "One layer vector", "Two layer vector (mode in layer 0)", "Two layer vector (mode in layer 1)"
    #[test]
    fn vectors() {
        let s = || Shape::new([10]);
        let (s1, s1_0, s0_1) = (nested([1], s()), nested([1, 0], s()), nested([0, 1], s()));
        assert_eq!((s1.n_layers(), s1_0.n_layers(), s0_1.n_layers()), (1, 2, 2));
        assert_eq!((s1_0.layer_of(0), s0_1.layer_of(0)), (Some(0), Some(1)));
        assert_ne!(s1_0, s0_1);
    }

    // "One layer matrix", "Two layer matrix (both modes in layer 0)", "(one mode per layer)", "(both modes in layer 1)"
    #[test]
    fn matrices() {
        let s = || Shape::new([10, 20]);
        let all = [nested([2], s()), nested([2, 0], s()), nested([1, 1], s()), nested([0, 2], s())];
        assert_eq!(all.each_ref().map(|s| [s.layer_of(0), s.layer_of(1)].map(Option::unwrap)), [[0, 0], [0, 0], [0, 1], [1, 1]]);
        assert_eq!(all.each_ref().map(|s| s.elements_in_layer(0).unwrap()), [200, 200, 10, 1]);
    }

    // "One layer rank 3", "Two layer rank 3 one mode in layer 0 two in layer 1", "Three layer rank 3, one mode per layer"
    #[test]
    fn of_rank_3() {
        let s = || Shape::new([10, 20, 30]);
        let all = [nested([3], s()), nested([1, 2], s()), nested([1, 1, 1], s())];
        assert_eq!(all.each_ref().map(Nested::n_layers), [1, 2, 3]);
    }

    // "A two-layer shape where modes 0 and 1 are in layer 0 and modes 2 and 3 are layer 1"
    #[test]
    fn of_rank_4() {
        let s = nested([2, 2], Shape::new([5, 10, 15, 20]));
        assert_eq!((s.elements_in_layer(0).unwrap(), s.elements_in_layer(1).unwrap()), (50, 15_000));
        assert!(Nested::new([2, 1], Shape::new([5, 10, 15, 20])).is_err());
    }
}

// "Nested additionally allows you to get this information per layer"
mod basic_operations {
    use super::*;

    #[test]
    fn of_layers() {
        let s1_2 = nested([1, 2], Shape::new([10, 20, 30]));
        assert_eq!(s1_2.n_layers(), 2);
        assert_eq!((s1_2.rank_layer(0).unwrap(), s1_2.rank_layer(1).unwrap()), (1, 2));
        assert_eq!((s1_2.elements_in_layer(0).unwrap(), s1_2.elements_in_layer(1).unwrap()), (10, 6000));
    }

    // The same of rows; those of the page have unequal ranks, which is an error
    #[test]
    fn of_layers_of_rows() {
        let js = JaggedShape::rows([Shape::new([10, 20, 30]), Shape::new([1, 10, 20])]).unwrap();
        let js1_3 = nested([1, 3], js);
        assert_eq!(js1_3.n_layers(), 2);
        assert_eq!((js1_3.rank_layer(0).unwrap(), js1_3.rank_layer(1).unwrap()), (1, 3));
        assert_eq!((js1_3.elements_in_layer(0).unwrap(), js1_3.elements_in_layer(1).unwrap()), (2, 6200));
    }

    // "Get the shape of the 0,0-th element (returns a std::variant)"
    #[test]
    fn elements() {
        let s = Shape::new([10, 20, 30]);
        let s2_3 = nested([2, 3], Shape::new([4, 5, 10, 20, 30]));
        assert_eq!(*s2_3.element([0, 0]).unwrap(), s);
        assert_eq!(s2_3.element([0, 0, 1, 2, 3]).unwrap(), nested([], Shape::new([])));
    }

    // "The resulting nested shape is still an instance of the underlying shape"; "nestings can be flattened"
    #[test]
    fn the_shape_inside() {
        let s = nested([1, 2], Shape::new([10, 20, 30]));
        assert_eq!((s.extents(), s.size().unwrap()), (&[10, 20, 30][..], 6000));
        assert_eq!(s.flat(), Shape::new([10, 20, 30]));
    }
}

// "Because chipping selects a single element per mode per layer, chipping a Nested object is fairly straightforward"
mod slicing_and_chipping {
    use super::*;

    fn s2_2() -> Nested<Shape> {
        nested([2, 2], Shape::new([2, 2, 10, 10]))
    }

    // "s2_2.chip(0) == Nested<Shape>({1, 2}, Shape{2, 10, 10})"; the indices 1,2 of the page are out of range, so here they are 1,1
    #[test]
    fn chips() {
        assert_eq!(s2_2().chip_at([0]).unwrap(), nested([1, 2], Shape::new([2, 10, 10])));
        assert_eq!(*s2_2().chip_at([1, 1]).unwrap(), Shape::new([10, 10]));
        assert_eq!(*s2_2().chip_at([1, 1, 3]).unwrap(), Shape::new([10]));
        assert_eq!(*s2_2().chip_at([1, 1, 3, 4]).unwrap(), Shape::new([]));
        assert!(s2_2().chip_at([1, 2]).is_err());
    }

    // "Grabs the 0,1 element of the outer matrix preserving the rank"
    #[test]
    fn slice_of_one_element() {
        let s01 = Shape::new([1, 1, 10, 10]).with_origin([0, 1, 0, 0]).unwrap();
        assert_eq!(s2_2().slice_at([0, 1]).unwrap(), nested([2, 2], s01));
    }

    // "Grabs the bottom row of the outer matrix, and the bottom 5 rows of the inner matrices"
    #[test]
    fn slice_of_both_layers() {
        let s1050 = nested([2, 2], Shape::new([1, 2, 5, 10]).with_origin([1, 0, 5, 0]).unwrap());
        assert_eq!(s2_2().slice([1, 0, 5, 0], [2, 2, 10, 10]).unwrap(), s1050);
    }

    // "asking for say {1,0}, {2,2} selects row 1 of the outer matrix"; "{1,0,5,5}, {2,2,10,10}"
    #[test]
    fn slices_by_ranges() {
        let row = s2_2().slice([1, 0, 0, 0], [2, 2, 10, 10]).unwrap();
        assert_eq!((row.layers(), row.extents()), (&[2, 2][..], &[1, 2, 10, 10][..]));
        let inner = s2_2().slice([1, 0, 5, 5], [2, 2, 10, 10]).unwrap();
        assert_eq!((inner.extents(), inner.origin()), (&[1, 2, 5, 5][..], &[1, 0, 5, 5][..]));
    }
}

// "Outer vector starts at 10, inner vectors start at 10."
#[test]
fn origins() {
    let s1_1 = nested([1, 1], Shape::new([2, 3]).with_origin([10, 10]).unwrap());
    assert_eq!(s1_1.indices().next().unwrap(), [10, 10]);
    assert_eq!(s1_1.element([11]).unwrap().indices().collect::<Vec<_>>(), [[10], [11], [12]]);
    assert_eq!(s1_1.offsets().next().unwrap(), [0, 0]);
}

// "Combining Nested<T> objects is conceptually done layer-by-layer"
mod shape_composition {
    use tensorwrapper::LabelAxes;

    use super::*;

    fn s1_2() -> Nested<Shape> {
        nested([1, 2], Shape::new([10, 20, 30]))
    }

    fn s2_1() -> Nested<Shape> {
        nested([2, 1], Shape::new([10, 20, 30]))
    }

    // "result("i,j,k") = s1_2("i,j,k") + s1_2("i,j,k"); assert(result == s1_2);"
    #[test]
    fn sums() {
        assert_eq!((s1_2().at("i,j,k") + s1_2().at("i,j,k")).nested("i,j,k").unwrap(), s1_2());
    }

    // "Not allowed because we can't add rank 1 tensors to rank 2 tensors"
    #[test]
    fn sums_of_other_layers() {
        let error = (s1_2().at("i,j,k") + s2_1().at("i,j,k")).nested("i,j,k").unwrap_err().to_string();
        assert_eq!(error, "`j` stands in layer 1 of operand 1, `[i,j,k]`, but in layer 0 of operand 2, `[i,j,k]`");
    }

    // "result == Nested<Shape>({1, 1}, Shape{10, 20})"; "Nested<Shape>({0,2}, Shape{20, 30})"
    #[test]
    fn contractions() {
        let product = s1_2().at("i,j,k") * s1_2().at("i,j,k");
        assert_eq!(product.nested("i,j").unwrap(), nested([1, 1], Shape::new([10, 20])));
        assert_eq!(product.nested("j,k").unwrap(), nested([0, 2], Shape::new([20, 30])));
    }

    // "Layers only need compatible, not identical, shapes"
    #[test]
    fn of_compatible_layers() {
        let product = s1_2().at("i,j,k") * s2_1().at("i,j,k");
        assert_eq!(product.nested("j,k").unwrap(), nested([1, 1], Shape::new([20, 30])));
    }

    // "the user will want the result to be layered different"
    #[test]
    fn in_other_layers() {
        let product = s1_2().at("i,j,k") * s1_2().at("i,j,k");
        assert_eq!(product.nested("j; k").unwrap(), nested([1, 1], Shape::new([20, 30])));
    }

    // The same of rows
    #[test]
    fn of_rows() {
        let js = JaggedShape::rows([Shape::new([10]), Shape::new([20])]).unwrap();
        let js1_1 = nested([1, 1], js);
        assert_eq!((js1_1.at("i,j") + js1_1.at("i,j")).nested("i,j").unwrap(), js1_1);
        let product = (js1_1.at("i,j") * js1_1.at("k,j")).nested("i,k").unwrap();
        assert_eq!(product, nested([2, 0], JaggedShape::from(Shape::new([2, 2]))));
    }
}
