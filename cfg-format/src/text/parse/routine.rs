//! Parsing routines: heads and declarations.

use super::{Fail, Kind, Parse, Parser, RoutinePlaces, codes};
use cfg_core::{
    entity::VarId,
    ir::{
        Control, Derivatives, Dim, Expr, Extent, External, Intent, NameOrigin, Order, Partial,
        Role, Routine, ScalarType, Variable,
    },
};
use std::collections::HashMap;

/// The names of a routine's variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    table: HashMap<String, VarId>,
    /// The only tape.
    pub(super) tape: Option<VarId>,
    /// True until all names are known: every name stands for the first variable.
    collecting: bool,
    /// True if a declaration could not be read, which may declare an unknown name.
    pub(super) lost: bool,
    /// The number of problems that were told before the routine.
    pub(super) told: usize,
}

impl Names {
    pub(super) fn find(&self, name: &str) -> Option<VarId> {
        let known = self.table.get(name).copied();
        known.or(self.collecting.then(|| VarId::new(0)))
    }

    /// The names of a routine's variables.
    fn collect(routine: &Routine) -> Self {
        let mut names = Self::default();
        for (i, v) in routine.variables.iter().enumerate() {
            names.table.entry(v.name.clone()).or_insert(VarId::new(i));
        }
        names
    }

    /// All names, in alphabetical order.
    pub(super) fn known(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.table.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}

/// A shape with the order of its elements.
type Shape = (Vec<Dim>, Order);

impl Parser<'_> {
    /// The extents that a text gives, in terms of the variables of a routine: in brackets, or one alone.
    pub(super) fn parse_extents(&mut self, routine: &Routine) -> Option<Vec<Dim>> {
        let names = Names::collect(routine);
        let read = self.parse_line(|p| {
            if p.is_symbol("[") {
                return p.parse_shape(&names).map(|(shape, _)| shape);
            }
            Ok(vec![Dim {
                lower: Expr::Int(1),
                extent: Extent::Fixed(p.parse_expr(&names)?),
            }])
        });
        if !self.is_end() {
            self.report_unexpected(
                "the end of the extents",
                "write one expression, or several in brackets",
            );
        }
        read
    }

    pub(super) fn parse_routine(&mut self) {
        self.unknown.clear();
        let start = self.at;
        // The first reading collects names; problems are reported in the second.
        let (count, failed) = (self.problems.len(), self.failed);
        let collecting = Names {
            collecting: true,
            ..Names::default()
        };
        let (mut routine, mut places) = (Routine::default(), RoutinePlaces::default());
        let complete = self.parse_declarations(&collecting, &mut routine, &mut places);
        self.problems.truncate(count);
        self.failed = failed;
        self.unknown.clear();
        let mut names = Names {
            lost: !complete,
            told: count,
            ..Names::collect(&routine)
        };
        self.at = start;
        let (mut routine, mut places) = (Routine::default(), RoutinePlaces::default());
        names.lost = !self.parse_declarations(&names, &mut routine, &mut places);
        self.report_duplicates(&routine, &places);
        let tapes = routine.variables.iter().enumerate();
        let mut tapes = tapes.filter(|(_, v)| v.ty == ScalarType::Tape);
        if let (Some((tape, _)), None) = (tapes.next(), tapes.next()) {
            names.tape = Some(VarId::new(tape));
        }
        if routine.external.is_some() || self.is_external(start) {
            // A routine may consist of its head alone; with given derivatives that is valid.
            if routine.derivatives.is_none() {
                external(&mut routine);
            }
            self.end_of_external(&routine);
        } else if self.is_graph_line() {
            self.parse_graph(&names, &mut routine, &mut places);
        } else {
            self.parse_body(&names, &mut routine, &mut places);
        }
        self.push_routine(routine, places);
    }

    fn is_external(&self, mut at: usize) -> bool {
        while let Some(&token) = self.tokens.get(at) {
            match self.token_text(token) {
                "external" => return true,
                "main" | "aliased" | "general" => at += 1,
                _ => return false,
            }
        }
        false
    }

