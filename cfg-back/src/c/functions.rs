//! The functions of a file: called ones come first, and each in the form that its graph allows.

use super::{
    Failed,
    file::{File, Written},
    inlined::inlined,
    operators::Pieces,
    routine::{self, Form},
};
use cfg_core::{
    entity::RoutineId,
    ir::{Control, Routine, Vertex, VertexKind},
    memory::{callgraph::CallGraph, effects::Effects},
    recover::{self, Checked},
    structure::{RegionTree, Structure},
    validate::ValidProgram,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// The functions of all routines that `wanted` reach, called ones first. Pieces and headers that they need are added.
///
/// # Errors
/// What has no C.
pub(super) fn functions(
    file: &File<'_>,
    program: &ValidProgram,
    wanted: &[RoutineId],
    pieces: &mut Pieces,
) -> Result<String, Vec<Failed>> {
    let graph = CallGraph::build(program);
    let mut needed = vec![false; program.routines.len()];
    let mut open: Vec<RoutineId> = wanted.to_vec();
    while let Some(r) = open.pop() {
        if !std::mem::replace(&mut needed[r.index()], true) {
            open.extend(graph.callees(r));
        }
    }
    let inlined = inlined(program, &graph);
    let mut functions = Vec::new();
    let mut problems = Vec::new();
    for component in graph.components() {
        let members: Vec<RoutineId> = component
            .iter()
            .copied()
            .filter(|r| needed[r.index()])
            .collect();
        let recursive = members.len() > 1 || members.iter().any(|r| graph.callees(*r).contains(r));
        let variants: Vec<(RoutineId, bool)> = members
            .iter()
            .flat_map(|&r| [(r, false), (r, true)])
            .filter(|&(r, strided)| !strided || (file.gaps && program.routine(r).aliased))
            .collect();
        let mut prototypes = Vec::new();
        if recursive {
            // What is not known yet may be anything.
            for &(r, strided) in &variants {
                file.set_unknown(r, strided);
                let prototype = routine::prototype(file, r, strided);
                prototypes.push(((r, strided), prototype));
            }
        }
        let first = functions.len();
        for (r, strided) in variants {
            let written = written(program, &file.effects, r, file.checks);
            let form = Form {
                recursive,
                strided,
                inlined: inlined[r.index()] && !file.checks,
            };
            match routine::function(file, r, &written, form, pieces) {
                Ok((made, text)) => {
                    file.set(r, strided, made);
                    functions.push(Function {
                        key: (r, strided),
                        prototypes: Vec::new(),
                        text,
                        calls: file.take_calls(),
                    });
                }
                Err(problem) => {
                    file.set_unknown(r, strided);
                    problems.push(problem);
                }
            }
        }
        if let Some(function) = functions.get_mut(first) {
            function.prototypes = prototypes;
        }
    }
    if problems.is_empty() {
        let text = joined(&functions, wanted);
        Ok(if file.checks {
            super::faults::logicals(&text)
        } else {
            text
        })
    } else {
        Err(problems)
    }
}

/// A function that is written.
struct Function {
    /// The routine, and whether parameters have strides.
    key: (RoutineId, bool),
    /// The declarations that stand before it.
    prototypes: Vec<((RoutineId, bool), String)>,
    text: String,
    calls: BTreeSet<(RoutineId, bool)>,
}

/// The text of the functions that those of `wanted` reach: a call that is never made, because its vertex is not reached
/// or its arguments ask for the other form of a routine, leaves functions that compilers would tell of.
fn joined(functions: &[Function], wanted: &[RoutineId]) -> String {
    let places: BTreeMap<_, _> = functions.iter().map(|f| (f.key, f)).collect();
    let mut needed = BTreeSet::new();
    let mut open: Vec<(RoutineId, bool)> = wanted.iter().map(|&r| (r, false)).collect();
    while let Some(key) = open.pop() {
        if needed.insert(key) {
            open.extend(places.get(&key).into_iter().flat_map(|f| &f.calls));
        }
    }
    let mut text = String::new();
    for function in functions {
        let declared = function.prototypes.iter();
        let mut declared = declared.filter(|(key, _)| needed.contains(key)).peekable();
        let some = declared.peek().is_some();
        for (_, prototype) in declared {
            text.push_str(prototype);
            text.push_str(";\n");
        }
        if some {
            text.push('\n');
        }
        if needed.contains(&function.key) {
            text.push_str(&function.text);
            text.push('\n');
        }
    }
    text
}

/// The routine as it is written: loops and branches of a general graph are recovered; where that leaves jumps, it is
/// blocks and branches, which `jumps` writes by their layout.
///
/// With checks jumps stay jumps, so that each vertex is one of the program's.
fn written<'a>(
    program: &'a ValidProgram,
    effects: &Effects,
    r: RoutineId,
    checks: bool,
) -> Written<'a> {
    /// The greatest number of loops and branches around one another: C99 asks compilers for 127 nested blocks, and
    /// array statements have some of their own.
    const DEEPEST: usize = 100;
    let routine = program.routine(r);
    if let Some(structure) = program.structure(r)
        && depth(routine, structure) <= DEEPEST
    {
        return Written {
            routine: Cow::Borrowed(routine),
            structure: Some(Cow::Borrowed(structure)),
        };
    }
    if routine.body.is_none() {
        return Written {
            routine: Cow::Borrowed(routine),
            structure: None,
        };
    }
    let typed = |v: &Vertex| matches!(v.kind, VertexKind::Loop { .. } | VertexKind::EndLoop);
    if checks
        && !routine
            .body
            .iter()
            .flat_map(|cfg| cfg.vertices())
            .any(|(_, v)| typed(v))
    {
        return Written {
            routine: Cow::Borrowed(routine),
            structure: None,
        };
    }
    if checks {
        return Written {
            routine: Cow::Owned(recover::flatten_as(program, effects, routine, Checked::Yes)),
            structure: None,
        };
    }
    let recovered = recover::recover(program, effects, routine);
    if recovered.control == Control::Structured
        && let Some(Ok(structure)) = recovered.body.as_ref().map(Structure::compute)
        && depth(&recovered, &structure) <= DEEPEST
    {
        return Written {
            routine: Cow::Owned(recovered),
            structure: Some(Cow::Owned(structure)),
        };
    }
    Written {
        routine: Cow::Owned(recover::flatten(program, effects, routine)),
        structure: None,
    }
}

/// The greatest number of loops and branches around a vertex.
fn depth(routine: &Routine, structure: &Structure) -> usize {
    let Some(cfg) = &routine.body else {
        return 0;
    };
    let tree = RegionTree::build(cfg, structure);
    let depths = tree.regions().map(|r| tree.region(r).depth as usize);
    depths.max().unwrap_or(0)
}
