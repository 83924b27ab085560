//! The collection of Moré, Garbow and Hillstrom (1981), as plain code.

const BARD: [f64; 15] =
    [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39];
const MEYER: [f64; 16] = [
    34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0, 6005.0, 5147.0,
    4427.0, 3820.0, 3307.0, 2872.0,
];
/// Pairs `u`, `y`.
const KOWALIK: [(f64, f64); 11] = [
    (4.0, 0.1957),
    (2.0, 0.1947),
    (1.0, 0.1735),
    (0.5, 0.16),
    (0.25, 0.0844),
    (0.167, 0.0627),
    (0.125, 0.0456),
    (0.1, 0.0342),
    (0.0833, 0.0323),
    (0.0714, 0.0235),
    (0.0625, 0.0246),
];

#[wengert::generic]
mod plain {
    use super::{BARD, KOWALIK, MEYER};

    /// The residuals of a problem.
    pub fn residuals(number: u64, x: &[f64]) -> Vec<f64> {
        let n = x.len();
        match number {
            1 | 21 => x.chunks(2).flat_map(|x| [10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]]).collect(),
            4 => vec![x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2.0],
            5 => vec![
                1.5 - x[0] * (1.0 - x[1]),
                2.25 - x[0] * (1.0 - x[1].powi(2)),
                2.625 - x[0] * (1.0 - x[1].powi(3)),
            ],
            6 => (1..=10)
                .map(|i| {
                    #[data]
                    let i = i as f64;
                    2.0 + 2.0 * i - ((i * x[0]).exp() + (i * x[1]).exp())
                })
                .collect(),
            8 => (1..=15)
                .map(|i| {
                    #[data]
                    let (u, v) = (i as f64, (16 - i) as f64);
                    BARD[i - 1] - (x[0] + u / (v * x[1] + u.min(v) * x[2]))
                })
                .collect(),
            10 => {
                (1..=16).map(|i| x[0] * (x[1] / ((45 + 5 * i) as f64 + x[2])).exp() - MEYER[i - 1]).collect()
            }
            12 => (1..=10)
                .map(|i| {
                    #[data]
                    let t = 0.1 * i as f64;
                    (-t * x[0]).exp() - (-t * x[1]).exp() - x[2] * ((-t).exp() - (-10.0 * t).exp())
                })
                .collect(),
            14 => vec![
                10.0 * (x[1] - x[0] * x[0]),
                1.0 - x[0],
                90f64.sqrt() * (x[3] - x[2] * x[2]),
                1.0 - x[2],
                10f64.sqrt() * (x[1] + x[3] - 2.0),
                (x[1] - x[3]) / 10f64.sqrt(),
            ],
            15 => KOWALIK
                .iter()
                .map(|&(u, y)| y - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3]))
                .collect(),
            16 => (1..=20)
                .map(|i| {
                    #[data]
                    let t = i as f64 / 5.0;
                    (x[0] + t * x[1] - t.exp()).powi(2) + (x[2] + x[3] * t.sin() - t.cos()).powi(2)
                })
                .collect(),
            18 => (1..=13)
                .map(|i| {
                    #[data]
                    let t = 0.1 * i as f64;
                    #[data]
                    let y = (-t).exp() - 5.0 * (-10.0 * t).exp() + 3.0 * (-4.0 * t).exp();
                    x[2] * (-t * x[0]).exp() - x[3] * (-t * x[1]).exp() + x[5] * (-t * x[4]).exp() - y
                })
                .collect(),
            22 => x
                .chunks(4)
                .flat_map(|x| {
                    [
                        x[0] + 10.0 * x[1],
                        5f64.sqrt() * (x[2] - x[3]),
                        (x[1] - 2.0 * x[2]).powi(2),
                        10f64.sqrt() * (x[0] - x[3]).powi(2),
                    ]
                })
                .collect(),
            23 => {
                let mut r: Vec<f64> = x.iter().map(|x| 1e-5f64.sqrt() * (x - 1.0)).collect();
                r.push(x.iter().map(|x| x * x).sum::<f64>() - 0.25);
                r
            }
            25 => {
                let mut r: Vec<f64> = x.iter().map(|x| x - 1.0).collect();
                let s: f64 = r.iter().enumerate().map(|(j, r)| (j + 1) as f64 * r).sum();
                r.push(s);
                r.push(s * s);
                r
            }
            26 => {
                let cosines: f64 = x.iter().map(|x| x.cos()).sum();
                let residual =
                    |(i, x): (usize, &f64)| n as f64 - cosines + (i + 1) as f64 * (1.0 - x.cos()) - x.sin();
                x.iter().enumerate().map(residual).collect()
            }
            28 => (0..n)
                .map(|i| {
                    #[data]
                    let h = 1.0 / (n + 1) as f64;
                    #[data]
                    let t = (i + 1) as f64 * h;
                    let left = if i > 0 { x[i - 1] } else { 0.0 };
                    let right = if i + 1 < n { x[i + 1] } else { 0.0 };
                    2.0 * x[i] - left - right + h * h / 2.0 * (x[i] + t + 1.0).powi(3)
                })
                .collect(),
            30 => (0..n)
                .map(|i| {
                    let left = if i > 0 { x[i - 1] } else { 0.0 };
                    let right = if i + 1 < n { x[i + 1] } else { 0.0 };
                    (3.0 - 2.0 * x[i]) * x[i] - left - 2.0 * right + 1.0
                })
                .collect(),
            32 => {
                let mean = 2.0 / 10.0 * x.iter().sum::<f64>();
                (0..10).map(|i| if i < n { x[i] - mean - 1.0 } else { -mean - 1.0 }).collect()
            }
            33 => {
                let s: f64 = x.iter().enumerate().map(|(j, x)| (j + 1) as f64 * x).sum();
                (1..=10).map(|i| i as f64 * s - 1.0).collect()
            }
            _ => panic!("problem {number} is not among those here"),
        }
    }

    /// Their sum of squares, without ½.
    pub fn objective(number: u64, x: &[f64]) -> f64 {
        residuals(number, x).iter().map(|r| r * r).sum()
    }
}
pub use plain::objective;
#[allow(unused_imports)] // the solvers' tests minimise them
pub use plain::residuals;
