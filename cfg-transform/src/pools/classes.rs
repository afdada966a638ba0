//! Points-to analysis by unification: B. Steensgaard, "Points-to Analysis in Almost Linear Time" (POPL 1996), with the
//! pointers stored in a class told apart by type. (Pointers of different types lead to the same cells only if one
//! leads into the other's object, which makes the classes one.)
//!
//! A class is a set of objects that share their pool. A variable belongs to the class of its cells. The class to which
//! the pointers stored in a class lead is the *content* of that class.

use super::cells;
use cfg_core::{
    entity::{GlobalId, RecordId, RoutineId, VarId},
    ir::{
        Expr, Extent, Op, Order, Part, Place, PointerType, Program, Role, Routine, ScalarType,
        Stmt, StmtKind, Variable, Vertex, visit,
    },
    typing::type_in,
};
use std::collections::{BTreeMap, BTreeSet};

/// A class, or a class that has become a part of another one.
pub(super) type Node = usize;

/// The classes of a program.
pub(super) struct Classes<'p> {
    program: &'p Program,
    parent: Vec<Node>,
    /// Of the representative of a class: the number of its nodes.
    members: Vec<usize>,
    /// Of the representative of a class: the class to which stored pointers of each type lead.
    content: Vec<BTreeMap<PointerType, Node>>,
    /// Of the representative of a class: the types of cells that are used through pointers.
    types: Vec<BTreeSet<ScalarType>>,
    /// Of the representative of a class: the types of the elements of its objects.
    layouts: Vec<BTreeSet<ScalarType>>,
    /// Of the representative of a class: whether objects are allocated there.
    allocated: Vec<bool>,
    /// Of the representative of a class: whether objects are freed there, or resized.
    freed: Vec<bool>,
    /// Of the representative of a class: whether objects of it are globals, or globals lead to them.
    kept: Vec<bool>,
    /// The node of the first variable of each routine; those of globals come before all.
    first: Vec<Node>,
    /// Variables that live in pools, by routine.
    moved: Vec<Vec<bool>>,
    moved_globals: Vec<bool>,
}

/// An argument that is bound to a formal.
struct Binding<'p> {
    caller: RoutineId,
    callee: RoutineId,
    formal: VarId,
    actual: &'p Expr,
}

impl<'p> Classes<'p> {
    /// The classes of a valid program. Near-linear in its size.
    pub(super) fn partition(program: &'p Program) -> Self {
        let mut first = Vec::with_capacity(program.routines.len());
        let mut nodes = program.globals.len();
        for routine in &program.routines {
            first.push(nodes);
            nodes += routine.variables.len();
        }
        let moved = program.routines.iter();
        let moved = moved.map(|r| vec![false; r.variables.len()]).collect();
        let mut classes = Self {
            program,
            parent: (0..nodes).collect(),
            members: vec![1; nodes],
            content: vec![BTreeMap::new(); nodes],
            types: vec![BTreeSet::new(); nodes],
            layouts: vec![BTreeSet::new(); nodes],
            allocated: vec![false; nodes],
            freed: vec![false; nodes],
            kept: Vec::new(),
            first,
            moved,
            moved_globals: vec![false; program.globals.len()],
        };
        for (k, global) in program.globals.iter().enumerate() {
            if let Some(overlay) = global.overlay {
                classes.unify(k, overlay.base.index());
            }
        }
        let mut bindings = Vec::new();
        for (r, routine) in program.routines.iter().enumerate() {
            let id = RoutineId::new(r);
            classes.extents(id, routine);
            let Some(cfg) = &routine.body else { continue };
            for (_, vertex) in cfg.vertices() {
                classes.vertex(id, routine, vertex, &mut bindings);
            }
        }
        classes.close(&bindings);
        classes
    }

