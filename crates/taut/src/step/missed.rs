//! Contacts that a step missed: found where it ends, and the step solved once more with them.
//!
//! Problem: contacts are found before the solve, where the velocities of the start lead. An impact changes
//! these within the step: a box that touches another with an edge and lands on the ground turns, and its
//! corner, for which there is no contact, goes 35 mm deep.
//!
//! Method, a round: contacts are found where the answers lead bodies, at rest. A pair that is deeper in one another there than
//! at the start gets these contacts, too. Their features are fixed to the bodies and taken back to the
//! start, with gaps and normals as they are there (`surface`), so that Newton closes them exactly where they will be. Islands
//! with new contacts are solved again, from the same start; others keep their answers. What no contact stops, since it is
//! behind it at the start, or since its body turns too far, is left to `hold`, and to `halving` where it ends deeper than it
//! starts by more than the margin.
//!
//! Cost: for bodies that move farther than the margin in the step a collision update at rest; nothing where all is quiet.
//! A round costs a solve of the islands concerned.

use super::halving::{Nesting, may_bounce};
use super::rest::asleep;
use crate::assemble::{Moved, joint_bodies};
use crate::collide::{CollisionPipeline, Manifold, Motion};
use crate::contact::{self, Contact};
use crate::math::{Pose, Vec3};
use crate::report::StepReport;
use crate::scene::BodyState;
use crate::surface::{Mover, Surface};
use crate::world::World;

/// Rounds of looking and solving.
const ROUNDS: usize = 3;
/// How often the time is halved at which a pair begins to be deep.
const HALVINGS: usize = 6;
/// A pair is missed that ends deeper than it starts by this share of the margin.
const DEEPER: f64 = 0.5;
/// Of solids that meet as meshes the margin is no more than this share of their thickness. (Links of 16 mm, thick by this measure 4.9,
/// that were pulled through one another by a load of 5 kg sank by less than 1 mm in each step, and in 30 of them passed.)
const THIN: f64 = 0.1;
/// Solids that are deeper than the first share of their thickness may sink in by no more than the second, where features do not tell which way leads out (`meshes::LOST`): contacts hold less well there.
const LOST: (f64, f64) = (0.25, 0.02);

/// Memory of these rounds.
#[derive(Default)]
pub(crate) struct Missed {
    /// Bodies of pairs, one of them without joints, that end deeper than they start by more than the margin, with all contacts
    /// found. (Halved for machines too, the trucks of `trucks` end 17 mm deep in their net in 5 s, not 9, at 162 ms a frame, not 123.)
    pub(super) sunk: Vec<u32>,
    /// Bodies of such pairs that meet as meshes, here also where they were held: what is held drifts on with others.
    pub(super) pierced: Vec<u32>,
    /// By slot: whether a body moves, and has neither joints nor cables.
    loose: Vec<bool>,
    /// Pairs of colliders in order, and their least gap as the step began, at most 0: contacts that are taken back are not as deep there.
    pub(super) starts: Vec<((u32, u32), f64)>,
    pipeline: CollisionPipeline,
    motions: Vec<Motion>,
    manifolds: Vec<Manifold>,
    back: Vec<Manifold>,
    /// Pairs whose contacts at the end are behind them at the start.
    deep: Vec<(u32, u32)>,
    one: Vec<Manifold>,
    contacts: Vec<Contact>,
    /// By slot: whether a body moves by more than the margin, how it gets back to its start, and its island.
    moves: Vec<bool>,
    ways: Vec<Moved>,
    islands: Vec<u32>,
    /// By slot: whether a body got a new contact.
    touched: Vec<bool>,
}

impl Missed {
    /// How deep a pair was as the step began.
    fn began(&self, pair: (u32, u32)) -> f64 {
        let found = self.starts.binary_search_by_key(&pair, |s| s.0);
        found.map_or(0.0, |k| self.starts[k].1)
    }

