//! Prepares functions for lowering: pointers to functions become numbers, and functions with function parameters are
//! copied for each function that they are given.
//!
//! A pointer to a function becomes an integer, the number of the function, and a call through it a choice among the
//! functions that it may be. If a call passes one known function for a parameter, the callee is copied without that
//! parameter, and the copy calls the function by its name. Callees with `void *` parameters are copied, too: in each
//! copy the parameter has the type of the argument.

mod back;
mod call;
mod copy;
mod fields;
mod frame;
mod inline;
mod members;
mod parts;
mod set;
mod statement;
mod structure;
mod typed;
mod untyped;
mod void;

use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Function, Unary, Unit},
    calls::{holds_functions, is_function_pointer, names, reachable},
    codes, constant,
    points::{is_null, strip_conversions},
    source::{Pos, Sink},
    types::{Arith, Qualified, Type},
};
use fields::Fields;
use frame::{Loc, Parts};
use set::Set;
use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    rc::Rc,
};

/// Most copies of functions.
const MAX_COPIES: usize = 1000;

/// Most expressions of a file while copies are made.
const MAX_EXPRESSIONS: usize = 1 << 22;

/// True if there are too many copies of functions, or too many expressions.
fn is_too_much(copies: usize, expressions: usize) -> bool {
    copies > MAX_COPIES || expressions > MAX_EXPRESSIONS
}

/// The meaning of a parameter in a copy of its function.
#[derive(Clone, Debug, PartialEq)]
enum Bound {
    /// The parameter is left out: it is always this function.
    Function(DeclId),
    /// The parameter is the number of one of these functions.
    Among(Set),
    /// The parameter is left out: it is always null.
    Null,
    /// The parameter points to this type in place of void.
    Points(Qualified),
    /// The parameter points to this variable, which is a pointer.
    Place(DeclId),
}

/// The parameters of a copy that differ from the original, by their positions; the result, at [`RESULT`], is last.
type Bindings = Vec<(usize, Bound)>;

/// The position of the result of a function that returns a pointer to void.
const RESULT: usize = usize::MAX;

struct Expand<'u> {
    unit: &'u mut Unit,
    sink: &'u mut Sink,
    /// The functions as they were read.
    read: Vec<Function>,
    /// The functions whose addresses are taken. The number of a function is its position, from 1.
    numbers: Vec<DeclId>,
    /// Functions that are named other than in calls.
    taken: BTreeSet<DeclId>,
    /// The types that functions convert their parameters `void *` to.
    taken_for: untyped::Taken,
    /// The functions that are assigned to members of structures.
    fields: Fields,
    /// The expressions that name a function in order to call it.
    callees: HashSet<ExprId>,
    /// The copies of each function.
    copies: HashMap<usize, Vec<(Bindings, usize)>>,
    /// For each function, the types behind results whose type no caller decides.
    unwanted: HashMap<usize, Vec<(Bindings, Qualified)>>,
    open: VecDeque<(usize, Bindings, usize)>,
    names: HashSet<Rc<str>>,
    count: usize,
    /// The number of expressions that were read; those behind are made here.
    original: usize,
    /// The variables that stand for the members of structures with pointers.
    parts: HashMap<DeclId, Parts>,
    /// The structure that each pointer to structures points to.
    pointers: HashMap<DeclId, Loc>,
    /// Pointers to structures that have been refused.
    refused: HashSet<DeclId>,
    /// The expressions that read a member `void *` before it was assigned.
    read_early: HashMap<DeclId, HashSet<ExprId>>,
    /// By its copy, the variable that a structure is a copy of.
    objects: HashMap<DeclId, DeclId>,
    /// Structures that are allocated in loops.
    repeated: HashSet<DeclId>,
    /// Whether a function stands in place of its calls, filled on request.
    inlined: HashMap<usize, bool>,
    /// The functions that are being copied into one another, innermost last.
    stack: Vec<usize>,
    /// The number of calls that functions stand in place of.
    calls: usize,
    /// Parameters through which elements before the one that they point to are used.
    before: back::Before,
    /// True if pointers are values: structures then keep their members, and functions their calls.
    values: bool,
}

