//! Points, seeds and results: objects from names to numbers and nested arrays.
