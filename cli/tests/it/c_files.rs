//! C files: values are those of the compiled file, and gradients agree with the tangent, with divided differences,
//! and with the emitted C.
//!
//! A file says what is run in comments: `//@ function {"n": 2, "x": [1, 2]} --option value`, the arguments in the order of
//! the parameters, then options of `cfgrev check`. Every file has such a line. `C_FILES=name` runs those of one file only, `C_SANITIZE=1`
//! emitted C with sanitizers, which takes minutes.

use crate::run_tool::command;
use cfg_testkit::needs;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

/// One run of a function of a file.
#[derive(Clone, Debug)]
struct Case {
    path: PathBuf,
    function: String,
    /// The point as it is written.
    text: String,
    /// Options of `check` and `gradient`.
    options: Vec<String>,
}

/// Enough cells for each file; the default has more, and takes more time.
const HEAP: &[&str] = &["--heap", "3000"];

impl Case {
    fn path(&self) -> &str {
        self.path.to_str().expect("text")
    }

    /// The members of the point in the order of the text, which is that of the function's parameters.
    fn point(&self) -> Vec<(String, Value)> {
        let point: Value = serde_json::from_str(&self.text).expect("JSON");
        let members = point.as_object().expect("an object");
        let mut members: Vec<_> = (members.iter())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        members.sort_by_key(|(name, _)| self.text.find(&format!("\"{name}\":")));
        members
    }
}

/// All cases, by file.
fn files() -> BTreeMap<PathBuf, Vec<Case>> {
    let only = std::env::var("C_FILES").ok();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cfg-c/tests/files");
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let stem = path.file_stem().and_then(|s| s.to_str()).expect("text");
        let chosen = only.as_ref().is_none_or(|only| stem.contains(only));
        if path.extension().is_none_or(|e| e != "c") || !chosen {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let lines = text.lines().filter_map(|line| line.strip_prefix("//@ "));
        let cases: Vec<Case> = lines
            .map(|line| {
                let (function, rest) = line.split_once(' ').expect("a function and a point");
                let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
                let value = values.next().expect("a point");
                assert!(value.is_ok(), "{}: {line}: {value:?}", path.display());
                let (text, options) = rest.split_at(values.byte_offset());
                Case {
                    path: path.clone(),
                    function: function.to_owned(),
                    text: text.to_owned(),
                    options: options.split_whitespace().map(str::to_owned).collect(),
                }
            })
            .collect();
        assert!(!cases.is_empty(), "{} is never run", path.display());
        files.insert(path, cases);
    }
    files
}

/// Calls `check`, which returns the failures, for each item, on several threads.
fn each<T: Sync>(items: &[T], check: impl Fn(&T) -> String + Sync) {
    let next = Mutex::new(0);
    let wrong = Mutex::new(String::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let k = {
                        let mut next = next.lock().expect("no thread panics");
                        *next += 1;
                        *next - 1
                    };
                    let Some(item) = items.get(k) else { return };
                    let found = check(item);
                    wrong.lock().expect("no thread panics").push_str(&found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(wrong.is_empty(), "{wrong}");
}

/// The numbers of a value, in order.
fn numbers(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| numbers(v, out)),
        Value::Object(members) => members.values().for_each(|v| numbers(v, out)),
        Value::Number(n) => out.push(n.as_f64().expect("a number")),
        Value::String(s) => out.push(s.parse().expect("a number that JSON does not have")),
        Value::Bool(b) => out.push(f64::from(*b)),
        // A null pointer. A number that is missing makes the lists differ in length.
        Value::Null => {}
    }
}

/// The JSON that a command prints, or its messages.
fn cfgrev(args: &[&str]) -> Result<Value, String> {
    let out = command(args).output().expect("it runs");
    if !out.status.success() {
        let errors = String::from_utf8_lossy(&out.stderr);
        return Err(format!("{args:?}: {errors}\n"));
    }
    Ok(serde_json::from_slice(&out.stdout).expect("JSON"))
}

