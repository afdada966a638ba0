//! The point at which a program is differentiated: that of the suite that the references come from.

use crate::{Point, Primal, codes};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::{RoutineId, VarId},
    flat::{Flat, FlatType},
    ir::{Expr, Extent, Order, Role},
};

/// Independents 1/2, 2/2, 3/2, ... in storage order; other parameters and dependents 0.
pub(super) fn point(
    primal: &Primal,
    program: &Flat,
    main: RoutineId,
) -> Result<Point, Diagnostics> {
    let routine = program.routine(main);
    let mut next = 1usize;
    let mut members = Vec::new();
    let others = routine.dependents.iter().copied();
    let globals = routine.independents.iter().copied().chain(others);
    let is_parameter = |v: VarId| matches!(routine.variable(v).role, Role::Parameter { .. });
    let globals = globals.filter(|&v| !is_parameter(v));
    let mut seen = Vec::new();
    for v in routine.parameter_ids().chain(globals) {
        if seen.contains(&v) {
            continue;
        }
        seen.push(v);
        let variable = routine.variable(v);
        let mut extents = Vec::new();
        for dim in &variable.shape {
            let Extent::Fixed(Expr::Int(n)) = dim.extent else {
                return Err(codes::general(
                    &codes::MISSING,
                    format!("the shape of {} is not constant", variable.name),
                    "run the program with a POINT of its own",
                ));
            };
            extents.push(usize::try_from(n).unwrap_or(0));
        }
        let count = extents.iter().try_fold(1usize, |n, &e| n.checked_mul(e));
        let Some(count) = count.filter(|&n| n <= 1 << 20) else {
            return Err(codes::general(
                &codes::TOO_LARGE,
                format!("{} has too many elements", variable.name),
                "run the program with a POINT of its own",
            ));
        };
        let varied = routine.independents.contains(&v);
        let first = next;
        let element = |k: usize| match FlatType::view(variable.ty) {
            FlatType::Logical => "false".to_owned(),
            FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => "0".to_owned(),
            FlatType::Real | FlatType::Real32 if varied => {
                format!("{:?}", (first + k) as f64 / 2.0)
            }
            FlatType::Real | FlatType::Real32 => "0.0".to_owned(),
        };
        let mut text = String::new();
        nested(
            &extents,
            0,
            1,
            variable.order == Order::Column,
            &element,
            &mut text,
        );
        members.push(format!(
            "{}: {text}",
            serde_json::Value::from(&*variable.name)
        ));
        if varied {
            next += count;
        }
    }
    primal.read_point(format!("{{{}}}", members.join(", ")).as_bytes())
}

/// A nested JSON array, first subscript outermost, of elements that are numbered in storage order.
fn nested(
    extents: &[usize],
    offset: usize,
    scale: usize,
    column: bool,
    element: &impl Fn(usize) -> String,
    out: &mut String,
) {
    let Some((&extent, rest)) = extents.split_first() else {
        out.push_str(&element(offset));
        return;
    };
    let stride = if column { scale } else { rest.iter().product() };
    out.push('[');
    for i in 0..extent {
        if i > 0 {
            out.push_str(", ");
        }
        nested(
            rest,
            offset + i * stride,
            scale * extent,
            column,
            element,
            out,
        );
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use cfg_core::validate::validate;
    use cfg_format::text;
    use cfg_testkit::flat;

    /// Points are made of variables with up to 2^20 elements.
    #[test]
    fn points_are_made_up_to_a_size() {
        let made = |size: usize| {
            let source =
                format!("main subroutine f(in real x[{size}], inout real y)\n  y := x[1]\nend\n");
            let program = text::parse(&source).program.expect("it can be read");
            let program = flat(&validate(program).expect("it is valid"));
            let main = program.main.expect("it is marked");
            let primal = Primal::new(&program, main, &Options::default());
            point(&primal.expect("it can be compiled"), &program, main)
        };
        assert!(made(1 << 20).is_ok());
        let Err(problems) = made((1 << 20) + 1) else {
            panic!("it is too large");
        };
        assert_eq!(problems.0[0].code, codes::TOO_LARGE.code);
    }
}
