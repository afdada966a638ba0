//! From a program to its forward sweep, reverse sweep and gradient (split mode: one tape between two
//! routines).

use bb_preaccum::{
    cost::CostModel,
    heuristic::{Heuristic, Technique},
};
use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Control, Dim, Edge, Expr, Extent, Intent, Place, Program, Role, Routine, ScalarType,
        Stmt, StmtKind, Variable, Vertex, VertexKind,
    },
    memory::global_set::GlobalSet,
    recover::recover,
    structure::Structure,
    validate::ValidProgram,
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::{
    activity::{Activity, Nodes, Reach},
    blocks::{self, Blocks, Choice, Found},
    built, choose, codes,
    draft::{self, Context, Draft, Shape, class_of, routine_shell},
    general::General,
    globals, gradient, lower,
    names::Namer,
    normalize::{self, Effects, Normal},
    plan::{self, Needed, Tbr},
    results,
    rows::Rows,
    shared,
    splice::Splice,
    sweeps::Sweeps,
    tangent::add_derivative_globals,
};

/// Choices of [`reverse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Count the iterations of counted loops too, although the reverse sweep could recompute how many
    /// there were.
    pub counters: bool,
    /// Merge the inserted control blocks into neighbouring basic blocks.
    pub merge: bool,
    /// How the adjoints of basic blocks are built.
    pub blocks: Blocks,
    /// Steps of the search for elimination sequences, for the whole program.
    pub work: u64,
    /// What else the search is told.
    pub search: Search,
    /// How routines with general control flow are reversed; [`Unstructured::Trace`] is for all.
    pub unstructured: Unstructured,
}

/// What the search for elimination sequences is told; see [`bb_preaccum::search::Options`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// Which products count.
    pub model: CostModel,
    /// The class of sequences; `None` takes the best of all.
    pub technique: Option<Technique>,
    /// Nothing but this heuristic.
    pub heuristic: Option<Heuristic>,
    /// Seed of the pseudo-random numbers.
    pub seed: u64,
    /// Prove the optimum, whatever it takes.
    pub exact: bool,
}

impl Search {
    /// What counts is what is computed at run time.
    pub const DEFAULT: Self = Self {
        model: CostModel::ConstantAware,
        technique: None,
        heuristic: None,
        seed: 0,
        exact: false,
    };
}

impl Default for Search {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How routines with general control flow are reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unstructured {
    /// By their loops and merges: trip counts, and at each merge which edge was taken.
    #[default]
    Structure,
    /// By recording the number of each block that is executed, for comparison: structured routines too.
    Trace,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            counters: false,
            merge: false,
            blocks: Blocks::default(),
            work: bb_preaccum::search::DEFAULT_WORK,
            search: Search::default(),
            unstructured: Unstructured::default(),
        }
    }
}

/// What [`reverse`] gives: the program with the generated routines, and which they are.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// The original routines, unchanged, then the generated ones.
    pub program: Program,
    /// The routine that was reversed.
    pub original: RoutineId,
    /// Its forward sweep NAME_fwd: parameters, result, tape.
    pub forward: RoutineId,
    /// Its reverse sweep NAME_rev: parameters, result, adjoints of the real ones, tape.
    pub reverse: RoutineId,
    /// Both in one, NAME_grad: parameters, result, adjoints of the real ones.
    pub gradient: RoutineId,
    /// For every routine that is differentiated, in the order of the program: the original, its forward
    /// and its reverse sweep.
    pub sweeps: Vec<(RoutineId, RoutineId, RoutineId)>,
    /// The adjoint of each global that has one.
    pub adjoint_globals: Vec<(GlobalId, GlobalId)>,
}

