//! A routine as the checker sees it: the graph as a nested sequence of nodes that matter to tapes, and the writes to
//! each variable.
//!
//! Every statement and every beginning and end of a loop, branch or arm has a position, counted along the text. A loop
//! or an arm is then an interval of positions, and "is `x` written between here and there" is a search in a sorted
//! list.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId, VertexId},
    flat::FlatStmt,
    ir::{
        Cfg, Expr, LoopTest, Op, Place, Program, Role, Routine, ScalarType, Selector, Stmt,
        TapeClass, VertexKind,
    },
    memory::global_set::GlobalSet,
};
use std::collections::{BTreeMap, HashMap};

use crate::{globals::GlobalWrites, pairs::Roles};

/// Index of a [`Node`] of one routine.
pub(crate) type NodeId = usize;
/// Index of a [`Region`] of one routine.
pub(crate) type RegionId = usize;

/// A stack of a tape: `tape number * STACKS + kind of stack`, or [`VISITS`].
pub(crate) type Key = u32;

/// The number of stacks of a tape.
pub(crate) const STACKS: Key = 5;

/// The pseudo-stack of visited blocks.
pub(crate) const VISITS: Key = Key::MAX;

/// A part of the text that uses a tape, may contain such parts, or is compared with its mirror image.
pub(crate) struct Node<'p> {
    pub(crate) kind: Kind<'p>,
    /// The region around the node.
    pub(crate) region: RegionId,
    /// First and last position.
    pub(crate) begin: u32,
    pub(crate) end: u32,
    pub(crate) at: At,
}

/// Vertex, and statement of a block.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub(crate) vertex: VertexId,
    pub(crate) statement: Option<usize>,
}

pub(crate) enum Kind<'p> {
    Push {
        key: Key,
        class: TapeClass,
        value: &'p Expr,
    },
    Pop {
        key: Key,
        class: TapeClass,
        target: &'p Place,
    },
    /// A call of one side of a pair.
    Call {
        pair: usize,
        forward: bool,
        arguments: &'p [Option<Expr>],
        /// The tapes that the call passes: the number here, and the name of the formal.
        tapes: Vec<(u32, &'p str)>,
    },
    Loop {
        test: &'p LoopTest,
        body: RegionId,
        /// True if the loop has a mirror image even without pushes or pops inside.
        visited: bool,
    },
    Branch {
        selector: &'p Selector,
        arms: Vec<(i64, RegionId)>,
        visited: bool,
    },
    /// A block that has a mirror image; the id of the vertex of the original.
    Visit(i64),
}

/// A routine's body, a loop's body, or an arm.
#[derive(Default)]
pub(crate) struct Region {
    pub(crate) nodes: Vec<NodeId>,
    /// The last position in the region.
    pub(crate) end: u32,
}

/// A write to a variable.
#[derive(Clone, Copy)]
pub(crate) struct Write<'p> {
    pub(crate) var: VarId,
    pub(crate) at: u32,
    pub(crate) region: RegionId,
    pub(crate) what: Written<'p>,
}

#[derive(Clone, Copy)]
pub(crate) enum Written<'p> {
    Assigned(&'p Place, &'p Expr),
    Popped(NodeId),
    /// The variable is written by a call, by a loop as its index, or by an opaque statement.
    Otherwise,
}

/// One step of a vertex, in the order of execution.
#[derive(Clone, Copy)]
pub(crate) enum Step<'p> {
    Node(NodeId),
    Write(VarId, Written<'p>),
}

/// A call that passes a tape to a routine in no pair, or in a way that the checker cannot follow.
pub(crate) struct BadCall {
    pub(crate) at: At,
    pub(crate) message: String,
}

/// The numbers of the tapes of a pair of routines, by name.
#[derive(Default)]
pub(crate) struct TapeNames<'p> {
    numbers: HashMap<&'p str, u32>,
    names: Vec<&'p str>,
}

impl<'p> TapeNames<'p> {
    fn number(&mut self, name: &'p str) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }

    pub(crate) fn name(&self, number: u32) -> &'p str {
        self.names.get(number as usize).copied().unwrap_or("?")
    }
}

