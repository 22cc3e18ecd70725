//! `<default>` classes: attributes that elements have unless they say otherwise.

use crate::error::ImportError;
use crate::xml::Element;
use std::collections::BTreeMap;

/// The class of all elements that name none.
pub(super) const MAIN: &str = "main";

/// Attributes of a class by tag, with those of the classes around it; and its actuators, one after the other, because
/// all tags of actuators say something about the same thing.
#[derive(Clone, Debug, Default)]
struct Class {
    attributes: BTreeMap<String, Vec<(String, String)>>,
    actuators: Vec<Element>,
}

/// All classes by name.
#[derive(Clone, Debug)]
pub(super) struct Defaults(BTreeMap<String, Class>);

/// Tags that make actuators.
pub(super) const ACTUATORS: [&str; 10] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "plugin",
];

impl Defaults {
    pub(super) fn read(root: &Element) -> Result<Self, ImportError> {
        let mut all = Defaults(BTreeMap::from([(MAIN.to_string(), Class::default())]));
        for element in root.all("default") {
            if element.model > 0 {
                // Of a model that was attached: a class like others, without those of this one.
                let class = all.add(element, Class::default())?;
                all.0.insert(element.need("class")?.to_string(), class);
                continue;
            }
            // The outermost class is the main one, whatever its name.
            let name = element.get("class").unwrap_or(MAIN).to_string();
            let class = all.add(element, all.0[MAIN].clone())?;
            all.0.insert(MAIN.into(), class.clone());
            all.0.insert(name, class);
        }
        Ok(all)
    }

    /// Reads a class and those in it.
    fn add(&mut self, element: &Element, mut class: Class) -> Result<Class, ImportError> {
        for child in element.children.iter().filter(|c| c.tag != "default") {
            if ACTUATORS.contains(&child.tag.as_str()) {
                class.actuators.push(child.clone());
                continue;
            }
            let known = class.attributes.entry(child.tag.clone()).or_default();
            for (name, value) in &child.attributes {
                known.retain(|(n, _)| n != name);
                known.push((name.clone(), value.clone()));
            }
        }
        for child in element.all("default") {
            let name = child.need("class")?.to_string();
            if child.model == 0 && self.0.contains_key(&name) {
                return Err(child.error(format!("a second default class is named '{name}'")));
            }
            let inner = self.add(child, class.clone())?;
            self.0.insert(name, inner);
        }
        Ok(class)
    }

    fn class(&self, element: &Element, around: &str) -> Result<&Class, ImportError> {
        let name = element.get("class").unwrap_or(around);
        self.0.get(name).ok_or_else(|| element.error(format!("no default class is named '{name}'")))
    }

    /// The element with what its class, or else the one around it, adds; without children.
    pub(super) fn complete(&self, element: &Element, around: &str) -> Result<Element, ImportError> {
        let class = self.class(element, around)?;
        let mut whole = Element { children: Vec::new(), ..element.clone() };
        for (name, value) in class.attributes.get(&element.tag).into_iter().flatten() {
            // One way to say an orientation or a place replaces all others.
            let same = |n: &str| n == name || (turns(n) && turns(name));
            if !element.attributes.iter().any(|(n, _)| same(n)) {
                whole.attributes.push((name.clone(), value.clone()));
            }
        }
        Ok(whole)
    }

    /// What the class of an actuator says, then the actuator itself.
    pub(super) fn actuator<'a>(
        &'a self,
        element: &'a Element,
    ) -> Result<Vec<&'a Element>, ImportError> {
        let class = self.class(element, MAIN)?;
        Ok(class.actuators.iter().chain([element]).collect())
    }
}

fn turns(name: &str) -> bool {
    super::compiler::ORIENTATIONS.contains(&name)
}
