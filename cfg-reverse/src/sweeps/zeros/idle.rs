//! Loops that an adjoint of 0 makes idle.
//!
//! A reverse loop that follows a branch often multiplies all that it adds with one scalar adjoint, the seed, which only
//! one arm has set:
//!
//! ```text
//! forloop r = d, 1, -1              if s_b != 0.0
//!   t := x[r] - c[r]                  forloop r = d, 1, -1
//!   t_b := 2.0*(s_b*t)       →          t := x[r] - c[r]
//!   c_b[r] := c_b[r] - t_b              t_b := 2.0*(s_b*t)
//! end                                   c_b[r] := c_b[r] - t_b
//!                                     end
//!                                   end
//! ```
//!
//! With `S` the seeds of a loop, all of them 0, the variables of the loop that are 0 are the greatest set
//!
//! ```text
//! Z = S ∪ { t assigned in the loop, not live at its header | each assignment of t vanishes if Z does },
//! ```
//!
//! where a product vanishes with a factor, a sum with its addends. The loop is idle if each of its statements adds to
//! its target terms that vanish with `Z`, or assigns a scalar local that is not live behind the loop. Seeds are
//! adjoints and tangents that the loop does not assign, and that are 0 on one path to it but not on another.
//!
//! The derivative of a seed of 0 may be other than 0, so that a test must not be differentiated: it stands in no
//! result of [`reverse`](crate::reverse()) or [`tangent`](crate::tangent()), and goes into programs that are written
//! as code.

use cfg_core::{
    dataflow::{Analysis, Direction, Point, Position, Set, Solution, solve},
    edit::Editor,
    entity::{EdgeId, VarId, VertexId},
    flat::{Constant, FlatExpr},
    ir::{
        Cfg, Control, Expr, LoopTest, NameRole, Op, Program, Routine, Stmt, Vertex, VertexKind,
        visit::{PlaceRole, Visit},
    },
    structure::Structure,
};
use std::{collections::BTreeSet, ops::Range};

use super::{Candidates, Names, dead::Live, known::MayDiffer, zeroed};
use crate::memory::increments::added_operands;

/// The most seeds of one loop.
const MOST_SEEDS: usize = 3;

/// The most loops around each other that are skipped as one, so that a vertex is looked at so many times.
const MOST_NESTED: u32 = 4;

/// The most rounds in which `Z` shrinks.
const MOST_ROUNDS: usize = 4;

/// The program whose derivative routines skip loops that adjoints of 0 make idle. Where a seed is 0, an infinite or NaN
/// factor does not count, and the sign of a zero may differ. The result is not to be differentiated. A program with
/// pointers stays as it is.
#[must_use]
pub fn skip_idle_loops(mut program: Program) -> Program {
    if !program.has_pointers() {
        for routine in &mut program.routines {
            let is_derivative = routine.origin.is_some();
            if is_derivative && routine.control == Control::Structured {
                skip_in(routine);
            }
        }
    }
    program
}

fn skip_in(routine: &mut Routine) {
    let zeros = Candidates::find(routine);
    if zeros.count == 0 {
        return;
    }
    let Some(structure) = (routine.body.as_ref()).and_then(|cfg| Structure::compute(cfg).ok())
    else {
        return;
    };
    let found = match &routine.body {
        Some(cfg) => idle_loops(routine, cfg, &structure, &zeros),
        None => Vec::new(),
    };
    if !found.is_empty()
        && let Some(cfg) = routine.body.take()
    {
        routine.body = Some(with_tests(cfg, routine, &found));
    }
}

/// A loop that is to be skipped where its seeds are 0.
struct Idle {
    header: VertexId,
    /// The edges by which the loop is entered and left.
    ends: [EdgeId; 2],
    seeds: Vec<VarId>,
}

/// A loop of assignments.
struct Loop {
    idle: Idle,
    /// The positions of its vertices, the header included, in the order of the structure.
    range: Range<usize>,
    /// The variables that are assigned, indices of loops included.
    assigned: BTreeSet<VarId>,
    /// The indices of the loop and of those inside.
    indices: Vec<VarId>,
}

