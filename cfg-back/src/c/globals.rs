//! Globals: members of one static structure, with their initial values.
//!
//! With checks a cell without an initial value begins as one that was never set. C has no constant expression for such
//! a real, so a function writes these cells, which the functions for callers call first.

use super::{
    forget,
    global_classes::{Class, Classes},
    names::{Names, escape_comment},
    operators::{
        Code, Pieces, checked::unset_value, literal_cell, literal_constant, literal_integer,
        literal_real, literal_real32, literal_sized,
    },
    used_cells::UsedCells,
    variable::{Array, Axis, Bound, Cells, Kind, cell_type},
};
use cfg_core::{
    entity::GlobalId,
    flat::{FlatExpr, FlatType},
    ir::{Expr, Extent, Global, Op, Program, ScalarType},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write as _,
};

/// The globals of a program in C.
#[derive(Debug, Default)]
pub(super) struct Globals {
    kinds: Vec<Kind>,
    /// The members, of globals that own their storage: with the variable, and alone.
    owners: Vec<Option<String>>,
    names: Vec<Option<String>>,
    /// The declarations of those that are variables of other files.
    external: String,
    /// The members and the values of the program's own globals, and of each structure of derivatives.
    own: Members,
    derivatives: Vec<Members>,
    /// The cells of the program's own globals that were never set when it begins.
    unset: Vec<Unset>,
    /// The function that makes them so.
    begin: Option<String>,
    /// How far pools are used, and the derivatives that are cleared.
    pub(super) used: UsedCells,
}

/// Cells that follow each other, none of which has an initial value.
#[derive(Clone, Debug)]
struct Unset {
    ty: ScalarType,
    /// The scalar, or the pointer to the first one and their number.
    place: String,
    count: Option<i64>,
}

/// The declarations of a structure's members, and the values of its variable.
#[derive(Debug, Default)]
struct Members {
    declarations: String,
    /// The same as pointers to values in several directions.
    several: String,
    values: Vec<String>,
}

/// The names of the variables in which globals lie.
#[derive(Clone, Debug)]
pub(super) struct Variables {
    /// The program's own.
    pub(super) own: String,
    /// Adjoints or tangents of globals, where they have variables of their own.
    pub(super) derivatives: Classes,
    /// The program's own that are variables of other files.
    pub(super) external: BTreeMap<GlobalId, External>,
    /// With checks, the function that makes cells without an initial value such that were never set.
    pub(super) begin: Option<String>,
    /// True of a file with checks.
    pub(super) checks: bool,
    /// In a file of derivatives of a program with pools of what pointers lead to, the variable that holds the tape of
    /// the forward sweep that wrote them last.
    pub(super) swept: Option<String>,
    /// In a file of derivatives, the variable that says how many cells of pools were used.
    pub(super) used: String,
}

/// A variable of another file, or a member of one.
#[derive(Clone, Debug)]
pub(super) struct External {
    /// The name of the variable.
    pub(super) name: String,
    /// The text that names it; of an array the pointer to its first element.
    pub(super) place: String,
    /// The declaration; none of further members.
    pub(super) declaration: String,
}

/// The literal of an initial value.
fn literal(e: &Expr, checks: bool) -> Code {
    if let Some((ty, cell)) = e.sized_constant() {
        return match checks {
            true => literal_cell(ty, cell),
            false => literal_sized(ty, cell),
        };
    }
    match FlatExpr::view(e) {
        FlatExpr::Constant(constant) => literal_constant(constant),
        FlatExpr::Op(Op::Neg, operands) => match operands {
            [Expr::Int(n)] => literal_integer(n.wrapping_neg()),
            [Expr::Real(x)] => literal_real(-x),
            [Expr::Real32(x)] => literal_real32(-x),
            _ => literal_integer(0),
        },
        FlatExpr::Place(_) | FlatExpr::Op(..) => literal_integer(0),
    }
}