/// Builds the adjoint of a routine and of everything it calls.
///
/// The routine's independents and dependents decide which variables are active. The result is a program
/// in the same representation: it can be validated, run, and differentiated again (its tangent).
///
/// # Errors
/// R3xx: what cannot be differentiated, all problems at once.
pub fn reverse(
    valid: &ValidProgram,
    main: RoutineId,
    options: &Options,
) -> Result<Reversal, Diagnostics> {
    let (mut reversal, normal) = prepare(valid, main, options, |setting, out| {
        let drafts = match options.blocks {
            Blocks::Statement => setting.drafts(&[])?,
            Blocks::Preaccumulate => {
                let all = setting.survey();
                let outcomes = blocks::eliminate(
                    &all,
                    &blocks::search_options(options),
                    blocks::THOROUGH,
                    None,
                );
                setting.drafts(&choose::complete(&all, &outcomes))?
            }
            Blocks::Auto => choose::cheapest(setting, options)?,
        };
        emit(
            setting.context,
            main,
            setting.reachable,
            drafts,
            out,
            options,
        )
    })?;
    // The originals, with the graphs of their normal forms where those are the same.
    let originals = valid.program().routines.iter().zip(normal);
    for (slot, (original, graph)) in reversal.program.routines.iter_mut().zip(originals) {
        *slot = match graph {
            Some(graph) => Routine {
                body: Some(graph),
                ..normalize::without_body(original)
            },
            None => original.clone(),
        };
    }
    Ok(reversal)
}

/// A program ready to be written.
pub(crate) struct Setting<'a, 'p> {
    pub(crate) context: &'a Context<'p>,
    pub(crate) reachable: &'a [RoutineId],
    shapes: &'a [Option<Shape<'p>>],
    normals: &'a [Option<Normal>],
}

impl<'p> Setting<'_, 'p> {
    /// Declarations of a routine that is differentiated.
    pub(crate) fn draft(&self, r: RoutineId) -> Option<Draft<'p>> {
        self.context.sweeps[r.index()]?;
        let shape = self.shapes[r.index()]?;
        let normal = self.normals[r.index()].as_ref()?;
        Draft::new(self.context, r, normal, shape)
    }

    /// All segments of all routines.
    pub(crate) fn survey(&self) -> Vec<Found> {
        let mut all = Vec::new();
        for &r in self.reachable {
            if let Some(mut draft) = self.draft(r) {
                blocks::survey(self.context, &mut draft, &mut all);
            }
        }
        all
    }

    /// Writes every routine, and solves what is to be recorded.
    pub(crate) fn drafts(
        &self,
        choices: &[Choice<'_>],
    ) -> Result<Vec<Option<Draft<'p>>>, Diagnostics> {
        let mut found = Vec::new();
        let mut drafts: Vec<Option<Draft<'_>>> = self.normals.iter().map(|_| None).collect();
        let mut own: Vec<Vec<Choice<'_>>> = vec![Vec::new(); drafts.len()];
        for choice in choices {
            own[choice.found.routine.index()].push(choice.clone());
        }
        for &r in self.reachable {
            let Some(mut draft) = self.draft(r) else {
                continue;
            };
            draft.write(self.context, &own[r.index()], &mut found);
            drafts[r.index()] = Some(draft);
        }
        if !found.is_empty() {
            return Err(Diagnostics(found));
        }
        solve_across_calls(self.context, self.reachable, &mut drafts);
        Ok(drafts)
    }
}

