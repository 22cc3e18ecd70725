//! Sensors: accelerometer, gyro, force, torque, touch and rangefinder at sites, jointpos and jointvel.

use super::Model;
use crate::error::ImportError;
use crate::sensor::{Measure, SensorKind};
use crate::xml::Element;

/// How far a rangefinder sees without a word \[m\].
const FAR: f64 = 1e3;

impl Model<'_> {
    pub(super) fn add_sensors(&mut self, root: &Element) -> Result<(), ImportError> {
        let mut others: Vec<&Element> = Vec::new();
        for (i, e) in root.all("sensor").flat_map(|s| &s.children).enumerate() {
            let kind = match e.tag.as_str() {
                "accelerometer" => SensorKind::Accelerometer,
                "gyro" => SensorKind::Gyro,
                "force" | "torque" => SensorKind::ForceTorque,
                "touch" => SensorKind::Contact,
                "rangefinder" if e.get("site").is_some() => SensorKind::Range,
                "jointpos" | "jointvel" => SensorKind::Joint,
                _ => {
                    others.push(e);
                    continue;
                }
            };
            let name = e.get("name").map_or_else(|| format!("sensor{i}"), str::to_string);
            let at = if kind == SensorKind::Joint {
                Err(e.need("joint")?.to_string())
            } else {
                e.need("site")?;
                let spot = self.site(e, "site")?.ok_or_else(|| e.error("'site' is missing"))?;
                match kind {
                    SensorKind::ForceTorque => match self.joint_above(spot.link) {
                        Some(joint) => Err(joint),
                        None => {
                            others.push(e);
                            continue;
                        }
                    },
                    _ => Ok(spot),
                }
            };
            let max = e.number_or("cutoff", 0.0)?;
            let max = if max > 0.0 { max } else { FAR };
            self.machine.sensors.push(Measure { name, kind, at, max });
        }
        if let Some(first) = others.first() {
            let more = others.len() - 1;
            let words = if more == 0 { " is".into() } else { format!(" and {more} more are") };
            self.notes.add(&first.place, format!("sensor {}{words} left out", first.label()));
        }
        Ok(())
    }

    /// The joint that a link, or the one it is fixed to, hangs on.
    fn joint_above(&self, mut link: Option<usize>) -> Option<String> {
        while let Some(i) = link {
            let own = &self.machine.links[i];
            if own.free {
                return None;
            }
            if let Some(motion) = own.motions.last() {
                return Some(motion.name.clone());
            }
            link = own.parent;
        }
        None
    }
}
