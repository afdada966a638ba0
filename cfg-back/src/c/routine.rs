//! One function: its head, its variables, its body.

use super::{
    Emitted,
    coalesced::coalesce,
    faults,
    file::{File, Made, Written},
    held,
    lines::{Lines, Statement, without_braces},
    names::{Names, escape_comment, variable_of},
    operators::{Code, Infix, Name, Piece, Pieces, Prefix, checked::unset_value},
    prologue,
    repeated::without_repeated,
    returned::{self, Returned},
    scalar_loops::keeps_scalars_alone,
    scoped::{self, Local},
    tops::copied_tops,
    traced::Traced,
    unread::unread,
    variable::{Bound, Cells, Kind, null, zero},
    writer::{Writer, variables},
};
use std::{borrow::Cow, collections::HashSet};

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Cfg, Extent, Intent, ParameterRole, Place, Role, Routine, ScalarType, Signature},
    memory::locations::Locations,
};
use cfg_transform::lower::is_passed_by_value;

/// The declaration of one parameter of a routine; extents that it takes from the argument come before.
fn parameter(
    file: &File<'_>,
    routine: &Routine,
    v: VarId,
    name: &Name,
    (extents, strides, laid_over): &(Vec<Name>, Vec<Name>, Option<Name>),
    count: Option<&Name>,
) -> Vec<Parameter> {
    let variable = routine.variable(v);
    let ty = file.c_type(variable.ty);
    let mut texts: Vec<Parameter> = Vec::new();
    let number = |name: &Name| (name.clone(), format!("int64_t {name}"));
    for (dim, extent) in variable.shape.iter().zip(extents) {
        if dim.extent == Extent::Deferred {
            texts.push(number(extent));
        }
    }
    match laid_over {
        Some(view) => texts.push((view.clone(), format!("const int64_t *{view}"))),
        None => texts.extend(strides.iter().map(number)),
    }
    texts.extend(count.map(number));
    let constant = match variable.role {
        Role::Parameter { intent, .. } if intent == Intent::In && !variable.ty.is_tape() => {
            "const "
        }
        Role::Parameter { .. } | Role::Local | Role::Global(_) => "",
    };
    let restrict = if routine.aliased || variable.ty.is_tape() {
        ""
    } else {
        "restrict "
    };
    let text = if is_passed_by_value(routine, v) {
        format!("{ty} {name}")
    } else {
        format!("{constant}{ty} *{restrict}{name}")
    };
    texts.push((name.clone(), text));
    texts
}

/// The name of a parameter, and its declaration.
type Parameter = (Name, String);

/// True if the function of a sweep uses the value of the routine that it is a sweep of.
pub(super) fn uses_result(file: &File<'_>, sweep: RoutineId, original: RoutineId) -> bool {
    let routine = file.program.routine(sweep);
    let signature = Signature::from_origins(file.program, sweep);
    let result = file.program.routine(original).result;
    let position = result.and_then(|v| signature.position(ParameterRole::Primal(v)));
    let (Some(position), Some(made)) = (position, file.made_function(sweep, false)) else {
        return false;
    };
    let before = routine.parameters[..position].iter();
    let before = before.map(|&p| file.parameters_of(sweep, p));
    !made.unused.contains(&before.sum())
}

/// The head of a function whose properties are known, without names.
pub(super) fn prototype(file: &File<'_>, r: RoutineId, strided: bool) -> String {
    let routine = file.program.routine(r);
    let mut names = Names::of_function();
    let (made, _) = variables(file, (r, routine), &mut names, strided, false);
    let function = file.made_function(r, strided).unwrap_or_default();
    let [memory, value, extents, pairs] =
        ["memory", "value", "extents", "pairs"].map(|name| names.fresh(name, Some(&file.names)));
    let own = Own {
        memory: &memory,
        value: &value,
        extents: &[extents],
        pairs: &pairs,
    };
    head(file, r, &function, &made, &own, strided)
}

