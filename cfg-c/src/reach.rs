//! Reachability by names: finds, before anything is parsed, the external declarations that the functions to
//! differentiate reach. All others are dropped, so that they may contain anything.

mod scan;
mod share;
mod split;
mod statics;

use crate::{
    Options,
    ast::Structure,
    codes,
    lex::Token,
    preprocess::{Choice, External, Preprocessed, TypeChoice},
    source::{Pos, Sink},
};
use cfg_core::diagnostic::similar::did_you_mean;
pub(crate) use scan::Name;
use scan::{Names, Scan};
use split::Brackets;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
    rc::Rc,
};

/// The reached parts of the files, with the choices of pragmas and options.
pub(crate) struct Reached {
    pub(crate) files: Vec<FileReached>,
    pub(crate) choices: Vec<Choice>,
    /// True if derivatives of the bits of real numbers are taken to be 0, in all functions.
    pub(crate) has_bits: bool,
    pub(crate) externals: Vec<External>,
    /// Types that options give parameters.
    pub(crate) types: Vec<TypeChoice>,
    /// All names that the files declare, as suggestions for misspelt ones.
    pub(crate) names: Vec<Rc<str>>,
    /// The functions that are asked for.
    pub(crate) heads: Vec<InFile>,
    /// True if there is exactly one function to differentiate.
    pub(crate) is_one: bool,
    /// Files in angle brackets that were not found.
    pub(crate) missing: Vec<String>,
    /// The positions of pragmas for several threads.
    pub(crate) parallel: Vec<Pos>,
    /// True if a pragma changes the layout of structures.
    pub(crate) has_layouts: bool,
    /// The reason why emitted C cannot take the place of the function to differentiate, if there is one.
    pub(crate) unshared: Option<String>,
    /// The types of the first function's file, reached or not, each with the file or header that declares it.
    known: BTreeSet<(Name, u32)>,
}

impl Reached {
    /// True of a structure that the file of the function to differentiate can name: its own, or one of its headers.
    pub(crate) fn is_known(&self, structure: &Structure) -> bool {
        let name = structure.name.as_ref();
        let name = name.map(|name| (Rc::clone(name), structure.tagged));
        self.files.len() < 2
            || name.is_none_or(|name| self.known.contains(&(name, structure.at.file)))
    }

    /// The result for one file of which all is reached.
    pub(crate) fn whole(tokens: Vec<Token>) -> Self {
        let file = FileReached {
            tokens,
            shared: Vec::new(),
            inline: BTreeSet::new(),
        };
        Self {
            files: vec![file],
            choices: Vec::new(),
            has_bits: false,
            externals: Vec::new(),
            types: Vec::new(),
            names: Vec::new(),
            heads: Vec::new(),
            is_one: false,
            missing: Vec::new(),
            parallel: Vec::new(),
            has_layouts: false,
            unshared: None,
            known: BTreeSet::new(),
        }
    }
}

/// The reached parts of a file.
pub(crate) struct FileReached {
    /// The tokens, the end last.
    pub(crate) tokens: Vec<Token>,
    /// Types and enumerators that are the same as those of an earlier file, with the number of that file.
    pub(crate) shared: Vec<(usize, Name)>,
    /// The inline functions whose definitions other files do not see.
    pub(crate) inline: BTreeSet<Rc<str>>,
}

/// A function, by the file and its name.
pub(crate) type InFile = (usize, Rc<str>);

/// An external declaration.
struct Item {
    tokens: Range<usize>,
    names: Names,
    /// True of a declaration in a header of the system, which counts only for names that are declared nowhere else.
    is_system: bool,
}

/// A file as external declarations.
pub(crate) struct File {
    items: Vec<Item>,
    /// The declarations of each name, by number, in order.
    declared: HashMap<Name, Vec<usize>>,
    /// The defined functions, by the position of their ends.
    functions: BTreeMap<(u32, u32, u32), Rc<str>>,
}

impl File {
    pub(crate) fn split(read: &Preprocessed, sink: &mut Sink) -> Self {
        let tokens = &read.tokens;
        let brackets = Brackets::pair(tokens, sink);
        let mut scan = Scan::new(tokens, &brackets);
        let mut file = Self {
            items: Vec::new(),
            declared: HashMap::new(),
            functions: BTreeMap::new(),
        };
        for range in split::declarations(tokens, &brackets, sink) {
            let names = scan.names(range.clone());
            let number = file.items.len();
            for name in &names.declared {
                let all = file.declared.entry(name.clone()).or_default();
                if all.last() != Some(&number) {
                    all.push(number);
                }
            }
            let is_system = read.is_system(range.start);
            if let Some(function) = names.function.as_ref().filter(|_| !is_system) {
                let Pos {
                    file: number,
                    line,
                    column,
                    ..
                } = tokens[range.end - 1].at;
                let place = (number, line, column);
                file.functions
                    .entry(place)
                    .or_insert_with(|| Rc::clone(function));
            }
            file.items.push(Item {
                tokens: range,
                names,
                is_system,
            });
        }
        file
    }

