//! The basic blocks of a program as linearized computational graphs, with their Jacobian code.
//!
//! [`preaccumulate`] does the work of [`crate::reverse()`] with `blocks: Blocks::Preaccumulate`, and shows its parts:
//! for each segment of each block the graph, the places and expressions behind its vertices and labels, the result of
//! the search, and the code of both sweeps.
//!
//! ```
//! use bb_preaccum::search::Options;
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::flat::Flat;
//! use cfg_core::ir::ScalarType::Real;
//! use cfg_reverse::preaccumulate::{Side, preaccumulate};
//!
//! // The block of Naumann et al. 2004, section 3.
//! let mut f = RoutineBuilder::new("f");
//! let [v1, v2] = ["v1", "v2"].map(|name| f.input(name, Real));
//! let [v3, v4, v6, v7] = ["v3", "v4", "v6", "v7"].map(|name| f.output(name, Real));
//! f.independents([v1, v2]).dependents([v3, v4, v6, v7]);
//! f.assign(v3, v1 * v2);
//! f.assign(v4, v1 * v3);
//! f.assign(v6, sin(v4));
//! f.assign(v7, (v3 * v2) * v4);
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = Flat::check(program.finish()?)?;
//!
//! let result = preaccumulate(&program, f, &Options::default())?;
//! let block = &result.blocks[0];
//! assert_eq!(block.lcg.edges().len(), 9);
//! assert_eq!((block.outcome.cost, block.outcome.bound), (10, 10));
//! // All eight entries depend on the point: eight values go on the tape.
//! assert_eq!(block.pushes.len(), 8);
//! let shown: Vec<String> = block.jaes.iter().map(|s| result.text(block, Side::Forward, s)).collect();
//! assert_eq!(shown.len(), 10 + 2); // and two partials are entries as they are
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use bb_preaccum::{
    lcg::Lcg,
    search::{Options as Search, Outcome},
};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    flat::Flat,
    ir::{Expr, Place, Program, Routine, Stmt},
    text,
};
use cfg_transform::told_apart;
use std::{collections::HashMap, ops::Range, sync::Arc};

use crate::{
    blocks::{
        elimination::eliminate,
        preaccumulated::{Choice, code},
        survey::{Found, survey_all},
    },
    externals::with_routines,
    options::Options,
    plan::setting::Setting,
    prepare::prepare,
};

/// All segments of a program that have a Jacobian.
#[derive(Clone, Debug)]
pub struct Preaccumulation {
    /// The segments in the order of the routines (callees first), their vertices and statements.
    pub blocks: Vec<Block>,
    /// The program in normal form, for names of routines and globals. In normal form, function results and computed
    /// arguments have variables of their own.
    pub program: Program,
    /// The variables of both sweeps, by routine.
    sweeps: Vec<Option<(Routine, Routine)>>,
}

/// The sweep that a statement belongs to: the two have different temporaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The forward sweep.
    Forward,
    /// The reverse sweep.
    Reverse,
}

/// A segment of a basic block: assignments that are linearized together.
#[derive(Clone, Debug)]
pub struct Block {
    /// The routine that the block is in.
    pub routine: RoutineId,
    /// The id of the vertex.
    pub vertex: i64,
    /// The statements, by position in the block in normal form.
    pub statements: Range<usize>,
    /// The linearized graph of the block. The tag of an edge is its position in [`Block::labels`].
    pub lcg: Lcg,
    /// Ids and places of the independents: values on entry. Variables are those of the forward sweep, as
    /// everywhere but in [`Block::reverse`].
    pub independents: Vec<(i64, Place)>,
    /// Ids and places of the dependents: active values that are live on exit.
    pub dependents: Vec<(i64, Place)>,
    /// The place whose value each vertex is, by its id less 1; none for an inner value of an expression.
    pub names: Vec<Option<Place>>,
    /// Local partials, by tag.
    pub labels: Vec<Expr>,
    /// The result of the search for an elimination sequence.
    pub outcome: Outcome,
    /// The statements with their local partials (Eqn. (4) of the paper).
    pub linearized: Vec<Stmt>,
    /// The Jacobian accumulation expressions (Eqn. (5)).
    pub jaes: Vec<Stmt>,
    /// The pushes of the entries that are not known before the program runs.
    pub pushes: Vec<Stmt>,
    /// The adjoint block (Eqn. (6)).
    pub reverse: Vec<Stmt>,
    /// The edges that are left: ids of source and target, and the value. If the outcome is complete, they are the
    /// Jacobian.
    pub entries: Vec<(i64, i64, Expr)>,
}

impl Preaccumulation {
    /// A statement as text.
    pub fn text(&self, block: &Block, side: Side, statement: &Stmt) -> String {
        text::stmt_text(self.variables(block, side), &self.program, statement)
    }

