//! Matrices of complex variables of a tape: `⟨a, b⟩ = Re(conj(a)·b)`, so cotangents go back by adjoints.

use nalgebra::{DMatrix, Matrix2, Scalar, matrix};
use num_complex::{Complex, Complex64};
use wengert::matrix::{Cholesky, Entry, det, inverse, ln_abs_det, matmul, solve};
use wengert::{ComplexVar, Dual, DualN, HyperDual, Tape, Var};

type Dense = DMatrix<Complex64>;

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

fn dense<const C: usize>(m: nalgebra::SMatrix<Complex64, 2, C>) -> Dense {
    DMatrix::from_iterator(2, C, m.iter().copied())
}

/// Complex variables of a tape in either layout.
trait Recorded: Entry<Base = f64, Re = Var<f64>, Primal = Complex64> + Scalar {}
impl<S: Entry<Base = f64, Re = Var<f64>, Primal = Complex64> + Scalar> Recorded for S {}

fn record<S: Recorded>(tape: &Tape<f64>, x: &Dense) -> DMatrix<S> {
    x.map(|x| S::of_parts(tape.variable(x.re), tape.variable(x.im)))
}

/// The cotangents of inputs where the results have the cotangents `w`.
fn pull<S: Recorded>(tape: &Tape<f64>, y: &DMatrix<S>, w: &Dense, inputs: [&DMatrix<S>; 2]) -> [Dense; 2] {
    let parts = |(y, w): (&S, &Complex64)| [(y.real_part(), w.re), (y.imaginary_part(), w.im)];
    let cotangents = tape.cotangents_of(&y.iter().zip(w).flat_map(parts).collect::<Vec<_>>());
    let of = |x: S| c(cotangents.of(x.real_part()), cotangents.of(x.imaginary_part()));
    inputs.map(|x| x.map(of))
}

/// The first block of a matrix.
fn corner(m: &Dense, like: &Dense) -> Dense {
    m.view((0, 0), like.shape()).into()
}

/// Two-row matrices, and blocks of them in a matrix beyond the size at which functions work entry by entry.
fn larger(m: &Dense, copies: usize) -> Dense {
    Dense::identity(copies, copies).kronecker(m)
}

/// `X̄ = Z̄Yᴴ`, `Ȳ = XᴴZ̄`.
fn products<S: Recorded>(copies: usize) {
    let x = dense(matrix![c(1.0, 1.0), c(2.0, 0.0); c(0.0, 0.0), c(0.0, 1.0)]);
    let y = dense(matrix![c(1.0, 0.0), c(0.0, 1.0); c(2.0, 0.0), c(1.0, -1.0)]);
    let w = dense(matrix![c(1.0, 0.0), c(0.0, 0.0); c(0.0, 1.0), c(2.0, 0.0)]);
    let want_x = dense(matrix![c(1.0, 0.0), c(2.0, 0.0); c(0.0, -1.0), c(2.0, 4.0)]);
    let want_y = dense(matrix![c(1.0, -1.0), c(0.0, 0.0); c(3.0, 0.0), c(0.0, -2.0)]);
    let tape = Tape::new();
    let (a, b) = (record::<S>(&tape, &larger(&x, copies)), record(&tape, &larger(&y, copies)));
    let z = matmul(&a, &b);
    assert_eq!(corner(&z.map(|z| z.primal_value()), &x), &x * &y);
    let [to_x, to_y] = pull(&tape, &z, &larger(&w, copies), [&a, &b]);
    assert_eq!((corner(&to_x, &x), corner(&to_y, &y)), (want_x, want_y));
}

/// `b̄ = X⁻ᴴx̄`, `X̄ = −b̄xᴴ`.
fn systems<S: Recorded>(copies: usize) {
    let a = dense(matrix![c(1.0, 1.0), c(2.0, 0.0); c(0.0, 0.0), c(0.0, 1.0)]);
    let b = dense(matrix![c(1.0, 0.0); c(0.0, 1.0)]);
    let w = dense(matrix![c(1.0, 0.0); c(2.0, -1.0)]);
    let want_a = dense(matrix![c(0.0, 0.5), c(-0.5, -0.5); c(0.5, 1.5), c(-2.0, -1.0)]);
    let want_b = dense(matrix![c(0.5, 0.5); c(2.0, 1.0)]);
    let tape = Tape::new();
    let (va, vb) = (record::<S>(&tape, &larger(&a, copies)), record(&tape, &larger(&b, copies)));
    let x = solve(&va, &vb).unwrap();
    let want_x = dense(matrix![c(-0.5, 0.5); c(1.0, 0.0)]);
    assert!((corner(&x.map(|x| x.primal_value()), &b) - want_x).norm() < 1e-15);
    let [to_a, to_b] = pull(&tape, &x, &larger(&w, copies), [&va, &vb]);
    assert!((corner(&to_a, &a) - want_a).norm() < 1e-14, "{to_a}");
    assert!((corner(&to_b, &b) - want_b).norm() < 1e-14, "{to_b}");
}

#[test]
fn cotangents_go_back_by_adjoints() {
    for copies in [1, 6] {
        products::<ComplexVar<f64>>(copies);
        products::<Complex<Var<f64>>>(copies);
        systems::<ComplexVar<f64>>(copies);
        systems::<Complex<Var<f64>>>(copies);
    }
}