impl Globals {
    /// The globals of a program, in variables of these names.
    pub(super) fn declare(program: &Program, variables: &Variables) -> Self {
        if program.globals.is_empty() {
            return Self::default();
        }
        let mut names = Names::of_function();
        let owner_name: Vec<Option<String>> = program
            .globals
            .iter()
            .map(|g| {
                g.overlay
                    .is_none()
                    .then(|| names.fresh(&g.variable.name, None))
            })
            .collect();
        let mut shared = vec![false; program.globals.len()];
        for global in &program.globals {
            if let Some(overlay) = global.overlay {
                shared[overlay.base.index()] = true;
            }
        }
        let is_array = |g: GlobalId| program.global(g).variable.rank() > 0 || shared[g.index()];
        // The globals with values in the cells of each.
        let mut inside: Vec<Vec<GlobalId>> = vec![Vec::new(); program.globals.len()];
        for (g, global) in (0..).map(GlobalId::new).zip(&program.globals) {
            if global.initial.is_some() {
                inside[program.storage(g).0.index()].push(g);
            }
        }
        let classes = &variables.derivatives;
        let mut made = Self {
            names: owner_name.clone(),
            derivatives: classes.all.iter().map(|_| Members::default()).collect(),
            ..Self::default()
        };
        for (g, global) in (0..).map(GlobalId::new).zip(&program.globals) {
            let (base, offset) = program.storage(g);
            let name = owner_name[base.index()].as_deref().unwrap_or_default();
            let derivative = classes.class(base);
            let variable = derivative.map_or(&variables.own, |k| &classes.all[k].variable);
            let members = match derivative {
                Some(k) => &mut made.derivatives[k],
                None => &mut made.own,
            };
            let external = variables
                .external
                .get(&base)
                .filter(|_| derivative.is_none());
            let place: String = match external {
                Some(external) => external.place.clone(),
                None => format!("{variable}.{name}"),
            };
            let kind = if global.variable.rank() > 0 {
                Kind::Array(Array {
                    inside: None,
                    pointer: place.clone().into(),
                    offset,
                    axes: axes(global),
                    order: global.variable.order,
                    cells: Cells::Given,
                    laid_over: None,
                    room: None,
                    count: None,
                })
            } else if is_array(base) {
                Kind::Value(format!("{place}[{offset}]").into())
            } else {
                Kind::Value(place.clone().into())
            };
            made.kinds.push(kind);
            let note = escape_comment(&global.variable.name);
            if let Some(overlay) = global.overlay {
                let (text, indent) = match external {
                    Some(_) => (&mut made.external, ""),
                    None => (&mut members.declarations, "    "),
                };
                let _ = writeln!(
                    text,
                    "{indent}/* {note}: {name} from element {} on */",
                    overlay.offset
                );
                made.owners.push(None);
                continue;
            }
            made.owners.push(Some(place));
            if let Some(external) = external {
                made.external.push_str(&external.declaration);
                continue;
            }
            let ty = cell_type(global.variable.ty, variables.checks);
            let size = global.variable.constant_size().unwrap_or(1).max(1);
            let _ = if is_array(g) {
                writeln!(members.declarations, "    {ty} {name}[{size}];")
            } else {
                writeln!(members.declarations, "    {ty} {name};")
            };
            let _ = writeln!(members.several, "    {ty} *{name};");
            let written = initial_values(program, &inside[g.index()], variables.checks);
            if derivative.is_none() && variables.begin.is_some() {
                let place = format!("{variable}.{name}");
                let some = never_set(&written, &place, size, is_array(g));
                let ty = global.variable.ty;
                let some = some.into_iter();
                (made.unset).extend(some.map(|(place, count)| Unset { ty, place, count }));
            }
            let initial = initial(global, written, is_array(g));
            members.values.push(initial);
        }
        if !made.unset.is_empty() {
            made.begin.clone_from(&variables.begin);
        }
        let (names_of, places) = (&made.names, &made.owners);
        made.used = UsedCells::declare(program, classes, &variables.used, names_of, places);
        made.add_missing(program, classes, &mut names);
        made
    }

