//! Misuse of a tape, found before operations whose closures record: a closure would report a line of this crate.

/// The tapes of the variables at one level of nesting, and at the levels below.
#[cfg(feature = "std")]
#[doc(hidden)]
#[derive(Default)]
pub struct Tapes {
    /// The first tape, and another one; 0 for none.
    pub(crate) first: u32,
    pub(crate) other: u32,
    pub(crate) inner: Option<Box<Tapes>>,
}

macro_rules! recordable_numbers {
    () => {
        /// Panics if numbers on tapes cannot be recorded together here: if they are of two tapes, or of one that is not open
        /// on this thread.
        #[cfg(feature = "std")]
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn demand_recordable(groups: &[&[Self]]) {
            if Self::RECORDS {
                let mut tapes = recordable::Tapes::default();
                for group in groups {
                    group.iter().for_each(|x| x.note_tapes(&mut tapes));
                }
                Self::demand_tapes(&tapes);
            }
        }
        /// As [`demand_recordable`](Self::demand_recordable), for the operands of an operation that closures record part by
        /// part.
        #[doc(hidden)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn demand_operands<const N: usize>(_operands: [&Self; N]) {
            #[cfg(feature = "std")]
            if Self::Part::RECORDS {
                Self::demand_recordable(&[&_operands.map(|&x| x)]);
            }
        }
        /// As [`demand_operands`](Self::demand_operands), for a factor of all parts that is a part itself. A float is on no
        /// tape.
        #[doc(hidden)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn demand_factor<C: 'static>(self, _factor: C)
        where
            Self::Part: From<C>,
        {
            #[cfg(feature = "std")]
            if Self::Part::RECORDS && core::any::TypeId::of::<C>() == core::any::TypeId::of::<Self::Part>() {
                Self::demand_recordable(&[&[self, Self::of_part(_factor.into())]]);
            }
        }
        /// Adds the tapes of this number. A number that is its own part is on no tape, or states this itself.
        #[cfg(feature = "std")]
        #[doc(hidden)]
        #[inline]
        fn note_tapes(self, tapes: &mut recordable::Tapes) {
            fn note<P: Number>(tapes: &mut recordable::Tapes, part: P) -> &mut recordable::Tapes {
                part.note_tapes(tapes);
                tapes
            }
            if Self::RECORDS && Self::ORDER > Self::Part::ORDER {
                self.fold_parts(|value| note(tapes, value), note);
            }
        }
        /// Panics if variables on these tapes cannot be recorded together here.
        #[cfg(feature = "std")]
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn demand_tapes(tapes: &recordable::Tapes) {
            if Self::ORDER > Self::Part::ORDER {
                Self::Part::demand_tapes(tapes);
            }
        }
    };
}
