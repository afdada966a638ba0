//! Globals: members of one static structure, with their initial values.

use super::{
    names::{Names, comment},
    operators::{
        Code, literal_cell, literal_integer, literal_logical, literal_real, literal_real32,
        literal_sized,
    },
    variable::{Array, Axis, Bound, Cells, Kind, cell_type},
};
use cfg_core::{
    entity::GlobalId,
    ir::{Expr, Extent, Global, NameRole, Op, Program, ScalarType},
};
use std::fmt::Write as _;

/// The globals of a program in C.
#[derive(Debug, Default)]
pub(super) struct Globals {
    kinds: Vec<Kind>,
    /// The members, of globals that own their storage: with the variable, and alone.
    owners: Vec<Option<String>>,
    names: Vec<Option<String>>,
    /// The members and the values of the program's own globals, and of derivatives.
    own: Members,
    derivatives: Members,
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
    /// Adjoints or tangents of globals, where they have a variable of their own.
    pub(super) derivatives: Option<String>,
    /// True if the program's own are variables of other files, each by its name.
    pub(super) external: bool,
    /// True of a file with checks.
    pub(super) checks: bool,
}

/// True of the adjoint or the tangent of a global.
pub(super) fn is_derivative(global: &Global) -> bool {
    let origin = global.variable.origin.as_deref();
    origin.is_some_and(|o| matches!(o.role, NameRole::Adjoint | NameRole::Tangent))
}

/// The literal of an initial value.
fn literal(e: &Expr, checks: bool) -> Code {
    match e {
        Expr::Int(n) => literal_integer(*n),
        Expr::Real(x) => literal_real(*x),
        Expr::Real32(x) => literal_real32(*x),
        Expr::Logical(b) => literal_logical(*b),
        Expr::Op(Op::Neg, operands) => match &**operands {
            [Expr::Int(n)] => literal_integer(n.wrapping_neg()),
            [Expr::Real(x)] => literal_real(-x),
            [Expr::Real32(x)] => literal_real32(-x),
            _ => literal_integer(0),
        },
        Expr::Op(..) if let Some((ty, cell)) = e.sized_constant() => match checks {
            true => literal_cell(ty, cell),
            false => literal_sized(ty, cell),
        },
        Expr::Place(_) | Expr::Op(..) => literal_integer(0),
    }
}

