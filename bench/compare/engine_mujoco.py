"""MuJoCo: a tree of reduced coordinates, soft contacts, loops by `connect`."""

import time

import mujoco
import numpy

from tree import parents


def geom(shape, collides, friction, name=""):
    (kind, what), = shape.items()
    contact = "" if collides else ' contype="0" conaffinity="0"'
    slide = f' friction="{friction} 0.005 0.0001"' if friction is not None else ""
    more = f"{contact}{slide}" + (f' name="{name}"' if name else "")
    if kind == "box":
        return '<geom type="box" mass="0" size="%.17g %.17g %.17g"%s/>' % (*what, more)
    if kind == "ball":
        return f'<geom type="sphere" mass="0" size="{what:.17g}"{more}/>'
    turn = {"x": "0 90 0", "y": "90 0 0", "z": "0 0 0"}[what["axis"]]
    return f'<geom type="{kind}" mass="0" size="{what["radius"]:.17g} {what["half"]:.17g}" euler="{turn}"{more}/>'


def mjcf(scene, option, free=False):
    """The scene as MJCF. `free`: without joints, for the judge of penetration."""
    held = {} if free else parents(scene)
    named = {b["name"]: b for b in scene["bodies"]}
    children = {}
    for b in scene["bodies"]:
        joint = held.get(b["name"])
        children.setdefault(joint["a"] if joint else "world", []).append(b)
    actuators = []

    def body(b, origin):
        joint = held.get(b["name"])
        place = "%.17g %.17g %.17g" % tuple(p - q for p, q in zip(b["position"], origin))
        out = [f'<body name="{b["name"]}" pos="{place}">']
        if b["mass"]:
            inertia = "%.17g %.17g %.17g" % tuple(b["inertia"])
            out.append(f'<inertial pos="0 0 0" mass="{b["mass"]:.17g}" diaginertia="{inertia}"/>')
            if joint:
                at = "%.17g %.17g %.17g" % tuple(p - q for p, q in zip(joint["anchor"], b["position"]))
                axis = "%g %g %g" % tuple(joint["axis"])
                out.append(f'<joint name="{b["name"]}-joint" type="{joint["kind"]}" pos="{at}" axis="{axis}"/>')
                motor = joint.get("motor")
                if motor and "speed" in motor:
                    # A gain that reaches the largest torque at 1 % of the speed.
                    gain = motor["torque"] / (0.01 * motor["speed"])
                    actuators.append((f'<velocity joint="{b["name"]}-joint" kv="{gain}" forcerange="{-motor["torque"]} {motor["torque"]}"/>', motor["speed"]))
                elif motor:
                    actuators.append((f'<position joint="{b["name"]}-joint" kp="{motor["stiffness"]}" kv="{motor["damping"]}"/>', motor["target"]))
            else:
                out.append("<freejoint/>")
        out.append(geom(b["shape"], scene["collides"], scene["friction"]))
        out += [body(c, b["position"]) for c in children.get(b["name"], [])]
        return "".join(out) + "</body>"

    world = [body(b, (0, 0, 0)) for b in children.get("world", [])]
    if scene["ground"]:
        world.append(f'<geom type="plane" size="100 100 1" friction="{scene["friction"]} 0.005 0.0001"/>')
    loops = []
    for j in [] if free else scene["joints"]:
        if j.get("loop"):
            at = "%.17g %.17g %.17g" % tuple(p - q for p, q in zip(j["anchor"], named[j["b"]]["position"]))
            other = "" if j["a"] == "world" else f' body2="{j["a"]}"'
            loops.append(f'<connect body1="{j["b"]}"{other} anchor="{at}"/>')
    exclude = "".join(f'<exclude body1="{j["a"]}" body2="{j["b"]}"/>' for j in scene["joints"] if j["a"] != "world")
    text = (
        f'<mujoco><compiler angle="degree"/>{option}<worldbody>{"".join(world)}</worldbody>'
        f'<contact>{exclude}</contact><equality>{"".join(loops)}</equality><actuator>{"".join(a for a, _ in actuators)}</actuator></mujoco>'
    )
    return text, [target for _, target in actuators]


def option(scene, mode):
    # The manual's advice where forces depend on velocities, and the default elsewhere.
    driven = any("motor" in j for j in scene["joints"])
    smooth = not driven and not scene["collides"] and not any(j.get("loop") for j in scene["joints"])
    integrator = "Euler" if not driven and not mode["tuned"] else "RK4" if smooth else "implicitfast"
    h, gravity = mode["h"], "%g %g %g" % tuple(scene["gravity"])
    if not mode["tuned"]:
        return f'<size memory="1G"/><option timestep="{h:.17g}" integrator="{integrator}" gravity="{gravity}"/>'
    # Contacts and loops as stiff as the manual allows at this step, elliptic cones, more accurate solves.
    return (
        f'<size memory="1G"/><option timestep="{h:.17g}" integrator="{integrator}" gravity="{gravity}" cone="elliptic" impratio="10" iterations="200" tolerance="1e-12">'
        f'</option><default><geom solref="{2 * h:.17g} 1" solimp="0.99 0.999 0.0001"/><equality solref="{2 * h:.17g} 1" solimp="0.99 0.999 0.0001"/></default>'
    )


def run(scene, mode, every, _):
    text, targets = mjcf(scene, option(scene, mode))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = targets
    ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, b["name"]) for b in scene["bodies"]]
    steps = round(1 / 60 / mode["h"])
    spent, samples, twist = 0.0, [], numpy.zeros(6)
    for frame in range(1, round(scene["seconds"] * 60) + 1):
        start = time.process_time()
        for _ in range(steps):
            mujoco.mj_step(model, data)
        spent += time.process_time() - start
        if frame % every == 0:
            sample = []
            for i in ids:
                mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, i, twist, 0)
                sample.append([*data.xpos[i], *data.xquat[i], *twist[3:], *twist[:3]])
            samples.append(sample)
    worse = [w for w in ("BADQPOS", "BADQVEL", "BADQACC") if data.warning[getattr(mujoco.mjtWarning, "mjWARN_" + w)].number]
    return {"cpu_ms": 1e3 * spent / (scene["seconds"] * 60), "samples": samples, "note": "unstable, reset itself" if worse else ""}


def version(_):
    return mujoco.__version__