/// The names of parameters that the routine does not have.
#[derive(Default)]
struct Own<'a> {
    memory: &'a str,
    value: &'a str,
    extents: &'a [String],
    pairs: &'a str,
}

/// True of a function that callers in other files call as it is.
fn is_public(file: &File<'_>, r: RoutineId, made: &Made, strided: bool) -> bool {
    file.is_public(r) && !made.needs_memory && !strided
}

fn head(
    file: &File<'_>,
    r: RoutineId,
    made: &Made,
    variables: &super::variable::Variables,
    names: &Own<'_>,
    strided: bool,
) -> String {
    let routine = file.program.routine(r);
    let storage = match is_public(file, r, made, strided) {
        true => "",
        false => "static ",
    };
    head_with(file, routine, made, variables, names, storage).0
}

/// The parameters of a function that are those of the routine, and their extents and strides.
fn own_parameters(
    file: &File<'_>,
    routine: &Routine,
    made: &Made,
    variables: &super::variable::Variables,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for p in routine.parameter_ids() {
        let mut count = None;
        let held = &variables.all[p.index()];
        if let Some((s, leaf)) = held.member {
            let structure = &variables.structures[s];
            if leaf == 0 {
                let extent = variables.count_of_structures(routine, p);
                let number = |name: Name| (name.clone(), format!("int64_t {name}"));
                parameters.extend(extent.map(number));
                let declared = structure.declaration(routine.aliased);
                parameters.push((structure.name.clone(), declared));
            }
            continue;
        }
        let (name, extents) = match (&held.behind, &held.kind) {
            (Some(name), _)
            | (None, Kind::Value(name) | Kind::Pointer(name) | Kind::Tape(name)) => {
                (name.clone(), (Vec::new(), Vec::new(), None))
            }
            (None, Kind::Array(array)) => {
                // Callers in other files do not say it.
                count = array.count.as_ref().filter(|_| made.needs_memory);
                let kept = |bound: &Bound| match bound {
                    Bound::Kept(k) => variables.bounds[*k].name.clone(),
                    Bound::Constant(_) | Bound::Parameter(_) => "".into(),
                };
                let extents = array.axes.iter().map(|axis| kept(&axis.extent));
                let strides = array.axes.iter().filter_map(|axis| axis.stride.as_ref());
                let strides = strides.map(kept).collect();
                let view = array.laid_over.clone();
                (array.pointer.clone(), (extents.collect(), strides, view))
            }
        };
        parameters.extend(parameter(file, routine, p, &name, &extents, count));
    }
    parameters
}

/// The head of a function, and the names of its parameters.
fn head_with(
    file: &File<'_>,
    routine: &Routine,
    made: &Made,
    variables: &super::variable::Variables,
    names: &Own<'_>,
    storage: &str,
) -> (String, Vec<String>) {
    let Own {
        memory,
        value,
        extents,
        pairs,
    } = names;
    let all = own_parameters(file, routine, made, variables);
    let (mut arguments, mut parameters): (Vec<String>, Vec<String>) = made
        .used_arguments(all)
        .into_iter()
        .map(|(name, text)| (name.to_string(), text))
        .unzip();
    if let Some(result) = returned::array_result(routine) {
        let ty = file.c_type(result.ty);
        match (Returned::given(routine), made.needs_memory) {
            (Some(v), _) => {
                if let Kind::Array(array) = &variables.all[v.index()].kind {
                    let name = array.pointer.clone();
                    let restrict = if routine.aliased { "" } else { "restrict " };
                    parameters.push(format!("{ty} *{restrict}{name}"));
                    arguments.push(name.to_string());
                }
            }
            (None, true) => {
                parameters.push(format!("{ty} **{value}"));
                parameters.extend(extents.iter().map(|name| format!("int64_t *{name}")));
            }
            (None, false) => {
                parameters.extend(extents.iter().map(|name| format!("int64_t {name}")));
                parameters.push(format!("{ty} *{value}"));
            }
        }
    }
    let returned = match (made.can_fail, returned::scalar_result(routine)) {
        (true, Some(ty)) => {
            parameters.push(format!("{} *{value}", file.c_type(ty)));
            "int"
        }
        (true, None) => "int",
        (false, Some(ty)) => file.c_type(ty),
        (false, None) => "void",
    };
    if made.compared {
        parameters.push(format!("const struct cfgrev_pairs *{pairs}"));
    }
    if made.needs_memory {
        parameters.push(format!("struct cfgrev_tape *{memory}"));
    }
    if parameters.is_empty() {
        parameters.push("void".to_owned());
    }
    let head = format!(
        "{storage}{returned} {}({})",
        made.name,
        parameters.join(", ")
    );
    (head, arguments)
}

