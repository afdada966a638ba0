mod listed;

use super::*;
use cfg_core::entity::VarId;
use cfg_core::ir::{
    CaseRange, ControlWidth, Dim, Edge, Expr, LoopForm, LoopTest, Op, Origin, OriginRole, Place,
    Role, Routine, ScalarType, Stmt, StmtKind, TapeClass, Variable,
};
use dot::{Graph, Id, Stmt as DotStmt};
use listed::listed;
use std::collections::BTreeMap;

fn draw(program: &Program, options: &DotOptions) -> String {
    let mut text = String::new();
    write_cfg(&mut text, program, RoutineId::new(0), options).expect("a String takes everything");
    text
}

/// Parses DOT text and returns its statements.
fn parse(text: &str) -> Vec<DotStmt> {
    match graphviz_rust::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")) {
        Graph::DiGraph { stmts, .. } => stmts,
        Graph::Graph { .. } => panic!("not directed"),
    }
}

/// All nodes, by name, with their attributes; the depth of nested subgraphs.
fn nodes(statements: &[DotStmt]) -> (BTreeMap<String, BTreeMap<String, String>>, usize) {
    let mut found = BTreeMap::new();
    let mut deepest = 0;
    let mut open = vec![(statements, 0)];
    while let Some((list, depth)) = open.pop() {
        deepest = deepest.max(depth);
        for s in list {
            match s {
                DotStmt::Node(n) => {
                    let text = |id: &Id| match id {
                        Id::Html(t) | Id::Escaped(t) | Id::Plain(t) | Id::Anonymous(t) => t.clone(),
                    };
                    let attributes = n.attributes.iter().map(|a| (text(&a.0), text(&a.1)));
                    let twice = found.insert(text(&n.id.0), attributes.collect());
                    assert!(twice.is_none(), "{:?} is written twice", n.id);
                }
                DotStmt::Subgraph(s) => open.push((&s.stmts, depth + 1)),
                DotStmt::Attribute(_) | DotStmt::GAttribute(_) | DotStmt::Edge(_) => {}
            }
        }
    }
    (found, deepest)
}

/// Number of edges that are seen.
fn edge_count(statements: &[DotStmt]) -> usize {
    let seen = |s: &&DotStmt| match s {
        DotStmt::Edge(edge) => !edge.attributes.contains(&style::below()[0]),
        _ => false,
    };
    statements.iter().filter(seen).count()
}

