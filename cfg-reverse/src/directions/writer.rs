//! One routine in several directions. Statements that compute derivatives stand in loops over the directions, next to each
//! other in one loop; all other statements stay as they are.

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    edit::{Editor, Tail},
    entity::{GlobalId, RoutineId, VarId, VertexId},
    flat::{FlatClass, FlatExpr, FlatStmt},
    ir::{
        Dim, Expr, Extent, Intent, LoopTest, NameOrigin, NameRole, Op, Order, Place, Program, Role,
        Routine, ScalarType, Stmt, StmtKind, Subscript, TapeClass, Variable, visit,
        visit::PlaceRole,
    },
    memory::effects::Effects,
};
use std::collections::{BTreeMap, HashSet};

use super::{
    Count, Directions,
    places::{For, Places, order},
    spread::Spread,
};
use crate::{
    code::{
        expressions::{array_of_zeros, as_place},
        names::Namer,
        routines::{is_real_class, is_real_push, routine_shell},
        typing,
    },
    codes,
    partials::conform::{extents, ones},
};

/// The data that all routines of a program share.
pub(super) struct Setting<'p> {
    pub(super) program: &'p Program,
    pub(super) effects: &'p Effects,
    pub(super) spread: &'p Spread,
    /// How many directions there are.
    pub(super) count: Directions,
    /// The derivatives in globals that are globals in several directions, too, and those globals with their names.
    pub(super) scratch: BTreeMap<GlobalId, (GlobalId, String)>,
}

/// A routine in several directions.
pub(super) struct Written {
    pub(super) routine: Routine,
    /// The number of directions.
    pub(super) count: Count,
    /// The parameters that replace derivatives in globals.
    pub(super) globals: Vec<(VarId, GlobalId)>,
}

/// Statements that will stand in one loop.
#[derive(Default)]
struct Pending {
    statements: Vec<Stmt>,
    /// The variables without a direction that these statements read.
    reads: HashSet<VarId>,
}

struct Writer<'a, 'p> {
    setting: &'a Setting<'p>,
    id: RoutineId,
    original: &'p Routine,
    places: Places<'a>,
    made: Routine,
    namer: Namer,
    graph: Editor,
    /// The block that is being filled, and the vertex that it came from.
    at: usize,
    from: (VertexId, usize),
    pending: Pending,
    /// The blocks inside loops over directions.
    bodies: Vec<usize>,
    /// The number of directions, and the expression that has it.
    count: Count,
    directions: Expr,
    index: VarId,
    globals: BTreeMap<GlobalId, VarId>,
    /// The number of a routine in several directions.
    number: &'a mut dyn FnMut(RoutineId) -> RoutineId,
}

/// Writes a routine in several directions; `number` gives the numbers of its callees in several directions.
pub(super) fn write(
    setting: &Setting<'_>,
    id: RoutineId,
    name: String,
    number: &mut dyn FnMut(RoutineId) -> RoutineId,
) -> Result<Written, Diagnostics> {
    let original = setting.program.routine(id);
    let places = Places {
        variables: &original.variables,
        spread: setting.spread,
        routine: id,
    };
    check_decisions(setting, id)?;
    let mut namer = Namer::new(original.variables.iter().map(|v| v.name.as_str()));
    let mut made = routine_shell(original);
    made.name = name;
    made.origin.clone_from(&original.origin);
    made.variables.clone_from(&original.variables);
    let integer = |name, role| Variable::new(name, ScalarType::Integer, Vec::new(), role);
    let (count, directions) = match setting.count {
        Directions::Given => {
            let role = Role::Parameter {
                intent: Intent::In,
                optional: false,
            };
            let v = made.add_variable(integer(namer.fresh_name("nd".to_owned()), role));
            made.parameters.rotate_right(1);
            (Count::Parameter(v), Expr::var(v))
        }
        Directions::Fixed(n) => (Count::Fixed(n), Expr::Int(n.get().into())),
    };
    let mut index = integer(namer.fresh_name("d".to_owned()), Role::Local);
    if let Count::Fixed(_) = count {
        index.origin = Some(Box::new(NameOrigin::new(NameRole::Direction, "")));
    }
    let index = made.add_variable(index);
    let globals = parameters_of_globals(setting, id, &mut made, &mut namer);
    let given: Vec<(VarId, GlobalId)> = globals.iter().map(|(&g, &v)| (v, g)).collect();
    for v in (0..original.variables.len()).map(VarId::new) {
        let variable = &mut made.variables[v.index()];
        for dim in &mut variable.shape {
            dim.lower = places.expr(&dim.lower, &For::All);
            if let Extent::Fixed(e) = &mut dim.extent {
                *e = places.expr(e, &For::All);
            }
        }
        if places.has(v) {
            widen(variable, &directions);
        }
        if let Role::Global(g) = variable.role
            && let Some((g, name)) = setting.scratch.get(&g)
        {
            variable.role = Role::Global(*g);
            variable.name.clone_from(name);
        }
    }
    // Globals that only callees name have got a variable here, with the declaration of the program.
    for &v in globals
        .values()
        .filter(|v| v.index() >= original.variables.len())
    {
        widen(&mut made.variables[v.index()], &directions);
    }
    let Some(body) = original.body.clone() else {
        return Err(Diagnostic::error(
            &codes::NO_BODY,
            format!("`{}` has no body", original.name),
            codes::NO_BODY.explanation,
        )
        .into());
    };
    let mut writer = Writer {
        setting,
        id,
        original,
        places,
        made,
        namer,
        graph: Editor::take_apart(body),
        at: 0,
        from: (VertexId::new(0), 0),
        pending: Pending::default(),
        bodies: Vec::new(),
        count,
        directions,
        index,
        globals,
        number,
    };
    writer.body()?;
    let bodies = std::mem::take(&mut writer.bodies);
    let (mut routine, mut graph) = (writer.made, writer.graph);
    super::contract::contract(&mut routine, original, &mut graph, &bodies, index);
    routine.body = Some(graph.finish());
    Ok(Written {
        routine,
        count,
        globals: given,
    })
}

