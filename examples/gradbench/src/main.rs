//! A tool of GradBench: a message on each line of the input, a response on each line of the output.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(output, "{}", gradbench::answer(&line?))?;
        output.flush()?;
    }
    Ok(())
}
