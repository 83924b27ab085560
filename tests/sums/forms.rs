//! Terms of linear forms, against the products of matrices that they stand for.

use nalgebra::{DMatrix, DVector};
use wengert::sums::{Huber, InForms, LeastSquares, LinearForms, Row, Sum, Terms};
use wengert::{Real, gradient, reduce};

use super::{close, message};

/// Functions of linear forms, with derivatives in closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Logistic,
    Poisson,
    /// Minus the logarithm of a normal density, of its mean and the logarithm of its deviation.
    Normal,
    Multinomial,
    /// Two residuals of two forms.
    Residuals,
    /// `√|z|` by a branch: lanes differ, and the slope at 0 is infinite.
    Root,
}

/// How the rows of a form are stored.
#[derive(Clone, Copy, Debug)]
pub enum Kept {
    Dense,
    Sparse,
}

/// How rows are kept, the first parameter, and for each term columns and weights.
type Form = (Kept, usize, Vec<(Vec<usize>, Vec<f64>)>);

pub struct Model {
    kind: Kind,
    pub parameters: usize,
    forms: Vec<Form>,
    labels: Vec<f64>,
}

const COLUMNS: usize = 5;

impl Model {
    /// Forms of five parameters each, which begin so far from each other.
    pub fn new(kind: Kind, terms: usize, step: usize, kept: &[Kept]) -> Self {
        let mut random = fastrand::Rng::with_seed(terms as u64 + 7 * step as u64);
        let mut uniform = || 2.0 * random.f64() - 1.0;
        let count = match kind {
            Kind::Logistic | Kind::Poisson | Kind::Root => 1,
            Kind::Normal | Kind::Residuals => 2,
            Kind::Multinomial => 3,
        };
        let mut row = |kept: Kept, term: usize| {
            // Sparse rows of several lengths, in no order, with a column twice.
            let columns: Vec<usize> = match kept {
                Kept::Dense => (0..COLUMNS).collect(),
                Kept::Sparse => [3, 1, 4, 3][..term % 5 % 4 + term % 2].to_vec(),
            };
            let weights = columns.iter().map(|_| uniform()).collect();
            (columns, weights)
        };
        let form = |k: usize| {
            let kept = kept[k % kept.len()];
            (kept, 1 + step * k, (0..terms).map(|term| row(kept, term)).collect())
        };
        let forms = (0..count).map(form).collect();
        let labels = (0..terms).map(|i| (i % 3) as f64).collect();
        Model { kind, parameters: 2 + COLUMNS + step * count, forms, labels }
    }
    pub fn point(&self) -> Vec<f64> {
        (0..self.parameters).map(|i| (1.3 * i as f64).sin()).collect()
    }
    /// `Aᵢ`.
    fn matrix(&self, term: usize) -> DMatrix<f64> {
        let mut a = DMatrix::zeros(self.forms.len(), self.parameters);
        for (k, (_, first, rows)) in self.forms.iter().enumerate() {
            rows[term].0.iter().zip(&rows[term].1).for_each(|(&c, w)| a[(k, first + c)] += w);
        }
        a
    }
    /// The results by the forms, and the second derivative of their sum.
    fn derivatives(&self, z: &[f64], y: f64) -> (DMatrix<f64>, DMatrix<f64>) {
        let n = z.len();
        let (j, h) = match self.kind {
            Kind::Logistic => {
                let s = 1.0 / (1.0 + (-z[0]).exp());
                (vec![s - y], vec![s * (1.0 - s)])
            }
            Kind::Poisson => (vec![z[0].exp() - y], vec![z[0].exp()]),
            Kind::Normal => {
                let (d, e) = (y - z[0], (-2.0 * z[1]).exp());
                (vec![-d * e, 1.0 - d * d * e], vec![e, 2.0 * d * e, 2.0 * d * e, 2.0 * d * d * e])
            }
            Kind::Multinomial => {
                let sum: f64 = z.iter().map(|z| z.exp()).sum();
                let p: Vec<f64> = z.iter().map(|z| z.exp() / sum).collect();
                let slope = |k: usize| p[k] - f64::from(u8::from(k as f64 == y));
                let bend = |i: usize| {
                    if i % n == i / n { p[i / n] - p[i / n].powi(2) } else { -p[i % n] * p[i / n] }
                };
                ((0..n).map(slope).collect(), (0..n * n).map(bend).collect())
            }
            Kind::Residuals => {
                let (d, e) = (y - z[0], (-z[1]).exp());
                (vec![-e, -d * e, 0.0, z[1].cos()], vec![0.0, e, e, d * e - z[1].sin()])
            }
            Kind::Root => unreachable!("not smooth"),
        };
        (DMatrix::from_row_slice(j.len() / n, n, &j), DMatrix::from_row_slice(n, n, &h))
    }
    /// Each term as it would be written by hand.
    fn written<T: Real<Base = f64>>(&self, p: &[T], term: usize) -> Vec<T> {
        let form = |(_, first, rows): &Form| {
            let (columns, weights) = &rows[term];
            let x: Vec<T> = columns.iter().map(|c| p[first + c]).collect();
            reduce::linear_combination(weights, &x)
        };
        let z: Vec<T> = self.forms.iter().map(form).collect();
        let mut out = vec![T::lit(f64::NAN); self.results()];
        self.term(&z, &[T::lit(self.labels[term])], &mut out);
        out
    }
    pub fn whole<T: Real<Base = f64>>(&self, p: &[T]) -> T {
        (0..self.labels.len()).map(|i| self.written(p, i).into_iter().sum::<T>()).sum()
    }
}

