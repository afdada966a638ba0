//! Checks: where a function stops because something goes wrong, and what it says then.
//!
//! Each operation that may go wrong notes it with its number in the order of evaluation (`operators::checked`) and goes on
//! with a value that was never set; behind the statement, before anything that must not be done then, the function
//! returns. The message is that of the operation with the lowest number, so that it is the executor's, whatever order C
//! evaluates operands in.

use super::{
    Emitted,
    amount::Amount,
    array::View,
    expression::at_least_zero,
    operators::{
        self, Code,
        checked::{self, FaultCode, suffix},
        precedence::{POSTFIX, RELATION},
    },
    variable::{Array, Bound, Cells, Kind},
    writer::Writer,
};
use cfg_core::{
    diagnostic::site::{Element, Site},
    entity::{RoutineId, VarId, VertexId},
    ir::{Cfg, Dim, Expr, Extent, Intent, Op, OpClass, Place, Program, Role, ScalarType, Signature, Subscript, VertexKind},
    text,
};
use std::collections::{HashMap, HashSet};

pub(super) use checked::{BOUNDS, OVERFLOW, STEP, UNSET};

/// No case of a branch has the value.
pub(super) const CASE: FaultCode = 207;
/// An array has more elements than memory can have.
pub(super) const MEMORY: FaultCode = 210;
/// Shapes do not conform.
pub(super) const SHAPE: FaultCode = 212;
/// An optional argument is used that was not given.
pub(super) const ABSENT: FaultCode = 213;
/// Arguments overlap.
pub(super) const OVERLAP: FaultCode = 214;
/// An array has no shape yet.
pub(super) const UNALLOCATED: FaultCode = 215;
/// A tape has nothing left.
pub(super) const EMPTY: FaultCode = 216;
/// A value does not fit into the bits of the control stack.
pub(super) const CONTROL: FaultCode = 217;

/// The codes that emitted programs find, as the executor calls them.
pub const FAULTS: &[(FaultCode, &str)] = &[
    (BOUNDS, "index out of bounds"),
    (UNSET, "an uninitialised value decides"),
    (OVERFLOW, "integer overflow"),
    (checked::DIVISION, "integer division by zero"),
    (
        checked::CONVERSION,
        "real is not representable as an integer",
    ),
    (STEP, "step is 0"),
    (CASE, "no case matches"),
    (MEMORY, "out of memory"),
    (SHAPE, "shapes do not conform"),
    (ABSENT, "absent optional argument is used"),
    (OVERLAP, "arguments overlap and one is written"),
    (UNALLOCATED, "array is not allocated"),
    (EMPTY, "pop from an empty tape"),
    (CONTROL, "control value does not fit"),
];

/// The most bytes of the words for a place.
const LONGEST: usize = 3900;

/// A vertex, and of a block a statement.
type At = Option<(VertexId, Option<usize>)>;

/// The end of each pass of a counted loop.
struct Passes {
    index: String,
    step: String,
}

/// The state of the checks of a function.
#[derive(Default)]
pub(super) struct State {
    /// The name of the variable that notes what goes wrong, and of the one for what reductions find.
    pub(super) variable: String,
    pub(super) late: String,
    /// The places of the constructs around what is written, and their passes.
    open: Vec<(At, Option<Passes>)>,
    /// The number of attempts around: what goes wrong in one is no error.
    attempts: usize,
    /// The vertices of the original by their numbers, if the routine is written in another form.
    vertices: Option<HashMap<i64, VertexId>>,
    /// The vertices and the statements of the routine that this one was generated from.
    generated_from: Option<(HashMap<i64, VertexId>, Vec<(VertexId, usize)>)>,
}

fn by_number(cfg: &Cfg) -> HashMap<i64, VertexId> {
    cfg.vertices().map(|(v, vertex)| (vertex.id, v)).collect()
}

impl State {
    /// The state at the beginning of a function; of one that is written in another form, with its graph, and of one that
    /// was generated, with the graph that it was generated from.
    pub(super) fn new(
        [variable, late]: [String; 2],
        other_form: Option<&Cfg>,
        generated_from: Option<&Cfg>,
    ) -> Self {
        let statements = |cfg: &Cfg| {
            let all = cfg.vertices();
            all.flat_map(|(v, vertex)| (0..vertex.statements().len()).map(move |s| (v, s)))
                .collect()
        };
        Self {
            variable,
            late,
            vertices: other_form.map(by_number),
            generated_from: generated_from.map(|cfg| (by_number(cfg), statements(cfg))),
            ..Self::default()
        }
    }
}

/// The routine that a routine was generated from.
pub(super) fn original(program: &Program, r: RoutineId) -> Option<RoutineId> {
    program.routine(r).origin.as_ref()?;
    Signature::of(program, r).original
}

/// A text as a literal.
fn literal(text: &str) -> String {
    let mut made = String::with_capacity(text.len() + 2);
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => made.extend(['\\', char::from(byte)]),
            b' '..=b'~' => made.push(char::from(byte)),
            _ => made.push_str(&format!("\\{byte:03o}")),
        }
    }
    made
}

/// The text of functions with the type of logicals that may be unset.
pub(super) fn logicals(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut word = String::new();
    let (mut quoted, mut last) = (false, ' ');
    for c in text.chars().chain(std::iter::once('\n')) {
        quoted ^= c == '"' && last != '\\';
        last = if last == '\\' { ' ' } else { c };
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        made.push_str(if word == "bool" && !quoted { "cfgrev_logical" } else { &word });
        word.clear();
        made.push(c);
    }
    made.pop();
    made
}

/// A text without what its literals say.
fn unquoted(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let (mut quoted, mut last) = (false, ' ');
    for c in text.chars() {
        let quote = c == '"' && last != '\\';
        last = if last == '\\' { ' ' } else { c };
        if quote {
            quoted = !quoted;
        } else if !quoted {
            made.push(c);
        }
    }
    made
}

/// True if something of an expression is computed before the statement.
pub(super) fn needs_lines(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        if let Expr::Op(op, operands) = e {
            found |= match op.class() {
                OpClass::Reduction => true,
                OpClass::Inquiry => matches!(operands.first(), Some(Expr::Place(p)) if !p.subscripts.is_empty()),
                OpClass::Elemental | OpClass::Transformational => false,
            };
        }
    });
    found
}