/// The loops to skip, none of them inside another.
fn idle_loops(
    routine: &Routine,
    cfg: &Cfg,
    structure: &Structure,
    zeros: &Candidates,
) -> Vec<Idle> {
    let headers = structure.order.iter().enumerate();
    let loops: Vec<Loop> = headers
        .filter_map(|(at, &v)| loop_of_assignments(routine, cfg, structure, zeros, (at, v)))
        .collect();
    if loops.is_empty() {
        return Vec::new();
    }
    let assigned = loops.iter().flat_map(|l| &l.assigned).copied();
    let locals = Candidates::of(routine, assigned);
    let check = Check {
        cfg,
        order: &structure.order,
        locals: &locals,
        live: solve(cfg, &Live(&locals)),
    };
    let may_differ = solve(cfg, &MayDiffer(zeros));
    let may_be_zero = solve(cfg, &MayBeZero(zeros));
    let mut found = Vec::new();
    let mut done = 0;
    for mut each in loops {
        if each.range.start < done {
            continue;
        }
        let header = each.idle.header;
        let (differs, is_zero) = (
            may_differ.state_at_inflow(header),
            may_be_zero.state_at_inflow(header),
        );
        let is_open = |v: &VarId| {
            let number = zeros.number(*v);
            number.is_some_and(|n| differs.contains(n) && is_zero.contains(n))
        };
        each.idle.seeds.retain(is_open);
        if (1..=MOST_SEEDS).contains(&each.idle.seeds.len()) && check.is_idle(&each) {
            done = each.range.end;
            found.push(each.idle);
        }
    }
    found
}

/// The loop with this header, if it has only assignments, counted loops and branches, and may have seeds.
fn loop_of_assignments(
    routine: &Routine,
    cfg: &Cfg,
    structure: &Structure,
    zeros: &Candidates,
    (at, header): (usize, VertexId),
) -> Option<Loop> {
    cfg.vertex(header).kind.test()?;
    let end = structure.position[structure.partner(header)?.index()] as usize;
    let range = at..end;
    let deepest = structure.loop_depth[header.index()] + MOST_NESTED;
    let mut read = BTreeSet::new();
    let mut assigned = BTreeSet::new();
    let mut indices = Vec::new();
    for &v in structure.order.get(range.clone())? {
        let vertex = cfg.vertex(v);
        if let VertexKind::Loop { test, .. } = &vertex.kind {
            let LoopTest::Counted { index, .. } = **test else {
                return None;
            };
            if structure.loop_depth[v.index()] >= deepest {
                return None;
            }
            indices.push(index);
        }
        let mut names = Names(|v: VarId, role: PlaceRole| {
            if role.writes() {
                assigned.insert(v);
            }
            if role.reads() && zeros.number(v).is_some() {
                read.insert(v);
            }
        });
        for statement in vertex.statements() {
            statement.kind.assignment()?;
            names.visit_statement(statement);
        }
        names.visit_decision(&vertex.kind);
    }
    let is_derivative = |v: &&VarId| {
        let origin = routine.variable(**v).origin.as_ref();
        origin.is_some_and(|o| matches!(o.role, NameRole::Adjoint | NameRole::Tangent))
    };
    let seeds: Vec<VarId> = (read.difference(&assigned))
        .filter(is_derivative)
        .copied()
        .collect();
    let is_entry = |e: &&EdgeId| structure.kind(**e).loop_entry;
    let is_exit = |e: &&EdgeId| structure.kind(**e).loop_exit;
    let entry = *cfg.in_edges(header).iter().find(is_entry)?;
    let exit = *cfg.out_edges(header).iter().find(is_exit)?;
    let idle = Idle {
        header,
        ends: [entry, exit],
        seeds,
    };
    (!idle.seeds.is_empty()).then_some(Loop {
        idle,
        range,
        assigned,
        indices,
    })
}

/// The test of loops for effects.
struct Check<'a> {
    cfg: &'a Cfg,
    order: &'a [VertexId],
    /// The scalar locals that the loops assign.
    locals: &'a Candidates,
    live: Solution<Set>,
}

