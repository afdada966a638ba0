//! The interface of an outlined region: the variables that become parameters, those that move, and the globals.

use cfg_analysis::liveness::Liveness;
use cfg_core::{
    dataflow::{Analysis, Direction, Point, Position, Set, solve},
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{RoutineId, VarId, VertexId},
    graph::reachable,
    ir::{
        Cfg, Dim, Expr, Extent, Intent, Op, Place, Program, Role, Routine, ScalarType, Stmt,
        Variable, Vertex,
        visit::{PlaceRole, Visit, VisitMut, walk_place, walk_place_mut},
    },
    memory::effects::Effects,
    text::{self, Name},
    typing::type_of,
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use super::region::Cut;
use crate::{codes::NOT_A_PARAMETER, names};

/// The new routine's variables, and the arguments of the call.
pub(super) struct Interface {
    pub(super) variables: Vec<Variable>,
    /// The parameters among them.
    pub(super) parameters: Vec<VarId>,
    /// The arguments of the call, one per parameter.
    pub(super) arguments: Vec<Expr>,
    /// The variable of the new routine that each variable of the old one becomes.
    pub(super) map: Vec<Option<VarId>>,
    /// The locals that only the region names, which move.
    pub(super) moved: FixedBitSet,
}

/// The variables that a part of a graph names.
struct Names<'p> {
    program: &'p Program,
    named: FixedBitSet,
    written: FixedBitSet,
    /// The variables that are assigned as a whole, which may give an array its shape.
    assigned: FixedBitSet,
}

impl<'p> Names<'p> {
    fn new(program: &'p Program, routine: &Routine) -> Self {
        let n = routine.variables.len();
        Self {
            program,
            named: FixedBitSet::with_capacity(n),
            written: FixedBitSet::with_capacity(n),
            assigned: FixedBitSet::with_capacity(n),
        }
    }

    fn add(&mut self, v: VarId, role: PlaceRole) {
        self.named.insert(v.index());
        let writes = match role {
            PlaceRole::Bind { callee, formal } => {
                let called = self.program.routine(callee).parameter(formal);
                called
                    .and_then(Variable::intent)
                    .is_some_and(Intent::writes)
            }
            PlaceRole::Read
            | PlaceRole::Shape
            | PlaceRole::Address
            | PlaceRole::AddressTaken
            | PlaceRole::Renew { .. }
            | PlaceRole::Push
            | PlaceRole::Define { .. }
            | PlaceRole::Clobber
            | PlaceRole::Pop { .. }
            | PlaceRole::Tape => role.writes(),
        };
        self.written
            .set(v.index(), writes || self.written.contains(v.index()));
        let is_whole = matches!(
            role,
            PlaceRole::Define { whole: true } | PlaceRole::Pop { whole: true }
        );
        self.assigned
            .set(v.index(), is_whole || self.assigned.contains(v.index()));
    }
}

impl<'ir> Visit<'ir> for Names<'_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        self.add(place.var, role);
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        self.add(*v, role);
    }
}

/// Facts about the region and its surroundings.
struct Facts<'p> {
    program: &'p Program,
    id: RoutineId,
    routine: &'p Routine,
    inside: Names<'p>,
    /// The variables that are named outside the region.
    outside: FixedBitSet,
    /// The variables whose value may still be read at the region's entry, and at its exit.
    live: [Set; 2],
    /// The arrays with deferred extents whose shape may still matter there.
    shaped: [Set; 2],
    /// The arrays with deferred extents that may have no shape yet at the entry.
    unshaped: Set,
    /// True if the region is entered at most once in a call of the routine.
    once: bool,
}

impl<'p> Facts<'p> {
    fn collect(program: &'p Program, id: RoutineId, cfg: &Cfg, cut: &Cut) -> Self {
        let routine = program.routine(id);
        let mut inside = Names::new(program, routine);
        let mut outside = Names::new(program, routine);
        for (v, vertex) in cfg.vertices() {
            match cut.inside.contains(v.index()) {
                true => inside.visit_vertex(v, vertex),
                false => outside.visit_vertex(v, vertex),
            }
        }
        for e in routine.variables.iter().flat_map(bounds) {
            outside.visit_expr(e, PlaceRole::Address);
        }
        let lists = [&routine.independents, &routine.dependents];
        let listed = lists.into_iter().flatten().chain(&routine.result);
        for v in listed {
            outside.named.insert(v.index());
        }
        let effects = Effects::summarise(program);
        let liveness = Liveness::new(program, &effects, routine);
        let live = on_edges(cfg, cut, &liveness);
        let is_shaped = |v: usize| is_deferred(&routine.variables[v]);
        let (shaped, unshaped) = match inside.named.ones().any(is_shaped) {
            true => {
                let [unshaped, _] = on_edges(cfg, cut, &Unshaped(routine));
                (on_edges(cfg, cut, &Shapes(routine)), unshaped)
            }
            false => (live.clone(), Set::new(0)),
        };
        let again = reachable(cfg, cfg.edge(cut.exit).to.index());
        Self {
            program,
            id,
            routine,
            inside,
            outside: outside.named,
            live,
            shaped,
            unshaped,
            once: !again.contains(cfg.edge(cut.entry).to.index()),
        }
    }

