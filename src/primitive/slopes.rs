//! Derivatives by five points, and the search for the step.

/// The first step relative to the argument, `eps^⅕`; the factor by which it is shortened, and how often at most; the
/// factors by which it is lengthened, the first of them also if the values do not change.
pub(super) const FIRST: f64 = 7.4e-4;
const SHORTER: (f64, usize) = (0.125, 10);
const LONGER: [f64; 3] = [36.0, 6.0, 108.0];

/// Bounds of the relative error of a derivative: it is accepted immediately below the first; it is plausible below the
/// second; from much longer steps it is taken below the third; above the fourth it is ignored if there are steps on which
/// the values do not change.
const SETTLED: f64 = 1e-10;
const SENSIBLE: f64 = 1e-2;
const CERTAIN: f64 = 1e-6;
const DOUBTFUL: f64 = 0.15;

/// A derivative with estimates of its errors.
#[derive(Clone, Copy)]
struct SlopeEstimate {
    h: f64,
    slope: f64,
    /// The truncation error.
    bend: f64,
    /// The rounding error, if values and arguments are accurate to rounding.
    rounding: f64,
    /// The rounding error including errors of the values.
    noise: f64,
    /// Whether all points have the same value: the function is constant, or too coarse for the step.
    is_flat: bool,
}

impl SlopeEstimate {
    /// By the values at `−2h, −h, 0, h, 2h`, where a step is `share` of the argument.
    #[inline]
    fn of([far_below, below, here, above, far_above]: [f64; 5], h: f64, share: f64) -> SlopeEstimate {
        let coarse = (above - below) / (2.0 * h);
        let slope = (8.0 * (above - below) - (far_above - far_below)) / (12.0 * h);
        // The error of the coarse derivative is about (h/l)²/6 of it, the error of the fine one (h/l)⁴/30.
        let apart = (slope - coarse).abs();
        let bend = apart.min(1.2 * apart * apart / slope.abs());
        let rounding = f64::EPSILON * (below.abs().max(above.abs()) / h + slope.abs() / share);
        // The fourth difference of a smooth function is less than h·apart by a factor h/l. Errors of values, and
        // kinks, make it larger: 8 times the error of a value, which changes the derivative by 1 and the difference
        // of the two by ¼.
        let fourth = (far_below - below) + (far_above - above) + 3.0 * ((here - below) + (here - above));
        let rough = fourth.abs() / h;
        let noise = if rough > 2.0 * apart { rounding + (0.15 * rough).max(4.0 * apart) } else { rounding };
        let is_flat = [far_below, below, above, far_above].iter().all(|&y| y == here);
        SlopeEstimate { h, slope, bend, rounding, noise, is_flat }
    }
    /// The difference from the derivative of a longer step, if it is more than the truncation errors explain. 0 if it
    /// is so large that the longer step is useless.
    #[inline]
    fn apart_from(&self, longer: &SlopeEstimate) -> f64 {
        let apart = (self.slope - longer.slope).abs();
        let is_told = apart > 20.0 * (self.bend + longer.bend) && apart < 0.5 * self.slope.abs();
        if is_told { apart } else { 0.0 }
    }
    /// The error relative to the derivative.
    #[inline]
    fn share(&self) -> f64 {
        (self.bend + self.noise) / self.slope.abs()
    }
}

/// The derivatives of one result.
struct Tried {
    /// From the shortest step to the longest.
    slopes: Vec<SlopeEstimate>,
}

