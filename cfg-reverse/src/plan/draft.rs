//! One routine on its way to a forward and a reverse sweep: variables, statement adjoints, loop plans.

use cfg_core::{
    dataflow::Position,
    edit::Mark,
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Cfg, Intent, NameOrigin, NameRole, Role, Routine, ScalarType, Stmt, StmtKind, Variable,
        VertexKind,
    },
    memory::locations::Locations,
    memory::{global_set::GlobalSet, named::Named},
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{
    code::{
        expressions::as_place, names::Namer, routines::routine_shell, rows::Rows,
        temporaries::Temporaries,
    },
    memory::summary::given_adjoint,
    partials::scope::{ForwardScope, Scope},
    plan::{
        adjoints::{Alternatives, StatementAdjoint, StatementCode, Written, primal_reads},
        branches::{with_free_operands, with_lasting_selectors},
        carried::{Carried, Region},
        counters::{LoopPlan, plan_loops},
        shape::Shape,
        undone::Steps,
    },
    prepare::{context::Context, normalize::Normal},
};

/// A routine with everything that both sweeps are written from.
pub(crate) struct Draft<'p> {
    pub(crate) id: RoutineId,
    /// Number of variables of the normalized routine; the same variables come first everywhere.
    pub(crate) originals: usize,
    /// The tape, the first variable after the originals in both sweeps.
    pub(crate) tape: VarId,
    /// The reverse routine under construction: all variables, no body.
    pub(crate) scope: Scope,
    /// The name table without the reverse routine's own variables: the forward routine has names of its own.
    pub(crate) namer: Namer,
    pub(crate) cfg: &'p Cfg,
    /// True if the graph is that of the given program: then statements have the same positions in both.
    pub(crate) same_graph: bool,
    pub(crate) shape: Shape<'p>,
    pub(crate) locations: Locations,
    /// The globals that the routine names.
    pub(crate) globals: Named,
    /// The globals whose values after a call the reverse sweep of the callee reads, by callee.
    pub(crate) needed: HashMap<RoutineId, GlobalSet>,
    /// The globals whose values at ENTRY some caller needs and leaves to this routine to record.
    pub(crate) at_entry: GlobalSet,
    pub(crate) loops: Vec<Option<LoopPlan>>,
    /// The branches, by vertex, whose selectors are cheap and read nothing that an arm may change.
    pub(crate) lasting: FixedBitSet,
    /// The lasting branches whose operands keep their values without a record, so that reading them costs nothing.
    pub(crate) free: FixedBitSet,
    /// The steps that the reverse sweep undoes, as soon as all adjoints are written.
    pub(crate) steps: Steps,
    /// The headers of loops and branches with adjoints of statements inside, as soon as all adjoints are written; every
    /// vertex of a general graph.
    pub(crate) with_adjoints: FixedBitSet,
    /// The regions to be carried, and the code of those that are.
    pub(crate) regions: &'p [Region],
    pub(crate) carried: Carried,
    /// The needs of the adjoint of every statement.
    pub(crate) code: Rows<StatementCode>,
    /// The adjoint of every statement, until the reverse sweep is written.
    pub(crate) adjoints: Rows<StatementAdjoint>,
    /// The assignments that the forward sweep leaves out, since no derivative needs their values.
    pub(crate) left_out: BTreeSet<Position>,
    /// The assignments whose adjoints can be written in several ways.
    pub(crate) alternatives: Vec<Alternatives>,
    /// Temporaries of the forward routine.
    pub(crate) forward: ForwardScope,
    /// The parameters of the forward sweep: those of the routine, its result, the tape.
    pub(crate) forward_parameters: Vec<VarId>,
    /// The parameters of the reverse sweep: those of the routine, its result, their adjoints, the tape.
    pub(crate) reverse_parameters: Vec<VarId>,
}