impl Writer<'_> {
    /// True if everything is checked.
    pub(super) fn checked(&self) -> bool {
        self.pieces.checked()
    }

    /// A text without literals and members of what notes: what is left names variables.
    pub(super) fn named_in(&self, text: &str) -> String {
        let mut made = unquoted(text);
        for name in [&self.checks.variable, &self.checks.late] {
            made = made.replace(&format!("{name}.at"), name);
        }
        made
    }

    // --- places and messages -------------------------------------------------------------------

    /// The element of the routine that is written, as the executor has it.
    fn element(&self) -> Element {
        let Some((v, statement)) = self.place else {
            return Element::Routine;
        };
        let own = match statement {
            Some(k) => Element::Statement(v, k),
            None => Element::Vertex(v),
        };
        let Some(vertices) = &self.checks.vertices else {
            return own;
        };
        let original = self.file.program.routine(self.id).body.as_ref();
        let (Some(cfg), Some(original)) = (&self.routine.body, original) else {
            return Element::Routine;
        };
        let is_loop = |v: &VertexId| matches!(original.vertex(*v).kind, VertexKind::Loop { .. });
        // A new vertex stands before a loop that was one of the original; the end of a loop has become its step or test.
        match vertices.get(&cfg.vertex(v).id) {
            Some(&v) => match original.vertex(v).kind {
                VertexKind::EndLoop => original.successors(v).find(is_loop).map_or(Element::Vertex(v), Element::Vertex),
                VertexKind::Loop { .. }
                | VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::EndBranch
                | VertexKind::Branch(_) => Element::Vertex(v),
                VertexKind::Block(_) => match statement {
                    Some(k) => Element::Statement(v, k),
                    None => Element::Vertex(v),
                },
            },
            None => {
                let mut next = cfg.successors(v).filter_map(|w| vertices.get(&cfg.vertex(w).id));
                next.find(|v| is_loop(v)).map_or(Element::Routine, |v| Element::Vertex(*v))
            }
        }
    }

    /// The place that is written, in words: the executor's, and of a generated routine that of the original before.
    fn words(&self) -> String {
        let program = self.file.program;
        let element = self.element();
        let routine = program.routine(self.id);
        let mut own = format!("routine {}", routine.name);
        let vertex = match element {
            Element::Vertex(v) | Element::Statement(v, _) => Some(v),
            Element::Program
            | Element::Global(_)
            | Element::Routine
            | Element::Variable(_)
            | Element::Edge(_) => None,
        };
        let cfg = routine.body.as_ref();
        if let (Some(v), Some(cfg)) = (vertex, cfg) {
            own.push_str(&format!(", vertex {}", cfg.vertex(v).id));
        }
        let mut statement = None;
        if let Element::Statement(v, k) = element {
            own.push_str(&format!(", statement {}", k + 1));
            statement = cfg.and_then(|cfg| cfg.vertex(v).statements().get(k));
        }
        let source = |site: &Site| match site.source(program) {
            Some(place) => format!("{place}: "),
            None => String::new(),
        };
        let here = Site::of(self.id, element);
        let Some(original) = original(program, self.id) else {
            return source(&here) + &own;
        };
        let theirs = program.routine(original).body.as_ref();
        let known = self.checks.generated_from.as_ref();
        let at_statement = || {
            let (v, s) = known?.1.get(statement?.origin.number()?)?;
            Some(Element::Statement(*v, *s))
        };
        let at_vertex = || {
            let v = *known?.0.get(&cfg?.vertex(vertex?).origin?.vertex)?;
            Some(match theirs?.vertex(v).statements() {
                [_] => Element::Statement(v, 0),
                // Nothing says which of several statements it is.
                _ => Element::Vertex(v),
            })
        };
        let element = at_statement().or_else(at_vertex);
        let place = Site::of(original, element.unwrap_or(Element::Routine));
        format!("{}{} (in {own})", source(&place), text::site(program, &place))
    }


    /// The messages of some codes, as literals.
    fn messages(&self, codes: &[FaultCode]) -> Vec<String> {
        let mut words = self.words();
        // Literals may be 4095 bytes long.
        if words.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|&end| words.is_char_boundary(end));
            words.truncate(end.unwrap_or(0));
            words.push_str("...");
        }
        let message = |code: &FaultCode| {
            let title = FAULTS.iter().find(|(c, _)| c == code).map_or("", |(_, title)| title);
            format!("\"{}\"", literal(&format!("X{code} {words}: {title}")))
        };
        codes.iter().map(message).collect()
    }

    /// The lines that leave the function if a check since the last stop has found something.
    pub(super) fn stop_lines(&mut self) -> Vec<String> {
        let codes: Vec<FaultCode> = self.pieces.since_stop().into_iter().collect();
        if codes.is_empty() || self.checks.attempts > 0 {
            return Vec::new();
        }
        self.lines_of_stop(&self.checks.variable, &codes)
    }

    fn lines_of_stop(&self, variable: &str, codes: &[FaultCode]) -> Vec<String> {
        let messages = self.messages(codes);
        let memory = &self.memory;
        let mut lines = vec![format!("if ({variable}.at)")];
        if let [one] = &messages[..] {
            lines.push(format!("    return cfgrev_stop({memory}, &{variable}, {one});"));
            return lines;
        }
        lines.push(format!(
            "    return cfgrev_stop_with({memory}, &{variable}, (const char *const []){{"
        ));
        lines.extend(messages.into_iter().map(|m| format!("        {m},")));
        lines.push("        NULL});".to_owned());
        lines
    }

    /// The function leaves if a check since the last stop has found something.
    pub(super) fn stop(&mut self) {
        for line in self.stop_lines() {
            self.lines.line(line);
        }
    }

    /// The function leaves if a reduction has found something, which it looks at when all elements are there.
    pub(super) fn stop_late(&mut self, codes: &[FaultCode]) {
        if self.checks.attempts > 0 {
            return;
        }
        let late = self.checks.late.clone();
        for line in self.lines_of_stop(&late, codes) {
            self.lines.line(line);
        }
    }

    /// The function leaves here, for this reason.
    pub(super) fn leave(&mut self, code: FaultCode) {
        let message = self.messages(&[code]).concat();
        self.lines
            .line(format_args!("{}->message = {message};", self.memory));
        self.lines.line("return 4;");
    }

    /// Writes steps of which what goes wrong is no error.
    pub(super) fn attempt(&mut self, write: impl FnOnce(&mut Self) -> Emitted<()>) -> Emitted<()> {
        self.checks.attempts += 1;
        let done = write(self);
        self.checks.attempts -= 1;
        done
    }

    /// A construct begins at the place that is written.
    pub(super) fn open_place(&mut self) {
        self.checks.open.push((self.place, None));
    }

    /// The construct that was begun last ends, or goes on: its place is that of what is written.
    pub(super) fn back_to_open(&mut self) {
        if let Some((place, _)) = self.checks.open.last() {
            self.place = *place;
        }
    }

    /// The construct that was begun last ends.
    pub(super) fn close_place(&mut self) {
        self.checks.open.pop();
    }

    /// The index of a counted loop goes on.
    pub(super) fn next_pass(&mut self) -> Emitted<()> {
        if let Some((_, passes)) = self.checks.open.last_mut()
            && let Some(Passes { index, step }) = passes.take()
        {
            let code = |text: String| Code::new(text, POSTFIX, ScalarType::Integer);
            let operands = vec![code(index.clone()), code(step)];
            let next = self.apply(Op::Add, operands)?;
            self.lines.line(format_args!("{index} = {};", next.text));
            self.stop();
        }
        Ok(())
    }

    // --- scalars -------------------------------------------------------------------------------

    /// The call of a function that notes what it finds.
    fn noting(&mut self, name: &str, codes: &[FaultCode], arguments: &[&str], ty: ScalarType) -> Code {
        let mut texts = vec![self.pieces.noting(codes)];
        texts.extend(arguments.iter().map(|a| (*a).to_owned()));
        Code::new(format!("{name}({})", texts.join(", ")), POSTFIX, ty)
    }

    /// The truth of a condition.
    pub(super) fn truth(&mut self, code: &Code) -> Code {
        if matches!(code.text.as_str(), "true" | "false") {
            return code.clone();
        }
        self.noting("cfgrev_true", &[UNSET], &[&code.text], ScalarType::Logical)
    }

    /// A condition that decides what is written next, in a variable.
    pub(super) fn decided(&mut self, e: &Expr) -> Emitted<Code> {
        let code = self.scalar(e)?;
        Ok(self.decided_code(&code))
    }

    pub(super) fn decided_code(&mut self, code: &Code) -> Code {
        let code = self.truth(code);
        if code.text == "true" || code.text == "false" {
            self.stop();
            return code;
        }
        let name = self.helper("holds", ScalarType::Logical);
        self.lines.line(format_args!("{name} = {};", code.text));
        self.stop();
        Code::new(name, POSTFIX, ScalarType::Logical)
    }

    /// The opposite of a condition that has been looked at.
    pub(super) fn negated(&mut self, code: Code) -> Emitted<Code> {
        if !self.checked() {
            return self.apply(Op::Not, vec![code]);
        }
        let text = format!("!{}", code.at_least(operators::precedence::UNARY));
        Ok(Code::new(text, operators::precedence::UNARY, ScalarType::Logical))
    }

    /// An integer that must be set, in a variable.
    pub(super) fn set_integer(&mut self, name: &str, code: &Code) -> String {
        let code = if code.integer().is_some() {
            code.clone()
        } else {
            self.pieces.define("cfgrev_set_integer", || {
                "static inline int64_t cfgrev_set_integer(struct cfgrev_check *check, int at, int64_t n) {\n    return n == CFGREV_UNSET_INTEGER ? cfgrev_found(check, at, 202) : n;\n}\n".to_owned()
            });
            self.noting("cfgrev_set_integer", &[UNSET], &[&code.text], ScalarType::Integer)
        };
        let name = self.helper(name, ScalarType::Integer);
        self.lines.line(format_args!("{name} = {};", code.text));
        self.stop();
        name
    }

    /// `if`, `and`, `or`: operands that decide nothing are not evaluated. An operand without value is the value of
    /// `and` and `or`.
    pub(super) fn lazy(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.malformed("an operator has no operands"));
        };
        if op == Op::If {
            let condition = self.scalar(first)?;
            let condition = self.truth(&condition);
            let ty = self.common_type(rest)?;
            let mut arms = Vec::with_capacity(2);
            for e in rest {
                let code = self.scalar(e)?;
                arms.push(operators::convert(code, ty, self.pieces));
            }
            let [yes, no] = &arms[..] else {
                return Err(self.malformed("an operator has other operands"));
            };
            return Ok(checked::choice(&condition, yes, no, ty));
        }
        let so_far = self.helper("so_far", ScalarType::Logical);
        let goes_on = if op == Op::And { "1" } else { "0" };
        let first = self.scalar(first)?;
        let mut text = format!("({so_far} = {})", first.text);
        let Some((last, between)) = rest.split_last() else {
            return Ok(first);
        };
        for e in between {
            let code = self.scalar(e)?;
            text = format!("{text} != {goes_on} ? {so_far} : ({so_far} = {})", code.text);
        }
        let code = self.scalar(last)?;
        let last = code.at_least(operators::precedence::CONDITIONAL);
        text = format!("{text} != {goes_on} ? {so_far} : {last}");
        Ok(Code::new(
            text,
            operators::precedence::CONDITIONAL,
            ScalarType::Logical,
        ))
    }

    /// [`Self::lazy`] with loops in operands that may not be evaluated.
    pub(super) fn lazy_lines(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.malformed("an operator has no operands"));
        };
        if op == Op::If {
            let ty = self.common_type(rest)?;
            let value = self.helper("chosen", ty);
            let condition = self.decided(first)?;
            self.lines.open(format_args!("if ({})", condition.text));
            for (k, e) in rest.iter().enumerate() {
                if k > 0 {
                    self.lines.reopen("} else {");
                }
                let code = self.scalar(e)?;
                let code = operators::convert(code, ty, self.pieces);
                self.lines.line(format_args!("{value} = {};", code.text));
                self.stop();
            }
            self.lines.close();
            return Ok(Code::new(value, POSTFIX, ty));
        }
        let value = self.helper("so_far", ScalarType::Logical);
        let first = self.scalar(first)?;
        self.lines.line(format_args!("{value} = {};", first.text));
        self.stop();
        let goes_on = if op == Op::And { "1" } else { "0" };
        for e in rest {
            self.lines.open(format_args!("if ({value} == {goes_on})"));
            let code = self.scalar(e)?;
            self.lines.line(format_args!("{value} = {};", code.text));
            self.stop();
            self.lines.close();
        }
        Ok(Code::new(value, POSTFIX, ScalarType::Logical))
    }

    /// The value of a condition that is this; one that has no value is not.
    pub(super) fn lenient(&mut self, e: &Expr, sense: bool) -> Emitted<Code> {
        let code = self.scalar(e)?;
        let text = format!("{} == {}", code.at_least(RELATION), u8::from(sense));
        let name = self.helper("holds", ScalarType::Logical);
        self.lines.line(format_args!("{name} = {text};"));
        self.stop();
        Ok(Code::new(name, POSTFIX, ScalarType::Logical))
    }

    /// A reduction with one more element. A sum or product of integers that does not fit is told of when all elements are
    /// there.
    pub(super) fn folded(
        &mut self,
        op: Op,
        so_far: Code,
        x: Code,
        summed: bool,
    ) -> Emitted<Code> {
        if summed && self.checks.attempts == 0 {
            let x = self.hoisted(x);
            self.stop();
            let late = self.checks.late.clone();
            self.pieces.note_in(&late);
            let code = self.apply(op, vec![so_far, x]);
            let own = self.checks.variable.clone();
            self.pieces.note_in(&own);
            self.pieces.since_stop();
            return code;
        }
        self.apply(op, vec![so_far, x])
    }

    fn common_type(&mut self, arms: &[Expr]) -> Emitted<ScalarType> {
        let mut common = ScalarType::Integer;
        for e in arms {
            let ty = self.type_of(e)?;
            if ty != ScalarType::Integer {
                common = ty;
            }
        }
        Ok(common)
    }

    // --- variables -----------------------------------------------------------------------------

    /// The code of what is missing where an array or argument is not there; none of those that always are.
    pub(super) fn missing(&self, v: VarId) -> Option<FaultCode> {
        if let Some(variable) = self.variables.all.get(v.index())
            && let Kind::Array(array) = &variable.kind
            && array.cells == Cells::Allocatable
        {
            return Some(UNALLOCATED);
        }
        match self.routine.variables.get(v.index())?.role {
            Role::Parameter { optional: true, .. } => Some(ABSENT),
            Role::Parameter { .. } | Role::Local | Role::Global(_) => None,
        }
    }

    /// What an inquiry says of an array that must be there; with `lenient`, one without a shape has extents 0.
    pub(super) fn if_there(&mut self, place: &Place, lenient: bool, code: Code) -> Code {
        // A section has been looked at.
        let Some(missing) = self.missing(place.var).filter(|_| place.subscripts.is_empty()) else {
            return code;
        };
        let Kind::Array(array) = &self.variables.all[place.var.index()].kind else {
            return code;
        };
        let there = format!("{} != NULL", array.pointer);
        self.reads(place.var);
        if lenient && missing == UNALLOCATED {
            return code;
        }
        self.pieces.define("cfgrev_if_there", || IF_THERE.to_owned());
        let number = missing.to_string();
        let arguments = [&there, &number, &code.text].map(String::as_str);
        self.noting("cfgrev_if_there", &[missing], &arguments, ScalarType::Integer)
    }

    /// Notes if an array is not there.
    pub(super) fn must_exist(&mut self, v: VarId) {
        let Some(code) = self.missing(v) else {
            return;
        };
        let Some(Kind::Array(array)) = self.variables.all.get(v.index()).map(|v| &v.kind) else {
            return;
        };
        let pointer = array.pointer.clone();
        self.reads(v);
        self.must(&format!("{pointer} != NULL"), code);
    }

    /// Notes if a condition does not hold.
    pub(super) fn must(&mut self, condition: &str, code: FaultCode) {
        let noting = self.pieces.noting(&[code]);
        self.lines.line(format_args!("if (!({condition}))"));
        self.lines
            .line(format_args!("    cfgrev_found({noting}, {code});"));
    }

    /// The value of a scalar place.
    pub(super) fn checked_load(&mut self, place: &Place) -> Emitted<Code> {
        let ty = self.variables.all[place.var.index()].ty;
        if place.subscripts.is_empty() {
            let code = self.scalar_place(place.var)?;
            let Kind::Pointer(pointer) = &self.variables.all[place.var.index()].kind else {
                return Ok(code);
            };
            if self.missing(place.var).is_none() {
                return Ok(code);
            }
            let pointer = pointer.clone();
            let name = format!("cfgrev_given_{}", suffix(ty));
            self.pieces.define(&name, || given(&name, ty));
            return Ok(self.noting(&name, &[ABSENT], &[&pointer], ty));
        }
        let array = self.array_kind(place.var)?;
        let (offset, sure) = self.checked_offset(place, &array)?;
        if sure {
            let text = format!("{}[{}]", array.pointer, offset.code().text);
            return Ok(Code::new(text, POSTFIX, ty));
        }
        let name = format!("cfgrev_element_{}", suffix(ty));
        self.pieces.define(&name, || element(&name, ty));
        let text = format!(
            "{name}(&{}, {}, {})",
            self.checks.variable,
            array.pointer,
            offset.code().text
        );
        Ok(Code::new(text, POSTFIX, ty))
    }

    /// The offset of an element, and whether it is sure that there is one.
    fn checked_offset(&mut self, place: &Place, array: &Array) -> Emitted<(Amount, bool)> {
        let strides = self.variables.strides(array);
        let missing = self.missing(place.var);
        let mut sure = missing.is_none();
        let mut offset = Amount::from(array.offset);
        let all_first = place.subscripts.len() <= 2;
        let mut indices = Vec::with_capacity(place.subscripts.len());
        for k in 0..place.subscripts.len() {
            if k == 0 || !all_first {
                let ahead = if all_first { place.subscripts.len() } else { 1 };
                for subscript in place.subscripts.iter().skip(k).take(ahead) {
                    let Subscript::Index(e) = subscript else {
                        return Err(self.malformed("a section stands for a scalar"));
                    };
                    indices.push(self.scalar(e)?);
                }
            }
            let missing = missing.filter(|_| k == 0).map(|code| (code, array.pointer.clone()));
            let axis = &array.axes[k];
            let (at, in_range) = self.position(&indices[k], &axis.lower, &axis.extent, missing);
            sure &= in_range;
            offset = offset.plus(&at.times(&strides[k]));
        }
        Ok((offset, sure))
    }

    /// The number of elements along a dimension before an index, and whether the index is surely one of the dimension.
    fn position(
        &mut self,
        index: &Code,
        lower: &Bound,
        extent: &Bound,
        missing: Option<(FaultCode, String)>,
    ) -> (Amount, bool) {
        let (lower, extent) = (self.variables.amount(lower), self.variables.amount(extent));
        if let (Some(i), Some(l), Some(n), None) = (
            index.integer(),
            lower.constant(),
            extent.constant(),
            &missing,
        ) && let Some(at) = i.checked_sub(l)
            && (0..n).contains(&at)
        {
            return (at.into(), true);
        }
        let (lower, extent) = (lower.code().text, extent.code().text);
        self.pieces.define("cfgrev_index", || INDEX.to_owned());
        let code = match missing {
            None => self.noting(
                "cfgrev_index",
                &[BOUNDS, UNSET],
                &[&index.text, &lower, &extent],
                ScalarType::Integer,
            ),
            Some((code, pointer)) => {
                self.pieces.define("cfgrev_index_if", || INDEX_IF.to_owned());
                let (test, number) = (format!("{pointer} != NULL"), code.to_string());
                self.noting(
                    "cfgrev_index_if",
                    &[BOUNDS, UNSET, code],
                    &[&test, &number, &index.text, &lower, &extent],
                    ScalarType::Integer,
                )
            }
        };
        (code.into(), false)
    }

    /// An assignment to a scalar place, with its checks behind it.
    pub(super) fn checked_assign(&mut self, target: &Place, value: &Expr) -> Emitted<()> {
        let ty = self.variables.all[target.var.index()].ty;
        let is_target = |e: &Expr| matches!(e, Expr::Place(place) if place == target);
        // What is added to an element comes first.
        if let Expr::Op(op @ (Op::Add | Op::Sub), operands) = value
            && let [left, right] = &**operands
            && ty == ScalarType::Real
            && !target.subscripts.is_empty()
        {
            let rest = match (op, is_target(left), is_target(right)) {
                (_, true, _) => Some(right),
                (Op::Add, false, true) => Some(left),
                _ => None,
            };
            if let Some(rest) = rest {
                self.reads(target.var);
                let code = self.scalar(rest)?;
                let code = operators::convert(code, ty, self.pieces);
                let name = if *op == Op::Add { "add" } else { "sub" };
                return self.store(target, &code, Some(name));
            }
        }
        let code = self.scalar(value)?;
        let code = operators::convert(code, ty, self.pieces);
        self.store(target, &code, None)
    }

    /// A scalar place gets a value, which may note something; `operator` says that the value is added to it.
    pub(super) fn store(
        &mut self,
        target: &Place,
        code: &Code,
        operator: Option<&str>,
    ) -> Emitted<()> {
        let ty = self.variables.all[target.var.index()].ty;
        if target.subscripts.is_empty() {
            let place = self.scalar_place(target.var)?;
            if self.missing(target.var) == Some(ABSENT)
                && let Kind::Pointer(pointer) = &self.variables.all[target.var.index()].kind
            {
                let pointer = pointer.clone();
                let name = format!("cfgrev_give_{}", suffix(ty));
                self.pieces.define(&name, || give(&name, ty));
                let call = self.noting(&name, &[ABSENT], &[&pointer, &code.text], ty);
                self.lines.line(format_args!("{};", call.text));
            } else if place.text != code.text {
                self.lines.line(format_args!("{} = {};", place.text, code.text));
            }
            self.stop();
            return Ok(());
        }
        let mut code = code.clone();
        if target.subscript_exprs().any(needs_lines) {
            code = self.hoisted(code);
            self.stop();
        }
        let array = self.array_kind(target.var)?;
        let (offset, sure) = self.checked_offset(target, &array)?;
        let (pointer, offset) = (&array.pointer, offset.code().text);
        if let (true, None) = (sure, operator) {
            self.lines
                .line(format_args!("{pointer}[{offset}] = {};", code.text));
            self.stop();
            return Ok(());
        }
        let name = match operator {
            None => format!("cfgrev_store_{}", suffix(ty)),
            Some(operator) => format!("cfgrev_{operator}_to_{}", suffix(ty)),
        };
        if let Some(operator) = operator {
            let op = if operator == "add" { Op::Add } else { Op::Sub };
            let x = |name: &str| Code::new(name.to_owned(), POSTFIX, ty);
            // Its function is needed.
            self.apply(op, vec![x("x"), x("y")])?;
        }
        self.pieces.define(&name, || store(&name, ty, operator));
        self.lines.line(format_args!(
            "{name}(&{}, {pointer}, {offset}, {});",
            self.checks.variable, code.text
        ));
        self.stop();
        Ok(())
    }

    /// The offset of an element in a variable, which is one of the array when the function has not left.
    pub(super) fn kept_offset(&mut self, place: &Place) -> Emitted<(Array, Amount)> {
        let array = self.array_kind(place.var)?;
        let (offset, sure) = self.checked_offset(place, &array)?;
        if sure {
            return Ok((array, offset));
        }
        let name = self.helper("at", ScalarType::Integer);
        self.lines
            .line(format_args!("{name} = {};", offset.code().text));
        Ok((array, Code::new(name, POSTFIX, ScalarType::Integer).into()))
    }

    /// A value in a variable, if it notes something or names what may be set before it is used.
    pub(super) fn hoisted(&mut self, code: Code) -> Code {
        if !code.text.contains(&format!("&{}", self.checks.variable)) {
            return code;
        }
        let name = self.helper("value", code.ty);
        self.lines.line(format_args!("{name} = {};", code.text));
        Code::new(name, POSTFIX, code.ty)
    }

    // --- loops ---------------------------------------------------------------------------------

    /// The head of a counted loop: passes are counted, and the index goes on at the end of each.
    pub(super) fn begin_checked_trips(
        &mut self,
        index: VarId,
        [first, last, step]: [&Expr; 3],
    ) -> Emitted<()> {
        self.reads(index);
        let i = self.scalar_place(index)?;
        let i = i.at_least(POSTFIX).into_owned();
        // The executor evaluates them in this order.
        let mut codes = Vec::with_capacity(3);
        for e in [last, step, first] {
            codes.push(self.scalar(e)?);
        }
        let mut kept = Vec::with_capacity(3);
        for (code, name) in codes.into_iter().zip(["last", "step", "first"]) {
            if code.integer().is_some() {
                kept.push(code.text);
                continue;
            }
            let name = self.helper(name, ScalarType::Integer);
            self.lines.line(format_args!("{name} = {};", code.text));
            kept.push(name);
        }
        let [last, step, first] = &kept[..] else {
            return Err(self.malformed("a loop has no range"));
        };
        let code = |text: &String| Code::new(text.clone(), POSTFIX, ScalarType::Integer);
        let count = checked::trips(&[code(first), code(last), code(step)], self.pieces);
        let trips = self.set_integer("trips", &count);
        self.lines.open(format_args!(
            "for ({i} = {first}; {trips} > 0; --{trips})"
        ));
        if let Some((_, passes)) = self.checks.open.last_mut() {
            *passes = Some(Passes {
                index: i,
                step: step.clone(),
            });
        }
        Ok(())
    }

    /// The cells of a section, which are all there when the function has not left.
    pub(super) fn checked_section(&mut self, place: &Place) -> Emitted<View> {
        self.reads(place.var);
        let array = self.array_kind(place.var)?;
        let extents = self.variables.extents(&array.axes);
        let strides = self.variables.strides(&array);
        // All subscripts are evaluated before one is looked at.
        let mut evaluated = Vec::with_capacity(place.subscripts.len());
        for subscript in &place.subscripts {
            let (index, range) = match subscript {
                Subscript::Index(e) => (Some(e), None),
                Subscript::Range(range) => (None, Some(range)),
            };
            let parts = [
                index,
                range.and_then(|r| r.lower.as_ref()),
                range.and_then(|r| r.upper.as_ref()),
                range.and_then(|r| r.stride.as_ref()),
            ];
            let mut amounts: [Option<Amount>; 4] = Default::default();
            for (part, amount) in parts.into_iter().zip(&mut amounts) {
                if let Some(e) = part {
                    *amount = Some(self.kept(e)?);
                }
            }
            evaluated.push(amounts);
        }
        self.must_exist(place.var);
        let mut offset = Amount::from(array.offset);
        let mut axes = Vec::new();
        let mut ranges = Vec::new();
        for (k, [index, from, to, step]) in evaluated.into_iter().enumerate() {
            let (axis, stride) = (&array.axes[k], &strides[k]);
            if let Some(index) = index {
                let at = self.checked_index(&index, &axis.lower, &axis.extent);
                offset = offset.plus(&at.times(stride));
                continue;
            }
            let (unit, whole) = (step.is_none(), from.is_none() && to.is_none());
            ranges.push((k, whole && unit, unit));
            if whole && unit {
                axes.push((extents[k].clone(), stride.clone()));
                continue;
            }
            let lower = self.variables.amount(&axis.lower);
            let from = from.unwrap_or_else(|| lower.clone());
            let to = to.unwrap_or_else(|| lower.plus(&at_least_zero(&extents[k])).minus(1));
            let step = step.unwrap_or_else(|| 1.into());
            let [extent, start, by] =
                self.checked_range([&from, &to, &step], &lower, &extents[k]);
            offset = offset.plus(&start.times(stride));
            axes.push((extent, by.times(stride)));
        }
        self.stop();
        let dense = !array.is_strided()
            && super::array::is_dense(array.order, place.subscripts.len(), &ranges);
        Ok(View {
            pointer: array.pointer,
            offset,
            axes,
            order: array.order,
            ty: self.variables.all[place.var.index()].ty,
            dense,
        })
    }

    /// Notes if two arrays have other extents.
    pub(super) fn must_conform(&mut self, a: &View, b: &View) {
        for ((m, _), (n, _)) in a.axes.iter().zip(&b.axes) {
            let same = match (m.constant(), n.constant()) {
                (Some(m), Some(n)) => m.max(0) == n.max(0),
                _ => m == n,
            };
            if !same {
                self.pieces.define("cfgrev_conform", || CONFORM.to_owned());
                let (m, n) = (m.code().text, n.code().text);
                let call = self.noting("cfgrev_conform", &[SHAPE], &[&m, &n], ScalarType::Integer);
                self.lines.line(format_args!("{};", call.text));
            }
        }
    }

    // --- calls ---------------------------------------------------------------------------------

    /// The number of elements that an argument has: those of an array, -1 if it is not given, -2 if it has no shape yet.
    pub(super) fn cells_of(&mut self, e: &Expr, view: &View) -> String {
        let extents: Vec<Amount> = view.axes.iter().map(|(extent, _)| extent.clone()).collect();
        let size = self.count_of(&extents).code();
        let Expr::Place(place) = e else {
            return size.text;
        };
        if !place.subscripts.is_empty() {
            return size.text;
        }
        let Some(missing) = self.missing(place.var) else {
            return size.text;
        };
        let absent = if missing == ABSENT { "-1" } else { "-2" };
        let pointer = match &self.variables.all[place.var.index()].kind {
            Kind::Array(array) => &array.pointer,
            Kind::Value(name) | Kind::Pointer(name) | Kind::Tape(name) => name,
        };
        format!(
            "{pointer} != NULL ? {} : {absent}",
            size.at_least(operators::precedence::OR)
        )
    }

    /// The number of elements from one on, to the end of its array; 1 of a scalar.
    pub(super) fn cells_from(&mut self, place: &Place, address: &str) -> Emitted<String> {
        if place.subscripts.is_empty() {
            return Ok("1".to_owned());
        }
        let array = self.array_kind(place.var)?;
        if array.is_strided() {
            return Ok("1".to_owned());
        }
        let extents = self.variables.extents(&array.axes);
        let size = self.count_of(&extents);
        let offset = address
            .rsplit_once('[')
            .and_then(|(_, offset)| offset.strip_suffix(']'))
            .unwrap_or("0");
        let offset = Code::new(offset.to_owned(), operators::precedence::SUM, ScalarType::Integer);
        let before = Amount::from(offset).minus(array.offset);
        Ok(size.minus_code(&before).code().text)
    }

    /// Notes arguments that overlap if one of them is written.
    pub(super) fn check_overlaps(
        &mut self,
        _callee: RoutineId,
        _arguments: &[Option<Expr>],
    ) -> Emitted<()> {
        Ok(())
    }

    // --- entry ---------------------------------------------------------------------------------

    /// Evaluates the bounds of all arrays, and compares parameters with what is passed for them.
    pub(super) fn check_entry(&mut self, named: &mut HashSet<String>) -> Emitted<()> {
        self.place = None;
        let all: Vec<(VarId, Array)> = (0..)
            .map(VarId::new)
            .zip(&self.variables.all)
            .filter_map(|(v, variable)| match &variable.kind {
                Kind::Array(array) => Some((v, array.clone())),
                Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => None,
            })
            .collect();
        for (v, array) in all {
            let role = self.routine.variable(v).role;
            let (local, optional) = match role {
                Role::Global(_) => continue,
                Role::Local => (true, false),
                Role::Parameter { optional, .. } => (false, optional),
            };
            if array.cells == Cells::Allocatable {
                continue;
            }
            for axis in &array.axes {
                for bound in [&axis.lower, &axis.extent] {
                    self.kept_bound(bound, optional.then_some(&array.pointer))?;
                }
                let lower = self.variables.amount(&axis.lower);
                let extent = self.variables.amount(&axis.extent);
                self.must_be_bounds(&lower, &extent);
            }
            if let (false, Some(count)) = (local, &array.count) {
                self.reads(v);
                let extents = self.variables.extents(&array.axes);
                let shape = &self.routine.variable(v).shape;
                let is_deferred = |dim: &&Dim| dim.extent == Extent::Deferred;
                let deferred = shape.iter().filter(is_deferred).count();
                let name = match deferred {
                    0 => "cfgrev_bind",
                    _ => "cfgrev_bind_shape",
                };
                let size = self.count_of(&extents).code().text;
                self.pieces.define(name, || bind(deferred > 0));
                let codes = [MEMORY, SHAPE, ABSENT, UNALLOCATED];
                let call = self.noting(name, &codes, &[count, &size], ScalarType::Integer);
                if optional {
                    self.lines.line(format_args!("if ({count} != -1)"));
                    self.lines.line(format_args!("    {};", call.text));
                } else {
                    self.lines.line(format_args!("{};", call.text));
                }
            }
            self.stop();
        }
        named.extend(self.variables.bounds.iter().map(|b| b.name.clone()));
        Ok(())
    }

    /// A bound in its variable, as on entry.
    fn kept_bound(&mut self, bound: &Bound, optional: Option<&String>) -> Emitted<()> {
        let Bound::Kept(k) = bound else {
            return Ok(());
        };
        let kept = &mut self.variables.bounds[*k];
        let (name, value) = (kept.name.clone(), kept.value.clone());
        kept.used = true;
        let Some(e) = value else {
            return Ok(());
        };
        let code = self.scalar(&e)?;
        let text = match optional {
            Some(pointer) => {
                let code = code.at_least(operators::precedence::OR);
                format!("{pointer} != NULL ? {code} : 0")
            }
            None => code.text,
        };
        self.lines
            .line(format_args!("const int64_t {name} = {text};"));
        self.stop();
        Ok(())
    }

    /// Makes the cells of local arrays and of parameters that only come out such that were never set.
    pub(super) fn forget_at_entry(&mut self) {
        for k in 0..self.variables.all.len() {
            let v = VarId::new(k);
            let ty = self.variables.all[k].ty;
            let (out, optional) = match self.routine.variable(v).role {
                Role::Parameter { intent, optional } => (intent == Intent::Out, optional),
                Role::Local => (false, false),
                Role::Global(_) => continue,
            };
            let line = match self.variables.all[k].kind.clone() {
                Kind::Pointer(name) if out && !optional => {
                    format!("*{name} = {};", checked::unset(ty))
                }
                Kind::Array(array) if out => {
                    let extents = self.variables.extents(&array.axes);
                    let size = self.count_of(&extents).code().text;
                    let line = self.forget_cells(&array.pointer, &size, ty);
                    if optional {
                        format!("if ({})\n        {line}", array.pointer)
                    } else {
                        line
                    }
                }
                Kind::Array(array) if self.variables.all[k].used => match array.cells {
                    Cells::Fixed(n) => self.forget_cells(&array.pointer, &n.to_string(), ty),
                    Cells::Given | Cells::Work | Cells::Allocatable => continue,
                },
                Kind::Array(_) | Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => continue,
            };
            if out {
                self.reads(v);
            }
            self.lines.line(line);
        }
    }

    // --- shapes --------------------------------------------------------------------------------

    /// The number of elements, the largest integer if that does not fit.
    pub(super) fn count_of(&self, extents: &[Amount]) -> Amount {
        let mut size: Option<Amount> = None;
        for extent in extents {
            size = Some(match size {
                None if extents.len() == 1 => at_least_zero(extent),
                None => extent.clone(),
                Some(size) => match (size.constant(), extent.constant()) {
                    (Some(m), Some(n)) if m.max(0).checked_mul(n.max(0)).is_some() => {
                        (m.max(0) * n.max(0)).into()
                    }
                    _ => {
                        let text = format!(
                            "cfgrev_count({}, {})",
                            size.code().text,
                            extent.code().text
                        );
                        Code::new(text, POSTFIX, ScalarType::Integer).into()
                    }
                },
            });
        }
        size.unwrap_or_else(|| 1.into())
    }

    /// Notes if the bounds of a dimension are not set or leave the integers.
    pub(super) fn must_be_bounds(&mut self, lower: &Amount, extent: &Amount) {
        if let (Some(l), Some(n)) = (lower.constant(), extent.constant())
            && l.checked_add(n.max(0)).is_some()
        {
            return;
        }
        self.pieces.define("cfgrev_bounds", || BOUNDS_OF.to_owned());
        let (lower, extent) = (lower.code().text, extent.code().text);
        let call = self.noting(
            "cfgrev_bounds",
            &[UNSET, OVERFLOW],
            &[&lower, &extent],
            ScalarType::Integer,
        );
        self.lines.line(format_args!("{};", call.text));
    }

    /// The extent, start and step of a range of a section, in variables; the function has not left if they are not those
    /// of elements.
    pub(super) fn checked_range(
        &mut self,
        [first, last, step]: [&Amount; 3],
        lower: &Amount,
        size: &Amount,
    ) -> [Amount; 3] {
        let text = |x: &Amount| x.code().text;
        // The function of trips is needed.
        let codes = [first, last, step].map(Amount::code);
        let _ = checked::trips(&codes, self.pieces);
        self.pieces.define("cfgrev_trips_range", || RANGE.to_owned());
        let arguments = [first, last, step, lower, size].map(text);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let codes = [BOUNDS, UNSET, OVERFLOW, STEP];
        let call = self.noting("cfgrev_trips_range", &codes, &arguments, ScalarType::Integer);
        let extent = self.helper("extent", ScalarType::Integer);
        self.lines.line(format_args!("{extent} = {};", call.text));
        let amount = |name: String| Amount::from(Code::new(name, POSTFIX, ScalarType::Integer));
        let start = match (first.constant(), lower.constant()) {
            (Some(a), Some(b)) if a == b => 0.into(),
            _ => {
                let start = self.helper("start", ScalarType::Integer);
                self.lines.line(format_args!(
                    "{start} = {extent} > 0 ? {} : 0;",
                    first.minus_code(lower).code().text
                ));
                amount(start)
            }
        };
        let by = match step.constant() {
            Some(n) if n.unsigned_abs() < 1 << 16 => n.into(),
            _ => {
                let by = self.helper("by", ScalarType::Integer);
                self.lines.line(format_args!(
                    "{by} = {extent} > 1 ? {} : 0;",
                    step.code().at_least(RELATION)
                ));
                amount(by)
            }
        };
        [amount(extent), start, by]
    }

    /// The position of an index of a section, in a variable.
    pub(super) fn checked_index(&mut self, index: &Amount, lower: &Bound, extent: &Bound) -> Amount {
        let (at, sure) = self.position(&index.code(), lower, extent, None);
        if sure {
            return at;
        }
        let name = self.helper("at", ScalarType::Integer);
        self.lines.line(format_args!("{name} = {};", at.code().text));
        Code::new(name, POSTFIX, ScalarType::Integer).into()
    }

    /// A function that makes elements such that were never set.
    pub(super) fn forget_cells(&mut self, pointer: &str, count: &str, ty: ScalarType) -> String {
        let name = format!("cfgrev_forget_{}", suffix(ty));
        self.pieces.define(&name, || forget(&name, ty));
        format!("{name}({pointer}, {count});")
    }
}

