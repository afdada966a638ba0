//! LOOP vertices of a general graph that do not head a loop of their own become branches.
//!
//! A LOOP is *kept* if it is the only entry of its loop, all its back edges come from ENDLOOPs and no
//! other edge does, its body edge stays in the loop and its exit edge leaves it, and, if it is counted,
//! nothing in the loop assigns its index. Then it runs as in a structured graph, whatever other exits
//! the loop has. Every other LOOP (a jump leads into its body, or its body never comes back) becomes a
//! BRANCH, and what the LOOP does on arrival goes to blocks on its in-edges.

use cfg_core::{
    diagnostic::Diagnostics,
    edit::Editor,
    entity::{VarId, VertexId},
    ir::{
        Cfg, Expr, LoopTest, NameRole, Op, Place, Program, Routine, ScalarType, Stmt, Vertex,
        VertexKind,
    },
    memory::loop_writes::LoopWrites,
};
use fixedbitset::FixedBitSet;

use crate::{
    code::{names::Namer, routines::add_local},
    memory::{loops::live_loops, summary::Summary},
};

fn is_end_loop(cfg: &Cfg, v: VertexId) -> bool {
    matches!(cfg.vertex(v).kind, VertexKind::EndLoop)
}

/// The routine with every LOOP that cannot be kept, or every LOOP, as branches and blocks.
pub(crate) fn lower(
    program: &Program,
    summary: &Summary,
    mut routine: Routine,
    all: bool,
    namer: &mut Namer,
) -> Result<Routine, Diagnostics> {
    // Lowering one LOOP can take away the back edge or the entry of another: repeats until all that are left are
    // kept.
    loop {
        let Some(cfg) = &routine.body else {
            return Ok(routine);
        };
        let lowered = not_kept(program, summary, &routine, cfg, all);
        if lowered.is_clear() {
            return Ok(routine);
        }
        routine = without(routine, &lowered, namer)?;
    }
}

fn not_kept(
    program: &Program,
    summary: &Summary,
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
    let writes = LoopWrites::collect(program, &summary.effects, routine, cfg, &forest);
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
                        writes.inside(l, *index).all(|v| v == h.index())
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

/// The replacement of one LOOP: its selector, and the blocks on its entry and back edges.
struct Lowered {
    condition: Expr,
    entry: Vec<Stmt>,
    back: Vec<Stmt>,
}

fn lowered(test: LoopTest, id: i64, routine: &mut Routine, namer: &mut Namer) -> Lowered {
    let id = id.unsigned_abs();
    let mut local = |base: &str, ty| {
        let name = namer.fresh_name(format!("{base}_{id}"));
        add_local(routine, name, ty, NameRole::LoopState)
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
                // All three bounds may read the index: it is set last.
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
    let from_end: Vec<bool> = cfg
        .edges()
        .map(|(_, e)| is_end_loop(&cfg, e.from))
        .collect();
    let mut graph = Editor::take_apart(cfg);
    let vertices = &mut graph.vertices;
    let mut blocks: Vec<Option<[Vec<Stmt>; 2]>> = vec![None; vertices.len()];
    for v in which.ones() {
        let id = vertices[v].id;
        let VertexKind::Loop { test, .. } = &vertices[v].kind else {
            continue;
        };
        let mut new = lowered(test.as_ref().clone(), id, &mut routine, namer);
        for statement in new.entry.iter_mut().chain(&mut new.back) {
            statement.at.clone_from(&vertices[v].at);
        }
        vertices[v].kind = VertexKind::branch_on(new.condition);
        if !new.entry.is_empty() {
            blocks[v] = Some([new.entry, new.back]);
        }
    }
    for (e, back) in from_end.into_iter().enumerate() {
        let (from, to) = (graph.from(e), graph.to(e));
        if which.contains(from) {
            graph.edges[e].label.get_or_insert(0);
        }
        if !which.contains(to) {
            continue;
        }
        if back {
            // Its only successor is no LOOP any more.
            graph.vertices[from].kind = VertexKind::Block(Vec::new());
        }
        if let Some(of_edge) = &blocks[to] {
            let block = graph.block(of_edge[usize::from(back)].clone());
            graph.vertices[block].at = graph.vertices[to].at.clone();
            graph.add_edge(block, to, None);
            graph.set_to(e, block);
        }
    }
    routine.body = Some(graph.finish());
    Ok(routine)
}
