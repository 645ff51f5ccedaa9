//! Which shape type a description makes, which extents a shape type accepts, and the checks' branching.

pub(super) mod random;

use std::any::TypeId;
use std::marker::PhantomData;

use super::*;
use crate::Shape;
use crate::error::Error;

/// The extents that a description gives, and whether inference finds the shape type expected of it.
#[track_caller]
fn made<Expected: Extents, S: Extents>(shape: impl IntoShape<S>) -> Vec<usize> {
    assert_eq!(TypeId::of::<S>(), TypeId::of::<Expected>(), "{}", std::any::type_name::<S>());
    shape.into_extents().unwrap()
}

#[test]
fn descriptions_make_shape_types() {
    assert_eq!(made::<(Dyn, Dyn), _>((3, 4)), [3, 4]);
    assert_eq!(made::<(Const<3>, Dyn), _>((Const::<3>, 4)), [3, 4]);
    assert_eq!(made::<(Dyn, Const<4>), _>((Dyn(3), Const::<4>)), [3, 4]);
    assert_eq!(made::<(Dyn,), _>((3,)), [3]);
    assert!(made::<(), _>(()).is_empty());
    assert_eq!(made::<Shape, _>([3, 4]), [3, 4]);
    assert_eq!(made::<Shape, _>(&[3, 4]), [3, 4]);
    assert_eq!(made::<Shape, _>(&[3, 4][..]), [3, 4]);
    assert_eq!(made::<Shape, _>(vec![3, 4]), [3, 4]);
    assert_eq!(made::<Shape, _>(&vec![3, 4]), [3, 4]);
    assert_eq!(made::<Shape, _>(Shape::new([3, 4])), [3, 4]);
    assert_eq!(made::<Shape, _>(&Shape::new([3, 4])), [3, 4]);
    assert!(made::<Shape, _>([]).is_empty());
    let part = Shape::new([3, 4]).slice([1, 1], [3, 4]).unwrap();
    assert_eq!(made::<Shape, _>(&part), [2, 3], "a tensor's indices count from zero");
}

#[test]
fn the_type_macro() {
    fn is<A: 'static, B: 'static>() {
        assert_eq!(TypeId::of::<A>(), TypeId::of::<B>(), "{}", std::any::type_name::<A>());
    }
    const N: usize = 5;
    is::<Shape![], ()>();
    is::<Shape![3], (Const<3>,)>();
    is::<Shape![_], (Dyn,)>();
    is::<Shape![3, _], (Const<3>, Dyn)>();
    is::<Shape![3, _,], (Const<3>, Dyn)>();
    is::<Shape![{ 2 * 3 }, N, { N }], (Const<6>, Const<5>, Const<5>)>();
    is::<Shape![{ usize::MAX }], (Const<{ usize::MAX }>,)>();
    is::<Shape![_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, 16], Sixteen>();
    type Sixteen = (Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Const<16>);
    assert_eq!((Sixteen::RANK, Sixteen::known(15), Sixteen::known(0)), (Some(16), Some(16), None));
    assert_eq!(made::<Sixteen, _>((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, Const::<16>))[15], 16);
}

#[test]
fn shape_types_check_extents() {
    assert!(<Shape![3, _]>::check(&[3, 7]).is_ok());
    assert!(<Shape![]>::check(&[]).is_ok());
    assert!(Shape::check(&[1, 2, 3]).is_ok());
    let sentence = |result: Result<(), Error>| result.unwrap_err().to_string();
    assert_eq!(sentence(<Shape![3, _]>::check(&[4, 7])), "axis 0 has extent 4, but 3 by its type");
    assert_eq!(sentence(<Shape![3, _]>::check(&[3])), "extents [3] are of rank 1, but the type is of rank 2");
}

#[test]
fn extents_as_numbers() {
    assert_eq!((usize::from(Const::<7>), Const::<7>::KNOWN, Dyn::KNOWN), (7, Some(7), None));
}

/// The number that an extent type stands for, to look at what the checks' inference finds.
fn known<E: Extent>(_: Mark<E>) -> Option<usize> {
    E::KNOWN
}

#[test]
fn axes_and_their_meeting() {
    let shape = PhantomData::<Shape![3, _]>;
    assert_eq!(known(mark_axes(shape, GivenIndices::<2>).__axes().0), Some(3));
    assert_eq!(known(mark_axes(shape, GivenIndices::<2>).__axes().1), None);
    assert_eq!(known(mark_axes(PhantomData::<Shape>, GivenIndices::<2>).__axes().1), None);
    fn through_generics<S: Extents>(shape: PhantomData<S>) -> Option<usize> {
        known((&mark_axes(shape, GivenIndices::<2>)).__axes().0)
    }
    assert_eq!(through_generics(shape), None, "an abstract shape type tells nothing");
    assert_eq!(known(meet(Mark::<Const<3>>::constant(), Mark::dynamic())), Some(3));
    assert_eq!(known(meet(Mark::dynamic(), Mark::<Const<3>>::constant())), Some(3));
    assert_eq!(known(meet(Mark::dynamic(), Mark::dynamic())), None);
    fn square<D: Len>(extent: Mark<D>) -> Mark<D> {
        meet(extent, extent)
    }
    assert_eq!(known(square(Mark::<Const<2>>::constant())), Some(2));
    assert_eq!(known(mark_axes(shape, GivenIndices::<5>).__axes().0), None, "an axis of a wrong rank agrees with everything");
}

/// What the macro asks of ranks and extents, where the answer is that all is well. That it refuses what it should is for
/// the tests of messages: it does not compile.
#[test]
fn comparisons_know_what_types_know() {
    let equal = AxisPair(Mark::<Const<3>>::constant(), Mark::<Const<3>>::constant());
    let _: Compared<3, 3> = equal.__compare();
    let open = AxisPair(Mark::<Const<3>>::constant(), Mark::dynamic());
    let _: Compared<0, 0> = open.__compare();
    let later = LaterPair(Mark::dynamic(), Mark::<Const<3>>::constant(), Mark::<Const<4>>::constant());
    let _: Compared<3, 4> = later.__compare();
    let compared_before = LaterPair(Mark::<Const<3>>::constant(), Mark::<Const<3>>::constant(), Mark::<Const<4>>::constant());
    let _: Compared<0, 0> = compared_before.__compare();
    let _: Compared<2, 7> = check_rank(PhantomData::<Shape![3, _]>, GivenIndices::<7>).__compare();
    let _: Compared<0, 0> = check_rank(PhantomData::<Shape>, GivenIndices::<7>).__compare();
}

#[test]
fn positions_are_located_where_the_compiler_can() {
    let _: Located<4, true> = Position::<_, 3>::on(Mark::<Const<4>>::constant()).__locate();
    let _: Located<4, false> = Position::<_, 4>::on(Mark::<Const<4>>::constant()).__locate();
    let _: Located<0, true> = Position::<_, 4>::on(Mark::dynamic()).__locate();
    let _: Located<0, true> = Position::<_, 5000>::on(Mark::<Const<4999>>::constant()).__locate();
    fn generic<const N: usize>(extent: Mark<Const<N>>) -> Located<0, true> {
        Position::<_, 4>::on(extent).__locate()
    }
    let _ = generic(Mark::<Const<2>>::constant());
}
