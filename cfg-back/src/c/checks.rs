//! Checks: where a function stops because something goes wrong, and what it says then.
//!
//! Each operation that may go wrong notes it with its number in the order of evaluation (`operators::checked`) and goes on
//! with a value that was never set; behind the statement, before anything that must not be done then, the function
//! returns. The message is that of the operation with the lowest number, so that it is the executor's, whatever order C
//! evaluates operands in.
//!
//! | file | what |
//! |---|---|
//! | `scalar`, `place`, `shape`, `tape` | what is checked |
//! | `entry` | arguments and parameters |
//! | `overlaps` | arguments that share cells |
//! | `functions` | functions of C |

mod entry;
mod functions;
mod overlaps;
mod place;
mod scalar;
mod shape;
mod tape;

pub(super) use overlaps::Reach;

use super::{
    Emitted,
    faults::{FAULTS, LONGEST, Passes, STOP, literal, original},
    file::Stops,
    lines::Statement,
    names::escape_comment,
    operators::{Code, Name, checked::FaultCode},
    writer::Writer,
};
use cfg_core::{
    diagnostic::site::{Element, Site},
    entity::VertexId,
    ir::{Op, VertexKind},
    text,
};

/// As much of a text as a literal may have: at most 4095 bytes.
fn shortened(text: &str) -> &str {
    let end = (0..=LONGEST.min(text.len())).rev();
    let end = end.into_iter().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

impl Writer<'_> {
    /// True if everything is checked.
    pub(super) fn is_checked(&self) -> bool {
        self.pieces.is_checked()
    }

    // --- places and messages -------------------------------------------------------------------

    /// The element of the routine that is written, as the executor has it.
    fn current_element(&self) -> Element {
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
            Some(&v) => match (&original.vertex(v).kind, statement) {
                (VertexKind::EndLoop, _) => original
                    .successors(v)
                    .find(is_loop)
                    .map_or(Element::Vertex(v), Element::Vertex),
                (VertexKind::Block(_), Some(k)) => Element::Statement(v, k),
                _ => Element::Vertex(v),
            },
            None => {
                let mut next = cfg
                    .successors(v)
                    .filter_map(|w| vertices.get(&cfg.vertex(w).id));
                next.find(|v| is_loop(v))
                    .map_or(Element::Routine, |v| Element::Vertex(*v))
            }
        }
    }

    /// The place that is written, in words: the executor's, and of a generated routine that of the original before.
    fn describe_place(&self) -> String {
        let program = self.file.program;
        let element = self.current_element();
        let routine = program.routine(self.id);
        let mut own = format!("routine {}", routine.name);
        let vertex = match element {
            Element::Vertex(v) | Element::Statement(v, _) => Some(v),
            Element::Program
            | Element::Global(_)
            | Element::Record(..)
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
        let here = Site::whole(self.id, element);
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
        let place = Site::whole(original, element.unwrap_or(Element::Routine));
        format!(
            "{}{} (in {own})",
            source(&place),
            text::site_text(program, &place)
        )
    }

    /// The messages of some codes, as literals.
    fn fault_messages(&self, codes: &[FaultCode]) -> Vec<String> {
        let mut words = self.describe_place();
        let kept = shortened(&words).len();
        if kept < words.len() {
            words.truncate(kept);
            words.push_str("...");
        }
        let message = |code: &FaultCode| {
            let title = FAULTS
                .iter()
                .find(|(c, _)| c == code)
                .map_or("", |(_, title)| title);
            literal(&format!("X{code} {words}: {title}"))
        };
        codes.iter().map(message).collect()
    }

    /// The statement that leaves the function if a check since the last stop has found something.
    pub(super) fn stops(&mut self) -> Option<Statement> {
        let codes: Vec<FaultCode> = self.pieces.since_stop().into_iter().collect();
        let stops = !codes.is_empty() && self.checks.attempts == 0;
        stops.then(|| self.stop_of(&self.checks.variable, &codes))
    }

    fn stop_of(&self, variable: &Name, codes: &[FaultCode]) -> Statement {
        let names = [variable.clone(), self.memory.clone()];
        Statement::Stop(names, self.fault_messages(codes))
    }

    /// The function leaves if a check since the last stop has found something.
    pub(super) fn stop_on_fault(&mut self) {
        let stops = self.stops();
        self.lines.extend(stops);
    }

    /// The function leaves if a reduction has found something, which it looks at when all elements are there.
    pub(super) fn stop_late(&mut self, codes: &[FaultCode]) {
        if self.checks.attempts == 0 {
            self.add(self.stop_of(&self.checks.late, codes));
        }
    }

    /// The function leaves here, for this reason.
    pub(super) fn leave_function(&mut self, code: FaultCode) {
        let message = self.fault_messages(&[code]).concat();
        let memory = Code::from(self.memory.clone());
        self.set(&memory.member("->message"), Code::text(&message));
        self.add(Statement::Return(4.into()));
    }

    /// The program ends here, with this message.
    pub(super) fn stop_program(&mut self, text: &str) {
        self.made.can_fail = true;
        let message = match self.file.stops {
            _ if self.is_checked() => Some(format!(
                "X{STOP} {}: the program stopped: {text}",
                self.describe_place()
            )),
            Stops::Status => None,
            Stops::Message => Some(text.to_owned()),
            Stops::Place => (self.current_element().statement())
                .map(|(v, s)| format!("{} {} {s}", self.id.index(), v.index())),
        };
        match message {
            Some(message) => {
                let tape = self.work_parameter();
                let message = literal(shortened(&message));
                self.set(&tape.member("->message"), Code::text(&message));
            }
            None => {
                self.add(Statement::Comment(escape_comment(shortened(text))));
            }
        }
        self.add(Statement::Return(3.into()));
    }

    /// Writes steps of which what goes wrong is no error.
    pub(super) fn without_stops(
        &mut self,
        write: impl FnOnce(&mut Self) -> Emitted<()>,
    ) -> Emitted<()> {
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
            self.set_place(*place);
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
            let next = self.emit_operator(Op::Add, vec![index.clone(), step])?;
            self.set(&index, next);
            self.stop_on_fault();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    /// Texts have up to 3900 bytes, and no part of a character.
    #[test]
    fn texts_are_cut() {
        for (length, kept) in [(3899, 3899), (3900, 3900), (3901, 3900)] {
            assert_eq!(shortened(&"x".repeat(length)).len(), kept);
        }
        let text = format!("{}é", "x".repeat(3899));
        assert_eq!(shortened(&text).len(), 3899);
        assert_eq!(shortened(&text[1..]).len(), 3900);
    }
}