/// The types of a function's parameters by name, without pointers and qualifiers.
fn types(text: &str, function: &str) -> BTreeMap<String, String> {
    let head = text
        .match_indices(&format!("{function}("))
        .filter(|(k, _)| !text[..*k].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .map(|(k, _)| &text[k + function.len() + 1..])
        .find(|rest| {
            let end = rest.find(['{', ';']);
            end.is_some_and(|end| rest[end..].starts_with('{'))
        });
    let head = head.expect("the function is defined");
    let end = head.find('{').expect("a body");
    let end = head[..end].rfind(')').expect("parameters");
    let mut types = BTreeMap::new();
    for parameter in head[..end].split(',') {
        let declared = parameter.split('[').next().expect("a declaration");
        let words: Vec<&str> = declared
            .split(|c: char| c.is_whitespace() || matches!(c, '*' | '(' | ')'))
            .filter(|w| !matches!(*w, "" | "const" | "restrict"))
            .collect();
        if let Some((name, ty)) = words.split_last() {
            types.insert((*name).to_owned(), ty.join(" "));
        }
    }
    types
}

/// A value as an initialiser of C.
fn initialiser(value: &Value) -> String {
    match value {
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let items: Vec<String> = items.iter().map(initialiser).collect();
            format!("{{{}}}", items.join(", "))
        }
        Value::Array(_) => {
            let mut all = Vec::new();
            numbers(value, &mut all);
            let all: Vec<String> = all.iter().map(|v| format!("{v:?}")).collect();
            format!("{{{}}}", all.join(", "))
        }
        Value::Object(members) => {
            let members = members.iter();
            let members: Vec<String> = members
                .map(|(name, value)| format!(".{name} = {}", initialiser(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// Prints the numbers of a variable that has the form of a value.
fn print(place: &str, value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                print(&format!("{place}.{name}"), value, out);
            }
        }
        Value::Array(items) => {
            for (k, item) in items.iter().enumerate() {
                print(&format!("{place}[{k}]"), item, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            writeln!(out, "  printf(\"%.17g\\n\", (double){place});").expect("a string");
        }
    }
}

/// True if a parameter leads to pointers: by two stars, or by a member of its structure that is a pointer.
fn leads_on(source: &str, function: &str, name: &str, value: &Value) -> bool {
    let declared = source.split(&format!("{function}(")).nth(1);
    let declared = declared
        .and_then(|rest| rest.split('{').next())
        .unwrap_or("");
    let own = declared.split(',').find(|one| {
        let end = one.trim_end().trim_end_matches(')').trim_end();
        end.ends_with(name) && end[..end.len() - name.len()].ends_with(['*', ' '])
    });
    own.is_some_and(|one| one.matches('*').count() > 1) || has_pointer(source, value)
}

/// True if a member of a structure in a value is a pointer.
fn has_pointer(source: &str, value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has_pointer(source, item)),
        Value::Object(members) => (members.iter())
            .any(|(name, value)| is_pointer(source, name) || has_pointer(source, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// True if a structure of the file declares the member as a pointer.
fn is_pointer(source: &str, member: &str) -> bool {
    let mut structures = source.match_indices("struct ").filter_map(|(at, word)| {
        let (name, body) = source[at + word.len()..].split_once('{')?;
        let mut name = name.trim_end().chars();
        let is_name = name.all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| body.split('}').next()).flatten()
    });
    structures.any(|body| {
        let mut ends = [";", ","].iter();
        ends.any(|end| body.contains(&format!("*{member}{end}")))
    })
}

/// Declarations of what pointers lead to, each object a variable of its own, and what prints them.
struct Objects<'s> {
    source: &'s str,
    declared: String,
    printed: String,
}

impl Objects<'_> {
    /// Declares an object with elements of a type, and prints as much of it as `shown` has; the pointer to it.
    fn object(&mut self, name: &str, ty: &str, value: &Value, shown: Option<&Value>) -> String {
        let items = match value {
            Value::Null => return "0".to_owned(),
            Value::Array(items) if items.is_empty() => return "0".to_owned(),
            Value::Array(items) => items.clone(),
            one => vec![one.clone()],
        };
        let mut inits = Vec::new();
        for (k, item) in items.iter().enumerate() {
            let shown = shown.and_then(|shown| shown.get(k));
            inits.push(self.element(&format!("{name}[{k}]"), ty, item, shown));
        }
        let inits = inits.join(", ");
        writeln!(self.declared, "  __typeof__({ty}) {name}[] = {{{inits}}};").expect("a string");
        format!("(void *){name}")
    }

    fn element(&mut self, place: &str, ty: &str, value: &Value, shown: Option<&Value>) -> String {
        let below = place.replace(['[', '.'], "_").replace(']', "");
        match value {
            // An element is a pointer itself.
            Value::Array(_) | Value::Null => {
                self.object(&below, &format!("*(__typeof__({ty}))0"), value, shown)
            }
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| {
                    let shown = shown.and_then(|shown| shown.get(name));
                    let init = if is_pointer(self.source, name) {
                        let ty = format!("*((__typeof__({ty}) *)0)->{name}");
                        self.object(&format!("{below}_{name}"), &ty, value, shown)
                    } else if value.is_object() {
                        let ty = format!("((__typeof__({ty}) *)0)->{name}");
                        self.element(&format!("{place}.{name}"), &ty, value, shown)
                    } else {
                        if let Some(shown) = shown {
                            print(&format!("{place}.{name}"), shown, &mut self.printed);
                        }
                        initialiser(value)
                    };
                    format!(".{name} = {init}")
                });
                let members: Vec<String> = members.collect();
                format!("{{{}}}", members.join(", "))
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                if let Some(shown) = shown {
                    print(place, shown, &mut self.printed);
                }
                initialiser(value)
            }
        }
    }
}

/// A function of C that prints the result of the original, then all arrays.
fn driver(case: &Case, source: &str, run: &Value, number: usize) -> String {
    let types = types(source, &case.function);
    let mut body = format!("static void case_{number}(void) {{\n");
    let mut arguments = Vec::new();
    let mut printed = String::new();
    for (name, value) in case.point() {
        let ty = &types[&name];
        if leads_on(source, &case.function, &name, &value) {
            let mut objects = Objects {
                source,
                declared: String::new(),
                printed: String::new(),
            };
            let shown = run["value"].get(&name).unwrap_or(&value);
            let place = format!("{name}_");
            if value.is_object() {
                let init = objects.element(&place, ty, &value, None);
                writeln!(objects.declared, "  {ty} {place} = {init};").expect("a string");
                arguments.push(place);
            } else {
                let stars = if value.get(0).is_some_and(Value::is_object) {
                    String::new()
                } else {
                    let mut depth = 0;
                    let mut at = &value;
                    while let Some(inner) =
                        at.as_array().and_then(|a| a.iter().find(|v| v.is_array()))
                    {
                        depth += 1;
                        at = inner;
                    }
                    "*".repeat(depth)
                };
                let pointer = objects.object(&place, &format!("{ty} {stars}"), &value, Some(shown));
                arguments.push(pointer);
            }
            body += &objects.declared;
            printed += &objects.printed;
            continue;
        }
        match &value {
            Value::Array(items) => {
                let init = initialiser(&value);
                writeln!(body, "  static {ty} {name}_[] = {init};").expect("a string");
                arguments.push(format!("(void *){name}_"));
                if items.iter().any(Value::is_object) {
                    print(&format!("{name}_"), &value, &mut printed);
                } else {
                    writeln!(printed, "  for (unsigned k = 0; k < sizeof {name}_ / sizeof *{name}_; k++) printf(\"%.17g\\n\", (double){name}_[k]);").expect("a string");
                }
            }
            Value::Object(_) => {
                let init = initialiser(&value);
                writeln!(body, "  {ty} {name}_ = {init};").expect("a string");
                arguments.push(format!("{name}_"));
            }
            Value::Null => arguments.push("0".to_owned()),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                arguments.push(value.to_string());
            }
        }
    }
    let call = format!("{}({})", case.function, arguments.join(", "));
    match run["value"].get("return") {
        Some(value) => {
            writeln!(body, "  __typeof__({call}) result_ = {call};").expect("a string");
            print("result_", value, &mut body);
        }
        None => writeln!(body, "  {call};").expect("a string"),
    }
    format!("{body}{printed}  printf(\"end\\n\");\n}}\n")
}

/// The numbers that each case of a file has where the compiler of C has compiled it.
fn originals(cc: &Path, path: &Path, cases: &[(&Case, &Value)]) -> Result<Vec<Vec<f64>>, String> {
    let place = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(path).expect("the file is there");
    let mut program = format!("#include <stdio.h>\n#include \"{}\"\n", path.display());
    for (k, (case, run)) in cases.iter().enumerate() {
        program += &driver(case, &text, run, k);
    }
    program += "int main(void) {\n";
    for k in 0..cases.len() {
        writeln!(program, "  case_{k}();").expect("a string");
    }
    program += "  return 0;\n}\n";
    let source = place.path().join("driver.c");
    std::fs::write(&source, program).expect("it can be written");
    let binary = place.path().join("driver");
    let mut compile = Command::new(cc);
    let flags = "-std=c99 -D_DEFAULT_SOURCE -O0 -fno-builtin -ffp-contract=off -o";
    compile.args(flags.split(' '));
    let out = (compile.arg(&binary).arg(&source).arg("-lm"))
        .output()
        .expect("it runs");
    if !out.status.success() {
        let errors = String::from_utf8_lossy(&out.stderr);
        return Err(format!("{}: {errors}\n", path.display()));
    }
    let out = Command::new(&binary).output().expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text");
    let mut all = vec![Vec::new()];
    for line in text.lines() {
        match (line, all.last_mut()) {
            ("end", _) => all.push(Vec::new()),
            (line, Some(last)) => last.push(line.parse().expect("a number")),
            (_, None) => unreachable!("there is always a last one"),
        }
    }
    Ok(all)
}

/// The result, and the arrays that the point names.
fn ours(case: &Case, source: &str, run: &Value) -> Vec<f64> {
    let mut values = Vec::new();
    // Numbers of single precision are printed as short as these are.
    let mut add = |value: &Value, float: bool| {
        let from = values.len();
        numbers(value, &mut values);
        if float {
            for v in &mut values[from..] {
                *v = f64::from(*v as f32);
            }
        }
    };
    if let Some(result) = run["value"].get("return") {
        add(
            result,
            source.contains(&format!("float {}(", case.function)),
        );
    }
    let types = types(source, &case.function);
    for (name, given) in case.point() {
        if given.is_array() {
            // A parameter that is only read keeps its value.
            let value = run["value"].get(&name).unwrap_or(&given);
            add(value, types[&name] == "float");
        }
    }
    values
}

#[test]
fn values_are_those_of_the_compiler() {
    let Some(cc) = needs::tool("cc") else { return };
    let files: Vec<_> = files().into_iter().collect();
    each(&files, |(path, cases)| {
        let source = std::fs::read_to_string(path).expect("the file is there");
        let mut wrong = String::new();
        let mut runs = Vec::new();
        for case in cases {
            let args = ["run", case.path(), "--routine", &case.function];
            match cfgrev(&[&args[..], HEAP, &["--at", &case.text]].concat()) {
                Ok(run) => runs.push((case, run)),
                Err(errors) => wrong += &errors,
            }
        }
        let with: Vec<_> = runs.iter().map(|(case, run)| (*case, run)).collect();
        let theirs = match originals(&cc, path, &with) {
            Ok(theirs) => theirs,
            Err(errors) => return wrong + &errors,
        };
        for ((case, run), theirs) in runs.iter().zip(&theirs) {
            let ours = ours(case, &source, run);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            if bits(&ours) != bits(theirs) {
                let (function, text) = (&case.function, &case.text);
                writeln!(wrong, "{function} {text}: {ours:?}, in C {theirs:?}").expect("a string");
            }
        }
        wrong
    });
}

/// Seeds of 1, 2, ... for all elements of the dependents.
fn seed(tangent: &Value) -> String {
    let mut count = 0.0;
    fn fill(value: &Value, count: &mut f64) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|v| fill(v, count)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                let filled = members.map(|(name, value)| (name.clone(), fill(value, count)));
                Value::Object(filled.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                *count += 1.0;
                Value::from(*count)
            }
        }
    }
    fill(tangent, &mut count).to_string()
}

