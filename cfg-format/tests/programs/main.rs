//! Random programs in the text form and in JSON: what is written comes back, and what is damaged is told.

mod changed;
mod text;
