//! The operators of recorded functions compared with those of the other modes: values, derivatives and refusals, on
//! points of each kind.

use std::sync::Arc;

use wengert::prepare::{self, recorded};
use wengert::programs::{Program, Replay, Traced};
use wengert::space::{Components, SelfTangent, flatten};
use wengert::{AdError, Differentiable, Forward, Number, Real, Reverse, SecondOrder};

use crate::allocations::allocations;

#[derive(Differentiable)]
/// Numbers in fields.
struct Layer<T> {
    weights: Vec<Vec<T>>,
    bias: [T; 2],
    #[data]
    size: usize,
}

/// `Σ k·xₖxₖ₊₁ + Σ sin xₖ`, by the components of any structure.
fn chain<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> N {
    let (mut sum, mut last, mut k) = (N::lit(0.0), N::lit(0.0), 0.0);
    x.visit(&mut |c| {
        sum = sum + last * c * k + Number::sin(c);
        (last, k) = (c, k + 1.0);
    });
    sum
}

/// `(chain, Σ (k+1)·xₖ³)`.
fn pair<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> [N; 2] {
    let (mut sum, mut k) = (N::lit(0.0), 1.0);
    x.visit(&mut |c| {
        sum += c * c * c * k;
        k += 1.0;
    });
    [chain(x), sum]
}

#[track_caller]
fn near(what: &str, got: &[f64], want: &[f64]) {
    let near = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-12 * (1.0 + w.abs());
    assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{what}: {got:?}, expected {want:?}");
}

/// All operators at a point, called twice, compared with the same operators of other modes. The second call allocates
/// nothing.
fn all_at<X>(kind: &str, x: &X)
where
    X: Components<f64, Tangent: Components<f64> + SelfTangent> + SelfTangent + ?Sized,
    X::Arg<Traced>: Components<Traced>,
    X::Arg<wengert::Var<f64>>: Components<wengert::Var<f64>>,
    X::Arg<wengert::Var<wengert::Dual<f64>>>: Components<wengert::Var<wengert::Dual<f64>>>,
{
    let n = flatten(x).len();
    let mut k = 0.0;
    let v = x.tangent_from(&mut || {
        k += 1.0;
        1.5 - k
    });
    let (mut y, mut g, mut h) = ([[0.0; 2]; 2], vec![vec![0.0; n]; 2], vec![vec![0.0; n * n]; 2]);
    let (mut j, mut dy) = (vec![vec![0.0; 2 * n]; 2], [[0.0; 2]; 2]);
    let second = SecondOrder(Forward, Reverse);

    let want = prepare::gradient(Reverse, x).of(chain).at(x, &mut g[0][..]).unwrap();
    let mut gradient = recorded::gradient(chain, x);
    for call in 0..2 {
        let mut value = 0.0;
        let count = allocations(|| value = gradient.at(x, &mut g[1][..]).unwrap());
        assert!(call == 0 || count == 0, "{kind}: gradient allocates");
        near(kind, &[value], &[want]);
        near(kind, &g[1], &g[0]);
    }
    let mut structured = x.tangent_from(&mut || 0.0);
    gradient.at(x, &mut structured).unwrap();
    near(kind, &flatten(&structured), &g[0]);
    assert!(gradient.at(x, &mut vec![7.0; n + 1][..]).is_err(), "{kind}: a long buffer");
    assert_eq!(gradient.recordings(), 1, "{kind}");
    #[cfg(feature = "jit")]
    {
        let (mut compiled, mut same) = (recorded::gradient(chain, x).compiled(), vec![0.0; n]);
        for call in 0..3 {
            let mut value = 0.0;
            let count = allocations(|| value = compiled.at(x, &mut same[..]).unwrap());
            assert!(call < 2 || count == 0, "{kind}: machine code allocates");
            assert_eq!(value, gradient.at(x, &mut g[1][..]).unwrap(), "{kind}");
            assert_eq!(same, g[1], "{kind}");
        }
        assert_eq!(compiled.recordings(), 1, "{kind}");
    }

    prepare::jacobian(Reverse, x).of(pair).at(x, &mut y[0], &mut j[0][..]).unwrap();
    let mut jacobian = recorded::jacobian(pair, x);
    for call in 0..2 {
        let count = allocations(|| jacobian.at(x, &mut y[1], &mut j[1][..]).unwrap());
        assert!(call == 0 || count == 0, "{kind}: jacobian allocates");
    }
    near(kind, &y[1], &y[0]);
    near(kind, &j[1], &j[0]);
    jacobian.at(x, &mut (), &mut j[1][..]).unwrap();
    assert!(jacobian.at(x, &mut [0.0; 3], &mut j[1][..]).is_err(), "{kind}: three values");

    prepare::jvp(Reverse, x).of(pair).at(x, &v, &mut y[0], &mut dy[0]).unwrap();
    recorded::jvp(pair, x).at(x, &v, &mut y[1], &mut dy[1]).unwrap();
    near(kind, y[1].as_ref(), &y[0]);
    near(kind, &dy[1], &dy[0]);
    prepare::vjp(Reverse, x).of(pair).at(x, &[0.5, -2.0], &mut y[0], &mut g[0][..]).unwrap();
    let mut vjp = recorded::vjp(pair, x);
    vjp.at(x, &[0.5, -2.0], &mut y[1], &mut g[1][..]).unwrap();
    near(kind, &y[1], &y[0]);
    near(kind, &g[1], &g[0]);
    assert!(vjp.at(x, &[1.0], &mut (), &mut g[1][..]).is_err(), "{kind}: a short cotangent");

    let mut hv = g.clone();
    let want = prepare::hvp(second, x).of(chain).at(x, &v, &mut g[0][..], &mut hv[0][..]).unwrap();
    let value = recorded::hvp(chain, x).at(x, &v, &mut g[1][..], &mut hv[1][..]).unwrap();
    near(kind, &[value], &[want]);
    near(kind, &g[1], &g[0]);
    near(kind, &hv[1], &hv[0]);
    let want = prepare::hessian(second, x).of(chain).at(x, &mut g[0][..], &mut h[0][..]).unwrap();
    let value = recorded::hessian(chain, x).at(x, &mut g[1][..], &mut h[1][..]).unwrap();
    near(kind, &[value], &[want]);
    near(kind, &g[1], &g[0]);
    near(kind, &h[1], &h[0]);
}

