//! What a run was like: figures of all its frames.

use serde::{Serialize, Serializer};
use taut::lcp::Choice;
use taut::{BodyKind, Event, StepReport, Timings, World};

use crate::rest::{Rest, RestFigures};

/// Figures collected frame by frame.
pub struct Summary {
    frames: usize,
    unconverged: usize,
    first_unconverged: Option<(usize, String)>,
    broken_joints: usize,
    broken_cables: Vec<String>,
    left_pulleys: Vec<String>,
    stopped_winches: Vec<String>,
    quarantined: Vec<String>,
    max_penetration: f64,
    max_joint_gap: f64,
    max_tension: f64,
    max_relative_residual: f64,
    max_friction_gap: f64,
    softened: usize,
    max_contact_compliance: f64,
    rows: (usize, usize),
    contacts: usize,
    islands: usize,
    passes: usize,
    halved: usize,
    torn: usize,
    torn_joint: Option<String>,
    held: usize,
    longest_held: usize,
    stuck: usize,
    stuck_body: Option<String>,
    sunk: usize,
    sunk_pair: Option<[String; 2]>,
    inverted: usize,
    most_inverted: usize,
    inverted_end: usize,
    inverted_body: Option<String>,
    overlong: usize,
    long_cable: Option<String>,
    max_over_length: f64,
    iterations: usize,
    factorizations: usize,
    energy_start: f64,
    energy_end: f64,
    energy_max: f64,
    work: f64,
    energy_gain: f64,
    energy_taken: f64,
    energy_mended: f64,
    /// Frame, gain and tolerance where the gain first exceeded the latter.
    gained: Option<(usize, f64, f64)>,
    step_ms: Vec<f64>,
    solve_ms: Vec<f64>,
    /// Wall times of the phases of a step, all steps together \[s\].
    phases: Vec<(&'static str, f64)>,
    solver: &'static str,
    choice: Option<Choice>,
    substeps: usize,
    rest: Rest,
    /// CPU time of each step \[ms\].
    pub cpu_ms: Vec<f64>,
    /// Wall time of the steps alone \[s\].
    pub wall: f64,
}

/// Mean, 95th percentile and worst of a time \[ms\].
#[derive(Clone, Copy, Serialize)]
pub struct Spread {
    pub mean: f64,
    pub p95: f64,
    pub worst: f64,
}

/// The figures of the JSON document. Those not finite become null.
#[derive(Serialize)]
pub struct Figures {
    pub frames: usize,
    pub dt: f64,
    pub simulated_seconds: f64,
    pub solver: &'static str,
    /// What solved the largest island of the last frame, and why.
    pub choice: Option<String>,
    pub threads: usize,
    pub bodies: usize,
    pub joints: usize,
    pub cables: usize,
    pub mass_ratio: f64,
    /// Frames in which some island did not converge.
    pub unconverged_steps: usize,
    pub first_unconverged_frame: Option<usize>,
    pub first_unconverged_reason: Option<String>,
    pub broken_joints: usize,
    /// Cables that broke, with frame and tension.
    pub broken_cables: Vec<String>,
    /// Pulleys that cables left sideways: what follows is beyond the model.
    pub left_pulleys: Vec<String>,
    /// Cables whose winch came to its end.
    pub stopped_winches: Vec<String>,
    /// Bodies that stopped being finite.
    pub quarantined: Vec<String>,
    pub max_penetration: f64,
    pub max_joint_gap: f64,
    /// Largest tension of a cable in any part of a step [N].
    pub max_tension: f64,
    /// Largest share of its length by which a cable that does not stretch was too long.
    pub max_over_length: f64,
    pub max_relative_residual: f64,
    /// Largest disagreement of friction bounds and normal impulses, in m/s.
    pub max_friction_gap: f64,
    /// Frames in which contacts gave way so that their cones could be solved, and the largest
    /// compliance, relative to the diagonal.
    pub softened_steps: usize,
    pub max_contact_compliance: f64,
    pub mean_rows: f64,
    pub max_rows: usize,
    pub max_contacts: usize,
    pub max_islands: usize,
    pub max_friction_passes: usize,
    /// Frames done in more parts than asked for, because joints opened.
    pub halved_steps: usize,
    /// Frames in which even the smallest part left joints open.
    pub torn_steps: usize,
    /// The first joint that was.
    pub torn_joint: Option<String>,
    /// Frames in which a body was held back for more than half of them, and most of these in a row for one body.
    pub held_steps: usize,
    pub longest_held: usize,
    /// Frames in which a body had been held back for so many that it stood still, whatever its velocity said; the first one.
    pub stuck_steps: usize,
    pub stuck_body: Option<String>,
    pub sunk_steps: usize,
    pub sunk_pair: Option<[String; 2]>,
    /// Frames after which elements of soft bodies were inside out, at how many samples at most, and after the last frame; the first body.
    pub inverted_steps: usize,
    pub max_inverted: usize,
    pub inverted_at_end: usize,
    pub inverted_body: Option<String>,
    /// Frames in which a cable that does not stretch was too long by more than counts as sound; the first one.
    pub overlong_steps: usize,
    pub long_cable: Option<String>,
    pub mean_iterations: f64,
    pub mean_factorizations: f64,
    pub energy_start: f64,
    pub energy_end: f64,
    /// Highest energy above that of the start.
    pub max_energy_gain: f64,
    /// Work of motors, kinematic bodies and user forces.
    pub work: f64,
    /// Largest rise of energy less work above its lowest value until then:
    /// energy that the steps created.
    pub energy_created: f64,
    /// First frame in which that exceeded its tolerance, and the tolerance then.
    pub first_gained_frame: Option<usize>,
    pub energy_tolerance: Option<f64>,
    /// Energy that steps created and took back from velocities.
    pub energy_taken: f64,
    /// Energy that it took to part what starts inside one another, and to close joints that start open.
    pub energy_mended: f64,
    pub cpu_seconds_per_frame: f64,
    pub wall_seconds: f64,
    /// Simulated time per wall time of the steps.
    pub real_time_factor: f64,
    /// How still bodies are that rest.
    pub resting: RestFigures,
    /// CPU time of the steps: unlike wall time, other programs hardly
    /// lengthen it.
    pub cpu_ms: Spread,
    /// Wall time of the steps, and of solving in them.
    pub step_ms: Spread,
    pub solve_ms: Spread,
    /// Mean wall time of each phase of a step, in their order; see [`taut::Timings`].
    #[serde(serialize_with = "as_object")]
    pub phases_ms: Vec<(&'static str, f64)>,
}

fn as_object<S: Serializer>(pairs: &[(&'static str, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().copied())
}

impl Summary {
    /// Before the first frame.
    pub fn new(world: &World) -> Self {
        let energy = world.energy();
        Summary {
            frames: 0,
            unconverged: 0,
            first_unconverged: None,
            broken_joints: 0,
            broken_cables: Vec::new(),
            left_pulleys: Vec::new(),
            stopped_winches: Vec::new(),
            quarantined: Vec::new(),
            max_penetration: 0.0,
            max_joint_gap: 0.0,
            max_tension: 0.0,
            max_relative_residual: 0.0,
            max_friction_gap: 0.0,
            softened: 0,
            max_contact_compliance: 0.0,
            rows: (0, 0),
            contacts: 0,
            islands: 0,
            passes: 0,
            halved: 0,
            torn: 0,
            torn_joint: None,
            held: 0,
            longest_held: 0,
            stuck: 0,
            stuck_body: None,
            sunk: 0,
            sunk_pair: None,
            inverted: 0,
            most_inverted: 0,
            inverted_end: 0,
            inverted_body: None,
            overlong: 0,
            long_cable: None,
            max_over_length: 0.0,
            iterations: 0,
            factorizations: 0,
            energy_start: energy,
            energy_end: energy,
            energy_max: energy,
            work: 0.0,
            energy_gain: 0.0,
            energy_taken: 0.0,
            energy_mended: 0.0,
            gained: None,
            step_ms: Vec::new(),
            solve_ms: Vec::new(),
            phases: Timings::default().phases().to_vec(),
            solver: match world.settings().contact {
                taut::ContactModel::Barrier { .. } => "barrier",
                _ => world.settings().solver.name(),
            },
            choice: None,
            substeps: world.settings().substeps,
            rest: Rest::default(),
            cpu_ms: Vec::new(),
            wall: 0.0,
        }
    }

    /// Adds a frame of `dt` seconds.
    pub fn add(&mut self, r: &StepReport, world: &World, dt: f64) {
        self.frames += 1;
        self.choice = r.choice.or(self.choice);
        self.rest.add(world, dt);
        if !r.converged() {
            self.unconverged += 1;
            let reason = r.failure.clone().unwrap_or_default();
            self.first_unconverged.get_or_insert((self.frames, reason));
        }
        r.events.iter().for_each(|event| self.note(event));
        self.max_penetration = self.max_penetration.max(r.max_penetration);
        self.max_joint_gap = self.max_joint_gap.max(r.max_joint_gap);
        self.max_tension = self.max_tension.max(r.max_tension);
        self.max_relative_residual = self.max_relative_residual.max(r.relative_residual);
        self.max_friction_gap = self.max_friction_gap.max(r.friction_gap);
        self.softened += usize::from(r.contact_compliance > 0.0);
        self.max_contact_compliance = self.max_contact_compliance.max(r.contact_compliance);
        self.rows = (self.rows.0 + r.rows, self.rows.1.max(r.rows));
        self.contacts = self.contacts.max(r.contacts);
        self.islands = self.islands.max(r.islands);
        self.passes = self.passes.max(r.passes);
        self.halved += usize::from(r.parts > self.substeps);
        self.torn += usize::from(r.is_torn());
        self.torn_joint = self.torn_joint.take().or_else(|| r.torn_joint.clone());
        self.held += usize::from(r.held_steps() > 0);
        self.longest_held = self.longest_held.max(r.held_steps());
        if r.is_stuck() {
            self.stuck += 1;
            self.stuck_body = self
                .stuck_body
                .take()
                .or_else(|| r.longest_hold.as_ref().map(|hold| hold.body.clone()));
        }
        self.sunk += usize::from(r.sunk_pair.is_some());
        self.sunk_pair = self.sunk_pair.take().or_else(|| r.sunk_pair.clone());
        self.inverted_end = r.inverted.as_ref().map_or(0, |i| i.samples);
        self.inverted += usize::from(r.inverted.is_some());
        self.most_inverted = self.most_inverted.max(self.inverted_end);
        let body = || r.inverted.as_ref().map(|i| i.body.clone());
        self.inverted_body = self.inverted_body.take().or_else(body);
        self.overlong += usize::from(r.is_overlong());
        self.long_cable = self.long_cable.take().or_else(|| r.long_cable.clone());
        self.max_over_length = self.max_over_length.max(r.max_over_length);
        self.iterations += r.iterations;
        self.factorizations += r.factorizations;
        self.energy_end = r.energy();
        self.energy_max = self.energy_max.max(r.energy());
        self.work += r.work;
        self.energy_taken += r.energy_taken;
        self.energy_mended += r.energy_mended;
        self.energy_gain = self.energy_gain.max(r.energy_gain);
        if r.gained_energy() {
            let first = (self.frames, r.energy_gain, r.energy_tolerance);
            self.gained.get_or_insert(first);
        }
        self.step_ms.push(1e3 * r.timings.total);
        self.solve_ms.push(1e3 * r.timings.solve);
        for (sum, (_, seconds)) in self.phases.iter_mut().zip(r.timings.phases()) {
            sum.1 += seconds;
        }
    }

    fn note(&mut self, event: &Event) {
        let frame = self.frames;
        match event {
            Event::JointBroke { .. } => self.broken_joints += 1,
            Event::CableBroke { name, tension, .. } => {
                self.broken_cables.push(format!("'{name}' in frame {frame} at {tension:.4e} N"));
            }
            Event::CableLeft { name, station, .. } => {
                self.left_pulleys.push(format!("'{name}' station {station} in frame {frame}"));
            }
            Event::WinchStopped { name, .. } => {
                self.stopped_winches.push(format!("'{name}' in frame {frame}"));
            }
            Event::Quarantined { name, .. } => self.quarantined.push(name.clone()),
            _ => {}
        }
    }

    /// Whether every step converged, no joint was torn, no body stuck or sunk, no energy created, no cable too long or off its pulley
    /// and no body lost.
    pub fn is_good(&self) -> bool {
        let sound = self.unconverged == 0 && self.torn == 0 && self.stuck == 0 && self.sunk == 0;
        let sound = sound && self.gained.is_none() && self.overlong == 0;
        sound && self.quarantined.is_empty() && self.left_pulleys.is_empty()
    }

    /// All figures.
    pub fn figures(&self, world: &World, dt: f64) -> Figures {
        let n = self.frames.max(1) as f64;
        let simulated = dt * self.frames as f64;
        let first = self.first_unconverged.clone();
        let cpu_ms = spread(&self.cpu_ms);
        Figures {
            frames: self.frames,
            dt,
            simulated_seconds: simulated,
            solver: self.solver,
            choice: self.choice.map(|c| c.to_string()),
            threads: world.settings().threads,
            bodies: world.bodies().filter(|(_, b)| b.kind() == BodyKind::Dynamic).count(),
            joints: world.joints().count(),
            cables: world.cables().count() + self.broken_cables.len(),
            mass_ratio: mass_ratio(world),
            unconverged_steps: self.unconverged,
            first_unconverged_frame: first.as_ref().map(|f| f.0),
            first_unconverged_reason: first.map(|f| f.1),
            broken_joints: self.broken_joints,
            broken_cables: self.broken_cables.clone(),
            left_pulleys: self.left_pulleys.clone(),
            stopped_winches: self.stopped_winches.clone(),
            quarantined: self.quarantined.clone(),
            max_penetration: self.max_penetration,
            max_joint_gap: self.max_joint_gap,
            max_tension: self.max_tension,
            max_over_length: self.max_over_length,
            max_relative_residual: self.max_relative_residual,
            max_friction_gap: self.max_friction_gap,
            softened_steps: self.softened,
            max_contact_compliance: self.max_contact_compliance,
            mean_rows: self.rows.0 as f64 / n,
            max_rows: self.rows.1,
            max_contacts: self.contacts,
            max_islands: self.islands,
            max_friction_passes: self.passes,
            halved_steps: self.halved,
            torn_steps: self.torn,
            torn_joint: self.torn_joint.clone(),
            held_steps: self.held,
            longest_held: self.longest_held,
            stuck_steps: self.stuck,
            stuck_body: self.stuck_body.clone(),
            sunk_steps: self.sunk,
            sunk_pair: self.sunk_pair.clone(),
            inverted_steps: self.inverted,
            max_inverted: self.most_inverted,
            inverted_at_end: self.inverted_end,
            inverted_body: self.inverted_body.clone(),
            overlong_steps: self.overlong,
            long_cable: self.long_cable.clone(),
            mean_iterations: self.iterations as f64 / n,
            mean_factorizations: self.factorizations as f64 / n,
            energy_start: self.energy_start,
            energy_end: self.energy_end,
            max_energy_gain: self.energy_max - self.energy_start,
            work: self.work,
            energy_created: self.energy_gain,
            first_gained_frame: self.gained.map(|g| g.0),
            energy_tolerance: self.gained.map(|g| g.2),
            energy_taken: self.energy_taken,
            energy_mended: self.energy_mended,
            cpu_seconds_per_frame: 1e-3 * cpu_ms.mean,
            wall_seconds: self.wall,
            real_time_factor: simulated / self.wall,
            resting: self.rest.figures(),
            cpu_ms,
            step_ms: spread(&self.step_ms),
            solve_ms: spread(&self.solve_ms),
            phases_ms: self.phases.iter().map(|&(name, sum)| (name, 1e3 * sum / n)).collect(),
        }
    }
}

/// Heaviest body over lightest.
pub fn mass_ratio(world: &World) -> f64 {
    let masses = world.bodies().map(|(_, b)| b.mass()).filter(|m| *m > 0.0);
    let (low, high) = masses.fold((f64::INFINITY, 0.0_f64), |(l, h), m| (l.min(m), h.max(m)));
    if high > 0.0 { high / low } else { 1.0 }
}

/// The spread of a list of times.
pub fn spread(times: &[f64]) -> Spread {
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let at = |i: usize| sorted.get(i.min(n.saturating_sub(1))).copied().unwrap_or(0.0);
    let mean = sorted.iter().fold(0.0, |sum, t| sum + t) / n.max(1) as f64;
    Spread { mean, p95: at((0.95 * n as f64) as usize), worst: at(n) }
}
