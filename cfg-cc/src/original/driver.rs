//! The C that reads values, calls the function, and writes the values after the call.
//!
//! Numbers go in and out as cells of eight bytes, in the order of the text: arrays of numbers are loops, so that the text is as long as
//! values have parts.

use super::{CGlobal, CType, Leaves, Signature, cells};
use cfg_core::ir::ScalarType;
use cfg_format::json::values::{NamedValues, ValueTree};
use std::{borrow::Cow, collections::HashMap};

/// The reason for which a function cannot be called.
pub(super) type Unfit = String;

/// The driver's source, its input, and the expected output.
#[derive(Debug, Default)]
pub(super) struct Driver {
    /// The C that stands behind the file.
    pub(super) code: String,
    /// The C that stands behind other files, with their names: they alone know their static variables.
    pub(super) elsewhere: Vec<(String, String)>,
    /// The driver's input.
    pub(super) input: Vec<u64>,
    /// The driver's output, in order.
    pub(super) leaves: Vec<Leaves>,
}

/// Values before and after a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'a> {
    pub(super) point: &'a NamedValues,
    pub(super) read: &'a NamedValues,
    /// An empty list is a null pointer.
    pub(super) empty_is_null: bool,
}

struct Writer<'a> {
    signature: &'a Signature,
    /// The names of the files that are compiled.
    files: &'a [&'a str],
    empty_is_null: bool,
    driver: Driver,
    /// The parameters for which there is a variable.
    declared: Vec<bool>,
    /// The numbers of the variables that keep the addresses of objects, by the names of the pointers to these. The
    /// function may exchange the pointers, and the results belong to the objects.
    bases: HashMap<String, usize>,
    /// The objects of each structure that the variable at hand leads to, in their order: the number in `bases`, and
    /// that of the elements.
    objects: HashMap<usize, Vec<(usize, usize)>>,
    /// The pointers in the variable at hand to elements of `objects`: place, structure, number of the element, name.
    links: Vec<(String, usize, i64, String)>,
}

/// The bytes of the buffer for a parameter of characters, a message that the function writes: it is no input and not
/// compared.
const TEXT: usize = 1 << 16;

/// The words of C in the driver, which macros of the file may have redefined.
const WORDS: [&str; 14] = [
    "char", "double", "float", "for", "if", "int", "long", "return", "short", "signed", "sizeof",
    "struct", "unsigned", "void",
];

/// The declarations before the driver.
const PRELUDE: &str = "\
double cfgrev_real(void);
long long cfgrev_integer(void);
void cfgrev_put_real(double);
void cfgrev_put_integer(long long);
void *cfgrev_memory(unsigned long, unsigned long, int);
";

/// The driver of a function of these files.
pub(super) fn driver(
    signature: &Signature,
    files: &[&str],
    values: Values<'_>,
) -> Result<Driver, Unfit> {
    let mut writer = Writer {
        signature,
        files,
        empty_is_null: values.empty_is_null,
        driver: Driver::default(),
        declared: vec![false; signature.parameters.len()],
        bases: HashMap::new(),
        objects: HashMap::new(),
        links: Vec::new(),
    };
    writer.prelude();
    writer.globals_elsewhere(values)?;
    writer.line("void cfgrev_call(void)\n{\n    unsigned long cfgrev_i;");
    writer.parameters(values)?;
    writer.globals(values.point)?;
    writer.call();
    writer.results(values);
    writer.line("}");
    Ok(writer.driver)
}

/// The value of a name.
fn find<'a>(values: &'a NamedValues, name: &str) -> Option<&'a ValueTree> {
    let mut all = values.iter();
    all.find(|(n, _)| n == name).map(|(_, tree)| tree)
}

/// The variable that has parameter k, or that points to its value.
fn argument(k: usize) -> String {
    format!("cfgrev_a{k}")
}

impl<'a> Writer<'a> {
    fn line(&mut self, text: &str) {
        self.driver.code.push_str(text);
        self.driver.code.push('\n');
    }

