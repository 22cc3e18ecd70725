//! Sensors of links and joints.

use super::Reader;
use super::frames::Frames;
use super::link::pose_of;
use crate::error::ImportError;
use crate::machine::Spot;
use crate::sensor::{Measure, SensorKind};
use crate::xml::Element;
use std::f64::consts::FRAC_PI_2;
use taut::math::{Pose, Quat, Vec3};

/// How far a lidar sees without a word \[m\].
const FAR: f64 = 1e3;

impl Reader<'_> {
    /// Those of the link that was read last: an IMU is an accelerometer and a gyro, a lidar of one ray sees along its x.
    pub(super) fn sensors(
        &mut self,
        link: &Element,
        prefix: &str,
        frames: &Frames,
    ) -> Result<(), ImportError> {
        let index = Some(self.machine.links.len());
        for e in link.all("sensor") {
            let own = link.get("name").unwrap_or_default();
            let name = format!("{prefix}{own}::{}", e.get("name").unwrap_or("sensor"));
            let pose = pose_of(e, link, frames)?;
            let mut add = |name: String, kind: SensorKind, pose: Pose, max: f64| {
                let at = Ok(Spot { link: index, pose });
                self.machine.sensors.push(Measure { name, kind, at, max });
            };
            match e.get("type").unwrap_or_default() {
                "imu" => {
                    add(format!("{name}.acceleration"), SensorKind::Accelerometer, pose, FAR);
                    add(format!("{name}.rate"), SensorKind::Gyro, pose, FAR);
                }
                "contact" => add(name, SensorKind::Contact, pose, FAR),
                "ray" | "lidar" | "gpu_ray" | "gpu_lidar" if rays(e) == Some(1) => {
                    let along = Pose::from_parts(Vec3::ZERO, Quat::from_rotation_y(FRAC_PI_2));
                    add(name, SensorKind::Range, pose * along, range(e)?);
                }
                other => {
                    let message = format!("{}: sensors of type '{other}' are left out", e.label());
                    self.notes.add(&e.place, message);
                }
            }
        }
        Ok(())
    }

    /// Those of a joint.
    pub(super) fn joint_sensors(&mut self, joint: &Element, prefix: &str) {
        for e in joint.all("sensor") {
            let own = format!("{prefix}{}", joint.get("name").unwrap_or_default());
            let kind = e.get("type").unwrap_or_default();
            if kind != "force_torque" || joint.get("type") == Some("fixed") {
                let message = format!("{}: sensors of type '{kind}' are left out here", e.label());
                self.notes.add(&e.place, message);
                continue;
            }
            let name = format!("{own}::{}", e.get("name").unwrap_or("sensor"));
            let kind = SensorKind::ForceTorque;
            self.machine.sensors.push(Measure { name, kind, at: Err(own), max: FAR });
        }
    }
}

fn inside<'a>(e: &'a Element, path: &[&str]) -> Option<&'a Element> {
    path.iter().try_fold(e, |e, tag| e.child(tag))
}

/// How many rays it has.
fn rays(e: &Element) -> Option<u64> {
    let scan = ["ray", "lidar"].iter().find_map(|tag| inside(e, &[tag, "scan"]))?;
    let of = |tag| inside(scan, &[tag, "samples"]).map_or(Some(1), |s| s.text.parse::<u64>().ok());
    of("horizontal")?.checked_mul(of("vertical")?)
}

fn range(e: &Element) -> Result<f64, ImportError> {
    let max = ["ray", "lidar"].iter().find_map(|tag| inside(e, &[tag, "range", "max"]));
    let max = max.map(|m| m.text_array::<1>()).transpose()?.map_or(FAR, |[x]| x);
    Ok(if max > 0.0 { max } else { FAR })
}
