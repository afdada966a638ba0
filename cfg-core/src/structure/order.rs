//! Algorithm 1 of the paper: topological order of a structured graph, and with it the nesting.
//!
//! The order comes from one walk along the edges, with a stack of the open loops and branches. The walk follows
//! Algorithm 1 of U. Naumann, J. Utke, A. Lyons, M. Fagan, *Control Flow Reversal for Adjoint Code Generation*, SCAM
//! 2004, without its recursion, and with one correction: the stack entry of an ENDBRANCH is popped before the walk
//! goes on from it (as printed, lines 14 to 16 pop after the recursion, which may have pushed the ENDBRANCH of an
//! outer branch meanwhile).
//!
//! The order has each vertex after its dominators, loop bodies before the vertices behind the loop, an ENDLOOP after
//! its body, an ENDBRANCH after all of its arms. The arms of a branch come in the order of its out-edges.
//!
//! Complexity: O(vertices + edges), memory proportional to the nesting depth beside the result.

use crate::{
    codes,
    diagnostic::{CodeInfo, Diagnostic},
    entity::{EdgeId, VertexId},
    ir::{Cfg, FreshIds, VertexKind},
    structure::{
        EdgeKind, Structure,
        local_rules::{at_vertex, edge_names, name},
    },
};

/// A loop or branch whose end has not been met yet.
struct Open {
    header: VertexId,
    kind: OpenKind,
}

enum OpenKind {
    Loop {
        exit: EdgeId,
    },
    Branch {
        /// Position among the header's out-edges of the arm that the walk is in.
        arm: usize,
        /// The ENDBRANCH, known from the first arm's end on.
        end: Option<VertexId>,
        /// The edges with which arms ended at that ENDBRANCH.
        arrived: Vec<EdgeId>,
    },
}

const RESTRUCTURE: &str = "let each loop and branch end inside the loop or arm it begins in; replace \
    jumps out of them by branches on a logical variable, or declare \"control\": \"general\", in text `general subroutine`";

/// Walks a graph that keeps the local rules. The first violation of the nesting ends the walk.
pub(super) fn nest(cfg: &Cfg) -> Step<Structure> {
    Walk::new(cfg).run()
}

/// The result of a step, or the problem that ends the walk.
type Step<T> = Result<T, Box<Diagnostic>>;

struct Walk<'a> {
    cfg: &'a Cfg,
    open: Vec<Open>,
    loops: u32,
    seen: Vec<bool>,
    s: Structure,
}

impl<'a> Walk<'a> {
    fn new(cfg: &'a Cfg) -> Self {
        let (n, m) = (cfg.vertex_count(), cfg.edge_count());
        Self {
            cfg,
            open: Vec::new(),
            loops: 0,
            seen: vec![false; n],
            s: Structure {
                order: Vec::with_capacity(n),
                position: vec![0; n],
                partner: vec![None; n],
                parent: vec![None; n],
                loop_depth: vec![0; n],
                in_label: vec![None; m],
                edge_kind: vec![EdgeKind::default(); m],
            },
        }
    }

    fn run(mut self) -> Step<Structure> {
        let cfg = self.cfg;
        let Some(entry) = cfg.entry() else {
            return Err(Box::new(Diagnostic::error(
                &codes::ENTRY_COUNT,
                "the graph has no ENTRY vertex",
                "add a vertex of type ENTRY",
            )));
        };
        self.visit(entry)?;
        let mut e = self.only_edge(entry)?;
        loop {
            let j = cfg.edge(e).to;
            e = match cfg.vertex(j).kind {
                VertexKind::Exit => {
                    if let Some(open) = self.open.last() {
                        return Err(self.unclosed(open.header, j));
                    }
                    self.visit(j)?;
                    break;
                }
                VertexKind::Entry | VertexKind::Block(_) => {
                    self.visit(j)?;
                    self.only_edge(j)?
                }
                VertexKind::Loop { .. } => self.begin_loop(j, e)?,
                VertexKind::EndLoop => self.end_loop(j, e)?,
                VertexKind::Branch(_) => self.begin_branch(j)?,
                VertexKind::EndBranch => self.end_arm(j, e)?,
            };
        }
        // Vertices that the walk has not met are not connected with ENTRY; the local rules report these.
        match self.seen.iter().position(|seen| !seen) {
            None => Ok(self.s),
            Some(v) => {
                let v = VertexId::new(v);
                Err(problem(
                    cfg,
                    v,
                    &codes::UNREACHABLE,
                    format!("{} cannot be reached from ENTRY", name(cfg, v)),
                    "delete what is never executed, or add the edge that leads to it",
                ))
            }
        }
    }