#[test]
fn operators_of_recorded_functions_on_points_of_each_kind() {
    all_at("array", &[0.5, -1.25, 2.0]);
    all_at("slice", &[0.5, -1.25, 2.0][..]);
    all_at("Vec", &vec![0.5; 11]);
    all_at("no numbers", &[0.0; 0]);
    all_at("tuple", &(0.5, vec![-1.25; 5], [Some(1.5)]));
    all_at("nested sequences", &vec![vec![0.5, 2.0], vec![], vec![-1.25]]);
    all_at("number", &0.75);
    all_at("struct", &Layer { weights: vec![vec![1.0, 2.0], vec![0.5]], bias: [0.25, -1.0], size: 2 });
    #[cfg(feature = "nalgebra")]
    all_at("matrix", &nalgebra::Matrix2x3::new(0.5, 1.0, -2.0, 0.25, 3.0, 1.5));
}

#[test]
fn derivatives_of_curves() {
    let (mut place, mut speed) = ((0.0, [0.0]), [0.0; 2]);
    let mut derivative = recorded::derivative(|t| (*t * *t, [t.sin()]), &0.0);
    for t in [0.5, 2.0] {
        derivative.at(&t, &mut place, &mut speed).unwrap();
        assert_eq!((place, speed), ((t * t, [t.sin()]), [2.0 * t, t.cos()]));
    }
    assert_eq!(derivative.recordings(), 1);
}

/// Where a branch changes, a function is recorded again. A structure of the same number of numbers is not the
/// point's.
#[test]
fn other_branches_and_other_structures() {
    let mut gradient = recorded::gradient(|x| if x[0] > 0.0 { x[0] * x[1] } else { x[1].exp() }, &[0.0; 2]);
    let mut g = [0.0; 2];
    assert_eq!(gradient.at(&[2.0, 3.0], &mut g), Ok(6.0));
    assert_eq!(gradient.at(&[-1.0, 0.0], &mut g), Ok(1.0));
    assert_eq!(gradient.at(&[4.0, 5.0], &mut g), Ok(20.0));
    assert_eq!((g, gradient.recordings()), ([5.0, 4.0], 2));
    let mut nested = recorded::gradient(|x| x[0][0], &vec![vec![1.0, 2.0], vec![3.0]]);
    let error = nested.at(&vec![vec![1.0], vec![2.0, 3.0]], &mut [0.0; 3]).unwrap_err();
    assert_eq!(error.to_string(), "gradient: the point has length 1, expected 2");
    // The operator with any structure records each.
    let last = |x: &[Vec<Traced>]| x[0][x[0].len() - 1] * 2.0;
    let (mut replay, mut g) = (Replay::<Vec<Vec<f64>>, _, _>::new(last, Program::gradient), [0.0; 3]);
    replay.at(&vec![vec![1.0, 2.0], vec![3.0]], &mut g).unwrap();
    assert_eq!(g, [0.0, 2.0, 0.0]);
    replay.at(&vec![vec![1.0], vec![2.0, 3.0]], &mut g).unwrap();
    assert_eq!((g, replay.recordings()), ([2.0, 0.0, 0.0], 2));
}

