//! `--engine cc` and `bench`: programs compiled by the system's compiler; machine code where the system refuses it.
#![cfg(unix)]

use crate::run_tool::{Ran, cfgrev, command};
use cfg_testkit::needs;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Folders for the cache and for temporary files, and a compiler.
struct Place {
    folder: TempDir,
    compiler: PathBuf,
}

impl Place {
    fn new() -> Option<Self> {
        let compiler = needs::tool("cc")?;
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["cache", "temporary"] {
            std::fs::create_dir(folder.path().join(name)).expect("it can be made");
        }
        Some(Self { folder, compiler })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A compiler that notes how often it compiles.
    fn counting(mut self) -> Self {
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *--version*) ;; *) echo >> '{}' ;; esac\nexec '{}' \"$@\"\n",
            self.path("count").display(),
            self.compiler.display()
        );
        self.compiler = self.script(&script);
        self
    }

    fn script(&self, text: &str) -> PathBuf {
        let path = self.path("compiler");
        std::fs::write(&path, text).expect("it can be written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("it is ours");
        path
    }

    fn compiled(&self) -> usize {
        std::fs::read_to_string(self.path("count")).map_or(0, |text| text.lines().count())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(args);
        command
            .env("CC", &self.compiler)
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("TMPDIR", self.path("temporary"));
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(args).output().expect("the binary starts");
        Ran {
            code: status.code(),
            out: String::from_utf8(stdout).expect("output is UTF-8"),
            err: String::from_utf8(stderr).expect("messages are UTF-8"),
        }
    }

    /// A program in the text form, as a file.
    fn program(&self, text: &str) -> String {
        let path = self.path("program.cfgrev");
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a plain name").to_owned()
    }

    fn entries(&self, name: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path(name)).into_iter().flatten();
        entries
            .map(|entry| entry.expect("it can be read").path())
            .collect()
    }
}

