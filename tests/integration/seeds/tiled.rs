//! "Tensor Shape Design": what its examples assert, as this library says it. Tiled shapes.

use tensorwrapper::{JaggedShape, Shape, TiledShape, Tiling};

// "Consider a 30 by 30 matrix where we tile each mode into 5, 15, and 10 element chunks"
fn tiled() -> TiledShape {
    let chunks = Tiling::cuts([5, 15, 10]);
    TiledShape::new([&chunks, &chunks])
}

// "Using JaggedShape this can be done by: … This is an admittedly verbose declaration"
#[test]
fn the_verbose_form() {
    let row = |extents: [[usize; 2]; 3]| JaggedShape::rows(extents.map(Shape::new)).unwrap();
    let js = JaggedShape::of([
        row([[5, 5], [5, 15], [5, 10]]),
        row([[15, 5], [15, 15], [15, 10]]),
        row([[10, 5], [10, 15], [10, 10]]),
    ])
    .unwrap();
    assert_eq!(JaggedShape::from(tiled()), js);
    assert_eq!((js.rank(), js.size().unwrap()), (4, 900));
}

// "Using TiledShape the same shape could be declared via: TiledShape s{{5, 10, 15}, {5, 10, 15}};": tiles come in the order given
#[test]
fn tiles_come_in_the_order_given() {
    let s = TiledShape::new([Tiling::cuts([5, 10, 15]), Tiling::cuts([5, 10, 15])]);
    assert_ne!(s, tiled());
    assert_eq!(JaggedShape::from(s.clone()).row([1, 2]).unwrap(), Shape::new([10, 15]).into());
    assert_eq!((s.rank(), s.extents(), s.size().unwrap()), (2, &[30, 30][..], 900));
}

// "A key use of jagged shapes is for tiling tensors": the tiles and their indices in the whole
#[test]
fn tiles_and_indices() {
    let s = tiled();
    assert_eq!(s.tiles(), Shape::new([3, 3]));
    assert_eq!(s.tile([1, 2]).unwrap(), Shape::new([15, 10]).with_origin([5, 20]).unwrap());
    assert_eq!(s.locate([19, 20]).unwrap(), ([1, 2].into(), [14, 0].into()));
    assert_eq!(s.boxes().map(|tile| tile.size().unwrap()).sum::<usize>(), 900);
}

// "Tiled shapes are a subcategory of jagged shapes"; "a jagged rank 4" stays one where tiles are equal
#[test]
fn equal_tiles_are_smooth() {
    let even = TiledShape::new([Tiling::even(30, 10), Tiling::even(30, 10)]);
    assert_eq!(JaggedShape::from(even), Shape::new([3, 3, 10, 10]).into());
}
