//! The wire types: the contents of a program file, member by member. Reading, the messages about members, and the JSON
//! Schema all come from these lists.
//!
//! Each type is turned into its element of the IR as soon as it has been read, so that a program of a million vertices
//! never exists twice. Checks that need the rest of the file (names, edges) are left to [`super::resolve`].

mod graph;

use super::source_span::SourceSpan;
use graph::{Edge, Vertex};
pub(super) use graph::{EdgeDraft, unreadable_loop};

use super::{
    codes,
    context::{Context, Seg},
    decode::{Wire, next_element, wire_object},
    expression::{Bound, Expression},
    free_form::{FreeForm, boxed, named_origin},
    schema_parts::{any_of, described, local_rules},
    statement::{RoutineName, VariableName},
    token::{Token, quote},
    types::TypeName,
    words::OneOf,
};
use cfg_core::{
    entity::VarId,
    ir::{self, Control, Dim, Expr, Extent, Intent, Order, ScalarType, Span},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, SeqAccess};
use serde_json::{Map, Value, json};
use std::{borrow::Cow, sync::Arc};

wire_object! {
    /// A program: routines that call each other, and global variables.
    Program, "a program", |wire, _| Some(wire) => Program;
    /// The version of the format.
    "format" format: Format, required;
    /// The routine to differentiate if the command line names none.
    "main" main: RoutineName;
    /// The record types.
    "types" types: Vec<RecordType>;
    /// Global (module, static) variables.
    "globals" globals: Vec<Global>;
    /// Names of the sources that the program was made from; spans count them from 0.
    "sources" sources: Vec<String>;
    /// The routines.
    "routines" routines: Vec<Routine>, required;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

/// The version of the format.
pub(super) struct Format;

impl Wire for Format {
    type Out = ();
    const WHAT: &'static str = "the version of the format";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<()> {
        match token {
            Token::Text(super::FORMAT) => Some(()),
            _ => {
                let help = format!("write \"{}\"", super::FORMAT);
                let message = format!(
                    "this version reads \"{}\", not {}",
                    super::FORMAT,
                    token.describe()
                );
                cx.report(&codes::VERSION, message, help);
                None
            }
        }
    }
}

impl JsonSchema for Format {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": super::FORMAT })
    }
}

wire_object! {
    /// A record type: two records are the same type only if they have the same name.
    RecordType, "a record type", |wire: RecordType, _| Some(ir::Record {
        name: wire.name.unwrap_or_default(),
        fields: wire.fields.unwrap_or_default(),
    }) => ir::Record, placeholder ir::Record::default();
    /// The name of the record, unique in the program.
    "name" name: String, required;
    /// The fields, in the order of the layout.
    "fields" fields: Vec<Field>, required;
}

wire_object! {
    /// A field of a record.
    Field, "a field", field => ir::Field, placeholder ir::Field::default();
    /// The name of the field, unique in the record.
    "name" name: String, required;
    /// Type of the field or of its elements.
    "type" ty: TypeName, required;
    /// Dimensions; none for a scalar. Extents and bounds are constants.
    "shape" shape: Vec<DimensionOrExtent>;
}

fn field(wire: Field, cx: &mut Context) -> Option<ir::Field> {
    let used = std::mem::take(&mut cx.variables).into_names();
    if let Some(name) = used.first() {
        cx.report(
            &codes::CONSTANT,
            format!("a bound of a field uses {}", quote(name)),
            "write constants only",
        );
    }
    Some(ir::Field {
        name: wire.name.unwrap_or_default(),
        ty: wire.ty.unwrap_or(ScalarType::Real),
        shape: wire.shape.filter(|_| used.is_empty()).unwrap_or_default(),
    })
}

/// A global as read, with its shape and initial value.
#[derive(Debug)]
pub(super) struct GlobalDraft {
    pub(super) global: ir::Global,
    /// Name of the base and offset.
    pub(super) overlay: Option<(String, i64)>,
}