/// The head of a function for callers that have no memory for work arrays.
pub(super) struct PlainHead {
    pub(super) head: String,
    /// The names of its parameters in the order of the routine's.
    pub(super) arguments: Vec<String>,
    /// The name of the pointer to its value, and of the extents of that which the declaration leaves open.
    pub(super) value: String,
    pub(super) extents: Vec<String>,
}

/// The head of a function with this name for callers that have no memory for work arrays.
pub(super) fn plain_head(
    file: &File<'_>,
    r: RoutineId,
    name: &str,
    names: &mut Names,
) -> PlainHead {
    let routine = file.program.routine(r);
    let (made, _) = variables(file, (r, routine), names, false, false);
    let value = names.fresh(&format!("{}_value", routine.name), Some(&file.names));
    let extent = |k: usize| names.fresh(&format!("{value}_extent{}", k + 1), Some(&file.names));
    let extents: Vec<String> = returned::deferred(routine)
        .into_iter()
        .map(extent)
        .collect();
    let mut function = file.made_function(r, false).unwrap_or_default();
    function.needs_memory = false;
    function.compared = false;
    function.unused.clear();
    name.clone_into(&mut function.name);
    let own = Own {
        value: &value,
        extents: &extents,
        ..Own::default()
    };
    let (head, mut arguments) = head_with(file, routine, &function, &made, &own, "");
    if returned::scalar_result(routine).is_some() && function.can_fail {
        arguments.push(value.clone());
    }
    PlainHead {
        head,
        arguments,
        value,
        extents,
    }
}

/// The form in which a function is written.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// True of a function that may call itself.
    pub(super) recursive: bool,
    /// Its array parameters have strides.
    pub(super) strided: bool,
    /// True of a function that is compiled into its callers, if these are in this file.
    pub(super) inlined: bool,
}

