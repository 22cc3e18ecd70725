//! Scenes that try contact hard: the unit tests of Erleben 2018 and Ferguson et al. 2021 in kind, chains, an arch, bolt and nut, gears.
//!
//! All of them are made here, with gaps between bodies of half of d̂ or more, and run at h = 0.01 s.

use std::f64::consts::{PI, TAU};

use crate::vector::Vec3;
use crate::{Error, Mesh, Settings, System};

/// Their names.
pub const NAMES: [&str; 18] = [
    "spike-on-spike",
    "spike-on-wedge",
    "wedge-on-wedge",
    "parallel-wedges",
    "spike-in-crack",
    "wedge-in-crack",
    "spike-in-hole",
    "sliding-spike",
    "sliding-wedge",
    "cliff-edge",
    "internal-edges",
    "hanging",
    "wrecking-ball",
    "chain-net-4",
    "chain-net-8",
    "arch-25",
    "bolt-and-nut",
    "gears",
];

/// Density of all bodies \[kg/m³\].
const DENSITY: f64 = 1000.0;

/// The scene with this name; `None` if there is none.
pub fn named(name: &str, settings: Settings) -> Option<Result<System, Error>> {
    let build: fn(Settings) -> Result<System, Error> = match name {
        "spike-on-spike" => spike_on_spike,
        "spike-on-wedge" => spike_on_wedge,
        "wedge-on-wedge" => |s| wedges(s, true),
        "parallel-wedges" => |s| wedges(s, false),
        "spike-in-crack" => |s| crack(s, true),
        "wedge-in-crack" => |s| crack(s, false),
        "spike-in-hole" => spike_in_hole,
        "sliding-spike" => |s| sliding(s, true),
        "sliding-wedge" => |s| sliding(s, false),
        "cliff-edge" => cliff_edge,
        "internal-edges" => internal_edges,
        "hanging" => hanging,
        "wrecking-ball" => wrecking_ball,
        "chain-net-4" => |s| chain_net(s, 4),
        "chain-net-8" => |s| chain_net(s, 8),
        "arch-25" => |s| arch(s, 25),
        "bolt-and-nut" => bolt_and_nut,
        "gears" => gears,
        _ => return None,
    };
    Some(build(settings))
}

/// A wedge along y, its ridge up or down at the origin.
fn ridge(half: f64, height: f64) -> Result<Mesh, Error> {
    let (a, b) = if height > 0.0 { (-half, half) } else { (half, -half) };
    Mesh::wedge([[a, -height], [b, -height], [0.0, 0.0]], half)
}

/// A spike with its tip at the origin, up or down.
fn tip(half: f64, height: f64) -> Result<Mesh, Error> {
    Ok(Mesh::spike(half, height)?.moved([0.0, 0.0, -height]))
}

fn spike_on_spike(settings: Settings) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    system.add_fixed("lower", &tip(0.2, 0.4)?, 0.3)?;
    system.add_rigid("upper", &tip(0.2, -0.4)?.moved([1e-4, -2e-4, 0.05]), DENSITY, 0.3)?;
    system.add_fixed("ground", &Mesh::ground(2.0)?.moved([0.0, 0.0, -0.41]), 0.3)?;
    Ok(system)
}

fn spike_on_wedge(settings: Settings) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    system.add_fixed("wedge", &ridge(0.2, 0.4)?, 0.3)?;
    system.add_rigid("spike", &tip(0.2, -0.4)?.moved([1e-4, 0.03, 0.05]), DENSITY, 0.3)?;
    system.add_fixed("ground", &Mesh::ground(2.0)?.moved([0.0, 0.0, -0.41]), 0.3)?;
    Ok(system)
}

fn wedges(settings: Settings, crossed: bool) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    system.add_fixed("lower", &ridge(0.2, 0.4)?, 0.3)?;
    let upper =
        system.add_rigid("upper", &ridge(0.2, -0.4)?.moved([1e-4, 0.0, 0.05]), DENSITY, 0.3)?;
    if crossed {
        // The centre stays where it is: turned about the vertical, the ridge crosses the other one.
        system.turn(upper, [0.0, 0.0, 0.5 * PI])?;
    }
    system.add_fixed("ground", &Mesh::ground(2.0)?.moved([0.0, 0.0, -0.41]), 0.3)?;
    Ok(system)
}

