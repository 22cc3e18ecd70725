//! Cables.

use super::find_body;
use super::place::Place;
use crate::error::SceneError;
use crate::file::{Cable, SceneFile, Station, Winch};
use std::collections::BTreeMap;
use taut::{CableId, Frame, World};

/// All cables.
pub(super) fn add_all(
    file: &SceneFile,
    world: &mut World,
) -> Result<Vec<(CableId, usize)>, SceneError> {
    let mut ids = Vec::new();
    let mut places = BTreeMap::new();
    for (i, cable) in file.cables.iter().enumerate() {
        let place = Place::new("").item("cables", i);
        let name = cable.name.clone().unwrap_or_else(|| format!("cable{i}"));
        if let Some(other) = places.insert(name.clone(), i) {
            let message = format!("the name '{name}' is taken by cables[{other}]");
            return Err(place.field("name").error(message));
        }
        let built = build(cable, name, world, &place)?;
        let id = world.add_cable(built).map_err(|e| place.engine(e))?;
        let spans = world.cable(id).map_or(0, |c| c.tensions().len());
        ids.push((id, spans));
    }
    Ok(ids)
}

pub(super) fn build(
    cable: &Cable,
    name: String,
    world: &World,
    place: &Place,
) -> Result<taut::Cable, SceneError> {
    let mut built = taut::Cable::new(name);
    for (k, station) in cable.via.iter().enumerate() {
        built = built.via(build_station(station, world, &place.item("via", k))?);
    }
    built.closed = cable.closed;
    if let Some(length) = cable.length {
        place.positive("length", length)?;
        built.length = Some(length);
    }
    if let Some(stiffness) = cable.stiffness {
        place.positive("stiffness", stiffness)?;
        built.stiffness = stiffness;
    }
    place.not_negative("damping", cable.damping)?;
    built.damping = cable.damping;
    if let Some(tension) = cable.break_tension {
        place.not_negative("break_tension", tension)?;
        built.break_tension = tension;
    }
    if let Some(Winch { speed, max_force, stop }) = cable.winch {
        let winch = place.field("winch");
        winch.number("speed", speed)?;
        let mut w = taut::Winch::new(speed);
        if let Some(force) = max_force {
            winch.not_negative("max_force", force)?;
            w.max_force = force;
        }
        if let Some(stop) = stop {
            winch.not_negative("stop", stop)?;
            w.stop = Some(stop);
        }
        built.winch = Some(w);
    }
    Ok(built)
}

fn build_station(
    station: &Station,
    world: &World,
    place: &Place,
) -> Result<taut::Station, SceneError> {
    let frame = match station.body.as_str() {
        "world" => Frame::World,
        name => Frame::Body(find_body(world, name).map_err(|m| place.field("body").error(m))?),
    };
    let point = place.vector("point", station.point)?;
    let mut built = match &station.pulley {
        None => taut::Station::point(frame, point),
        Some(p) => {
            let pulley = place.field("pulley");
            let axis = pulley.direction("axis", p.axis)?;
            pulley.positive("radius", p.radius)?;
            pulley.not_negative("turns", p.turns)?;
            taut::Station::pulley(frame, point, axis, p.radius).turns(p.turns)
        }
    };
    place.not_negative("friction", station.friction)?;
    if station.grips && station.friction != 0.0 {
        let message = "a station that grips has no friction beside it";
        return Err(place.field("friction").error(message));
    }
    built.friction = if station.grips { f64::INFINITY } else { station.friction };
    Ok(built)
}
