//! Vectors, shapes and integrators with operators and traits of their own.

both! { vectors_of_ones_own {
    use std::fmt;
    use std::ops::{AddAssign, Deref, DerefMut, Div, Mul, MulAssign, Neg, Sub, SubAssign};
    #[derive(Clone, Debug, PartialEq)]
    struct Vector(Vec<f64>);
    impl Deref for Vector {
        type Target = Vec<f64>;
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
    impl DerefMut for Vector {
        fn deref_mut(&mut self) -> &mut Self::Target {
            &mut self.0
        }
    }
    impl From<Vec<f64>> for Vector {
        fn from(v: Vec<f64>) -> Self {
            Vector(v)
        }
    }
    impl FromIterator<f64> for Vector {
        fn from_iter<I: IntoIterator<Item = f64>>(iter: I) -> Self {
            Vector(iter.into_iter().collect())
        }
    }
    impl<'a> Mul<&'a Vector> for f64x {
        type Output = Vector;
        fn mul(self, v: &Vector) -> Vector {
            v.iter().map(|x| self.0 * x).collect()
        }
    }
    #[derive(Clone, Copy)]
    #[allow(non_camel_case_types)]
    struct f64x(f64);
    impl Sub for &Vector {
        type Output = Vector;
        fn sub(self, o: &Vector) -> Vector {
            self.iter().zip(o.iter()).map(|(a, b)| a - b).collect()
        }
    }
    impl Neg for Vector {
        type Output = Vector;
        fn neg(mut self) -> Vector {
            self.iter_mut().for_each(|x| *x = -*x);
            self
        }
    }
    impl Div<f64> for Vector {
        type Output = Vector;
        fn div(self, k: f64) -> Vector {
            Vector(self.0.into_iter().map(|x| x / k).collect())
        }
    }
    impl AddAssign<&Vector> for Vector {
        fn add_assign(&mut self, o: &Vector) {
            for (a, b) in self.iter_mut().zip(o.iter()) {
                *a += b;
            }
        }
    }
    impl SubAssign<f64> for Vector {
        fn sub_assign(&mut self, k: f64) {
            for a in self.0.iter_mut() {
                *a -= k
            }
        }
    }
    impl MulAssign<f64> for Vector {
        fn mul_assign(&mut self, k: f64) {
            self.iter_mut().for_each(|a| *a *= k)
        }
    }
    impl Vector {
        fn dot(&self, o: &Vector) -> f64 {
            self.iter().zip(o.iter()).map(|(a, b)| a * b).sum()
        }
        fn norm(&self) -> f64 {
            self.dot(self).sqrt()
        }
    }
    impl fmt::Display for Vector {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "[")?;
            for (i, x) in self.iter().enumerate() {
                if i > 0 {
                    write!(f, ", ")?;
                }
                write!(f, "{x:.2}")?;
            }
            write!(f, "]")
        }
    }
    fn power_iteration(a: &[Vector], n: usize) -> (f64, Vector) {
        let mut v: Vector = (0..a.len()).map(|i| 1.0 / (1 + i) as f64).collect();
        let mut lambda = 0.0;
        for _ in 0..n {
            let w: Vector = a.iter().map(|row| row.dot(&v)).collect();
            lambda = w.norm();
            v = w / lambda;
        }
        (lambda, v)
    }
    pub fn at(x: &[f64]) -> f64 {
        let a = vec![Vector::from(vec![2.0, x[0]]), Vector(vec![x[0], x[1]])];
        let (l, v) = power_iteration(&a, 8);
        let mut r = &v - &a[0];
        r += &(-v.clone());
        r -= 0.25;
        r *= x[1];
        r[1] += r[0] * 2.0;
        let s = f64x(0.5) * &r;
        assert!(!format!("{s}").is_empty());
        l + r.norm() + s.dot(&v)
    }
} }
check!(vectors_of_ones_own, at, [0.4, 1.7]);

