//! Misuse of a tape, found before functions whose closures record: a closure would report a line of this crate.

macro_rules! recordable_numbers {
    () => {
        /// Panics if numbers on tapes cannot be recorded together here: if they are of two tapes, or of one that is not open
        /// on this thread. A number that is its own part is on no tape, or states this itself.
        #[cfg(feature = "std")]
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn demand_recordable(groups: &[&[Self]]) {
            fn with<P>(mut parts: Vec<P>, part: P) -> Vec<P> {
                parts.push(part);
                parts
            }
            if Self::RECORDS && Self::ORDER > Self::Part::ORDER {
                let numbers = groups.iter().copied().flatten();
                let parts =
                    numbers.fold(Vec::new(), |parts, x| x.fold_parts(|value| with(parts, value), with));
                Self::Part::demand_recordable(&[&parts]);
            }
        }
    };
}
