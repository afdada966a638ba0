//! Functions that are declared and not defined: how their derivatives are given.

use crate::types::{Arith, Qualified, Type};

/// How a function that is not there is declared.
pub(crate) fn how_to_declare(name: &str, ty: &Qualified) -> String {
    let signature = match &ty.ty {
        Type::Pointer(to) => match &to.ty {
            Type::Function(signature) => signature,
            _ => return String::new(),
        },
        Type::Function(signature) => signature,
        _ => return String::new(),
    };
    let real = |ty: &Qualified| ty.arith().is_some_and(Arith::is_real);
    let mut plain = real(&signature.result) || signature.result.arith().is_some();
    let (mut names, mut partials) = (Vec::new(), Vec::new());
    for (k, p) in signature.parameters.iter().enumerate() {
        let name = match &p.name {
            Some(name) => name.to_string(),
            None => format!("a{}", k + 1),
        };
        let bottom = p.ty.bottom();
        let written = p.ty.target().is_some() && !bottom.constant && bottom.ty != Type::Void;
        plain &= !(written || real(bottom) && p.ty.target().is_some());
        if real(&p.ty) {
            partials.push(format!("{name}: ..."));
        }
        names.push(name);
    }
    let head = match signature.parameters.iter().all(|p| p.name.is_some()) {
        true => name.to_owned(),
        false => format!("{name}({})", names.join(", ")),
    };
    let derivatives = match (plain, partials.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(" partial({})", partials.join(", ")),
        (false, _) => format!(" adjoint({name}_b) tangent({name}_t)"),
    };
    format!("--external '{head}{derivatives}', or #pragma cfgrev external({head}){derivatives}")
}