fn golden(name: &str, text: &str) {
    let path = format!("{}/src/dot/golden/{name}.dot", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(expected, text, "{path} (BLESS=1 rewrites it)");
}

fn program(routine: Routine) -> Program {
    Program {
        routines: vec![routine],
        ..Program::default()
    }
}

/// A vertex with what it is to which vertex of another graph.
type Drawn = (i64, VertexKind, Option<(OriginRole, i64)>);

/// Fills a routine with a graph given as ids; labels 1 and 0 are `Some`.
fn graph(routine: &mut Routine, vertices: Vec<Drawn>, edges: &[(i64, i64, Option<i64>)]) {
    let position = |id: i64| {
        let at = vertices.iter().position(|v| v.0 == id);
        VertexId::new(at.unwrap_or_else(|| panic!("no vertex {id}")))
    };
    let edges = edges
        .iter()
        .map(|&(from, to, label)| Edge::new(position(from), position(to), label))
        .collect();
    let vertices = vertices
        .into_iter()
        .map(|(id, kind, origin)| {
            let mut vertex = Vertex::new(id, kind);
            vertex.origin = origin.map(|(role, vertex)| Origin { role, vertex });
            vertex
        })
        .collect();
    routine.body = Cfg::new(vertices, edges);
}

/// The example of section 2 of the paper: variables x, y, i, more, ctr, tape.
fn variables(name: &str) -> Routine {
    let mut r = Routine {
        name: name.into(),
        ..Routine::default()
    };
    let mut add = |name: &str, ty, shape: Vec<Dim>| {
        r.add_variable(Variable::new(name, ty, shape, Role::Local));
    };
    add("x", ScalarType::Real, vec![Dim::with_extent(Expr::Int(2))]);
    add("y", ScalarType::Real, vec![Dim::with_extent(Expr::Int(3))]);
    add("i", ScalarType::Integer, vec![]);
    add("more", ScalarType::Logical, vec![]);
    add("ctr", ScalarType::Integer, vec![]);
    add("tape", ScalarType::Tape, vec![]);
    r
}

const X: usize = 0;
const Y: usize = 1;
const I: usize = 2;
const MORE: usize = 3;
const CTR: usize = 4;
const TAPE: usize = 5;

fn var(v: usize) -> Expr {
    Expr::var(VarId::new(v))
}

fn at(v: usize, i: i64) -> Place {
    Place::element(VarId::new(v), [Expr::Int(i)])
}

fn set(v: usize, e: Expr) -> Stmt {
    Stmt::assign(Place::whole(VarId::new(v)), e)
}

fn push(class: TapeClass, value: Expr) -> VertexKind {
    VertexKind::Block(vec![Stmt::new(StmtKind::Push {
        tape: VarId::new(TAPE),
        class,
        value,
    })])
}

fn pre_test() -> VertexKind {
    VertexKind::Loop {
        form: LoopForm::Loop,
        test: Box::new(LoopTest::Pre(var(MORE))),
    }
}

fn original() -> Vec<(i64, VertexKind)> {
    let less = |bound| Expr::op(Op::Lt, [var(I), Expr::Int(bound)]);
    let sine = |i: i64| {
        let e = Expr::op(Op::Sin, [Expr::Place(at(X, i))]);
        VertexKind::Block(vec![Stmt::assign(at(Y, 3 - i), e)])
    };
    let product = Expr::op(Op::Mul, [Expr::Place(at(Y, 1)), Expr::Place(at(Y, 2))]);
    let next = set(I, Expr::op(Op::Add, [var(I), Expr::Int(1)]));
    vec![
        (1, VertexKind::Entry),
        (2, VertexKind::Block(vec![set(I, Expr::Int(1))])),
        (3, VertexKind::Block(vec![set(MORE, less(3))])),
        (4, pre_test()),
        (
            5,
            VertexKind::Branch(Box::new(Selector::Condition(less(2)))),
        ),
        (6, sine(1)),
        (7, sine(2)),
        (8, VertexKind::EndBranch),
        (9, VertexKind::Block(vec![next, set(MORE, less(3))])),
        (10, VertexKind::EndLoop),
        (11, VertexKind::Block(vec![Stmt::assign(at(Y, 3), product)])),
        (12, VertexKind::Exit),
    ]
}

const ORIGINAL_EDGES: [(i64, i64, Option<i64>); 13] = [
    (1, 2, None),
    (2, 3, None),
    (3, 4, None),
    (4, 5, Some(1)),
    (4, 11, None),
    (5, 6, Some(1)),
    (5, 7, Some(0)),
    (6, 8, None),
    (7, 8, None),
    (8, 9, None),
    (9, 10, None),
    (10, 4, None),
    (11, 12, None),
];

fn paper_example() -> Program {
    let mut r = variables("f");
    let vertices = original().into_iter().map(|(id, kind)| (id, kind, None));
    graph(&mut r, vertices.collect(), &ORIGINAL_EDGES);
    program(r)
}

fn paper_forward() -> Program {
    let mut r = variables("f_fwd");
    let bit = TapeClass::Control(ControlWidth::Bits(1));
    let count = TapeClass::Control(ControlWidth::Count);
    let one_more = Expr::op(Op::Add, [var(CTR), Expr::Int(1)]);
    let mut vertices: Vec<_> = original()
        .into_iter()
        .map(|(id, kind)| (id, kind, Some((OriginRole::Copy, id))))
        .collect();
    vertices.extend([
        (
            13,
            VertexKind::Block(vec![set(CTR, Expr::Int(0))]),
            Some((OriginRole::CounterInit, 4)),
        ),
        (
            14,
            push(bit, Expr::Int(1)),
            Some((OriginRole::MarkerPush, 8)),
        ),
        (
            15,
            push(bit, Expr::Int(0)),
            Some((OriginRole::MarkerPush, 8)),
        ),
        (
            16,
            VertexKind::Block(vec![set(CTR, one_more)]),
            Some((OriginRole::CounterIncrement, 10)),
        ),
        (
            17,
            push(count, var(CTR)),
            Some((OriginRole::CounterPush, 4)),
        ),
    ]);
    let mut edges: Vec<_> = ORIGINAL_EDGES
        .into_iter()
        .filter(|e| ![(3, 4), (4, 11), (6, 8), (7, 8), (9, 10)].contains(&(e.0, e.1)))
        .collect();
    for (a, between, b) in [(3, 13, 4), (4, 17, 11), (6, 14, 8), (7, 15, 8), (9, 16, 10)] {
        edges.extend([(a, between, None), (between, b, None)]);
    }
    graph(&mut r, vertices, &edges);
    program(r)
}

#[test]
fn the_papers_example() {
    let options = DotOptions {
        true_false: true,
        ..DotOptions::default()
    };
    let text = draw(&paper_example(), &options);
    golden("paper", &text);
    let statements = parse(&text);
    assert_eq!(nodes(&statements).0.len(), 12);
    assert_eq!(edge_count(&statements), 13);
    assert!(text.contains("v5 -> v6 [label=\"T\"]"), "{text}");
}

#[test]
fn inserted_blocks_are_marked() {
    let text = draw(&paper_forward(), &DotOptions::default());
    golden("paper_forward", &text);
    let statements = parse(&text);
    let (nodes, _) = nodes(&statements);
    assert_eq!((nodes.len(), edge_count(&statements)), (17, 18));
    let dashed: Vec<&String> = nodes
        .iter()
        .filter(|(_, a)| a.get("style").is_some_and(|s| s.contains("dashed")))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(dashed, ["v13", "v14", "v15", "v16", "v17"]);
    assert!(text.contains("v5 -> v6 [label=\"1\"]"), "{text}");
}

#[test]
fn every_type_has_a_shape_and_colour_of_its_own() {
    let mut seen = Vec::new();
    for ty in VertexType::ALL {
        let attributes = style::vertex_attributes(ty, Part::default(), true, None);
        assert!(!seen.contains(&attributes), "{ty:?}");
        seen.push(attributes);
    }
}

/// `depth` loops inside one another: ENTRY, LOOPs, a block, ENDLOOPs, EXIT.
/// The label of a loop says how many states are kept.
#[test]
fn checkpoints_are_told() {
    let mut program = nested_loops(1);
    let loops = program.routines[0]
        .body
        .iter_mut()
        .flat_map(Cfg::vertices_mut);
    for vertex in loops.filter(|v| v.vertex_type() == VertexType::Loop) {
        let snapshots = |memory| cfg_core::ir::Checkpoint::Snapshots { memory, disk: 3 };
        vertex.checkpoint = std::num::NonZeroU32::new(7).map(snapshots);
    }
    let (found, _) = nodes(&parse(&draw(&program, &DotOptions::default())));
    let told = found
        .values()
        .filter(|node| node["label"].contains("checkpoint 7 disk 3"));
    assert_eq!(told.count(), 1, "{found:?}");
}

fn nested_loops(depth: usize) -> Program {
    let mut r = variables("nest");
    let mut vertices = vec![Vertex::new(1, VertexKind::Entry)];
    let mut id = 1;
    let mut add = |list: &mut Vec<Vertex>, kind| {
        id += 1;
        list.push(Vertex::new(id, kind));
    };
    for _ in 0..depth {
        add(&mut vertices, pre_test());
    }
    add(&mut vertices, VertexKind::Block(vec![]));
    for _ in 0..depth {
        add(&mut vertices, VertexKind::EndLoop);
    }
    add(&mut vertices, VertexKind::Exit);
    let n = vertices.len();
    let end = |i: usize| n - 1 - i;
    let edge = |a, b, label| Edge::new(VertexId::new(a), VertexId::new(b), label);
    let mut edges = vec![edge(0, 1, None)];
    for i in 1..=depth {
        let next = if i == 1 { n - 1 } else { end(i - 1) };
        edges.extend([
            edge(i, i + 1, Some(1)),
            edge(i, next, None),
            edge(end(i), i, None),
        ]);
    }
    edges.push(edge(depth + 1, depth + 2, None));
    r.body = Cfg::new(vertices, edges);
    program(r)
}

const CLUSTERS: DotOptions = DotOptions {
    clusters: true,
    legend: false,
    pairs: false,
    true_false: false,
    max_label: 60,
    max_lines: 16,
};

#[test]
fn loops_as_clusters() {
    let text = draw(&nested_loops(2), &CLUSTERS);
    golden("clusters", &text);
    let (nodes, deepest) = nodes(&parse(&text));
    assert_eq!((nodes.len(), deepest), (7, 2));
}

#[test]
fn clusters_stop_at_the_deepest() {
    let text = draw(&nested_loops(40), &CLUSTERS);
    let (nodes, deepest) = nodes(&parse(&text));
    assert_eq!((nodes.len(), deepest), (83, 30));
    assert!(!nodes["v31"]["label"].contains("depth"), "{text}");
    assert_eq!(nodes["v32"]["label"], r#""32: while more\ndepth 31\n""#);
    assert!(nodes["v32"].contains_key("color"));
    assert_ne!(nodes["v32"]["color"], nodes["v33"]["color"]);
}

#[test]
fn size_is_linear_and_depth_unlimited() {
    let size = |depth| draw(&nested_loops(depth), &CLUSTERS).len();
    let (small, large) = (size(1_000), size(20_000));
    assert!(large < 22 * small, "{small} {large}");
}

#[test]
fn names_may_contain_anything() {
    let long = "long ".repeat(2000);
    let names = [
        "\"",
        "\\",
        "\\\"",
        "a\\N\\G\\l",
        "</TABLE><b>&amp;&lt;",
        "line\nbreak\r\n",
        "\0\u{1}\u{1b}[31m\u{7f}\u{85}",
        "\u{202e}\u{feff}\u{fffe}\u{ffff}",
        "digraph",
        "cluster_v1",
        "-> [shape=box]; //",
        "/* # */",
        "größe ∂y/∂x 変数",
        "",
        &long,
    ];
    for name in names {
        let mut r = variables(name);
        r.variables[I].name = name.into();
        let opaque = Stmt::new(StmtKind::Opaque {
            text: name.into(),
            reads: [].into(),
            writes: [].into(),
        });
        let vertices = vec![
            (1, VertexKind::Entry, None),
            (
                -3,
                VertexKind::Block(vec![set(I, Expr::Int(1)), opaque]),
                None,
            ),
            (i64::MIN, VertexKind::Exit, None),
        ];
        graph(&mut r, vertices, &[(1, -3, None), (-3, i64::MIN, None)]);
        let program = program(r);
        let options = DotOptions {
            max_label: usize::MAX,
            ..DotOptions::default()
        };
        let text = draw(&program, &options);
        let statements = parse(&text);
        let (nodes, _) = nodes(&statements);
        assert_eq!((nodes.len(), edge_count(&statements)), (3, 2), "{name:?}");
        assert!(nodes.contains_key("m9223372036854775808"));
        // What Graphviz shows is the statement, apart from what cannot be shown.
        let shown = unescape(&nodes["m3"]["label"]);
        let printer = Printer::new(&program, &program.routines[0]);
        let body = program.routines[0].body.as_ref().expect("has a graph");
        let expected: Vec<String> = body.vertex(VertexId::new(1)).statements()[..]
            .iter()
            .map(|s| printer.display_stmt(s).to_string())
            .collect();
        assert_eq!(shown, format!("-3\n{}\n", expected.join("\n")), "{name:?}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    }
}

/// The text that Graphviz shows for a quoted label.
fn unescape(quoted: &str) -> String {
    let inner = quoted
        .strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .unwrap_or_else(|| panic!("not quoted: {quoted}"));
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('l' | 'n') => '\n',
                Some(c @ ('"' | '\\')) => c,
                other => panic!("escape {other:?}"),
            },
            '"' => panic!("a quote inside: {quoted}"),
            c => c,
        });
    }
    out.replace("&amp;", "&")
}

