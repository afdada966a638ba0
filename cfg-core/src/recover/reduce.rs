//! Loops and branches of a graph of blocks and jumps, by reduction.
//!
//! A *part* of the graph has one vertex at which it is entered, and ends with one edge or with one branch.
//! At first each vertex is a part. Parts grow as long as one of these rules applies:
//!
//! - *sequence*: a part ends with an edge to a part that nothing else leads to;
//! - *branch*: all arms meet at once: each leads to the same vertex, or to a part that only this arm leads to and that
//!   ends with an edge to that vertex. An ENDBRANCH is put before the vertex;
//! - *loop, tested first*: a branch has one arm that leads back to it. The branch becomes the LOOP, and the arm ends
//!   with an ENDLOOP;
//! - *loop, tested last*: a part ends with a branch one arm of which leads back to its start. The branch
//!   becomes the ENDLOOP, the test goes to a LOOP at the start;
//! - *loop, tested after some statements*: as the paper's canonicalisation (section 2) the statements stand
//!   before the LOOP, and again before its ENDLOOP. Only straight code is repeated, and no statement more
//!   than once.
//!
//! The rules are the grammar of structured control flow read backward (R. Kosaraju, JCSS 9(3), 1974; M. Sharir,
//! *Structural Analysis*, Computer Languages 5, 1980), so a graph of nested loops and branches becomes one part, the
//! arms of each branch meeting at its post-dominator. A graph that does not reduce stays, with the largest parts that
//! reduce inside it.
//!
//! Parts are processed in postorder, inner ones first, and each is processed once. A part with a single in-edge stands
//! behind its predecessor in a reverse postorder, so it has grown completely before a rule at the end of the
//! predecessor looks at it; a part that stands before has a second in-edge, and no rule asks how far such a part has
//! grown. (The exit of a LOOP tested last starts at its ENDLOOP here, which may stand behind the exit's target; only
//! the rule at the LOOP takes that branch, and the LOOP stands before both.) An application takes constant time,
//! except for the arms of a branch and for blocks that are copied or removed; each of these is visited a few times in
//! all, since an arm that does not meet the others is remembered.

use crate::{
    edit::Editor,
    ir::{Expr, LoopTest, Op, Selector, VertexKind},
};

/// The construct that an empty block may become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Serve {
    Nothing,
    EndBranch,
    EndLoop,
    /// The LOOP of a loop tested last.
    Header,
}

/// The end of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The part ends with EXIT, or it has become part of another one.
    None,
    /// The part ends with this edge.
    Goto(usize),
    /// The part ends with this branch.
    Branch(usize),
}

/// A part; its number is that of the vertex at which it is entered.
#[derive(Clone, Copy, Debug)]
struct Part {
    end: End,
    /// Number of edges that lead to the part.
    entries: u32,
    /// The part has nothing but blocks, and perhaps a branch at its end.
    straight: bool,
    /// The part has nothing but blocks without statements.
    idle: bool,
    /// For a branch at this vertex, the arm that last failed to meet the first one.
    unmet: u32,
}

/// Reduces as far as possible. True if the whole graph has become one part: it is structured.
/// `serve` has the construct that each block that is there at first may serve as; any construct if the list is empty.
pub(super) fn reduce(edited: &mut Editor, serve: &[Serve], order: &[usize], repeat: bool) -> bool {
    let mut r = Reduction::new(edited, serve, repeat);
    // Inner parts are at the end of a reverse postorder.
    for &v in order.iter().rev() {
        if r.alive[v] {
            r.grow(v);
        }
    }
    let one = r.alive.iter().filter(|a| **a).count() == 1;
    let front = r.finish();
    for (e, to) in front {
        edited.set_to(e, to);
    }
    one
}

