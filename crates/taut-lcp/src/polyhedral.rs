//! Coulomb's cones as polyhedra: a linear complementarity problem without symmetry.
//!
//! **Problem**: w = Aλ + b with cones (n, t1, t2) among other rows.
//! **Conversion**: the friction of a contact is a sum of K pushes xₖ ≥ 0 along
//! dₖ = (μ₁ cos θₖ, μ₂ sin θₖ), θₖ = 2πk/K (for odd K + π), bounded by λₙ − Σxₖ ≥ 0, whose multiplier
//! β ≥ 0 is the speed of the slip. So a cone's three rows become K + 2:
//!
//! - normal: 0 ≤ λₙ ⊥ wₙ ≥ 0
//! - directions: 0 ≤ xₖ ⊥ dₖ·w_t + β ≥ 0
//! - slack: 0 ≤ β ⊥ λₙ − Σxₖ ≥ 0
//!
//! A cone in a plane (n, t) has two directions whatever K, and loses nothing. A problem without cones stays as it is.
//! Deviation: the papers bound Σxₖ by μλₙ along unit directions. With μ in the
//! directions the same lines serve ellipses, and μ = 0 leaves the normal row alone.
//! **Cost**: rows grow by K − 1 a contact, entries of A by (K + 1)²/9. The matrix is
//! sparse, a multibody A is formed.
//! **Error**: the polygon lies within the ellipse; friction is short by up to
//! 1 − cos(π/K): 29 % for K = 4, 8 % for K = 8, 2 % for K = 16; and slips lean toward
//! the directions.
//! **Solvers**: any that takes matrices without symmetry: `lcp_ipm`, `fischer_newton`,
//! `lemke`, `bgs` (K = 4).
//! **Reference**: Stewart and Trinkle 1996; Erleben13 4.1, eq. 27; Andrews22 1.6.

use crate::operator::{dot6, mul6};
use crate::{Error, General, Law, Multibody, Operator, Problem};

/// Least and largest number of directions.
pub const DIRECTIONS: std::ops::RangeInclusive<usize> = 3..=64;

/// A problem with cones as polyhedra, and the way back.
///
/// ```
/// use taut_lcp::polyhedral::Polyhedral;
/// use taut_lcp::{Dense, Law, Operator, Problem, Session};
/// // One contact that slides along its first tangent.
/// let a = Operator::Dense(Dense::from_rows(3, vec![1., 0., 0., 0., 1., 0., 0., 0., 1.])?);
/// let laws = vec![Law::Cone { mu: [0.5; 2], associated: false }];
/// let cones = Problem::new(a, vec![-1.0, 2.0, 0.0], laws)?;
/// let polyhedral = Polyhedral::new(&cones, 4)?;
/// assert_eq!(polyhedral.problem().rows(), 6);
/// let mut session = Session::named("lcp_ipm")?;
/// let answer = session.solve(polyhedral.problem())?;
/// let mut lambda = Vec::new();
/// polyhedral.impulses(answer.lambda(), &mut lambda);
/// assert!((lambda[1] + 0.5).abs() < 1e-8);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polyhedral {
    problem: Problem,
    /// K.
    directions: usize,
    /// λᵢ is the sum over these of factor·x[row]: the list of each row, one after the other.
    parts: Vec<(u32, f64)>,
    ends: Vec<usize>,
}

impl Polyhedral {
    /// The problem with K directions a contact.
    pub fn new(cones: &Problem, directions: usize) -> Result<Self, Error> {
        if !DIRECTIONS.contains(&directions) {
            let (value, expected) = (directions.to_string(), "3 to 64");
            return Err(Error::Setting {
                solver: "polyhedral",
                name: "directions",
                value,
                expected,
            });
        }
        cones.validate()?;
        if !cones.has_cones() {
            let parts = (0..cones.rows()).map(|i| (i as u32, 1.0)).collect();
            return Ok(Polyhedral {
                problem: cones.clone(),
                directions,
                parts,
                ends: (1..=cones.rows()).collect(),
            });
        }
        let mut build = Build { k: directions, ..Build::default() };
        for (row, law) in cones.laws_by_row() {
            build.push(row, law)?;
        }
        let Build { parts, ends, laws, mut entries, .. } = build;
        let of = |i: usize| &parts[if i == 0 { 0 } else { ends[i - 1] }..ends[i]];
        for_each_entry(&cones.operator, |i, j, v| {
            for &(r, f) in of(i) {
                entries.extend(of(j).iter().map(|&(c, g)| (r as usize, c as usize, f * g * v)));
            }
        });
        let n = laws.len();
        let mut b = vec![0.0; n];
        for (i, value) in cones.b.iter().enumerate() {
            of(i).iter().for_each(|&(r, f)| b[r as usize] += f * value);
        }
        let operator = Operator::General(General::from_triplets(n, &entries)?);
        let problem = Problem::new(operator, b, laws)?;
        Ok(Polyhedral { problem, directions, parts, ends })
    }

