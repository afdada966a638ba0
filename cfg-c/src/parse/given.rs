//! Functions that pragmas and options declare: functions defined elsewhere, and given derivatives.
//!
//! Each expression in a declaration becomes a function of its own, with the parameters of the declared function.

use super::{Entry, Parser};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Function, Given, StmtKind, new_decl},
    codes,
    lex::{Kind, Token},
    preprocess::{External, Role, TypeChoice},
    reach::Reached,
    source::Pos,
    types::{Arith, Parameter, Qualified, Signature, Type},
};
use cfg_core::diagnostic::similar::did_you_mean;
use std::{collections::HashSet, rc::Rc};

fn is_real(ty: &Qualified) -> bool {
    ty.bottom().arith().is_some_and(Arith::is_real)
}

impl Parser<'_> {
    pub(super) fn apply_given_derivatives(&mut self, read: &Reached) {
        let (externals, choices) = (&read.externals, &read.choices);
        // A pragma in a header is read once for each file that includes it.
        let mut said = HashSet::new();
        for external in externals {
            let at = external.name.at;
            if external.unit.is_some() && !said.insert((at.file, at.line, at.column)) {
                continue;
            }
            let file = self.enter_file(external.unit, &external.name.text);
            match &external.is {
                Some(is) => self.given_function(external, is, &read.heads),
                None => self.external_function(external),
            }
            self.leave_file(file);
        }
        self.optional_functions(&read.heads);
        for choice in choices.iter().filter(|c| c.role == Role::Passive) {
            let file = self.enter_file(choice.pragma.map(|_| choice.unit), &choice.name);
            if let Some(d) = self.function_named(&choice.name) {
                self.declare_passive(d, choice.at);
            }
            self.leave_file(file);
        }
        // Functions called in the expressions may need declarations of their own, so the list grows during the loop.
        let mut f = self.unit.written;
        while f < self.unit.functions.len() {
            for k in self.unit.functions[f].part.clone() {
                if let ExprKind::Call(callee, _) = self.unit.expr(ExprId(k)).kind
                    && let ExprKind::Name(d) = self.unit.expr(callee).kind
                {
                    let decl = self.unit.decl(d);
                    let function = matches!(decl.ty.ty, Type::Function(_));
                    if function && decl.definition.is_none() && decl.library.is_none() {
                        let at = self.unit.expr(callee).at;
                        self.declare_elsewhere(d, None, at);
                    }
                }
            }
            f += 1;
        }
    }

    /// Notes the types that options give parameters of the function to differentiate.
    pub(super) fn given_types(&mut self, read: &Reached) {
        let Some((file, function)) = read.heads.first().filter(|_| !read.types.is_empty()) else {
            return;
        };
        let file = self.enter_file(Some(*file), function);
        for TypeChoice { name, ty } in &read.types {
            let f = self.function_named(function);
            let f = f.and_then(|d| self.unit.decl(d).definition);
            let mut own = f
                .into_iter()
                .flat_map(|f| &self.unit.functions[f].parameters);
            let parameter = own.find(|d| self.unit.decl(**d).name == name.text).copied();
            let Some(d) = parameter.filter(|d| self.unit.decl(*d).ty.is_void_pointer()) else {
                let message = format!("{function} has no parameter {} that is void *", name.text);
                let help =
                    "name a parameter of the function to differentiate: data='struct setting *'";
                self.sink.error(&codes::UNKNOWN, name.at, message, help);
                continue;
            };
            let mut tokens = ty.clone();
            tokens.push(Token {
                kind: Kind::End,
                text: Rc::from(""),
                ..name.clone()
            });
            self.tokens = tokens.into();
            self.at = 0;
            let Ok(ty) = self.type_name() else { continue };
            let is_pointer = matches!(&ty.ty, Type::Pointer(to) if to.ty != Type::Void);
            if !is_pointer || self.peek().kind != Kind::End {
                let message = format!("{} is given what is no type of a pointer", name.text);
                let help = "write the type that the pointer has: data='struct setting *'";
                self.sink.error(&codes::TYPE, name.at, message, help);
                continue;
            }
            self.unit.given_types.insert(d, ty);
        }
        self.leave_file(file);
    }

    /// The function of a name, in the file or among those of all files.
    pub(super) fn function_named(&self, name: &str) -> Option<DeclId> {
        let d = match self.scopes.first()?.names.get(name) {
            Some(Entry::Decl(d)) => *d,
            Some(Entry::Typedef(_)) => return None,
            None => *self.linked.get(name)?,
        };
        matches!(self.unit.decl(d).ty.ty, Type::Function(_)).then_some(d)
    }

    pub(super) fn no_external(&mut self, at: Pos, message: String, help: &str) {
        self.sink.error(&codes::FUNCTION, at, message, help);
    }

    /// The function of a name, or the parameter that is a pointer to one.
    fn resolve_function(&mut self, name: &Token) -> Option<DeclId> {
        if let Some(d) = self.function_named(&name.text) {
            if self.unit.decl(d).library.is_some() {
                let message = format!("{} is a function of the library", name.text);
                let help = "declare a function of another name that calls it";
                self.no_external(name.at, message, help);
                return None;
            }
            return Some(d);
        }
        let mut parameters = Vec::new();
        for f in &self.unit.functions[..self.unit.written] {
            for d in &f.parameters {
                let decl = self.unit.decl(*d);
                if decl.name == name.text
                    && let Type::Pointer(to) = &decl.ty.ty
                    && let Type::Function(_) = to.ty
                {
                    parameters.push((*d, (**to).clone()));
                }
            }
        }
        let Some((_, ty)) = parameters.first() else {
            let functions = self
                .unit
                .decls
                .iter()
                .filter(|d| d.kind == DeclKind::Function && d.library.is_none());
            let names = functions.map(|d| &d.name).chain(self.names);
            let near = did_you_mean(&name.text, names.map(|name| &**name));
            let message = format!("no function {} is declared", name.text);
            let help = near.unwrap_or_else(|| {
                format!("declare it in the file: double {}(double x);", name.text)
            });
            self.sink.error(&codes::UNKNOWN, name.at, message, help);
            return None;
        };
        let made = new_decl(&name.text, DeclKind::Function, ty.clone(), name.at);
        let d = self.declare(made);
        for (p, _) in parameters {
            self.unit.callbacks.insert(p, d);
        }
        Some(d)
    }

    /// The signature with variables for the parameters, under these names if some are given.
    fn declare_signature(
        &mut self,
        d: DeclId,
        names: Option<&[Token]>,
        at: Pos,
    ) -> Option<Rc<Signature>> {
        let decl = self.unit.decl(d);
        let name = Rc::clone(&decl.name);
        let Type::Function(signature) = decl.ty.ty.clone() else {
            return None;
        };
        let help = "declare it with its parameters, which are numbers and arrays of numbers";
        if signature.open || signature.variadic {
            let message = format!("nothing is known of the parameters of {name}");
            self.no_external(at, message, help);
            return None;
        }
        if let Some(names) = names
            && names.len() != signature.parameters.len()
        {
            let message = format!(
                "{name} has {} parameters, but {} are named",
                signature.parameters.len(),
                names.len()
            );
            self.no_external(at, message, "name each parameter");
            return None;
        }
        let is_number = |ty: &Qualified| ty.bottom().arith().is_some();
        let void = |ty: &Qualified| ty.is_void_pointer();
        let bad = signature.parameters.iter().find(|p| {
            // A pointer to pointers (rows) has no form as an argument in emitted C.
            let rows = matches!(&p.ty.ty, Type::Pointer(to) if matches!(to.ty, Type::Pointer(_)));
            rows || !is_number(&p.ty) && !void(&p.ty)
        });
        if let Some(bad) = bad {
            let message = format!(
                "a parameter of {name} is a {}, which functions that are defined elsewhere, or whose derivatives are given, cannot have",
                bad.ty.name()
            );
            self.no_external(at, message, help);
            return None;
        }
        if signature.result.ty != Type::Void && signature.result.arith().is_none() {
            let message = format!("{name} returns a {}", signature.result.name());
            self.no_external(at, message, "return a number");
            return None;
        }
        let mut parameters = Vec::new();
        for (k, p) in signature.parameters.iter().enumerate() {
            let (name, at) = match (names, &p.name) {
                (Some(names), _) => (Rc::clone(&names[k].text), names[k].at),
                (None, Some(name)) => (Rc::clone(name), at),
                (None, None) => (Rc::from(format!("argument{}", k + 1)), at),
            };
            let mut own = new_decl(&name, DeclKind::Parameter, p.ty.clone(), at);
            own.extent = p.extent;
            let d = DeclId(self.unit.decls.len() as u32);
            self.unit.decls.push(own);
            parameters.push(Parameter {
                name: Some(name),
                decl: Some(d),
                ..p.clone()
            });
        }
        let mut own = (*signature).clone();
        own.parameters = parameters;
        Some(Rc::new(own))
    }

    /// Makes a function without a body from a declaration: it is defined elsewhere.
    fn declare_elsewhere(&mut self, d: DeclId, names: Option<&[Token]>, at: Pos) -> Option<usize> {
        let mut signature = self.declare_signature(d, names, at)?;
        // Extents name the parameters of the declaration.
        if let (None, Type::Function(declared)) = (names, &self.unit.decl(d).ty.ty)
            && declared.parameters.iter().all(|p| p.decl.is_some())
        {
            signature = Rc::clone(declared);
        }
        let number = self.unit.functions.len();
        let parameters: Vec<DeclId> = signature.parameters.iter().filter_map(|p| p.decl).collect();
        for p in &parameters {
            self.unit.decls[p.index()].function = Some(number);
        }
        let decl = &mut self.unit.decls[d.index()];
        decl.definition = Some(number);
        decl.ty.ty = Type::Function(signature);
        let end = self.unit.exprs.len() as u32;
        let body = self.add_stmt(StmtKind::Block(Vec::new()), at);
        self.unit.functions.push(Function {
            decl: d,
            parameters,
            body,
            part: end..end,
            loops: Vec::new(),
            locals: Vec::new(),
            labels: Vec::new(),
            from: at,
            to: at,
            given: Some(Rc::new(Given {
                elsewhere: true,
                ..Given::default()
            })),
        });
        Some(number)
    }

    /// Defines a function with the body `{ return expression; }`.
    fn defined_by(&mut self, d: DeclId, signature: Rc<Signature>, e: &[Token]) {
        let Some((first, last)) = e.first().zip(e.last()) else {
            return;
        };
        let (from, to) = (first.at, last.at);
        let made = |text: &str, kind: Kind, at: Pos| Token {
            kind,
            text: Rc::from(text),
            at,
            first: false,
            space: true,
            hidden: None,
        };
        let mut tokens = vec![
            made("{", Kind::Punct, from),
            made("return", Kind::Ident, from),
            made("(", Kind::Punct, from),
        ];
        tokens.extend(e.iter().cloned());
        tokens.extend([
            made(")", Kind::Punct, to),
            made(";", Kind::Punct, to),
            made("}", Kind::Punct, to),
            made("", Kind::End, to),
        ]);
        self.tokens = tokens.into();
        self.at = 0;
        let ty = Qualified::unqualified(Type::Function(signature));
        if self.parse_function_body(d, &ty, from).is_err() {
            self.depth = 0;
            self.around.clear();
            self.function = None;
        }
        self.scopes.truncate(1);
    }

    /// Checks that a function of the file has the parameters of a derivative; returns its declaration.
    fn find_derivative(
        &mut self,
        name: &Token,
        of: &str,
        wanted: &[(Qualified, bool)],
    ) -> Option<DeclId> {
        let Some(d) = self.function_named(&name.text) else {
            let message = format!("no function {} is declared", name.text);
            let help = "declare it, or define it";
            self.sink.error(&codes::UNKNOWN, name.at, message, help);
            return None;
        };
        let signature = match &self.unit.decl(d).ty.ty {
            Type::Function(signature) => Rc::clone(signature),
            _ => return None,
        };
        let same = |given: &Qualified, wanted: &Qualified, read: bool| {
            let (a, b) = (given.bottom(), wanted.bottom());
            given.levels() == wanted.levels()
                && a.ty == b.ty
                && (given.levels() == 0 || !a.constant || read)
        };
        // The function must have exactly the wanted parameters; only `const` may be missing.
        let given = &signature.parameters;
        let fits = |wanted: &[(Qualified, bool)]| {
            given.len() == wanted.len()
                && given
                    .iter()
                    .zip(wanted)
                    .all(|(p, (ty, read))| same(&p.ty, ty, *read))
        };
        if signature.open
            || signature.variadic
            || signature.result.ty != Type::Void
            || !fits(wanted)
        {
            let list: Vec<String> = wanted
                .iter()
                .map(|(ty, read)| match (read, ty.levels()) {
                    (true, 1..) => format!("const {}", declared(ty)),
                    _ => declared(ty),
                })
                .collect();
            let message = format!("{} is no derivative of {of}", name.text);
            let help = format!(
                "declare it as void {}({}): each parameter that is real is followed by its derivative",
                name.text,
                list.join(", ")
            );
            self.no_external(name.at, message, &help);
            return None;
        }
        if self.unit.decl(d).definition.is_none() {
            self.declare_elsewhere(d, None, name.at)?;
        }
        Some(d)
    }

    /// The parameters of an adjoint or a tangent: each real one is followed by its derivative.
    fn derivative_parameters(signature: &Signature, tangent: bool) -> Vec<(Qualified, bool)> {
        let pointer = |ty: &Qualified| {
            let mut to = ty.clone();
            to.constant = false;
            Qualified::unqualified(Type::Pointer(Rc::new(to)))
        };
        let mut wanted = Vec::new();
        for p in &signature.parameters {
            wanted.push((p.ty.clone(), true));
            if !is_real(&p.ty) {
                continue;
            }
            let array = p.ty.target().is_some();
            let read = p.ty.bottom().constant;
            wanted.push(match (array, tangent) {
                (true, _) => (p.ty.clone(), tangent && read),
                (false, true) => (p.ty.clone(), true),
                (false, false) => (pointer(&p.ty), false),
            });
        }
        if signature.result.ty != Type::Void {
            let real = is_real(&signature.result);
            let result = Qualified::unqualified(signature.result.ty.clone());
            if tangent {
                wanted.push((pointer(&result), false));
            }
            if real && tangent {
                wanted.push((pointer(&result), false));
            } else if real {
                wanted.push((result, true));
            }
        }
        wanted
    }

    fn external_function(&mut self, external: &External) {
        let at = external.name.at;
        if let Some(member) = &external.member {
            let message = format!("{} is a member of a structure", member.text);
            let help = "say which function of the files it is: is(NAME)";
            return self.no_external(at, message, help);
        }
        let Some(d) = self.resolve_function(&external.name) else {
            return;
        };
        let name = Rc::clone(&self.unit.decl(d).name);
        // Names of parameters equal to those of the declaration add nothing.
        let declared = |k: usize| match &self.unit.decl(d).ty.ty {
            Type::Function(signature) => signature.parameters.get(k)?.name.as_ref(),
            _ => None,
        };
        let others = |names: &&[Token]| {
            let mut all = names.iter().enumerate();
            !all.all(|(k, name)| declared(k) == Some(&name.text)) || declared(names.len()).is_some()
        };
        let names = external.parameters.as_deref().filter(others);
        let again = match self.unit.decl(d).definition {
            Some(g) if g >= self.unit.written || self.unit.functions[g].given.is_some() => true,
            Some(_) if external.value.is_some() => {
                let message = format!("{name} has a body, and a value is given");
                self.no_external(at, message, "leave one of the two out");
                return;
            }
            _ => false,
        };
        if again {
            let message = format!("{name} is declared external twice");
            self.sink
                .error(&codes::TWICE, at, message, "leave one of the two out");
            return;
        }
        // Expressions name the parameters by the names given here, or else by those of the declaration.
        let Some(signature) = self.declare_signature(d, names, at) else {
            return;
        };
        match (&external.value, self.unit.decl(d).definition) {
            (_, Some(_)) => {}
            (Some(_), None) if signature.result.ty == Type::Void => {
                let message = format!("{name} returns nothing, and a value is given");
                return self.no_external(at, message, "leave it out");
            }
            (Some(e), None) => {
                self.unit.decls[d.index()].external = false;
                self.defined_by(d, Rc::clone(&signature), e);
            }
            (None, None) => {
                self.declare_elsewhere(d, names, at);
            }
        }
        let Some(g) = self.unit.decl(d).definition else {
            return;
        };
        let mut given = Given {
            elsewhere: external.value.is_none() && g >= self.unit.written,
            ..Given::default()
        };
        let mut seen = HashSet::new();
        for (parameter, e) in &external.partials {
            let k = signature
                .parameters
                .iter()
                .position(|p| p.name.as_ref() == Some(&parameter.text));
            let real = k.is_some_and(|k| {
                let ty = &signature.parameters[k].ty;
                ty.arith().is_some_and(Arith::is_real)
            });
            if !real || !is_real(&signature.result) || !seen.insert(Rc::clone(&parameter.text)) {
                let message = format!(
                    "{} is no parameter of {name} that has a partial derivative here",
                    parameter.text
                );
                let help = "partials are those of a real result by real parameters that are no arrays, each once; for others give an adjoint and a tangent";
                self.no_external(parameter.at, message, help);
                continue;
            }
            // Later steps find the parameter by its name in the function itself.
            let own = k.and_then(|k| self.unit.functions[g].parameters.get(k));
            let Some(own) = own.map(|d| Rc::clone(&self.unit.decl(*d).name)) else {
                continue;
            };
            let Some(made) = self.declare_signature(d, names, at) else {
                continue;
            };
            let unnamed = Signature {
                result: Qualified::unqualified(Type::Arith(Arith::Double)),
                parameters: (made.parameters.iter())
                    .filter(|p| !p.ty.is_void_pointer())
                    .cloned()
                    .collect(),
                ..(*made).clone()
            };
            let f = self.new_function(&format!("{name}_{own}"), parameter.at);
            self.defined_by(f, Rc::new(unnamed), e);
            given.partials.push((own, f));
        }
        if !external.partials.is_empty()
            && (external.adjoint.is_some() || external.tangent.is_some())
        {
            let message = format!("partials, and an adjoint or a tangent of {name} are given");
            self.no_external(at, message, "give one of the two");
        }
        if let Some(f) = &external.adjoint {
            given.adjoint =
                self.find_derivative(f, &name, &Self::derivative_parameters(&signature, false));
        }
        if let Some(f) = &external.tangent {
            given.tangent =
                self.find_derivative(f, &name, &Self::derivative_parameters(&signature, true));
        }
        self.unit.functions[g].given = Some(Rc::new(given));
    }

    /// Declares a function with a name of its own.
    fn new_function(&mut self, stem: &str, at: Pos) -> DeclId {
        let taken = |p: &Self, name: &str| p.unit.decls.iter().any(|d| &*d.name == name);
        let mut name = stem.to_owned();
        let mut k = 1;
        while taken(self, &name) {
            k += 1;
            name = format!("{stem}_{k}");
        }
        let d = DeclId(self.unit.decls.len() as u32);
        let ty = Qualified::unqualified(Type::Void);
        let decl = new_decl(&Rc::from(name), DeclKind::Function, ty, at);
        self.unit.decls.push(decl);
        d
    }

    /// Notes that the derivative of a function is taken to be 0.
    fn declare_passive(&mut self, d: DeclId, at: Pos) {
        if self.unit.decl(d).library.is_some() {
            let message = format!("{} is a function of the library", self.unit.decl(d).name);
            let help = "write a function that calls it, and name that";
            return self.no_external(at, message, help);
        }
        if self.unit.decl(d).definition.is_none() && self.declare_elsewhere(d, None, at).is_none() {
            return;
        }
        let Some(g) = self.unit.decl(d).definition else {
            return;
        };
        if self.declare_signature(d, None, at).is_none() {
            return;
        }
        let known = self.unit.functions[g].given.as_deref().cloned();
        let given = Given {
            passive: true,
            ..known.unwrap_or_default()
        };
        if given.named().next().is_some() {
            let message = format!(
                "derivatives of {} are given, which are taken to be 0",
                self.unit.decl(d).name
            );
            return self.no_external(at, message, "leave one of the two out");
        }
        self.unit.functions[g].given = Some(Rc::new(given));
    }
}

/// A type in the words of C.
fn declared(ty: &Qualified) -> String {
    let stars = "*".repeat(ty.levels());
    match stars.is_empty() {
        true => ty.bottom().name(),
        false => format!("{} {stars}", ty.bottom().name()),
    }
}
