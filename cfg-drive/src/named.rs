//! Values with the names of what has them.

use cfg_exec::Value;

/// Values by name, in the order of the declarations.
pub type Named = Vec<(String, Value)>;
