//! Derivatives of the gamma and beta densities near their modes, where the first is the small difference of large terms,
//! and far from them.

use wengert::series::derivatives;
use wengert::{Dual, Real, derivative, gradient};

/// `b` of a beta density, `a`, `x`, and three derivatives by 120 digits.
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const ROWS: [(Option<f64>, f64, f64, [f64; 3]); 19] = [
    (Some(2.0), 2.0, 0.4999999999, [1.2000000992884452e-9, -12.0, 7.7315849693367441e-120]),
    (Some(3.0), 2.0, 0.3333333333333, [7.9980466694000275e-13, -24.000000000002399, 72.0]),
    (Some(7.1), 3.3, 0.27380952408333337, [-3.2256360454653293e-8, -117.8058221875547, 536.04588221438483]),
    (Some(2.7), 300.1, 0.9943484032609708, [0.0046954612674981933, -4722148.6089361669, -1661587543.0302509]),
    (Some(0.4), 0.3, 0.538461539, [1.3514620738057988e-9, 2.5098579910614455, 1.5537216676096394]),
    (Some(59.7), 30.3, 0.3329548784090909, [-0.0010560273085210887, -3171.6845258569207, 9543.3284772559361]),
    (Some(1.1), 1000.0, 0.9999, [-680.11281857407384, -7556807801.9933756, -151100661335702.74]),
    (Some(1.1), 1000.0, 0.99, [57.656412695721901, 57487.467181144617, 57190933.589954021]),
    (Some(1000.0), 1.1, 0.000101, [-6801.8555209764553, -7407832952.5403136, 146876076716381.3]),
    (Some(3.0), 1.001, 0.49, [-3.0618327531769945, 5.9909655139725498, 0.088274269789784026]),
    (Some(0.5), 1.000000001, 0.0001, [0.25004250278895516, 0.32509626008974623, 1000.9129045843798]),
    (None, 2.0, 0.9999999, [3.6787947776575274e-8, -0.36787951474733604, 0.73575899270672429]),
    (None, 1.5, 0.5000000001, [-9.6788297796598686e-11, -0.96788289768942021, 3.8715315905641042]),
    (None, 1.25, 0.249999999999, [2.4302599844263492e-12, -2.4302462927796416, 19.441970342285738]),
    (None, 1.000000001, 1.000001e-09, [-9.1725869231326044e-7, -999998061.59719451, 1.9999941232002686e+18]),
    (None, 1.000001, 0.01, [-0.98994684129610171, 0.9799473881539879, 1.0200412350075803]),
    (None, 1.000000001, 0.0001, [-0.99988999736678023, 0.89988999055601247, 1999.1002552236997]),
    (None, 1.5, 0.1, [1.2914738069722894, -10.97752735926446, 149.81096160878556]),
    (None, 1.9, 0.999, [-0.037909592339387214, -0.34122082881801118, 0.79283453890668662]),
];

fn density<T: Real<Base = f64>>(x: T, a: f64, b: Option<f64>) -> T {
    b.map_or_else(|| x.gamma_pdf(a), |b| x.beta_pdf([a, b]))
}

#[test]
fn densities_have_all_digits() {
    for (b, a, x, wanted) in ROWS {
        let mut firsts =
            vec![derivative(|x| density(x, a, b), x), gradient(|x| density(x[0], a, b), &[x])[0]];
        if b.is_none() {
            firsts.push(gradient(|p| p[0].gamma_pdf(p[1]), &[x, a])[0]);
        }
        for found in firsts {
            assert!(
                (found / wanted[0] - 1.0).abs() <= 4.0 * f64::EPSILON,
                "{b:?} {a} {x}: {found}, not {}",
                wanted[0]
            );
        }
        let found = derivatives::<f64, 3>(|x| density(x, a, b), x);
        for k in 1..3 {
            let size = wanted[k].abs() + wanted[k - 1].abs();
            assert!((found[k] - wanted[k]).abs() <= 1e-14 * size, "{b:?} {a} {x}: {found:?}, not {wanted:?}");
        }
    }
}

/// `a`, `x` and the derivative of P(a, x) in `a` by 60 digits, where a series, a continued fraction and a uniform
/// expansion serve, at their limits and in the tails.
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const SHAPES: [(f64, f64, f64); 25] = [
    (0.8, 0.75, -0.505589802612950887),
    (1.0, 1.1, -0.409855311278245353),
    (1.0, 30.0, -3.75306445051266654e-13),
    (2.0, 5.0, -0.0558598960525367781),
    (7.0, 7.5, -0.144902754951178292),
    (3.0000000001, 4.0, -0.178247357878434053),
    (22.0, 22.55878567334771, -0.0837254417001114196),
    (25.0, 25.59561050317246, -0.0785657884675265851),
    (13.748197547217297, 13.748304332670498, -0.108248767255318484),
    (11.00000000023283, 10.99999977128568, -0.12120238272896562),
    (9.0, 9.997334160001873, -0.120903750533619265),
    (17.0, 19.9, -0.0718757080191734768),
    (1.7e308, 1.7e308, -3.05974761638829349e-155),
    (0.02, 1.5, -0.105366420261757391),
    (3.7, 2.9, -0.215919174075740728),
    (3.7, 9.5, -0.0126433959969690497),
    (1.5, 40.0, -1.12859819396957415e-16),
    (26.0, 9.2, -4.63738631792165627e-6),
    (26.0, 56.0, -2.25064080276723527e-6),
    (900.0, 915.0, -0.0116558439363022702),
    (1e4, 9800.0, -0.000530819131302451549),
    (24.0, 24.5, -0.0804633683802152652),
    (1e-9, 5.0, -0.0011482955966424179),
    (300.0, 60.0, -1.60586695001679554e-107),
    (1e17, 1e17 + 536_870_912.0, -2.98555968371708277e-10),
];

#[test]
fn the_slope_of_a_gamma_distribution_in_its_shape_has_all_digits() {
    for (a, x, wanted) in SHAPES {
        for (found, wanted) in [
            (gradient(|p| p[1].gamma_p(p[0]), &[a, x])[0], wanted),
            (derivative(|a| Dual::constant(x).gamma_q(a), a), -wanted),
        ] {
            // As much as rounding x by 4 eps costs.
            let cost = 1.0 + (x * Real::gamma_pdf(x, a) * (x.ln() - Real::digamma(a)) / wanted).abs();
            assert!(
                (found / wanted - 1.0).abs() <= 4.0 * f64::EPSILON * cost,
                "{a} {x}: {found}, not {wanted}"
            );
        }
    }
}

/// At the ends a derivative that exists has its value or sign, for extreme shapes too.
#[test]
fn densities_keep_their_ends() {
    let inf = f64::INFINITY;
    let ends = [([1e17, 1.5], -inf), ([1e17, 0.5], inf), ([1e308, 2.0], -inf)];
    for (shape, want) in ends {
        assert_eq!(derivative(|x| x.beta_pdf(shape), 1.0), want, "{shape:?}");
    }
    assert_eq!(derivatives::<f64, 3>(|x| x.gamma_pdf(1.5), 0.0)[2], inf);
}