fn c_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Logical => "cfgrev_logical",
        ScalarType::Real | ScalarType::Real32 | ScalarType::Integer | ScalarType::Tape => {
            super::variable::c_type(ty)
        }
    }
}

fn given(name: &str, ty: ScalarType) -> String {
    let (c, unset) = (c_type(ty), checked::unset(ty));
    format!(
        "static inline {c} {name}(struct cfgrev_check *check, int at, const {c} *x) {{\n    if (!x) {{\n        cfgrev_found(check, at, 213);\n        return {unset};\n    }}\n    return *x;\n}}\n"
    )
}

fn give(name: &str, ty: ScalarType) -> String {
    let c = c_type(ty);
    format!(
        "static inline void {name}(struct cfgrev_check *check, int at, {c} *x, {c} value) {{\n    if (x) {{\n        *x = value;\n    }} else {{\n        cfgrev_found(check, at, 213);\n    }}\n}}\n"
    )
}

fn element(name: &str, ty: ScalarType) -> String {
    let (c, unset) = (c_type(ty), checked::unset(ty));
    format!(
        "static inline {c} {name}(const struct cfgrev_check *check, const {c} *x, int64_t at) {{\n    return check->at ? {unset} : x[at];\n}}\n"
    )
}

fn store(name: &str, ty: ScalarType, operator: Option<&str>) -> String {
    let c = c_type(ty);
    let value = match operator {
        None => "value".to_owned(),
        Some(operator) => format!("cfgrev_{operator}_{}(x[at], value)", suffix(ty)),
    };
    format!(
        "static inline void {name}(const struct cfgrev_check *check, {c} *x, int64_t at, {c} value) {{\n    if (!check->at) {{\n        x[at] = {value};\n    }}\n}}\n"
    )
}

