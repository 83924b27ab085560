//! Free functions: all names exist, in both modes where both pay, agree, and allocate nothing the second time.

use std::path::Path;

use nalgebra::{DMatrix, Rotation3, matrix};
use num_complex::Complex64;
use wengert::{Var, complex};

use super::allocations;

/// The free functions, mode by mode and form by form: all names exist and agree. Curves and `J·v` are in forward mode,
/// `Jᵀ·w` in reverse mode: the other mode never takes less.
#[test]
fn the_list_of_free_functions() {
    let (x, v, w) = ([2.0, 3.0], [0.5, -1.0], [1.0, 10.0]);
    let (j, h) = (matrix![3.0, 2.0; 1.0, 0.0], matrix![0.0, 6.0; 6.0, 4.0]);
    macro_rules! all {
        ($mode:ident) => {{
            use wengert::$mode::*;
            let mut out = [f64::NAN; 2];
            assert_eq!(gradient(|x| x[0] * x[1], &x), [3.0, 2.0]);
            assert_eq!(value_and_gradient(|x| x[0] * x[1], &x), (6.0, [3.0, 2.0]));
            assert_eq!((gradient_into(|x| x[0] * x[1], &x, &mut out), out), (6.0, [3.0, 2.0]));
            assert_eq!(jacobian(|x| [x[0] * x[1], x[0]], &x), j);
            assert_eq!(value_and_jacobian(|x| [x[0] * x[1], x[0]], &x), ([6.0, 2.0], j));
            let mut to = DMatrix::from_element(2, 2, f64::NAN);
            assert_eq!(
                (jacobian_into(|x| [x[0] * x[1], x[0]], &x, &mut to), &to),
                ([6.0, 2.0], &DMatrix::from_column_slice(2, 2, j.as_slice()))
            );
            let (g, hv) = ([9.0, 12.0], [-6.0, -1.0]);
            assert_eq!(hvp(|x| x[0] * x[1] * x[1], &x, &v), hv);
            assert_eq!(value_and_hvp(|x| x[0] * x[1] * x[1], &x, &v), (18.0, hv));
            assert_eq!((hvp_into(|x| x[0] * x[1] * x[1], &x, &v, &mut out), out), (18.0, hv));
            assert_eq!(value_gradient_and_hvp(|x| x[0] * x[1] * x[1], &x, &v), (18.0, g, hv));
            let mut slope = [f64::NAN; 2];
            let y = value_gradient_and_hvp_into(|x| x[0] * x[1] * x[1], &x, &v, &mut slope, &mut out);
            assert_eq!((y, slope, out), (18.0, g, hv));
            assert_eq!(hessian(|x| x[0] * x[1] * x[1], &x), h);
            assert_eq!(value_and_hessian(|x| x[0] * x[1] * x[1], &x), (18.0, h));
            let y = hessian_into(|x| x[0] * x[1] * x[1], &x, &mut to);
            assert_eq!((y, to.as_slice()), (18.0, h.as_slice()));
            assert_eq!(value_gradient_and_hessian(|x| x[0] * x[1] * x[1], &x), (18.0, g, h));
            let y = value_gradient_and_hessian_into(|x| x[0] * x[1] * x[1], &x, &mut slope, &mut to);
            assert_eq!((y, slope, to.as_slice()), (18.0, g, h.as_slice()));
        }};
    }
    all!(forward);
    all!(reverse);

    use wengert::forward::*;
    use wengert::reverse::{value_and_vjp, vjp, vjp_into};
    let mut out = [f64::NAN; 2];
    assert_eq!(derivative(|t| [t * t, t], 3.0), [6.0, 1.0]);
    assert_eq!(value_and_derivative(|t| [t * t, t], 3.0), ([9.0, 3.0], [6.0, 1.0]));
    assert_eq!((derivative_into(|t| [t * t, t], 3.0, &mut out), out), ([9.0, 3.0], [6.0, 1.0]));
    assert_eq!(second_derivative(|t| [t * t * t, t], 3.0), [18.0, 0.0]);
    let all = value_and_second_derivative(|t| [t * t * t, t], 3.0);
    assert_eq!(all, ([27.0, 3.0], [27.0, 1.0], [18.0, 0.0]));
    let y = second_derivative_into(|t| [t * t * t, t], 3.0, &mut out);
    assert_eq!((y, out), ([27.0, 3.0], [18.0, 0.0]));
    assert_eq!(jvp(|x| [x[0] * x[1], x[0]], &x, &v), [-0.5, 0.5]);
    assert_eq!(value_and_jvp(|x| [x[0] * x[1], x[0]], &x, &v), ([6.0, 2.0], [-0.5, 0.5]));
    assert_eq!((jvp_into(|x| [x[0] * x[1], x[0]], &x, &v, &mut out), out), ([6.0, 2.0], [-0.5, 0.5]));
    assert_eq!(vjp(|x| [x[0] * x[1], x[0]], &x, &w), [13.0, 2.0]);
    assert_eq!(value_and_vjp(|x| [x[0] * x[1], x[0]], &x, &w), ([6.0, 2.0], [13.0, 2.0]));
    assert_eq!((vjp_into(|x| [x[0] * x[1], x[0]], &x, &w, &mut out), out), ([6.0, 2.0], [13.0, 2.0]));
}