    /// The linear complementarity problem. A cone's rows are its normal, its
    /// directions and its slack; other rows are as they were.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// A start for this problem from impulses λ and velocities w of the one with cones: friction along the two
    /// directions next to it, slack for the slip.
    ///
    /// ```
    /// use taut_lcp::polyhedral::Polyhedral;
    /// use taut_lcp::{Dense, Law, Operator, Problem};
    /// let a = Operator::Dense(Dense::from_rows(2, vec![1., 0., 0., 1.])?);
    /// let cones = Problem::new(a, vec![-1.0, 2.0], vec![Law::cone(&[0.5], false)])?;
    /// let polyhedral = Polyhedral::new(&cones, 4)?;
    /// let mut x = Vec::new();
    /// polyhedral.start(&cones, &[1.0, -0.5], &[0.0, 1.5], &mut x);
    /// assert_eq!(x, [1.0, 0.0, 1.0, 0.75]); // normal, along, against, slip times μ
    /// # Ok::<(), taut_lcp::Error>(())
    /// ```
    pub fn start(&self, cones: &Problem, lambda: &[f64], w: &[f64], x: &mut Vec<f64>) {
        x.clear();
        x.resize(self.problem.rows(), 0.0);
        let of = |i: usize| &self.parts[if i == 0 { 0 } else { self.ends[i - 1] }..self.ends[i]];
        for (i, law) in cones.laws_by_row() {
            let Some(&(at, _)) = of(i).first() else { continue };
            let at = at as usize;
            x[at] = lambda[i];
            let Some((mu, _)) = law.coefficients() else { continue };
            if mu.iter().all(|mu| *mu == 0.0) {
                continue;
            }
            let k = if mu.len() == 1 { 2 } else { self.directions };
            let part = |l: f64, mu: f64| if mu > 0.0 { l / mu } else { 0.0 };
            let mut f = [0.0; 2];
            for (f, (l, mu)) in f.iter_mut().zip(lambda[i + 1..].iter().zip(mu)) {
                *f = part(*l, *mu);
            }
            let mut slip = 0.0_f64;
            let mut best = (0, 0.0);
            for d in 0..k {
                let c = direction(d, k);
                let speed: f64 = (0..mu.len()).map(|a| mu[a] * c[a] * w[i + 1 + a]).sum();
                slip = slip.max(-speed);
                let along = c[0] * f[0] + c[1] * f[1];
                if along > best.1 {
                    best = (d, along);
                }
            }
            x[at + 1 + k] = slip;
            // The sector between the nearest direction and its neighbour on the side of f.
            let (d, c) = (best.0, direction(best.0, k));
            let beside = c[0] * f[1] - c[1] * f[0];
            let e = if beside >= 0.0 { (d + 1) % k } else { (d + k - 1) % k };
            let g = direction(e, k);
            let area = c[0] * g[1] - c[1] * g[0];
            if best.1 > 0.0 && area.abs() > 1e-9 {
                x[at + 1 + d] = ((f[0] * g[1] - f[1] * g[0]) / area).max(0.0);
                x[at + 1 + e] = (beside / area).max(0.0);
            } else {
                x[at + 1 + d] = best.1;
            }
        }
    }

    /// Impulses of the problem with cones from an answer of this one.
    pub fn impulses(&self, x: &[f64], lambda: &mut Vec<f64>) {
        lambda.clear();
        let mut first = 0;
        for &end in &self.ends {
            let parts = self.parts[first..end].iter();
            lambda.push(parts.map(|&(r, f)| f * x.get(r as usize).copied().unwrap_or(0.0)).sum());
            first = end;
        }
    }
}

