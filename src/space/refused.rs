//! Uses of points and tangents that do not compile. The examples are tests; no page shows them.

/// A second tangent type, a tangent of another precision.
///
/// ```compile_fail,E0119
/// struct P(f64);
/// impl wengert::Differentiable for P { type Tangent = f64; type Owned = P; }
/// impl wengert::Differentiable for P { type Tangent = f32; type Owned = P; }
/// ```
/// ```compile_fail,E0277
/// wengert::jvp(|x| x.sin(), &1.0_f64, &1.0_f32);
/// ```
struct OneTangent;

/// A point of a group where its tangent is due.
///
/// ```compile_fail,E0277
/// let r = nalgebra::Rotation3::<f64>::identity();
/// wengert::jvp(|r| r[(1, 0)], &r, &r);
/// ```
/// ```compile_fail,E0277
/// let q = nalgebra::UnitQuaternion::<f64>::identity();
/// wengert::vjp(|(_, q): &(wengert::Var<f64>, _)| vec![*q], &(1.0, q), &vec![q]);
/// ```
/// ```compile_fail,E0277
/// let r = nalgebra::Rotation2::<f64>::identity();
/// wengert::hvp(|r| r.0[(1, 0)], &(r, 1.0), &(r, 1.0));
/// ```
/// ```compile_fail,E0277
/// let q = nalgebra::UnitQuaternion::<f64>::identity();
/// wengert::forward::hvp(|q| q.i, &q, &q);
/// ```
/// ```compile_fail,E0277
/// let m = nalgebra::Isometry3::<f64>::identity();
/// wengert::linearize(|m| Some(*m), &m).vjp(&Some(m));
/// ```
/// ```compile_fail,E0277
/// #[derive(wengert::Differentiable)]
/// #[differentiable(tangent = PoseTangent)]
/// struct Pose<T> { r: nalgebra::Rotation3<T> }
/// let pose = Pose { r: nalgebra::Rotation3::<f64>::identity() };
/// wengert::linearize(|p| p.r[(1, 0)], &pose).jvp(&pose);
/// ```
struct PointForTangent;
