//! `preaccumulate` on bare graphs and on programs.

use crate::run_tool::{Written, cfgrev, cfgrev_with, cfgrev_within, command, golden};
use serde_json::Value;
use std::io::{Read as _, Write as _};

fn json(args: &[&str]) -> Value {
    let ran = cfgrev(args);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_str(&ran.out).expect("one object")
}

#[test]
fn what_people_read() {
    for (name, extra) in [
        ("paper_block", &[][..]),
        ("lion", &["--exact"]),
        ("signs", &["--model", "constant-aware"]),
    ] {
        let file = format!("graphs/{name}.json");
        let ran = cfgrev(&[&["preaccumulate", &file], extra].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        golden(&format!("preaccumulate.{name}.txt"), &ran.out);
    }
}

#[test]
fn the_object_for_programs() {
    let mut lion = json(&["preaccumulate", "graphs/lion.json", "--format", "json"]);
    assert!(lion["milliseconds"].is_u64());
    lion["milliseconds"] = 0.into();
    golden("preaccumulate.lion.json", &format!("{lion:#}\n"));
    // The sequence alone, then with the code.
    assert!(lion.get("jaes").is_none());
    let code = json(&["preaccumulate", "graphs/lion.json", "--emit", "json"]);
    assert_eq!(code["jaes"].as_array().map(Vec::len), Some(11));
    assert_eq!(code["sequence"], lion["sequence"]);
    // Each kind of elimination by itself, and each model.
    for (technique, cost) in [("vertex", 12), ("edge", 11), ("face", 11), ("auto", 11)] {
        let file = "graphs/lion.json";
        let args = [
            "preaccumulate",
            file,
            "--format",
            "json",
            "--technique",
            technique,
        ];
        assert_eq!(json(&args)["cost"], cost, "{technique}");
    }
    for (model, cost) in [("plain", 8), ("unit-free", 0), ("constant-aware", 0)] {
        let file = "graphs/signs.json";
        let found = json(&["preaccumulate", file, "--format", "json", "--model", model]);
        assert_eq!(
            (&found["model"], found["cost"].as_u64() <= Some(cost)),
            (&model.into(), true),
            "{found}"
        );
    }
}

/// The listing for a graph that is one path, through `count` vertices from `first` on.
fn path_through(first: usize, count: usize) -> String {
    let end = first + count;
    let edges: Vec<String> = (first..=end)
        .map(|k| format!("[{}, {k}, \"variable\"]", k - 1))
        .collect();
    let graph = format!(
        "{{\"inputs\": [{}], \"outputs\": [{end}], \"edges\": [{}]}}",
        first - 1,
        edges.join(", ")
    );
    let ran = cfgrev_with(&["preaccumulate", "-"], graph.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    ran.out
}

/// Up to 1000 steps are listed.
#[test]
fn steps_are_listed_up_to_a_number() {
    for (count, rest) in [(1000, 0), (1001, 1)] {
        let text = path_through(2, count);
        let more = text.matches("\n... 1 more: --emit json has all of them\n");
        assert_eq!(more.count(), rest, "{count}");
        let listed = text.lines().filter(|line| line.starts_with('('));
        let listed: usize = listed.map(|line| line.split(' ').count()).sum();
        assert_eq!(listed, 1000);
    }
}

/// Lines of steps have up to 100 characters: 17 steps with five characters each are one more with the spaces between them.
#[test]
fn lines_of_steps_are_so_long() {
    let lines = |first: usize| {
        let text = path_through(first, 17);
        text.lines().filter(|line| line.starts_with('(')).count()
    };
    assert_eq!([99, 100].map(lines), [1, 2]);
}

/// A program whose result is the sum of so many elements, and what people read of it.
fn sum_of(count: usize) -> String {
    let elements: Vec<String> = (1..=count).map(|k| format!("x[{k}]")).collect();
    let statements: Vec<String> = elements
        .chunks(60)
        .map(|some| format!("  y := y + {}\n", some.join(" + ")))
        .collect();
    let program = format!(
        "main subroutine f(in real x[{count}], out real y)\n  independent x\n  dependent y\n  y := 0.0\n{}end\n",
        statements.concat()
    );
    let args = [
        "preaccumulate",
        "-",
        "--lang",
        "text",
        "--time",
        "0",
        "--quiet",
    ];
    let ran = cfgrev_with(&args, program.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    ran.out
}

/// Up to 1000 independents and statements of a block are listed.
#[test]
fn lists_of_blocks_are_so_long() {
    let independents = |count: usize| {
        let text = sum_of(count);
        let line = text.lines().find(|line| line.starts_with("independents: "));
        line.expect("it has independents").split(", ").count()
    };
    assert_eq!([999, 1000, 1001].map(independents), [999, 1000, 1000]);
    for (count, rest) in [(998, 0), (999, 1)] {
        let text = sum_of(count);
        let (_, adjoint) = text.split_once("\nadjoint block: ").expect("it has one");
        assert_eq!(adjoint.starts_with("1000 "), rest == 0, "{adjoint}");
        assert_eq!(
            adjoint.matches("\n  ... 1 more\n").count(),
            rest,
            "{adjoint}"
        );
    }
}

/// Of the vertices with a block up to 20 are named.
#[test]
fn vertices_with_blocks_are_named_up_to_a_number() {
    let named = |count: usize| {
        let branches: String = (1..count)
            .map(|k| format!("  if x > {k}.0\n    y := y*x*sin(y)\n  end\n"))
            .collect();
        let program = format!(
            "main subroutine f(in real x, out real y)\n  independent x\n  dependent y\n  y := x\n{branches}end\n"
        );
        let args = ["preaccumulate", "-", "--lang", "text", "--vertex", "9999"];
        let ran = cfgrev_with(&args, program.as_bytes());
        let (_, names) = ran
            .err
            .split_once("vertices that have one: ")
            .expect("a list");
        let names = names.lines().next().unwrap_or_default();
        names.split(", ").count()
    };
    assert_eq!([19, 20, 21].map(named), [19, 20, 20]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = |seed: &str| {
        let file = "graphs/paper_block.json";
        let mut found = json(&["preaccumulate", file, "--format", "json", "--rng", seed]);
        found["milliseconds"] = 0.into();
        found.to_string()
    };
    assert_eq!(run("7"), run("7"));
}

#[test]
fn pictures_and_files() {
    let written = Written::by(&["preaccumulate", "graphs/lion.json", "--emit", "dot,json"]);
    let text = written.read("lion.preaccumulate.json");
    let object: Value = serde_json::from_str(&text).expect("JSON");
    let steps = object["sequence"].as_array().map_or(0, Vec::len);
    assert_eq!(written.count(), steps + 2);
    golden("preaccumulate.lion.0.dot", &written.read("lion.0.dot"));
    let end = written.read(&format!("lion.{steps}.dot"));
    golden("preaccumulate.lion.end.dot", &end);
    // The files exist now.
    let again = written.again(&[]);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("P402"), "{}", again.err);
    assert_eq!(written.again(&["--force"]).code, Some(0));
    let several = cfgrev(&["preaccumulate", "graphs/lion.json", "--emit", "dot,json"]);
    assert_eq!(several.code, Some(2));
    assert!(several.err.contains("-o DIR"), "{}", several.err);
    // One form is printed: all pictures, one after the other.
    let printed = cfgrev(&["preaccumulate", "graphs/lion.json", "--emit", "dot"]);
    assert_eq!((printed.code, printed.err.as_str()), (Some(0), ""));
    let files = (0..=steps).map(|k| written.read(&format!("lion.{k}.dot")));
    assert_eq!(printed.out, files.collect::<String>());
}

/// The lines of a picture that say where a vertex of a graph stands, and its place.
fn places(picture: &str) -> Vec<(&str, &str)> {
    let named = |line: &'_ str| line.contains("shape=box") || line.contains("shape=oval");
    let lines = picture.lines().filter(|line| named(line));
    lines
        .filter_map(|line| {
            let (name, rest) = line.trim().split_once('[')?;
            Some((name, rest.split_once("pos=\"")?.1.split_once('!')?.0))
        })
        .collect()
}

/// Each vertex keeps its place from step to step. One picture has all steps, the vertex or edge that comes next and the
/// edges that are new are marked, and there is one name for a partial.
#[test]
fn steps_of_an_elimination_side_by_side() {
    let args = ["preaccumulate", "graphs/lion.json", "--emit", "dot,steps"];
    let written = Written::by(&args);
    let listed = written.read("lion.steps.txt");
    let first = written.read("lion.0.dot");
    let start = places(&first);
    assert_eq!(start.len(), 8);
    let last = listed.lines().filter(|line| line.starts_with('(')).count();
    for at in 1..=last {
        let picture = written.read(&format!("lion.{at}.dot"));
        for (name, place) in places(&picture) {
            assert!(start.contains(&(name, place)), "{at}: {name} at {place}");
        }
        // The edge that a line of the listing computes is drawn in colour.
        assert!(picture.contains("penwidth=1.8"), "{picture}");
    }
    for name in listed.lines().filter_map(|line| line.split(" := ").next()) {
        let name = name.rsplit(' ').next().expect("a name");
        let is_drawn = |at| written.read(&format!("lion.{at}.dot")).contains(name);
        assert!(
            name.starts_with("push") || (1..=last).any(is_drawn),
            "{name}"
        );
    }
    let args = [
        "preaccumulate",
        "graphs/lion.json",
        "--emit",
        "dot",
        "--panels",
        "--legend",
    ];
    let panels = cfgrev(&args);
    assert_eq!((panels.code, panels.err.as_str()), (Some(0), ""));
    golden("preaccumulate.lion.panels.dot", &panels.out);
    let written = Written::by(&args);
    assert_eq!(written.read("lion.panels.dot"), panels.out);
    assert_eq!(written.count(), 1);
    for option in ["--panels", "--legend"] {
        for form in [&[][..], &["--emit", "jaes"], &["--emit", "json"]] {
            let ran = cfgrev(&[&["preaccumulate", "graphs/lion.json", option], form].concat());
            assert_eq!(ran.code, Some(2), "{}", ran.out);
            assert!(ran.err.contains("--emit dot"), "{}", ran.err);
        }
    }
}

#[test]
fn problems_of_graphs_are_diagnostics_like_all_others() {
    let wrong = br#"{"name": "wrong",
 "inputs": [1, 1],
 "outputs": [3, 4],
 "edges": [[1, 2, "variable"], [2, 2, "unit"],
           [1, 2, "constant"], [2, 3, "unit"]]}
"#;
    let ran = cfgrev_with(&["preaccumulate", "-"], wrong);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    golden("preaccumulate.wrong.txt", &ran.err);
    let ran = cfgrev_with(&["preaccumulate", "-", "--diagnostics", "json"], wrong);
    let first: Value =
        serde_json::from_str(ran.err.lines().next().unwrap_or_default()).expect("JSON");
    assert_eq!(
        (&first["code"], &first["at"]["line"]),
        (&"L111".into(), &2.into()),
        "{first}"
    );
    let cases: [(&[u8], &str); 6] = [
        (br#"{"inputs": [1], "outputs": [3], "edges": [[1, 2, "unit"], [2, 4, "unit"], [4, 2, "unit"], [2, 3, "unit"]]}"#, "L118"),
        (br#"{"inputs": [1], "outputs": [3], "edges": [[1, 2, "unit"]]}"#, "L119"),
        (br#"{"inputs": [1], "outputs": [3], "edges": [[1, 3, "unit", NaN]]}"#, "L101"),
        (br#"{"inputs": [1], "outputs": [3], "edges": [[1, 3, 1e999]]}"#, "L101"),
        (br#"{"inputs": [1], "outputs": "#, "L101"),
        (b"{}", "L105"),
    ];
    for (text, code) in cases {
        let ran = cfgrev_with(&["preaccumulate", "-"], text);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{code}");
        assert!(ran.err.contains(code), "{code}: {}", ran.err);
    }
    let explained = cfgrev(&["explain", "L118"]);
    assert!(explained.out.contains("cycle"), "{}", explained.out);
}

#[test]
fn edge_of_the_command_line() {
    for (args, part) in [
        (&["--model", "cheap"][..], "plain"),
        (&["--technique", "node"], "vertex"),
        (&["--time", "1.5"], "--time"),
        (&["-o", "out"], "--emit"),
    ] {
        let ran = cfgrev(&[&["preaccumulate", "graphs/lion.json"], args].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.contains(part), "{args:?}: {}", ran.err);
    }
    // No time at all: the cheapest heuristic still runs.
    let none = json(&[
        "preaccumulate",
        "graphs/lion.json",
        "--time",
        "0",
        "--format",
        "json",
    ]);
    assert!(none["cost"].as_u64() <= Some(12), "{none}");
}

/// The block of Naumann et al. 2004, section 3.
const PAPER: &str = r#"{"format": "cfgrev/1", "routines": [{"name": "f",
 "parameters": [{"name": "v1", "type": "real", "intent": "in"}, {"name": "v2", "type": "real", "intent": "in"},
  {"name": "v3", "type": "real", "intent": "out"}, {"name": "v4", "type": "real", "intent": "out"},
  {"name": "v6", "type": "real", "intent": "out"}, {"name": "v7", "type": "real", "intent": "out"}],
 "independents": ["v1", "v2"], "dependents": ["v3", "v4", "v6", "v7"],
 "vertices": [{"id": 1, "type": "ENTRY"}, {"id": 2, "type": "BASICBLOCK", "statements": [
  ["=", "v3", ["*", "v1", "v2"]], ["=", "v4", ["*", "v1", "v3"]],
  ["=", "v7", ["*", ["*", "v3", "v2"], "v4"]], ["=", "v6", ["sin", "v4"]]]}, {"id": 3, "type": "EXIT"}],
 "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3}]}]}"#;

/// The paper's sequence with its twelve JAEs and eight pushes, in its names.
#[test]
fn the_papers_section_3() {
    let args = ["preaccumulate", "-", "--heuristic", "paper", "--emit"];
    let text = cfgrev_with(&[&args[..], &["steps"]].concat(), PAPER.as_bytes());
    assert_eq!((text.code, text.err.as_str()), (Some(0), ""));
    golden("preaccumulate.paper.steps.txt", &text.out);
    let object = cfgrev_with(&[&args[..], &["json"]].concat(), PAPER.as_bytes());
    assert_eq!((object.code, object.err.as_str()), (Some(0), ""));
    let mut object: Value = serde_json::from_str(&object.out).expect("one object");
    object["blocks"][0]["result"]["milliseconds"] = 0.into();
    golden("preaccumulate.paper.json", &format!("{object:#}\n"));
    let steps = object["blocks"][0]["eliminations"]
        .as_array()
        .expect("a list");
    let count = |what: &str| -> usize {
        let lists = steps.iter().filter_map(|step| step[what].as_array());
        lists.map(Vec::len).sum()
    };
    assert_eq!((count("jaes"), count("pushes")), (12, 6));
    assert_eq!(steps[0]["step"], "(v3,t)f");
    assert_eq!(steps[0]["jaes"][0], "c(7,3) := c(t,3)*c(7,t)");
    assert_eq!(object["blocks"][0]["result"]["cost"], 12);
}

/// The paper's Figures 3 (a) to (c) and 4: the graph before and after, how the labels of (3,t) and (4,7) are computed, and
/// how all are.
#[test]
fn the_papers_accumulation_graphs() {
    let args = ["preaccumulate", "-", "--heuristic", "paper", "--emit"];
    let printed = |form: &str| {
        let ran = cfgrev_with(&[&args[..], &[form]].concat(), PAPER.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        ran.out
    };
    golden("preaccumulate.paper.jaes.dot", &printed("jaes"));
    golden("preaccumulate.paper.dot", &printed("dot"));
    // As files: the whole, and one for each elimination.
    let written = Written::by(&["preaccumulate", "graphs/lion.json", "--emit", "jaes,steps"]);
    let listed = written.read("lion.steps.txt");
    let steps = listed.lines().filter(|line| line.starts_with('(')).count();
    assert_eq!(written.count(), steps + 2);
    let whole = written.read("lion.jaes.0.dot");
    assert_eq!(whole.matches(" = ").count(), listed.matches(":=").count());
    let all: String = (1..=steps)
        .map(|at| written.read(&format!("lion.jaes.{at}.dot")))
        .collect();
    assert_eq!(all.matches(" = ").count(), whole.matches(" = ").count());
}

/// Heuristics by name, for graphs and for the blocks of an adjoint.
#[test]
fn heuristics_by_name() {
    let cost = |key: &str| {
        let file = "graphs/paper_block.json";
        json(&[
            "preaccumulate",
            file,
            "--format",
            "json",
            "--heuristic",
            key,
        ])["cost"]
            .clone()
    };
    for (key, expected) in [
        ("vertex-FM", 10),
        ("edge-HS-LM-RM", 12),
        ("paper", 12),
        ("face-RM", 12),
    ] {
        assert_eq!(cost(key), expected, "{key}");
    }
    let lion = "graphs/lion.json";
    for (args, part) in [
        (&["--heuristic", "edge-XX"][..], "edge-XX"),
        (&["--heuristic", "edge-LM"], "FM or RM"),
        (&["--heuristic", "paper", "--exact"], "--exact"),
        (&["--time", "5", "--cpu-time", "5"], "--cpu-time"),
    ] {
        let ran = cfgrev(&[&["preaccumulate", lion], args].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.contains(part), "{args:?}: {}", ran.err);
    }
    let reverse = |extra: &[&str]| {
        let args = [&["reverse", "-", "--emit", "text"], extra].concat();
        cfgrev_with(&args, PAPER.as_bytes())
    };
    let blocks = ["--blocks", "preaccumulate"];
    let (best, paper) = (
        reverse(&blocks),
        reverse(&[&blocks[..], &["--heuristic", "paper"]].concat()),
    );
    assert_eq!((best.code, paper.code), (Some(0), Some(0)), "{}", paper.err);
    let products = |text: &str| text.matches("strong").count();
    assert_ne!(best.out, paper.out);
    assert!(products(&best.out) <= products(&paper.out));
    let without = reverse(&["--heuristic", "paper"]);
    assert_eq!(without.code, Some(2));
    assert!(without.err.contains("--blocks"), "{}", without.err);
}

/// Rows of a grid, each vertex read by three of the next row: too large to be exhausted.
fn large() -> String {
    let (width, height) = (14i64, 14i64);
    let id = |row: i64, column: i64| row * width + column % width;
    let mut edges = Vec::new();
    for row in 1..height {
        for column in 0..width {
            for back in [0, 1, 5] {
                let source = id(row - 1, column + back);
                edges.push(format!("[{source},{},\"variable\"]", id(row, column)));
            }
        }
    }
    let ids = |row: i64| {
        let ids: Vec<String> = (0..width).map(|c| id(row, c).to_string()).collect();
        ids.join(",")
    };
    format!(
        r#"{{"name":"grid","inputs":[{}],"outputs":[{}],"edges":[{}]}}"#,
        ids(0),
        ids(height - 1),
        edges.join(",")
    )
}

/// Waits until a process listens to Ctrl-C and has then worked for half a second.
#[cfg(target_os = "linux")]
fn until_searching(id: &str) {
    // Ticks of processor time of which there are a hundred per second, in user mode: field 14.
    let ticks = || -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("it has not ended");
        let fields = stat.rsplit(')').next().expect("a name in parentheses");
        let user = fields.split_whitespace().nth(11).expect("a field");
        user.parse().expect("a number")
    };
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("it is there");
        let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.expect("a line").trim(), 16).expect("a mask");
        caught & 1 << (2 - 1) != 0
    };
    let wait = || std::thread::sleep(std::time::Duration::from_millis(5));
    while !listens() {
        wait();
    }
    let start = ticks();
    while ticks() < start + 50 {
        wait();
    }
}

/// Waits long enough for a search to begin, on a machine that does not say what a process does.
#[cfg(all(unix, not(target_os = "linux")))]
fn until_searching(_: &str) {
    std::thread::sleep(std::time::Duration::from_secs(5));
}

/// Interrupts a search of a minute; returns what it prints.
#[cfg(unix)]
fn interrupted(input: &str) -> String {
    let mut child = command(&["preaccumulate", "-", "--time", "60000"])
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let mut stderr = child.stderr.take().expect("it is piped");
    let id = child.id().to_string();
    until_searching(&id);
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.expect("kill runs").success());
    // Both at once: a pipe that is full would block the other.
    let mut rest = String::new();
    let output = std::thread::scope(|scope| {
        scope.spawn(|| stderr.read_to_string(&mut rest).expect("text"));
        child.wait_with_output().expect("it ends")
    });
    let out = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0), "{rest}");
    assert!(rest.contains("interrupted: best so far"), "{rest}");
    out
}

#[cfg(unix)]
#[test]
fn the_best_so_far_after_an_interrupt() {
    for input in [large(), long_block()] {
        let out = interrupted(&input);
        assert!(
            out.contains("interrupted: best so far") && out.contains("best sequence: "),
            "{out}"
        );
    }
}

/// A program of one block, each statement of which reads two earlier values.
fn long_block() -> String {
    let n = 250;
    let pick = |k: usize| [k - 1 - (k * 7) % 8, k - 1 - (k * 11 + k / 5) % 8];
    block_of(8, n, 8, |k, name| {
        let [a, b] = pick(k).map(name);
        format!("[\"*\",{a},[\"sin\",{b}]]")
    })
}

/// A program of one block of `n - inputs` statements, the right-hand sides of which are given, that returns
/// the last values.
fn block_of(
    inputs: usize,
    n: usize,
    outputs: usize,
    value: impl Fn(usize, &dyn Fn(usize) -> String) -> String,
) -> String {
    let name = |k: usize| {
        if k < inputs {
            format!("[\"[]\",\"x\",{}]", k + 1)
        } else {
            format!("\"v{k}\"")
        }
    };
    let mut statements = Vec::new();
    let mut locals = Vec::new();
    for k in inputs..n {
        statements.push(format!("[\"=\",\"v{k}\",{}]", value(k, &name)));
        locals.push(format!("{{\"name\":\"v{k}\",\"type\":\"real\"}}"));
    }
    for k in 1..=outputs {
        statements.push(format!("[\"=\",[\"[]\",\"y\",{k}],{}]", name(n - k)));
    }
    format!(
        r#"{{"format":"cfgrev/1","main":"f","routines":[{{"name":"f","parameters":[
        {{"name":"x","type":"real","shape":[{inputs}],"intent":"in"}},
        {{"name":"y","type":"real","shape":[{outputs}],"intent":"out"}}],
        "locals":[{}],"independents":["x"],"dependents":["y"],
        "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[{}]}},{{"id":3,"type":"EXIT"}}],
        "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]}}]}}"#,
        locals.join(","),
        statements.join(",")
    )
}

/// A chain: the paths that prove its cost have half as many vertices as the square of its length, and a
/// look at every variable for every name that is printed takes minutes in a debug build.
#[test]
fn what_is_written_of_a_long_block_is_in_proportion_to_it() {
    let n = 20_000;
    let chain = block_of(1, n + 1, 1, |k, name| format!("[\"sin\",{}]", name(k - 1)));
    let written = |extra: &[&str]| {
        let args = [&["preaccumulate", "-", "--quiet"], extra].concat();
        let ran = cfgrev_with(&args, chain.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        ran.out
    };
    let text = written(&[]);
    assert!(text.contains(&format!("\ndisjoint paths need {n} products: 1 + 1 + ")));
    assert!(text.contains(&format!("\nlinearized block: {} statements\n", 2 * n + 1)));
    assert!(text.len() < 100 * n, "{} bytes", text.len());
    let object: Value = serde_json::from_str(&written(&["--emit", "json"])).expect("JSON");
    let code = &object["blocks"][0]["code"];
    let [linearized, jacobian] =
        ["linearized", "jacobian"].map(|what| code[what].as_array().map(Vec::len));
    // The product with the partial of the copy into y is none.
    assert_eq!((linearized, jacobian), (Some(2 * n + 1), Some(n - 1)));
}

#[test]
fn the_blocks_of_a_program() {
    let all = json(&["preaccumulate", "helmholtz.json", "--format", "json"]);
    let blocks = all["blocks"].as_array().expect("a list");
    let vertices: Vec<i64> = blocks.iter().filter_map(|b| b["vertex"].as_i64()).collect();
    assert_eq!(vertices, [4, 8, 13, 16]);
    // One vertex: the same graph and the same cost, without the others.
    let one = json(&[
        "preaccumulate",
        "helmholtz.json",
        "--vertex",
        "8",
        "--format",
        "json",
    ]);
    let chosen = one["blocks"].as_array().expect("a list");
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["graph"], blocks[1]["graph"]);
    assert_eq!(chosen[0]["result"]["cost"], blocks[1]["result"]["cost"]);
    assert!(chosen[0].get("code").is_none());
    let none = cfgrev(&["preaccumulate", "helmholtz.json", "--vertex", "3"]);
    assert_eq!((none.code, none.out.as_str()), (Some(1), ""));
    assert!(
        none.err.contains("P407") && none.err.contains("4, 8, 13, 16"),
        "{}",
        none.err
    );
    let graph = cfgrev(&["preaccumulate", "graphs/lion.json", "--vertex", "3"]);
    assert_eq!(graph.code, Some(2));
    // With the code of both sweeps.
    let code = json(&[
        "preaccumulate",
        "helmholtz.json",
        "--vertex",
        "8",
        "--emit",
        "json",
    ]);
    let block = &code["blocks"][0];
    assert_eq!(
        block["code"]["pushes"].as_array().map(Vec::len),
        block["pushed"].as_u64().map(|n| n as usize)
    );
    assert!(
        block["code"]["adjoint"]
            .as_array()
            .is_some_and(|list| !list.is_empty()),
        "{block}"
    );
    assert_eq!(
        block["entries"].as_array().map(Vec::len),
        Some(3),
        "{block}"
    );
}

#[test]
fn files_of_a_program() {
    let written = Written::by(&["preaccumulate", "helmholtz.json", "--emit", "dot,json"]);
    let text = written.read("blocks.preaccumulate.json");
    let object: Value = serde_json::from_str(&text).expect("JSON");
    let mut files = 1;
    for block in object["blocks"].as_array().expect("a list") {
        let steps = block["result"]["sequence"].as_array().map_or(0, Vec::len);
        let digits = steps.to_string().len();
        for at in 0..=steps {
            let name = format!(
                "helmholtz.{}.{}.{at:0digits$}.dot",
                block["vertex"], block["statements"][0]
            );
            assert!(written.read(&name).contains("digraph"), "{name}");
            files += 1;
        }
    }
    assert_eq!(written.count(), files);
    let again = written.again(&[]);
    assert!(again.err.contains("P402"), "{}", again.err);
}

#[test]
fn a_clock_for_a_program() {
    let args = [
        "preaccumulate",
        "-",
        "--time",
        "300",
        "--format",
        "json",
        "--quiet",
    ];
    let ran = cfgrev_with(&args, long_block().as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&ran.out).expect("JSON");
    let result = &found["blocks"][0]["result"];
    assert_eq!(
        (&result["complete"], &result["interrupted"]),
        (&true.into(), &false.into())
    );
    let heuristics = result["heuristics"].as_object().expect("costs");
    assert!(
        heuristics.len() > 3,
        "the clock started too early: {result}"
    );
    assert!(result["cost"].as_u64() <= heuristics.values().filter_map(Value::as_u64).min());
    // No time for the search: something is still found, and the search ends at once.
    let none = [
        "preaccumulate",
        "-",
        "--time",
        "0",
        "--format",
        "json",
        "--quiet",
    ];
    let ran = cfgrev_with(&none, long_block().as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

/// Without any time a small graph still gets a complete sequence, a large one a true reason why not.
#[test]
fn no_time_at_all() {
    let ran = cfgrev(&["preaccumulate", "graphs/lion.json", "--time", "0"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(
        ran.out.contains("\nbest sequence: 12 multiplications, "),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("remainder"), "{}", ran.out);
    let program = block_of(8, 6_000, 8, |k, name| {
        format!("[\"*\",{},{}]", name(k * 7 % (k - 1)), name(k - 1))
    });
    let args = ["preaccumulate", "-", "--time", "0", "--quiet"];
    let ran = cfgrev_with(&args, program.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let said: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.contains("sequence") || line.contains("remainder"))
        .collect();
    assert!(
        matches!(said[..], [cost, why, "no complete sequence was found"]
            if cost.starts_with("incomplete sequence: 0 multiplications")
                && why.contains(" edges: time was up; a complete sequence needs ")),
        "{said:?}"
    );
}

#[test]
fn a_clock_ends_the_search() {
    // Without the clock the proof would take longer than anybody waits.
    let args = [
        "preaccumulate",
        "-",
        "--exact",
        "--time",
        "200",
        "--format",
        "json",
    ];
    let ran = cfgrev_within(60, &args, large().as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(found["interrupted"], false);
    let least = found["heuristics"]
        .as_object()
        .and_then(|h| h.values().filter_map(Value::as_u64).min());
    assert!(found["cost"].as_u64() <= least, "{found}");
}
