//! Functions for callers of second derivatives, of random programs with globals: a caller in C is written by the rules
//! of docs/c-out.md alone and compares what comes out with the executor bit by bit.

use crate::support::flat;
use crate::{
    called::{Caller, is_by_value, run_callers, suits},
    directions::combined,
    families::{self, ALL},
    support::{Job, jobs, routines},
};
use cfg_back::c;
use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Extent, Intent, ParameterRole, Program, ScalarType, Signature},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, Value};
use cfg_reverse::Options;
use cfg_testkit::{needs, rng::Rng};
use std::{collections::BTreeSet, fmt::Write as _};

/// A derivative of a routine, with the pairs of globals and their derivatives.
#[derive(Clone)]
struct Derived {
    program: ValidProgram,
    routine: RoutineId,
    original: RoutineId,
    /// True of a gradient.
    is_adjoint: bool,
    routines: Option<c::Adjoint>,
    globals: Vec<(GlobalId, GlobalId)>,
    /// The first routine that was generated.
    first: Option<RoutineId>,
}

fn derived(
    program: &ValidProgram,
    r: RoutineId,
    is_adjoint: bool,
    options: &Options,
) -> Option<Derived> {
    if is_adjoint {
        let made = cfg_reverse::reverse(&flat(program), r, options).ok()?;
        let routines = routines(&made);
        return Some(Derived {
            routine: made.gradient,
            original: made.original,
            is_adjoint,
            routines: Some(routines),
            globals: made.adjoint_globals.clone(),
            first: made.sweeps.iter().map(|&(_, f, r)| f.min(r)).min(),
            program: validate(made.program).ok()?,
        });
    }
    let made = cfg_reverse::tangent(&flat(program), r).ok()?;
    Some(Derived {
        routine: made.tangent,
        original: made.original,
        is_adjoint,
        routines: None,
        globals: made.tangent_globals.clone(),
        first: made.pairs.iter().map(|&(_, t)| t).min(),
        program: validate(made.program).ok()?,
    })
}

/// A parameter in C: what it is to the routine, if that has it.
#[derive(Clone)]
struct Item {
    ty: ScalarType,
    by_value: bool,
    is_result: bool,
    /// The last derivative's: a value for each direction.
    is_last: bool,
    extent: Option<usize>,
    variable: Option<VarId>,
}

/// The parameters of a routine in C that is no derivative.
fn own_items(own: &Job) -> Vec<Item> {
    let routine = own.program.routine(own.routine);
    let mut items = Vec::new();
    for (k, v) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(v);
        let item = Item {
            ty: variable.ty,
            by_value: is_by_value(routine, v),
            is_result: false,
            is_last: false,
            extent: None,
            variable: Some(v),
        };
        for (d, dim) in variable.shape.iter().enumerate() {
            if dim.extent == Extent::Deferred {
                let extent = match &own.arguments[k] {
                    Argument::Value(value) => value.shape()[d],
                    _ => 0,
                };
                items.push(Item {
                    ty: ScalarType::Integer,
                    extent: Some(extent),
                    variable: None,
                    ..item.clone()
                });
            }
        }
        items.push(item);
    }
    items.extend(routine.result.map(|v| Item {
        ty: routine.variable(v).ty,
        by_value: false,
        // The adjoint of an array is one.
        is_result: routine.variable(v).rank() == 0,
        is_last: false,
        extent: None,
        variable: Some(v),
    }));
    items
}

/// The parameters of the derivative: each floating-point parameter is followed by its derivative's.
fn next_items(items: Vec<Item>, made: &Derived) -> Vec<Item> {
    let program = &made.program;
    let roles = Signature::from_origins(program, made.routine).parameters;
    let routine = program.routine(made.routine);
    let find = |role: ParameterRole| {
        let k = roles.iter().position(|r| *r == role)?;
        routine.parameter_ids().nth(k)
    };
    let mut next = Vec::new();
    for item in items {
        next.push(Item {
            variable: item.variable.and_then(|v| find(ParameterRole::Primal(v))),
            is_result: false,
            is_last: false,
            ..item.clone()
        });
        if item.ty.is_real() && item.extent.is_none() {
            let of = |v| match made.is_adjoint {
                true => ParameterRole::Adjoint(v),
                false => ParameterRole::Tangent(v),
            };
            next.push(Item {
                variable: item.variable.and_then(|v| find(of(v))),
                by_value: match made.is_adjoint {
                    true => item.is_result,
                    false => item.by_value,
                },
                is_result: false,
                is_last: true,
                ..item
            });
        }
    }
    next
}

