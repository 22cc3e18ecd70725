// Rapier, by its npm package: reads a scene and a mode as JSON from stdin, writes samples and CPU time to stdout.
import { readFileSync } from "node:fs";
import RAPIER from "@dimforge/rapier3d-compat";

await RAPIER.init();
const { scene, mode, every } = JSON.parse(readFileSync(0, "utf8"));
// A run that does not count: compiling takes its time, too.
{
  const warm = new RAPIER.World({ x: 0, y: 0, z: -9.81 });
  warm.createCollider(RAPIER.ColliderDesc.cuboid(9, 9, 1));
  for (let i = 0; i < 20; i++) warm.createCollider(RAPIER.ColliderDesc.cuboid(0.5, 0.5, 0.5), warm.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation(0, 0, 2 + i)));
  for (let i = 0; i < 600; i++) warm.step();
  warm.free();
}
const [gx, gy, gz] = scene.gravity;
const world = new RAPIER.World({ x: gx, y: gy, z: gz });
world.timestep = mode.h;
if (mode.tuned) {
  world.numSolverIterations = mode.iterations ?? 50;
}
const half = Math.SQRT1_2;
const TURNS = { x: { x: 0, y: 0, z: -half, w: half }, y: { x: 0, y: 0, z: 0, w: 1 }, z: { x: half, y: 0, z: 0, w: half } };
const vector = ([x, y, z]) => ({ x, y, z });

function collider(shape) {
  const [kind, what] = Object.entries(shape)[0];
  if (kind === "box") return RAPIER.ColliderDesc.cuboid(...what);
  if (kind === "ball") return RAPIER.ColliderDesc.ball(what);
  return RAPIER.ColliderDesc[kind](what.half, what.radius).setRotation(TURNS[what.axis]);
}

const bodies = new Map();
for (const b of scene.bodies) {
  const desc = b.mass > 0 ? RAPIER.RigidBodyDesc.dynamic() : RAPIER.RigidBodyDesc.fixed();
  desc.setTranslation(...b.position).setCanSleep(false);
  if (b.mass > 0) desc.setAdditionalMassProperties(b.mass, vector([0, 0, 0]), vector(b.inertia), { x: 0, y: 0, z: 0, w: 1 });
  const body = world.createRigidBody(desc);
  const shape = collider(b.shape).setDensity(0).setFriction(scene.friction);
  if (!scene.collides) shape.setCollisionGroups(0);
  world.createCollider(shape, body);
  bodies.set(b.name, body);
}
if (scene.ground) {
  const ground = RAPIER.ColliderDesc.cuboid(100, 100, 1).setTranslation(0, 0, -1).setFriction(scene.friction);
  world.createCollider(ground);
}
const anchorless = world.createRigidBody(RAPIER.RigidBodyDesc.fixed());
const places = new Map(scene.bodies.map((b) => [b.name, b.position]));
for (const j of scene.joints) {
  const at = (name) => vector(j.anchor.map((v, i) => v - (places.get(name) ?? [0, 0, 0])[i]));
  const a = bodies.get(j.a) ?? anchorless;
  const data = j.kind === "hinge" ? RAPIER.JointData.revolute(at(j.a), at(j.b), vector(j.axis)) : RAPIER.JointData.spherical(at(j.a), at(j.b));
  // Reduced coordinates where the joints are a tree: what the engine has for long chains.
  const joint = mode.multibody && !j.loop ? world.createMultibodyJoint(data, a, bodies.get(j.b), true) : world.createImpulseJoint(data, a, bodies.get(j.b), true);
  if (joint.setContactsEnabled) joint.setContactsEnabled(false);
  if (j.motor && !mode.multibody) {
    if (j.motor.speed !== undefined) {
      joint.configureMotorModel(RAPIER.MotorModel.ForceBased);
      joint.configureMotorVelocity(j.motor.speed, j.motor.torque / (0.01 * j.motor.speed));
    } else {
      joint.configureMotorModel(RAPIER.MotorModel.ForceBased);
      joint.configureMotorPosition(j.motor.target, j.motor.stiffness, j.motor.damping);
    }
  }
}
const steps = Math.round(1 / 60 / mode.h);
const samples = [];
let spent = 0;
for (let frame = 1; frame <= Math.round(scene.seconds * 60); frame++) {
  const start = process.cpuUsage();
  for (let i = 0; i < steps; i++) world.step();
  const used = process.cpuUsage(start);
  spent += used.user + used.system;
  if (frame % every === 0)
    samples.push(
      scene.bodies.map((b) => {
        const body = bodies.get(b.name);
        const [x, q, v, w] = [body.translation(), body.rotation(), body.linvel(), body.angvel()];
        return [x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z];
      }),
    );
}
process.stdout.write(JSON.stringify({ cpu_ms: spent / 1e3 / (scene.seconds * 60), samples, note: "", version: RAPIER.version() }));