/// Gives a variable a dimension for the direction.
pub(super) fn widen(variable: &mut Variable, directions: &Expr) {
    let local = variable.role == Role::Local;
    let deferred = |dim: &Dim| dim.extent == Extent::Deferred;
    let own = if local && variable.shape.iter().any(deferred) {
        Dim::deferred()
    } else {
        Dim::with_extent(directions.clone())
    };
    variable.order = order(variable);
    match variable.order {
        Order::Row => variable.shape.push(own),
        Order::Column => variable.shape.insert(0, own),
    }
}

/// Replaces derivatives in globals by parameters: the extents of a global are constant, the number of directions is
/// the caller's. `scratch` stays in globals.
fn parameters_of_globals(
    setting: &Setting<'_>,
    id: RoutineId,
    made: &mut Routine,
    namer: &mut Namer,
) -> BTreeMap<GlobalId, VarId> {
    let mut globals = BTreeMap::new();
    for (v, variable) in (0..).map(VarId::new).zip(&made.variables) {
        if let Role::Global(g) = variable.role {
            globals.insert(g, v);
        }
    }
    let mut kept = BTreeMap::new();
    let mut owners = HashSet::new();
    for &g in setting.spread.globals(id) {
        if setting.scratch.contains_key(&g) {
            continue;
        }
        let role = Role::Parameter {
            intent: match setting.effects.may_write(id, g) {
                true => Intent::InOut,
                false => Intent::In,
            },
            optional: false,
        };
        let v = match globals.get(&g) {
            Some(&v) => {
                made.variables[v.index()].role = role;
                made.parameters.push(v);
                v
            }
            None => {
                let mut variable = setting.program.global(g).variable.clone();
                variable.name = namer.fresh_name(variable.name);
                variable.role = role;
                made.add_variable(variable)
            }
        };
        kept.insert(g, v);
        // Globals that lie over each other make parameters that overlap.
        made.aliased |= !owners.insert(setting.program.storage(g).0);
    }
    kept
}

/// Refuses decisions that depend on the direction.
fn check_decisions(setting: &Setting<'_>, id: RoutineId) -> Result<(), Diagnostics> {
    let routine = setting.program.routine(id);
    let places = Places {
        variables: &routine.variables,
        spread: setting.spread,
        routine: id,
    };
    for (v, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
        if vertex.kind.exprs().any(|e| places.reads(e)) {
            let message = "a decision depends on a derivative".to_owned();
            return Err(refused(setting.program, id, Element::Vertex(v), message));
        }
    }
    Ok(())
}