/// Checks the gradients of a case; the error describes the difference.
fn wrong_gradient(case: &Case, compiled: bool) -> Result<(), String> {
    let options: Vec<&str> = case.options.iter().map(String::as_str).collect();
    let with = |first: &str, more: &[&str]| {
        let head = [first, case.path(), "--routine", &case.function];
        let all = [&head[..], HEAP, &["--at", &case.text], more].concat();
        all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()
    };
    let strings = |all: &[String]| cfgrev(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let mut check = options.clone();
    check.push("--quiet");
    if !options.contains(&"--fd-tolerance") {
        check.extend(["--fd-tolerance", "1e-5"]);
    }
    let args = with("check", &check);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let out = command(&args).output().expect("it runs");
    if out.status.code() != Some(0) {
        let shown = String::from_utf8_lossy(&out.stdout);
        let errors = String::from_utf8_lossy(&out.stderr);
        return Err(format!(
            "{} {}: {shown}{errors}\n",
            case.function, case.text
        ));
    }
    if !compiled {
        return Ok(());
    }
    let chosen: Vec<&str> = (options.windows(2))
        .filter(|pair| pair[0] == "--independent" || pair[0] == "--dependent")
        .flatten()
        .copied()
        .collect();
    let mut direction = chosen.clone();
    direction.extend(["--direction", "{}"]);
    let tangent = strings(&with("tangent", &direction))?;
    let seed = seed(&tangent["tangent"]);
    let mut gradient = chosen;
    gradient.extend(["--seed", &seed]);
    let interpreted = strings(&with("gradient", &gradient))?;
    gradient.extend(["--engine", "cc", "--cc-flags", flags()]);
    let compiled = strings(&with("gradient", &gradient))?;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    numbers(&interpreted["gradient"], &mut a);
    numbers(&compiled["gradient"], &mut b);
    let close =
        |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + a.abs()) || a.is_nan() && b.is_nan();
    if a.len() != b.len() || !a.iter().zip(&b).all(close) {
        return Err(format!("{}: {a:?}, compiled {b:?}\n", case.function));
    }
    Ok(())
}

