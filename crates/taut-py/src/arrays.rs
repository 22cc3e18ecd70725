//! Arrays of Python as vectors.

use crate::Error;
use numpy::{PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

/// Values of an array. Copied at once: Python may change them while a solve runs.
pub fn copied(array: &PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
    array.to_vec().map_err(|e| Error::new_err(e.to_string()))
}

/// Starts and indices of compressed rows come as 32- or 64-bit numbers.
#[derive(FromPyObject)]
pub enum Integers<'py> {
    Short(PyReadonlyArray1<'py, i32>),
    Long(PyReadonlyArray1<'py, i64>),
}

impl Integers<'_> {
    /// Where rows begin; `what` names them in errors. First the range, then the numbers: both loops
    /// are vectorized.
    pub fn starts(&self, what: &str) -> PyResult<Vec<usize>> {
        let wrong = || Error::new_err(format!("{what}: a number is negative"));
        match self {
            Integers::Short(a) => {
                let a = a.as_array();
                let fits = a.iter().fold(0, |all, i| all | *i) >= 0;
                fits.then(|| a.iter().map(|&i| i as usize).collect()).ok_or_else(wrong)
            }
            Integers::Long(a) => {
                let a = a.as_array();
                let fits = a.iter().fold(0, |all, i| all | *i) >= 0;
                fits.then(|| a.iter().map(|&i| i as usize).collect()).ok_or_else(wrong)
            }
        }
    }

    /// The numbers of columns, likewise.
    pub fn indices(&self, what: &str) -> PyResult<Vec<u32>> {
        let wrong = || Error::new_err(format!("{what}: a number is negative or too large"));
        match self {
            Integers::Short(a) => {
                let a = a.as_array();
                let fits = a.iter().fold(0, |all, i| all | *i) >= 0;
                fits.then(|| a.iter().map(|&i| i as u32).collect()).ok_or_else(wrong)
            }
            Integers::Long(a) => {
                let a = a.as_array();
                let fits = a.iter().fold(0, |all, i| all | *i) >> 32 == 0;
                fits.then(|| a.iter().map(|&i| i as u32).collect()).ok_or_else(wrong)
            }
        }
    }
}