    /// The representative of a class.
    pub(super) fn find(&self, mut node: Node) -> Node {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    /// Number of nodes; classes are ordered by the first of theirs.
    pub(super) fn len(&self) -> usize {
        self.parent.len()
    }

    /// The node of a variable.
    pub(super) fn variable(&self, r: RoutineId, v: VarId) -> Node {
        match self.program.routine(r).variable(v).role {
            Role::Global(g) => g.index(),
            Role::Parameter { .. } | Role::Local => self.first[r.index()] + v.index(),
        }
    }

    /// The types of cells that are used through pointers in a class, among them those of the variables that live there.
    pub(super) fn types(&self, node: Node) -> &BTreeSet<ScalarType> {
        &self.types[self.find(node)]
    }

    /// The types of the elements of the objects of a class, without arguments of the main routine
    /// ([`Classes::add_arguments`]).
    pub(super) fn layouts(&self, node: Node) -> &BTreeSet<ScalarType> {
        &self.layouts[self.find(node)]
    }

    /// The targets of pointers: class and type of each.
    pub(super) fn pointees(&self) -> impl Iterator<Item = (Node, ScalarType)> {
        let contents = self.content.iter().flatten();
        contents.map(|(ty, &node)| (self.find(node), ty.pointee()))
    }

    /// Adds the objects that are passed to the heads: parameters that live in pools, and all objects to which pointers
    /// in parameters lead. Recursive records of one parameter are one class.
    pub(super) fn add_arguments(&mut self, heads: &[RoutineId]) {
        let recursive = self.program.recursive_records();
        for &r in heads {
            let routine = self.program.routine(r);
            for v in routine.parameter_ids() {
                let (node, ty) = (self.variable(r, v), routine.variable(v).ty);
                if self.is_moved(r, v) {
                    let node = self.halve(node);
                    self.layouts[node].insert(ty);
                }
                // Repeated, since a class that has become part of another one may lead on.
                while self.add_argument((node, ty), &recursive) {}
            }
        }
        self.keep();
    }

    /// Adds the objects to which a parameter leads; true if classes have become one.
    fn add_argument(
        &mut self,
        parameter: (Node, ScalarType),
        recursive: &BTreeSet<RecordId>,
    ) -> bool {
        let mut open = vec![parameter];
        let mut seen = BTreeSet::new();
        let mut homes: BTreeMap<RecordId, Node> = BTreeMap::new();
        let mut changed = false;
        while let Some((node, ty)) = open.pop() {
            let node = self.halve(node);
            if !seen.insert((node, ty)) {
                continue;
            }
            for leaf in cells::cell_types(self.program, ty) {
                let Some(pointer) = leaf.pointer() else {
                    continue;
                };
                let ty = pointer.pointee();
                let record = ty.record().filter(|record| recursive.contains(record));
                let pointee = match record {
                    Some(record) => {
                        let own = self.content(node, pointer);
                        let home = *homes.entry(record).or_insert(own);
                        changed |= self.find(home) != self.find(own);
                        self.unify(home, own);
                        own
                    }
                    None => match self.pointee(node, pointer) {
                        Some(pointee) => pointee,
                        None => continue,
                    },
                };
                let pointee = self.halve(pointee);
                self.layouts[pointee].insert(ty);
                open.push((pointee, ty));
            }
        }
        changed
    }

    /// True if objects of a class are allocated.
    pub(super) fn is_allocated(&self, node: Node) -> bool {
        self.allocated[self.find(node)]
    }

    /// True if objects of a class are allocated and freed.
    pub(super) fn is_freed(&self, node: Node) -> bool {
        let node = self.find(node);
        self.allocated[node] && self.freed[node]
    }

    /// True if objects of a class may be used after the program has ended: some are globals, or globals lead to them,
    /// directly or through others.
    pub(super) fn is_kept(&self, node: Node) -> bool {
        self.kept[self.find(node)]
    }

    /// The class to which pointers of a type that are stored in a class lead; `None` if there are none.
    pub(super) fn pointee(&self, node: Node, ty: PointerType) -> Option<Node> {
        let content = self.content[self.find(node)].get(&ty)?;
        Some(self.find(*content))
    }

    /// True if the variable lives in a pool.
    pub(super) fn is_moved(&self, r: RoutineId, v: VarId) -> bool {
        match self.program.routine(r).variable(v).role {
            Role::Global(g) => self.moved_globals[g.index()],
            Role::Parameter { .. } | Role::Local => self.moved[r.index()][v.index()],
        }
    }

    /// The globals that live in pools.
    pub(super) fn moved_globals(&self) -> impl Iterator<Item = GlobalId> {
        let all = self.moved_globals.iter().enumerate();
        all.filter(|(_, moved)| **moved)
            .map(|(g, _)| GlobalId::new(g))
    }

    /// The class of a place, and its type.
    pub(super) fn class_of_place(&self, r: RoutineId, place: &Place) -> Option<(Node, ScalarType)> {
        let ty = self.program.routine(r).variable(place.var).ty;
        let start = (self.find(self.variable(r, place.var)), ty);
        along(self.program, start, place, |node, ty| {
            self.pointee(node, ty)
        })
    }

    /// The class to which two pointers lead, which is the same for pointers that are compared; `None` if both are
    /// null.
    pub(super) fn led_to_by(&self, r: RoutineId, pointers: [&Expr; 2]) -> Option<Node> {
        pointers.into_iter().find_map(|e| self.leads_to(r, e))
    }

    fn leads_to(&self, r: RoutineId, e: &Expr) -> Option<Node> {
        match e {
            Expr::Addr(place) => Some(self.class_of_place(r, place)?.0),
            Expr::Place(place) => {
                let (node, ty) = self.class_of_place(r, place)?;
                self.pointee(node, ty.pointer()?)
            }
            Expr::Op(Op::Shift | Op::If, operands) => {
                operands.iter().find_map(|e| self.leads_to(r, e))
            }
            Expr::Null(_)
            | Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..) => None,
        }
    }