fn forget(name: &str, ty: ScalarType) -> String {
    let (c, unset) = (c_type(ty), checked::unset(ty));
    format!(
        "static inline void {name}({c} *x, int64_t count) {{\n    int64_t k;\n    for (k = 0; k < count; ++k) {{\n        x[k] = {unset};\n    }}\n}}\n"
    )
}

/// What a parameter needs is compared with what its argument has.
fn bind(same: bool) -> String {
    let (name, test) = if same {
        ("cfgrev_bind_shape", "count != INT64_MAX && size != count")
    } else {
        ("cfgrev_bind", "size > count")
    };
    format!(
        "static inline void {name}(struct cfgrev_check *check, int at, int64_t count, int64_t size) {{\n    if (count < 0) {{\n        cfgrev_found(check, at, count == -1 ? 213 : 215);\n    }} else if (size == INT64_MAX) {{\n        cfgrev_found(check, at, 210);\n    }} else if ({test}) {{\n        cfgrev_found(check, at, 212);\n    }}\n}}\n"
    )
}

/// The number of elements before the one with this index; 0 if there is none.
const INDEX: &str = "\
static inline int64_t cfgrev_index(struct cfgrev_check *check, int at, int64_t i, int64_t lower, int64_t extent) {
    if (i >= lower && extent > 0 && (uint64_t)i - (uint64_t)lower < (uint64_t)extent && i != CFGREV_UNSET_INTEGER) {
        return i - lower;
    }
    cfgrev_found(check, at, i == CFGREV_UNSET_INTEGER ? 202 : 201);
    return 0;
}
";