impl<'p> Draft<'p> {
    /// Declares all variables; there is no code yet.
    pub(crate) fn new(
        context: &'p Context,
        id: RoutineId,
        normal: &Normal,
        shape: Shape<'p>,
        regions: &'p [Region],
    ) -> Option<Self> {
        let routine = context.program.routine(id);
        let cfg = routine.body.as_ref()?;
        let locations = Locations::divide(&context.program, routine);
        let (loops, lasting, free) = match shape {
            Shape::Structured(structure) => {
                let changed = normal.changed;
                let loops = plan_loops(context, id, cfg, structure, &locations, changed);
                let lasting =
                    with_lasting_selectors(context, id, cfg, structure, &locations, changed);
                let free = with_free_operands(context, id, cfg, structure, &lasting, &loops);
                (loops, lasting, free)
            }
            Shape::General(general) => (
                general.plans.clone(),
                FixedBitSet::new(),
                FixedBitSet::new(),
            ),
        };
        let mut scope = Scope::new(
            Routine {
                body: None,
                variables: routine.variables.clone(),
                ..routine_shell(routine)
            },
            normal.namer.clone(),
            locations.clone(),
            Arc::clone(context.activity.exceptions(id)),
            context.strong,
        );
        let tape_name = scope.namer.fresh_name("tape".to_owned());
        let tape = scope.routine.add_variable(Variable::new(
            tape_name,
            ScalarType::Tape,
            Vec::new(),
            Role::Parameter {
                intent: Intent::InOut,
                optional: false,
            },
        ));
        let namer = scope.namer.clone();
        let forward = ForwardScope {
            routine: scope.routine.clone(),
            temporaries: Temporaries::default(),
        };
        add_adjoints(context, id, routine, &mut scope);
        let primal = || routine.parameter_ids().chain(routine.result);
        let adjoints = primal().filter_map(|v| scope.derivative[v.index()]);
        let forward_parameters = primal().chain([tape]).collect();
        let reverse_parameters = primal().chain(adjoints).chain([tape]).collect();
        Some(Self {
            id,
            originals: routine.variables.len(),
            tape,
            scope,
            namer,
            cfg,
            same_graph: !normal.changed,
            shape,
            locations: locations.with_elements(&context.program, routine, cfg),
            globals: Named::collect(routine),
            needed: HashMap::new(),
            at_entry: GlobalSet::default(),
            loops,
            lasting,
            free,
            steps: Steps::default(),
            with_adjoints: FixedBitSet::new(),
            regions,
            carried: Carried::default(),
            code: Rows::with_capacity(cfg.vertex_count()),
            adjoints: Rows::with_capacity(cfg.vertex_count()),
            left_out: BTreeSet::new(),
            alternatives: Vec::new(),
            forward,
            forward_parameters,
            reverse_parameters,
        })
    }

    pub(crate) fn push(&mut self, (code, adjoint): Written) {
        self.code.push(code);
        self.adjoints.push(adjoint);
    }

    /// Writes one of the [alternatives](Self::alternatives) in another way.
    pub(crate) fn rewrite(&mut self, alternative: usize, way: usize) {
        let Alternatives { at, ways, way: now } = &mut self.alternatives[alternative];
        let (v, s) = (at.vertex, at.statement);
        for way in [*now, way] {
            let (code, adjoint) = &mut ways[way];
            std::mem::swap(&mut self.code.row_mut(v)[s], code);
            std::mem::swap(&mut self.adjoints.row_mut(v)[s], adjoint);
        }
        *now = way;
    }

    /// The span and the origin of all that is made from a statement.
    pub(crate) fn mark(&self, v: VertexId, s: usize) -> Mark {
        let statement = self.cfg.vertex(v).statements().get(s);
        let number = self.same_graph.then(|| self.code.start(v) + s);
        statement.map_or_else(Mark::default, |statement| {
            Mark::from_statement(statement, number)
        })
    }

    /// An adjoint that stands after the pops of its statement, and so reads the values before the statement.
    pub(crate) fn before(&self, reverse: Vec<Stmt>) -> Written {
        let code = StatementCode {
            reads_before: primal_reads(&reverse, self.originals, &self.locations),
            ..StatementCode::default()
        };
        let adjoint = StatementAdjoint {
            before_pops: Vec::new(),
            code: reverse,
            after_pops: true,
        };
        (code, adjoint)
    }

