"""Drake: MultibodyPlant with its discrete solver (SAP), loops by ball constraints, servos by implicit PD gains."""

import importlib.metadata
import time

import numpy
from pydrake.geometry import DefaultProximityProperties, HalfSpace, SceneGraphConfig
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from tree import trees, urdf


def opened_elsewhere(scene):
    """The scene with loops opened between two bodies that move: a ball constraint to the world ends in a crash (version 1.51.1). A loop that
    the joint of a body with the world closes is opened at the other joint of that body."""
    joints = [dict(j) for j in scene["joints"]]
    for closing in [j for j in joints if j.get("loop") and j["a"] == "world"]:
        (other,) = [j for j in joints if j["b"] == closing["b"] and j is not closing]
        del closing["loop"]
        other["loop"] = True
    return scene | {"joints": joints}


def run(scene, mode, every, _):
    scene = opened_elsewhere(scene)
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=mode["h"])
    if mode["tuned"]:
        config.penetration_allowance = 1e-5
    plant, graph = AddMultibodyPlant(config, builder)
    if mode["tuned"] and not mode.get("points"):
        # Patches in place of points: what boxes need to stand on one another.
        soft = DefaultProximityProperties(compliance_type="compliant", hydroelastic_modulus=1e8, resolution_hint=0.1, slab_thickness=1.0)
        graph.set_config(SceneGraphConfig(default_proximity_properties=soft))
    plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
    frames, targets = {}, {}
    for n, group in enumerate(trees(scene)):
        text, frame, grounded = urdf(scene, group, f"tree{n}", True)
        frames |= frame
        (made,) = Parser(plant).AddModelsFromString(text, "urdf")
        if grounded:
            plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base", made))
        elif group[0]["mass"] == 0:
            plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(group[0]["name"], made), RigidTransform(group[0]["position"]))
    if scene["ground"]:
        friction = CoulombFriction(scene["friction"], scene["friction"])
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", friction)
    body = {b["name"]: plant.GetBodyByName(b["name"]) for b in scene["bodies"]}
    for j in scene["joints"]:
        motor = j.get("motor")
        if j.get("loop"):
            a = plant.world_body() if j["a"] == "world" else body[j["a"]]
            at = frames.get(j["a"], (0, 0, 0))
            plant.AddBallConstraint(a, numpy.subtract(j["anchor"], at), body[j["b"]], numpy.subtract(j["anchor"], frames[j["b"]]))
        elif motor:
            joint = plant.GetJointByName(j["b"] + "-joint")
            actuator = plant.AddJointActuator(j["b"] + "-motor", joint, motor.get("torque", numpy.inf))
            if "speed" in motor:
                actuator.set_controller_gains(PdControllerGains(p=0, d=motor["torque"] / (0.01 * motor["speed"])))
            else:
                actuator.set_controller_gains(PdControllerGains(p=motor["stiffness"], d=motor["damping"]))
            targets.setdefault(joint.model_instance(), []).append((motor.get("target", 0.0), motor.get("speed", 0.0)))
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for b in scene["bodies"]:
        if b["mass"] and plant.GetBodyByName(b["name"]).is_floating_base_body():
            plant.SetFreeBodyPose(context, body[b["name"]], RigidTransform(b["position"]))
    for instance, wanted in targets.items():
        state = [q for q, _ in wanted] + [v for _, v in wanted]
        plant.get_desired_state_input_port(instance).FixValue(context, state)
    simulator.Initialize()
    spent, samples = 0.0, []
    for frame in range(1, round(scene["seconds"] * 60) + 1):
        start = time.process_time()
        simulator.AdvanceTo(frame / 60)
        spent += time.process_time() - start
        if frame % every == 0:
            samples.append([sample(plant, context, body[b["name"]], b, frames[b["name"]]) for b in scene["bodies"]])
    return {"cpu_ms": 1e3 * spent / (scene["seconds"] * 60), "samples": samples, "note": ""}


def sample(plant, context, body, b, frame):
    pose = plant.EvalBodyPoseInWorld(context, body)
    twist = plant.EvalBodySpatialVelocityInWorld(context, body)
    arm = pose.rotation().matrix() @ numpy.subtract(b["position"], frame)
    q = pose.rotation().ToQuaternion()
    v = twist.translational() + numpy.cross(twist.rotational(), arm)
    return [*(pose.translation() + arm), q.w(), q.x(), q.y(), q.z(), *v, *twist.rotational()]


def version(_):
    return importlib.metadata.version("drake")
