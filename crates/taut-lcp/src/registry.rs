//! The only list of solvers: name, file, reference, settings.
//!
//! One name everywhere: file stem = enum variant = command-line value.
//! ALGORITHMS.md is generated from this list.

use crate::{Error, Solver};

/// What the registry knows of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name: file stem, command-line value, benchmark id.
    pub name: &'static str,
    /// Its module, which names its file, for the generator of ALGORITHMS.md: `::pivoting::bpp` is `pivoting/bpp.rs`, and `::sweeps::pgs`, which the default does not
    /// run, `sweeps/on_request/pgs.rs`.
    #[doc(hidden)]
    pub module: &'static str,
    /// One sentence for lists.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// What it refuses or fails on.
    pub limits: &'static str,
    /// The test that checks it against exact answers.
    #[doc(hidden)]
    pub test: &'static str,
    /// Whether it ends with the exact answer (of the right index set, to rounding) on every symmetric
    /// positive semidefinite boxed problem, or proves that there is none.
    pub exact: bool,
}

macro_rules! registry {
    ($($variant:ident = $name:literal in $($module:ident)::+, exact: $exact:literal,
       summary: $summary:literal, reference: $reference:literal,
       limits: $limits:literal, test: $test:literal;)*) => {
        /// A solver and its settings: what a caller chooses.
        ///
        /// ```
        /// let config = taut_lcp::SolverConfig::named("pgs")?;
        /// assert_eq!(config.name(), "pgs");
        /// # Ok::<(), taut_lcp::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
        #[non_exhaustive]
        pub enum SolverConfig {
            $(#[doc = $summary] $variant(crate::$($module)::+::Settings),)*
        }

        /// All methods, in the order of the documentation.
        pub const ENTRIES: &[Entry] = &[$(Entry {
            name: $name,
            module: concat!($("::", stringify!($module)),+),
            summary: $summary,
            reference: $reference,
            limits: $limits,
            test: $test,
            exact: $exact,
        },)*];

        impl SolverConfig {
            /// The method of that name with its default settings.
            pub fn named(name: &str) -> Result<Self, Error> {
                match name {
                    $($name => Ok(SolverConfig::$variant(Default::default())),)*
                    "nsgs" => Self::named("bgs"), // its other name
                    _ => Err(Error::UnknownSolver {
                        name: name.into(),
                        known: ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>().join(", "),
                    }),
                }
            }

            /// Whether the method solves problems with Coulomb cones.
            ///
            /// ```
            /// use taut_lcp::SolverConfig;
            /// assert!(SolverConfig::named("auto")?.takes_cones());
            /// assert!(!SolverConfig::named("pgs")?.takes_cones());
            /// # Ok::<(), taut_lcp::Error>(())
            /// ```
            pub fn takes_cones(&self) -> bool {
                let operator = crate::Operator::Dense(crate::Dense::identity(3));
                let laws = vec![crate::Law::Cone { mu: [1.0; 2], associated: false }];
                let cone = crate::Problem { operator, b: vec![0.0; 3], laws };
                self.build().is_ok_and(|solver| solver.accepts(&cone).is_ok())
            }

            /// The registry name.
            pub fn name(&self) -> &'static str {
                match self { $(SolverConfig::$variant(_) => $name,)* }
            }

            /// A solver with these settings, once they are found valid.
            pub fn build(&self) -> Result<Box<dyn Solver>, Error> {
                match self {
                    $(SolverConfig::$variant(settings) => {
                        settings.validate()?;
                        Ok(Box::new(crate::$($module)::+::$variant::new(settings.clone())))
                    })*
                }
            }
        }
    };
}

