//! LOOP vertices of a general graph that are not what they say become branches.
//!
//! A LOOP is *kept* if it is the only entry of its loop, all its back edges come from ENDLOOPs and no
//! other edge does, its body edge stays in the loop and its exit edge leaves it, and, if it is counted,
//! nothing in the loop assigns its index. Then it runs as in a structured graph, whatever other exits
//! the loop has. Every other LOOP (a jump leads into its body, or its body never comes back) becomes a
//! BRANCH, and what the LOOP does on arrival goes to blocks on its in-edges.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{VarId, VertexId},
    graph::{
        Adjacency, Reversed,
        loops::{LoopForest, LoopId},
        reachable,
    },
    ir::{
        Cfg, Edge, Expr, FreshIds, LoopTest, Op, Place, Program, Routine, ScalarType, Selector,
        Stmt, StmtKind, Vertex, VertexKind, keep_edge_ids,
    },
};
use fixedbitset::FixedBitSet;

use crate::{
    built,
    globals::Named,
    loop_plan::is_deep,
    names::Namer,
    normalize::{self, Effects, add_local},
};

/// The vertices on paths from ENTRY to EXIT, the only ones in a run that ends, and the loops among them.
pub(crate) fn live_loops(cfg: &Cfg) -> (FixedBitSet, LoopForest) {
    let (Some(entry), Some(exit)) = (cfg.entry(), cfg.exit()) else {
        return (
            FixedBitSet::with_capacity(cfg.vertex_count()),
            LoopForest::default(),
        );
    };
    let mut live = reachable(cfg, entry.index());
    live.intersect_with(&reachable(&Reversed(cfg), exit.index()));
    let edges = cfg.edges().map(|(_, e)| (e.from.index(), e.to.index()));
    let among = edges.filter(|&(a, b)| live.contains(a) && live.contains(b));
    let graph = Adjacency::new(cfg.vertex_count(), among);
    let forest = LoopForest::new(&graph, entry.index());
    (live, forest)
}

fn is_end_loop(cfg: &Cfg, v: VertexId) -> bool {
    matches!(cfg.vertex(v).kind, VertexKind::EndLoop)
}

/// Where the storage classes of variables may be written: position in the forest's order of members.
struct Writes<'a> {
    class: &'a [u32],
    by_class: Vec<Vec<usize>>,
}

impl<'a> Writes<'a> {
    fn of(
        program: &Program,
        effects: &Effects,
        routine: &Routine,
        cfg: &Cfg,
        class: &'a [u32],
    ) -> Self {
        let globals = Named::of(routine);
        let mut by_class: Vec<Vec<usize>> = vec![Vec::new(); routine.variables.len()];
        for (v, vertex) in cfg.vertices() {
            let mut at = |u: VarId| {
                let list = &mut by_class[class[u.index()] as usize];
                if list.last() != Some(&v.index()) {
                    list.push(v.index());
                }
            };
            if let VertexKind::Loop { test, .. } = &vertex.kind
                && let LoopTest::Counted { index, .. } = test.as_ref()
            {
                at(*index);
            }
            for statement in vertex.statements() {
                normalize::each_written(program, statement, &mut at);
                if let StmtKind::Call { callee, .. } = &statement.kind {
                    let written = &effects.written[callee.index()];
                    globals.among(written).into_iter().for_each(&mut at);
                }
            }
        }
        Self { class, by_class }
    }

    /// True if a vertex of the loop other than `but` may write the variable.
    fn inside(&self, forest: &LoopForest, l: LoopId, v: VarId, but: Option<usize>) -> bool {
        self.by_class[self.class[v.index()] as usize]
            .iter()
            .any(|&w| Some(w) != but && forest.contains(l, w))
    }
}

/// By vertex: which of first, last and step of a counted loop are not evaluated again, because its body may
/// change them, or because they are deep; of loops that are kept.
pub(crate) fn changing_bounds(
    program: &Program,
    effects: &Effects,
    routine: &Routine,
    cfg: &Cfg,
    forest: &LoopForest,
    class: &[u32],
) -> Vec<[bool; 3]> {
    let writes = Writes::of(program, effects, routine, cfg, class);
    let mut changing = vec![[false; 3]; cfg.vertex_count()];
    for (h, vertex) in cfg.vertices() {
        if let VertexKind::Loop { test, .. } = &vertex.kind
            && let LoopTest::Counted {
                first, last, step, ..
            } = test.as_ref()
            && let Some(l) = forest.headed_by(h.index())
        {
            changing[h.index()] = [first, last, step].map(|e| {
                let mut found = false;
                e.walk_places(&mut |p| found |= writes.inside(forest, l, p.var, None));
                found || is_deep(e)
            });
        }
    }
    changing
}

/// The routine with every LOOP that cannot be kept, or all, as branches and blocks.
pub(crate) fn lower(
    program: &Program,
    effects: &Effects,
    mut routine: Routine,
    all: bool,
    namer: &mut Namer,
) -> Result<Routine, Diagnostics> {
    // What is lowered can take away the back edge or the entry of another: repeats until all are kept.
    loop {
        let Some(cfg) = &routine.body else {
            return Ok(routine);
        };
        let lowered = not_kept(program, effects, &routine, cfg, all);
        if lowered.is_clear() {
            return Ok(routine);
        }
        routine = without(routine, &lowered, namer)?;
    }
}

