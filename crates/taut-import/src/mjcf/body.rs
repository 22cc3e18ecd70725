//! Bodies and frames, their inertia, and sites.

use super::compiler::Compiler;
use super::defaults::MAIN;
use super::{Model, WORLD};
use crate::error::ImportError;
use crate::inertia::Inertia;
use crate::machine::{Link, Spot};
use crate::xml::Element;
use taut::math::{Mat3, Pose, Vec3};

impl Model<'_> {
    pub(super) fn read_world(&mut self, world: &Element) -> Result<(), ImportError> {
        self.read_children(world, WORLD, Pose::IDENTITY, MAIN)?;
        Ok(())
    }

    /// What a body or a frame in it holds; `at` is where in the body.
    fn read_children(
        &mut self,
        element: &Element,
        link: usize,
        at: Pose,
        class: &str,
    ) -> Result<(), ImportError> {
        for child in &element.children {
            match child.tag.as_str() {
                "body" => self.read_body(child, link, at, class)?,
                "frame" => {
                    let inner = child.get("childclass").unwrap_or(class).to_string();
                    let pose = at * self.compiler(child).pose(child)?;
                    self.read_children(child, link, pose, &inner)?;
                }
                "geom" => self.read_geom(child, link, at, class)?,
                "joint" | "freejoint" if link == WORLD => {
                    return Err(child.error("the world has no joints"));
                }
                "joint" | "freejoint" => self.read_joint(child, link, at, class)?,
                "site" => self.read_site(child, link, at, class)?,
                "inertial" | "camera" | "light" => {}
                other => {
                    let name = &self.machine.links[link].name;
                    let message = format!("body '{name}': {other} is left out");
                    self.notes.add(&child.place, message);
                }
            }
        }
        Ok(())
    }

    fn read_body(
        &mut self,
        element: &Element,
        parent: usize,
        at: Pose,
        class: &str,
    ) -> Result<(), ImportError> {
        let class = element.get("childclass").unwrap_or(class).to_string();
        let index = self.machine.links.len();
        let name = element.get("name").map_or_else(|| format!("body{index}"), str::to_string);
        let mut link = Link::new(&name, &element.place);
        link.parent = Some(parent);
        link.pose = at * self.compiler(element).pose(element)?;
        link.gravity_scale = 1.0 - element.number_or("gravcomp", 0.0)?;
        if element.get("mocap") == Some("true") {
            self.notes
                .add(&element.place, format!("body '{name}' is moved by mocap: it stands still"));
        }
        if self.bodies.insert(name, index).is_some() {
            return Err(element.error("a second body of that name"));
        }
        self.machine.links.push(link);
        self.read_children(element, index, Pose::IDENTITY, &class)?;
        self.set_inertia(element, index)
    }

    fn read_site(
        &mut self,
        element: &Element,
        link: usize,
        at: Pose,
        class: &str,
    ) -> Result<(), ImportError> {
        let whole = self.defaults.complete(element, class)?;
        if let Some(name) = whole.get("name") {
            let own = match super::geom::between(&whole)? {
                Some((between, _)) => between,
                None => self.compiler(&whole).pose(&whole)?,
            };
            let pose = at * own;
            self.sites.insert(name.into(), Spot { link: Some(link), pose });
        }
        Ok(())
    }

    /// From `inertial`, or from the geoms, which have been read.
    fn set_inertia(&mut self, element: &Element, link: usize) -> Result<(), ImportError> {
        let own = element.child("inertial");
        let from_geoms = self.compiler(element).inertia_from_geoms.unwrap_or(own.is_none());
        let mut sum = Inertia::NONE;
        if let Some(own) = own.filter(|_| !from_geoms) {
            sum = self.inertial(own)?;
        } else if from_geoms {
            let groups = self.compiler(element).inertia_groups;
            for k in 0..self.geoms.len() {
                let geom = &self.geoms[k];
                if geom.link != link || !(groups[0]..=groups[1]).contains(&geom.group) {
                    continue;
                }
                let element = geom.element.clone();
                let (pose, shape) = (geom.pose, geom.kind.clone());
                let own = self.geom_inertia(&element, &shape)?;
                sum = sum.plus(&own.moved(&pose));
            }
        }
        self.machine.links[link].inertia = (sum.mass > 0.0).then_some(sum);
        Ok(())
    }

    fn inertial(&self, e: &Element) -> Result<Inertia, ImportError> {
        e.need("mass")?;
        let mass = e.at_least_0("mass", 0.0)?;
        let pose = self.compiler(e).pose(e)?;
        let matrix = if let Some([xx, yy, zz, xy, xz, yz]) = e.array::<6>("fullinertia")? {
            Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
        } else {
            Mat3::from_diagonal(e.array::<3>("diaginertia")?.unwrap_or_default().into())
        };
        Ok(Inertia { mass, centre: Vec3::ZERO, matrix: sound(self.compiler(e), matrix) }
            .moved(&pose))
    }

    /// Bounds on masses, and the mass of the whole.
    pub(super) fn finish_masses(&mut self) -> Result<(), ImportError> {
        let whole = &self.compilers[0];
        let (least, least_inertia, total_mass) =
            (whole.least_mass, whole.least_inertia, whole.total_mass);
        for link in self.machine.links.iter_mut().skip(1) {
            let mut own = link.inertia.unwrap_or(Inertia::NONE);
            own.mass = own.mass.max(least);
            if own.matrix == Mat3::ZERO {
                own.matrix = Mat3::IDENTITY * least_inertia;
            }
            link.inertia = (own.mass > 0.0).then_some(own);
        }
        if let Some(wanted) = total_mass {
            let inertias = || self.machine.links.iter().filter_map(|l| l.inertia);
            let total: f64 = inertias().map(|i| i.mass).sum();
            for inertia in self.machine.links.iter_mut().filter_map(|l| l.inertia.as_mut()) {
                *inertia = inertia.with_mass(inertia.mass * wanted / total);
            }
        }
        Ok(())
    }
}

/// The inertia that `balanceinertia` and `boundinertia` make of one.
fn sound(compiler: &Compiler, m: Mat3) -> Mat3 {
    let (a, b, c) = (m.x_axis.x, m.y_axis.y, m.z_axis.z);
    let diagonal = m == Mat3::from_diagonal(Vec3::new(a, b, c));
    if !diagonal {
        return m;
    }
    let least = compiler.least_inertia;
    let (a, b, c) = (a.max(least), b.max(least), c.max(least));
    if compiler.balance && (a + b < c || b + c < a || c + a < b) {
        return Mat3::IDENTITY * ((a + b + c) / 3.0);
    }
    Mat3::from_diagonal(Vec3::new(a, b, c))
}
