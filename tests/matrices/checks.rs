//! Every function of matrices, real and complex, by the public checks; and that no function is left out.

use std::path::Path;

use fastrand::Rng;
use nalgebra::{Complex, DMatrix};
use wengert::check::{self, Report};
use wengert::matrix::Entry;
use wengert::primitive::{Direction, Primitive};
use wengert::{AdError, Dual, LinearMap, Number, Real, VectorFunction};

use super::functions::{Function, Input, Sizes};
use super::programs::{Entries, Outputs, Program};
use super::routes::PrimalNumber;
use crate::random::Part;

/// A function with the sizes of its inputs, matrix by matrix.
#[derive(Clone)]
struct Subject {
    function: Function,
    sizes: Sizes,
    inputs: Vec<Input>,
    /// The number of real and imaginary parts of the results, which is asked for before each call.
    outputs: usize,
}

impl Subject {
    fn new(function: Function, sizes: Sizes) -> Subject {
        let mut subject = Subject { function, sizes, inputs: function.inputs(sizes), outputs: 0 };
        let y = subject.call::<f64>(&groups(&subject.point(1, false), |x| x.re)).expect("a value");
        subject.outputs = 2 * parts(&y).count();
        subject
    }
    /// The function of matrices in groups of entries; symmetric ones are made so first.
    fn call<S: Entry<Base = f64>>(&self, groups: &[Vec<S>]) -> Result<Outputs<S::Re>, AdError> {
        let matrix = |(input, entries): (&Input, &Vec<S>)| {
            let (rows, columns) = input.shape();
            let a = DMatrix::from_column_slice(rows, columns, entries);
            let half = S::constant(0.5);
            let symmetric = |i, j| (a[(i, j)] + a[(j, i)].conjugated()) * half;
            if input.is_symmetric() { DMatrix::from_fn(rows, columns, symmetric) } else { a }
        };
        let x: Vec<DMatrix<S>> = self.inputs.iter().zip(groups).map(matrix).collect();
        self.function.call(&x)
    }
    fn point(&self, seed: u64, complex: bool) -> Vec<Entries> {
        let mut random = Rng::with_seed(seed);
        self.inputs.iter().map(|input| input.value(&mut random, complex)).collect()
    }
}

/// All parts of results that are real and complex.
fn parts<R: Number>(y: &Outputs<R>) -> impl Iterator<Item = Complex<R>> {
    y.iter().flat_map(|(_, y)| y.iter().copied())
}

/// Real entries at every number type: both modes, and the second order.
impl VectorFunction for Subject {
    fn outputs(&self, _: usize) -> usize {
        self.outputs
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        let mut rest = x;
        let groups: Vec<Vec<T>> = self
            .inputs
            .iter()
            .map(|input| {
                let (rows, columns) = input.shape();
                let (own, others) = rest.split_at(rows * columns);
                rest = others;
                own.to_vec()
            })
            .collect();
        let results = Subject::call(self, &groups).expect("a value");
        y.iter_mut().zip(parts(&results).flat_map(|y| [y.re, y.im])).for_each(|(y, part)| *y = part);
    }
}

fn groups<P>(x: &[Entries], of: impl Fn(Complex<f64>) -> P + Copy) -> Vec<Vec<P>> {
    x.iter().map(|x| x.iter().map(|&x| of(x)).collect()).collect()
}

/// Complex entries: tangents along every group and all together, and their tangents.
impl Primitive<Complex<f64>> for Subject {
    type Map<T: Number<Primal = Complex<f64>, Base = f64>> = Tangents<T>;
    fn name(&self) -> &'static str {
        self.function.0
    }
    fn value(&self, x: &[&[Complex<f64>]]) -> Result<Vec<Complex<f64>>, AdError> {
        let x: Vec<Vec<Complex<f64>>> = x.iter().map(|x| x.to_vec()).collect();
        Ok(parts(&Subject::call(self, &x)?).collect())
    }
    fn linearize<T: Number<Primal = Complex<f64>, Base = f64>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Tangents<T>, AdError> {
        Ok(Tangents { subject: self.clone(), x })
    }
    fn supports(&self, direction: Direction) -> bool {
        direction == Direction::Jvp
    }
}

