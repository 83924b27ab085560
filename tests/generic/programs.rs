//! Programs with types of their own: operators, trees, iterators, states, const generics.

both! { operators {
    use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub};
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Vec2 {
        x: f64,
        y: f64,
    }
    impl Vec2 {
        const ZERO: Vec2 = Vec2 { x: 0.0, y: 0.0 };
        fn length(&self) -> f64 {
            (self.x * self.x + self.y * self.y).sqrt()
        }
    }
    impl Add for Vec2 {
        type Output = Vec2;
        fn add(self, o: Vec2) -> Vec2 {
            Vec2 { x: self.x + o.x, y: self.y + o.y }
        }
    }
    impl Sub for Vec2 {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self { x: self.x - o.x, y: self.y - o.y }
        }
    }
    impl Mul<f64> for Vec2 {
        type Output = Vec2;
        fn mul(self, k: f64) -> Vec2 {
            Vec2 { x: self.x * k, y: self.y * k }
        }
    }
    impl Neg for Vec2 {
        type Output = Vec2;
        fn neg(self) -> Vec2 {
            Vec2 { x: -self.x, y: -self.y }
        }
    }
    impl AddAssign for Vec2 {
        fn add_assign(&mut self, o: Vec2) {
            self.x += o.x;
            self.y += o.y;
        }
    }
    impl Index<usize> for Vec2 {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            match i {
                0 => &self.x,
                1 => &self.y,
                _ => panic!("no component {i}"),
            }
        }
    }
    impl IndexMut<usize> for Vec2 {
        fn index_mut(&mut self, i: usize) -> &mut f64 {
            if i == 0 { &mut self.x } else { &mut self.y }
        }
    }
    impl From<[f64; 2]> for Vec2 {
        fn from([x, y]: [f64; 2]) -> Self {
            Vec2 { x, y }
        }
    }
    impl std::iter::Sum for Vec2 {
        fn sum<I: Iterator<Item = Vec2>>(iter: I) -> Vec2 {
            iter.fold(Vec2::ZERO, |a, b| a + b)
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut p = Vec2::from([x[0], x[1]]);
        let v = Vec2 { x: 1.0, y: -0.5 };
        let half = 0.5;
        for k in 0..3 {
            p += v * half + Vec2 { y: k as f64 * 0.1, ..Vec2::ZERO };
            p[1] *= 0.9;
        }
        let all: Vec2 = [p, -v, Vec2::default()].iter().copied().sum();
        (all - Vec2::ZERO).length() + p[0]
    }
} }
check!(operators, at, [0.4, 1.2]);

