//! The loops that keep states under a limit of the tape's memory where the program has no checkpoints.
//!
//! Loops of time steps keep states: outermost loops whose iterations record values in loops of their own or in calls of
//! routines with loops. Other loops that record values take less for an iteration than a state would.

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics, Severity,
        site::{Element, Site},
    },
    entity::{RoutineId, VarId, VertexId},
    flat::{Flat, FlatStmt},
    graph::loops::{LoopForest, LoopId},
    ir::{Cfg, Checkpoint, LoopForm, Role, Routine, Stmt, TapeClass, VertexKind, visit::each_name},
    memory::callgraph::CallGraph,
    text::site_text,
    validate::validate,
};
use cfg_transform::{
    checkpoint::{Rerun, outline_possible_checkpoints},
    flat::change_grouped,
};
use fixedbitset::FixedBitSet;
use std::borrow::Cow;

use crate::{
    codes::CHECKPOINT,
    options::{Options, Unstructured},
    reverse::{has_checkpoint, reverse},
};

/// The program in which loops of time steps of the routine and of its callees keep states ([`Checkpoint::Each`]) within
/// [`Options::tape_memory`]. A program with checkpoints, and every program without that limit, stays as it is.
///
/// Loops of time steps that cannot run again are recorded, as without a limit ([`cfg_transform::checkpoint`] has the
/// conditions): there is a warning for each.
///
/// # Errors
/// R3xx: the routine cannot be differentiated.
///
/// ```
/// use cfg_core::{flat::Flat, validate::validate};
/// use cfg_reverse::{Options, keep_states, reverse};
/// use std::borrow::Cow;
///
/// let parsed = cfg_format::text::parse("
/// subroutine f(in integer n, inout real x[100])
///   local integer i, j
///   independent x
///   dependent x
///   for i = 1, n
///     for j = 2, 100
///       x[j] := x[j] + 0.1*sin(x[j - 1])
///     end
///   end
/// end
/// ");
/// let program = Flat::check(validate(parsed.program.ok_or(parsed.problems)?)?)?;
/// let f = program.find_routine("f").expect("there is an f");
/// let options = Options { tape_memory: Some(1_000_000), ..Options::default() };
/// let (limited, warnings) = keep_states(Cow::Owned(program), f, &options)?;
/// assert!(warnings.is_empty());
/// assert!(limited.find_routine("f_step").is_some());
/// let made = reverse(&limited, f, &options)?;
/// assert!(made.program.find_routine("f_steps_rev").is_some());
/// # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
/// ```
pub fn keep_states<'f>(
    flat: Cow<'f, Flat>,
    main: RoutineId,
    options: &Options,
) -> Result<(Cow<'f, Flat>, Diagnostics), Diagnostics> {
    let is_traced = options.unstructured == Unstructured::Trace;
    if is_traced || options.tape_memory.is_none() || flat.routines.iter().any(has_checkpoint) {
        return Ok((flat, Diagnostics::default()));
    }
    let survey = Survey::of_sweeps(&flat, main, options)?;
    let mut warnings = Diagnostics::default();
    let mut loops: Vec<Vec<VertexId>> = Vec::with_capacity(flat.routines.len());
    for (r, routine) in (0..).map(RoutineId::new).zip(&flat.routines) {
        let mut kept = Vec::new();
        for (v, obstacle) in survey.time_loops(r, routine) {
            let Some(why) = obstacle else {
                kept.push(v);
                continue;
            };
            let problem = Diagnostic::error(&CHECKPOINT, why, CHECKPOINT.explanation);
            let site = Site::whole(r, Element::Vertex(v));
            let words = site_text(flat.grouped(), &site);
            warnings.push(problem.at_element(words).at_site_in(flat.grouped(), site));
        }
        loops.push(kept);
    }
    let limited = change_grouped(flat.into_owned(), |program| {
        for (routine, loops) in program.routines.iter_mut().zip(loops) {
            if let Some(cfg) = &mut routine.body {
                for v in loops {
                    cfg.vertex_mut(v).checkpoint = Some(Checkpoint::Each);
                }
            }
        }
        let marked = validate(std::mem::take(program))?;
        let (outlined, refused) = outline_possible_checkpoints(marked)?;
        *program = outlined.into_program();
        warnings.0.extend(refused.0);
        // The parts that cannot run again.
        for r in 0..program.routines.len() {
            if Rerun::find(program, RoutineId::new(r)).is_none() {
                let vertices = program.routines[r].body.iter_mut();
                let vertices = vertices.flat_map(Cfg::vertices_mut);
                vertices.for_each(|vertex| vertex.checkpoint = None);
            }
        }
        Ok(())
    })?;
    for warning in &mut warnings.0 {
        warning.severity = Severity::Warning;
        warning.message = format!(
            "a loop is recorded, whatever the limit: {}",
            warning.message
        );
        warning.help =
            "mark a loop within it by {checkpoint N}, or write it so that it can run again".into();
    }
    Ok((Cow::Owned(limited), warnings))
}

/// Facts about the routines of a program, and about what their sweeps record.
struct Survey {
    /// The statements that record values other than control, by their number.
    recorded: Vec<FixedBitSet>,
    /// The routines that record values, in callees also.
    records: Vec<bool>,
    /// The routines with loops, in callees also.
    has_loop: Vec<bool>,
    /// The routines that are not called from within a loop.
    is_outside: Vec<bool>,
}

