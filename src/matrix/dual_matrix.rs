//! `Dual<OMatrix<T, R, C>>`: a matrix and its tangent matrix. Operators apply the matrix rules, with factors in
//! order, without forming a matrix of duals.

use core::ops::{Add, Mul, Neg, Sub};

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::lu::Lu;
use super::shapes::demand;
use crate::duals::Dual;
use crate::error::AdError;
use crate::number::Number;

/// A matrix with its tangent.
type Pair<T, R, C> = Dual<OMatrix<T, R, C>>;

impl<T: Number, R: Dim, C: Dim> Pair<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    /// Splits a matrix of duals into value and tangent.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// use wengert::Dual;
    /// let m = matrix![Dual::new(1.0, 2.0), Dual::new(3.0, 4.0)];
    /// let pair = Dual::unzip(&m);
    /// assert_eq!((pair.value(), pair.tangent()), (matrix![1.0, 3.0], matrix![2.0, 4.0]));
    /// ```
    pub fn unzip(entries: &OMatrix<Dual<T>, R, C>) -> Self {
        Dual::new(entries.map(Dual::value), entries.map(Dual::tangent))
    }
    /// Combines value and tangent to a matrix of duals.
    ///
    /// # Panics
    /// If value and tangent differ in shape.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// use wengert::Dual;
    /// let m = Dual::new(matrix![1.0, 3.0], matrix![2.0, 4.0]).zip();
    /// assert_eq!(m[(0, 1)].tangent(), 4.0);
    /// ```
    pub fn zip(&self) -> OMatrix<Dual<T>, R, C> {
        let (value, tangent) = self.parts();
        demand("zip", "tangent", value.shape(), tangent.shape());
        value.zip_map(tangent, Dual::new)
    }
    /// The transpose of both.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let t = wengert::Dual::new(matrix![1.0, 3.0], matrix![2.0, 4.0]).transpose();
    /// assert_eq!(t.tangent(), matrix![2.0; 4.0]);
    /// ```
    pub fn transpose(&self) -> Pair<T, C, R>
    where
        DefaultAllocator: Allocator<C, R>,
    {
        let (value, tangent) = self.parts();
        Dual::new(value.transpose(), tangent.transpose())
    }
    /// The sum of entrywise products with constant weights, and its tangent.
    ///
    /// # Panics
    /// If the shapes differ.
    #[track_caller]
    pub fn dot(&self, weights: &OMatrix<T, R, C>) -> Dual<T> {
        let (value, tangent) = self.parts();
        Dual::new(super::dot(value, weights), super::dot(tangent, weights))
    }
    /// `self ← XY`, with `Ż = ẊY + XẎ`. Does not allocate, and does not read the old contents. From 16 rows on, `&x * &y`
    /// takes 0.15 to 0.3 of the time, because it copies its factors to new memory.
    ///
    /// # Panics
    /// If the shapes do not match; `self` is then unchanged.
    ///
    /// ```
    /// use nalgebra::{matrix, Matrix1};
    /// use wengert::Dual;
    /// let x = Dual::new(matrix![3.0], matrix![1.0]);
    /// let y = Dual::new(matrix![5.0], matrix![2.0]);
    /// let mut z = Dual::new(Matrix1::new(f64::NAN), Matrix1::new(f64::NAN));
    /// z.matmul_into(&x, &y);
    /// assert_eq!((z.value()[0], z.tangent()[0]), (15.0, 11.0));
    /// ```
    #[track_caller]
    pub fn matmul_into<K: Dim>(&mut self, x: &Pair<T, R, K>, y: &Pair<T, K, C>)
    where
        DefaultAllocator: Allocator<R, K> + Allocator<K, C>,
    {
        let one = T::lit(1.0);
        self.gemm_into(Dual::constant(one), x, y, Dual::constant(T::lit(0.0)));
    }
    /// `self ← α·XY + β·self`: `Ż = α̇XY + α(ẊY + XẎ) + β̇Z + βŻ`. If `β` or its tangent is exactly zero, so is its
    /// term, even if `Z` is NaN. Does not allocate.
    ///
    /// # Panics
    /// If the shapes do not match; `self` is then unchanged.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// use wengert::Dual;
    /// let constant = |x: f64| Dual::new(matrix![x], matrix![0.0]);
    /// let mut z = constant(4.0);
    /// z.gemm_into(Dual::new(2.0, 1.0), &constant(3.0), &constant(5.0), Dual::new(0.5, 1.0));
    /// assert_eq!((z.value()[0], z.tangent()[0]), (32.0, 19.0));
    /// ```
    #[track_caller]
    pub fn gemm_into<K: Dim>(&mut self, alpha: Dual<T>, x: &Pair<T, R, K>, y: &Pair<T, K, C>, beta: Dual<T>)
    where
        DefaultAllocator: Allocator<R, K> + Allocator<K, C>,
    {
        let ((x, dx), (y, dy), (z, dz)) = (x.parts(), y.parts(), self.parts_mut());
        demand("gemm_into", "tangent of the first factor", x.shape(), dx.shape());
        demand("gemm_into", "tangent of the second factor", y.shape(), dy.shape());
        demand("gemm_into", "second factor", (x.ncols(), y.ncols()), y.shape());
        demand("gemm_into", "output", (x.nrows(), y.ncols()), z.shape());
        demand("gemm_into", "tangent of the output", z.shape(), dz.shape());
        let (a, da, b, db) = (alpha.value(), alpha.tangent(), beta.value(), beta.tangent());
        let of_factors = [x.as_slice(), dx.as_slice(), y.as_slice(), dy.as_slice()];
        T::demand_recordable(&of_factors);
        T::demand_recordable(&[&[a, da, b, db], z.as_slice(), dz.as_slice()]);
        let one = T::lit(1.0);
        dz.zip_apply(&*z, |dz, z| *dz = dz.strong_mul(b) + z.strong_mul(db));
        // Column by column: a product as a whole packs its factors into fresh memory.
        for (factor, x, y) in [(a, x, dy), (a, dx, y), (da, x, y)] {
            for j in (0..y.ncols()).filter(|_| !factor.is_exactly_zero()) {
                dz.column_mut(j).gemv(factor, x, &y.column(j), one);
            }
        }
        z.apply(|z| *z = z.strong_mul(b));
        for j in 0..y.ncols() {
            z.column_mut(j).gemv(a, x, &y.column(j), one);
        }
    }
}

