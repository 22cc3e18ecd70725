//! Links: inertia, shapes and their friction.

use super::{Reader, frames};
use crate::error::ImportError;
use crate::inertia::Inertia;
use crate::machine::Link;
use crate::mesh;
use crate::xml::Element;
use taut::math::{Mat3, Pose, Vec3};
use taut_scenes::file::{Collider, Material, Shape};

impl Reader<'_> {
    pub(super) fn link(&mut self, element: &Element, name: &str) -> Result<Link, ImportError> {
        let mut link = Link::new(name, &element.place);
        link.inertia = Some(match element.child("inertial") {
            Some(inertial) => inertia(inertial)?,
            None => Inertia::principal(1.0, Vec3::ONE),
        });
        if element.child("gravity").is_some_and(|g| ["false", "0"].contains(&g.text.as_str())) {
            link.gravity_scale = 0.0;
        }
        for collision in element.all("collision") {
            link.colliders.extend(self.collision(collision)?);
        }
        Ok(link)
    }

    fn collision(&mut self, element: &Element) -> Result<Option<Collider>, ImportError> {
        let pose = element.child("pose").map(frames::pose).transpose()?.unwrap_or(Pose::IDENTITY);
        let geometry = element.child("geometry").and_then(|g| g.children.first());
        let Some(geometry) = geometry else { return Err(element.error("geometry is missing")) };
        let Some(shape) = self.shape(geometry)? else { return Ok(None) };
        let mut collider = Collider::new(shape).at(pose.translation).oriented(pose.rotation);
        let find = |path: &[&str]| path.iter().try_fold(element, |e, tag| e.child(tag));
        if let Some(mu) = find(&["surface", "friction", "ode", "mu"]) {
            let [mu] = mu.text_array::<1>()?;
            let name = format!("friction {mu}");
            self.machine.materials.insert(name.clone(), Material::friction(mu));
            collider.material = Some(name);
        }
        Ok(Some(collider))
    }

    fn shape(&mut self, e: &Element) -> Result<Option<Shape>, ImportError> {
        let length = |tag: &str| {
            let child = e.child(tag).ok_or_else(|| e.error(format!("{tag} is missing")))?;
            match child.text_array::<1>()? {
                [x] if x > 0.0 => Ok(x),
                [x] => Err(child.error(format!("expected a positive length, found {x}"))),
            }
        };
        Ok(Some(match e.tag.as_str() {
            "box" => {
                let size = e.child("size").ok_or_else(|| e.error("size is missing"))?;
                let lengths = size.text_array::<3>()?;
                if lengths.iter().any(|x| *x <= 0.0) {
                    return Err(size.error("expected positive lengths"));
                }
                Shape::cuboid(lengths.map(|x| 0.5 * x))
            }
            "sphere" => Shape::ball(length("radius")?),
            "cylinder" => Shape::cylinder(0.5 * length("length")?, length("radius")?),
            "capsule" => Shape::capsule(0.5 * length("length")?, length("radius")?),
            "plane" => {
                let normal = e.child("normal").map(|n| n.text_array::<3>()).transpose()?;
                Shape::HalfSpace { normal: normal.unwrap_or([0.0, 0.0, 1.0]) }
            }
            "mesh" => {
                let uri = e.child("uri").ok_or_else(|| e.error("uri is missing"))?;
                if !mesh::is_known(&uri.text) {
                    let message = format!("mesh '{}' is neither STL nor OBJ: left out", uri.text);
                    self.notes.add(&uri.place, message);
                    return Ok(None);
                }
                let path = mesh::find(&uri.text, self.base, &self.options.mesh_paths, &uri.place)?;
                let scale = e.child("scale").map(|s| s.text_array::<3>()).transpose()?;
                let mesh = mesh::read(&path, &uri.place)?.scaled(scale.unwrap_or([1.0; 3]));
                let shape = mesh.hull_shape();
                if shape.is_none() {
                    let message = format!("mesh '{}' is flat: it collides with nothing", uri.text);
                    self.notes.add(&uri.place, message);
                }
                return Ok(shape);
            }
            other => {
                self.notes.add(&e.place, format!("geometry '{other}' is left out"));
                return Ok(None);
            }
        }))
    }
}

fn inertia(e: &Element) -> Result<Inertia, ImportError> {
    let pose = e.child("pose").map(frames::pose).transpose()?.unwrap_or(Pose::IDENTITY);
    let value = |e: Option<&Element>, tag: &str, default: f64| match e.and_then(|e| e.child(tag)) {
        Some(child) => child.text_array::<1>().map(|[x]| x),
        None => Ok(default),
    };
    let mass = value(Some(e), "mass", 1.0)?;
    if mass < 0.0 {
        return Err(e.error(format!("mass: expected at least 0, found {mass}")));
    }
    let i = e.child("inertia");
    let (xx, yy, zz) = (value(i, "ixx", 1.0)?, value(i, "iyy", 1.0)?, value(i, "izz", 1.0)?);
    let (xy, xz, yz) = (value(i, "ixy", 0.0)?, value(i, "ixz", 0.0)?, value(i, "iyz", 0.0)?);
    let matrix =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    Ok(Inertia { mass, centre: Vec3::ZERO, matrix }.moved(&pose))
}
