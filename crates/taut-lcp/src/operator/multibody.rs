//! A = J M⁻¹ Jᵀ + C with the parts kept apart: M block-diagonal (one 6×6
//! block a body), J with one 6-vector per row and body, C diagonal.
//!
//! Cost: one product is O(entries of J + bodies). Rows of constraints with
//! the same bodies should be pushed next to one another.

use super::block6::{
    Block3, Block6, Row6, answer, apart, centred_effect, dot6, invert_apart, invert6, is_centred,
    mul6,
};
use super::mix;
use super::structure::Structure;
use crate::Error;
use crate::parallel::{first_in_chunks, in_chunks};

/// No subsystem.
const UNNAMED: u32 = u32::MAX;

/// The matrix of a multibody system with constraints.
///
/// ```
/// use taut_lcp::Multibody;
/// let mut a = Multibody::default();
/// let mut m = [[0.0; 6]; 6];
/// (0..6).for_each(|i| m[i][i] = 2.0); // 2 kg, unit inertia doubled
/// let body = a.push_body(m)?;
/// a.push_row(&[(body, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0])], 1e-9)?;
/// let mut d = [0.0];
/// a.diagonal(&mut d);
/// assert!((d[0] - 0.5 - 1e-9).abs() < 1e-15);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Multibody {
    mass: Vec<Block6>,
    inverse_mass: Vec<Block6>,
    /// Whether a body's inverse is diagonal but for its inertia.
    centred: Vec<bool>,
    /// Subsystem of each body, or [`UNNAMED`].
    subsystem: Vec<u32>,
    /// Which rows act on which bodies.
    pub(super) structure: Structure,
    /// For each row one 6-vector for each of its bodies.
    pub(super) jacobian: Vec<Row6>,
    /// (J M⁻¹ Jᵀ)ᵢᵢ.
    effective: Vec<f64>,
    compliance: Vec<f64>,
    /// Whether all of these were finite when they came: then all of J is, and no solve looks at it
    /// again.
    is_finite: bool,
}

impl Default for Multibody {
    fn default() -> Self {
        Multibody {
            mass: Vec::new(),
            inverse_mass: Vec::new(),
            centred: Vec::new(),
            subsystem: Vec::new(),
            structure: Structure::default(),
            jacobian: Vec::new(),
            effective: Vec::new(),
            compliance: Vec::new(),
            is_finite: true,
        }
    }
}

impl Multibody {
    /// Forgets bodies and rows, keeps the memory. Rows that come again on the same bodies find
    /// their structure there: values alone are written, and the pattern is not hashed again.
    pub fn clear(&mut self) {
        self.mass.clear();
        self.inverse_mass.clear();
        self.centred.clear();
        self.subsystem.clear();
        self.structure.restart();
        self.jacobian.clear();
        self.effective.clear();
        self.compliance.clear();
        self.is_finite = true;
    }

    /// Adds a body with mass matrix `mass`, which must be symmetric positive
    /// definite; returns its index. Fixed bodies are left out of the system.
    pub fn push_body(&mut self, mass: Block6) -> Result<u32, Error> {
        let inverse = invert6(&mass);
        self.add_body(mass, inverse.map(|inverse| (inverse, is_centred(&inverse))))
    }

    /// Adds a rigid body whose velocity is that of its centre of mass, by its mass and its inertia, which must
    /// be symmetric positive definite.
    ///
    /// ```
    /// # use taut_lcp::Multibody;
    /// let mut a = Multibody::default();
    /// let ball = a.push_rigid_body(2.0, &[[0.8, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 0.8]])?;
    /// assert_eq!(a.inverse_mass(ball as usize)[0][0], 0.5);
    /// # Ok::<(), taut_lcp::Error>(())
    /// ```
    pub fn push_rigid_body(&mut self, mass: f64, inertia: &Block3) -> Result<u32, Error> {
        let inverse = invert_apart(mass, inertia);
        self.add_body(apart(mass, inertia), inverse.map(|inverse| (inverse, true)))
    }

    fn add_body(&mut self, mass: Block6, inverse: Option<(Block6, bool)>) -> Result<u32, Error> {
        let index = self.mass.len();
        let (inverse, is_centred) = inverse.ok_or_else(|| {
            Error::Matrix(format!("mass block of body {index} is not positive definite"))
        })?;
        self.mass.push(mass);
        self.inverse_mass.push(inverse);
        self.centred.push(is_centred);
        self.subsystem.push(UNNAMED);
        Ok(index as u32)
    }