#[test]
fn long_labels_are_cut_and_the_rest_is_in_the_tooltip() {
    let mut r = variables("f");
    let name = "ä".repeat(300);
    r.variables[I].name.clone_from(&name);
    let block = VertexKind::Block(vec![set(I, Expr::Int(1)); 20]);
    let vertices = vec![
        (1, VertexKind::Entry, None),
        (2, block, None),
        (3, VertexKind::Exit, None),
    ];
    graph(&mut r, vertices, &[(1, 2, None), (2, 3, None)]);
    let options = DotOptions {
        max_label: 10,
        max_lines: 5,
        ..DotOptions::default()
    };
    let (nodes, _) = nodes(&parse(&draw(&program(r), &options)));
    let label = unescape(&nodes["v2"]["label"]);
    let line = format!("{}…\n", "ä".repeat(10));
    assert_eq!(label, format!("2\n{}… 16 more\n", line.repeat(4)));
    let whole = unescape(&nodes["v2"]["tooltip"]);
    assert_eq!(whole.matches(&format!("{name} := 1")).count(), 20);
    assert_eq!(unescape(&nodes["v1"]["tooltip"]), "ENTRY 1");
}

#[test]
fn programs_that_break_rules_are_drawn() {
    // No body, no such routine, no vertices.
    for program in [
        program(variables("f")),
        Program::default(),
        program(Routine {
            body: Some(Cfg::default()),
            ..Routine::default()
        }),
    ] {
        assert_eq!(
            nodes(&parse(&draw(&program, &DotOptions::default())))
                .0
                .len(),
            0
        );
    }
}

