//! Structure recovery: loops and branches of a graph that knows only blocks and jumps, and the way back.
//!
//! A front end that has no loops and branches hands over a routine with [`Control::General`](crate::ir::Control).
//! [`recover`] finds both: it inserts LOOP, ENDLOOP and ENDBRANCH, recognises counted loops, and declares the routine
//! structured if all of it nests. Jumps that do not nest stay; loops and branches around them and between them are
//! typed nevertheless. The only code that is repeated, once, is straight code before a loop test.
//!
//! | file | what |
//! |---|---|
//! | [`classify`] | the class of a graph by how far it nests, and the first obstacle |
//! | `flatten` | the other way: every vertex a block or a branch, jumps between them |
//! | `reduce` | loops and branches, by reduction |
//! | `headers` | loops with further exits, in graphs that do not reduce |
//! | `counted` | counted loops among those tested first |
//! | `passes` | counted loops in the form that counts passes |
//! | `nest` | graphs whose loops are typed already |
//! | `normal` | the form in which recovered and original graphs are compared |
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::{ir::{Control, ScalarType::{Integer, Real}}, memory::effects::Effects, recover};
//!
//! let mut f = RoutineBuilder::new("f");
//! let (n, x, i) = (f.input("n", Integer), f.inout("x", Real), f.local("i", Integer));
//! f.for_loop(i, 1, n, |f| f.if_then(lt(x, 2.0), |f| f.assign(x, x * x)));
//! let mut p = ProgramBuilder::new();
//! let f = p.add(f);
//! let p = p.finish()?;
//!
//! let effects = Effects::summarise(&p);
//! let flat = recover::flatten(&p, &effects, p.routine(f));
//! assert_eq!(flat.control, Control::General);
//! let recovered = recover::recover(&p, &effects, &flat);
//! assert_eq!(recovered.control, Control::Structured);
//! let mut text = String::new();
//! cfg_core::text::routine(&mut text, &p, &recovered).unwrap();
//! assert!(text.contains("for i = 1, n"), "{text}");
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

pub mod classify;
mod counted;
mod flatten;
mod headers;
mod nest;
mod normal;
mod passes;
mod reduce;
#[cfg(test)]
mod tests;
mod writes;

pub use flatten::{Checked, drop_empty_blocks, flatten, flatten_as, flatten_dense};
pub use nest::nest;
pub use normal::normal_form;

use crate::{
    edit::Editor,
    graph::reverse_postorder,
    ir::{Cfg, Control, Program, Routine, VertexKind},
    memory::effects::Effects,
    structure::Structure,
};

/// The routine with the structure that its graph has. A routine that is structured already, or has no graph, is
/// returned as it is. The graph must keep the rules of general graphs.
pub fn recover(program: &Program, effects: &Effects, routine: &Routine) -> Routine {
    if routine.control == Control::Structured || routine.body.is_none() {
        return routine.clone();
    }
    let typed = |cfg: &Cfg| {
        cfg.vertices().any(|(_, v)| {
            matches!(
                v.kind,
                VertexKind::Loop { .. } | VertexKind::EndLoop | VertexKind::EndBranch
            )
        })
    };
    let mut result = match &routine.body {
        Some(cfg) if typed(cfg) => flatten(program, effects, routine),
        _ => routine.clone(),
    };
    let graph = result.body.take().and_then(|cfg| shape(cfg, true));
    let Some((cfg, structured)) = graph else {
        return routine.clone();
    };
    let cfg = counted::count_loops(program, effects, &mut result, cfg);
    result.control = if structured {
        Control::Structured
    } else {
        Control::General
    };
    result.body = Some(cfg);
    result
}

/// The program with every routine recovered.
pub fn recover_program(program: &Program) -> Program {
    let effects = Effects::summarise(program);
    let routines = program
        .routines
        .iter()
        .map(|r| recover(program, &effects, r));
    let routines = routines.collect();
    Program {
        routines,
        globals: program.globals.clone(),
        records: program.records.clone(),
        main: program.main,
        sources: program.sources.clone(),
        annotations: program.annotations.clone(),
    }
}

/// Types the vertices of a graph of blocks and branches; true if all of it nests. `repeat` allows repeating the
/// statements before a loop test.
pub(crate) fn shape(cfg: Cfg, repeat: bool) -> Option<(Cfg, bool)> {
    let entry = cfg.entry()?.index();
    let order = reverse_postorder(&cfg, entry);
    let mut edited = Editor::take_apart(cfg);
    reduce::reduce(&mut edited, &[], &order, repeat);
    let cfg = edited.finish();
    if Structure::compute(&cfg).is_ok() {
        return Some((cfg, true));
    }
    headers::type_headers(cfg).map(|cfg| (cfg, false))
}