fn refused(program: &Program, id: RoutineId, element: Element, message: String) -> Diagnostics {
    let site = Site {
        routine: Some(id),
        element,
        part: None,
        index: None,
        path: Box::default(),
    };
    let code = &codes::DIRECTIONS;
    Diagnostic::error(code, message, code.explanation)
        .at_site_in(program, site)
        .into()
}

impl Writer<'_, '_> {
    fn refused(&self, message: impl Into<String>) -> Diagnostics {
        let (v, k) = self.from;
        let element = Element::Statement(v, k);
        refused(self.setting.program, self.id, element, message.into())
    }

    fn body(&mut self) -> Result<(), Diagnostics> {
        for vertex in &mut self.graph.vertices {
            for e in vertex.kind.exprs_mut() {
                *e = self.places.expr(e, &For::All);
            }
        }
        for (v, statements) in self.graph.take_statements() {
            self.at = v;
            for (k, statement) in statements.into_iter().enumerate() {
                self.from = (VertexId::new(v), k);
                self.statement(statement)?;
            }
            self.flush();
        }
        Ok(())
    }

    /// Ends the loop over directions that is being filled.
    fn flush(&mut self) {
        let statements = std::mem::take(&mut self.pending).statements;
        if statements.is_empty() {
            return;
        }
        let last = self.graph.split(self.at);
        let mut tail = Tail(self.at, None);
        let test = LoopTest::up_to(self.index, self.directions.clone());
        let header = self.graph.begin_loop(&mut tail, test);
        let body = self.graph.append_block(&mut tail, statements);
        self.graph.end_loop(&mut tail, header);
        self.graph.add_edge(header, last, None);
        self.bodies.push(body);
        self.at = last;
    }

    /// Adds a statement without a direction. It goes before the loop that is being filled if the loop does not read
    /// its target; otherwise the loop ends here.
    fn plain(&mut self, statement: Stmt) {
        let target = match FlatStmt::view(&statement.kind) {
            FlatStmt::Assign { target, .. } | FlatStmt::Pop { target, .. } => Some(target.var),
            FlatStmt::Call { .. }
            | FlatStmt::Push { .. }
            | FlatStmt::Opaque { .. }
            | FlatStmt::Stop { .. } => None,
        };
        if target.is_none_or(|v| self.is_awaited(v)) {
            self.flush();
        }
        self.graph.push(self.at, statement);
    }

    /// True if a variable may share cells with one that the loop reads that is being filled. In a fixed number of
    /// directions that loop reads few variables, so that it is worth to look at more than locals.
    fn is_awaited(&self, target: VarId) -> bool {
        let reads = &self.pending.reads;
        if reads.contains(&target) {
            return true;
        }
        let role = |v: VarId| self.made.variable(v).role;
        let program = self.setting.program;
        let storage =
            |g: GlobalId| (g.index() < program.globals.len()).then(|| program.storage(g).0);
        match role(target) {
            Role::Local => false,
            _ if !self.is_fixed() || self.original.aliased => true,
            Role::Parameter { .. } => false,
            Role::Global(g) => reads.iter().any(|&v| match role(v) {
                Role::Global(other) => storage(other) == storage(g),
                Role::Local | Role::Parameter { .. } => false,
            }),
        }
    }

    /// Adds a statement to the loop over directions.
    fn each(&mut self, statement: Stmt) {
        visit::each_name(&statement, &mut |v, _| {
            self.pending.reads.insert(v);
        });
        self.pending.statements.push(statement);
    }

    fn is_fixed(&self) -> bool {
        matches!(self.count, Count::Fixed(_))
    }

    fn one(&self) -> For {
        For::One(Expr::var(self.index))
    }

