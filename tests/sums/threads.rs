//! Results do not depend on the number of threads.

use nalgebra::DMatrix;
use wengert::sums::{InForms, LeastSquares, Sum, Terms};

use super::forms::long_models;
use super::terms::{Made, sums};

fn bits(made: &impl Terms, p: &[f64], threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let n = p.len();
    pool.install(|| {
        let mut all = Vec::new();
        let [mut g, mut hv] = [vec![0.0; n], vec![0.0; n]];
        let mut h = DMatrix::<f64>::zeros(n, n);
        let mut sum = Sum::new(made, n).unwrap();
        let mut squares = LeastSquares::new(made, n).unwrap();
        for _ in 0..2 {
            all.push(sum.value(p).unwrap());
            all.push(sum.gradient(p, &mut g).unwrap());
            all.extend(&g);
            all.push(sum.hvp(p, p, &mut g, &mut hv).unwrap());
            all.extend(&hv);
            all.push(sum.hessian(p, &mut g, &mut h).unwrap());
            all.extend(&h);
            all.push(squares.normal_equations(p, &mut g, &mut h).unwrap());
            all.extend(&h);
        }
        all.iter().map(|x: &f64| x.to_bits()).collect()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let long = [Made::new(&[5000, 1, 3000], 3, 4, 50, 1), Made::new(&[1; 3000], 2, 20, 50, 1)];
    let demand = |terms: &dyn Fn(usize) -> Vec<u64>| {
        let one = terms(1);
        for threads in [2, 5] {
            assert!(terms(threads) == one, "{threads} threads");
        }
    };
    for made in sums().iter().step_by(4).chain(&long) {
        demand(&|threads| bits(made, &made.point(), threads));
    }
    for model in long_models() {
        demand(&|threads| bits(&InForms(&model), &model.point(), threads));
    }
}
