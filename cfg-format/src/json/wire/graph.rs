//! Vertices and edges.

use super::SourceSpan;
use crate::json::{
    codes,
    context::{Context, Cure, Seg},
    decode::{Wire, next_element, skip_array, wire_object},
    expression::Expression,
    free_form::{FreeForm, boxed, vertex_origin},
    schema_parts::vertex_rules,
    statement::{Statements, VariableName},
    token::Token,
    words::{OneOf, Test, Words},
};
use cfg_core::ir::{
    self, Annotations, CaseRange, Checkpoint, Expr, LoopForm, LoopTest, Selector, VertexKind,
    VertexType,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, SeqAccess};
use std::{borrow::Cow, num::NonZeroU32, sync::Arc};

/// The largest `|id|`: beyond it readers that hold numbers as doubles lose digits.
const MAX_ID: i64 = 1 << 53;

wire_object! {
    /// A vertex; which members it has depends on its type.
    Vertex, "a vertex", vertex => ir::Vertex,
        schema vertex_rules,
        placeholder ir::Vertex::new(0, VertexKind::Block(Vec::new())),
        lost |cx| cx.graph_broken = true;
    /// The number of the vertex: unique in the routine, within ±2^53, not 0.
    "id" id: Id, required;
    /// The type of the vertex, as Definition 1 names it.
    "type" ty: OneOf<VertexType>, required;
    /// BASICBLOCK: the statements, executed in order.
    "statements" statements: Statements;
    /// LOOP: when the body is entered: `pre` and `post` by a condition, `counted` by an index.
    "test" test: OneOf<Test>;
    /// LOOP pre and post: the body is entered while the condition is true. BRANCH: true takes edge 1, false edge 0.
    "condition" condition: Expression;
    /// LOOP counted: the index, an integer scalar.
    "index" index: VariableName;
    /// LOOP counted: first value of the index, evaluated once on entry.
    "first" first: Expression;
    /// LOOP counted: last value, inclusive, evaluated once on entry.
    "last" last: Expression;
    /// LOOP counted: step, evaluated once on entry; 1 by default.
    "step" step: Expression;
    /// BRANCH: an integer that chooses one of the arms.
    "selector" selector: Expression;
    /// BRANCH with a selector: which values take which edge.
    "arms" arms: Vec<Arm>;
    /// BASICBLOCK and LOOP: the part runs again in the reverse sweep rather than being recorded. "each" keeps the state
    /// in front of the block or of each iteration, a number so many states in front of iterations at once,
    /// an object so many in memory and so many in a file.
    "checkpoint" checkpoint: Snapshots;
    /// The place in the sources: source, line, column, last line, column behind the end.
    "at" at: SourceSpan;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

fn vertex(mut wire: Vertex, cx: &mut Context) -> Option<ir::Vertex> {
    let mut annotations = wire.annotations.take().unwrap_or_default();
    let origin = vertex_origin(&mut annotations, cx);
    let id = wire.id;
    let at = wire.at.map(Arc::new);
    let checkpoint = wire.checkpoint;
    if id.is_none() || wire.ty.is_none() {
        cx.graph_broken = true;
    }
    let kind = match wire.ty {
        None => VertexKind::Block(wire.statements.unwrap_or_default()),
        Some(ty) => {
            misplaced(ty, &wire, cx);
            match ty {
                VertexType::Entry => VertexKind::Entry,
                VertexType::Exit => VertexKind::Exit,
                VertexType::BasicBlock => VertexKind::Block(wire.statements.unwrap_or_default()),
                VertexType::EndLoop => VertexKind::EndLoop,
                VertexType::EndBranch => VertexKind::EndBranch,
                VertexType::Loop => loop_header(wire, LoopForm::Loop, cx),
                VertexType::ForLoop => loop_header(wire, LoopForm::ForLoop, cx),
                VertexType::Branch => VertexKind::Branch(Box::new(selector(wire, cx))),
            }
        }
    };
    Some(ir::Vertex {
        id: id.unwrap_or(0),
        kind,
        checkpoint,
        origin,
        at,
        annotations: boxed(annotations),
    })
}

/// Reports members that belong to other types of vertices.
fn misplaced(ty: VertexType, wire: &Vertex, cx: &mut Context) {
    let header = matches!(ty, VertexType::Loop | VertexType::ForLoop);
    let counted = header && matches!(wire.test, None | Some(Test::Counted));
    let branch = ty == VertexType::Branch;
    let members = [
        ("statements", ty == VertexType::BasicBlock),
        ("test", header),
        (
            "condition",
            branch || (header && wire.test != Some(Test::Counted)),
        ),
        ("index", counted),
        ("first", counted),
        ("last", counted),
        ("step", counted),
        ("selector", branch),
        ("arms", branch),
        (
            "checkpoint",
            matches!(ty, VertexType::BasicBlock | VertexType::Loop),
        ),
    ];
    for (name, allowed) in members {
        if wire.is_given(name) && !allowed {
            let what = match (header, wire.test) {
                (true, Some(test)) => format!("{} with test \"{}\"", ty.name(), test.name()),
                _ => ty.name().to_owned(),
            };
            cx.report_at(
                Seg::Key(name),
                &codes::NOT_FOR_THIS_VERTEX,
                format!("a vertex of type {what} has no `{name}`"),
                format!("remove `{name}` or change the type"),
            );
        }
    }
}

/// Reports a member that is not there; one that is there and unreadable was reported.
fn needs(wire: &Vertex, name: &str, ty: &str, cx: &mut Context) {
    if wire.has(name) {
        return;
    }
    cx.report(
        &codes::NOT_FOR_THIS_VERTEX,
        format!("{ty} without `{name}`"),
        format!("add the member `{name}`"),
    );
}

fn loop_header(wire: Vertex, form: LoopForm, cx: &mut Context) -> VertexKind {
    let (name, test) = match form {
        LoopForm::Loop => ("LOOP", wire.test),
        LoopForm::ForLoop => {
            if matches!(wire.test, Some(Test::Pre | Test::Post)) {
                cx.report_at(
                    Seg::Key("test"),
                    &codes::NOT_FOR_THIS_VERTEX,
                    "a FORLOOP is counted",
                    "write \"test\": \"counted\" with `index`, `first` and `last`, or make it a LOOP",
                );
                return unreadable_loop(form);
            }
            ("FORLOOP", wire.test)
        }
    };
    let test = match test {
        Some(Test::Pre | Test::Post) => match wire.condition {
            None => {
                needs(&wire, "condition", name, cx);
                None
            }
            Some(condition) if test == Some(Test::Pre) => Some(LoopTest::Pre(condition)),
            Some(condition) => Some(LoopTest::Post(condition)),
        },
        Some(Test::Counted) => {
            for member in ["index", "first", "last"] {
                needs(&wire, member, name, cx);
            }
            match (wire.index, wire.first, wire.last) {
                (Some(index), Some(first), Some(last)) => Some(LoopTest::Counted {
                    index,
                    first,
                    last,
                    step: wire.step.unwrap_or(Expr::Int(1)),
                }),
                _ => None,
            }
        }
        None => {
            needs(&wire, "test", name, cx);
            None
        }
    };
    match test {
        Some(test) => VertexKind::Loop {
            form,
            test: Box::new(test),
        },
        None => unreadable_loop(form),
    }
}

/// A loop whose test was reported.
pub(in crate::json) fn unreadable_loop(form: LoopForm) -> VertexKind {
    VertexKind::Loop {
        form,
        test: Box::new(LoopTest::Pre(Expr::Logical(true))),
    }
}

fn selector(wire: Vertex, cx: &mut Context) -> Selector {
    let cases = wire.has("selector") || wire.has("arms");
    if !cases {
        needs(&wire, "condition", "BRANCH", cx);
        return Selector::Condition(wire.condition.unwrap_or(Expr::Logical(true)));
    }
    if wire.has("condition") {
        cx.report(
            &codes::NOT_FOR_THIS_VERTEX,
            "BRANCH with a condition and a selector",
            "a two-way BRANCH has a `condition`, a multi-way one `selector` and `arms`",
        );
    }
    needs(&wire, "selector", "BRANCH with arms", cx);
    needs(&wire, "arms", "BRANCH with a selector", cx);
    Selector::Cases {
        value: wire.selector.unwrap_or(Expr::Int(0)),
        arms: wire.arms.unwrap_or_default().into_boxed_slice(),
    }
}

wire_object! {
    /// An arm of a multi-way branch.
    Arm, "an arm", |wire: Arm, _| Some(ir::Arm {
        label: wire.label.unwrap_or(0),
        cases: wire.cases.unwrap_or_default().into_boxed_slice(),
        default: wire.default.unwrap_or(false),
    }) => ir::Arm;
    /// The label of the edge that the arm takes.
    "label" label: i64, required;
    /// The values that choose the arm: 3, [5, 9] (inclusive), [null, 0] (unbounded below).
    "cases" cases: Vec<Case>;
    /// True for the arm that is chosen if no case of any arm matches.
    "default" default: bool;
}

/// Values that choose an arm.
pub(in crate::json) struct Case;

impl Wire for Case {
    type Out = CaseRange;
    const WHAT: &'static str = "an integer or a range [lower, upper]";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<CaseRange> {
        match token {
            Token::Int(value) => Some(CaseRange {
                lower: Some(value),
                upper: Some(value),
            }),
            Token::WideInt(_) => None,
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<CaseRange>, A::Error> {
        let lower = next_element::<CaseBound, A>(&mut seq, 0, cx)?;
        let upper = next_element::<CaseBound, A>(&mut seq, 1, cx)?;
        let extra = skip_array(seq)?;
        if upper.is_none() || extra > 0 {
            cx.report(
                &codes::WRONG_TYPE,
                "a range of cases has two bounds",
                "write [lower, upper], with null for no bound",
            );
            return Ok(None);
        }
        Ok(match (lower.flatten(), upper.flatten()) {
            (Some(lower), Some(upper)) => Some(CaseRange { lower, upper }),
            _ => None,
        })
    }
}

struct CaseBound;

impl Wire for CaseBound {
    type Out = Option<i64>;
    const WHAT: &'static str = "an integer or null";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Option<i64>> {
        match token {
            Token::Int(value) => Some(Some(value)),
            Token::Null => Some(None),
            Token::WideInt(_) => None,
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }
}

impl JsonSchema for Case {
    fn schema_name() -> Cow<'static, str> {
        "Case".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer" },
            { "type": "array", "items": { "type": ["integer", "null"] }, "minItems": 2, "maxItems": 2 },
        ] })
    }
}

