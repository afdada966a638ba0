//! Reading statements.

use super::{
    codes,
    context::{Context, Cure, DEFAULT_TAPE, Seg},
    decode::{Wire, next_element, skip_array, wire_object},
    expression::{Bound, Expression, Head, Target, after_head, head},
    free_form::{FreeForm, boxed},
    schema_parts::{any_of, described, tuple},
    source_span::SourceSpan,
    token::{Token, quote},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{ControlWidth, Expr, Place, StatementOrigin, Stmt, StmtKind, TapeClass},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, SeqAccess};
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};

/// A statement, with annotations or without.
pub(super) struct Statement;

/// A statement in place of an unreadable one, which keeps the positions of the others.
pub(super) fn unreadable() -> Stmt {
    Stmt::new(StmtKind::Opaque {
        text: "unreadable statement".into(),
        reads: Box::default(),
        writes: Box::default(),
    })
}

impl Wire for Statement {
    type Out = Stmt;
    const WHAT: &'static str = "a statement";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Stmt> {
        cx.wrong_type(Self::WHAT, &token);
        if matches!(token, Token::Text(_)) {
            cx.cure(Cure::Statement, 0);
        }
        None
    }

    fn array<'de, A: SeqAccess<'de>>(seq: A, cx: &mut Context) -> Result<Option<Stmt>, A::Error> {
        Ok(Bare::array(seq, cx)?.map(Stmt::new))
    }

    fn object<'de, A: MapAccess<'de>>(map: A, cx: &mut Context) -> Result<Option<Stmt>, A::Error> {
        AnnotatedStatement::object(map, cx)
    }

    fn placeholder() -> Option<Stmt> {
        Some(unreadable())
    }
}

/// The statements of a block.
pub(super) struct Statements;

impl JsonSchema for Statements {
    fn schema_name() -> Cow<'static, str> {
        <Vec<Statement>>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <Vec<Statement>>::json_schema(generator)
    }
}

impl Wire for Statements {
    type Out = Vec<Stmt>;
    const WHAT: &'static str = "a list of statements";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Self::Out> {
        <Vec<Statement>>::scalar(token, cx)
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        let mut list = Vec::with_capacity(1);
        let mut index = 0;
        while let Some(value) = next_element::<StatementOrWord, A>(&mut seq, index, cx)? {
            match value {
                Some(Listed::Statement(statement)) => list.push(statement),
                None => list.push(unreadable()),
                // The list is itself a statement.
                Some(Listed::Word(word)) if index == 0 && Keyword::named(&word).is_some() => {
                    cx.report(
                        &codes::STATEMENT,
                        "`statements` is a list of statements; here it is a single one",
                        "put the statement into brackets once more",
                    );
                    cx.cure(Cure::List, 0);
                    skip_array(seq)?;
                    return Ok(Some(vec![unreadable()]));
                }
                Some(Listed::Word(word)) => {
                    cx.at_segment(Seg::Index(index), |cx| {
                        Statement::scalar(Token::Text(&word), cx);
                    });
                    list.push(unreadable());
                }
            }
            index += 1;
        }
        list.shrink_to_fit();
        Ok(Some(list))
    }
}

/// One of a list of statements, or a string in its place.
struct StatementOrWord;

enum Listed {
    Statement(Stmt),
    Word(Box<str>),
}

impl Wire for StatementOrWord {
    type Out = Listed;
    const WHAT: &'static str = "a statement";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Listed> {
        match token {
            Token::Text(word) => Some(Listed::Word(word.into())),
            _ => Statement::scalar(token, cx).map(Listed::Statement),
        }
    }

    fn array<'de, A: SeqAccess<'de>>(seq: A, cx: &mut Context) -> Result<Option<Listed>, A::Error> {
        Ok(Statement::array(seq, cx)?.map(Listed::Statement))
    }

    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<Listed>, A::Error> {
        Ok(Statement::object(map, cx)?.map(Listed::Statement))
    }
}

/// A statement without annotations.
pub(super) struct Bare;

impl JsonSchema for Bare {
    fn schema_name() -> Cow<'static, str> {
        Statement::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Statement::json_schema(generator)
    }
}