    /// Whether two bodies are in one another now.
    pub(super) fn overlap(&mut self, world: &World, slots: [u32; 2]) -> bool {
        let motion = |slot: u32| {
            let at = |b: &BodyState| Pose::from_parts(b.x, b.q);
            let pose = world.bodies.at(slot).map_or(Pose::IDENTITY, at);
            Motion { pose, ..Motion::nowhere() }
        };
        let entries = &world.colliders.entries;
        let of = |slot: u32| world.colliders.of_body.get(slot as usize).into_iter().flatten();
        for &i in of(slots[0]) {
            for &j in of(slots[1]) {
                // Colliders are in the order of their indices.
                let (i, j, [a, b]) =
                    if i < j { (i, j, slots) } else { (j, i, [slots[1], slots[0]]) };
                let (Some(one), Some(other)) = (&entries[i as usize], &entries[j as usize]) else {
                    continue;
                };
                if !one.may_meet(other) {
                    continue;
                }
                let at = [motion(a), motion(b)];
                self.pipeline.collide_at(entries, (i, j), &at, 0.0, &mut self.one);
                if self.one.iter().any(|m| m.points().iter().any(|p| p.gap < 0.0)) {
                    return true;
                }
            }
        }
        false
    }
}

impl World {
    /// Finds contacts that the answers lack, and solves their islands again.
    pub(super) fn solve_missed(
        &mut self,
        h: f64,
        nesting: Nesting,
        may_halve: bool,
        report: &mut StepReport,
    ) {
        // A budget of work is for one solve.
        let rounds = if self.settings.work.is_none() { ROUNDS } else { 0 };
        let mut work = std::mem::take(&mut self.work.missed);
        work.sunk.clear();
        work.pierced.clear();
        self.find_loose(&mut work.loose);
        self.find_starts(&mut work.starts);
        for round in 0..=rounds {
            if rounds == 0 || !self.follow_answers(h, &mut work) {
                break;
            }
            self.collide_at_end(&mut work);
            self.find_missed(h, nesting, &mut work);
            if round == rounds || !self.take_missed(&mut work) {
                break;
            }
            self.take_forces(&work);
            self.find_islands_again(&mut work, report);
            self.solve_islands(h, may_halve, |island| {
                island.bodies.iter().any(|&slot| work.touched[slot as usize])
            });
        }
        self.work.missed = work;
    }

    /// How deep pairs are as the step begins.
    fn find_starts(&self, starts: &mut Vec<((u32, u32), f64)>) {
        starts.clear();
        let key = |c: &Contact| (c.key.0, c.key.1);
        for of_pair in self.contacts.chunk_by(|c, d| key(c) == key(d)) {
            let least = of_pair.iter().map(|c| c.gap).fold(0.0, f64::min);
            starts.push((key(&of_pair[0]), least));
        }
    }

    /// The same in a step that looks for no other contacts.
    pub(super) fn note_starts(&mut self) {
        let mut starts = std::mem::take(&mut self.work.missed.starts);
        self.find_starts(&mut starts);
        self.work.missed.starts = starts;
    }

    /// Which bodies move, and have neither joints nor cables.
    fn find_loose(&self, loose: &mut Vec<bool>) {
        let slots = 0..self.bodies.slots() as u32;
        loose.clear();
        loose.extend(slots.map(|slot| self.bodies.at(slot).is_some_and(BodyState::is_dynamic)));
        for (_, joint) in self.joints.iter() {
            for id in joint_bodies(&joint.joint, &self.joints).into_iter().flatten() {
                loose[id.index()] = false;
            }
        }
        for slot in self.cables.iter().flat_map(|(_, cable)| cable.slots()) {
            loose[slot as usize] = false;
        }
    }

    /// Finds bodies that move by more than the margin; false if there are none.
    fn find_movers(&self, h: f64, work: &mut Missed) -> bool {
        let (islands, margin) = (&self.work.islands, self.settings.contact_margin);
        work.moves.clear();
        work.moves.resize(self.bodies.slots(), false);
        let entries = &self.colliders.entries;
        let reach = |&c: &u32| entries[c as usize].as_ref().map_or(0.0, |c| c.reach());
        let mut any = false;
        for (solver, island) in self.work.solvers.iter().zip(&islands.list[..islands.count]) {
            if asleep(&self.bodies, island) {
                continue;
            }
            for (&slot, arrival) in island.bodies.iter().zip(&solver.arrivals) {
                let (v, w) = arrival.mean;
                let list = self.colliders.of_body.get(slot as usize);
                let far = list.map_or(0.0, |list| list.iter().map(reach).fold(0.0, f64::max));
                let moves = h * (v.length() + far * w.length()) > margin;
                work.moves[slot as usize] = moves;
                any |= moves;
            }
        }
        any
    }