registry! {
    Auto = "auto" in auto, exact: true,
        summary: "The default: an exact method chosen for each problem, with its reason.",
        reference: "BENCHMARKS.md",
        limits: "as bpp where A is symmetric and semidefinite, as lcp_ipm, fischer_newton and lemke where it is not, as cone_newton, ncp_newton, cone_admm and prox_gs on cones",
        test: "tests/oracle.rs";
    Bpp = "bpp" in pivoting::bpp, exact: true,
        summary: "Block principal pivoting, with interior point and active set as guaranteed end.",
        reference: "Ho22 alg. 1; Peiret19 5.3; Júdice and Pires 1994",
        limits: "symmetric positive semidefinite A (only negative diagonals are refused; if indefinite, Stalled or, where the judge agrees, an answer)",
        test: "tests/oracle.rs";
    Ipm = "ipm" in interior::ipm, exact: true,
        summary: "Mehrotra's interior-point method with crossover to an exact index set.",
        reference: "Mehrotra 1992; Nocedal and Wright ch. 16.6",
        limits: "symmetric positive semidefinite A; gains nothing from a warm start",
        test: "tests/oracle.rs";
    Murty = "murty" in teaching::murty, exact: true,
        summary: "Single principal pivoting: the first violating row moves, one at a time.",
        reference: "Murty 1974; Ho22 2.5.2; Andrews22 3.1.2",
        limits: "symmetric positive semidefinite A; up to 2^m pivots, so only for small problems or warm starts",
        test: "tests/oracle.rs";
    Dantzig = "dantzig" in teaching::dantzig, exact: true,
        summary: "Incremental pivoting: row after row is driven until it obeys its law.",
        reference: "Cottle and Dantzig 1968; Baraff 1994; Erleben13 5.1.1; Andrews22 alg. 3",
        limits: "symmetric positive semidefinite A; a dense factor, so only for small problems or warm starts",
        test: "tests/oracle.rs";
    Lemke = "lemke" in pivoting::lemke, exact: false,
        summary: "Lemke's complementary pivoting, for matrices that need not be symmetric.",
        reference: "Lemke 1965; Cottle, Pang and Stone 4.4, 4.9",
        limits: "P and copositive-plus A, else it may end in a ray; a dense tableau, so only for small problems; no warm start",
        test: "tests/lemke.rs";
    BppPcg = "bpp_pcg" in matrix_free::bpp_pcg, exact: false,
        summary: "Block principal pivoting on preconditioned conjugate gradients: nothing is factored.",
        reference: "Ho22 alg. 10",
        limits: "symmetric positive semidefinite A; where pivoting wanders or conditioning is bad it ends Stalled",
        test: "tests/pcg.rs";
    Pgcg = "pgcg" in matrix_free::pgcg, exact: false,
        summary: "Conjugate gradients that stop at bounds: the energy falls with every step.",
        reference: "Ho22 alg. 11; O'Leary 1980",
        limits: "symmetric positive semidefinite A; slow where many rows change their state or conditioning is bad",
        test: "tests/pcg.rs";
    SchurBpp = "schur_bpp" in splitting::schur_bpp, exact: true,
        summary: "Substructuring by Schur complements, the interface solved by block pivoting.",
        reference: "Peiret19 alg. 1",
        limits: "symmetric positive semidefinite A; splits bodies with compliant rows, anything else is solved as a whole",
        test: "tests/splitting.rs";
    SchurPgsSm = "schur_pgs_sm" in splitting::schur_pgs_sm, exact: true,
        summary: "Substructuring by Schur complements, sweeps choose the index set of the interface.",
        reference: "Peiret19 alg. 1; Silcowitz et al. 2011",
        limits: "as schur_bpp",
        test: "tests/splitting.rs";
    Fbic = "fbic" in splitting::fbic, exact: false,
        summary: "Force-based coupling of subsystems: block Gauss-Seidel between interface and subsystems.",
        reference: "Lacoursière 2007; Peiret19 4.1",
        limits: "as schur_bpp; linear convergence",
        test: "tests/splitting.rs";
    Jacobi = "jacobi" in sweeps::jacobi, exact: false,
        summary: "Projected Jacobi: all rows at once, damped as far as convergence needs.",
        reference: "Erleben13 5.2; Andrews22 3.2.1",
        limits: "symmetric semidefinite or diagonally dominant A; linear convergence, slower than pgs",
        test: "tests/grid.rs";
    Pgs = "pgs" in sweeps::pgs, exact: false,
        summary: "Projected Gauss-Seidel: row after row, each projected onto its bounds.",
        reference: "Erleben13 5.2; Andrews22 3.2.2",
        limits: "symmetric semidefinite or diagonally dominant A; linear convergence, slow on large mass ratios",
        test: "tests/grid.rs";
    Psor = "psor" in sweeps::psor, exact: false,
        summary: "Projected successive over-relaxation: Gauss-Seidel with longer steps.",
        reference: "Erleben13 5.3; Andrews22 3.2.3",
        limits: "as pgs; the best relaxation depends on the problem",
        test: "tests/fluid.rs";
    Nncg = "nncg" in sweeps::nncg, exact: false,
        summary: "Conjugate gradients whose gradient is what a sweep of Gauss-Seidel changes.",
        reference: "Andrews22 alg. 10; Silcowitz, Niebe and Erleben 2010",
        limits: "as pgs; pays where pgs is slow",
        test: "tests/family.rs";
    PgsSm = "pgs_sm" in subspace::pgs_sm, exact: false,
        summary: "Gauss-Seidel sweeps, then a direct solve for the rows inside their bounds.",
        reference: "Andrews22 alg. 9; Silcowitz et al. 2010; Peiret19 5.1",
        limits: "symmetric positive semidefinite A; sweeps alone release rows, slow on large piles",
        test: "tests/subspace.rs";
    Staggering = "staggering" in subspace::staggering, exact: false,
        summary: "Normal impulses and friction in turn, each solved exactly, with bounds that follow.",
        reference: "Kaufman et al. 2008; Erleben13 8; Andrews22 3.2.5",
        limits: "symmetric positive semidefinite A; friction that jams normal rows may have it cycle",
        test: "tests/family.rs";
    MinMapNewton = "min_map_newton" in newton::min_map_newton, exact: false,
        summary: "Newton on the minimum map: rows are solved for or put to their bound, with a line search.",
        reference: "Erleben13 5.4; Andrews22 3.3.1",
        limits: "any A; local minima far from the answer; GMRES on multibody systems, which large mass ratios defeat",
        test: "tests/family.rs";
    FischerNewton = "fischer_newton" in newton::fischer_newton, exact: false,
        summary: "Newton on the Fischer-Burmeister function, for any matrix, polyhedral friction included.",
        reference: "Fischer 1992; Erleben13 5.5; Andrews22 3.3.2",
        limits: "any A, surest with P0 ones; GMRES on multibody systems, which large mass ratios defeat",
        test: "tests/family.rs";
    LcpIpm = "lcp_ipm" in interior::lcp_ipm, exact: false,
        summary: "An interior-point method for matrices given by their entries, symmetric or not.",
        reference: "Mehrotra 1992; Wright 1997 ch. 8",
        limits: "guaranteed for A + Aᵀ semidefinite only; no multibody systems, no certificate",
        test: "tests/family.rs";
    ConeNewton = "cone_newton" in cones::cone_newton, exact: false,
        summary: "Exact cones: Newton from the last answer, an interior point where that does not settle.",
        reference: "De Saxcé and Feng 1998; Alart and Curnier 1991; Nesterov and Todd 1997",
        limits: "semidefinite A, symmetric or not; jammed contacts may be solved with added compliance only, which is reported; certificates for symmetric A alone",
        test: "tests/cones.rs";
    ConeIpm = "cone_ipm" in cones::cone_ipm, exact: false,
        summary: "An interior-point method on exact cones, associated or Coulomb's.",
        reference: "De Saxcé and Feng 1998; Nesterov and Todd 1997; Mehrotra 1992",
        limits: "semidefinite A, symmetric or not; may get stuck where contacts jam; no warm start",
        test: "tests/cones.rs";
    NcpNewton = "ncp_newton" in cones::ncp_newton, exact: false,
        summary: "Exact cones as equations with a slack a contact: Newton on minimum map or Fischer-Burmeister.",
        reference: "Andrews22 3.3; Macklin et al. 2019",
        limits: "semidefinite A, symmetric or not; no associated cones; gets stuck where contacts jam",
        test: "tests/cone_family.rs";
    Bgs = "bgs" in cones::bgs, exact: false,
        summary: "Blocked Gauss-Seidel: contact after contact solved exactly, cones included (also: nsgs).",
        reference: "Andrews22 alg. 8; Jean 1999",
        limits: "any A with diagonals of at least 0; linear convergence, slow on large mass ratios and tall stacks",
        test: "tests/cone_family.rs";
    ProxJacobi = "prox_jacobi" in cones::prox_jacobi, exact: false,
        summary: "PROX Jacobi: proximal points of all contacts at once, r-factors found by back-tracking.",
        reference: "Andrews22 alg. 11",
        limits: "as bgs; slower",
        test: "tests/cone_family.rs";
    ProxGs = "prox_gs" in cones::prox_gs, exact: false,
        summary: "PROX Gauss-Seidel: proximal points of contact after contact, r-factors found by back-tracking.",
        reference: "Andrews22 alg. 12",
        limits: "as bgs",
        test: "tests/cone_family.rs";
    ConeAdmm = "cone_admm" in cones::cone_admm, exact: false,
        summary: "Proximal ADMM on cones: a linear solve with all rows, then projections.",
        reference: "Carpentier, Le Lidec and Montaut 2024; Tasora et al. 2021",
        limits: "symmetric positive semidefinite A, or a small skew part; last digits are slow on redundant contacts",
        test: "tests/cone_family.rs";
    Enumerate = "enumerate" in teaching::enumerate, exact: true,
        summary: "Enumeration of all index sets: the test oracle.",
        reference: "Erleben13 5.1",
        limits: "at most 12 rows",
        test: "tests/oracle.rs";
}