    /// Adds a row: its Jacobian per body (each body once, in ascending order)
    /// and its compliance \[1/kg: velocity per impulse\], at least 0.
    pub fn push_row(&mut self, parts: &[(u32, Row6)], compliance: f64) -> Result<(), Error> {
        let row = self.rows();
        if parts.windows(2).any(|p| p[0].0 >= p[1].0) {
            let message = "bodies of a row must be distinct and ascending".into();
            return Err(Error::Row { row, message });
        }
        if let Some(&(body, _)) = parts.iter().find(|p| p.0 as usize >= self.mass.len()) {
            let message = format!("body {body} of {} does not exist", self.mass.len());
            return Err(Error::Row { row, message });
        }
        self.push_parts(parts.iter().copied(), compliance);
        Ok(())
    }

    fn push_parts(&mut self, parts: impl Iterator<Item = (u32, Row6)> + Clone, compliance: f64) {
        self.structure.push(parts.clone().map(|p| p.0), 1);
        let mut effective = 0.0;
        for (body, j) in parts {
            self.jacobian.push(j);
            effective += dot6(&j, &self.answer(body, &j));
        }
        self.effective.push(effective);
        self.is_finite &= effective.is_finite();
        self.compliance.push(compliance);
    }

    /// Adds rows on the same bodies, which are distinct and ascending: for each row one 6-vector
    /// for each body. They have no compliance yet.
    pub fn push_rows(&mut self, bodies: &[u32], values: &[Row6]) -> Result<(), Error> {
        let row = self.rows();
        let ordered = bodies.windows(2).all(|p| p[0] < p[1]);
        if !ordered || bodies.last().is_some_and(|&b| b as usize >= self.mass.len()) {
            let message = "bodies of rows must exist, be distinct and ascending".into();
            return Err(Error::Row { row, message });
        }
        if bodies.is_empty() || !values.len().is_multiple_of(bodies.len()) {
            let (got, expected) = (values.len(), bodies.len());
            return Err(Error::Size { what: "values of rows on the same bodies", got, expected });
        }
        match *bodies {
            [a] => self.append([a], values),
            [a, b] => self.append([a, b], values),
            _ => {
                for values in values.chunks_exact(bodies.len()) {
                    self.push_parts(bodies.iter().copied().zip(values.iter().copied()), 0.0);
                }
            }
        }
        Ok(())
    }

    /// Rows on one or two bodies, which nearly all contacts have: with their number known the
    /// loops unroll.
    fn append<const N: usize>(&mut self, bodies: [u32; N], values: &[Row6]) {
        let (row, rows) = (self.rows(), values.len() / N);
        self.structure.push(bodies.into_iter(), rows);
        let inverses = bodies.map(|b| &self.inverse_mass[b as usize]);
        let rows_of = values.as_chunks::<N>().0.iter();
        if bodies.iter().all(|&b| self.centred[b as usize]) {
            self.effective.extend(rows_of.map(|parts| {
                (0..N).fold(0.0, |sum, k| sum + centred_effect(inverses[k], &parts[k]))
            }));
        } else {
            self.effective.extend(rows_of.map(|parts| {
                let effect = |k: usize| dot6(&parts[k], &mul6(inverses[k], &parts[k]));
                (0..N).fold(0.0, |sum, k| sum + effect(k))
            }));
        }
        self.is_finite &= self.effective[row..].iter().all(|e| e.is_finite());
        self.compliance.resize(row + rows, 0.0);
        self.jacobian.extend_from_slice(values);
    }

    /// Replaces the values of a row, one 6-vector for each of its bodies; bodies and
    /// compliance stay.
    pub fn set_row(&mut self, row: usize, values: &[Row6]) -> Result<(), Error> {
        let own = self.structure.range(row);
        if values.len() != own.len() {
            return Err(Error::Size {
                what: "parts of a row",
                got: values.len(),
                expected: own.len(),
            });
        }
        self.effective[row] = 0.0;
        for (k, j) in own.zip(values) {
            self.jacobian[k] = *j;
            self.effective[row] += dot6(j, &self.answer(self.structure.body(k), j));
        }
        self.is_finite &= self.effective[row].is_finite();
        Ok(())
    }

    /// M⁻¹jᵀ of a body.
    #[inline(always)]
    pub(crate) fn answer(&self, body: u32, j: &Row6) -> Row6 {
        answer(&self.inverse_mass[body as usize], self.centred[body as usize], j)
    }

    /// Says which subsystem a body belongs to, for methods that split the
    /// system; `None`: they may choose.
    ///
    /// ```
    /// # use taut_lcp::Multibody;
    /// # let mut a = Multibody::default();
    /// # let mut m = [[0.0; 6]; 6];
    /// # (0..6).for_each(|i| m[i][i] = 2.0);
    /// let body = a.push_body(m)?;
    /// a.set_subsystem(body as usize, Some(3));
    /// assert_eq!(a.subsystem(0), Some(3));
    /// # Ok::<(), taut_lcp::Error>(())
    /// ```
    pub fn set_subsystem(&mut self, body: usize, subsystem: Option<u32>) {
        self.subsystem[body] = subsystem.unwrap_or(UNNAMED);
    }

