//! Names for parts of expressions with small numbers. A number in angle brackets is a body of its own to rustc, a name is not: the
//! expressions of 200 products of four factors have 9 000 numbers.
//!
//! The macros write these names up to the numbers here, and larger numbers in angle brackets (`expand/named.rs` of the macros).

use super::{AxisExtent, ElementOfOperand, LabelExtent, LabelIndex, MixedWith, Read};

macro_rules! labels {
    ($($number:literal $index:ident $extent:ident;)*) => { $(
        /// [`LabelIndex`]
        pub type $index = LabelIndex<$number>;
        /// [`LabelExtent`]
        pub type $extent<E> = LabelExtent<$number, E>;
    )* };
}
labels! {
    0 LabelIndex0 LabelExtent0;
    1 LabelIndex1 LabelExtent1;
    2 LabelIndex2 LabelExtent2;
    3 LabelIndex3 LabelExtent3;
    4 LabelIndex4 LabelExtent4;
    5 LabelIndex5 LabelExtent5;
    6 LabelIndex6 LabelExtent6;
    7 LabelIndex7 LabelExtent7;
}

macro_rules! operands {
    ($($number:literal $element:ident $mixed:ident $read:ident $($axis:ident)*;)*) => { $(
        /// [`ElementOfOperand`]
        pub type $element = ElementOfOperand<$number>;
        /// [`MixedWith`]
        pub type $mixed<E> = MixedWith<$number, E>;
        /// [`Read`]
        pub type $read<I> = Read<$number, I>;
        axes! { $number $($axis)* }
    )* };
}
macro_rules! axes {
    ($number:literal $first:ident $second:ident $third:ident $fourth:ident) => {
        /// [`AxisExtent`]
        pub type $first = AxisExtent<$number, 0>;
        /// [`AxisExtent`]
        pub type $second = AxisExtent<$number, 1>;
        /// [`AxisExtent`]
        pub type $third = AxisExtent<$number, 2>;
        /// [`AxisExtent`]
        pub type $fourth = AxisExtent<$number, 3>;
    };
}
operands! {
    0 ElementOfOperand0 MixedWith0 Read0 AxisExtent0_0 AxisExtent0_1 AxisExtent0_2 AxisExtent0_3;
    1 ElementOfOperand1 MixedWith1 Read1 AxisExtent1_0 AxisExtent1_1 AxisExtent1_2 AxisExtent1_3;
    2 ElementOfOperand2 MixedWith2 Read2 AxisExtent2_0 AxisExtent2_1 AxisExtent2_2 AxisExtent2_3;
    3 ElementOfOperand3 MixedWith3 Read3 AxisExtent3_0 AxisExtent3_1 AxisExtent3_2 AxisExtent3_3;
    4 ElementOfOperand4 MixedWith4 Read4 AxisExtent4_0 AxisExtent4_1 AxisExtent4_2 AxisExtent4_3;
    5 ElementOfOperand5 MixedWith5 Read5 AxisExtent5_0 AxisExtent5_1 AxisExtent5_2 AxisExtent5_3;
}
