//! tensor!(c[i, j] += alpha * self.a[i, 2, j in r])
fn expansion() {
    let value = {
        #[allow(unused_imports)]
        use ::tensorwrapper::__private_0_1_0::{self as __tw, checks::*};
        let (__value, (__patch0,)) = match (&(c), (&(alpha), (&(self.a), (&<_ as __tw::IndexRange>::bounds(&(r)), ())))) {
            (__capture0, (__capture1, (__capture2, (__capture3, ())))) => __tw::equations_are_computed_at_run_time(move || {
                static __SITE: __tw::CallSite =
                    __tw::CallSite::new(&[__tw::Recipe("c[i, j] += {alpha} * `self.a`[i, 2, j in r]", &[1usize, 2usize])], &[]);
                let (__operand0, __tensor0) = (*__capture0).__operand().apart();
                let (__operand2, __tensor2) = (*__capture2).__operand().apart();
                let __tensors = [__tensor0, __tensor2];
                let mut __block = __tw::begin(&__SITE, __tw::default_context(), &__tensors);
                #[allow(non_snake_case, non_camel_case_types, unused_variables)]
                let __write0 = {
                    if false {
                        let (i, j) = __tw::labels();
                        <_ as __tw::IsNewName>::check(__tw::Label(i));
                        <_ as __tw::IsNewName>::check(__tw::Label(j));
                    }
                    let __element = __operand0.element();
                    let __elements = __tw::Elements(__element, __operand2.element());
                    let __element = <_ as __tw::MixesWith<_>>::check(__elements);
                    let __elements = __tw::Elements(__element, __operand0.element());
                    <_ as __tw::WrittenInto<_>>::check(__elements);
                    #[diagnostic::on_unimplemented(
                        message = "`c` has rank {L} but 2 indices are given",
                        label = "`c` has rank {L}"
                    )]
                    trait SameRank_1_1<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameRank_1_1<{ L }, { L }> for () {}
                    #[diagnostic::do_not_recommend]
                    impl SameRank_1_1<4294967295, 0> for () {}
                    <() as SameRank_1_1<_, _>>::check(__tw::check_rank(__operand0.shape(), __tw::INDICES_2).__compare());
                    let (__axis0_0_2, __axis0_1_2) = __tw::mark_axes(__operand0.shape(), __tw::INDICES_2).__axes();
                    let __extent0 = __axis0_0_2;
                    let __extent1 = __axis0_1_2;
                    #[diagnostic::on_unimplemented(
                        message = "`self.a` has rank {L} but 3 indices are given",
                        label = "`self.a` has rank {L}"
                    )]
                    trait SameRank_1_25<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameRank_1_25<{ L }, { L }> for () {}
                    #[diagnostic::do_not_recommend]
                    impl SameRank_1_25<4294967295, 0> for () {}
                    <() as SameRank_1_25<_, _>>::check(__tw::check_rank(__operand2.shape(), __tw::INDICES_3).__compare());
                    let (__axis1_0_3, __axis1_1_3, __axis1_2_3) = __tw::mark_axes(__operand2.shape(), __tw::INDICES_3).__axes();
                    enum i_1_3 {}
                    #[diagnostic::on_unimplemented(
                        message = "index `i` has extent {L} in `c` but {R} in `self.a`",
                        label = "`i` has extent {R} here"
                    )]
                    trait SameExtent_1_27<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_27<{ L }, { L }> for i_1_3 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_27<4294967295, 0> for i_1_3 {}
                    <i_1_3 as SameExtent_1_27<_, _>>::check(__tw::AxisPair(__axis0_0_2, __axis1_0_3).__compare());
                    let __extent0 = __tw::meet(__extent0, __axis1_0_3);
                    #[diagnostic::on_unimplemented(
                        message = "index 2 is out of range for axis 1 of `self.a`, which has extent {N}",
                        label = "axis 1 of `self.a` has extent {N}"
                    )]
                    trait WithinExtent_1_30<const N: __tw::usize, const INSIDE: __tw::bool> {
                        fn check(_: __tw::Located<{ N }, { INSIDE }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const N: __tw::usize> WithinExtent_1_30<{ N }, true> for () {}
                    #[diagnostic::do_not_recommend]
                    impl WithinExtent_1_30<4294967295, false> for () {}
                    <() as WithinExtent_1_30<_, _>>::check(__tw::Position::<_, 2usize>::on(__axis1_1_3).__locate());
                    let __length0 = __tw::Mark::dynamic();
                    enum j_1_6 {}
                    #[diagnostic::on_unimplemented(
                        message = "index `j` has extent {L} in `c` but {R} in `self.a`",
                        label = "`j` has extent {R} here"
                    )]
                    trait SameExtent_1_33<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_33<{ L }, { L }> for j_1_6 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_33<4294967295, 0> for j_1_6 {}
                    <j_1_6 as SameExtent_1_33<_, _>>::check(__tw::AxisPair(__axis0_1_2, __length0).__compare());
                    let __extent1 = __tw::meet(__extent1, __length0);
                    __block.equation_with(
                        __element,
                        [<_ as __tw::PassedAsScalar<'_, '_, _, _>>::scalar(__element, __capture1, __tw::unwritten)],
                        [__capture3.clone()],
                    );
                    __operand0.after(0usize)
                };
                match __tw::Evaluator::run(&mut __block) {
                    __tw::Ok(()) => {
                        let __patch0 = __tw::WritesTensors::take_patch(&mut __block, &__write0);
                        let __value = ();
                        __tw::Ok::<_, __tw::Error>((__value, (__patch0,)))
                    }
                    __tw::Err(__error) => __tw::Err(__error),
                }
            }),
        };
        {
            #[allow(unused_imports)]
            use __tw::BorrowPlace as _;
            <_ as __tw::WriteInto<_>>::write(__patch0, c.__place());
        }
        __value
    };
}