    /// Finds the loops and branches with adjoints of statements inside.
    pub(crate) fn find_with_adjoints(&mut self) {
        let n = self.cfg.vertex_count();
        let mut found = FixedBitSet::with_capacity(n);
        match self.shape {
            Shape::Structured(structure) => {
                for v in (0..n).map(VertexId::new) {
                    let mut adjoints = self.adjoints.row(v).iter();
                    let has_adjoint =
                        adjoints.any(|a| !a.before_pops.is_empty() || !a.code.is_empty());
                    if has_adjoint || self.code.row(v).iter().any(|code| code.forward.is_some()) {
                        insert_around(structure, v, &mut found);
                    }
                }
            }
            Shape::General(_) => found.insert_range(..),
        }
        self.with_adjoints = found;
    }

    /// The vertex that is EXIT.
    pub(crate) fn exit(&self) -> VertexId {
        // EXIT is at or near the end of the order, so the search starts there.
        let is_exit = |v: &VertexId| matches!(self.cfg.vertex(*v).kind, VertexKind::Exit);
        let exit = self.shape.order().iter().rev().copied().find(is_exit);
        exit.unwrap_or(VertexId::new(0))
    }
}

/// Inserts the headers of the loops and branches around a vertex into a set that has, with each, those around it.
pub(crate) fn insert_around(structure: &Structure, v: VertexId, set: &mut FixedBitSet) {
    let outward = |v: &VertexId| structure.parent[v.index()];
    let mut around = std::iter::successors(outward(&v), outward);
    while around.next().is_some_and(|header| !set.put(header.index())) {}
}

/// Gives an adjoint variable to every real parameter and result, to every active variable, and to every variable
/// passed to a real formal of a differentiated routine.
fn add_adjoints(context: &Context, id: RoutineId, routine: &Routine, scope: &mut Scope) {
    let n = routine.variables.len();
    let mut wanted = FixedBitSet::with_capacity(n);
    for (v, variable) in routine.variables.iter().enumerate() {
        let var = VarId::new(v);
        if !variable.ty.is_real() {
            continue;
        }
        if context.is_active(id, routine, var) {
            // A variable that is never varied may overwrite active cells: its adjoint is zeroed there, and
            // contributes nothing.
            if context.activity.is_varied(id, routine, var) {
                scope.active.insert(v);
            }
            scope.wanted.insert(v);
            wanted.insert(v);
        }
        if matches!(variable.role, Role::Parameter { .. }) || routine.result == Some(var) {
            wanted.insert(v);
        }
    }
    context.summary.each_call(id, routine, |statement| {
        if let StmtKind::Call {
            callee,
            arguments,
            result,
        } = &statement.kind
        {
            let called = context.program.routine(*callee);
            let user = given_adjoint(called).is_some();
            if context.sweeps[callee.index()].is_some() || user {
                let actuals = arguments.iter().flatten().filter_map(as_place);
                for place in actuals.chain(result.as_ref()) {
                    if routine.variable(place.var).ty.is_real() {
                        wanted.insert(place.var.index());
                    }
                }
            }
        }
    });
    for v in wanted.ones() {
        let variable = &routine.variables[v];
        let role = match variable.role {
            Role::Parameter { optional, .. } => Role::Parameter {
                intent: Intent::InOut,
                optional,
            },
            Role::Local => Role::Local,
            Role::Global(g) => match context.adjoint_globals[g.index()] {
                Some(b) => Role::Global(b),
                None => continue,
            },
        };
        let name = match role {
            Role::Global(b) => context.program.global(b).variable.name.clone(),
            Role::Parameter { .. } | Role::Local => {
                scope.namer.fresh_name(format!("{}_b", variable.name))
            }
        };
        let adjoint = Variable {
            name,
            role,
            origin: Some(Box::new(NameOrigin::new(
                NameRole::Adjoint,
                &*variable.name,
            ))),
            ..variable.clone()
        };
        scope.derivative[v] = Some(scope.routine.add_variable(adjoint));
    }
}