/// Two slanted banks with a crack between, and what falls into it.
fn crack(settings: Settings, spike: bool) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    let bank = |sign: f64| {
        let mut t = [[sign * 0.02, -0.4], [sign * 0.5, -0.4], [sign * 0.5, 0.2]];
        if sign < 0.0 {
            t.swap(1, 2);
        }
        Mesh::wedge(t, 0.4)
    };
    system.add_fixed("left", &bank(-1.0)?, 0.3)?;
    system.add_fixed("right", &bank(1.0)?, 0.3)?;
    let falling = if spike { tip(0.1, -0.4)? } else { ridge(0.1, -0.4)? };
    system.add_rigid("falling", &falling.moved([0.0, 0.0, -0.05]), DENSITY, 0.3)?;
    system.add_fixed("ground", &Mesh::ground(2.0)?.moved([0.0, 0.0, -0.5]), 0.3)?;
    Ok(system)
}

fn spike_in_hole(settings: Settings) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    let inner = |_: f64, share: f64| 0.03 + 0.05 * share;
    let block = Mesh::turned(|_, _| 0.3, Some(&inner), 0.3, [12, 2])?;
    system.add_fixed("hole", &block, 0.3)?;
    system.add_rigid("spike", &tip(0.1, -0.4)?.moved([0.01, 0.0, 0.25]), DENSITY, 0.3)?;
    Ok(system)
}

/// A spike or wedge, tip down, slides along a tessellated floor and tips over.
fn sliding(settings: Settings, spike: bool) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    system.add_fixed("floor", &floor(6)?, 0.2)?;
    let body = if spike { tip(0.2, -0.3)? } else { ridge(0.2, -0.3)? };
    let id = system.add_rigid("slider", &body.moved([-0.4, 0.013, 2e-3]), DENSITY, 0.2)?;
    system.set_velocity(id, [1.5, 0.0, 0.0], [0.0; 3])?;
    Ok(system)
}

/// A square of 4 m of n × n cells, not all cut along the same diagonal.
fn floor(n: usize) -> Result<Mesh, Error> {
    let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=n {
        for j in 0..=n {
            vertices.push([4.0 * i as f64 / n as f64 - 2.0, 4.0 * j as f64 / n as f64 - 2.0, 0.0]);
        }
    }
    for i in 0..n {
        for j in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    Mesh::open(vertices, triangles)
}

/// Three cubes at a cliff: one stays, one has its centre at the edge, one beyond.
fn cliff_edge(settings: Settings) -> Result<System, Error> {
    let gap = 0.5 * settings.reach;
    let mut system = System::new(settings)?;
    system.add_fixed("cliff", &Mesh::block([0.5, 1.0, 0.25])?.moved([-0.5, 0.0, -0.25]), 0.4)?;
    system.add_fixed("ground", &Mesh::ground(3.0)?.moved([0.0, 0.0, -0.6]), 0.4)?;
    for (k, x) in [-0.05, 0.0, 0.02].into_iter().enumerate() {
        let cube = Mesh::block([0.1; 3])?.moved([x, 0.6 * k as f64 - 0.6, 0.1 + gap]);
        system.add_rigid(&format!("cube{k}"), &cube, DENSITY, 0.4)?;
    }
    Ok(system)
}

/// A block that slides across the edges within a floor must not stumble.
fn internal_edges(settings: Settings) -> Result<System, Error> {
    let gap = 0.9 * settings.reach;
    let mut system = System::new(settings)?;
    system.add_fixed("floor", &floor(8)?, 0.1)?;
    let block = Mesh::block([0.15, 0.15, 0.05])?.moved([-1.0, 0.07, 0.05 + gap]);
    let id = system.add_rigid("block", &block, DENSITY, 0.1)?;
    system.set_velocity(id, [2.0, 0.3, 0.0], [0.0; 3])?;
    Ok(system)
}

/// A link about an axis: stretched along x, in the plane of x and z if upright.
fn link(upright: bool, [radius, section]: [f64; 2], cells: [usize; 2]) -> Result<Mesh, Error> {
    let ring = Mesh::ring([radius, section], 0.0, cells)?;
    if !upright {
        return Ok(ring);
    }
    let turned = ring.vertices().iter().map(|v| [v[0], -v[2], v[1]]).collect();
    Mesh::new(turned, ring.triangles().to_vec())
}

/// Rings that hang from a bar, one in another.
fn hanging(settings: Settings) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    system.add_fixed("bar", &Mesh::block([0.02, 0.4, 0.02])?, 0.3)?;
    for k in 0..4 {
        let ring = link(true, [0.12, 0.02], [16, 6])?;
        // Every second one in the plane of y and z.
        let ring = if k % 2 == 0 {
            ring
        } else {
            let turned = ring.vertices().iter().map(|v| [-v[1], v[0], v[2]]).collect();
            Mesh::new(turned, ring.triangles().to_vec())?
        };
        let z = -0.05 - 0.17 * k as f64;
        system.add_rigid(&format!("ring{k}"), &ring.moved([0.0, 0.0, z]), DENSITY, 0.3)?;
    }
    Ok(system)
}

