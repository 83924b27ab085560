//! Problems in the format of *Bundle Adjustment in the Large* (Agarwal et al., 2010), as plain text.
//!
//! ```text
//! cameras points observations
//! camera point x y             for each observation, counted from 0, in pixels
//! nine numbers for each camera, one to a line: rotation vector, translation, focal length, k₁, k₂
//! three numbers for each point
//! ```
//!
//! Cameras of this format look along −z. A point appears at minus the pixel of our cameras, so pixels are read with
//! the opposite sign.

use std::path::Path;
use std::str::{FromStr, SplitWhitespace};

use super::camera::PARAMETERS;
use super::failure::{Failure, Result, failure, quoted};
use super::scene::{Observation, Scene};

/// Reads a problem.
pub fn read(path: &Path) -> Result<Scene> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    parse(&text).map_err(|error| error.at(path.display()))
}

/// A problem from its text.
pub fn parse(text: &str) -> Result<Scene> {
    let mut words = Words(text.split_whitespace());
    let [cameras, points, count] = [
        words.next("the number of cameras")?,
        words.next("the number of points")?,
        words.next("the number of observations")?,
    ];
    // No memory is reserved for more items than the text can hold.
    let most = text.len();
    if [cameras, points, count].iter().any(|&n: &usize| n > most) {
        return failure("more cameras, points or observations than the file can hold");
    }
    let mut observations = Vec::with_capacity(count);
    for i in 0..count {
        let (camera, point): (usize, usize) = (words.next("a camera")?, words.next("a point")?);
        if camera >= cameras || point >= points {
            return failure(format!(
                "observation {i} is of camera {camera} and point {point}, of {cameras} and {points}"
            ));
        }
        let [x, y] = [words.finite("a pixel")?, words.finite("a pixel")?];
        observations.push(Observation { camera, point, pixel: [-x, -y] });
    }
    let mut eyes = Vec::with_capacity(PARAMETERS * cameras);
    for _ in 0..PARAMETERS * cameras {
        eyes.push(words.finite("a parameter of a camera")?);
    }
    let mut start = Vec::with_capacity(3 * points + eyes.len());
    for _ in 0..3 * points {
        start.push(words.finite("a coordinate")?);
    }
    start.extend(eyes);
    match words.0.next() {
        None => Ok(Scene::new(cameras, points, observations, None, start)),
        Some(word) => failure(format!("{} after the last point", quoted(word))),
    }
}

/// The words of the text that are left.
struct Words<'t>(SplitWhitespace<'t>);

impl Words<'_> {
    fn next<N: FromStr>(&mut self, what: &str) -> Result<N> {
        let Some(word) = self.0.next() else { return failure(format!("{what} expected at the end")) };
        word.parse().map_err(|_| Failure::new(format!("{what} expected, not {}", quoted(word))))
    }
    fn finite(&mut self, what: &str) -> Result<f64> {
        match self.next(what)? {
            number if f64::is_finite(number) => Ok(number),
            number => failure(format!("{what} is {number}")),
        }
    }
}