/// Compiling fast matters more than running fast.
fn flags() -> &'static str {
    if std::env::var_os("C_SANITIZE").is_some() {
        "-O0 -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all"
    } else {
        "-O0 -ffp-contract=off"
    }
}

#[test]
fn gradients_agree_with_tangents_differences_and_emitted_c() {
    let compiled = needs::tool("cc").is_some();
    let cases: Vec<Case> = files().into_values().flatten().collect();
    each(&cases, |case| {
        wrong_gradient(case, compiled).err().unwrap_or_default()
    });
}

/// Parts that run again from checkpoints have the gradient of recorded parts, and another tape.
#[test]
fn checkpoints_change_no_gradient() {
    let place = tempfile::tempdir().expect("a folder");
    let cases = files().into_values().flatten();
    let cases: Vec<Case> = cases
        .filter(|c| c.path.ends_with("checkpoints.c"))
        .collect();
    each(&cases, |case| {
        let text = std::fs::read_to_string(&case.path).expect("it can be read");
        let recorded = place.path().join(format!("{}.c", case.function));
        let is_mark = |line: &&str| line.contains("#pragma cfgrev") || line.contains("$AD");
        let lines: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
        std::fs::write(&recorded, lines.join("\n")).expect("it can be written");
        let gradient = |path: &str| {
            let args = ["gradient", path, "--routine", &case.function];
            cfgrev(&[&args[..], HEAP, &["--at", &case.text]].concat())
        };
        let recorded = recorded.to_str().expect("text");
        let (kept, recorded) = match (gradient(case.path()), gradient(recorded)) {
            (Ok(kept), Ok(recorded)) => (kept, recorded),
            (Err(errors), _) | (_, Err(errors)) => return errors,
        };
        let [a, b] = [&kept, &recorded].map(|run| {
            let mut all = Vec::new();
            numbers(&run["value"], &mut all);
            numbers(&run["gradient"], &mut all);
            all
        });
        let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + a.abs());
        let is_same = a.len() == b.len() && a.iter().zip(&b).all(is_close);
        match is_same && kept["tape"] != recorded["tape"] {
            true => String::new(),
            false => format!("{}: {kept} {recorded}\n", case.function),
        }
    });
    assert!(cases.len() > 5 || std::env::var_os("C_FILES").is_some());
}