/// The function that a routine is.
///
/// # Errors
/// What has no C.
pub(super) fn function(
    file: &File<'_>,
    r: RoutineId,
    written: &Written<'_>,
    form: Form,
    pieces: &mut Pieces,
) -> Emitted<(Made, String)> {
    let Form {
        recursive, strided, ..
    } = form;
    let routine = &*written.routine;
    let mut names = Names::of_function();
    let (mut variables, can_fail) = variables(file, (r, routine), &mut names, strided, recursive);
    // With checks each assignment is seen by who reads the scalar next, under whatever name.
    if !file.checks {
        held::hold(file.program, written, &mut variables, |name| {
            names.fresh(name, Some(&file.names))
        });
    }
    let [memory, status, pairs] =
        ["memory", "status", "pairs"].map(|name| names.fresh(name, Some(&file.names)));
    let value = names.fresh(&format!("{}_value", routine.name), Some(&file.names));
    let checks = match file.checks {
        true => {
            let program = file.program;
            let body = |r: RoutineId| program.routine(r).body.as_ref();
            let other_form = match written.routine {
                Cow::Owned(_) => body(r),
                Cow::Borrowed(_) => None,
            };
            let names =
                ["check", "late"].map(|name| Name::from(names.fresh(name, Some(&file.names))));
            pieces.note_in(&names[0]);
            faults::State::new(
                names,
                other_form,
                faults::original(program, r).and_then(body),
            )
        }
        false => faults::State::new(["", ""].map(Name::from), None, None),
    };
    let makes_result = Returned::classify(routine) == Some(Returned::Made);
    let extents = names.fresh(&format!("{value}_extents"), Some(&file.names));
    let traced = file.origins.borrow().wanted() || file.comments.is_some();
    let traced = traced.then(|| Traced::trace_back(file.program, r, file.comments.clone()));
    let tops = copied_tops(file, routine).into_iter();
    let tops = tops.map(|tape| (tape, names.fresh("top", Some(&file.names)).into()));
    let tops = tops.collect();
    let mut writer = Writer {
        file,
        pieces,
        id: r,
        routine,
        locations: Locations::divide(file.program, routine),
        names,
        variables,
        lines: Lines::new(1),
        helpers: Vec::new(),
        lanes: Vec::new(),
        scope: Cow::Borrowed(&routine.variables),
        loop_names: Vec::new(),
        open_indices: Vec::new(),
        writes: std::collections::HashMap::new(),
        memory: memory.into(),
        status: Code::from(Name::from(status)),
        place: None,
        made: Made {
            can_fail: can_fail || recursive || file.checks || makes_result,
            needs_memory: recursive || file.checks || makes_result,
            compared: file.is_compared(r, strided),
            ..Made::default()
        },
        allocates: false,
        declared: 0,
        unsure: Vec::new(),
        recursive,
        has_status: false,
        strided,
        keeps_bounds: false,
        roomy: false,
        tops,
        kept_results: Vec::new(),
        made_result: (value.clone(), extents),
        pairs: pairs.into(),
        unread: match file.checks {
            true => HashSet::new(),
            false => unread(file, routine),
        },
        taken: None,
        pushed: HashSet::new(),
        counters: HashSet::new(),
        carried: Vec::new(),
        checks,
        traced,
    };
    let mut end = None;
    match (&routine.body, &written.structure, &routine.external) {
        _ if writer.emit_restart()? => {}
        (Some(cfg), Some(structure), _) => writer.emit_structured(cfg, structure)?,
        (Some(cfg), None, _) => writer.emit_jumps(cfg)?,
        (None, _, Some(external)) => {
            if let (Some(e), Some(result), Some(_)) = (
                &external.value,
                routine.result,
                returned::array_result(routine),
            ) {
                writer.assign_array(&Place::whole(result), e)?;
            } else if let (Some(e), Some(result)) = (&external.value, routine.result) {
                let code = writer.external_value(e, routine.variable(result).ty)?;
                let code = writer.hoist(code);
                writer.stop_on_fault();
                end = Some(code);
            } else if super::outside::is_outside(routine) {
                end = writer.call_external()?;
            }
        }
        // Nothing but its derivatives is given.
        (None, _, None) => end = writer.call_external()?,
    }
    writer.set_place(None);
    if let (Some(result), Some(_)) = (routine.result, returned::array_result(routine)) {
        writer.note_read(result);
        if file.checks {
            // The place is that of the executor.
            let exit = routine.body.as_ref().and_then(Cfg::exit);
            writer.set_place(exit.map(|v| (v, None)));
            writer.must_exist(result);
            writer.stop_on_fault();
            writer.set_place(None);
        }
    } else if let (None, Some(result)) = (&end, routine.result) {
        let code = writer.scalar_place(result)?;
        writer.note_read(result);
        end = Some(code);
    }
    // Members of a structure are neighbours, too.
    let has_structures = !writer.variables.structures.is_empty();
    let alone = !file.checks && (has_structures || keeps_scalars_alone(written));
    finish(writer, end, &value, (alone, form.inlined))
}

