//! Expands macros by Prosser's algorithm.

use super::{MAX_EXPANDED, MAX_NESTING, Macro, Preprocessor};
use crate::{
    codes,
    lex::{Hidden, Kind, Token, group, lex},
    source::Pos,
};
use std::{borrow::Cow, rc::Rc};

/// The number that the tokens of a macro's body count as: for each token a hide set is merged, and long texts are
/// copied.
fn work(body: &[Token], hidden: &Hidden) -> usize {
    let names = |h: &Hidden| h.as_ref().map_or(0, |h| h.len());
    let own = names(hidden) / 8;
    let all = body.iter();
    all.map(|t| 1 + own + names(&t.hidden) / 8 + t.text.len() / 64)
        .sum()
}

/// The names of both lists.
fn union(a: &Hidden, b: &Hidden) -> Hidden {
    match (a, b) {
        (None, other) | (other, None) => other.clone(),
        (Some(x), Some(y)) if Rc::ptr_eq(x, y) => a.clone(),
        (Some(x), Some(y)) => {
            let mut all = (**x).clone();
            all.extend(y.iter().filter(|name| !x.contains(name)).cloned());
            Some(Rc::new(all))
        }
    }
}

/// The body of a macro for a call, without the contents of `__VA_OPT__` if the last argument is empty.
fn body_for<'m>(of: &'m Macro, last: Option<&Vec<Token>>) -> Cow<'m, [Token]> {
    if !of.variadic || !of.body.iter().any(|t| t.is("__VA_OPT__")) {
        return Cow::Borrowed(&of.body);
    }
    let mut made = Vec::with_capacity(of.body.len());
    let mut rest = &of.body[..];
    while let Some((token, behind)) = rest.split_first() {
        rest = behind;
        match group(behind).filter(|_| token.is("__VA_OPT__")) {
            Some((inside, behind)) => {
                rest = behind;
                if last.is_some_and(|tokens| !tokens.is_empty()) {
                    made.extend_from_slice(inside);
                }
            }
            None => made.push(token.clone()),
        }
    }
    Cow::Owned(made)
}

fn hides(hidden: &Hidden, name: &Rc<str>) -> bool {
    hidden.as_ref().is_some_and(|names| names.contains(name))
}

fn with(hidden: &Hidden, name: &Rc<str>) -> Hidden {
    union(hidden, &Some(Rc::new(vec![Rc::clone(name)])))
}

