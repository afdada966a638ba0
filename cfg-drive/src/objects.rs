//! The objects behind pointers: nested JSON in points, seeds and results, arrays in programs that are run.
//!
//! All objects that the pointers of one place lead to are passed as one parameter, a *level*: their elements, one
//! object after the other. The origin of the parameter ([`NameRole::Objects`]) names the variable with the number of
//! elements of each object. Records are split, so a level is one variable for each field; its name is that of the
//! variables up to the first point.

mod reader;

use crate::codes;
use cfg_core::{
    diagnostic::Diagnostics,
    elemental::Scalar,
    entity::RoutineId,
    ir::{NameRole, Order, Program, Routine, ScalarType, Variable},
};
use cfg_exec::{Lease, Value};
use cfg_format::json::values::ValueTree;
use reader::{Given, Reader};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The numbers of elements of the objects behind pointers at a point, by the name of the pointer variable or field.
/// For records that lead to records of their own kind, which stand in the point at one of the pointers: that pointer,
/// by the name of their level.
pub type Sizes = BTreeMap<String, Value>;

/// The parameters of a routine that pointers became.
pub(crate) struct Levels<'p> {
    levels: Vec<Level<'p>>,
    leaves: Vec<Leaf<'p>>,
    by_name: HashMap<&'p str, usize>,
    /// The leaves of each parameter that is a first level, and of all levels that it leads to.
    of_root: HashMap<usize, Vec<usize>>,
}

/// How a parameter that is the first level is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A pointer: an array of what it leads to, or null.
    Pointer,
    /// A record, the only element.
    Record,
    /// An array.
    Array,
}

/// A level, or a parameter that is the first one.
struct Level<'p> {
    /// The name of the pointer that leads to the level; `None` for a parameter.
    of: Option<&'p str>,
    form: Form,
    /// The fields of an element.
    fields: Part<'p>,
}

/// A field, or an element as a whole.
#[derive(Default)]
struct Part<'p> {
    leaf: Option<usize>,
    below: Vec<(&'p str, Part<'p>)>,
}

/// A scalar or an array of scalars in an element.
struct Leaf<'p> {
    variable: &'p Variable,
    /// The level that the leaf leads to, if it is a pointer.
    to: Option<usize>,
    /// The level of which the leaf is an element number: the level with all records of a kind.
    link: Option<usize>,
}

impl Leaf<'_> {
    fn is_pointer(&self) -> bool {
        self.to.is_some() || self.link.is_some()
    }
}

/// The name of the parameter that a variable is a field of.
pub(crate) fn base_name(name: &str) -> &str {
    name.split_once('.').map_or(name, |(base, _)| base)
}

/// The name of the pointer that leads to the objects in a parameter, if the parameter is a level and none of the
/// original.
pub(crate) fn led_to_by(variable: &Variable) -> Option<&str> {
    let origin = variable.origin.as_deref()?;
    (origin.role == NameRole::Objects && !origin.of.is_empty()).then_some(&*origin.of)
}

/// The names of the variables whose values are element numbers of this parameter.
pub(crate) fn links(variable: &Variable) -> &[String] {
    variable
        .origin
        .as_deref()
        .map_or(&[], |origin| &origin.links)
}

/// The form in which a parameter is given, if pointers lead on from it, or it is one.
pub(crate) fn form(variable: &Variable) -> Form {
    match variable.origin.as_deref().map(|origin| &origin.role) {
        Some(NameRole::Objects) => Form::Pointer,
        Some(NameRole::Element) => Form::Record,
        Some(_) | None => Form::Array,
    }
}

