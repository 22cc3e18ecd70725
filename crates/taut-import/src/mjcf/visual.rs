//! What is seen: geoms of the groups 0 to 2, as in MuJoCo's own viewer. A model whose geoms all collide and have no
//! colours shows its shapes.

use super::Model;
use super::geom::{Geom, Kind};
use crate::error::ImportError;
use crate::look;
use crate::xml::Element;
use std::collections::BTreeMap;
use taut_scenes::file::Shape;

/// The largest group that is shown.
const SHOWN: f64 = 2.0;

impl Model<'_> {
    pub(super) fn add_visuals(&mut self, root: &Element) -> Result<(), ImportError> {
        let mut materials: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for material in root.all("asset").flat_map(|a| a.all("material")) {
            if let (Some(name), Some(rgba)) = (material.get("name"), material.list("rgba")?) {
                materials.insert(name, rgba);
            }
        }
        let geoms = std::mem::take(&mut self.geoms);
        let mut seen = Vec::new();
        let mut matters = false;
        for geom in &geoms {
            let e = &geom.element;
            let own = e.get("material").and_then(|m| materials.get(m).cloned());
            let rgba = e.list("rgba")?.or(own);
            let hidden = rgba.as_ref().is_some_and(|c| c.get(3) == Some(&0.0));
            if geom.group > SHOWN || hidden {
                continue;
            }
            let zero = |name| Ok::<_, ImportError>(e.number_or(name, 1.0)? == 0.0);
            matters |= rgba.is_some() || (zero("contype")? && zero("conaffinity")?);
            seen.push((geom, rgba));
        }
        for (geom, rgba) in seen.into_iter().filter(|_| matters) {
            let colour = rgba.as_deref().and_then(look::colour);
            let visual = self.look(geom)?.map(|shape| look::visual(shape, &geom.pose, colour));
            self.machine.links[geom.link].visuals.extend(visual);
        }
        self.geoms = geoms;
        Ok(())
    }

    fn look(&mut self, geom: &Geom) -> Result<Option<Shape>, ImportError> {
        let Kind::Mesh(name) = &geom.kind else { return self.shape(geom) };
        let e = &geom.element;
        if let Some(why) = self.assets.unknown(name, e)? {
            self.notes.add(&e.place, format!("{}: {why}: it is not seen", e.label()));
            return Ok(None);
        }
        match self.assets.mesh(name, e) {
            Ok(mesh) => Ok(look::mesh(&mesh)),
            // What is only seen may be missing.
            Err(error) => {
                self.notes.lines.push(format!("{error}: it is not seen"));
                Ok(None)
            }
        }
    }
}
