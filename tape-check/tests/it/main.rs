//! The checker on programs that others made, and on programs with planted faults.

mod faults;
mod planted;
mod random;
mod run;