    /// The declarations of a name; those in headers of the system only if there are no others.
    fn declarations(&self, name: &Name) -> impl Iterator<Item = usize> {
        let all = self.declared.get(name).map_or(&[][..], Vec::as_slice);
        let is_own = |k: &usize| !self.items[*k].is_system;
        let has_own = all.iter().any(is_own);
        all.iter().copied().filter(move |k| !has_own || is_own(k))
    }

    /// The names of the functions that are defined, in order.
    fn functions(&self) -> impl Iterator<Item = &Rc<str>> {
        let own = self.items.iter().filter(|item| !item.is_system);
        own.filter_map(|item| item.names.function.as_ref())
    }

    /// True of a name with internal linkage: it belongs to this file alone.
    fn is_private(&self, name: &Rc<str>) -> bool {
        let name = (Rc::clone(name), false);
        let mut all = self.declarations(&name);
        all.any(|k| self.items[k].names.is_static)
    }

    /// True of a function that the file defines and always declares as inline: other files do not see it (C99 6.7.4).
    fn is_inline(&self, name: &Rc<str>) -> bool {
        let of_name = (Rc::clone(name), false);
        let all = || self.declarations(&of_name).map(|k| &self.items[k].names);
        all().all(|names| names.is_inline)
            && all().any(|names| names.function.as_ref() == Some(name))
    }

    /// The function that a place is in or before.
    fn function_at(&self, at: Pos) -> Option<&Rc<str>> {
        let mut behind = self.functions.range((at.file, at.line, at.column)..);
        let (place, name) = behind.next()?;
        (place.0 == at.file).then_some(name)
    }
}

/// An external declaration by its file and number.
type Place = (usize, usize);

struct Files<'f> {
    files: &'f [&'f File],
    /// The definitions that other files may use.
    defined: HashMap<Rc<str>, Vec<Place>>,
}

