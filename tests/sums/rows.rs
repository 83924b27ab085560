//! Sums by the program of their term, against the same sums written out.

use wengert::programs::Traced;
use wengert::sums::rows::{LeastSquares, Sum, Table};
#[cfg(feature = "sparse")]
use wengert::sums::{Cauchy, Huber, Loss};
use wengert::{Real, Var, gradient, hessian, hvp, reduce};

fn numbers(n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|i| scale * (1.7 * i as f64 + 0.3 * (i as f64).sqrt()).sin()).collect()
}

#[track_caller]
fn close(name: &str, got: &[f64], wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len(), "{name}");
    let scale = wanted.iter().fold(f64::MIN_POSITIVE, |m, x| if x.is_finite() { m.max(x.abs()) } else { m });
    for (i, (a, b)) in got.iter().zip(wanted).enumerate() {
        let same = (a - b).abs() <= 1e-13 * scale || a == b || (a.is_nan() && b.is_nan());
        assert!(same, "{name}[{i}]: {a} for {b}");
    }
}

/// All derivatives of a sum of terms that read `places` of `n` parameters, against those of the sum written out.
fn check<const K: usize, F>(
    name: &str,
    n: usize,
    data: &[[f64; K]],
    reads: Option<&[Vec<usize>]>,
    f: &F,
    p: &[f64],
) where
    F: Term<K> + Sync,
{
    let read = |i: usize| reads.map_or_else(|| (0..n).collect(), |all| all[i].clone());
    let term = |p: &[Traced], d: &[Traced]| f.at(p, d);
    let mut sum = match reads {
        None => Sum::new(n, data, term),
        Some(_) => Sum::reading(n, data, read, term),
    }
    .unwrap();
    fn whole<T: Real<Base = f64>, const K: usize>(
        f: &impl Term<K>,
        data: &[[f64; K]],
        read: &impl Fn(usize) -> Vec<usize>,
        p: &[T],
    ) -> T {
        let of = |(i, d): (usize, &[f64; K])| {
            let p: Vec<T> = read(i).into_iter().map(|j| p[j]).collect();
            f.at(&p, &d.map(T::lit))
        };
        data.iter().enumerate().map(of).fold(T::lit(0.0), |s, x| s + x)
    }
    let v = numbers(n, 0.7);
    for p in [p.to_vec(), p.iter().map(|p| p * 0.9 + 0.01).collect()] {
        let value = whole(f, data, &read, &p[..]);
        close(name, &[sum.value(&p).unwrap()], &[value]);
        let [mut g, mut hv, mut h] = [vec![0.0; n], vec![0.0; n], vec![0.0; n * n]];
        close(name, &[sum.gradient(&p, &mut g).unwrap()], &[value]);
        let wanted = gradient(|p: &[Var<f64>]| whole(f, data, &read, p), &p[..]);
        close(name, &g, &wanted);
        g.fill(1.0);
        sum.hvp(&p, &v, &mut g, &mut hv).unwrap();
        close(name, &g, &wanted);
        close(name, &hv, &hvp(|p| whole(f, data, &read, p), &p[..], &v[..]));
        let full = hessian(|p| whole(f, data, &read, p), &p[..]);
        g.fill(1.0);
        sum.hessian(&p, &mut g, &mut h).unwrap();
        close(name, &g, &wanted);
        close(name, &h, full.as_slice());
        #[cfg(feature = "sparse")]
        {
            let (of_sparse, sparse) = sum.sparse_hessian(&p, &mut g).unwrap();
            close(name, &[of_sparse], &[value]);
            close(name, nalgebra::DMatrix::from(sparse).as_slice(), full.as_slice());
        }
    }
}

/// A term at every number.
trait Term<const K: usize> {
    fn at<T: Real<Base = f64>>(&self, p: &[T], d: &[T]) -> T;
}

macro_rules! term {
    ($name:ident, $width:literal, |$p:ident, $d:ident| $body:expr) => {
        struct $name;
        impl Term<$width> for $name {
            fn at<T: Real<Base = f64>>(&self, $p: &[T], $d: &[T]) -> T {
                $body
            }
        }
    };
}

