//! Interfaces in nested clusters, beside one cluster of all subsystems.

use taut::lcp::SolverConfig;
use taut::lcp::splitting::schur_bpp::{SchurBpp, Settings};
use taut::lcp::splitting::{Partition, Work};

use super::{Failure, Frame, REPEATS, Record, frames, interface, run, table};

const NESTED: &str = "| scene | partition | subsystems | rows | interface | levels | `bpp` ms | flat ms | nested ms | flat / nested | nested ms, 2 threads | multiplications, flat / nested | counted gain on 8, flat | nested | on 16, flat | nested | path on 16, flat / nested |";

/// Interfaces as one cluster of subsystems, and in nested ones.
pub fn measure(only: &str) -> Result<(), Failure> {
    let parts = |bodies| Partition::Nested { bodies };
    let scenes = [
        ("bridge:500", 5, 6, &[parts(256), parts(64), parts(16)][..]),
        ("tower:1000", 5, 6, &[parts(32)]),
        ("chain:400", 20, 10, &[parts(16)]),
        ("tandem-cranes:96", 20, 6, &[parts(32)]),
        ("net-truck:8", 40, 6, &[Partition::Named, parts(64)]),
        ("spinner:96", 60, 6, &[Partition::Named]),
        ("rocks:500", 60, 3, &[parts(32)]),
    ];
    let mut rows = Vec::new();
    for (name, skip, count, partitions) in scenes.into_iter().filter(|s| s.0.starts_with(only)) {
        eprintln!("{name}");
        let frames = frames(name, skip, count)?;
        for &partition in partitions {
            rows.push(flat_and_nested(name, &frames, partition)?);
        }
    }
    table("substructuring-nested", NESTED, &rows);
    Ok(())
}

fn flat_and_nested(name: &str, frames: &[Frame], partition: Partition) -> Result<String, Failure> {
    let settings = || Settings { partition, ..Settings::default() };
    let (mut bpp, mut records): (Record, [Record; 3]) = Default::default();
    let (mut work, mut levels) = ([Work::default(), Work::default()], 0);
    for _ in 0..REPEATS {
        run(SolverConfig::named("bpp")?.build()?.as_mut(), frames, 1, &mut bpp, |_| {})?;
        let mut solver = SchurBpp::flat(settings());
        run(&mut solver, frames, 1, &mut records[0], |_| {})?;
        work[0] = solver.work().clone();
        for threads in [1, 2] {
            let mut solver = SchurBpp::new(settings());
            run(&mut solver, frames, threads, &mut records[threads], |_| {})?;
            (work[1], levels) = (solver.work().clone(), solver.levels());
        }
    }
    let of = partition.assign(&frames[0].problem);
    let [flat, nested] = &work;
    let gain = |w: &Work, threads| w.total() / w.critical_path(threads);
    Ok(format!(
        "| {name} | {partition:?} | {} | {} | {} | {levels} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} |",
        of.iter().max().map_or(0, |m| m + 1),
        frames[0].problem.rows(),
        interface(&frames[0].problem, &of),
        bpp.ms(),
        records[0].ms(),
        records[1].ms(),
        records[0].ms() / records[1].ms(),
        records[2].ms(),
        flat.total() / nested.total(),
        gain(flat, 8),
        gain(nested, 8),
        gain(flat, 16),
        gain(nested, 16),
        flat.critical_path(16) / nested.critical_path(16)
    ))
}
