//! Properties and golden files of the transformations.
#![allow(clippy::print_stdout, reason = "tests print what they measure")]

mod adjoint;
mod annotations;
mod bounds;
mod branches;
mod callee_globals;
mod carried;
mod checkpoint;
mod directions;
mod dropped;
mod extents;
mod general;
mod given_globals;
mod idle;
mod ids;
mod measure;
mod oracles;
mod outputs;
mod pictures;
mod preaccumulate;
mod rare;
mod recovered;
mod report;
mod results;
mod reuse;
mod run;
mod same;
mod second_order;
mod signature;
mod spans;
mod steps;
mod tangent;
mod turn;
mod unread;
mod witness;
mod wrong;
