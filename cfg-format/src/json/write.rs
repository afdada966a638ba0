//! Writing programs: streamed, deterministic, one vertex and one edge per line.

mod expressions;
mod globals;
mod graph;

pub(super) use expressions::target_pointer;

use super::{codes, free_form::ORIGIN, words::control_name};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId},
    ir::{
        Annotations, At, Control, Dim, Expr, Extent, Global, NameOrigin, Order, Program, Role,
        Routine, ScalarType, Variable,
    },
};
use serde_json::Value;
use std::io;

/// Writes a program. Reading it again gives the same program, bit for bit, except for three things that the format
/// cannot express: the bits of a NaN, empty annotations (they become `None`), and the positions of parameters among
/// the variables (they come first).
///
/// # Errors
/// `out` fails; or, as [`io::ErrorKind::InvalidData`] with a [`Diagnostic`] inside, the program names something that
/// does not exist or has an expression of more than [`Expr::MAX_DEPTH`] levels. A part may have been written by then.
pub fn write(program: &Program, out: impl io::Write) -> io::Result<()> {
    let mut writer = Writer {
        out,
        buffer: Vec::with_capacity(2 * FLUSH_AT),
        program,
        names: Vec::new(),
        only_tape: None,
        problem: None,
    };
    writer.write_program()?;
    writer.flush()
}

/// The buffer is given to the operating system when it is longer than this.
const FLUSH_AT: usize = 1 << 16;

struct Writer<'p, W> {
    out: W,
    buffer: Vec<u8>,
    program: &'p Program,
    /// Quoted names of the routine's variables.
    names: Vec<Vec<u8>>,
    /// The tape that need not be named.
    only_tape: Option<VarId>,
    /// The problem with a part of the program that the format cannot express.
    problem: Option<Diagnostic>,
}