/// Puts a function together: declarations of what the body names, work arrays, the body, what is given back.
fn finish(
    mut writer: Writer<'_>,
    end: Option<Code>,
    value: &str,
    (scalars_alone, inlined): (bool, bool),
) -> Emitted<(Made, String)> {
    let body = std::mem::replace(&mut writer.lines, Lines::new(1));
    let names = body.since(0).iter().flat_map(Statement::names);
    let names = names.chain(end.iter().flat_map(Code::names));
    let named: HashSet<Name> = names.cloned().collect();
    asked_for_more_than_shape(&mut writer, &named);
    let (entry, epilogue) = prologue::prologue(&mut writer, named)?;
    let mut made = writer.made.clone();
    made.name = writer
        .file
        .function_name(writer.id, made.needs_memory, writer.strided);
    let routine = writer.routine;
    let mut text = String::new();
    for line in writer.traced.iter().flat_map(Traced::comments_above) {
        text.push_str(&format!("{line}\n"));
    }
    if let Some(origin) = &routine.origin {
        let of = match &*origin.of {
            "" => String::new(),
            of => format!(" of {of}"),
        };
        let described = format!("{}{of}", origin.role);
        text.push_str(&format!("/* {} */\n", escape_comment(&described)));
    }
    if scalars_alone {
        writer.pieces.require(Piece::Scalar);
        text.push_str(&Piece::Scalar.name());
        text.push(' ');
    }
    let statements = || {
        [&body, &entry, &epilogue]
            .into_iter()
            .flat_map(|lines| lines.since(0))
    };
    let ends = || end.iter().flat_map(Code::names);
    let named: HashSet<&Name> = statements()
        .flat_map(Statement::names)
        .chain(ends())
        .collect();
    // Who calls a function before it is written gives it all arguments.
    let keeps_all = writer.recursive || is_public(writer.file, writer.id, &made, writer.strided);
    if !keeps_all {
        let all = own_parameters(writer.file, routine, &made, &writer.variables);
        // Members of structures are named with these.
        let used: HashSet<&str> = named.iter().map(|name| variable_of(name)).collect();
        let unused = all.iter().enumerate();
        let unused = unused.filter(|(_, (name, _))| !used.contains(&**name));
        made.unused = unused.map(|(k, _)| k).collect();
    }
    let head = head(
        writer.file,
        writer.id,
        &made,
        &writer.variables,
        &Own {
            memory: &writer.memory,
            value,
            extents: std::slice::from_ref(&writer.made_result.1),
            pairs: &writer.pairs,
        },
        writer.strided,
    );
    match head.strip_prefix("static ").filter(|_| inlined) {
        Some(rest) => {
            writer.pieces.require(Piece::Here);
            text.push_str(&format!("static {} {rest}", Piece::Here.name()));
        }
        None => text.push_str(&head),
    }
    text.push_str("\n{\n");
    let read = statements().flat_map(Statement::reads).chain(ends());
    let read: HashSet<&Name> = read.collect();
    let mut lines = Lines::new(1);
    for name in [&writer.checks.variable, &writer.checks.late] {
        if named.contains(name) {
            let first = Code::list("", [0.into(), 0.into()]);
            lines.set(
                &Code::from(name.clone()).declared("struct cfgrev_check"),
                first,
            );
        }
    }
    declare_arrays(&writer, &named, &mut lines);
    text.push_str(&lines.into_text());
    let mut lines = Lines::new(1);
    if writer.is_checked() && !named.contains(&writer.memory) {
        lines.add(Code::from(writer.memory.clone()).cast("void", ScalarType::Tape));
    }
    writer.unread_statements(&named, &read, keeps_all, &mut lines);
    lines.append(writer.unread_structures(&named, &read, keeps_all));
    let locals = locals(&writer);
    let mut statements: Vec<Statement> = Vec::new();
    for part in [entry, lines, body, epilogue] {
        statements.extend(part.into_statements());
    }
    match (end, made.can_fail) {
        (Some(end), true) => {
            let value = Code::name(value, end.ty).prefix(Prefix::Dereference);
            statements.extend([value.set(end).into(), Statement::Return(0.into())]);
        }
        (Some(end), false) => statements.push(Statement::Return(end)),
        (None, true) => statements.push(Statement::Return(0.into())),
        (None, false) => {}
    }
    let mut lines = Lines::new(1);
    let statements = coalesce(without_repeated(statements), &locals);
    let statements = scoped::declare_where_used(statements, locals);
    lines.extend(without_braces(statements));
    text.push_str(&lines.into_text());
    text.push_str("}\n");
    Ok((made, text))
}

