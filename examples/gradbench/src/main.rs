//! A tool of GradBench: a message on each line of the input, a response on each line of the output.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    // Lines of bytes: one that is no text is answered like other faults.
    for line in io::stdin().lock().split(b'\n') {
        writeln!(output, "{}", gradbench::answer(&String::from_utf8_lossy(&line?)))?;
        output.flush()?;
    }
    Ok(())
}