    /// Printers for the code of the forward and of the reverse sweep, by routine. A printer collects the names of all
    /// variables once, where [`Preaccumulation::text`] does so for each statement.
    pub fn printers(&self) -> Vec<[text::Printer<'_>; 2]> {
        let all = self.program.routines.iter().zip(&self.sweeps);
        all.map(|(routine, sweeps)| {
            let sweeps = match sweeps {
                Some((forward, reverse)) => [forward, reverse],
                None => [routine, routine],
            };
            sweeps.map(|routine| text::Printer::new(&self.program, routine))
        })
        .collect()
    }

    /// The variables that a block's code uses.
    pub fn variables(&self, block: &Block, side: Side) -> &Routine {
        match (self.sweeps.get(block.routine.index()), side) {
            (Some(Some((forward, _))), Side::Forward) => forward,
            (Some(Some((_, reverse))), Side::Reverse) => reverse,
            _ => self.program.routine(block.routine),
        }
    }
}

/// Linearizes the blocks of a routine and of everything it calls, and searches for elimination sequences; all of them
/// share the budget of the search.
///
/// # Errors
/// R3xx: the routine cannot be differentiated.
pub fn preaccumulate(
    flat: &Flat,
    main: RoutineId,
    search: &Search<'_>,
) -> Result<Preaccumulation, Diagnostics> {
    with(flat, main, |all| eliminate(all, search, search.large, None))
}

/// Does the work of [`preaccumulate`] by a clock. `start` is called once, when everything is linearized and the
/// search begins; the function that it returns says whether a part of the time (from 0 to 1) is over.
///
/// # Errors
/// R3xx: the routine cannot be differentiated.
pub fn preaccumulate_within<T: Fn(f64) -> bool + Sync>(
    flat: &Flat,
    main: RoutineId,
    search: &Search<'_>,
    start: impl FnOnce() -> T,
) -> Result<Preaccumulation, Diagnostics> {
    with(flat, main, |all| {
        let is_over = start();
        // A block of a hundred thousand statements is to take two seconds, not thirty.
        eliminate(all, search, search.large, Some(&is_over))
    })
}

/// Does the work of [`preaccumulate`] with sequences of the caller's own. A sequence need not be complete; blocks
/// whose graphs have no sequence are left out.
///
/// # Errors
/// R3xx: the routine cannot be differentiated.
pub fn preaccumulate_by(
    flat: &Flat,
    main: RoutineId,
    mut sequence: impl FnMut(&Lcg) -> Option<Outcome>,
) -> Result<Preaccumulation, Diagnostics> {
    with(flat, main, |all| {
        let graphs = all.iter().map(|found| found.segment.lcg.as_ref());
        graphs
            .map(|lcg| lcg.and_then(|lcg| sequence(lcg)))
            .collect()
    })
}

fn with(
    flat: &Flat,
    main: RoutineId,
    eliminate: impl FnOnce(&[Found]) -> Vec<Option<Outcome>>,
) -> Result<Preaccumulation, Diagnostics> {
    let flat = &with_routines(flat, main)?;
    let flat = &told_apart(flat, main, false);
    let (prepared, _) = prepare(flat, main, &Options::default())?;
    let setting = Setting::plan(prepared);
    let all = survey_all(&setting);
    let outcomes = eliminate(&all);
    let program = &setting.prepared.context.program;
    let mut result = Preaccumulation {
        blocks: Vec::new(),
        program: program.clone(),
        sweeps: vec![None; program.routines.len()],
    };
    let mut at = 0;
    for &r in &setting.prepared.reachable {
        let Some(mut draft) = setting.draft(r) else {
            continue;
        };
        let mut twins = HashMap::new();
        while let Some(found) = all.get(at).filter(|found| found.routine == r) {
            let outcome = &outcomes[at];
            at += 1;
            let Some(outcome) = outcome else { continue };
            let vertex = draft.cfg.vertex(found.vertex);
            let choice = Choice {
                found,
                steps: outcome.steps.clone(),
            };
            let Ok((segment, code)) = code(&mut draft, &choice, &mut twins) else {
                continue;
            };
            let Some(lcg) = segment.lcg else { continue };
            let id = |v: u32| i64::from(v) + 1;
            let statements = vertex.statements()[found.range.clone()].iter();
            result.blocks.push(Block {
                routine: r,
                vertex: vertex.id,
                statements: found.range.clone(),
                lcg: Arc::unwrap_or_clone(lcg),
                independents: segment
                    .independents
                    .into_iter()
                    .map(|(v, place)| (id(v), place))
                    .collect(),
                dependents: segment
                    .outputs
                    .into_iter()
                    .filter_map(|output| Some((id(output.vertex?), output.place)))
                    .collect(),
                names: segment.names,
                labels: segment.partials,
                outcome: outcome.clone(),
                linearized: segment
                    .code
                    .into_iter()
                    .zip(statements)
                    .flat_map(|(code, s)| code.unwrap_or_else(|| vec![s.clone()]))
                    .collect(),
                jaes: code.jaes,
                pushes: code.pushes,
                reverse: code.reverse,
                entries: code
                    .entries
                    .into_iter()
                    .map(|(source, target, value)| (id(source), id(target), value))
                    .collect(),
            });
        }
        result.sweeps[r.index()] = Some((draft.forward.routine, draft.scope.routine));
    }
    Ok(result)
}
