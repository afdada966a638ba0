//! Translates statements.

use super::{
    Lowered,
    region::{Exit, Target},
    routine::Body,
    slot::{Elem, Path, Slot},
};
use crate::{
    ast::{DeclId, DeclKind, ExprId, Init, Inlined, StmtId, StmtKind},
    codes, points,
    types::Type,
};
use cfg_core::ir::{Expr, Place, Subscript};

impl Body<'_, '_> {
    /// Translates a statement; `last`: it is the last one of the function.
    pub(super) fn lower_statement(&mut self, s: StmtId, last: bool) {
        let unit = self.l.unit;
        let node = unit.stmt(s);
        let whole = node.from.span_to(node.to);
        if !matches!(node.kind, StmtKind::Block(_)) {
            self.span = whole;
        }
        // A problem has been reported; the statements that follow are translated all the same, to find others.
        let done: Lowered<()> = match &node.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(e) => self.lower_for_effects(*e),
            StmtKind::Decl(decls) => {
                for d in decls {
                    let span = unit.decl(*d).at;
                    self.span = span.span_to(node.to);
                    let done = self.lower_declaration(*d);
                    self.report_untold(&done, span);
                }
                Ok(())
            }
            StmtKind::Block(list) => {
                for (k, s) in list.iter().enumerate() {
                    self.lower_statement(*s, last && k + 1 == list.len());
                }
                Ok(())
            }
            StmtKind::If(arms, other) => {
                self.if_chain(arms, *other, last);
                Ok(())
            }
            StmtKind::While(c, body) => self.while_loop(Some(*c), *body, None, None),
            StmtKind::Do(body, c) => self.do_loop(*body, *c, None),
            StmtKind::For(of) => self.for_loop(of, None),
            StmtKind::Checkpoint(checkpoint, s) => self.lower_checkpoint(*checkpoint, *s),
            StmtKind::Switch(value, body) => self.lower_switch(*value, *body, last),
            StmtKind::Case(..) | StmtKind::Default => {
                if let Some(label) = self.cases.get(&s).copied() {
                    self.set_span();
                    self.f.place_label(label);
                }
                Ok(())
            }
            StmtKind::Label(name) => {
                if let Some(label) = self.labels.get(name).copied() {
                    self.set_span();
                    self.f.place_label(label);
                }
                Ok(())
            }
            StmtKind::Goto(name) => self.lower_goto(name, node.from),
            StmtKind::Break => self.jump(Exit::Break),
            StmtKind::Continue => self.jump(Exit::Continue),
            StmtKind::Return(value) => self.return_value(*value, last, node.from),
            StmtKind::Leave => {
                if last {
                    Ok(())
                } else {
                    self.jump(Exit::Leave)
                }
            }
        };
        self.report_untold(&done, node.from);
    }

    fn lower_goto(&mut self, name: &std::rc::Rc<str>, at: crate::source::Pos) -> Lowered<()> {
        if !self.labels.contains_key(name) {
            let message = format!("there is no label {name} in this function");
            return self.error(
                &codes::CONTROL,
                at,
                message,
                "place it where the jump goes on",
            );
        }
        self.jump(Exit::Goto(std::rc::Rc::clone(name)))
    }

    /// Assigns the indices of all open counted loops to their variables, before a jump leaves the loops.
    pub(super) fn tell_all(&mut self) {
        for counting in self.counting.clone() {
            if counting.kept {
                self.assign_loop_variable(counting.decl, counting.index);
            }
        }
    }

    /// Translates the statements of a function that stands in place of a call, or those of an operand.
    pub(super) fn lower_inlined(&mut self, inlined: &Inlined) {
        if self.refuse_unordered(&inlined.arguments, None).is_err() {
            // The problem has been reported.
            return;
        }
        for name in &inlined.labels {
            let label = self.f.label();
            self.labels.insert(std::rc::Rc::clone(name), label);
        }
        if let Some(region) = self.regions.last_mut() {
            region.labels.extend(inlined.labels.iter().cloned());
        }
        let after = self.new_target();
        self.leaves.push(after);
        let (span, depth) = (self.span, self.depth);
        self.base += depth + 1;
        self.depth = 0;
        self.lower_statement(inlined.body, true);
        self.depth = depth;
        self.base -= depth + 1;
        self.span = span;
        let after = self.leaves.pop();
        self.place_target(after);
    }

    pub(super) fn new_target(&mut self) -> Target {
        Target {
            label: self.f.label(),
            used: false,
        }
    }

    /// Places a label, if anything jumps to it.
    pub(super) fn place_target(&mut self, target: Option<Target>) {
        if let Some(target) = target.filter(|t| t.used) {
            self.set_span();
            self.f.place_label(target.label);
        }
    }

    fn return_value(
        &mut self,
        value: Option<ExprId>,
        last: bool,
        at: crate::source::Pos,
    ) -> Lowered<()> {
        match (value, self.result) {
            (Some(e), _) if self.returned.is_some() => self.return_memory(e)?,
            (Some(e), Some((v, elem @ Elem::Struct(_)))) => {
                let target = super::structure::whole_variable(v, elem);
                self.decide_pointers(e, &mut |b| b.store_structure(target.clone(), e))?;
            }
            (Some(e), Some((v, elem @ Elem::Pointer(..)))) => {
                let value = self.pointer_value(e, elem)?;
                self.assign(v, value);
            }
            (Some(e), Some((v, Elem::Arith(ty)))) => {
                let refused = (&codes::POINTER, at);
                let value = self.lower_number(
                    (e, Some(ty)),
                    refused,
                    "a pointer is returned",
                    "return a number",
                )?;
                self.assign(v, value.convert(ty).e);
            }
            (Some(e), None) => self.lower_for_effects(e)?,
            (None, _) => {}
        }
        if last {
            Ok(())
        } else {
            self.jump(Exit::Return)
        }
    }

    fn if_chain(&mut self, arms: &[(ExprId, StmtId)], other: Option<StmtId>, last: bool) {
        let span = self.span;
        let (mut open, mut done) = (0, false);
        for (k, (c, then)) in arms.iter().enumerate() {
            self.span = span;
            let condition = self.lower_condition(*c);
            self.report_untold(&condition, self.l.unit.expr(*c).at);
            let condition = condition.unwrap_or(Expr::Logical(true));
            let behind = arms[k + 1..].iter().map(|(_, s)| *s).chain(other);
            match condition {
                // Statements that are never executed are not translated, as in `if (!memory) exit(1);`.
                Expr::Logical(false) if !self.l.unit.is_entered(&[*then]) => continue,
                Expr::Logical(true) if !self.l.unit.is_entered(&behind.collect::<Vec<_>>()) => {
                    self.lower_statement(*then, last);
                    done = true;
                    break;
                }
                condition => {
                    self.set_span();
                    self.f.begin_if(condition);
                    open += 1;
                    self.lower_statement(*then, last);
                    if k + 1 < arms.len() || other.is_some() {
                        self.f.begin_else();
                    }
                }
            }
        }
        if let Some(other) = other.filter(|_| !done) {
            self.lower_statement(other, last);
        }
        self.span = span;
        for _ in 0..open {
            self.set_span();
            self.f.end_if();
        }
    }

    pub(super) fn lower_declaration(&mut self, d: DeclId) -> Lowered<()> {
        let unit = self.l.unit;
        let decl = unit.decl(d);
        if decl.kind != DeclKind::Local {
            return Ok(());
        }
        if let Type::Pointer(_) = decl.ty.ty
            && !self.is_value(&decl.ty)
        {
            let done = if self.is_rows(d) {
                self.slot_of(d, decl.at).map(|_| ())
            } else if self.is_walker(d) {
                self.declare_walker(d)
            } else {
                self.declare_alias(d)
            };
            if done.is_err() {
                self.failed.insert(d);
            }
            return done;
        }
        self.initialise_variable(d)
    }

    /// Gives a variable its initial value.
    pub(super) fn initialise_variable(&mut self, d: DeclId) -> Lowered<()> {
        let decl = self.l.unit.decl(d);
        let slot = self.slot_of(d, decl.at)?;
        let Some(init) = &decl.init else {
            if let Slot::Array {
                var,
                elem: Elem::Arith(ty),
                lower: 1,
                ..
            } = slot
            {
                return self.shape_late(var, ty, &decl.ty);
            }
            return match slot {
                Slot::Array {
                    var,
                    elem: elem @ Elem::Arith(_),
                    rank,
                    lower,
                    ..
                } if self.checkpoints > 0 => self.zero_path(Path {
                    dims: rank,
                    lower,
                    ..super::structure::whole_variable(var, elem)
                }),
                _ => Ok(()),
            };
        };
        let path = match slot {
            Slot::Scalar(var, elem) => super::structure::whole_variable(var, elem),
            Slot::Cell(var, elem) => Path {
                subscripts: vec![Subscript::Index(Expr::Int(0))],
                ..super::structure::whole_variable(var, elem)
            },
            Slot::Array {
                var,
                elem,
                rank,
                lower,
                ..
            } => Path {
                dims: rank,
                lower,
                ..super::structure::whole_variable(var, elem)
            },
            Slot::Alias(_) | Slot::Walker(_) => return Err(super::Failed),
        };
        match (path.elem, init) {
            (Elem::Arith(_), Init::Expr(e)) if path.dims == 0 => {
                self.assign_initial(path.into_place(), d, *e)
            }
            (Elem::Pointer(..), Init::Expr(e)) if path.dims == 0 => {
                self.refuse_unordered(&[*e], Some(d))?;
                self.point_to(path, *e)
            }
            (Elem::Struct(_), Init::Expr(e)) if path.dims == 0 => {
                self.refuse_unordered(&[*e], Some(d))?;
                self.decide_pointers(*e, &mut |b| b.store_structure(path.clone(), *e))
            }
            (_, Init::Parts(given)) => self.initial_parts(&path, d, given),
            (_, Init::Expr(_) | Init::Wrong(_)) => Err(super::Failed),
        }
    }

    fn assign_initial(&mut self, place: Place, d: DeclId, e: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let at = unit.expr(e).at;
        let Some(ty) = unit.decl(d).ty.arith() else {
            return Err(super::Failed);
        };
        self.refuse_unordered(&[e], Some(d))?;
        let message = "a number is initialised with a pointer";
        let refused = (&codes::OPERAND, at);
        let value = self.lower_number(
            (e, Some(ty)),
            refused,
            message,
            "initialise it with an element",
        )?;
        let value = value.kept(unit.decl(d).ty.width).convert(ty);
        self.assign(place, value.e);
        Ok(())
    }

    fn declare_walker(&mut self, d: DeclId) -> Lowered<()> {
        let decl = self.l.unit.decl(d);
        let Slot::Walker(walker) = self.slot_of(d, decl.at)? else {
            return Err(super::Failed);
        };
        match &decl.init {
            Some(Init::Expr(e)) => {
                self.decide_pointers(*e, &mut |b| b.assign_walker(d, &walker, *e))
            }
            _ => Ok(()),
        }
    }

    /// Makes a pointer that keeps its initial value another name for the place.
    fn declare_alias(&mut self, d: DeclId) -> Lowered<()> {
        let decl = self.l.unit.decl(d);
        let help = "initialise it where it is declared, and use an index to move";
        self.well_initialised(d)?;
        let Some(Init::Expr(e)) = &decl.init else {
            let message = format!("the pointer {} is not initialised", decl.name);
            return self.error(&codes::POINTER, decl.at, message, help);
        };
        let bare = points::strip_conversions(self.l.unit, *e);
        let mut pointer = if points::allocates(self.l.unit, bare) {
            self.allocate(bare, d)?
        } else {
            self.lower_pointer(*e)?
        };
        let mut ty = &decl.ty;
        let mut levels = 0;
        while let Some(of) = ty.target() {
            levels += 1;
            ty = of;
        }
        if Elem::from_type(ty) != Some(pointer.elem) || levels != pointer.inner + 1 {
            let message = format!(
                "the pointer {} has another type than what it points to",
                decl.name
            );
            return self.error(
                &codes::POINTER,
                decl.at,
                message,
                "use a pointer of the element type",
            );
        }
        pointer.constant |= ty.constant;
        let prefix = std::mem::take(&mut pointer.prefix);
        for step in prefix {
            pointer.prefix.push(match step {
                Subscript::Index(e) => Subscript::Index(self.keep_index(e)),
                other => other,
            });
        }
        pointer.offset = pointer.offset.take().map(|e| self.keep_index(e));
        self.slots.insert(d, Slot::Alias(pointer));
        Ok(())
    }

    /// The present value of an index: moved to a variable if its own variables may change.
    fn keep_index(&mut self, e: Expr) -> Expr {
        if self.is_frozen(&e) {
            return e;
        }
        let t = self.f.temporary(cfg_core::ir::ScalarType::Integer);
        self.assign(t, e);
        self.frozen.insert(t);
        Expr::var(t)
    }
}