    /// Where the answers lead; false if nothing moves far.
    fn follow_answers(&self, h: f64, work: &mut Missed) -> bool {
        if !self.find_movers(h, work) {
            return false;
        }
        let slots = self.bodies.slots();
        let islands = &self.work.islands;
        work.islands.clone_from(&islands.island);
        work.touched.clear();
        work.touched.resize(slots, false);
        work.motions.clear();
        work.ways.clear();
        for slot in 0..slots as u32 {
            let body = self.bodies.at(slot);
            let start = body.map_or(Pose::IDENTITY, |b| Pose::from_parts(b.x, b.q));
            let given = |b: &BodyState| {
                let (x, q) = if b.is_dynamic() { (b.x, b.q) } else { b.given_pose(h) };
                Pose::from_parts(x, q)
            };
            let end = body.map_or(start, given);
            work.motions.push(Motion {
                pose: end,
                is_static: !body.is_some_and(BodyState::is_dynamic),
                ..Motion::nowhere()
            });
            work.ways.push(way_back(&start, &end));
        }
        for (solver, island) in self.work.solvers.iter().zip(&islands.list[..islands.count]) {
            if asleep(&self.bodies, island) {
                continue;
            }
            for (&slot, arrival) in island.bodies.iter().zip(&solver.arrivals) {
                let Some(body) = self.bodies.at(slot) else { continue };
                let start = Pose::from_parts(body.x, body.q);
                let end = Pose::from_parts(arrival.x, arrival.q);
                work.motions[slot as usize].pose = end;
                work.ways[slot as usize] = way_back(&start, &end);
            }
        }
        true
    }

    /// Contacts where the answers lead, of pairs that move.
    fn collide_at_end(&self, work: &mut Missed) {
        let Missed { pipeline, motions, manifolds, moves, .. } = work;
        let filter =
            |a: u32, b: u32| (moves[a as usize] || moves[b as usize]) && self.may_collide(a, b);
        let margin = self.settings.contact_margin;
        pipeline.update(&self.colliders.entries, motions, 0.0, margin, filter, manifolds);
    }

    /// Finds pairs that are deeper at the end than at the start, and their contacts, taken back.
    fn find_missed(&self, h: f64, nesting: Nesting, work: &mut Missed) {
        let margin = self.settings.contact_margin;
        let table = &self.colliders;
        work.back.clear();
        work.deep.clear();
        work.sunk.clear();
        work.pierced.clear();
        for same in work.manifolds.chunk_by(|m, n| pair(m) == pair(n)) {
            let (i, j) = pair(&same[0]);
            let gaps = same.iter().flat_map(|m| m.points().iter().map(|p| p.gap));
            let end = gaps.fold(f64::INFINITY, f64::min);
            let start = self.of_pair(i, j).iter().map(|c| c.gap).fold(0.0, f64::min);
            let most = self.most_sunk((i, j), end);
            let is_solid = self.colliders.thickness((i, j)).is_some();
            let began = if is_solid { work.began((i, j)) } else { start };
            if end > began - DEEPER * most {
                continue;
            }
            let (a, b) = (table.owner(i).0, table.owner(j).0);
            if self.of_pair(i, j).is_empty() && self.bounces_on([a, b], h, nesting) {
                continue;
            }
            if (work.loose[a as usize] || work.loose[b as usize]) && began - end > most {
                let list = if is_solid { &mut work.pierced } else { &mut work.sunk };
                list.extend([a, b]);
            }
            let ways = [&work.ways[a as usize], &work.ways[b as usize]];
            let before = work.back.len();
            let least = start - margin;
            work.back.extend(
                same.iter()
                    .flat_map(|m| taken_back(m, ways))
                    .filter(|m| m.points()[0].gap >= least),
            );
            if work.back.len() == before {
                work.deep.push((i, j));
            }
        }
        for k in 0..work.deep.len() {
            self.find_first(work.deep[k], work);
        }
    }

