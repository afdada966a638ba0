//! The text of an example POINT for a routine: numbers and objects of the right form.

use crate::objects::{Form, base_name, form, led_to_by, links};
use cfg_core::{
    entity::VarId,
    ir::{Routine, ScalarType, Variable},
};
use std::fmt::Write as _;

/// Length at which the text breaks off.
const MAX_LENGTH: usize = 4000;

/// A POINT of a routine whose records are split.
pub(crate) struct Template<'a> {
    routine: &'a Routine,
    /// The shape of a variable.
    shape: &'a dyn Fn(VarId) -> Vec<usize>,
    text: String,
}

impl<'a> Template<'a> {
    pub(crate) fn new(routine: &'a Routine, shape: &'a dyn Fn(VarId) -> Vec<usize>) -> Self {
        Self {
            routine,
            shape,
            text: String::new(),
        }
    }

    /// The given members, and behind them members of these names.
    pub(crate) fn members(mut self, given: &str, names: &[&str]) -> String {
        let given = given.trim();
        let given = given.strip_suffix('}').unwrap_or(given).trim_end();
        self.text.push_str(given);
        for name in names {
            let first = self.text.ends_with('{');
            self.text.push_str(if first { "" } else { ", " });
            let _ = write!(self.text, "\"{name}\": ");
            self.parameter(name);
        }
        match self.text.char_indices().nth(MAX_LENGTH) {
            Some((end, _)) => self.text[..end].to_owned() + " ...",
            None => self.text + "}",
        }
    }

    /// Writes the value of a parameter, with or without fields, passed by value or by a pointer.
    fn parameter(&mut self, name: &str) {
        let own: Vec<VarId> = (self.routine.parameter_ids())
            .filter(|v| base_name(&self.variable(*v).name) == name)
            .collect();
        let Some(first) = own.first() else {
            self.text.push_str("null");
            return;
        };
        match form(self.variable(*first)) {
            Form::Record => self.part(&own, name.len(), 1),
            Form::Array | Form::Pointer => self.part(&own, name.len(), 0),
        }
    }

    fn variable(&self, v: VarId) -> &'a Variable {
        self.routine.variable(v)
    }

    /// Writes the value of the variables whose names continue behind the first `named` bytes, with the first
    /// subscripts fixed.
    ///
    /// Recursion is over the fields of types, and over the levels of pointers that the program has.
    fn part(&mut self, own: &[VarId], named: usize, fixed: usize) {
        if self.text.len() > MAX_LENGTH {
            return;
        }
        let name = |v: VarId| &*self.routine.variable(v).name;
        if let [leaf] = own
            && name(*leaf).len() <= named
        {
            return self.leaf(*leaf, fixed);
        }
        // Subscripts of elements and those of their fields are not told apart: both forms are read.
        let ranks = own.iter().map(|v| self.variable(*v).rank());
        let is_array = ranks.min().unwrap_or(0) > fixed && (fixed == 0 || own.len() > 1);
        if !is_array {
            return self.object(own, named, fixed);
        }
        let count = (self.shape)(own[0]).get(fixed).copied().unwrap_or(1);
        self.elements(&[count], &|this| this.object(own, named, fixed + 1));
    }

    fn object(&mut self, own: &[VarId], named: usize, fixed: usize) {
        let name = |v: VarId| &*self.routine.variable(v).name;
        self.text.push('{');
        let field = |v: VarId| {
            let rest = name(v).get(named + 1..).unwrap_or("");
            rest.split('.').next().unwrap_or("")
        };
        let fields = own.chunk_by(|a, b| field(*a) == field(*b));
        for (k, of_field) in fields.enumerate() {
            let field = field(of_field[0]).to_owned();
            let comma = if k > 0 { ", " } else { "" };
            let _ = write!(self.text, "{comma}\"{field}\": ");
            self.part(of_field, named + 1 + field.len(), fixed);
        }
        self.text.push('}');
    }

    /// Writes the elements of a variable behind those subscripts; for a pointer, one element of its object.
    fn leaf(&mut self, v: VarId, fixed: usize) {
        let variable = self.variable(v);
        let led_to = self
            .routine
            .parameter_ids()
            .find(|other| led_to_by(self.variable(*other)) == Some(&*variable.name) && *other != v);
        let mut others = self.routine.parameter_ids();
        let is_link = others.any(|v| links(self.variable(v)).contains(&variable.name));
        let shape = (self.shape)(v);
        let extents = shape.get(fixed..).unwrap_or(&[]);
        self.elements(extents, &|this| match (led_to, variable.ty) {
            (Some(to), _) => this.parameter(base_name(&this.variable(to).name)),
            (None, _) if is_link => this.text.push_str("null"),
            (None, ScalarType::Real | ScalarType::Real32) => this.text.push_str("1.0"),
            (None, ScalarType::Logical) => this.text.push_str("true"),
            (None, _) => this.text.push('1'),
        });
    }

    fn elements(&mut self, extents: &[usize], one: &dyn Fn(&mut Self)) {
        let Some((n, inner)) = extents.split_first() else {
            return one(self);
        };
        self.text.push('[');
        for k in 0..*n {
            if self.text.len() > MAX_LENGTH {
                break;
            }
            self.text.push_str(if k > 0 { ", " } else { "" });
            self.elements(inner, one);
        }
        self.text.push(']');
    }
}
