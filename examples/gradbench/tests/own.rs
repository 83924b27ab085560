//! Evals on inputs of our own: derivatives against differences and another mode, edges of the models, faults of messages.

use serde_json::{Value, json};
use wengert::{Var, forward, reverse};

fn call(module: &str, function: &str, input: &Value) -> Value {
    let message =
        json!({ "id": 7, "kind": "evaluate", "module": module, "function": function, "input": input });
    gradbench::answer(&message.to_string())
}

fn output(module: &str, function: &str, input: &Value) -> Value {
    let answer = call(module, function, input);
    assert_eq!(answer["success"], true, "{module} {function}: {answer}");
    answer["output"].clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().expect("a number")],
    }
}

/// Numbers between −1 and 1 that look random.
fn noise(seed: usize, len: usize) -> Vec<f64> {
    (0..len).map(|k| ((seed * 131 + k) as f64 * 12.9898).sin() * 43_758.545_3 % 1.0).collect()
}

fn rows(seed: usize, count: usize, width: usize, scale: f64) -> Vec<Vec<f64>> {
    (0..count).map(|k| noise(seed + k, width).iter().map(|x| x * scale).collect()).collect()
}

fn near(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    let largest = want.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for (k, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= tolerance * largest, "{what}, {k}: {a} for {b}");
    }
}

