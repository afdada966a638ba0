//! The roles of globals in the program that was differentiated.

use super::{NameOrigin, NameRole, Variable};
use std::collections::HashMap;

/// For each global, the role of its original in the program that was differentiated; a derivative of any order has the
/// original of the global that it is the derivative of. `None` if the original was not generated.
pub fn original_roles<'a>(
    globals: impl IntoIterator<Item = &'a Variable>,
) -> Vec<Option<&'a NameRole>> {
    let mut numbers = HashMap::new();
    let mut roles: Vec<Option<&NameRole>> = Vec::new();
    for (g, global) in globals.into_iter().enumerate() {
        let origin = global.origin.as_deref();
        let is_derivative =
            |origin: &&NameOrigin| matches!(origin.role, NameRole::Adjoint | NameRole::Tangent);
        let base = origin.filter(is_derivative);
        let base = base.and_then(|origin| numbers.get(&*origin.of));
        roles.push(match base {
            Some(&base) => roles[base],
            None => origin.map(|origin| &origin.role),
        });
        numbers.insert(&*global.name, g);
    }
    roles
}