/// A routine in this form.
pub(crate) struct Code<'p> {
    pub(crate) id: RoutineId,
    pub(crate) routine: &'p Routine,
    pub(crate) nodes: Vec<Node<'p>>,
    /// Region 0 is the body of the routine; inner regions have larger numbers.
    pub(crate) regions: Vec<Region>,
    /// The first variable that may share cells with each, itself if it has its cells alone.
    cells: Vec<VarId>,
    /// The writes to the variables that may share cells, in order of position, at the first of them.
    writes: Vec<Vec<Write<'p>>>,
    pub(crate) bad_calls: Vec<BadCall>,
}

/// The facts about the whole program.
#[derive(Clone, Copy)]
pub(crate) struct Known<'p, 'a> {
    pub(crate) program: &'p Program,
    pub(crate) roles: &'a Roles,
    pub(crate) globals: &'a GlobalWrites,
    pub(crate) by_name: &'a HashMap<&'p str, RoutineId>,
}

/// For each variable of a routine, the first variable that may share cells with it, or the variable itself if there is
/// none. Globals share cells if their ranges overlap; in a routine whose arguments may overlap, the parameters of one
/// type and the globals of that type may share cells, too.
fn cells(program: &Program, routine: &Routine) -> Vec<VarId> {
    let mut first: Vec<VarId> = (0..routine.variables.len()).map(VarId::new).collect();
    let mut parameters: HashMap<ScalarType, VarId> = HashMap::new();
    let mut globals = Vec::new();
    for (v, variable) in routine.variables.iter().enumerate() {
        match variable.role {
            Role::Parameter { .. } if routine.aliased => {
                first[v] = *parameters.entry(variable.ty).or_insert(first[v]);
            }
            Role::Global(g) => {
                // A global of unknown extent may take all of the storage.
                let all = || (program.storage(g).0, i64::MIN..i64::MAX);
                let (owner, cells) = program.cells(g).unwrap_or_else(all);
                globals.push((owner, cells.start, cells.end, v));
            }
            Role::Parameter { .. } | Role::Local => {}
        }
    }
    globals.sort_unstable();
    // Sorted by their first cells, a global that begins before the end of the ones in front shares cells with them.
    let mut reached: Option<(GlobalId, i64, VarId)> = None;
    for (owner, start, end, v) in globals {
        let around = reached.filter(|&(o, last, _)| o == owner && start < last);
        if let Some(&parameter) = parameters.get(&routine.variables[v].ty) {
            first[v] = parameter;
        } else if let Some((_, _, before)) = around {
            first[v] = before;
        }
        let last = around.map_or(end, |(_, last, _)| last.max(end));
        reached = Some((owner, last, first[v]));
    }
    first
}

/// An open loop or branch.
struct Frame {
    node: NodeId,
    header: VertexId,
    /// Arms of a branch that are not written yet, last first.
    rest: Vec<(i64, VertexId)>,
    /// The region around the loop or branch.
    outside: RegionId,
}

struct Writer<'p, 'a> {
    known: Known<'p, 'a>,
    code: Code<'p>,
    clock: u32,
    region: RegionId,
    tape_number: Vec<Option<u32>>,
    /// The routine's variables that are globals, by storage: for each the first variable with which it shares cells,
    /// and its global.
    globals: BTreeMap<GlobalId, Vec<(VarId, GlobalId)>>,
    /// In a routine whose parameters may share cells, the first parameter of each type.
    by_type: BTreeMap<ScalarType, VarId>,
    /// The storage in which the globals that the routine names lie.
    named: GlobalSet,
    /// The vertex of the original whose visit is compared, by vertex.
    images: &'a [Option<i64>],
    /// The steps of the current vertex, if they are wanted.
    steps: Option<Vec<Step<'p>>>,
}

/// Writes a routine out. Its graph must be structured. `images`: by vertex, the vertex of the original
/// whose visit is compared.
pub(crate) fn write<'p, 'a>(
    known: Known<'p, 'a>,
    id: RoutineId,
    cfg: &'p Cfg,
    names: &mut TapeNames<'p>,
    images: &'a [Option<i64>],
) -> Code<'p> {
    let mut writer = Writer::new(known, id, names, images);
    writer.code.regions.push(Region::default());
    writer.add_graph(cfg);
    writer.code
}