/// Makes all copies. The functions `roots`, which no function calls, keep their parameters. Returns false after a
/// problem with variables that would make all further messages about them misleading. If pointers are `values`,
/// structures with pointers are treated like others.
pub(crate) fn expand(unit: &mut Unit, roots: &[usize], values: bool, sink: &mut Sink) -> bool {
    let reached = reachable(unit, roots);
    let read = unit.functions.clone();
    let names = unit.decls.iter().map(|d| Rc::clone(&d.name)).collect();
    let original = unit.exprs.len();
    let fields = fields::find(unit);
    let before = back::Before::find(unit);
    let mut e = Expand {
        unit,
        sink,
        read,
        numbers: Vec::new(),
        taken: BTreeSet::new(),
        taken_for: untyped::Taken::new(),
        fields,
        callees: HashSet::new(),
        copies: HashMap::new(),
        unwanted: HashMap::new(),
        open: VecDeque::new(),
        names,
        count: 0,
        original,
        parts: HashMap::new(),
        pointers: HashMap::new(),
        refused: HashSet::new(),
        read_early: HashMap::new(),
        objects: HashMap::new(),
        repeated: HashSet::new(),
        inlined: HashMap::new(),
        stack: Vec::new(),
        calls: 0,
        before,
        values,
    };
    if !e.refuse_arrays(&reached) {
        return false;
    }
    let concerned = |e: &mut Expand<'_>, f: usize| {
        is_concerned(e.unit, f)
            || match values {
                true => typed::names_void(e.unit, f),
                false => back::hands_on(e.unit, f) || e.hands_before(f) || e.has_parts(f),
            }
    };
    if !reached.iter().any(|f| concerned(&mut e, *f)) {
        return true;
    }
    if values {
        e.type_void(roots);
    }
    e.taken_for = untyped::taken(e.unit, &e.read, &reached);
    e.find_taken(&reached);
    e.refuse_given(roots, &reached);
    e.number_members();
    e.number_globals();
    for &root in roots {
        let bindings = e.callbacks(root);
        let copies = e.copies.entry(root).or_default();
        copies.push((bindings.clone(), root));
        e.open.push_back((root, bindings, root));
    }
    while let Some((f, bindings, target)) = e.open.pop_front() {
        e.copy(f, &bindings, target);
    }
    true
}

/// The type that a result `void *` leads to in a copy.
fn result_of(bindings: &Bindings) -> Option<&Qualified> {
    bindings.iter().find_map(|(k, bound)| match bound {
        Bound::Points(to) if *k == RESULT => Some(to),
        _ => None,
    })
}

/// True of functions and pointers to them.
fn is_function(ty: &Qualified) -> bool {
    matches!(ty.ty, Type::Function(_)) || is_function_pointer(ty)
}

/// The members to which a type leads that are pointers to functions, each as `structure.member`.
fn function_members(unit: &Unit, ty: &Qualified) -> Vec<String> {
    let mut members = Vec::new();
    let mut seen = HashSet::new();
    let mut open = VecDeque::from([ty]);
    while let Some(ty) = open.pop_front() {
        let Type::Struct(s) = ty.bottom().ty else {
            continue;
        };
        if !seen.insert(s) {
            continue;
        }
        let structure = unit.structure(s);
        let name = structure.name.as_deref().unwrap_or("structure");
        for member in &structure.members {
            if is_function(member.ty.bottom()) {
                members.push(format!("{name}.{}", member.name));
            }
            open.push_back(&member.ty);
        }
    }
    members
}

/// True if a function has a construct that only a copy is free of: pointers to functions, `void *`, or calls through
/// pointers.
fn is_concerned(unit: &Unit, f: usize) -> bool {
    let function = &unit.functions[f];
    let own = function.parameters.iter().chain(&function.locals);
    let mut own = own.map(|d| &unit.decl(*d).ty);
    own.any(|ty| holds_functions(unit, ty) || ty.is_void_pointer())
        || function.part.clone().any(|k| {
            let node = &unit.exprs[k as usize];
            let called = match node.kind {
                ExprKind::Call(f, _) => Some(unit.expr(callee(unit, f))),
                _ => None,
            };
            called.is_some_and(|f| !matches!(f.kind, ExprKind::Name(_)))
                || returns_void_pointer(unit, ExprId(k))
                || (node.ty.as_ref()).is_some_and(|ty| holds_functions(unit, ty))
        })
}

/// True of a call of a function of the file that returns a pointer to void.
fn returns_void_pointer(unit: &Unit, e: ExprId) -> bool {
    unit.own_call(e).is_some()
        && unit
            .expr(e)
            .ty
            .as_ref()
            .is_some_and(Qualified::is_void_pointer)
}

