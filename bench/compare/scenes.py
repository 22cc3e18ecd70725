"""The scenes of the comparison, in words that every engine has: boxes, balls, capsules and cylinders, hinges, ball
joints and motors. All bodies start at rest with the axes of the world, so that nothing is lost in translation.

A scene is a dictionary:
  bodies   name, shape ("box": half extents; "ball": radius; "capsule" and "cylinder": half length, radius, axis "x", "y" or "z"),
           mass, inertia (three principal moments), position; mass 0: fixed
  joints   kind ("hinge" or "ball"), a (a body or "world"), b, anchor and axis in world coordinates; motor (optional):
           {"speed", "torque"} or {"target", "stiffness", "damping"}; loop: closes a loop of the tree that the others are
  ground   whether there is a plane at height 0
  friction one coefficient for everything
  seconds  how long it runs
  collides whether bodies collide at all
  gravity  m/s²
"""

import math
import random


def box(name, half, mass, at):
    a, b, c = half
    inertia = [mass / 3 * (b * b + c * c), mass / 3 * (a * a + c * c), mass / 3 * (a * a + b * b)]
    return {"name": name, "shape": {"box": list(half)}, "mass": mass, "inertia": inertia, "position": list(at)}


def ball(name, radius, mass, at):
    return {"name": name, "shape": {"ball": radius}, "mass": mass, "inertia": [0.4 * mass * radius**2] * 3, "position": list(at)}


def rod(name, kind, half, radius, axis, mass, at):
    """A capsule or cylinder, with the inertia of the cylinder of the same length."""
    along = 0.5 * mass * radius**2
    across = mass * (radius**2 / 4 + (2 * half) ** 2 / 12)
    inertia = [along if a == axis else across for a in "xyz"]
    shape = {kind: {"half": half, "radius": radius, "axis": axis}}
    return {"name": name, "shape": shape, "mass": mass, "inertia": inertia, "position": list(at)}


def hinge(a, b, anchor, axis=(0, 1, 0), **more):
    return {"kind": "hinge", "a": a, "b": b, "anchor": list(anchor), "axis": list(axis), **more}