/// Writes a routine out vertex by vertex, each a region of its own, with the steps of each; the graph need not be
/// structured.
pub(crate) fn flat<'p>(
    known: Known<'p, '_>,
    id: RoutineId,
    cfg: &'p Cfg,
    names: &mut TapeNames<'p>,
    images: &[Option<i64>],
) -> (Code<'p>, Vec<Vec<Step<'p>>>) {
    let mut writer = Writer::new(known, id, names, images);
    let mut steps = Vec::with_capacity(cfg.vertex_count());
    for (v, vertex) in cfg.vertices() {
        writer.region = v.index();
        writer.code.regions.push(Region::default());
        writer.steps = Some(Vec::new());
        let at = At {
            vertex: v,
            statement: None,
        };
        if let Some(original) = writer.visited_vertex(v) {
            writer.add_node(Kind::Visit(original), at);
        }
        if let VertexKind::Loop { test, .. } = &vertex.kind {
            writer.index_write(test);
        }
        writer.add_statements(v, vertex.statements());
        steps.push(writer.steps.take().unwrap_or_default());
    }
    (writer.code, steps)
}

impl<'p, 'a> Writer<'p, 'a> {
    fn new(
        known: Known<'p, 'a>,
        id: RoutineId,
        names: &mut TapeNames<'p>,
        images: &'a [Option<i64>],
    ) -> Self {
        let routine = known.program.routine(id);
        let tape_number = routine
            .variables
            .iter()
            .map(|v| (v.ty == ScalarType::Tape).then(|| names.number(&v.name)))
            .collect();
        let cells = cells(known.program, routine);
        let mut globals: BTreeMap<GlobalId, Vec<(VarId, GlobalId)>> = BTreeMap::new();
        let mut by_type: BTreeMap<ScalarType, VarId> = BTreeMap::new();
        for (v, variable) in routine.variables.iter().enumerate() {
            if let Role::Global(g) = variable.role {
                let all = globals.entry(known.globals.storage(g)).or_default();
                all.push((cells[v], g));
            }
            if routine.aliased && matches!(variable.role, Role::Parameter { .. }) {
                by_type.insert(variable.ty, cells[v]);
            }
        }
        Self {
            known,
            code: Code {
                id,
                routine,
                nodes: Vec::new(),
                regions: Vec::new(),
                cells,
                writes: vec![Vec::new(); routine.variables.len()],
                bad_calls: Vec::new(),
            },
            clock: 0,
            region: 0,
            tape_number,
            named: globals.keys().copied().collect(),
            globals,
            by_type,
            images,
            steps: None,
        }
    }

    fn add_statements(&mut self, v: VertexId, statements: &'p [Stmt]) {
        for (s, statement) in statements.iter().enumerate() {
            let at = At {
                vertex: v,
                statement: Some(s),
            };
            self.add_statement(statement, at);
        }
    }

