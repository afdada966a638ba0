//! Random programs, golden files and reference algorithms for the tests of cfgrev.
//!
//! - [`mod@generate`] makes random programs that terminate and never fail, structured ones and ones with jumps, each with a point, a
//!   direction and adjoint seeds ([`case::Case`]); [`census`] measures what they are like, [`property`]
//!   checks something for many of them and shows a failure [`mod@shrink`]ed.
//! - [`general`] does the same for graphs of blocks and jumps.
//!   [`jumps`] has real shapes of such graphs.
//! - [`interpret`] is a naive interpreter with derivatives by operator overloading: an oracle that shares
//!   no code with the executor or with the transformations. [`interpret::interpret_with_witness`] runs a gradient and
//!   compares each primal value that its reverse sweeps read with the value that was there in the forward sweeps.
//! - [`records`] makes random programs with records.
//! - [`sections`] passes random sections to parameters of explicit shape.
//! - [`pairs`] lists the pairs of vertex types that structured graphs can have.
//! - [`kernels`] are the programs of the folder `fixtures`, [`fixtures`] reads what they must give; [`scale`]
//!   makes programs with a million vertices, [`growth`] families to measure how costs grow with size.
//! - [`flat()`](flat()) makes flat programs of those without pointers and records.
//! - [`mod@same`] tells whether two programs are the same up to generated names and ids, and where they differ first.
//! - [`mod@renumber`] gives vertices and edges other ids, [`mod@reorder`] puts variables into another order.
//! - [`mod@golden`] compares with a file, or rewrites it.
//! - [`needs`] finds compilers, Graphviz and the corpus, or says that a test is skipped; [`strict`] has C compiled without a
//!   warning.
//!
//! ```
//! use cfg_testkit::generate::{Options, generate};
//! use cfg_testkit::interpret::Limits;
//!
//! // The gradient of a random program is the transpose of its tangent: here by operator overloading.
//! let case = generate(&Options::EXACT, 42)?;
//! let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
//! let tangent = case.tangent(Limits::default())?;
//! let gradient = case.gradient(Limits::default())?;
//! let left: f64 = tangent.iter().zip(&case.seed).map(|(t, s)| dot(&t.1, &s.1)).sum();
//! let right: f64 = gradient.iter().zip(&case.direction).map(|(g, d)| dot(&g.1, &d.1)).sum();
//! assert_eq!(left, right);
//! # Ok::<(), cfg_testkit::interpret::Fault>(())
//! ```

pub mod c_functions;
pub mod c_objects;
pub mod c_oracle;
pub mod case;
pub mod census;
pub mod checkpoints;
pub mod differences;
pub mod fixtures;
pub mod flat;
pub mod general;
pub mod generate;
pub mod golden;
pub mod growth;
pub mod interpret;
pub mod jumps;
pub mod kernels;
pub mod members;
pub mod needs;
pub mod pairs;
pub mod plain;
pub mod pointers;
pub mod property;
pub mod records;
pub mod renumber;
pub mod reorder;
pub mod rng;
pub mod same;
pub mod scale;
pub mod sections;
pub mod seeds;
pub mod shrink;
pub mod strict;
pub mod tree;

pub use flat::flat;