/// The structures of derivatives of globals in the order of the parameters: their tags, and whether they are the last
/// derivative's; and for each global its structure.
struct Structures {
    tags: [(String, bool); 3],
    of: Vec<Option<usize>>,
}

fn structures(own: &Job, first: &Derived, second: &Derived) -> Structures {
    let name = |program: &Program, r: RoutineId| program.routine(r).name.clone();
    let suffix = |made: &Derived| if made.is_adjoint { "_b" } else { "_t" };
    let base = format!(
        "{}_globals{}",
        name(&own.program, own.routine),
        suffix(first)
    );
    let tags = [
        (base.clone(), false),
        (format!("{base}{}", suffix(second)), true),
        (
            format!(
                "{}_globals{}",
                name(&first.program, first.routine),
                suffix(second)
            ),
            true,
        ),
    ];
    let mut of = vec![None; second.program.globals.len()];
    for (_, g) in &first.globals {
        of[g.index()] = Some(0);
    }
    for (base, g) in &second.globals {
        let is_first = first.globals.iter().any(|(_, g)| g == base);
        of[g.index()] = Some(if is_first { 1 } else { 2 });
    }
    Structures { tags, of }
}

/// The arguments that a caller passes, and what it compares; in several directions, of which all are the same, the last
/// derivatives have a value for each.
struct Texts {
    arguments: Vec<String>,
    set: String,
    compare: String,
}

const DIRECTIONS: usize = 2;

/// A value in several directions that are the same.
fn spread(value: &Value, several: bool) -> Value {
    match several {
        true => combined(&vec![value.clone(); DIRECTIONS]),
        false => value.clone(),
    }
}

struct Setting<'j> {
    job: &'j Job,
    items: &'j [Item],
    structures: &'j Structures,
    /// The routine that was differentiated last, which globals are named after.
    base: &'j str,
    text: &'j str,
}

/// The kind of function.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Whole,
    Several,
    Forward,
    Reverse,
}

impl Setting<'_> {
    fn call(&self, caller: &mut Caller, kind: Kind) -> Texts {
        let job = self.job;
        let routine = job.program.routine(job.routine);
        let position = |v: VarId| routine.parameter_ids().position(|p| p == v);
        let mut made = Texts {
            arguments: Vec::new(),
            set: String::new(),
            compare: String::new(),
        };
        let several = kind == Kind::Several;
        for (n, item) in self.items.iter().enumerate() {
            if kind == Kind::Forward && item.is_last {
                continue;
            }
            if let Some(extent) = item.extent {
                made.arguments.push(extent.to_string());
                continue;
            }
            let several = several && item.is_last;
            let k = item.variable.and_then(position);
            let value = k.and_then(|k| match &job.arguments[k] {
                Argument::Value(value) => Some((k, value)),
                _ => None,
            });
            let by_value = item.by_value && !several;
            let Some((k, value)) = value else {
                made.arguments
                    .push(if by_value { "0" } else { "NULL" }.to_owned());
                continue;
            };
            let name = caller.array(&format!("v{n}"), &spread(value, several));
            let star = if by_value { "*" } else { "" };
            made.arguments.push(format!("{star}{name}"));
            let variable = routine.variable(item.variable.expect("it was given"));
            let writes = variable.intent().is_some_and(Intent::writes) && !item.by_value;
            // A reverse sweep leaves unspecified values in all but its own derivatives.
            if writes
                && (kind != Kind::Reverse || item.is_last)
                && kind != Kind::Forward
                && let Argument::Value(after) = &job.expected.arguments[k]
            {
                made.compare += &caller.compared(&variable.name, &name, &spread(after, several));
            }
        }
        for (k, (tag, is_last)) in self.structures.tags.iter().enumerate() {
            if !self.text.contains(&format!("struct {tag} {{")) || kind == Kind::Forward && *is_last
            {
                continue;
            }
            let tag = match several && *is_last {
                true => format!("{tag}_v"),
                false => tag.clone(),
            };
            writeln!(caller.declared, "    static struct {tag} s{k};").unwrap();
            if kind != Kind::Reverse || *is_last {
                made.set += &format!("    memset(&s{k}, 0, sizeof s{k});\n");
            }
            made.arguments.push(format!("&s{k}"));
        }
        self.globals(caller, kind, &mut made);
        made
    }

    /// Globals get their values, and are compared.
    fn globals(&self, caller: &mut Caller, kind: Kind, made: &mut Texts) {
        let program = &self.job.program;
        let owners = cfg_cc::storage_owners(program);
        for (i, g) in owners.into_iter().enumerate() {
            let variable = &program.global(g).variable;
            let class = self.structures.of[g.index()];
            let is_last = class.is_some_and(|k| self.structures.tags[k].1);
            if kind == Kind::Forward && is_last {
                continue;
            }
            let several = kind == Kind::Several && is_last;
            let before = spread(&self.job.globals[i], several);
            let after = spread(&self.job.expected.globals[i], several);
            let array = caller.array(&format!("g{i}"), &before);
            let place = match class {
                Some(k) if several => {
                    writeln!(made.set, "    s{k}.{} = {array};", variable.name).unwrap();
                    array.clone()
                }
                Some(k) => format!("&s{k}.{}", variable.name),
                None => format!("&{}_globals()->{}", self.base, variable.name),
            };
            // The reverse sweep begins with what the forward sweep has left.
            if !several && (kind != Kind::Reverse || is_last) {
                let count = before.len();
                writeln!(
                    made.set,
                    "    memcpy({place}, {array}, {count} * sizeof *{array});"
                )
                .unwrap();
            }
            if is_last || matches!(kind, Kind::Whole | Kind::Several) {
                made.compare += &caller.compared(&variable.name, &place, &after);
            }
        }
    }
}

