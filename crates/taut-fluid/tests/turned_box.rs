//! Liquid lets go of walls that only push, and hangs from those that hold.

use taut_fluid::{Error, Liquid, Options, Wall};

const DT: f64 = 1.0 / 120.0;

fn boxes() -> [[usize; 3]; 2] {
    [[24, 24, 1], [8, 8, 8]]
}

fn run(cells: [usize; 3], wall: Wall, solver: &'static str, steps: usize) -> (Liquid, f64) {
    let cell = 1.0 / cells[1] as f64;
    let options = Options { cells, cell, wall, solver, ..Options::default() };
    let mut liquid = Liquid::new(&options, |x| x[1] > 0.5).expect("valid");
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        worst = worst.max(liquid.step(DT).expect("solved").divergence);
    }
    (liquid, worst)
}

#[test]
fn water_leaves_the_ceiling() {
    for cells in boxes() {
        // A third of a second: it falls freely by ½ g t² but for the last drops.
        let (liquid, worst) = run(cells, Wall::Separating, "bpp_pcg", 30);
        assert!(worst <= 1e-6, "{worst}");
        let exact = 1.0 - 0.5 * 9.81 * 0.25 * 0.25;
        assert!((liquid.highest() - exact).abs() < 0.06, "{} for {exact}", liquid.highest());
        let (liquid, worst) = run(cells, Wall::Sticking, "bpp_pcg", 30);
        assert!(worst <= 1e-6, "{worst}");
        assert!(liquid.highest() > 0.95 && liquid.lowest() > 0.45, "{}", liquid.lowest());
    }
}

/// At rest nothing moves: the pressure is that of the column, and walls push.
#[test]
fn water_at_rest_stays() {
    for wall in [Wall::Separating, Wall::Sticking] {
        let options = Options { cells: [16, 16, 1], cell: 1.0 / 16.0, wall, ..Options::default() };
        let mut liquid = Liquid::new(&options, |x| x[1] < 0.5).expect("valid");
        for _ in 0..60 {
            let _ = liquid.step(DT).expect("solved");
        }
        let fastest = liquid.velocities().iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(fastest < 1e-6, "{fastest} m/s");
    }
}

/// Any exact method of the library gives the same motion.
#[test]
fn methods_agree() {
    let (first, _) = run([12, 12, 1], Wall::Separating, "bpp_pcg", 20);
    for solver in ["bpp", "ipm", "auto"] {
        let (other, worst) = run([12, 12, 1], Wall::Separating, solver, 20);
        assert!(worst <= 1e-6, "{solver}: {worst}");
        for (a, b) in first.particles().iter().zip(other.particles()) {
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-5), "{solver}");
        }
    }
}

#[test]
fn refuses_nonsense() {
    let bad = |options: Options| Liquid::new(&options, |_| true).err().map(|e| e.to_string());
    let of = |cells| bad(Options { cells, ..Options::default() });
    assert!(of([0, 4, 1]).is_some_and(|e| e.contains("cells")));
    assert!(of([usize::MAX, 4, 1]).is_some_and(|e| e.contains("cells")));
    assert!(bad(Options { cell: f64::NAN, ..Options::default() }).is_some());
    assert!(bad(Options { density: 0.0, ..Options::default() }).is_some());
    assert!(bad(Options { particles: 0, ..Options::default() }).is_some());
    assert!(bad(Options { solver: "nothing", ..Options::default() }).is_some());
    let mut liquid = Liquid::new(&Options::default(), |_| false).expect("empty");
    assert!(liquid.step(DT).is_ok());
    assert!(matches!(liquid.step(0.0), Err(Error::Option { .. })));
    liquid.gravity[0] = f64::INFINITY;
    assert!(matches!(liquid.step(DT), Err(Error::Option { .. })));
}