wire_object! {
    /// A global variable: it lives as long as the program runs.
    Global, "a global", global => GlobalDraft;
    /// The name of the global, unique among globals.
    "name" name: String, required;
    /// Type of the scalar or of the elements.
    "type" ty: TypeName, required;
    /// Dimensions; none for a scalar. Extents and bounds are constants.
    "shape" shape: Vec<DimensionOrExtent>;
    /// Storage order of an array: the last (`row`, default) or first (`column`) subscript varies fastest.
    "order" order: OneOf<Order>;
    /// The initial value: one constant for all elements, or a list in storage order; without it the global is uninitialised.
    "initial" initial: Initial;
    /// The storage of another global that this one shares (COMMON, EQUIVALENCE).
    "overlay" overlay: Overlay;
    /// The place in the sources: source, line, column, last line, column behind the end.
    "at" at: SourceSpan;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

fn global(wire: Global, cx: &mut Context) -> Option<GlobalDraft> {
    let used = std::mem::take(&mut cx.variables).into_names();
    if let Some(name) = used.first() {
        cx.report(
            &codes::CONSTANT,
            format!("a bound or initial value of a global uses {}", quote(name)),
            "write constants only",
        );
    }
    // Role and id are filled in by position.
    let variable = variable(
        (
            wire.name,
            wire.ty,
            wire.shape,
            wire.order,
            wire.at,
            wire.annotations,
        ),
        ir::Role::Local,
        cx,
    );
    let initial = wire.initial.filter(|_| used.is_empty());
    Some(GlobalDraft {
        global: ir::Global {
            variable: if used.is_empty() {
                variable
            } else {
                ir::Variable {
                    shape: vec![],
                    ..variable
                }
            },
            initial: initial.map(Vec::into_boxed_slice),
            overlay: None,
        },
        overlay: wire.overlay,
    })
}

wire_object! {
    /// Storage that globals share (COMMON, EQUIVALENCE).
    Overlay, "an overlay", |wire: Overlay, _| Some((wire.global?, wire.offset.unwrap_or(0))) => (String, i64);
    /// The global that owns the storage.
    "global" global: String, required;
    /// Offset of the first element, in elements.
    "offset" offset: i64;
}

/// Initial values.
pub(super) struct Initial;

impl Wire for Initial {
    type Out = Vec<Expr>;
    const WHAT: &'static str = "a constant or a list of constants";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Vec<Expr>> {
        Some(vec![Expression::scalar(token, cx)?])
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Vec<Expr>>, A::Error> {
        // A string first: ["real32", 0.1], one constant. Otherwise a list.
        let first = match next_element::<FirstInitial, A>(&mut seq, 0, cx)? {
            None => return Ok(Some(Vec::new())),
            Some(None) => None,
            Some(Some(First::Operator(head))) => {
                let value = super::expression::after_head(head, seq, cx)?;
                return Ok(value.and_then(|e| literal(e, cx)).map(|e| vec![e]));
            }
            Some(Some(First::Constant(e))) => Some(e),
        };
        let mut list: Vec<Expr> = first.into_iter().collect();
        let mut count = 1;
        while let Some(value) = next_element::<Expression, A>(&mut seq, count, cx)? {
            let value = value.and_then(|e| cx.at_segment(Seg::Index(count), |cx| literal(e, cx)));
            list.extend(value);
            count += 1;
        }
        Ok((list.len() == count).then_some(list))
    }
}

/// A literal constant, or a report.
fn literal(e: Expr, cx: &mut Context) -> Option<Expr> {
    match e {
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => {
            Some(e)
        }
        Expr::Place(_) | Expr::Addr(_) => Some(e), // reported as a use of a variable
        Expr::Op(..) if e.sized_constant().is_some() => Some(e),
        Expr::Op(..) => {
            cx.report(
                &codes::CONSTANT,
                "an initial value is an operation",
                "write the number itself",
            );
            None
        }
    }
}

/// The first element of an array of initial values.
struct FirstInitial;

enum First {
    Operator(super::expression::Head),
    Constant(Expr),
}

impl Wire for FirstInitial {
    type Out = First;
    const WHAT: &'static str = "a constant";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<First> {
        match token {
            Token::Text(_) => super::expression::Head::scalar(token, cx).map(First::Operator),
            _ => Expression::scalar(token, cx).map(First::Constant),
        }
    }

    fn array<'de, A: SeqAccess<'de>>(seq: A, cx: &mut Context) -> Result<Option<First>, A::Error> {
        let value = Expression::array(seq, cx)?;
        Ok(value.and_then(|e| literal(e, cx)).map(First::Constant))
    }
}