both! { expression_tree {
    enum Node {
        Const(f64),
        Var(usize),
        Add(Box<Node>, Box<Node>),
        Mul(Box<Node>, Box<Node>),
        Call(fn(f64) -> f64, Box<Node>),
    }
    fn eval(n: &Node, vars: &[f64]) -> f64 {
        match n {
            Node::Const(c) => *c,
            Node::Var(i) => vars[*i],
            Node::Add(a, b) => eval(a, vars) + eval(b, vars),
            Node::Mul(a, b) => eval(a, vars) * eval(b, vars),
            Node::Call(f, a) => f(eval(a, vars)),
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let tree = Node::Add(
            Box::new(Node::Mul(Box::new(Node::Const(2.0)), Box::new(Node::Var(0)))),
            Box::new(Node::Call(f64::exp, Box::new(Node::Var(1)))),
        );
        eval(&tree, x)
    }
} }
check!(expression_tree, at, [0.4, -0.2]);

both! { iterators_of_ones_own {
    struct Powers {
        base: f64,
        now: f64,
    }
    impl Iterator for Powers {
        type Item = f64;
        fn next(&mut self) -> Option<f64> {
            let out = self.now;
            self.now *= self.base;
            if out.abs() > 1e6 { None } else { Some(out) }
        }
    }
    fn geometric(base: f64, start: f64) -> impl Iterator<Item = f64> {
        Powers { base, now: start }
    }
    fn grid(a: f64, b: f64, n: usize) -> impl Iterator<Item = f64> {
        (0..=n).map(move |i| a + (b - a) * i as f64 / n as f64)
    }
    pub fn at(x: &[f64]) -> f64 {
        let s: f64 = geometric(x[0], 1.0).take(6).sum();
        let g: f64 = grid(0.0, x[1], 4).map(|t| t.cos()).sum();
        let zipped: f64 = geometric(0.5, x[1]).zip(grid(1.0, 2.0, 3)).map(|(a, b)| a / b).sum();
        s + g + zipped
    }
} }
check!(iterators_of_ones_own, at, [1.3, 0.7]);

both! { const_generics {
    #[derive(Clone, Copy)]
    struct Matrix<const N: usize>([[f64; N]; N]);
    impl<const N: usize> Matrix<N> {
        fn identity() -> Self {
            let mut m = [[0.0; N]; N];
            for i in 0..N {
                m[i][i] = 1.0;
            }
            Matrix(m)
        }
        fn mul(&self, other: &Self) -> Self {
            let mut out = [[0.0; N]; N];
            for (i, row) in out.iter_mut().enumerate() {
                for (j, v) in row.iter_mut().enumerate() {
                    *v = (0..N).map(|k| self.0[i][k] * other.0[k][j]).sum();
                }
            }
            Matrix(out)
        }
        fn trace(&self) -> f64 {
            (0..N).map(|i| self.0[i][i]).sum()
        }
    }
    fn norm<const N: usize>(v: [f64; N]) -> f64 {
        v.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
    pub fn at(x: &[f64]) -> f64 {
        let m = Matrix([[x[0], 1.0], [-1.0, x[1]]]);
        let mut p = Matrix::<2>::identity();
        for _ in 0..3 {
            p = p.mul(&m);
        }
        p.trace() + norm([x[0], 2.0, x[1]]) + std::array::from_fn::<f64, 3, _>(|i| i as f64 * x[0]).iter().sum::<f64>()
    }
} }
check!(const_generics, at, [0.9, 1.4]);

both! { states {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Phase {
        Heating,
        Holding,
        Cooling,
    }
    struct Oven {
        temperature: f64,
        phase: Phase,
        elapsed: f64,
    }
    impl Default for Oven {
        fn default() -> Self {
            Oven { temperature: 20.0, phase: Phase::Heating, elapsed: 0.0 }
        }
    }
    impl Oven {
        fn advance(&mut self, power: f64, loss: f64, dt: f64) -> &mut Self {
            let flow = match self.phase {
                Phase::Heating => power,
                Phase::Holding if self.elapsed < 1.0 => power * 0.3,
                Phase::Holding => 0.0,
                Phase::Cooling => -0.1 * power,
            };
            self.temperature += dt * (flow - loss * (self.temperature - 20.0));
            self.elapsed += dt;
            self.phase = match (self.phase, self.temperature) {
                (Phase::Heating, t) if t > 60.0 => Phase::Holding,
                (Phase::Holding, _) if self.elapsed > 2.0 => Phase::Cooling,
                (phase, _) => phase,
            };
            self
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut oven = Oven::default();
        let mut peak = f64::MIN;
        for _ in 0..30 {
            peak = peak.max(oven.advance(x[0], x[1], 0.1).temperature);
        }
        peak + oven.temperature + if oven.phase == Phase::Cooling { 1.0 } else { 0.0 }
    }
} }
check!(states, at, [40.0, 0.3]);

both! { stacks_and_maps {
    use std::collections::BTreeMap;
    fn rpn(program: &str, x: &[f64]) -> f64 {
        let mut stack: Vec<f64> = Vec::new();
        for word in program.split_whitespace() {
            match word {
                "+" | "*" | "-" => {
                    let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
                    stack.push(match word {
                        "+" => a + b,
                        "*" => a * b,
                        _ => a - b,
                    });
                }
                "sin" => {
                    let top = stack.last_mut().unwrap();
                    *top = top.sin();
                }
                "x" => stack.push(x[0]),
                "y" => stack.push(x[1]),
                number => stack.push(number.len() as f64),
            }
        }
        stack.pop().unwrap_or(f64::NAN)
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut memo: BTreeMap<usize, f64> = BTreeMap::new();
        memo.insert(0, 1.0);
        memo.insert(1, x[0]);
        for k in 2..6 {
            let v = 0.5 * memo[&(k - 1)] + memo[&(k - 2)] * x[1];
            memo.insert(k, v);
        }
        *memo.entry(3).or_insert(0.0) += 1.5;
        let mut todo = vec![memo[&5]];
        let mut total = 0.0;
        while let Some(v) = todo.pop() {
            total += v;
            if v.abs() > 0.1 && todo.len() < 4 {
                todo.push(v / 3.0);
            }
        }
        total + memo.values().sum::<f64>() + rpn("x y * sin 111 x + -", x)
    }
} }
check!(stacks_and_maps, at, [0.8, 1.1]);

both! { swaps_and_shadows {
    fn ordered(a: f64, b: f64) -> (f64, f64) {
        let (mut a, mut b) = (a, b);
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        (a, b)
    }
    fn agm(a: f64, g: f64) -> f64 {
        let (mut a, mut g) = ordered(a, g);
        let result = loop {
            let next = 0.5 * (a + g);
            g = (a * g).sqrt();
            a = next;
            if (a - g).abs() <= 4.0 * f64::EPSILON * a {
                break a;
            }
        };
        result
    }
    pub fn at(x: &[f64]) -> f64 {
        let y = x[0] * 2.0;
        let y = y + 1.0;
        let y = { let t = y.ln(); t * t };
        let old = { let mut z = x[1]; std::mem::replace(&mut z, 0.0) };
        let angle = 30.0_f64.to_radians() + x[0].to_degrees() * 1e-2;
        let wrapped = (x[0] * 7.0).rem_euclid(2.0) + x[1].fract() + (-x[1]).trunc();
        let signs = x[1].signum() * x[0].copysign(-1.0) + x[0].mul_add(2.0, 1.0);
        agm(x[0], x[1]) + y + old + angle + wrapped + signs + f64::powi(x[0], 3) + f64::hypot(3.0, x[1])
    }
} }
check!(swaps_and_shadows, at, [0.7, 1.6]);

both! { shared_state {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    struct Meter {
        total: Cell<f64>,
        log: RefCell<Vec<f64>>,
    }
    impl Meter {
        fn add(&self, v: f64) {
            self.total.set(self.total.get() + v);
            self.log.borrow_mut().push(v);
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let meter = Rc::new(Meter { total: Cell::new(0.0), log: RefCell::new(vec![]) });
        let other = Rc::clone(&meter);
        x.iter().for_each(|v| meter.add(v * v));
        other.add(1.0);
        let log = meter.log.borrow();
        meter.total.get() + log.iter().fold(1.0, |a, v| a * (1.0 + v))
    }
} }
check!(shared_state, at, [0.5, -1.5]);

both! { slices {
    fn sum_recursive(x: &[f64]) -> f64 {
        match x {
            [] => 0.0,
            [a] => *a,
            [a, b] => a + b,
            [first, rest @ ..] => first + sum_recursive(rest),
        }
    }
    fn merge(a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            if a[i] <= b[j] {
                out.push(a[i]);
                i += 1;
            } else {
                out.push(b[j]);
                j += 1;
            }
        }
        out.extend_from_slice(&a[i..]);
        out.extend(b[j..].iter());
        out
    }
    pub fn at(x: &[f64]) -> f64 {
        let (left, right) = x.split_at(2);
        let merged = merge(left, right);
        let weights: Vec<f64> = (1..=merged.len()).rev().map(|k| 1.0 / k as f64).collect();
        let mut padded = vec![0.0; 3];
        padded[..2].copy_from_slice(&merged[..2]);
        padded.extend(weights.iter().map(|w| w * x[0]));
        let negative = x.iter().any(|v| *v < 0.0);
        let big = x.iter().position(|&v| v > 1.0).map(|i| x[i] * 2.0).unwrap_or(-1.0);
        if let [a, b, ..] = padded[..] {
            return a * b + sum_recursive(&padded) + big + if negative { 1.0 } else { 0.5 };
        }
        0.0
    }
} }
check!(slices, at, [0.5, 1.5, 0.25, 2.0]);

both! { where_clauses {
    trait Norm {
        fn norm(&self) -> f64;
    }
    impl Norm for f64x2 {
        fn norm(&self) -> f64 {
            self.0.hypot(self.1)
        }
    }
    #[allow(non_camel_case_types)]
    struct f64x2(f64, f64);
    fn longest<N>(all: &[N]) -> f64
    where
        N: Norm,
    {
        all.iter().map(|n| n.norm()).fold(f64::NEG_INFINITY, f64::max)
    }
    fn compose<A, B>(f: A, g: B) -> impl Fn(f64) -> f64
    where
        A: Fn(f64) -> f64,
        B: Fn(f64) -> f64,
    {
        move |x| g(f(x))
    }
    fn repeat(f: &dyn Fn(f64) -> f64, n: usize, x: f64) -> f64 {
        (0..n).fold(x, |v, _| f(v))
    }
    pub fn at(x: &[f64]) -> f64 {
        let h = compose(|t| t + 1.0, |t: f64| t.sqrt());
        longest(&[f64x2(x[0], 1.0), f64x2(3.0, x[1])]) + repeat(&h, 4, x[0]) + compose(f64::exp, h)(x[1])
    }
} }
check!(where_clauses, at, [0.9, -0.3]);
