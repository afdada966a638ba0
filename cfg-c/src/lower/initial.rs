//! Initial values: of globals and static variables, which are constants, and of local arrays.

use super::{Failed, Lower, Lowered, slot::Elem, started, value::literal};
use crate::{
    ast::initial_exprs,
    ast::{DeclId, Init},
    braces, codes, constant,
    number::Number,
    types::{Arith, Int, Type},
};
use cfg_core::{
    builder::VarType,
    entity::GlobalId,
    ir::{Dim, Expr, Extent, Order, Overlay, ScalarType, Subscript},
};

/// Most elements of a global with initial values.
const MAX_ELEMENTS: i64 = 1 << 24;

/// Declares a global or static variable.
pub(super) fn global(l: &mut Lower<'_>, d: DeclId) -> Lowered<GlobalId> {
    let unit = l.unit;
    let decl = unit.decl(d);
    if let Some(Init::Wrong(problem)) = &decl.init {
        l.sink.tell(problem);
        return Err(Failed);
    }
    let mut extents = Vec::new();
    let mut ty = &decl.ty;
    while let Type::Array(of, extent) = &ty.ty {
        let value = extent.and_then(|e| constant::integer(unit, e));
        let value = value.map(|(v, _)| i64::try_from(v).unwrap_or(-1));
        let Some(value) = value.filter(|v| *v > 0) else {
            let message = format!("an extent of {} is no positive constant", decl.name);
            l.sink
                .error(&codes::VALUE, decl.at, message, "write a number");
            return Err(Failed);
        };
        extents.push(value);
        ty = of;
    }
    let elem = match l.elem(ty) {
        Some(elem) => elem,
        None => {
            let message = format!(
                "{} is {}, which is not supported",
                decl.name,
                decl.ty.name()
            );
            let help = "use numbers, structures and arrays of these";
            l.sink.error(&codes::TYPE, decl.at, message, help);
            return Err(Failed);
        }
    };
    let count = extents.iter().fold(1i64, |a, b| a.saturating_mul(*b));
    if count > MAX_ELEMENTS {
        let message = format!("{} has more than {MAX_ELEMENTS} elements", decl.name);
        l.sink
            .error(&codes::LIMIT, decl.at, message, "pass it as a parameter");
        return Err(Failed);
    }
    let mut initial = None;
    if !decl.external
        && let Elem::Arith(elem) = elem
    {
        let mut values = vec![literal(0, elem)];
        if let Some(init) = &decl.init {
            let mut given = init.given_values().peekable();
            if given.peek().is_some() && count > 1 {
                values = vec![literal(0, elem); count as usize];
            }
            for (steps, e) in given {
                let Some(value) = constant::number(unit, e) else {
                    let at = unit.expr(e).at;
                    l.sink.error(
                        &codes::INITIAL,
                        at,
                        "the initial value is no constant",
                        "write a number",
                    );
                    return Err(Failed);
                };
                let indices = steps.iter().zip(&extents);
                let k = indices.fold(0, |k, (step, extent)| {
                    k * extent + step.index().and_then(Expr::constant).unwrap_or(0)
                });
                if let Some(cell) = values.get_mut(k as usize) {
                    *cell = constant_in(value, elem);
                }
            }
        }
        initial = Some(values);
    }
    // A pointer leads to an element of an array. A global number whose address is taken stays a scalar, with an array
    // laid over it; a structure becomes an array of one element.
    let is_cell = decl.address && extents.is_empty();
    let is_number = matches!(elem, Elem::Arith(_));
    if is_cell && !is_number {
        extents.push(1);
    }
    let ty = l.scalar_type(elem, decl.at)?;
    if !decl.external
        && let Elem::Pointer(..) = elem
    {
        let given = initial_exprs(decl.init.as_ref());
        if !given.iter().all(|e| crate::points::is_null(unit, *e)) {
            note(l, d)?;
        }
        initial = Some(vec![Expr::zero(ty)]);
    }
    if !decl.external && matches!(elem, Elem::Struct(_)) {
        // Variables that pointers lead to get their values at the beginning of the function to differentiate.
        if !(l.values && l.pointed.contains(&d)) {
            // A structure made an array of one element has no extent in C.
            let own = if is_cell { &[][..] } else { &extents };
            initial = members(l, d, ty, own);
        }
        if initial.is_none() {
            if !initial_exprs(decl.init.as_ref()).is_empty() {
                note(l, d)?;
            }
            // All members of all elements are 0.
            let leaves = l.program.program().leaves(ty);
            initial = Some(leaves.iter().map(|leaf| Expr::zero(leaf.ty)).collect());
        }
    }
    let shape = extents.iter().map(|n| Dim {
        lower: Expr::Int(0),
        extent: Extent::Fixed(Expr::Int(*n)),
    });
    let ty = VarType {
        ty,
        shape: shape.collect(),
        order: Order::Row,
    };
    let name = l.global_name(d);
    let over = (is_cell && is_number).then(|| (format!("&{name}"), ty.ty));
    let id = l.program.global(name, ty);
    if let Some(values) = initial {
        l.program.initialize(id, values);
    }
    let span = decl.at.span_to(decl.at);
    if let Some(span) = span {
        l.program.global_span(id, span);
    }
    if let Some(known) = l.interface.global(d) {
        let mut known = known.clone();
        if l.values && l.pointed.contains(&d) {
            known.declared = Err("pointers are numbers there, and one leads to it".to_owned());
        } else if l.started.contains(&d) {
            known.declared = Err("its initial value is assigned by the function".to_owned());
        }
        let mut annotations = None;
        known.note(&mut annotations);
        l.program.global_annotations(id, annotations);
    }
    let Some((name, ty)) = over else {
        return Ok(id);
    };
    let cell = l.program.global(name, ty.array([0..=0]));
    let overlay = Overlay {
        base: id,
        offset: 0,
    };
    l.program.overlay(cell, overlay);
    if let Some(span) = span {
        l.program.global_span(cell, span);
    }
    Ok(cell)
}

