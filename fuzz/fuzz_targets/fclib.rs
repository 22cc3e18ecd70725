//! An HDF5 file: an error or a problem, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = taut_lcp::io::fclib::read_bytes(data.to_vec(), "fuzz.hdf5");
});