impl JsonSchema for Initial {
    fn schema_name() -> Cow<'static, str> {
        "Initial".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let pointee = generator.subschema_for::<TypeName>().to_value();
        let constant = serde_json::json!({ "anyOf": [
            { "type": ["integer", "number", "boolean"] },
            { "enum": [["inf"], ["-inf"], ["nan"]] },
            { "type": "array", "prefixItems": [{ "const": "real32" }, { "anyOf": [
                { "type": "number" }, { "enum": [["inf"], ["-inf"], ["nan"]] } ] }],
              "items": false, "minItems": 2 },
            { "type": "array", "prefixItems": [{ "const": "const" }, { "type": "string" }, { "type": "integer" }],
              "items": false, "minItems": 3 },
            { "type": "array", "prefixItems": [{ "const": "null" }, pointee], "items": false, "minItems": 2 },
        ] });
        json_schema!({ "anyOf": [constant, { "type": "array", "items": constant }] })
    }
}

/// A routine as read, with edges and names as they stand in the file; [`super::resolve`] finishes it.
#[derive(Debug, Default)]
pub(super) struct RoutineDraft {
    /// The routine, with provisional variables (positions in `symbols`).
    pub(super) routine: ir::Routine,
    /// Names of variables that are used.
    pub(super) symbols: Vec<Box<str>>,
    /// Whether a variable of the table names a global (its name is all that is known).
    pub(super) global_names: Vec<usize>,
    /// The result, if `result` declares it.
    pub(super) result: Option<ir::Variable>,
    /// `None` for a routine without a body.
    pub(super) vertices: Option<Vec<ir::Vertex>>,
    pub(super) edges: Vec<EdgeDraft>,
    /// True if a vertex or edge could not be understood.
    pub(super) broken: bool,
    /// True if a declaration could not be understood: names that are not known may be its.
    pub(super) names_lost: bool,
}

wire_object! {
    /// A routine: variables, and a control-flow graph unless it is external.
    Routine, "a routine", routine => RoutineDraft, placeholder RoutineDraft::default();
    /// The name of the routine, unique in the program.
    "name" name: String, required;
    /// The parameters, in order; they are passed by reference.
    "parameters" parameters: Vec<Parameter>;
    /// The result of a function: its declaration, or the name of a local.
    "result" result: FunctionResult;
    /// The local variables.
    "locals" locals: Vec<Local>;
    /// Variables to differentiate with respect to.
    "independents" independents: Vec<VariableName>;
    /// Variables to differentiate.
    "dependents" dependents: Vec<VariableName>;
    /// What the graph promises: loops and branches that nest (`structured`, default), or anything.
    "control" control: OneOf<Control>;
    /// True if parameters may overlap although one of them is written.
    "aliased" aliased: bool;
    /// What is known of a routine without a body.
    "external" external: External;
    /// Derivative routines that are given.
    "derivatives" derivatives: Derivatives;
    /// The place in the sources: source, line, column, last line, column behind the end.
    "at" at: SourceSpan;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
    /// The vertices of the graph; none for an external routine.
    "vertices" vertices: Vec<Vertex>;
    /// The edges of the graph.
    "edges" edges: Vec<Edge>;
}