#[test]
fn loops_of_general_graphs_as_clusters() {
    // A loop with two entries, and a loop of its own inside.
    let edges = [
        (1, 2, -1),
        (2, 3, 1),
        (2, 4, 0),
        (3, 4, -1),
        (4, 5, 1),
        (4, 6, 0),
        (5, 3, 1),
        (5, 5, 0),
    ];
    let cfg = listed("EcbccX", &edges);
    let routine = Routine {
        control: cfg_core::ir::Control::General,
        body: Some(cfg),
        ..Routine::default()
    };
    let program = Program {
        routines: vec![routine],
        ..Program::default()
    };
    let out = draw(&program, &CLUSTERS);
    assert!(out.contains("irreducible loop 3"), "{out}");
    assert!(out.contains("label=\"loop 5\""), "{out}");
    let inside = out.find("subgraph cluster_v5").unwrap();
    assert!(inside > out.find("subgraph cluster_v3").unwrap(), "{out}");
}

/// Two loops in a row inside a loop, a branch in the first whose arms come in the wrong order.
fn two_loops_in_a_row() -> Program {
    let cfg = listed(
        "Ellcbb])lb))X",
        &[
            (1, 2, -1),
            (2, 3, 1),
            (3, 4, 1),
            (4, 6, 1),
            (4, 5, 0),
            (5, 7, -1),
            (6, 7, -1),
            (7, 8, -1),
            (8, 3, -1),
            (3, 9, -1),
            (9, 10, 1),
            (10, 11, -1),
            (11, 9, -1),
            (9, 12, -1),
            (12, 2, -1),
            (2, 13, -1),
        ],
    );
    program(Routine {
        body: Some(cfg),
        ..Routine::default()
    })
}