/// Everything before the first decision on how a block is written. In the program that is given to `then`
/// the places of the original routines are empty. Gives back the graphs that normalization left as they
/// were.
pub(crate) fn prepare<T>(
    valid: &ValidProgram,
    main: RoutineId,
    options: &Options,
    then: impl FnOnce(&Setting<'_, '_>, Program) -> Result<T, Diagnostics>,
) -> Result<(T, Vec<Option<Cfg>>), Diagnostics> {
    let program = valid.program();
    let mut found = Vec::new();
    check_main(program, main, &mut found);
    if !found.is_empty() {
        return Err(Diagnostics(found));
    }
    results::of_main(program.routine(main))?;
    shared::check_independents(program, main)?;
    let effects = Effects::of(program);
    let reachable = effects.reachable(main);
    let mut normals: Vec<Option<Normal>> = program.routines.iter().map(|_| None).collect();
    let mut structures: Vec<Option<Structure>> = program.routines.iter().map(|_| None).collect();
    // A trace is of blocks and jumps, whatever their structure is.
    let trace = options.unstructured == Unstructured::Trace;
    let declared = |r: RoutineId| valid.structure(r).filter(|_| !trace);
    for &r in &reachable {
        let mut normal = normalize::normalize(program, &effects, r);
        let split = normal.split(program)?;
        if declared(r).is_none() {
            structures[r.index()] = structure(program, &effects, &mut normal, options)?;
            normal.changed = true;
        } else if let (true, Some(cfg)) = (split, &normal.routine.body) {
            structures[r.index()] = Some(built::structure(cfg)?);
        }
        normals[r.index()] = Some(normal);
    }
    let mut out = Program {
        routines: vec![Routine::default(); program.routines.len()],
        globals: program.globals.clone(),
        main: program.main,
        annotations: program.annotations.clone(),
    };
    let adjoint_globals = add_derivative_globals(
        program,
        &effects,
        main,
        &mut normals,
        &mut out,
        "b",
        "adjoint",
    );
    // Routines name the adjoint globals too.
    let normal = Program {
        globals: out.globals.clone(),
        ..draft::normal_program(program, &mut normals)
    };
    let nodes = Nodes::new(&normal);
    let activity = Activity::of(&normal, &effects, &nodes, main);
    let sweeps = number_sweeps(&normal, &effects, &nodes, &activity, &reachable, main);
    let context = Context {
        program: &normal,
        effects: &effects,
        nodes: &nodes,
        activity: &activity,
        sweeps: &sweeps,
        adjoint_globals: &adjoint_globals,
        counters: options.counters,
        trace,
    };
    let generals: Vec<Option<General>> = (normal.routines.iter().enumerate())
        .map(|(r, routine)| {
            let known = structures[r].as_ref().or(declared(RoutineId::new(r)));
            let cfg = routine.body.as_ref().filter(|_| known.is_none())?;
            sweeps[r]?;
            let counters = options.counters;
            Some(General::of(&normal, &effects, routine, cfg, counters))
        })
        .collect();
    let shapes: Vec<Option<Shape<'_>>> = (0..generals.len())
        .map(|r| {
            let structure = structures[r].as_ref();
            structure
                .or(declared(RoutineId::new(r)))
                .map(Shape::Structured)
                .or_else(|| generals[r].as_ref().map(Shape::General))
        })
        .collect();
    let setting = Setting {
        context: &context,
        reachable: &reachable,
        shapes: &shapes,
        normals: &normals,
    };
    let done = then(&setting, out)?;
    let graphs = normal.routines.into_iter().zip(&normals);
    let same = graphs.map(|(routine, normal)| {
        routine
            .body
            .filter(|_| normal.as_ref().is_some_and(|n| !n.changed))
    });
    Ok((done, same.collect()))
}

fn check_main(program: &Program, main: RoutineId, found: &mut Vec<Diagnostic>) {
    let routine = program.routine(main);
    let element = format!("routine {}", routine.name);
    if routine.body.is_none() {
        found.push(
            Diagnostic::error(
                &codes::NO_BODY,
                format!("`{}` has no body", routine.name),
                codes::NO_BODY.explanation,
            )
            .at_element(element.clone()),
        );
    }
    let none = |what| format!("`{}` declares no {what}", routine.name);
    for (list, what) in [
        (&routine.independents, "independents"),
        (&routine.dependents, "dependents"),
    ] {
        if list.is_empty() {
            found.push(
                Diagnostic::error(&codes::NOTHING, none(what), codes::NOTHING.explanation)
                    .at_element(element.clone()),
            );
        }
    }
}

/// Finds the structure that a graph has although it is not declared; its LOOP vertices that do not head
/// loops become branches.
fn structure(
    program: &Program,
    effects: &Effects,
    normal: &mut Normal,
    options: &Options,
) -> Result<Option<Structure>, Diagnostics> {
    let mut routine = std::mem::take(&mut normal.routine);
    let trace = options.unstructured == Unstructured::Trace;
    if !trace {
        routine = recover(program, &routine);
    }
    let recovered = (routine.control, loops(&routine));
    normal.routine = lower::lower(program, effects, routine, trace, &mut normal.namer)?;
    let is_structured = recovered == (Control::Structured, loops(&normal.routine));
    match &normal.routine.body {
        Some(cfg) if is_structured && !trace => Ok(Some(built::structure(cfg)?)),
        _ => {
            normal.routine.control = Control::General;
            Ok(None)
        }
    }
}