/// A product of variables of a tape is one block, not one node for each product of entries.
#[test]
fn a_primitive_is_one_block_of_parts() {
    let tape = Tape::new();
    let a = record::<Complex<Var<f64>>>(&tape, &Dense::identity(16, 16));
    let before = tape.stats();
    let _ = matmul(&a, &a);
    let after = tape.stats();
    assert_eq!((after.blocks - before.blocks, after.nodes - before.nodes), (1, 2 * 16 * 16));
}

/// Some function of a hermitian positive matrix by several rules, in any entry.
fn composed<S: Entry<Base = f64>>(a: &DMatrix<S>, b: &DMatrix<S>) -> S::Re {
    let x = solve(a, b).unwrap();
    let y = matmul(&inverse(a).unwrap(), b);
    let h = matmul(&a.map(|a| a.conjugated()).transpose(), a);
    let mixed = S::sum_of_products(x.iter().zip(&y).map(|(&x, &y)| (x.conjugated(), y + x * x)));
    mixed.real_part() + det(a).imaginary_part() + ln_abs_det(a).unwrap() + Cholesky::new(&h).unwrap().ln_det()
}

fn wave(rows: usize, columns: usize, m: usize) -> Dense {
    let wave = |k: usize| ((k * k * m + 3 * k) % 32) as f64 / 16.0 - 1.0;
    let entry = |i, j| c(wave(7 * i + j), wave(5 * i + 3 * j + 1)) + c(f64::from(4 * u8::from(i == j)), 0.0);
    Dense::from_fn(rows, columns, entry)
}

/// `⟨x̄, ẋ⟩ = ẏ`, and the same for the second derivative, in all layouts that can be written.
#[test]
fn layouts_and_modes_agree() {
    for n in [3, 8] {
        let (a, b, da, db) = (wave(n, n, 7), wave(n, 2, 5), wave(n, n, 3), wave(n, 2, 11));
        let zip = |x: &Dense, dx: &Dense| x.zip_map(dx, Dual::new);
        let forward = composed(&zip(&a, &da), &zip(&b, &db));
        let parts =
            |x: Complex64, dx: Complex64| Complex::new(Dual::new(x.re, dx.re), Dual::new(x.im, dx.im));
        let apart = composed(&a.zip_map(&da, parts), &b.zip_map(&db, parts));
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * b.abs();
        assert!(
            close(apart.value(), forward.value()) && close(apart.tangent(), forward.tangent()),
            "{apart}"
        );
        let wide = |x: Complex64, dx: Complex64| {
            Complex::new(DualN::new(x.re, [dx.re, 0.0]), DualN::new(x.im, [dx.im, 0.0]))
        };
        let lanes = composed(&a.zip_map(&da, wide), &b.zip_map(&db, wide)).tangents();
        assert!(close(lanes[0], forward.tangent()) && lanes[1] == 0.0, "{lanes:?}");

        let tape = Tape::new();
        let (va, vb) = (record::<Complex<Var<f64>>>(&tape, &a), record(&tape, &b));
        let g = tape.cotangents(composed(&va, &vb));
        let along = |x: &DMatrix<Complex<Var<f64>>>, dx: &Dense| -> f64 {
            x.iter().zip(dx).map(|(x, dx)| g.of(x.re) * dx.re + g.of(x.im) * dx.im).sum()
        };
        let pulled = along(&va, &da) + along(&vb, &db);
        assert!((pulled - forward.tangent()).abs() < 1e-11 * forward.tangent().abs(), "{pulled} {forward}");

        let twice = |x: Complex64, dx: Complex64| {
            let part = |x, dx| HyperDual::new(x, dx, dx, 0.0);
            Complex::new(part(x.re, dx.re), part(x.im, dx.im))
        };
        let second = composed(&a.zip_map(&da, twice), &b.zip_map(&db, twice)).e12();
        let tape = Tape::<Dual<f64>>::new();
        let nested = |x: Complex64, dx: Complex64| {
            let part = |x, dx| tape.variable(Dual::new(x, dx));
            Complex::new(part(x.re, dx.re), part(x.im, dx.im))
        };
        let (va, vb) = (a.zip_map(&da, nested), b.zip_map(&db, nested));
        let g = tape.cotangents(composed(&va, &vb));
        let along = |x: &DMatrix<Complex<Var<Dual<f64>>>>, dx: &Dense| -> f64 {
            x.iter().zip(dx).map(|(x, dx)| g.of(x.re).tangent() * dx.re + g.of(x.im).tangent() * dx.im).sum()
        };
        let over_reverse = along(&va, &da) + along(&vb, &db);
        assert!((over_reverse - second).abs() < 1e-9 * second.abs(), "{over_reverse} {second}");
    }
}

/// Nested reverse mode and reverse mode under forward numbers have complex numbers too.
#[test]
fn every_nesting_has_complex_entries() {
    let a = Matrix2::new(c(2.0, 1.0), c(0.0, -1.0), c(0.5, 0.0), c(1.0, 1.0));
    let want = det(&a);
    let tape = Tape::new();
    let over = det(&a.map(|x| Complex::new(Dual::new(tape.variable(x.re), Var::constant(1.0)), x.im.into())));
    assert_eq!((over.re.value().value(), over.im.value().value()), (want.re, want.im));
    let outer = Tape::<f64>::new();
    let inner = Tape::new();
    let part = |x: f64| inner.variable(outer.variable(x));
    let twice = det(&a.map(|x| Complex::new(part(x.re), part(x.im))));
    assert_eq!((twice.re.value().value(), twice.im.value().value()), (want.re, want.im));
}