impl<'f> Files<'f> {
    fn index(files: &'f [&'f File]) -> Self {
        let mut defined: HashMap<Rc<str>, Vec<Place>> = HashMap::new();
        for (f, file) in files.iter().enumerate() {
            for (k, item) in file.items.iter().enumerate() {
                let names = &item.names;
                let function = names.function.iter().filter(|name| !file.is_inline(name));
                let variables = names.variables.iter().filter(|_| !names.is_extern);
                for name in function.chain(variables) {
                    if !item.is_system && !file.is_private(name) {
                        defined.entry(Rc::clone(name)).or_default().push((f, k));
                    }
                }
            }
        }
        Self { files, defined }
    }

    fn item(&self, place: Place) -> &Item {
        &self.files[place.0].items[place.1]
    }

    /// The external declarations that a name in a file leads to.
    fn declarations(&self, file: usize, name: &Name) -> Vec<Place> {
        let own = &self.files[file];
        let mut found: Vec<Place> = own.declarations(name).map(|k| (file, k)).collect();
        if let Some(others) = self.defined.get(&name.0)
            && !name.1
            && !own.is_private(&name.0)
            && !own.is_inline(&name.0)
        {
            found.extend(others.iter().filter(|(f, _)| *f != file));
        }
        found
    }

    /// The external declarations that a name leads to: in a file, or in each.
    fn named(&self, file: Option<usize>, name: &Rc<str>) -> Vec<Place> {
        let name = (Rc::clone(name), false);
        let files = file.map_or(0..self.files.len(), |f| f..f + 1);
        files.flat_map(|f| self.declarations(f, &name)).collect()
    }

    /// Adds external declarations and all that they reach.
    fn reach(&self, mut open: Vec<Place>, reached: &mut BTreeSet<Place>) {
        while let Some(place) = open.pop() {
            if reached.insert(place) {
                for name in &self.item(place).names.used {
                    open.extend(self.declarations(place.0, name));
                }
            }
        }
    }

    /// The functions that other functions of the files named by the user name, directly or through initial values of
    /// variables, or that pragmas name as derivatives.
    fn called(&self, externals: &[External], read: &[&Preprocessed]) -> BTreeSet<InFile> {
        let mut called = BTreeSet::new();
        // By declaration of a variable, the functions for which it has been followed. After two different ones every
        // function counts, so it is followed no further.
        let mut seen: HashMap<Place, Vec<Place>> = HashMap::new();
        let mut open: Vec<(Place, Place)> = Vec::new();
        let named = (self.files.iter().enumerate()).filter(|(f, _)| read[*f].is_named);
        for (f, file) in named {
            for (k, item) in file.items.iter().enumerate() {
                let name = item.names.function.as_ref();
                if !item.is_system && name.is_some_and(|name| &**name != "main") {
                    open.push(((f, k), (f, k)));
                }
            }
        }
        while let Some((place, by)) = open.pop() {
            for name in &self.item(place).names.used {
                for other in self.declarations(place.0, name) {
                    let names = &self.item(other).names;
                    if let Some(function) = &names.function {
                        if other != by {
                            called.insert((other.0, Rc::clone(function)));
                        }
                    } else if !names.is_typedef {
                        let known = seen.entry(other).or_default();
                        if known.len() < 2 && !known.contains(&by) {
                            known.push(by);
                            open.push((other, by));
                        }
                    }
                }
            }
        }
        for external in externals {
            for name in external.named().filter(|name| **name != external.name.text) {
                for place in self.named(external.unit, name) {
                    let function = self.item(place).names.function.as_ref();
                    called.extend(function.map(|name| (place.0, Rc::clone(name))));
                }
            }
        }
        called
    }

    /// The functions to differentiate, and whether there is exactly one.
    fn heads(
        &self,
        options: &Options,
        externals: &[External],
        read: &[&Preprocessed],
        sink: &mut Sink,
    ) -> Option<(Vec<InFile>, bool)> {
        let functions = (self.files.iter().enumerate()).filter(|(f, _)| read[*f].is_named);
        let all =
            functions.flat_map(|(f, file)| file.functions().map(move |name| (f, Rc::clone(name))));
        let all: Vec<InFile> = all.collect();
        if let Some(wanted) = &options.routine {
            let found = self.routine(wanted, &all, read, sink)?;
            return Some((vec![found], true));
        }
        let others: Vec<InFile> = all
            .into_iter()
            .filter(|(_, name)| &**name != "main")
            .collect();
        if others.is_empty() {
            let message = "the file defines no function";
            let help = "functions named main are left out";
            sink.error(&codes::ROUTINE, Pos::default(), message, help);
            return None;
        }
        let called = self.called(externals, read);
        let heads: Vec<InFile> = (others.iter())
            .filter(|f| !called.contains(f))
            .cloned()
            .collect();
        // A static function that is not called in its file is not called at all. Of several candidates, those of the
        // first file are chosen.
        let public = |(f, name): &&InFile| !self.files[*f].is_private(name);
        let of_first = |(f, _): &&InFile| *f == 0;
        let only = |some: &dyn Fn(&&InFile) -> bool| {
            let mut all = heads.iter().filter(|head| some(head));
            all.next().filter(|_| all.next().is_none()).cloned()
        };
        let one = only(&|_| true)
            .or_else(|| only(&|f| public(f)))
            .or_else(|| only(&|f| of_first(f) && public(f)));
        Some(match one {
            Some(one) => (vec![one], true),
            None if heads.is_empty() => (others, false),
            None => (heads, false),
        })
    }

    /// The types of a file, each with the file or header that declares it.
    fn types(
        &self,
        f: usize,
        read: &[&Preprocessed],
        shared: &BTreeMap<Place, Place>,
    ) -> BTreeSet<(Name, u32)> {
        let mut found = BTreeSet::new();
        for (k, item) in self.files[f].items.iter().enumerate() {
            let place = shared.get(&(f, k)).copied().unwrap_or((f, k));
            let file = read[place.0].tokens[self.item(place).tokens.start].at.file;
            let names = &item.names;
            let tags = names.completed.iter().map(|tag| (Rc::clone(tag), true));
            let others = names.declared.iter().filter(|name| !name.1);
            found.extend(tags.chain(others.cloned()).map(|name| (name, file)));
        }
        found
    }

    /// The function of a name: one with external linkage comes before static ones.
    fn routine(
        &self,
        wanted: &str,
        all: &[InFile],
        read: &[&Preprocessed],
        sink: &mut Sink,
    ) -> Option<InFile> {
        let defines = |name: &str| all.iter().any(|(_, other)| **other == *name);
        let renamed = read.iter().map(|read| read.renamed(wanted));
        let wanted = std::iter::once(wanted)
            .chain(renamed)
            .find(|name| defines(name))
            .unwrap_or(wanted);
        let found: Vec<&InFile> = all.iter().filter(|(_, name)| **name == *wanted).collect();
        let public = found
            .iter()
            .find(|(f, name)| !self.files[*f].is_private(name));
        let one = public.or(found.first());
        let Some(one) = one else {
            let message = format!("no function {wanted} is defined");
            if let Some(place) = read.iter().find_map(|read| read.left_out.get(wanted)) {
                let message =
                    format!("{message} in what is read: a condition leaves this part out");
                let help = match &place.asked {
                    Some(name) => {
                        format!("if it is defined here, let the condition hold: -D {name}")
                    }
                    None => "if it is defined here, let the condition hold: -D, -U".to_owned(),
                };
                sink.error(&codes::ROUTINE, place.at, message, help);
                return None;
            }
            let near = did_you_mean(wanted, all.iter().map(|(_, name)| &**name));
            let help = near.unwrap_or_else(|| "name a function that the file defines".to_owned());
            sink.error(&codes::ROUTINE, Pos::default(), message, help);
            return None;
        };
        if public.is_none() && found.len() > 1 {
            let message = format!("{wanted} is a static function of {} files", found.len());
            let help = "leave out the files in which another one is meant";
            sink.error(&codes::ROUTINE, Pos::default(), message, help);
            return None;
        }
        Some((*one).clone())
    }
}

