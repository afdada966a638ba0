//! Random programs in the text form and in JSON: written ones read back, and damage is reported.

mod changed;
mod text;