    /// True if the expression has the same value everywhere: it reads only constants and variables that are never
    /// written.
    fn is_lasting(&self, e: &Expr) -> bool {
        let mut lasting = true;
        e.walk_places(&mut |place| {
            let role = self.routine.variable(place.var).role;
            let given = Role::Parameter {
                intent: Intent::In,
                optional: false,
            };
            lasting &= role == given && !self.routine.aliased;
        });
        lasting
    }

    /// True if all bounds and extents of an array that are written are lasting.
    fn has_lasting_shape(&self, variable: &Variable) -> bool {
        bounds(variable).all(|e| self.is_lasting(e))
    }

    /// True for a variable that can be a local of the new routine: its value before and after does not matter, or only
    /// the region names it.
    fn is_own(&self, v: VarId) -> bool {
        let variable = self.routine.variable(v);
        let k = v.index();
        let alone = !self.outside.contains(k) && self.once;
        // The shape of a deferred array lasts beyond its value.
        let lasting = match is_deferred(variable) {
            true => &self.shaped,
            false => &self.live,
        };
        let dead = !lasting[0].contains(k) && !lasting[1].contains(k);
        // Liveness does not cover tapes, so they must not be named outside.
        let lasts = variable.ty == ScalarType::Tape;
        variable.role == Role::Local
            && self.routine.result != Some(v)
            && self.has_lasting_shape(variable)
            && (alone || dead && !lasts)
    }

    /// True for an array that gets its shape by assignment, which may be in the region or behind it.
    fn gets_shape(&self, v: VarId) -> bool {
        let is_assigned = self.inside.assigned.contains(v.index());
        is_deferred(self.routine.variable(v)) && (is_assigned || self.unshaped.contains(v.index()))
    }

    /// The intent of a parameter.
    fn intent(&self, v: VarId) -> Intent {
        let k = v.index();
        let variable = self.routine.variable(v);
        if variable.ty == ScalarType::Tape {
            return variable.intent().unwrap_or(Intent::InOut);
        }
        if !self.inside.written.contains(k) {
            Intent::In
        } else if self.live[0].contains(k) || self.routine.aliased {
            // In an aliased routine, a variable that an `out` intent makes undefined would be undefined under its
            // other names, too.
            Intent::InOut
        } else {
            Intent::Out
        }
    }

    fn refused(&self, v: VarId, message: String, help: &str) -> Diagnostic {
        let site = Site::whole(self.id, Element::Variable(v));
        Diagnostic::error(&NOT_A_PARAMETER, message, help)
            .at_element(text::site_text(self.program, &site))
            .at_site_in(self.program, site)
    }
}

/// The solution of an analysis where a region is entered and left.
fn on_edges<A: Analysis<Domain = Set>>(cfg: &Cfg, cut: &Cut, analysis: &A) -> [Set; 2] {
    let solution = solve(cfg, analysis);
    [cut.entry, cut.exit].map(|e| solution.at(cfg, analysis, Point::Edge(e)))
}

/// The variables that may be named before their shape is assigned, so that it matters.
struct Shapes<'p>(&'p Routine);

/// The deferred arrays that may have no shape yet.
struct Unshaped<'p>(&'p Routine);

/// The array whose shape a statement assigns, and the value.
fn shape_assignment<'s>(routine: &Routine, statement: &'s Stmt) -> Option<(VarId, &'s Expr)> {
    let (target, value) = statement.kind.assignment()?;
    // A conditional expression has no shape of its own while a scalar is chosen.
    let mut is_conditional = false;
    value.walk(&mut |e| is_conditional |= matches!(e, Expr::Op(Op::If, _)));
    let has_shape = || type_of(&routine.variables, value).is_ok_and(|ty| ty.rank > 0);
    (!is_conditional && has_shape() && target.subscripts.is_empty()).then_some((target.var, value))
}

