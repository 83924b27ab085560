//! Linearized primitives: the derivatives of functions of many numbers.

/// The derivative of a function at a point as a linear map, with its stored residuals. Forward mode applies the map
/// to tangents, reverse mode its transpose to cotangents. A tape holds one for each primitive and checkpointed
/// segment.
///
/// The arguments of the function come in groups (two matrices are two groups), its results in one slice. A group that
/// is `None` is inactive: its tangent is zero, its cotangent is not needed, and it costs no work.
///
/// ```
/// use wengert::LinearMap;
/// /// y = x₀·x₁ of two groups of one number: ẏ = ẋ₀x₁ + x₀ẋ₁.
/// struct Product { x: [f64; 2] }
/// impl LinearMap<f64> for Product {
///     fn apply(&self, tangents: &[Option<&[f64]>], out: &mut [f64]) {
///         let tangent = |i: usize| tangents[i].map_or(0.0, |t| t[0]);
///         out[0] = tangent(0) * self.x[1] + self.x[0] * tangent(1);
///     }
///     fn apply_transpose_add(&self, cotangent: &[f64], out: &mut [Option<&mut [f64]>]) {
///         for (i, out) in out.iter_mut().enumerate() {
///             if let Some(out) = out { out[0] += self.x[1 - i] * cotangent[0] }
///         }
///     }
/// }
/// let (map, mut dy, mut dx) = (Product { x: [2.0, 3.0] }, [0.0], [0.0]);
/// map.apply(&[Some(&[1.0]), None], &mut dy);
/// map.apply_transpose_add(&[10.0], &mut [None, Some(&mut dx)]);
/// assert_eq!((dy, dx), ([3.0], [20.0]));
/// ```
pub trait LinearMap<T>: 'static {
    /// `ẏ = Σᵢ Jᵢẋᵢ`, overwriting `out`.
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]);
    /// `x̄ᵢ += Jᵢᵀȳ` for each group that is `Some`. `ȳ` may contain NaN and infinities; it is not all zero.
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]);
    /// A component of the point, if the map stores it; used in messages.
    fn argument(&self, _group: usize, _index: usize) -> Option<T> {
        None
    }
    /// The operation's name, for messages and drawings.
    fn name(&self) -> &'static str {
        "map"
    }
    /// The size of the residuals on the heap in bytes, as far as known.
    fn bytes(&self) -> usize {
        0
    }
}