both! { shapes {
    use std::ops::{Add, Mul, Sub};
    #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }
    impl Point {
        pub const fn new_data(n: usize) -> usize {
            n
        }
        pub const fn new(x: f64, y: f64) -> Self {
            Point { x, y }
        }
        pub const UP: Self = Self::new(0.0, 1.0);
        pub fn cross(self, o: Self) -> f64 {
            self.x * o.y - self.y * o.x
        }
        pub fn dot(self, o: Self) -> f64 {
            self.x * o.x + self.y * o.y
        }
        pub fn norm(self) -> f64 {
            self.x.hypot(self.y)
        }
    }
    impl Add for Point {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self::new(self.x + o.x, self.y + o.y)
        }
    }
    impl Sub for Point {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self::new(self.x - o.x, self.y - o.y)
        }
    }
    impl Mul<f64> for Point {
        type Output = Self;
        fn mul(self, k: f64) -> Self {
            Self::new(self.x * k, self.y * k)
        }
    }
    pub trait Shape {
        fn area(&self) -> f64;
        fn perimeter(&self) -> f64;
        fn compactness(&self) -> f64 {
            4.0 * std::f64::consts::PI * self.area() / self.perimeter().powi(2)
        }
    }
    pub struct Circle {
        c: Point,
        r: f64,
    }
    pub struct Polygon {
        pts: Vec<Point>,
    }
    impl Shape for Circle {
        fn area(&self) -> f64 {
            std::f64::consts::PI * self.r.powi(2)
        }
        fn perimeter(&self) -> f64 {
            std::f64::consts::TAU * self.r
        }
        fn compactness(&self) -> f64 {
            1.0
        }
    }
    impl Polygon {
        fn edges(&self) -> impl Iterator<Item = (Point, Point)> + '_ {
            let n = self.pts.len();
            (0..n).map(move |i| (self.pts[i], self.pts[(i + 1) % n]))
        }
    }
    impl Shape for Polygon {
        fn area(&self) -> f64 {
            0.5 * self.edges().map(|(a, b)| a.cross(b)).sum::<f64>().abs()
        }
        fn perimeter(&self) -> f64 {
            self.edges().map(|(a, b)| (b - a).norm()).sum()
        }
    }
    fn hull(mut pts: Vec<Point>) -> Vec<Point> {
        pts.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut h: Vec<Point> = Vec::new();
        for pass in 0..2 {
            let start = h.len();
            let it: Box<dyn Iterator<Item = &Point>> =
                if pass == 0 { Box::new(pts.iter()) } else { Box::new(pts.iter().rev()) };
            for &p in it {
                while h.len() >= start + 2
                    && (h[h.len() - 1] - h[h.len() - 2]).cross(p - h[h.len() - 1]) <= 0.0
                {
                    h.pop();
                }
                h.push(p);
            }
            h.pop();
        }
        h
    }
    fn segment_distance(p: Point, a: Point, b: Point) -> f64 {
        let ab = b - a;
        let t = ((p - a).dot(ab) / ab.dot(ab)).clamp(0.0, 1.0);
        (p - (a + ab * t)).norm()
    }
    pub fn at(x: &[f64]) -> f64 {
        let pts = vec![
            Point::new(0.0, 0.0),
            Point::new(x[1], 0.1),
            Point::new(x[0], x[2]),
            Point { x: 0.5, y: 0.5 },
            Point::new(-0.2, 1.0),
        ];
        let shapes: Vec<Box<dyn Shape>> =
            vec![Box::new(Polygon { pts: hull(pts.clone()) }), Box::new(Circle { c: pts[0], r: x[0] })];
        let total = shapes.iter().map(|s| s.area() * s.compactness()).sum::<f64>();
        let far = pts.iter().map(|p| p.norm()).fold(0.0, f64::max);
        total + far * Point::UP.y + segment_distance(Point::new(x[0], 3.0), pts[0], pts[1])
    }
} }
check!(shapes, at, [0.3, 1.7, 2.1]);