/// Adds the variables that are named.
struct Named<'s>(&'s mut Set);

impl<'ir> Visit<'ir> for Named<'_> {
    fn visit_place(&mut self, place: &'ir Place, _: PlaceRole) {
        walk_place(self, place);
        self.0.insert(place.var.index());
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: PlaceRole) {
        self.0.insert(v.index());
    }
}

impl Analysis for Shapes<'_> {
    const NAME: &'static str = "shapes";
    const DIRECTION: Direction = Direction::Backward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.0.variables.len())
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        self.bottom(cfg)
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        if let Some((v, value)) = shape_assignment(self.0, statement) {
            state.remove(v.index());
            return Named(state).visit_expr(value, PlaceRole::Read);
        }
        Named(state).visit_statement(statement);
    }

    fn decision(&self, _: VertexId, vertex: &Vertex, state: &mut Set) {
        Named(state).visit_decision(&vertex.kind);
    }
}

impl Analysis for Unshaped<'_> {
    const NAME: &'static str = "unshaped";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.0.variables.len())
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        let mut unshaped = self.bottom(cfg);
        let all = self.0.variables.iter().enumerate();
        all.for_each(|(v, variable)| unshaped.set(v, is_deferred(variable)));
        unshaped
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        if let Some((v, _)) = shape_assignment(self.0, statement) {
            state.remove(v.index());
        }
    }

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {}
}

/// The lower bounds and the extents of an array that are written.
fn bounds(variable: &Variable) -> impl Iterator<Item = &Expr> {
    variable.shape.iter().flat_map(|dim| {
        let extent = match &dim.extent {
            Extent::Fixed(e) => Some(e),
            Extent::Deferred => None,
        };
        std::iter::once(&dim.lower).chain(extent)
    })
}

fn is_deferred(variable: &Variable) -> bool {
    let mut shape = variable.shape.iter();
    shape.any(|dim| matches!(dim.extent, Extent::Deferred))
}

/// The part that a variable plays in the new routine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Absent,
    Parameter,
    Own,
    Global,
}

impl Interface {
    /// The interface of a region of a routine.
    pub(super) fn build(
        program: &Program,
        id: RoutineId,
        cfg: &Cfg,
        cut: &Cut,
    ) -> Result<Self, Diagnostics> {
        let facts = Facts::collect(program, id, cfg, cut);
        let parts = parts(&facts)?;
        let all = || facts.routine.variables.iter().zip(&parts).enumerate();
        let of = |wanted: Part| all().filter(move |(_, (_, part))| **part == wanted);
        let mut made = Made {
            facts: &facts,
            variables: Vec::new(),
            arguments: Vec::new(),
            lowers: Vec::new(),
            map: vec![None; parts.len()],
        };
        // The parameters of the old routine come first, in its order.
        let routine = facts.routine;
        for v in routine.declaration_order() {
            if parts[v.index()] == Part::Parameter {
                made.parameter(v)?;
            }
        }
        let named = all().filter(|(_, (_, part))| **part != Part::Absent);
        let mut taken: HashSet<String> = named.map(|(_, (v, _))| v.name.clone()).collect();
        for k in 0..made.lowers.len() {
            made.lower(k, &mut taken);
        }
        let parameters = made.variables.len();
        for wanted in [Part::Own, Part::Global] {
            for (v, (variable, _)) in of(wanted) {
                made.map[v] = Some(VarId::new(made.variables.len()));
                made.variables.push(variable.clone());
            }
        }
        let Made {
            mut variables,
            arguments,
            lowers,
            map,
            ..
        } = made;
        for variable in &mut variables {
            Rename(&map).shape(variable);
        }
        for (k, (v, dim)) in lowers.iter().enumerate() {
            // The parameters for lower bounds are the last ones, in this order.
            let lower = Expr::var(VarId::new(parameters - lowers.len() + k));
            if let Some(v) = map[v.index()] {
                variables[v.index()].shape[*dim].lower = lower;
            }
        }
        let mut moved = FixedBitSet::with_capacity(parts.len());
        for (v, _) in of(Part::Own) {
            moved.set(v, !facts.outside.contains(v));
        }
        Ok(Self {
            variables,
            parameters: (0..parameters).map(VarId::new).collect(),
            arguments,
            map,
            moved,
        })
    }
}