    /// The subsystem a body was said to belong to.
    pub fn subsystem(&self, body: usize) -> Option<u32> {
        Some(self.subsystem[body]).filter(|&s| s != UNNAMED)
    }

    /// Takes over bodies and rows of a larger system. `local` gives the place
    /// of each of its bodies here. Nothing is computed anew.
    pub(crate) fn fill_from(
        &mut self,
        whole: &Multibody,
        bodies: &[u32],
        rows: &[u32],
        local: &[u32],
    ) {
        self.clear();
        self.is_finite = whole.is_finite;
        for &b in bodies {
            self.mass.push(whole.mass[b as usize]);
            self.inverse_mass.push(whole.inverse_mass[b as usize]);
            self.centred.push(whole.centred[b as usize]);
            self.subsystem.push(whole.subsystem[b as usize]);
        }
        for &i in rows {
            let (of, jacobian) = whole.row(i as usize);
            self.structure.push(of.iter().map(|&b| local[b as usize]), 1);
            self.jacobian.extend_from_slice(jacobian);
            self.effective.push(whole.effective[i as usize]);
            self.compliance.push(whole.compliance[i as usize]);
        }
    }

    /// Takes over the values of a system whose structure was filled in already.
    pub(crate) fn refill_from(&mut self, whole: &Multibody, bodies: &[u32], rows: &[u32]) {
        self.is_finite = whole.is_finite;
        for (own, &b) in bodies.iter().enumerate() {
            self.mass[own] = whole.mass[b as usize];
            self.inverse_mass[own] = whole.inverse_mass[b as usize];
            self.centred[own] = whole.centred[b as usize];
        }
        for (own, &i) in rows.iter().enumerate() {
            let range = self.structure.range(own);
            self.jacobian[range].copy_from_slice(whole.row(i as usize).1);
            self.effective[own] = whole.effective[i as usize];
            self.compliance[own] = whole.compliance[i as usize];
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.compliance.len()
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.mass.len()
    }

    /// Bodies of row i and the row's Jacobian on each.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[Row6]) {
        let range = self.structure.range(i);
        (self.structure.bodies(range.clone()), &self.jacobian[range])
    }

    /// Mass block of a body.
    #[inline]
    pub fn mass(&self, body: usize) -> &Block6 {
        &self.mass[body]
    }

    /// Inverse mass block of a body.
    #[inline]
    pub fn inverse_mass(&self, body: usize) -> &Block6 {
        &self.inverse_mass[body]
    }

    /// Compliance (diagonal of C), row by row.
    #[inline]
    pub fn compliance(&self) -> &[f64] {
        &self.compliance
    }

    /// Sets the compliance of one row.
    #[inline]
    pub fn set_compliance(&mut self, row: usize, value: f64) {
        self.compliance[row] = value;
    }

    /// v = M⁻¹ Jᵀ x, six entries a body.
    pub fn velocities(&self, x: &[f64], v: &mut Vec<f64>) {
        v.clear();
        v.resize(6 * self.body_count(), 0.0);
        let blocks = v.as_chunks_mut::<6>().0;
        self.add_transposed(x, blocks);
        in_chunks(blocks, |first, blocks| {
            let inverses = self.inverse_mass[first..].iter().zip(&self.centred[first..]);
            for (v, (inverse, &centred)) in blocks.iter_mut().zip(inverses) {
                *v = answer(inverse, centred, v);
            }
        });
    }

    /// out += Jᵢᵀ s, six entries a body.
    #[inline]
    pub(crate) fn add_row(&self, i: usize, s: f64, out: &mut [Row6]) {
        if s == 0.0 {
            return; // tight rows are many
        }
        let (bodies, rows) = self.row(i);
        for (&b, j) in bodies.iter().zip(rows) {
            let out = &mut out[b as usize];
            (0..6).for_each(|k| out[k] += j[k] * s);
        }
    }

    /// Jᵢ v.
    pub fn row_dot(&self, i: usize, v: &[f64]) -> f64 {
        self.row_dot_blocks(i, v.as_chunks::<6>().0)
    }

    #[inline]
    pub(crate) fn row_dot_blocks(&self, i: usize, v: &[Row6]) -> f64 {
        let (bodies, rows) = self.row(i);
        bodies.iter().zip(rows).map(|(&b, j)| dot6(j, &v[b as usize])).sum()
    }

