//! The checker on programs that others made, and on programs with planted faults.

mod random;
