//! The bits of rules, which distinguish rules of one type.
//!
//! `Debug` need not show all data of a rule, so two rules are equal only if their bits are. A rule is `Copy`, so its bits
//! are all of it, except for memory that it borrows for `'static`; of this the address counts. Bits between fields are
//! undefined: a rule with such gaps may differ from its own copy, and then occurs twice in a program, or computes again what
//! a copy has computed.
//!
//! The file has `unsafe` because Rust cannot read the bytes of a value with gaps. It is sound because the bytes are
//! read from a buffer whose address is passed to a line of assembly: the compiler has to assume that the line writes
//! all of them. The text is empty, so the buffer does not change.

#![allow(unsafe_code)]

/// Whether bits can be read on this processor. Elsewhere a rule with data is equal only to itself, at its address.
pub(crate) const READS: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && !cfg!(miri);

/// The bits of a rule; its address where they cannot be read.
pub(crate) fn bits<R: Copy>(rule: &R) -> Box<[u8]> {
    if size_of::<R>() == 0 {
        return Box::default();
    }
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    return read(rule);
    #[allow(unreachable_code)]
    std::ptr::from_ref(rule).addr().to_ne_bytes().into()
}

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
fn read<R: Copy>(rule: &R) -> Box<[u8]> {
    let mut copy = std::mem::MaybeUninit::<R>::new(*rule);
    let bytes = copy.as_mut_ptr().cast::<u8>();
    // SAFETY: the text is empty: it changes no register, no memory, no stack and no flag.
    unsafe { core::arch::asm!("/* {0} */", in(reg) bytes, options(nostack, preserves_flags)) };
    // SAFETY: `copy` has this number of bytes, which the assembly may have written.
    unsafe { std::slice::from_raw_parts(bytes, size_of::<R>()) }.into()
}