    fn prelude(&mut self) {
        for word in WORDS {
            self.line(&format!("#undef {word}"));
        }
        self.driver.code.push_str(PRELUDE);
    }

    /// Writes code about a global into the file that can name it: a static variable of another file is known there
    /// alone.
    fn where_known<T>(&mut self, global: &CGlobal, write: impl FnOnce(&mut Self) -> T) -> T {
        if !self.files.contains(&&*global.file) || global.file == self.signature.file {
            return write(self);
        }
        let part = format!("cfgrev_part_{}", self.driver.elsewhere.len());
        self.line(&format!("    {{ void {part}(void); {part}(); }}"));
        let own = std::mem::take(&mut self.driver.code);
        // The variables that keep addresses are local to this part.
        let bases = std::mem::take(&mut self.bases);
        self.prelude();
        self.line(&format!(
            "void {part}(void)\n{{\n    unsigned long cfgrev_i;"
        ));
        let done = write(self);
        self.line("    (void)cfgrev_i;\n}");
        self.bases = bases;
        let code = std::mem::replace(&mut self.driver.code, own);
        self.driver.elsewhere.push((global.file.clone(), code));
        done
    }

    /// The words of a type that a pointer to it is declared with; `void *` of a pointer to what has none.
    fn words(&self, ty: &CType) -> Option<String> {
        Some(match ty {
            CType::Number(name, _) => (*name).to_owned(),
            CType::Pointer(to) => match self.words(to) {
                Some(to) => format!("{to} *"),
                None => "void *".to_owned(),
            },
            CType::Structure(_) if self.is_hidden(ty) => return None,
            CType::Structure(s) => self.signature.structures.get(*s)?.name.clone()?,
            CType::Array(_) | CType::Other(_) => return None,
        })
    }

    /// True of a structure that cannot be named where the function is called: only a pointer to void leads to such.
    fn is_hidden(&self, ty: &CType) -> bool {
        let CType::Structure(s) = ty else {
            return false;
        };
        let structure = self.signature.structures.get(*s);
        structure.is_some_and(|s| s.inside || s.elsewhere)
    }

    /// The reason for which there are no words for the type that `name` points to.
    fn unnamed(&self, ty: &CType, name: &str) -> Unfit {
        let structure = match flat(ty).0 {
            CType::Structure(s) => self.signature.structures.get(*s),
            CType::Number(..) | CType::Pointer(_) | CType::Array(_) | CType::Other(_) => None,
        };
        match structure {
            Some(structure) if structure.inside => {
                format!("the type of `{name}` is declared inside of a function")
            }
            Some(structure) if structure.elsewhere => {
                format!("the type of `{name}` is that of {}", structure.file)
            }
            _ => format!("the type of `{name}` has no name"),
        }
    }

    /// Variables that the file declares and does not define are defined here.
    fn globals_elsewhere(&mut self, values: Values<'_>) -> Result<(), Unfit> {
        for (name, tree) in values.point {
            let Some(global) = self.signature.globals.get(name).filter(|g| g.external) else {
                continue;
            };
            if global.constant {
                return Err(format!("`{name}` is const and has its value in POINT"));
            }
            let text = match (&global.ty, tree) {
                (CType::Array(_), ValueTree::Array(items)) => {
                    format!("__typeof__({name}[0]) {name}[{}];", items.len())
                }
                _ => format!("__typeof__({name}) {name};"),
            };
            self.line(&text);
        }
        Ok(())
    }

