//! The gradient routine `NAME_grad`: both sweeps in one.

pub(crate) mod active;
pub(crate) mod changes;
pub(crate) mod turn;

use cfg_core::{
    diagnostic::Diagnostics,
    edit::Editor,
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Cfg, Dim, Expr, Extent, Intent, NameOrigin, NameRole, Place, Program, Role, Routine,
        ScalarType, Stmt, StmtKind, Variable, VertexKind,
    },
    memory::{global_set::GlobalSet, named::global_variables},
};
use fixedbitset::FixedBitSet;
use std::collections::{HashMap, HashSet};

use crate::{
    code::{
        expressions::with_variables,
        names::Namer,
        routines::{call_statement, routine_shell, tape_class},
    },
    gradient::{active::declare_active, changes::Elements},
    options::Results,
    prepare::context::Context,
};

/// Writes `NAME_grad`: forward sweep, then reverse sweep; the primal results that the reverse sweep changes are
/// kept aside, unless they are dropped: all of a variable, or its `elements`, if these are all that the sweep changes.
pub(crate) fn gradient(
    context: &Context,
    main: RoutineId,
    out: &Program,
    (forward, reverse): (RoutineId, RoutineId),
    name: String,
    (changed, elements): (&FixedBitSet, &Elements),
    results: Results,
) -> Result<Routine, Diagnostics> {
    let original = context.program.routine(main);
    let rev = out.routine(reverse);
    let mut routine = declarations(original, rev, name);
    let (parameters, tape) = (
        routine.parameters.len(),
        VarId::new(routine.parameters.len()),
    );
    let interface: Vec<VarId> = original.parameter_ids().chain(original.result).collect();
    let primal = interface.len();
    let is_changed = |g: GlobalId| changed.contains(context.nodes().global(g));
    let globals = add_globals(context, main, rev, &mut routine, &is_changed);
    // Primal variables, as numbered here and in the original.
    let node = |v: VarId| context.nodes().node(main, original, v);
    let positions = original.parameter_positions();
    let number = |v: VarId| positions[v.index()].map_or(v, VarId::new);
    let mut keep: Vec<Place> = Vec::new();
    for (v, &theirs) in routine.parameter_ids().zip(&interface) {
        if changed.contains(node(theirs)) && routine.variable(v).ty != ScalarType::Tape {
            match elements.get(&theirs) {
                Some(elements) => keep.extend(elements.iter().map(|place| Place {
                    var: v,
                    ..place.map_subscripts(&mut |e| with_variables(e, &number))
                })),
                None => keep.push(Place::whole(v)),
            }
        }
    }
    for (k, &g) in globals.iter().enumerate() {
        // Scratch pools are dead after the gradient: no value there has to be restored.
        let origin = context.program.global(g).variable.origin.as_deref();
        let is_gone = origin.is_some_and(|origin| origin.role.is_scratch_pool());
        if is_changed(g) && !is_gone {
            keep.push(Place::whole(VarId::new(parameters + 1 + k)));
        }
    }
    let dropped: HashSet<VarId> = match results {
        Results::Keep => HashSet::new(),
        Results::Drop => keep.drain(..).map(|place| place.var).collect(),
    };
    let place = |v: usize| Some(Expr::var(VarId::new(v)));
    let arguments = (0..primal).chain([tape.index()]).map(place);
    let mut statements = vec![(None, call_statement(forward, arguments.collect()))];
    let restore = keep_aside(&mut routine, keep, &mut statements);
    let arguments = (0..parameters).chain([tape.index()]).map(place);
    statements.push((None, call_statement(reverse, arguments.collect())));
    statements.extend(restore);
    declare_active(context, original, out, &mut routine, primal);
    routine.dependents.retain(|v| !dropped.contains(v));
    routine.body = Some(straight_line(statements));
    Ok(routine)
}

/// The reverse sweep's parameters but for the tape, which becomes a local.
fn declarations(original: &Routine, rev: &Routine, name: String) -> Routine {
    let mut routine = routine_shell(rev);
    routine.name = name;
    routine.origin = Some(Box::new(NameOrigin::new(
        NameRole::Gradient,
        &*original.name,
    )));
    let formals = rev.parameter_ids().map(|p| rev.variable(p).clone());
    routine.variables = formals.collect();
    let primal = original.parameter_ids().map(|p| original.variable(p).role);
    let result = original.result.map(|_| Role::Parameter {
        intent: Intent::Out,
        optional: false,
    });
    for (variable, role) in routine.variables.iter_mut().zip(primal.chain(result)) {
        variable.role = role;
    }
    let tape = routine.variables.len() - 1;
    routine.variables[tape].role = Role::Local;
    routine.parameters = (0..tape).map(VarId::new).collect();
    routine
}