impl<'p> Levels<'p> {
    /// The levels of a routine without records.
    pub(crate) fn find(routine: &'p Routine) -> Self {
        let mut found = Self {
            levels: Vec::new(),
            leaves: Vec::new(),
            by_name: HashMap::new(),
            of_root: HashMap::new(),
        };
        let parameters = || routine.parameter_ids().map(|v| routine.variable(v));
        // Levels that a pointer leads to, and those that lead on.
        let mut wanted: HashSet<&str> = HashSet::new();
        for variable in parameters() {
            if form(variable) == Form::Pointer {
                wanted.insert(base_name(&variable.name));
                wanted.extend(led_to_by(variable).map(base_name));
                wanted.extend(links(variable).iter().map(|name| base_name(name)));
            }
        }
        for variable in parameters() {
            let name = base_name(&variable.name);
            if !wanted.contains(name) {
                continue;
            }
            let next = found.levels.len();
            let k = *found.by_name.entry(name).or_insert(next);
            if k == next {
                found.levels.push(Level {
                    of: led_to_by(variable),
                    form: form(variable),
                    fields: Part::default(),
                });
            }
            let leaf = found.leaves.len();
            found.leaves.push(Leaf {
                variable,
                to: None,
                link: None,
            });
            let mut part = &mut found.levels[k].fields;
            for field in variable.name.split('.').skip(1) {
                // The fields of a record are neighbours.
                if part.below.last().is_none_or(|(last, _)| *last != field) {
                    part.below.push((field, Part::default()));
                }
                let Some((_, below)) = part.below.last_mut() else {
                    break;
                };
                part = below;
            }
            part.leaf = Some(leaf);
        }
        let leaves = found.leaves.iter().enumerate();
        let by_leaf: HashMap<&str, usize> = leaves.map(|(k, l)| (&*l.variable.name, k)).collect();
        for level in 0..found.levels.len() {
            let first = first_leaf(&found.levels[level].fields);
            let names = first.map_or(&[][..], |k| links(found.leaves[k].variable));
            for name in names {
                if let Some(&leaf) = by_leaf.get(&**name) {
                    found.leaves[leaf].link = Some(level);
                }
            }
        }
        for (k, level) in found.levels.iter().enumerate() {
            if let Some(&leaf) = level.of.and_then(|of| by_leaf.get(of))
                && found.leaves[leaf].link.is_none()
            {
                found.leaves[leaf].to = Some(k);
            }
        }
        // A level comes behind the pointer that leads to it.
        let mut roots: Vec<usize> = Vec::with_capacity(found.levels.len());
        for (k, level) in found.levels.iter().enumerate() {
            let above = level.of.and_then(|of| found.by_name.get(base_name(of)));
            roots.push(
                above
                    .and_then(|&above| roots.get(above).copied())
                    .unwrap_or(k),
            );
        }
        for (k, leaf) in found.leaves.iter().enumerate() {
            let level = found.by_name[base_name(&leaf.variable.name)];
            found.of_root.entry(roots[level]).or_default().push(k);
        }
        found
    }