/// By machine code too, and where a primitive has none.
#[cfg(feature = "jit")]
#[test]
fn machine_code_of_other_branches_and_of_primitives() {
    let f = |x: &[Traced]| if x[0] > 0.0 { x[0] * x[1] } else { x[1].exp() / x[0] };
    let (mut gradient, mut g) = (recorded::gradient(f, &[0.0; 2]).compiled(), [0.0; 2]);
    assert_eq!(gradient.at(&[2.0, 3.0], &mut g), Ok(6.0));
    assert_eq!(gradient.at(&[-1.0, 0.0], &mut g), Ok(-1.0));
    assert!(matches!(gradient.last_change(), Some(AdError::BranchChanged { .. })));
    assert_eq!(gradient.at(&[4.0, 5.0], &mut g), Ok(20.0));
    assert_eq!((g, gradient.recordings()), ([5.0, 4.0], 2));
    // Strong zeros: at an exact zero the infinite factor does not count.
    let root = |x: &[Traced]| (x[0] * x[0] + x[1] * x[1]).sqrt();
    assert_eq!(recorded::gradient(root, &[0.0; 2]).compiled().at(&[0.0, 0.0], &mut g), Ok(0.0));
    assert_eq!(g, [0.0, 0.0]);
    use wengert::primitive::{call, from_vjp};
    let square =
        from_vjp("square", 1, |x: &[&[f64]]| vec![x[0][0].powi(2)], |x, w| vec![vec![2.0 * x[0][0] * w[0]]]);
    let mut gradient = recorded::gradient(|x| call(&square, &[x]).unwrap()[0], &[0.0]).compiled();
    let mut g = [0.0];
    assert_eq!((gradient.at(&[3.0], &mut g), g), (Ok(9.0), [6.0]));
}

#[test]
fn what_a_primitive_lacks_is_named() {
    use wengert::primitive::{call, from_jvp};
    let value = |x: &[&[f64]]| vec![x[0][0].powi(3)];
    let cube = from_jvp("cube", 1, value, |x, dx| vec![3.0 * x[0][0].powi(2) * dx[0][0]]);
    let mut gradient = recorded::gradient(|x| call(&cube, &[x]).unwrap()[0], &[0.0]);
    let error = gradient.at(&[2.0], &mut [0.0]).unwrap_err();
    assert_eq!(error, AdError::Unsupported { op: "cube", rule: "vjp" });
}

/// A field that cannot be compared: a difference from its predecessor is not seen.
#[derive(Clone)]
struct Opaque(usize);

#[derive(Differentiable)]
/// Plain values of each kind next to numbers.
struct Choice<T> {
    x: Vec<T>,
    mode: usize,
    boxed: Box<(T, usize)>,
    list: Vec<(T, bool)>,
    of: Option<Kind<T>>,
    #[data]
    power: usize,
    #[data]
    zeros: Vec<f64>,
    #[data]
    name: &'static str,
    #[data]
    shared: Arc<dyn Fn(usize) -> f64>,
}
#[derive(Differentiable)]
enum Kind<T> {
    Plain(usize),
    Both { a: T, n: u8 },
}
#[derive(Differentiable)]
struct Alone {
    x: f64,
    #[data]
    n: usize,
}
#[derive(Differentiable)]
struct Blind<T> {
    x: T,
    #[data]
    n: Opaque,
}
#[cfg(feature = "nalgebra")]
#[derive(Differentiable)]
#[differentiable(tangent = TurnedTangent)]
struct Turned<T> {
    r: nalgebra::Rotation2<T>,
    #[data]
    n: usize,
}

