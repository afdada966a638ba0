//! The top routine, its independents and dependents, as the user chooses them.

use super::{
    Options, codes,
    lower::effects,
    notation::names::{find_routine, short_name},
    read::{
        model::{Model, Sink},
        scan::Scan,
        xml::Document,
    },
};
use cfg_core::{entity::RoutineId, ir::Program};

/// Chooses the top routine and applies what the user names.
pub(crate) fn choose(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    options: &Options,
    program: &mut Program,
    sink: &mut Sink,
) {
    let root = doc.root();
    let main = match &options.routine {
        Some(name) => chosen_routine(doc, name, program, sink),
        None => {
            let mut called = vec![false; model.routines.len()];
            for (r, routine) in scan.routines.iter().enumerate() {
                // A routine that calls itself is still a top routine if nobody else does.
                for call in routine.calls.iter().filter(|c| c.callee != r) {
                    called[call.callee] = true;
                }
            }
            let tops: Vec<usize> = (0..called.len()).filter(|&r| !called[r]).collect();
            let head = || {
                let heads: Vec<usize> = (0..model.routines.len())
                    .filter(|&r| short_name(&model.routines[r].symbol) == "head")
                    .collect();
                match heads.as_slice() {
                    &[only] => Some(only),
                    _ => None,
                }
            };
            let found = match tops.as_slice() {
                &[only] => Some(only),
                _ => head(),
            };
            if found.is_none() {
                let list = |rs: &[usize]| {
                    let names: Vec<&str> = rs
                        .iter()
                        .take(10)
                        .map(|&r| program.routines[r].name.as_str())
                        .collect();
                    names.join(", ")
                };
                let message = if tops.is_empty() {
                    "every routine is called, and none is named head".to_owned()
                } else {
                    format!("{} are not called, and none is named head", list(&tops))
                };
                sink.push(
                    doc.error(
                        root,
                        &codes::MAIN,
                        message,
                        "say which one with --routine NAME",
                    )
                    .warning(),
                );
            }
            found.map(RoutineId::new)
        }
    };
    program.main = main;
    chosen_variables(doc, options, program, sink);
}

/// The routine that the user names.
pub(crate) fn chosen_routine(
    doc: &Document<'_>,
    name: &str,
    program: &Program,
    sink: &mut Sink,
) -> Option<RoutineId> {
    let found = find_routine(program, name);
    if found.is_none() {
        let known: Vec<&str> = program.routines.iter().map(|r| r.name.as_str()).collect();
        sink.push(doc.error(
            doc.root(),
            &codes::NAME,
            format!("there is no routine {name}"),
            format!("the document has {}", known.join(", ")),
        ));
    }
    found
}

/// Applies the independents and dependents that the user names.
pub(crate) fn chosen_variables(
    doc: &Document<'_>,
    options: &Options,
    program: &mut Program,
    sink: &mut Sink,
) {
    let root = doc.root();
    let Some(main) = program.main else { return };
    for (names, dependent) in [(&options.independents, false), (&options.dependents, true)] {
        if names.is_empty() {
            continue;
        }
        let mut list = Vec::new();
        for name in names {
            let var = effects::named(program, main, name);
            match var.filter(|&v| program.routine(main).variable(v).ty.is_real()) {
                Some(v) if !list.contains(&v) => list.push(v),
                Some(_) => {}
                None => sink.push(doc.error(
                    root,
                    &codes::NAME,
                    format!(
                        "{} has no real argument or global variable {name}",
                        program.routine(main).name
                    ),
                    "name a formal argument, a COMMON or a module variable, or its whole symbol_id",
                )),
            }
        }
        let routine = &mut program.routines[main.index()];
        if dependent {
            routine.dependents = list;
        } else {
            routine.independents = list;
        }
    }
}