#[test]
fn a_loop_is_followed_below_it() {
    let program = two_loops_in_a_row();
    let text = draw(&program, &DotOptions::default());
    golden("two_loops", &text);
    let position = |line: &str| {
        let at = text.find(&format!("  {line}"));
        at.unwrap_or_else(|| panic!("{line}: {text}"))
    };
    // Back edges are drawn downwards; what follows a loop is below its end.
    for (header, end, body, after) in [(3, 8, 4, 9), (9, 11, 10, 12), (2, 12, 3, 13)] {
        position(&format!(
            "v{header} -> v{end} [dir=back weight=0 style=dashed"
        ));
        position(&format!("v{header} -> v{body} [label=\"1\" weight=4"));
        let exit = position(&format!("v{header} -> v{after} ["));
        let line = text[exit..].lines().next().expect("a line");
        assert!(line.contains("weight=0"), "{line}");
        position(&format!("v{end} -> v{after} [style=invis"));
    }
    // Arms in the order of their labels; their ends say which they are, those of bodies do not.
    assert!(position("v4 -> v5 [label=\"0\"]") < position("v4 -> v6 [label=\"1\"]"));
    position("v5 -> v7 [label=\"0\" fontcolor");
    position("v6 -> v7 [label=\"1\" fontcolor");
    position("v7 -> v8\n");
    // There is no cycle.
    let mut above: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for line in text.lines().filter(|l| l.contains(" -> ")) {
        let id = |t: &str| {
            t.trim()
                .trim_start_matches('v')
                .parse::<i64>()
                .expect("an id")
        };
        let (from, rest) = line.split_once(" -> ").expect("an edge");
        let to = rest.split(['[', ' ']).next().expect("a target");
        above.entry(id(to)).or_default().push(id(from));
    }
    let mut done: Vec<i64> = vec![1];
    for _ in 0..13 {
        for v in 2..=13 {
            let ready = above[&v].iter().all(|u| done.contains(u));
            if ready && !done.contains(&v) {
                done.push(v);
            }
        }
    }
    assert_eq!(done.len(), 13, "{text}");
}

