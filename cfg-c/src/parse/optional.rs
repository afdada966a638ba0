//! Optional functions of the caller: pointers to functions, in parameters and members, that are called only behind a
//! test for null, as in `if (options->report) options->report(k, x);`. Unless an option names a function, they are
//! taken to be null.

use super::{Parser, callback::Given};
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, StmtId, StmtKind, StructId, Unary, Unit},
    calls::is_function_pointer,
    codes,
    points::is_null,
    reach::InFile,
    source::Pos,
    types::{Qualified, Type},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

/// A variable or member that a caller sets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Variable(DeclId),
    Member(StructId, Rc<str>),
}

/// The use of an expression.
#[derive(Clone, Copy)]
enum Asked {
    /// The expression is called.
    Call,
    /// The expression is tested for null or truth.
    Truth,
    Value,
}

/// Variables and members that are known not to be null at the present expression.
type Known = Rc<Vec<Holder>>;

/// The pointers to functions that are tested, and those that are used other than behind their tests.
#[derive(Default)]
struct Uses {
    tested: BTreeSet<Holder>,
    needed: BTreeSet<Holder>,
}

/// The holder of a pointer to a function, if an expression is one.
fn holder(unit: &Unit, e: ExprId) -> Option<Holder> {
    let node = unit.expr(e);
    if !node.ty.as_ref().is_some_and(is_function_pointer) {
        return None;
    }
    match node.kind {
        ExprKind::Name(d) => Some(Holder::Variable(d)),
        _ => (unit.member_of(e)).map(|(s, name)| Holder::Member(s, Rc::clone(name))),
    }
}

/// The operand that is compared with null, and whether the comparison is one for inequality.
fn compared(unit: &Unit, e: ExprId) -> Option<(ExprId, bool)> {
    match unit.expr(e).kind {
        ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => {
            let other = match (is_null(unit, a), is_null(unit, b)) {
                (false, true) => a,
                (true, false) => b,
                _ => return None,
            };
            Some((other, op == Binary::Ne))
        }
        _ => None,
    }
}

/// `known`, with the variables and members that are not null if a condition has the value `truth`.
fn with(unit: &Unit, known: &Known, condition: ExprId, truth: bool) -> Known {
    let mut more = Vec::new();
    let mut open = vec![(condition, truth)];
    while let Some((e, truth)) = open.pop() {
        if truth {
            more.extend(holder(unit, e));
        }
        if let Some((of, unequal)) = compared(unit, e) {
            open.push((of, truth == unequal));
        }
        match unit.expr(e).kind {
            ExprKind::Unary(Unary::Not, a) => open.push((a, !truth)),
            ExprKind::Binary(Binary::And, a, b) if truth => open.extend([(a, true), (b, true)]),
            ExprKind::Binary(Binary::Or, a, b) if !truth => open.extend([(a, false), (b, false)]),
            _ => {}
        }
    }
    match more.is_empty() {
        true => Rc::clone(known),
        false => Rc::new([&known[..], &more].concat()),
    }
}

impl Uses {
    /// The uses in the functions that are defined.
    fn collect(unit: &Unit) -> Self {
        let mut uses = Self::default();
        for function in &unit.functions {
            uses.statement(unit, function.body);
        }
        uses
    }

    fn statement(&mut self, unit: &Unit, body: StmtId) {
        let mut open: Vec<(StmtId, Known)> = vec![(body, Known::default())];
        while let Some((s, known)) = open.pop() {
            match &unit.stmt(s).kind {
                StmtKind::If(arms, other) => {
                    let mut known = known;
                    for (c, s) in arms {
                        self.expression(unit, *c, Asked::Truth, &known);
                        open.push((*s, with(unit, &known, *c, true)));
                        known = with(unit, &known, *c, false);
                    }
                    open.extend(other.map(|s| (s, known)));
                }
                StmtKind::While(c, s) => {
                    self.expression(unit, *c, Asked::Truth, &known);
                    open.push((*s, with(unit, &known, *c, true)));
                }
                _ => {
                    for e in unit.evaluated(s) {
                        self.expression(unit, e, Asked::Value, &known);
                    }
                    let inside = unit.statements_inside(s).into_iter();
                    open.extend(inside.map(|s| (s, Rc::clone(&known))));
                }
            }
        }
    }

