//! Cures for a graph that breaks a rule on numbers of edges: the help of V103, V104 and V115.
//!
//! People leave out an ENDBRANCH or an ENDLOOP, or draw an edge for a break, a continue or an early return. The loops
//! of the graph, and whether it nests, tell these mistakes apart.

use super::local_rules::{Cure, Violation, edge_names, name};
use crate::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VertexId},
    graph::{self, loops::LoopForest},
    ir::{Cfg, Control, FreshIds, VertexKind, VertexType},
};
use fixedbitset::FixedBitSet;
use std::cell::{OnceCell, RefCell};

/// The help for a routine that jumps: how to declare general control.
const GENERAL: &str = "add \"control\": \"general\" to the routine, in text `general subroutine`";

/// A fact about a graph beside its vertices and edges: why it is not structured.
pub(crate) struct Insight {
    /// The reason why the graph is not structured, empty if there are no words for it; `None` for a structured graph.
    pub(crate) jumps: Option<String>,
}

/// The violations as problems with help. Without insight into the graph, cures do not look at loops and nesting.
pub(crate) fn explained(
    cfg: &Cfg,
    control: Control,
    violations: Vec<Violation>,
    insight: Option<Insight>,
) -> Diagnostics {
    let cures = Cures::new(cfg, control, insight);
    let problems = violations.into_iter().map(|violation| {
        let mut problem = violation.problem;
        if let Some(cure) = violation.cure {
            problem.help = cures.help(&cure);
        }
        problem
    });
    Diagnostics(problems.collect())
}

/// The cures for one graph. Facts about the graph are computed when a cure first needs them.
struct Cures<'c> {
    cfg: &'c Cfg,
    control: Control,
    insight: Option<Insight>,
    forest: OnceCell<Option<LoopForest>>,
    /// The vertices that are reached from ENTRY.
    reached: OnceCell<FixedBitSet>,
    /// The only vertex without an out-edge, of those that should lead to a next vertex.
    open_way: OnceCell<Option<VertexId>>,
    /// The only ENDLOOP without an out-edge.
    open_end: OnceCell<Option<VertexId>>,
    /// The only LOOP with one in-edge.
    open_header: OnceCell<Option<VertexId>>,
    /// The only ENDBRANCH with one in-edge.
    short_end: OnceCell<Option<VertexId>>,
    /// Ids that no vertex and no suggestion has.
    fresh: RefCell<Option<FreshIds>>,
}

impl<'c> Cures<'c> {
    fn new(cfg: &'c Cfg, control: Control, insight: Option<Insight>) -> Self {
        Self {
            cfg,
            control,
            insight,
            forest: OnceCell::new(),
            reached: OnceCell::new(),
            open_way: OnceCell::new(),
            open_end: OnceCell::new(),
            open_header: OnceCell::new(),
            short_end: OnceCell::new(),
            fresh: RefCell::new(None),
        }
    }

    fn forest(&self) -> Option<&LoopForest> {
        let new = || {
            let entry = self.cfg.entry().filter(|_| self.insight.is_some())?;
            Some(LoopForest::new(self.cfg, entry.index()))
        };
        self.forest.get_or_init(new).as_ref()
    }

    fn id(&self, v: VertexId) -> i64 {
        self.cfg.vertex(v).id
    }

    fn edge(&self, e: EdgeId) -> String {
        let edge = self.cfg.edge(e);
        format!("{} -> {}", self.id(edge.from), self.id(edge.to))
    }

    /// An id that no vertex and no other suggestion has.
    fn fresh(&self) -> i64 {
        let mut fresh = self.fresh.borrow_mut();
        let ids = fresh.get_or_insert_with(|| FreshIds::of_vertices(self.cfg));
        ids.next_id()
    }

    /// The vertex for which the predicate holds, if there is exactly one.
    fn only(&self, holds: impl Fn(VertexId) -> bool) -> Option<VertexId> {
        let mut found = self.cfg.vertices().map(|(v, _)| v).filter(|&v| holds(v));
        found.next().filter(|_| found.next().is_none())
    }

    fn is_reached(&self, v: VertexId) -> bool {
        let new = || {
            let entry = self.cfg.entry();
            entry.map_or_else(FixedBitSet::new, |e| graph::reachable(self.cfg, e.index()))
        };
        self.reached.get_or_init(new).contains(v.index())
    }

