//! Complex numbers inside a real function, compared with num-complex's own functions on the same numbers: `cargo
//! bench --bench complex`.

#[path = "workloads/heston.rs"]
mod heston;
mod workloads;

use std::hint::black_box;

use wengert::{forward, gradient};
use workloads::timing::compare;

fn main() {
    let p = heston::PARAMETERS;
    let (ours, theirs) = (gradient(heston::price, &p), gradient(heston::by_num_complex, &p));
    workloads::check("gradients", &ours, &theirs);
    workloads::check("forward", &forward::gradient(heston::price, &p), &theirs);
    compare(
        "Heston",
        &mut [
            ("price", Box::new(|| _ = black_box(heston::price(black_box(&p))))),
            ("price, num-complex", Box::new(|| _ = black_box(heston::by_num_complex(black_box(&p))))),
            ("reverse", Box::new(|| _ = black_box(gradient(heston::price, black_box(&p))))),
            (
                "reverse, num-complex",
                Box::new(|| _ = black_box(gradient(heston::by_num_complex, black_box(&p)))),
            ),
            ("forward", Box::new(|| _ = black_box(forward::gradient(heston::price, black_box(&p))))),
            (
                "forward, num-complex",
                Box::new(|| _ = black_box(forward::gradient(heston::by_num_complex, black_box(&p)))),
            ),
        ],
    );
}
