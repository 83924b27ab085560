//! The registers of the processor.

/// How many numbers a register of the processor holds: 8 with AVX-512, 4 with AVX2, else 2. In tests also 1, for code of
/// processors that are not known.
#[inline]
pub(crate) fn registers() -> usize {
    #[cfg(test)]
    if let Some(numbers) = forced::REGISTERS.get() {
        return numbers;
    }
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512f") {
        return 8;
    } else if std::is_x86_feature_detected!("avx2") {
        return 4;
    }
    2
}

/// Smaller registers than the processor has, to compare their results.
#[cfg(test)]
pub(crate) mod forced {
    use std::cell::Cell;

    thread_local! {
        pub(super) static REGISTERS: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// The results of `f` with each size of registers that the processor has, the smallest first.
    pub(crate) fn at_each<Y>(f: impl Fn() -> Y) -> Vec<Y> {
        let most = super::registers();
        let at = |numbers| {
            REGISTERS.set(Some(numbers));
            let y = f();
            REGISTERS.set(None);
            y
        };
        [1, 2, 4, 8].into_iter().filter(|&numbers| numbers <= most).map(at).collect()
    }
}