term!(Logistic, 6, |w, d| {
    let t = reduce::dot(&d[..5], w);
    t.softplus() - t * d[5]
});
term!(Mixed, 3, |p, d| {
    let hoisted = (p[0] * p[1]).sin();
    let form = p[0] * d[0] + p[1] * d[1] + p[2] * (d[0] * d[1]) + p[3] * 2.0 - hoisted * d[2];
    (form * hoisted).exp() * p[2] + form * form * p[3] + hoisted * d[2].sin()
});
term!(Branches, 2, |p, d| {
    let model = if d[0] < T::lit(0.0) { p[0] * (p[1] * d[0]).exp() } else { (p[2] * d[0]).sin() + p[3] };
    let r = model - d[1];
    if r.abs() < T::lit(0.5) { r * r * 0.5 } else { r.abs() * 0.5 - 0.125 }
});
term!(Own, 1, |p, d| {
    let d1 = p[0] - p[1];
    d1 * d1 * p[0] * d[0] + p[1].sin()
});
term!(Grouped, 2, |p, d| {
    let turned = (p[0].sin() * p[2] + p[0].cos() * p[3], p[1].exp());
    (turned.0 * turned.1 - d[0]).square() + (p[2] * p[3] * d[1]).tanh()
});
term!(NoParameters, 1, |p, d| {
    let _ = p;
    d[0] * d[0]
});

#[test]
fn all_derivatives_are_those_of_the_written_sum() {
    for count in [0, 1, 2, 15, 16, 17, 40, 1500] {
        let data = numbers(6 * count, 1.3);
        check("logistic", 5, data.as_chunks().0, None, &Logistic, &numbers(5, 0.4));
        check("mixed", 4, &data.as_chunks().0[..count], None, &Mixed, &numbers(4, 0.5));
        check("branches", 4, &data.as_chunks().0[..count], None, &Branches, &numbers(4, 0.6));
        check("no parameters", 3, &data.as_chunks().0[..count], None, &NoParameters, &numbers(3, 0.6));
        let n = 7;
        let reads: Vec<Vec<usize>> = (0..count).map(|i| vec![(i * i) % n, (3 * i + 1) % n]).collect();
        check("own", n, &data.as_chunks().0[..count], Some(&reads), &Own, &numbers(n, 0.5));
        let groups: Vec<Vec<usize>> =
            (0..count).map(|i| vec![(i * 7) % 2, 2 + (i * 7) % 2, 4 + i % 3, 4 + (i * i) % 5]).collect();
        check("groups", 9, &data.as_chunks().0[..count], Some(&groups), &Grouped, &numbers(9, 0.5));
    }
}

/// A layer of a network: more numbers than second derivatives are formed of at once.
#[test]
fn wide_terms_have_their_hessians_by_columns() {
    term!(Layer, 3, |p, d| {
        let unit = |k: usize| (p[k] * d[0] + p[24 + k] * d[1] + p[48 + k]).tanh();
        (0..24).map(|k| unit(k) * p[(k * 5) % 72]).sum::<T>().square() * d[2]
    });
    let data = numbers(60, 1.0);
    check("layer", 72, data.as_chunks().0, None, &Layer, &numbers(72, 0.3));
    let reads: Vec<Vec<usize>> = (0..20)
        .map(|i| (0..72).map(|k| if k < 40 { k } else { 40 + (k * (i + 1)) % 45 }).collect())
        .collect();
    check("layer of own", 85, data.as_chunks().0, Some(&reads), &Layer, &numbers(85, 0.3));
}

#[cfg(feature = "sparse")]
fn decay<T: Real<Base = f64>>(p: &[T], d: &[T]) -> [T; 2] {
    let e = (-p[1] * d[0]).exp();
    [p[0] * e - d[1], (p[0] - p[2]) * d[0] * 0.3 + e]
}