/// A ball on a chain swings into a wall of blocks.
fn wrecking_ball(settings: Settings) -> Result<System, Error> {
    let gap = 0.5 * settings.reach;
    let mut system = System::new(settings)?;
    let (radius, section) = (0.1, 0.018);
    // The chain lies along x from the bar at the right; its links are upright and flat in turn.
    let pitch = 2.0 * radius - 2.6 * section;
    let top = [0.0, 0.0, 2.0];
    let links = 8;
    for k in 0..links {
        let ring = link(k % 2 == 0, [radius, section], [14, 6])?;
        let x = pitch * k as f64;
        let place = [top[0] + x, 0.0, top[2]];
        if k == 0 {
            system.add_fixed("anchor", &ring.moved(place), 0.2)?;
        } else {
            system.add_rigid(&format!("link{k}"), &ring.moved(place), 7800.0, 0.2)?;
        }
    }
    // The ball and its eye are one body.
    let eye = link(links % 2 == 0, [radius, section], [14, 6])?;
    let x = pitch * links as f64;
    let ball = Mesh::ball(0.25, [16, 10])?.moved([x + radius + section + 0.26, 0.0, 2.0]);
    let both = join(&eye.moved([x, 0.0, 2.0]), &ball)?;
    system.add_rigid("ball", &both, 7800.0, 0.2)?;
    system.add_fixed("ground", &Mesh::ground(5.0)?, 0.5)?;
    let half = [0.1, 0.2, 0.1];
    for row in 0..4 {
        for k in 0..4 {
            let shift = if row % 2 == 0 { 0.0 } else { half[1] + 0.5 * gap };
            let y = (2.0 * half[1] + gap) * (f64::from(k) - 1.5) + shift;
            let z = half[2] + gap + f64::from(row) * (2.0 * half[2] + gap);
            let block = Mesh::block(half)?.moved([-0.5, y, z]);
            system.add_rigid(&format!("block{row}{k}"), &block, 500.0, 0.5)?;
        }
    }
    Ok(system)
}

/// Two meshes that do not touch, as one body.
fn join(a: &Mesh, b: &Mesh) -> Result<Mesh, Error> {
    let base = a.vertices().len() as u32;
    let vertices = [a.vertices(), b.vertices()].concat();
    let mut triangles = a.triangles().to_vec();
    triangles.extend(b.triangles().iter().map(|t| t.map(|v| v + base)));
    Mesh::new(vertices, triangles)
}

/// Flat rings in a square, joined by upright ones; the corners are fixed, a ball falls into the middle.
fn chain_net(settings: Settings, n: usize) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    let (radius, section) = (0.1, 0.012);
    let pitch = 2.6 * radius;
    let middle = 0.5 * pitch * (n - 1) as f64;
    let place = |i: f64, j: f64| [pitch * i - middle, pitch * j - middle, 1.5];
    for i in 0..n {
        for j in 0..n {
            let flat = link(false, [radius, section], [12, 5])?.moved(place(i as f64, j as f64));
            let is_corner = (i == 0 || i + 1 == n) && (j == 0 || j + 1 == n);
            let name = format!("ring{i}-{j}");
            if is_corner {
                system.add_fixed(&name, &flat, 0.2)?;
            } else {
                system.add_rigid(&name, &flat, 7800.0, 0.2)?;
            }
            for along_x in [true, false] {
                let (next_i, next_j) = if along_x { (i + 1, j) } else { (i, j + 1) };
                if next_i >= n || next_j >= n {
                    continue;
                }
                let upright = link(true, [radius, section], [12, 5])?;
                let turn = |v: &Vec3| if along_x { *v } else { [-v[1], v[0], v[2]] };
                let vertices = upright.vertices().iter().map(turn).collect();
                let upright = Mesh::new(vertices, upright.triangles().to_vec())?;
                let half = |a: usize, b: usize| 0.5 * (a + b) as f64;
                let at = place(half(i, next_i), half(j, next_j));
                system.add_rigid(&format!("{name}{along_x}"), &upright.moved(at), 7800.0, 0.2)?;
            }
        }
    }
    let ball = Mesh::ball(1.3 * radius, [12, 8])?.moved([0.0, 0.0, 1.5 + 3.0 * radius]);
    system.add_rigid("ball", &ball, 2000.0, 0.2)?;
    Ok(system)
}

