"""Worlds: built, stepped, asked, copied."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut import shape
from taut.records import CONTACT, STEP


def pile() -> taut.World:
    """Boxes and balls that fall on one another, a pendulum, a motor: a bit of everything."""
    world = taut.World(ground=True, settings={"friction": "cone"})
    world.add_material("ice", friction=0.05, restitution=0.2)
    for i in range(4):
        world.add_body(
            f"box{i}", shape=shape.box(0.2, 0.2, 0.2), position=(0.05 * i, 0, 0.2 + 0.41 * i)
        )
    world.add_body("ball", shape=shape.ball(0.1), position=(0.1, 0.05, 2.5), material="ice", mass=1)
    arm = world.add_body("arm", shape=shape.capsule(0.4, 0.05), position=(2, 0, 1), mass=2)
    world.add_joint("hinge", "world", arm, name="motor", anchor_b=(0, 0, 0.4), axis_a=(0, 1, 0),
                    motor={"velocity": {"target": 1.0, "max_force": 50}})  # fmt: skip
    return world


def bits(world: taut.World) -> bytes:
    return world.positions.tobytes() + world.velocities.tobytes() + world.contacts.tobytes()


def test_fields_of_a_step_are_those_of_the_engine() -> None:
    assert list(taut.StepReport._fields[: len(STEP.names or ())]) == list(STEP.names or ())
    world = pile()
    report = world.copy().step()
    figures = world.step_many(1)[0]
    for name in ("time", "kinetic_energy", "rows", "contacts", "max_penetration"):
        assert getattr(report, name) == figures[name], name
    assert report.converged and not report.gained_energy and "converged" in repr(report)
    assert report.energy == pytest.approx(world.energy)
    assert pickle.loads(pickle.dumps(report)) == report


def test_a_box_weighs_what_it_weighs() -> None:
    world = taut.World(ground=True)
    box = world.add_body("box", shape=shape.box(0.5, 0.5, 0.5), position=(0, 0, 0.5), mass=3)
    world.step()
    contacts = world.contacts
    assert contacts.dtype == CONTACT and contacts["normal_force"].sum() == pytest.approx(3 * 9.81)
    assert set(contacts["a"]) | set(contacts["b"]) == {-1, 0}
    assert box.mass == 3 and box.kind == "dynamic" and box.inertia.shape == (3, 3)
    box.apply_force((0, 0, 3 * 9.81))
    world.step()
    assert world.contacts["normal_force"].sum() == pytest.approx(0, abs=1e-9)


def test_arrays_go_in_and_out() -> None:
    world = pile()
    n = len(world)
    assert world.positions.shape == (n, 3) and world.orientations.shape == (n, 4)
    assert world.names[-1] == "arm" and [b.name for b in world] == world.names
    x = world.positions
    x += 100
    assert world.positions.max() < 10, "a copy"
    world.velocities = np.tile([1.0, 2.0, 3.0], (n, 1))
    world.angular_velocities = np.ones((n, 3), dtype=np.float32)
    assert world.body("ball").velocity.tolist() == [1, 2, 3]
    moved = world.positions[::-1][::-1] + [0, 0, 5]
    world.positions = moved
    assert np.array_equal(world.positions, moved)
    world.orientations = np.tile([0.0, 1.0, 0.0, 0.0], (n, 1))
    assert world.body("arm").orientation.tolist() == [0, 1, 0, 0]
    assert world.masses.shape == (n,) and world.centres_of_mass.shape == (n, 3)
    world.apply_forces(np.zeros((n, 3)), np.ones((n, 3)))
    before = world.snapshot()
    for what, value in [
        ("positions", np.zeros((n, 2))),
        ("positions", np.full((n, 3), np.nan)),
        ("orientations", np.ones((n, 4))),
        ("velocities", np.zeros(3)),
        ("velocities", np.zeros((n, 3), dtype=complex)),
        ("velocities", np.array([["a", "b", "c"]] * n)),
    ]:
        with pytest.raises(taut.Error):
            setattr(world, what, value)
    assert world.snapshot() == before


def test_steps_one_by_one_or_many_at_once() -> None:
    a, b, c = pile(), pile(), pile()
    for _ in range(40):
        a.step()
    b.step_many(40)
    recording = c.record(40, every=10)
    assert bits(a) == bits(b) == bits(c)
    assert np.array_equal(recording.positions[-1], a.positions) and len(recording) == 5


def test_copies_and_pickles_go_on_with_the_same_bits() -> None:
    world = pile()
    world.step_many(20)
    others = [
        world.copy(),
        copy.copy(world),
        copy.deepcopy(world),
        pickle.loads(pickle.dumps(world)),
    ]
    snapshot = world.snapshot()
    world.step_many(20)
    for other in others:
        other.step_many(20)
        assert bits(other) == bits(world)
    end = bits(world)
    world.restore(snapshot)
    assert world.time == pytest.approx(20 / 60)
    world.step_many(20)
    assert bits(world) == end
    with pytest.raises(taut.Error, match="snapshot"):
        world.restore(b"nothing")
    with pytest.raises(taut.Error, match="not those of this world"):
        world.restore(taut.World().snapshot())
    assert bits(world) == end


def _child(data: bytes) -> bytes:
    world: taut.World = pickle.loads(data)
    world.step_many(20)
    return pickle.dumps(bits(world))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_other_processes_give_the_same_bits(method: str) -> None:
    world = pile()
    world.step_many(5)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        result = pool.submit(_child, pickle.dumps(world)).result()
    world.step_many(20)
    assert pickle.loads(result) == bits(world)


@pytest.mark.parametrize("scene", ["loaded-chain", "mobile-crane", "wall"])
def test_bits_of_the_command(scene: str, tmp_path: Path) -> None:
    size = next(s.default_size for s in taut.scenes() if s.name == scene)
    size = min(size, 10)
    file = tmp_path / "run.taut"
    command = [
        "-m",
        "taut",
        "run",
        scene,
        "--size",
        str(size),
        "--frames",
        "20",
        "--record",
        str(file),
    ]
    assert subprocess.run([sys.executable, *command], capture_output=True).returncode == 0
    world = taut.World.load(scene, size)
    world.step_many(20)
    assert bits(taut.World.load(file)) == bits(world)


def test_forked_children_get_threads_of_their_own() -> None:
    world = pile()
    world.threads = 2
    world.step_many(5)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()

    def child() -> None:
        world.step_many(20)
        taut.batch([world, world.copy()], 5)
        queue.put(bits(world))

    process = context.Process(target=child)
    process.start()
    result = queue.get(timeout=60)
    process.join()
    world.step_many(25)
    assert result == bits(world)


def test_batches_do_not_depend_on_threads() -> None:
    worlds = [taut.World.load("loaded-chain", size=k) for k in range(3, 9)] + [pile()]
    expected = []
    for world in [w.copy() for w in worlds]:
        world.step_many(30)
        expected.append(bits(world))
    for threads in (1, 2, 5):
        copies = [w.copy() for w in worlds]
        figures = taut.batch(copies, 30, threads=threads)
        assert [bits(w) for w in copies] == expected
        assert all(len(f) == 30 for f in figures)
    with pytest.raises(taut.Error, match="twice"):
        taut.batch([worlds[0], worlds[0]], 1)
    assert taut.batch([], 10) == []


def test_threads_of_the_engine() -> None:
    a, b = pile(), pile()
    b.threads = 3
    a.step_many(30)
    b.step_many(30)
    assert (
        bits(a) == bits(b) and b.copy().threads == 3 and pickle.loads(pickle.dumps(b)).threads == 3
    )
    for bad in (0, -1, 1.5, True):
        with pytest.raises(taut.Error):
            a.threads = bad  # type: ignore[assignment]


def test_use_from_two_threads() -> None:
    world = taut.World.load("loaded-chain", size=20)
    seen: list[Any] = []

    def look() -> None:
        while world.time < 0.49:
            seen.append(world.positions.shape)
            world.contacts, world.joints, repr(world)

    def step() -> None:
        for _ in range(15):
            world.step_many(1)

    threads = [threading.Thread(target=t) for t in (look, step, step)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.time == pytest.approx(0.5) and set(seen) == {(21, 3)}
    problem = taut.Solver(taut.Problem.read("multibody:50"))
    answers: list[Any] = []
    solving = [threading.Thread(target=lambda: answers.append(problem.solve())) for _ in range(4)]
    for thread in solving:
        thread.start()
    for thread in solving:
        thread.join()
    assert all(a.success for a in answers) and len(answers) == 4


def test_what_was_removed_says_so() -> None:
    world = pile()
    arm, motor = world.body("arm"), world.joint("motor")
    arm.remove()
    assert "arm" not in world.names and "removed" in repr(arm) and "removed" in repr(motor)
    for use in (
        lambda: arm.position,
        lambda: arm.apply_force((1, 0, 0)),
        lambda: motor.position,
        lambda: setattr(motor, "target", 1.0),
        arm.remove,
        lambda: world.body("bal"),
    ):
        with pytest.raises(taut.Error, match="no (body|joint) is named"):
            use()
    with pytest.raises(taut.Error, match="did you mean 'ball'"):
        world.body("bal")
    world.step_many(5)
    # A handle keeps its world; the world goes with the last handle.
    body = pile().body("ball")
    assert body.position[2] == 2.5
    alive = weakref.ref(body.world)
    del body
    assert alive() is None
    copied = world.copy()
    copied.step()
    assert len(pickle.loads(pickle.dumps(world))) == len(world) == 5


def test_motors_joints_and_drives() -> None:
    world = pile()
    motor = world.joint("motor")
    world.step_many(10)
    assert motor.velocity == pytest.approx(1.0) and motor.kind == "hinge" and motor.target == 1.0
    motor.target = -0.5
    world.step()
    assert motor.velocity == pytest.approx(-0.5)
    motor.set_motor(None)
    with pytest.raises(taut.Error, match="no motor"):
        motor.target = 1.0
    motor.set_motor({"position": {"target": 0.3, "stiffness": 1e4, "damping": 1e3}})
    world.step_many(120)
    assert motor.position == pytest.approx(0.3, abs=0.01)
    assert world.joints["force"].shape == (1, 3) and motor.force @ motor.force > 0
    with pytest.raises(taut.SceneError, match="motor"):
        motor.set_motor({"speed": {}})
    world.add_joint("distance", "world", "ball", anchor_a=(0, 0, 3), length=0.8, name="rod")
    world.add_drive({"force": {"body": "ball", "force": [[0, [0, 0, 0]], [9, [5, 0, 0]]]}})
    world.step_many(10)
    again = taut.World.from_json(world.to_json())
    assert again.joint_names == world.joint_names
    world.joint("rod").remove()
    assert world.joint_names == ["motor"]


def test_questions() -> None:
    world = pile()
    hit = world.ray_cast((0.0, 0.0, 10.0), (0, 0, -1))
    assert world.names[hit["body"]] in ("ball", "box3")
    hits = world.ray_cast((2, 0, 10.0), [(0, 0, -1), (0, 0, 1)])
    assert hits["body"].tolist() == [5, -2] and np.isinf(hits["distance"][1])
    fall = world.shape_cast(shape.ball(0.5), (5, 5, 5), (0, 0, -1))
    assert fall["body"] == -1 and fall["distance"] == pytest.approx(4.5)
    assert "box0" in world.overlaps(shape.box(0.1, 0.1, 0.1), (0, 0, 0.2))
    assert world.warnings == []
    world.add_body("inside", shape=shape.ball(0.2), position=(0, 0, 0.2))
    assert any("inside" in w for w in world.warnings)


def test_events() -> None:
    world = taut.World(ground=True)
    world.add_body("ball", shape=shape.ball(0.1), position=(0, 0, 0.5))
    events = world.record(60).events
    assert [(e.kind, {e.name, e.other}) for e in events] == [("contact_begin", {"ball", "ground"})]
    chain = taut.World()
    bob = chain.add_body("bob", shape=shape.ball(0.1), mass=10)
    chain.add_joint("ball", "world", bob, name="weak", break_force=20)
    report = chain.step()
    assert [e.kind for e in report.events] == ["joint_broke"] and report.events[0].force > 20
    assert chain.joint_names == []


def test_problem_of_a_step() -> None:
    world = pile()
    world.step_many(30)
    problem = world.problem
    assert problem.form == "multibody" and problem.rows > 10
    assert problem.solve(tol=1e-8).success
    assert problem.matrix().shape == (problem.rows,) * 2


def test_settings() -> None:
    world = pile()
    world.configure(substeps=2, solver="auto")
    assert world.settings == {"friction": "cone", "substeps": 2, "solver": "auto"}
    with pytest.raises(taut.SceneError, match=r"settings\.solver"):
        world.configure(solver="magic")
    with pytest.raises(taut.SceneError, match="unknown field 'speed'"):
        world.configure(speed=2)
    assert world.settings["solver"] == "auto"
    world.gravity = (0, 0, 0)
    world.dt = 0.01
    world.step()
    assert world.time == 0.01 and world.gravity.tolist() == [0, 0, 0]


def test_kinematic_bodies_and_belts() -> None:
    world = taut.World(ground=True)
    lift = world.add_body("lift", shape=shape.box(1, 1, 0.1), position=(0, 0, 1), kind="kinematic")
    load = world.add_body("load", shape=shape.box(0.2, 0.2, 0.2), position=(0, 0, 1.3))
    for k in range(60):
        lift.move_to((0, 0, 1 + (k + 1) / 60))
        world.step()
    assert lift.position[2] == pytest.approx(2.0) and load.position[2] == pytest.approx(
        2.3, abs=1e-3
    )
    lift.set_surface_velocity((0.5, 0, 0))
    world.step_many(60)
    assert load.position[0] > 0.2
    world.set_collides("lift", load, False)
    world.step_many(30)
    assert load.position[2] < 2.0
    with pytest.raises(taut.Error, match="kinematic"):
        load.move_to((0, 0, 0))


def test_scenes() -> None:
    assert len(taut.scenes()) > 20
    with pytest.raises(taut.SceneError, match="did you mean 'loaded-chain'"):
        taut.World.load("loaded-chian")
    with pytest.raises(taut.SceneError, match="bodies"):
        taut.World.load("boxes", size=10**9)