    /// Follows the graph from ENTRY: bodies and arms in turn, then the vertices behind them.
    fn add_graph(&mut self, cfg: &'p Cfg) {
        let mut frames: Vec<Frame> = Vec::new();
        let Some(mut v) = cfg.entry() else { return };
        loop {
            let vertex = cfg.vertex(v);
            let at = At {
                vertex: v,
                statement: None,
            };
            let next = match &vertex.kind {
                VertexKind::Entry => cfg.successors(v).next(),
                VertexKind::Exit => break,
                VertexKind::Block(statements) => {
                    if let Some(original) = self.visited_vertex(v) {
                        self.add_node(Kind::Visit(original), at);
                    }
                    self.add_statements(v, statements);
                    cfg.successors(v).next()
                }
                VertexKind::Loop { test, .. } => {
                    let kind = Kind::Loop {
                        test,
                        body: 0,
                        visited: self.visited_vertex(v).is_some(),
                    };
                    let node = self.add_node(kind, at);
                    frames.push(Frame {
                        node,
                        header: v,
                        rest: Vec::new(),
                        outside: self.region,
                    });
                    self.index_write(test);
                    let body = self.enter_region();
                    if let Kind::Loop { body: slot, .. } = &mut self.code.nodes[node].kind {
                        *slot = body;
                    }
                    loop_edge(cfg, v, true)
                }
                VertexKind::EndLoop => {
                    let Some(frame) = frames.pop() else { break };
                    self.mark_visited(&frame, v);
                    self.leave_region(&frame);
                    if let Kind::Loop { test, .. } = self.code.nodes[frame.node].kind {
                        self.index_write(test);
                    }
                    self.close_region(&frame);
                    loop_edge(cfg, frame.header, false)
                }
                VertexKind::Branch(selector) => {
                    let kind = Kind::Branch {
                        selector,
                        arms: Vec::new(),
                        visited: self.visited_vertex(v).is_some(),
                    };
                    let node = self.add_node(kind, at);
                    let edges = cfg.out_edges(v).iter().rev().map(|&e| cfg.edge(e));
                    frames.push(Frame {
                        node,
                        header: v,
                        rest: edges.map(|e| (e.label.unwrap_or(0), e.to)).collect(),
                        outside: self.region,
                    });
                    self.next_arm(frames.last_mut())
                }
                VertexKind::EndBranch => {
                    if let Some(frame) = frames.last() {
                        self.leave_region(frame);
                    }
                    match self.next_arm(frames.last_mut()) {
                        Some(target) => Some(target),
                        None => {
                            let Some(frame) = frames.pop() else { break };
                            self.mark_visited(&frame, v);
                            self.close_region(&frame);
                            cfg.successors(v).next()
                        }
                    }
                }
            };
            let Some(next) = next else { break };
            v = next;
        }
        self.code.regions[0].end = self.tick();
    }

    fn tick(&mut self) -> u32 {
        self.clock += 1;
        self.clock
    }