    fn expression(&mut self, unit: &Unit, e: ExprId, asked: Asked, known: &Known) {
        let mut open = vec![(e, asked, Rc::clone(known))];
        while let Some((e, asked, known)) = open.pop() {
            if let Some(holder) = holder(unit, e) {
                let is_known = known.contains(&holder);
                match asked {
                    Asked::Truth => self.tested.insert(holder),
                    Asked::Call if is_known => false,
                    Asked::Call | Asked::Value => self.needed.insert(holder),
                };
            }
            if let Some((of, _)) = compared(unit, e) {
                open.push((of, Asked::Truth, known));
                continue;
            }
            match &unit.expr(e).kind {
                ExprKind::Unary(Unary::Not, a) => open.push((*a, Asked::Truth, known)),
                ExprKind::Unary(Unary::Deref, a) if matches!(asked, Asked::Call) => {
                    open.push((*a, asked, known));
                }
                ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                    let behind = with(unit, &known, *a, *op == Binary::And);
                    open.push((*a, Asked::Truth, known));
                    open.push((*b, Asked::Truth, behind));
                }
                ExprKind::Conditional(c, a, b) => {
                    for (e, truth) in [(*a, true), (*b, false)] {
                        open.push((e, Asked::Value, with(unit, &known, *c, truth)));
                    }
                    open.push((*c, Asked::Truth, known));
                }
                ExprKind::Call(f, arguments) => {
                    let arguments = arguments.iter();
                    open.extend(arguments.map(|a| (*a, Asked::Value, Rc::clone(&known))));
                    open.push((*f, Asked::Call, known));
                }
                // Null may be assigned without being a use.
                ExprKind::Assign(None, a, value) if holder(unit, *a).is_some() => {
                    open.extend(
                        unit.operands(*a)
                            .into_iter()
                            .map(|e| (e, Asked::Value, Rc::clone(&known))),
                    );
                    open.push((*value, Asked::Value, known));
                }
                _ => {
                    let operands = unit.operands(e).into_iter();
                    open.extend(operands.map(|e| (e, Asked::Value, Rc::clone(&known))));
                }
            }
        }
    }
}

/// The pointers to functions that a variable is, or leads to, each with the words of C that lead to it.
fn led_to(unit: &Unit, d: DeclId, found: &mut BTreeMap<Holder, String>) {
    let decl = unit.decl(d);
    if is_function_pointer(&decl.ty) {
        found
            .entry(Holder::Variable(d))
            .or_insert_with(|| decl.name.to_string());
    }
    let mut seen = HashSet::new();
    let mut open: Vec<&Qualified> = vec![&decl.ty];
    while let Some(ty) = open.pop() {
        let Type::Struct(s) = ty.bottom().ty else {
            continue;
        };
        if !seen.insert(s) {
            continue;
        }
        let structure = unit.structure(s);
        let of = structure.name.as_deref().unwrap_or("structure");
        for member in &structure.members {
            if is_function_pointer(&member.ty) {
                let holder = Holder::Member(s, Rc::clone(&member.name));
                found
                    .entry(holder)
                    .or_insert_with(|| format!("{of}.{}", member.name));
            }
            open.push(&member.ty);
        }
    }
}

impl Parser<'_> {
    /// Replaces optional functions by null, unless an option declares them.
    pub(super) fn optional_functions(&mut self, heads: &[InFile]) {
        let unit = &self.unit;
        let roots = heads
            .iter()
            .filter_map(|(file, name)| unit.function_named(*file, name));
        let roots: Vec<usize> = roots.collect();
        let mut found = BTreeMap::new();
        for f in &roots {
            for d in &unit.functions[*f].parameters {
                if !unit.callbacks.contains_key(d) {
                    led_to(unit, *d, &mut found);
                }
            }
        }
        if found.is_empty() {
            return;
        }
        let uses = Uses::collect(unit);
        found.retain(|holder, _| uses.tested.contains(holder) && !uses.needed.contains(holder));
        for (holder, named) in found {
            let mut given = Given::default();
            let at = match holder {
                Holder::Variable(d) => {
                    given.variables.insert(d);
                    self.unit.decl(d).at
                }
                Holder::Member(s, name) => {
                    let member = self.unit.member(s, &name);
                    let at = member.map_or_else(Pos::default, |m| m.at);
                    given.members.insert((s, name));
                    at
                }
            };
            // A pointer that the files themselves set is not the caller's. It is refused where the function is not
            // known.
            if self.find_change(&given, true).is_some()
                || self.replace_callback(&given, None).is_some()
            {
                continue;
            }
            let message =
                format!("{named} is taken to be null: a function that the caller may give");
            let help = format!(
                "if it is one of the files, say which: --external '{named} is(NAME)'; is(NULL) says that it is none"
            );
            self.sink.warning(&codes::FUNCTION, at, message, help);
        }
    }
}