    /// Appends a vertex to the order.
    fn visit(&mut self, v: VertexId) -> Step<()> {
        if std::mem::replace(&mut self.seen[v.index()], true) {
            return Err(self.entered_twice(v));
        }
        self.s.position[v.index()] = self.s.order.len() as u32;
        self.s.order.push(v);
        self.s.parent[v.index()] = self.open.last().map(|o| o.header);
        self.s.loop_depth[v.index()] = self.loops;
        Ok(())
    }

    fn begin_loop(&mut self, j: VertexId, entry: EdgeId) -> Step<EdgeId> {
        self.visit(j)?;
        let edges = self.cfg.out_edges(j);
        let is_body = |&&e: &&EdgeId| self.cfg.edge(e).label == Some(1);
        let (Some(&body), Some(&exit)) = (
            edges.iter().find(is_body),
            edges.iter().find(|e| !is_body(e)),
        ) else {
            return Err(problem(
                self.cfg,
                j,
                &codes::LABEL_MISSING,
                format!("{} has no body edge or no exit edge", name(self.cfg, j)),
                "write \"label\": 1 at the edge into the body, and no label at the exit edge",
            ));
        };
        self.s.edge_kind[entry.index()].loop_entry = true;
        self.s.edge_kind[body.index()].loop_body = true;
        self.s.edge_kind[exit.index()].loop_exit = true;
        self.open.push(Open {
            header: j,
            kind: OpenKind::Loop { exit },
        });
        self.loops += 1;
        Ok(body)
    }

    fn end_loop(&mut self, j: VertexId, e: EdgeId) -> Step<EdgeId> {
        let cfg = self.cfg;
        let back = self.only_edge(j)?;
        let target = cfg.edge(back).to;
        match self.open.last() {
            Some(&Open {
                header,
                kind: OpenKind::Loop { exit },
            }) if header == target => {
                self.open.pop();
                self.loops -= 1;
                self.visit(j)?;
                self.pair(header, j);
                self.s.in_label[e.index()] = Some(1);
                self.s.edge_kind[back.index()].loop_back = true;
                Ok(exit)
            }
            open => {
                let inner = open.map_or_else(
                    || "no loop is open there".to_owned(),
                    |o| format!("the innermost open there is {}", name(cfg, o.header)),
                );
                Err(problem(
                    cfg,
                    j,
                    &codes::NESTING,
                    format!("{} ends {}, but {inner}", name(cfg, j), name(cfg, target)),
                    RESTRUCTURE,
                ))
            }
        }
    }

    fn begin_branch(&mut self, j: VertexId) -> Step<EdgeId> {
        self.visit(j)?;
        self.open.push(Open {
            header: j,
            kind: OpenKind::Branch {
                arm: 0,
                end: None,
                arrived: Vec::new(),
            },
        });
        self.arm_edge(j, 0)
    }