    /// Members of second derivatives for globals that have none, because nothing uses them.
    fn add_missing(&mut self, program: &Program, classes: &Classes, names: &mut Names) {
        let ids = || (0..).map(GlobalId::new).zip(&program.globals);
        let mut has: HashSet<(GlobalId, usize)> = HashSet::new();
        let by_name: HashMap<&str, GlobalId> = ids()
            .map(|(g, global)| (&*global.variable.name, g))
            .collect();
        for (g, global) in ids() {
            if let (Some(k), Some(origin)) = (classes.class(g), &global.variable.origin)
                && let Some(&of) = by_name.get(&*origin.of)
            {
                has.insert((of, k));
            }
        }
        let differentiated: HashSet<GlobalId> = has.iter().map(|(g, _)| *g).collect();
        for (g, global) in ids() {
            let owner = self.names[g.index()].clone();
            let Some(owner) = owner.filter(|_| global.variable.ty.is_real()) else {
                continue;
            };
            let size = global.variable.constant_size().unwrap_or(1).max(1);
            let ty = cell_type(global.variable.ty, false);
            for (k, suffix) in classes.derivatives_of(g, differentiated.contains(&g)) {
                if has.contains(&(g, k)) {
                    continue;
                }
                let name = names.fresh(&format!("{owner}{suffix}"), None);
                let members = &mut self.derivatives[k];
                let _ = writeln!(members.declarations, "    {ty} {name}[{size}];");
                let _ = writeln!(members.several, "    {ty} *{name};");
                members.values.push("{0}".to_owned());
            }
        }
    }

    /// The member that the storage of a global is, if it owns any.
    pub(super) fn owner(&self, g: GlobalId) -> Option<String> {
        self.owners.get(g.index()).cloned().flatten()
    }

    /// The name of the member that the storage of a global is, if it owns any.
    pub(super) fn member(&self, g: GlobalId) -> Option<&str> {
        self.names.get(g.index())?.as_deref()
    }

    /// The variable that a global is.
    pub(super) fn kind(&self, g: GlobalId) -> Kind {
        match self.kinds.get(g.index()) {
            Some(kind) => kind.clone(),
            None => Kind::Value("".into()),
        }
    }

    /// True if this structure of derivatives has members.
    pub(super) fn has_derivatives(&self, class: usize) -> bool {
        self.derivatives
            .get(class)
            .is_some_and(|m| !m.values.is_empty())
    }

    /// The function that functions for callers call first, if some cells begin as such that were never set.
    pub(super) fn begin(&self) -> Option<&str> {
        self.begin.as_deref()
    }

    /// What makes cells such that were never set, the first time that it is called.
    fn beginning(&self, pieces: &mut Pieces) -> String {
        let Some(begin) = &self.begin else {
            return String::new();
        };
        let mut text = format!(
            "static void {begin}(void)\n{{\n    static int begun;\n    if (begun)\n        return;\n"
        );
        for Unset { ty, place, count } in &self.unset {
            let place = Code::name(&**place, *ty);
            let code = match count {
                None => place.set(unset_value(*ty)),
                Some(count) => forget::cells(pieces, place, (*count).into()),
            };
            let _ = writeln!(text, "    {code};");
        }
        text.push_str("    begun = 1;\n}\n\n");
        text
    }

