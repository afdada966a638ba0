//! Transformation of a program to its forward sweep, reverse sweep and gradient (split mode: one tape between two
//! routines).

use cfg_analysis::reach::Reach;
use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::{Cfg, Program, Routine, Signature},
};
use cfg_transform::{checkpoint::outline_checkpoints, told_apart};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::{
    blocks::{
        carried::choose::carry,
        choose,
        drafts::drafts,
        elimination::{THOROUGH, eliminate, search_options},
        survey::survey_all,
    },
    checkpoint::{
        Planning, advance::advance_routine, checkpointed, joint::Joint, measured::Measured,
        placement::placement_routine, restart,
    },
    code::{names::Namer, routines::without_body, rows::Rows},
    control::merge,
    externals::with_routines,
    gradient::{
        changes::{Elements, note_changes, popped_elements},
        gradient, turn,
    },
    options::{Blocks, Options, Order, Overlap, Results, Unstructured},
    plan::{draft::Draft, provisions::Provisions, setting::Setting},
    prepare::{places::in_program, prepare},
    promised::check_promises,
    records::regrouped,
    sweeps::Sweeps,
};

/// The sweeps of a reversal for arguments that do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApartSweeps {
    /// The forward sweep.
    pub forward: RoutineId,
    /// The reverse sweep.
    pub reverse: RoutineId,
    /// The gradient.
    pub gradient: RoutineId,
}

/// The result of [`reverse`]: the program with the generated routines, and their ids.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// The original routines, then the generated ones. The originals are unchanged, except that external functions of
    /// arrays have got derivatives or a body.
    pub program: Program,
    /// The routine that was reversed.
    pub original: RoutineId,
    /// The forward sweep NAME_fwd of the original: parameters, result, tape.
    pub forward: RoutineId,
    /// The reverse sweep NAME_rev of the original: parameters, result, adjoints of the real ones, tape.
    pub reverse: RoutineId,
    /// The two sweeps in one, NAME_grad: parameters, result, adjoints of the real ones.
    pub gradient: RoutineId,
    /// The roles of the parameters of NAME_grad. [`Signature::from_origins`] has those of the other routines.
    pub signature: Signature,
    /// The original, its forward and its reverse sweep for every routine that is differentiated, in the order of the
    /// program.
    pub sweeps: Vec<(RoutineId, RoutineId, RoutineId)>,
    /// The adjoint of each global that has one.
    pub adjoint_globals: Vec<(GlobalId, GlobalId)>,
    /// The sweeps for callers whose arguments do not overlap, if the program has such a version
    /// ([`crate::reverse_in_versions`]).
    pub apart: Option<ApartSweeps>,
}

impl Reversal {
    /// The reversal with the records of the program from which `flat`, the reversed one, was made: the adjoint of a
    /// record has the type of the record. Without records, the reversal itself.
    ///
    /// # Errors
    /// M503: a variable or a statement has no form with records.
    pub fn regrouped(self, flat: &Flat) -> Result<Self, Diagnostics> {
        let sweeps = self.sweeps.iter();
        let mut made: Vec<_> = sweeps.flat_map(|&(o, f, r)| [(o, f), (o, r)]).collect();
        made.push((self.original, self.gradient));
        let (program, adjoint_globals) =
            regrouped(flat, self.program, &made, &self.adjoint_globals)?;
        Ok(Self {
            signature: Signature::from_origins(&program, self.gradient),
            adjoint_globals,
            program,
            ..self
        })
    }
}

/// Builds the adjoint of a routine and of everything it calls.
///
/// The routine's independents and dependents decide which variables are active. The result is a flat program
/// in the same representation: it can be validated, run, and differentiated again (its tangent).
/// [`Reversal::regrouped`] has it with records.
///
/// # Errors
/// R3xx: the routine cannot be differentiated; all problems at once.
pub fn reverse(flat: &Flat, main: RoutineId, options: &Options) -> Result<Reversal, Diagnostics> {
    reversed(flat, main, options).map_err(|problems| flat.place_in_grouped(problems))
}

