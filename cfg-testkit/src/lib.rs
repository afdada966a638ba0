//! Random programs, golden files and reference algorithms for the tests of cfgrev.