    fn parameters(&mut self, values: Values<'_>) -> Result<(), Unfit> {
        let parameters = &self.signature.parameters;
        if let Some(name) = &self.signature.callback {
            return Err(format!("`{name}` is a function that the caller gives"));
        }
        // A pointer that is the same as another parameter is set after that one.
        let mut same = Vec::new();
        for (k, parameter) in parameters.iter().enumerate() {
            let name = parameter.name.as_deref().unwrap_or_default();
            let given = find(values.point, name);
            let tree = given.or_else(|| find(values.read, name));
            let own = argument(k);
            match (&parameter.ty, tree) {
                (CType::Pointer(to), Some(ValueTree::SameAs(of, offset))) => {
                    let words = self.words(flat(to).0);
                    let words = words.ok_or_else(|| self.unnamed(to, name))?;
                    same.push((k, words, of, *offset));
                }
                (CType::Pointer(to), Some(tree)) => {
                    let words = self.words(flat(to).0);
                    let words = words.ok_or_else(|| self.unnamed(to, name))?;
                    self.line(&format!("    {words} *{own};"));
                    self.declared[k] = true;
                    let tree = match given {
                        Some(_) => tree.clone(),
                        None => unset(tree),
                    };
                    self.give_all(&own, &parameter.ty, &tree, name)?;
                }
                (CType::Pointer(to), None) => {
                    if parameter.used && matches!(&**to, CType::Other(what) if what == "function") {
                        return Err(format!("`{name}` is a function that the caller gives"));
                    }
                }
                (ty, tree) => {
                    let words = self.words(ty).ok_or_else(|| self.unnamed(ty, name))?;
                    self.line(&format!(
                        "    {words} *{own} = cfgrev_memory(1, sizeof({words}), 0);"
                    ));
                    if let Some(tree) = tree {
                        self.give_all(&format!("(*{own})"), ty, tree, name)?;
                    }
                }
            }
        }
        let names = parameters.iter().enumerate();
        let names: HashMap<&str, usize> = names
            .filter_map(|(k, p)| Some((p.name.as_deref()?, k)))
            .collect();
        for (k, words, of, offset) in same {
            let other = names.get(&**of).copied().map(argument);
            let other = other.ok_or_else(|| format!("`{of}` is no parameter"))?;
            let own = argument(k);
            self.declared[k] = true;
            self.line(&format!(
                "    {words} *{own} = ({words} *)(void *){other} + {offset};"
            ));
        }
        Ok(())
    }

    fn globals(&mut self, point: &NamedValues) -> Result<(), Unfit> {
        let signature = self.signature;
        let is_parameter =
            |name: &str| (signature.parameters.iter()).any(|p| p.name.as_deref() == Some(name));
        for (name, tree) in point.iter().filter(|(name, _)| !is_parameter(name)) {
            let Some(global) = signature.globals.get(name) else {
                return Err(format!(
                    "POINT gives `{name}`, which is no parameter and no variable of the file"
                ));
            };
            if global.constant {
                return Err(format!("`{name}` is const and has its value in POINT"));
            }
            self.where_known(global, |writer| {
                writer.give_all(name, &global.ty, tree, name)
            })?;
        }
        Ok(())
    }

    fn call(&mut self) {
        let parameters = self.signature.parameters.iter().enumerate();
        let arguments = parameters.map(|(k, p)| {
            let own = argument(k);
            match p.ty {
                CType::Pointer(_) if self.declared[k] => format!("(void *){own}"),
                CType::Pointer(_) if p.is_message => format!("cfgrev_memory({TEXT}, 1, 0)"),
                CType::Pointer(_) => "0".to_owned(),
                _ => format!("*{own}"),
            }
        });
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let name = match &*self.signature.name {
            "main" => super::MAIN,
            name => name,
        };
        let call = format!("({name})({arguments})");
        let text = match &self.signature.result {
            CType::Other(_) => format!("    {call};"),
            _ => format!("    __typeof__({call}) cfgrev_result = {call};"),
        };
        self.line(&text);
    }

    fn results(&mut self, values: Values<'_>) {
        let signature = self.signature;
        for (name, tree) in values.read {
            let parameter =
                (signature.parameters.iter()).position(|p| p.name.as_deref() == Some(name));
            let (place, ty) = match (parameter, signature.globals.get(name)) {
                (Some(k), _) => {
                    let ty = &signature.parameters[k].ty;
                    // A parameter by value is a copy: the caller sees no change.
                    if !self.declared[k] {
                        continue;
                    }
                    (argument(k), ty)
                }
                (None, _) if name == "return" => ("cfgrev_result".to_owned(), &signature.result),
                (None, Some(global)) => {
                    self.where_known(global, |writer| writer.put(name, &global.ty, tree, name));
                    continue;
                }
                (None, None) => continue,
            };
            self.put(&place, ty, tree, name);
        }
    }