    /// Finds solids that end deeper than they start since they were held.
    pub(super) fn find_pierced(&mut self, h: f64) {
        let mut work = std::mem::take(&mut self.work.missed);
        let at = |slot: u32| {
            let at = |b: &BodyState| Pose::from_parts(b.x, b.q);
            let pose = self.bodies.at(slot).map_or(Pose::IDENTITY, at);
            Motion { pose, ..Motion::nowhere() }
        };
        for &(i, j) in self.work.holds.pairs() {
            let slots = [i, j].map(|c| self.colliders.owner(c).0);
            let held = slots.iter().any(|&slot| self.work.holds.way(slot, h) < h);
            let loose = slots.iter().any(|&slot| work.loose[slot as usize]);
            if !held || !loose || self.colliders.thickness((i, j)).is_none() {
                continue;
            }
            let poses = slots.map(at);
            work.pipeline.collide_at(&self.colliders.entries, (i, j), &poses, 0.0, &mut work.one);
            let gaps = work.one.iter().flat_map(|m| m.points().iter().map(|p| p.gap));
            let end = gaps.fold(0.0, f64::min);
            if work.began((i, j)) - end > self.most_sunk((i, j), end) {
                work.pierced.extend(slots);
            }
        }
        self.work.missed = work;
    }

    /// How much deeper than at its start a pair of this gap may end.
    fn most_sunk(&self, pair: (u32, u32), end: f64) -> f64 {
        let margin = self.settings.contact_margin;
        let Some(thick) = self.colliders.thickness(pair) else { return margin };
        let share = if -end > LOST.0 * thick { LOST.1 } else { THIN };
        margin.min(share * thick)
    }

    /// Whether bodies that bounced run into something else so fast that they are taken back to where they do (`halving`).
    fn bounces_on(&self, pair: [u32; 2], h: f64, nesting: Nesting) -> bool {
        let islands = &self.work.islands;
        pair.into_iter().any(|slot| {
            let i = islands.island[slot as usize] as usize;
            let Some(island) = islands.list[..islands.count].get(i) else { return false };
            let solver = &self.work.solvers[i];
            let of = self.colliders.of_body.get(slot as usize).into_iter().flatten();
            let inner =
                |c: &u32| self.colliders.entries[*c as usize].as_ref().map(|c| c.shape.inner);
            let thick = of.filter_map(inner).fold(f64::INFINITY, f64::min);
            let k = islands.local[slot as usize] as usize;
            let way = solver.arrivals.get(k).map_or(0.0, |a| h * a.mean.0.length());
            island.is_loose()
                && solver.has_bounced()
                && way > thick
                && may_bounce(island.bodies.len(), nesting.splits)
        })
    }

    /// Adds the contacts found; false if there are none.
    fn take_missed(&mut self, work: &mut Missed) -> bool {
        let table = &self.colliders;
        let motions = &work.motions;
        let moves = |slot: u32| !motions.get(slot as usize).is_none_or(|m| m.is_static);
        let bodies = &self.bodies;
        let frame = |slot: u32| {
            let of = |b: &BodyState| (b.x - b.q * b.centre, b.q);
            bodies.at(slot).map_or((Vec3::ZERO, crate::math::Quat::IDENTITY), of)
        };
        contact::gather(
            &work.back,
            |c: u32| table.owner(c),
            frame,
            (&self.textures, &self.pairs),
            moves,
            &[],
            &mut work.contacts,
        );
        let surface = |slot: u32| self.bodies.at(slot).map_or(Vec3::ZERO, |b| b.surface_velocity());
        let mut any = false;
        for c in &mut work.contacts {
            c.belt = surface(c.b) - surface(c.a);
            match self.contacts.binary_search_by_key(&c.key, |c| c.key) {
                // Newton knows where that one ends, if it is the same. (One that was predicted has its normal at the
                // time of the prediction: a ball and a box that spins at 35 rad/s ended 36 mm deep.)
                Ok(k) if self.contacts[k].is_like(c) => continue,
                Ok(k) => self.contacts[k] = Contact { mean: self.contacts[k].mean, ..*c },
                Err(k) => self.contacts.insert(k, *c),
            }
            any = true;
            work.touched[c.a as usize] = true;
            work.touched[c.b as usize] = true;
        }
        any
    }