    fn add_node(&mut self, kind: Kind<'p>, at: At) -> NodeId {
        let now = self.tick();
        let node = self.code.nodes.len();
        self.code.nodes.push(Node {
            kind,
            region: self.region,
            begin: now,
            end: now,
            at,
        });
        self.code.regions[self.region].nodes.push(node);
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Node(node));
        }
        node
    }

    /// The vertex of the original whose image this vertex is, if the other sweep has an image of it too.
    fn visited_vertex(&self, v: VertexId) -> Option<i64> {
        self.images.get(v.index()).copied().flatten()
    }

    /// The end of a loop or branch is the image of a header as well.
    fn mark_visited(&mut self, frame: &Frame, end: VertexId) {
        if self.visited_vertex(end).is_some() {
            match &mut self.code.nodes[frame.node].kind {
                Kind::Loop { visited, .. } | Kind::Branch { visited, .. } => *visited = true,
                Kind::Push { .. } | Kind::Pop { .. } | Kind::Call { .. } | Kind::Visit(_) => {}
            }
        }
    }

    /// Begins a region inside.
    fn enter_region(&mut self) -> RegionId {
        self.tick();
        self.region = self.code.regions.len();
        self.code.regions.push(Region::default());
        self.region
    }

    fn leave_region(&mut self, frame: &Frame) {
        self.code.regions[self.region].end = self.tick();
        self.region = frame.outside;
    }

    fn close_region(&mut self, frame: &Frame) {
        self.code.nodes[frame.node].end = self.tick();
    }

    /// Enters the next arm; `None` if there is none left.
    fn next_arm(&mut self, frame: Option<&mut Frame>) -> Option<VertexId> {
        let frame = frame?;
        let (label, target) = frame.rest.pop()?;
        let region = self.enter_region();
        if let Kind::Branch { arms, .. } = &mut self.code.nodes[frame.node].kind {
            arms.push((label, region));
        }
        Some(target)
    }

    fn index_write(&mut self, test: &LoopTest) {
        if let LoopTest::Counted { index, .. } = test {
            self.add_write(*index, Written::Otherwise);
        }
    }

    fn add_write(&mut self, v: VarId, what: Written<'p>) {
        let at = self.clock;
        let region = self.region;
        let first = self.code.first(v);
        if let Some(list) = self.code.writes.get_mut(first.index()) {
            list.push(Write {
                var: v,
                at,
                region,
                what,
            });
        }
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Write(v, what));
        }
    }

    fn key(&self, tape: VarId, class: TapeClass) -> Key {
        let stack = match class {
            TapeClass::Control(_) => 0,
            TapeClass::Integer => 1,
            TapeClass::Real => 2,
            TapeClass::Real32 => 3,
            TapeClass::Disk => 4,
        };
        let number = self.tape_number.get(tape.index()).copied().flatten();
        number.unwrap_or(0) * STACKS + stack
    }

    fn add_statement(&mut self, statement: &'p Stmt, at: At) {
        self.tick();
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Assign { target, value } => {
                self.add_write(target.var, Written::Assigned(target, value));
            }
            FlatStmt::Push { tape, class, value } => {
                let kind = Kind::Push {
                    key: self.key(tape, class),
                    class,
                    value,
                };
                self.add_node(kind, at);
            }
            FlatStmt::Pop {
                tape,
                class,
                target,
            } => {
                let kind = Kind::Pop {
                    key: self.key(tape, class),
                    class,
                    target,
                };
                let node = self.add_node(kind, at);
                self.add_write(target.var, Written::Popped(node));
            }
            FlatStmt::Call {
                callee,
                arguments,
                result,
            } => self.add_call(callee, arguments, result, at),
            FlatStmt::Opaque { writes, .. } => {
                for &v in writes {
                    self.add_write(v, Written::Otherwise);
                }
            }
            FlatStmt::Stop { text: _ } => {}
        }
    }

    fn add_call(
        &mut self,
        callee: RoutineId,
        arguments: &'p [Option<Expr>],
        result: Option<&'p Place>,
        at: At,
    ) {
        let called = self.known.program.routine(callee);
        let formals = || called.parameter_ids().map(|p| called.variable(p));
        let mut tapes = Vec::new();
        for (formal, actual) in formals().zip(arguments) {
            if let Some(Expr::Place(place)) = actual
                && formal.ty == ScalarType::Tape
                && let Some(number) = self.tape_number.get(place.var.index()).copied().flatten()
            {
                tapes.push((number, formal.name.as_str()));
            }
        }
        if !tapes.is_empty() {
            let mut numbers: Vec<u32> = tapes.iter().map(|t| t.0).collect();
            numbers.sort_unstable();
            numbers.dedup();
            match self.known.roles.role(callee) {
                Some((pair, forward)) if numbers.len() == tapes.len() => {
                    let kind = Kind::Call {
                        pair,
                        forward,
                        arguments,
                        tapes,
                    };
                    self.add_node(kind, at);
                }
                Some(_) => self.code.bad_calls.push(BadCall {
                    at,
                    message: format!("`{}` gets the same tape twice", called.name),
                }),
                None => self.code.bad_calls.push(BadCall {
                    at,
                    message: format!(
                        "a tape is passed to `{}`, which is no sweep of a pair",
                        called.name
                    ),
                }),
            }
        }
        for (formal, actual) in formals().zip(arguments) {
            if let Some(Expr::Place(place)) = actual
                && formal.ty != ScalarType::Tape
                && formal.intent().is_some_and(|i| i.writes())
            {
                self.add_write(place.var, Written::Otherwise);
            }
        }
        if let Some(place) = result {
            self.add_write(place.var, Written::Otherwise);
        }
        let mut written: Vec<VarId> = Vec::new();
        let program = self.known.program;
        if let Some(set) = self.known.globals.written(callee) {
            self.named.each_common(set, |storage| {
                let named = self.globals.get(&storage).into_iter().flatten();
                let met = named.filter(|(_, g)| self.known.globals.meets(program, callee, *g));
                written.extend(met.map(|(first, _)| *first));
            });
        }
        // In an aliased routine, a parameter may be a global that the routine itself does not name.
        let types = self.known.globals.types(callee);
        written.extend(types.filter_map(|ty| self.by_type.get(&ty)));
        written.sort_unstable();
        written.dedup();
        for v in written {
            self.add_write(v, Written::Otherwise);
        }
    }
}

/// The target of a loop's edge into the body, or of the edge that leaves it.
fn loop_edge(cfg: &Cfg, header: VertexId, body: bool) -> Option<VertexId> {
    let edges = cfg.out_edges(header).iter().map(|&e| cfg.edge(e));
    edges
        .filter(|e| (e.label == Some(1)) == body)
        .map(|e| e.to)
        .next()
}

