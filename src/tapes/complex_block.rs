//! Primitives of complex variables: one map of real and imaginary parts.
//!
//! With `⟨a, b⟩ = Re(conj(a)·b)` the adjoint of a complex-linear map is its conjugate transpose, which as a map of
//! real and imaginary parts is the real transpose. So cotangents are packed as `re + i·im`, propagated by the complex
//! map, and split again.

use super::complex::ComplexVar;
use super::operand::Operand;
use super::record::MapBlock;
use super::recording::{record_block, tape_of};
use super::var::Var;
use crate::error::AdError;
use crate::lift::{Direction, Primitive, values_of, views, views_of_some, views_of_some_mut};
use crate::linear_map::LinearMap;
use crate::number::{Number, Real};

/// Numbers of these parts.
fn pack<T: Real>(re: &[T], im: &[T]) -> Vec<T::Complex> {
    re.iter().zip(im).map(|(&re, &im)| T::Complex::from_parts(re, im)).collect()
}

/// A linear map of complex groups as a map of twice as many real groups: the real parts and the imaginary parts of
/// each group. The results are all real parts, then all imaginary parts.
struct PartsOfComplex<T: Real>(Box<dyn LinearMap<T::Complex>>);

impl<T: Real> LinearMap<T> for PartsOfComplex<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let group = |parts: &[Option<&[T]>]| {
            let zeros = vec![T::lit(0.0); parts.iter().flatten().next()?.len()];
            Some(pack(parts[0].unwrap_or(&zeros), parts[1].unwrap_or(&zeros)))
        };
        let groups: Vec<Option<Vec<T::Complex>>> = tangents.chunks_exact(2).map(group).collect();
        let (re, im) = out.split_at_mut(out.len() / 2);
        let mut results = vec![T::Complex::lit(0.0); re.len()];
        self.0.apply(&views_of_some(&groups), &mut results);
        for ((re, im), y) in re.iter_mut().zip(im).zip(results) {
            (*re, *im) = (y.re(), y.im());
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (re, im) = cotangent.split_at(cotangent.len() / 2);
        let buffer = |parts: &[Option<&mut [T]>]| {
            let len = parts.iter().flatten().next()?.len();
            Some(vec![T::Complex::lit(0.0); len])
        };
        let mut groups: Vec<Option<Vec<T::Complex>>> = out.chunks_exact(2).map(buffer).collect();
        self.0.apply_transpose_add(&pack(re, im), &mut views_of_some_mut(&mut groups));
        for (parts, group) in out.chunks_exact_mut(2).zip(&groups) {
            let [re, im] = parts else { unreachable!("pairs") };
            let group = || group.iter().flatten();
            re.iter_mut().flat_map(|out| out.iter_mut()).zip(group()).for_each(|(out, x)| *out += x.re());
            im.iter_mut().flat_map(|out| out.iter_mut()).zip(group()).for_each(|(out, x)| *out += x.im());
        }
    }
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A primitive on a tape of the parts.
#[track_caller]
pub(super) fn record<T: Real, R>(rule: &R, x: &[&[ComplexVar<T>]]) -> Result<Vec<ComplexVar<T>>, AdError>
where
    R: Primitive<<T::Complex as Number>::Primal>,
{
    let values = values_of(x, R::HELD, ComplexVar::value);
    let y = T::Complex::lift_primitive(rule, &views(&values))?;
    if is_passive(x) {
        return Ok(y.into_iter().map(ComplexVar::constant).collect());
    }
    Direction::Vjp.demand(rule)?;
    let map = PartsOfComplex(Box::new(rule.linearize(values, &y)?));
    Ok(record_parts(x, &y, map, rule.name(), rule.supports(Direction::Jvp)))
}

fn is_passive<T: Real>(x: &[&[ComplexVar<T>]]) -> bool {
    x.iter().flat_map(|group| group.iter()).all(ComplexVar::is_passive)
}

/// Records a map of the parts of active groups.
#[track_caller]
fn record_parts<T: Real>(
    x: &[&[ComplexVar<T>]],
    y: &[T::Complex],
    map: PartsOfComplex<T>,
    name: &'static str,
    applies: bool,
) -> Vec<ComplexVar<T>> {
    let part = |group: &&[ComplexVar<T>], part: fn(ComplexVar<T>) -> Var<T>| -> Vec<Var<T>> {
        group.iter().map(|&x| part(x)).collect()
    };
    let parts: Vec<_> = x.iter().flat_map(|g| [part(g, Number::re), part(g, Number::im)]).collect();
    let values: Vec<T> = y.iter().map(|y| y.re()).chain(y.iter().map(|y| y.im())).collect();
    let parts = views(&parts);
    let tape = tape_of(&parts).expect("an active variable");
    let (operands, _) = Operand::read_all(&parts, tape, parts.len());
    let block = MapBlock { name, operands, outputs: values.len(), map: Box::new(map), applies };
    let results = record_block(tape, &values, block);
    let (re, im) = results.split_at(y.len());
    re.iter().zip(im).map(|(&re, &im)| ComplexVar::new(re, im)).collect()
}
