// ODE: reads a scene as lines of text, writes samples. Compiled by compare.py against Debian's library.
//   step STEP COUNT EVERY FRAMES QUICK ITERATIONS FRICTION GROUND COLLIDES TUNED GX GY GZ
//   body MASS IXX IYY IZZ X Y Z KIND A B C        KIND: 0 box (half extents), 1 ball (radius), 2 capsule, 3 cylinder (half, radius, axis)
//   joint KIND A B X Y Z AX AY AZ MOTOR P Q R     A: -1 for the world; MOTOR: 0 none, 1 speed and torque, 2 target, stiffness, damping
#include <ode/ode.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

static dWorldID world;
static dSpaceID space;
static dJointGroupID contacts;
static double friction;

static void near(void *, dGeomID a, dGeomID b) {
  dBodyID p = dGeomGetBody(a), q = dGeomGetBody(b);
  if (!p && !q) return;
  if (p && q && dAreConnectedExcluding(p, q, dJointTypeContact)) return;
  dContact found[8];
  int count = dCollide(a, b, 8, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; i++) {
    found[i].surface.mode = dContactApprox1;
    found[i].surface.mu = friction;
    dJointAttach(dJointCreateContact(world, contacts, &found[i]), p, q);
  }
}

int main() {
  dInitODE2(0);
  world = dWorldCreate();
  space = dHashSpaceCreate(0);
  contacts = dJointGroupCreate(0);
  double h = 0, gx = 0, gy = 0, gz = 0;
  int steps = 1, every = 1, frames = 1, quick = 1, iterations = 20, ground = 0, collides = 1, tuned = 0;
  struct Servo { dJointID joint; double target, stiffness, damping; };
  std::vector<dBodyID> bodies;
  std::vector<dGeomID> still;
  std::vector<Servo> servos;
  char word[16];
  while (std::scanf("%15s", word) == 1) {
    if (!std::strcmp(word, "step")) {
      if (std::scanf("%lf %d %d %d %d %d %lf %d %d %d %lf %lf %lf", &h, &steps, &every, &frames, &quick, &iterations, &friction, &ground, &collides, &tuned, &gx, &gy, &gz) != 13) return 2;
      dWorldSetGravity(world, gx, gy, gz);
      dWorldSetQuickStepNumIterations(world, iterations);
      if (tuned) { dWorldSetERP(world, collides ? 0.2 : 0.8); }
      if (ground) dCreatePlane(space, 0, 0, 1, 0);
    } else if (!std::strcmp(word, "body")) {
      double m, ixx, iyy, izz, x, y, z, a, b, c;
      int kind;
      if (std::scanf("%lf %lf %lf %lf %lf %lf %lf %d %lf %lf %lf", &m, &ixx, &iyy, &izz, &x, &y, &z, &kind, &a, &b, &c) != 11) return 2;
      dBodyID body = 0;
      if (m > 0) {
        body = dBodyCreate(world);
        dMass mass;
        dMassSetParameters(&mass, m, 0, 0, 0, ixx, iyy, izz, 0, 0, 0);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, x, y, z);
      }
      dGeomID geom = 0;
      if (collides) {
        if (kind == 0) geom = dCreateBox(space, 2 * a, 2 * b, 2 * c);
        if (kind == 1) geom = dCreateSphere(space, a);
        if (kind == 2) geom = dCreateCapsule(space, b, 2 * a);
        if (kind == 3) geom = dCreateCylinder(space, b, 2 * a);
        dMatrix3 turn;
        dRSetIdentity(turn);
        if (kind >= 2 && c == 0) dRFromAxisAndAngle(turn, 0, 1, 0, M_PI / 2);
        if (kind >= 2 && c == 1) dRFromAxisAndAngle(turn, 1, 0, 0, -M_PI / 2);
        if (body) {
          dGeomSetBody(geom, body);
          dGeomSetOffsetRotation(geom, turn);
        } else {
          dGeomSetPosition(geom, x, y, z);
          dGeomSetRotation(geom, turn);
        }
      }
      bodies.push_back(body);
      still.push_back(geom);
    } else if (!std::strcmp(word, "joint")) {
      int kind, a, b, motor;
      double x, y, z, ax, ay, az, p, q, r;
      if (std::scanf("%d %d %d %lf %lf %lf %lf %lf %lf %d %lf %lf %lf", &kind, &a, &b, &x, &y, &z, &ax, &ay, &az, &motor, &p, &q, &r) != 13) return 2;
      dJointID joint = kind == 0 ? dJointCreateHinge(world, 0) : dJointCreateBall(world, 0);
      // ODE counts angles of its first body against the second.
      dJointAttach(joint, bodies[b], a < 0 ? 0 : bodies[a]);
      if (kind == 0) {
        dJointSetHingeAnchor(joint, x, y, z);
        dJointSetHingeAxis(joint, ax, ay, az);
        if (motor == 1) {
          dJointSetHingeParam(joint, dParamVel, p);
          dJointSetHingeParam(joint, dParamFMax, q);
        }
        if (motor == 2) servos.push_back({joint, p, q, r});
      } else {
        dJointSetBallAnchor(joint, x, y, z);
      }
    }
  }
  clock_t spent = 0;
  for (int frame = 1; frame <= frames; frame++) {
    clock_t start = clock();
    for (int i = 0; i < steps; i++) {
      for (auto &s : servos)
        dJointAddHingeTorque(s.joint, s.stiffness * (s.target - dJointGetHingeAngle(s.joint)) - s.damping * dJointGetHingeAngleRate(s.joint));
      if (collides) dSpaceCollide(space, 0, near);
      if (quick) dWorldQuickStep(world, h); else dWorldStep(world, h);
      dJointGroupEmpty(contacts);
    }
    spent += clock() - start;
    if (frame % every) continue;
    for (size_t i = 0; i < bodies.size(); i++) {
      if (!bodies[i]) {
        const dReal *x = still[i] ? dGeomGetPosition(still[i]) : 0;
        std::printf("%.9g %.9g %.9g 1 0 0 0 0 0 0 0 0 0\n", x ? x[0] : 0, x ? x[1] : 0, x ? x[2] : 0);
        continue;
      }
      const dReal *x = dBodyGetPosition(bodies[i]), *q = dBodyGetQuaternion(bodies[i]);
      const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
      std::printf("%.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g\n", x[0], x[1], x[2], q[0], q[1], q[2], q[3], v[0], v[1], v[2], w[0], w[1], w[2]);
    }
  }
  std::printf("cpu %.9g\n", 1e3 * double(spent) / CLOCKS_PER_SEC / frames);
}
