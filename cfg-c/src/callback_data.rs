//! Parameters `void *` of the functions to differentiate, as the data behind a callback: they have the type that they
//! are said to have, or that what uses them converts them to, here or in a function to which they are handed on, if
//! that is one.

use crate::{
    ast::{Decl, DeclId, DeclKind, ExprId, ExprKind, Init, Unit},
    points::bare,
    types::{Qualified, Type},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// To what pointers to void are converted, and the pointers to void that they are given to.
#[derive(Default)]
struct Uses {
    types: Vec<Qualified>,
    given_to: Vec<DeclId>,
}

/// Gives the parameters of the functions with these numbers their types.
pub(crate) fn give_types(unit: &mut Unit, roots: &[usize]) {
    let void = |d: &DeclId| {
        let decl = unit.decl(*d);
        decl.ty.is_void_pointer() && decl.assigned.is_empty() && !decl.address
    };
    let parameters = roots.iter().flat_map(|f| &unit.functions[*f].parameters);
    let heads: Vec<DeclId> = parameters.copied().filter(void).collect();
    if heads.is_empty() {
        return;
    }
    let uses = uses(unit);
    let mut given: BTreeMap<DeclId, Qualified> = BTreeMap::new();
    for head in heads {
        let (mut seen, mut open) = (BTreeSet::new(), vec![head]);
        let said = unit.given_types.get(&head).and_then(Qualified::target);
        let mut found: Option<Qualified> = said.cloned();
        let mut several = false;
        while let Some(d) = open.pop() {
            if !seen.insert(d) {
                continue;
            }
            let Some(uses) = uses.get(&d) else { continue };
            open.extend(&uses.given_to);
            for ty in &uses.types {
                several |= said.is_none() && found.as_ref().is_some_and(|known| known.ty != ty.ty);
                found.get_or_insert_with(|| ty.clone());
            }
        }
        if let Some(of) = found.filter(|_| !several) {
            for d in seen {
                let decl = unit.decl(d);
                if d == head || is_local(decl) {
                    given.insert(d, pointer(&decl.ty, &of));
                }
            }
        }
    }
    for node in &mut unit.exprs {
        if let ExprKind::Name(d) = node.kind
            && let Some(ty) = given.get(&d)
        {
            node.ty = Some(ty.clone());
        }
    }
    for (d, ty) in given {
        unit.decls[d.index()].ty = ty;
    }
    for &f in roots {
        let function = &unit.functions[f];
        let types: Vec<Qualified> = (function.parameters.iter())
            .map(|d| unit.decl(*d).ty.clone())
            .collect();
        if let Type::Function(signature) = &mut unit.decls[function.decl.index()].ty.ty {
            let parameters = &mut std::rc::Rc::make_mut(signature).parameters;
            for (p, ty) in parameters
                .iter_mut()
                .zip(types)
                .filter(|(p, _)| p.ty.is_void_pointer())
            {
                p.ty = ty;
            }
        }
    }
}

/// A local variable that keeps the pointer which it is declared with.
fn is_local(decl: &Decl) -> bool {
    decl.kind == DeclKind::Local && decl.assigned.is_empty() && !decl.address
}

/// A pointer to void as one to another type, which is constant where void is.
fn pointer(void: &Qualified, of: &Qualified) -> Qualified {
    let constant = void.target().is_some_and(|void| void.constant);
    let of = Qualified {
        constant,
        ..of.clone()
    };
    Qualified {
        ty: Type::Pointer(of.into()),
        ..void.clone()
    }
}

/// What is done with each variable that is a pointer to void.
fn uses(unit: &Unit) -> HashMap<DeclId, Uses> {
    let mut uses: HashMap<DeclId, Uses> = HashMap::new();
    let mut note = |value: ExprId, to: &Qualified, variable: Option<DeclId>| {
        let ExprKind::Name(d) = unit.expr(value).kind else {
            return;
        };
        if !unit.decl(d).ty.is_void_pointer() {
            return;
        }
        let uses = uses.entry(d).or_default();
        match to.target().filter(|_| matches!(to.ty, Type::Pointer(_))) {
            Some(of) if of.ty == Type::Void => uses.given_to.extend(variable),
            Some(of) => uses.types.push(of.clone()),
            None => {}
        }
    };
    for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
        match &unit.expr(e).kind {
            ExprKind::Cast(ty, a) => note(*a, ty, None),
            ExprKind::Assign(None, target, value) => {
                let variable = match unit.expr(*target).kind {
                    ExprKind::Name(d) => Some(d),
                    _ => None,
                };
                if let Some(ty) = &unit.expr(*target).ty {
                    note(*value, ty, variable);
                }
            }
            ExprKind::Call(..) => {
                let Some((g, arguments)) = unit.own_call(e) else {
                    continue;
                };
                let parameters = unit.functions[g].parameters.iter();
                for (p, a) in parameters.zip(arguments.iter()) {
                    note(bare(unit, *a), &unit.decl(*p).ty, Some(*p));
                }
            }
            _ => {}
        }
    }
    for (k, decl) in unit.decls.iter().enumerate() {
        if let Some(Init::Expr(e)) = decl.init {
            note(e, &decl.ty, Some(DeclId(k as u32)));
        }
    }
    uses
}