    /// out = A x, and v = M⁻¹ Jᵀ x on the way; see [`Multibody::velocities`].
    pub fn apply(&self, x: &[f64], out: &mut [f64], v: &mut Vec<f64>) {
        self.velocities(x, v);
        let v = v.as_chunks::<6>().0;
        in_chunks(out, |first, out| {
            self.products(v, first, out);
            for (o, (c, x)) in out.iter_mut().zip(self.compliance[first..].iter().zip(&x[first..]))
            {
                *o += c * x;
            }
        });
    }

    /// The diagonal of A.
    pub fn diagonal(&self, out: &mut [f64]) {
        for (o, (e, c)) in out.iter_mut().zip(self.effective.iter().zip(&self.compliance)) {
            *o = e + c;
        }
    }

    /// One entry of it.
    #[inline]
    pub fn diagonal_entry(&self, i: usize) -> f64 {
        self.effective[i] + self.compliance[i]
    }

    pub(crate) fn pattern_hash(&self) -> u64 {
        mix(self.structure.hash(), self.mass.len() as u64)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = first_in_chunks(self.rows(), |rows| {
            let is_fine = |c: &f64| c.is_finite() && *c >= 0.0;
            if self.is_finite && self.compliance[rows.clone()].iter().all(is_fine) {
                return None;
            }
            rows.filter_map(|i| self.check_row(i).err()).next()
        });
        bad.map_or(Ok(()), Err)
    }

    fn check_row(&self, row: usize) -> Result<(), Error> {
        let mut values = self.row(row).1.iter().flatten();
        if let Some(&value) = values.find(|v| !v.is_finite()) {
            return Err(Error::NotFinite { what: "J", row, value });
        }
        let c = self.compliance[row];
        if !(c.is_finite() && c >= 0.0) {
            let message = format!("compliance {c} must be finite and at least 0");
            return Err(Error::Row { row, message });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_changes_its_values_and_nothing_else() {
        let mut a = Multibody::default();
        let mut m = [[0.0; 6]; 6];
        (0..6).for_each(|i| m[i][i] = 2.0);
        let body = a.push_body(m).expect("definite");
        a.push_row(&[(body, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0])], 0.25).expect("a row");
        let hash = a.pattern_hash();
        let mut twice = a.clone();
        twice.push_row(&[(body, [0.5; 6])], 0.0).expect("a row");
        twice.push_row(&[(body, [0.7; 6])], 0.0).expect("a row");
        let mut at_once = a.clone();
        at_once.push_rows(&[body], &[[0.5; 6], [0.7; 6]]).expect("two rows");
        assert_eq!(format!("{twice:?}"), format!("{at_once:?}"));
        assert!(at_once.push_rows(&[body, body], &[[0.5; 6]; 2]).is_err());
        assert!(at_once.push_rows(&[body + 1], &[[0.5; 6]]).is_err());
        a.set_row(0, &[[2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]).expect("one part");
        assert_eq!((a.diagonal_entry(0), a.pattern_hash()), (2.25, hash));
        assert_eq!(a.row_dot(0, &[3.0, 1.0, 1.0, 1.0, 1.0, 1.0]), 6.0);
        assert!(a.set_row(0, &[]).is_err());
    }

    #[test]
    fn values_that_are_not_finite_are_found_however_they_came() {
        let mut m = [[0.0; 6]; 6];
        (0..6).for_each(|i| m[i][i] = 2.0);
        let bad = [0.0, f64::NAN, 0.0, 0.0, f64::INFINITY, 0.0];
        let mut a = Multibody::default();
        let body = a.push_body(m).expect("definite");
        a.push_row(&[(body, [1.0; 6])], 0.0).expect("a row");
        a.push_rows(&[body], &[[1.0; 6]; 2]).expect("two rows");
        a.check().expect("finite");
        let mut by_row = a.clone();
        by_row.push_row(&[(body, bad)], 0.0).expect("a row");
        let mut at_once = a.clone();
        at_once.push_rows(&[body], &[[1.0; 6], bad]).expect("two rows");
        let mut in_place = a.clone();
        in_place.set_row(1, &[bad]).expect("a row");
        for (a, row) in [(by_row, 3), (at_once, 4), (in_place, 1)] {
            let error = a.check().expect_err("not finite").to_string();
            assert!(error.contains(&row.to_string()), "{error}");
        }
        a.set_compliance(2, -1.0);
        assert!(a.check().is_err());
    }

    #[test]
    fn bad_bodies_and_rows_are_refused() {
        let mut a = Multibody::default();
        assert!(a.push_body([[0.0; 6]; 6]).is_err());
        assert!(a.push_row(&[(0, [0.0; 6])], 0.0).is_err());
        assert_eq!(a.rows(), 0);
    }
}
