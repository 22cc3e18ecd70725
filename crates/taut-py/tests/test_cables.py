"""Cables: strung, wound, slack, torn."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut
from taut import shape, station
from taut.records import CABLE

G = 9.81


def ball(
    world: taut.World, name: str, position: tuple[float, float, float], mass: float
) -> taut.Body:
    return world.add_body(name, shape=shape.ball(0.1), position=position, mass=mass)


def atwood(a: float, b: float, friction: float = 0.0) -> taut.World:
    """Two loads on a rope over a fixed wheel of 0.5 m."""
    world = taut.World()
    left, right = ball(world, "left", (-0.5, 0, -3), a), ball(world, "right", (0.5, 0, -3), b)
    world.add_cable(
        [
            station.point(left),
            station.pulley("world", (0, 0, 0), axis=(0, 1, 0), radius=0.5, friction=friction),
            station.point(right),
        ],
        name="rope",
    )
    return world


def test_atwood() -> None:
    world = atwood(2.0, 3.0)
    figures = world.step_many(30)
    assert figures["unconverged_islands"].sum() == 0
    rope = world.cable("rope")
    expected = 2 * 2.0 * 3.0 / 5.0 * G
    assert rope.tensions == pytest.approx([expected, expected], rel=1e-6)
    assert rope.tension == pytest.approx(expected, rel=1e-6) and rope.is_taut
    assert rope.wraps == pytest.approx([0, math.pi, 0], abs=1e-9) and rope.touches.all()
    assert rope.length == pytest.approx(6 + 0.5 * math.pi) == rope.way
    assert world.body("right").velocity[2] == pytest.approx(-G / 5 * world.time, rel=1e-6)
    assert rope.line.shape[1] == 3 and np.allclose(rope.line[0], world.body("left").position)


def test_friction_on_a_wheel_holds_what_it_can() -> None:
    # Euler's law: a rope that is about to slip pulls e^(mu pi) times as much on one side.
    for ratio, slips in ((2.5, False), (3.0, True)):
        world = atwood(1.0, ratio, friction=math.log(2.75) / math.pi)
        world.step_many(30)
        moved = abs(world.body("left").velocity[2]) > 1e-3
        assert moved == slips
        if slips:
            pull = world.cable("rope").tensions
            assert pull[1] / pull[0] == pytest.approx(2.75, rel=1e-3)


def test_an_edge_holds_and_a_drum_grows() -> None:
    world = taut.World()
    left, right = ball(world, "left", (-1, 0, -2), 5), ball(world, "right", (1, 0, -2), 5)
    corners = [station.edge("world", (x, -1, 0), (x, 1, 0)) for x in (-1, 1)]
    rope = world.add_cable([station.point(left), *corners, station.point(right)])
    world.step_many(10)
    assert rope.tension == pytest.approx(5 * G, rel=1e-9) and rope.touches.all()

    load = ball(world, "load", (5.3, 0, -4), 5)
    drum = station.pulley("world", (5, 0, 0), axis=(0, 1, 0), radius=0.2, turns=10, growth=0.01)
    rope = world.add_cable([drum, station.point(load)])
    assert rope.length == pytest.approx(4 + 20 * math.pi * 0.25)


def test_a_winch_lifts() -> None:
    world = taut.World()
    load = ball(world, "load", (0, 0, -3), 100)
    rope = world.add_cable(
        [station.point("world"), station.point(load)], name="hoist", winch={"speed": 0.0}
    )
    assert rope.winch == {"speed": 0.0}
    world.step_many(10)
    rope.winch = {"speed": -0.5}
    before = rope.length
    world.step_many(60)
    assert rope.length == pytest.approx(before - 0.5)
    assert load.position[2] == pytest.approx(-2.5, abs=1e-6)
    assert rope.tension == pytest.approx(100 * G, rel=1e-6)
    record = world.cables
    assert record.dtype == CABLE and record["winch_speed"].tolist() == [-0.5]
    rope.winch = None
    assert rope.winch is None and np.isnan(world.cables["winch_speed"]).all()
    with pytest.raises(taut.SceneError, match="winch"):
        rope.winch = {"sped": 1.0}
    with pytest.raises(taut.SceneError, match="speed"):
        rope.winch = {"speed": math.nan}


def test_events_slack_taut_broken() -> None:
    world = taut.World()
    load = ball(world, "load", (0, 0, -1), 10)
    rope = world.add_cable(
        [station.point("world"), station.point(load)], length=1.2, break_tension=1e6
    )
    assert rope.name == "cable0" and rope.slack == pytest.approx(0.2) and not rope.is_taut
    recording = world.record(120)
    kinds = [event.kind for event in recording.events]
    assert kinds[0] == "cable_taut" and recording.events[0].name == "cable0"
    pull = recording.tensions["cable0"]
    assert pull.shape == (121, 1) and pull[0] == 0 and pull[-1] == pytest.approx(10 * G, rel=1e-3)
    load.apply_impulse((0, 0, 50))
    assert "cable_slack" in [e.kind for e in world.record(20).events]
    rope.remove()
    weak = world.add_cable([station.point("world"), station.point(load)], break_tension=50)
    events = world.record(30).events
    assert [e.kind for e in events] == ["cable_taut", "cable_broke"] or [
        e.kind for e in events
    ] == ["cable_broke"]
    assert events[-1].name == weak.name and events[-1].force > 50
    assert "gone" in repr(weak) and world.cable_names == []
    with pytest.raises(taut.Error, match="no cable is named"):
        weak.tension  # noqa: B018


def test_belts_and_drums() -> None:
    world = taut.World(gravity=(0, 0, 0))
    for name, x, radius in (("small", 0.0, 0.1), ("large", 1.0, 0.2)):
        wheel = world.add_body(name, shape=shape.ball(radius), position=(x, 0, 0), collides=False)
        world.add_joint("hinge", "world", wheel, name=f"axle-{name}", axis_a=(0, 1, 0),
                        motor={"velocity": {"target": 1.0}} if name == "small" else None)  # fmt: skip
    belt = world.add_cable(
        [
            station.pulley("small", axis=(0, 1, 0), radius=0.1, grips=True),
            station.pulley("large", axis=(0, 1, 0), radius=0.2, grips=True),
        ],
        closed=True,
        stiffness=1e5,
        damping=1e3,
        length=0.995 * (math.pi * 0.3 + 2.005),
    )
    world.step_many(120)
    assert world.joint("axle-large").velocity == pytest.approx(0.5, rel=0.01)
    assert len(belt.tensions) == 2 and belt.stretch > 0


def test_copies_pickles_files(tmp_path: Path) -> None:
    world = atwood(1.0, 2.0)
    world.step_many(20)
    other = pickle.loads(pickle.dumps(world))
    third = world.copy()
    for w in (world, other, third):
        w.step_many(20)
    assert world.snapshot() == other.snapshot() == third.snapshot()
    again = taut.World.from_json(world.to_json())
    assert again.cable_names == ["rope"] and "1 cable" in repr(again)
    run = world.record(10)
    run.save(tmp_path / "run.taut")
    loaded = taut.Recording.load(tmp_path / "run.taut")
    assert np.array_equal(loaded.tensions["rope"], run.tensions["rope"])
    assert loaded.world().snapshot() == world.snapshot()


def test_built_in_scenes_have_cables() -> None:
    world = taut.World.load("block-and-tackle")
    run = world.record(30)
    assert run.tensions and all(np.isfinite(t).all() for t in run.tensions.values())


def test_mistakes() -> None:
    world = atwood(1.0, 2.0)
    left = world.body("left")
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: world.add_cable([station.point(left)]), "two stations"),
        (lambda: world.add_cable([station.point(left), station.point("nobody")]), "no body is named"),
        (lambda: world.add_cable([station.point("world"), station.point("world", (0, 0, 1))]), "no body"),
        (lambda: world.add_cable([station.point("world"), station.point(left)], name="rope"), "taken"),
        (lambda: world.add_cable([station.point("world"), station.point(left)], length=-1), "length"),
        (lambda: world.add_cable([station.point("world"), station.point(left)], lenght=1), "unknown field"),
        (lambda: world.add_cable([{"bodi": "world"}, station.point(left)]), r"via\[0\]"),
        (lambda: world.add_cable([station.point("world"), left]), r"via\[1\]"),  # type: ignore[list-item]
        (lambda: station.pulley(left, axis=(0, 1), radius=1), "axis has 2 entries"),
        (lambda: world.add_cable([station.point("world"), station.pulley(left, axis=(0, 0, 0), radius=1)]), "axis"),
        (lambda: world.cable("none"), "no cable is named 'none'"),
    ]  # fmt: skip
    for use, message in wrong:
        with pytest.raises(taut.Error, match=message):
            use()
    assert world.cable_names == ["rope"]
    world.body("left").remove()
    assert world.cable_names == [], "goes with its body"
    world.step()