impl Tried {
    #[inline]
    fn add(&mut self, slope: SlopeEstimate) {
        let place = self.slopes.partition_point(|other| other.h < slope.h);
        self.slopes.insert(place, slope);
    }
    /// The derivative with the smallest error. If values have errors at a shorter step, they have them at all steps.
    /// Such errors show in the points of the step, in the difference of its derivative from the next, or in values
    /// that do not change.
    #[inline]
    fn best(&self) -> Option<SlopeEstimate> {
        let is_known = |slope: &&SlopeEstimate| !slope.is_flat && !(slope.bend + slope.noise).is_nan();
        let known: Vec<SlopeEstimate> = self.slopes.iter().filter(is_known).copied().collect();
        let flat = self.slopes.iter().filter(|slope| slope.is_flat).fold(0.0, |h: f64, slope| h.max(slope.h));
        let mut level = 0.0f64;
        let with_level = |(i, slope): (usize, &SlopeEstimate)| {
            let apart = known.get(i + 1).map_or(0.0, |next| slope.apart_from(next));
            level = level.max(slope.h * slope.noise.max(apart)).max(2.0 * flat * slope.slope.abs());
            SlopeEstimate { noise: level / slope.h, ..*slope }
        };
        let surest = |a: &SlopeEstimate, b: &SlopeEstimate| (a.bend + a.noise).total_cmp(&(b.bend + b.noise));
        known.iter().enumerate().map(with_level).min_by(surest)
    }
    /// Whether a shorter step may be better: if the function bends, has a kink or is not finite. Not if its values
    /// have errors: then a longer step was better, or the last one is worse.
    #[inline]
    fn calls_for_shorter(&self, first: f64) -> bool {
        let last = self.slopes[0];
        let Some(best) = self.best() else { return !last.is_flat };
        let is_sensible = best.share() <= SENSIBLE;
        let has_errors = is_sensible && (best.h > 3.0 * first || last.share() > 4.0 * best.share());
        let may_gain = best.bend > best.rounding || best.noise > 30.0 * best.rounding;
        may_gain && best.share() > SETTLED && !has_errors && !last.is_flat
    }
    /// Whether a longer step may be better: if values have errors, or have not changed.
    #[inline]
    fn calls_for_longer(&self) -> bool {
        match self.best() {
            Some(best) => best.share() > SETTLED && best.noise >= best.bend,
            None => self.slopes.iter().all(|slope| slope.is_flat) && self.slopes.len() == 2,
        }
    }
    #[inline]
    fn result(&self) -> SteppedSlope {
        let flat = self.slopes.iter().find(|slope| slope.is_flat);
        match self.best() {
            Some(best) if best.share() > DOUBTFUL && flat.is_some() => {
                SteppedSlope { slope: 0.0, error: f64::INFINITY }
            }
            Some(best) => SteppedSlope { slope: best.slope, error: best.share() },
            None => SteppedSlope { slope: flat.map_or(f64::NAN, |flat| flat.slope), error: f64::INFINITY },
        }
    }
}

/// A derivative with its relative error: infinite where the values do not change.
#[derive(Clone, Copy)]
pub(super) struct SteppedSlope {
    pub(super) slope: f64,
    error: f64,
}

impl SteppedSlope {
    /// Whether longer steps may give more digits.
    #[inline]
    pub(super) fn is_rough(&self) -> bool {
        self.error.is_nan() || self.error > SETTLED
    }
    /// The other derivative if it has a smaller error, a very small one, and agrees with this one.
    #[inline]
    pub(super) fn or(self, other: SteppedSlope) -> SteppedSlope {
        let errors = [self, other].map(|at| at.error * at.slope.abs());
        let agrees =
            !self.error.is_finite() || (other.slope - self.slope).abs() <= 3.0 * (errors[0] + errors[1]);
        if other.error < self.error.min(CERTAIN) && agrees { other } else { self }
    }
}

/// The derivatives of all results by their values `here` and at `−4h, −2h, −h, h, 2h, 4h`. `points` returns `h` and
/// these values for a step that is a share of the argument. They give two derivatives, with `h` and `2h`.
pub(super) fn slopes(here: &[f64], points: impl Fn(f64) -> (f64, [Vec<f64>; 6])) -> Vec<SteppedSlope> {
    let mut results: Vec<Tried> = here.iter().map(|_| Tried { slopes: Vec::new() }).collect();
    let take = |results: &mut [Tried], share: f64| {
        let (h, y) = points(share);
        for (i, tried) in results.iter_mut().enumerate() {
            let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|k| y[k][i]);
            tried.add(SlopeEstimate::of([b, c, here[i], d, e], h, share));
            tried.add(SlopeEstimate::of([a, b, here[i], e, f], 2.0 * h, 2.0 * share));
        }
    };
    take(&mut results, FIRST);
    let first = results.first().map_or(0.0, |tried| tried.slopes[0].h);
    let mut factors = LONGER.iter();
    let mut go_longer = |results: &mut Vec<Tried>| {
        while results.iter().any(Tried::calls_for_longer) {
            let Some(factor) = factors.next() else { return };
            take(results, factor * FIRST);
        }
    };
    go_longer(&mut results);
    let mut share = FIRST;
    for _ in 0..SHORTER.1 {
        if !results.iter().any(|tried| tried.calls_for_shorter(first)) {
            break;
        }
        share *= SHORTER.0;
        take(&mut results, share);
    }
    // Where a shorter step has shown values to have errors.
    go_longer(&mut results);
    results.iter().map(Tried::result).collect()
}
