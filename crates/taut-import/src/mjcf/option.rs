//! `<option>` and its `<flag>`: parts of the model that do not count.

use crate::error::{ImportError, Notes};
use crate::xml::Element;
use std::collections::BTreeSet;

/// Names of flags that are disabled.
#[derive(Clone, Debug, Default)]
pub(super) struct Disabled(BTreeSet<String>);

/// Flags that parts of the model go by.
const KNOWN: [&str; 13] = [
    "constraint",
    "passive",
    "contact",
    "actuation",
    "limit",
    "spring",
    "damper",
    "frictionloss",
    "equality",
    "gravity",
    "filterparent",
    "clampctrl",
    "fluid",
];

/// Flags about how MuJoCo computes, not what.
const HARMLESS: [&str; 12] = [
    "warmstart",
    "autoreset",
    "sensor",
    "eulerdamp",
    "refsafe",
    "midphase",
    "nativeccd",
    "island",
    "energy",
    "fwdinv",
    "invdiscrete",
    "multiccd",
];

impl Disabled {
    pub(super) fn read(root: &Element, notes: &mut Notes) -> Result<Self, ImportError> {
        let mut own = Disabled::default();
        for option in root.all("option") {
            for flag in option.all("flag") {
                own.add(flag, notes);
            }
        }
        for option in root.all("option") {
            for name in ["density", "viscosity", "wind"] {
                let acts = option.list(name)?.unwrap_or_default().iter().any(|x| *x != 0.0);
                if acts && !own.has("fluid") {
                    let message = format!("option: {name}: forces of fluids are left out");
                    notes.add(&option.place, message);
                }
            }
        }
        Ok(own)
    }

    fn add(&mut self, flag: &Element, notes: &mut Notes) {
        for (name, value) in &flag.attributes {
            if KNOWN.contains(&name.as_str()) {
                match value.as_str() {
                    "disable" => {
                        self.0.insert(name.clone());
                    }
                    "enable" => {
                        self.0.remove(name);
                    }
                    _ => {
                        let expected = "expected enable or disable";
                        notes.add(
                            &flag.place,
                            format!("flag '{name}': {expected}, found '{value}'"),
                        );
                    }
                }
            } else if !HARMLESS.contains(&name.as_str()) {
                notes.add(&flag.place, format!("flag '{name}' is not read"));
            }
        }
    }

    /// Whether a part is disabled, by its own flag or one around it.
    pub(super) fn has(&self, name: &str) -> bool {
        let around = match name {
            "contact" | "limit" | "frictionloss" | "equality" => "constraint",
            "spring" | "damper" | "fluid" => "passive",
            _ => name,
        };
        self.0.contains(name) || self.0.contains(around)
    }
}
