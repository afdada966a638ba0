//! Functions that are declared and not defined: how their derivatives are given.

use crate::types::{Arith, Qualified, Type};

/// The help of a message about a missing function: a pragma that declares it.
pub(crate) fn how_to_declare(name: &str, ty: &Qualified) -> String {
    let signature = match &ty.ty {
        Type::Pointer(to) => match &to.ty {
            Type::Function(signature) => signature,
            _ => return format!("declare {name} as a function"),
        },
        Type::Function(signature) => signature,
        _ => return format!("declare {name} as a function"),
    };
    if signature.open {
        return format!(
            "declare {name} with its parameters to be told how its derivatives are given"
        );
    }
    let real = |ty: &Qualified| ty.arith().is_some_and(Arith::is_real);
    let mut plain = real(&signature.result) || signature.result.arith().is_some();
    let (mut names, mut partials) = (Vec::new(), Vec::new());
    let mut writes = false;
    for (k, p) in signature.parameters.iter().enumerate() {
        let name = match &p.name {
            Some(name) => name.to_string(),
            None => format!("a{}", k + 1),
        };
        let bottom = p.ty.bottom();
        let written = p.ty.target().is_some() && !bottom.constant && bottom.ty != Type::Void;
        writes |= written;
        plain &= !(written || real(bottom) && p.ty.target().is_some());
        if real(&p.ty) {
            partials.push(format!("{name}: ..."));
        }
        names.push(name);
    }
    if signature.result.ty == Type::Void && !writes && !signature.variadic {
        return format!("if it changes nothing, name it in --no-diff {name}");
    }
    let head = format!("{name}({})", names.join(", "));
    let derivatives = match plain {
        true => format!(" partial({})", partials.join(", ")),
        false => format!(" adjoint({name}_b) tangent({name}_t)"),
    };
    let value = match (plain, partials.is_empty()) {
        (true, true) => {
            return format!(
                "say what it computes: --external '{head} value(...)', or #pragma cfgrev external({head}) value(...)"
            );
        }
        (true, false) => format!("what it computes: --external '{head} value(...)', or "),
        (false, _) => String::new(),
    };
    format!(
        "say {value}what its derivatives are: --external '{head}{derivatives}', or #pragma cfgrev external({head}){derivatives}"
    )
}