/// Number of LOOP vertices.
fn loops(routine: &Routine) -> usize {
    let vertices = routine.body.iter().flat_map(Cfg::vertices);
    vertices
        .filter(|(_, v)| matches!(v.kind, VertexKind::Loop { .. }))
        .count()
}

/// Gives ids to the sweeps of every routine that has a body, and an active variable or a call of a routine
/// with sweeps that uses an active global: a routine does not name the globals that only its callees use.
fn number_sweeps(
    normal: &Program,
    effects: &Effects,
    nodes: &Nodes,
    activity: &Activity,
    reachable: &[RoutineId],
    main: RoutineId,
) -> Vec<Option<(RoutineId, RoutineId)>> {
    let n = normal.routines.len();
    let mut differentiated = FixedBitSet::with_capacity(n);
    // Routines that reach an active global, and what has to be done for their callers.
    let mut reaches = FixedBitSet::with_capacity(n);
    let mut work = Vec::new();
    let mut callers: Vec<Vec<RoutineId>> = vec![Vec::new(); n];
    for &r in reachable {
        let routine = normal.routine(r);
        if routine.body.is_none() {
            continue;
        }
        for callee in &effects.callees[r.index()] {
            callers[callee.index()].push(r);
        }
        let is_given = has_given_adjoint(routine);
        let (mut active, mut global) = (false, false);
        for (v, variable) in routine.variables.iter().enumerate() {
            if variable.ty.is_real() && activity.is_active(nodes.of(r, routine, VarId::new(v))) {
                active = true;
                global |= matches!(variable.role, Role::Global(_));
            }
        }
        if r == main || (active && !is_given) {
            differentiated.insert(r.index());
        }
        if global && !is_given {
            reaches.insert(r.index());
            work.push(r);
        }
    }
    while let Some(r) = work.pop() {
        for &caller in &callers[r.index()] {
            if !has_given_adjoint(normal.routine(caller)) && !reaches.put(caller.index()) {
                differentiated.insert(caller.index());
                work.push(caller);
            }
        }
    }
    let mut next = n;
    let mut sweeps = vec![None; normal.routines.len()];
    for r in differentiated.ones() {
        sweeps[r] = Some((RoutineId::new(next), RoutineId::new(next + 1)));
        next += 2;
    }
    sweeps
}

fn has_given_adjoint(routine: &Routine) -> bool {
    let given = routine.derivatives.as_ref();
    given.is_some_and(|d| d.adjoint.is_some())
}

pub(crate) fn solve<'a>(context: &'a Context<'_>, draft: &'a Draft<'_>) -> Tbr<'a> {
    Tbr::solve(context, draft)
}

/// What a callee's reverse sweep reads must survive in its callers: repeats until nothing grows.
fn solve_across_calls<'p>(
    context: &Context<'p>,
    reachable: &[RoutineId],
    drafts: &mut [Option<Draft<'p>>],
) {
    let mut needed = vec![Needed::default(); drafts.len()];
    let mut callers: Vec<Vec<RoutineId>> = vec![Vec::new(); drafts.len()];
    for &r in reachable {
        for c in &context.effects.callees[r.index()] {
            callers[c.index()].push(r);
        }
    }
    let mut queued = FixedBitSet::with_capacity(drafts.len());
    let mut work: std::collections::VecDeque<RoutineId> = reachable.iter().copied().collect();
    queued.extend(reachable.iter().map(|r| r.index()));
    while let Some(r) = work.pop_front() {
        queued.set(r.index(), false);
        let Some(draft) = &mut drafts[r.index()] else {
            continue;
        };
        draft.read_after_calls(context, &needed);
        if callers[r.index()].is_empty() {
            continue;
        }
        let draft = &*draft;
        let tbr = solve(context, draft);
        let now = plan::needed_at_exit(context.program.routine(r), &tbr, draft.exit());
        if now != needed[r.index()] {
            needed[r.index()] = now;
            for &caller in &callers[r.index()] {
                if !queued.put(caller.index()) {
                    work.push_back(caller);
                }
            }
        }
    }
}