impl Preprocessor<'_> {
    /// Expands a macro that is named in a file; its arguments follow there.
    pub(super) fn expand_from_file(&mut self, token: Token, out: &mut Vec<Token>) {
        let at = token.at;
        let start = out.len();
        self.rescan(vec![token], true, 0, out);
        // All tokens get the position of the call.
        for token in &mut out[start..] {
            if token.hidden.is_some() {
                token.at = at;
            }
        }
    }

    /// Expands all macros in a list of tokens.
    pub(super) fn expand_all(&mut self, mut tokens: Vec<Token>, depth: usize) -> Vec<Token> {
        let mut out = Vec::with_capacity(tokens.len());
        tokens.reverse();
        self.rescan(tokens, false, depth, &mut out);
        out
    }

    /// Expands the tokens on the stack, the next one last. If `file`, arguments may continue in the file.
    fn rescan(&mut self, mut stack: Vec<Token>, file: bool, depth: usize, out: &mut Vec<Token>) {
        while let Some(token) = stack.pop() {
            let definition = match token.kind {
                Kind::Ident if !hides(&token.hidden, &token.text) => self.macros.get(&token.text),
                _ => None,
            };
            let Some(definition) = definition.cloned() else {
                let asks = self.in_condition && token.is("defined");
                out.push(self.special(token));
                if asks {
                    // The operand of `defined` is not expanded.
                    out.extend(stack.pop_if(|t| t.is("(")));
                    out.extend(stack.pop_if(|t| t.kind == Kind::Ident));
                }
                continue;
            };
            if self.expanded >= MAX_EXPANDED {
                return;
            }
            let hidden;
            let body = match &definition.parameters {
                None => {
                    hidden = with(&token.hidden, &token.text);
                    self.substitute(&definition, &token, &[], depth)
                }
                Some(parameters) => {
                    if !self.opens(&mut stack, file) {
                        out.push(token);
                        continue;
                    }
                    let most = match definition.variadic {
                        true => parameters.len(),
                        false => usize::MAX,
                    };
                    let Some((arguments, close)) = self.arguments(&mut stack, file, &token, most)
                    else {
                        return;
                    };
                    let Some(arguments) =
                        self.bind(arguments, parameters.len(), definition.variadic, &token)
                    else {
                        continue;
                    };
                    // Prosser: the hide set of the result is the intersection of those of the name and the closing
                    // parenthesis, plus the macro.
                    let both: Vec<Rc<str>> = match (&token.hidden, &close) {
                        (Some(a), Some(b)) => a.iter().filter(|n| b.contains(n)).cloned().collect(),
                        _ => Vec::new(),
                    };
                    hidden = with(&Some(Rc::new(both)), &token.text);
                    self.substitute(&definition, &token, &arguments, depth)
                }
            };
            self.expanded += work(&body, &hidden);
            if self.expanded >= MAX_EXPANDED {
                let message = format!("macros make more than the work of {MAX_EXPANDED} tokens");
                let help = "a macro calls others that call others, too often";
                self.sink.error(&codes::LIMIT, token.at, message, help);
                return;
            }
            let mut body = body;
            for t in &mut body {
                t.hidden = union(&t.hidden, &hidden);
                t.at = token.at;
                t.first = false;
            }
            if let Some(first) = body.first_mut() {
                first.space = token.space;
            }
            stack.extend(body.into_iter().rev());
        }
    }

    /// True if an argument list begins; its parenthesis is passed.
    fn opens(&mut self, stack: &mut Vec<Token>, file: bool) -> bool {
        if let Some(next) = stack.last() {
            let opens = next.is("(");
            if opens {
                stack.pop();
            }
            return opens;
        }
        if !file {
            return false;
        }
        match self.next_in_file() {
            Some(t) if t.is("(") => true,
            Some(_) => {
                self.unread();
                false
            }
            None => false,
        }
    }

    /// The arguments up to the closing parenthesis, and the hide set of that. There are at most `most` arguments, the
    /// last of which has all tokens that are left.
    fn arguments(
        &mut self,
        stack: &mut Vec<Token>,
        file: bool,
        name: &Token,
        most: usize,
    ) -> Option<(Vec<Vec<Token>>, Hidden)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let token = match stack.pop() {
                Some(token) => Some(token),
                None if file => self.next_argument(),
                None => None,
            };
            let Some(mut token) = token else {
                let message = format!(
                    "the call of the macro {} has no closing parenthesis",
                    name.text
                );
                let help = "close it before the end of the file";
                self.sink
                    .error(&codes::PREPROCESSOR, name.at, message, help);
                return None;
            };
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                if depth == 0 {
                    return Some((arguments, token.hidden));
                }
                depth -= 1;
            } else if token.is(",") && depth == 0 && arguments.len() < most {
                arguments.push(Vec::new());
                continue;
            }
            token.space |= token.first;
            token.first = false;
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
    }

    /// The arguments for each parameter.
    fn bind(
        &mut self,
        mut arguments: Vec<Vec<Token>>,
        parameters: usize,
        variadic: bool,
        name: &Token,
    ) -> Option<Vec<Vec<Token>>> {
        if parameters == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            return Some(Vec::new());
        }
        if variadic && arguments.len() + 1 == parameters {
            arguments.push(Vec::new());
        }
        if arguments.len() == parameters {
            return Some(arguments);
        }
        let message = format!(
            "the macro {} has {parameters} parameters, but is called with {} arguments",
            name.text,
            arguments.len()
        );
        self.sink.error(
            &codes::PREPROCESSOR,
            name.at,
            message,
            "give one argument for each parameter",
        );
        None
    }

    /// The body with the arguments in place of the parameters.
    fn substitute(
        &mut self,
        of: &Macro,
        name: &Token,
        arguments: &[Vec<Token>],
        depth: usize,
    ) -> Vec<Token> {
        let none = Vec::new();
        let parameters = of.parameters.as_ref().unwrap_or(&none);
        let position = |t: &Token| match t.kind {
            Kind::Ident => parameters.iter().position(|p| *p == t.text),
            _ => None,
        };
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let body = body_for(of, arguments.last());
        let mut out: Vec<Token> = Vec::new();
        let mut k = 0;
        // True after ##: the next token is joined with the last one.
        let mut paste = false;
        // True if the operand before `##` is empty, so that the next token is not joined.
        let mut nothing = false;
        while k < body.len() {
            let token = &body[k];
            if token.is("##") && k > 0 && k + 1 < body.len() {
                k += 1;
                let rest = (of.variadic && body[k - 2].is(","))
                    .then(|| position(&body[k]))
                    .flatten()
                    .filter(|p| p + 1 == parameters.len());
                // GNU C: in `, ## args` the comma is dropped if the rest is empty; otherwise it is not joined with
                // the argument.
                match rest.map(|p| arguments[p].is_empty()) {
                    Some(true) => drop(out.pop()),
                    Some(false) => {}
                    None => paste = true,
                }
                continue;
            }
            let mut piece: Vec<Token>;
            let string = token.is("#") && of.parameters.is_some();
            if string && let Some(p) = body.get(k + 1).and_then(position) {
                piece = vec![self.string(&arguments[p], token)];
                k += 1;
            } else if let Some(p) = position(token) {
                let joined = paste || body.get(k + 1).is_some_and(|t| t.is("##"));
                if joined {
                    piece = arguments[p].clone();
                } else {
                    if expanded[p].is_none() {
                        expanded[p] = Some(self.argument(&arguments[p], name, depth));
                    }
                    piece = expanded[p].clone().unwrap_or_default();
                }
                if let Some(first) = piece.first_mut() {
                    first.space = token.space;
                }
            } else {
                piece = vec![token.clone()];
            }
            k += 1;
            let was_nothing = std::mem::replace(&mut nothing, piece.is_empty());
            if paste && piece.is_empty() {
                nothing = was_nothing;
            } else if paste
                && !was_nothing
                && let Some(left) = out.pop()
            {
                let right = piece.remove(0);
                out.extend(self.join(&left, &right, name.at));
            }
            paste = false;
            out.extend(piece);
        }
        out
    }

    fn argument(&mut self, tokens: &[Token], name: &Token, depth: usize) -> Vec<Token> {
        if depth >= MAX_NESTING {
            let message = format!("calls of macros nest more than {MAX_NESTING} deep");
            self.sink
                .error(&codes::LIMIT, name.at, message, "split the expression");
            self.expanded = MAX_EXPANDED;
            return Vec::new();
        }
        self.expanded += tokens.len();
        self.expand_all(tokens.to_vec(), depth + 1)
    }

    /// Joins two tokens to one.
    fn join(&mut self, left: &Token, right: &Token, at: Pos) -> Vec<Token> {
        let text = format!("{}{}", left.text, right.text);
        let mut made = lex(text.as_bytes(), at.file, &mut self.kept.names, self.sink);
        made.pop();
        if made.len() != 1 {
            let message = format!("{} ## {} makes no token", left.text, right.text);
            self.sink.error(
                &codes::PREPROCESSOR,
                at,
                message,
                "join what makes one name or number",
            );
        }
        for t in &mut made {
            t.at = at;
            t.first = false;
            t.space = left.space;
        }
        made
    }

    fn string(&mut self, tokens: &[Token], like: &Token) -> Token {
        let mut text = String::from("\"");
        for (k, t) in tokens.iter().enumerate() {
            if k > 0 && t.space {
                text.push(' ');
            }
            for c in t.text.chars() {
                if matches!(t.kind, Kind::Str | Kind::Char) && matches!(c, '"' | '\\') {
                    text.push('\\');
                }
                text.push(c);
            }
        }
        text.push('"');
        Token {
            kind: Kind::Str,
            text: self.kept.names.get(&text),
            ..like.clone()
        }
    }

    /// The value of a dynamic macro such as `__LINE__`. A real date would make a different program of the same file
    /// each day, so it is fixed.
    pub(super) fn special(&mut self, token: Token) -> Token {
        let (kind, text) = match &*token.text {
            "__LINE__" => (Kind::Number, token.at.line.to_string()),
            "__FILE__" | "__FILE_NAME__" | "__BASE_FILE__" => {
                let file = match &*token.text {
                    "__BASE_FILE__" => self.frames.first().map(|frame| &frame.name),
                    _ => self.sink.files.get(token.at.file as usize),
                };
                let name = file.map_or("", String::as_str);
                let name = match &*token.text {
                    "__FILE_NAME__" => name.rsplit(['/', '\\']).next().unwrap_or(name),
                    _ => name,
                };
                let name = name.replace('\\', "\\\\").replace('"', "\\\"");
                (Kind::Str, format!("\"{name}\""))
            }
            "__INCLUDE_LEVEL__" => (
                Kind::Number,
                (self.frames.len().saturating_sub(1)).to_string(),
            ),
            "__COUNTER__" => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string())
            }
            "__DATE__" => (Kind::Str, "\"??? ?? ????\"".to_owned()),
            "__TIME__" => (Kind::Str, "\"??:??:??\"".to_owned()),
            _ => return token,
        };
        let text = self.kept.names.get(&text);
        Token {
            kind,
            text,
            ..token
        }
    }
}