impl LinearForms for Model {
    fn count(&self) -> usize {
        self.labels.len()
    }
    fn forms(&self) -> usize {
        self.forms.len()
    }
    fn results(&self) -> usize {
        1 + usize::from(self.kind == Kind::Residuals)
    }
    fn places(&self, form: usize) -> std::ops::Range<usize> {
        let first = self.forms[form].1;
        first..first + COLUMNS
    }
    fn row(&self, term: usize, form: usize) -> Row<'_> {
        let (kept, _, rows) = &self.forms[form];
        match kept {
            Kept::Dense => Row::Dense(&rows[term].1),
            Kept::Sparse => Row::Sparse(&rows[term].0, &rows[term].1),
        }
    }
    fn data(&self, term: usize, out: &mut Vec<f64>) {
        out.push(self.labels[term]);
    }
    fn term<T: Real<Base = f64>>(&self, z: &[T], d: &[T], out: &mut [T]) {
        let y = d[0];
        match self.kind {
            Kind::Logistic => out[0] = z[0].softplus() - z[0] * y,
            Kind::Poisson => out[0] = z[0].exp() - z[0] * y,
            Kind::Normal => out[0] = z[1] + ((y - z[0]) * (-z[1]).exp()).square() * 0.5,
            Kind::Multinomial => {
                let zero = T::lit(0.0);
                let own = (0..3).map(|k| if y == k as f64 { z[k] } else { zero }).sum::<T>();
                out[0] = reduce::logsumexp(z) - own;
            }
            Kind::Residuals => {
                out[0] = (y - z[0]) * (-z[1]).exp();
                out[1] = z[1].sin();
            }
            Kind::Root => out[0] = if z[0] < 0.0 { (-z[0]).sqrt() } else { z[0].sqrt() },
        }
    }
}

/// The same terms without their forms.
struct Hidden<'a, F>(&'a F);

impl<F: Terms> Terms for Hidden<'_, F> {
    fn count(&self, group: usize) -> usize {
        self.0.count(group)
    }
    fn results(&self, group: usize, term: usize) -> usize {
        self.0.results(group, term)
    }
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        self.0.shared_inputs(group, out);
    }
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        self.0.inputs(group, term, out);
    }
    fn group<T: Real<Base = f64>>(&self, group: usize, p: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        self.0.group(group, p)
    }
}

/// Models with dense, sparse and both kinds of rows, apart and with parameters of several forms.
pub fn models() -> Vec<Model> {
    use Kept::{Dense, Sparse};
    let kinds = [Kind::Logistic, Kind::Poisson, Kind::Normal, Kind::Multinomial, Kind::Residuals];
    let mut all = Vec::new();
    for kind in kinds {
        for kept in [&[Dense][..], &[Sparse], &[Dense, Sparse], &[Sparse, Dense]] {
            all.extend([(1, 5), (7, 2), (40, 0), (290, 6)].map(|(n, step)| Model::new(kind, n, step, kept)));
        }
    }
    all
}