fn reversed(flat: &Flat, main: RoutineId, options: &Options) -> Result<Reversal, Diagnostics> {
    check_promises(flat)?;
    let flat = &with_routines(&with_checkpoints(flat, main, options)?, main)?;
    let apart = &told_apart(flat, main, options.overlap == Overlap::None);
    let (prepared, out) = prepare(apart, main, options)?;
    let mut setting = Setting::plan(prepared);
    carry(&mut setting, options).map_err(|problems| {
        in_program(flat.program(), &setting.prepared.context.program, problems)
    })?;
    let normal = &setting.prepared.context.program;
    let placed = |problems| in_program(flat.program(), normal, problems);
    let routines = drafted(&setting, options).map_err(placed)?;
    let mut program = out;
    let sweeps = emit(&setting, main, routines, &mut program, options)?;
    let gradient = RoutineId::new(program.routines.len() - 1);
    let context = &setting.prepared.context;
    let (forward, reverse) = context.sweeps[main.index()].unwrap_or((main, main));
    let adjoints = context.adjoint_globals.iter().enumerate();
    let adjoint_globals = adjoints
        .filter_map(|(g, adjoint)| Some((GlobalId::new(g), (*adjoint)?)))
        .collect();
    // An original takes over the graph of its normal form, if normalization left that unchanged, rather than a copy
    // of its own.
    let graphs = setting.prepared.into_unchanged();
    let originals = flat.program().routines.iter().zip(graphs);
    for (slot, (original, graph)) in program.routines.iter_mut().zip(originals) {
        *slot = match graph {
            Some(mut graph) => {
                // The statements of the normal form have origins; those of the original get back the ones that they
                // came with.
                let vertices = original.body.iter().flat_map(Cfg::vertices);
                let theirs = vertices.flat_map(|(_, vertex)| vertex.statements());
                let vertices = graph.vertices_mut();
                let own = vertices.filter_map(|vertex| vertex.kind.statements_mut());
                for (statement, original) in own.flatten().zip(theirs) {
                    statement.origin = original.origin;
                }
                Routine {
                    body: Some(graph),
                    ..without_body(original)
                }
            }
            None => original.clone(),
        };
    }
    Ok(Reversal {
        original: main,
        forward,
        reverse,
        gradient,
        signature: Signature::from_origins(&program, gradient),
        sweeps,
        adjoint_globals,
        apart: None,
        program,
    })
}

/// The program with its checkpointed parts as routines, unless all is recorded by the numbers of blocks.
pub(crate) fn with_checkpoints(
    flat: &Flat,
    main: RoutineId,
    options: &Options,
) -> Result<Flat, Diagnostics> {
    let is_traced = options.unstructured == Unstructured::Trace;
    match flat.routines.iter().any(has_checkpoint) && !is_traced {
        true => {
            let outlined = outline_checkpoints((**flat).clone(), main)?;
            Flat::made(outlined, flat.provenance().clone())
        }
        false => Ok(flat.clone()),
    }
}

/// True of a routine with a checkpoint.
pub(crate) fn has_checkpoint(routine: &Routine) -> bool {
    let mut vertices = routine.body.iter().flat_map(Cfg::vertices);
    vertices.any(|(_, v)| v.checkpoint.is_some())
}

/// The drafts of all routines, with blocks written as the options say.
pub(crate) fn drafted<'p>(
    setting: &'p Setting<'_>,
    options: &Options,
) -> Result<Vec<Option<Draft<'p>>>, Diagnostics> {
    match options.blocks {
        Blocks::Carry | Blocks::Statement => drafts(setting, &[]),
        Blocks::Preaccumulate => {
            let all = survey_all(setting);
            let search = search_options(options);
            let outcomes = eliminate(&all, &search, THOROUGH, None);
            drafts(setting, &choose::complete(&all, &outcomes))
        }
        Blocks::Auto => choose::cheapest(setting, options),
    }
}