    /// Assigns a value to a variable, and lets pointers in it that have the numbers of elements lead there.
    fn give_all(
        &mut self,
        place: &str,
        ty: &CType,
        tree: &ValueTree,
        name: &str,
    ) -> Result<(), Unfit> {
        self.objects.clear();
        self.give(place, ty, tree, name)?;
        for (place, s, number, name) in std::mem::take(&mut self.links) {
            let mut left = usize::try_from(number - 1).map_err(|_| form(&name))?;
            let objects = self.objects.get(&s).map_or(&[][..], Vec::as_slice);
            let found = objects.iter().find(|(_, count)| {
                let is_here = left < *count;
                left -= if is_here { 0 } else { *count };
                is_here
            });
            let (base, _) = found.ok_or_else(|| form(&name))?;
            let to = match self.words(&CType::Structure(s)) {
                Some(words) => format!("{words} *"),
                None => format!("__typeof__({place})"),
            };
            self.line(&format!("    {place} = ({to})cfgrev_b{base} + {left};"));
        }
        Ok(())
    }

    /// Assigns a value to a place. Recursion is over the nesting of the text, which its reader limits.
    fn give(&mut self, place: &str, ty: &CType, tree: &ValueTree, name: &str) -> Result<(), Unfit> {
        match (ty, tree) {
            (CType::Number(..), ValueTree::Null) => Ok(()),
            (CType::Number(_, scalar), _) => {
                let cell = cells::cell(*scalar, tree).ok_or_else(|| form(name))?;
                self.driver.input.push(cell);
                let text = format!("    {place} = {};", read(*scalar));
                self.line(&text);
                Ok(())
            }
            (CType::Structure(s), ValueTree::Object(_) | ValueTree::Size(_)) => {
                for (member, tree) in &*members(tree) {
                    let ty = self.member(*s, member).ok_or_else(|| form(name))?;
                    self.give(
                        &self.part(place, *s, member),
                        ty,
                        tree,
                        &format!("{name}.{member}"),
                    )?;
                }
                Ok(())
            }
            (CType::Array(_), ValueTree::Size(_)) => Ok(()),
            (CType::Array(of), ValueTree::Array(_)) => self.elements(place, of, tree, name),
            (CType::Pointer(to), ValueTree::Int(number)) if *number > 0 => {
                let CType::Structure(s) = **to else {
                    return Err(form(name));
                };
                self.links
                    .push((place.to_owned(), s, *number, name.to_owned()));
                Ok(())
            }
            (CType::Pointer(_), ValueTree::Null | ValueTree::Int(0)) => {
                self.line(&format!("    {place} = 0;"));
                Ok(())
            }
            (CType::Pointer(_), ValueTree::Array(items))
                if items.is_empty() && self.empty_is_null =>
            {
                self.line(&format!("    {place} = 0;"));
                Ok(())
            }
            (CType::Pointer(to), ValueTree::Size(extents)) => {
                let count = extents.iter().product();
                self.memory(place, to, count, true, name)
            }
            (CType::Pointer(to), ValueTree::Object(_)) => {
                self.memory(place, to, 1, false, name)?;
                let first = self.element(place, to, 0, "0");
                self.give(&first, to, tree, &format!("{name}[0]"))
            }
            (CType::Pointer(to), ValueTree::Array(_)) => {
                let (element, levels) = flat(to);
                let items = elements(tree, levels + 1).ok_or_else(|| form(name))?;
                let unset = items.iter().all(|item| **item == ValueTree::Null);
                let unset = unset && matches!(element, CType::Number(..));
                self.memory(place, to, items.len(), unset, name)?;
                self.elements(place, to, tree, name)
            }
            _ => Err(form(name)),
        }
    }