impl Wire for Bare {
    type Out = StmtKind;
    const WHAT: &'static str = "a statement";

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<StmtKind>, A::Error> {
        match next_element::<Keyword, A>(&mut seq, 0, cx)? {
            Some(Some(Keyword::Assign)) => assign(seq, cx),
            Some(Some(Keyword::Call)) => {
                let Some((callee, arguments)) = call(seq, cx)? else {
                    return Ok(None);
                };
                Ok(Some(StmtKind::Call {
                    callee,
                    arguments,
                    result: None,
                }))
            }
            Some(Some(Keyword::Push)) => push(seq, cx),
            Some(Some(Keyword::Pop)) => pop(seq, cx),
            Some(Some(Keyword::Opaque)) => opaque(seq, cx),
            Some(Some(Keyword::Stop)) => stop(seq, cx),
            Some(Some(Keyword::Allocate)) => allocate(seq, cx),
            Some(Some(Keyword::Free)) => free(seq, cx),
            Some(Some(Keyword::Resize)) => resize(seq, cx),
            Some(None) => {
                skip_array(seq)?;
                Ok(None)
            }
            None => {
                malformed("a statement is empty", cx);
                Ok(None)
            }
        }
    }
}

fn malformed(message: impl Into<String>, cx: &mut Context) {
    cx.report(
        &codes::STATEMENT,
        message,
        "see the rule for the forms of statements",
    );
}

/// The word that a statement starts with.
#[derive(Clone, Copy)]
enum Keyword {
    Assign,
    Call,
    Push,
    Pop,
    Opaque,
    Stop,
    Allocate,
    Free,
    Resize,
}

impl Wire for Keyword {
    type Out = Self;
    const WHAT: &'static str = "the name of a statement";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Self> {
        let Token::Text(name) = token else {
            cx.wrong_type(Self::WHAT, &token);
            return None;
        };
        let found = Self::named(name);
        if found.is_none() {
            let all = "a statement starts with \"=\", \"call\", \"push\", \"pop\", \"opaque\", \"stop\", \"allocate\", \"free\" or \"resize\"";
            let help = cx.suggest(name, Self::ALL.iter().map(|k| k.0), all);
            cx.report(
                &codes::STATEMENT,
                format!("unknown statement {}", quote(name)),
                help,
            );
            cx.cure(Cure::StatementArray, 1);
        }
        found
    }
}

impl Keyword {
    const ALL: [(&'static str, Self); 9] = [
        ("=", Self::Assign),
        ("call", Self::Call),
        ("push", Self::Push),
        ("pop", Self::Pop),
        ("opaque", Self::Opaque),
        ("stop", Self::Stop),
        ("allocate", Self::Allocate),
        ("free", Self::Free),
        ("resize", Self::Resize),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|k| k.0 == name).map(|k| k.1)
    }
}

/// Reports if there are more elements.
fn end<'de, A: SeqAccess<'de>>(seq: A, name: &str, cx: &mut Context) -> Result<bool, A::Error> {
    let extra = skip_array(seq)?;
    if extra > 0 {
        malformed(format!("`{name}` has {extra} element(s) too many"), cx);
    }
    Ok(extra == 0)
}

/// Reads the next element; reports if there is none.
fn required<'de, T: Wire, A: SeqAccess<'de>>(
    seq: &mut A,
    index: usize,
    what: &str,
    cx: &mut Context,
) -> Result<Option<T::Out>, A::Error> {
    Ok(match next_element::<T, A>(seq, index, cx)? {
        Some(value) => value,
        None => {
            malformed(format!("{what} is missing"), cx);
            None
        }
    })
}

fn assign<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<StmtKind>, A::Error> {
    let known = (cx.problems.0.len(), cx.cures.len());
    let target: Option<Place> = required::<Target, A>(&mut seq, 1, "the target of `=`", cx)?;
    let value = next_element::<Right, A>(&mut seq, 2, cx)?;
    let extra = skip_array(seq)?;
    if value.is_none() || extra > 0 {
        // With further operands, problems found in the first one alone have no meaning.
        cx.problems.0.truncate(known.0);
        cx.cures.truncate(known.1);
        malformed(
            match extra {
                0 => "the right side of `=` is missing".to_owned(),
                _ => format!("`=` has {extra} element(s) too many"),
            },
            cx,
        );
        cx.cure(Cure::Assignment, 0);
        return Ok(None);
    }
    let value = value.flatten();
    Ok(target.zip(value).map(|(target, value)| match value {
        RightSide::Value(value) => StmtKind::Assign { target, value },
        RightSide::Call(callee, arguments) => StmtKind::Call {
            callee,
            arguments,
            result: Some(target),
        },
    }))
}

/// The right side of an assignment.
struct Right;

enum RightSide {
    Value(Expr),
    Call(RoutineId, Box<[Option<Expr>]>),
}