    /// The declarations of variables of other files, and of the structure of the program's own globals.
    fn declarations(&self, tag: &str) -> String {
        let mut text = self.external.clone();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.own.declaration(tag));
        text
    }

    /// The declarations of the structures, their only variables, and the function that gives access to the program's
    /// own globals.
    pub(super) fn text(
        &self,
        tag: &str,
        variables: &Variables,
        access: Option<&str>,
        pieces: &mut Pieces,
    ) -> String {
        let mut text = self.declarations(tag);
        let mut defined = self.own.definition(tag, &variables.own);
        if let Some(access) = access.filter(|_| !defined.is_empty()) {
            let variable = &variables.own;
            defined.push_str(&self.beginning(pieces));
            let begin = self.begin.as_ref();
            let begin = begin.map_or_else(String::new, |begin| format!("    {begin}();\n"));
            let _ = write!(
                defined,
                "struct {tag} *{access}(void);\n\nstruct {tag} *{access}(void)\n{{\n{begin}    return &{variable};\n}}\n\n"
            );
        }
        // Files of one program that are included together share its globals.
        text.push_str(&once(tag, "DEFINED", &defined));
        if let Some(swept) = &variables.swept {
            let defined = format!("static const struct cfgrev_tape *{swept};\n");
            text.push_str(&once(tag, "SWEPT", &defined));
        }
        for (class, members) in variables.derivatives.all.iter().zip(&self.derivatives) {
            text.push_str(&members.declaration(&class.tag));
            text.push_str(&members.definition(&class.tag, &class.variable));
        }
        text.push_str(&once(&variables.used, "DEFINED", &self.used.text()));
        text
    }

    /// The structures of derivatives in several directions: pointers to their values.
    pub(super) fn several(&self, variables: &Variables) -> String {
        let classes = variables.derivatives.all.iter().zip(&self.derivatives);
        let mut text = String::new();
        let is_given = |class: &Class| class.is_last && !class.is_scratch;
        for (class, members) in classes.filter(|(class, m)| is_given(class) && !m.values.is_empty())
        {
            let (tag, members) = (&class.several_tag, &members.several);
            text.push_str(&once(
                tag,
                "DECLARED",
                &format!("struct {tag} {{\n{members}}};"),
            ));
        }
        text
    }

    /// The declarations for callers: the structures, and the function that gives access to the program's own globals.
    pub(super) fn header(&self, tag: &str, access: &str, variables: &Variables) -> String {
        let mut text = self.declarations(tag);
        if !self.own.values.is_empty() {
            let _ = write!(text, "struct {tag} *{access}(void);\n\n");
        }
        let classes = variables.derivatives.all.iter().zip(&self.derivatives);
        for (class, members) in classes.filter(|(class, _)| !class.is_scratch) {
            text.push_str(&members.declaration(&class.tag));
        }
        text
    }
}

/// A text that counts once in all files and headers that are included together; nothing if it is empty.
pub(super) fn once(tag: &str, what: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // Names differ by case.
    let guard = format!("CFGREV_{tag}_IS_{what}");
    let text = text.trim_end();
    format!("#ifndef {guard}\n#define {guard}\n{text}\n#endif\n\n")
}

impl Members {
    /// The structure.
    fn declaration(&self, tag: &str) -> String {
        if self.values.is_empty() {
            return String::new();
        }
        let members = &self.declarations;
        once(tag, "DECLARED", &format!("struct {tag} {{\n{members}}};"))
    }

    /// The only variable of the structure's type.
    fn definition(&self, tag: &str, variable: &str) -> String {
        if self.values.is_empty() {
            return String::new();
        }
        let values = self.values.join(",\n    ");
        format!("static struct {tag} {variable} = {{\n    {values}\n}};\n\n")
    }
}

fn axes(global: &Global) -> Vec<Axis> {
    let constant = |e: &Expr| Bound::Constant(e.constant().unwrap_or(0));
    let shape = global.variable.shape.iter();
    shape
        .map(|dim| Axis {
            lower: constant(&dim.lower),
            extent: match &dim.extent {
                Extent::Fixed(e) => constant(e),
                Extent::Deferred => Bound::Constant(0),
            },
            stride: None,
        })
        .collect()
}

/// Cells with one initial value: the first one leads to the end of the run and to the value. Arrays may have as many
/// cells as there are numbers, so that each is not looked at.
type Runs = BTreeMap<i64, (i64, String)>;