#[test]
#[cfg(feature = "sparse")]
fn residuals_rows_and_normal_equations() {
    use nalgebra::{DMatrix, DVector};
    let data: Vec<[f64; 2]> = numbers(90, 1.1).as_chunks().0.to_vec();
    let n = 8;
    let all: Vec<Vec<usize>> = (0..45).map(|_| vec![0, 1, 2]).collect();
    let spread: Vec<Vec<usize>> = (0..45).map(|i| vec![i % 2, 2 + (i * i) % 3, 5 + i % 3]).collect();
    let repeated: Vec<Vec<usize>> = (0..45).map(|i| vec![i % 2, 2 + i % 2, 2 + (i * i) % 3]).collect();
    fn against(
        n: usize,
        data: &[[f64; 2]],
        reads: &[Vec<usize>],
        loss: impl Loss + Clone,
        with: impl Fn(LeastSquares<'static>) -> LeastSquares<'static>,
    ) {
        let p: Vec<f64> = numbers(n, 0.8);
        let places = |i: usize| reads[i].clone();
        let mut squares =
            with(LeastSquares::reading(n, data, places, |p: &[Traced], d: &[Traced]| decay(p, d)).unwrap());
        let residuals = |p: &[Var<f64>]| -> Vec<Var<f64>> {
            let of = |(i, d): (usize, &[f64; 2])| {
                let p: Vec<_> = reads[i].iter().map(|&j| p[j]).collect();
                decay(&p, &d.map(Var::constant))
            };
            data.iter().enumerate().flat_map(of).collect()
        };
        let value = |p: &[Var<f64>]| -> Var<f64> {
            let all = residuals(p);
            all.chunks(2).map(|r| loss.rho(r[0] * r[0] + r[1] * r[1]) * 0.5).sum()
        };
        let g = gradient(value, &p[..]);
        let mut got = vec![0.0; n];
        squares.gradient(&p, &mut got).unwrap();
        close("gradient", &got, &g);
        let (mut a, mut b) = (DMatrix::<f64>::zeros(n, n), DVector::zeros(n));
        let v = squares.normal_equations(&p, b.as_mut_slice(), &mut a).unwrap();
        close("gradient by rows", b.as_slice(), &g);
        close("value", &[v], &[squares.value(&p).unwrap()]);
        let (r, j) = squares.jacobian(&p).unwrap();
        let (r, j) = (DVector::from_column_slice(r), DMatrix::from(j));
        close("Jᵀr", (j.transpose() * &r).as_slice(), &g);
        close("JᵀJ", (j.transpose() * &j).as_slice(), a.as_slice());
        let (_, sparse) = squares.sparse_normal_equations(&p, b.as_mut_slice()).unwrap();
        close("sparse JᵀJ", DMatrix::from(sparse).as_slice(), a.as_slice());
    }
    for reads in [&all, &spread, &repeated] {
        against(n, &data, reads, wengert::sums::Squared, |s| s);
        against(n, &data, reads, Huber(0.5), |s| s.with_loss(Huber(0.5)));
        against(n, &data, reads, Cauchy(0.7), |s| s.with_loss(Cauchy(0.7)));
    }
    // Rows in the table's order, plain.
    let p = numbers(n, 0.8);
    let mut squares =
        LeastSquares::reading(n, &data, |i| spread[i].clone(), |p: &[Traced], d: &[Traced]| decay(p, d))
            .unwrap();
    let (r, j) = squares.jacobian(&p).unwrap();
    for (i, d) in data.iter().enumerate() {
        let of: Vec<f64> = spread[i].iter().map(|&j| p[j]).collect();
        close("residuals", &r[2 * i..2 * i + 2], &decay(&of, d));
        let row = wengert::jacobian(
            |q: &[_]| decay(q, &d.map(wengert::DualN::<f64, 8>::constant)).to_vec(),
            &of[..],
        );
        for (k, &column) in spread[i].iter().enumerate() {
            assert!((DMatrix::from(j)[(2 * i, column)] - row[(0, k)]).abs() < 1e-14);
        }
    }
}

#[test]
fn rows_of_many_branches_are_traced_each_time() {
    // Each row leaves its value: a branch of its own.
    let data: Vec<[f64; 1]> = numbers(300, 2.0).as_chunks().0.to_vec();
    fn term<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        let x = p[0] * d[0];
        let table = (x.primal() * 100.0).floor();
        x * table + x * x * p[1]
    }
    let mut sum = Sum::new(2, &data, |p: &[Traced], d: &[Traced]| term(p, d)).unwrap();
    for p in [[1.0, 2.0], [1.5, 0.5], [1.0, 2.0]] {
        let mut g = [0.0; 2];
        sum.gradient(&p, &mut g).unwrap();
        let whole = |p: &[Var<f64>]| data.iter().map(|d| term(p, &d.map(Var::constant))).sum::<Var<f64>>();
        close("traced", &g, &gradient(whole, &p[..]));
        assert!(sum.report().parts[0].traced > 0, "{}", sum.report());
    }
    let loops = |p: &[Traced], d: &[Traced]| (0..p[0].primal() as usize).fold(d[0], |x, _| x * p[1]);
    let mut sum = Sum::new(2, &data, loops).unwrap();
    for k in 0..200 {
        let mut g = [0.0; 2];
        sum.gradient(&[k as f64, 0.9], &mut g).unwrap();
    }
    assert_eq!(sum.report().parts[0].traced, 0);
}