    /// Takes the contacts that a pair has where it begins to be deep: at the end it may be far beyond the surface it
    /// passed.
    fn find_first(&self, (i, j): (u32, u32), work: &mut Missed) {
        let margin = self.settings.contact_margin;
        let slots = [i, j].map(|c| self.colliders.owner(c).0);
        let start = self.of_pair(i, j).iter().map(|c| c.gap).fold(0.0, f64::min);
        let from = slots.map(|slot| {
            self.bodies.at(slot).map_or(Pose::IDENTITY, |b| Pose::from_parts(b.x, b.q))
        });
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let s = 0.5 * (low + high);
            let at = [0, 1].map(|k| {
                let to = &work.motions[slots[k] as usize];
                let x = from[k].translation.lerp(to.pose.translation, s);
                let pose = Pose::from_parts(x, from[k].rotation.slerp(to.pose.rotation, s));
                Motion { pose, ..*to }
            });
            work.pipeline.collide_at(&self.colliders.entries, (i, j), &at, margin, &mut work.one);
            let gaps = work.one.iter().flat_map(|m| m.points().iter().map(|p| p.gap));
            if gaps.fold(f64::INFINITY, f64::min) > start - DEEPER * margin {
                low = s;
                continue;
            }
            high = s;
            let ways = [0, 1].map(|k| way_back(&from[k], &at[k].pose));
            let ways = [&ways[0], &ways[1]];
            let found = work.one.iter().flat_map(|m| taken_back(m, ways));
            let before = work.back.len();
            work.back.extend(found.filter(|m| m.points()[0].gap >= start - margin));
            if work.back.len() > before {
                return;
            }
        }
    }

    /// Has the next solve start from what the last one found.
    fn take_forces(&mut self, work: &Missed) {
        let islands = &self.work.islands;
        for (solver, island) in self.work.solvers.iter().zip(&islands.list[..islands.count]) {
            if !island.bodies.iter().any(|&slot| work.touched[slot as usize]) {
                continue;
            }
            // (Contacts that came in between moved the others.)
            for found in solver.contacts.iter().filter(|_| solver.report.converged()) {
                if let Ok(k) = self.contacts.binary_search_by_key(&found.key, |c| c.key) {
                    let c = &mut self.contacts[k];
                    (c.normal_force, c.friction) = (found.normal_force, found.friction);
                    (c.torque, c.warm) = (found.torque, true);
                }
            }
        }
    }

    /// Contacts of two colliders.
    pub(super) fn of_pair(&self, i: u32, j: u32) -> &[Contact] {
        let first = self.contacts.partition_point(|c| (c.key.0, c.key.1) < (i, j));
        let count = self.contacts[first..].partition_point(|c| (c.key.0, c.key.1) == (i, j));
        &self.contacts[first..first + count]
    }

    /// Islands with the new contacts; those without any keep their solvers, and with them their answers.
    fn find_islands_again(&mut self, work: &mut Missed, report: &mut StepReport) {
        self.find_islands();
        report.sleeping_islands = 0;
        self.sleep_or_wake(report);
        let mut solvers: Vec<_> = self.work.solvers.drain(..).map(Some).collect();
        let islands = &self.work.islands;
        for island in &islands.list[..islands.count] {
            let before = work.islands[island.first(self.bodies.slots())] as usize;
            if let Some(solver) = solvers.get_mut(before).and_then(Option::take) {
                self.work.solvers.push(solver);
            }
        }
        for solver in solvers.into_iter().flatten() {
            self.work.solvers.push(solver);
        }
        for (solver, island) in self.work.solvers.iter().zip(&islands.list[..islands.count]) {
            if island.bodies.iter().any(|&slot| work.touched[slot as usize]) {
                super::report::add_work(report, solver);
            }
        }
    }
}

fn pair(m: &Manifold) -> (u32, u32) {
    (m.collider_a, m.collider_b)
}

/// From the end of a step to its start.
fn way_back(start: &Pose, end: &Pose) -> Moved {
    Moved::new((end.translation, end.rotation), (start.translation, start.rotation))
}

/// The points of a manifold with their bodies taken back, each by itself.
fn taken_back<'a>(m: &'a Manifold, [a, b]: [&'a Moved; 2]) -> impl Iterator<Item = Manifold> + 'a {
    m.points().iter().map(move |p| {
        let place = Surface::new(p, m.normal).and_then(|s| s.at(a, b));
        let normal = place.map_or(m.normal, |place| place.normal);
        let [ra, rb] = match (place, p.bend) {
            (Some(_), Some(bend)) => bend.rounds.map(|r| r.unwrap_or(0.0)),
            _ => [0.0; 2],
        };
        // Centres of round features are fixed to their bodies, and the points of contact wander.
        let point_a = a.point(p.point_a - ra * m.normal) + ra * normal;
        let point_b = b.point(p.point_b + rb * m.normal) - rb * normal;
        let bend = p.bend.map(|bend| bend.turned(a, b));
        let gap = (point_b - point_a).dot(normal);
        m.with_point(normal, crate::collide::ContactPoint { point_a, point_b, gap, bend, ..*p })
    })
}