#[derive(Default)]
struct Build {
    k: usize,
    parts: Vec<(u32, f64)>,
    ends: Vec<usize>,
    laws: Vec<Law>,
    entries: Vec<(usize, usize, f64)>,
    /// New row of each old row that keeps its law.
    place: Vec<usize>,
}

impl Build {
    fn push(&mut self, row: usize, law: &Law) -> Result<(), Error> {
        let at = self.laws.len();
        // Friction in a plane has two directions, and its cone is a polyhedron as it is.
        let cone = law.coefficients().filter(|(mu, _)| mu.len() <= 2);
        let Some((mu, associated)) = cone else {
            self.place.push(at);
            self.parts.push((at as u32, 1.0));
            self.ends.push(self.parts.len());
            self.laws.push(match *law {
                // A normal row comes before its friction.
                Law::FrictionBox { normal, mu, bound } if normal < row => {
                    Law::FrictionBox { normal: self.place[normal], mu, bound }
                }
                Law::FrictionBox { bound, .. } => Law::Box { lo: -bound, hi: bound },
                Law::FollowingBox { .. } => {
                    let message = "bounds that follow have no polyhedral form".into();
                    return Err(Error::Row { row, message });
                }
                Law::WideCone { .. } | Law::RollingCone { .. } => {
                    let message = "torsion and rolling have no polyhedral form here".into();
                    return Err(Error::Row { row, message });
                }
                law => law,
            });
            return Ok(());
        };
        if associated {
            let message = "an associated cone has no polyhedral form here".into();
            return Err(Error::Row { row, message });
        }
        self.place.extend(std::iter::repeat_n(at, law.rows()));
        let positive = Law::Box { lo: 0.0, hi: f64::INFINITY };
        self.laws.push(positive);
        self.parts.push((at as u32, 1.0));
        self.ends.push(self.parts.len());
        if mu.iter().all(|mu| *mu == 0.0) {
            self.ends.extend(mu.iter().map(|_| self.parts.len()));
            return Ok(());
        }
        let directions = if mu.len() == 1 { 2 } else { self.k };
        let slack = at + 1 + directions;
        for (axis, mu) in mu.iter().enumerate() {
            for d in 0..directions {
                let f = mu * direction(d, directions)[axis];
                if f != 0.0 {
                    self.parts.push(((at + 1 + d) as u32, f));
                }
            }
            self.ends.push(self.parts.len());
        }
        self.entries.push((slack, at, 1.0));
        for d in at + 1..slack {
            self.entries.extend([(d, slack, 1.0), (slack, d, -1.0)]);
        }
        self.laws.extend(std::iter::repeat_n(positive, directions + 1));
        Ok(())
    }
}

/// (cos θ, sin θ) of a direction, exact on the axes. One of them is against the first tangent: an
/// odd number is turned by half a turn.
fn direction(d: usize, k: usize) -> [f64; 2] {
    let [x, y] = on_circle(d, k);
    if k.is_multiple_of(2) { [x, y] } else { [-x, -y] }
}

fn on_circle(d: usize, k: usize) -> [f64; 2] {
    match (4 * d).is_multiple_of(k).then_some(4 * d / k) {
        Some(0) => [1.0, 0.0],
        Some(1) => [0.0, 1.0],
        Some(2) => [-1.0, 0.0],
        Some(3) => [0.0, -1.0],
        _ => {
            let (sin, cos) = (std::f64::consts::TAU * d as f64 / k as f64).sin_cos();
            [cos, sin]
        }
    }
}

/// Every entry of A that is not zero, row by row.
fn for_each_entry(operator: &Operator, mut see: impl FnMut(usize, usize, f64)) {
    let mut row = |i: usize, (columns, values): (&[u32], &[f64])| {
        columns.iter().zip(values).for_each(|(&j, &v)| see(i, j as usize, v));
    };
    match operator {
        Operator::Sparse(a) => (0..a.rows()).for_each(|i| row(i, a.row(i))),
        Operator::General(a) => (0..a.rows()).for_each(|i| row(i, a.row(i))),
        Operator::Dense(a) => {
            for i in 0..a.rows() {
                let entries = a.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
                entries.for_each(|(j, &v)| see(i, j, v));
            }
        }
        Operator::Multibody(a) => for_each_product(a, see),
    }
}

