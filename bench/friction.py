"""Coulomb's law in scenes, against closed forms and equations of motion integrated here in short steps.

    python3 bench/friction.py [TAUT] [CASE...]

TAUT: the command (target/release/taut). The cases have other parameters than the tests of the engine. Prints a line a
case: what was measured, the bound, and whether it holds.
"""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile

G, H = 9.81, 1 / 60
PI, TAU = math.pi, math.tau


def run(taut, scene, dt=H, friction=None):
    """Summary, poses (frame -> body -> 13 numbers) and rows of forces of a scene."""
    with tempfile.TemporaryDirectory() as folder:
        path = {k: os.path.join(folder, k) for k in ("s.json", "p.csv", "f.csv")}
        with open(path["s.json"], "w") as file:
            json.dump({"version": 1, "dt": dt, **scene}, file)
        command = [taut, "run", path["s.json"], "--json", "--poses", path["p.csv"], "--forces", path["f.csv"]]
        command += ["--friction", friction] if friction else []
        out = subprocess.run(command, capture_output=True, text=True)
        if not out.stdout:
            raise SystemExit(out.stderr)
        poses, forces = {}, []
        with open(path["p.csv"]) as file:
            for row in csv.reader(file):
                if row[0] != "frame":
                    poses.setdefault(int(row[0]), {})[row[2]] = [float(v) for v in row[3:]]
        with open(path["f.csv"]) as file:
            forces = [r for r in csv.DictReader(file) if r["kind"] == "contact"]
        return json.loads(out.stdout), poses, forces


def box(name, half, **more):
    return {"name": name, "shape": {"box": {"half_extents": half}}, **more}


def apart():
    """Groups of bodies that meet the ground alone."""
    return {"membership": 2, "mask": 1}


def directions(taut):
    """A block in 360 directions: deceleration, and the path."""
    mu, v0, n = 0.23, 2.6, 40
    blocks = []
    for k in range(360):
        a = math.radians(k + 0.37)
        blocks.append(box(f"b{k}", [0.17, 0.31, 0.08], mass=7, position=[0, 0, 0.08], collision_groups=apart(),
                          velocity=[v0 * math.cos(a), v0 * math.sin(a), 0]))
    scene = {"duration": n * H, "materials": {"default": {"friction": mu}}, "ground": {}, "bodies": blocks}
    _, poses, _ = run(taut, scene)
    slow = off = 0.0
    before = {f"b{k}": v0 for k in range(360)}
    for frame in sorted(poses):
        for k in range(360):
            p = poses[frame][f"b{k}"]
            a = math.radians(k + 0.37)
            along = p[7] * math.cos(a) + p[8] * math.sin(a)
            slow = max(slow, abs((before[f"b{k}"] - along) / H / (mu * G) - 1))
            off = max(off, abs(p[1] * math.cos(a) - p[0] * math.sin(a)))
            before[f"b{k}"] = along
    yield "block in 360 directions: deceleration", slow, 1e-9
    yield "block in 360 directions: off the line, m", off, 1e-9


def shaken_exact(mu, speed, turn, time):
    """r.m.s. of the load's speed in the second half."""
    n, dt = int(time * 2e5), time / int(time * 2e5)
    v, sums = [0.0, 0.0], [0.0, 0]
    for k in range(n):
        t = (k + 0.5) * dt
        s = [v[0] - speed * math.cos(turn * t), v[1] - speed * math.sin(turn * t)]
        f = mu * G * dt / max(math.hypot(*s), mu * G * dt)
        v = [v[0] - f * s[0], v[1] - f * s[1]]
        if k >= n // 2:
            sums = [sums[0] + v[0] ** 2 + v[1] ** 2, sums[1] + 1]
    return math.sqrt(sums[0] / sums[1])


