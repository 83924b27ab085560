//! Compares the result of a route with the row, by the limits of the table.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Complex;
use wengert::{AdError, Dual};

use super::conditioning;
use super::programs::{Entries, Program};
use super::routes::{self, Derivatives};
use super::rows::Row;
use crate::support::compare::{EPS, Findings};
use crate::support::limits::{self, Conditioning};

/// The blocks of a row by the order of the derivative.
const BLOCKS: [&str; 3] = ["out", "jvp", "jvp2"];

#[derive(Default)]
pub struct Judge<'a> {
    /// Inputs, tangents and cotangents of the row.
    pub x: Vec<Entries>,
    pub dx: Vec<Entries>,
    pub cot: Vec<(&'a str, Entries)>,
    row: Option<(&'a Row, Conditioning)>,
    found: Findings,
    judged: BTreeSet<String>,
    /// The largest share of its limit that each operation takes, by block.
    worst: BTreeMap<(String, String), (f64, f64, String)>,
}

impl<'a> Judge<'a> {
    pub fn take(&mut self, row: &'a Row) {
        (self.x, self.dx) = (row.matrices("in"), row.matrices("tan"));
        self.cot = row.names("cot").into_iter().zip(row.matrices("cot")).collect();
        self.row = Some((row, conditioning::of(row)));
    }
    fn row(&self) -> (&'a Row, &Conditioning) {
        let (row, conditioning) = self.row.as_ref().expect("a row");
        (row, conditioning)
    }
    /// The result of a route, if it has no error.
    fn accept<T>(&mut self, route: &str, found: Result<T, AdError>) -> Option<T> {
        let (row, _) = self.row();
        match found {
            Ok(found) => {
                self.judged.insert(row.id().into());
                Some(found)
            }
            Err(error) => {
                self.found.check(false, || format!("{} {route}: {error}", row.id()));
                None
            }
        }
    }
    /// One comparison: an error in the norm, relative to `scale`, against a limit in eps.
    fn compare(&mut self, place: (&str, &str, &str), distance: f64, scale: f64, limit: f64) {
        let ((row, of), (route, block, name)) = (self.row(), place);
        let error = if distance == 0.0 { 0.0 } else { distance / scale / EPS };
        let text = || {
            let (id, class, kappa, gap) = (row.id(), row.class(), of.kappa, of.gap);
            format!(
                "{id} {class} {route} {block}.{name}: {error:.3} eps, limit {limit:.3}, κ {kappa:.3e}, gap {gap:.1e}"
            )
        };
        let (text, share) = (text(), error / limit);
        let worst = self.worst.entry((row.op().into(), format!("{block}.{name}"))).or_default();
        if share >= worst.0 {
            *worst = (share, error, format!("{} {route}", row.id()));
        }
        self.found.check(share <= 1.0, || text);
    }

    /// Values and tangents.
    pub fn derivatives(&mut self, route: &str, found: Result<Derivatives, AdError>) {
        let (row, _) = self.row();
        let Some(found) = self.accept(route, found) else { return };
        for block in BLOCKS {
            for name in row.names(block) {
                let given = found.iter().any(|(n, order, _)| (*n, BLOCKS[*order]) == (name, block));
                let carried = found.iter().any(|(_, order, _)| BLOCKS[*order] == block);
                self.found.check(given || !carried, || format!("{} {route}: no {block}.{name}", row.id()));
            }
        }
        let direction = norm(&self.dx);
        for (name, order, got) in found {
            let Some(want) = row.matrix(BLOCKS[order], name) else { continue };
            assert_eq!(got.shape(), want.shape(), "{} {name}", row.id());
            let of = self.row().1;
            let scale = match (order, name) {
                (0, "lambda" | "S") => of.norm,
                (0, _) => want.norm(),
                _ => want.norm().max(direction),
            };
            let limit = limits::linalg(row.op(), name, order, of);
            self.compare((route, BLOCKS[order], name), (got - &want).norm(), scale, limit);
        }
    }
    /// Cotangents; of a symmetric input the symmetric part.
    pub fn cotangents(&mut self, route: &str, found: Result<Vec<Entries>, AdError>) {
        let (row, _) = self.row();
        let Some(found) = self.accept(route, found) else { return };
        let direction = norm(self.cot.iter().map(|(_, c)| c));
        for (name, got) in row.names("in").into_iter().zip(found) {
            let want = row.matrix("vjp", name).expect("a cotangent for every input");
            let shown =
                |g: Entries| if row.is_symmetric(name) { (&g + g.adjoint()) * Complex::from(0.5) } else { g };
            let (got, want) = (shown(got), shown(want));
            let limit = limits::linalg(row.op(), "", 1, self.row().1);
            let scale = want.norm().max(direction);
            self.compare((route, "vjp", name), (got - &want).norm(), scale, limit);
        }
    }
    /// `⟨ẋ, d/dt x̄⟩ = ⟨ȳ, ÿ⟩` for the derivative of the cotangents along `ẋ`.
    pub fn second_order(&mut self, route: &str, found: Result<Vec<Entries>, AdError>) {
        let (row, _) = self.row();
        let Some(found) = self.accept(route, found) else { return };
        let (direction, mut want, mut scale, mut limit) = (norm(&self.dx), 0.0, 0.0, 0.0_f64);
        for (name, cot) in &self.cot {
            let Some(second) = row.matrix("jvp2", name) else { return };
            want += inner(cot, &second);
            scale += cot.norm() * second.norm().max(direction);
            limit = limit.max(limits::linalg(row.op(), name, 2, self.row().1));
        }
        let got: f64 = found.iter().zip(&self.dx).map(|(dg, dx)| inner(dg, dx)).sum();
        self.compare((route, "vjp", "t"), (got - want).abs(), scale, limit);
    }
    /// The cotangents, entry by entry, from tangents along the real and imaginary axis of every entry.
    pub fn adjoint(&mut self, program: &impl Program) {
        let mut gradient: Vec<Entries> = self.x.iter().map(|x| x * Complex::from(0.0)).collect();
        for input in 0..self.x.len() {
            let symmetric = self.row().0.is_symmetric(self.row().0.names("in")[input]);
            for place in 0..self.x[input].len() {
                for unit in [Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)] {
                    let mut dx: Vec<Entries> = self.x.iter().map(|x| x * Complex::from(0.0)).collect();
                    dx[input][place] = unit;
                    if symmetric {
                        dx[input] = (&dx[input] + dx[input].adjoint()) * Complex::from(0.5);
                    }
                    let found = routes::forward::<Complex<f64>, Dual<Complex<f64>>>(program, &self.x, &dx);
                    let Some(found) = self.accept("Dual", found) else { return };
                    let along = |(name, cot): &(&str, Entries)| {
                        let (_, _, dy) =
                            found.iter().find(|(n, order, _)| n == name && *order == 1).expect(name);
                        inner(cot, dy)
                    };
                    gradient[input][place] += unit * self.cot.iter().map(along).sum::<f64>();
                }
            }
        }
        self.cotangents("Dual by entries", Ok(gradient));
    }

    /// Fails with all failures, and if some row was not judged. Reports the share of its limit that each operation
    /// needs.
    pub fn report(self, rows: &[Row], comparisons: usize) {
        for ((op, block), (share, error, place)) in &self.worst {
            println!("{op:22} {block:10} {share:8.4} of the limit, {error:10.2} eps: {place}");
        }
        self.found.report(comparisons);
        assert_eq!(self.judged.len(), rows.len());
    }
}

/// `Re⟨a, b⟩`.
fn inner(a: &Entries, b: &Entries) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a.conj() * b).re).sum()
}

fn norm<'a>(x: impl IntoIterator<Item = &'a Entries>) -> f64 {
    x.into_iter().map(|x| x.norm_squared()).sum::<f64>().sqrt()
}
