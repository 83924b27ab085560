//! One name for several things: methods, constants, functions and modules, and what `use` imports.

both! { constants_of_two_structs {
    struct A {
        a: f64,
    }
    struct B {
        n: f64,
    }
    impl A {
        const K: f64 = 2.0;
        const D: usize = 2;
        fn f(&self) -> f64 {
            let k = Self::K;
            k * self.a + id(Self::K) + (0..Self::D).map(|i| i as f64).sum::<f64>()
        }
    }
    impl B {
        const K: usize = 3;
        const D: f64 = 0.5;
        fn f(&self) -> f64 {
            let mut v = vec![self.n; Self::K];
            v[Self::K - 1] = 1.0;
            same(Self::K) as f64 * v.iter().sum::<f64>() + id(Self::D)
        }
    }
    fn id(x: f64) -> f64 {
        x
    }
    fn same(n: usize) -> usize {
        n
    }
    pub fn at(x: &[f64]) -> f64 {
        A { a: x[0] }.f() * B { n: x[1] }.f() + id(A::K) + same(B::K) as f64
    }
} }
check!(constants_of_two_structs, at, [1.3, 0.7]);

both_with_data! { methods_of_two_structs {
    struct A {
        a: f64,
    }
    struct B {
        b: f64,
    }
    impl A {
        fn f(&self, #[data] t: f64, x: f64) -> f64 {
            self.a * t + x
        }
    }
    impl B {
        fn f(&self, t: f64, #[data] x: f64) -> f64 {
            self.b * t + x * t
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let (a, b) = (A { a: x[0] }, B { b: x[1] });
        let ts = [0.5, 1.5];
        let mut s = 0.0;
        for t in ts {
            s += a.f(t, x[1]) + b.f(x[0], t);
        }
        s + a.f(0.5, 2.0) + b.f(0.5, 2.0)
    }
} }
check!(methods_of_two_structs, at, [1.3, 0.7]);

both! { functions_in_functions {
    fn size(x: f64) -> f64 {
        x.abs()
    }
    mod other {
        pub fn size(n: usize) -> usize {
            n * 2
        }
        pub struct P {
            pub n: usize,
        }
        impl P {
            pub fn get(&self) -> usize {
                self.n
            }
        }
    }
    struct P {
        n: f64,
    }
    impl P {
        fn get(&self) -> f64 {
            self.n
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        fn size(n: usize) -> usize {
            n + 1
        }
        let p = other::P { n: 3 };
        let q = P { n: x[0] };
        let n = size(2);
        let m = other::size(n);
        n as f64 * x[0] + m as f64 + super_size(x[1]) + p.get() as f64 * q.get() + (p.n + 1) as f64
    }
    fn super_size(x: f64) -> f64 {
        size(x) + self::size(-x)
    }
} }
check!(functions_in_functions, at, [1.3, 0.7]);

both! { imports_from_modules {
    mod vec {
        #[derive(Clone, Copy)]
        pub struct Vec2 {
            pub x: f64,
            pub y: f64,
        }
        pub struct Pair {
            pub a: Vec2,
            pub b: Vec2,
        }
        impl Vec2 {
            pub fn dot(self, o: Vec2) -> f64 {
                self.x * o.x + self.y * o.y
            }
        }
        pub fn lerp(a: Vec2, b: Vec2, t: f64) -> Vec2 {
            Vec2 { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) }
        }
        pub const HALF: f64 = 0.5;
        pub type Row = Vec<f64>;
    }
    use vec::Row as Line;
    use vec::{HALF, Pair, Vec2, lerp};
    struct Seg {
        a: Vec2,
        b: Vec2,
    }
    impl Seg {
        fn at(&self, t: f64) -> Vec2 {
            lerp(self.a, self.b, t)
        }
    }
    fn total(l: &Line) -> f64 {
        l.iter().sum()
    }
    pub fn at(x: &[f64]) -> f64 {
        let s = Seg { a: Vec2 { x: x[0], y: 1.0 }, b: Vec2 { x: x[1], y: x[0] } };
        let p = Pair { a: s.at(0.25), b: s.at(HALF) };
        let q: Pair = Pair { ..p };
        q.a.dot(p.b) + total(&vec![x[0], HALF])
    }
} }
check!(imports_from_modules, at, [1.3, 0.7]);

both! { imports_of_everything {
    mod geometry {
        pub mod vec {
            #[derive(Clone, Copy)]
            pub struct Vec2 {
                pub x: f64,
                pub y: f64,
            }
        }
        pub mod shapes {
            use super::vec::Vec2;
            pub enum Shape {
                Disc(Vec2, f64),
                Box { lo: Vec2, hi: Vec2 },
            }
            impl Shape {
                pub fn area(&self) -> f64 {
                    match self {
                        Shape::Disc(_, r) => std::f64::consts::PI * r * r,
                        Shape::Box { lo, hi } => (hi.x - lo.x) * (hi.y - lo.y),
                    }
                }
            }
        }
        pub use shapes::Shape;
        pub use vec::*;
    }
    use geometry::*;
    struct Scene {
        all: Vec<Shape>,
        c: Vec2,
    }
    pub fn at(x: &[f64]) -> f64 {
        let lo = Vec2 { x: 0.0, y: 0.25 };
        let s = Scene {
            all: vec![Shape::Disc(lo, x[0]), geometry::Shape::Box { lo, hi: Vec2 { x: x[0], y: x[1] } }],
            c: lo,
        };
        s.all.iter().map(|s| s.area()).sum::<f64>() + s.c.y
    }
} }
check!(imports_of_everything, at, [1.3, 0.7]);

both! { imported_constants {
    use std::f64::consts::{E, PI as HALF_TURN};
    pub fn at(x: &[f64]) -> f64 {
        E.powf(x[0]) + E.max(x[1]) + id(E) + id(HALF_TURN) * x[1] + f64::max(E, x[0])
    }
    fn id(x: f64) -> f64 {
        use std::f64::consts::*;
        let y = E;
        if x > 100.0 { E } else { x * y }
    }
} }
check!(imported_constants, at, [1.3, 0.7]);

both! { constants_in_functions {
    const N: f64 = 2.5;
    const K: [f64; 2] = [1.0, 2.0];
    fn pad(v: f64) -> Vec<f64> {
        const N: usize = 3;
        let n = N;
        let mut all = vec![v; N];
        all[N - 1] = N as f64;
        for i in 0..n {
            all[i] += 1.0;
        }
        all
    }
    fn genr<const N: usize>(v: f64) -> f64 {
        let mut s = 0.0;
        for _ in 0..N {
            s += v;
        }
        s * N as f64 + take(N) as f64
    }
    fn take(n: usize) -> usize {
        n
    }
    fn param(n: usize, x: f64) -> f64 {
        x * n as f64 + take(n) as f64
    }
    pub fn at(x: &[f64]) -> f64 {
        const K: usize = 3;
        let a = take(K) as f64;
        pad(x[0]).iter().sum::<f64>() * N + genr::<4>(x[1]) + param(2, x[0]) + a
    }
} }
check!(constants_in_functions, at, [1.3, 0.7]);

both! { aliases_of_the_float {
    type Flt = f64;
    type Row = Vec<Flt>;
    struct P {
        a: Flt,
    }
    fn f(x: Flt, n: usize) -> Flt {
        x * n as Flt + Flt::sqrt(x) + (n as Flt).powi(2)
    }
    pub fn at(x: &[Flt]) -> Flt {
        let mut best = Flt::MAX;
        for v in x {
            if *v < best {
                best = *v
            }
        }
        let r: Row = x.iter().map(|x| x * 2.0 as Flt).collect::<Vec<Flt>>();
        let s = r.iter().copied().fold(0.0, Flt::max) + Flt::from(3u8) + 0.5 as Flt;
        assert!(s > 1 as Flt, "{}", s as Flt);
        P { a: best + f(x[0], 3) }.a + s + Flt::EPSILON.sqrt() * x[0]
    }
} }
check!(aliases_of_the_float, at, [1.3, 0.7]);

both! { constructors {
    mod constants {
        pub mod water {
            pub const TC: f64 = 647.0;
        }
    }
    use constants::water;
    type Fallible<T = f64> = Result<T, Fault>;
    #[derive(Debug)]
    struct Fault {
        at: f64,
    }
    #[derive(Clone, Copy)]
    struct Fluid {
        tc: f64,
        n: usize,
    }
    impl Fluid {
        const WATER: Self = Self { tc: water::TC, n: 2 };
        const UNIT: Self = Self::new(1.0);
        const fn new(tc: f64) -> Self {
            Self { tc, n: 1 }
        }
        fn reduced(&self, t: f64) -> Fallible {
            if t < 0.0 { Err(Fault { at: t }) } else { Ok((t / self.tc).powi(self.n as i32)) }
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let lost = match Fluid::WATER.reduced(-x[1]) {
            Err(fault) => fault.at,
            Ok(_) => 0.0,
        };
        Fluid::WATER.reduced(x[0]).unwrap() + Fluid::UNIT.reduced(x[1]).unwrap() * Fluid::new(x[0]).tc + lost
    }
} }
check!(constructors, at, [320.0, 0.7]);

both! { modules_in_modules {
    pub mod model {
        pub(crate) mod params {
            #[derive(Clone, Debug)]
            pub struct Params {
                pub a: f64,
                pub(super) b: f64,
                c: f64,
            }
            impl Params {
                pub fn from_slice(x: &[f64]) -> Self {
                    Params { a: x[0], b: x[1], c: super::DEFAULT_C }
                }
                pub(super) fn c(&self) -> f64 {
                    self.c
                }
            }
        }
        pub const DEFAULT_C: f64 = 0.75;
        pub use self::params::Params as P;
        mod kernels {
            use super::params::Params;
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub enum Kind {
                Linear,
                Saturating,
                Step,
            }
            pub(super) fn eval(k: Kind, p: &Params, t: f64) -> f64 {
                use Kind::*;
                match k {
                    Linear => p.a * t,
                    Saturating => p.a * t / (p.b + t),
                    Step => {
                        if t > p.b {
                            p.a
                        } else {
                            0.0
                        }
                    }
                }
            }
        }
        pub use kernels::Kind;
        pub fn response(kind: Kind, p: &P, t: f64) -> f64 {
            p.c() + kernels::eval(kind, p, t)
        }
    }
    use model::{Kind, Kind::Saturating, P, response};
    pub fn at(x: &[f64]) -> f64 {
        let p = P::from_slice(x);
        let mut q = p.clone();
        q.a = 2.0;
        let ts = [0.1, 0.9, 2.0];
        let s: f64 = ts.iter().map(|&t| response(Saturating, &p, t)).sum();
        s + response(Kind::Linear, &q, x[1]) + response(Kind::Step, &p, 5.0)
    }
} }
check!(modules_in_modules, at, [0.4, 1.7]);

both! { imported_structs {
    mod shapes {
        mod inner {
            #[derive(Clone, Copy)]
            pub struct P {
                pub a: f64,
                pub n: usize,
            }
            pub const ORIGIN: P = P { a: 0.25, n: 1 };
            pub static AXES: [P; 2] = [P { a: 1.0, n: 0 }, P { a: 2.0, n: 3 }];
            pub const FS: [fn(f64) -> f64; 2] = [f64::sin, twice];
            fn twice(x: f64) -> f64 {
                2.0 * x
            }
        }
        pub use inner::{AXES, FS, ORIGIN as START, P};
        pub mod deep {
            use super::inner::ORIGIN;
            pub fn f(x: f64) -> f64 {
                super::START.a * x + ORIGIN.a
            }
        }
    }
    use shapes::{AXES as A, FS, P, START, deep};
    fn sum(p: &P, q: &P) -> f64 {
        p.a * q.a + q.n as f64
    }
    pub fn at(x: &[f64]) -> f64 {
        use shapes::START as S;
        let p = P { a: x[0], n: 2 };
        sum(&p, &START)
            + sum(&p, &A[1])
            + deep::f(x[1])
            + FS[0](x[0])
            + shapes::FS[1](x[1])
            + sum(&S, &p)
            + shapes::AXES[0].a
    }
} }
check!(imported_structs, at, [0.4, 1.7]);

/// Names are looked up in each glob import once: five of them, and modules that import one another, take no time.
#[wengert::generic]
mod globs {
    use std::f64::consts::*;
    use std::fmt::*;
    use std::iter::*;
    use std::ops::*;
    pub struct Pair {
        pub x: f64,
        pub y: f64,
    }
    impl Add for Pair {
        type Output = Pair;
        fn add(self, other: Pair) -> Pair {
            Pair { x: self.x + other.x, y: self.y + other.y }
        }
    }
    impl Display for Pair {
        fn fmt(&self, f: &mut Formatter<'_>) -> Result {
            write!(f, "{}", self.x)
        }
    }
    pub fn area(x: f64) -> f64 {
        let all: Vec<f64> = once(x).chain(repeat_n(1.0, 1)).collect();
        let p = Pair { x: all[0], y: PI } + Pair { x: all[1], y: x };
        p.x * p.y
    }
    pub mod inner {
        use super::*;
        pub fn twice(x: f64) -> f64 {
            area(x) * 2.0
        }
        pub mod innermost {
            use super::super::*;
            use super::*;
            pub fn product(x: f64) -> f64 {
                twice(x) * area(x)
            }
        }
    }
    pub use inner::innermost::*;
}

#[test]
fn names_come_through_many_globs() {
    let (area, slope) = ((1.0 + 1.0) * (std::f64::consts::PI + 1.0), std::f64::consts::PI + 3.0);
    assert_eq!(wengert::derivative(|x| globs::product(x), 1.0), 4.0 * area * slope);
    assert_eq!(format!("{}", globs::Pair { x: 1.5, y: 0.0 }), "1.5");
}
