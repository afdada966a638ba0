//! Results of programs whose parameters were pointers, written in the nested form of a POINT.

use crate::json::Nested;
use crate::objects::{Form, Sizes, base_name, form, led_to_by, links, row_order, standing};
use cfg_core::ir::{Program, Routine, ScalarType, Variable};
use cfg_exec::Value;
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Values by name, with the links between them.
pub(crate) struct Objects<'v> {
    values: HashMap<&'v str, &'v Value>,
    /// The parameters by name, up to the first point of it.
    parameters: BTreeMap<&'v str, &'v Variable>,
    /// The level that each variable or field leads to.
    below: HashMap<&'v str, Pointers<'v>>,
    /// The number of elements of each parameter that has pointers.
    extents: HashMap<&'v str, usize>,
    /// The pointer at which all records of a level stand, by the name of the level.
    homes: HashMap<&'v str, &'v str>,
    /// The names of variables with values, of their records, and of the pointers that lead there.
    shown: HashSet<String>,
}

/// The pointers of one place.
struct Pointers<'v> {
    /// The level that the pointers lead to.
    level: &'v Variable,
    /// The extents of the place.
    shape: Vec<usize>,
    /// The number of elements of each object and of those before, the last subscript fastest.
    sizes: Vec<(usize, usize)>,
}

/// A parameter of the original.
#[derive(Clone, Copy)]
pub(crate) struct Parameter<'v>(&'v Variable);

impl<'v> Parameter<'v> {
    pub(crate) fn name(self) -> &'v str {
        base_name(&self.0.name)
    }
}

impl<'v> Objects<'v> {
    pub(crate) fn link(
        values: &'v [(String, Value)],
        sizes: &'v Sizes,
        routine: &'v Routine,
    ) -> Self {
        let mut parameters = BTreeMap::new();
        let mut below = HashMap::new();
        let mut extents = HashMap::new();
        for v in routine.parameter_ids() {
            let variable = routine.variable(v);
            parameters
                .entry(base_name(&variable.name))
                .or_insert(variable);
            for name in links(variable) {
                let extent = sizes.get(name).and_then(|value| value.shape().first());
                extents
                    .entry(base_name(name))
                    .or_insert(extent.copied().unwrap_or(0));
            }
            if let Some(of) = led_to_by(variable).filter(|_| links(variable).is_empty())
                && let Some(value) = sizes.get(of)
            {
                // All fields have the extent of the parameter.
                let extent = value.shape().first().copied().unwrap_or(0);
                extents.entry(base_name(of)).or_insert(extent);
                let mut before = 0usize;
                let sizes = row_order(value).into_iter().map(|size| {
                    let own = (size, before);
                    before = before.saturating_add(size);
                    own
                });
                below.entry(of).or_insert_with(|| Pointers {
                    level: variable,
                    shape: value.shape().to_vec(),
                    sizes: sizes.collect(),
                });
            }
        }
        let mut homes = HashMap::new();
        for (&name, &variable) in &parameters {
            if let Some((link, number)) = standing(sizes, name)
                && let Some(link) = links(variable).get(link)
                && let Some(value) = sizes.get(link)
            {
                let mut counts = vec![(0, 0); value.len()];
                if let Some(count) = counts.get_mut(number) {
                    count.0 = extents.get(name).copied().unwrap_or(0);
                }
                homes.insert(name, &**link);
                below.entry(link).or_insert_with(|| Pointers {
                    level: variable,
                    shape: value.shape().to_vec(),
                    sizes: counts,
                });
            }
        }
        let mut found = Self {
            homes,
            values: values.iter().map(|(n, v)| (&**n, v)).collect(),
            parameters,
            below,
            extents,
            shown: HashSet::new(),
        };
        for (name, _) in values {
            // The numbers of elements of objects are no values of their own.
            if !found.below.contains_key(&**name) {
                found.show(name);
            }
        }
        found
    }

    /// Notes that there is a value of this name.
    fn show(&mut self, name: &'v str) {
        let mut name = name;
        loop {
            let mut path = name;
            // If a name has been noted, so have all names up to the parameter.
            while self.shown.insert(path.to_owned()) {
                match path.rsplit_once('.') {
                    Some((record, _)) => path = record,
                    None => break,
                }
            }
            let level = self.parameters.get(base_name(name)).copied();
            let home = self.homes.get(base_name(name)).copied();
            match home.or_else(|| level.and_then(led_to_by)) {
                Some(of) if !self.shown.contains(of) => name = of,
                Some(_) | None => return,
            }
        }
    }

