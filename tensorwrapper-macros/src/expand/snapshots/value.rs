//! tensor!([i, j] = a[i, k] * b[k, j])
fn expansion() {
    let value = {
        #[allow(unused_imports)]
        use ::tensorwrapper::__private_0_1_0::{self as __tw, checks::*};
        let __value = match (&(a), (&(b), ())) {
            (__capture0, (__capture1, ())) => __tw::equations_are_computed_at_run_time(move || {
                #[allow(unused_imports)]
                use __tw::{RecordInstead as _, static_expr as __static};
                let __choice = __static::expr::<
                    3usize,
                    __static::MixedWith1<__static::ElementOfOperand0>,
                    __static::ToTensor<(
                        __static::LabelExtent0<__static::AxisExtent0_0>,
                        __static::LabelExtent1<__static::AxisExtent1_1>,
                    )>,
                    __static::ReduceOver<
                        __static::Sum,
                        __static::LabelExtent2<__static::AxisExtent0_1>,
                        __static::Binary<
                            __static::Multiply,
                            __static::Read0<(__static::LabelIndex0, __static::LabelIndex2)>,
                            __static::Read1<(__static::LabelIndex2, __static::LabelIndex1)>,
                        >,
                    >,
                    _,
                >((__capture0, (__capture1, ())))
                .__choose();
                let __recorded = if __choice.records() {
                    __tw::Some({
                        static __SITE: __tw::CallSite =
                            __tw::CallSite::new(&[__tw::Recipe("[i, j] = a[i, k] * b[k, j]", &[1usize, 2usize])], &[0usize]);
                        let (__operand0, __tensor0) = (*__capture0).__operand().apart();
                        let (__operand1, __tensor1) = (*__capture1).__operand().apart();
                        let __tensors = [__tensor0, __tensor1];
                        let mut __block = __tw::begin(&__SITE, __tw::default_context(), &__tensors);
                        #[allow(non_snake_case, non_camel_case_types, unused_variables)]
                        let __value0 = {
                            if false {
                                let (i, j, k) = __tw::labels();
                                <_ as __tw::IsNewName>::check(__tw::Label(i));
                                <_ as __tw::IsNewName>::check(__tw::Label(j));
                                <_ as __tw::IsNewName>::check(__tw::Label(k));
                            }
                            let __element = __operand0.element();
                            let __elements = __tw::Elements(__element, __operand1.element());
                            let __element = <_ as __tw::MixesWith<_>>::check(__elements);
                            #[diagnostic::on_unimplemented(
                                message = "`a` has rank {L} but 2 indices are given",
                                label = "`a` has rank {L}"
                            )]
                            trait SameRank_1_10<const L: __tw::usize, const R: __tw::usize> {
                                fn check(_: __tw::Compared<{ L }, { R }>) {}
                            }
                            #[diagnostic::do_not_recommend]
                            impl<const L: __tw::usize> SameRank_1_10<{ L }, { L }> for () {}
                            #[diagnostic::do_not_recommend]
                            impl SameRank_1_10<4294967295, 0> for () {}
                            <() as SameRank_1_10<_, _>>::check(
                                __tw::check_rank(__operand0.shape(), __tw::INDICES_2).__compare(),
                            );
                            let (__axis0_0_2, __axis0_1_2) = __tw::mark_axes(__operand0.shape(), __tw::INDICES_2).__axes();
                            let __extent0 = __axis0_0_2;
                            let __extent2 = __axis0_1_2;
                            #[diagnostic::on_unimplemented(
                                message = "`b` has rank {L} but 2 indices are given",
                                label = "`b` has rank {L}"
                            )]
                            trait SameRank_1_20<const L: __tw::usize, const R: __tw::usize> {
                                fn check(_: __tw::Compared<{ L }, { R }>) {}
                            }
                            #[diagnostic::do_not_recommend]
                            impl<const L: __tw::usize> SameRank_1_20<{ L }, { L }> for () {}
                            #[diagnostic::do_not_recommend]
                            impl SameRank_1_20<4294967295, 0> for () {}
                            <() as SameRank_1_20<_, _>>::check(
                                __tw::check_rank(__operand1.shape(), __tw::INDICES_2).__compare(),
                            );
                            let (__axis1_0_2, __axis1_1_2) = __tw::mark_axes(__operand1.shape(), __tw::INDICES_2).__axes();
                            enum k_1_15 {}
                            #[diagnostic::on_unimplemented(
                                message = "index `k` has extent {L} in `a` but {R} in `b`",
                                label = "`k` has extent {R} here"
                            )]
                            trait SameExtent_1_22<const L: __tw::usize, const R: __tw::usize> {
                                fn check(_: __tw::Compared<{ L }, { R }>) {}
                            }
                            #[diagnostic::do_not_recommend]
                            impl<const L: __tw::usize> SameExtent_1_22<{ L }, { L }> for k_1_15 {}
                            #[diagnostic::do_not_recommend]
                            impl SameExtent_1_22<4294967295, 0> for k_1_15 {}
                            <k_1_15 as SameExtent_1_22<_, _>>::check(__tw::AxisPair(__axis0_1_2, __axis1_0_2).__compare());
                            let __extent2 = __tw::meet(__extent2, __axis1_0_2);
                            let __extent1 = __axis1_1_2;
                            __block.equation(__element);
                            __tw::ticket(
                                __element,
                                (__extent0, __extent1),
                                __tw::joined(__operand0.form(), &__operand1),
                                0usize,
                            )
                        };
                        match __tw::Evaluator::run(&mut __block) {
                            __tw::Ok(()) => {
                                let __value = __tw::Evaluator::take_tensor(&mut __block, &__value0);
                                __tw::Ok::<_, __tw::Error>(__value)
                            }
                            __tw::Err(__error) => __tw::Err(__error),
                        }
                    })
                } else {
                    __tw::None
                };
                __choice.take(__recorded)
            }),
        };
        __tw::value(__value)
    };
}
