//! The cells of pools that runs have used: those in front of the first free cell, and those from the least cell of a
//! variable on, as far as these ever went. Derivatives of all other cells are 0 and stay so, and need not be cleared.

use super::{
    global_classes::Classes,
    operators::{Code, Infix},
};
use cfg_core::{
    entity::GlobalId,
    ir::{Global, NameRole, Program, ScalarType},
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
};

/// The marks of a file of derivatives, and the derivatives of cells that are cleared up to them.
#[derive(Debug, Default)]
pub(super) struct UsedCells {
    /// The variable that has the marks.
    variable: String,
    /// The pools of which cells are cleared.
    pools: Vec<Pool>,
    /// The counters whose extremes are marks: the mark, and true if it rises.
    counters: BTreeMap<GlobalId, (String, bool)>,
    cleared: Vec<Cleared>,
}

/// A pool: the members with its marks and their first values, and the number of its cells.
#[derive(Debug)]
struct Pool {
    free: (String, i64),
    least: (String, i64),
    size: i64,
}

/// Derivatives of cells.
#[derive(Debug)]
struct Cleared {
    global: GlobalId,
    class: usize,
    place: String,
    /// The pool, and how many derivatives a cell of it has; `None` if all are cleared.
    up_to: Option<(usize, i64)>,
}

impl UsedCells {
    /// The marks of a program whose globals have these names and places.
    pub(super) fn declare(
        program: &Program,
        classes: &Classes,
        variable: &str,
        names: &[Option<String>],
        places: &[Option<String>],
    ) -> Self {
        let mut made = Self {
            variable: variable.to_owned(),
            ..Self::default()
        };
        let ids = || (0..).map(GlobalId::new).zip(&program.globals);
        let by_name: HashMap<&str, &Global> = (program.globals.iter())
            .map(|global| (&*global.variable.name, global))
            .collect();
        let mut counters: HashMap<(bool, &str), GlobalId> = HashMap::new();
        for (g, global) in ids() {
            if let Some(origin) = &global.variable.origin
                && let NameRole::FreeCell | NameRole::LeastVariable = origin.role
            {
                counters.insert((origin.role == NameRole::FreeCell, &origin.of), g);
            }
        }
        let mut pools: HashMap<&str, usize> = HashMap::new();
        for (g, global) in ids() {
            let (Some(class), Some(place)) = (classes.class(g), &places[g.index()]) else {
                continue;
            };
            if !classes.all[class].is_scratch || classes.all[class].is_unset {
                continue;
            }
            let mut cells = global;
            while let Some(origin) = &cells.variable.origin
                && let NameRole::Adjoint | NameRole::Tangent = origin.role
                && let Some(of) = by_name.get(&*origin.of)
            {
                cells = of;
            }
            let of = cells.variable.origin.as_deref().map(|origin| &*origin.of);
            let size = cells.variable.constant_size().unwrap_or(1).max(1);
            let pool = of.and_then(|of| {
                let found = [true, false].map(|rises| counters.get(&(rises, of)).copied());
                let [Some(free), Some(least)] = found else {
                    return None;
                };
                let marks = [free, least].map(|g| {
                    let first = program.global(g).initial.as_deref()?.first()?.constant()?;
                    Some((names[g.index()].clone()?, first))
                });
                let [Some(free_mark), Some(least_mark)] = marks else {
                    return None;
                };
                Some(*pools.entry(of).or_insert_with(|| {
                    made.counters.insert(free, (free_mark.0.clone(), true));
                    made.counters.insert(least, (least_mark.0.clone(), false));
                    made.pools.push(Pool {
                        free: free_mark,
                        least: least_mark,
                        size,
                    });
                    made.pools.len() - 1
                }))
            });
            let all = global.variable.constant_size().unwrap_or(1).max(1);
            made.cleared.push(Cleared {
                global: g,
                class,
                place: place.clone(),
                up_to: pool.map(|pool| (pool, all / size)),
            });
        }
        made
    }

    /// The definition of the marks.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut values = Vec::new();
        for Pool { free, least, .. } in &self.pools {
            let _ = writeln!(text, "    int64_t {}, {};", free.0, least.0);
            values.push(format!("{}, {}", free.1, least.1));
        }
        if !text.is_empty() {
            let (variable, values) = (&self.variable, values.join(", "));
            text = format!("static struct {{\n{text}}} {variable} = {{{values}}};\n\n");
        }
        text
    }

    /// The mark that follows a counter: the test that it does so no more, and itself.
    pub(super) fn mark(&self, counter: GlobalId, now: Code) -> Option<(Code, Code)> {
        let (member, rises) = self.counters.get(&counter)?;
        let mark = Code::name(format!("{}.{member}", self.variable), ScalarType::Integer);
        let beyond = if *rises { Infix::Gt } else { Infix::Lt };
        Some((now.is(beyond, mark.clone()), mark))
    }

    /// The lines that clear the derivatives of a class that a call may have written.
    pub(super) fn clear(&self, class: usize, written: impl Fn(GlobalId) -> bool) -> String {
        let mut text = String::new();
        let of_class = self.cleared.iter().filter(|c| c.class == class);
        for Cleared { place, up_to, .. } in of_class.filter(|c| written(c.global)) {
            let Some((pool, times)) = *up_to else {
                let _ = writeln!(text, "memset(&{place}, 0, sizeof {place});");
                continue;
            };
            let Pool { free, least, size } = &self.pools[pool];
            let (free, least) = (&free.0, &least.0);
            let marks = &self.variable;
            let factor = match times {
                1 => String::new(),
                _ => format!(" * {times}"),
            };
            let _ = write!(
                text,
                "memset({place}, 0, (size_t)({marks}.{free} - 1){factor} * sizeof *{place});\n\
                 memset({place} + ({marks}.{least} - 1){factor}, 0, (size_t)({end} - {marks}.{least}){factor} * sizeof *{place});\n",
                end = size + 1,
            );
        }
        text
    }

    /// The lines that begin anew: all derivatives of cells are 0.
    pub(super) fn reset(&self) -> String {
        let marks = &self.variable;
        let all = self.pools.iter().flat_map(|pool| [&pool.free, &pool.least]);
        all.map(|(mark, first)| format!("{marks}.{mark} = {first};\n"))
            .collect()
    }
}
