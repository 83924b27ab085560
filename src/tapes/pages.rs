//! Large pages for long tapes. The first write to each page of 4 KiB is a fault of some microseconds on a virtual machine:
//! without large pages a new tape of a million operations takes three times as long as one that is used again.
#![allow(unsafe_code)]

/// The bytes of two large pages. Less memory would hardly contain one.
const LEAST: usize = 4 << 20;

/// Advises the system to use large pages where the vector's memory has room for some. It may decline.
pub(super) fn prefer_large<E>(memory: &Vec<E>) {
    let bytes = memory.capacity() * size_of::<E>();
    if bytes > LEAST {
        advise(memory.as_ptr().addr(), bytes);
    }
}

/// Room for `more` elements, in large pages where the system has them.
#[inline]
pub(super) fn reserve<E>(memory: &mut Vec<E>, more: usize) {
    if memory.capacity() - memory.len() < more {
        memory.reserve(more);
        prefer_large(memory);
    }
}

/// Advises for these bytes of one allocation.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[cold]
fn advise(start: usize, bytes: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const PAGE: usize = 4096;
    const MADV_HUGEPAGE: c_int = 14;
    // All pages that the allocation touches: were a part of its mapping left out, the system would split the mapping, and
    // the allocator could not enlarge it in place.
    let (first, end) = (start / PAGE * PAGE, (start + bytes).next_multiple_of(PAGE));
    // SAFETY: the advice changes no contents, only how they are mapped; an error leaves everything as it was.
    unsafe { madvise(first as *mut c_void, end - first, MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn advise(_start: usize, _bytes: usize) {}