    fn end_of_external(&mut self, routine: &Routine) {
        if self.is_word("end") {
            let read = self.parse_line(|p| {
                p.at += 1;
                p.end_of_routine(routine);
                Ok(())
            });
            let _: Option<()> = read;
            return;
        }
        let Fail = self.report_unexpected(
            "`end`",
            "an external routine has declarations only: leave out `external`, or its body",
        );
        while !self.is_end() && !self.is_word("end") {
            self.skip_line();
        }
        self.skip_line();
    }

    /// Names that are declared twice.
    fn report_duplicates(&mut self, routine: &Routine, places: &RoutinePlaces) {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (i, v) in routine.variables.iter().enumerate() {
            if v.name.is_empty() && places.variables.get(i) == Some(&places.head) {
                continue;
            }
            if seen.insert(&v.name, i).is_some() {
                let at = places.variables.get(i).copied().unwrap_or(places.head);
                let message = format!("variable `{}` is declared twice", v.name);
                self.report(at, &codes::TWICE, message, "rename one of the two");
            }
        }
    }

    /// Reads the head and the lines of declarations after it; true if all declarations of variables could be read.
    fn parse_declarations(
        &mut self,
        names: &Names,
        routine: &mut Routine,
        places: &mut RoutinePlaces,
    ) -> bool {
        places.head = self.current_token().start;
        let mut result = None;
        let head = self.parse_line(|p| p.parse_head(names, routine, places, &mut result));
        let mut complete = head.is_some();
        while !self.is_end() {
            let first = self.current_token();
            let word = self.token_text(first);
            if first.kind != Kind::Word || self.is_assignment() {
                break;
            }
            match word {
                "local" | "uses" | "independent" | "dependent" | "tangent" | "adjoint"
                | "value" | "partials" | "partial" => {
                    self.at += 1;
                    let read =
                        self.parse_line(|p| p.parse_declaration(word, names, routine, places));
                    complete &= read.is_some() || !matches!(word, "local" | "uses");
                }
                "parameter" => {
                    let Fail = self.report_unexpected(
                        "`local` or `uses`",
                        "parameters stand in the parentheses of the head",
                    );
                    complete = false;
                    self.skip_line();
                }
                _ if self.is_bare_declaration() => {
                    let help = "declare variables with `local`, a line for each type: `local real x, y[n]`";
                    let Fail = self.report_unexpected("`local`", help);
                    complete = false;
                    self.skip_line();
                }
                _ => break,
            }
        }
        match result {
            None => {}
            Some(HeadResult::Declared(variable, at)) => {
                routine.result = Some(routine.add_variable(variable));
                places.variables.push(at);
            }
            Some(HeadResult::Named(name, at)) => {
                let found = routine.find_variable(&name);
                if found.is_none() && !names.collecting {
                    let message = format!("the result `{name}` is not declared");
                    let help = format!("write its type: `result real {name}`");
                    self.report(at, &codes::UNKNOWN, message, help);
                }
                routine.result = found;
            }
        }
        complete
    }

    /// True if the line declares a variable as other languages do: `integer i`, `var x`.
    pub(super) fn is_bare_declaration(&self) -> bool {
        let word = self.token_text(self.current_token());
        let is_type = ScalarType::ALL.iter().any(|ty| ty.name() == word)
            || Self::other_type(word).is_some()
            || matches!(word, "var" | "let" | "dim" | "record");
        is_type && matches!(self.token_at(1).kind, Kind::Word | Kind::Quoted)
    }

