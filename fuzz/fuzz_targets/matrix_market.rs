//! Four files, a zero byte between them: an error or a problem, never a panic.
//! A problem that was read must come back from what it is written as.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_lcp::io::matrix_market::{FILES, read_texts, read_vector, write_texts};

fuzz_target!(|data: &[u8]| {
    let _ = read_vector(data, "x.mtx");
    let mut parts = data.splitn(FILES.len(), |c| *c == 0);
    let texts = FILES.map(|_| parts.next().unwrap_or_default());
    let Ok(problem) = read_texts("fuzz", texts) else { return };
    let written = write_texts(&problem).expect("a boxed problem can be written");
    let again = read_texts("again", written.each_ref().map(|t| t.as_bytes()))
        .expect("what was written can be read");
    assert_eq!(again.b, problem.b);
    assert_eq!(again.laws, problem.laws);
});
