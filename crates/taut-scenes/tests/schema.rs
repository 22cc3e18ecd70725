//! The published schema is that of the types.

use std::path::Path;

#[test]
fn the_published_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/scene.v1.json");
    if std::env::var_os("TAUT_WRITE_SCHEMA").is_some() {
        std::fs::write(&path, taut_scenes::schema_text()).expect("the schema can be written");
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    let current = published == taut_scenes::schema_text();
    assert!(current, "schemas/scene.v1.json is out of date: run cargo xtask schema");
}
