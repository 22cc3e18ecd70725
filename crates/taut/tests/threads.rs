//! A world may be sent to another thread, and asked from several at once.

use taut::math::Vec3;
use taut::{Body, Error, Groups, Shape, World};

#[test]
fn a_world_is_send_and_sync() {
    fn shared<T: Send + Sync>() {}
    shared::<World>();
    shared::<taut::Settings>();
    shared::<taut::StepReport>();
    shared::<taut::lcp::Session>();
}

/// Queries and readings from four threads at once give the same answers.
#[test]
fn queries_from_several_threads() -> Result<(), Error> {
    let mut world = World::new();
    world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
    for i in 0..20 {
        let place = Vec3::new(f64::from(i), 0.0, 0.5);
        let ball = Body::dynamic(format!("ball{i}")).shape(Shape::Ball { radius: 0.4 });
        world.add_body(ball.position(place))?;
    }
    for _ in 0..30 {
        let _ = world.step(1.0 / 60.0)?;
    }
    let look = |i: i32| {
        let from = Vec3::new(f64::from(i), 0.0, 5.0);
        let hit = world.ray_cast(from, -Vec3::Z, 10.0, Groups::ALL);
        (hit.map(|h| (h.body, h.distance)), world.contacts().map(|c| c.normal_force).sum::<f64>())
    };
    let alone: Vec<_> = (0..20).map(look).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..20).map(look).collect::<Vec<_>>())).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("no panic"), alone);
        }
    });
    Ok(())
}
