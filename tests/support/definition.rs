//! Programs run by their definition: operation by operation, each by `evaluate`.

use wengert::AdError;
use wengert::programs::{Op, Program, Shared, evaluate};

/// The results of a program; the error of a guard has its line, but no names.
pub fn by_definition(program: &Program, x: &[f64]) -> Result<Vec<f64>, AdError> {
    let code = program.code();
    let (mut values, mut shared) = (vec![f64::NAN; code.ops.len()], Shared::default());
    shared.start(program.calls());
    let mut guards = code.guards.iter().peekable();
    for i in 0..=code.ops.len() {
        while let Some(guard) = guards.next_if(|guard| guard.position as usize <= i) {
            if guard.condition.outcome(|x| values[x as usize]) != guard.expected {
                let (op, recorded) = ("", String::new());
                return Err(AdError::BranchChanged { op, recorded, location: guard.location.clone() });
            }
        }
        match code.ops.get(i) {
            Some(&Op::Input(k)) => values[i] = x[k as usize],
            Some(&Op::Call(k)) => {
                let y = shared.run(&program.calls()[k as usize], |x| values[x as usize])?;
                values[i + 1..=i + y.len()].copy_from_slice(&y);
            }
            Some(Op::CallResult(_)) | None => {}
            Some(&op) => values[i] = evaluate(op, &code.rules, |x| values[x as usize]),
        }
    }
    Ok(code.outputs.iter().map(|&y| values[y as usize]).collect())
}

/// Whether the results of a program are the results of its definition: the same bits, NaN and NaN, or the same error.
pub fn is_defined(program: &Program, x: &[f64], got: &Result<Vec<f64>, AdError>) -> bool {
    let same = |(g, w): (&f64, &f64)| g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan();
    match (got, by_definition(program, x)) {
        (Ok(got), Ok(want)) => got.len() == want.len() && got.iter().zip(&want).all(same),
        (
            Err(AdError::BranchChanged { location: got, .. }),
            Err(AdError::BranchChanged { location, op: "", .. }),
        ) => *got == location,
        (Err(got), Err(want)) => *got == want,
        _ => false,
    }
}
