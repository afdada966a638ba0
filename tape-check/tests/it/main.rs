//! The checker on generated programs, and on programs with planted faults.

mod calls;
mod conditions;
mod faults;
mod graphs;
mod made;
mod planted;
mod random;
mod rules;
mod run;
mod unsound;