fn emit(
    context: &Context<'_>,
    main: RoutineId,
    reachable: &[RoutineId],
    drafts: Vec<Option<Draft<'_>>>,
    mut out: Program,
    options: &Options,
) -> Result<Reversal, Diagnostics> {
    let mut namer = Namer::new(context.program.routines.iter().map(|r| r.name.as_str()));
    let overlapping = overlapping(context, reachable);
    let mut pairs = Vec::new();
    let mut changed = Reach::default();
    let mut sources = FixedBitSet::with_capacity(context.nodes.len());
    for mut draft in drafts.into_iter().flatten() {
        let adjoints = std::mem::replace(&mut draft.adjoints, Rows::with_capacity(0));
        let original = context.program.routine(draft.id);
        let tbr = solve(context, &draft);
        note_changes(context, &draft, &tbr, &mut sources, &mut changed);
        let sweeps = Sweeps {
            context,
            draft: &draft,
            tbr: &tbr,
        };
        let mut forward = sweeps.forward(namer.suffixed(format!("{}_fwd", original.name)))?;
        let mut reverse =
            sweeps.reverse(namer.suffixed(format!("{}_rev", original.name)), adjoints)?;
        reverse.aliased |= overlapping.contains(draft.id.index());
        if options.merge {
            forward = crate::merge::merge(forward)?;
            reverse = crate::merge::merge(reverse)?;
        }
        if let Some((f, b)) = context.sweeps[draft.id.index()] {
            pairs.push((draft.id, f, b));
        }
        out.routines.push(forward);
        out.routines.push(reverse);
    }
    let (forward, reverse) = context.sweeps[main.index()].unwrap_or((main, main));
    let changed = changed.forward(context.nodes.len(), &sources);
    let name = namer.suffixed(format!("{}_grad", context.program.routine(main).name));
    let gradient = gradient(context, main, &out, (forward, reverse), name, &changed)?;
    out.routines.push(gradient);
    Ok(Reversal {
        original: main,
        forward,
        reverse,
        gradient: RoutineId::new(out.routines.len() - 1),
        sweeps: pairs,
        adjoint_globals: context
            .adjoint_globals
            .iter()
            .enumerate()
            .filter_map(|(g, b)| b.map(|b| (GlobalId::new(g), b)))
            .collect(),
        program: out,
    })
}

/// Collects which variables a reverse sweep changes: what it pops, and what its callees change.
fn note_changes(
    context: &Context<'_>,
    draft: &Draft<'_>,
    tbr: &Tbr<'_>,
    sources: &mut FixedBitSet,
    changed: &mut Reach,
) {
    let routine = context.program.routine(draft.id);
    let node = |v: VarId| context.nodes.of(draft.id, routine, v);
    sources.extend(tbr.restored.ones().map(|v| node(VarId::new(v))));
    let saved = tbr.callee_globals.saved.iter();
    sources.extend(saved.map(|&g| context.nodes.global(g)));
    context.effects.each_call(draft.id, routine, |statement| {
        if let StmtKind::Call {
            callee, arguments, ..
        } = &statement.kind
            && context.sweeps[callee.index()].is_some()
        {
            let called = context.program.routine(*callee);
            for (p, actual) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = actual {
                    changed.edge(context.nodes.of(*callee, called, p), node(place.var));
                }
            }
        }
    });
}

