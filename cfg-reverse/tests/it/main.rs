//! Properties and golden files of the transformations.

mod tangent;