/// The initial values of structures of numbers in the order of the layout: element by element, and within one all
/// numbers of a leaf before those of the next. `None` if a member or a value is no number.
fn members(l: &Lower<'_>, d: DeclId, ty: ScalarType, extents: &[i64]) -> Option<Vec<Expr>> {
    let unit = l.unit;
    let decl = unit.decl(d);
    let init = decl.init.as_ref()?;
    let leaves = l.program.program().leaves(ty);
    // The extents of each leaf, and the position of its first number in an element.
    let mut parts = Vec::with_capacity(leaves.len());
    let mut one = Vec::new();
    for leaf in &leaves {
        let shape = leaf.shape.iter().map(|dim| dim.constant_extent());
        let shape = shape.collect::<Option<Vec<usize>>>()?;
        let size = (shape.iter()).try_fold(1usize, |n, extent| n.checked_mul(*extent))?;
        if leaf.ty.pointer().is_some() || size > MAX_ELEMENTS as usize - one.len() {
            return None;
        }
        parts.push((one.len(), shape));
        one.resize(one.len() + size, Expr::zero(leaf.ty));
    }
    let elements = extents.iter().fold(1i64, |a, b| a.saturating_mul(*b));
    let count = elements.saturating_mul(one.len() as i64);
    if count > MAX_ELEMENTS {
        return None;
    }
    let mut values: Vec<Expr> = one.iter().cycle().take(count as usize).cloned().collect();
    for (steps, e) in init.given_values() {
        let part = braces::type_at(unit, &decl.ty, steps)?;
        let mut value = constant::number(unit, e)?;
        if let Some(width) = part.width.filter(|width| width.narrows()) {
            let whole = match value {
                Number::Int(value, _) => value,
                Number::Float(_) | Number::Double(_) => value.double() as i128,
            };
            value = Number::Int(width.kept(whole), Int::Long);
        }
        let value = constant_in(value, part.arith()?);
        let (outer, inner) = steps.split_at_checked(extents.len())?;
        let element = outer.iter().zip(extents).try_fold(0, |k, (step, extent)| {
            Some(k * *extent as usize + position(step)?)
        })?;
        let fields = || inner.iter().filter_map(Subscript::field);
        let leaf = (leaves.iter()).position(|leaf| leaf.path.iter().copied().eq(fields()))?;
        let (first, shape) = &parts[leaf];
        let indices = inner.iter().filter_map(position);
        let within = indices.zip(shape).fold(0, |k, (i, extent)| k * extent + i);
        *values.get_mut(element * one.len() + first + within)? = value;
    }
    Some(values)
}

/// The number of the element that a step leads to.
fn position(step: &Subscript) -> Option<usize> {
    usize::try_from(step.index()?.constant()?).ok()
}

/// A constant number in a type, as C converts it.
fn constant_in(value: Number, ty: Arith) -> Expr {
    match (value, ty) {
        (Number::Int(value, _), Arith::Int(int)) => literal(int.wrap(value), ty),
        (Number::Int(value, _), Arith::Float | Arith::Double) => literal(value, ty),
        (value, Arith::Double) => Expr::Real(value.double()),
        (Number::Float(value), Arith::Float) => Expr::Real32(value),
        (value, Arith::Float) => Expr::Real32(value.double() as f32),
        (value, Arith::Int(Int::Bool)) => Expr::Logical(value.double() != 0.0),
        (value, Arith::Int(int)) => literal(int.wrap(value.double() as i128), ty),
    }
}

/// Notes a variable that gets its initial values, which must be constants, by assignments.
fn note(l: &mut Lower<'_>, d: DeclId) -> Lowered<()> {
    let unit = l.unit;
    for e in initial_exprs(unit.decl(d).init.as_ref()) {
        if started::is_address(unit, e) || constant::number(unit, e).is_some() {
            continue;
        }
        let message = "the initial value is no constant";
        let help = "write a number, or the address of a variable that is kept";
        let at = unit.expr(e).at;
        l.sink.error(&codes::INITIAL, at, message, help);
        return Err(Failed);
    }
    l.started.push(d);
    Ok(())
}
