//! Adjoints and tangents of globals.

use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Expr, Global, NameOrigin, NameRole, Overlay, Program, Role, Variable},
};
use fixedbitset::FixedBitSet;
use std::{collections::HashSet, sync::Arc};

use crate::{
    code::{expressions::zero, names::Namer},
    memory::summary::Summary,
    prepare::normalize::Normal,
};

/// Adds a derivative, called `NAME_suffix`, for every real global that the routine or a routine called from it names.
/// Returns the derivatives by global.
pub(crate) fn add_derivative_globals(
    program: &Program,
    summary: &Summary,
    main: RoutineId,
    normals: &mut [Option<Normal>],
    out: &mut Program,
    suffix: &str,
    origin: &NameRole,
) -> Vec<Option<GlobalId>> {
    let touched = summary.touched(main);
    let mut namer = Namer::new(
        program
            .globals
            .iter()
            .map(|g| g.variable.name.as_str())
            .chain(
                program
                    .routines
                    .iter()
                    .chain(normals.iter().flatten().map(|n| &n.routine))
                    .flat_map(|r| r.variables.iter().map(|v| v.name.as_str())),
            ),
    );
    let mut wanted = FixedBitSet::with_capacity(program.globals.len());
    for (g, global) in program.globals.iter().enumerate() {
        if global.variable.ty.is_real() && touched.contains(GlobalId::new(g)) {
            wanted.insert(g);
            if let Some(overlay) = global.overlay {
                wanted.insert(overlay.base.index());
            }
        }
    }
    let mut derivatives = vec![None; program.globals.len()];
    for (k, g) in wanted.ones().enumerate() {
        derivatives[g] = Some(GlobalId::new(out.globals.len() + k));
    }
    let mut names = HashSet::clone(&summary.names);
    for g in wanted.ones() {
        let global = &program.globals[g];
        let name = namer.fresh_name(format!("{}_{suffix}", global.variable.name));
        names.insert(name.clone());
        let id = GlobalId::new(out.globals.len());
        out.globals.push(Global {
            variable: Variable {
                name,
                role: Role::Global(id),
                origin: Some(Box::new(NameOrigin::new(
                    origin.clone(),
                    &*global.variable.name,
                ))),
                ..global.variable.clone()
            },
            // The owner of shared storage has the initial values.
            initial: (global.overlay.is_none())
                .then(|| -> Box<[Expr]> { Box::new([zero(global.variable.ty)]) }),
            overlay: global.overlay.and_then(|o| {
                derivatives[o.base.index()].map(|base| Overlay {
                    base,
                    offset: o.offset,
                })
            }),
        });
    }
    let names = Arc::new(names);
    for n in normals.iter_mut().flatten() {
        n.namer.share(Arc::clone(&names));
    }
    derivatives
}