impl Wire for Right {
    type Out = RightSide;
    const WHAT: &'static str = "an expression or a call";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<RightSide> {
        Expression::scalar(token, cx).map(RightSide::Value)
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<RightSide>, A::Error> {
        match head(&mut seq, cx)? {
            Some(Head::Call) => {
                Ok(call(seq, cx)?.map(|(callee, arguments)| RightSide::Call(callee, arguments)))
            }
            Some(head) => Ok(after_head(head, seq, cx)?.map(RightSide::Value)),
            None => {
                skip_array(seq)?;
                Ok(None)
            }
        }
    }
}

/// The name of a routine.
pub(super) struct RoutineName;

impl Wire for RoutineName {
    type Out = RoutineId;
    const WHAT: &'static str = "a routine's name";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<RoutineId> {
        match token {
            Token::Text(name) => Some(RoutineId::new(cx.routines.intern(name).min(DEFAULT_TAPE))),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }
}

/// The name of a variable.
pub(super) struct VariableName;

impl Wire for VariableName {
    type Out = VarId;
    const WHAT: &'static str = "a variable's name";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<VarId> {
        match token {
            Token::Text(name) => Some(cx.variable(name)),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }
}

/// A callee and its arguments.
type CallParts = (RoutineId, Box<[Option<Expr>]>);

/// Reads the elements behind `call`.
fn call<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<CallParts>, A::Error> {
    let callee = required::<RoutineName, A>(&mut seq, 1, "the name of the routine called", cx)?;
    let arguments = next_element::<Arguments, A>(&mut seq, 2, cx)?;
    let extra = skip_array(seq)?;
    let message = match (arguments, extra) {
        (Some(Some(Listing::List(list))), 0) => return Ok(callee.map(|callee| (callee, list))),
        // Reported.
        (Some(None | Some(Listing::Unreadable)), 0) => return Ok(None),
        (None, _) => "the list of arguments is missing".to_owned(),
        (Some(Some(Listing::One)), _) => "the arguments of a call stand in a list".to_owned(),
        (Some(_), _) => format!("`call` has {extra} element(s) too many"),
    };
    malformed(message, cx);
    cx.cure(Cure::Call, 0);
    Ok(None)
}

/// The arguments of a call; null for one that is left out.
struct Arguments;

/// The value that stands where the arguments of a call should.
enum Listing {
    List(Box<[Option<Expr>]>),
    /// A list, one of which was reported.
    Unreadable,
    /// The value is no list.
    One,
}

impl Wire for Arguments {
    type Out = Listing;
    const WHAT: &'static str = "a list of arguments";

    fn scalar(_: Token<'_>, _: &mut Context) -> Option<Listing> {
        Some(Listing::One)
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        let mut list = Vec::new();
        let mut index = 0;
        while let Some(argument) = next_element::<Bound, A>(&mut seq, index, cx)? {
            list.extend(argument);
            index += 1;
        }
        Ok(Some(if list.len() == index {
            Listing::List(list.into_boxed_slice())
        } else {
            Listing::Unreadable
        }))
    }
}

fn push<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<StmtKind>, A::Error> {
    let class = required::<TapeClassName, A>(&mut seq, 1, "the class of `push`", cx)?;
    let value = required::<Expression, A>(&mut seq, 2, "the value of `push`", cx)?;
    let tape = tape(&mut seq, cx)?;
    if !end(seq, "push", cx)? {
        return Ok(None);
    }
    Ok(match (class, value, tape) {
        (Some(class), Some(value), Some(tape)) => Some(StmtKind::Push { tape, class, value }),
        _ => None,
    })
}

fn pop<'de, A: SeqAccess<'de>>(mut seq: A, cx: &mut Context) -> Result<Option<StmtKind>, A::Error> {
    let class = required::<TapeClassName, A>(&mut seq, 1, "the class of `pop`", cx)?;
    let target = required::<Target, A>(&mut seq, 2, "the target of `pop`", cx)?;
    let tape = tape(&mut seq, cx)?;
    if !end(seq, "pop", cx)? {
        return Ok(None);
    }
    Ok(match (class, target, tape) {
        (Some(class), Some(target), Some(tape)) => Some(StmtKind::Pop {
            tape,
            class,
            target,
        }),
        _ => None,
    })
}

/// The optional last element of a push or pop; `None` if it is unreadable.
fn tape<'de, A: SeqAccess<'de>>(seq: &mut A, cx: &mut Context) -> Result<Option<VarId>, A::Error> {
    Ok(match next_element::<VariableName, A>(seq, 3, cx)? {
        None => Some(VarId::new(DEFAULT_TAPE)),
        Some(tape) => tape,
    })
}

