//! What is refused with checks: integers of other types than `integer`.

use crate::c::{Failed, codes};
use cfg_core::diagnostic::Diagnostic;
use cfg_core::ir::{
    Expr, Program, ScalarType, Variable,
    visit::{PlaceRole, Visit},
};

/// Finds a conversion to an integer type that files name.
struct Conversions(bool);

impl<'ir> Visit<'ir> for Conversions {
    fn expr(&mut self, e: &'ir Expr, _: PlaceRole) {
        e.walk(&mut |e| {
            if let Expr::Op(op, _) = e {
                self.0 |= op.typed_conversion().is_some();
            }
        });
    }
}

/// Fails if a program has variables of such a type, or conversions to one.
pub(in crate::c) fn refuse_sized(program: &Program) -> Result<(), Failed> {
    let is_sized = |v: &Variable| matches!(v.ty, ScalarType::Sized(_));
    let globals = program.globals.iter().map(|g| &g.variable);
    let variables = program.routines.iter().flat_map(|r| &r.variables);
    let found = globals.chain(variables).find(|v| is_sized(v));
    let message = match found {
        Some(v) => format!("`{}` is {}", v.name, v.ty.name()),
        None => {
            let mut conversions = Conversions(false);
            for routine in &program.routines {
                conversions.routine(routine);
            }
            if !conversions.0 {
                return Ok(());
            }
            "a value is converted to an integer type by its name".to_owned()
        }
    };
    let code = &codes::SIZED;
    Err(Diagnostic::error(code, message, code.explanation).into())
}