/// The system's preprocessor, with a folder of its own; what its headers declare is known.
#[test]
fn another_preprocessor() {
    if needs::tool("cc").is_none() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    std::fs::create_dir(folder.join("include")).expect("it can be made");
    let header = "#define SCALE(x) (2.5 * (x))\n";
    std::fs::write(folder.join("include/scale.h"), header).expect("it can be written");
    let text = "#include <math.h>\n#include <stdlib.h>\n#include <assert.h>\n#include <scale.h>\n\
        double f(int n, const double *x)\n{\n  double *w = malloc(n * sizeof *w), s = 0;\n\
        \x20 if (w == NULL) exit(1);\n  assert(w);\n  if (isgreater(x[0], 1e9) || isless(x[0], 0.0) || !isnormal(x[0])) abort();\n  w[0] = SCALE(x[0]);\n  s = isnan(w[0]) ? NAN : sqrt(w[0]);\n\
        \x20 free(w);\n  return s;\n}\n";
    let path = folder.join("f.c");
    std::fs::write(&path, text).expect("it can be written");
    let path = path.to_str().expect("text");
    let at = [
        "gradient",
        path,
        "--at",
        r#"{"n":1,"x":[10.0]}"#,
        "--preprocess",
    ];
    let with = |words: &str| cfgrev(&[&at[..], &[words]].concat());
    let include = folder.join("include");
    let done = with(&format!("cc -std=c99 -E -I{}", include.display())).expect("it runs");
    assert_eq!(done["gradient"]["x"][0], 0.25);
    // Without C99 assertions are statements in expressions, and comparisons are functions of the compiler.
    let done = with(&format!("cc -E -I{}", include.display())).expect("it runs");
    assert_eq!(done["gradient"]["x"][0], 0.25);
    let failed = with("cc -std=c99 -E").expect_err("scale.h is not found");
    assert!(
        failed.contains("P410") && failed.contains("scale.h"),
        "{failed}"
    );
    let missing = with("no-such-preprocessor").expect_err("there is none");
    assert!(missing.contains("P410"), "{missing}");
}