both! { integrators {
    pub trait System {
        const DIM: usize;
        fn rhs(&self, t: f64, y: &[f64], out: &mut [f64]);
        fn energy(&self, _y: &[f64]) -> Option<f64> {
            None
        }
    }
    pub trait Integrator {
        type State;
        fn init<S: System>(&self, s: &S) -> Self::State;
        fn step<S: System>(&self, s: &S, st: &mut Self::State, t: f64, h: f64, y: &mut [f64]);
    }
    pub struct Euler;
    pub struct Rk4;
    #[derive(Clone, Default)]
    pub struct Buffers {
        k: [Vec<f64>; 4],
        tmp: Vec<f64>,
    }
    impl Integrator for Euler {
        type State = Vec<f64>;
        fn init<S: System>(&self, _: &S) -> Vec<f64> {
            vec![0.0; S::DIM]
        }
        fn step<S: System>(&self, s: &S, st: &mut Vec<f64>, t: f64, h: f64, y: &mut [f64]) {
            s.rhs(t, y, st);
            for (y, d) in y.iter_mut().zip(st.iter()) {
                *y += h * *d;
            }
        }
    }
    impl Integrator for Rk4 {
        type State = Buffers;
        fn init<S: System>(&self, _: &S) -> Buffers {
            let v = vec![0.0; S::DIM];
            Buffers { k: [v.clone(), v.clone(), v.clone(), v.clone()], tmp: v }
        }
        fn step<S: System>(&self, s: &S, st: &mut Buffers, t: f64, h: f64, y: &mut [f64]) {
            let Buffers { k, tmp } = st;
            for (i, c) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
                for j in 0..y.len() {
                    tmp[j] = if i == 0 { y[j] } else { y[j] + c * h * k[i - 1][j] };
                }
                s.rhs(t + c * h, tmp, &mut k[i]);
            }
            for j in 0..y.len() {
                y[j] += h / 6.0 * (k[0][j] + 2.0 * (k[1][j] + k[2][j]) + k[3][j]);
            }
        }
    }
    struct Oscillator {
        omega: f64,
        zeta: f64,
    }
    impl System for Oscillator {
        const DIM: usize = 2;
        fn rhs(&self, _t: f64, y: &[f64], out: &mut [f64]) {
            out[0] = y[1];
            out[1] = -self.omega * self.omega * y[0] - 2.0 * self.zeta * self.omega * y[1];
        }
        fn energy(&self, y: &[f64]) -> Option<f64> {
            Some(0.5 * (y[1] * y[1] + self.omega.powi(2) * y[0] * y[0]))
        }
    }
    fn run<S: System, I: Integrator>(s: &S, i: &I, y0: &[f64], n: usize) -> (Vec<f64>, f64) {
        let mut y = y0.to_vec();
        let mut st = i.init(s);
        let h = 0.1;
        for k in 0..n {
            i.step(s, &mut st, k as f64 * h, h, &mut y);
        }
        let e = s.energy(&y).unwrap_or(0.0);
        (y, e)
    }
    pub fn at(x: &[f64]) -> f64 {
        let s = Oscillator { omega: x[1], zeta: 0.1 };
        let (y, e) = run(&s, &Rk4, &[x[0], 0.0], 5);
        let (z, _) = run(&s, &Euler, &[x[0], 1.0], 3);
        y[0] + e + z.iter().sum::<f64>()
    }
} }
check!(integrators, at, [0.4, 1.7]);

both! { kernels_and_closures {
    pub struct Newton<F, G>
    where
        F: Fn(f64) -> f64,
        G: Fn(f64) -> f64,
    {
        f: F,
        df: G,
        tol: f64,
    }
    impl<F: Fn(f64) -> f64, G: Fn(f64) -> f64> Newton<F, G> {
        pub fn new(f: F, df: G) -> Self {
            Newton { f, df, tol: 1e-10 }
        }
        pub fn solve(&self, x0: f64) -> Result<f64, (f64, u32)> {
            let mut x = x0;
            for i in 0..30 {
                let step = (self.f)(x) / (self.df)(x);
                x -= step;
                if step.abs() < self.tol {
                    return Ok(x);
                }
                if !x.is_finite() {
                    return Err((x, i));
                }
            }
            Err((x, 30))
        }
    }
    pub trait Kernel {
        fn k(&self, a: f64, b: f64) -> f64;
    }
    impl<F> Kernel for F
    where
        F: Fn(f64, f64) -> f64,
    {
        fn k(&self, a: f64, b: f64) -> f64 {
            self(a, b)
        }
    }
    pub struct Sum<A: Kernel, B: Kernel>(A, B);
    impl<A: Kernel, B: Kernel> Kernel for Sum<A, B> {
        fn k(&self, a: f64, b: f64) -> f64 {
            self.0.k(a, b) + self.1.k(a, b)
        }
    }
    struct Rbf {
        l: f64,
    }
    impl Kernel for Rbf {
        fn k(&self, a: f64, b: f64) -> f64 {
            (-(a - b).powi(2) / (2.0 * self.l * self.l)).exp()
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let c = x[1];
        let n = Newton::new(|t: f64| t * t - c, |t: f64| 2.0 * t);
        let k = Rbf { l: x[0] };
        n.solve(1.0).unwrap_or(0.0) + k.k(x[0], 1.0)
    }
} }
check!(kernels_and_closures, at, [0.4, 1.7]);

both! { bounds_without_fields {
    struct Root<F: Fn(f64) -> f64> {
        f: F,
        n: usize,
    }
    impl<F: Fn(f64) -> f64> Root<F> {
        fn new(f: F, n: usize) -> Self {
            Root { f, n }
        }
        fn at(&self, x: f64) -> f64 {
            (0..self.n).fold(x, |x, _| (self.f)(x))
        }
        fn half(&self) -> f64 {
            (self.f)(0.5)
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let k = x[1];
        let r = Root::new(|s| s * s - k, 3);
        r.at(x[0]) + r.half()
    }
} }
check!(bounds_without_fields, at, [0.4, 1.7]);