fn opaque<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<StmtKind>, A::Error> {
    let text = required::<String, A>(&mut seq, 1, "the text of `opaque`", cx)?;
    let effects = required::<Effects, A>(&mut seq, 2, "what `opaque` reads and writes", cx)?;
    if !end(seq, "opaque", cx)? {
        return Ok(None);
    }
    Ok(text
        .zip(effects)
        .map(|(text, (reads, writes))| StmtKind::Opaque {
            text: text.into_boxed_str(),
            reads,
            writes,
        }))
}

fn stop<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<StmtKind>, A::Error> {
    let text = required::<String, A>(&mut seq, 1, "the text of `stop`", cx)?;
    if !end(seq, "stop", cx)? {
        return Ok(None);
    }
    Ok(text.map(|text| StmtKind::Stop {
        text: text.into_boxed_str(),
    }))
}

/// The place of `allocate` and `resize`, and the number of elements.
fn object<'de, A: SeqAccess<'de>>(
    seq: &mut A,
    name: &str,
    cx: &mut Context,
) -> Result<Option<(Place, Expr)>, A::Error> {
    let pointer = required::<Target, A>(seq, 1, &format!("the pointer of `{name}`"), cx)?;
    let what = format!("the number of elements of `{name}`");
    let count = required::<Expression, A>(seq, 2, &what, cx)?;
    Ok(pointer.zip(count))
}

fn allocate<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<StmtKind>, A::Error> {
    let object = object(&mut seq, "allocate", cx)?;
    let zeroed = next_element::<Contents, A>(&mut seq, 3, cx)?;
    if !end(seq, "allocate", cx)? {
        return Ok(None);
    }
    let zeroed = zeroed.map_or(Some(false), |given| given);
    Ok(object
        .zip(zeroed)
        .map(|((pointer, count), zeroed)| StmtKind::Allocate {
            pointer,
            count,
            zeroed,
        }))
}

fn free<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<StmtKind>, A::Error> {
    let pointer = required::<Target, A>(&mut seq, 1, "the pointer of `free`", cx)?;
    if !end(seq, "free", cx)? {
        return Ok(None);
    }
    Ok(pointer.map(|pointer| StmtKind::Free { pointer }))
}

fn resize<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<StmtKind>, A::Error> {
    let object = object(&mut seq, "resize", cx)?;
    if !end(seq, "resize", cx)? {
        return Ok(None);
    }
    Ok(object.map(|(pointer, count)| StmtKind::Resize { pointer, count }))
}

wire_object! {
    /// What a new object holds.
    Contents, "the object of what is allocated", |wire: Contents, _| Some(wire.zeroed.unwrap_or(false)) => bool;
    /// True if the cells are zero, false or null at first; otherwise they are uninitialised.
    "zeroed" zeroed: bool;
}

/// The class of a push or pop.
pub(super) struct TapeClassName;

impl Wire for TapeClassName {
    type Out = TapeClass;
    const WHAT: &'static str = "a tape class";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<TapeClass> {
        let Token::Text(name) = token else {
            cx.wrong_type(Self::WHAT, &token);
            return None;
        };
        match name {
            "integer" => Some(TapeClass::Integer),
            "real" => Some(TapeClass::Real),
            "real32" => Some(TapeClass::Real32),
            "disk" => Some(TapeClass::Disk),
            _ => {
                let help = "write \"integer\", \"real\", \"real32\", \"disk\", [\"control\", bits] or [\"control\", \"count\"]";
                let message = match name {
                    "control" => "the class `control` needs its width".to_owned(),
                    _ => format!("unknown tape class {}", quote(name)),
                };
                cx.report(&codes::UNKNOWN_WORD, message, help);
                None
            }
        }
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<TapeClass>, A::Error> {
        let name = next_element::<String, A>(&mut seq, 0, cx)?.flatten();
        let width = next_element::<Width, A>(&mut seq, 1, cx)?;
        let extra = skip_array(seq)?;
        if name.as_deref() != Some("control") || width.is_none() || extra > 0 {
            cx.report(
                &codes::UNKNOWN_WORD,
                "a tape class in brackets is [\"control\", width]",
                "write [\"control\", bits] or [\"control\", \"count\"]",
            );
            return Ok(None);
        }
        Ok(width.flatten().map(TapeClass::Control))
    }
}

/// The width of a control value.
struct Width;

impl Wire for Width {
    type Out = ControlWidth;
    const WHAT: &'static str = "a number of bits or \"count\"";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<ControlWidth> {
        match token {
            Token::Text("count") => Some(ControlWidth::Count),
            Token::Int(bits @ 1..=63) => Some(ControlWidth::Bits(bits as u8)),
            _ => {
                cx.report(
                    &codes::WRONG_TYPE,
                    format!(
                        "expected a number of bits or \"count\", found {}",
                        token.describe()
                    ),
                    "write 1 to 63 bits, or \"count\"",
                );
                None
            }
        }
    }
}