    /// The parameter that a value belongs to, if it has pointers.
    pub(crate) fn parameter_of(&self, name: &str) -> Option<Parameter<'v>> {
        let mut variable = *self.parameters.get(base_name(name))?;
        let mut leads = self.extents.contains_key(base_name(&variable.name));
        while let Some(of) = led_to_by(variable) {
            variable = self.parameters.get(base_name(of))?;
            leads = true;
        }
        leads.then_some(Parameter(variable))
    }

    /// The value of a parameter.
    pub(crate) fn whole<'o>(
        &'o self,
        program: &'o Program,
        Parameter(variable): Parameter<'v>,
    ) -> Whole<'o, 'v> {
        let name = base_name(&variable.name);
        let extent = self.extents.get(name).copied();
        Whole {
            elements: Elements {
                all: self,
                program,
                variable,
                first: 0,
                count: extent.unwrap_or(0),
            },
            form: form(variable),
        }
    }
}

/// The value of a parameter.
pub(crate) struct Whole<'o, 'v> {
    elements: Elements<'o, 'v>,
    form: Form,
}

impl Serialize for Whole<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.form {
            Form::Record => self.elements.element(0).serialize(serializer),
            Form::Pointer | Form::Array => self.elements.serialize(serializer),
        }
    }
}

/// Some elements of a level.
struct Elements<'o, 'v> {
    all: &'o Objects<'v>,
    program: &'o Program,
    variable: &'v Variable,
    first: usize,
    count: usize,
}

impl<'o, 'v> Elements<'o, 'v> {
    fn element(&self, k: usize) -> Part<'o, 'v> {
        Part {
            all: self.all,
            program: self.program,
            ty: self.variable.ty,
            path: base_name(&self.variable.name).to_owned(),
            extents: Vec::new(),
            at: vec![self.first + k],
        }
    }
}

impl Serialize for Elements<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.count))?;
        for k in 0..self.count {
            list.serialize_element(&self.element(k))?;
        }
        list.end()
    }
}

/// A part of an element.
struct Part<'o, 'v> {
    all: &'o Objects<'v>,
    program: &'o Program,
    ty: ScalarType,
    /// The name of the variable of the part, or of the variables of its fields up to the point.
    path: String,
    /// The extents that are left.
    extents: Vec<usize>,
    /// Positions along the dimensions before.
    at: Vec<usize>,
}

impl Serialize for Part<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some((&extent, left)) = self.extents.split_first() {
            let mut list = serializer.serialize_seq(Some(extent))?;
            for k in 0..extent {
                let mut at = self.at.clone();
                at.push(k);
                list.serialize_element(&Part {
                    path: self.path.clone(),
                    extents: left.to_vec(),
                    at,
                    ..*self
                })?;
            }
            return list.end();
        }
        if let Some(record) = self.ty.record() {
            let mut map = serializer.serialize_map(None)?;
            for field in &self.program.record(record).fields {
                let path = format!("{}.{}", self.path, field.name);
                if !self.all.shown.contains(&path) {
                    continue;
                }
                let extents = field.shape.iter();
                let extents = extents.map(|dim| dim.constant_extent().unwrap_or(0));
                let part = Part {
                    ty: field.ty,
                    path,
                    extents: extents.collect(),
                    at: self.at.clone(),
                    ..*self
                };
                map.serialize_entry(&field.name, &part)?;
            }
            return map.end();
        }
        if let Some(pointers) = self.all.below.get(&*self.path) {
            let extents = self.at.iter().zip(&pointers.shape);
            let number = extents.fold(0, |number, (at, extent)| number * extent + at);
            return match pointers.sizes.get(number) {
                None | Some((0, _)) => serializer.serialize_none(),
                Some(&(count, first)) => Elements {
                    all: self.all,
                    program: self.program,
                    variable: pointers.level,
                    first,
                    count,
                }
                .serialize(serializer),
            };
        }
        match self.all.values.get(&*self.path) {
            Some(value) => Nested(value).part(&self.at).serialize(serializer),
            None => serializer.serialize_none(),
        }
    }
}