const INDEX_IF: &str = "\
static inline int64_t cfgrev_index_if(struct cfgrev_check *check, int at, bool there, int code, int64_t i, int64_t lower,
                                      int64_t extent) {
    if (there) {
        return cfgrev_index(check, at, i, lower, extent);
    }
    cfgrev_found(check, at, code);
    return 0;
}
";

const IF_THERE: &str = "\
static inline int64_t cfgrev_if_there(struct cfgrev_check *check, int at, bool there, int code, int64_t n) {
    return there ? n : cfgrev_found(check, at, code);
}
";

const CONFORM: &str = "\
static inline void cfgrev_conform(struct cfgrev_check *check, int at, int64_t m, int64_t n) {
    if (m != n && (m > 0 || n > 0)) {
        cfgrev_found(check, at, 212);
    }
}
";

const BOUNDS_OF: &str = "\
static inline void cfgrev_bounds(struct cfgrev_check *check, int at, int64_t lower, int64_t extent) {
    if (lower == CFGREV_UNSET_INTEGER || extent == CFGREV_UNSET_INTEGER) {
        cfgrev_found(check, at, 202);
    } else if (extent > 0 && lower > INT64_MAX - extent) {
        cfgrev_found(check, at, 203);
    }
}
";

/// The number of elements of a range, which are all there.
const RANGE: &str = "\
static inline int64_t cfgrev_trips_range(struct cfgrev_check *check, int at, int64_t first, int64_t last, int64_t step,
                                         int64_t lower, int64_t size) {
    const int64_t count = cfgrev_trips_integer(check, at, first, last, step);
    const uint64_t room = size > 0 ? (uint64_t)size : 0;
    uint64_t start, end;
    if (count == CFGREV_UNSET_INTEGER) {
        cfgrev_found(check, at, 202);
        return 0;
    }
    if (count == 0) {
        return 0;
    }
    start = (uint64_t)first - (uint64_t)lower;
    end = start + (uint64_t)(count - 1) * (uint64_t)step;
    if (first < lower || start >= room || (step > 0 ? end < start : end > start) || end >= room) {
        cfgrev_found(check, at, 201);
        return 0;
    }
    return count;
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(literal("a\"b\\?\n é"), "a\\\"b\\\\\\?\\012 \\303\\251");
    }
}