/// A reached function with pointer parameters whose definition or derivatives are given. Such functions are not
/// supported where pointers are values.
pub(crate) fn given_with_pointers(unit: &Unit, roots: &[usize]) -> Option<usize> {
    let reached = reachable(unit, roots);
    reached.into_iter().find(|f| {
        let function = &unit.functions[*f];
        let given = function.given.as_ref();
        let is_given = given.is_some_and(|given| given.elsewhere || given.has_derivatives());
        let mut parameters = function.parameters.iter().map(|d| &unit.decl(*d).ty.ty);
        is_given && parameters.any(|ty| matches!(ty, Type::Pointer(_)))
    })
}

/// The called expression without the `*` and `&` that mean nothing in a call.
fn callee(unit: &Unit, mut e: ExprId) -> ExprId {
    loop {
        e = match &unit.expr(e).kind {
            ExprKind::Unary(Unary::Deref | Unary::Address, a)
                if unit.expr(*a).ty.as_ref().is_some_and(is_function) =>
            {
                *a
            }
            ExprKind::Cast(ty, a) if is_function_pointer(ty) => *a,
            _ => return e,
        };
    }
}

impl Expand<'_> {
    /// Finds the functions that pointers may be.
    fn find_taken(&mut self, reached: &[usize]) {
        let mut parts: Vec<std::ops::Range<u32>> = Vec::new();
        let mut end = 0;
        for (f, function) in self.unit.functions.iter().enumerate() {
            // Expressions between functions belong to initial values of variables of the file.
            parts.push(end..function.part.start);
            if reached.contains(&f) {
                parts.push(function.part.clone());
            }
            end = function.part.end;
        }
        parts.push(end..self.unit.exprs.len() as u32);
        for part in &parts {
            for k in part.clone() {
                if let ExprKind::Call(f, _) = self.unit.exprs[k as usize].kind {
                    self.callees.insert(callee(self.unit, f));
                }
            }
        }
        for k in parts.into_iter().flatten() {
            if let ExprKind::Name(d) = self.unit.exprs[k as usize].kind
                && matches!(self.unit.decl(d).ty.ty, Type::Function(_))
                && !self.callees.contains(&ExprId(k))
            {
                self.taken.insert(d);
            }
        }
    }

    /// The number of a function.
    fn number(&mut self, d: DeclId) -> i128 {
        let known = self.numbers.iter().position(|f| *f == d);
        let place = known.unwrap_or_else(|| {
            self.numbers.push(d);
            self.numbers.len() - 1
        });
        place as i128 + 1
    }

    /// The bindings of a function to differentiate whose parameters are functions that pragmas declare: these
    /// parameters are left out, together with the `void *` that is handed on to them.
    fn callbacks(&self, root: usize) -> Bindings {
        let mut bindings = Vec::new();
        let parameters = &self.read[root].parameters;
        for (k, d) in parameters.iter().enumerate() {
            if let Some(g) = self.unit.callbacks.get(d) {
                bindings.push((k, Bound::Function(*g)));
            }
        }
        if bindings.is_empty() {
            return bindings;
        }
        for (k, d) in parameters.iter().enumerate() {
            let decl = self.unit.decl(*d);
            if decl.ty.is_void_pointer() && decl.assigned.is_empty() && !decl.address {
                bindings.push((k, Bound::Null));
            }
        }
        bindings.sort_by_key(|(k, _)| *k);
        bindings
    }

    /// Refuses pointers to functions that only a caller outside of the files could provide.
    fn refuse_given(&mut self, roots: &[usize], reached: &[usize]) {
        let mut given: Vec<(DeclId, String)> = Vec::new();
        for root in roots {
            let function = &self.read[*root];
            let giver = format!("the caller of {}", self.unit.decl(function.decl).name);
            let own = function.parameters.iter();
            let own = own.filter(|d| !self.unit.callbacks.contains_key(d));
            given.extend(own.map(|d| (*d, giver.clone())));
        }
        for d in names(self.unit, reached) {
            let decl = self.unit.decl(d);
            if decl.external && !matches!(decl.ty.ty, Type::Function(_)) {
                given.push((d, "another file".to_owned()));
            }
        }
        for (d, giver) in given {
            let decl = self.unit.decl(d);
            if !holds_functions(self.unit, &decl.ty) {
                continue;
            }
            let mut which = function_members(self.unit, &decl.ty);
            let is_member = !which.is_empty();
            let what = match which.first() {
                Some(member) => format!("leads to {member},"),
                None => "is".to_owned(),
            };
            if !is_member {
                which.push(decl.name.to_string());
            }
            let message = format!("{} {what} a function that {giver} gives", decl.name);
            let options = which
                .iter()
                .map(|which| format!("--external '{which} is(NAME)'"));
            let options: Vec<String> = options.collect();
            let mut help = format!(
                "if it is a function of the files, say which: {}; else write a function that makes what is used here with one, and choose it with --routine",
                options.join(" ")
            );
            if !is_member && is_function_pointer(&decl.ty) {
                let how = crate::declared::how_to_declare(&decl.name, &decl.ty);
                help = format!("{help}, or {how}");
            }
            let at = decl.at;
            self.sink.error(&codes::FUNCTION, at, message, help);
        }
    }

    /// Refuses arrays of structures with pointers; true if there are none.
    fn refuse_arrays(&mut self, reached: &[usize]) -> bool {
        let mut named = BTreeSet::new();
        for f in reached {
            let function = &self.unit.functions[*f];
            named.extend(&function.locals);
            for k in function.part.clone() {
                if let ExprKind::Name(d) = self.unit.exprs[k as usize].kind {
                    named.insert(d);
                }
            }
        }
        let mut none = true;
        for d in named {
            let decl = self.unit.decl(d);
            let array = matches!(decl.ty.ty, Type::Array(..));
            let Some(s) = self.split_type(decl.ty.element()).filter(|_| array) else {
                continue;
            };
            let structure = self.unit.structure(s);
            let of = structure.name.as_deref().unwrap_or("structures");
            let mut members = structure.members.iter();
            let member = members.find(|m| m.ty.bottom().ty != m.ty.element().ty);
            let member = member.map_or("a structure", |m| &m.name);
            let message = format!(
                "{} is an array of {of}, which has a pointer in it: {member}",
                decl.name
            );
            let help = format!(
                "make {member} an array of the structure, with a constant extent, or use an array for each member"
            );
            let at = decl.at;
            self.sink.error(&codes::TYPE, at, message, help);
            none = false;
        }
        none
    }

    /// Pointers to functions in structures become numbers.
    fn number_members(&mut self) {
        for k in 0..self.unit.structures.len() {
            for m in 0..self.unit.structures[k].members.len() {
                let ty = self.unit.structures[k].members[m].ty.clone();
                self.unit.structures[k].members[m].ty = numbered(&ty);
            }
        }
    }

    /// Variables that are kept between calls and hold functions become numbers.
    fn number_globals(&mut self) {
        for k in 0..self.unit.decls.len() {
            let decl = &mut self.unit.decls[k];
            if let Type::Function(signature) = &mut decl.ty.ty {
                let result = numbered(&signature.result);
                if result != signature.result {
                    Rc::make_mut(signature).result = result;
                }
            }
            if !matches!(decl.kind, DeclKind::Global | DeclKind::Static)
                || matches!(decl.ty.ty, Type::Function(_))
            {
                continue;
            }
            let ty = numbered(&decl.ty);
            let Some(init) = decl.init.clone() else {
                self.unit.decls[k].ty = ty;
                continue;
            };
            let init = init.map(|e| self.numbered_constant(e));
            let decl = &mut self.unit.decls[k];
            decl.ty = ty;
            decl.init = Some(init);
        }
    }

    /// The number of a function, if the expression names one; otherwise the expression.
    fn numbered_constant(&mut self, e: ExprId) -> ExprId {
        let node = self.unit.expr(e);
        let (at, from) = (node.at, node.from);
        let inner = callee(self.unit, e);
        let value = match self.unit.expr(inner).kind {
            ExprKind::Name(d) if matches!(self.unit.decl(d).ty.ty, Type::Function(_)) => {
                self.number(d)
            }
            _ if strip_conversions(self.unit, e) != e && is_null(self.unit, e) => 0,
            _ => return e,
        };
        self.constant(value, at, from)
    }

    fn constant(&mut self, value: i128, at: Pos, from: Pos) -> ExprId {
        self.unit
            .push(ExprKind::Int(value, Arith::ADDRESS), at, from)
    }

    /// The number of the copy of a function with these bindings; a new copy is queued, and made later.
    fn instance(&mut self, f: usize, bindings: Bindings, at: Pos) -> Option<usize> {
        let known = self.copies.get(&f).and_then(|all| {
            let mut all = all.iter();
            all.find(|(b, _)| *b == bindings)
        });
        if let Some((_, target)) = known {
            return Some(*target);
        }
        self.count += 1;
        if is_too_much(self.count, self.unit.exprs.len()) {
            let message = "too many functions are passed to functions";
            let help = "pass fewer functions";
            self.sink.error(&codes::LIMIT, at, message, help);
            return None;
        }
        if self.read[f]
            .given
            .as_ref()
            .is_some_and(|given| given.elsewhere)
            && !bindings.is_empty()
        {
            return self.instance_elsewhere(f, bindings, at);
        }
        let target = if bindings.is_empty() {
            f
        } else {
            let target = self.unit.functions.len();
            let mut function = self.read[f].clone();
            let mut decl = self.unit.decl(function.decl).clone();
            decl.name = self.copy_name(&decl.name, &bindings);
            decl.definition = Some(target);
            if let (Some(to), Type::Function(signature)) = (result_of(&bindings), &mut decl.ty.ty) {
                Rc::make_mut(signature).result.ty = Type::Pointer(Rc::new(to.clone()));
            }
            function.decl = DeclId(self.unit.decls.len() as u32);
            self.unit.decls.push(decl);
            self.unit.functions.push(function);
            target
        };
        let all = self.copies.entry(f).or_default();
        all.push((bindings.clone(), target));
        self.open.push_back((f, bindings, target));
        Some(target)
    }

    /// The instance of a function that is defined elsewhere: it keeps its name and its parameters.
    fn instance_elsewhere(&mut self, f: usize, bindings: Bindings, at: Pos) -> Option<usize> {
        let name = Rc::clone(&self.unit.decl(self.read[f].decl).name);
        let all = self.copies.entry(f).or_default();
        let typed = |(_, bound): &(usize, Bound)| matches!(bound, Bound::Points(_));
        if !bindings.iter().all(typed) || !all.is_empty() {
            let message = format!(
                "{name}, which is defined elsewhere, cannot be handed this void pointer or function"
            );
            let help = format!(
                "give the value of {name} as well, an expression without that parameter: value(...)"
            );
            self.sink.error(&codes::FUNCTION, at, message, help);
            return None;
        }
        all.push((bindings.clone(), f));
        self.open.push_back((f, bindings, f));
        Some(f)
    }

    /// The name of a copy: that of the function, with the names of the functions bound in it.
    fn copy_name(&mut self, name: &str, bindings: &Bindings) -> Rc<str> {
        let mut stem = name.to_owned();
        for (_, bound) in bindings {
            if let Bound::Function(d) = bound {
                stem.push('_');
                stem.push_str(&self.unit.decl(*d).name);
            }
        }
        stem.truncate(60);
        let mut made: Rc<str> = Rc::from(&*stem);
        let mut k = 1;
        while !self.names.insert(Rc::clone(&made)) {
            k += 1;
            made = Rc::from(format!("{stem}_{k}"));
        }
        made
    }
}

/// A type with numbers in place of pointers to functions.
fn numbered(ty: &Qualified) -> Qualified {
    // Declarators nest at most as deep as the parser lets them.
    let inner = match &ty.ty {
        Type::Pointer(to) if matches!(to.ty, Type::Function(_)) => Type::Arith(Arith::ADDRESS),
        Type::Pointer(to) => Type::Pointer(Rc::new(numbered(to))),
        Type::Array(of, extent) => Type::Array(Rc::new(numbered(of)), *extent),
        other => other.clone(),
    };
    Qualified {
        ty: inner,
        ..ty.clone()
    }
}

/// True of the constant 0, which is the null pointer where a pointer is expected.
fn is_zero(unit: &Unit, e: ExprId) -> bool {
    is_null(unit, e) || constant::integer(unit, e).is_some_and(|(value, _)| value == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies are made up to [`MAX_COPIES`], and up to [`MAX_EXPRESSIONS`].
    #[test]
    fn functions_are_copied_up_to_a_number() {
        assert!(!is_too_much(1_000, 1 << 22));
        assert!(is_too_much(1_001, 0));
        assert!(is_too_much(0, (1 << 22) + 1));
    }
}
