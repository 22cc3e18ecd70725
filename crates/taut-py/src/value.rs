//! Python's values as JSON: what the types of scene files are read from.

use crate::SceneError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

/// Deeper values are taken for a mistake (a list that holds itself).
const MOST_DEPTH: usize = 64;

/// A value as JSON. Entries of dictionaries that are `None` are left out; arrays become lists.
/// `place` names the value in errors.
pub fn to_json(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Value> {
    convert(value, place, 0)
}

fn convert(value: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
    let wrong = |message: String| Err(SceneError::new_err(format!("{place}: {message}")));
    if depth > MOST_DEPTH {
        return wrong("is nested too deeply".into());
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(b) = value.cast::<PyBool>() {
        return Ok(Value::Bool(b.is_true()));
    }
    if let Ok(i) = value.cast::<PyInt>() {
        let number =
            i.extract::<i64>().map(Number::from).or_else(|_| i.extract::<u64>().map(Number::from));
        return match number {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => wrong(format!("{i} is too large")),
        };
    }
    if let Ok(x) = value.cast::<PyFloat>() {
        return match Number::from_f64(x.value()) {
            Some(number) => Ok(Value::Number(number)),
            None => wrong(format!("expected a finite number, found {}", x.value())),
        };
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_string()));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut map = Map::new();
        for (key, entry) in dict.iter() {
            let Ok(key) = key.cast::<PyString>() else {
                return wrong(format!("expected names, found {}", key.repr()?));
            };
            let key = key.to_str()?;
            if !entry.is_none() {
                map.insert(key.into(), convert(&entry, &format!("{place}.{key}"), depth + 1)?);
            }
        }
        return Ok(Value::Object(map));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.enumerate();
        let items = items.map(|(i, x)| convert(&x?, &format!("{place}[{i}]"), depth + 1));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    // Arrays and scalars of numpy, and whatever behaves like them.
    if value.hasattr("tolist")? {
        return convert(&value.call_method0("tolist")?, place, depth + 1);
    }
    wrong(format!(
        "expected numbers, names, lists or dictionaries, found {}",
        value.get_type().name()?
    ))
}