def scene(bodies, joints=(), **more):
    return {"ground": False, "friction": 0.5, "seconds": 5, "collides": True, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": list(joints)} | more


def chain(ratio, links=20, mass=1.0):
    """A horizontal chain of links of 0.5 m is let go, with a load of `ratio` links' masses at its end."""
    length, bodies, joints = 0.5, [], []
    for i in range(links):
        bodies.append(box(f"link{i}", (length / 2, 0.02, 0.02), mass, (length * (i + 0.5), 0, 0)))
        joints.append(hinge(f"link{i - 1}" if i else "world", f"link{i}", (length * i, 0, 0)))
    end = length * links
    bodies.append(box("load", (0.4, 0.4, 0.4), mass * ratio, (end + 0.4, 0, 0)))
    joints.append(hinge(f"link{links - 1}", "load", (end, 0, 0)))
    return scene(bodies, joints, collides=False, length=end, seconds=5)


def stack():
    """Ten boxes, 1 kg at the bottom to 1,000 kg on top."""
    bodies = [box(f"box{i}", (0.5, 0.5, 0.5), 10 ** (i / 3), (0, 0, 0.5 + i)) for i in range(10)]
    return scene(bodies, ground=True, seconds=10)


def sling():
    """2,000 kg on two chains of ten links of 0.5 kg: a closed loop, which swings because the ground is inclined by 17° (gravity has a part
    of 3 m/s² sideways)."""
    links, length, bodies, joints = 10, 0.3, [], []
    for side, x in (("l", -1), ("r", 1)):
        for i in range(links):
            bodies.append(box(f"{side}{i}", (0.02, 0.02, length / 2), 0.5, (x, 0, -length * (i + 0.5))))
            joints.append(hinge(f"{side}{i - 1}" if i else "world", f"{side}{i}", (x, 0, -length * i)))
    end = -length * links
    bodies.append(box("load", (1.2, 0.4, 0.2), 2000, (0, 0, end - 0.2)))
    joints.append(hinge(f"l{links - 1}", "load", (-1, 0, end)))
    joints.append(hinge(f"r{links - 1}", "load", (1, 0, end), loop=True))
    return scene(bodies, joints, collides=False, length=2 * length * links, gravity=[3, 0, -9.81])


def four_bar():
    """A crank of 0.3 m turns at 10 rad/s; coupler and rocker, of 20 and 200 kg, follow."""
    crank, coupler, rocker, base = 0.3, 1.0, 0.8, 1.0
    # The crank stands upright at the start; coupler and rocker meet where their circles cross.
    p = (0.0, crank)
    q = (base, 0.0)
    d = math.dist(p, q)
    along = (coupler**2 - rocker**2 + d * d) / (2 * d)
    up = math.sqrt(coupler**2 - along**2)
    ex = ((q[0] - p[0]) / d, (q[1] - p[1]) / d)
    m = (p[0] + along * ex[0] - up * ex[1], p[1] + along * ex[1] + up * ex[0])
    middle = lambda a, b: ((a[0] + b[0]) / 2, 0, (a[1] + b[1]) / 2)
    # Balls, so that the axes of the world will do; the inertia is that of balls, too.
    bodies = [
        ball("crank", 0.1, 1, middle((0, 0), p)),
        ball("coupler", 0.2, 20, middle(p, m)),
        ball("rocker", 0.2, 200, middle(m, q)),
    ]
    joints = [
        hinge("world", "crank", (0, 0, 0), motor={"speed": 10, "torque": 1e5}),
        hinge("crank", "coupler", (p[0], 0, p[1])),
        hinge("coupler", "rocker", (m[0], 0, m[1])),
        hinge("world", "rocker", (q[0], 0, q[1]), loop=True),
    ]
    return scene(bodies, joints, collides=False, length=1.0)


def capstan(share=0.8, mu=0.4):
    """A chain of beads lies over a fixed rod, 5 kg at one end and 0.8 e^(μπ) times that at the other, μ = 0.4: it should stay."""
    radius, thick, bodies, joints = 0.5, 0.02, [], []
    bodies.append(rod("rod", "cylinder", 0.5, radius, "y", 0, (0, 0, 0)))
    reach, count = radius + thick, 25
    step = math.pi / count
    names, places = [], []
    # Balls on the half circle, joined by ball joints halfway between them.
    for i in range(count + 1):
        angle = math.pi - i * step
        places.append((reach * math.cos(angle), 0.0, reach * math.sin(angle)))
    for i in range(1, 5):
        places.insert(0, (-reach, 0.0, -i * reach * step))
        places.append((reach, 0.0, -i * reach * step))
    for i, at in enumerate(places):
        names.append(f"bead{i}")
        bodies.append(ball(f"bead{i}", thick, 0.02, at))
    for i in range(len(places) - 1):
        anchor = [(u + v) / 2 for u, v in zip(places[i], places[i + 1])]
        joints.append({"kind": "hinge", "a": names[i], "b": names[i + 1], "anchor": anchor, "axis": [0, 1, 0]})
    small, large = 5.0, 5.0 * share * math.exp(mu * math.pi)
    for name, mass, end in (("small", small, 0), ("large", large, len(places) - 1)):
        x, _, z = places[end]
        half = 0.1
        bodies.append(box(name, (half,) * 3, mass, (x, 0, z - thick - half)))
        joints.append(hinge(names[end], name, (x, 0, z - thick)))
    return scene(bodies, joints, friction=mu, seconds=5)


def boxes():
    """1,000 boxes of 1 kg fall in columns of ten that are a little off."""
    random.seed(1)
    jitter = lambda: random.uniform(-0.02, 0.02)
    bodies = [
        box(f"box{i}-{j}-{k}", (0.25, 0.25, 0.25), 1, (0.8 * i + jitter(), 0.8 * j + jitter(), 0.3 + 0.55 * k))
        for i in range(10)
        for j in range(10)
        for k in range(10)
    ]
    return scene(bodies, ground=True, seconds=3)


def ragdolls():
    """100 figures of eleven capsules and balls each fall onto the ground."""
    bodies, joints = [], []
    parts = [  # name, kind, half length, radius, mass, place, parent, anchor
        ("pelvis", "capsule", 0.06, 0.12, 12, (0, 0, 1.0), None, None),
        ("chest", "capsule", 0.12, 0.14, 20, (0, 0, 1.38), "pelvis", (0, 0, 1.18)),
        ("head", "ball", 0, 0.11, 5, (0, 0, 1.78), "chest", (0, 0, 1.65)),
    ]
    for side, y in (("l", 0.1), ("r", -0.1)):
        parts += [
            (f"thigh-{side}", "capsule", 0.14, 0.07, 8, (0, 1.2 * y, 0.72), "pelvis", (0, 1.2 * y, 0.92)),
            (f"shin-{side}", "capsule", 0.14, 0.06, 4, (0, 1.2 * y, 0.28), f"thigh-{side}", (0, 1.2 * y, 0.5)),
            (f"arm-{side}", "capsule", 0.1, 0.05, 2, (0, 2.2 * y, 1.34), "chest", (0, 2.2 * y, 1.5)),
            (f"hand-{side}", "capsule", 0.1, 0.04, 1.5, (0, 2.2 * y, 1.05), f"arm-{side}", (0, 2.2 * y, 1.19)),
        ]
    random.seed(2)
    for n in range(100):
        at = (1.2 * (n % 10) + random.uniform(-0.1, 0.1), 1.2 * (n // 10) + random.uniform(-0.1, 0.1), 0.5 + 0.002 * n)
        for name, kind, half, radius, mass, place, parent, anchor in parts:
            position = [p + q for p, q in zip(place, at)]
            full = f"{n}-{name}"
            made = ball(full, radius, mass, position) if kind == "ball" else rod(full, kind, half, radius, "z", mass, position)
            bodies.append(made)
            if parent:
                where = [p + q for p, q in zip(anchor, at)]
                joints.append({"kind": "ball", "a": f"{n}-{parent}", "b": full, "anchor": where, "axis": [0, 0, 1]})
    return scene(bodies, joints, ground=True, seconds=3)


def arm():
    """A robot arm of seven hinges goes to a new posture; springs and dampers are scaled with what they move."""
    lengths = [0.3, 0.3, 0.25, 0.25, 0.2, 0.15, 0.1]
    masses = [8, 6, 5, 4, 3, 2, 1]
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]
    bodies, joints, z, ends = [], [], 0.0, []
    for i, (length, mass) in enumerate(zip(lengths, masses)):
        bodies.append(box(f"link{i}", (0.05, 0.05, length / 2), mass, (0, 0, z + length / 2)))
        ends.append(z)
        z += length
    for i in range(7):
        # Moment of all that is carried about an axis across the arm, and no less than that of the link itself.
        carried = sum(b["inertia"][0] + b["mass"] * (b["position"][2] - ends[i]) ** 2 for b in bodies[i:])
        if axes[i] == (0, 0, 1):
            carried = sum(b["inertia"][2] for b in bodies[i:])
        motor = {"target": 0.5 if i % 2 else -0.5, "stiffness": 60 * carried, "damping": 12 * carried}
        joints.append(hinge(f"link{i - 1}" if i else "world", f"link{i}", (0, 0, ends[i]), axes[i], motor=motor))
    return scene(bodies, joints, collides=False, seconds=3)


def vehicle():
    """A vehicle of 1,000 kg on four driven wheels of 20 kg crosses five sills of 8 cm."""
    bodies = [box("chassis", (1.5, 0.6, 0.2), 1000, (0, 0, 0.75))]
    joints = []
    for i, (x, y) in enumerate(((1.1, 0.85), (1.1, -0.85), (-1.1, 0.85), (-1.1, -0.85))):
        bodies.append(rod(f"wheel{i}", "cylinder", 0.12, 0.4, "y", 20, (x, y, 0.4)))
        joints.append(hinge("chassis", f"wheel{i}", (x, y, 0.4), motor={"speed": 8, "torque": 800}))
    for i in range(5):
        bodies.append(box(f"sill{i}", (0.1, 2, 0.04), 0, (3 + 2 * i, 0, 0.04)))
    return scene(bodies, joints, ground=True, friction=0.8, seconds=5)


SCENES = {
    "chain-100": lambda: chain(100),
    "chain-2000": lambda: chain(2000),
    "chain-50000": lambda: chain(50000),
    "heavy-stack": stack,
    "sling": sling,
    "four-bar": four_bar,
    "capstan": capstan,
    "boxes": boxes,
    "ragdolls": ragdolls,
    "arm": arm,
    "vehicle": vehicle,
}
HARD = ["chain-100", "chain-2000", "chain-50000", "heavy-stack", "sling", "four-bar", "capstan"]