    fn end_arm(&mut self, j: VertexId, e: EdgeId) -> Step<EdgeId> {
        let cfg = self.cfg;
        let Some(Open {
            header,
            kind: OpenKind::Branch { arm, end, arrived },
        }) = self.open.last_mut()
        else {
            let inner = match self.open.last() {
                None => "no branch is open there".to_owned(),
                Some(o) => format!("the innermost open there is {}", name(cfg, o.header)),
            };
            return Err(problem(
                cfg,
                j,
                &codes::NESTING,
                format!("{} ends a branch, but {inner}", name(cfg, j)),
                RESTRUCTURE,
            ));
        };
        let header = *header;
        match *end {
            Some(first) if first != j => {
                return Err(problem(
                    cfg,
                    j,
                    &codes::NESTING,
                    format!(
                        "one arm of {} ends at {}, another at {}",
                        name(cfg, header),
                        name(cfg, first),
                        name(cfg, j)
                    ),
                    RESTRUCTURE,
                ));
            }
            _ => *end = Some(j),
        }
        arrived.push(e);
        let started_by = cfg.out_edges(header)[*arm];
        *arm += 1;
        let next = *arm;
        self.s.in_label[e.index()] = cfg.edge(started_by).label;
        if next < cfg.out_edges(header).len() {
            return self.arm_edge(header, next);
        }
        let (arms, arrivals) = (next, cfg.in_edges(j).len());
        if arms != arrivals {
            let help = own_end(cfg, header, j, arrived);
            return Err(problem(
                cfg,
                j,
                &codes::NESTING,
                format!(
                    "{} has {arrivals} predecessors, but its {} has {arms} arms",
                    name(cfg, j),
                    name(cfg, header)
                ),
                &help,
            ));
        }
        // Popped before going on: see the head of this file.
        self.open.pop();
        self.visit(j)?;
        self.pair(header, j);
        self.only_edge(j)
    }

    fn pair(&mut self, header: VertexId, end: VertexId) {
        self.s.partner[header.index()] = Some(end);
        self.s.partner[end.index()] = Some(header);
    }

    fn arm_edge(&self, v: VertexId, arm: usize) -> Step<EdgeId> {
        self.cfg
            .out_edges(v)
            .get(arm)
            .copied()
            .ok_or_else(|| self.no_edge(v))
    }

    fn only_edge(&self, v: VertexId) -> Step<EdgeId> {
        match self.cfg.out_edges(v) {
            [e] => Ok(*e),
            _ => Err(self.no_edge(v)),
        }
    }

    fn no_edge(&self, v: VertexId) -> Box<Diagnostic> {
        problem(
            self.cfg,
            v,
            &codes::DEGREE,
            format!("{} has a wrong number of successors", name(self.cfg, v)),
            "add the missing edge from it, or remove the superfluous one",
        )
    }

    fn unclosed(&self, header: VertexId, exit: VertexId) -> Box<Diagnostic> {
        problem(
            self.cfg,
            header,
            &codes::NESTING,
            format!(
                "{} is still open where {} is reached",
                name(self.cfg, header),
                name(self.cfg, exit)
            ),
            RESTRUCTURE,
        )
    }

    fn entered_twice(&self, v: VertexId) -> Box<Diagnostic> {
        problem(
            self.cfg,
            v,
            &codes::NESTING,
            format!(
                "{} is entered from several places that are not arms ending there",
                name(self.cfg, v)
            ),
            RESTRUCTURE,
        )
    }
}

/// The cure where branches share their ENDBRANCH, as in a chain of else-ifs.
fn own_end(cfg: &Cfg, header: VertexId, end: VertexId, arms: &[EdgeId]) -> String {
    let new = FreshIds::of_vertices(cfg).next_id();
    format!(
        "give {} an ENDBRANCH of its own, {{\"id\": {new}, \"type\": \"ENDBRANCH\"}}: lead the edges {} to it and add \
         {{\"from\": {new}, \"to\": {}}}; or add \"control\": \"general\" to the routine, in text `general subroutine`",
        name(cfg, header),
        edge_names(cfg, arms),
        cfg.vertex(end).id
    )
}

fn problem(
    cfg: &Cfg,
    v: VertexId,
    info: &CodeInfo,
    message: String,
    help: &str,
) -> Box<Diagnostic> {
    Box::new(at_vertex(cfg, v, info, message, help))
}