impl Check<'_> {
    /// True if the loop has no effect where its seeds are 0.
    fn is_idle(&self, each: &Loop) -> bool {
        let exit = Point::Edge(each.idle.ends[1]);
        let behind = self.live.at(self.cfg, &Live(self.locals), exit);
        let at_header = self.live.state_at_inflow(each.idle.header);
        let is_dead = |v: VarId| self.locals.number(v).is_some_and(|n| !behind.contains(n));
        let is_set_first =
            |v: &VarId| (self.locals.number(*v)).is_some_and(|n| !at_header.contains(n));
        if !each.indices.iter().all(|&v| is_dead(v)) {
            return false;
        }
        let own = each.assigned.iter().copied().filter(is_set_first);
        let mut zero: BTreeSet<VarId> = own.chain(each.idle.seeds.iter().copied()).collect();
        let Some(vertices) = self.order.get(each.range.clone()) else {
            return false;
        };
        let statements = || {
            vertices
                .iter()
                .flat_map(|&v| self.cfg.vertex(v).statements())
        };
        for _ in 0..MOST_ROUNDS {
            let before = zero.len();
            for statement in statements() {
                if adds_nothing(statement, &zero) {
                    continue;
                }
                let Some((target, value)) = statement.kind.assignment() else {
                    return false;
                };
                if !target.subscripts.is_empty() || !is_dead(target.var) {
                    return false;
                }
                if !vanishes(value, &zero) {
                    zero.remove(&target.var);
                }
            }
            if zero.len() == before {
                return true;
            }
        }
        false
    }
}

/// True if a value is 0 where these variables are.
fn vanishes(value: &Expr, zero: &BTreeSet<VarId>) -> bool {
    let is_zero = |e: &Expr| vanishes(e, zero);
    match FlatExpr::view(value) {
        FlatExpr::Constant(Constant::Real(x)) => x == 0.0,
        FlatExpr::Constant(Constant::Real32(x)) => x == 0.0,
        FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_)) => false,
        FlatExpr::Place(place) => place.subscripts.is_empty() && zero.contains(&place.var),
        FlatExpr::Op(Op::Mul | Op::StrongMul, factors) => factors.iter().any(is_zero),
        FlatExpr::Op(Op::Add | Op::Sub, addends) => addends.iter().all(is_zero),
        FlatExpr::Op(Op::Neg | Op::ToReal | Op::ToReal32 | Op::Div, operands) => {
            operands.first().is_some_and(is_zero)
        }
        FlatExpr::Op(Op::If, [_, yes, no]) => is_zero(yes) && is_zero(no),
        FlatExpr::Op(..) => false,
    }
}

/// True if a statement assigns to its target what it is, with addends that vanish.
fn adds_nothing(statement: &Stmt, zero: &BTreeSet<VarId>) -> bool {
    added_operands(statement, |_, _| false)
        .is_some_and(|(_, added)| added.into_iter().all(|e| vanishes(e, zero)))
}

/// The candidates that may be 0 because a statement has set them to it.
struct MayBeZero<'a>(&'a Candidates);

impl Analysis for MayBeZero<'_> {
    const NAME: &'static str = "possible zeros";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.0.count)
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        self.bottom(cfg)
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        let mut names = Names(|v: VarId, role: PlaceRole| {
            if role.writes()
                && let Some(n) = self.0.number(v)
            {
                state.remove(n);
            }
        });
        names.visit_statement(statement);
        if let Some(n) = zeroed(statement).and_then(|v| self.0.number(v)) {
            state.insert(n);
        }
    }

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {
        // The only variables that a decision writes are indices of loops, which are integers.
    }
}

