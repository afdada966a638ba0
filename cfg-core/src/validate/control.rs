//! Checks of the decisions of loops and branches: conditions, cases, counted loops.

use super::{
    checker::{At, Checker},
    targets::check_writable,
};
use crate::diagnostic::site::{Element, Part};
use crate::{
    codes,
    entity::{VarId, VertexId},
    ir::{Arm, Checkpoint, Expr, LoopForm, LoopTest, ScalarType, Selector, VertexKind},
    typing::Type,
};

pub(super) fn check(c: &mut Checker<'_>) {
    let Some(cfg) = &c.routine.body else { return };
    for (v, vertex) in cfg.vertices() {
        let at = |part| At::new(Element::Vertex(v), part);
        if let Some(checkpoint) = vertex.checkpoint {
            check_checkpoint(c, v, &vertex.kind, checkpoint);
        }
        match &vertex.kind {
            VertexKind::Loop { form, test } => {
                if *form == LoopForm::ForLoop && !matches!(**test, LoopTest::Counted { .. }) {
                    c.error(
                        at(Part::Test),
                        &codes::FORLOOP,
                        "the FORLOOP has a condition",
                        "make it counted, or a LOOP",
                    );
                }
                match &**test {
                    LoopTest::Pre(e) | LoopTest::Post(e) => {
                        scalar(c, at(Part::Condition), e, ScalarType::Logical, "condition");
                    }
                    LoopTest::Counted {
                        index,
                        first,
                        last,
                        step,
                    } => {
                        check_index(c, at(Part::Index), *index);
                        scalar(
                            c,
                            at(Part::First),
                            first,
                            ScalarType::Integer,
                            "first value",
                        );
                        scalar(c, at(Part::Last), last, ScalarType::Integer, "last value");
                        scalar(c, at(Part::Step), step, ScalarType::Integer, "step");
                        if step.constant() == Some(0) {
                            c.error(
                                at(Part::Step),
                                &codes::LOOP_STEP,
                                "the step of the loop is 0",
                                "use a positive or negative step",
                            );
                        }
                    }
                }
            }
            VertexKind::Branch(selector) => match &**selector {
                Selector::Condition(e) => {
                    scalar(c, at(Part::Condition), e, ScalarType::Logical, "condition");
                }
                Selector::Cases { value, arms } => {
                    integer_selector(c, at(Part::Selector), value);
                    cases(c, v, arms);
                }
            },
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::EndLoop
            | VertexKind::EndBranch => {}
        }
    }
}

/// A checkpoint stands at a block, or at a LOOP, of which several states may be kept.
fn check_checkpoint(c: &mut Checker<'_>, v: VertexId, kind: &VertexKind, checkpoint: Checkpoint) {
    let may_have = match kind {
        VertexKind::Loop { form, .. } => *form == LoopForm::Loop,
        VertexKind::Block(_) => checkpoint == Checkpoint::Each,
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::EndLoop
        | VertexKind::Branch(_)
        | VertexKind::EndBranch => false,
    };
    if !may_have {
        let (message, help) = match kind {
            VertexKind::Block(_) => (
                "a block keeps a number of snapshots",
                "leave the number out: a block runs again once",
            ),
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Loop { .. }
            | VertexKind::EndLoop
            | VertexKind::Branch(_)
            | VertexKind::EndBranch => (
                "the vertex has a checkpoint",
                "give the checkpoint to a BASICBLOCK or a LOOP",
            ),
        };
        let site = At::whole(Element::Vertex(v));
        c.error(site, &codes::CHECKPOINT, message, help);
    }
}

/// A selector has any integer type.
fn integer_selector(c: &mut Checker<'_>, site: At, e: &Expr) {
    let Some(found) = c.check_index(site, e) else {
        return;
    };
    let ty = match found.ty.ty {
        ScalarType::Sized(ty) => ScalarType::Sized(ty),
        ScalarType::Real
        | ScalarType::Real32
        | ScalarType::Integer
        | ScalarType::Logical
        | ScalarType::Tape
        | ScalarType::Record(_)
        | ScalarType::Pointer(_) => ScalarType::Integer,
    };
    must_be(c, site, found.ty, ty, "selector");
}

fn scalar(c: &mut Checker<'_>, site: At, e: &Expr, ty: ScalarType, what: &str) {
    if let Some(found) = c.check_expr(site, e) {
        must_be(c, site, found.ty, ty, what);
    }
}

fn must_be(c: &mut Checker<'_>, site: At, found: Type, ty: ScalarType, what: &str) {
    if found != Type::scalar(ty) {
        let help = if ty == ScalarType::Logical {
            "compare: [\"!=\", e, 0], in text `e != 0`, is true if e is not 0"
        } else {
            "convert with [\"int\", e], in text int(e); a loop over reals is written with \"test\": \"pre\", in text `while`"
        };
        c.error(
            site,
            &codes::CONDITION,
            format!("the {what} is {found}, it must be {}", Type::scalar(ty)),
            help,
        );
    }
}

fn check_index(c: &mut Checker<'_>, site: At, index: VarId) {
    let variable = c.variable(index);
    let name = c.name(index);
    if variable.ty != ScalarType::Integer || variable.rank() != 0 {
        c.error(
            site,
            &codes::LOOP_INDEX,
            format!(
                "the index {name} is {}",
                Type {
                    ty: variable.ty,
                    rank: variable.rank()
                }
            ),
            "use an integer scalar; a loop over reals is written with \"test\": \"pre\", in text `while`",
        );
    }
    check_writable(c, site, index);
}

/// Cases of a multi-way branch; O(cases log cases).
fn cases(c: &mut Checker<'_>, v: VertexId, arms: &[Arm]) {
    let at = |k: usize| At::new(Element::Vertex(v), Part::Arms).index(k);
    let mut ranges: Vec<(i64, i64, usize)> = Vec::new();
    let mut default = None;
    for (k, arm) in arms.iter().enumerate() {
        let label = arm.label;
        if arm.default {
            if let Some(first) = default {
                c.error(
                    at(k),
                    &codes::DEFAULTS,
                    format!("arm {label} is the default, and arm {first} is too"),
                    "keep one default",
                );
            }
            default = default.or(Some(label));
        } else if arm.cases.is_empty() {
            c.error(
                at(k),
                &codes::CASES_OVERLAP,
                format!("arm {label} has no case and is not the default"),
                "give it the values that choose it, make it the default, or remove it",
            );
        }
        for case in &arm.cases {
            let lower = case.lower.unwrap_or(i64::MIN);
            let upper = case.upper.unwrap_or(i64::MAX);
            if lower > upper {
                c.error(
                    at(k),
                    &codes::CASES_OVERLAP,
                    format!("arm {label} has the empty range {lower}..{upper}"),
                    "write the smaller bound first",
                );
            } else {
                ranges.push((lower, upper, k));
            }
        }
    }
    ranges.sort_unstable();
    // The range that reaches furthest so far.
    let mut furthest: Option<(i64, usize)> = None;
    for (lower, upper, k) in ranges {
        if let Some((reach, other)) = furthest.filter(|&(reach, _)| lower <= reach) {
            c.error(
                at(k),
                &codes::CASES_OVERLAP,
                format!(
                    "{} chooses arm {} and arm {}",
                    if lower == upper || lower == reach {
                        format!("value {lower}")
                    } else {
                        format!("each of {lower}..{}", reach.min(upper))
                    },
                    arms[other].label,
                    arms[k].label
                ),
                "let each value choose one arm",
            );
        }
        if furthest.is_none_or(|(reach, _)| upper > reach) {
            furthest = Some((upper, k));
        }
    }
}
