//! Tendons of several branches, whose length L = Σ sᵢ·Lᵢ is what is limited and pulled.
//!
//! Each branch is a cable that does not stretch. One of its ends runs on to a reel: a light body that slides on the body of that end and
//! takes the cable in by qᵢ, so that Lᵢ ≤ Lᵢ(0) − qᵢ, with equality where the cable is tight. A `tendon` of the scene on
//! the coordinates of the reels with the factors −sᵢ is then L − L(0). A force on it is a tension sᵢ times as large in each
//! branch; what a reel pulls its own body with and what the cable pulls the reel with cancel but for the pull along the branch.
//!
//! Fails: a cable that grows by more than `ROOM` of its length at the start has nothing left to give and is rigid from there. The mass of a reel acts with
//! that of its body (`SHARE`).

use crate::error::Notes;
use crate::machine::{Branch, Machine, Reel, Tendon};
use crate::scene::{Layout, stations, unique};
use std::collections::BTreeSet;
use taut::math::{Pose, Vec3};
use taut_scenes::file::{Body, Cable, Joint, JointType, Limits, SceneFile, Station, wxyz};

/// Mass of a reel as a share of the lightest body on the branch. Accelerations of a limb with two reels on it are off by 4e-5, of
/// loads on reels that are fixed by 2e-6; with 1e-7 it is a tenth, but 3 of 100 steps of a load at the end of its slide do not converge.
const SHARE: f64 = 1e-6;
/// How much longer a branch may get, in lengths at the start.
const ROOM: f64 = 3.0;

impl Machine {
    /// Adds the cables, reels and sums of all tendons of several branches.
    pub(crate) fn add_reels(
        &self,
        layout: &mut Layout,
        scene: &mut SceneFile,
        [joints, cables]: [&mut BTreeSet<String>; 2],
        notes: &mut Notes,
    ) {
        for reel in &self.reels {
            let mut terms = Vec::new();
            for branch in &reel.branches {
                let slider = self.add_branch(reel, branch, layout, scene, [joints, cables], notes);
                terms.push((slider, -branch.share));
            }
            for part in [&reel.tendon].into_iter().chain(&reel.springs) {
                let whole = Tendon { terms: terms.clone(), ..part.clone() };
                scene.join(whole.joint().named(unique(&whole.name, joints)));
            }
        }
    }

    /// Adds a cable with its reel and returns the name of the reel's joint.
    fn add_branch(
        &self,
        reel: &Reel,
        branch: &Branch,
        layout: &mut Layout,
        scene: &mut SceneFile,
        [joints, cables]: [&mut BTreeSet<String>; 2],
        notes: &mut Notes,
    ) -> String {
        let mut way = branch.via.clone();
        // Where its mass does no harm, if one end is fixed.
        let fixed = |spot: &crate::machine::Spot| spot.link.and_then(|l| layout.owner[l]).is_none();
        if way.first().is_some_and(|t| fixed(t.spot())) {
            way.reverse();
        }
        let tendon = &reel.tendon;
        let mut via = stations(&way, (&tendon.name, &tendon.place), layout, notes);
        let length = crate::machine::way_length(&way, |s| layout.world_of(s));
        let points: Vec<Vec3> = way.iter().map(|t| layout.world_of(t.spot()).translation).collect();
        let [.., before, end] = points[..] else { return String::new() };
        let along = (end - before).try_normalize().unwrap_or(Vec3::X);
        let room = ROOM * length;
        let (host, at) = layout.place(way[way.len() - 1].spot());
        let turn = layout.world_of(way[way.len() - 1].spot()).rotation * at.rotation.inverse();
        let name = unique(&format!("{}.reel", tendon.name), &mut layout.taken);
        let mass = SHARE * self.lightest(&way, layout);
        // Of a radius of gyration of its distance: it turns with its host.
        let mut body = Body::new(&name).mass(mass).inertia([mass * room * room * 1e-2; 3]);
        body.gravity_scale = 0.0;
        body.position = (end + along * room).into();
        body.orientation = wxyz(turn.normalize());
        scene.add(body);
        let axis = turn.inverse() * along;
        let slider = unique(&name, joints);
        let mut joint = Joint::between(JointType::Slider, &host, &name);
        joint = joint.anchor_a(Pose::from_parts(at.translation, turn).translation + axis * room);
        joint = joint.anchor_b(Vec3::ZERO).axis_a(axis).axis_b(axis);
        joint.limits = Some(Limits { min: Some(-0.999 * room), max: None });
        scene.join(joint.named(slider.clone()));
        via.push(Station::point(name, [0.0; 3]));
        let mut cable = Cable::new(unique(&format!("{}.cable", tendon.name), cables), via);
        cable.length = Some(length + room);
        scene.cables.push(cable);
        slider
    }

    /// Mass of the lightest body that a way goes through; 1 kg, if none moves.
    fn lightest(&self, way: &[crate::machine::Through], layout: &Layout) -> f64 {
        let moving = way.iter().filter_map(|t| t.spot().link.and_then(|l| layout.owner[l]));
        let masses = moving.filter_map(|o| self.links[o].inertia).map(|i| i.mass);
        let least = masses.filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 1.0 }
    }
}
