"""What engines with reduced coordinates need: the tree of a scene's joints, and URDF files of its parts."""


def parents(scene):
    """The joint that holds each body, by its name: the first one that closes no loop."""
    return {j["b"]: j for j in scene["joints"] if not j.get("loop")}


def trees(scene):
    """Lists of bodies that hang together, roots first."""
    held = parents(scene)
    root = {}
    for b in scene["bodies"]:
        name = b["name"]
        while name in held and held[name]["a"] != "world":
            name = held[name]["a"]
        root.setdefault(name, []).append(b)
    depth = lambda n: 0 if n not in held or held[n]["a"] == "world" else 1 + depth(held[n]["a"])
    return [sorted(group, key=lambda b: depth(b["name"])) for group in root.values()]


def geometry(shape):
    (kind, what), = shape.items()
    if kind == "box":
        return '<box size="%.17g %.17g %.17g"/>' % tuple(2 * v for v in what), "0 0 0"
    if kind == "ball":
        return f'<sphere radius="{what:.17g}"/>', "0 0 0"
    turn = {"x": "0 1.5707963267948966 0", "y": "1.5707963267948966 0 0", "z": "0 0 0"}[what["axis"]]
    return f'<{kind} radius="{what["radius"]:.17g}" length="{2 * what["half"]:.17g}"/>', turn


def urdf(scene, group, name, drake):
    """A URDF of one tree, and where the frame of each link is in the world at the start."""
    held, frame, text = parents(scene), {}, []
    # Drake's ball constraints may not be redundant: a loop of hinges in a plane is closed by one that holds it there twice,
    # so one of its hinges becomes a ball.
    loose = {j["b"] for j in scene["joints"] if j.get("loop")} if drake else set()
    grounded = any(b["name"] in held and held[b["name"]]["a"] == "world" for b in group)
    if grounded:
        text.append('<link name="base"/>')
        frame["base"] = (0, 0, 0)
    for b in group:
        joint = held.get(b["name"])
        at = tuple(joint["anchor"]) if joint else tuple(b["position"])
        frame[b["name"]] = at
        xyz = "%.17g %.17g %.17g" % tuple(p - q for p, q in zip(b["position"], at))
        ixx, iyy, izz = b["inertia"]
        shape, rpy = geometry(b["shape"])
        collision = ""
        if scene["collides"]:
            friction = f'<drake:proximity_properties><drake:mu_static value="{scene["friction"]}"/><drake:mu_dynamic value="{scene["friction"]}"/></drake:proximity_properties>' if drake else ""
            collision = f'<collision name="{b["name"]}"><origin xyz="{xyz}" rpy="{rpy}"/><geometry>{shape}</geometry>{friction}</collision>'
        text.append(
            f'<link name="{b["name"]}"><inertial><origin xyz="{xyz}"/><mass value="{b["mass"]:.17g}"/>'
            f'<inertia ixx="{ixx:.17g}" iyy="{iyy:.17g}" izz="{izz:.17g}" ixy="0" ixz="0" iyz="0"/></inertial>{collision}</link>'
        )
        if joint:
            parent = "base" if joint["a"] == "world" else joint["a"]
            offset = "%.17g %.17g %.17g" % tuple(p - q for p, q in zip(at, frame[parent]))
            axis = "%g %g %g" % tuple(joint["axis"])
            kind = "continuous" if joint["kind"] == "hinge" and b["name"] not in loose else ("ball" if drake else "spherical")
            tag = "drake:joint" if drake and kind == "ball" else "joint"
            text.append(
                f'<{tag} name="{b["name"]}-joint" type="{kind}"><parent link="{parent}"/><child link="{b["name"]}"/>'
                f'<origin xyz="{offset}"/><axis xyz="{axis}"/><dynamics damping="0" friction="0"/></{tag}>'
            )
    space = ' xmlns:drake="http://drake.mit.edu"' if drake else ""
    # An element a line: Bullet's loader cuts longer lines than 8,192 characters.
    lines = "\n".join(text)
    return f'<?xml version="1.0"?>\n<robot name="{name}"{space}>\n{lines}\n</robot>\n', frame, grounded