def shaken(taut):
    """A box on a table that goes round in circles."""
    time = 3.0
    for mu, speed, turn in [(0.4, 0.628, 17.5), (0.25, 0.9, 11.0), (0.6, 0.7, 25.0)]:
        exact = shaken_exact(mu, speed, turn, time)
        errors = []
        for parts in (1, 2, 4):
            h = H / parts
            # Velocity is linear between keys: many of them.
            keys = [[k / 960, [speed * math.cos(turn * k / 960), speed * math.sin(turn * k / 960), 0]]
                    for k in range(int(time * 960) + 2)]
            table = box("t", [9, 9, 0.1], kind="kinematic", position=[0, 0, -0.1])
            load = box("b", [0.14, 0.1, 0.07], position=[0, 0, 0.07])
            scene = {"duration": time, "materials": {"default": {"friction": mu}}, "bodies": [table, load],
                     "drives": [{"body": {"body": "t", "velocity": keys}}]}
            _, poses, _ = run(taut, scene, h)
            late = [p["b"] for f, p in poses.items() if f * h > time / 2]
            found = math.sqrt(sum(p[7] ** 2 + p[8] ** 2 for p in late) / len(late))
            errors.append(abs(found / exact - 1))
        what = f"shaken box, mu {mu}, {speed} m/s, {turn} rad/s"
        yield what + ": r.m.s. speed at 1/60 s", errors[0], 0.01
        yield what + ": the same at 1/240 s", errors[2], max(0.5 * errors[0], 1e-3)


def sliding(points, mass, inertia, v, w, mu, torsion=0.0):
    """Where a body on points with equal loads stops: x, y, angle, time."""
    x, angle, t, dt = [0.0, 0.0], 0.0, 0.0, 2e-5
    v, load = list(v), mass * G / len(points)
    while (math.hypot(*v) > 1e-4 or abs(w) > 1e-4) and t < 20:
        c, s = math.cos(angle), math.sin(angle)
        f, tau = [0.0, 0.0], 0.0
        for px, py in points:
            r = [c * px - s * py, s * px + c * py]
            u = [v[0] - w * r[1], v[1] + w * r[0]]
            z = max(math.hypot(mu * math.hypot(*u), torsion * w), 1e-7)
            p = [-load * mu * mu * u[0] / z, -load * mu * mu * u[1] / z]
            f = [f[0] + p[0], f[1] + p[1]]
            tau += r[0] * p[1] - r[1] * p[0] - load * torsion * torsion * w / z
        v = [v[0] + dt * f[0] / mass, v[1] + dt * f[1] / mass]
        w += dt * tau / inertia
        x = [x[0] + dt * v[0], x[1] + dt * v[1]]
        angle += dt * w
        t += dt
    return x[0], x[1], angle, t


def plate(taut):
    """Thin plates that spin while they slide."""
    for half, v, w, mu in [([0.5, 0.5], (2, 1), 6, 0.3), ([0.35, 0.6], (-1.4, 2.3), -9, 0.22), ([0.2, 0.2], (1.1, 0.2), 25, 0.4)]:
        corners = [(a * half[0], b * half[1]) for a in (1, -1) for b in (1, -1)]
        inertia = 10 * (half[0] ** 2 + half[1] ** 2) / 3
        x, y, _, t = sliding(corners, 10, inertia, v, w, mu)
        body = box("b", half + [5e-4], position=[0, 0, 5e-4], mass=10, velocity=[*v, 0], angular_velocity=[0, 0, w])
        scene = {"duration": t + 0.5, "materials": {"default": {"friction": mu}}, "ground": {}, "bodies": [body]}
        _, poses, _ = run(taut, scene)
        end = poses[max(poses)]["b"]
        off = math.hypot(end[0] - x, end[1] - y) / math.hypot(x, y)
        yield f"plate {half}, mu {mu}: stops at ({x:.3f}, {y:.3f}) m", off, 0.01


def disc(taut):
    """Torsion and sliding in one ellipsoid: way, and both end together."""
    for mu, torsion, mass, inertia, v, w in [(0.25, 0.04, 3.0, 0.05, 1.2, 18.0), (0.4, 0.1, 1.0, 0.01, 2.0, 60.0)]:
        x, _, _, t = sliding([(0, 0)], mass, inertia, (v, 0), w, mu, torsion)
        surface = {"friction": mu, "torsional_friction": torsion}
        body = {"name": "d", "shape": {"ball": {"radius": 0.01}}, "mass": mass, "inertia": [1e9, 1e9, inertia],
                "position": [0, 0, 0.01], "velocity": [v, 0, 0], "angular_velocity": [0, 0, w]}
        scene = {"duration": t + 0.5, "materials": {"default": surface}, "ground": {}, "bodies": [body]}
        _, poses, _ = run(taut, scene)
        ends = [max([f for f, p in poses.items() if abs(p["d"][i]) > 1e-6] or [0]) for i in (7, 12)]
        end = poses[max(poses)]["d"]
        what = f"disc with torsion {torsion} m, {w} rad/s"
        yield what + ": way", abs(end[0] / x - 1), 0.01
        yield what + ": frames between the ends of sliding and spinning", abs(ends[0] - ends[1]), 1
        yield what + ": time to rest", abs(max(ends) * H / t - 1), 0.01 + H / t