    /// Memory for so many elements, those of arrays inside counted one by one.
    fn memory(
        &mut self,
        place: &str,
        to: &CType,
        count: usize,
        unset: bool,
        name: &str,
    ) -> Result<(), Unfit> {
        let (element, levels) = flat(to);
        let size = match self.words(element) {
            Some(words) => format!("sizeof({words})"),
            None if levels == 0 && !self.is_hidden(element) => format!("sizeof(*{place})"),
            None => return Err(self.unnamed(to, name)),
        };
        let unset = u8::from(unset);
        let base = self.bases.len();
        self.line(&format!(
            "    {place} = cfgrev_memory({count}, {size}, {unset});\n    void *cfgrev_b{base} = {place};"
        ));
        self.bases.insert(name.to_owned(), base);
        if let CType::Structure(s) = to {
            self.objects.entry(*s).or_default().push((base, count));
        }
        Ok(())
    }

    /// The object that a pointer led to before the call.
    fn given_object(&self, place: &str, name: &str) -> String {
        match self.bases.get(name) {
            Some(base) => format!("((__typeof__({place}))cfgrev_b{base})"),
            None => place.to_owned(),
        }
    }

    /// Assigns the elements of an array, or of what a pointer leads to.
    fn elements(
        &mut self,
        place: &str,
        of: &CType,
        tree: &ValueTree,
        name: &str,
    ) -> Result<(), Unfit> {
        let (element, levels) = flat(of);
        let items = elements(tree, levels + 1).ok_or_else(|| form(name))?;
        if let CType::Number(_, scalar) = element {
            if items.iter().all(|item| **item == ValueTree::Null) {
                return Ok(());
            }
            for item in &items {
                let cell = cells::cell(*scalar, item).ok_or_else(|| form(name))?;
                self.driver.input.push(cell);
            }
            let target = self.element(place, element, levels, "cfgrev_i");
            self.loop_of(items.len(), &format!("{target} = {};", read(*scalar)));
            return Ok(());
        }
        for (k, item) in items.into_iter().enumerate() {
            let target = self.element(place, element, levels, &k.to_string());
            self.give(&target, element, item, &format!("{name}[{k}]"))?;
        }
        Ok(())
    }

    /// An element of an array, or of what a pointer leads to, counted through all dimensions.
    fn element(&self, place: &str, element: &CType, levels: usize, k: &str) -> String {
        match self.words(element) {
            Some(words) => format!("(({words} *){place})[{k}]"),
            None if levels == 0 => format!("{place}[{k}]"),
            // A type that cannot be named here: the compiler refuses the expression.
            None => format!("(*{place})[{k}]"),
        }
    }

    fn loop_of(&mut self, count: usize, body: &str) {
        let head = format!("for (cfgrev_i = 0; cfgrev_i < {count}; cfgrev_i++)");
        self.line(&format!("    {head}\n        {body}"));
    }

    /// Puts out the numbers of a value that has this form. Numbers that stand for pointers, to functions too, are left out.
    fn put(&mut self, place: &str, ty: &CType, tree: &ValueTree, name: &str) {
        match (ty, tree) {
            (CType::Number(_, scalar), _) => {
                let cells = vec![cells::cell(*scalar, tree)];
                self.line(&format!("    {}({place});", put(*scalar)));
                self.leaves(name, Vec::new(), *scalar, cells);
            }
            (CType::Structure(s), ValueTree::Object(_) | ValueTree::Size(_)) => {
                for (member, tree) in &*members(tree) {
                    if let Some(ty) = self.member(*s, member) {
                        let place = self.part(place, *s, member);
                        self.put(&place, ty, tree, &format!("{name}.{member}"));
                    }
                }
            }
            (CType::Pointer(to), ValueTree::Object(_)) => {
                let first = self.element(&self.given_object(place, name), to, 0, "0");
                self.put(&first, to, tree, &format!("{name}[0]"));
            }
            (CType::Array(of) | CType::Pointer(of), ValueTree::Array(_)) => {
                let place = &*self.given_object(place, name);
                let (element, levels) = flat(of);
                let Some(items) = elements(tree, levels + 1) else {
                    return;
                };
                if let CType::Number(_, scalar) = element {
                    let target = self.element(place, element, levels, "cfgrev_i");
                    self.loop_of(items.len(), &format!("{}({target});", put(*scalar)));
                    let cells = items.iter().map(|item| cells::cell(*scalar, item));
                    self.leaves(name, extents(tree, levels + 1), *scalar, cells.collect());
                    return;
                }
                for (k, item) in items.into_iter().enumerate() {
                    let target = self.element(place, element, levels, &k.to_string());
                    self.put(&target, element, item, &format!("{name}[{k}]"));
                }
            }
            _ => {}
        }
    }