impl<W: io::Write> Writer<'_, W> {
    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        match self.problem.take() {
            Some(problem) => Err(io::Error::new(io::ErrorKind::InvalidData, problem)),
            None => self.out.flush(),
        }
    }

    /// A pause between elements, which keeps the buffer small and stops at the first problem.
    fn pause(&mut self) -> io::Result<()> {
        if self.buffer.len() > FLUSH_AT {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        match self.problem.take() {
            Some(problem) => Err(io::Error::new(io::ErrorKind::InvalidData, problem)),
            None => Ok(()),
        }
    }

    fn fail(&mut self, message: impl Into<String>) {
        if self.problem.is_none() {
            let help = "validate the program before it is written";
            self.problem = Some(Diagnostic::error(&codes::WRITE, message, help));
        }
    }

    fn write_raw(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn write_int(&mut self, value: i64) {
        if (0..10).contains(&value) {
            self.buffer.push(b'0' + value as u8);
        } else {
            // Writing to memory does not fail.
            let _ = io::Write::write_fmt(&mut self.buffer, format_args!("{value}"));
        }
    }

    fn write_string(&mut self, text: &str) {
        quoted(text, &mut self.buffer);
    }

    fn write_value(&mut self, value: &Value) {
        if let Err(e) = serde_json::to_writer(&mut self.buffer, value) {
            self.fail(format!("annotations: {e}"));
        }
    }

    /// Writes `, "key": `.
    fn write_member(&mut self, key: &str) {
        self.write_raw(", \"");
        self.write_raw(key);
        self.write_raw("\": ");
    }

    /// A comma between the elements of a list.
    fn write_comma(&mut self, index: usize) {
        if index > 0 {
            self.write_raw(", ");
        }
    }

    fn variable_name(&mut self, v: VarId) {
        match self.names.get(v.index()) {
            Some(name) => self.buffer.extend_from_slice(name),
            None => self.fail(format!("variable {v} does not exist")),
        }
    }

    fn routine_name(&mut self, r: RoutineId) {
        let program = self.program;
        match program.routines.get(r.index()) {
            Some(routine) => self.write_string(&routine.name),
            None => self.fail(format!("routine {r} does not exist")),
        }
    }

    fn write_program(&mut self) -> io::Result<()> {
        let program = self.program;
        self.write_raw("{\"format\": \"");
        self.write_raw(super::FORMAT);
        self.write_raw("\"");
        if let Some(main) = program.main {
            self.write_raw(",\n \"main\": ");
            self.routine_name(main);
        }
        if !program.sources.is_empty() {
            self.write_raw(",\n \"sources\": [");
            for (i, source) in program.sources.iter().enumerate() {
                self.write_comma(i);
                self.write_string(source);
                self.pause()?;
            }
            self.write_raw("]");
        }
        self.write_annotations(&program.annotations, "\n ", |_| false);
        self.write_records()?;
        if !program.globals.is_empty() {
            self.write_raw(",\n \"globals\": [");
            for (i, global) in program.globals.iter().enumerate() {
                self.write_raw(if i > 0 { ",\n  " } else { "\n  " });
                self.write_global(global);
                self.pause()?;
            }
            self.write_raw("]");
        }
        self.write_raw(",\n \"routines\": [");
        for (i, routine) in program.routines.iter().enumerate() {
            self.write_raw(if i > 0 { ",\n  " } else { "\n  " });
            self.write_routine(routine)?;
        }
        self.write_raw("]}\n");
        Ok(())
    }

    fn write_records(&mut self) -> io::Result<()> {
        let program = self.program;
        if program.records.is_empty() {
            return Ok(());
        }
        self.names.clear();
        self.write_raw(",\n \"types\": [");
        for (i, record) in program.records.iter().enumerate() {
            self.write_raw(if i > 0 { ",\n  " } else { "\n  " });
            self.write_raw("{\"name\": ");
            self.write_string(&record.name);
            self.write_raw(", \"fields\": [");
            for (k, field) in record.fields.iter().enumerate() {
                self.write_raw(if k > 0 { ",\n    " } else { "\n    " });
                self.write_raw("{\"name\": ");
                self.write_string(&field.name);
                self.write_member("type");
                self.scalar_type(field.ty);
                self.write_shape(&field.shape);
                self.write_raw("}");
            }
            self.write_raw("]}");
            self.pause()?;
        }
        self.write_raw("]");
        Ok(())
    }

    fn scalar_type(&mut self, ty: ScalarType) {
        let program = self.program;
        let mut end = ty;
        let mut pointers = 0;
        if let Some(pointer) = ty.pointer() {
            (end, pointers) = (pointer.end(), pointer.depth());
        }
        for _ in 0..pointers {
            self.write_raw("{\"pointer\": ");
        }
        match end.record() {
            None => self.write_string(end.name()),
            Some(r) => {
                self.write_raw("{\"record\": ");
                match program.records.get(r.index()) {
                    Some(record) => self.write_string(&record.name),
                    None => self.fail(format!("record {r} does not exist")),
                }
                self.write_raw("}");
            }
        }
        for _ in 0..pointers {
            self.write_raw("}");
        }
    }

    fn write_shape(&mut self, shape: &[Dim]) {
        if !shape.is_empty() {
            self.write_member("shape");
            self.write_raw("[");
            for (i, dim) in shape.iter().enumerate() {
                self.write_comma(i);
                self.write_dim(dim);
            }
            self.write_raw("]");
        }
    }

    fn write_global(&mut self, global: &Global) {
        self.names.clear();
        self.write_raw("{");
        self.variable_members(&global.variable);
        match global.initial.as_deref() {
            None => {}
            Some([one]) => {
                self.write_member("initial");
                self.write_expr(one);
            }
            Some(list) => {
                self.write_member("initial");
                self.write_raw("[");
                for (i, e) in list.iter().enumerate() {
                    self.write_comma(i);
                    self.write_expr(e);
                }
                self.write_raw("]");
            }
        }
        if let Some(overlay) = global.overlay {
            self.write_member("overlay");
            self.write_raw("{\"global\": ");
            let program = self.program;
            match program.globals.get(overlay.base.index()) {
                Some(base) => self.write_string(&base.variable.name),
                None => self.fail(format!("global {} does not exist", overlay.base)),
            }
            self.write_raw(", \"offset\": ");
            self.write_int(overlay.offset);
            self.write_raw("}");
        }
        self.variable_annotations(&global.variable);
        self.write_raw("}");
    }

    /// Name, type, shape and order.
    fn variable_members(&mut self, variable: &Variable) {
        self.write_raw("\"name\": ");
        self.write_string(&variable.name);
        self.write_member("type");
        self.scalar_type(variable.ty);
        self.write_shape(&variable.shape);
        if variable.order != Order::Row {
            self.write_member("order");
            self.write_string(variable.order.name());
        }
    }

    fn variable_annotations(&mut self, variable: &Variable) {
        self.write_span(&variable.at, "");
        let origin = variable.origin.as_deref();
        self.write_annotations(&variable.annotations, "", |w| w.named_origin(origin));
    }

    fn write_dim(&mut self, dim: &Dim) {
        let extent = match &dim.extent {
            Extent::Fixed(e) => Some(e),
            Extent::Deferred => None,
        };
        let bounds = dim.lower != Expr::Int(1);
        if bounds {
            self.write_raw("{\"lower\": ");
            self.write_expr(&dim.lower);
            self.write_member("extent");
        }
        match extent {
            Some(e) => self.write_expr(e),
            None => self.write_raw("null"),
        }
        if bounds {
            self.write_raw("}");
        }
    }

    /// `cfgrev` annotation of a routine or variable; false if there is none.
    fn named_origin(&mut self, origin: Option<&NameOrigin>) -> bool {
        if let Some(NameOrigin { role, of, links }) = origin {
            self.write_raw("\"cfgrev\": {\"role\": ");
            self.write_string(role.name());
            self.write_member("of");
            self.write_string(of);
            if !links.is_empty() {
                self.write_member("links");
                self.write_raw("[");
                for (k, name) in links.iter().enumerate() {
                    self.write_comma(k);
                    self.write_string(name);
                }
                self.write_raw("]");
            }
            self.write_raw("}");
        }
        origin.is_some()
    }

    /// The span of an element, if it has one.
    fn write_span(&mut self, at: &At, indent: &str) {
        let Some(span) = at else { return };
        self.write_raw(",");
        self.write_raw(if indent.is_empty() { " " } else { indent });
        self.write_raw("\"at\": [");
        for (i, number) in span.numbers().into_iter().enumerate() {
            self.write_comma(i);
            self.write_int(i64::from(number));
        }
        self.write_raw("]");
    }

    /// Annotations with an origin, if there are any.
    fn write_annotations(
        &mut self,
        annotations: &Annotations,
        indent: &str,
        origin: impl FnOnce(&mut Self) -> bool,
    ) {
        let start = self.buffer.len();
        self.write_raw(",");
        self.write_raw(if indent.is_empty() { " " } else { indent });
        self.write_raw("\"annotations\": {");
        let mut any = origin(self);
        let has_origin = any;
        for (key, value) in annotations.iter().flat_map(|map| map.iter()) {
            if has_origin && key == ORIGIN {
                continue;
            }
            self.write_comma(usize::from(any));
            self.write_string(key);
            self.write_raw(": ");
            self.write_value(value);
            any = true;
        }
        if any {
            self.write_raw("}");
        } else {
            self.buffer.truncate(start);
        }
    }

    fn write_routine(&mut self, routine: &Routine) -> io::Result<()> {
        self.enter(routine);
        let mut locals = routine.non_parameter_ids();
        locals.truncate(locals.len() - globals::implicit(routine, &locals));
        let is_result =
            |v: &mut VarId| routine.result == Some(*v) && routine.variable(*v).role == Role::Local;
        let own_result = locals.pop_if(is_result);
        self.write_raw("{\"name\": ");
        self.write_string(&routine.name);
        if !routine.parameters.is_empty() {
            self.write_raw(",\n   \"parameters\": [");
            for (i, v) in routine.parameter_ids().enumerate() {
                self.write_raw(if i > 0 { ",\n    {" } else { "\n    {" });
                match routine.variables.get(v.index()) {
                    Some(variable) => self.write_parameter(variable),
                    None => self.fail(format!("variable {v} does not exist")),
                }
                self.write_raw("}");
                self.pause()?;
            }
            self.write_raw("]");
        }
        if let Some(result) = routine.result {
            self.write_raw(",\n   \"result\": ");
            if let Some(own) = own_result {
                self.write_raw("{");
                let variable = routine.variable(own);
                self.variable_members(variable);
                self.variable_annotations(variable);
                self.write_raw("}");
            } else {
                self.variable_name(result);
            }
        }
        if !locals.is_empty() {
            self.write_raw(",\n   \"locals\": [");
            for (i, v) in locals.into_iter().enumerate() {
                self.write_raw(if i > 0 { ",\n    {" } else { "\n    {" });
                self.write_local(routine.variable(v));
                self.write_raw("}");
                self.pause()?;
            }
            self.write_raw("]");
        }
        self.write_list("independents", &routine.independents);
        self.write_list("dependents", &routine.dependents);
        if routine.control != Control::Structured {
            self.write_raw(",\n   \"control\": ");
            self.write_string(control_name(routine.control));
        }
        if routine.aliased {
            self.write_raw(",\n   \"aliased\": true");
        }
        self.write_external(routine);
        if let Some(derivatives) = &routine.derivatives {
            self.write_raw(",\n   \"derivatives\": {");
            let mut any = false;
            for (key, r) in [
                ("tangent", derivatives.tangent),
                ("adjoint", derivatives.adjoint),
            ] {
                if let Some(r) = r {
                    self.write_comma(usize::from(any));
                    any = true;
                    self.write_string(key);
                    self.write_raw(": ");
                    self.routine_name(r);
                }
            }
            self.write_raw("}");
        }
        self.write_span(&routine.at, "\n   ");
        let origin = routine.origin.as_deref();
        self.write_annotations(&routine.annotations, "\n   ", |w| w.named_origin(origin));
        if let Some(body) = &routine.body {
            self.write_graph(body)?;
        }
        self.write_raw("}");
        self.pause()
    }

    /// Prepares for the names of a routine.
    fn enter(&mut self, routine: &Routine) {
        let program = self.program;
        self.names.clear();
        for variable in &routine.variables {
            let mut name = Vec::new();
            match variable.role {
                Role::Global(g) => match program.globals.get(g.index()) {
                    Some(global) => quoted(&global.variable.name, &mut name),
                    None => self.fail(format!("global {g} does not exist")),
                },
                Role::Parameter { .. } | Role::Local => quoted(&variable.name, &mut name),
            }
            self.names.push(name);
        }
        self.only_tape = super::resolve::only_tape(routine);
    }

    fn write_parameter(&mut self, variable: &Variable) {
        self.variable_members(variable);
        match variable.role {
            Role::Parameter { intent, optional } => {
                self.write_member("intent");
                self.write_string(intent.name());
                if optional {
                    self.write_member("optional");
                    self.write_raw("true");
                }
            }
            Role::Local | Role::Global(_) => {
                self.fail(format!("parameter {} has another role", variable.name));
            }
        }
        self.variable_annotations(variable);
    }

    fn write_local(&mut self, variable: &Variable) {
        match variable.role {
            Role::Local => {
                self.variable_members(variable);
                self.variable_annotations(variable);
            }
            Role::Global(g) => {
                let program = self.program;
                self.write_raw("\"global\": ");
                if let Some(global) = program.globals.get(g.index()) {
                    self.write_string(&global.variable.name);
                }
            }
            Role::Parameter { .. } => {
                self.fail(format!(
                    "parameter {} stands among the locals",
                    variable.name
                ));
            }
        }
    }

    fn write_list(&mut self, key: &str, variables: &[VarId]) {
        if variables.is_empty() {
            return;
        }
        self.write_raw(",\n   \"");
        self.write_raw(key);
        self.write_raw("\": ");
        self.write_names(variables);
    }

    fn write_names(&mut self, variables: &[VarId]) {
        self.write_raw("[");
        for (i, &v) in variables.iter().enumerate() {
            self.write_comma(i);
            self.variable_name(v);
        }
        self.write_raw("]");
    }

    fn write_external(&mut self, routine: &Routine) {
        let Some(external) = &routine.external else {
            return;
        };
        self.write_raw(",\n   \"external\": {");
        if let Some(value) = &external.value {
            self.write_raw("\"value\": ");
            self.write_expr(value);
        }
        if let Some(partials) = &external.partials {
            self.write_comma(usize::from(external.value.is_some()));
            self.write_raw("\"partials\": {");
            for (i, partial) in partials.iter().enumerate() {
                self.write_comma(i);
                self.variable_name(partial.parameter);
                self.write_raw(": ");
                self.write_expr(&partial.value);
            }
            self.write_raw("}");
        }
        self.write_raw("}");
    }
}

/// A string with quotes and escapes.
fn quoted(text: &str, out: &mut Vec<u8>) {
    let plain = |b: u8| (b' '..0x7f).contains(&b) && b != b'"' && b != b'\\';
    if text.bytes().all(plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(out, text);
    }
}