struct Reduction<'d> {
    edited: &'d mut Editor,
    serve: &'d [Serve],
    /// The parts by vertex; only those of vertices at which a part is entered are used.
    parts: Vec<Part>,
    alive: Vec<bool>,
    /// Out-edges of branches and blocks.
    out: Vec<Vec<usize>>,
    /// The first vertex of each part now: a LOOP, if one was put before the original one.
    front: Vec<usize>,
    /// Edges that lead to their target itself, not to a LOOP that was put before it.
    fixed: Vec<bool>,
    /// True if statements may be repeated.
    repeat: bool,
}

impl<'d> Reduction<'d> {
    fn new(edited: &'d mut Editor, serve: &'d [Serve], repeat: bool) -> Self {
        let n = edited.vertices.len();
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut parts: Vec<Part> = (0..n)
            .map(|v| Part {
                end: End::None,
                entries: 0,
                straight: true,
                idle: may_serve(edited, serve, v, Serve::Nothing),
                unmet: 0,
            })
            .collect();
        for e in 0..edited.edges.len() {
            out[edited.from(e)].push(e);
            parts[edited.to(e)].entries += 1;
        }
        for (v, part) in parts.iter_mut().enumerate() {
            part.end = match (&edited.vertices[v].kind, &out[v][..]) {
                (VertexKind::Branch(_), _) => End::Branch(v),
                (_, [e]) => End::Goto(*e),
                _ => End::None,
            };
        }
        Self {
            alive: vec![true; n],
            front: (0..n).collect(),
            fixed: vec![false; edited.edges.len()],
            out,
            parts,
            edited,
            serve,
            repeat,
        }
    }

    /// Edges that have to be led to the LOOPs that were put before their targets.
    fn finish(self) -> Vec<(usize, usize)> {
        let edges = 0..self.edited.edges.len();
        edges
            .filter(|&e| !self.fixed[e])
            .map(|e| (e, self.edited.to(e)))
            .filter_map(|(e, to)| self.front.get(to).map(|&front| (e, front)))
            .collect()
    }

    fn may_serve(&self, v: usize, wanted: Serve) -> bool {
        may_serve(self.edited, self.serve, v, wanted)
    }

    /// Applies rules at the end of a part as long as there are any.
    fn grow(&mut self, n: usize) {
        loop {
            let applied = match self.parts[n].end {
                End::None => false,
                End::Goto(e) => self.sequence(n, e),
                End::Branch(b) => {
                    self.branch(n, b)
                        || self.tested_first(n, b)
                        || self.tested_last(n, b)
                        || (self.repeat && self.tested_between(n, b))
                }
            };
            if !applied {
                return;
            }
        }
    }

    fn drop_entry(&mut self, n: usize) {
        self.parts[n].entries -= 1;
    }

    fn absorb(&mut self, part: usize) {
        self.alive[part] = false;
        self.parts[part].end = End::None;
    }

    fn new_edge(&mut self, from: usize, to: usize, label: Option<i64>, fixed: bool) -> usize {
        self.fixed.push(fixed);
        self.edited.add_edge(from, to, label)
    }

    fn fix(&mut self, e: usize, to: usize) {
        self.edited.set_to(e, to);
        self.fixed[e] = true;
    }

    fn ends_with(&mut self, n: usize, end: End) {
        let part = &mut self.parts[n];
        part.end = end;
        part.straight = false;
        part.idle = false;
    }

    fn sequence(&mut self, n: usize, e: usize) -> bool {
        let next = self.edited.to(e);
        if next == n || self.parts[next].entries != 1 {
            return false;
        }
        let part = self.parts[next];
        let this = &mut self.parts[n];
        this.end = part.end;
        this.straight &= part.straight;
        this.idle &= part.idle;
        self.absorb(next);
        true
    }

    /// The part whose only in-edge is `e`, and the edge with which it ends.
    fn arm(&self, n: usize, e: usize) -> Option<(usize, usize)> {
        let to = self.edited.to(e);
        match self.parts[to] {
            Part {
                end: End::Goto(last),
                entries: 1,
                ..
            } if to != n => Some((to, last)),
            _ => None,
        }
    }

