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
    writer.program()?;
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

    fn raw(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn int(&mut self, value: i64) {
        if (0..10).contains(&value) {
            self.buffer.push(b'0' + value as u8);
        } else {
            // Writing to memory does not fail.
            let _ = io::Write::write_fmt(&mut self.buffer, format_args!("{value}"));
        }
    }

    fn string(&mut self, text: &str) {
        quoted(text, &mut self.buffer);
    }

    fn value(&mut self, value: &Value) {
        if let Err(e) = serde_json::to_writer(&mut self.buffer, value) {
            self.fail(format!("annotations: {e}"));
        }
    }

    /// Writes `, "key": `.
    fn member(&mut self, key: &str) {
        self.raw(", \"");
        self.raw(key);
        self.raw("\": ");
    }

    /// A comma between the elements of a list.
    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.raw(", ");
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
            Some(routine) => self.string(&routine.name),
            None => self.fail(format!("routine {r} does not exist")),
        }
    }

    fn program(&mut self) -> io::Result<()> {
        let program = self.program;
        self.raw("{\"format\": \"");
        self.raw(super::FORMAT);
        self.raw("\"");
        if let Some(main) = program.main {
            self.raw(",\n \"main\": ");
            self.routine_name(main);
        }
        if !program.sources.is_empty() {
            self.raw(",\n \"sources\": [");
            for (i, source) in program.sources.iter().enumerate() {
                self.comma(i);
                self.string(source);
                self.pause()?;
            }
            self.raw("]");
        }
        self.annotations(&program.annotations, "\n ", |_| false);
        self.records()?;
        if !program.globals.is_empty() {
            self.raw(",\n \"globals\": [");
            for (i, global) in program.globals.iter().enumerate() {
                self.raw(if i > 0 { ",\n  " } else { "\n  " });
                self.global(global);
                self.pause()?;
            }
            self.raw("]");
        }
        self.raw(",\n \"routines\": [");
        for (i, routine) in program.routines.iter().enumerate() {
            self.raw(if i > 0 { ",\n  " } else { "\n  " });
            self.routine(routine)?;
        }
        self.raw("]}\n");
        Ok(())
    }

    fn records(&mut self) -> io::Result<()> {
        let program = self.program;
        if program.records.is_empty() {
            return Ok(());
        }
        self.names.clear();
        self.raw(",\n \"types\": [");
        for (i, record) in program.records.iter().enumerate() {
            self.raw(if i > 0 { ",\n  " } else { "\n  " });
            self.raw("{\"name\": ");
            self.string(&record.name);
            self.raw(", \"fields\": [");
            for (k, field) in record.fields.iter().enumerate() {
                self.raw(if k > 0 { ",\n    " } else { "\n    " });
                self.raw("{\"name\": ");
                self.string(&field.name);
                self.member("type");
                self.scalar_type(field.ty);
                self.shape(&field.shape);
                self.raw("}");
            }
            self.raw("]}");
            self.pause()?;
        }
        self.raw("]");
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
            self.raw("{\"pointer\": ");
        }
        match end.record() {
            None => self.string(end.name()),
            Some(r) => {
                self.raw("{\"record\": ");
                match program.records.get(r.index()) {
                    Some(record) => self.string(&record.name),
                    None => self.fail(format!("record {r} does not exist")),
                }
                self.raw("}");
            }
        }
        for _ in 0..pointers {
            self.raw("}");
        }
    }

    fn shape(&mut self, shape: &[Dim]) {
        if !shape.is_empty() {
            self.member("shape");
            self.raw("[");
            for (i, dim) in shape.iter().enumerate() {
                self.comma(i);
                self.dim(dim);
            }
            self.raw("]");
        }
    }

    fn global(&mut self, global: &Global) {
        self.names.clear();
        self.raw("{");
        self.variable_members(&global.variable);
        match global.initial.as_deref() {
            None => {}
            Some([one]) => {
                self.member("initial");
                self.expr(one);
            }
            Some(list) => {
                self.member("initial");
                self.raw("[");
                for (i, e) in list.iter().enumerate() {
                    self.comma(i);
                    self.expr(e);
                }
                self.raw("]");
            }
        }
        if let Some(overlay) = global.overlay {
            self.member("overlay");
            self.raw("{\"global\": ");
            let program = self.program;
            match program.globals.get(overlay.base.index()) {
                Some(base) => self.string(&base.variable.name),
                None => self.fail(format!("global {} does not exist", overlay.base)),
            }
            self.raw(", \"offset\": ");
            self.int(overlay.offset);
            self.raw("}");
        }
        self.variable_annotations(&global.variable);
        self.raw("}");
    }

    /// Name, type, shape and order.
    fn variable_members(&mut self, variable: &Variable) {
        self.raw("\"name\": ");
        self.string(&variable.name);
        self.member("type");
        self.scalar_type(variable.ty);
        self.shape(&variable.shape);
        if variable.order != Order::Row {
            self.member("order");
            self.string(variable.order.name());
        }
    }

    fn variable_annotations(&mut self, variable: &Variable) {
        self.span(&variable.at, "");
        let origin = variable.origin.as_deref();
        self.annotations(&variable.annotations, "", |w| w.named_origin(origin));
    }

    fn dim(&mut self, dim: &Dim) {
        let extent = match &dim.extent {
            Extent::Fixed(e) => Some(e),
            Extent::Deferred => None,
        };
        let bounds = dim.lower != Expr::Int(1);
        if bounds {
            self.raw("{\"lower\": ");
            self.expr(&dim.lower);
            self.member("extent");
        }
        match extent {
            Some(e) => self.expr(e),
            None => self.raw("null"),
        }
        if bounds {
            self.raw("}");
        }
    }

    /// `cfgrev` annotation of a routine or variable; false if there is none.
    fn named_origin(&mut self, origin: Option<&NameOrigin>) -> bool {
        if let Some(NameOrigin { role, of, links }) = origin {
            self.raw("\"cfgrev\": {\"role\": ");
            self.string(role.name());
            self.member("of");
            self.string(of);
            if !links.is_empty() {
                self.member("links");
                self.raw("[");
                for (k, name) in links.iter().enumerate() {
                    self.comma(k);
                    self.string(name);
                }
                self.raw("]");
            }
            self.raw("}");
        }
        origin.is_some()
    }

    /// The span of an element, if it has one.
    fn span(&mut self, at: &At, indent: &str) {
        let Some(span) = at else { return };
        self.raw(",");
        self.raw(if indent.is_empty() { " " } else { indent });
        self.raw("\"at\": [");
        for (i, number) in span.numbers().into_iter().enumerate() {
            self.comma(i);
            self.int(i64::from(number));
        }
        self.raw("]");
    }

    /// Annotations with an origin, if there are any.
    fn annotations(
        &mut self,
        annotations: &Annotations,
        indent: &str,
        origin: impl FnOnce(&mut Self) -> bool,
    ) {
        let start = self.buffer.len();
        self.raw(",");
        self.raw(if indent.is_empty() { " " } else { indent });
        self.raw("\"annotations\": {");
        let mut any = origin(self);
        let has_origin = any;
        for (key, value) in annotations.iter().flat_map(|map| map.iter()) {
            if has_origin && key == ORIGIN {
                continue;
            }
            self.comma(usize::from(any));
            self.string(key);
            self.raw(": ");
            self.value(value);
            any = true;
        }
        if any {
            self.raw("}");
        } else {
            self.buffer.truncate(start);
        }
    }

    fn routine(&mut self, routine: &Routine) -> io::Result<()> {
        self.enter(routine);
        let mut locals = routine.non_parameter_ids();
        locals.truncate(locals.len() - globals::implicit(routine, &locals));
        let is_result =
            |v: &mut VarId| routine.result == Some(*v) && routine.variable(*v).role == Role::Local;
        let own_result = locals.pop_if(is_result);
        self.raw("{\"name\": ");
        self.string(&routine.name);
        if !routine.parameters.is_empty() {
            self.raw(",\n   \"parameters\": [");
            for (i, v) in routine.parameter_ids().enumerate() {
                self.raw(if i > 0 { ",\n    {" } else { "\n    {" });
                match routine.variables.get(v.index()) {
                    Some(variable) => self.parameter(variable),
                    None => self.fail(format!("variable {v} does not exist")),
                }
                self.raw("}");
                self.pause()?;
            }
            self.raw("]");
        }
        if let Some(result) = routine.result {
            self.raw(",\n   \"result\": ");
            if let Some(own) = own_result {
                self.raw("{");
                let variable = routine.variable(own);
                self.variable_members(variable);
                self.variable_annotations(variable);
                self.raw("}");
            } else {
                self.variable_name(result);
            }
        }
        if !locals.is_empty() {
            self.raw(",\n   \"locals\": [");
            for (i, v) in locals.into_iter().enumerate() {
                self.raw(if i > 0 { ",\n    {" } else { "\n    {" });
                self.local(routine.variable(v));
                self.raw("}");
                self.pause()?;
            }
            self.raw("]");
        }
        self.list("independents", &routine.independents);
        self.list("dependents", &routine.dependents);
        if routine.control != Control::Structured {
            self.raw(",\n   \"control\": ");
            self.string(control_name(routine.control));
        }
        if routine.aliased {
            self.raw(",\n   \"aliased\": true");
        }
        self.external(routine);
        if let Some(derivatives) = &routine.derivatives {
            self.raw(",\n   \"derivatives\": {");
            let mut any = false;
            for (key, r) in [
                ("tangent", derivatives.tangent),
                ("adjoint", derivatives.adjoint),
            ] {
                if let Some(r) = r {
                    self.comma(usize::from(any));
                    any = true;
                    self.string(key);
                    self.raw(": ");
                    self.routine_name(r);
                }
            }
            self.raw("}");
        }
        self.span(&routine.at, "\n   ");
        let origin = routine.origin.as_deref();
        self.annotations(&routine.annotations, "\n   ", |w| w.named_origin(origin));
        if let Some(body) = &routine.body {
            self.graph(body)?;
        }
        self.raw("}");
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

    fn parameter(&mut self, variable: &Variable) {
        self.variable_members(variable);
        match variable.role {
            Role::Parameter { intent, optional } => {
                self.member("intent");
                self.string(intent.name());
                if optional {
                    self.member("optional");
                    self.raw("true");
                }
            }
            Role::Local | Role::Global(_) => {
                self.fail(format!("parameter {} has another role", variable.name));
            }
        }
        self.variable_annotations(variable);
    }

    fn local(&mut self, variable: &Variable) {
        match variable.role {
            Role::Local => {
                self.variable_members(variable);
                self.variable_annotations(variable);
            }
            Role::Global(g) => {
                let program = self.program;
                self.raw("\"global\": ");
                if let Some(global) = program.globals.get(g.index()) {
                    self.string(&global.variable.name);
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

    fn list(&mut self, key: &str, variables: &[VarId]) {
        if variables.is_empty() {
            return;
        }
        self.raw(",\n   \"");
        self.raw(key);
        self.raw("\": ");
        self.names(variables);
    }

    fn names(&mut self, variables: &[VarId]) {
        self.raw("[");
        for (i, &v) in variables.iter().enumerate() {
            self.comma(i);
            self.variable_name(v);
        }
        self.raw("]");
    }

    fn external(&mut self, routine: &Routine) {
        let Some(external) = &routine.external else {
            return;
        };
        self.raw(",\n   \"external\": {");
        if let Some(value) = &external.value {
            self.raw("\"value\": ");
            self.expr(value);
        }
        if let Some(partials) = &external.partials {
            self.comma(usize::from(external.value.is_some()));
            self.raw("\"partials\": {");
            for (i, partial) in partials.iter().enumerate() {
                self.comma(i);
                self.variable_name(partial.parameter);
                self.raw(": ");
                self.expr(&partial.value);
            }
            self.raw("}");
        }
        self.raw("}");
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