/// A branch in a loop, with a loop in each arm. The arms come in the wrong order; vertices 4 to 6 are arm 1, 7 to 9
/// arm 0.
fn loops_in_two_arms() -> Program {
    let cfg = listed(
        "Elclb)lb)])X",
        &[
            (1, 2, -1),
            (2, 3, 1),
            (3, 4, 1),
            (3, 7, 0),
            (4, 5, 1),
            (5, 6, -1),
            (6, 4, -1),
            (4, 10, -1),
            (7, 8, 1),
            (8, 9, -1),
            (9, 7, -1),
            (7, 10, -1),
            (10, 11, -1),
            (11, 2, -1),
            (2, 12, -1),
        ],
    );
    program(Routine {
        body: Some(cfg),
        ..Routine::default()
    })
}

/// The x coordinates of the points that Graphviz gives to all edges between some vertices.
fn across(plain: &str, vertices: std::ops::RangeInclusive<i64>) -> Vec<f64> {
    let is_inside = |name: &str| {
        let id = name.strip_prefix('v').and_then(|id| id.parse().ok());
        id.is_some_and(|id: i64| vertices.contains(&id))
    };
    let mut found = Vec::new();
    for line in plain.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let ["edge", from, to, count, points @ ..] = &words[..] else {
            continue;
        };
        if is_inside(from) && is_inside(to) {
            let count: usize = count.parse().expect("a number");
            let xs = points[..2 * count].iter().step_by(2);
            found.extend(xs.map(|x| x.parse::<f64>().expect("a coordinate")));
        }
    }
    found
}

/// Two loops in the two arms of a branch stand beside each other, label 0 on the left, whether or not loops are
/// clusters.
#[test]
fn loops_in_the_arms_of_a_branch_are_not_drawn_across_each_other() {
    let Some(dot) = cfg_testkit::needs::tool("dot") else {
        return;
    };
    let plain = DotOptions::default();
    for options in [plain, CLUSTERS] {
        let mut command = std::process::Command::new(&dot);
        let pipe = std::process::Stdio::piped;
        let command = command.arg("-Tplain").stdin(pipe()).stdout(pipe());
        let mut process = command.spawn().expect("Graphviz runs");
        let mut input = process.stdin.take().expect("it is piped");
        let text = draw(&loops_in_two_arms(), &options);
        std::io::Write::write_all(&mut input, text.as_bytes()).expect("it reads");
        drop(input);
        let output = process.wait_with_output().expect("it ends");
        let drawn = String::from_utf8(output.stdout).expect("UTF-8");
        let (left, right) = (across(&drawn, 7..=9), across(&drawn, 4..=6));
        assert!(left.len() > 9 && right.len() > 9, "{drawn}");
        let rightmost = left.iter().copied().fold(f64::MIN, f64::max);
        let leftmost = right.iter().copied().fold(f64::MAX, f64::min);
        assert!(rightmost < leftmost, "{rightmost} {leftmost}: {drawn}");
    }
}