/// A half circle of stones between two abutments.
fn arch(settings: Settings, stones: usize) -> Result<System, Error> {
    let gap = 0.7 * settings.reach;
    let mut system = System::new(settings)?;
    let (inner, outer, width) = (1.0, 1.25, 0.2);
    for k in 0..stones {
        let angle = |i: usize| PI * i as f64 / stones as f64;
        // Faces are half a gap from the radii between stones.
        let corner = |r: f64, end: usize, y: f64| {
            let (s, c) = angle(k + end).sin_cos();
            let shift = if end == 0 { 0.5 * gap } else { -0.5 * gap };
            [r * c - shift * s, y, r * s + shift * c]
        };
        let corners: [Vec3; 8] = std::array::from_fn(|i| {
            let r = if i & 1 == 1 { outer } else { inner };
            let y = if i >> 1 & 1 == 1 { width } else { -width };
            corner(r, i >> 2 & 1, y)
        });
        system.add_rigid(&format!("stone{k}"), &Mesh::hexahedron(corners)?, 2400.0, 0.6)?;
    }
    for (name, x) in [("right", 1.125), ("left", -1.125)] {
        let block = Mesh::block([0.3, 0.4, 0.2])?.moved([x, 0.0, -0.2 - 0.5 * gap]);
        system.add_fixed(name, &block, 0.6)?;
    }
    Ok(system)
}

/// A nut on the thread of a bolt, without friction: it turns as it sinks.
fn bolt_and_nut(settings: Settings) -> Result<System, Error> {
    let mut system = System::new(settings)?;
    let (pitch, depth, radius) = (0.06, 0.02, 0.1);
    let wave = |phase: f64| {
        let phase = phase - phase.floor();
        depth * (1.0 - (2.0 * phase - 1.0).abs())
    };
    let around = 24;
    let turns = 6.0;
    let outer = |angle: f64, share: f64| radius + wave(turns * share - angle / TAU);
    let bolt = Mesh::turned(outer, None, turns * pitch, [around, 72])?;
    system.add_fixed("bolt", &bolt, 0.0)?;
    // Wider by what chords and reach take away.
    let clearance = 0.006;
    let held = 2.0;
    let inner = |angle: f64, share: f64| radius + clearance + wave(held * share - angle / TAU);
    let nut = Mesh::turned(|_, _| 0.2, Some(&inner), held * pitch, [around, 24])?;
    system.add_rigid("nut", &nut.moved([0.0, 0.0, 3.0 * pitch]), 7800.0, 0.0)?;
    Ok(system)
}

/// A gear on an axle, driven by another one that turns as told; without weight.
fn gears(settings: Settings) -> Result<System, Error> {
    let mut system = System::new(Settings { gravity: [0.0; 3], ..settings })?;
    let (teeth, radius, depth) = (12.0, 0.3, 0.045);
    let profile = move |phase: f64| {
        let wave = (teeth * phase).cos();
        radius + depth * (1.6 * wave).clamp(-1.0, 1.0)
    };
    let bore = |_: f64, _: f64| 0.11;
    let distance = 2.0 * radius + 0.02;
    let cells = [96, 1];
    let driver = Mesh::turned(move |a, _| profile(a), Some(&bore), 0.1, cells)?;
    let driver = system.add_kinematic("driver", &driver, 0.1)?;
    system.set_velocity(driver, [0.0; 3], [0.0, 0.0, 2.0])?;
    // Half a tooth on, so that a tooth meets a gap.
    let driven = Mesh::turned(move |a, _| profile(a + PI / teeth + PI), Some(&bore), 0.1, cells)?;
    system.add_rigid("driven", &driven.moved([distance, 0.0, 0.0]), DENSITY, 0.1)?;
    let axle = Mesh::turned(|_, _| 0.1, None, 0.3, [24, 1])?.moved([distance, 0.0, -0.1]);
    system.add_fixed("axle", &axle, 0.1)?;
    Ok(system)
}