/// Some that are cut in pieces, of each kind of rows.
pub fn long_models() -> impl Iterator<Item = Model> {
    models().into_iter().filter(|model| model.count() > 256).step_by(5)
}

#[test]
fn derivatives_are_products_with_the_rows() {
    for model in models() {
        let (n, p) = (model.parameters, DVector::from_vec(model.point()));
        let v = DVector::from_fn(n, |i, _| (i as f64).cos());
        let [mut gradient, mut g, mut product] = [(); 3].map(|()| DVector::zeros(n));
        let [mut hessian, mut normal] = [(); 2].map(|()| DMatrix::<f64>::zeros(n, n));
        let (mut jacobian, mut residuals) = (Vec::new(), Vec::new());
        for i in 0..model.count() {
            let a = model.matrix(i);
            let (j, h) = model.derivatives((&a * &p).as_slice(), model.labels[i]);
            let r = DVector::from_vec(model.written(p.as_slice(), i));
            let rows = &j * &a;
            gradient += rows.tr_mul(&DVector::from_element(r.len(), 1.0));
            g += rows.tr_mul(&r);
            hessian += a.tr_mul(&(h * &a));
            normal += rows.tr_mul(&rows);
            jacobian.extend(rows.row_iter().map(|row| row.into_owned()));
            residuals.extend(r.iter().copied());
        }
        let terms = InForms(&model);
        let mut sum = Sum::new(&terms, n).unwrap();
        let [mut got, mut got_v] = [(); 2].map(|()| vec![f64::NAN; n]);
        let mut matrix = DMatrix::from_element(n, n, f64::NAN);
        let value = sum.gradient(p.as_slice(), &mut got).unwrap();
        assert_eq!(value.to_bits(), model.whole(p.as_slice()).to_bits());
        assert_eq!(value.to_bits(), sum.value(p.as_slice()).unwrap().to_bits());
        close(&got, gradient.as_slice());
        assert_eq!(sum.hvp(p.as_slice(), v.as_slice(), &mut got, &mut got_v).unwrap(), value);
        product.gemv(1.0, &hessian, &v, 0.0);
        close(&got_v, product.as_slice());
        assert_eq!(sum.hessian(p.as_slice(), &mut got, &mut matrix).unwrap(), value);
        close(&got, gradient.as_slice());
        close(matrix.as_slice(), hessian.as_slice());

        let mut squares = LeastSquares::new(&terms, n).unwrap();
        squares.gradient(p.as_slice(), &mut got).unwrap();
        close(&got, g.as_slice());
        got.fill(f64::NAN);
        let half = squares.normal_equations(p.as_slice(), &mut got, &mut matrix).unwrap();
        assert!((2.0 * half - residuals.iter().map(|r| r * r).sum::<f64>()).abs() <= 1e-12 * half);
        close(&got, g.as_slice());
        close(matrix.as_slice(), normal.as_slice());
        #[cfg(feature = "sparse")]
        for _ in 0..2 {
            assert_eq!(sum.sparse_hessian(p.as_slice(), &mut got).unwrap().0, value);
            close(
                DMatrix::from(sum.sparse_hessian(p.as_slice(), &mut got).unwrap().1).as_slice(),
                hessian.as_slice(),
            );
            let (r, j) = squares.jacobian(p.as_slice()).unwrap();
            assert_eq!(r, residuals);
            close(DMatrix::from(j).as_slice(), DMatrix::from_rows(&jacobian).as_slice());
            let sparse = squares.sparse_normal_equations(p.as_slice(), &mut got).unwrap().1;
            close(DMatrix::from(sparse).as_slice(), normal.as_slice());
        }
    }
}