/// Where loops are clusters, labels of arms stand in a row, and edges go through them.
#[test]
fn arms_of_branches_in_clusters_stand_in_a_row() {
    let text = draw(&loops_in_two_arms(), &CLUSTERS);
    golden("arms", &text);
    let (nodes, _) = nodes(&parse(&text));
    for (edge, label, head) in [(2, "\"1\"", "v4"), (3, "\"0\"", "v7")] {
        assert_eq!(nodes[&format!("e{edge}")]["label"], label);
        assert!(text.contains(&format!("v3 -> e{edge} [dir=none")), "{text}");
        assert!(text.contains(&format!("e{edge} -> {head} [")), "{text}");
    }
    let row = text.find("rank=same").expect("a row");
    assert!(text[row..].contains("e3 -> e2 [style=invis]"), "{text}");
}

/// The fill of a node, or that of all.
fn fill<'a>(nodes: &'a BTreeMap<String, BTreeMap<String, String>>, name: &str) -> Option<&'a str> {
    nodes[name].get("fillcolor").map(String::as_str)
}

#[test]
fn pushes_and_pops_have_colours_of_their_own() {
    let mut r = variables("f");
    let real = TapeClass::Real;
    let pop = |class, v| {
        Stmt::new(StmtKind::Pop {
            tape: VarId::new(TAPE),
            class,
            target: Place::whole(VarId::new(v)),
        })
    };
    let copy = |id| Some((OriginRole::Copy, id));
    let vertices = vec![
        (1, VertexKind::Entry, copy(1)),
        (2, push(real, var(I)), copy(2)),
        (3, push(real, var(I)), Some((OriginRole::ValueSave, 2))),
        (4, VertexKind::Block(vec![pop(real, I)]), copy(4)),
        (
            5,
            VertexKind::Block(vec![set(I, Expr::Int(1))]),
            Some((OriginRole::CounterInit, 4)),
        ),
        (6, VertexKind::Block(vec![set(I, Expr::Int(1))]), copy(6)),
        (7, VertexKind::Exit, copy(7)),
    ];
    let edges = [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)];
    graph(&mut r, vertices, &edges.map(|(a, b)| (a, b, None)));
    let options = DotOptions {
        legend: true,
        ..DotOptions::default()
    };
    let text = draw(&program(r), &options);
    let (nodes, _) = nodes(&parse(&text));
    let fills = ["v2", "v4", "v5", "v6"].map(|v| fill(&nodes, v));
    for (i, one) in fills.iter().enumerate() {
        assert!(!fills[..i].contains(one), "{text}");
    }
    assert_eq!(fill(&nodes, "v3"), fills[0]);
    assert_eq!(
        ["pushes", "pops", "inserted"].map(|name| fill(&nodes, &format!("legend_{name}"))),
        [fills[0], fills[1], fills[2]]
    );
    let dashed = |v: &str| nodes[v].get("style").is_some_and(|s| s.contains("dashed"));
    assert!(dashed("v3") && !dashed("v2"), "{text}");
}