fn json(ran: &Ran) -> Value {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// A record may have the name of a structure of the system's headers: compiled programs have variables for its fields.
#[test]
fn records_are_no_structures_of_compiled_programs() {
    let Some(place) = Place::new() else { return };
    let program = place.program(
        "record tm
  real a
end

subroutine f(in real x, out real y)
  local record tm t
  independent x
  dependent y
  t.a := x*x
  y := 3.0*t.a
end
",
    );
    let args = ["gradient", &program, "--at", "x=2", "--engine", "cc"];
    let found = json(&place.run(&args));
    assert_eq!(found["gradient"]["x"], 12.0, "{found}");
}

/// A loop that ends at no x above 0.
const ENDLESS: &str = "
subroutine f(in real x, out real y)
  independent x
  dependent y
  y := x
  while y > 0.0
    y := y*1.5 + 1.0
    y := y/1.5
  end
end
";

#[test]
fn results_are_those_of_the_executor() {
    let Some(place) = Place::new() else { return };
    for name in ["burgers", "cholesky", "lennard_jones"] {
        let (file, point) = (format!("{name}.json"), format!("{name}.point.json"));
        for command in ["run", "gradient", "jacobian", "check"] {
            let args = [command, &*file, "--at", &point];
            let mut own = json(&place.run(&args));
            let compiled = json(&place.run(&[&args[..], &["--engine", "cc"]].concat()));
            // Members that only the executor can fill.
            let left_out = match command {
                "gradient" => own.as_object_mut().map(|all| all.remove("tape")),
                "check" => own["stack"].as_object_mut().map(|stack| {
                    stack.remove("pushes");
                    stack.remove("pops")
                }),
                _ => Some(None),
            };
            assert!(left_out.is_some(), "{own}");
            assert_eq!(own, compiled, "{name} {command}");
        }
    }
    assert_eq!(place.entries("temporary"), Vec::<PathBuf>::new());
}

#[test]
fn a_program_that_hangs_or_dies_is_a_diagnostic() {
    let Some(place) = Place::new() else { return };
    let endless = place.program(ENDLESS);
    let begin = Instant::now();
    let ran = place.run(&[
        "run",
        &endless,
        "--at",
        "x=1",
        "--engine",
        "cc",
        "--cc-time",
        "0.2",
    ]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(
        ran.err.contains("B905") && ran.err.contains("0.2 seconds"),
        "{}",
        ran.err
    );
    assert!(begin.elapsed() < Duration::from_secs(50));
    let far =
        place.program("subroutine f(in integer n, in real x[2], out real y)\n  y := x[n]\nend\n");
    let at = "n=100000000000000,x=[1,2]";
    let ran = place.run(&["run", &far, "--at", at, "--engine", "cc"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(
        ran.err.contains("B903") && ran.err.contains("signal"),
        "{}",
        ran.err
    );
    assert_eq!(place.entries("temporary"), Vec::<PathBuf>::new());
}

/// A pointer that is always null leads to no number where the run comes to it: the process ends, or the results say so.
#[test]
fn null_gives_no_number() {
    let Some(place) = Place::new() else { return };
    let bodies = [
        "const double *p = 0; return x + p[0];",
        "struct d { const double *lo; int k; } d = {0, 2}; double s = x; for (int i = 0; i < 3; i++) s += x * d.lo[i * d.k]; return s;",
        "struct p { double a, b; } *p = 0; double s = x; for (int i = 0; i < n; i++) s += p[i].b; return s;",
        "const long *k = 0; return x + k[0];",
        "int (*m)[131072] = 0; return x + m[0][1];",
        "double (*m)[65536] = 0; return x + m[n][n];",
        "const float *p = 0, *q = x > 100 ? &w : p; return x + *q;",
    ];
    for (k, body) in bodies.into_iter().enumerate() {
        let file = place.path(&format!("null{k}.c"));
        let text = format!("static float w = 3;\ndouble f(double x, int n) {{ {body} }}\n");
        std::fs::write(&file, text).expect("it can be written");
        let file = file.display().to_string();
        for flags in ["-O0", "-O3"] {
            let flags = format!("--cc-flags={flags}");
            let args = ["run", &file, "--at", "x=3,n=2", "--engine", "cc", &flags];
            let ran = place.run(&args);
            let has_ended = ran.code == Some(1) && ran.err.contains("B903");
            let is_no_number = ran.code == Some(0) && json(&ran)["value"]["return"] == "NaN";
            assert!(has_ended || is_no_number, "{body}\n{}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn what_was_compiled_is_kept() {
    let Some(place) = Place::new() else { return };
    let place = place.counting();
    let args = [
        "run",
        "burgers.json",
        "--at",
        "burgers.point.json",
        "--engine",
        "cc",
    ];
    let first = json(&place.run(&args));
    assert_eq!(place.compiled(), 1);
    assert_eq!(json(&place.run(&args)), first);
    assert_eq!(place.compiled(), 1, "it was there");
    // Other flags are another entry.
    json(&place.run(&[&args[..], &["--cc-flags", "-O0"]].concat()));
    assert_eq!(place.compiled(), 2);
    json(&place.run(&[&args[..], &["--cc-no-cache"]].concat()));
    assert_eq!(place.compiled(), 3);
    // Entries that are damaged, or that others may write, are compiled anew.
    let kept = place.entries("cache/cfgrev/cc");
    assert_eq!(kept.len(), 4, "{kept:?}");
    for (k, path) in kept.iter().enumerate() {
        let mut bytes = std::fs::read(path).expect("it can be read");
        let half = bytes.len() / 2;
        match k % 2 {
            0 => bytes.truncate(half),
            _ => bytes[half] ^= 1,
        }
        std::fs::write(path, bytes).expect("it can be written");
    }
    assert_eq!(json(&place.run(&args)), first);
    assert_eq!(place.compiled(), 4);
    assert_eq!(json(&place.run(&args)), first);
    assert_eq!(place.compiled(), 4);
    // With a cache that cannot be written, commands work as without one.
    std::fs::remove_dir_all(place.path("cache")).expect("it is ours");
    std::fs::write(place.path("cache"), "").expect("it can be written");
    assert_eq!(json(&place.run(&args)), first);
    assert_eq!(place.compiled(), 5);
    assert_eq!(place.entries("temporary"), Vec::<PathBuf>::new());
}

#[test]
fn options_that_compiled_code_cannot_obey_are_refused() {
    let Some(place) = Place::new() else { return };
    let at = [
        "burgers.json",
        "--at",
        "burgers.point.json",
        "--engine",
        "cc",
    ];
    for more in [
        &["--trace"][..],
        &["--report-kinks"],
        &["--math", "portable"],
    ] {
        for command in ["run", "gradient"] {
            let ran = place.run(&[&[command][..], &at, more].concat());
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{more:?}");
            assert!(ran.err.contains("needs the executor"), "{}", ran.err);
        }
    }
}

#[test]
fn without_a_compiler() {
    let Some(mut place) = Place::new() else {
        return;
    };
    let at = ["burgers.json", "--at", "burgers.point.json"];
    for (compiler, code) in [("/nowhere/cc", "B901"), ("false", "B902")] {
        place.compiler = compiler.into();
        let ran = place.run(&[&["run"][..], &at, &["--engine", "cc"]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{compiler}");
        assert!(ran.err.contains(code), "{}", ran.err);
    }
    place.compiler = "/nowhere/cc".into();
    let few = ["--samples", "1", "--sample-time", "1", "--format", "json"];
    let ran = place.run(&[&["bench"][..], &at, &few].concat());
    assert!(ran.err.starts_with("warning[B901]"), "{}", ran.err);
    let value: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(
        value["engines"].as_array().map(Vec::len),
        Some(2),
        "{value}"
    );
    // Alone, compiled code has nothing to fall back on.
    let ran = place.run(&[&["bench"][..], &at, &few, &["--engine", "cc"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
    assert!(ran.err.contains("error[B901]"), "{}", ran.err);
    let ran = place.run(&[&["bench"][..], &at, &few, &["--engine", "executor"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn machine_code_prints_what_the_executor_prints() {
    let fixture = ["burgers.json", "--at", "burgers.point.json"];
    for command in ["run", "gradient"] {
        for limits in [&[][..], &["--fuel", "500"], &["--max-tape", "100"]] {
            let [expected, auto, jit] = ["executor", "auto", "jit"].map(|engine| {
                let args = [&[command], &fixture[..], limits, &["--engine", engine]].concat();
                let ran = cfgrev(&args);
                (ran.code, ran.out, ran.err)
            });
            assert_eq!(expected, auto, "{command}");
            assert_eq!(expected, jit, "{command}");
        }
    }
}

/// Sends a signal when something is there; how the command has ended.
fn interrupted(place: &Place, args: &[&str], ready: &dyn Fn() -> bool) -> Option<i32> {
    let mut child = place.command(args).spawn().expect("the binary starts");
    let begin = Instant::now();
    while !ready() {
        assert!(
            begin.elapsed() < Duration::from_secs(100),
            "it does not begin"
        );
        assert_eq!(child.try_wait().expect("it can be asked"), None);
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("kill starts").success());
    child.wait().expect("it ends").signal()
}

#[test]
fn signals_end_compiler_and_program_and_leave_nothing() {
    let Some(mut place) = Place::new() else {
        return;
    };
    let real = place.compiler.clone();
    let mark = place.path("begun");
    let script = format!(
        "#!/bin/sh\necho x > \"$TMPDIR/more\"\necho $$ > '{}.new'\nmv '{0}.new' '{0}'\nsleep 1000\n",
        mark.display()
    );
    place.compiler = place.script(&script);
    let endless = place.program(ENDLESS);
    let args = [
        "run",
        &endless,
        "--at",
        "x=1",
        "--engine",
        "cc",
        "--cc-no-cache",
    ];
    assert_eq!(interrupted(&place, &args, &|| mark.exists()), Some(15));
    assert_eq!(place.entries("temporary"), Vec::<PathBuf>::new());
    let id = std::fs::read_to_string(&mark).expect("it was written");
    assert!(!is_running(id.trim()), "the compiler runs on");
    if !cfg!(target_os = "linux") {
        return;
    }
    // Now the program: it runs from the cache, by which it is found.
    place.compiler = real;
    let kept = place.path("cache").canonicalize().expect("it is there");
    let running = || {
        let all = std::fs::read_dir("/proc").expect("Linux has it").flatten();
        let mut links = all.filter_map(|p| std::fs::read_link(p.path().join("exe")).ok());
        links.any(|exe| exe.starts_with(&kept))
    };
    assert_eq!(interrupted(&place, &args[..6], &running), Some(15));
    assert!(!running(), "the program runs on");
    assert_eq!(place.entries("temporary"), Vec::<PathBuf>::new());
}

/// True if there is a process of this number that has not ended.
fn is_running(id: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(id).join("status"));
    status.is_ok_and(|text| !text.contains("State:\tZ"))
}

#[test]
fn times_of_both_engines() {
    let Some(place) = Place::new() else { return };
    let args = [
        "bench",
        "burgers.json",
        "--at",
        "burgers.point.json",
        "--samples",
        "3",
        "--sample-time",
        "1",
    ];
    let value = json(&place.run(&[&args[..], &["--format", "json"]].concat()));
    assert_eq!(
        (&value["routine"], &value["samples"]),
        (&"burgers".into(), &3.into())
    );
    let engines = value["engines"].as_array().expect("a list");
    let names: Vec<&Value> = engines.iter().map(|engine| &engine["engine"]).collect();
    assert_eq!(names, ["executor", "jit", "cc"]);
    for engine in engines {
        for what in ["primal", "gradient"] {
            let of = |name: &str| engine[what][name].as_f64().expect("a number");
            let all = ["minimum", "lower_quartile", "median", "upper_quartile"].map(of);
            assert!(all[0] > 0.0 && all.is_sorted(), "{engine}");
            // The calls of a sample are chosen by the clock, so that nothing else is known of their number.
            assert!(of("calls") >= 1.0, "{engine}");
        }
        // As `gradient` counts it: this program has neither trip counts nor markers.
        let tape = serde_json::json!({"control_bits": 0, "value_bytes": 256, "peak_bytes": 256});
        assert_eq!(engine["tape"], tape, "{engine}");
    }
    let table = place.run(&args);
    assert_eq!((table.code, table.err.as_str()), (Some(0), ""));
    for words in [
        "executor primal",
        "executor gradient",
        "jit primal",
        "jit gradient",
        "cc primal",
        "cc gradient",
        "-std=c99 -O2",
    ] {
        assert!(table.out.contains(words), "{}", table.out);
    }
    let schema = place.run(&["schema", "--of", "bench"]);
    let schema: Value = serde_json::from_str(&schema.out).expect("it is JSON");
    let schema = jsonschema::draft202012::new(&schema).expect("it is a schema");
    let problems: Vec<String> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
    assert!(problems.is_empty(), "{problems:#?}\n{value}");
}

/// Loops of time steps with states in memory, and in memory and on disk, and two of unknown trip count.
const LOOPS: &str = "
subroutine f(in integer n, in real p, inout real x[8], out real y)
  local integer i, j
  independent p, x
  dependent y
  for i = 1, n {checkpoint 5}
    x[8] := x[8] + 0.01*sin(x[7]*p)
  end
  for i = 1, n {checkpoint 2 disk 3}
    for j = 2, 8
      x[j] := x[j] + 0.01*sin(x[j - 1]*p)
    end
  end
  y := 0.0
  while x[1] < n {checkpoint 3}
    x[1] := x[1] + 1.0
    y := y*0.5 + x[2]*sin(x[1]*p)
  end
  do {checkpoint 3}
    x[3] := x[3] + 1.0
    y := y*0.5 + x[2]*sin(x[3]*p)
  end while x[3] < n
end
";

/// A run that was killed goes on with the same bits, and leaves no files; one with other values does not.
#[test]
fn a_killed_run_goes_on_from_its_files() {
    let Some(place) = Place::new() else { return };
    for engine in ["executor", "cc"] {
        kill_until_it_ends(&place, engine);
    }
}

fn kill_until_it_ends(place: &Place, engine: &str) {
    std::fs::write(place.path("f.cfgrev"), LOOPS).expect("it can be written");
    let [file, progress] = ["f.cfgrev", "progress"].map(|name| place.path(name));
    let [file, progress] = [&file, &progress].map(|path| path.to_str().expect("a plain name"));
    let point =
        |n: u32| format!(r#"{{"n": {n}, "p": 0.5, "x": [0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8]}}"#);
    let plain = ["gradient", file, "--engine", engine, "--at"];
    let kept = ["--restart", progress, "--restart-seconds", "0"];
    let expected = place.run(&[&plain[..], &[&point(400)]].concat());
    assert_eq!((expected.code, expected.err.as_str()), (Some(0), ""));
    let files = || {
        let folder = std::fs::read_dir(place.folder.path()).expect("it is there");
        let names = folder.map(|entry| entry.expect("it is there").file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        names.filter(|name| name.starts_with("progress")).count()
    };
    let (mut kills, mut went_on) = (0, 0);
    let again = |n: u32| {
        [&plain[..], &[&point(n)], &kept[..]]
            .concat()
            .join("\u{1f}")
    };
    // The executable is kept in the cache.
    let first = again(1);
    let first = place.run(&first.split('\u{1f}').collect::<Vec<_>>());
    assert_eq!((first.code, files()), (Some(0), 0), "{}", first.err);
    for wait in (0..).map(|k| Duration::from_millis(60 + 30 * k + k * k)) {
        let words = again(400);
        let words: Vec<&str> = words.split('\u{1f}').collect();
        let mut command = place.command(&words);
        command.stdout(std::process::Stdio::piped());
        went_on += usize::from(files() > 0);
        let mut child = command.spawn().expect("it starts");
        std::thread::sleep(wait);
        if child.try_wait().expect("it is ours").is_none() {
            child.kill().expect("it is ours");
            child.wait().expect("it is ours");
            kills += 1;
            assert!(kills < 60, "it does not end");
            continue;
        }
        let output = child.wait_with_output().expect("it is ours");
        assert_eq!(output.status.code(), Some(0));
        // The counts of the tape are those of the last process.
        let values = |text: &str| text.split("\"tape\"").next().map(str::to_owned);
        let found = String::from_utf8_lossy(&output.stdout);
        assert_eq!(values(&found), values(&expected.out));
        break;
    }
    assert!(
        kills > 0 && went_on > 0,
        "{kills} kills, {went_on} runs that went on"
    );
    assert_eq!(files(), 0);
}

/// Progress of other values, and damaged progress, are errors; the files stay.
#[test]
fn progress_of_another_run_is_refused() {
    let Some(place) = Place::new() else { return };
    for engine in ["executor", "cc"] {
        refuse_other_progress(&place, engine);
    }
}

fn refuse_other_progress(place: &Place, engine: &str) {
    std::fs::write(place.path("f.cfgrev"), LOOPS).expect("it can be written");
    let [file, progress] = ["f.cfgrev", "progress"].map(|name| place.path(name));
    let first = place.path("progress.1.1");
    std::fs::write(&first, "no progress").expect("it can be written");
    let words = |file: &Path| file.to_str().expect("a plain name").to_owned();
    let (file, progress) = (words(&file), words(&progress));
    let at = r#"{"n": 5, "p": 0.5, "x": [0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8]}"#;
    let command = [
        "gradient",
        &file,
        "--engine",
        engine,
        "--at",
        at,
        "--restart",
        &progress,
    ];
    let refused = place.run(&command);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(refused.err.contains("another run"), "{}", refused.err);
    assert_eq!(
        std::fs::read_to_string(&first).expect("it stays"),
        "no progress"
    );
    // Progress of the same loop with another p.
    std::fs::remove_file(&first).expect("it is ours");
    let long = r#"{"n": 400, "p": 0.5, "x": [0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8]}"#;
    let words = |point| {
        let mut words = vec!["gradient", &file, "--engine", engine, "--at", point];
        words.extend(["--restart", &progress, "--restart-seconds", "0"]);
        words
    };
    let mut child = place
        .command(&words(long))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    while !first.exists() && child.try_wait().expect("it is ours").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    assert!(first.exists(), "it was killed in time");
    let other = long.replace("0.5, \"x\"", "0.6, \"x\"");
    let refused = place.run(&words(&other));
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(refused.err.contains("another run"), "{}", refused.err);
    // A global that the steps only read.
    std::fs::remove_file(&first).expect("it is ours");
    let source = "double scale;\nvoid f(int n, double *x)\n{\n#pragma cfgrev checkpoint(snapshots = 3)\n\
                  for (int i = 0; i < n; i++)\nx[0] = 0.5 * x[0] * scale;\n}\n";
    let global = place.path("global.c");
    std::fs::write(&global, source).expect("it can be written");
    let global = global.to_str().expect("a plain name").to_owned();
    let given = |scale: &str| format!(r#"{{"n": 400, "x": [1.0], "scale": {scale}}}"#);
    let words = |point: String| {
        let words = [
            "gradient",
            &global,
            "--engine",
            engine,
            "--restart",
            &progress,
            "--at",
            &point,
        ];
        let words = words.map(str::to_owned).into_iter();
        let more = ["--restart-seconds", "0"].map(str::to_owned);
        words.chain(more).collect::<Vec<_>>()
    };
    let run = words(given("1.0"));
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let silent = std::process::Stdio::null();
    let mut child = place
        .command(&run)
        .stdout(silent)
        .spawn()
        .expect("it starts");
    while !first.exists() && child.try_wait().expect("it is ours").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    assert!(first.exists(), "it was killed in time");
    let run = words(given("1.5"));
    let refused = place.run(&run.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(refused.err.contains("another run"), "{}", refused.err);
    std::fs::remove_file(&first).expect("it is ours");
}

/// Where no memory is made executable, the executor runs, with a warning where machine code was wanted.
#[test]
#[cfg(feature = "jit")]
fn machine_code_that_is_refused_is_told() {
    let Some(mut without) = needs::plain_memory() else {
        return;
    };
    let args = "gradient burgers.json --at burgers.point.json --engine";
    let run = |command: &mut Command, engine: &str| {
        let given = command.args(args.split(' ')).arg(engine);
        given.output().expect("it starts")
    };
    let executor = run(&mut command(&[]), "executor");
    let begun = without
        .arg(env!("CARGO_BIN_EXE_cfgrev"))
        .current_dir(crate::run_tool::fixtures());
    let refused = run(begun, "jit");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.success(), "{told}");
    assert_eq!(refused.stdout, executor.stdout);
    assert_eq!(told.matches("warning[X229]").count(), 1, "{told}");
    assert!(told.contains("executable memory is refused"), "{told}");
    let compiled = run(&mut command(&[]), "jit");
    assert_eq!(compiled.stdout, executor.stdout);
    assert!(compiled.stderr.is_empty() && executor.stderr.is_empty());
}
