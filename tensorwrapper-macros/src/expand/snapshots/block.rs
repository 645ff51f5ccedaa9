//! tensor!(in &ctx; let w[i, j] = a[i, k] * a[k, j]; c[i] -= w[i, i]; let e = w[i, j] * w[j, i]; e)
fn expansion() {
    let value = {
        #[allow(unused_imports)]
        use ::tensorwrapper::__private_0_1_0::{self as __tw, checks::*};
        let (__value, (__patch0,)) = match (<_ as __tw::IntoContext<'_>>::context(&ctx), (&(a), (&(c), ()))) {
            (__capture0, (__capture1, (__capture2, ()))) => __tw::equations_are_computed_at_run_time(move || {
                static __SITE: __tw::CallSite = __tw::CallSite::new(
                    &[
                        __tw::Recipe("[i, j] = a[i, k] * a[k, j]", &[3usize, 3usize]),
                        __tw::Recipe("c[i] -= w[i, i]", &[4usize, 0usize]),
                        __tw::Recipe("[] = w[i, j] * w[j, i]", &[0usize, 0usize]),
                    ],
                    &[2usize],
                );
                let (__operand1, __tensor1) = (*__capture1).__operand().apart();
                let (__operand2, __tensor2) = (*__capture2).__operand().apart();
                let __tensors = [__tensor1, __tensor2];
                let mut __block = __tw::begin(&__SITE, __capture0, &__tensors);
                #[allow(non_snake_case, non_camel_case_types, unused_variables)]
                let w = {
                    if false {
                        let (i, j, k) = __tw::labels();
                        <_ as __tw::IsNewName>::check(__tw::Label(i));
                        <_ as __tw::IsNewName>::check(__tw::Label(j));
                        <_ as __tw::IsNewName>::check(__tw::Label(k));
                    }
                    let __element = __operand1.element();
                    #[diagnostic::on_unimplemented(
                        message = "`a` has rank {L} but 2 indices are given",
                        label = "`a` has rank {L}"
                    )]
                    trait SameRank_1_24<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameRank_1_24<{ L }, { L }> for () {}
                    #[diagnostic::do_not_recommend]
                    impl SameRank_1_24<4294967295, 0> for () {}
                    <() as SameRank_1_24<_, _>>::check(__tw::check_rank(__operand1.shape(), __tw::INDICES_2).__compare());
                    let (__axis0_0_2, __axis0_1_2) = __tw::mark_axes(__operand1.shape(), __tw::INDICES_2).__axes();
                    let __extent0 = __axis0_0_2;
                    let __extent2 = __axis0_1_2;
                    enum k_1_29 {}
                    #[diagnostic::on_unimplemented(
                        message = "index `k` has extent {L} on axis 1 of `a` but {R} on axis 0",
                        label = "`k` has extent {R} here"
                    )]
                    trait SameExtent_1_36<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_36<{ L }, { L }> for k_1_29 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_36<4294967295, 0> for k_1_29 {}
                    <k_1_29 as SameExtent_1_36<_, _>>::check(__tw::AxisPair(__axis0_1_2, __axis0_0_2).__compare());
                    let __extent2 = __tw::meet(__extent2, __axis0_0_2);
                    let __extent1 = __axis0_1_2;
                    __block.equation(__element);
                    __tw::ticket(__element, (__extent0, __extent1), __operand1.form(), 0usize)
                };
                #[allow(non_snake_case, non_camel_case_types, unused_variables)]
                let __write0 = {
                    if false {
                        let (i,) = __tw::labels();
                        <_ as __tw::IsNewName>::check(__tw::Label(i));
                    }
                    let __element = __operand2.element();
                    let __elements = __tw::Elements(__element, w.element());
                    let __element = <_ as __tw::MixesWith<_>>::check(__elements);
                    let __elements = __tw::Elements(__element, __operand2.element());
                    <_ as __tw::WrittenInto<_>>::check(__elements);
                    #[diagnostic::on_unimplemented(
                        message = "`c` has rank {L} but 1 index is given",
                        label = "`c` has rank {L}"
                    )]
                    trait SameRank_1_43<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameRank_1_43<{ L }, { L }> for () {}
                    #[diagnostic::do_not_recommend]
                    impl SameRank_1_43<4294967295, 0> for () {}
                    <() as SameRank_1_43<_, _>>::check(__tw::check_rank(__operand2.shape(), __tw::INDICES_1).__compare());
                    let (__axis0_0_1,) = __tw::mark_axes(__operand2.shape(), __tw::INDICES_1).__axes();
                    let __extent0 = __axis0_0_1;
                    #[diagnostic::on_unimplemented(
                        message = "`w` has rank {L} but 2 indices are given",
                        label = "`w` has rank {L}"
                    )]
                    trait SameRank_1_51<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameRank_1_51<{ L }, { L }> for () {}
                    #[diagnostic::do_not_recommend]
                    impl SameRank_1_51<4294967295, 0> for () {}
                    <() as SameRank_1_51<_, _>>::check(__tw::check_rank(w.shape(), __tw::INDICES_2).__compare());
                    let (__axis1_0_2, __axis1_1_2) = __tw::mark_axes(w.shape(), __tw::INDICES_2).__axes();
                    enum i_1_45 {}
                    #[diagnostic::on_unimplemented(
                        message = "index `i` has extent {L} in `c` but {R} in `w`",
                        label = "`i` has extent {R} here"
                    )]
                    trait SameExtent_1_53<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_53<{ L }, { L }> for i_1_45 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_53<4294967295, 0> for i_1_45 {}
                    <i_1_45 as SameExtent_1_53<_, _>>::check(__tw::AxisPair(__axis0_0_1, __axis1_0_2).__compare());
                    let __extent0 = __tw::meet(__extent0, __axis1_0_2);
                    #[diagnostic::on_unimplemented(
                        message = "index `i` has extent {L} in `c` but {R} in `w`",
                        label = "`i` has extent {R} here"
                    )]
                    trait SameExtent_1_56<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_56<{ L }, { L }> for i_1_45 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_56<4294967295, 0> for i_1_45 {}
                    <i_1_45 as SameExtent_1_56<_, _>>::check(__tw::AxisPair(__axis0_0_1, __axis1_1_2).__compare());
                    enum i_1_53 {}
                    #[diagnostic::on_unimplemented(
                        message = "index `i` has extent {L} on axis 0 of `w` but {R} on axis 1",
                        label = "`i` has extent {R} here"
                    )]
                    trait SameExtent_1_56_2<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_56_2<{ L }, { L }> for i_1_53 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_56_2<4294967295, 0> for i_1_53 {}
                    <i_1_53 as SameExtent_1_56_2<_, _>>::check(
                        __tw::LaterPair(__axis0_0_1, __axis1_0_2, __axis1_1_2).__compare(),
                    );
                    let __extent0 = __tw::meet(__extent0, __axis1_1_2);
                    __block.equation(__element);
                    __operand2.after(1usize)
                };
                #[allow(non_snake_case, non_camel_case_types, unused_variables)]
                let e = {
                    if false {
                        let (i, j) = __tw::labels();
                        <_ as __tw::IsNewName>::check(__tw::Label(i));
                        <_ as __tw::IsNewName>::check(__tw::Label(j));
                    }
                    let __element = w.element();
                    #[diagnostic::on_unimplemented(
                        message = "`w` has rank {L} but 2 indices are given",
                        label = "`w` has rank {L}"
                    )]
                    trait SameRank_1_68<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameRank_1_68<{ L }, { L }> for () {}
                    #[diagnostic::do_not_recommend]
                    impl SameRank_1_68<4294967295, 0> for () {}
                    <() as SameRank_1_68<_, _>>::check(__tw::check_rank(w.shape(), __tw::INDICES_2).__compare());
                    let (__axis0_0_2, __axis0_1_2) = __tw::mark_axes(w.shape(), __tw::INDICES_2).__axes();
                    let __extent0 = __axis0_0_2;
                    let __extent1 = __axis0_1_2;
                    enum j_1_73 {}
                    #[diagnostic::on_unimplemented(
                        message = "index `j` has extent {L} on axis 1 of `w` but {R} on axis 0",
                        label = "`j` has extent {R} here"
                    )]
                    trait SameExtent_1_80<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_80<{ L }, { L }> for j_1_73 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_80<4294967295, 0> for j_1_73 {}
                    <j_1_73 as SameExtent_1_80<_, _>>::check(__tw::AxisPair(__axis0_1_2, __axis0_0_2).__compare());
                    let __extent1 = __tw::meet(__extent1, __axis0_0_2);
                    enum i_1_70 {}
                    #[diagnostic::on_unimplemented(
                        message = "index `i` has extent {L} on axis 0 of `w` but {R} on axis 1",
                        label = "`i` has extent {R} here"
                    )]
                    trait SameExtent_1_83<const L: __tw::usize, const R: __tw::usize> {
                        fn check(_: __tw::Compared<{ L }, { R }>) {}
                    }
                    #[diagnostic::do_not_recommend]
                    impl<const L: __tw::usize> SameExtent_1_83<{ L }, { L }> for i_1_70 {}
                    #[diagnostic::do_not_recommend]
                    impl SameExtent_1_83<4294967295, 0> for i_1_70 {}
                    <i_1_70 as SameExtent_1_83<_, _>>::check(__tw::AxisPair(__axis0_0_2, __axis0_1_2).__compare());
                    let __extent0 = __tw::meet(__extent0, __axis0_1_2);
                    __block.equation(__element);
                    __tw::ticket(__element, (), w.form(), 2usize)
                };
                if __tw::Evaluator::is_new(&mut __block) {
                    __tw::unwrap(__block.record());
                    __tw::unwrap(__block.record());
                    __tw::unwrap(__block.record());
                }
                match __tw::Evaluator::run(&mut __block) {
                    __tw::Ok(()) => {
                        let __patch0 = __tw::WritesTensors::take_patch(&mut __block, &__write0);
                        let __value = __tw::Evaluator::take_number(&mut __block, &e);
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
        __tw::value(__value)
    };
}