impl<T: Number, D: Dim> Pair<T, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// `X` of `self·X = B`: `AẊ = Ḃ − ȦX`, with one factorisation.
    ///
    /// # Errors
    /// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
    ///
    /// # Panics
    /// If the shapes do not match.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// use wengert::Dual;
    /// let a = Dual::new(matrix![4.0, 1.0; 2.0, 3.0], matrix![0.1, -0.2; 0.3, 0.4]);
    /// let x = a.solve(&Dual::new(vector![1.0, 2.0], vector![0.5, -1.0]))?;
    /// assert!((x.tangent() - vector![0.31, -0.63]).norm() < 1e-15);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[track_caller]
    pub fn solve<C: Dim>(&self, b: &Pair<T, D, C>) -> Result<Pair<T, D, C>, AdError>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        let ((a, da), (b, db)) = (self.parts(), b.parts());
        demand("solve", "tangent of the matrix", a.shape(), da.shape());
        demand("solve", "tangent of the right-hand side", b.shape(), db.shape());
        let factors = Lu::new(a)?;
        let x = factors.solve(b);
        let mut rest = db.clone();
        rest.gemm(-T::lit(1.0), da, &x, T::lit(1.0));
        Ok(Dual::new(x, factors.solve(&rest)))
    }
}

macro_rules! entrywise {
    ($($Trait:ident $method:ident $op:tt;)*) => {$(
        impl<T: Number, R: Dim, C: Dim> $Trait for Pair<T, R, C>
        where
            DefaultAllocator: Allocator<R, C>,
        {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                let ((a, da), (b, db)) = (self.into_parts(), other.into_parts());
                Dual::new(a $op b, da $op db)
            }
        }
        impl<T: Number, R: Dim, C: Dim> $Trait for &Pair<T, R, C>
        where
            DefaultAllocator: Allocator<R, C>,
        {
            type Output = Pair<T, R, C>;
            fn $method(self, other: Self) -> Pair<T, R, C> {
                let ((a, da), (b, db)) = (self.parts(), other.parts());
                Dual::new(a $op b, da $op db)
            }
        }
    )*};
}
entrywise! {
    Add add +;
    Sub sub -;
}

impl<T: Number, R: Dim, C: Dim> Neg for Pair<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Output = Self;
    fn neg(self) -> Self {
        let (a, da) = self.into_parts();
        Dual::new(-a, -da)
    }
}

/// `ẊY + XẎ`, with the factors in order.
impl<T: Number, R: Dim, K: Dim, C: Dim> Mul<&Pair<T, K, C>> for &Pair<T, R, K>
where
    DefaultAllocator: Allocator<R, K> + Allocator<K, C> + Allocator<R, C>,
{
    type Output = Pair<T, R, C>;
    fn mul(self, y: &Pair<T, K, C>) -> Pair<T, R, C> {
        let ((x, dx), (y, dy)) = (self.parts(), y.parts());
        demand("matmul", "tangent of the first factor", x.shape(), dx.shape());
        demand("matmul", "tangent of the second factor", y.shape(), dy.shape());
        demand("matmul", "second factor", (x.ncols(), y.ncols()), y.shape());
        let mut tangent = dx * y;
        tangent.gemm(T::lit(1.0), x, dy, T::lit(1.0));
        Dual::new(x * y, tangent)
    }
}

impl<T: Number, R: Dim, K: Dim, C: Dim> Mul<Pair<T, K, C>> for Pair<T, R, K>
where
    DefaultAllocator: Allocator<R, K> + Allocator<K, C> + Allocator<R, C>,
{
    type Output = Pair<T, R, C>;
    fn mul(self, y: Pair<T, K, C>) -> Pair<T, R, C> {
        &self * &y
    }
}

/// `ȧX + aẊ`.
impl<T: Number, R: Dim, C: Dim> Mul<Pair<T, R, C>> for Dual<T>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Output = Pair<T, R, C>;
    #[allow(clippy::suspicious_arithmetic_impl)] // the derivative of a product is a sum
    fn mul(self, x: Pair<T, R, C>) -> Pair<T, R, C> {
        let (x, dx) = x.into_parts();
        let tangent = x.zip_map(&dx, |x, dx| self.tangent() * x + self.value() * dx);
        Dual::new(x * self.value(), tangent)
    }
}

impl<T: Number, R: Dim, C: Dim> Mul<Dual<T>> for Pair<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Output = Self;
    fn mul(self, a: Dual<T>) -> Self {
        a * self
    }
}