/// Declares the globals that the original names and, of those that only its callees use, the ones that the reverse
/// sweep changes. Parameters and globals have other numbers here than in the reverse sweep, so shapes are renumbered.
fn add_globals(
    context: &Context,
    main: RoutineId,
    rev: &Routine,
    routine: &mut Routine,
    is_changed: &impl Fn(GlobalId) -> bool,
) -> Vec<GlobalId> {
    let original = context.program.routine(main);
    let parameters = routine.parameters.len();
    let mut globals: Vec<GlobalId> = global_variables(original).map(|(_, g)| g).collect();
    let named: GlobalSet = globals.iter().copied().collect();
    let others = context.summary.touched(main).minus(&named).to_vec();
    globals.extend(others.into_iter().filter(|&g| is_changed(g)));
    for &g in &globals {
        let mut variable = context.program.global(g).variable.clone();
        variable.role = Role::Global(g);
        routine.add_variable(variable);
    }
    let number: HashMap<GlobalId, usize> = globals.iter().copied().zip(0..).collect();
    let positions = rev.parameter_positions();
    let renumber = |v: VarId| match rev.variable(v).role {
        Role::Global(g) => number
            .get(&g)
            .map_or(v, |&k| VarId::new(parameters + 1 + k)),
        Role::Parameter { .. } => positions[v.index()].map_or(v, VarId::new),
        Role::Local => v,
    };
    for variable in &mut routine.variables[..parameters] {
        for dim in &mut variable.shape {
            dim.lower = with_variables(&dim.lower, &renumber);
            if let Extent::Fixed(e) = &mut dim.extent {
                *e = with_variables(e, &renumber);
            }
        }
    }
    globals
}

/// A statement, and the optional argument that must be present for it.
type Guarded = (Option<VarId>, Stmt);

/// Saves the values of variables before the reverse sweep; returns the statements that restore them after it.
fn keep_aside(
    routine: &mut Routine,
    keep: Vec<Place>,
    statements: &mut Vec<Guarded>,
) -> Vec<Guarded> {
    let mut restore = Vec::new();
    let mut namer = Namer::new(routine.variables.iter().map(|v| v.name.as_str()));
    let is_optional = |place: &Place| {
        matches!(
            routine.variable(place.var).role,
            Role::Parameter { optional: true, .. }
        )
    };
    let (optional, always): (Vec<Place>, Vec<Place>) = keep.into_iter().partition(is_optional);
    for Place { var: v, .. } in optional {
        let kept = routine.add_variable(Variable::new(
            namer.fresh_name("results".to_owned()),
            routine.variable(v).ty,
            vec![Dim::deferred(); routine.variable(v).rank()],
            Role::Local,
        ));
        statements.push((Some(v), Stmt::assign(Place::whole(kept), Expr::var(v))));
        restore.push((Some(v), Stmt::assign(Place::whole(v), Expr::var(kept))));
    }
    if !always.is_empty() {
        let kept = routine.add_variable(Variable::new(
            namer.fresh_name("results".to_owned()),
            ScalarType::Tape,
            Vec::new(),
            Role::Local,
        ));
        for place in always {
            let class = tape_class(routine.variable(place.var).ty);
            let push = Stmt::new(StmtKind::Push {
                tape: kept,
                class,
                value: Expr::Place(place.clone()),
            });
            let pop = Stmt::new(StmtKind::Pop {
                tape: kept,
                class,
                target: place,
            });
            statements.push((None, push));
            restore.push((None, pop));
        }
    }
    restore.reverse();
    restore
}

/// A graph that executes these in turn. What needs an optional argument is executed if that is present.
fn straight_line(statements: Vec<Guarded>) -> Cfg {
    let mut graph = Editor::take_apart(Editor::line([Vec::new()]));
    let mut at = 1;
    for (needs, statement) in statements {
        match (needs, &mut graph.vertices[at].kind) {
            (Some(argument), _) => {
                at = graph.if_present(at, argument, vec![statement]);
            }
            (None, VertexKind::Block(block)) => block.push(statement),
            (None, _) => {
                at = graph.split(at);
                graph.push(at, statement);
            }
        }
    }
    graph.finish()
}
