//! Solvers with settings, as one word: `psor:relaxation=1.2`.

use serde_json::{Map, Value};
use taut_lcp::{SolverConfig, matrix_free::bpp_pcg, matrix_free::pgcg};

use crate::failure::Failure;

/// A solver and the words it was chosen by.
pub struct Chosen {
    pub label: String,
    pub config: SolverConfig,
}

/// NAME, then any number of :SETTING=VALUE or :PRESET.
pub fn config(given: &str) -> Result<Chosen, Failure> {
    let (name, words) = given.split_once(':').unwrap_or((given, ""));
    let mut config = SolverConfig::named(name)?;
    for word in words.split(':').filter(|w| !w.is_empty()) {
        config = match word.split_once('=') {
            Some((path, value)) => with_setting(&config, path, value),
            None => preset(name, word),
        }
        .map_err(|reason| {
            let hint = "NAME, NAME:SETTING=VALUE, or NAME:PRESET; taut list shows the names";
            Failure::new(format!("solver '{given}': {reason}"), hint)
        })?;
    }
    Ok(Chosen { label: given.into(), config })
}

fn preset(name: &str, word: &str) -> Result<SolverConfig, String> {
    match (name, word) {
        ("bpp_pcg", "ho22") => Ok(SolverConfig::BppPcg(bpp_pcg::Settings::ho22())),
        ("pgcg", "ho22") => Ok(SolverConfig::Pgcg(pgcg::Settings::ho22())),
        _ => Err(format!("there is no preset '{word}' of {name}")),
    }
}

/// The same with one setting changed; settings that are off are switched on.
fn with_setting(config: &SolverConfig, path: &str, value: &str) -> Result<SolverConfig, String> {
    let mut tree = serde_json::to_value(config).map_err(|e| e.to_string())?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.into()));
    let mut place = &mut tree[config.name()];
    for key in path.split('.') {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        let object = place.as_object_mut().ok_or_else(|| format!("'{path}' is no setting"))?;
        place = object.entry(key).or_insert(Value::Null);
    }
    *place = value;
    serde_json::from_value(tree).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_presets() {
        let chosen = config("psor:relaxation=1.2").ok().expect("valid");
        let SolverConfig::Psor(settings) = &chosen.config else { panic!("psor") };
        assert_eq!((settings.relaxation, chosen.label.as_str()), (1.2, "psor:relaxation=1.2"));
        let chosen = config("bpp_pcg:ho22:pcg.precondition.kind=jacobi:adaptive.pivot_limit=5");
        let SolverConfig::BppPcg(settings) = chosen.ok().expect("valid").config else {
            panic!("bpp_pcg")
        };
        assert_eq!(settings.inner_tolerance, Some(1e-6));
        assert_eq!(settings.adaptive.map(|a| a.pivot_limit), Some(5));
        assert_eq!(
            settings.pcg.precondition.kind,
            taut_lcp::matrix_free::precondition::Kind::Jacobi
        );
        for wrong in ["psor:relax=1", "psor:relaxation=x", "bpp:ho22", "nothing", "psor:a.b=1"] {
            assert!(config(wrong).is_err(), "{wrong}");
        }
    }
}