    /// The arm, and the vertex to which it leads.
    fn arm_to(&self, n: usize, e: usize) -> (Option<(usize, usize)>, usize) {
        match self.arm(n, e) {
            Some((part, last)) => (Some((part, last)), self.edited.to(last)),
            None => (None, self.edited.to(e)),
        }
    }

    fn branch(&mut self, n: usize, b: usize) -> bool {
        let arms = self.out[b].len();
        let Some(&first) = self.out[b].first() else {
            return false;
        };
        let meet = self.arm_to(n, first).1;
        if meet == n {
            return false;
        }
        // Several parts may end with this branch one after the other, and its arms do not change meanwhile: the arm
        // that differed last time is tried first, so that the search stays linear.
        let differs = |k: usize| self.arm_to(n, self.out[b][k]).1 != meet;
        if differs(self.parts[b].unmet as usize) {
            return false;
        }
        if let Some(arm) = (0..arms).find(|&k| differs(k)) {
            self.parts[b].unmet = arm as u32;
            return false;
        }
        let whole = self.parts[meet].entries as usize == arms
            && self.may_serve(meet, Serve::EndBranch)
            && self.front[meet] == meet;
        let end = if whole {
            self.edited.vertices[meet].kind = VertexKind::EndBranch;
            meet
        } else {
            self.edited.add(VertexKind::EndBranch)
        };
        // Collected before any arm changes: with fewer in-edges, the meeting point itself would look like an arm.
        let found: Vec<(usize, Option<(usize, usize)>)> =
            self.out[b].iter().map(|&e| (e, self.arm(n, e))).collect();
        for (e, arm) in found {
            let last = match arm {
                Some((part, last)) => {
                    self.absorb(part);
                    last
                }
                None => e,
            };
            self.drop_entry(meet);
            self.fix(last, end);
        }
        if whole {
            let end = self.parts[meet].end;
            self.absorb(meet);
            self.ends_with(n, end);
        } else {
            let e = self.new_edge(end, meet, None, false);
            self.parts[meet].entries += 1;
            self.ends_with(n, End::Goto(e));
        }
        true
    }

    /// The condition under which a two-way branch takes this edge.
    fn condition(&self, b: usize, e: usize) -> Option<Expr> {
        let VertexKind::Branch(selector) = &self.edited.vertices[b].kind else {
            return None;
        };
        let Selector::Condition(c) = &**selector else {
            return None;
        };
        if self.edited.edges[e].label == Some(1) {
            return Some(c.clone());
        }
        match c {
            Expr::Op(Op::Not, operands) => operands.first().cloned(),
            c if c.depth() < Expr::MAX_DEPTH => Some(Expr::op(Op::Not, [c.clone()])),
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => None,
        }
    }

    /// The two edges of a two-way branch, in either order.
    fn two_ways(&self, b: usize) -> Option<[(usize, usize); 2]> {
        match self.out[b][..] {
            [e, f] => Some([(e, f), (f, e)]),
            _ => None,
        }
    }

    fn tested_first(&mut self, n: usize, b: usize) -> bool {
        let Some(ways) = self.two_ways(b).filter(|_| n == b) else {
            return false;
        };
        for (body, exit) in ways {
            let (arm, to) = self.arm_to(n, body);
            if to != n || self.arm_to(n, exit).1 == n {
                continue;
            }
            let Some(condition) = self.condition(b, body) else {
                continue;
            };
            self.make_loop(b, LoopTest::Pre(condition), body, exit);
            let last = match arm {
                Some((part, last)) => {
                    self.absorb(part);
                    last
                }
                None => body,
            };
            self.drop_entry(n);
            self.end_loop(last, b);
            self.ends_with(n, End::Goto(exit));
            return true;
        }
        false
    }

    /// Makes a branch a LOOP.
    fn make_loop(&mut self, b: usize, test: LoopTest, body: usize, exit: usize) {
        self.edited.vertices[b].kind = VertexKind::loop_on(test);
        self.edited.edges[body].label = Some(1);
        self.edited.edges[exit].label = None;
    }