impl Globals {
    /// The globals of a program, in variables of these names.
    pub(super) fn of(program: &Program, variables: &Variables) -> Self {
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
        let mut made = Self {
            names: owner_name.clone(),
            ..Self::default()
        };
        for (g, global) in (0..).map(GlobalId::new).zip(&program.globals) {
            let (base, offset) = program.storage(g);
            let name = owner_name[base.index()].as_deref().unwrap_or_default();
            let derivative = variables
                .derivatives
                .as_ref()
                .filter(|_| is_derivative(program.global(base)));
            let variable = derivative.unwrap_or(&variables.own);
            let members = if derivative.is_some() {
                &mut made.derivatives
            } else {
                &mut made.own
            };
            let external = variables.external && derivative.is_none();
            let name = match external {
                true => program.global(base).variable.name.as_str(),
                false => name,
            };
            let place: String = match external {
                true => name.to_owned(),
                false => format!("{variable}.{name}"),
            };
            let kind = if global.variable.rank() > 0 {
                Kind::Array(Array {
                    pointer: place.clone(),
                    offset,
                    axes: axes(global),
                    order: global.variable.order,
                    cells: Cells::Given,
                    room: None,
                    count: None,
                })
            } else if is_array(base) {
                Kind::Value(format!("{place}[{offset}]"))
            } else {
                Kind::Value(place.clone())
            };
            made.kinds.push(kind);
            let note = comment(&global.variable.name);
            if let Some(overlay) = global.overlay {
                let _ = writeln!(
                    members.declarations,
                    "    /* {note}: {name} from element {} on */",
                    overlay.offset
                );
                made.owners.push(None);
                continue;
            }
            made.owners.push(Some(place));
            let ty = cell_type(global.variable.ty, variables.checks);
            let size = global.variable.constant_size().unwrap_or(1).max(1);
            let _ = if is_array(g) {
                writeln!(members.declarations, "    {ty} {name}[{size}];")
            } else {
                writeln!(members.declarations, "    {ty} {name};")
            };
            let _ = writeln!(members.several, "    {ty} *{name};");
            let initial = initial(
                program,
                g,
                &inside[g.index()],
                is_array(g),
                variables.checks,
            );
            members.values.push(initial);
        }
        made
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
            None => Kind::Value(String::new()),
        }
    }

    /// True if there are derivatives of globals that have a variable of their own.
    pub(super) fn has_derivatives(&self) -> bool {
        !self.derivatives.values.is_empty()
    }

    /// The declarations of the structures, their only variables, and the function that gives access to the program's own
    /// globals.
    pub(super) fn text(
        &self,
        tags: (&str, &str),
        variables: &Variables,
        access: Option<&str>,
    ) -> String {
        let (tag, derivative_tag) = tags;
        if variables.external {
            let mut text = self.own.external();
            if let Some(variable) = &variables.derivatives {
                text.push_str(&self.derivatives.declaration(derivative_tag));
                text.push_str(&self.derivatives.definition(derivative_tag, variable));
            }
            return text;
        }
        let mut defined = self.own.definition(tag, &variables.own);
        if let Some(access) = access.filter(|_| !defined.is_empty()) {
            let variable = &variables.own;
            let _ = write!(
                defined,
                "struct {tag} *{access}(void);\n\nstruct {tag} *{access}(void)\n{{\n    return &{variable};\n}}\n\n"
            );
        }
        let mut text = self.own.declaration(tag);
        // Files of one program that are included together share its globals.
        text.push_str(&once(tag, "DEFINED", &defined));
        if let Some(variable) = &variables.derivatives {
            text.push_str(&self.derivatives.declaration(derivative_tag));
            text.push_str(&self.derivatives.definition(derivative_tag, variable));
        }
        text
    }

    /// The structure of derivatives in several directions: pointers to their values.
    pub(super) fn several(&self, tag: &str) -> String {
        if self.derivatives.values.is_empty() {
            return String::new();
        }
        let members = &self.derivatives.several;
        once(tag, "DECLARED", &format!("struct {tag} {{\n{members}}};"))
    }

    /// The declarations for callers: the structures, and the function that gives access to the program's own globals.
    pub(super) fn header(
        &self,
        (tag, derivative_tag): (&str, &str),
        access: &str,
        external: bool,
    ) -> String {
        let mut text = match external {
            true => self.own.external(),
            false => self.own.declaration(tag),
        };
        if !text.is_empty() && !external {
            let _ = write!(text, "struct {tag} *{access}(void);\n\n");
        }
        text.push_str(&self.derivatives.declaration(derivative_tag));
        text
    }
}

/// A text that counts once in all files and headers that are included together; nothing if it is empty.
fn once(tag: &str, what: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // Names differ by case.
    let guard = format!("CFGREV_{tag}_IS_{what}");
    let text = text.trim_end();
    format!("#ifndef {guard}\n#define {guard}\n{text}\n#endif\n\n")
}

impl Members {
    /// The declarations of variables that another file defines.
    fn external(&self) -> String {
        let mut text = String::new();
        for line in self.declarations.lines() {
            let line = line.trim_start();
            let _ = match line.starts_with("/*") {
                true => writeln!(text, "{line}"),
                false => writeln!(text, "extern {line}"),
            };
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

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

/// The initial value of a member; globals that lie in its cells may have values, too.
fn initial(
    program: &Program,
    base: GlobalId,
    inside: &[GlobalId],
    is_array: bool,
    checks: bool,
) -> String {
    let owner = program.global(base);
    let size = owner.variable.constant_size().unwrap_or(1).max(1);
    let zero = match owner.variable.ty {
        ScalarType::Real => "0.0",
        ScalarType::Real32 => "0.0f",
        ScalarType::Logical => "false",
        ScalarType::Integer | ScalarType::Sized(_) | ScalarType::Tape => "0",
    };
    let mut written: std::collections::BTreeMap<i64, String> = std::collections::BTreeMap::new();
    for &g in inside {
        let (_, offset) = program.storage(g);
        let global = program.global(g);
        let Some(values) = global.initial.as_deref() else {
            continue;
        };
        let count = global.variable.constant_size().unwrap_or(1);
        for k in 0..count {
            let value = match values {
                [one] => one,
                all => match all.get(k as usize) {
                    Some(value) => value,
                    None => break,
                },
            };
            written.insert(offset + k, literal(value, checks).text);
        }
    }
    if !is_array {
        return written.remove(&0).unwrap_or_else(|| zero.to_owned());
    }
    if written.is_empty() {
        return format!("{{{zero}}}");
    }
    let last = written
        .keys()
        .next_back()
        .copied()
        .unwrap_or(0)
        .min(size - 1);
    let all = (0..=last).map(|k| written.remove(&k).unwrap_or_else(|| zero.to_owned()));
    format!("{{{}}}", all.collect::<Vec<_>>().join(", "))
}