def force_of_ellipse(path, axis, mu):
    t = [axis, (-axis[1], axis[0])]
    z = [mu[k] * (path[0] * t[k][0] + path[1] * t[k][1]) for k in (0, 1)]
    size = math.hypot(*z)
    return [-(t[0][i] * mu[0] * z[0] + t[1][i] * mu[1] * z[1]) / size for i in (0, 1)]


def drift(taut, blocks, friction=None):
    """Blocks (path, force per normal force, materials) on planes, under gravity so that each slides along its path with 0.7
    m/s²: the largest angle by which one leaves it, errors of its way and of its speed."""
    angle = way = speed = 0.0
    for path, force, plane, block, turned in blocks:
        a, n = 0.7, 60
        gravity = [a * path[0] - G * force[0], a * path[1] - G * force[1], -G]
        body = box("b", [0.25, 0.15, 0.01], mass=3, position=[0, 0, 0.01], material="block",
                   orientation=[math.cos(turned / 2), 0, 0, math.sin(turned / 2)])
        scene = {"duration": n * H, "gravity": gravity, "materials": {"plane": plane, "block": block},
                 "ground": {"material": "plane"}, "bodies": [body]}
        _, poses, _ = run(taut, scene, friction=friction)
        end = poses[max(poses)]["b"]
        x, y = end[:2]
        angle = max(angle, abs(math.atan2(path[0] * y - path[1] * x, path[0] * x + path[1] * y)))
        way = max(way, abs(math.hypot(x, y) / (0.5 * a) - 1))
        speed = max(speed, abs(math.hypot(*end[7:9]) / a - 1))
    return angle, way, speed


def ellipses(taut):
    blocks = []
    for k in range(9):
        path = (math.cos(0.7 * k + 0.2), math.sin(0.7 * k + 0.2))
        axis, mu = (math.cos(-0.6), math.sin(-0.6)), [0.3, 0.12]
        grain = {"elliptic": {"direction": [*axis, 0], "along": mu[0] ** 2, "across": mu[1] ** 2}}
        blocks.append((path, force_of_ellipse(path, axis, mu), {"friction": 0.5, "anisotropy": grain}, {"friction": 1}, 0.8))
    angle, way, _ = drift(taut, blocks)
    yield "ellipse on slopes: drift, rad", angle, 1e-6
    yield "ellipse on slopes: way", way, 1e-6


def matchsticks(taut):
    for degrees in (0, 45, 90):
        turned, own, mu, blocks = math.radians(degrees), [0.2, 0.55], 0.3, []
        d = 1 - 2 * turned / PI
        pair = [d * o + (1 - d) * mu for o in own]
        surface = {"friction": mu, "anisotropy": {"elliptic": {"direction": [1, 0, 0], "along": own[0], "across": own[1]}}}
        for k in range(4):
            path = (math.cos(0.4 + 1.3 * k), math.sin(0.4 + 1.3 * k))
            axis = (math.cos(turned / 2), math.sin(turned / 2))
            blocks.append((path, force_of_ellipse(path, axis, pair), surface, surface, turned))
        angle, way, _ = drift(taut, blocks)
        yield f"matchsticks at {degrees}°: drift, rad", angle, 1e-6
        yield f"matchsticks at {degrees}°: way", way, 1e-6


