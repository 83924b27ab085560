//! The workloads of the crate's own benchmarks, and their way of timing.
#![allow(dead_code)] // the crate's own benchmarks use the rest

use crate::{camera, scene};

#[path = "../../workloads/arm.rs"]
pub mod arm;
#[path = "../../workloads/by_hand.rs"]
pub mod by_hand;
#[path = "../../workloads/hessian.rs"]
pub mod hessian;
#[path = "../../workloads/reverse.rs"]
pub mod reverse;
#[path = "../../workloads/scalar.rs"]
pub mod scalar;
#[path = "../../workloads/sums.rs"]
pub mod sums;
#[path = "../../workloads/timing.rs"]
pub mod timing;
