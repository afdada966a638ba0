//! The analyses against brute force: facts as paths in the graph of all points and all variables or locations.

mod activity;
mod antidependence;
mod diff_live;
mod liveness;
mod tbr;