impl<'p> Code<'p> {
    /// The first variable that may share cells with this one.
    pub(crate) fn first(&self, v: VarId) -> VarId {
        self.cells.get(v.index()).copied().unwrap_or(v)
    }

    /// True if the variables are the same, or may share cells: globals in one storage, and, in a routine whose
    /// arguments may overlap, parameters and globals of one type.
    pub(crate) fn may_share(&self, a: VarId, b: VarId) -> bool {
        self.first(a) == self.first(b)
    }

    /// The last write to the cells of a variable before a position; one to another variable is [`Written::Otherwise`].
    pub(crate) fn last_write(&self, v: VarId, before: u32) -> Option<Write<'p>> {
        let list = self.writes_of(v);
        let n = list.partition_point(|w| w.at < before);
        let mut last = list[n.checked_sub(1)?];
        if last.var != v {
            last.what = Written::Otherwise;
        }
        Some(last)
    }

    /// True if the cells of a variable are written at a position from `first` to `last`.
    pub(crate) fn writes_within(&self, v: VarId, first: u32, last: u32) -> bool {
        let list = self.writes_of(v);
        let n = list.partition_point(|w| w.at < first);
        list.get(n).is_some_and(|w| w.at <= last)
    }

    /// The writes to the cells of a variable at positions from `first` to `last`.
    pub(crate) fn writes_in(&self, v: VarId, first: u32, last: u32) -> &[Write<'p>] {
        let list = self.writes_of(v);
        let from = list.partition_point(|w| w.at < first);
        let to = list.partition_point(|w| w.at <= last);
        list.get(from..to).unwrap_or(&[])
    }

    /// An error if `is_written` holds for a variable of a loop's range: it is written while the loop runs.
    pub(crate) fn unwritten(
        &self,
        e: &Expr,
        is_written: impl Fn(VarId) -> bool,
    ) -> Result<(), String> {
        match self.changed(e, is_written) {
            None => Ok(()),
            Some(v) => Err(format!(
                "`{}`, on which the range depends, may change while the loop runs",
                self.routine.variable(v).name
            )),
        }
    }

    /// A variable of an expression that is written.
    pub(crate) fn changed(&self, e: &Expr, is_written: impl Fn(VarId) -> bool) -> Option<VarId> {
        let mut changed = None;
        e.walk_places(&mut |place| {
            if is_written(place.var) {
                changed = Some(place.var);
            }
        });
        changed
    }

    /// The writes to a variable, or to one that may share cells with it.
    pub(crate) fn writes_of(&self, v: VarId) -> &[Write<'p>] {
        let list = self.writes.get(self.first(v).index());
        list.map_or(&[], Vec::as_slice)
    }

    /// The pop that gives a variable the value that it has at a position: the last write before, in the
    /// same region.
    pub(crate) fn popped(&self, v: VarId, region: RegionId, before: u32) -> Option<NodeId> {
        match self.last_write(v, before) {
            Some(Write {
                region: r,
                what: Written::Popped(node),
                ..
            }) if r == region => Some(node),
            _ => None,
        }
    }

    /// True for a local scalar, which only the routine's own statements, and calls that get it as an argument, can
    /// change.
    pub(crate) fn is_local_scalar(&self, v: VarId) -> bool {
        let variable = self.routine.variable(v);
        variable.role == Role::Local && variable.rank() == 0
    }

    /// The variable, if the expression is the value of a whole variable.
    pub(crate) fn whole_variable(e: &Expr) -> Option<VarId> {
        match e {
            Expr::Place(place) if place.subscripts.is_empty() => Some(place.var),
            _ => None,
        }
    }
}

/// True for `v + 1` and `1 + v`.
pub(crate) fn is_increment(v: VarId, e: &Expr) -> bool {
    match e {
        Expr::Op(Op::Add, operands) => match &**operands {
            [a, b] => {
                (Code::whole_variable(a) == Some(v) && *b == Expr::Int(1))
                    || (Code::whole_variable(b) == Some(v) && *a == Expr::Int(1))
            }
            _ => false,
        },
        _ => false,
    }
}