    /// Ends the body that `last` leaves with an ENDLOOP.
    fn end_loop(&mut self, last: usize, header: usize) {
        let from = self.edited.from(last);
        if self.may_serve(from, Serve::EndLoop) {
            self.edited.vertices[from].kind = VertexKind::EndLoop;
            self.fix(last, header);
            return;
        }
        let end = self.edited.add(VertexKind::EndLoop);
        self.fix(last, end);
        self.new_edge(end, header, None, true);
    }

    fn tested_last(&mut self, n: usize, b: usize) -> bool {
        let Some(ways) = self.two_ways(b).filter(|_| n != b) else {
            return false;
        };
        for (again, exit) in ways {
            let (arm, to) = self.arm_to(n, again);
            let idle = arm.is_none_or(|(part, _)| self.parts[part].idle);
            if to != n || !idle || self.arm_to(n, exit).1 == n {
                continue;
            }
            let Some(condition) = self.condition(b, again) else {
                continue;
            };
            let test = LoopTest::Post(condition);
            let own = self.may_serve(n, Serve::Header) && self.front[n] == n;
            let header = match self.out[n][..] {
                [body] if own => {
                    self.edited.vertices[n].kind = VertexKind::loop_on(test);
                    self.edited.edges[body].label = Some(1);
                    n
                }
                _ => {
                    let header = self.edited.add(VertexKind::loop_on(test));
                    self.new_edge(header, self.front[n], Some(1), true);
                    self.front[n] = header;
                    header
                }
            };
            self.edited.vertices[b].kind = VertexKind::EndLoop;
            self.edited.edges[again].label = None;
            if let Some((part, last)) = arm {
                self.remove_idle(part, last);
                self.absorb(part);
            }
            self.drop_entry(n);
            self.fix(again, header);
            self.edited.edges[exit].label = None;
            self.edited.set_from(exit, header);
            self.ends_with(n, End::Goto(exit));
            return true;
        }
        false
    }

    /// Removes a part of blocks without statements.
    fn remove_idle(&mut self, part: usize, last: usize) {
        let mut at = part;
        loop {
            self.edited.remove(at);
            match self.out[at].first() {
                Some(&e) if e != last => at = self.edited.to(e),
                _ => return,
            }
        }
    }

    fn tested_between(&mut self, n: usize, b: usize) -> bool {
        let Some(ways) = self
            .two_ways(b)
            .filter(|_| n != b && self.parts[n].straight)
        else {
            return false;
        };
        for (body, exit) in ways {
            let (Some((part, last)), to) = self.arm_to(n, body) else {
                continue;
            };
            if to != n || self.arm_to(n, exit).1 == n {
                continue;
            }
            let Some(condition) = self.condition(b, body) else {
                continue;
            };
            self.make_loop(b, LoopTest::Pre(condition), body, exit);
            self.absorb(part);
            self.drop_entry(n);
            // The blocks before the test are repeated at the end of the body.
            let mut at = n;
            let mut open = last;
            while at != b {
                let Some(&next) = self.out[at].first() else {
                    break;
                };
                if !self.edited.is_empty_block(at) {
                    let copy = self.edited.copy(at);
                    self.fix(open, copy);
                    open = self.new_edge(copy, b, None, true);
                }
                at = self.edited.to(next);
            }
            self.end_loop(open, b);
            self.ends_with(n, End::Goto(exit));
            return true;
        }
        false
    }
}

/// True of a block without statements that may become that; [`Serve::Nothing`]: that may go.
fn may_serve(edited: &Editor, serve: &[Serve], v: usize, wanted: Serve) -> bool {
    let free = match serve.get(v) {
        Some(&serve) => wanted != Serve::Nothing && serve == wanted,
        None => true,
    };
    free && edited.is_empty_block(v)
}