    fn parse_head(
        &mut self,
        names: &Names,
        routine: &mut Routine,
        places: &mut RoutinePlaces,
        result: &mut Option<HeadResult>,
    ) -> Parse<()> {
        loop {
            let token = self.current_token();
            match self.token_text(token) {
                "main" if !names.collecting => {
                    let id = cfg_core::entity::RoutineId::new(self.program.routines.len());
                    if self.program.main.replace(id).is_some() {
                        let help = "leave out one of the two words";
                        self.report(token.start, &codes::TWICE, "`main` stands twice", help);
                    }
                }
                "main" => {}
                "aliased" => routine.aliased = true,
                "general" => routine.control = Control::General,
                "external" => {}
                _ => break,
            }
            self.at += 1;
        }
        let is_function = self.is_word("function");
        self.at += 1;
        routine.name = self.parse_name("the name of the routine")?;
        self.expect_symbol(
            "(",
            "parameters stand in parentheses, `()` if there are none",
        )?;
        if !self.take_symbol(")") {
            loop {
                let at = self.current_token().start;
                let parameter = self.parse_parameter(names)?;
                routine.variables.push(parameter);
                places.variables.push(at);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")", "write a comma between parameters, `)` after the last")?;
        }
        routine.parameters = (0..routine.variables.len()).map(VarId::new).collect();
        if self.take_word("result") {
            let at = self.current_token().start;
            let next_is_name = matches!(self.token_at(1).kind, Kind::Word | Kind::Quoted);
            *result = Some(if next_is_name || self.is_symbol("^") {
                let ty = self.expected_type()?;
                let name = self.parse_name("the name of the result")?;
                let mut variable = Variable::new(name, ty, Vec::new(), Role::Local);
                (variable.shape, variable.order) = self.parse_shape(names)?;
                variable.origin = self.origin_of_variable()?;
                variable.at = self.parse_span()?;
                HeadResult::Declared(variable, at)
            } else {
                HeadResult::Named(self.parse_name("the name of the result")?, at)
            });
        }
        if is_function != result.is_some() {
            return Err(self.report_unexpected(
                if is_function { "`result`" } else { "the end of the line" },
                "a function names its result, `function f(in real x) result real r`; a subroutine has none",
            ));
        }
        routine.origin = self.origin_of_variable()?;
        routine.at = self.parse_span()?;
        Ok(())
    }

    fn parse_parameter(&mut self, names: &Names) -> Parse<Variable> {
        let optional = self.take_word("optional");
        let intent = match self.token_text(self.current_token()) {
            "in" => Intent::In,
            "out" => Intent::Out,
            "inout" => Intent::InOut,
            _ => {
                return Err(self.report_unexpected(
                    "`in`, `out` or `inout`",
                    "a parameter says what happens to it, its type and its name: `in real x`",
                ));
            }
        };
        self.at += 1;
        let ty = self.expected_type()?;
        let name = self.parse_name("the name of a parameter")?;
        let mut variable =
            Variable::new(name, ty, Vec::new(), Role::Parameter { intent, optional });
        (variable.shape, variable.order) = self.parse_shape(names)?;
        variable.origin = self.origin_of_variable()?;
        variable.at = self.parse_span()?;
        Ok(variable)
    }

    fn parse_declaration(
        &mut self,
        word: &str,
        names: &Names,
        routine: &mut Routine,
        places: &mut RoutinePlaces,
    ) -> Parse<()> {
        match word {
            "local" => {
                let ty = self.expected_type()?;
                loop {
                    let at = self.current_token().start;
                    let name = self.parse_name("the name of a variable")?;
                    let mut variable = Variable::new(name, ty, Vec::new(), Role::Local);
                    (variable.shape, variable.order) = self.parse_shape(names)?;
                    variable.origin = self.origin_of_variable()?;
                    variable.at = self.parse_span()?;
                    routine.variables.push(variable);
                    places.variables.push(at);
                    if !self.take_symbol(",") {
                        return Ok(());
                    }
                }
            }
            "uses" => loop {
                let at = self.current_token().start;
                let name = self.parse_name("the name of a global")?;
                let id = self.global_named(&name, at)?;
                let global = self.program.globals.get(id.index());
                let variable = global.map(|g| g.variable.clone());
                routine.variables.push(variable.unwrap_or_else(|| {
                    Variable::new(name, ScalarType::Real, Vec::new(), Role::Global(id))
                }));
                places.variables.push(at);
                if !self.take_symbol(",") {
                    return Ok(());
                }
            },
            "independent" | "dependent" => loop {
                let at = self.current_token().start;
                let v = self.parse_variable(names)?;
                if word == "independent" {
                    routine.independents.push(v);
                    places.independents.push(at);
                } else {
                    routine.dependents.push(v);
                    places.dependents.push(at);
                }
                if !self.take_symbol(",") {
                    return Ok(());
                }
            },
            "tangent" | "adjoint" => {
                let at = self.current_token().start;
                let name = self.parse_name("the name of a routine")?;
                let id = self.routine_named(&name, at)?;
                let derivatives = routine
                    .derivatives
                    .get_or_insert_with(|| Box::new(Derivatives::default()));
                if word == "tangent" {
                    derivatives.tangent = Some(id);
                    places.tangent = Some(at);
                } else {
                    derivatives.adjoint = Some(id);
                    places.adjoint = Some(at);
                }
                Ok(())
            }
            "value" => {
                places.value = Some(self.current_token().start);
                let value = self.parse_expr(names)?;
                external(routine).value = Some(value);
                Ok(())
            }
            "partials" => {
                places.partials.get_or_insert(self.current_token().start);
                if self.parse_integer("0")? != 0 {
                    self.at -= 1;
                    return Err(self.report_unexpected("0", "`partials 0` says that all are 0"));
                }
                external(routine).partials.get_or_insert_default();
                Ok(())
            }
            _ => {
                places.partials.get_or_insert(self.current_token().start);
                let parameter = self.parse_variable(names)?;
                self.expect_symbol(":", "write `partial x: EXPRESSION`")?;
                let value = self.parse_expr(names)?;
                let partials = external(routine).partials.get_or_insert_default();
                partials.push(Partial { parameter, value });
                Ok(())
            }
        }
    }