    fn unify(&mut self, a: Node, b: Node) {
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            let (a, b) = (self.halve(a), self.halve(b));
            if a == b {
                continue;
            }
            // The smaller class is put into the larger one, so that each entry moves a logarithmic number of times and
            // paths are short.
            let weight = |n: Node| self.members[n] + self.content[n].len() + self.types[n].len();
            let (into, from) = if weight(a) >= weight(b) {
                (a, b)
            } else {
                (b, a)
            };
            self.parent[from] = into;
            self.members[into] += self.members[from];
            self.allocated[into] |= self.allocated[from];
            self.freed[into] |= self.freed[from];
            let types = std::mem::take(&mut self.types[from]);
            self.types[into].extend(types);
            let layouts = std::mem::take(&mut self.layouts[from]);
            self.layouts[into].extend(layouts);
            for (ty, node) in std::mem::take(&mut self.content[from]) {
                match self.content[into].get(&ty) {
                    Some(&other) => pairs.push((node, other)),
                    None => {
                        self.content[into].insert(ty, node);
                    }
                }
            }
        }
    }

    /// The representative, with paths made shorter on the way.
    fn halve(&mut self, mut node: Node) -> Node {
        while self.parent[node] != node {
            let above = self.parent[self.parent[node]];
            self.parent[node] = above;
            node = above;
        }
        node
    }

    /// The class to which pointers of a type that are stored in a class lead, a new one if need be.
    fn content(&mut self, node: Node, ty: PointerType) -> Node {
        let node = self.halve(node);
        if let Some(&content) = self.content[node].get(&ty) {
            return self.halve(content);
        }
        let content = self.parent.len();
        self.parent.push(content);
        self.members.push(1);
        self.content.push(BTreeMap::new());
        self.types.push(BTreeSet::new());
        self.layouts.push(BTreeSet::new());
        self.allocated.push(false);
        self.freed.push(false);
        self.content[node].insert(ty, content);
        content
    }

    fn add_types(&mut self, node: Node, ty: ScalarType) {
        let node = self.halve(node);
        let types = cells::cell_types(self.program, ty);
        self.types[node].extend(types);
    }

    /// Variables that extents read through pointers have cells in a pool, which no declaration can read. So local
    /// arrays with such extents live in pools themselves: statements at the entry of the routine find their extents.
    fn extents(&mut self, r: RoutineId, routine: &'p Routine) {
        for (v, variable) in routine.variables.iter().enumerate() {
            if !is_measured_through_pointers(self.program, routine, variable) {
                continue;
            }
            let mut walk = Walk {
                classes: self,
                r,
                routine,
            };
            for e in bounds(variable) {
                visit::Visit::visit_expr(&mut walk, e, visit::PlaceRole::Address);
            }
            let v = VarId::new(v);
            // An array of records in column order stays a variable: its address may not be taken either.
            let is_apart = variable.order == Order::Column && variable.ty.record().is_some();
            if variable.role == Role::Local && routine.result != Some(v) && !is_apart {
                self.mark((r, v));
            }
        }
    }

    fn vertex(
        &mut self,
        r: RoutineId,
        routine: &'p Routine,
        vertex: &'p Vertex,
        bindings: &mut Vec<Binding<'p>>,
    ) {
        // All places and operators of the routine.
        let mut walk = Walk {
            classes: self,
            r,
            routine,
        };
        visit::Visit::visit_vertex(&mut walk, cfg_core::entity::VertexId::new(0), vertex);
        for statement in vertex.statements() {
            self.statement(r, routine, statement, bindings);
        }
    }

    fn statement(
        &mut self,
        r: RoutineId,
        routine: &'p Routine,
        statement: &'p Stmt,
        bindings: &mut Vec<Binding<'p>>,
    ) {
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                if let Some((to, ty)) = self.reach(r, routine, target) {
                    self.stored(r, routine, to, ty, value);
                }
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                let called = self.program.routine(*callee);
                for (formal, actual) in called.parameter_ids().zip(arguments) {
                    let Some(actual) = actual else { continue };
                    let to = self.variable(*callee, formal);
                    self.stored(r, routine, to, called.variable(formal).ty, actual);
                    bindings.push(Binding {
                        caller: r,
                        callee: *callee,
                        formal,
                        actual,
                    });
                }
                if let (Some(place), Some(v)) = (result, called.result)
                    && let Some((to, ty)) = self.reach(r, routine, place)
                {
                    let from = self.variable(*callee, v);
                    self.copied(to, from, ty);
                }
            }
            StmtKind::Allocate { pointer, .. } | StmtKind::Resize { pointer, .. } => {
                if let Some((node, ty)) = self.reach(r, routine, pointer)
                    && let Some(ty) = ty.pointer()
                {
                    let made = self.content(node, ty);
                    self.allocated[made] = true;
                    self.freed[made] |= matches!(statement.kind, StmtKind::Resize { .. });
                    self.layouts[made].insert(ty.pointee());
                    self.add_types(made, ty.pointee());
                }
            }
            StmtKind::Free { pointer } => {
                if let Some((node, ty)) = self.reach(r, routine, pointer)
                    && let Some(ty) = ty.pointer()
                {
                    let ended = self.content(node, ty);
                    self.freed[ended] = true;
                    self.add_types(ended, ty.pointee());
                }
            }
            StmtKind::Push { .. }
            | StmtKind::Pop { .. }
            | StmtKind::Opaque { .. }
            | StmtKind::Stop { .. } => {}
        }
    }

    /// Unifies for a value of a type that is stored in a class.
    fn stored(&mut self, r: RoutineId, routine: &Routine, to: Node, ty: ScalarType, value: &Expr) {
        if let Some(pointer) = ty.pointer() {
            if let Some(led_to) = self.led_to(r, routine, value) {
                let content = self.content(to, pointer);
                self.unify(content, led_to);
            }
        } else if ty.record().is_some()
            && let Expr::Place(place) = value
            && let Some((from, _)) = self.reach(r, routine, place)
        {
            self.copied(to, from, ty);
        }
    }

    /// Unifies for the pointers in a value of a type that is copied from one class to another.
    fn copied(&mut self, to: Node, from: Node, ty: ScalarType) {
        for leaf in cells::cell_types(self.program, ty) {
            if let Some(pointer) = leaf.pointer() {
                let (a, b) = (self.content(to, pointer), self.content(from, pointer));
                self.unify(a, b);
            }
        }
    }

    /// The class to which a pointer leads; `None` for null.
    fn led_to(&mut self, r: RoutineId, routine: &Routine, e: &Expr) -> Option<Node> {
        match e {
            Expr::Addr(place) => Some(self.reach(r, routine, place)?.0),
            Expr::Place(place) => {
                let (node, ty) = self.reach(r, routine, place)?;
                Some(self.content(node, ty.pointer()?))
            }
            Expr::Op(Op::Shift, operands) => self.led_to(r, routine, operands.first()?),
            Expr::Op(Op::If, operands) => match &**operands {
                [_, a, b] => self.same(r, routine, a, b),
                _ => None,
            },
            Expr::Null(_)
            | Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..) => None,
        }
    }

    /// Unifies the classes of two pointers that may be equal.
    fn same(&mut self, r: RoutineId, routine: &Routine, a: &Expr, b: &Expr) -> Option<Node> {
        match (self.led_to(r, routine, a), self.led_to(r, routine, b)) {
            (Some(a), Some(b)) => {
                self.unify(a, b);
                Some(a)
            }
            (a, b) => a.or(b),
        }
    }

    /// The class of a place, with the classes on the way made, and the type of the place.
    fn reach(
        &mut self,
        r: RoutineId,
        routine: &Routine,
        place: &Place,
    ) -> Option<(Node, ScalarType)> {
        let start = (self.variable(r, place.var), routine.variable(place.var).ty);
        along(self.program, start, place, |node, ty| {
            let content = self.content(node, ty);
            self.add_types(content, ty.pointee());
            Some(content)
        })
    }

    /// Marks the variables that have to live in pools because others do: the actual arguments of such a formal, and
    /// formals for records that are passed from a pool, which become pointers.
    fn close(&mut self, bindings: &[Binding<'p>]) {
        let mut of_formal: BTreeMap<(RoutineId, VarId), Vec<usize>> = BTreeMap::new();
        let mut of_actual: BTreeMap<(RoutineId, VarId), Vec<usize>> = BTreeMap::new();
        let mut open: Vec<(RoutineId, VarId)> = Vec::new();
        for (k, binding) in bindings.iter().enumerate() {
            let formal = (binding.callee, binding.formal);
            of_formal.entry(formal).or_default().push(k);
            let Expr::Place(place) = binding.actual else {
                continue;
            };
            if !place.is_through_pointer() {
                of_actual
                    .entry((binding.caller, place.var))
                    .or_default()
                    .push(k);
            } else if self.is_record(formal) && self.mark(formal) {
                open.push(formal);
            }
        }
        let mut named: BTreeMap<GlobalId, Vec<(RoutineId, VarId)>> = BTreeMap::new();
        for (r, routine) in self.program.routines.iter().enumerate() {
            for (v, variable) in routine.variables.iter().enumerate() {
                let at = (RoutineId::new(r), VarId::new(v));
                if let Role::Global(g) = variable.role {
                    named.entry(g).or_default().push(at);
                }
                if self.is_moved(at.0, at.1) {
                    open.push(at);
                }
            }
        }
        let mut sharing: BTreeMap<GlobalId, Vec<GlobalId>> = BTreeMap::new();
        for (g, global) in self.program.globals.iter().enumerate() {
            if let Some(overlay) = global.overlay {
                sharing
                    .entry(overlay.base)
                    .or_default()
                    .push(GlobalId::new(g));
            }
        }
        while let Some((r, v)) = open.pop() {
            let routine = self.program.routine(r);
            if let Role::Global(g) = routine.variable(v).role {
                // Globals that share storage live in a pool together.
                let base = self.program.storage(g).0;
                for &other in std::iter::once(&base).chain(sharing.get(&base).into_iter().flatten())
                {
                    if !std::mem::replace(&mut self.moved_globals[other.index()], true) {
                        self.add_types(other.index(), self.program.global(other).variable.ty);
                        open.extend(named.get(&other).into_iter().flatten());
                    }
                }
                // The formals to which it is passed, in all routines that name it.
                for &at in named.get(&g).map_or(&[][..], Vec::as_slice) {
                    self.pass(&of_actual, bindings, at, &mut open);
                }
            } else {
                self.pass(&of_actual, bindings, (r, v), &mut open);
            }
            let ty = routine.variable(v).ty;
            let node = self.variable(r, v);
            self.add_types(node, ty);
            if routine.variable(v).role == Role::Local {
                let class = self.halve(node);
                self.layouts[class].insert(ty);
            }
            for &k in of_formal.get(&(r, v)).map_or(&[][..], Vec::as_slice) {
                let binding = &bindings[k];
                let caller = self.program.routine(binding.caller);
                let Expr::Place(place) = binding.actual else {
                    continue;
                };
                if let Some((actual, _)) = self.reach(binding.caller, caller, place) {
                    let formal = self.variable(r, v);
                    self.unify(formal, actual);
                }
                let base = (binding.caller, place.var);
                if !place.is_through_pointer() && self.mark(base) {
                    open.push(base);
                }
            }
        }
        let globals: Vec<GlobalId> = self.moved_globals().collect();
        for g in globals {
            let class = self.halve(g.index());
            self.layouts[class].insert(self.program.global(g).variable.ty);
        }
    }

    /// Marks the classes of globals that live in pools, and all classes to which globals lead.
    fn keep(&mut self) {
        self.kept = vec![false; self.parent.len()];
        let globals = 0..self.program.globals.len();
        let mut open: Vec<Node> = Vec::new();
        for g in globals {
            let class = self.find(g);
            match self.moved_globals[g] {
                true => open.push(class),
                false => open.extend(self.content[class].values()),
            }
        }
        while let Some(node) = open.pop() {
            let class = self.find(node);
            if !std::mem::replace(&mut self.kept[class], true) {
                open.extend(self.content[class].values());
            }
        }
    }

    /// Records that are passed from a variable that lives in a pool are passed as pointers.
    fn pass(
        &mut self,
        of_actual: &BTreeMap<(RoutineId, VarId), Vec<usize>>,
        bindings: &[Binding<'p>],
        at: (RoutineId, VarId),
        open: &mut Vec<(RoutineId, VarId)>,
    ) {
        for &k in of_actual.get(&at).map_or(&[][..], Vec::as_slice) {
            let formal = (bindings[k].callee, bindings[k].formal);
            if self.is_record(formal) && self.mark(formal) {
                open.push(formal);
            }
        }
    }

    fn is_record(&self, (r, v): (RoutineId, VarId)) -> bool {
        self.program.routine(r).variable(v).ty.record().is_some()
    }

    /// Lets the variable live in a pool; true if that is new.
    fn mark(&mut self, (r, v): (RoutineId, VarId)) -> bool {
        let moved = match self.program.routine(r).variable(v).role {
            Role::Global(g) => &mut self.moved_globals[g.index()],
            Role::Parameter { .. } | Role::Local => &mut self.moved[r.index()][v.index()],
        };
        !std::mem::replace(moved, true)
    }
}

/// The class of a place and its type, from those of its variable. `step` goes from a class to the class to which its
/// stored pointers of a type lead.
fn along(
    program: &Program,
    (mut node, mut ty): (Node, ScalarType),
    place: &Place,
    mut step: impl FnMut(Node, PointerType) -> Option<Node>,
) -> Option<(Node, ScalarType)> {
    for level in place.levels() {
        match level.part {
            Part::Variable => {}
            Part::Field(name) => ty = program.record(ty.record()?).field(name)?.ty,
            Part::Deref => {
                let pointer = ty.pointer()?;
                node = step(node, pointer)?;
                ty = pointer.pointee();
            }
        }
    }
    Some((node, ty))
}

/// The extents and lower bounds of a variable.
pub(super) fn bounds(variable: &Variable) -> impl Iterator<Item = &Expr> {
    variable.shape.iter().flat_map(|dim| {
        let extent = match &dim.extent {
            Extent::Fixed(e) => Some(e),
            Extent::Deferred => None,
        };
        extent.into_iter().chain([&dim.lower])
    })
}

/// True if extents or lower bounds of a variable are found through pointers, or by comparing or subtracting some.
pub(super) fn is_measured_through_pointers(
    program: &Program,
    routine: &Routine,
    variable: &Variable,
) -> bool {
    let is_pointer = |e: &Expr| {
        let ty = type_in(&program.records, &routine.variables, e);
        ty.is_ok_and(|ty| ty.ty.pointer().is_some())
    };
    let mut found = false;
    for e in bounds(variable) {
        e.walk(&mut |e| {
            found |= match e {
                Expr::Place(place) | Expr::Addr(place) => place.is_through_pointer(),
                Expr::Op(Op::Distance, _) => true,
                Expr::Op(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, operands) => {
                    operands.first().is_some_and(is_pointer)
                }
                Expr::Int(_)
                | Expr::Real(_)
                | Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Null(_)
                | Expr::Op(..) => false,
            };
        });
    }
    found
}

/// Finds the places and operators that concern pointers.
struct Walk<'a, 'p> {
    classes: &'a mut Classes<'p>,
    r: RoutineId,
    routine: &'p Routine,
}

impl<'p> visit::Visit<'p> for Walk<'_, 'p> {
    fn visit_expr(&mut self, e: &'p Expr, role: visit::PlaceRole) {
        match e {
            Expr::Addr(place) if !place.is_through_pointer() => {
                self.classes.mark((self.r, place.var));
            }
            // A comparison compares numbers of objects, so both pointers must lead to one pool.
            Expr::Op(
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Distance,
                operands,
            ) => {
                if let [a, b] = &**operands {
                    self.classes.same(self.r, self.routine, a, b);
                }
            }
            Expr::Op(Op::If, operands) => {
                if let [_, a, b] = &**operands {
                    self.classes.same(self.r, self.routine, a, b);
                }
            }
            Expr::Addr(_)
            | Expr::Null(_)
            | Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..) => {}
        }
        visit::walk_expr(self, e, role);
    }

    fn visit_place(&mut self, place: &'p Place, _: visit::PlaceRole) {
        // A class whose objects are used through pointers has cells.
        self.classes.reach(self.r, self.routine, place);
        visit::walk_place(self, place);
    }
}