    fn leaves(&mut self, name: &str, extents: Vec<usize>, ty: ScalarType, cells: Vec<Option<u64>>) {
        self.driver.leaves.push(Leaves {
            name: name.to_owned(),
            extents,
            ty,
            cells,
        });
    }

    /// The place of a member of a structure, or of a part of a complex number.
    fn part(&self, place: &str, s: usize, member: &str) -> String {
        match self.signature.structures.get(s).is_some_and(|s| s.complex) {
            true if member == "re" => format!("__real__ ({place})"),
            true => format!("__imag__ ({place})"),
            false => format!("{place}.{member}"),
        }
    }

    fn member(&self, s: usize, name: &str) -> Option<&'a CType> {
        let structure = self.signature.structures.get(s)?;
        let mut members = structure.members.iter();
        members.find(|(n, _)| n == name).map(|(_, ty)| ty)
    }
}

/// The members of a structure. An object with no member but `size` has been read as the size of an array.
fn members(tree: &ValueTree) -> Cow<'_, NamedValues> {
    match tree {
        ValueTree::Object(members) => Cow::Borrowed(members),
        ValueTree::Size(extents) => {
            let sizes = extents.iter();
            let sizes = sizes.map(|n| ValueTree::Int(i64::try_from(*n).unwrap_or(i64::MAX)));
            let sizes: Vec<ValueTree> = sizes.collect();
            let size = match &*sizes {
                [size] => size.clone(),
                _ => ValueTree::Array(sizes),
            };
            Cow::Owned(vec![("size".to_owned(), size)])
        }
        _ => Cow::Owned(Vec::new()),
    }
}

fn form(name: &str) -> Unfit {
    format!("`{name}` is given in another form than its type in C has")
}

fn read(ty: ScalarType) -> &'static str {
    match cells::is_real(ty) {
        true => "cfgrev_real()",
        false => "cfgrev_integer()",
    }
}

fn put(ty: ScalarType) -> &'static str {
    match cells::is_real(ty) {
        true => "cfgrev_put_real",
        false => "cfgrev_put_integer",
    }
}

/// The elements of a type behind all arrays, and the number of these.
fn flat(ty: &CType) -> (&CType, usize) {
    let (mut ty, mut levels) = (ty, 0);
    while let CType::Array(of) = ty {
        ty = of;
        levels += 1;
    }
    (ty, levels)
}

/// The elements of an array of so many dimensions, the last subscript first; `None` if it is none.
fn elements(tree: &ValueTree, levels: usize) -> Option<Vec<&ValueTree>> {
    let mut all = vec![tree];
    for _ in 0..levels {
        let mut next = Vec::with_capacity(all.len());
        for tree in all {
            let ValueTree::Array(items) = tree else {
                return None;
            };
            next.extend(items);
        }
        all = next;
    }
    Some(all)
}

/// The extents of an array of so many dimensions.
fn extents(tree: &ValueTree, levels: usize) -> Vec<usize> {
    let mut found = Vec::with_capacity(levels);
    let mut at = Some(tree);
    for _ in 0..levels {
        let Some(ValueTree::Array(items)) = at else {
            found.push(0);
            continue;
        };
        found.push(items.len());
        at = items.first();
    }
    found
}

/// A value of the same form that is not set.
fn unset(tree: &ValueTree) -> ValueTree {
    match tree {
        ValueTree::Array(items) => ValueTree::Array(items.iter().map(unset).collect()),
        ValueTree::Object(members) => {
            let members = members.iter();
            ValueTree::Object(members.map(|(n, tree)| (n.clone(), unset(tree))).collect())
        }
        _ => ValueTree::Null,
    }
}
