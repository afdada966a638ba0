//! Follows directives.

use super::{
    Condition, LeftOut, Lexed, Macro, Preprocessor, condition, headers::header, predefined,
};
use crate::{
    codes,
    lex::{Kind, Token, group},
    math,
    source::{Pos, is_header},
};
use std::{path::Path, rc::Rc};

impl Preprocessor<'_> {
    /// The tokens up to the end of the line.
    fn line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        let Some(frame) = self.frames.last_mut() else {
            return line;
        };
        while (frame.text.tokens.get(frame.next)).is_some_and(|t| !t.first) {
            line.extend(frame.pass());
        }
        line
    }

    pub(super) fn report_error(&mut self, at: Pos, message: impl Into<String>, help: &str) {
        self.sink.error(&codes::PREPROCESSOR, at, message, help);
    }

    /// Follows a directive, whose `#` has been read.
    pub(super) fn directive(&mut self, at: Pos) {
        let line = self.line();
        let Some((name, rest)) = line.split_first() else {
            return;
        };
        let place = name.at;
        match &*name.text {
            "define" => self.define(rest, place),
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(&name.text);
                    self.undefined.insert(Rc::clone(&name.text));
                }
            }
            "include" => self.include(rest, place),
            "if" => {
                let taken = self.holds(rest, place);
                self.begin(at, taken, rest);
            }
            "ifdef" | "ifndef" => {
                let Some(macro_name) = rest.first().filter(|t| t.kind == Kind::Ident) else {
                    self.report_error(place, format!("#{} names no macro", name.text), "name one");
                    return self.begin(at, true, rest);
                };
                let defined = self.is_defined(macro_name);
                if !defined {
                    self.warn_of_undefined(macro_name);
                }
                self.begin(at, defined == (&*name.text == "ifdef"), rest);
            }
            "elif" | "else" | "endif" => match self.conditions.len() {
                n if n > self.frames.last().map_or(0, |f| f.conditions) => {
                    if &*name.text == "endif" {
                        self.conditions.pop();
                    } else {
                        // The previous part was taken, so this one is skipped.
                        self.skip();
                    }
                }
                _ => self.report_error(
                    place,
                    format!("#{} without #if", name.text),
                    "remove it, or add the #if",
                ),
            },
            "error" => {
                let text: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                let message = format!("#error {}", text.join(" "));
                self.report_error(place, message, "the file asks for other macros");
            }
            "pragma" if rest.first().is_some_and(|t| t.is("push_macro")) => self.push_macro(rest),
            "pragma" if rest.first().is_some_and(|t| t.is("pop_macro")) => self.pop_macro(rest),
            "pragma" => self.pragma(rest, place),
            "line" => {
                let rest = self.expand_all(rest.to_vec(), 0);
                self.marker(&rest);
            }
            "warning" | "ident" => {}
            _ if name.kind == Kind::Number => self.marker(&line),
            other => {
                let message = format!("#{other} is no directive of C");
                self.report_error(place, message, "remove it");
            }
        }
    }

    /// `#pragma push_macro("NAME")`: keeps the definition, or the fact that there is none.
    fn push_macro(&mut self, rest: &[Token]) {
        if let Some(name) = self.macro_in_quotes(rest) {
            let now = self.macros.get(&name).cloned();
            self.pushed.entry(name).or_default().push(now);
        }
    }

    /// `#pragma pop_macro("NAME")`: restores the definition that was kept last.
    fn pop_macro(&mut self, rest: &[Token]) {
        let Some(name) = self.macro_in_quotes(rest) else {
            return;
        };
        match self.pushed.get_mut(&name).and_then(Vec::pop) {
            Some(Some(definition)) => {
                self.macros.insert(name, definition);
            }
            Some(None) => {
                self.macros.remove(&name);
            }
            None => {}
        }
    }

    fn macro_in_quotes(&mut self, rest: &[Token]) -> Option<Rc<str>> {
        let text = rest.get(2).filter(|t| t.kind == Kind::Str)?;
        Some(self.kept.names.get(text.text.trim_matches('"')))
    }

    /// `# 12 "file.c"`: the next line is line 12 of that file.
    fn marker(&mut self, line: &[Token]) {
        let Some(number) = line.first() else { return };
        let Ok(value) = number.text.parse::<u32>() else {
            return self.report_error(
                number.at,
                "the line marker has no line",
                "write # 12 \"file.c\"",
            );
        };
        // Flag 3 marks lines of headers of the system.
        let marked = line.iter().skip(2).any(|t| t.is_number("3"));
        let mut known = None;
        let file = match line.get(1) {
            Some(t) if t.kind == Kind::Str => {
                let name = t.text.trim_matches('"').to_owned();
                let ends = name
                    .rmatch_indices(['/', '\\'])
                    .map(|(k, _)| &name[k + 1..]);
                // The header may be known by its last two parts, as `sys/time.h`, or by the last, `time.h`.
                let mut ends = ends.take(2).chain([&name[..]]).collect::<Vec<_>>();
                ends.sort_by_key(|end| std::cmp::Reverse(end.len()));
                let texts = |end: &&str| header(end).map(|text| (format!("<{end}>"), text));
                known = ends.iter().find_map(texts);
                self.file(&name)
            }
            _ => number.at.file,
        };
        if !marked {
            self.own.insert(file);
        }
        // Lines of other files that macros of the system made have the flag, too: these files are not of the system.
        let system = marked && !self.own.contains(&file);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let physical = i64::from(number.at.line) - frame.shift;
        frame.file = file;
        frame.shift = i64::from(value) - physical - 1;
        frame.system = system;
        // The declarations of known headers are built in: the lines are skipped.
        if let Some((name, text)) = known.filter(|_| system)
            && !self.once.contains(&name)
        {
            let text = self.of_library(&name, text);
            self.open(name, text, number.at);
        }
    }

    fn define(&mut self, rest: &[Token], at: Pos) {
        let Some((name, rest)) = rest.split_first().filter(|(t, _)| t.kind == Kind::Ident) else {
            return self.report_error(at, "#define names no macro", "write #define NAME text");
        };
        let mut parameters = None;
        let mut variadic = false;
        let mut body = rest;
        if let Some(open) = rest.first().filter(|t| t.is("(") && !t.space) {
            let mut list = Vec::new();
            let mut k = 1;
            loop {
                match rest.get(k) {
                    Some(t) if t.is(")") => break,
                    Some(t) if t.is(",") => {}
                    Some(t) if t.is("...") => {
                        variadic = true;
                        // In GNU C the rest may have a name: `args...`.
                        if rest[k - 1].kind != Kind::Ident {
                            list.push(self.kept.names.get("__VA_ARGS__"));
                        }
                    }
                    Some(t) if t.kind == Kind::Ident => list.push(Rc::clone(&t.text)),
                    other => {
                        let at = other.map_or(open.at, |t| t.at);
                        let help = "write the parameters as NAME(a, b)";
                        return self.report_error(
                            at,
                            "the list of parameters of the macro is not closed",
                            help,
                        );
                    }
                }
                k += 1;
            }
            body = &rest[k + 1..];
            parameters = Some(list);
        }
        let definition = Macro {
            parameters,
            variadic,
            body: body.to_vec(),
        };
        if let Some(before) = self.macros.get(&name.text) {
            let same = before.parameters == definition.parameters
                && before.body.len() == definition.body.len()
                && before
                    .body
                    .iter()
                    .zip(&definition.body)
                    .all(|(a, b)| a.text == b.text);
            if !same {
                let message = format!("the macro {} had another definition before", name.text);
                let help = "the last one holds: remove one, or #undef it before";
                self.sink
                    .warning(&codes::PREPROCESSOR, name.at, message, help);
            }
        }
        self.macros
            .insert(Rc::clone(&name.text), Rc::new(definition));
    }

    fn include(&mut self, rest: &[Token], at: Pos) {
        let Some((name, quoted)) = self.file_named(rest) else {
            return self.report_error(at, "#include names no file", "write #include \"file.h\"");
        };
        match self.find(&name, quoted) {
            Some((path, _)) if self.once.contains(&path) => {}
            Some((path, text)) => self.open(path, text, at),
            None => self.missing(name, quoted, at),
        }
    }

    /// The name of a file, and whether it stands in quotes.
    fn file_named(&mut self, rest: &[Token]) -> Option<(String, bool)> {
        let expanded;
        let rest = match rest.first() {
            Some(t) if t.kind == Kind::Ident => {
                expanded = self.expand_all(rest.to_vec(), 0);
                &expanded[..]
            }
            _ => rest,
        };
        match rest.split_first()? {
            (t, _) if t.kind == Kind::Str => Some((t.text.trim_matches('"').to_owned(), true)),
            (t, rest) if t.is("<") => {
                let parts = rest.iter().take_while(|t| !t.is(">"));
                Some((parts.map(|t| &*t.text).collect(), false))
            }
            _ => None,
        }
    }

    /// The path and the text of a file that is named in quotes or in angle brackets.
    fn find(&mut self, name: &str, quoted: bool) -> Option<(String, Rc<Lexed>)> {
        // Headers of the library are built in, whatever lies in the folders.
        let known = header(name);
        let mut paths = Vec::new();
        if quoted {
            let from = self.frames.last().map(|f| Path::new(&f.name));
            let folder = from.and_then(Path::parent).unwrap_or(Path::new(""));
            paths.push(folder.join(name));
        }
        if quoted || known.is_none() {
            let folders = self.folders.iter();
            paths.extend(folders.map(|folder| Path::new(folder).join(name)));
        }
        for path in paths {
            let path = path.to_string_lossy().into_owned();
            if let Some(text) = self.included(&path) {
                return Some((path, text));
            }
        }
        let path = format!("<{name}>");
        known.map(|text| (path.clone(), self.of_library(&path, text)))
    }

    /// Handles an included file that is neither beside the present file nor in a folder of `-I`. The only file of its
    /// name in the folders around is taken, with a warning. If there is none, the file is missing, which is an error
    /// only where its names are needed.
    fn missing(&mut self, name: String, quoted: bool, at: Pos) {
        let message = format!("there is no file {name} to include");
        let from = self.frames.last().map_or("", |f| &f.name);
        let mut found = self.files.around(from, &name);
        let folder = |path: &str| path.strip_suffix(&*name).unwrap_or(path).to_owned();
        if found.len() > 1 {
            let folders: Vec<String> = found.iter().map(|path| folder(path)).collect();
            let message = format!("{message} beside this one, but several in other folders");
            let help = format!("say which is meant: -I {}", folders.join(", or -I "));
            self.sink.error(&codes::INCLUDE, at, message, help);
            return;
        }
        if let Some(path) = found.pop()
            && let Some(text) = self.included(&path)
        {
            let message = format!("{message} beside this one: {path} is taken");
            let help = format!("say so: -I {}", folder(&path));
            self.sink.warning(&codes::INCLUDE, at, message, help);
            if !self.once.contains(&path) {
                self.open(path, text, at);
            }
            return;
        }
        let message = format!("{message}: its names and macros are not known");
        let help =
            "-I DIR names the folder that it is in; or preprocess the file: --preprocess 'cc -E'";
        self.sink.warning(&codes::INCLUDE, at, message, help);
        if quoted {
            self.of_the_program.push(name.clone());
        }
        self.missing.push(name);
    }

    fn holds(&mut self, line: &[Token], at: Pos) -> bool {
        // Questions such as `defined` are answered before macros are expanded; those that macros produce are answered
        // after it.
        let tokens = self.answers(line);
        self.in_condition = true;
        let tokens = self.expand_all(tokens, 0);
        self.in_condition = false;
        let tokens = self.answers(&tokens);
        for name in tokens.iter().filter(|t| t.kind == Kind::Ident) {
            self.warn_of_undefined(name);
        }
        let called = |pair: &&[Token]| pair[0].kind == Kind::Ident && pair[1].is("(");
        match condition::value(&tokens) {
            Ok(value) => value != 0,
            Err(_) if !self.missing.is_empty() && tokens.windows(2).any(|pair| called(&pair)) => {
                let name = tokens
                    .windows(2)
                    .find(called)
                    .map_or("", |pair| &pair[0].text);
                let message = format!("{name} is not known: the condition is taken as false");
                let files = self.missing.join(" or ");
                let help = format!(
                    "it may be a macro of {files}, which was not found: -I DIR names the folder"
                );
                self.sink.warning(&codes::PREPROCESSOR, at, message, help);
                false
            }
            Err(message) => {
                let help = "write an integer constant expression";
                self.report_error(at, message, help);
                false
            }
        }
    }

    /// A condition with its questions replaced by their answers: `defined`, and the questions of compilers.
    fn answers(&mut self, line: &[Token]) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(line.len());
        let mut rest = line;
        while let Some((token, behind)) = rest.split_first() {
            rest = behind;
            let answer = if token.is("defined") {
                let name = match behind {
                    [open, name, close, behind @ ..] if open.is("(") && close.is(")") => {
                        rest = behind;
                        Some(name)
                    }
                    [name, behind @ ..] => {
                        rest = behind;
                        Some(name)
                    }
                    [] => None,
                };
                let defined = name.is_some_and(|name| self.is_defined(name));
                if let Some(name) = name.filter(|_| !defined) {
                    self.warn_of_undefined(name);
                }
                i64::from(defined)
            } else if predefined::QUESTIONS.contains(&&*token.text)
                && let Some((operand, behind)) = group(behind)
            {
                rest = behind;
                self.answer(&token.text, operand)
            } else {
                tokens.push(token.clone());
                continue;
            };
            tokens.push(Token {
                kind: Kind::Number,
                text: self.kept.names.get(&answer.to_string()),
                ..token.clone()
            });
        }
        tokens
    }

    /// The answer of a compiler to a question about an operand.
    fn answer(&mut self, question: &str, operand: &[Token]) -> i64 {
        match (question, operand) {
            ("__has_include" | "__has_include_next", _) => {
                let file = self.file_named(operand);
                let known = file.is_some_and(|(name, quoted)| self.find(&name, quoted).is_some());
                i64::from(known)
            }
            ("__has_builtin", [name]) => i64::from(math::is_builtin_known(&name.text)),
            ("__has_builtin", _) | (_, []) => 0,
            (_, [.., name]) => predefined::attribute(&name.text, question != "__has_attribute"),
        }
    }

    fn is_defined(&self, name: &Token) -> bool {
        let own = [&predefined::OF_PLACE[..], &predefined::QUESTIONS];
        self.macros.contains_key(&name.text) || own.concat().contains(&&*name.text)
    }

    /// Warns of a condition that asks for an undefined macro that a compiler might have: once for a macro that only
    /// gcc has, and once for one that a missing file may define.
    fn warn_of_undefined(&mut self, name: &Token) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let guards = match frame.text.tokens.get(frame.next..) {
            Some([hash, define, defined, ..]) => {
                hash.is("#") && define.is("define") && defined.text == name.text
            }
            _ => false,
        };
        if guards || frame.system || is_header(&frame.name) {
            return;
        }
        let text = &name.text;
        if let Some(why) = predefined::reason_undefined(text).filter(|_| !self.told_of_gcc) {
            self.told_of_gcc = true;
            let message = format!("gcc defines {text}, which is not defined here: {why}");
            let help = format!(
                "what stands there without it is read; -D {text} or -U {text} says which is meant"
            );
            self.sink
                .warning(&codes::PREPROCESSOR, name.at, message, help);
        }
        if self.told_of_missing
            || self.of_the_program.is_empty()
            || self.undefined.contains(text)
            || is_of_system(text)
        {
            return;
        }
        self.told_of_missing = true;
        let files = match &self.of_the_program[..] {
            [file] => format!("{file}, which is not there, may define it"),
            [file, others @ ..] => format!(
                "{file} or {} more, which are not there, may define it",
                others.len()
            ),
            [] => return,
        };
        let message = format!("{text} is not defined; {files}");
        let help = format!(
            "-D {text} or -U {text} says which part of the file is meant; others of its conditions may ask for more names"
        );
        self.sink.warning(&codes::INCLUDE, name.at, message, help);
    }

    fn begin(&mut self, at: Pos, taken: bool, line: &[Token]) {
        let mut names = line.iter().filter(|t| t.kind == Kind::Ident);
        let asked = names.find(|t| !t.is("defined") && !self.is_defined(t));
        self.conditions.push(Condition {
            at,
            taken,
            has_else: false,
            asked: asked.map(|t| Rc::clone(&t.text)),
        });
        if !taken {
            self.skip();
        }
    }

    /// Skips parts that are not taken, up to one that is, or to the end of the `#if`.
    fn skip(&mut self) {
        // Skipping starts at the directive that ended the previous part.
        let mut depth = 0usize;
        if let Some(frame) = self.frames.last_mut()
            && self.conditions.last().is_some_and(|c| c.taken)
        {
            // Goes back to the beginning of the line with `#elif` or `#else`.
            while frame.next > 0 && !frame.text.tokens[frame.next - 1].first {
                frame.next -= 1;
            }
            frame.next = frame.next.saturating_sub(1);
        }
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return;
            };
            let Some(token) = frame.token(frame.next) else {
                return;
            };
            if token.kind == Kind::End {
                return;
            }
            let hash = token.first && token.is("#");
            let at = token.at;
            frame.next += 1;
            if !hash {
                let call = token.kind == Kind::Ident
                    && (frame.text.tokens.get(frame.next)).is_some_and(|t| t.is("("));
                if call && let Some(condition) = self.conditions.last() {
                    let asked = condition.asked.as_ref().filter(|_| !condition.taken);
                    let place = LeftOut {
                        at,
                        asked: asked.cloned(),
                    };
                    self.left_out.entry(token.text).or_insert(place);
                }
                continue;
            }
            let line = self.line();
            let Some((name, rest)) = line.split_first() else {
                continue;
            };
            match &*name.text {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    self.conditions.pop();
                    return;
                }
                "elif" if depth == 0 => {
                    let open = self
                        .conditions
                        .last()
                        .is_some_and(|c| !c.taken && !c.has_else);
                    if open && self.holds(rest, at) {
                        if let Some(c) = self.conditions.last_mut() {
                            c.taken = true;
                        }
                        return;
                    }
                }
                "else" if depth == 0 => {
                    let Some(c) = self.conditions.last_mut() else {
                        return;
                    };
                    if c.has_else {
                        let message = "the #if has two #else";
                        self.sink
                            .error(&codes::PREPROCESSOR, at, message, "remove one");
                    }
                    c.has_else = true;
                    if !c.taken {
                        c.taken = true;
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}

/// True of names that compilers, systems and guards of headers have: no file of settings defines them.
fn is_of_system(name: &str) -> bool {
    let mut bytes = name.bytes();
    let reserved = bytes.next() == Some(b'_')
        && bytes
            .next()
            .is_some_and(|b| b == b'_' || b.is_ascii_uppercase());
    let guard = name.trim_end_matches('_').ends_with("_H") && !name.starts_with("HAVE_");
    reserved || guard || ["NDEBUG", "WIN32"].contains(&name)
}
