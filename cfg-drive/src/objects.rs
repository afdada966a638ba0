//! What pointers lead to, in points, seeds and results: nested there, arrays in programs that are run.
//!
//! A program is entered with the elements of all objects that the pointers of one place lead to in one parameter, a *level*, whose origin
//! ([`NameRole::Objects`]) names what has the numbers of elements of these objects. Records are split, so that a level is one variable for
//! each field; the name up to the first point is that of the level.

use crate::codes;
use crate::json;
use cfg_core::{
    diagnostic::Diagnostics,
    elemental::Scalar,
    entity::RoutineId,
    ir::{NameRole, Order, Program, Routine, ScalarType, Variable},
    json::values::ValueTree,
};
use cfg_exec::{Lease, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The numbers of elements of the objects that pointers lead to at a point, by the name of the variable or of the field that the
/// pointers are.
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
    /// The name of what leads to it; none of a parameter.
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
    /// The level that it leads to, if it is a pointer.
    to: Option<usize>,
}

/// The name of the parameter that a variable is a field of.
pub(crate) fn base(name: &str) -> &str {
    name.split_once('.').map_or(name, |(base, _)| base)
}

/// The name of what leads to the objects that a parameter has, if it is one that pointers became and no parameter of the original.
pub(crate) fn led_to_by(variable: &Variable) -> Option<&str> {
    let origin = variable.origin.as_deref()?;
    (origin.role == NameRole::Objects && !origin.of.is_empty()).then_some(&*origin.of)
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
    pub(crate) fn of(routine: &'p Routine) -> Self {
        let mut found = Self {
            levels: Vec::new(),
            leaves: Vec::new(),
            by_name: HashMap::new(),
            of_root: HashMap::new(),
        };
        let parameters = || routine.parameter_ids().map(|v| routine.variable(v));
        // Those that are led to, and those that lead on.
        let mut wanted: HashSet<&str> = HashSet::new();
        for variable in parameters() {
            if form(variable) == Form::Pointer {
                wanted.insert(base(&variable.name));
                wanted.extend(led_to_by(variable).map(base));
            }
        }
        for variable in parameters() {
            let name = base(&variable.name);
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
            found.leaves.push(Leaf { variable, to: None });
            let mut part = &mut found.levels[k].fields;
            for field in variable.name.split('.').skip(1) {
                // The fields of a record stand together.
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
        for (k, level) in found.levels.iter().enumerate() {
            if let Some(&leaf) = level.of.and_then(|of| by_leaf.get(of)) {
                found.leaves[leaf].to = Some(k);
            }
        }
        // A level stands behind what leads to it.
        let mut roots: Vec<usize> = Vec::with_capacity(found.levels.len());
        for (k, level) in found.levels.iter().enumerate() {
            let above = level.of.and_then(|of| found.by_name.get(base(of)));
            roots.push(
                above
                    .and_then(|&above| roots.get(above).copied())
                    .unwrap_or(k),
            );
        }
        for (k, leaf) in found.leaves.iter().enumerate() {
            let level = found.by_name[base(&leaf.variable.name)];
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
        self.named(base(name))
            .is_some_and(|level| level.of.is_some())
    }

    /// The name of what leads to a level, as it is shown.
    pub(crate) fn leads_to(&self, name: &str) -> String {
        self.shown(base(name))
    }

    /// True of a parameter that is a pointer, or has pointers.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.named(name).is_some_and(|level| level.of.is_none())
    }

    /// True of a parameter that has pointers, or leads to some.
    fn leads_on(&self, part: &Part<'_>) -> bool {
        let own = part.leaf.is_some_and(|k| self.leaves[k].to.is_some());
        own || part.below.iter().any(|(_, below)| self.leads_on(below))
    }

    /// True if the value of this name is read here: it has pointers in it, or is a single record or a size that stands for what a pointer
    /// leads to.
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
        let pointers = self.leaves.iter().filter(|leaf| leaf.to.is_some());
        let names = pointers.map(|leaf| &*leaf.variable.name);
        names
            .filter_map(|name| Some((name.to_owned(), value(name)?.clone())))
            .collect()
    }

    /// The values of the variables that a parameter became, by name, those that the text names. `sizes` are those of the point, of a seed, in
    /// which what is left out is zero. `room` takes memory for so many words.
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
            columns: BTreeMap::new(),
            counts: BTreeMap::new(),
            room,
            held: Vec::new(),
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
        let mut found = Vec::new();
        for &k in own {
            let variable = self.leaves[k].variable;
            let level = self.by_name[base(&variable.name)];
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
        Ok(found)
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

    /// The number of elements of a parameter at a point, by one of its pointers.
    fn elements_of(&self, root: usize, sizes: &Sizes) -> Option<usize> {
        let own = self.of_root.get(&root)?.iter();
        let mut names = own.map(|&k| &self.leaves[k].variable.name);
        let own = |name: &&String| {
            self.by_name.get(base(name)) == Some(&root) && sizes.contains_key(*name)
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

    /// The name of a level's variable as it is shown: that of what leads to it.
    pub(crate) fn shown(&self, name: &str) -> String {
        with_names(name, |base| self.named(base)?.of)
    }
}

/// Names of variables as they are shown: those of what pointers lead to with the names of the pointers.
#[derive(Clone, Debug)]
pub struct Shown<'p>(HashMap<&'p str, &'p str>);

impl<'p> Shown<'p> {
    /// The names of a routine's variables, whose records may be split.
    pub fn of(program: &'p Program, routine: RoutineId) -> Self {
        let routine = program.routine(routine);
        let parameters = routine.parameter_ids().map(|v| routine.variable(v));
        let named = parameters.filter_map(|v| Some((base(&v.name), led_to_by(v)?)));
        Self(named.collect())
    }

    /// A name as it is shown: `m.data` for `m_data`, the variable for what the pointer `data` in `m` leads to.
    pub fn name(&self, name: &str) -> String {
        with_names(name, |base| self.0.get(base).copied())
    }
}

fn with_names<'p>(name: &str, of: impl Fn(&str) -> Option<&'p str>) -> String {
    let mut shown = name.to_owned();
    while let Some(of) = of(base(&shown)) {
        let rest = shown.split_off(base(&shown).len());
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

/// The elements of a variable.
#[derive(Default)]
struct Column {
    elements: Vec<Option<Scalar>>,
    /// The text names it.
    named: bool,
}

/// What stands for a value.
#[derive(Clone, Copy)]
enum Given<'t> {
    Tree(&'t ValueTree),
    /// Zeros in the shape that the point has.
    Zero,
    /// No value; pointers are null.
    Nothing,
}

/// Words that an element takes while it is read, in a list that grows by doubling.
const ELEMENT: u64 = 2 * size_of::<Option<Scalar>>().div_ceil(8) as u64;

struct Reader<'a, 'p> {
    all: &'a Levels<'p>,
    /// Of a seed: for each leaf that is a pointer what it leads to in the point.
    sizes: Option<BTreeMap<usize, Vec<usize>>>,
    columns: BTreeMap<usize, Column>,
    /// The number of elements of each level so far.
    counts: BTreeMap<usize, usize>,
    room: &'a dyn Fn(u64) -> Result<Lease, Diagnostics>,
    /// What pays for elements that the text does not write out.
    held: Vec<Lease>,
}

impl<'a, 'p> Reader<'a, 'p> {
    /// The number of elements of a level so far.
    fn count(&self, level: usize) -> usize {
        self.counts.get(&level).copied().unwrap_or(0)
    }

    fn items(&mut self, level: usize, items: &[ValueTree], place: &str) -> Result<(), Diagnostics> {
        for (k, item) in items.iter().enumerate() {
            self.element(level, Given::Tree(item), &format!("{place}/{k}"))?;
        }
        Ok(())
    }

    fn element(&mut self, level: usize, given: Given<'_>, place: &str) -> Result<(), Diagnostics> {
        let all = self.all;
        *self.counts.entry(level).or_default() += 1;
        self.part(&all.levels[level].fields, 0, given, place)
    }

    /// A part of an element, with this many of its subscripts fixed.
    fn part(
        &mut self,
        part: &'a Part<'p>,
        fixed: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        if let Some(leaf) = part.leaf {
            return self.leaf(leaf, fixed, given, place);
        }
        match given {
            Given::Zero | Given::Nothing => {
                // Each has all of its elements, whatever their order among others.
                for (_, below) in &part.below {
                    self.part(below, fixed, given, place)?;
                }
                Ok(())
            }
            Given::Tree(ValueTree::Object(members)) => {
                let mut by_name: HashMap<&str, &ValueTree> =
                    members.iter().map(|(n, tree)| (&**n, tree)).collect();
                for (name, below) in &part.below {
                    let place = format!("{place}/{name}");
                    let given = match by_name.remove(name) {
                        Some(tree) => Given::Tree(tree),
                        None if self.sizes.is_some() => Given::Zero,
                        None => {
                            return Err(codes::no_field(name, place));
                        }
                    };
                    self.part(below, fixed, given, &place)?;
                }
                // In the order of the text.
                let unknown = members
                    .iter()
                    .find(|(name, _)| by_name.contains_key(&**name));
                match unknown {
                    None => Ok(()),
                    Some((name, _)) => {
                        let known = part.below.iter().map(|(name, _)| *name);
                        let known: Vec<&str> = known.take(20).collect();
                        Err(codes::problem(
                            &codes::UNKNOWN,
                            format!("a record has no field {name}"),
                            format!("known are {}", known.join(", ")),
                            format!("{place}{}", json::pointer(name)),
                        ))
                    }
                }
            }
            Given::Tree(ValueTree::Array(items)) => {
                let leaf = first_leaf(part);
                let extent = leaf.and_then(|k| dims(self.all.leaves[k].variable).nth(fixed));
                is_as_long(items.len(), extent, place)?;
                for (k, item) in items.iter().enumerate() {
                    let place = format!("{place}/{k}");
                    self.part(part, fixed + 1, Given::Tree(item), &place)?;
                }
                Ok(())
            }
            Given::Tree(_) => Err(codes::no_record(place)),
        }
    }

    /// A scalar, or what is left of an array with this many of its subscripts fixed.
    fn leaf(
        &mut self,
        leaf: usize,
        fixed: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let Leaf { variable, to } = &self.all.leaves[leaf];
        let extent = dims(variable).nth(fixed);
        match (given, extent) {
            (Given::Tree(ValueTree::Array(items)), Some(_)) => {
                is_as_long(items.len(), extent, place)?;
                for (k, item) in items.iter().enumerate() {
                    let place = format!("{place}/{k}");
                    self.leaf(leaf, fixed + 1, Given::Tree(item), &place)?;
                }
                return Ok(());
            }
            (Given::Tree(tree), Some(extent)) => {
                let message = format!(
                    "an array of {extent} elements is expected here, and there is {}",
                    json::describe(tree)
                );
                let help = "nest one array per dimension, the first subscript outermost";
                return Err(codes::problem(&codes::SHAPE, message, help, place));
            }
            (Given::Zero | Given::Nothing, Some(extent)) => {
                for _ in 0..extent {
                    self.leaf(leaf, fixed + 1, given, place)?;
                }
                return Ok(());
            }
            (Given::Tree(_) | Given::Zero | Given::Nothing, None) => {}
        }
        if let Some(level) = *to {
            return self.pointer(leaf, level, given, place);
        }
        let element = match given {
            Given::Nothing => None,
            Given::Zero => zero(variable.ty),
            Given::Tree(tree) => {
                let element = json::element(variable.ty, tree);
                let wrong =
                    || json::wrong_type(&self.all.shown(&variable.name), variable.ty, tree, place);
                Some(element.ok_or_else(wrong)?)
            }
        };
        let column = self.columns.entry(leaf).or_default();
        column.named |= matches!(given, Given::Tree(_) | Given::Nothing);
        column.elements.push(element);
        Ok(())
    }

    /// A pointer in an element, and what it leads to.
    fn pointer(
        &mut self,
        leaf: usize,
        level: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let column = self.columns.entry(leaf).or_default();
        let number = column.elements.len();
        let expected = self.sizes.as_ref();
        let expected = expected.map(|sizes| {
            let own = sizes.get(&leaf).and_then(|sizes| sizes.get(number));
            own.copied().unwrap_or(0)
        });
        // What is behind it is counted from here, so its place in the column is taken first.
        column.elements.push(None);
        let before = self.count(level);
        self.object(level, given, expected, place)?;
        let count = i64::try_from(self.count(level) - before).unwrap_or(i64::MAX);
        let named = self.sizes.is_none();
        let column = self.columns.entry(leaf).or_default();
        column.named |= named;
        column.elements[number] = Some(Scalar::Integer(count));
        Ok(())
    }

    /// What a pointer leads to.
    fn object(
        &mut self,
        level: usize,
        given: Given<'_>,
        expected: Option<usize>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let is_record = self.all.levels[level].fields.leaf.is_none();
        let found = match given {
            Given::Tree(ValueTree::Array(items)) => items.len(),
            Given::Tree(ValueTree::Object(_)) if is_record => 1,
            Given::Tree(ValueTree::Size(extents)) if self.sizes.is_none() => {
                let &[size] = &extents[..] else {
                    let message = "what a pointer leads to has one dimension";
                    let help = "write {\"size\": 5}";
                    return Err(codes::problem(&codes::SHAPE, message, help, place));
                };
                return self.nothing(level, size, place);
            }
            Given::Tree(ValueTree::Null) | Given::Zero => {
                for _ in 0..expected.unwrap_or(0) {
                    self.element(level, Given::Zero, place)?;
                }
                return Ok(());
            }
            Given::Nothing => return Ok(()),
            Given::Tree(ValueTree::SameAs(..)) => {
                return Err(codes::problem(
                    &codes::SAME_AS,
                    "only a parameter that is a pointer can be given by `same_as`",
                    "give what this pointer leads to",
                    place,
                ));
            }
            Given::Tree(
                tree @ (ValueTree::Int(_)
                | ValueTree::Wide(_)
                | ValueTree::Real(_)
                | ValueTree::Logical(_)
                | ValueTree::Size(_)
                | ValueTree::Object(_)),
            ) => {
                return Err(codes::problem(
                    &codes::TYPE,
                    format!(
                        "a pointer is expected here, and there is {}",
                        json::describe(tree)
                    ),
                    "write an array of what it leads to, or null",
                    place,
                ));
            }
        };
        if let Some(expected) = expected.filter(|&n| n != found) {
            return Err(codes::problem(
                &codes::SHAPE,
                format!("a pointer leads to {expected} elements in POINT, and to {found} here"),
                "give as many elements as POINT, or leave it out",
                place,
            ));
        }
        match given {
            Given::Tree(ValueTree::Array(items)) => self.items(level, items, place),
            Given::Tree(_) | Given::Zero | Given::Nothing => self.element(level, given, place),
        }
    }

    /// So many elements without values.
    fn nothing(&mut self, level: usize, size: usize, place: &str) -> Result<(), Diagnostics> {
        let words = self.all.words(&self.all.levels[level].fields);
        let words = words.saturating_mul(ELEMENT).saturating_mul(size as u64);
        self.held.push((self.room)(words)?);
        for _ in 0..size {
            self.element(level, Given::Nothing, place)?;
        }
        Ok(())
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

fn is_as_long(found: usize, extent: Option<usize>, place: &str) -> Result<(), Diagnostics> {
    let message = match extent {
        Some(extent) if extent == found => return Ok(()),
        Some(extent) => format!("an array of {extent} elements has {found} here"),
        None => "a record is expected here, and there is an array".to_owned(),
    };
    let help = "give as many elements as the field has";
    Err(codes::problem(&codes::SHAPE, message, help, place))
}

fn zero(ty: ScalarType) -> Option<Scalar> {
    match ty {
        ScalarType::Real => Some(Scalar::Real(0.0)),
        ScalarType::Real32 => Some(Scalar::Real32(0.0)),
        ScalarType::Integer => Some(Scalar::Integer(0)),
        ScalarType::Sized(ty) => Some(Scalar::Sized(ty, 0)),
        ScalarType::Logical => Some(Scalar::Logical(false)),
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => None,
    }
}