/// A function that calls some functions, one after the other on one tape, and compares.
fn part(setting: &Setting<'_>, title: &str, name: &str, calls: &[(Kind, &str)]) -> String {
    let (mut declared, mut loaded, mut body) = (String::new(), String::new(), String::new());
    let add = |to: &mut String, lines: &str, body: &mut String| {
        for line in lines.lines() {
            if !to.lines().any(|l| l == line) {
                writeln!(to, "{line}").unwrap();
                writeln!(body, "{line}").unwrap();
            }
        }
    };
    for (kind, function) in calls {
        let mut caller = Caller {
            tag: format!("{function}_"),
            ..Caller::default()
        };
        let made = setting.call(&mut caller, *kind);
        add(&mut declared, &caller.declared, &mut String::new());
        // The reverse sweep gets the values as the forward sweep has left them: nothing is loaded again.
        add(&mut loaded, &caller.load, &mut body);
        let count = match kind {
            Kind::Several => format!("{DIRECTIONS}, "),
            _ => String::new(),
        };
        let function = format!("{}_{function}", setting.base);
        writeln!(
            body,
            "{}    done(\"{function}\", {function}({count}{}, &tape), &tape);\n{}",
            made.set,
            made.arguments.join(", "),
            made.compare
        )
        .unwrap();
    }
    format!(
        "static void {name}(void)\n{{\n    struct cfgrev_tape tape = {{0}};\n{declared}    title = \"{title}\";\n{body}    \
         if (cfgrev_tape_bytes(&tape)) {{\n        printf(\"%s: something is left\\n\", title);\n        ++failures;\n    }}\n    \
         cfgrev_tape_free(&tape);\n}}\n\n"
    )
}

/// The file of a second derivative, in several directions, too, if there are any.
fn file(second: &Derived) -> (String, bool) {
    let globals: Vec<GlobalId> = second.globals.iter().map(|(_, g)| *g).collect();
    let wanted: Vec<RoutineId> = match second.routines {
        Some(of) => vec![of.reverse, of.gradient],
        None => vec![second.routine],
    };
    let program = second.program.program().clone();
    let heads: Vec<RoutineId> = match second.routines {
        Some(of) => vec![of.forward, of.reverse, of.gradient],
        None => wanted.clone(),
    };
    let program = match second.first {
        Some(first) => cfg_reverse::without_unused_parameters(program, first, &heads, &[]),
        None => program,
    };
    let given = cfg_reverse::Directions::Given;
    let made = cfg_reverse::directions(program.clone(), &wanted, &globals, given);
    let (program, several) = match made {
        Ok((program, made)) => (validate(program).unwrap(), made),
        Err(_) => (validate(program).unwrap(), Vec::new()),
    };
    let several: Vec<c::Several> = several.iter().map(crate::support::several).collect();
    let options = c::Options {
        // All files are included in one.
        prefix: true,
        ..c::Options::default()
    };
    let text = match second.routines {
        Some(routines) => {
            let several: Option<&[c::Several; 2]> = several.as_slice().try_into().ok();
            c::adjoint_in_directions(&flat(&program), routines, several, options)
        }
        None => {
            let (of, t) = (second.original, second.routine);
            c::tangent_in_directions(&flat(&program), of, t, several.first(), options)
        }
    };
    (text.unwrap_or_else(|e| panic!("{e}")), !several.is_empty())
}