struct Tangents<T> {
    subject: Subject,
    x: Vec<Vec<T>>,
}

impl<T: Number<Primal = Complex<f64>, Base = f64>> LinearMap<T> for Tangents<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let group = |(x, dx): (&Vec<T>, &Option<&[T]>)| -> Vec<Dual<T>> {
            let tangent = |i: usize| dx.map_or(T::lit(0.0), |dx| dx[i]);
            x.iter().enumerate().map(|(i, &x)| Dual::new(x, tangent(i))).collect()
        };
        let x: Vec<Vec<Dual<T>>> = self.x.iter().zip(tangents).map(group).collect();
        let y = self.subject.call(&x).expect("a value");
        let tangent = |y: Complex<Dual<T::Re>>| T::from_parts(y.re.tangent(), y.im.tangent());
        out.iter_mut().zip(parts(&y)).for_each(|(out, y)| *out = tangent(y));
    }
    fn apply_transpose_add(&self, _: &[T], _: &mut [Option<&mut [T]>]) {
        unreachable!("tangents only; the other direction is held to them by the laws")
    }
}

/// Sizes at which functions work entry by entry, and larger ones.
const SIZES: [Sizes; 3] =
    [Sizes { m: 2, k: 3, n: 3 }, Sizes { m: 4, k: 2, n: 1 }, Sizes { m: 3, k: 5, n: 8 }];

/// All functions at the small sizes, some of them at the large one.
fn all_pass(of: impl Fn(&Subject, u64) -> Report) {
    let mut part = Part::one_in(4);
    let cases = SIZES
        .iter()
        .flat_map(|&sizes| Function::ALL.iter().map(move |&function| Subject::new(function, sizes)))
        .filter(|subject| subject.sizes.n < 8 || part.takes());
    let report = |subject: Subject| (of(&subject, 7), subject);
    let failed: Vec<String> = cases
        .map(report)
        .filter(|(report, _)| !report.passed())
        .map(|(report, of)| format!("{:?} {:?}: {report}", of.function, of.sizes))
        .collect();
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn every_function_of_real_matrices_passes() {
    all_pass(|subject, seed| {
        let x = groups(&subject.point(seed, false), |x| x.re).concat();
        check::function(subject, &x)
    });
}

#[test]
fn every_function_of_complex_matrices_passes() {
    all_pass(|subject, seed| {
        let x = groups(&subject.point(seed, true), Complex::<f64>::of);
        let views: Vec<&[Complex<f64>]> = x.iter().map(Vec::as_slice).collect();
        check::primitive(subject, &views)
    });
}

/// The names of public functions in a file: of free functions and of methods.
fn names(text: &str) -> Vec<String> {
    let word = |line: &str| line.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for line in text.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("pub fn ") {
            names.push(word(rest));
        }
        // A row of a macro that makes functions: `name: …;`.
        let row =
            line.ends_with(';') && line.contains(": ") && !line.contains(" = ") && !line.contains("let ");
        if row && ["matmul_", "solve_"].iter().any(|start| line.starts_with(start)) {
            names.push(word(line));
        }
    }
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).expect("the source");
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    paths.map(|p| (p.display().to_string(), std::fs::read_to_string(&p).expect("a text"))).collect()
}

/// Public files without functions of matrices: pairs, which have their own tests, and `Op`.
const OTHERS: [&str; 2] = ["dual_matrix.rs", "op.rs"];

#[test]
fn no_function_is_left_out() {
    let lists = [include_str!("functions.rs"), include_str!("../rotation/checks.rs")].concat();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matrix");
    let texts = [files(&source), files(&source.join("rotation"))].concat();
    let mut seen = 0;
    for (file, text) in texts.iter().filter(|(file, _)| !OTHERS.iter().any(|other| file.ends_with(other))) {
        for name in names(text) {
            let called = [".", "::"].iter().any(|before| lists.contains(&format!("{before}{name}(")));
            assert!(called, "`{name}` of {file} is in no list of checked functions");
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen} names");
}
