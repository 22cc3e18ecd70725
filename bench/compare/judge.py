"""One judge for all engines: it sees poses and velocities only, 1/60 s (or 0.1 s) apart, and the scene."""

import mujoco
import numpy

from engine_mujoco import mjcf


def turned(q, v):
    """v (or many) turned by the quaternions q (w, x, y, z)."""
    w, u = q[..., :1], q[..., 1:]
    t = 2 * numpy.cross(u, v)
    return v + w * t + numpy.cross(u, t)


def gaps(scene, samples):
    """How far each joint is open in each sample [m]."""
    index = {b["name"]: i for i, b in enumerate(scene["bodies"])}
    places = {b["name"]: numpy.array(b["position"]) for b in scene["bodies"]}
    found = []
    for j in scene["joints"]:
        anchor, ends = numpy.array(j["anchor"]), []
        for name in (j["a"], j["b"]):
            if name == "world":
                ends.append(numpy.broadcast_to(anchor, (len(samples), 3)))
            else:
                s = samples[:, index[name]]
                ends.append(s[:, :3] + turned(s[:, 3:7], anchor - places[name]))
        found.append(numpy.linalg.norm(ends[0] - ends[1], axis=1))
    return numpy.array(found).T if found else numpy.zeros((len(samples), 1))


def energy(scene, samples):
    """Kinetic and gravitational energy of each sample [J]."""
    total = numpy.zeros(len(samples))
    for i, b in enumerate(scene["bodies"]):
        if b["mass"]:
            s = samples[:, i]
            back = s[:, 3:7] * [1, -1, -1, -1]
            w = turned(back, s[:, 10:13])
            total += 0.5 * b["mass"] * (s[:, 7:10] ** 2).sum(1) + 0.5 * (w**2 * b["inertia"]).sum(1) + b["mass"] * 9.81 * s[:, 2]
    return total


def depths(scene, samples, at_most=40):
    """The deepest overlap of two shapes in each of some samples, by the collision detection of MuJoCo, which knows
    nothing of who moved them [m]."""
    model = mujoco.MjModel.from_xml_string(mjcf(scene, '<size memory="1G"/>', free=True)[0])
    data = mujoco.MjData(model)
    chosen = samples[:: max(1, len(samples) // at_most)]
    found = []
    for s in chosen:
        data.qpos[:] = numpy.concatenate([row[:7] for row, b in zip(s, scene["bodies"]) if b["mass"]])
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        found.append(max([0.0, *(-data.contact.dist[: data.ncon])]))
    return found


def measure(name, scene, samples, reference=None):
    """What is compared in a scene: names of figures and their values."""
    # JSON has no NaN: what Rapier writes there is None.
    samples = numpy.array(samples, dtype=float)
    if not numpy.isfinite(samples).all() or abs(samples[:, :, :3]).max() > 1e4:
        return {"exploded": True}
    index = {b["name"]: i for i, b in enumerate(scene["bodies"])}
    start = {b["name"]: numpy.array(b["position"]) for b in scene["bodies"]}
    open_ = gaps(scene, samples)
    if name.startswith("chain"):
        e = energy(scene, samples)
        e0 = sum(b["mass"] * 9.81 * b["position"][2] for b in scene["bodies"])
        scale = scene["bodies"][-1]["mass"] * 9.81 * scene["length"]
        if e.max() - e0 > 10 * scale:
            return {"exploded": True}
        return {
            "stretch %": 100 * open_.sum(1).max() / scene["length"],
            "energy gained %": max(0, 100 * (e.max() - e0) / scale),
            "energy lost %": max(0, 100 * (e0 - e.min()) / scale),
        }
    if name == "heavy-stack":
        top = samples[-1, index["box9"], :3]
        return {"overlap mm": 1e3 * max(depths(scene, samples)), "top moved mm": 1e3 * numpy.linalg.norm(top - start["box9"])}
    if name == "sling":
        return {"stretch %": 100 * open_.sum(1).max() / scene["length"]}
    if name == "four-bar":
        angles = numpy.unwrap(2 * numpy.arctan2(samples[:, index["crank"], 5], samples[:, index["crank"], 3]))
        turns = abs(angles[-1] - angles[29]) / (scene["seconds"] - 0.5)
        return {"joints open mm": 1e3 * open_.max(), "speed off %": 100 * abs(turns / 10 - 1)}
    if name == "capstan":
        way = samples[-1, index["large"], 2] - start["large"][2]
        return {"slipped mm": 1e3 * abs(way), "overlap mm": 1e3 * max(depths(scene, samples))}
    if name == "boxes":
        return {"overlap mm": 1e3 * max(depths(scene, samples)), "at the end mm": 1e3 * depths(scene, samples[-1:])[-1]}
    if name == "ragdolls":
        return {"joints open mm": 1e3 * open_.max(), "overlap mm": 1e3 * max(depths(scene, samples))}
    if name == "arm":
        hand = samples[:, index["link6"], :3]
        off = numpy.linalg.norm(hand - reference, axis=1)
        return {"hand off mm, mean": 1e3 * off.mean(), "at the end mm": 1e3 * off[-1], "joints open mm": 1e3 * open_.max()}
    way = samples[-1, index["chassis"], 0]
    return {"way m": way, "joints open mm": 1e3 * open_.max(), "overlap mm": 1e3 * max(depths(scene, samples))}
