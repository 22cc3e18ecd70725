//! Cables with mass, as bodies and cables without.

use super::cable;
use super::place::Place;
use crate::error::SceneError;
use crate::file::{Body, Cable, Drive, SceneFile, Station};
use taut::CablePlace;

/// Points have no size; nothing turns them. Moment of inertia per mass \[m²\].
const INERTIA: f64 = 0.01;

impl SceneFile {
    /// The same scene with cables that have mass divided into points and cables without: bodies called by the name of
    /// the cable and ".p0", ".p1" …, cables called by it and ".0", ".1" …. A drive of its winch is one of the first.
    pub fn divided(&self) -> Result<SceneFile, SceneError> {
        let heavy = |c: &Cable| c.mass.is_some() || c.points.is_some();
        let mut file = self.clone();
        if !self.cables.iter().any(heavy) {
            return Ok(file);
        }
        let bare = SceneFile {
            cables: Vec::new(),
            drives: Vec::new(),
            groups: Default::default(),
            ..self.clone()
        };
        let world = bare.build()?.world;
        file.cables.clear();
        for (i, cable) in self.cables.iter().enumerate() {
            let name = cable.name.clone().unwrap_or_else(|| format!("cable{i}"));
            if !heavy(cable) {
                file.cables.push(Cable { name: Some(name), ..cable.clone() });
                continue;
            }
            let place = Place::new("").item("cables", i);
            let (Some(mass), Some(points)) = (cable.mass, cable.points) else {
                let message = "a cable with mass has 'mass' (kg/m) and 'points'";
                return Err(place.field("mass").error(message));
            };
            let built = cable::build(cable, name.clone(), &world, &place)?;
            let divided = world.divide_cable(&built, mass, points).map_err(|e| place.engine(e))?;
            for (k, &(mass, at)) in divided.points.iter().enumerate() {
                let body = Body::new(format!("{name}.p{k}")).mass(mass).at(at).ghost();
                file.bodies.push(body.inertia([INERTIA * mass; 3]));
            }
            for (k, (places, length)) in divided.parts.iter().enumerate() {
                let station = |p: &CablePlace| match *p {
                    CablePlace::Point(i) => Some(Station::point(format!("{name}.p{i}"), [0.0; 3])),
                    CablePlace::Station(i) => cable.via.get(i).cloned(),
                    _ => None,
                };
                file.cables.push(Cable {
                    name: Some(format!("{name}.{k}")),
                    via: places.iter().filter_map(station).collect(),
                    length: Some(*length),
                    winch: cable.winch.filter(|_| k == 0),
                    mass: None,
                    points: None,
                    ..cable.clone()
                });
            }
            for drive in &mut file.drives {
                if let Drive::Winch(drive) = drive
                    && drive.cable == name
                {
                    drive.cable = format!("{name}.0");
                }
            }
        }
        Ok(file)
    }
}