/// The part of each variable of the old routine.
fn parts(facts: &Facts<'_>) -> Result<Vec<Part>, Diagnostics> {
    let routine = facts.routine;
    let mut parts = vec![Part::Absent; routine.variables.len()];
    let mut problems = Diagnostics::default();
    let mut work: Vec<VarId> = facts.inside.named.ones().map(VarId::new).collect();
    while let Some(v) = work.pop() {
        if parts[v.index()] != Part::Absent {
            continue;
        }
        let variable = routine.variable(v);
        let part = match variable.role {
            Role::Global(_) => Part::Global,
            Role::Local if facts.is_own(v) => Part::Own,
            Role::Local if facts.gets_shape(v) => {
                problems.push(facts.refused(
                    v,
                    format!(
                        "{} gets its shape by assignment, in the region and outside",
                        Name(&variable.name)
                    ),
                    "declare it with extents, or include all that names it in the region",
                ));
                Part::Own
            }
            Role::Local | Role::Parameter { .. } => Part::Parameter,
        };
        parts[v.index()] = part;
        // The variables of its shape must be visible, too.
        if part == Part::Own || part == Part::Parameter && facts.has_lasting_shape(variable) {
            for e in bounds(variable) {
                e.walk_places(&mut |place| work.push(place.var));
            }
        }
        if part == Part::Parameter {
            for dim in variable.shape.iter().filter(|d| facts.is_lasting(&d.lower)) {
                dim.lower.walk_places(&mut |place| work.push(place.var));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(parts),
        false => Err(problems),
    }
}

/// The variables of the new routine, under construction.
struct Made<'a, 'p> {
    facts: &'a Facts<'p>,
    variables: Vec<Variable>,
    arguments: Vec<Expr>,
    /// Arrays, and their dimensions, whose lower bounds become parameters.
    lowers: Vec<(VarId, usize)>,
    map: Vec<Option<VarId>>,
}

impl Made<'_, '_> {
    /// Makes a parameter of a variable. An array keeps its extents if they are the same in the new routine, and takes
    /// those of the argument otherwise.
    fn parameter(&mut self, v: VarId) -> Result<(), Diagnostics> {
        let facts = self.facts;
        let mut variable = facts.routine.variable(v).clone();
        let optional = matches!(variable.role, Role::Parameter { optional: true, .. });
        let lasting = facts.has_lasting_shape(&variable);
        let name = Name(&facts.routine.variable(v).name);
        for (k, dim) in variable.shape.iter_mut().enumerate() {
            if !lasting {
                dim.extent = Extent::Deferred;
            }
            if facts.is_lasting(&dim.lower) {
                continue;
            }
            if optional {
                let message = format!("{name} is optional and has lower bounds that may change");
                let help = "give it constant lower bounds";
                return Err(facts.refused(v, message, help).into());
            }
            dim.lower = Expr::Int(1);
            self.lowers.push((v, k));
        }
        let intent = facts.intent(v);
        variable.role = Role::Parameter { intent, optional };
        self.map[v.index()] = Some(VarId::new(self.variables.len()));
        self.variables.push(variable);
        self.arguments.push(Expr::var(v));
        Ok(())
    }

    /// Makes a parameter of a lower bound.
    fn lower(&mut self, k: usize, taken: &mut HashSet<String>) {
        let (v, dim) = self.lowers[k];
        let axis = dim as i64 + 1;
        let base = format!("{}_lower{axis}", self.facts.routine.variable(v).name);
        let role = Role::Parameter {
            intent: Intent::In,
            optional: false,
        };
        let name = names::fresh_name(base, taken);
        let variable = Variable::new(name, ScalarType::Integer, Vec::<Dim>::new(), role);
        self.variables.push(variable);
        let array = Place::whole(v).into();
        self.arguments
            .push(Expr::op(Op::LBound, [array, Expr::Int(axis)]));
    }
}

/// Gives variables the ids that they have in another routine.
pub(super) struct Rename<'a>(pub(super) &'a [Option<VarId>]);

impl Rename<'_> {
    fn shape(&mut self, variable: &mut Variable) {
        for dim in &mut variable.shape {
            self.visit_expr(&mut dim.lower, PlaceRole::Address);
            match &mut dim.extent {
                Extent::Fixed(e) => self.visit_expr(e, PlaceRole::Address),
                Extent::Deferred => {}
            }
        }
    }
}

impl VisitMut for Rename<'_> {
    fn visit_place(&mut self, place: &mut Place, role: PlaceRole) {
        walk_place_mut(self, place);
        self.visit_variable(&mut place.var, role);
    }

    fn visit_variable(&mut self, v: &mut VarId, _: PlaceRole) {
        if let Some(Some(new)) = self.0.get(v.index()) {
            *v = *new;
        }
    }
}