    /// `[n, m from 0, :]`, and `column` after it.
    pub(super) fn parse_shape(&mut self, names: &Names) -> Parse<Shape> {
        let mut shape = Vec::new();
        if !self.take_symbol("[") {
            if self.is_symbol("(") {
                return Err(self.report_unexpected("`[`", "extents stand in brackets: `real x[n]`"));
            }
            return Ok((shape, self.parse_order()));
        }
        loop {
            let extent = if self.take_symbol(":") {
                Extent::Deferred
            } else {
                Extent::Fixed(self.parse_expr(names)?)
            };
            if self.is_symbol(":") {
                return Err(self.report_unexpected(
                    "`,` or `]`",
                    "write the number of elements; another first index than 1 comes after it: `n from 0`",
                ));
            }
            let lower = if self.take_word("from") {
                self.parse_expr(names)?
            } else {
                Expr::Int(1)
            };
            shape.push(Dim { lower, extent });
            if !self.take_symbol(",") {
                break;
            }
        }
        self.expect_symbol("]", "close the bracket, or write a comma")?;
        Ok((shape, self.parse_order()))
    }

    /// Parses `column`, if it is there.
    fn parse_order(&mut self) -> Order {
        if self.take_word("column") {
            Order::Column
        } else {
            Order::Row
        }
    }

    /// `{role of name}` or `{role}`, with `links name, name` behind.
    pub(super) fn origin_of_variable(&mut self) -> Parse<Option<Box<NameOrigin>>> {
        if !self.take_symbol("{") {
            return Ok(None);
        }
        let mut role = self.parse_dashed_words("a role")?;
        while self.current_token().kind == Kind::Word
            && !self.is_word("of")
            && !self.is_word("links")
        {
            role.push(' ');
            role.push_str(&self.parse_dashed_words("a role")?);
        }
        let name = if self.take_word("of") {
            self.parse_name("a name")?
        } else {
            String::new()
        };
        let mut links = Vec::new();
        if self.take_word("links") {
            links.push(self.parse_name("a name")?);
            while self.take_symbol(",") {
                links.push(self.parse_name("a name")?);
            }
        }
        self.expect_symbol("}", "close the brace")?;
        Ok(Some(Box::new(NameOrigin {
            links,
            ..NameOrigin::new(role.as_str().into(), name)
        })))
    }

    /// Words with dashes between them, or a name in quotes.
    pub(super) fn parse_dashed_words(&mut self, what: &str) -> Parse<String> {
        let quoted = self.current_token().kind == Kind::Quoted;
        let mut text = self.parse_name(what)?;
        while !quoted && self.is_symbol("-") && self.token_at(1).kind == Kind::Word {
            self.at += 1;
            text.push('-');
            text.push_str(self.token_text(self.current_token()));
            self.at += 1;
        }
        Ok(text)
    }
}

/// The result of a function as its head declares or names it.
enum HeadResult {
    /// A result declared with its type; it comes after all other variables.
    Declared(Variable, usize),
    /// The name of a parameter or local.
    Named(String, usize),
}

fn external(routine: &mut Routine) -> &mut External {
    routine
        .external
        .get_or_insert_with(|| Box::new(External::default()))
}