fn routine(wire: Routine, cx: &mut Context) -> Option<RoutineDraft> {
    let mut draft = RoutineDraft::default();
    let (has_vertices, has_edges) = (wire.has("vertices"), wire.has("edges"));
    let names_lost = wire.has("parameters") && wire.parameters.is_none()
        || wire.has("locals") && wire.locals.is_none();
    let routine = &mut draft.routine;
    routine.name = wire.name.unwrap_or_default();
    routine.variables = wire.parameters.unwrap_or_default();
    routine.parameters = (0..routine.variables.len()).map(VarId::new).collect();
    for local in wire.locals.unwrap_or_default() {
        match local {
            LocalDraft::Declared(variable) => routine.variables.push(variable),
            LocalDraft::Global(name) => {
                draft.global_names.push(routine.variables.len());
                let variable = ir::Variable::new(name, ScalarType::Real, vec![], ir::Role::Local);
                routine.variables.push(variable);
            }
        }
    }
    match wire.result {
        Some(ResultDraft::Declared(variable)) => draft.result = Some(variable),
        Some(ResultDraft::Named(variable)) => routine.result = Some(variable),
        None => {}
    }
    routine.independents = wire.independents.unwrap_or_default();
    routine.dependents = wire.dependents.unwrap_or_default();
    routine.control = wire.control.unwrap_or_default();
    routine.aliased = wire.aliased.unwrap_or_default();
    routine.external = wire.external.map(Box::new);
    routine.derivatives = wire.derivatives.map(Box::new);
    let mut annotations = wire.annotations.unwrap_or_default();
    routine.origin = named_origin(&mut annotations, cx);
    routine.annotations = boxed(annotations);
    routine.at = wire.at.map(Arc::new);
    if has_vertices && !has_edges {
        cx.missing_member("edges", "a routine with vertices");
        cx.graph_broken = true;
    }
    if has_edges && !has_vertices {
        cx.missing_member("vertices", "a routine with edges");
        cx.graph_broken = true;
    }
    // Under a name that is near to theirs.
    cx.graph_broken |= has_vertices && wire.vertices.is_none() || has_edges && wire.edges.is_none();
    draft.vertices = wire.vertices;
    draft.edges = wire.edges.unwrap_or_default();
    draft.symbols = std::mem::take(&mut cx.variables).into_names();
    draft.broken = std::mem::take(&mut cx.graph_broken);
    draft.names_lost = std::mem::take(&mut cx.names_lost) || names_lost;
    Some(draft)
}

/// Members that all variables have.
type VariableMembers = (
    Option<String>,
    Option<ScalarType>,
    Option<Vec<Dim>>,
    Option<Order>,
    Option<Span>,
    Option<Map<String, Value>>,
);

fn variable(members: VariableMembers, role: ir::Role, cx: &mut Context) -> ir::Variable {
    let (name, ty, shape, order, at, annotations) = members;
    let mut annotations = annotations.unwrap_or_default();
    ir::Variable {
        name: name.unwrap_or_default(),
        ty: ty.unwrap_or(ScalarType::Real),
        shape: shape.unwrap_or_default(),
        order: order.unwrap_or_default(),
        role,
        origin: named_origin(&mut annotations, cx),
        at: at.map(Arc::new),
        annotations: boxed(annotations),
    }
}

