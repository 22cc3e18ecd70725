"""Writes a chain hoist as a scene file."""
import json
import sys

LOAD = float(sys.argv[1]) if len(sys.argv) > 1 else 500     # kg
LINKS, LENGTH, THICK = 30, 0.1, 0.02        # how many, their length and radius in m
DRUM, TOP = 0.3, 4.0                        # radius of the drum, height of its axis
side = DRUM + THICK                         # where the chain hangs

bodies = [{"name": "drum", "mass": 50, "position": [0, 0, TOP],
           "orientation": [0.7071068, 0.7071068, 0, 0],
           "shape": {"cylinder": {"half_height": 0.2, "radius": DRUM}}}]
joints = [{"type": "hinge", "name": "axle", "a": "world", "b": "drum",
           "axis_a": [0, 1, 0], "motor": {"velocity": {"target": 0}}}]

for i in range(LINKS):
    middle = TOP - (i + 0.5) * LENGTH
    bodies.append({"name": f"link{i}", "mass": 0.25, "position": [side, 0, middle],
                   "shape": {"capsule": {"half_length": LENGTH / 2 - THICK, "radius": THICK}}})
    joints.append({"type": "ball", "name": f"pin{i}", "a": f"link{i - 1}" if i else "drum", "b": f"link{i}",
                   "anchor_b": [0, 0, LENGTH / 2]})

end = TOP - LINKS * LENGTH
bodies.append({"name": "load", "mass": LOAD, "position": [side, 0, end - 0.3],
               "shape": {"box": {"half_extents": [0.3, 0.3, 0.3]}}})
joints.append({"type": "ball", "name": "hook", "a": f"link{LINKS - 1}", "b": "load", "anchor_b": [0, 0, 0.3]})

drives = [{"motor": {"joint": "axle", "keys": [[1, 0], [2, -1], [6, -1], [7, 0]]}}]
print(json.dumps({"version": 1, "duration": 8, "ground": {"height": 0},
                  "bodies": bodies, "joints": joints, "drives": drives}, indent=1))
