//! `<compiler>`: how the rest of the model is meant; and orientations, which depend on it.

use crate::error::ImportError;
use crate::placement;
use crate::xml::Element;
use std::path::{Path, PathBuf};
use taut::math::{Pose, Quat, Vec3};

/// Attributes that say how something is turned.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "euler", "axisangle", "xyaxes", "zaxis"];

/// What the elements `compiler` say, all of them together.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    degrees: bool,
    sequence: Vec<char>,
    pub(super) autolimits: bool,
    pub(super) mesh_folder: PathBuf,
    pub(super) strip_path: bool,
    /// Always, never, or where a body has no `inertial`.
    pub(super) inertia_from_geoms: Option<bool>,
    pub(super) inertia_groups: [f64; 2],
    pub(super) balance: bool,
    /// Shapes are fitted to the bounds of meshes.
    pub(super) fit_bounds: bool,
    /// Frames of free bodies are meant to be those of their inertia.
    pub(super) align_free: bool,
    pub(super) least_mass: f64,
    pub(super) least_inertia: f64,
    pub(super) total_mass: Option<f64>,
}

impl Compiler {
    /// Of a model in a folder.
    pub(super) fn read(root: &Element, folder: &Path) -> Result<Self, ImportError> {
        let mut c = Compiler {
            degrees: true,
            sequence: vec!['x', 'y', 'z'],
            autolimits: true,
            mesh_folder: PathBuf::new(),
            strip_path: false,
            inertia_from_geoms: None,
            inertia_groups: [0.0, 5.0],
            balance: false,
            fit_bounds: false,
            align_free: false,
            least_mass: 0.0,
            least_inertia: 0.0,
            total_mass: None,
        };
        for element in root.all("compiler") {
            c.add(element)?;
        }
        c.mesh_folder = folder.join(&c.mesh_folder);
        Ok(c)
    }

    fn add(&mut self, e: &Element) -> Result<(), ImportError> {
        let flag = |name: &str, old: bool| e.get(name).map_or(old, |v| v == "true");
        self.degrees = e.get("angle").map_or(self.degrees, |v| v != "radian");
        self.autolimits = flag("autolimits", self.autolimits);
        self.strip_path = flag("strippath", self.strip_path);
        self.balance = flag("balanceinertia", self.balance);
        self.fit_bounds = flag("fitaabb", self.fit_bounds);
        self.align_free = flag("alignfree", self.align_free);
        if let Some(folder) = e.get("assetdir") {
            self.mesh_folder = folder.into();
        }
        if let Some(folder) = e.get("meshdir") {
            self.mesh_folder = folder.into();
        }
        if let Some(text) = e.get("eulerseq") {
            self.sequence = text.chars().collect();
            if self.sequence.len() != 3 || self.sequence.iter().any(|c| !"xyzXYZ".contains(*c)) {
                return Err(
                    e.error(format!("'eulerseq': expected three of x, y, z, found '{text}'"))
                );
            }
        }
        match e.get("inertiafromgeom") {
            None => {}
            Some("auto") => self.inertia_from_geoms = None,
            Some(text) => self.inertia_from_geoms = Some(text == "true"),
        }
        self.inertia_groups = e.array("inertiagrouprange")?.unwrap_or(self.inertia_groups);
        self.least_mass = e.at_least_0("boundmass", self.least_mass)?;
        self.least_inertia = e.at_least_0("boundinertia", self.least_inertia)?;
        if let Some(mass) = e.number("settotalmass")? {
            self.total_mass = (mass > 0.0).then_some(mass);
        }
        Ok(())
    }

    /// An angle of the file in rad.
    pub(super) fn angle(&self, x: f64) -> f64 {
        if self.degrees { x.to_radians() } else { x }
    }

    /// The pose of an element.
    pub(super) fn pose(&self, e: &Element) -> Result<Pose, ImportError> {
        let position = e.array::<3>("pos")?.unwrap_or_default();
        Ok(Pose::from_parts(position.into(), self.orientation(e)?.unwrap_or(Quat::IDENTITY)))
    }

    /// The orientation of an element, if it says one.
    pub(super) fn orientation(&self, e: &Element) -> Result<Option<Quat>, ImportError> {
        let wrong = |name: &str| e.error(format!("'{name}' has no direction"));
        let mut said = ORIENTATIONS.iter().filter(|name| e.get(name).is_some());
        if let (Some(first), Some(second)) = (said.next(), said.next()) {
            let message = format!("both '{first}' and '{second}' say how it is turned");
            return Err(e.error(message));
        }
        if let Some([x, y, z, angle]) = e.array::<4>("axisangle")? {
            let turn = placement::about(Vec3::new(x, y, z), self.angle(angle));
            return turn.map(Some).ok_or_else(|| wrong("axisangle"));
        }
        if let Some([a, b, c, d, f, g]) = e.array::<6>("xyaxes")? {
            let turn = placement::from_xy(Vec3::new(a, b, c), Vec3::new(d, f, g));
            return turn.map(Some).ok_or_else(|| wrong("xyaxes"));
        }
        if let Some(z) = e.array::<3>("zaxis")? {
            return placement::from_z(z.into()).map(Some).ok_or_else(|| wrong("zaxis"));
        }
        if let Some(angles) = e.array::<3>("euler")? {
            return Ok(Some(self.euler(angles)));
        }
        match e.array::<4>("quat")? {
            Some(q) => placement::from_wxyz(q).map(Some).ok_or_else(|| wrong("quat")),
            None => Ok(None),
        }
    }

    /// Small letters turn about axes that turn along, capital ones about fixed axes.
    pub(super) fn euler(&self, angles: [f64; 3]) -> Quat {
        let mut q = Quat::IDENTITY;
        for (axis, angle) in self.sequence.iter().zip(angles) {
            let angle = self.angle(angle);
            let turn = match axis.to_ascii_lowercase() {
                'x' => Quat::from_rotation_x(angle),
                'y' => Quat::from_rotation_y(angle),
                _ => Quat::from_rotation_z(angle),
            };
            q = if axis.is_ascii_lowercase() { q * turn } else { turn * q };
        }
        q
    }
}
