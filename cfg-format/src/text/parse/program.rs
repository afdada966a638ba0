//! Parsing programs: names of routines and globals, the globals and sources, and the places of routines.

use super::{Fail, Kind, Parse, Parser, codes, routine::Names};
use cfg_core::{
    entity::{GlobalId, RecordId, RoutineId},
    ir::{Field, Global, Order, Overlay, Record, Role, ScalarType, Variable},
};

impl Parser<'_> {
    /// Reports the first carriage return that ends a line by itself.
    pub(super) fn line_ends(&mut self) {
        let bytes = self.text.as_bytes();
        let mut returns = bytes.iter().enumerate().filter(|(_, b)| **b == b'\r');
        if let Some((at, _)) = returns.find(|(at, _)| bytes.get(at + 1) != Some(&b'\n')) {
            let message = "a carriage return without a line feed behind it";
            let help = "lines end in LF or CR LF: convert the file (`tr '\\r' '\\n'`)";
            self.report(at, &codes::SYNTAX, message, help);
        }
    }

    /// Finds the names of routines and globals, for uses that come before.
    pub(super) fn collect_names(&mut self) {
        let (mut routines, mut globals, mut records) = (0, 0, 0);
        while !self.is_end() {
            if !self.is_assignment() {
                while ["main", "aliased", "general", "external"]
                    .iter()
                    .any(|w| self.is_word(w))
                    && self.token_at(1).kind == Kind::Word
                {
                    self.at += 1;
                }
                if self.is_word("subroutine") || self.is_word("function") {
                    self.at += 1;
                    let start = self.current_token().start;
                    if let Some(name) = self.without_reports(|p| p.parse_name("")) {
                        let id = RoutineId::new(routines);
                        if let Some(first) = self.routines.insert(name.clone(), id) {
                            let message = format!("routine `{name}` is declared twice");
                            self.report(start, &codes::TWICE, message, "rename one of the two");
                            self.routines.insert(name, first);
                        }
                    }
                    routines += 1;
                } else if self.is_record() {
                    self.at += 1;
                    let start = self.current_token().start;
                    if let Some(name) = self.without_reports(|p| p.parse_name("")) {
                        let id = RecordId::new(records);
                        if let Some(first) = self.records.insert(name.clone(), id) {
                            let message = format!("record `{name}` is declared twice");
                            self.report(start, &codes::TWICE, message, "rename one of the two");
                            self.records.insert(name, first);
                        }
                    }
                    records += 1;
                } else if self.is_word("global") {
                    // Its name stands behind its type.
                    self.at += 1;
                    while self.take_symbol("^") {}
                    self.at += if self.is_word("record") { 2 } else { 1 };
                    let start = self.current_token().start;
                    if let Some(name) = self.without_reports(|p| p.parse_name("")) {
                        let id = GlobalId::new(globals);
                        if let Some(first) = self.globals.insert(name.clone(), id) {
                            let message = format!("global `{name}` is declared twice");
                            self.report(start, &codes::TWICE, message, "rename one of the two");
                            self.globals.insert(name, first);
                        }
                    }
                    globals += 1;
                }
            }
            self.skip_line();
        }
        self.at = 0;
    }

    pub(super) fn parse_program(&mut self) {
        // Globals come first in the program, wherever they stand: routines that use them have copies.
        let mut at_routines = Vec::new();
        let mut inside = false;
        while !self.is_end() {
            if self.is_head() {
                at_routines.push(self.at);
                inside = true;
            } else if self.is_word("global") && !self.is_assignment() {
                self.parse_global();
                continue;
            } else if self.is_record() {
                self.parse_record();
                continue;
            } else if self.is_source() {
                self.parse_line(Self::parse_sources);
                continue;
            } else if !inside {
                let fail = self.report_unexpected(
                    "`subroutine`, `function` or `global`",
                    "a program is made of routines and globals, and of the names of its sources",
                );
                let Fail = fail;
            }
            self.skip_line();
        }
        for at in at_routines {
            self.at = at;
            self.parse_routine();
            self.between_routines();
        }
    }

    /// Skips the globals and sources behind the end of a routine, and reports lines that begin neither a global nor
    /// the next routine.
    fn between_routines(&mut self) {
        while !self.is_end() && !self.is_head() {
            if self.is_record() {
                while !self.is_end() && !self.is_word("end") {
                    self.skip_line();
                }
            } else if !self.is_source() && (!self.is_word("global") || self.is_assignment()) {
                let message = "this stands outside of routines";
                let help = "one `end` too many before it ends the routine: remove that, or this";
                self.report(self.current_token().start, &codes::OPEN, message, help);
                return;
            }
            self.skip_line();
        }
    }

    /// True if a record is declared here: its name stands alone on the line.
    fn is_record(&self) -> bool {
        self.is_word("record")
            && matches!(self.token_at(1).kind, Kind::Word | Kind::Quoted)
            && self.token_at(2).kind == Kind::Newline
    }

    /// `record Point`, a line for each field or several of one type, `end`.
    fn parse_record(&mut self) {
        let start = self.current_token().start;
        let name = self.parse_line(|p| {
            p.at += 1;
            p.parse_name("the name of a record")
        });
        let mut record = Record {
            name: name.unwrap_or_default(),
            fields: Vec::new(),
        };
        let mut places = Vec::new();
        loop {
            if self.is_end() || self.is_head() {
                let help = "close it with `end` on a line of its own";
                self.report(start, &codes::OPEN, "the record has no end", help);
                break;
            }
            if self.is_word("end") && self.token_at(1).kind == Kind::Newline {
                self.skip_line();
                break;
            }
            let read = self.parse_line(|p| p.parse_fields(&mut record, &mut places));
            let _: Option<()> = read;
        }
        self.program.records.push(record);
        self.places.records.push((start, places));
    }

    /// `real x, y[3]`.
    fn parse_fields(&mut self, record: &mut Record, places: &mut Vec<usize>) -> Parse<()> {
        let ty = self.expected_type()?;
        loop {
            let at = self.current_token().start;
            let name = self.parse_name("the name of a field")?;
            let (shape, order) = self.parse_shape(&Names::default())?;
            if order == Order::Column {
                let help = "leave out `column`: the last subscript of a field varies fastest";
                let message = "a field in column order";
                return Err(self.report(at, &codes::SYNTAX, message, help));
            }
            record.fields.push(Field { name, ty, shape });
            places.push(at);
            if !self.take_symbol(",") {
                return Ok(());
            }
        }
    }

    /// True if names of sources stand here.
    fn is_source(&self) -> bool {
        self.is_word("source") && self.token_at(1).kind == Kind::Quoted
    }

    /// Parses `source "f.c"`.
    fn parse_sources(&mut self) -> Parse<()> {
        self.at += 1;
        loop {
            let name = self.parse_name("the name of a source")?;
            self.program.sources.push(name);
            if !self.take_symbol(",") {
                return Ok(());
            }
        }
    }

    /// True if a routine's head begins here.
    pub(super) fn is_head(&self) -> bool {
        let mut ahead = 0;
        while ["main", "aliased", "general", "external"]
            .iter()
            .any(|w| self.word_at(ahead, w))
        {
            ahead += 1;
        }
        (self.word_at(ahead, "subroutine") || self.word_at(ahead, "function"))
            && matches!(self.token_at(ahead + 1).kind, Kind::Word | Kind::Quoted)
    }

    /// `global real a[3] = 1.0, 2.0, 3.0` or `global real b overlays a at 1`.
    fn parse_global(&mut self) {
        let start = self.current_token().start;
        let id = GlobalId::new(self.program.globals.len());
        let read = self.parse_line(|p| {
            p.at += 1;
            let ty = p.expected_type()?;
            let name = p.parse_name("the name of a global")?;
            let mut variable = Variable::new(name, ty, Vec::new(), Role::Global(id));
            let nothing = Names::default();
            (variable.shape, variable.order) = p.parse_shape(&nothing)?;
            variable.origin = p.origin_of_variable()?;
            variable.at = p.parse_span()?;
            let mut global = Global {
                variable,
                initial: None,
                overlay: None,
            };
            if p.take_symbol("=") || p.take_symbol(":=") {
                let mut values = Vec::new();
                loop {
                    values.push(p.parse_constant()?);
                    if !p.take_symbol(",") {
                        break;
                    }
                }
                global.initial = Some(values.into());
            }
            if p.take_word("overlays") {
                let token = p.current_token();
                let base = p.parse_name("the name of a global")?;
                let base = p.global_named(&base, token.start)?;
                if !p.take_word("at") {
                    return Err(p.report_unexpected("`at`", "write `overlays NAME at OFFSET`"));
                }
                let offset = p.parse_integer("an offset")?;
                global.overlay = Some(Overlay { base, offset });
            }
            Ok(global)
        });
        let failed = read.is_none();
        let global = read.unwrap_or_else(|| Global {
            variable: Variable::new("", ScalarType::Real, Vec::new(), Role::Global(id)),
            initial: None,
            overlay: None,
        });
        // An unreadable global keeps its number; the program has errors and is not used.
        debug_assert!(!failed || !self.problems.is_empty());
        self.program.globals.push(global);
        self.places.globals.push(start);
    }
}