#[test]
fn singular_rows_follow_the_conventions() {
    let data = [[1.0], [0.0], [4.0]];
    let mut sum = Sum::new(2, &data, |p, d| (p[0] * d[0]).sqrt() * p[1]).unwrap();
    let mut g = [0.0; 2];
    assert_eq!(sum.gradient(&[1.0, 2.0], &mut g).unwrap(), 6.0);
    assert_eq!(g, [3.0, 3.0]);
    // A residual of zero with an infinite slope.
    let mut squares = LeastSquares::new(1, &[[1.0]], |p, d| (p[0] - d[0]).sqrt()).unwrap();
    let (mut a, mut b) = ([0.0], [0.0]);
    squares.gradient(&[1.0], &mut a).unwrap();
    let mut matrix = [0.0];
    squares.normal_equations(&[1.0], &mut b, &mut matrix[..]).unwrap();
    assert_eq!((a, b), ([0.0], [0.0]));
    assert_eq!(matrix, [f64::INFINITY]);
}

#[test]
fn faults_have_names() {
    let data = [[1.0, 2.0], [3.0, 4.0]];
    let text = |e: wengert::AdError| e.to_string();
    let f = |p: &[Traced], d: &[Traced]| p[0] * d[0];
    assert!(text(Sum::reading(2, &data, |i| [i + 1], f).unwrap_err()).contains("3"));
    assert!(text(Sum::reading(2, &data, |i| vec![0; i + 1], f).unwrap_err()).contains("parameters of a row"));
    let mut sum = Sum::new(1, &data, f).unwrap();
    let mut g = [7.0; 2];
    assert!(sum.gradient(&[1.0], &mut g[..]).is_err() && g == [7.0; 2]);
    assert!(sum.value(&[1.0, 2.0]).is_err());
    assert!(Table::new(&[1.0, 2.0, 3.0][..], 2).is_err());
}

#[test]
fn bits_do_not_depend_on_former_points() {
    let data: Vec<[f64; 2]> = numbers(6000, 1.3).as_chunks().0.to_vec();
    let new = || Sum::new(4, &data, |p: &[Traced], d: &[Traced]| Branches.at(p, d)).unwrap();
    let at = |sum: &mut Sum<'_>, scale: f64| {
        let mut g = [0.0; 4];
        let value = sum.gradient(&numbers(4, scale), &mut g).unwrap();
        (value.to_bits(), g.map(f64::to_bits))
    };
    let mut used = new();
    for scale in [0.3, 0.9, 0.31, 2.0, 0.3, 0.9] {
        assert_eq!(at(&mut used, scale), at(&mut new(), scale), "{scale}");
    }
    assert!(used.report().parts[0].branches >= 4, "{}", used.report());
}
