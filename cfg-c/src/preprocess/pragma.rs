//! `#pragma cfgrev`, and the equivalent options of the command line.

use super::{Choice, External, Preprocessor, Role, TypeChoice, mark::Nesting};
use crate::{
    Options, codes,
    lex::{Kind, Token, group, lex},
    source::Pos,
};
use std::rc::Rc;

/// The help of messages about the pragma: its syntax.
const HELP: &str = "write #pragma cfgrev independent(x, y) dependent(z), no-diff(v), external(g) value(e) partial(x: e, y: e), or checkpoint(snapshots = 50)";

/// Pragmas of compilers that affect how a program is compiled, and not its results.
const OF_COMPILERS: [&str; 24] = [
    "GCC",
    "STDC",
    "clang",
    "message",
    "warning",
    "error",
    "ident",
    "comment",
    "region",
    "endregion",
    "mark",
    "ivdep",
    "unroll",
    "nounroll",
    "simd",
    "vector",
    "novector",
    "inline",
    "noinline",
    "optimize",
    "intrinsic",
    "weak",
    "loop",
    "nofusion",
];

/// True of other words of compilers, such as `diag_suppress` and `_CRI`.
fn is_of_compiler(word: &str) -> bool {
    word.starts_with("diag_") || word.starts_with('_')
}

