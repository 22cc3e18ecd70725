"""What a step did."""

from __future__ import annotations

from typing import NamedTuple


class Event(NamedTuple):
    """Something that happened in a step."""

    time: float
    kind: str
    """``contact_begin``, ``contact_end``, ``joint_broke``, ``cable_taut``, ``cable_slack``,
    ``cable_broke`` or ``quarantined``."""
    name: str
    """The first body, the joint, or the cable."""
    other: str
    """The second body; for ``quarantined`` the reason."""
    force: float
    """That broke the joint; of a cable, the tension."""
    torque: float


class StepReport(NamedTuple):
    """What a step did. Energies in J, lengths in m, times in s."""

    time: float
    kinetic_energy: float
    potential_energy: float
    elastic_energy: float
    work: float
    """Work of motors, kinematic bodies and user forces."""
    energy_gain: float
    """Energy that the steps so far created, and should not have."""
    energy_taken: float
    energy_mended: float
    """Paid for mending a start with overlaps or open joints."""
    energy_tolerance: float
    """Gain up to which the scheme counts as sound."""
    residual: float
    relative_residual: float
    energy_error: float
    friction_gap: float
    contact_compliance: float
    max_penetration: float
    mean_penetration: float
    max_joint_gap: float
    max_over_length: float
    """Largest share of its length by which a cable that does not stretch is too long."""
    solve_seconds: float
    step_seconds: float
    parts: int
    islands: int
    swept_islands: int
    sleeping_islands: int
    held_bodies: int
    held_steps: int
    """Steps in a row in which the body held back longest lost more than half of its way."""
    contacts: int
    rows: int
    iterations: int
    factorizations: int
    passes: int
    unconverged_islands: int
    torn: int
    """1 if joints opened even in the smallest part of the step."""
    event_count: int
    momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]
    status: str
    choice: str
    """What solved the largest island, and why that."""
    torn_joint: str | None
    held_body: str | None
    """Which body that was; `None` if none."""
    refusals: list[str]
    """Why problems were refused, if any were."""
    failure: str | None
    """Why the step did not converge; `None` if it did."""
    raw_events: list[tuple[float, str, str, str, float, float]]

    @property
    def converged(self) -> bool:
        """Whether every island converged."""
        return self.unconverged_islands == 0

    @property
    def energy(self) -> float:
        """Kinetic, potential and elastic."""
        return self.kinetic_energy + self.potential_energy + self.elastic_energy

    @property
    def gained_energy(self) -> bool:
        """Whether the steps so far created energy beyond tolerance."""
        return self.energy_gain > self.energy_tolerance

    @property
    def events(self) -> list[Event]:
        """What happened, in a fixed order."""
        return [Event(*event) for event in self.raw_events]

    def __repr__(self) -> str:
        how = "converged" if self.converged else f"{self.unconverged_islands} islands unconverged"
        return (
            f"<taut.StepReport: t = {self.time:.6g} s, {how}, {self.rows} rows, "
            f"{self.contacts} contacts, {1e3 * self.step_seconds:.3g} ms>"
        )