/// An edge before its ends are looked up.
#[derive(Debug, Default)]
pub(in crate::json) struct EdgeDraft {
    pub(in crate::json) from: Option<i64>,
    pub(in crate::json) to: Option<i64>,
    pub(in crate::json) label: Option<i64>,
    pub(in crate::json) in_label: Option<i64>,
    pub(in crate::json) id: Option<i64>,
    pub(in crate::json) annotations: Annotations,
}

wire_object! {
    /// An edge.
    Edge, "an edge", edge => EdgeDraft, placeholder EdgeDraft::default(),
        lost |cx| cx.graph_broken = true, array Cure::Edge;
    /// The id of the vertex that the edge leaves.
    "from" from: i64, required;
    /// The id of the vertex that the edge enters.
    "to" to: i64, required;
    /// Which arm or body of its source the edge starts.
    "label" label: i64;
    /// The arm or body that the edge ends; computed from the nesting, and checked if it is written.
    "in_label" in_label: i64;
    /// The number of the edge; by default its position.
    "id" id: EdgeId;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

fn edge(wire: Edge, cx: &mut Context) -> Option<EdgeDraft> {
    // An edge whose label cannot be read would count as one without.
    let unlabelled = wire.has("label") && wire.label.is_none();
    if wire.from.is_none() || wire.to.is_none() || unlabelled {
        cx.graph_broken = true;
    }
    Some(EdgeDraft {
        from: wire.from,
        to: wire.to,
        label: wire.label,
        in_label: wire.in_label,
        id: wire.id,
        annotations: boxed(wire.annotations.unwrap_or_default()),
    })
}

/// The number of a vertex.
pub(in crate::json) struct Id;

impl Wire for Id {
    type Out = i64;
    const WHAT: &'static str = "an integer";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<i64> {
        id(token, true, cx)
    }
}

