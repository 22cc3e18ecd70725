//! What can be chosen: the first message to every page.

use serde_json::json;
use taut::lcp::SolverConfig;
use taut::lcp::registry::ENTRIES;
use taut_scenes::builtin::SCENES;
use taut_scenes::recording::FIGURES;

/// The scenes, the solvers and the names of figures, as a message.
pub fn hello() -> String {
    let scenes = SCENES.iter().map(|e| {
        json!({"name": e.name, "aliases": e.aliases, "summary": e.summary,
               "size": e.default_size, "size_of": e.size_of})
    });
    let solvers = ENTRIES.iter().map(|e| {
        json!({"name": e.name, "summary": e.summary, "limits": e.limits,
               "defaults": SolverConfig::named(e.name).ok()})
    });
    let (scenes, solvers): (Vec<_>, Vec<_>) = (scenes.collect(), solvers.collect());
    json!({"hello": {"scenes": scenes, "solvers": solvers, "figures": FIGURES}}).to_string()
}
