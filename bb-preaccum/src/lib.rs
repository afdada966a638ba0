//! Jacobian preaccumulation by vertex, edge and face elimination on linearized computational graphs.
//!
//! A straight-line piece of code is a vector function. Its *linearized computational graph* (LCG) has a vertex per
//! value and an edge (i, k), labelled with the local partial c_ki = dv_k/dv_i, per argument. By the chain rule, the
//! Jacobian's entry for an input and an output is the sum over all paths between them of the products of the labels.
//! *Elimination* computes these sums step by step: a step joins edges through a vertex (all pairs, those with one
//! given edge, or a single pair), adds the products to the labels, and removes edges that are no longer needed, until
//! only edges from inputs to outputs are left. The order determines the number of multiplications; finding the best
//! order is NP-complete.
//!
//! | to | see |
//! |---|---|
//! | read or build a graph | [`lcg`] |
//! | do steps, get the Jacobian accumulation expressions (JAEs) | [`eliminate`] |
//! | run greedy heuristics | [`heuristic`] |
//! | find a cheap sequence, or the cheapest, with a proof | [`search`](mod@search), [`bound`](mod@bound) |
//! | check a sequence independently | [`certificate`] |
//! | stop early where the full Jacobian does not pay | [`scarcity`] |
//! | print or draw results | [`report`], [`draw`] |
//!
//! # Example: the basic block of the 2004 paper
//!
//! Naumann, Utke, Lyons and Fagan (Control flow reversal for adjoint code generation, section 3) take the
//! block
//!
//! ```text
//! v3 = v1*v2;  v4 = v1*v3;  v6 = sin(v4);  v7 = (v3*v2)*v4
//! ```
//!
//! with t = v3*v2 as vertex 5 here. Vertices 3 and 4 are outputs and are read by later statements, too. The paper's
//! heuristic, highest sibling degree, then lowest Markowitz degree, then reverse order, front-eliminates (3,t) first,
//! then back-eliminates (4,7), and needs 12 multiplications; 10 suffice, and disjoint paths prove that no vertex, edge
//! or face sequence needs fewer.
//!
//! ```
//! use bb_preaccum::cost::CostModel;
//! use bb_preaccum::draw::describe;
//! use bb_preaccum::heuristic::{Heuristic, Limits, Technique};
//! use bb_preaccum::lcg::Lcg;
//! use bb_preaccum::search::{Options, search};
//!
//! let lcg = Lcg::from_json(br#"{
//!     "name": "paper", "inputs": [1, 2], "outputs": [3, 4, 6, 7],
//!     "edges": [[1, 3, "variable"], [2, 3, "variable"], [1, 4, "variable"], [3, 4, "variable"],
//!               [3, 5, "variable"], [2, 5, "variable"], [5, 7, "variable"], [4, 7, "variable"],
//!               [4, 6, "variable"]]}"#)?;
//!
//! let run = Heuristic::paper().run(&lcg, &Limits::default());
//! assert_eq!(describe(&lcg, run.steps[0]), "(3,5)f");
//! assert_eq!(describe(&lcg, run.steps[1]), "(4,7)b");
//! assert_eq!(run.counts.multiplications(CostModel::Plain), 12);
//!
//! let best = search(&lcg, &Options::default());
//! assert_eq!((best.cost, best.bound), (10, 10));
//! assert_eq!(best.optimal, Some(Technique::Face));
//! # Ok::<(), bb_preaccum::lcg::LcgError>(())
//! ```
//!
//! # What counts
//!
//! Three cost models ([`cost`]): *plain* counts every product, *unit-free* does not count products with
//! ±1, *constant-aware* also folds products of constants. Additions and fused multiply-adds are counted
//! beside them.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod bits;
pub mod bound;
pub mod certificate;
pub mod codes;
pub mod cost;
pub mod draw;
pub mod eliminate;
mod exact;
pub mod heuristic;
pub mod lcg;
pub mod listing;
pub mod report;
pub mod scarcity;
pub mod search;
