//! Cables.

use super::find_body;
use super::place::Place;
use crate::error::SceneError;
use crate::file::{Cable, SceneFile, Station, Winch};
use taut::{CableId, Frame, Obstacle, World};

/// All cables.
pub(super) fn add_all(
    file: &SceneFile,
    world: &mut World,
) -> Result<Vec<(CableId, usize)>, SceneError> {
    (0..file.cables.len()).map(|i| add_one(file, i, world)).collect()
}

/// The last cable of a file whose others are in the world.
pub(crate) fn add_last(
    file: &SceneFile,
    world: &mut World,
) -> Result<(CableId, usize), SceneError> {
    let last = file.cables.len().checked_sub(1);
    add_one(file, last.ok_or_else(|| SceneError::new("cables", "there is none"))?, world)
}

/// The cable, and how many spans it has.
fn add_one(file: &SceneFile, i: usize, world: &mut World) -> Result<(CableId, usize), SceneError> {
    let place = Place::new("").item("cables", i);
    let called = |k: usize| file.cables[k].name.clone().unwrap_or_else(|| format!("cable{k}"));
    let name = called(i);
    if world.cable_named(&name).is_some() {
        let other = (0..i).find(|&k| called(k) == name).unwrap_or(i);
        let message = format!("the name '{name}' is taken by cables[{other}]");
        return Err(place.field("name").error(message));
    }
    let built = build(&file.cables[i], name, world, &place)?;
    let id = world.add_cable(built).map_err(|e| place.engine(e))?;
    Ok((id, world.cable(id).map_or(0, |c| c.tensions().len())))
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
    built.around = around(cable, &built, world, place)?;
    built.winch = cable.winch.map(|w| winch(w, &place.field("winch"))).transpose()?;
    Ok(built)
}

/// The bodies that a cable may lie on.
fn around(
    cable: &Cable,
    built: &taut::Cable,
    world: &World,
    place: &Place,
) -> Result<Vec<Obstacle>, SceneError> {
    let mut list: Vec<Obstacle> = Vec::new();
    let named = |name: &str| cable.around.iter().any(|a| a.body == name);
    for (i, around) in cable.around.iter().enumerate() {
        let place = place.item("around", i);
        place.not_negative("friction", around.friction)?;
        let friction = around.friction;
        let side = around.side.map(|s| place.direction("side", s)).transpose()?;
        if cable.around[..i].iter().any(|a| a.body == around.body) {
            let message = format!("'{}' is in the list already", around.body);
            return Err(place.field("body").error(message));
        }
        if around.body == "*" {
            let held = |id| built.stations.iter().any(|s| s.frame == Frame::Body(id));
            let free = world.bodies().filter(|(id, b)| !held(*id) && !named(b.name()));
            let convex = free.filter(|(_, b)| taut::Cable::can_lie_on(&b.definition()));
            list.extend(convex.map(|(body, _)| Obstacle { body, friction, side }));
            continue;
        }
        let body = find_body(world, &around.body).map_err(|m| place.field("body").error(m))?;
        list.push(Obstacle { body, friction, side });
    }
    Ok(list)
}

/// What pays a cable out.
pub(crate) fn winch(
    Winch { speed, max_force, stop }: Winch,
    place: &Place,
) -> Result<taut::Winch, SceneError> {
    place.number("speed", speed)?;
    let mut built = taut::Winch::new(speed);
    if let Some(force) = max_force {
        place.not_negative("max_force", force)?;
        built.max_force = force;
    }
    if let Some(stop) = stop {
        place.not_negative("stop", stop)?;
        built.stop = Some(stop);
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
            pulley.not_negative("growth", p.growth)?;
            taut::Station::pulley(frame, point, axis, p.radius).turns(p.turns).growth(p.growth)
        }
    };
    if let Some(to) = station.edge {
        built.edge = Some(place.vector("edge", to)?);
    }
    place.not_negative("friction", station.friction)?;
    if station.grips && station.friction != 0.0 {
        let message = "a station that grips has no friction beside it";
        return Err(place.field("friction").error(message));
    }
    built.friction = if station.grips { f64::INFINITY } else { station.friction };
    Ok(built)
}