fn not_kept(
    program: &Program,
    effects: &Effects,
    routine: &Routine,
    cfg: &Cfg,
    all: bool,
) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(cfg.vertex_count());
    let any = |(_, v): (_, &Vertex)| matches!(v.kind, VertexKind::Loop { .. });
    if !cfg.vertices().any(any) {
        return found;
    }
    let (live, forest) = live_loops(cfg);
    let class = normalize::storage_classes(program, routine);
    let writes = Writes::of(program, effects, routine, cfg, &class);
    for (h, vertex) in cfg.vertices() {
        let VertexKind::Loop { test, .. } = &vertex.kind else {
            continue;
        };
        if !live.contains(h.index()) {
            continue;
        }
        let kept = forest.headed_by(h.index()).is_some_and(|l| {
            let sources = cfg.predecessors(h).filter(|u| live.contains(u.index()));
            let inside = |v: VertexId| live.contains(v.index()) && forest.contains(l, v.index());
            forest.get(l).is_reducible()
                && sources
                    .into_iter()
                    .all(|u| is_end_loop(cfg, u) == inside(u))
                && cfg.out_edges(h).iter().all(|&e| {
                    let edge = cfg.edge(e);
                    (edge.label == Some(1)) == inside(edge.to)
                })
                && match test.as_ref() {
                    LoopTest::Counted { index, .. } => {
                        !writes.inside(&forest, l, *index, Some(h.index()))
                    }
                    LoopTest::Pre(_) | LoopTest::Post(_) => true,
                }
        });
        if all || !kept {
            found.insert(h.index());
        }
    }
    found
}

/// What takes the place of one LOOP: its selector, and the blocks on its entry and back edges.
struct Lowered {
    condition: Expr,
    entry: Vec<Stmt>,
    back: Vec<Stmt>,
}

fn lowered(test: LoopTest, id: i64, routine: &mut Routine, namer: &mut Namer) -> Lowered {
    let id = id.unsigned_abs();
    let mut local = |base: &str, ty| {
        let name = namer.suffixed(format!("{base}_{id}"));
        add_local(routine, name, ty, "loop state")
    };
    let set = |v: VarId, e: Expr| Stmt::assign(Place::whole(v), e);
    match test {
        LoopTest::Pre(condition) => Lowered {
            condition,
            entry: Vec::new(),
            back: Vec::new(),
        },
        LoopTest::Post(condition) => {
            let entered = local("entered", ScalarType::Logical);
            Lowered {
                condition: Expr::op(Op::Or, [Expr::var(entered), condition]),
                entry: vec![set(entered, Expr::Logical(true))],
                back: vec![set(entered, Expr::Logical(false))],
            }
        }
        LoopTest::Counted {
            index,
            first,
            last,
            step,
        } => {
            let left = local("left", ScalarType::Integer);
            let by = local("step", ScalarType::Integer);
            let trips = Expr::op(Op::Trips, [first.clone(), last, step.clone()]);
            let next = Expr::op(Op::Add, [Expr::var(index), Expr::var(by)]);
            let fewer = Expr::op(Op::Sub, [Expr::var(left), Expr::Int(1)]);
            Lowered {
                condition: Expr::op(Op::Gt, [Expr::var(left), Expr::Int(0)]),
                // All three may read the index.
                entry: vec![set(left, trips), set(by, step), set(index, first)],
                back: vec![set(index, next), set(left, fewer)],
            }
        }
    }
}

fn without(
    mut routine: Routine,
    which: &FixedBitSet,
    namer: &mut Namer,
) -> Result<Routine, Diagnostics> {
    let Some(cfg) = routine.body.take() else {
        return Ok(routine);
    };
    let mut ids = FreshIds::of_vertices(&cfg);
    let from_end: Vec<bool> = cfg
        .edges()
        .map(|(_, e)| is_end_loop(&cfg, e.from))
        .collect();
    let (mut vertices, mut edges) = cfg.into_parts();
    keep_edge_ids(&mut edges);
    let mut blocks: Vec<Option<[Vec<Stmt>; 2]>> = vec![None; vertices.len()];
    for v in which.ones() {
        let id = vertices[v].id;
        let VertexKind::Loop { test, .. } = &vertices[v].kind else {
            continue;
        };
        let new = lowered(test.as_ref().clone(), id, &mut routine, namer);
        vertices[v].kind = VertexKind::Branch(Box::new(Selector::Condition(new.condition)));
        if !new.entry.is_empty() {
            blocks[v] = Some([new.entry, new.back]);
        }
    }
    let mut added = Vec::new();
    for (e, edge) in edges.iter_mut().enumerate() {
        if which.contains(edge.from.index()) && edge.label.is_none() {
            edge.label = Some(0);
        }
        let to = edge.to.index();
        if !which.contains(to) {
            continue;
        }
        let back = from_end[e];
        if back {
            // Its only successor is no LOOP any more.
            vertices[edge.from.index()].kind = VertexKind::Block(Vec::new());
        }
        if let Some(of_edge) = blocks.get(to).and_then(Option::as_ref) {
            let block = VertexId::new(vertices.len());
            let statements = of_edge[usize::from(back)].clone();
            let kind = VertexKind::Block(statements);
            vertices.push(Vertex::new(ids.next_id(), kind));
            added.push(Edge::new(block, edge.to, None));
            edge.to = block;
        }
    }
    edges.extend(added);
    routine.body = Some(built::graph(vertices, edges)?);
    Ok(routine)
}