    fn open_way(&self) -> Option<VertexId> {
        let is_open = |v| {
            let ty = self.cfg.vertex(v).vertex_type();
            let goes_on = matches!(
                ty,
                VertexType::Entry | VertexType::BasicBlock | VertexType::EndBranch
            );
            goes_on && self.cfg.out_edges(v).is_empty()
        };
        *self.open_way.get_or_init(|| self.only(is_open))
    }

    fn open_end(&self) -> Option<VertexId> {
        let is_open = |v| {
            let is_end = self.cfg.vertex(v).vertex_type() == VertexType::EndLoop;
            is_end && self.cfg.out_edges(v).is_empty()
        };
        *self.open_end.get_or_init(|| self.only(is_open))
    }

    fn open_header(&self) -> Option<VertexId> {
        let is_open = |v| self.is_loop(v) && self.cfg.in_edges(v).len() == 1;
        *self.open_header.get_or_init(|| self.only(is_open))
    }

    fn short_end(&self) -> Option<VertexId> {
        let is_short = |v| {
            let is_end = self.cfg.vertex(v).vertex_type() == VertexType::EndBranch;
            is_end && self.cfg.in_edges(v).len() == 1
        };
        *self.short_end.get_or_init(|| self.only(is_short))
    }

    fn is_loop(&self, v: VertexId) -> bool {
        matches!(self.cfg.vertex(v).kind, VertexKind::Loop { .. })
    }

    fn help(&self, cure: &Cure) -> String {
        match cure {
            Cure::TooManyPredecessors(v) => self.too_many_predecessors(*v),
            Cure::TooFewPredecessors(v) => self.too_few_predecessors(*v),
            Cure::TooManySuccessors(v) => self.too_many_successors(*v),
            Cure::TooFewSuccessors(v) => self.too_few_successors(*v),
            Cure::Unreachable(missed) => self.unreachable(missed),
            Cure::EndLeadsElsewhere => self.end_leads_elsewhere(),
            Cure::NoEndOfBody(v) => self.no_end_of_body(*v),
            Cure::NoBody(v) => self.no_body(*v),
        }
    }

    /// A vertex has more predecessors than it may have.
    fn too_many_predecessors(&self, v: VertexId) -> String {
        let cfg = self.cfg;
        let into = cfg.in_edges(v);
        let ty = cfg.vertex(v).vertex_type();
        if ty == VertexType::Entry {
            return format!(
                "no edge leads to ENTRY: lead {} to the vertex after it",
                edge_names(cfg, into)
            );
        }
        let Some(forest) = self.forest() else {
            return format!("let several ways meet at an ENDBRANCH, or {GENERAL}");
        };
        let is_back = |&e: &EdgeId| {
            let from = cfg.edge(e).from.index();
            forest.back_to(from, v.index()).is_some()
        };
        let (back, forward): (Vec<EdgeId>, Vec<EdgeId>) = into.iter().partition(|e| is_back(e));
        if !back.is_empty() && !self.is_loop(v) {
            return format!(
                "the edge {} closes a cycle: begin it with a LOOP and lead it back from an ENDLOOP, or {GENERAL}",
                self.edge(back[0])
            );
        }
        if back.len() > 1 {
            return format!(
                "a LOOP is returned to by one edge, from its ENDLOOP; for a jump there from elsewhere (continue) {GENERAL}"
            );
        }
        if let Some(jumps) = self.insight.as_ref().and_then(|i| i.jumps.as_deref()) {
            let reason = match jumps {
                "" => format!("{} do not nest", edge_names(cfg, &forward)),
                reason => reason.to_owned(),
            };
            return format!("{reason}; for jumps (break, continue, return, goto) {GENERAL}");
        }
        if forward.len() > 2 {
            return format!(
                "let the arms of each BRANCH meet at an ENDBRANCH of its own, in front of {}; or {GENERAL}",
                name(cfg, v)
            );
        }
        if let Some(end) = self.short_end() {
            return format!(
                "one of the edges {} is a jump (continue, return, goto): {GENERAL}; or lead it to {}, where the arms of \
                 its branch meet",
                edge_names(cfg, &forward),
                name(cfg, end)
            );
        }
        let (new, to) = (self.fresh(), self.id(v));
        format!(
            "insert {{\"id\": {new}, \"type\": \"ENDBRANCH\"}} where the arms meet: lead the edges {} to it and add \
             {{\"from\": {new}, \"to\": {to}}}; or {GENERAL}",
            edge_names(cfg, &forward)
        )
    }