/// Names as positions in [`Context::variables`].
pub(super) fn names(list: Option<Vec<VarId>>) -> Box<[VarId]> {
    list.unwrap_or_default().into_boxed_slice()
}

wire_object! {
    /// A statement with a span, with annotations, or with both.
    AnnotatedStatement, "an annotated statement", |wire: AnnotatedStatement, _| Some(Stmt {
        kind: wire.statement.unwrap_or_else(|| unreadable().kind),
        at: wire.at.map(Arc::new),
        origin: StatementOrigin::default(),
        annotations: boxed(wire.annotations.unwrap_or_default()),
    }) => Stmt;
    /// The statement, as an array.
    "statement" statement: Bare, required;
    /// The place in the sources: source, line, column, last line, column behind the end.
    "at" at: SourceSpan;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

wire_object! {
    /// What an opaque statement does to variables.
    Effects, "the object of what is read and written",
        |wire: Effects, _| Some((names(wire.reads), names(wire.writes))) => (Box<[VarId]>, Box<[VarId]>);
    /// The variables that the statement reads.
    "reads" reads: Vec<VariableName>;
    /// The variables that the statement writes; they are undefined afterwards.
    "writes" writes: Vec<VariableName>;
}

impl JsonSchema for TapeClassName {
    fn schema_name() -> Cow<'static, str> {
        "TapeClass".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words = [
            TapeClass::Integer,
            TapeClass::Real,
            TapeClass::Real32,
            TapeClass::Disk,
        ]
        .map(TapeClass::name);
        let width = any_of(vec![
            json!({ "type": "integer", "minimum": 1, "maximum": 63 }),
            json!({ "const": "count" }),
        ]);
        described(
            any_of(vec![
                json!({ "enum": words }),
                tuple(vec![json!({ "const": "control" }), width], None, 0, None),
            ]),
            "A stack of the tape and how values are encoded on it.",
        )
    }
}

impl JsonSchema for Statement {
    fn schema_name() -> Cow<'static, str> {
        "Statement".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>().to_value();
        let target = generator.subschema_for::<Target>().to_value();
        let class = generator.subschema_for::<TapeClassName>().to_value();
        let effects = generator.subschema_for::<Effects>().to_value();
        let annotated = generator.subschema_for::<AnnotatedStatement>().to_value();
        let name = json!({ "type": "string" });
        let argument = any_of(vec![expression.clone(), json!({ "type": "null" })]);
        let arguments = json!({ "type": "array", "items": argument });
        let call = tuple(
            vec![json!({ "const": "call" }), name.clone(), arguments],
            None,
            0,
            None,
        );
        let value = any_of(vec![expression.clone(), call.clone()]);
        let push = vec![
            json!({ "const": "push" }),
            class.clone(),
            expression.clone(),
        ];
        let pop = vec![json!({ "const": "pop" }), class, target.clone()];
        let stop = vec![json!({ "const": "stop" }), name.clone()];
        let contents = generator.subschema_for::<Contents>().to_value();
        let named = |word: &str, rest: &[&Value]| {
            let rest = rest.iter().map(|&part| part.clone());
            [json!({ "const": word })].into_iter().chain(rest).collect()
        };
        let allocate = named("allocate", &[&target, &expression]);
        let free = named("free", &[&target]);
        let resize = named("resize", &[&target, &expression]);
        described(
            any_of(vec![
                tuple(vec![json!({ "const": "=" }), target, value], None, 0, None),
                call,
                tuple(push, Some(name.clone()), 0, Some(1)),
                tuple(pop, Some(name.clone()), 0, Some(1)),
                tuple(
                    vec![json!({ "const": "opaque" }), name, effects],
                    None,
                    0,
                    None,
                ),
                tuple(stop, None, 0, None),
                tuple(allocate, Some(contents), 0, Some(1)),
                tuple(free, None, 0, None),
                tuple(resize, None, 0, None),
                annotated,
            ]),
            "A statement: an assignment, a call, a push, a pop, an opaque statement, the end of the program, an object that is made, ended or changed in size, or one of these with a span or annotations.",
        )
    }
}

macro_rules! string_schema {
    ($($ty:ty)*) => {
        $(impl JsonSchema for $ty {
            fn schema_name() -> Cow<'static, str> {
                stringify!($ty).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string" })
            }
        })*
    };
}
string_schema!(RoutineName VariableName);