/// Central differences of an output in one number of the input.
fn difference(f: &dyn Fn(f64) -> Vec<f64>, x: f64) -> Vec<f64> {
    let h = 1e-5 * x.abs().max(1.0);
    f(x + h).iter().zip(f(x - h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
}

fn bundle(rotation: [f64; 3]) -> Value {
    let cam = [&rotation[..], &[3.0, -2.0, 9.0, 400.0, 5.0, -8.0, 0.08, 0.003]].concat();
    json!({ "n": 3, "m": 4, "p": 12, "cam": cam, "x": [0.4, 0.3, -0.7], "w": 0.6, "feat": [20.0, -30.0] })
}

#[test]
fn reprojection_errors() {
    for rotation in [[0.2, -0.5, 0.9], [0.0; 3], [1e-9, -2e-9, 0.0], [0.0, 3.0, 0.0]] {
        let input = bundle(rotation);
        let j = output("ba", "jacobian", &input);
        let got = numbers(&j["vals"]);
        let z = [numbers(&input["cam"]), numbers(&input["x"]), vec![0.6]].concat();
        let swept =
            reverse::jacobian(|z| gradbench::ba::model::error(z, &[20.0, -30.0].map(Var::constant)), &z[..]);
        let by_rows: Vec<f64> = swept.transpose().iter().copied().collect();
        near(&got[..30], &by_rows, 1e-13, "reverse mode");
        assert_eq!(got[30], -1.2);
        for k in 0..14 {
            let (name, place) = if k < 11 { ("cam", k) } else { ("x", k - 11) };
            let moved = |x: f64| {
                let mut input = input.clone();
                input[name][place] = json!(x);
                numbers(&output("ba", "objective", &input)["reproj_error"]["elements"])
            };
            let want = difference(&moved, numbers(&input[name])[place]);
            let largest = want.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let errors = [got[k], got[15 + k]].into_iter().zip(&want).map(|(x, want)| (x - want).abs());
            errors.for_each(|error| assert!(error <= 1e-6 * largest + 4e-4, "{k}: {error}"));
        }
        // Twelve observations of two rows with fifteen entries, then a row with one for each weight.
        let offsets: Vec<usize> =
            (0..30).map(|k| if k <= 24 { 15 * k } else { 360 + k - 24 }).chain([372]).collect();
        assert_eq!(j["rows"], json!(offsets));
        let places: Vec<usize> = (0..11).chain(33..36).chain([45]).collect();
        assert_eq!(j["cols"], json!([&places[..], &places, &[56]].concat()));
    }
}

#[test]
fn characters() {
    for (layers, b, steps) in [(1, 3, 4), (2, 5, 6)] {
        let (main, extra) = (rows(1, 2 * layers, 4 * b, 1.0), rows(20, 3, b, 1.0));
        let (state, sequence) = (rows(30, 2 * layers, b, 0.5), rows(40, steps, b, 1.0));
        let input = json!({
            "main_params": main, "extra_params": extra, "state": state, "sequence": sequence,
            "min_runs": 3, "min_seconds": 0.0,
        });
        let got = numbers(&output("lstm", "jacobian", &input));
        let p = [main.concat(), extra.concat()].concat();
        let loss = |p: &[_]| gradbench::lstm::model::loss(p, &state, &sequence);
        near(&got, &forward::gradient(loss, &p[..]), 1e-13, "forward mode");
        for k in 0..p.len() {
            let moved = |x: f64| {
                let mut p = p.clone();
                p[k] = x;
                vec![gradbench::lstm::model::loss(&p, &state, &sequence)]
            };
            assert!((got[k] - difference(&moved, p[k])[0]).abs() < 1e-9, "{k}");
        }
    }
}

/// A hand of 22 bones in a chain of fingers, with random matrices.
fn hand(complicated: bool, mirrored: bool, turn: f64) -> Value {
    let motion = |k: usize| {
        let (t, (s, c)) = (noise(k, 3), (noise(k, 4)[3] * 2.0).sin_cos());
        [[c, -s, 0.0, t[0]], [s, c, 0.0, t[1]], [0.0, 0.0, 1.0, t[2]], [0.0, 0.0, 0.0, 1.0]]
    };
    let motions = |seed: usize| (0..22).map(|b| motion(seed + b)).collect::<Vec<_>>();
    let parents: Vec<i64> =
        (0..22).map(|b| if b < 2 { b - 1 } else { b - 1 - (b - 2) % 4 / 3 * 2 }).collect();
    let positions: Vec<[f64; 4]> = rows(100, 12, 3, 2.0).iter().map(|x| [x[0], x[1], x[2], 1.0]).collect();
    let weights: Vec<Vec<f64>> =
        rows(200, 12, 22, 1.0).iter().map(|w| w.iter().map(|w| w.max(0.0)).collect()).collect();
    let model = json!({
        "bone_count": 22, "bone_names": vec!["b"; 22], "parents": parents, "base_relatives": motions(300),
        "inverse_base_absolutes": motions(400), "base_positions": positions, "weights": weights,
        "triangles": [[0, 1, 2], [3, 4, 5], [9, 10, 11]], "is_mirrored": mirrored,
    });
    let correspondences = if complicated { [2, 0, 1, 2] } else { [11, 0, 5, 7] };
    let data = json!({ "model": model, "correspondences": correspondences, "points": rows(500, 4, 3, 3.0) });
    let mut theta = noise(600, 26);
    theta[..3].iter_mut().for_each(|r| *r *= turn);
    let us = if complicated { rows(700, 4, 2, 0.5) } else { vec![] };
    json!({ "theta": theta, "us": us, "data": data, "min_runs": 1, "min_seconds": 0.0 })
}

#[test]
fn hands() {
    for (complicated, mirrored, turn) in
        [(false, false, 1.0), (true, false, 1.0), (true, true, 2.0), (false, true, 0.0), (false, false, 1e-6)]
    {
        let input = hand(complicated, mirrored, turn);
        let j = output("ht", "jacobian", &input);
        let (rows, columns) = (12, if complicated { 28 } else { 26 });
        assert_eq!((j.as_array().unwrap().len(), j[0].as_array().unwrap().len()), (rows, columns));
        let got = numbers(&j);
        let data: gradbench::ht::Data = serde_json::from_value(input["data"].clone()).unwrap();
        let us: Vec<[f64; 2]> = serde_json::from_value(input["us"].clone()).unwrap();
        let mut x = vec![0.0; columns - 26];
        x.extend(numbers(&input["theta"]));
        let errors = |x: &[_]| gradbench::ht::model::errors(x, &data, &us);
        let swept = reverse::jacobian(errors, &x[..]);
        near(&got, &swept.transpose().iter().copied().collect::<Vec<_>>(), 1e-13, "reverse mode");
        for k in 0..columns {
            let moved = |value: f64| {
                let mut x = x.clone();
                x[k] = value;
                gradbench::ht::model::errors(&x, &data, &us)
            };
            let column: Vec<f64> = (0..rows).map(|i| got[i * columns + k]).collect();
            // Where a short rotation counts as none, it has no derivative either, but differences have.
            let short = turn < 1e-3 && (columns - 26..columns - 23).contains(&k);
            let want = if short { vec![0.0; rows] } else { difference(&moved, x[k]) };
            assert!(
                column.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-7),
                "{k}: {column:?} for {want:?}"
            );
        }
        assert_eq!(numbers(&output("ht", "objective", &input)), gradbench::ht::model::errors(&x, &data, &us));
    }
}

/// The square of the place where a particle lands, with the gradient of the potential written out.
fn landing(w: f64) -> f64 {
    let force = |x: [f64; 2]| {
        let of = |height: f64| {
            let d = [x[0] - 10.0, x[1] - height];
            let cube = d[0].hypot(d[1]).powi(3);
            d.map(|d| -d / cube)
        };
        let (a, b) = (of(10.0 - w), of(0.0));
        [a[0] + b[0], a[1] + b[1]]
    };
    let (mut x, mut v) = ([0.0, 8.0], [0.75, 0.0]);
    loop {
        let g = force(x);
        x = [x[0] + v[0] * 0.1, x[1] + v[1] * 0.1];
        if x[1] <= 0.0 {
            return (x[0] - x[1] / v[1] * v[0]).powi(2);
        }
        v = [v[0] - g[0] * 0.1, v[1] - g[1] * 0.1];
    }
}

#[test]
fn particles() {
    use gradbench::particle::{forward_path, reverse_path};
    let best = 0.207_191_874_648_611_6;
    for function in ["ff", "rr", "fr", "rf"] {
        let input = json!({ "w": 0.0, "min_runs": 1, "min_seconds": 0.0 });
        near(&numbers(&output("particle", function, &input)), &[best], 1e-9, function);
    }
    for w in [0.0, 0.2, 0.45, 0.9] {
        assert!((reverse_path(&[w]) - landing(w)).abs() < 1e-12 * landing(w));
        let want = difference(&|w| vec![landing(w)], w);
        let slopes = [
            forward::gradient(forward_path, &[w]),
            forward::gradient(reverse_path, &[w]),
            reverse::gradient(forward_path, &[w]),
            reverse::gradient(reverse_path, &[w]),
        ];
        for slope in slopes {
            near(&slope, &slopes[0], 1e-12, "a mode");
            near(&slope, &want, 1e-6, "differences");
        }
    }
}

#[test]
fn edges() {
    // Elements far below the range of the exponential.
    let low = json!({ "x": [-800.0, -801.0] });
    near(&numbers(&output("lse", "primal", &low)), &[-799.686_738_312_481_8], 1e-15, "lse");
    near(
        &numbers(&output("lse", "gradient", &low)),
        &[0.731_058_578_630_004_9, 0.268_941_421_369_995_1],
        1e-13,
        "lse",
    );
    // Singular matrices and the smallest one.
    let singular = json!({ "A": [1.0, 2.0, 2.0, 4.0], "ell": 2 });
    assert_eq!(output("det", "primal", &singular), json!(0.0));
    assert_eq!(output("det", "gradient", &singular), json!([4.0, -2.0, -2.0, 1.0]));
    assert_eq!(output("det", "gradient", &json!({ "A": [0.0], "ell": 1 })), json!([1.0]));
    // A point between two centroids is of the first one.
    let tie = json!({ "points": [[0.0], [2.0], [3.0]], "centroids": [[1.0], [3.0]] });
    assert_eq!(output("kmeans", "cost", &tie), json!(2.0));
    assert_eq!(output("kmeans", "dir", &tie), json!([[0.0], [0.0]]));
    // Mixtures in one dimension have no entries below the diagonal.
    let line = json!({
        "d": 1, "k": 2, "n": 3, "x": [[0.5], [-1.0], [2.0]], "m": 1, "gamma": 2.0,
        "alpha": [0.1, -0.2], "mu": [[0.0], [1.0]], "q": [[0.3], [-0.1]], "l": [[], []],
    });
    let got = output("gmm", "jacobian", &line);
    assert_eq!(got["l"], json!([[], []]));
    let moved = |q: f64| {
        let mut line = line.clone();
        line["q"][0][0] = json!(q);
        numbers(&output("gmm", "objective", &line))
    };
    near(&numbers(&got["q"][0]), &difference(&moved, 0.3), 1e-8, "gmm");
    // The middle of an odd number of places has no sign; one equation; integers where floats are meant.
    assert_eq!(output("llsq", "gradient", &json!({ "x": [0], "n": 3 })), json!([0.0]));
    assert_eq!(output("ode", "gradient", &json!({ "x": [3], "s": 2 })), json!([2.0]));
    assert_eq!(output("hello", "double", &json!(64)), json!(128.0));
}

#[test]
fn faults_are_answers() {
    let failed = |answer: Value, part: &str| {
        assert_eq!(answer["success"], false, "{answer}");
        let text = answer["error"].as_str().unwrap();
        assert!(text.contains(part), "{text}");
    };
    failed(gradbench::answer("{\"id\": 1, \"kind\""), "EOF");
    failed(gradbench::answer("[]"), "length 0");
    failed(gradbench::answer(r#"{"id": 3, "kind": "define", "module": "nothing"}"#), "no module \"nothing\"");
    failed(call("nothing", "square", &json!(1.0)), "no module");
    failed(call("hello", "cube", &json!(1.0)), "hello has no function \"cube\"");
    failed(call("hello", "square", &json!("one")), "expected f64");
    failed(call("lse", "primal", &json!({ "y": [] })), "missing field `x`");
    failed(call("det", "primal", &json!({ "A": [1.0, 2.0, 3.0], "ell": 2 })), "A has length 3, expected 4");
    failed(call("gmm", "jacobian", &json!({})), "missing field");
    failed(
        call(
            "ba",
            "jacobian",
            &json!({ "n": 0, "m": 1, "p": 20, "cam": vec![0; 11], "x": [0, 0, 0], "w": 0, "feat": [0, 0] }),
        ),
        "ten observations",
    );
    failed(call("ode", "gradient", &json!({ "x": [], "s": 1 })), "no equations");
    // A cluster without points, and numbers beyond the range.
    let empty = json!({ "points": [[0.0]], "centroids": [[0.0], [9.0]] });
    failed(call("kmeans", "dir", &empty), "not finite");
    failed(call("hello", "square", &json!(1e200)), "not finite");
    // A panic of a model: the number of a bone's parent is larger than its own.
    let mut wrong = hand(false, false, 1.0);
    wrong["data"]["model"]["parents"][0] = json!(20);
    failed(call("ht", "objective", &wrong), "index out of bounds");
    assert_eq!(gradbench::answer(r#"{"id": 4, "kind": "else"}"#), json!({ "id": 4 }));
    assert_eq!(gradbench::answer(r#"{"id": 0, "kind": "start"}"#), json!({ "id": 0, "tool": "wengert" }));
}