/// A changed plain value of the point is another function.
#[test]
fn plain_values_of_the_point_are_compared() {
    let point = |k: usize| Choice {
        x: vec![0.5, 1.5],
        mode: usize::from(k == 1),
        boxed: Box::new((2.0, usize::from(k == 2))),
        list: vec![(1.0, false), (1.0, k == 3)],
        of: Some(if k == 4 { Kind::Both { a: 0.5, n: 0 } } else { Kind::Plain(usize::from(k == 5)) }),
        power: usize::from(k == 6),
        zeros: vec![if k == 7 { -0.0 } else { 0.0 }],
        name: if k == 8 { "b" } else { "a" },
        shared: if k == 9 { Arc::new(|_| 9.0) } else { Arc::new(|n| n as f64) },
    };
    fn f<T: Real<Base = f64>>(c: &Choice<T>) -> T {
        let of = match &c.of {
            Some(Kind::Plain(n)) => 16.0 * *n as f64,
            Some(Kind::Both { n, .. }) => 3.0 + f64::from(*n),
            None => 0.0,
        };
        let flags = c.list.iter().filter(|(_, flag)| *flag).count() as f64;
        let plain = c.mode as f64 + 2.0 * c.boxed.1 as f64 + 4.0 * flags + of + 32.0 * c.power as f64;
        let texts = 64.0 * c.name.len() as f64 + if c.name == "b" { 7.0 } else { 0.0 };
        let sign = if c.zeros[0].is_sign_negative() { -1.0 } else { 1.0 };
        c.x[0] * c.x[1] * (plain + texts + (c.shared)(5)) * sign + c.boxed.0
    }
    let numbers = |k| flatten(&point(k));
    let mut replay = Replay::<Choice<f64>, _, _>::new(f, Program::gradient);
    // One after the other, and back through the kept programs.
    for (turn, k) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8), (9, 9)] {
        let (p, mut got) = (point(k), vec![0.0; numbers(k).len()]);
        replay.at(&p, &mut got).unwrap();
        let want = flatten(&wengert::gradient(f, &p));
        assert_eq!(got, want, "value {k}");
        assert_eq!(replay.recordings(), turn + 1, "value {k} is not seen");
        replay.at(&p, &mut got).unwrap();
        assert_eq!((&got, replay.recordings()), (&want, turn + 1), "value {k} is recorded again");
    }
    // A field that cannot be compared is never the same.
    let power = |b: &Blind<Traced>| Number::powi(b.x, b.n.0 as i32);
    let mut blind = recorded::gradient(power, &Blind { x: 1.0, n: Opaque(1) });
    for n in [2, 3, 3] {
        let mut g = [0.0];
        assert_eq!(blind.at(&Blind { x: 1.5, n: Opaque(n) }, &mut g), Ok(1.5_f64.powi(n as i32)));
    }
    assert_eq!(blind.recordings(), 3);
    let mut alone = recorded::gradient(|a| Number::powi(a.x, a.n as i32), &Alone { x: 1.0, n: 1 });
    for (n, recordings) in [(2, 1), (3, 2), (2, 2), (3, 2)] {
        assert_eq!(alone.at(&Alone { x: 1.5, n }, &mut [0.0]), Ok(1.5_f64.powi(n as i32)));
        assert_eq!(alone.recordings(), recordings);
    }
    #[cfg(feature = "nalgebra")]
    {
        let entry = |t: &Turned<Traced>| t.r[(t.n, 0)];
        let mut values = Replay::<Turned<f64>, _, _>::new(entry, |p| Ok(p.clone()));
        for n in [0, 1] {
            let (r, mut y) = (nalgebra::Rotation2::new(0.5), [0.0]);
            values.at(&Turned { r, n }, &mut y).unwrap();
            assert_eq!(y[0], r[(n, 0)]);
        }
    }
}

/// A function of matrices whose result nothing reads decides a branch by its success.
#[cfg(feature = "nalgebra")]
#[test]
fn unread_results_decide_branches() {
    let f = |x: &[Traced]| {
        let one = Traced::lit(1.0);
        let inverse = wengert::matrix::inverse(&nalgebra::Matrix2::new(x[0], x[1], one, one));
        // Read by an operation that no result needs.
        let _unread = inverse.as_ref().map(|m| m[(0, 0)] * 2.0);
        if inverse.is_ok() { x[0] * x[1] } else { x[0].exp() }
    };
    for [first, second] in [[[2.0, 0.5], [1.0, 1.0]], [[1.0, 1.0], [2.0, 0.5]]] {
        let program = wengert::programs::trace(f, &first);
        for program in [program.gradient().unwrap(), program.hessian().unwrap(), program] {
            assert!(program.run(&first).is_ok());
            assert!(program.run(&second).is_err(), "{program}");
        }
        let (mut gradient, mut g) = (recorded::gradient(f, &[0.0; 2]), [0.0; 2]);
        for x in [first, second] {
            let y = gradient.at(&x, &mut g).unwrap();
            let want = if x == [1.0, 1.0] { (1.0f64.exp(), [1.0f64.exp(), 0.0]) } else { (1.0, [0.5, 2.0]) };
            assert_eq!((y, g), want);
        }
    }
}