    /// A vertex has fewer predecessors than it must have.
    fn too_few_predecessors(&self, v: VertexId) -> String {
        let cfg = self.cfg;
        let (ty, id) = (cfg.vertex(v).vertex_type(), self.id(v));
        let into = cfg.in_edges(v);
        match (ty, into.len()) {
            (VertexType::Loop | VertexType::ForLoop, 1) => {
                let from = cfg.edge(into[0]).from;
                if cfg.vertex(from).vertex_type() == VertexType::EndLoop {
                    return self.not_entered(v, from);
                }
                if let Some(end) = self.open_end() {
                    let end = self.id(end);
                    return format!("add the edge back to it, {{\"from\": {end}, \"to\": {id}}}");
                }
                let new = self.fresh();
                format!(
                    "end its body with {{\"id\": {new}, \"type\": \"ENDLOOP\"}} and lead that back, \
                     {{\"from\": {new}, \"to\": {id}}}"
                )
            }
            (VertexType::EndBranch, 1) => format!(
                "lead every arm of its BRANCH to it; an arm without statements is an edge from the BRANCH. \
                 If the other arms jump elsewhere, {GENERAL}"
            ),
            _ => format!("add the missing edge to it, {{\"from\": ..., \"to\": {id}}}"),
        }
    }

    /// The only predecessor of a LOOP is an ENDLOOP.
    fn not_entered(&self, v: VertexId, end: VertexId) -> String {
        // A LOOP that is reached by way of the ENDLOOP stands behind another loop, unless a jump leads into its body.
        let is_behind_another = self.forest().is_some_and(|forest| {
            let around = forest.innermost(v.index()).map(|l| forest.get(l).header);
            self.is_reached(v)
                && forest.back_to(end.index(), v.index()).is_none()
                && around.is_none_or(|header| self.is_loop(VertexId::new(header)))
        });
        let end = name(self.cfg, end);
        if is_behind_another {
            return format!(
                "{end} ends the body of another loop: lead it back to the LOOP of that; this one is entered by an edge from outside \
                 and has an ENDLOOP of its own"
            );
        }
        let id = self.id(v);
        let from = self.open_way();
        let from = from.map_or_else(|| "...".to_owned(), |v| self.id(v).to_string());
        format!(
            "{end} leads back to it: add the edge that enters the loop, {{\"from\": {from}, \"to\": {id}}}"
        )
    }

    /// A vertex has more successors than it may have.
    fn too_many_successors(&self, v: VertexId) -> String {
        let ty = self.cfg.vertex(v).vertex_type();
        let out = edge_names(self.cfg, self.cfg.out_edges(v));
        match ty {
            VertexType::Loop | VertexType::ForLoop => {
                "a LOOP has one edge into its body, with label 1, and one to what follows; a jump out of the body \
                 starts at a vertex of the body"
                    .to_owned()
            }
            VertexType::Exit => format!(
                "EXIT is the last vertex: remove {out}, or give the vertex another type"
            ),
            VertexType::Entry | VertexType::BasicBlock | VertexType::EndLoop | VertexType::Branch | VertexType::EndBranch => format!(
                "what decides between {out} is a vertex of its own, {{\"type\": \"BRANCH\", \"condition\": ...}}, \
                 with an edge of label 1 and one of label 0; otherwise remove the superfluous edge"
            ),
        }
    }

    /// A vertex has fewer successors than it must have.
    fn too_few_successors(&self, v: VertexId) -> String {
        let cfg = self.cfg;
        let (ty, id) = (cfg.vertex(v).vertex_type(), self.id(v));
        let out = cfg.out_edges(v);
        let has = |label| out.iter().any(|&e| cfg.edge(e).label == Some(label));
        match ty {
            VertexType::Loop | VertexType::ForLoop if has(1) => {
                format!("add the edge to what follows the loop, {{\"from\": {id}, \"to\": ...}}")
            }
            VertexType::Loop | VertexType::ForLoop => {
                format!("add the edge into the body, {{\"from\": {id}, \"to\": ..., \"label\": 1}}")
            }
            VertexType::Branch => format!(
                "add the edge taken if the condition is {}, {{\"from\": {id}, \"to\": ..., \"label\": {}}}; without \
                 anything to do it leads to the ENDBRANCH",
                !has(1),
                i32::from(!has(1))
            ),
            VertexType::Entry
            | VertexType::Exit
            | VertexType::BasicBlock
            | VertexType::EndLoop
            | VertexType::EndBranch => {
                format!("add the edge to what is next, {{\"from\": {id}, \"to\": ...}}")
            }
        }
    }