/// The initial values of cells of an owner of storage, by their positions; globals that lie in its cells may have some.
fn initial_values(program: &Program, inside: &[GlobalId], checks: bool) -> Runs {
    let mut written = Runs::new();
    for &g in inside {
        let (_, offset) = program.storage(g);
        let global = program.global(g);
        let Some(values) = global.initial.as_deref() else {
            continue;
        };
        let count = global.variable.constant_size().unwrap_or(1);
        if let [one] = values {
            set(
                &mut written,
                offset,
                offset + count,
                literal(one, checks).to_string(),
            );
            continue;
        }
        for (k, value) in (offset..offset + count).zip(values) {
            set(&mut written, k, k + 1, literal(value, checks).to_string());
        }
    }
    written
}

/// Gives the cells from `start` to before `end` a value, also those that have another one.
fn set(written: &mut Runs, start: i64, end: i64, value: String) {
    if start >= end {
        return;
    }
    // The last run that begins before, and those that begin inside.
    let before = written.range(..start).next_back().map(|(&from, _)| from);
    let inside: Vec<i64> = written.range(start..end).map(|(&from, _)| from).collect();
    for from in before.into_iter().chain(inside) {
        let Some((to, old)) = written.remove(&from) else {
            continue;
        };
        if from < start {
            written.insert(from, (to.min(start), old.clone()));
        }
        if to > end {
            written.insert(end, (to, old));
        }
    }
    written.insert(start, (end, value));
}

/// The cells of a member that have no initial value: a scalar, or runs with the numbers of their cells.
fn never_set(written: &Runs, place: &str, size: i64, is_array: bool) -> Vec<(String, Option<i64>)> {
    if !is_array {
        let scalar = written.is_empty().then(|| (place.to_owned(), None));
        return scalar.into_iter().collect();
    }
    let mut runs = Vec::new();
    let mut from = 0;
    let starts = written.iter().map(|(&start, &(end, _))| (start, end));
    for (end, next) in starts.chain([(size, size)]) {
        if end > from {
            let first = match from {
                0 => place.to_owned(),
                _ => format!("{place} + {from}"),
            };
            runs.push((first, Some(end - from)));
        }
        from = next;
    }
    runs
}

/// The initial value of a member in C, which has 0 for those that are not given.
fn initial(owner: &Global, mut written: Runs, is_array: bool) -> String {
    let size = owner.variable.constant_size().unwrap_or(1).max(1);
    let zero = match FlatType::view(owner.variable.ty) {
        FlatType::Real => "0.0",
        FlatType::Real32 => "0.0f",
        FlatType::Logical => "false",
        FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => "0",
    };
    if !is_array {
        let first = written.remove(&0);
        return first.map_or_else(|| zero.to_owned(), |(_, value)| value);
    }
    written.retain(|_, (_, value)| value != zero);
    if written.is_empty() {
        return format!("{{{zero}}}");
    }
    let mut text = String::from("{");
    let mut next = 0;
    for (start, (end, value)) in &written {
        let zeros = (next..*start).map(|_| zero);
        let values = (*start..(*end).min(size)).map(|_| &**value);
        for value in zeros.chain(values) {
            if text.len() > 1 {
                text.push_str(", ");
            }
            text.push_str(value);
        }
        next = *end;
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells that are given values one after the other have the last of them, whichever runs these were part of.
    #[test]
    fn runs_are_the_cells_that_they_stand_for() {
        let mut written = Runs::new();
        let mut cells: BTreeMap<i64, String> = BTreeMap::new();
        for k in 0..400i64 {
            let (start, length) = (k * 37 % 100, k * 11 % 13);
            let value = (k % 5).to_string();
            set(&mut written, start, start + length, value.clone());
            cells.extend((start..start + length).map(|cell| (cell, value.clone())));
            let of_runs = written.iter().flat_map(|(&start, (end, value))| {
                (start..*end).map(move |cell| (cell, value.clone()))
            });
            let of_runs: Vec<_> = of_runs.collect();
            let wanted: Vec<_> = cells.clone().into_iter().collect();
            assert_eq!(of_runs, wanted, "{k}");
            let gaps = never_set(&written, "x", 130, true);
            let gaps: i64 = gaps.iter().filter_map(|(_, n)| *n).sum();
            assert_eq!(gaps, 130 - cells.len() as i64, "{k}");
        }
    }
}
