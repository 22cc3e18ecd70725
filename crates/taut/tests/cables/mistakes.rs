//! What is refused, and how it is said.

use super::*;

#[test]
fn mistakes_are_named() {
    let mut world = World::new();
    let body = load(&mut world, "load", 1.0, v(0.0, 0.0, -2.0));
    let top = Station::point(Frame::World, Vec3::ZERO);
    let end = Station::point(body, Vec3::ZERO);
    let around =
        |at: Vec3, axis: Vec3, radius: f64| Station::pulley(Frame::World, at, axis, radius);
    let cases = [
        (Cable::new("a"), "two stations"),
        (Cable::new("a").via(top), "two stations"),
        (Cable::new("").via(top).via(end), "name is empty"),
        (Cable::new("a").via(top).via(top), "goes through no body"),
        (Cable::new("a").via(end).via(end), "coincide"),
        (Cable::new("a").via(top).via(around(Vec3::X, Vec3::Y, 0.0)).via(end), "radius 0"),
        (Cable::new("a").via(top).via(around(Vec3::X, Vec3::Y, f64::NAN)).via(end), "radius NaN"),
        (Cable::new("a").via(top).via(around(Vec3::X, Vec3::ZERO, 0.1)).via(end), "no direction"),
        (
            Cable::new("a").via(top).via(around(Vec3::X * 0.1, Vec3::Y, 0.2)).via(end),
            "within the pulley",
        ),
        (Cable::new("a").via(top).via(end.friction(-1.0)), "friction -1"),
        (Cable::new("a").via(top).via(end.friction(0.1)), "ends there"),
        (
            Cable::new("a").via(top).via(around(Vec3::X, Vec3::new(0.1, 0.0, 1.0), 0.1)).via(end),
            "45° askew",
        ),
        (Cable::new("a").via(top).via(end).length(1.5), "its way takes 2 m"),
        (Cable::new("a").via(top).via(end).length(1.99), "its way takes 2 m"),
        (Cable::new("a").via(end).via(Station::point(body, Vec3::X)), "on one body"),
        (
            Cable::new("a").via(top).via(Station::edge(Frame::World, Vec3::X, Vec3::X)).via(end),
            "two ends that are apart",
        ),
        (Cable::new("a").via(Station::edge(Frame::World, Vec3::ZERO, Vec3::X)).via(end), "no end"),
        (
            Cable::new("a").via(top).via(around(Vec3::X, Vec3::Y, 0.1).growth(0.01)).via(end),
            "only a drum",
        ),
        (Cable::new("a").via(end).via(around(Vec3::X, Vec3::Y, 0.1).growth(-0.01)), "growth -0.01"),
        (Cable::new("a").via(top).via(end).length(f64::NAN), "length of NaN"),
        (Cable::new("a").via(top).via(end).stiffness(0.0), "stiffness 0"),
        (Cable::new("a").via(top).via(end).damping(1.0), "finite stiffness"),
        (Cable::new("a").via(top).via(end).winch(Winch::new(f64::NAN)), "winch's speed"),
        (Cable::new("a").via(top).via(end).closed().winch(Winch::new(1.0)), "belt"),
        (Cable::new("a").via(Station::point(body, Vec3::X * f64::NAN)).via(top), "not finite"),
    ];
    for (cable, reason) in cases {
        let error = world.add_cable(cable.clone()).unwrap_err();
        assert!(error.to_string().contains(reason), "{error} should say {reason}");
    }
    let cable = Cable::new("a").via(top).via(end);
    let id = world.add_cable(cable.clone()).unwrap();
    assert!(matches!(world.add_cable(cable), Err(Error::DuplicateName { .. })));
    world.remove_body(body).unwrap();
    assert!(world.cable(id).is_err());
    let gone = Cable::new("b").via(top).via(end);
    assert!(world.add_cable(gone).unwrap_err().to_string().contains("station 1"));
}

#[test]
fn odd_starts_are_named() {
    let start = |cable: &dyn Fn(BodyId, BodyId) -> Cable| {
        let mut world = World::new();
        let shape = Shape::Box { half_extents: Vec3::ONE };
        let crate_ = world.add_body(Body::fixed("crate").shape(shape)).unwrap();
        let load = load(&mut world, "load", 5.0, v(1.5, 0.0, -2.0));
        world.add_cable(cable(crate_, load)).unwrap();
        world.start_warnings().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let over = |order: &'static [usize]| {
        move |crate_: BodyId, load: BodyId| {
            let corners = [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
            let top = Cable::new("rope").via(Station::point(Frame::World, v(-3.0, 0.0, 0.5)));
            let edge = |cable: Cable, &i: &usize| {
                let (x, z) = corners[i];
                cable.via(Station::edge(crate_, v(x, -1.0, z), v(x, 1.0, z)))
            };
            order.iter().fold(top, edge).via(Station::point(load, Vec3::ZERO))
        }
    };
    for (order, sound) in
        [(&[0, 1, 2, 3][..], true), (&[0, 1], true), (&[1, 0], false), (&[3, 2, 1, 0], false)]
    {
        let said = start(&over(order));
        let named = said.iter().any(|s| s.contains("'rope' starts through 'crate'"));
        assert_eq!(named, !sound, "{order:?}: {said:?}");
    }
    for (length, sound) in [(1.9, true), (0.4, false)] {
        let said = start(&|_, load| {
            Cable::new("rope")
                .via(Station::point(Frame::World, v(1.5, 0.0, 0.0)))
                .via(Station::point(load, Vec3::ZERO))
                .length(length)
                .stiffness(1e3)
        });
        assert_eq!(said.is_empty(), sound, "{said:?}");
        assert!(sound || said[0].contains("stretched by 400.0 %"), "{said:?}");
    }
}
