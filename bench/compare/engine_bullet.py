"""Bullet, by PyBullet: Featherstone's multibodies, loops by point-to-point constraints."""

import pathlib
import tempfile
import time

import pybullet as p

from tree import trees, urdf


def load(scene, folder):
    """All bodies; for each the number of its multibody and its link."""
    where, joints = {}, {}
    for n, group in enumerate(trees(scene)):
        fixed = group[0]["mass"] == 0
        text, frame, grounded = urdf(scene, group, f"tree{n}", False)
        path = pathlib.Path(folder) / f"tree{n}.urdf"
        path.write_text(text)
        flags = p.URDF_USE_INERTIA_FROM_FILE
        if scene["collides"]:
            flags |= p.URDF_USE_SELF_COLLISION | p.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT
        at = (0, 0, 0) if grounded else group[0]["position"]
        made = p.loadURDF(str(path), at, useFixedBase=grounded or fixed, flags=flags)
        if not grounded:
            where[group[0]["name"]] = (made, -1)
        for j in range(p.getNumJoints(made)):
            info = p.getJointInfo(made, j)
            name = info[12].decode()
            where[name], joints[name] = (made, j), info[2]
            if info[2] == p.JOINT_SPHERICAL:
                p.setJointMotorControlMultiDof(made, j, p.POSITION_CONTROL, [0, 0, 0, 1], positionGain=0, velocityGain=0, force=[0, 0, 0])
            else:
                p.setJointMotorControl2(made, j, p.VELOCITY_CONTROL, force=0)
        for j in range(-1, p.getNumJoints(made)):
            p.changeDynamics(made, j, linearDamping=0, angularDamping=0, jointDamping=0, lateralFriction=scene["friction"] ** 0.5)
            # The product of both counts.
    return where


def run(scene, mode, every, _):
    p.connect(p.DIRECT)
    p.setGravity(*scene["gravity"])
    settings = {"fixedTimeStep": mode["h"]}
    if mode["tuned"]:
        settings |= {"numSolverIterations": 200, "solverResidualThreshold": 0}
    p.setPhysicsEngineParameter(**settings)
    with tempfile.TemporaryDirectory() as folder:
        where = load(scene, folder)
    if scene["ground"]:
        plane = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
        p.changeDynamics(plane, -1, lateralFriction=scene["friction"] ** 0.5)
    places = {b["name"]: b["position"] for b in scene["bodies"]}
    servos = []
    for j in scene["joints"]:
        body, link = where[j["b"]]
        motor = j.get("motor")
        if j.get("loop"):
            inside = [u - v for u, v in zip(j["anchor"], places[j["b"]])]
            if j["a"] == "world":
                p.createConstraint(body, link, -1, -1, p.JOINT_POINT2POINT, [0, 0, 0], inside, j["anchor"])
            else:
                other, other_link = where[j["a"]]
                there = [u - v for u, v in zip(j["anchor"], places[j["a"]])]
                p.createConstraint(other, other_link, body, link, p.JOINT_POINT2POINT, [0, 0, 0], there, inside)
        if motor and "speed" in motor:
            p.setJointMotorControl2(body, link, p.VELOCITY_CONTROL, targetVelocity=motor["speed"], force=motor["torque"])
        elif motor:
            servos.append((body, link, motor))
    steps = round(1 / 60 / mode["h"])
    spent, samples = 0.0, []
    for frame in range(1, round(scene["seconds"] * 60) + 1):
        for _ in range(steps):
            for body, link, motor in servos:
                q, speed = p.getJointState(body, link)[:2]
                torque = motor["stiffness"] * (motor["target"] - q) - motor["damping"] * speed
                p.setJointMotorControl2(body, link, p.TORQUE_CONTROL, force=torque)
            start = time.process_time()
            p.stepSimulation()
            spent += time.process_time() - start
        if frame % every == 0:
            samples.append([state(*where[b["name"]]) for b in scene["bodies"]])
    return {"cpu_ms": 1e3 * spent / (scene["seconds"] * 60), "samples": samples, "note": ""}


def state(body, link):
    if link < 0:
        place, turn = p.getBasePositionAndOrientation(body)
        v, w = p.getBaseVelocity(body)
    else:
        found = p.getLinkState(body, link, computeLinkVelocity=1, computeForwardKinematics=1)
        place, turn, v, w = found[0], found[1], found[6], found[7]
    return [*place, turn[3], *turn[:3], *v, *w]


def version(_):
    import importlib.metadata

    return importlib.metadata.version("pybullet")