/// The names that are defined and the names in the root: each operator in each of its forms.
#[test]
fn each_operator_has_each_form() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/drivers");
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let functions = |text: &str| -> Vec<String> {
        let names = text.split("pub fn ").skip(1);
        names.map(|rest| rest.split(['<', '(']).next().unwrap().to_string()).collect()
    };
    let defined = [
        functions(&text("forms/first.rs")),
        functions(&text("forms/second.rs")),
        functions(&text("forms/curves.rs")),
    ]
    .concat();
    for operator in
        ["derivative", "second_derivative", "gradient", "jacobian", "jvp", "vjp", "hvp", "hessian"]
    {
        for name in [operator.to_string(), format!("value_and_{operator}"), format!("{operator}_into")] {
            assert!(defined.contains(&name), "{name} is missing");
            for list in ["../../docs/operators.md", "../../docs/guide/signatures.md"] {
                let listed =
                    text(list).split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == name);
                assert!(listed, "{name} is missing in {list}");
            }
        }
        let recorded = text("prepare/recorded.rs").contains(&format!(" {operator}: "));
        assert!(recorded || operator == "second_derivative", "prepare::recorded has no {operator}");
    }
    let exported: Vec<String> = text("mod.rs")
        .split("pub use ")
        .skip(1)
        .flat_map(|list| {
            let names = list.split(';').next().unwrap();
            names.split(['{', '}', ',', ' ', '\n', ':']).map(str::to_string).collect::<Vec<_>>()
        })
        .collect();
    // The root has one of each name, of the mode that is usually better, and the names that only one mode has.
    for name in defined.iter().map(String::as_str).chain(["linearize"]) {
        assert!(exported.iter().any(|e| e == name), "{name} is not at the root");
    }
    let tested = include_str!("free.rs");
    for name in defined.iter().filter(|name| *name != "third_derivative") {
        assert!(tested.contains(&format!("{name}(|")), "{name} is not tested");
    }
}

/// Operators that write to buffers allocate nothing the second time, at points in heaps and of groups.
#[test]
fn eager_calls_use_memory_again() {
    macro_rules! second_time {
        ($($call:expr;)*) => {$(
            let before = [(); 3].map(|()| {
                $call;
                allocations::so_far()
            });
            assert_eq!(before[1], before[2], stringify!($call));
        )*};
    }
    let (x, mut g, mut hv) = (vec![0.5; 40], vec![0.0; 40], vec![0.0; 40]);
    let (v, turn) = (vec![1.0; 40], vec![Rotation3::from_euler_angles(0.1, 0.2, 0.3); 2]);
    let (mut dy, mut turning, mut j) = ([0.0; 2], [0.0; 6], DMatrix::zeros(2, 40));
    let (z, mut dz, mut dw) = (vec![Complex64::new(1.0, 2.0); 3], vec![Complex64::i(); 3], [Complex64::i()]);
    second_time! {
        wengert::gradient_into(|x| x[0] * x[39], &x, &mut g);
        wengert::forward::gradient_into(|x| x[0] * x[39], &x, &mut g);
        wengert::gradient_into(|r| r[0][(0, 1)] * r[1][(0, 0)], &turn, &mut turning);
        wengert::forward::gradient_into(|r| r[0][(0, 1)] * r[1][(0, 0)], &turn, &mut turning);
        wengert::jvp_into(|x| [x[0] * x[39], x[1]], &x, &v, &mut dy);
        wengert::vjp_into(|x| [x[0] * x[39], x[1]], &x, &[1.0, 2.0], &mut g);
        wengert::hvp_into(|x| x[0] * x[39], &x, &v, &mut hv);
        wengert::value_gradient_and_hvp_into(|x| x[0] * x[39], &x, &v, &mut g, &mut hv);
        wengert::jacobian_into(|x| [x[0] * x[39], x[1]], &x, &mut j);
        wengert::reverse::jacobian_into(|x| [x[0] * x[39], x[1]], &x, &mut j);
        complex::gradient_into(|z| complex::abs(z[0] * z[2]), &z, &mut dz);
        complex::vjp_into(|z| [z[0] * z[2]], &z, &[Complex64::i()], &mut dz);
        complex::jvp_into(|z| [z[0] * z[2]], &z, &[Complex64::i(); 3], &mut dw);
    }
    // The result of `linearize` is applied without allocation too.
    let at = wengert::linearize(|x: &[Var<f64>]| [x[0] * x[39], x[1]], &x);
    second_time! {
        at.jvp_into(&v, &mut dy).unwrap();
        at.vjp_into(&[1.0, 2.0], &mut g).unwrap();
        at.jacobian_into(&mut j).unwrap();
    }
}