/// Adds the sweeps of every routine that is differentiated, and last the gradient; returns the sweeps with their
/// originals.
fn emit(
    setting: &Setting<'_>,
    main: RoutineId,
    drafts: Vec<Option<Draft<'_>>>,
    out: &mut Program,
    options: &Options,
) -> Result<Vec<(RoutineId, RoutineId, RoutineId)>, Diagnostics> {
    let context = &setting.prepared.context;
    let mut namer = Namer::new(context.program.routines.iter().map(|r| r.name.as_str()));
    let mut pairs = Vec::new();
    let mut changed = Reach::default();
    let mut elements = Elements::new();
    let mut sources = FixedBitSet::with_capacity(context.nodes().len());
    let mut in_one = None;
    let mut next = out.routines.len() + 2 * context.sweeps.iter().flatten().count();
    let mut numbered = |count: usize| {
        next += count;
        RoutineId::new(next - count)
    };
    let kept = || context.reruns.iter().flatten();
    let is_planned = kept().any(|kept| kept.is_loop);
    let is_placed = kept().any(|kept| kept.disk() > 0);
    let planning = Planning {
        advance: numbered(is_planned.into()),
        placement: numbered(is_placed.into()),
        restarts: context.restarts.then(|| numbered(restart::ROLES.len())),
    };
    let mut measured = Measured::numbered_from(numbered(0).index());
    let mut joint = Joint::of_reruns(context);
    for mut draft in drafts.into_iter().flatten() {
        let read = Provisions::element_reads(context, &draft);
        let adjoints = std::mem::replace(&mut draft.adjoints, Rows::with_capacity(0));
        let original = context.program.routine(draft.id);
        let provisions = Provisions::solve_with(context, &draft, read, &[]);
        note_changes(context, &draft, &provisions, &mut sources, &mut changed);
        // Sweeps that keep states are written apart.
        let in_one_routine = draft.id == main && context.reruns[main.index()].is_none();
        let loops = match options.order {
            Order::Program if in_one_routine => turn::candidates(context, &draft),
            Order::Program | Order::Reverse => Vec::new(),
        };
        let is_sliced = in_one_routine
            && options.results == Results::Drop
            && turn::may_be_joined(context, &draft);
        let adjoints_again = (is_sliced || !loops.is_empty()).then(|| (loops, adjoints.clone()));
        let is_joint = draft.id != main && joint.is_wanted(context, &draft);
        let adjoints_at_once = is_joint.then(|| adjoints.clone());
        if draft.id == main {
            elements = popped_elements(context, &draft, &provisions);
        }
        let sweeps = Sweeps {
            context,
            draft: &draft,
            provisions: &provisions,
            in_one: false,
        };
        let names = ["fwd", "rev"].map(|of| namer.fresh_name(format!("{}_{of}", original.name)));
        let (mut forward, mut reverse) = match &context.reruns[draft.id.index()] {
            Some(kept) => checkpointed(&sweeps, kept, (planning, &mut measured), &adjoints, names)?,
            None => {
                let [forward, reverse] = names;
                (sweeps.forward(forward)?, sweeps.reverse(reverse, adjoints)?)
            }
        };
        reverse.aliased |= context.overlapping.contains(draft.id.index());
        if options.merge {
            forward = merge::merge(forward);
            reverse = merge::merge(reverse);
        }
        if let Some((f, b)) = context.sweeps[draft.id.index()] {
            pairs.push((draft.id, f, b));
        }
        out.routines.push(forward);
        out.routines.push(reverse);
        if let Some(adjoints) = adjoints_at_once {
            joint.slice(context, &mut draft, adjoints, options.merge)?;
        }
        in_one = in_one.or(adjoints_again.map(|(loops, adjoints)| (draft, loops, adjoints)));
    }
    if is_planned {
        let name = namer.fresh_name("checkpoint_advance".to_owned());
        out.routines.push(advance_routine(name));
    }
    if is_placed {
        let name = namer.fresh_name("checkpoint_placement".to_owned());
        out.routines.push(placement_routine(name)?);
    }
    if planning.restarts.is_some() {
        restart::write_routines(&mut namer, &mut out.routines);
    }
    let kept = pairs
        .iter()
        .filter(|(original, ..)| context.reruns[original.index()].is_some());
    let originals: HashMap<_, _> = kept
        .map(|&(original, sweep, _)| (sweep, original))
        .collect();
    measured.write(out, &mut namer, &originals);
    pairs.extend(joint.write(context, &mut namer, out));
    let (forward, reverse) = context.sweeps[main.index()].unwrap_or((main, main));
    let changed = changed.forward(context.nodes().len(), &sources);
    let name = namer.fresh_name(format!("{}_grad", context.program.routine(main).name));
    let at_turn = in_one.map(|(mut draft, loops, adjoints)| {
        draft.adjoints = adjoints;
        turn::at_turn(context, &mut draft, &loops, out, options.results)
    });
    let gradient = match at_turn.transpose()?.flatten() {
        Some(routine) => {
            let routine = Routine { name, ..routine };
            match options.merge {
                true => merge::merge(routine),
                false => routine,
            }
        }
        None => gradient(
            context,
            main,
            out,
            (forward, reverse),
            name,
            (&changed, &elements),
            options.results,
        )?,
    };
    out.routines.push(gradient);
    Ok(pairs)
}