#[test]
fn robust_losses_are_those_of_the_terms() {
    for model in models() {
        let (n, p, terms) = (model.parameters, model.point(), InForms(&model));
        let hidden = Hidden(&terms);
        let [mut a, mut b] = [(); 2].map(|()| (vec![0.0; n], DMatrix::<f64>::zeros(n, n)));
        let mut squares = LeastSquares::new(&terms, n).unwrap().with_loss(Huber(0.7));
        let mut plain = LeastSquares::new(&hidden, n).unwrap().with_loss(Huber(0.7));
        let value = squares.normal_equations(&p, &mut a.0, &mut a.1).unwrap();
        assert_eq!(value, plain.normal_equations(&p, &mut b.0, &mut b.1).unwrap());
        close(&a.0, &b.0);
        close(a.1.as_slice(), b.1.as_slice());
        #[cfg(feature = "sparse")]
        {
            let (r, j) = squares.jacobian(&p).unwrap();
            let (of_plain, plain) = plain.jacobian(&p).unwrap();
            assert_eq!(r, of_plain);
            close(j.values(), plain.values());
        }
    }
}

#[test]
fn forms_stand_beside_other_terms() {
    let (a, b) =
        (Model::new(Kind::Logistic, 300, 3, &[Kept::Dense]), super::terms::Made::new(&[40], 1, 2, 10, 2));
    let terms = (&b, InForms(&a));
    let (n, p) = (a.parameters, a.point());
    let mut g = vec![0.0; n];
    let mut sum = Sum::new(&terms, n).unwrap();
    sum.gradient(&p, &mut g).unwrap();
    close(&g, &gradient(|p| b.whole(p) + a.whole(p), &p));
    let mut h = DMatrix::<f64>::zeros(n, n);
    sum.hessian(&p, &mut g, &mut h).unwrap();
    close(h.as_slice(), wengert::hessian(|p| b.whole(p) + a.whole(p), &p).as_slice());
}

#[test]
fn branches_and_infinite_slopes_are_those_of_the_terms() {
    // A root of zero, whose row is zero where its parameter is read alone.
    let mut model = Model::new(Kind::Root, 300, 0, &[Kept::Dense]);
    model.forms[0].2[13].1.fill(0.0);
    let (n, p, terms) = (model.parameters, model.point(), InForms(&model));
    let [mut g, mut hv] = [(); 2].map(|()| vec![f64::NAN; n]);
    let mut sum = Sum::new(&terms, n).unwrap();
    assert_eq!(sum.gradient(&p, &mut g).unwrap(), model.whole(&p));
    close(&g, &gradient(|p| model.whole(p), &p));
    sum.hvp(&p, &p, &mut g, &mut hv).unwrap();
    close(&hv, &wengert::hvp(|p| model.whole(p), &p, &p));
    let mut h = DMatrix::<f64>::zeros(n, n);
    sum.hessian(&p, &mut g, &mut h).unwrap();
    close(h.as_slice(), wengert::hessian(|p| model.whole(p), &p).as_slice());
}

#[test]
fn no_terms_and_no_forms() {
    let nothing = Model::new(Kind::Poisson, 0, 0, &[Kept::Dense]);
    let (mut g, mut h) = ([f64::NAN; 7], DMatrix::from_element(7, 7, f64::NAN));
    let terms = InForms(&nothing);
    assert_eq!(Sum::new(&terms, 7).unwrap().hessian(&[0.0; 7], &mut g, &mut h).unwrap(), 0.0);
    assert_eq!((g, h), ([0.0; 7], DMatrix::zeros(7, 7)));
    // Terms of no form are constants, and so are those of forms of no parameters.
    let mut model = Model::new(Kind::Logistic, 3, 0, &[Kept::Sparse]);
    model.forms[0].2.fill((Vec::new(), Vec::new()));
    let value = Sum::new(&InForms(&model), 7).unwrap().gradient(&[1.0; 7], &mut g).unwrap();
    assert_eq!((value, g), (model.whole(&[1.0; 7]), [0.0; 7]));
    struct Three;
    impl LinearForms for Three {
        fn count(&self) -> usize {
            3
        }
        fn forms(&self) -> usize {
            0
        }
        fn places(&self, _: usize) -> std::ops::Range<usize> {
            unreachable!("no form")
        }
        fn row(&self, _: usize, _: usize) -> Row<'_> {
            unreachable!("no form")
        }
        fn term<T: Real<Base = f64>>(&self, _: &[T], _: &[T], out: &mut [T]) {
            out[0] = T::lit(2.0);
        }
    }
    assert_eq!(Sum::new(&InForms(&Three), 0).unwrap().gradient(&[0.0; 0], &mut [0.0; 0]).unwrap(), 6.0);
}