/// The functions and variables that a file defines for other files.
pub(crate) fn definitions(tokens: &[Token]) -> BTreeSet<Rc<str>> {
    let mut sink = Sink::default();
    let brackets = Brackets::pair(tokens, &mut sink);
    let mut scan = Scan::new(tokens, &brackets);
    let mut found = BTreeSet::new();
    for range in split::declarations(tokens, &brackets, &mut sink) {
        let names = scan.names(range);
        if !names.is_static {
            found.extend(
                names
                    .function
                    .filter(|_| !names.is_inline || names.is_extern),
            );
            found.extend(names.variables.into_iter().filter(|_| !names.is_extern));
        }
    }
    found
}

/// Finds the parts that the functions to differentiate reach. `None` if there are errors.
pub(crate) fn reach(
    read: &[&Preprocessed],
    files: &[&File],
    options: &Options,
    sink: &mut Sink,
) -> Option<Reached> {
    let files = Files::index(files);
    let mut externals: Vec<External> = Vec::new();
    let mut choices: Vec<Choice> = Vec::new();
    let mut types: Vec<TypeChoice> = Vec::new();
    for (f, file) in read.iter().enumerate() {
        types.extend_from_slice(&file.types);
        for mut external in file.externals.iter().cloned() {
            external.unit = external.unit.map(|_| f);
            externals.push(external);
        }
        for mut choice in file.choices.iter().cloned() {
            choice.unit = f;
            let function = choice.pragma.and_then(|at| files.files[f].function_at(at));
            choice.function = function.cloned();
            choices.push(choice);
        }
    }
    let (heads, is_one) = files.heads(options, &externals, read, sink)?;
    let mut roots: Vec<Place> = Vec::new();
    for (file, name) in &heads {
        roots.extend(files.named(Some(*file), name));
    }
    for external in &externals {
        roots.extend(
            external
                .named()
                .flat_map(|name| files.named(external.unit, name)),
        );
    }
    if let Some((file, _)) = heads.first() {
        for token in types.iter().flat_map(|of| &of.ty) {
            for tag in [false, true] {
                roots.extend(files.declarations(*file, &(Rc::clone(&token.text), tag)));
            }
        }
    }
    // Functions of the library in C may call functions that the files define.
    for (f, file) in files.files.iter().enumerate() {
        let header = |item: &Item| sink.is_header(read[f].tokens[item.tokens.start].at);
        let all = file.items.iter().enumerate();
        roots.extend(all.filter(|(_, item)| header(item)).map(|(k, _)| (f, k)));
    }
    let mut reached = BTreeSet::new();
    files.reach(roots, &mut reached);
    // A pragma counts if its function is reached; it may name variables that the function does not.
    let is_read = |choice: &Choice, reached: &BTreeSet<Place>| {
        choice.function.as_ref().is_none_or(|name| {
            let all = files.named(Some(choice.unit), name);
            all.iter().any(|place| reached.contains(place))
        })
    };
    loop {
        let before = reached.len();
        let counted = choices.iter().filter(|choice| is_read(choice, &reached));
        let named = counted
            .flat_map(|choice| files.named(choice.pragma.map(|_| choice.unit), &choice.name));
        files.reach(named.collect(), &mut reached);
        if reached.len() == before {
            break;
        }
    }
    // `no-diff(bits)` counts even if its function is not reached.
    let has_bits = choices.iter().any(Choice::is_for_bits);
    choices.retain(|choice| is_read(choice, &reached));
    let mut names: Vec<Rc<str>> = files
        .files
        .iter()
        .flat_map(|f| f.declared.keys())
        .filter(|(_, tag)| !tag)
        .map(|(name, _)| Rc::clone(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    let missing = read.iter().flat_map(|read| &read.missing);
    let mut told = HashSet::new();
    let missing = missing.filter(|name| told.insert(*name)).cloned().collect();
    let parallel = read.iter().flat_map(|read| read.parallel.iter().copied());
    let parallel = parallel.collect();
    warn_of_constructors(&files, read, &reached, sink);
    refuse_inline_stand_ins(&files, read, &reached, sink);
    let head = heads.first().filter(|_| is_one);
    let unshared = head.and_then(|head| statics::unshared(&files, read, head, &reached));
    let shared = share::shared(&files, read, &reached);
    let opaque = share::opaque(&files, &shared, &reached);
    let known = heads.first().map(|(f, _)| files.types(*f, read, &shared));
    let parts = read.iter().enumerate().map(|(f, read)| {
        let kept = reached.range((f, 0)..(f + 1, 0));
        let mut part = FileReached {
            tokens: Vec::new(),
            shared: Vec::new(),
            inline: BTreeSet::new(),
        };
        for place in kept {
            let item = files.item(*place);
            let function = item.names.function.iter();
            let function = function.filter(|name| files.files[f].is_inline(name));
            part.inline.extend(function.cloned());
            match shared.get(place) {
                Some((file, _)) => {
                    let tags = item.names.used.iter().filter(|(_, tag)| *tag);
                    let names = item.names.declared.iter().chain(tags);
                    part.shared.extend(names.map(|name| (*file, name.clone())));
                }
                None => part
                    .tokens
                    .extend_from_slice(&read.tokens[item.tokens.clone()]),
            }
        }
        let opaque = opaque[f].iter();
        part.shared
            .extend(opaque.map(|(name, first)| (*first, name.clone())));
        part.tokens.extend(read.tokens.last().cloned());
        part
    });
    let parts = parts.collect();
    Some(Reached {
        files: parts,
        choices,
        has_bits,
        externals,
        types,
        names,
        heads,
        is_one,
        missing,
        parallel,
        has_layouts: read.iter().any(|read| read.has_layouts),
        unshared,
        known: known.unwrap_or_default(),
    })
}

/// Refuses inline functions that another file also defines with external linkage: which of the two a call means
/// depends on the compiler's optimisation.
fn refuse_inline_stand_ins(
    files: &Files<'_>,
    read: &[&Preprocessed],
    reached: &BTreeSet<Place>,
    sink: &mut Sink,
) {
    for place in reached {
        let item = files.item(*place);
        let Some(name) = item
            .names
            .function
            .as_ref()
            .filter(|_| item.names.is_extern)
        else {
            continue;
        };
        let tokens = &read[place.0].tokens[item.tokens.clone()];
        let word = (tokens.iter()).find(|t| t.text.trim_matches('_') == "gnu_inline");
        if let Some(word) = word
            && files.defined.contains_key(name)
        {
            let message =
                format!("{name} is defined for inlining alone, and otherwise in another file");
            let help = "leave out one of the two: which one is called depends on the compiler";
            sink.error(&codes::TWICE, word.at, message, help);
        }
    }
}

/// Warns of functions that run before `main` and name reached variables: these functions are left out.
fn warn_of_constructors(
    files: &Files<'_>,
    read: &[&Preprocessed],
    reached: &BTreeSet<Place>,
    sink: &mut Sink,
) {
    for (f, file) in files.files.iter().enumerate() {
        for (k, item) in file.items.iter().enumerate() {
            let tokens = &read[f].tokens[item.tokens.clone()];
            let word = tokens
                .iter()
                .find(|t| t.text.trim_matches('_') == "constructor");
            let (Some(word), Some(name)) = (word, &item.names.function) else {
                continue;
            };
            let variables = item.names.used.iter().filter(|(_, tag)| !tag);
            let places = variables.flat_map(|name| files.declarations(f, name));
            let is_variable = |place: &Place| !files.item(*place).names.variables.is_empty();
            if !reached.contains(&(f, k))
                && places.filter(is_variable).any(|p| reached.contains(&p))
            {
                let message = format!("{name}, which runs before main, is left out");
                let help =
                    "initialise the variables where they are declared, or pass them as parameters";
                sink.warning(&codes::IGNORED, word.at, message, help);
            }
        }
    }
}