impl Survey {
    /// Reverses the program to see what is recorded.
    fn of_sweeps(flat: &Flat, main: RoutineId, options: &Options) -> Result<Self, Diagnostics> {
        let made = reverse(flat, main, options)?;
        let count = flat.routines.len();
        let mut recorded = vec![FixedBitSet::new(); count];
        let gradient = made.program.routine(made.gradient);
        let is_whole = !gradient
            .statements()
            .any(|s| s.kind.callee() == Some(made.forward));
        for &(original, forward, _) in &made.sweeps {
            // A gradient with both sweeps within records less than the forward sweep: not the loops that are reversed
            // at its turn.
            let sweep = match original == main && is_whole {
                true => made.gradient,
                false => forward,
            };
            let statements = made.program.routine(sweep).statements();
            let values = statements.filter(|s| is_push_of_value(s));
            if let Some(recorded) = recorded.get_mut(original.index()) {
                for number in values.filter_map(|s| s.origin.number()) {
                    recorded.grow_and_insert(number);
                }
            }
        }
        let calls = CallGraph::build(flat);
        let mut records: Vec<bool> = recorded.iter().map(|r| !r.is_clear()).collect();
        let mut has_loop: Vec<bool> = flat.routines.iter().map(has_loop).collect();
        calls.propagate(&mut records, |a, b| *a |= b);
        calls.propagate(&mut has_loop, |a, b| *a |= b);
        let mut is_outside = vec![false; count];
        let mut is_inside = vec![false; count];
        for r in calls.reachable(main) {
            is_outside[r.index()] = true;
            let Some(cfg) = &flat.routine(r).body else {
                continue;
            };
            let forest = cfg.entry().map(|entry| LoopForest::new(cfg, entry.index()));
            for (v, vertex) in cfg.vertices() {
                let is_repeated = forest
                    .as_ref()
                    .is_some_and(|f| f.innermost(v.index()).is_some());
                let called = vertex.statements().iter().filter_map(|s| s.kind.callee());
                called
                    .filter(|_| is_repeated)
                    .for_each(|c| is_inside[c.index()] = true);
            }
        }
        // All that is called from inside is inside.
        let mut open: Vec<usize> = (0..count).filter(|&r| is_inside[r]).collect();
        while let Some(r) = open.pop() {
            is_outside[r] = false;
            for callee in calls.callees(RoutineId::new(r)) {
                if !std::mem::replace(&mut is_inside[callee.index()], true) {
                    open.push(callee.index());
                }
            }
        }
        Ok(Self {
            recorded,
            records,
            has_loop,
            is_outside,
        })
    }

    /// The loops of time steps of a routine, each with the reason why it can keep no states, if there is one.
    fn time_loops(&self, r: RoutineId, routine: &Routine) -> Vec<(VertexId, Option<String>)> {
        let Some(cfg) = routine.body.as_ref().filter(|_| self.is_outside[r.index()]) else {
            return Vec::new();
        };
        let Some(entry) = cfg.entry() else {
            return Vec::new();
        };
        let forest = LoopForest::new(cfg, entry.index());
        let first_numbers = first_numbers(cfg);
        let steps_in_time = |l: LoopId| {
            let (mut records, mut has_inner, mut obstacle) = (false, false, None);
            for &v in forest.members(l) {
                let vertex = cfg.vertex(VertexId::new(v));
                has_inner |= vertex.kind.test().is_some() && v != forest.get(l).header;
                for (number, statement) in (first_numbers[v]..).zip(vertex.statements()) {
                    records |= self.recorded[r.index()].contains(number);
                    if let Some(callee) = statement.kind.callee() {
                        records |= self.records[callee.index()];
                        has_inner |= self.has_loop[callee.index()];
                    }
                    each_name(statement, &mut |v, _| {
                        obstacle = obstacle.or_else(|| (!can_be_in_state(routine, v)).then_some(v));
                    });
                }
            }
            let header = VertexId::new(forest.get(l).header);
            let form = match &cfg.vertex(header).kind {
                VertexKind::Loop { form, .. } => *form,
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::Block(_)
                | VertexKind::EndLoop
                | VertexKind::Branch(_)
                | VertexKind::EndBranch => return None,
            };
            let why = match (form, obstacle) {
                (LoopForm::ForLoop, _) => Some("a FORLOOP has no checkpoint".to_owned()),
                (LoopForm::Loop, v) => v.map(|v| {
                    let name = &routine.variable(v).name;
                    format!("'{name}' cannot belong to a state")
                }),
            };
            (records && has_inner).then_some((header, why))
        };
        let outermost = forest.loops().filter(|l| forest.get(*l).parent.is_none());
        outermost.filter_map(steps_in_time).collect()
    }
}

fn can_be_in_state(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    let is_optional = matches!(variable.role, Role::Parameter { optional: true, .. });
    !is_optional && !variable.ty.is_tape()
}

/// The number of the first statement of each vertex.
fn first_numbers(cfg: &Cfg) -> Vec<usize> {
    let counts = cfg.vertices().map(|(_, vertex)| vertex.statements().len());
    let before = counts.scan(0, |sum, n| {
        *sum += n;
        Some(*sum - n)
    });
    before.collect()
}

fn has_loop(routine: &Routine) -> bool {
    let mut vertices = routine.body.iter().flat_map(Cfg::vertices);
    vertices.any(|(_, vertex)| vertex.kind.test().is_some())
}

fn is_push_of_value(statement: &Stmt) -> bool {
    match FlatStmt::view(&statement.kind) {
        FlatStmt::Push { class, .. } => !matches!(class, TapeClass::Control(_)),
        FlatStmt::Assign { .. }
        | FlatStmt::Call { .. }
        | FlatStmt::Pop { .. }
        | FlatStmt::Opaque { .. }
        | FlatStmt::Stop { .. } => false,
    }
}
