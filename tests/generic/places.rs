//! Order of evaluation in `place += value`, where floats take the value first. Labelled blocks, `const` blocks, and
//! items in blocks.

both! { elimination {
    pub fn at(x: &[f64]) -> f64 {
        let mut a = vec![vec![4.0 + x[0], 1.0, 0.5], vec![1.0, 3.0, x[1]], vec![0.5, x[1], 5.0]];
        let mut b = vec![1.0, x[0] * x[1], 2.0];
        let n = b.len();
        for k in 0..n {
            for i in k + 1..n {
                let f = a[i][k] / a[k][k];
                for j in k..n {
                    a[i][j] -= f * a[k][j];
                }
                b[i] -= f * b[k];
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                b[i] -= a[i][j] * b[j];
            }
            b[i] /= a[i][i];
        }
        b.iter().enumerate().map(|(i, b)| b * (i + 1) as f64).sum()
    }
} }
check!(elimination, at, [1.3, 0.7]);

both! { value_first {
    struct Draws {
        state: u64,
    }
    impl Draws {
        fn next(&mut self) -> usize {
            self.state = self.state * 5 + 3;
            (self.state % 7) as usize
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut draws = Draws { state: 1 };
        let mut h = [0.0; 7];
        for _ in 0..9 {
            h[draws.next()] += draws.next() as f64 * x[0];
        }
        let mut i = 0;
        let mut w = vec![1.0, 2.0, 3.0, 4.0];
        w[i] += { i += 1; x[0] };
        w[i] -= if i > 0 { i += 2; x[1] } else { 0.0 };
        let mut s = 1.0;
        s += { s *= 3.0 * x[0]; s };
        s -= { s *= x[1]; s * 2.0 };
        w[0] + 3.0 * w[1] + 10.0 * w[2] + 100.0 * w[3] + s + h.iter().zip(1..).map(|(h, i)| h * i as f64).sum::<f64>()
    }
} }
check!(value_first, at, [1.3, 0.7]);

both! { blocks {
    const A: f64 = 0.75;
    #[derive(Clone, Copy)]
    struct V {
        x: f64,
        y: f64,
    }
    impl V {
        fn dot(self, other: V) -> f64 {
            self.x * other.x + self.y * other.y
        }
    }
    fn with_items(x: &[f64]) -> f64 {
        const ORIGIN: V = V { x: 0.25, y: -1.0 };
        static AXES: [V; 2] = [V { x: 1.0, y: 0.0 }, V { x: 0.0, y: 2.0 }];
        let p = V { x: x[0], y: x[1] };
        match x.len() {
            2 => p.dot(ORIGIN) + p.dot(AXES[1]),
            _ => 0.0,
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let k = 'found: {
            for v in x {
                if *v < 1.0 {
                    break 'found 3.0;
                }
            }
            2.0
        };
        let m = 'a: {
            if x[0] > 1.0 {
                break 'a x[0];
            }
            x[1] * 2.0
        };
        let third = const { 1.0 / 3.0 };
        k * x[0] + m * x[1] * third + x[0] * const { A * 0.25 } + with_items(x)
    }
} }
check!(blocks, at, [1.3, 0.7]);

both! { sorted {
    pub fn at(x: &[f64]) -> f64 {
        let mut v = x.to_vec();
        v.sort_by(|a, b| a.total_cmp(b));
        let m = v.iter().copied().max_by(f64::total_cmp).unwrap();
        let i = x.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i).unwrap();
        v[0] * v[1] + m * x[i]
    }
} }
check!(sorted, at, [1.3, 0.7]);

/// `total_cmp` agrees with std, also for zeros, infinities and NaN.
#[test]
fn the_total_order_is_that_of_std() {
    fn order<T: wengert::Scalar>(x: T, y: T) -> std::cmp::Ordering {
        T::total_cmp(&x, &y)
    }
    let all = [-f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1.5, f64::INFINITY, f64::NAN];
    for x in all {
        for y in all {
            assert_eq!(order(x, y), x.total_cmp(&y), "{x} {y}");
            let (of_x, of_y) = (wengert::Dual::new(x, 1.0), wengert::Dual::new(y, 2.0));
            assert_eq!(order(of_x, of_y), x.total_cmp(&y), "{x} {y}");
        }
    }
}

// The operator of a struct takes the place first, in plain code too.
both! { place_first {
    use std::ops::AddAssign;
    struct Load {
        x: f64,
    }
    impl AddAssign for Load {
        fn add_assign(&mut self, other: Load) {
            self.x += other.x;
        }
    }
    struct Counter {
        n: usize,
    }
    impl Counter {
        fn next(&mut self) -> usize {
            self.n += 1;
            self.n
        }
        fn load(&mut self, x: f64) -> Load {
            Load { x: x * self.next() as f64 }
        }
        fn weight(&mut self, x: f64) -> f64 {
            x * self.next() as f64
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut count = Counter { n: 0 };
        let mut loads = vec![Load { x: 0.0 }, Load { x: 1.0 }, Load { x: 2.0 }];
        loads[count.next()] += count.load(x[0]);
        let mut w = vec![0.0; 5];
        w[count.next()] += count.weight(x[1]);
        w[1] += w[4] * 2.0;
        loads[1].x + 10.0 * loads[2].x + w[4] + 100.0 * w[3] + w[1]
    }
} }
check!(place_first, at, [1.3, 0.7]);