/// Local variables count as used only where the code names them: of an array a statement may want the shape alone.
fn asked_for_more_than_shape(writer: &mut Writer<'_>, named: &HashSet<Name>) {
    for (v, variable) in (0..).map(VarId::new).zip(&mut writer.variables.all) {
        let name = match &variable.kind {
            Kind::Value(name) => name,
            Kind::Array(array) => &array.pointer,
            Kind::Pointer(_) | Kind::Tape(_) => continue,
        };
        let local = writer.routine.variable(v).role == Role::Local;
        let returned = writer.routine.result == Some(v);
        if local && !returned && !named.contains(name) {
            variable.used = false;
        }
    }
}

/// The local variables but arrays, those that hold values for a while among them.
fn locals(writer: &Writer<'_>) -> Vec<Local> {
    let mut made = Vec::new();
    for (v, variable) in writer.variables.numbered() {
        let local = writer.routine.variable(v).role == Role::Local;
        if let (Kind::Value(name), true, true) = (&variable.kind, local, variable.used)
            && variable.member.is_none()
        {
            let ty = variable.ty;
            made.push(Local {
                name: name.clone(),
                members: Vec::new(),
                declared: Code::name(name.clone(), ty).declared(writer.file.c_type(ty)),
                first: match writer.is_checked() {
                    true => unset_value(ty),
                    false => zero(ty),
                },
            });
        }
    }
    made.extend(writer.local_structures());
    made.extend(writer.helpers.iter().cloned());
    if writer.has_status {
        made.extend(writer.status.names().map(|name| Local {
            name: name.clone(),
            members: Vec::new(),
            declared: writer.status.clone().declared("int"),
            first: 0.into(),
        }));
    }
    made
}

/// Declares the local arrays that the body names.
fn declare_arrays(writer: &Writer<'_>, named: &HashSet<&Name>, lines: &mut Lines) {
    let of = |ty| writer.file.c_type(ty);
    let listed = |x: Code, y: Code| x.with(Infix::Comma, y);
    for (v, variable, array) in writer.variables.arrays() {
        if writer.routine.variable(v).role != Role::Local {
            continue;
        }
        let (ty, name) = (variable.ty, Code::name(array.pointer.clone(), variable.ty));
        match array.cells {
            Cells::Fixed(n) if variable.used => {
                lines.set(
                    &name.at(n.max(1)).declared(of(ty)),
                    Code::list("", [zero(ty)]),
                );
            }
            Cells::Allocatable => {
                if variable.used {
                    lines.set(&name.declared(&format!("{} *", of(ty))), null());
                }
                let mut numbers = Vec::new();
                for axis in &array.axes {
                    // Of an array that never gets a shape the extents alone may be asked for.
                    if let Bound::Kept(k) = axis.extent
                        && let kept = &writer.variables.bounds[k]
                        && kept.used
                        && (variable.used || named.contains(&kept.name))
                    {
                        numbers.push(&kept.name);
                    }
                }
                if writer.allocates && variable.used {
                    // With checks an array may be used that never gets a shape.
                    let room = array.room.iter();
                    numbers.extend(room.filter(|r| !writer.is_checked() || named.contains(r)));
                }
                let numbers = numbers.into_iter().enumerate().map(|(k, name)| {
                    let name = Code::from(name.clone());
                    (if k == 0 {
                        name.declared("int64_t")
                    } else {
                        name
                    })
                    .set(0)
                });
                numbers
                    .reduce(listed)
                    .into_iter()
                    .for_each(|line| lines.add(line));
            }
            Cells::Fixed(_) | Cells::Given | Cells::Work | Cells::Returned => {}
        }
    }
}
