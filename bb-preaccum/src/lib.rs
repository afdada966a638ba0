//! Jacobian preaccumulation by vertex, edge and face elimination on linearized computational graphs.