def tensors(taut):
    def of(path, axis, mu):
        along, across = path[0] * axis[0] + path[1] * axis[1], -path[0] * axis[1] + path[1] * axis[0]
        q = 0.15 if along >= 0 else 0.6
        l = [-0.5 * (q + mu) * along, -0.5 * (0.35 + mu) * across]
        return [l[0] * axis[0] - l[1] * axis[1], l[0] * axis[1] + l[1] * axis[0]]

    axis, mu = (math.cos(0.9), math.sin(0.9)), 0.25
    scales = {"tensor": {"direction": [*axis, 0], "forward": 0.15, "backward": 0.6, "sideways": 0.35}}
    plane, block = {"friction": 0.8, "anisotropy": scales}, {"friction": mu}
    paths = [(math.cos(0.55 * k + 0.1), math.sin(0.55 * k + 0.1)) for k in range(11)]
    angle, way, _ = drift(taut, [(p, of(p, axis, mu), plane, block, 0.4) for p in paths])
    yield "tensors on slopes: drift, rad", angle, 1e-6
    yield "tensors on slopes: way", way, 1e-6
    # Boxes and polyhedra have the same bounds along the axes.
    ways = [axis, (-axis[0], -axis[1]), (-axis[1], axis[0])]
    for friction in ("box", "polyhedral:8"):
        angle, _, speed = drift(taut, [(p, of(p, axis, mu), plane, block, 0.4) for p in ways], friction)
        yield f"tensors along their axes, {friction}: drift, rad", angle, 1e-6
        yield f"tensors along their axes, {friction}: speed", speed, 1e-6


def rope(taut):
    """At 0.9 of Euler's limit."""
    for mu, light in [(0.2, 30.0), (0.6, 4.0)]:
        heavy = 0.9 * light * math.exp(mu * PI)
        ball = lambda name, mass, x: {"name": name, "mass": mass, "shape": {"ball": {"radius": 0.05}}, "position": [x, 0, -2], "collides": False}
        drum = {"body": "world", "point": [0, 0, 0], "pulley": {"axis": [0, 1, 0], "radius": 0.4}, "friction": mu}
        scene = {"duration": 10, "bodies": [ball("a", heavy, -0.4), ball("b", light, 0.4)],
                 "cables": [{"via": [{"body": "a"}, drum, {"body": "b"}]}]}
        _, poses, _ = run(taut, scene)
        end = poses[max(poses)]
        yield f"rope at 0.9 of the limit, mu {mu}: creep in 10 s, m", max(abs(end[n][2] + 2) for n in "ab"), 1e-6