/// The graph with a branch around each of these loops.
fn with_tests(cfg: Cfg, routine: &Routine, found: &[Idle]) -> Cfg {
    let mut graph = Editor::take_apart(cfg);
    for Idle {
        header,
        ends: [entry, exit],
        seeds,
    } in found
    {
        let differ = |&v: &VarId| {
            let zero = Expr::zero(routine.variable(v).ty);
            Expr::op(Op::Ne, [Expr::var(v), zero])
        };
        let mut tests: Vec<Expr> = seeds.iter().map(differ).collect();
        let condition = match tests.len() {
            1 => tests.remove(0),
            _ => Expr::op(Op::Or, tests),
        };
        let header = header.index();
        let branch = graph.add(VertexKind::branch_on(condition));
        let end = graph.add(VertexKind::EndBranch);
        for v in [branch, end] {
            graph.vertices[v].at = graph.vertices[header].at.clone();
        }
        graph.set_to(entry.index(), branch);
        graph.add_edge(branch, header, Some(1));
        graph.add_edge(branch, end, Some(0));
        graph.set_from(exit.index(), end);
        graph.add_edge(header, end, None);
    }
    graph.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::{ir::Selector, text, validate::validate};

    /// The conditions of the tests that are added to a routine of these lines.
    fn tests_of(origin: &str, lines: &str) -> Vec<String> {
        let text = format!(
            "subroutine f(in integer n, in real x, in real v[n], inout real y, inout real w[n], inout tape tape) {origin}
               local integer i
               local integer j
               local integer k
               local integer l
               local integer m
               local real s
               local real s_b {{adjoint of s}}
               local real t_b {{tangent of t}}
               local real t
               local real u
               {lines}
             end
             subroutine g(inout real y)
             end"
        );
        let parsed = cfg_format::text::parse(&text);
        let program: Program = parsed
            .program
            .unwrap_or_else(|| panic!("{text}\n{:?}", parsed.problems));
        validate(program.clone()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        let before: BTreeSet<i64> = vertices(&program).map(|v| v.id).collect();
        let made = skip_idle_loops(program);
        let made = validate(made).unwrap_or_else(|d| panic!("{text}\n{d}"));
        let added = vertices(&made).filter(|v| !before.contains(&v.id));
        let conditions = added.filter_map(|v| match v.kind.selector()? {
            Selector::Condition(e) => Some(e),
            Selector::Cases { .. } => None,
        });
        let routine = &made.routines[0];
        conditions.map(|e| text::expr(routine, e)).collect()
    }

    fn vertices(program: &Program) -> impl Iterator<Item = &Vertex> {
        let cfg = program.routines[0].body.iter();
        cfg.flat_map(|cfg| cfg.vertices()).map(|(_, v)| v)
    }

    const REVERSE: &str = "{reverse of g}";
    /// The seed is set by one arm.
    const OPEN: &str = "s_b := 0.0\n if x > 1.0\n s_b := x\n end\n";

    /// The tests of a loop with this body, and of these lines behind it.
    fn around(body: &str, behind: &str) -> Vec<String> {
        let lines = format!("{OPEN} u := x\n for i = 1, n\n {body}\n end\n {behind}");
        tests_of(REVERSE, &lines)
    }

    #[test]
    fn idle_loops_are_tested() {
        for body in [
            "w[i] := w[i] + s_b*v[i]",
            "w[i] := 2.0*(s_b*v[i]) + w[i] - s_b/x",
            "w[i] := w[i] - if(x > 2.0, s_b, -s_b)",
            "y := y + s_b*!v[i]",
            "t := v[i]\n u := s_b*t\n w[i] := w[i] - u",
            "u := u*2.0\n w[i] := w[i] + u*s_b",
            "if v[i] > 0.0\n w[i] := w[i] + s_b\n end",
            "u := s_b\n u := u + s_b*x\n y := y + u",
            "for j = 1, n\n t := v[j]\n w[j] := w[j] + s_b*t\n end",
            "u := 0.0\n for j = 1, n\n u := u + s_b*v[j]\n end\n w[i] := w[i] + u",
        ] {
            assert_eq!(around(body, ""), ["s_b != 0.0"], "{body}");
        }
    }

    #[test]
    fn effects_forbid_a_test() {
        for body in [
            "w[i] := s_b*v[i]",
            "w[i] := w[1] + s_b",
            "w[i] := s_b - w[i]",
            "w[i] := w[i] + s_b*v[i] + v[i]",
            "w[i] := w[i] + v[i] + s_b",
            "w[i] := w[i] + (s_b + x)",
            "u := x - s_b\n w[i] := w[i] + u",
            "w[i] := w[i] + x/s_b",
            "w[i] := w[i] + cos(s_b)",
            "w[i] := w[i] + if(x > 2.0, s_b, x)",
            "w[i] := w[i]*s_b",
            "s_b := s_b*2.0\n w[i] := w[i] + s_b",
            "w[i] := w[i] + u\n u := s_b*v[i]",
            "u := s_b*x\n if v[i] > 0.0\n u := 1.0\n end\n w[i] := w[i] + u",
            "w[i] := w[i] + s_b\n push[real] x",
            "w[i] := w[i] + s_b\n call g(y)",
            "w[i] := w[i] + s_b\n while y > 1.0\n w[i] := w[i] + s_b\n end",
            "y := x\n w[i] := w[i] + s_b",
        ] {
            assert_eq!(around(body, ""), [""; 0], "{body}");
        }
    }

    #[test]
    fn values_read_behind_a_loop_forbid_a_test() {
        let body = "t := v[i]\n w[i] := w[i] + s_b*t";
        assert_eq!(around(body, "t := x\n y := t"), ["s_b != 0.0"]);
        for behind in [
            "y := t",
            "y := 2.0*i",
            "if x > 3.0\n t := x\n end\n y := t",
            "call g(t)",
        ] {
            assert_eq!(around(body, behind), [""; 0], "{behind}");
        }
        let outer = |begin| {
            format!("t := x\n for j = 1, n\n {begin}\n {OPEN} for i = 1, n\n {body}\n end\n end")
        };
        assert_eq!(tests_of(REVERSE, &outer("y := t")), [""; 0]);
        assert_eq!(tests_of(REVERSE, &outer("y := x")), ["s_b != 0.0"]);
    }

    #[test]
    fn seeds_are_derivatives_that_may_be_zero() {
        let body = "for i = 1, n\n w[i] := w[i] + s_b*v[i]\n end";
        for before in ["s_b := x", "s_b := 0.0", "s_b := 0.0\n s_b := x"] {
            let lines = format!("{before}\n {body}");
            assert_eq!(tests_of(REVERSE, &lines), [""; 0], "{before}");
        }
        let lines = format!("{OPEN} {body}");
        assert_eq!(tests_of("", &lines), [""; 0]);
        assert_eq!(tests_of(REVERSE, &lines.replace("s_b", "s")), [""; 0]);
        assert_eq!(
            tests_of(REVERSE, &lines.replace("s_b", "t_b")),
            ["t_b != 0.0"]
        );
        // The sum of two seeds is 0 only where both are.
        let lines = format!("{OPEN} {}{body}", OPEN.replace("s_b", "t_b"));
        let lines = lines.replace("s_b*v[i]", "s_b*v[i] - t_b");
        assert_eq!(tests_of(REVERSE, &lines), ["s_b != 0.0 or t_b != 0.0"]);
    }

    #[test]
    fn the_outermost_loop_is_tested_up_to_a_depth() {
        let nest = |inner: &str, depth: usize| {
            let indices = ["i", "j", "k", "l", "m"];
            let begin: Vec<_> = indices[..depth]
                .iter()
                .map(|i| format!("for {i} = 1, n\n"))
                .collect();
            format!("{OPEN} {}{inner}{}", begin.concat(), "\n end".repeat(depth))
        };
        let inner = "w[i] := w[i] + s_b";
        let tests = |lines: &str| {
            let made = tests_of(REVERSE, lines);
            assert_eq!(made, ["s_b != 0.0"], "{lines}");
        };
        tests(&nest(inner, 4));
        tests(&nest(inner, 5));
        let two = "for l = 1, n\n w[l] := w[l] + s_b\n end\n y := y*2.0\n for m = 1, n\n w[m] := w[m] - s_b\n end";
        assert_eq!(tests_of(REVERSE, &nest(two, 1)).len(), 2);
    }
}