/// The entries of J M⁻¹ Jᵀ + C, body by body.
fn for_each_product(a: &Multibody, mut see: impl FnMut(usize, usize, f64)) {
    let mut rows_of = vec![Vec::new(); a.body_count()];
    for i in 0..a.rows() {
        a.row(i).0.iter().zip(a.row(i).1).for_each(|(&b, j)| rows_of[b as usize].push((i, *j)));
        see(i, i, a.compliance()[i]);
    }
    for (body, rows) in rows_of.iter().enumerate() {
        for (i, ji) in rows {
            let t = mul6(a.inverse_mass(body), ji);
            rows.iter().for_each(|(j, jj)| see(*i, *j, dot6(&t, jj)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{WallOptions, contact, wall};
    use crate::{Dense, Judge, Session, Status};

    /// Gᵀ A G row by row, from a multibody and from a dense matrix.
    #[test]
    fn entries_do_not_depend_on_the_form() {
        let cones = wall(&WallOptions { layers: 2, ..Default::default() }).expect("valid");
        let n = cones.rows();
        let mut values = vec![0.0; n * n];
        for_each_entry(&cones.operator, |i, j, v| values[i * n + j] += v);
        let (mut e, mut column, mut scratch) = (vec![0.0; n], vec![0.0; n], Vec::new());
        for j in 0..n {
            e[j] = 1.0;
            cones.operator.apply(&e, &mut column, &mut scratch);
            e[j] = 0.0;
            for i in 0..n {
                assert!((column[i] - values[i * n + j]).abs() < 1e-12);
            }
        }
        let dense = Operator::Dense(Dense::from_rows(n, values).expect("square"));
        let dense = Problem { operator: dense, ..cones.clone() };
        let (p, q) = (Polyhedral::new(&cones, 4), Polyhedral::new(&dense, 4));
        let (p, q) = (p.expect("valid"), q.expect("valid"));
        assert_eq!(p.problem().rows(), 2 * n);
        let (Operator::General(a), Operator::General(b)) =
            (&p.problem().operator, &q.problem().operator)
        else {
            panic!("sparse")
        };
        for i in 0..a.rows() {
            for (&j, v) in a.row(i).0.iter().zip(a.row(i).1) {
                assert!((v - b.get(i, j as usize)).abs() < 1e-12);
            }
        }
    }

    /// With more directions the answer comes nearer to that of the cones.
    #[test]
    fn more_directions_come_nearer() {
        let a = vec![2.0, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1.0];
        let a = Operator::Dense(Dense::from_rows(3, a).expect("square"));
        let laws = vec![Law::Cone { mu: [0.5, 0.3], associated: false }];
        let cones = Problem::new(a, vec![-1.0, 0.7, 0.4], laws).expect("valid");
        let mut errors = Vec::new();
        for k in [4, 8, 16, 32] {
            let p = Polyhedral::new(&cones, k).expect("valid");
            for name in ["lcp_ipm", "fischer_newton", "lemke"] {
                let mut session = Session::named(name).expect("known");
                let answer = session.solve(p.problem()).expect("accepted");
                assert_eq!(answer.status(), Status::Converged, "{name}, {k} directions");
                let mut lambda = Vec::new();
                p.impulses(answer.lambda(), &mut lambda);
                let r = Judge::default().verdict(&cones, &lambda).relative_residual;
                if name == "lemke" {
                    errors.push(r);
                }
            }
        }
        assert!(errors[3] < 0.02 && errors[3] < 0.2 * errors[0], "{errors:?}");
    }

    /// What cannot be is said, with the row.
    #[test]
    fn refuses_with_the_row() {
        let a = || Operator::Dense(Dense::identity(3));
        let cone = |associated| vec![Law::Cone { mu: [0.5; 2], associated }];
        let p = Problem::new(a(), vec![0.0; 3], cone(true)).expect("valid");
        assert!(Polyhedral::new(&p, 4).expect_err("associated").to_string().contains("row 0"));
        let p = Problem::new(a(), vec![0.0; 3], cone(false)).expect("valid");
        assert!(Polyhedral::new(&p, 2).is_err());
        let plain = contact(2, 1).expect("valid");
        assert_eq!(Polyhedral::new(&plain, 4).expect("valid").problem().rows(), plain.rows());
    }
}