#[test]
fn faults_of_rows_have_names() {
    let error = |change: fn(&mut Model), kept: Kept, parameters: usize| {
        let mut model = Model::new(Kind::Logistic, 9, 0, &[kept]);
        change(&mut model);
        let by_squares = LeastSquares::new(&InForms(&model), parameters).map(|_| ()).unwrap_err().to_string();
        let by_sum = Sum::new(&InForms(&model), parameters).map(|_| ()).unwrap_err().to_string();
        assert_eq!(by_squares, by_sum.replace("sum:", "least squares:"));
        by_sum
    };
    let of_term = |reason: &str| format!("sum: the row of form 0 in term 7 {reason}");
    let (dense, sparse) = (Kept::Dense, Kept::Sparse);
    assert_eq!(error(|_| (), dense, 5), "sum: 5 parameters given, at least 6 needed");
    assert_eq!(error(|_| (), dense, 0), "sum: 0 parameters given, at least 6 needed");
    let short: fn(&mut Model) = |m| _ = m.forms[0].2[7].1.pop();
    assert_eq!(error(short, dense, 7), of_term("has 4 weights, expected 5"));
    assert_eq!(error(short, sparse, 7), of_term("has 2 weights, expected 3"));
    assert_eq!(error(|m| m.forms[0].2[7].1[2] = f64::NAN, dense, 7), of_term("holds NaN at 2"));
    assert_eq!(error(|m| m.forms[0].2[7].1[1] = f64::INFINITY, sparse, 7), of_term("holds inf at 1"));
    assert_eq!(error(|m| m.forms[0].2[7].0[1] = 5, sparse, 7), of_term("has column 5 of 5"));
    // A kind of row that is not that of the first term.
    struct Both(usize);
    impl LinearForms for Both {
        fn count(&self) -> usize {
            2
        }
        fn places(&self, _: usize) -> std::ops::Range<usize> {
            0..1
        }
        fn row(&self, term: usize, _: usize) -> Row<'_> {
            if term == self.0 { Row::Dense(&[1.0]) } else { Row::Sparse(&[0], &[1.0]) }
        }
        fn term<T: Real<Base = f64>>(&self, z: &[T], _: &[T], out: &mut [T]) {
            out[0] = z[0];
        }
    }
    let kinds = [0, 1].map(|dense| Sum::new(&InForms(&Both(dense)), 1).map(|_| ()).unwrap_err().to_string());
    assert_eq!(kinds[0], "sum: the row of form 0 in term 1 is sparse, that of term 0 dense");
    assert_eq!(kinds[1], "sum: the row of form 0 in term 1 is dense, that of term 0 sparse");
}

#[test]
fn rows_that_change_are_refused() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    struct Shrinking(AtomicUsize);
    impl LinearForms for Shrinking {
        fn count(&self) -> usize {
            3
        }
        fn places(&self, _: usize) -> std::ops::Range<usize> {
            0..2
        }
        fn row(&self, _: usize, _: usize) -> Row<'_> {
            Row::Dense(&[1.0, 2.0][..self.0.load(Ordering::Relaxed)])
        }
        fn term<T: Real<Base = f64>>(&self, z: &[T], _: &[T], out: &mut [T]) {
            out[0] = z[0];
        }
    }
    let rows = Shrinking(AtomicUsize::new(2));
    let terms = InForms(&rows);
    let mut sum = Sum::new(&terms, 2).unwrap();
    assert_eq!(sum.gradient(&[1.0; 2], &mut [0.0; 2]).unwrap(), 9.0);
    rows.0.store(1, Ordering::Relaxed);
    let said = message(|| _ = sum.gradient(&[1.0; 2], &mut [0.0; 2]));
    assert_eq!(said, "sum: the rows of term 0 are others than at first");
}