    /// The level of a name.
    fn named(&self, name: &str) -> Option<&Level<'p>> {
        self.by_name.get(name).map(|&k| &self.levels[k])
    }

    /// True of the name of a level that is not a parameter of the original.
    pub(crate) fn is_hidden(&self, name: &str) -> bool {
        self.named(base_name(name))
            .is_some_and(|level| level.of.is_some())
    }

    /// The name, as it is shown, of the pointer that leads to a level.
    pub(crate) fn leads_to(&self, name: &str) -> String {
        self.shown(base_name(name))
    }

    /// True of a parameter that is a pointer, or has pointers.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.named(name).is_some_and(|level| level.of.is_none())
    }

    /// True of a parameter that has pointers, or leads to some.
    fn leads_on(&self, part: &Part<'_>) -> bool {
        let own = part.leaf.is_some_and(|k| self.leaves[k].is_pointer());
        own || part.below.iter().any(|(_, below)| self.leads_on(below))
    }

    /// True if the value of this name is read here: it contains pointers, or it is a single record or a size in place
    /// of the object of a pointer.
    pub(crate) fn reads(&self, name: &str, tree: &ValueTree) -> bool {
        let Some(level) = self.named(name).filter(|level| level.of.is_none()) else {
            return false;
        };
        let stands_for = matches!(
            tree,
            ValueTree::Size(_) | ValueTree::Object(_) | ValueTree::SameAs(..)
        );
        self.leads_on(&level.fields) || level.form == Form::Pointer && stands_for
    }

    /// The numbers of elements of objects among values by name.
    pub(crate) fn sizes<'v>(&self, value: impl Fn(&str) -> Option<&'v Value>) -> Sizes {
        let pointers = self.leaves.iter().filter(|leaf| leaf.is_pointer());
        let names = pointers.map(|leaf| &*leaf.variable.name);
        names
            .filter_map(|name| Some((name.to_owned(), value(name)?.clone())))
            .collect()
    }

    /// The values of the variables that a parameter has become, by name, for those that the text names. For a seed,
    /// `sizes` are those of the point, and values that are left out are zero. `room` takes memory for a number of
    /// words.
    pub(crate) fn read(
        &self,
        name: &str,
        tree: &ValueTree,
        pointer: &str,
        sizes: Option<&Sizes>,
        room: &dyn Fn(u64) -> Result<Lease, Diagnostics>,
    ) -> Result<Vec<(String, Value)>, Diagnostics> {
        let Some(&root) = self.by_name.get(name) else {
            return Ok(Vec::new());
        };
        let own = self.of_root.get(&root).map_or(&[][..], Vec::as_slice);
        let mut reader = Reader {
            all: self,
            sizes: sizes.map(|sizes| self.in_order(own, sizes)),
            point: sizes,
            columns: BTreeMap::new(),
            counts: BTreeMap::new(),
            room,
            held: Vec::new(),
            linked: Vec::new(),
            standing: BTreeMap::new(),
        };
        let given = Given::Tree(tree);
        match (self.levels[root].form, tree) {
            (Form::Pointer, _) => {
                let expected = sizes.and_then(|sizes| self.elements_of(root, sizes));
                reader.object(root, given, expected, pointer)?;
            }
            (Form::Record, _) => reader.element(root, given, pointer)?,
            (Form::Array, ValueTree::Array(items)) => reader.items(root, items, pointer)?,
            (Form::Array, _) => {
                let message = format!("{name} is an array");
                let help = "write an array of its elements";
                return Err(codes::problem(&codes::SHAPE, message, help, pointer));
            }
        }
        reader.links_lead_somewhere()?;
        let mut found = Vec::new();
        for &k in own {
            let variable = self.leaves[k].variable;
            let level = self.by_name[base_name(&variable.name)];
            let column = reader.columns.remove(&k).unwrap_or_default();
            if sizes.is_some() && !column.named {
                continue;
            }
            let mut shape = vec![reader.count(level)];
            shape.extend(dims(variable));
            let value = Value::uninitialised(variable.ty, &shape, Order::Row);
            let mut value = value.ok_or_else(|| too_large(name, pointer))?;
            for (at, element) in column.elements.into_iter().enumerate() {
                if let Some(element) = element {
                    value.set(at, element);
                }
            }
            found.push((variable.name.clone(), value.in_order(variable.order)));
        }
        if sizes.is_none() {
            let places = reader.standing.iter();
            found.extend(places.filter_map(|(&level, &(leaf, number))| {
                let names = self.links_to(level);
                let link = names
                    .iter()
                    .position(|n| *n == self.leaves[leaf].variable.name)?;
                Some((self.name_of(level)?.to_owned(), place_value(link, number)?))
            }));
        }
        Ok(found)
    }

    /// True of the name of a level with all records of a kind: its value says at which pointer they stand.
    pub(crate) fn is_place(&self, name: &str) -> bool {
        let level = self.by_name.get(name);
        level.is_some_and(|level| !self.links_to(*level).is_empty())
    }

    /// The variable that a level begins with.
    fn first_of(&self, level: usize) -> Option<&'p Variable> {
        first_leaf(&self.levels[level].fields).map(|k| self.leaves[k].variable)
    }

    fn name_of(&self, level: usize) -> Option<&'p str> {
        self.first_of(level)
            .map(|variable| base_name(&variable.name))
    }

    /// The names of the variables whose values are element numbers of a level.
    fn links_to(&self, level: usize) -> &'p [String] {
        self.first_of(level).map_or(&[], links)
    }

    /// True if all records of a level stand at an element of this leaf, in a point of these sizes.
    fn stands_at(&self, level: usize, (leaf, number): (usize, usize), sizes: &Sizes) -> bool {
        let place = self.name_of(level).and_then(|name| standing(sizes, name));
        place.is_some_and(|(link, at)| {
            self.links_to(level).get(link) == Some(&self.leaves[leaf].variable.name) && at == number
        })
    }

    /// For each of these leaves that is a pointer the numbers of elements, the last subscript fastest.
    fn in_order(&self, leaves: &[usize], sizes: &Sizes) -> BTreeMap<usize, Vec<usize>> {
        let pointers = leaves.iter().filter(|k| self.leaves[**k].to.is_some());
        let all = pointers.filter_map(|&k| {
            let own = sizes.get(&self.leaves[k].variable.name)?;
            Some((k, row_order(own)))
        });
        all.collect()
    }

    /// The number of elements of a level at a point, by one of its pointers.
    fn elements_of(&self, level: usize, sizes: &Sizes) -> Option<usize> {
        let mut names = self.leaves.iter().map(|leaf| &leaf.variable.name);
        let own = |name: &&String| {
            self.by_name.get(base_name(name)) == Some(&level) && sizes.contains_key(*name)
        };
        let value = sizes.get(names.find(own)?)?;
        value.shape().first().copied()
    }

    /// The words that an element takes.
    fn words(&self, part: &Part<'_>) -> u64 {
        let own = part.leaf.map_or(0, |leaf| {
            let dims = dims(self.leaves[leaf].variable);
            dims.fold(1, |n: u64, extent| n.saturating_mul(extent as u64))
        });
        let below = part.below.iter().map(|(_, below)| self.words(below));
        below.fold(own, u64::saturating_add)
    }

    /// The name that is shown for a level's variable: the name of the pointer to it.
    pub(crate) fn shown(&self, name: &str) -> String {
        with_names(name, |base| self.named(base)?.of)
    }
}