/// The states that a checkpointed part keeps.
pub(in crate::json) struct Snapshots;

impl Wire for Snapshots {
    type Out = Checkpoint;
    const WHAT: &'static str = "\"each\", a number of snapshots, or an object";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Checkpoint> {
        if let Token::Text("each") = token {
            return Some(Checkpoint::Each);
        }
        let Token::Int(n) = token else {
            cx.wrong_type(Self::WHAT, &token);
            return None;
        };
        snapshots(Some(n), None, cx)
    }

    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<Checkpoint>, A::Error> {
        TwoLevels::object(map, cx)
    }
}

wire_object! {
    /// The states that a loop keeps in memory and in a file.
    TwoLevels, "the object of a checkpoint", |wire: TwoLevels, cx| snapshots(wire.memory, wire.disk, cx) => Checkpoint;
    /// So many states at once in memory, from 1 to 4294967295.
    "snapshots" memory: i64, required;
    /// So many states more at once in a file, up to 4294967295.
    "disk" disk: i64;
}

/// The numbers of states, if they are in range.
fn snapshots(memory: Option<i64>, disk: Option<i64>, cx: &mut Context) -> Option<Checkpoint> {
    let n = memory?;
    let memory = u32::try_from(n).ok().and_then(NonZeroU32::new);
    if memory.is_none() {
        cx.report(
            &codes::ID,
            format!("{n} snapshots are kept"),
            "a checkpointed loop keeps at least 1 snapshot, and fewer than 2**32",
        );
    }
    let n = disk.unwrap_or(0);
    let disk = u32::try_from(n).ok();
    if disk.is_none() {
        cx.report(
            &codes::ID,
            format!("{n} snapshots are kept on disk"),
            "a checkpointed loop keeps fewer than 2**32 snapshots on disk",
        );
    }
    Some(Checkpoint::Snapshots {
        memory: memory?,
        disk: disk?,
    })
}

impl JsonSchema for Snapshots {
    fn schema_name() -> Cow<'static, str> {
        "Snapshots".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let both = generator.subschema_for::<TwoLevels>();
        json_schema!({ "anyOf": [{ "const": "each" }, { "type": "integer", "minimum": 1, "maximum": u32::MAX }, both] })
    }
}

fn id(token: Token<'_>, not_0: bool, cx: &mut Context) -> Option<i64> {
    let id = i64::scalar(token, cx)?;
    if (not_0 && id == 0) || !(-MAX_ID..=MAX_ID).contains(&id) {
        cx.report(
            &codes::ID,
            format!("id {id} is out of range"),
            "number vertices and edges from 1",
        );
        return None;
    }
    Some(id)
}

/// The number of an edge.
pub(in crate::json) struct EdgeId;

impl Wire for EdgeId {
    type Out = i64;
    const WHAT: &'static str = "an integer";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<i64> {
        id(token, false, cx)
    }
}

impl JsonSchema for EdgeId {
    fn schema_name() -> Cow<'static, str> {
        "EdgeId".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": -MAX_ID, "maximum": MAX_ID })
    }
}

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": -MAX_ID, "maximum": MAX_ID, "not": { "const": 0 } })
    }
}