wire_object! {
    /// A parameter.
    Parameter, "a parameter", |wire: Parameter, cx| Some(variable(
        (wire.name, wire.ty, wire.shape, wire.order, wire.at, wire.annotations),
        ir::Role::Parameter { intent: wire.intent.unwrap_or(Intent::InOut), optional: wire.optional.unwrap_or(false) },
        cx,
    )) => ir::Variable, lost |cx| cx.names_lost = true;
    /// The name of the parameter, unique in the routine.
    "name" name: String, required;
    /// Type of the scalar or of the elements.
    "type" ty: TypeName, required;
    /// Dimensions; none for a scalar.
    "shape" shape: Vec<DimensionOrExtent>;
    /// Storage order of an array: the last (`row`, default) or first (`column`) subscript varies fastest.
    "order" order: OneOf<Order>;
    /// How the parameter is used: `in`, `out` (undefined at entry) or `inout`.
    "intent" intent: OneOf<Intent>, required;
    /// True if the caller may leave the argument out.
    "optional" optional: bool;
    /// The place in the sources: source, line, column, last line, column behind the end.
    "at" at: SourceSpan;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

/// A local, or a global that the routine uses.
#[derive(Debug)]
pub(super) enum LocalDraft {
    Declared(ir::Variable),
    Global(String),
}

wire_object! {
    /// A local variable; or `{"global": name}`, which says where in the table of variables a global that
    /// the routine uses stands (without it: after the locals, in the order of first use).
    Local, "a local", local => LocalDraft, schema local_rules, lost |cx| cx.names_lost = true;
    /// The name of the local, unique in the routine.
    "name" name: String;
    /// Type of the scalar or of the elements.
    "type" ty: TypeName;
    /// Dimensions; none for a scalar.
    "shape" shape: Vec<DimensionOrExtent>;
    /// Storage order of an array: the last (`row`, default) or first (`column`) subscript varies fastest.
    "order" order: OneOf<Order>;
    /// The name of a global that the routine uses; then the entry has no other member.
    "global" global: String;
    /// The place in the sources: source, line, column, last line, column behind the end.
    "at" at: SourceSpan;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

fn local(wire: Local, cx: &mut Context) -> Option<LocalDraft> {
    for member in ["name", "type"] {
        if !wire.has(member) && !wire.has("global") {
            cx.missing_member(member, Local::WHAT);
        }
    }
    let declared = ["name", "type", "shape", "order"];
    let declared = declared.iter().any(|member| wire.has(member));
    if let Some(name) = wire.global {
        if declared {
            cx.report(
                &codes::WRONG_TYPE,
                "a local is declared and names a global",
                "remove `global`, or everything else",
            );
        }
        return Some(LocalDraft::Global(name));
    }
    let members = (
        wire.name,
        wire.ty,
        wire.shape,
        wire.order,
        wire.at,
        wire.annotations,
    );
    Some(LocalDraft::Declared(variable(members, ir::Role::Local, cx)))
}

/// The result of a function.
pub(super) struct FunctionResult;

#[derive(Debug)]
pub(super) enum ResultDraft {
    Declared(ir::Variable),
    Named(VarId),
}

wire_object! {
    /// The result variable of a function; it stands after the locals in the table of variables.
    DeclaredResult, "a result", |wire: DeclaredResult, cx| Some(variable(
        (wire.name, wire.ty, wire.shape, wire.order, wire.at, wire.annotations), ir::Role::Local, cx,
    )) => ir::Variable;
    /// The name of the result, unique in the routine.
    "name" name: String, required;
    /// Type of the scalar or of the elements.
    "type" ty: TypeName, required;
    /// Dimensions; none for a scalar.
    "shape" shape: Vec<DimensionOrExtent>;
    /// Storage order of an array: the last (`row`, default) or first (`column`) subscript varies fastest.
    "order" order: OneOf<Order>;
    /// The place in the sources: source, line, column, last line, column behind the end.
    "at" at: SourceSpan;
    /// Free-form data, kept by every transformation.
    "annotations" annotations: FreeForm;
}

impl Wire for FunctionResult {
    type Out = ResultDraft;
    const WHAT: &'static str = "a declaration or the name of a local";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<ResultDraft> {
        match token {
            Token::Text(name) => Some(ResultDraft::Named(cx.variable(name))),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }

    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<ResultDraft>, A::Error> {
        Ok(DeclaredResult::object(map, cx)?.map(ResultDraft::Declared))
    }
}

impl JsonSchema for FunctionResult {
    fn schema_name() -> Cow<'static, str> {
        "FunctionResult".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let declared = generator.subschema_for::<DeclaredResult>();
        json_schema!({ "anyOf": [{ "type": "string" }, declared] })
    }
}

wire_object! {
    /// A dimension with both of its bounds.
    Bounds, "a dimension", |wire: Bounds, _| Some(Dim {
        lower: wire.lower.unwrap_or(Expr::Int(1)),
        extent: wire.extent.flatten().map_or(Extent::Deferred, Extent::Fixed),
    }) => Dim;
    /// The first subscript; 1 by default.
    "lower" lower: Expression;
    /// Number of elements; null if it is taken from the actual argument or from an assignment.
    "extent" extent: Bound, required;
}

/// A dimension with its bounds, or the number of its elements.
pub(super) struct DimensionOrExtent;

impl Wire for DimensionOrExtent {
    type Out = Dim;
    const WHAT: &'static str = "an extent or a dimension";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Dim> {
        Bound::scalar(token, cx).map(extent)
    }

    fn array<'de, A: SeqAccess<'de>>(seq: A, cx: &mut Context) -> Result<Option<Dim>, A::Error> {
        Ok(Bound::array(seq, cx)?.map(extent))
    }

    fn object<'de, A: MapAccess<'de>>(map: A, cx: &mut Context) -> Result<Option<Dim>, A::Error> {
        Bounds::object(map, cx)
    }

    fn placeholder() -> Option<Dim> {
        Some(extent(None))
    }
}

