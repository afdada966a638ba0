//! Gradients, tangents, Jacobians and derivative checks of cfgrev programs in one call.