/// NAME_grad: forward sweep, then reverse sweep; the primal results that the reverse sweep changes are
/// kept aside.
fn gradient(
    context: &Context<'_>,
    main: RoutineId,
    out: &Program,
    (forward, reverse): (RoutineId, RoutineId),
    name: String,
    changed: &FixedBitSet,
) -> Result<Routine, Diagnostics> {
    let original = context.program.routine(main);
    let rev = out.routine(reverse);
    // The reverse sweep's parameters but for the tape, which becomes a local.
    let mut routine = routine_shell(rev);
    routine.name = name;
    routine.origin = Some(Box::new((original.name.clone(), "gradient".into())));
    let parameters = rev.parameters - 1;
    routine.variables = rev.variables[..rev.parameters].to_vec();
    routine.parameters = parameters;
    let primal = original.parameters + usize::from(original.result.is_some());
    for v in 0..original.parameters {
        routine.variables[v].role = original.variables[v].role;
    }
    if original.result.is_some() {
        routine.variables[original.parameters].role = Role::Parameter {
            intent: Intent::Out,
            optional: false,
        };
    }
    let tape = VarId::new(parameters);
    routine.variables[parameters].role = Role::Local;
    let mut globals: Vec<GlobalId> = globals::variables(original).map(|(_, g)| g).collect();
    let named: GlobalSet = globals.iter().copied().collect();
    let others = context.effects.touched[main.index()].minus(&named).to_vec();
    let is_changed = |g: GlobalId| changed.contains(context.nodes.global(g));
    globals.extend(others.into_iter().filter(|&g| is_changed(g)));
    for &g in &globals {
        let mut variable = context.program.global(g).variable.clone();
        variable.role = Role::Global(g);
        routine.add_variable(variable);
    }
    // Shapes may name globals, which have other numbers here.
    let number: HashMap<GlobalId, usize> = globals.iter().copied().zip(0..).collect();
    let renumber = |v: VarId| match rev.variable(v).role {
        Role::Global(g) => number
            .get(&g)
            .map_or(v, |&k| VarId::new(parameters + 1 + k)),
        Role::Parameter { .. } | Role::Local => v,
    };
    for variable in &mut routine.variables[..parameters] {
        for dim in &mut variable.shape {
            dim.lower = with_variables(&dim.lower, &renumber);
            if let Extent::Fixed(e) = &mut dim.extent {
                *e = with_variables(e, &renumber);
            }
        }
    }
    // Primal variables, as numbered here and in the original.
    let node = |v: VarId| context.nodes.of(main, original, v);
    let mut keep: Vec<VarId> = Vec::new();
    for v in 0..primal {
        let theirs = if v < original.parameters {
            VarId::new(v)
        } else {
            original.result.unwrap_or(VarId::new(v))
        };
        let variable = &routine.variables[v];
        if changed.contains(node(theirs)) && variable.ty != ScalarType::Tape {
            keep.push(VarId::new(v));
        }
    }
    for (k, &g) in globals.iter().enumerate() {
        if is_changed(g) {
            keep.push(VarId::new(parameters + 1 + k));
        }
    }
    let place = |v: usize| Some(Expr::var(VarId::new(v)));
    // Each with the optional argument that it needs.
    let mut statements = Vec::new();
    let arguments = (0..primal).chain([tape.index()]).map(place);
    statements.push((None, draft::call(forward, arguments.collect())));
    let mut restore = Vec::new();
    let mut namer = Namer::new(routine.variables.iter().map(|v| v.name.as_str()));
    let is_optional = |v: &VarId| {
        matches!(
            routine.variable(*v).role,
            Role::Parameter { optional: true, .. }
        )
    };
    let (optional, always): (Vec<VarId>, Vec<VarId>) = keep.into_iter().partition(is_optional);
    for v in optional {
        let kept = routine.add_variable(Variable::new(
            namer.suffixed("results".to_owned()),
            routine.variable(v).ty,
            vec![Dim::deferred(); routine.variable(v).rank()],
            Role::Local,
        ));
        statements.push((Some(v), Stmt::assign(Place::whole(kept), Expr::var(v))));
        restore.push((Some(v), Stmt::assign(Place::whole(v), Expr::var(kept))));
    }
    if !always.is_empty() {
        let kept = routine.add_variable(Variable::new(
            namer.suffixed("results".to_owned()),
            ScalarType::Tape,
            Vec::new(),
            Role::Local,
        ));
        for v in always {
            let class = class_of(routine.variable(v).ty);
            let push = Stmt::new(StmtKind::Push {
                tape: kept,
                class,
                value: Expr::var(v),
            });
            let pop = Stmt::new(StmtKind::Pop {
                tape: kept,
                class,
                target: Place::whole(v),
            });
            statements.push((None, push));
            restore.push((None, pop));
        }
    }
    let arguments = (0..parameters).chain([tape.index()]).map(place);
    statements.push((None, draft::call(reverse, arguments.collect())));
    restore.reverse();
    statements.extend(restore);
    gradient::declare_active(context, original, out, &mut routine, primal);
    routine.body = Some(straight_line(statements)?);
    Ok(routine)
}