impl Preprocessor<'_> {
    /// Reads the options of the command line.
    pub(super) fn options(&mut self, options: &Options) {
        for text in &options.externals {
            let tokens = self.option("--external", text);
            self.external(&tokens, None);
        }
        for text in &options.passive {
            let tokens = self.option("--no-diff", text);
            self.names(&tokens, Role::Passive, None);
        }
        for text in &options.types {
            let tokens = self.option("--type", text);
            match &tokens[..] {
                [name, equals, ty @ ..]
                    if name.kind == Kind::Ident && equals.is("=") && !ty.is_empty() =>
                {
                    let (name, ty) = (name.clone(), self.expand_all(ty.to_vec(), 0));
                    self.types.push(TypeChoice { name, ty });
                }
                _ => {
                    let at = tokens.first().map(|t| t.at).unwrap_or_default();
                    let help = "write a parameter and its type: data='struct setting *'";
                    self.report_error(at, "a parameter, = and a type are expected", help);
                }
            }
        }
    }

    /// Follows `#pragma`. Of the pragmas of other tools only those are read that affect results or the layout of
    /// memory.
    pub(super) fn pragma(&mut self, rest: &[Token], at: Pos) {
        let Some(first) = rest.first() else { return };
        let passed_over = match &*first.text {
            "once" => {
                let name = self.frames.last().map(|frame| frame.name.clone());
                self.once.extend(name);
                return;
            }
            "cfgrev" if rest.get(1).is_some_and(|t| t.is("checkpoint")) => {
                return self.checkpoint(&rest[2..], rest[1].at);
            }
            "cfgrev" => return self.clauses(&rest[1..], Some(at)),
            "omp" | "acc" => return self.parallel.push(at),
            "pack" | "scalar_storage_order" => {
                self.has_layouts = true;
                "sizes of structures are those without it"
            }
            "STDC" if rest.get(1).is_some_and(|t| t.is("FENV_ROUND")) => {
                "results are rounded to nearest"
            }
            word if OF_COMPILERS.contains(&word) || is_of_compiler(word) => return,
            word if !self.foreign.insert(Rc::from(word)) => return,
            _ => "derivatives are those of what is read, whatever it says to another tool",
        };
        let message = format!("#pragma {} is passed over", first.text);
        self.sink.warning(&codes::IGNORED, at, message, passed_over);
    }

    /// Follows the pragmas that stand among the tokens as `_Pragma("...")`, and the directives in comments. Marks stay
    /// where they are about a statement.
    pub(super) fn pragmas_in_text(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let is_pragma =
            |t: &Token| t.is("_Pragma") || matches!(t.kind, Kind::Directive | Kind::Mark(_));
        if !tokens.iter().any(is_pragma) {
            return tokens;
        }
        let mut nesting = Nesting::default();
        let mut out = Vec::with_capacity(tokens.len());
        let mut rest = &tokens[..];
        let mut marks = std::mem::take(&mut self.system);
        let mut moved = 0;
        while let Some((token, behind)) = rest.split_first() {
            let before = tokens.len() - rest.len();
            while let Some(mark) = marks.get_mut(moved).filter(|mark| **mark <= before) {
                *mark = out.len();
                moved += 1;
            }
            rest = behind;
            match token.kind {
                Kind::Directive => self.comment(token),
                Kind::Mark(_) => self.marks.push(token.clone()),
                _ => {}
            }
            if matches!(token.kind, Kind::Directive | Kind::Mark(_)) {
                self.place_marks(&nesting, rest, &mut out);
                continue;
            }
            if token.is("_Pragma")
                && let [open, text, close, after @ ..] = behind
                && (open.is("("), text.kind, close.is(")")) == (true, Kind::Str, true)
            {
                let inner = text.text.trim_start_matches('L').trim_matches('"');
                let text = inner.replace("\\\"", "\"").replace("\\\\", "\\");
                let mut inside = lex(
                    text.as_bytes(),
                    token.at.file,
                    &mut self.kept.names,
                    self.sink,
                );
                inside.retain(|t| t.kind != Kind::End);
                for t in &mut inside {
                    t.at = token.at;
                }
                self.pragma(&inside, token.at);
                rest = after;
                self.place_marks(&nesting, rest, &mut out);
                continue;
            }
            nesting.pass(token);
            out.push(token.clone());
        }
        for mark in &mut marks[moved..] {
            *mark = out.len();
        }
        self.system = marks;
        out
    }

    /// The tokens of an option, with their positions in it.
    fn option(&mut self, name: &str, text: &str) -> Vec<Token> {
        let file = self.file(name);
        let mut tokens = lex(text.as_bytes(), file, &mut self.kept.names, self.sink);
        tokens.retain(|t| t.kind != Kind::End);
        tokens
    }

    /// Reads the clauses of a pragma: words with parentheses behind them.
    pub(super) fn clauses(&mut self, rest: &[Token], at: Option<Pos>) {
        let mut rest = rest;
        while !rest.is_empty() {
            let Some((word, inside, behind)) = clause(rest) else {
                let message = format!("{} has no meaning in #pragma cfgrev", rest[0].text);
                return self.report_error(rest[0].at, message, HELP);
            };
            let role = match &*word {
                "independent" => Role::Independent,
                "dependent" => Role::Dependent,
                "no-diff" => Role::Passive,
                "external" if inside.is_empty() => {
                    let message = "the name of a function is expected";
                    return self.report_error(rest[0].at, message, HELP);
                }
                "external" => {
                    // The parts `value`, `partial`, `adjoint` and `tangent` that follow belong to the function.
                    let mut end = behind;
                    while let Some((word, _, next)) = clause(end)
                        && is_part(&word)
                    {
                        end = next;
                    }
                    let given = &rest[..rest.len() - end.len()];
                    let (name, given) = (inside, &given[inside.len() + 3..]);
                    let all: Vec<Token> = name.iter().chain(given).cloned().collect();
                    self.external(&all, at);
                    rest = end;
                    continue;
                }
                _ => {
                    let message = format!("{word} has no meaning in #pragma cfgrev here");
                    return self.report_error(rest[0].at, message, HELP);
                }
            };
            self.names(inside, role, at);
            rest = behind;
        }
    }

    /// Reads names with commas between them.
    fn names(&mut self, list: &[Token], role: Role, pragma: Option<Pos>) {
        for (k, name) in list.iter().enumerate() {
            match (k % 2, name.kind) {
                (0, Kind::Ident) => self.choices.push(Choice {
                    name: Rc::clone(&name.text),
                    at: name.at,
                    role,
                    pragma,
                    function: None,
                    unit: 0,
                }),
                (1, _) if name.is(",") => {}
                _ => return self.report_error(name.at, "a name is expected", HELP),
            }
        }
    }

    /// `g(x, y) value(e) partial(x: e, y: e) adjoint(g_b) tangent(g_t)`; the parameters may be left out.
    fn external(&mut self, tokens: &[Token], pragma: Option<Pos>) {
        let help = "write external(g) value(e) partial(x: e, y: e), or external(g) adjoint(g_b) tangent(g_t), where x and y are parameters of g";
        let Some((name, mut rest)) = tokens.split_first().filter(|(t, _)| t.kind == Kind::Ident)
        else {
            let at = tokens.first().map(|t| t.at).or(pragma);
            return self.report_error(
                at.unwrap_or_default(),
                "the name of a function is expected",
                help,
            );
        };
        let mut member = None;
        if let [dot, name, behind @ ..] = rest
            && dot.is(".")
            && name.kind == Kind::Ident
        {
            member = Some(name.clone());
            rest = behind;
        }
        let mut made = External {
            name: name.clone(),
            member,
            is: None,
            parameters: None,
            value: None,
            partials: Vec::new(),
            tangent: None,
            adjoint: None,
            unit: pragma.map(|_| 0),
        };
        if let Some((list, behind)) = group(rest) {
            let mut parameters = Vec::new();
            for item in split(list) {
                match item {
                    [name] if name.kind == Kind::Ident => parameters.push(name.clone()),
                    _ => {
                        return self.report_error(
                            name.at,
                            "names of parameters are expected",
                            help,
                        );
                    }
                }
            }
            made.parameters = Some(parameters);
            rest = behind;
        }
        while !rest.is_empty() {
            let Some((word, inside, behind)) = clause(rest).filter(|(w, ..)| is_part(w)) else {
                let message = format!("{} has no meaning here", rest[0].text);
                return self.report_error(rest[0].at, message, help);
            };
            let one = match inside {
                [one] if one.kind == Kind::Ident => Some(one.clone()),
                _ => None,
            };
            match &*word {
                "value" if !inside.is_empty() => {
                    made.value = Some(self.expand_all(inside.to_vec(), 0));
                }
                "is" if one.is_some() => made.is = one,
                "adjoint" if one.is_some() => made.adjoint = one,
                "tangent" if one.is_some() => made.tangent = one,
                "partial" => {
                    for item in split(inside) {
                        match item {
                            [x, colon, e @ ..]
                                if x.kind == Kind::Ident && colon.is(":") && !e.is_empty() =>
                            {
                                let e = self.expand_all(e.to_vec(), 0);
                                made.partials.push((x.clone(), e));
                            }
                            _ => {
                                let at = item.first().map_or(rest[0].at, |t| t.at);
                                let message = "a parameter, a colon and an expression are expected";
                                return self.report_error(at, message, help);
                            }
                        }
                    }
                }
                _ => {
                    let message = format!("{word} is given something else than it takes");
                    return self.report_error(rest[0].at, message, help);
                }
            }
            rest = behind;
        }
        let says_more = made.value.is_some()
            || !made.partials.is_empty()
            || made.adjoint.is_some()
            || made.tangent.is_some();
        if made.is.is_some() && says_more {
            let message = "a function of the files is named, and something else is said of it";
            return self.report_error(name.at, message, "say this of the function itself");
        }
        self.externals.push(made);
    }
}