/// The ways in which a derivative is differentiated, and what is counted.
const ORDERS: [(bool, bool, &str); 3] = [
    (true, false, "tangent of the gradient"),
    (false, true, "gradient of the tangent"),
    (false, false, "tangent of the tangent"),
];

/// The callers of the second derivatives of a program: the text, and the names of functions to call.
fn callers(
    own: &Job,
    options: &Options,
    title: &str,
    seed: u64,
    drawn: &mut BTreeSet<String>,
) -> (String, Vec<String>) {
    let (mut text, mut names) = (String::new(), Vec::new());
    for (is_adjoint, then_adjoint, what) in ORDERS {
        let mut rng = Rng::new(seed);
        let Some(first) = derived(&own.program, own.routine, is_adjoint, options) else {
            continue;
        };
        let Some(second) = derived(&first.program, first.routine, then_adjoint, options) else {
            continue;
        };
        if first.globals.is_empty() {
            continue;
        }
        let at = |of: &Job, made: &Derived, rng: &mut Rng| {
            let (arguments, globals) = of.arguments_of(&made.program, made.routine, rng);
            let program = made.program.clone();
            crate::support::job(String::new(), program, made.routine, arguments, globals)
        };
        let Some(job) = at(own, &first, &mut rng).and_then(|job| at(&job, &second, &mut rng))
        else {
            continue;
        };
        let statements = second.program.routines.iter().flat_map(|r| r.statements());
        if statements.count() > 1500 {
            continue;
        }
        let items = next_items(next_items(own_items(own), &first), &second);
        let (file, in_directions) = file(&second);
        let setting = Setting {
            job: &job,
            items: &items,
            structures: &structures(own, &first, &second),
            base: &first.program.routine(first.routine).name,
            text: &file,
        };
        let title = format!("{title}, {what}");
        let mut add = |kind: &str, calls: &[(Kind, &str)]| {
            let name = format!("{}_{kind}_{}", setting.base, u8::from(then_adjoint));
            text += &part(&setting, &format!("{title} {kind}"), &name, calls);
            names.push(name);
            drawn.insert(format!("{what} {kind}"));
        };
        let whole = if then_adjoint { "grad" } else { "t" };
        add("whole", &[(Kind::Whole, whole)]);
        if then_adjoint {
            add("sweeps", &[(Kind::Forward, "fwd"), (Kind::Reverse, "rev")]);
        }
        if in_directions {
            add("several", &[(Kind::Several, &format!("{whole}_v"))]);
        }
        if setting
            .structures
            .tags
            .iter()
            .all(|(tag, _)| file.contains(&format!("struct {tag} {{")))
        {
            drawn.insert(format!("{what} all structures"));
        }
        text = format!("{file}\n{text}");
    }
    (text, names)
}

#[test]
fn callers_of_second_derivatives() {
    let Some(cc) = needs::tool("cc") else { return };
    let quick = needs::first_of(&["clang"]).unwrap_or_else(|| cc.clone());
    let folder = tempfile::tempdir().unwrap();
    let mut drawn = BTreeSet::new();
    let mut called = 0;
    for (wanted, seeds) in [("small", 0..12), ("dense", 0..9), ("wide smooth", 0..8)] {
        let (_, family) = ALL
            .iter()
            .find(|(name, _)| *name == wanted)
            .expect("a family");
        let (mut text, mut calls) = (String::new(), String::new());
        for seed in seeds {
            let mut case = family(seed);
            case.program.routines[case.main.index()].name = format!("p{seed}");
            if case.program.globals.is_empty() {
                continue;
            }
            let title = format!("{wanted} {seed}");
            let options = families::options(seed);
            let made = jobs(&title, &case, &options, seed);
            let Some(own) = made.first().filter(|own| suits(&own.program, own)) else {
                continue;
            };
            let (one, names) = callers(own, &options, &title, seed, &mut drawn);
            text += &one;
            called += names.len();
            for name in names {
                writeln!(calls, "    {name}();").unwrap();
            }
        }
        assert!(!calls.is_empty(), "{wanted}: no globals");
        let compiler = if wanted == "small" { &cc } else { &quick };
        run_callers(compiler, folder.path(), wanted, &text, &calls);
    }
    for (_, _, what) in ORDERS {
        for kind in ["whole", "several", "all structures"] {
            assert!(
                drawn.contains(&format!("{what} {kind}")),
                "{what} {kind}: {drawn:?}"
            );
        }
    }
    assert!(
        drawn.contains("gradient of the tangent sweeps") && called > 20,
        "{called} {drawn:?}"
    );
}
