use taut::*;
use std::f64::consts::PI;
fn load(world: &mut World, name: &str, mass: f64, at: Vec3) -> BodyId {
    let body = Body::dynamic(name).mass(mass).box_inertia([0.1; 3]).position(at);
    world.add_body(body.collides(false)).unwrap()
}
fn main() {
    for (turns, flip) in [(0.0, true), (2.0, false), (2.0, true)] {
    println!("turns {turns} flip {flip}");
    let ratio = 1e4_f64;
    let mu = ratio.ln() / (PI + 2.0*PI*turns);
    let (l, r) = if flip {(15.0*ratio, 10.0)} else {(10.0, 15.0*ratio)};
    let mut world = World::new();
    let a = load(&mut world, "a", l, Vec3::new(-0.3, 0.0, -50.0));
    let b = load(&mut world, "b", r, Vec3::new(0.3, 0.0, -50.0));
    let drum = Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.3).friction(mu).turns(turns);
    let cable = world.add_cable(Cable::new("r").via(Station::point(a, Vec3::ZERO)).via(drum).via(Station::point(b, Vec3::ZERO))).unwrap();
    let mut last = 0.0;
    for i in 0..60 {
        let r = world.step(1.0/60.0).unwrap();
        let vz = world.body(b).unwrap().velocity().z;
        let t = world.cable(cable).unwrap().tensions().to_vec();
        println!("{i} z={:.7} exact {:.7} a={:.6} T={:?} ratio {:.5} passes {} parts {} it {} gap {:e} err {:e}", world.body(if flip {a} else {b}).unwrap().position().z + 50.0, -0.5*1.962*((i+1) as f64/60.0).powi(2), (vz-last)*60.0, t, t[1]/t[0], r.passes, r.parts, r.iterations, r.friction_gap, r.max_cable_error);
        last = vz;
    }
}}