/// True of words that begin a part of an external function's declaration.
fn is_part(word: &str) -> bool {
    matches!(word, "is" | "value" | "partial" | "adjoint" | "tangent")
}

/// A word (`no-diff` counts as one), the tokens in parentheses behind it, and the tokens that follow.
fn clause(tokens: &[Token]) -> Option<(String, &[Token], &[Token])> {
    let (first, mut rest) = tokens.split_first()?;
    if first.kind != Kind::Ident {
        return None;
    }
    let mut word = first.text.to_string();
    if let [dash, second, behind @ ..] = rest
        && dash.is("-")
        && second.kind == Kind::Ident
    {
        word = format!("{word}-{}", second.text);
        rest = behind;
    }
    let (inside, behind) = group(rest)?;
    Some((word, inside, behind))
}

/// The parts between the commas outside of parentheses.
fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0usize;
    let mut parts = Vec::new();
    let mut start = 0;
    for (k, token) in tokens.iter().enumerate() {
        depth += usize::from(token.is("("));
        depth = depth.saturating_sub(usize::from(token.is(")")));
        if token.is(",") && depth == 0 {
            parts.push(&tokens[start..k]);
            start = k + 1;
        }
    }
    if start < tokens.len() || !parts.is_empty() {
        parts.push(&tokens[start..]);
    }
    parts
}
