"""Compares stencils of taut-barrier with the IPC Toolkit: pip install ipctk numpy scipy, then

    cargo run --release -p taut-barrier --example stencils_csv > stencils.csv
    python crates/taut-barrier/tests/ipctk_stencils.py stencils.csv

Not part of the checks, for the toolkit is no dependency. Fails where values, gradients or Hessians differ by more than 1e-10 of
their largest entry.
"""

import sys

import ipctk
import numpy as np

TOLERANCE = 1e-10
P, E = ipctk.PointTriangleDistanceType, ipctk.EdgeEdgeDistanceType
# Corners of the part that is nearest, in the toolkit's order: the vertex first, then the edge.
POINT_TRIANGLE = {
    P.P_T0: (0, 1), P.P_T1: (0, 2), P.P_T2: (0, 3),
    P.P_E0: (0, 1, 2), P.P_E1: (0, 2, 3), P.P_E2: (0, 3, 1), P.P_T: (0, 1, 2, 3),
}
EDGE_EDGE = {
    E.EA0_EB0: (0, 2), E.EA0_EB1: (0, 3), E.EA1_EB0: (1, 2), E.EA1_EB1: (1, 3),
    E.EA_EB0: (2, 0, 1), E.EA_EB1: (3, 0, 1), E.EA0_EB: (0, 2, 3), E.EA1_EB: (1, 2, 3), E.EA_EB: (0, 1, 2, 3),
}


def normal_collision(kind, part, threshold):
    if len(part) == 2:
        return ipctk.VertexVertexNormalCollision(0, 1)
    if len(part) == 3:
        return ipctk.EdgeVertexNormalCollision(0, 0)
    if kind == 0:
        return ipctk.FaceVertexNormalCollision(0, 0)
    return ipctk.EdgeEdgeNormalCollision(0, 1, threshold, E.AUTO)


def tangential_collision(kind, part, collision, x, potential):
    name = {2: "VertexVertex", 3: "EdgeVertex", 4: "FaceVertex" if kind == 0 else "EdgeEdge"}[len(part)]
    return getattr(ipctk, name + "TangentialCollision")(collision, x, potential)


def spread(part, values):
    """Entries of some corners among those of all four."""
    rows = np.concatenate([3 * c + np.arange(3) for c in part])
    full = np.zeros([12] * values.ndim)
    full[np.ix_(*[rows] * values.ndim)] = values
    return full


def main():
    worst = dict.fromkeys(["value", "gradient", "hessian", "projected", "friction", "friction gradient", "friction hessian"], 0.0)
    regions, mollified = {}, 0

    def compare(what, ours, theirs, kind):
        error = np.max(np.abs(ours - theirs)) / max(np.max(np.abs(theirs)), 1e-300)
        if error > worst[what]:
            worst[what] = error

    lines = 0
    for line in open(sys.argv[1]):
        row = np.array([float(v) for v in line.split(",")])
        kind, row = int(row[0]), row[1:]
        take = iter(np.split(row, np.cumsum([12, 2, 1, 12, 144, 144, 2, 12, 1, 12, 144])[:-1]))
        x, (reach, threshold), value, gradient, hessian, projected, (limit, width), moved, f, f_gradient, f_hessian = take
        corners = x.reshape(4, 3)
        region = ipctk.point_triangle_distance_type(*corners) if kind == 0 else ipctk.edge_edge_distance_type(*corners)
        regions[str(region)] = regions.get(str(region), 0) + 1
        part = (POINT_TRIANGLE if kind == 0 else EDGE_EDGE)[region]
        # The barrier of two edges is that of all four corners, for the mollifier.
        barrier_part = part if kind == 0 else (0, 1, 2, 3)
        sub = corners[list(barrier_part)].ravel()
        collision = normal_collision(kind, barrier_part, threshold)
        potential = ipctk.BarrierPotential(reach, 1.0)
        mollified += kind == 1 and collision.is_mollified() and ipctk.edge_edge_cross_squarednorm(*corners) < threshold
        compare("value", value, np.array([potential(collision, sub)]), kind)
        compare("gradient", gradient, spread(barrier_part, potential.gradient(collision, sub)), kind)
        compare("hessian", hessian.reshape(12, 12), spread(barrier_part, potential.hessian(collision, sub)), kind)
        clamp = potential.hessian(collision, sub, ipctk.PSDProjectionMethod.CLAMP)
        compare("projected", projected.reshape(12, 12), spread(barrier_part, clamp), kind)
        sub, sub_moved = corners[list(part)].ravel(), moved.reshape(4, 3)[list(part)].ravel()
        friction = tangential_collision(kind, part, normal_collision(kind, part, threshold), sub, potential)
        friction.normal_force_magnitude = 1.0
        friction.mu_s = friction.mu_k = limit
        friction.mu_s_effective_lagged = friction.mu_k_effective_lagged = limit
        dissipation = ipctk.FrictionPotential(width)
        compare("friction", f, np.array([dissipation(friction, sub_moved)]), kind)
        compare("friction gradient", f_gradient, spread(part, dissipation.gradient(friction, sub_moved)), kind)
        compare("friction hessian", f_hessian.reshape(12, 12), spread(part, dissipation.hessian(friction, sub_moved)), kind)
        lines += 1
    print(f"{lines} stencils, {mollified} mollified, regions {regions}")
    for what, error in worst.items():
        print(f"{what:18} {error:.2e}")
    sys.exit(0 if max(worst.values()) <= TOLERANCE else 1)


main()
