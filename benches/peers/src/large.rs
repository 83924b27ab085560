//! Sums over data with many parameters. One text serves numbers with `Float` and the numbers of ad_trait, whose
//! traits differ.

/// The functions for the numbers of a trait. The arguments name the few operations that are not operators.
macro_rules! for_numbers {
    ($name:ident, $($bound:ident)::+, $($float:ident)::+, $lit:expr) => {
        pub mod $name {
            use $($bound)::+ as Bound;
            use $($float)::+ as Float;

            use crate::scene::Scene;

            fn lit<T: Bound>(x: f64) -> T {
                $lit(x)
            }

            /// `tanh` of the rows of a layer, each with its offset last.
            fn layer<T: Bound>(w: &[T], x: &[T]) -> [T; 64] {
                std::array::from_fn(|i| {
                    let row = &w[(x.len() + 1) * i..][..x.len() + 1];
                    Float::tanh(row.iter().zip(x).fold(row[x.len()], |sum, (&w, &x)| sum + w * x))
                })
            }

            /// The network 10-64-64-1 with `tanh`, and the squares of its errors.
            pub fn network<T: Bound>(w: &[T], inputs: &[[f64; 10]]) -> T {
                let (first, rest) = w.split_at(64 * 11);
                let (second, last) = rest.split_at(64 * 65);
                let mut total = lit::<T>(0.0);
                for x in inputs {
                    let b = layer(second, &layer(first, &x.map(lit::<T>)));
                    let got = last.iter().zip(&b).fold(last[64], |sum, (&w, &b)| sum + w * b);
                    let missed = got - lit::<T>(x[0] * x[1]);
                    total = total + missed * missed;
                }
                total
            }

            /// The rotation by a vector that is not zero: the formulas of `examples/bundle/camera.rs`.
            fn rotation<T: Bound>(r: [T; 3]) -> [[T; 3]; 3] {
                let [a, b, c] = r;
                let angle = Float::sqrt(a * a + b * b + c * c);
                let sinc = |x: T| Float::sin(x) / x;
                let (sine, half) = (sinc(angle), sinc(angle * lit::<T>(0.5)));
                let versine = half * half * lit::<T>(0.5);
                let (aa, bb, cc) = (versine * a * a, versine * b * b, versine * c * c);
                let (ab, ac, bc) = (versine * a * b, versine * a * c, versine * b * c);
                let [sa, sb, sc] = [sine * a, sine * b, sine * c];
                let one = lit::<T>(1.0);
                [
                    [one - (bb + cc), ab - sc, ac + sb],
                    [ab + sc, one - (aa + cc), bc - sa],
                    [ac - sb, bc + sa, one - (aa + bb)],
                ]
            }

            /// Half the sum of squared residuals of all cameras.
            pub fn bundle<T: Bound>(p: &[T], scene: &Scene) -> T {
                let (points, mut total) = (scene.coordinates(p), lit::<T>(0.0));
                for camera in 0..scene.cameras {
                    let [r0, r1, r2, t0, t1, t2, focal, k1, k2] = *scene.camera(p, camera);
                    let rows = rotation([r0, r1, r2]);
                    for seen in scene.of(camera) {
                        let [a, b, c] = points[seen.point];
                        let along = |i: usize, t: T| rows[i][0] * a + rows[i][1] * b + rows[i][2] * c + t;
                        let (x, y, z) = (along(0, t0), along(1, t1), along(2, t2));
                        let (u, v) = (x / z, y / z);
                        let square = u * u + v * v;
                        let scale = focal * ((k2 * square + k1) * square + lit::<T>(1.0));
                        let (r, s) = (scale * u - lit::<T>(seen.pixel[0]), scale * v - lit::<T>(seen.pixel[1]));
                        total = total + r * r + s * s;
                    }
                }
                total * lit::<T>(0.5)
            }
        }
    };
}

for_numbers!(float, num_traits::Float, num_traits::Float, |x| T::from(x).expect("a float"));
for_numbers!(ad, ad_trait::AD, ad_trait::nalgebra::ComplexField, T::constant);
