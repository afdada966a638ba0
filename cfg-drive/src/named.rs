//! Values with the names of their variables.

use cfg_exec::Value;

/// Values by name, in the order of the declarations.
pub type Named = Vec<(String, Value)>;