impl JsonSchema for DimensionOrExtent {
    fn schema_name() -> Cow<'static, str> {
        "Dimension".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>().to_value();
        let bounds = generator.subschema_for::<Bounds>().to_value();
        described(
            any_of(vec![expression, json!({ "type": "null" }), bounds]),
            "One dimension: the extent (lower bound 1), or null if it is not known here, or both bounds.",
        )
    }
}

fn extent(extent: Option<Expr>) -> Dim {
    Dim {
        lower: Expr::Int(1),
        extent: extent.map_or(Extent::Deferred, Extent::Fixed),
    }
}

impl JsonSchema for Bound {
    fn schema_name() -> Cow<'static, str> {
        "Bound".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>();
        json_schema!({ "anyOf": [expression, { "type": "null" }] })
    }
}

wire_object! {
    /// A routine without a body, given by expressions over its parameters.
    External, "`external`", |wire: External, _| Some(ir::External {
        value: wire.value,
        partials: wire.partials,
    }) => ir::External;
    /// The result, an expression over the parameters.
    "value" value: Expression;
    /// Partial derivatives of the result, by parameter.
    "partials" partials: Partials;
}

/// Partial derivatives by parameter.
pub(super) struct Partials;

impl Wire for Partials {
    type Out = Vec<ir::Partial>;
    const WHAT: &'static str = "an object from parameters to expressions";

    fn object<'de, A: MapAccess<'de>>(
        mut map: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        let mut list: Vec<ir::Partial> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            let parameter = cx.variable(&name);
            if !seen.insert(parameter) {
                cx.duplicate_member(&name);
                map.next_value::<serde::de::IgnoredAny>()?;
                continue;
            }
            cx.path.push(Seg::Name(name.into()));
            let value = map.next_value_seed(super::decode::Seed::<Expression>::new(cx))?;
            cx.path.pop();
            list.extend(value.map(|value| ir::Partial { parameter, value }));
        }
        Ok(Some(list))
    }
}

impl JsonSchema for Partials {
    fn schema_name() -> Cow<'static, str> {
        "Partials".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>();
        json_schema!({ "type": "object", "additionalProperties": expression })
    }
}

wire_object! {
    /// Derivative routines that are given instead of generated.
    Derivatives, "`derivatives`", |wire: Derivatives, _| Some(ir::Derivatives {
        tangent: wire.tangent,
        adjoint: wire.adjoint,
    }) => ir::Derivatives;
    /// The tangent routine.
    "tangent" tangent: RoutineName;
    /// The adjoint routine.
    "adjoint" adjoint: RoutineName;
}