    fn statement(&mut self, statement: Stmt) -> Result<(), Diagnostics> {
        let mut address = None;
        visit::each_name(&statement, &mut |v, role| {
            if role == PlaceRole::Address && self.places.has(v) {
                address = Some(v);
            }
        });
        if let Some(v) = address {
            let name = &self.original.variable(v).name;
            return Err(self.refused(format!("a subscript depends on the derivative `{name}`")));
        }
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Assign { target, value } => {
                self.assign(&statement, target, value);
                Ok(())
            }
            FlatStmt::Call {
                callee,
                arguments,
                result,
            } => self.call(&statement, callee, arguments, result),
            FlatStmt::Push { tape, class, value } => self.push(&statement, tape, class, value),
            FlatStmt::Pop { tape, target, .. } => {
                self.pop(&statement, tape, target);
                Ok(())
            }
            FlatStmt::Opaque { .. } | FlatStmt::Stop { .. } => {
                self.flush();
                self.graph.push(self.at, statement);
                Ok(())
            }
        }
    }

    /// The statement with another action.
    fn with(&self, statement: &Stmt, kind: StmtKind) -> Stmt {
        Stmt {
            kind,
            ..statement.clone()
        }
    }

    fn assign(&mut self, statement: &Stmt, target: &Place, value: &Expr) {
        let made = |writer: &Self, directions: &For, value: Expr| {
            let target = writer.places.widen_place(target, directions);
            writer.with(statement, StmtKind::Assign { target, value })
        };
        if !self.places.has(target.var) {
            let value = self.places.expr(value, &For::All);
            return self.plain(made(self, &For::All, value));
        }
        let rank = typing::place_rank(&self.original.variables, target);
        let order_of_target = order(self.original.variable(target.var));
        if rank > 0 && self.is_elementwise(value, order_of_target) {
            self.flush();
            let value = self.places.expr(value, &For::All);
            let statement = made(self, &For::All, value);
            return self.graph.push(self.at, statement);
        }
        let whole = target.subscripts.is_empty();
        let variable = self.original.variable(target.var);
        let takes_shape = whole && rank > 0 && crate::code::routines::is_deferred(variable);
        if takes_shape && typing::expr_type(&self.original.variables, value).rank > 0 {
            // The right side may read the target, which is about to get another shape.
            let v = self.keep(value, variable.order);
            self.flush();
            let statement = made(self, &For::All, Expr::var(v));
            return self.graph.push(self.at, statement);
        }
        let value = self.hoisted(value, rank > 0);
        let one = self.one();
        let value = self.places.expr(&value, &one);
        let statement = made(self, &one, value);
        self.each(statement);
    }

    /// True of an array expression that is the same, element by element, with one more dimension: all its arrays have
    /// a direction, in the same storage order as the target, and none of its scalars has one.
    fn is_elementwise(&self, e: &Expr, of_target: Order) -> bool {
        match FlatExpr::view(e) {
            FlatExpr::Constant(_) => true,
            FlatExpr::Place(place) => {
                let rank = typing::place_rank(&self.original.variables, place);
                let same = order(self.original.variable(place.var)) == of_target;
                (rank > 0) == self.places.has(place.var) && (rank == 0 || same)
            }
            FlatExpr::Op(op, operands) => match FlatClass::view(op) {
                FlatClass::Elemental => operands.iter().all(|e| self.is_elementwise(e, of_target)),
                FlatClass::Reduction | FlatClass::Transformational | FlatClass::Inquiry => false,
            },
        }
    }

    /// A local variable without a direction.
    fn local(&mut self, ty: ScalarType, rank: usize) -> VarId {
        let name = self.namer.numbered("h");
        let mut variable = Variable::new(name, ty, vec![Dim::deferred(); rank], Role::Local);
        variable.origin = Some(Box::new(NameOrigin::new(NameRole::Temporary, "")));
        self.made.add_variable(variable)
    }

    /// The expression in which costly parts that are the same for all directions are variables, computed before the
    /// loop.
    fn hoisted(&mut self, e: &Expr, arrays: bool) -> Expr {
        // A loop that reads no more than locals can go on behind statements that change the rest.
        let changes = |place: &Place| {
            let local = self.original.variable(place.var).role == Role::Local;
            self.is_fixed() && !(local && place.subscripts.is_empty())
        };
        let reads = self.places.reads(e);
        let moves = match FlatExpr::view(e) {
            FlatExpr::Constant(_) => false,
            FlatExpr::Place(place) => changes(place),
            FlatExpr::Op(..) => true,
        };
        if !reads && moves {
            let ty = typing::expr_type(&self.original.variables, e);
            let worth = if ty.rank == 0 {
                !arrays || is_costly(e)
            } else {
                is_costly(e)
            };
            if !ty.ty.is_real() || !worth || e.constant().is_some() || !reads_any(e) {
                return e.clone();
            }
            let v = self.local(ty.ty, ty.rank);
            let value = self.places.expr(e, &For::All);
            self.graph
                .push(self.at, Stmt::assign(Place::whole(v), value));
            return Expr::var(v);
        }
        let FlatExpr::Op(op, operands) = FlatExpr::view(e) else {
            return e.clone();
        };
        // Arms are evaluated only if they are taken: nothing is moved out of them.
        match (FlatClass::view(op), op) {
            (_, Op::If | Op::And | Op::Or)
            | (FlatClass::Transformational | FlatClass::Inquiry, _) => e.clone(),
            (FlatClass::Elemental | FlatClass::Reduction, _) => {
                Expr::op(op, operands.iter().map(|e| self.hoisted(e, arrays)))
            }
        }
    }

    /// A variable with a direction that has the value of an expression.
    fn keep(&mut self, value: &Expr, as_in: Order) -> VarId {
        let ty = typing::expr_type(&self.original.variables, value);
        let v = self.local(ty.ty, ty.rank);
        let variable = &mut self.made.variables[v.index()];
        variable.order = as_in;
        widen(variable, &self.directions);
        let own = match variable.order {
            Order::Row => ty.rank,
            Order::Column => 0,
        };
        if ty.rank > 0 {
            self.flush();
            let mut sizes = self.extents(value);
            sizes.insert(own, self.directions.clone());
            let shape = array_of_zeros(ty.ty, sizes.into_iter());
            self.graph
                .push(self.at, Stmt::assign(Place::whole(v), shape));
        }
        let mut subscripts = vec![Subscript::Range(Box::default()); ty.rank];
        subscripts.insert(own, Subscript::Index(Expr::var(self.index)));
        let target = Place {
            var: v,
            subscripts: subscripts.into(),
        };
        let one = self.one();
        let value = self.places.expr(value, &one);
        self.each(Stmt::assign(target, value));
        v
    }

    /// The extents of an array expression, without that of the direction.
    fn extents(&self, e: &Expr) -> Vec<Expr> {
        let rank = typing::expr_type(&self.original.variables, e).rank;
        let extents = extents(&self.original.variables, e, &ones(rank));
        let all = extents.iter().map(|e| self.places.expr(e, &For::All));
        all.collect()
    }

    fn push(
        &mut self,
        statement: &Stmt,
        tape: VarId,
        class: TapeClass,
        value: &Expr,
    ) -> Result<(), Diagnostics> {
        let real = is_real_push(self.original, class, value);
        if !real && self.places.reads(value) {
            return Err(self.refused("what is no real and is pushed depends on a derivative"));
        }
        let plain = !real || !self.setting.spread.has(self.id, tape);
        let value = match as_place(value) {
            _ if plain => self.places.expr(value, &For::All),
            Some(place) => Expr::Place(self.places.widen_place(place, &For::All)),
            None => Expr::var(self.keep(value, Order::Row)),
        };
        if !plain || !self.is_fixed() {
            self.flush();
        }
        let kind = StmtKind::Push { tape, class, value };
        let statement = self.with(statement, kind);
        self.graph.push(self.at, statement);
        Ok(())
    }

    fn pop(&mut self, statement: &Stmt, tape: VarId, target: &Place) {
        let StmtKind::Pop { class, .. } = statement.kind else {
            return;
        };
        let pop = |writer: &Self, target| {
            writer.with(
                statement,
                StmtKind::Pop {
                    tape,
                    class,
                    target,
                },
            )
        };
        if !self.places.has(target.var) {
            let target = self.places.widen_place(target, &For::All);
            return self.plain(pop(self, target));
        }
        let real = is_real_class(class, self.original.variable(target.var).ty);
        if real && self.setting.spread.has(self.id, tape) {
            self.flush();
            let target = self.places.widen_place(target, &For::All);
            let statement = pop(self, target);
            return self.graph.push(self.at, statement);
        }
        // The value on the tape is the same for all directions.
        self.flush();
        let ty = typing::place_type(&self.original.variables, target);
        let v = self.local(ty.ty, ty.rank);
        if ty.rank > 0 {
            self.made.variables[v.index()].order = self.original.variable(target.var).order;
            let sizes = self.extents(&Expr::Place(target.clone()));
            let shape = array_of_zeros(ty.ty, sizes.into_iter());
            self.graph
                .push(self.at, Stmt::assign(Place::whole(v), shape));
        }
        let statement = pop(self, Place::whole(v));
        self.graph.push(self.at, statement);
        let target = self.places.widen_place(target, &self.one());
        self.each(Stmt::assign(target, Expr::var(v)));
    }

    fn call(
        &mut self,
        statement: &Stmt,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Result<(), Diagnostics> {
        let theirs = self.setting.program.routine(callee);
        let given = arguments.iter().flatten().any(|e| self.places.reads(e));
        let globals = self.setting.spread.globals(callee);
        if !given && globals.is_empty() {
            let arguments = arguments.iter();
            let made = arguments.map(|a| Some(self.places.expr(a.as_ref()?, &For::All)));
            let arguments = made.collect();
            let result = result.map(|p| self.places.widen_place(p, &For::All));
            if result.as_ref().is_some_and(|p| self.places.has(p.var)) {
                return Err(self.refused("a derivative is the result of a call without one"));
            }
            self.flush();
            let kind = StmtKind::Call {
                callee,
                arguments,
                result,
            };
            let statement = self.with(statement, kind);
            self.graph.push(self.at, statement);
            return Ok(());
        }
        let has = |v: VarId| self.setting.spread.has(callee, v);
        if theirs.body.is_none() || theirs.result.is_some_and(has) {
            return self.call_each(statement, callee, arguments, result);
        }
        let mut made = Vec::new();
        if let Count::Parameter(v) = self.count {
            made.push(Some(Expr::var(v)));
        }
        for (p, argument) in theirs.parameter_ids().zip(arguments) {
            let spread = has(p) && !theirs.variable(p).ty.is_tape();
            made.push(match argument {
                None => None,
                Some(e) if !spread => Some(self.places.expr(e, &For::All)),
                Some(Expr::Place(place)) if self.places.has(place.var) => {
                    // A parameter that takes its extents from the argument has its dimensions in the same order.
                    let formal = theirs.variable(p);
                    let assumed = formal.shape.iter().any(|d| d.extent == Extent::Deferred);
                    if assumed && order(formal) != order(self.original.variable(place.var)) {
                        let name = &self.original.variable(place.var).name;
                        return Err(self.refused(format!(
                            "`{name}` is stored in another order than the parameter that takes its extents"
                        )));
                    }
                    // An element bound to an array stands for the elements behind it, too.
                    let first = place.is_element() && theirs.variable(p).rank() > 0;
                    let directions = if first {
                        For::One(Expr::Int(1))
                    } else {
                        For::All
                    };
                    Some(Expr::Place(self.places.widen_place(place, &directions)))
                }
                Some(e) => Some(Expr::var(self.keep(e, theirs.variable(p).order))),
            });
        }
        for g in globals {
            if !self.setting.scratch.contains_key(g) {
                made.push(self.globals.get(g).map(|v| Expr::var(*v)));
            }
        }
        self.flush();
        let kind = StmtKind::Call {
            callee: (self.number)(callee),
            arguments: made.into(),
            result: result.map(|p| self.places.widen_place(p, &For::All)),
        };
        let statement = self.with(statement, kind);
        self.graph.push(self.at, statement);
        Ok(())
    }

    /// A function that does nothing but compute its result is called for each direction.
    fn call_each(
        &mut self,
        statement: &Stmt,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Result<(), Diagnostics> {
        let theirs = self.setting.program.routine(callee);
        let effects = self.setting.effects;
        let only_reads = |p: VarId| {
            let formal = theirs.variable(p);
            formal.intent() == Some(Intent::In) && !formal.ty.is_tape()
        };
        let pure = effects.written(callee).is_empty()
            && self.setting.spread.globals(callee).is_empty()
            && theirs.parameter_ids().all(only_reads);
        let bound = |(p, e): (VarId, &Option<Expr>)| match e {
            Some(Expr::Place(place)) => !place.is_element() || theirs.variable(p).rank() == 0,
            _ => true,
        };
        if !pure || !theirs.parameter_ids().zip(arguments).all(bound) {
            let name = &theirs.name;
            return Err(self.refused(format!("`{name}` does more than compute one derivative")));
        }
        let one = self.one();
        let made = arguments.iter();
        let made = made.map(|a| Some(self.places.expr(a.as_ref()?, &one)));
        let kind = StmtKind::Call {
            callee,
            arguments: made.collect(),
            result: result.map(|p| self.places.widen_place(p, &one)),
        };
        let statement = self.with(statement, kind);
        self.each(statement);
        Ok(())
    }
}

/// True of an expression that reads a place.
fn reads_any(e: &Expr) -> bool {
    let mut found = false;
    super::spread::each_read(e, &mut |_| found = true);
    found
}

/// True of an expression with an operator that costs more than a load.
fn is_costly(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        if let Expr::Op(op, _) = e {
            found |= !matches!(
                op,
                Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::StrongMul | Op::Abs
            );
        }
    });
    found
}
