//! What the command says: answers on stdout, everything else on stderr.

use std::io::{ErrorKind, Write};

use crate::failure::Failure;

/// Writes an answer. A reader that went away early is no failure.
pub fn text(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("stdout: cannot be written: {e}"), "is the disk full?"))
        }
        _ => Ok(()),
    }
}

/// Writes one JSON document.
pub fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let document = serde_json::to_string_pretty(value)
        .map_err(|e| Failure::new(format!("the report: {e}"), "this is a bug of taut"))?;
    text(&format!("{document}\n"))
}

/// Reason and hint. Where stderr is closed there is nobody to tell.
pub fn failure(failure: &Failure) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "taut: {}\nhint: {}", failure.reason, failure.hint);
}

/// Something the user should know of, on stderr.
pub fn warning(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "taut: warning: {text}");
}