/// With pairs, a vertex, its copy and its adjoint have one tint, and others have others.
#[test]
fn a_vertex_and_its_reverse_share_a_tint() {
    let adjoint = |id: i64, kind| (-id, kind, Some((OriginRole::Adjoint, id)));
    let mut r = variables("f_rev");
    let vertices = vec![
        adjoint(12, VertexKind::Entry),
        adjoint(11, VertexKind::Block(vec![])),
        adjoint(2, VertexKind::Block(vec![])),
        adjoint(1, VertexKind::Exit),
    ];
    graph(
        &mut r,
        vertices,
        &[(-12, -11, None), (-11, -2, None), (-2, -1, None)],
    );
    let options = DotOptions {
        pairs: true,
        ..DotOptions::default()
    };
    let drawn = [paper_example(), paper_forward(), program(r)]
        .map(|program| nodes(&parse(&draw(&program, &options))).0);
    let [original, forward, reverse] = &drawn;
    let mut tints = Vec::new();
    for id in 1..=12 {
        let name = format!("v{id}");
        let tint = fill(original, &name).expect("a tint");
        assert_eq!(fill(forward, &name), Some(tint));
        if let Some(attributes) = reverse.get(&format!("m{id}")) {
            assert_eq!(attributes["fillcolor"], tint);
        }
        assert!(!tints.contains(&tint), "{id}: {tint}");
        tints.push(tint);
    }
    assert!(!tints.contains(&fill(forward, "v14").expect("a fill")));
}

#[test]
fn cases_stand_at_the_edges() {
    let range = |lower, upper| CaseRange { lower, upper };
    let arms = [
        (7, vec![], true),
        (
            3,
            vec![range(Some(1), Some(1)), range(Some(4), None)],
            false,
        ),
        (-1, vec![range(None, Some(-5))], false),
    ]
    .map(|(label, cases, default)| Arm {
        label,
        cases: cases.into(),
        default,
    });
    let mut r = variables("f");
    let value = var(I);
    let select = Selector::Cases {
        value,
        arms: arms.into(),
    };
    let vertices = vec![
        (1, VertexKind::Entry, None),
        (2, VertexKind::Branch(Box::new(select)), None),
        (3, VertexKind::EndBranch, None),
        (4, VertexKind::Exit, None),
    ];
    let edges = [
        (1, 2, None),
        (2, 3, Some(7)),
        (2, 3, Some(3)),
        (2, 3, Some(-1)),
        (3, 4, None),
    ];
    graph(&mut r, vertices, &edges);
    let text = draw(&program(r), &DotOptions::default());
    let labels: Vec<&str> = text.lines().filter(|l| l.contains("v2 -> v3")).collect();
    assert_eq!(labels.len(), 3);
    for (line, label) in labels.iter().zip(["-1: ..-5", "3: 1, 4..", "7: default"]) {
        assert!(line.contains(&format!("\"{label}")), "{line}");
    }
    assert!(text.contains("\"2: select i"), "{text}");
}

#[test]
fn a_legend_has_what_the_picture_has() {
    let legend = DotOptions {
        legend: true,
        ..DotOptions::default()
    };
    let text = draw(&two_loops_in_a_row(), &legend);
    let (nodes, _) = nodes(&parse(&text));
    for name in [
        "entry",
        "exit",
        "loop",
        "endloop",
        "branch",
        "endbranch",
        "from",
        "to",
    ] {
        assert!(
            nodes.contains_key(&format!("legend_{name}")),
            "{name}: {text}"
        );
    }
    for name in ["forloop", "inserted"] {
        assert!(
            !nodes.contains_key(&format!("legend_{name}")),
            "{name}: {text}"
        );
    }
    let text = draw(&paper_forward(), &legend);
    assert!(text.contains("legend_inserted"), "{text}");
}

#[test]
fn panels_stand_in_one_picture() {
    let (original, forward) = (paper_example(), paper_forward());
    let panels =
        [("original", &original), ("forward \"sweep\"", &forward)].map(|(title, program)| Panel {
            title,
            program,
            routine: RoutineId::new(0),
        });
    let mut text = String::new();
    let options = DotOptions {
        clusters: true,
        legend: true,
        ..DotOptions::default()
    };
    write_panels(&mut text, &panels, &options).expect("a String takes everything");
    let (nodes, _) = nodes(&parse(&text));
    assert!(
        nodes.contains_key("p0_v12") && nodes.contains_key("p1_v17"),
        "{text}"
    );
    assert!(
        text.contains("subgraph cluster_p0 ") && text.contains("cluster_p1_v4"),
        "{text}"
    );
    assert!(text.contains(r#"forward \"sweep\""#), "{text}");
}