fn with_variables(e: &Expr, map: &impl Fn(VarId) -> VarId) -> Expr {
    e.map(&mut |node| match node {
        Expr::Place(mut place) => {
            place.var = map(place.var);
            Expr::Place(place)
        }
        node => node,
    })
}

/// Routines whose adjoint parameters may overlap, because somewhere two actuals of a call (or an actual
/// and a global that the callee names) share storage: read twice is legal, and then both adjoints are
/// incremented in the same cells.
fn overlapping(context: &Context<'_>, reachable: &[RoutineId]) -> FixedBitSet {
    let mut marked = FixedBitSet::with_capacity(context.program.routines.len());
    let mut passes: Vec<Vec<RoutineId>> = vec![Vec::new(); context.program.routines.len()];
    let real = context.effects.storage.real();
    let mut names_globals = FixedBitSet::with_capacity(passes.len());
    for &r in reachable {
        let named = context.effects.touched[r.index()].intersects(&real);
        names_globals.set(r.index(), named);
    }
    for &r in reachable {
        let routine = context.program.routine(r);
        if routine.aliased {
            marked.insert(r.index());
        }
        let class = normalize::storage_classes(context.program, routine);
        let mut globals: HashMap<u32, Vec<GlobalId>> = HashMap::new();
        for (v, g) in globals::variables(routine) {
            globals.entry(class[v.index()]).or_default().push(g);
        }
        context.effects.each_call(r, routine, |statement| {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                return;
            };
            let mut actuals: Vec<u32> = arguments
                .iter()
                .flatten()
                .filter_map(|e| match e {
                    Expr::Place(p) if routine.variable(p.var).ty.is_real() => {
                        Some(class[p.var.index()])
                    }
                    _ => None,
                })
                .collect();
            // In a marked routine a parameter may be another one, or a global.
            let (mut parameters, mut named) = (0, names_globals.contains(callee.index()));
            for e in arguments.iter().flatten() {
                if let Expr::Place(p) = e
                    && routine.variable(p.var).ty.is_real()
                {
                    match routine.variable(p.var).role {
                        Role::Parameter { .. } => parameters += 1,
                        Role::Global(_) => named = true,
                        Role::Local => {}
                    }
                }
            }
            if parameters > 1 || (parameters == 1 && named) {
                passes[r.index()].push(*callee);
            }
            let touched = &context.effects.touched[callee.index()];
            actuals.sort_unstable();
            let twice = actuals.windows(2).any(|w| w[0] == w[1]);
            actuals.dedup();
            let global = (actuals.iter().filter_map(|class| globals.get(class)))
                .any(|same| same.iter().any(|&g| touched.contains(g)));
            if twice || global {
                marked.insert(callee.index());
            }
        });
    }
    let mut work: Vec<usize> = marked.ones().collect();
    while let Some(r) = work.pop() {
        for callee in &passes[r] {
            if !marked.put(callee.index()) {
                work.push(callee.index());
            }
        }
    }
    marked
}

/// ENTRY, one block, EXIT. What needs an optional argument is executed if that is present.
fn straight_line(statements: Vec<(Option<VarId>, Stmt)>) -> Result<Cfg, Diagnostics> {
    let v = VertexId::new;
    let line = built::graph(
        vec![
            Vertex::new(1, VertexKind::Entry),
            Vertex::new(2, VertexKind::Block(Vec::new())),
            Vertex::new(3, VertexKind::Exit),
        ],
        vec![Edge::new(v(0), v(1), None), Edge::new(v(1), v(2), None)],
    )?;
    let mut graph = Splice::of(line);
    let mut at = 1;
    for (needs, statement) in statements {
        match (needs, &mut graph.vertices[at].kind) {
            (Some(argument), _) => {
                at = graph.if_present(at, argument, vec![statement], Vec::new());
            }
            (None, VertexKind::Block(block)) => block.push(statement),
            (None, _) => at = graph.after(at, vec![statement]),
        }
    }
    graph.finish()
}