    /// Vertices cannot be reached; the first is given.
    fn unreachable(&self, missed: &[usize]) -> String {
        let cfg = self.cfg;
        let roots = missed.iter().map(|&v| VertexId::new(v));
        let mut roots = roots.filter(|&v| cfg.in_edges(v).is_empty());
        let Some(root) = roots.next() else {
            return "delete what is never executed, or add the edge that leads to it".to_owned();
        };
        let (shown, id) = (name(cfg, root), self.id(root));
        match cfg.vertex(root).vertex_type() {
            VertexType::EndLoop | VertexType::EndBranch if self.control == Control::Structured => {
                format!(
                    "add the edge to {shown}, {{\"from\": ..., \"to\": {id}}}; where every way jumps past it (break or \
                     return), delete it and {GENERAL}"
                )
            }
            VertexType::Entry
            | VertexType::Exit
            | VertexType::BasicBlock
            | VertexType::Loop
            | VertexType::ForLoop
            | VertexType::EndLoop
            | VertexType::Branch
            | VertexType::EndBranch => format!(
                "add the edge to {shown}, {{\"from\": ..., \"to\": {id}}}, or delete what is never executed"
            ),
        }
    }

    /// No predecessor of a LOOP is an ENDLOOP.
    fn no_end_of_body(&self, v: VertexId) -> String {
        let otherwise =
            "one edge enters the loop from outside, the other comes from the ENDLOOP of its body";
        let Some(forest) = self.forest() else {
            return otherwise.to_owned();
        };
        let is_end = |from| matches!(self.cfg.vertex(from).kind, VertexKind::EndLoop);
        let mut back = self.cfg.in_edges(v).iter().copied().filter(|&e| {
            let from = self.cfg.edge(e).from;
            forest.back_to(from.index(), v.index()).is_some() && !is_end(from)
        });
        let (Some(e), None) = (back.next(), back.next()) else {
            return otherwise.to_owned();
        };
        let (new, from, to) = (self.fresh(), self.id(self.cfg.edge(e).from), self.id(v));
        let label = self.cfg.edge(e).label;
        let label = label.map_or(String::new(), |l| format!(", \"label\": {l}"));
        format!(
            "insert {{\"id\": {new}, \"type\": \"ENDLOOP\"}} at the end of the body: in place of the edge {} write \
             {{\"from\": {from}, \"to\": {new}{label}}} and {{\"from\": {new}, \"to\": {to}}}",
            self.edge(e)
        )
    }

    /// An ENDLOOP leads elsewhere than to a LOOP.
    fn end_leads_elsewhere(&self) -> String {
        match self.open_header() {
            Some(header) => {
                let to = self.id(header);
                format!(
                    "lead its edge back to {}: \"to\": {to}",
                    name(self.cfg, header)
                )
            }
            None => "lead its edge back to the LOOP whose body it ends".to_owned(),
        }
    }

    /// No out-edge of a LOOP has label 1.
    fn no_body(&self, v: VertexId) -> String {
        let body = self.forest().and_then(|forest| {
            let l = forest.headed_by(v.index())?;
            let mut inside = self.cfg.out_edges(v).iter().copied().filter(|&e| {
                let to = self.cfg.edge(e).to.index();
                to != v.index() && forest.contains(l, to)
            });
            inside.next().filter(|_| inside.next().is_none())
        });
        match body {
            Some(e) => {
                let edge = self.cfg.edge(e);
                let (from, to) = (self.id(edge.from), self.id(edge.to));
                format!(
                    "write the label of the edge into the body: {{\"from\": {from}, \"to\": {to}, \"label\": 1}}"
                )
            }
            None => "write \"label\": 1 at the edge into the loop's body".to_owned(),
        }
    }
}