def arch_limit(stones, radius, depth):
    """Least friction of an arch that stands: for each thrust at the crown, whose height is free, what joints need. (A linear program
    in thrust and moment for each friction; loads and arch are symmetric.)"""
    turn = PI / stones
    inner, outer = radius - depth / 2, radius + depth / 2
    area = 0.5 * math.sin(turn) * (outer**2 - inner**2)
    reach = (outer**3 - inner**3) * math.sin(turn) * math.cos(turn / 2) / 3 / area
    best = math.inf
    for k in range(1, 20001):
        thrust = area * stones * k / 20000
        weight = moment = most = 0.0
        low, high = inner, outer
        for j in range(stones // 2):
            weight += area
            moment += area * reach * math.cos(PI / 2 - (j + 0.5) * turn)
            joint = PI / 2 - (j + 1) * turn
            normal = thrust * math.sin(joint) + weight * math.cos(joint)
            most = max(most, abs(thrust * math.cos(joint) - weight * math.sin(joint)) / normal)
            low = max(low, (inner * normal - moment) / thrust)
            high = min(high, (outer * normal - moment) / thrust)
        if low <= high:
            best = min(best, most)
    return best


def arch_falls(taut, stones, radius, depth, width, mu):
    turn, bodies = PI / stones, []
    for k in range(stones):
        corners = [(r * math.cos(a), y, r * math.sin(a)) for r in (radius - depth / 2, radius + depth / 2)
                   for a in (k * turn, (k + 1) * turn) for y in (-width / 2, width / 2)]
        c = [sum(p[i] for p in corners) / 8 for i in range(3)]
        points = [[p[i] - c[i] for i in range(3)] for p in corners]
        bodies.append({"name": f"s{k}", "shape": {"convex_hull": {"points": points}}, "density": 2400, "position": c})
    scene = {"duration": 3, "materials": {"default": {"friction": mu}}, "ground": {}, "bodies": bodies}
    _, poses, _ = run(taut, scene)
    crown = [p[f"s{stones // 2}"][2] for _, p in sorted(poses.items())]
    return crown[0] - crown[-1] > 5e-3


def arch(taut):
    for radius, depth, width in [(1.0, 0.2, 0.25), (2.0, 0.5, 0.6), (0.6, 0.15, 0.3)]:
        limit = arch_limit(20, radius, depth)
        low, high = 0.9 * limit, 1.1 * limit
        for _ in range(7):
            mu = 0.5 * (low + high)
            low, high = (mu, high) if arch_falls(taut, 20, radius, depth, width, mu) else (low, mu)
        yield f"arch of 20 stones, {radius} m, {depth} m: critical mu {0.5 * (low + high):.4f}, limit state {limit:.4f}", abs(0.5 * (low + high) / limit - 1), 0.02


def card_house(taut):
    """Three storeys, a minute; as boxes and as hulls."""
    for hulls in (False, True):
        long, wide, thin, lean, mu = 0.1, 0.07, 8e-4, 0.3, 0.55
        s, c = math.sin(lean), math.cos(lean)
        rise, out, apart_by, bodies = long * c + thin * s, 0.5 * (thin * c + long * s), long + 2e-4, []

        def add(name, at, angle):
            half = [thin / 2, wide / 2, long / 2]
            shape = {"box": {"half_extents": half}}
            if hulls:
                shape = {"convex_hull": {"points": [[a * half[0], b * half[1], d * half[2]] for a in (1, -1) for b in (1, -1) for d in (1, -1)]}}
            bodies.append({"name": name, "shape": shape, "mass": 2e-3, "position": at,
                           "orientation": [math.cos(angle / 2), 0, math.sin(angle / 2), 0]})

        for storey in range(3):
            floor, tents = storey * (rise + thin), 3 - storey
            for k in range(tents):
                x = apart_by * (k - 0.5 * (tents - 1))
                for side in (-1, 1):
                    add(f"{side}.{storey}.{k}", [x + side * out, 0, floor + rise / 2], -side * lean)
                if k + 1 < tents:
                    add(f"flat.{storey}.{k}", [x + apart_by / 2, 0, floor + rise + thin / 2], PI / 2)
        scene = {"duration": 60, "materials": {"default": {"friction": mu}}, "ground": {}, "bodies": bodies}
        _, poses, _ = run(taut, scene)
        end = poses[max(poses)]
        moved = max(math.dist(end[b["name"]][:3], b["position"]) for b in bodies)
        yield f"card house as {'hulls' if hulls else 'boxes'}: moved in 60 s, m", moved, 1e-3


def cards_fall(taut, hulls, mu, lean, thin):
    half, s, c = [thin / 2, 0.2, 0.4], math.sin(lean), math.cos(lean)
    at, bodies = (0.5 * (thin * c + 0.8 * s), 0.5 * (thin * s + 0.8 * c)), []
    for side in (-1, 1):
        shape = {"box": {"half_extents": half}}
        if hulls:
            shape = {"convex_hull": {"points": [[a * half[0], b * half[1], d * half[2]] for a in (1, -1) for b in (1, -1) for d in (1, -1)]}}
        bodies.append({"name": f"c{side}", "shape": shape, "density": 700, "position": [side * at[0], 0, at[1]],
                       "orientation": [math.cos(lean / 2), 0, -side * math.sin(lean / 2), 0]})
    scene = {"duration": 2, "materials": {"default": {"friction": mu}}, "ground": {}, "bodies": bodies}
    _, poses, _ = run(taut, scene)
    return at[1] - poses[max(poses)]["c-1"][2]


def cards(taut):
    """Two cards that lean on one another edge to edge stand from half the tangent of their angle on."""
    for hulls in (False, True):
        for degrees, thin in [(20, 1e-3), (30, 1e-2)]:
            lean = math.radians(degrees)
            limit = 0.5 * (0.8 * math.sin(lean) - thin * math.cos(lean)) / (0.8 * math.cos(lean))
            what = f"two cards as {'hulls' if hulls else 'boxes'} at {degrees}°"
            yield what + ", 1.02 of the friction they need: fall, m", abs(cards_fall(taut, hulls, 1.02 * limit, lean, thin)), 1e-3
            yield what + ", 0.98 of it: fall short of 0.1 m by, m", max(0.0, 0.1 - cards_fall(taut, hulls, 0.98 * limit, lean, thin)), 0.0


CASES = [directions, shaken, plate, disc, ellipses, matchsticks, tensors, rope, arch, cards, card_house]


def main():
    taut = sys.argv[1] if len(sys.argv) > 1 else "target/release/taut"
    names = sys.argv[2:] or [c.__name__ for c in CASES]
    missed = 0
    for case in CASES:
        if case.__name__ in names:
            for what, measured, bound in case(taut):
                missed += measured > bound
                print(f"{'met' if measured <= bound else 'MISSED':6} {measured:9.2e} of {bound:7.1e}  {what}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