/// Names of variables as they are shown: the objects of pointers have the names of the pointers.
#[derive(Clone, Debug)]
pub struct Shown<'p>(HashMap<&'p str, &'p str>);

impl<'p> Shown<'p> {
    /// The names of a routine's variables, whose records may be split.
    pub fn for_routine(program: &'p Program, routine: RoutineId) -> Self {
        let routine = program.routine(routine);
        let parameters = routine.parameter_ids().map(|v| routine.variable(v));
        let named = parameters.filter_map(|v| Some((base_name(&v.name), led_to_by(v)?)));
        Self(named.collect())
    }

    /// A name as it is shown: `m.data` for `m_data`, the variable with the objects of the pointer `data` in `m`.
    pub fn name(&self, name: &str) -> String {
        with_names(name, |base| self.0.get(base).copied())
    }
}

fn with_names<'p>(name: &str, of: impl Fn(&str) -> Option<&'p str>) -> String {
    let mut shown = name.to_owned();
    while let Some(of) = of(base_name(&shown)) {
        let rest = shown.split_off(base_name(&shown).len());
        shown = format!("{of}{rest}");
    }
    shown
}

/// The extents of the field that a variable of a level is, behind the number of elements of the level.
fn dims(variable: &Variable) -> impl Iterator<Item = usize> + '_ {
    let dims = variable.shape.iter().skip(1);
    dims.map(|dim| dim.constant_extent().unwrap_or(0))
}

fn too_large(name: &str, pointer: &str) -> Diagnostics {
    codes::problem(
        &codes::TOO_LARGE,
        format!("what {name} leads to takes more memory than a run may use"),
        "give a smaller size, or raise --max-memory",
        pointer,
    )
}

/// Integers in the order in which the last subscript is the fastest; negative ones are 0.
pub(crate) fn row_order(value: &Value) -> Vec<usize> {
    let value = value.in_order(Order::Row);
    let element = |k: usize| match value.get(k) {
        Some(Scalar::Integer(n)) => usize::try_from(n).unwrap_or(0),
        Some(Scalar::Real(_) | Scalar::Real32(_) | Scalar::Sized(..) | Scalar::Logical(_))
        | None => 0,
    };
    (0..value.len()).map(element).collect()
}

/// The value that says that all records of a level stand at this element of a link to it.
fn place_value(link: usize, number: usize) -> Option<Value> {
    let mut value = Value::uninitialised(ScalarType::Integer, &[2], Order::Row)?;
    for (k, n) in [link, number].into_iter().enumerate() {
        value.set(k, Scalar::Integer(i64::try_from(n).ok()?));
    }
    Some(value)
}

/// The link to a level, and the number of its element, at which all records of that stand.
pub(crate) fn standing(sizes: &Sizes, level: &str) -> Option<(usize, usize)> {
    match row_order(sizes.get(level)?)[..] {
        [link, number] => Some((link, number)),
        _ => None,
    }
}

fn first_leaf(mut part: &Part<'_>) -> Option<usize> {
    loop {
        match (part.leaf, part.below.first()) {
            (Some(leaf), _) => return Some(leaf),
            (None, Some((_, below))) => part = below,
            (None, None) => return None,
        }
    }
}
