//! Layouts are run beside their graphs: both pass the same blocks and ask the same branches.

use super::*;
use crate::testing::{Rng, graph as listed};

/// An event of a run: passing a block, or asking a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Block(VertexId),
    Asked(VertexId),
    Exit,
}

/// The most events of a run; many graphs have loops without an end.
const LONGEST: usize = 200;

/// The answer of a branch when it is asked as the `k`th one of a run.
fn answer(seed: u64, k: usize, ways: usize) -> usize {
    Rng::new(seed.wrapping_mul(1_000).wrapping_add(k as u64)).below(ways)
}

/// The labels of a branch in the order in which a layout has its arms; for a condition, no and yes.
fn labels(cfg: &Cfg, v: VertexId) -> Vec<i64> {
    match cfg.vertex(v).kind.selector() {
        Some(Selector::Cases { arms, .. }) => {
            let (last, first): (Vec<_>, Vec<_>) = arms.iter().partition(|arm| arm.default);
            first.iter().chain(&last).map(|arm| arm.label).collect()
        }
        Some(Selector::Condition(_)) => vec![0, 1],
        None => Vec::new(),
    }
}

fn walk(cfg: &Cfg, seed: u64) -> Vec<Event> {
    let (mut events, mut asked) = (Vec::new(), 0);
    let mut at = cfg.entry().unwrap();
    while events.len() < LONGEST {
        let ways = labels(cfg, at);
        let label = if ways.is_empty() {
            None
        } else {
            events.push(Event::Asked(at));
            asked += 1;
            Some(ways[answer(seed, asked - 1, ways.len())])
        };
        match cfg.vertex(at).kind {
            crate::ir::VertexKind::Exit => {
                events.push(Event::Exit);
                return events;
            }
            crate::ir::VertexKind::Block(_) => events.push(Event::Block(at)),
            _ => {}
        }
        let e = (cfg.out_edges(at).iter()).find(|e| cfg.edge(**e).label == label);
        at = cfg.edge(*e.unwrap()).to;
    }
    events
}

/// The positions where the block that begins at a step ends, and where its other parts begin.
fn blocks(steps: &[Step]) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new(); steps.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Loop(_) | Step::If(..) | Step::Switch(_) => open.push(at),
            Step::Else | Step::Arm => parts[*open.last().unwrap()].push(at),
            Step::EndLoop(_) | Step::EndIf | Step::EndSwitch(_) => {
                parts[open.pop().unwrap()].push(at);
            }
            Step::Vertex(_) | Step::Decide(_) | Step::EndArm | Step::Jump(..) => {}
        }
    }
    assert!(open.is_empty(), "{steps:?}");
    parts
}

fn run(cfg: &Cfg, steps: &[Step], seed: u64) -> Vec<Event> {
    let parts = blocks(steps);
    let (mut events, mut asked) = (Vec::new(), 0);
    let mut ask = |events: &mut Vec<Event>, v: VertexId| {
        let ways = labels(cfg, v).len();
        events.push(Event::Asked(v));
        asked += 1;
        answer(seed, asked - 1, ways)
    };
    // The blocks around each step, inner ones last.
    let mut around: Vec<Vec<usize>> = Vec::new();
    let mut open = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        around.push(open.clone());
        match step {
            Step::Loop(_) | Step::If(..) | Step::Switch(_) => open.push(at),
            Step::EndLoop(_) | Step::EndIf | Step::EndSwitch(_) => drop(open.pop()),
            _ => {}
        }
    }
    let place = |v: VertexId| steps.iter().position(|s| *s == Step::Vertex(v)).unwrap();
    let mut at = 0;
    while events.len() < LONGEST {
        at = match steps[at] {
            Step::Vertex(v) => {
                match cfg.vertex(v).kind {
                    crate::ir::VertexKind::Block(_) => events.push(Event::Block(v)),
                    crate::ir::VertexKind::Exit => {
                        events.push(Event::Exit);
                        assert_eq!(at, steps.len() - 1, "EXIT is the last");
                        return events;
                    }
                    _ => {}
                }
                at + 1
            }
            Step::Decide(v) => {
                ask(&mut events, v);
                at + 1
            }
            Step::Loop(Test::Before(v, goes_on)) => match (ask(&mut events, v) == 1) == goes_on {
                true => at + 1,
                false => parts[at][0] + 1,
            },
            Step::Loop(_) => at + 1,
            Step::EndLoop(test) => {
                let begin = *around[at].last().unwrap();
                assert_eq!(steps[begin], Step::Loop(test));
                match test {
                    Test::Behind(v, goes_on) if (ask(&mut events, v) == 1) != goes_on => at + 1,
                    _ => begin,
                }
            }
            Step::If(v, value) => match (ask(&mut events, v) == 1) == value {
                true => at + 1,
                false => parts[at][0] + 1,
            },
            Step::Else => parts[*around[at].last().unwrap()][1] + 1,
            Step::EndIf | Step::EndSwitch(_) => at + 1,
            Step::Switch(v) => parts[at][ask(&mut events, v)] + 1,
            Step::Arm => panic!("an arm falls into the next one"),
            Step::EndArm => *parts[*around[at].last().unwrap()].last().unwrap() + 1,
            Step::Jump(to, jump) => {
                let is_loop = |b: &&usize| matches!(steps[**b], Step::Loop(_));
                let begin = |level: usize| {
                    *around[at]
                        .iter()
                        .rev()
                        .filter(is_loop)
                        .nth(level - 1)
                        .unwrap()
                };
                match jump {
                    Jump::Break(level) => parts[begin(level)][0] + 1,
                    Jump::Continue(level) => begin(level),
                    Jump::Goto => place(to),
                }
            }
        };
    }
    events
}

/// A graph of blocks and branches with any edges.
fn any_graph(rng: &mut Rng) -> Cfg {
    let n = 3 + rng.below(12);
    let mut letters = String::from("E");
    let mut edges = vec![(1, 2 + rng.below(n - 2), -1)];
    for v in 2..n {
        let to = |rng: &mut Rng| match rng.below(3) {
            0 => 2 + rng.below(n - 1),
            _ => (v + 1 + rng.below(3)).min(n),
        };
        match rng.below(5) {
            0 | 1 => {
                letters.push('b');
                edges.push((v, to(rng), -1));
            }
            2 | 3 => {
                letters.push('c');
                edges.extend([(v, to(rng), 1), (v, to(rng), 0)]);
            }
            _ => {
                letters.push('s');
                for label in 1..=2 + rng.below(3) as i64 {
                    edges.push((v, to(rng), label));
                }
            }
        }
    }
    letters.push('X');
    listed(&letters, &edges)
}

#[test]
fn layouts_do_what_their_graphs_do() {
    let mut rng = Rng::new(7);
    let (mut breaks, mut continues, mut jumps, mut behind, mut before) = (0, 0, 0, 0, 0);
    for _ in 0..3_000 {
        let cfg = any_graph(&mut rng);
        let steps = Layout::build(&cfg).steps;
        for step in &steps {
            match step {
                Step::Jump(_, Jump::Break(_)) => breaks += 1,
                Step::Jump(_, Jump::Continue(_)) => continues += 1,
                Step::Jump(_, Jump::Goto) => jumps += 1,
                Step::EndLoop(Test::Before(..)) => before += 1,
                Step::EndLoop(Test::Behind(..)) => behind += 1,
                _ => {}
            }
        }
        for seed in 0..4 {
            let (expected, found) = (walk(&cfg, seed), run(&cfg, &steps, seed));
            assert_eq!(found, expected, "{steps:#?}");
        }
    }
    let drawn = [breaks, continues, jumps, behind, before];
    assert!(drawn.iter().all(|n| *n > 100), "{drawn:?}");
}

/// The steps in a line: numbers are vertices.
fn line(cfg: &Cfg) -> String {
    let id = |v: VertexId| cfg.vertex(v).id;
    let test = |test: Test| match test {
        Test::Endless => "endless".to_owned(),
        Test::Before(v, goes_on) => format!("while {}={goes_on}", id(v)),
        Test::Behind(v, goes_on) => format!("until {}!={goes_on}", id(v)),
    };
    let words = Layout::build(cfg).steps.into_iter().map(|step| match step {
        Step::Vertex(v) => id(v).to_string(),
        Step::Loop(t) => format!("({}:", test(t)),
        Step::EndLoop(_) => ")".to_owned(),
        Step::Decide(v) => format!("decide {}", id(v)),
        Step::If(v, value) => format!("[{}={value}:", id(v)),
        Step::Else => "|".to_owned(),
        Step::EndIf | Step::EndSwitch(_) => "]".to_owned(),
        Step::Switch(v) => format!("[{}:", id(v)),
        Step::Arm => "|".to_owned(),
        Step::EndArm => ".".to_owned(),
        Step::Jump(v, Jump::Goto) => format!("goto {}", id(v)),
        Step::Jump(_, Jump::Break(k)) => format!("break {k}"),
        Step::Jump(_, Jump::Continue(k)) => format!("continue {k}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The forms that people would write: each loop with its own test, ways out of a loop in arms that end, no jump where
/// an arm or a break will do.
#[test]
fn layouts_read_as_people_write() {
    for (letters, edges, expected) in [
        (
            "EbcbX",
            &[(1, 2, -1), (2, 3, -1), (3, 4, 0), (4, 3, -1), (3, 5, 1)][..],
            "1 2 3 (while 3=false: 4 ) 5",
        ),
        // A loop tested before, one tested behind.
        (
            "EbcbX",
            &[(1, 2, -1), (2, 3, -1), (3, 4, 1), (4, 3, -1), (3, 5, 0)][..],
            "1 2 3 (while 3=true: 4 ) 5",
        ),
        (
            "EbbcbX",
            &[
                (1, 2, -1),
                (2, 3, -1),
                (3, 4, -1),
                (4, 3, 1),
                (4, 5, 0),
                (5, 6, -1),
            ],
            "1 2 (until 4!=true: 3 4 ) 5 6",
        ),
        (
            "EbbcbX",
            &[
                (1, 2, -1),
                (2, 3, -1),
                (3, 4, -1),
                (4, 5, 1),
                (4, 3, 0),
                (5, 6, -1),
            ],
            "1 2 (until 4!=false: 3 4 ) 5 6",
        ),
        // A test alone.
        (
            "EbcbX",
            &[(1, 2, -1), (2, 3, -1), (3, 3, 1), (3, 4, 0), (4, 5, -1)],
            "1 2 3 (while 3=true: ) 4 5",
        ),
        // Two ways out: the one with more vertices stands behind the loop, not the first one.
        (
            "EccbbbbbX",
            &[
                (1, 2, -1),
                (2, 3, 1),
                (2, 5, 0),
                (3, 6, 1),
                (3, 4, 0),
                (4, 2, -1),
                (5, 9, -1),
                (6, 7, -1),
                (7, 8, -1),
                (8, 9, -1),
            ],
            "1 (endless: 2 [2=false: 5 goto 9 ] 3 [3=true: break 1 ] 4 ) 6 7 8 9",
        ),
        // A loop in a loop that is left by one level and by two.
        (
            "EccccbbX",
            &[
                (1, 2, -1),
                (2, 3, 1),
                (2, 8, 0),
                (3, 4, 1),
                (3, 2, 0),
                (4, 2, 1),
                (4, 5, 0),
                (5, 7, 1),
                (5, 6, 0),
                (6, 3, -1),
                (7, 8, -1),
            ],
            "1 (endless: 2 [2=false: goto 8 ] 3 (while 3=true: 4 [4=true: break 1 ] 5 [5=true: break 2 ] 6 ) ) 7 8",
        ),
        // Two ways back: the test at the end is no longer the only one.
        (
            "EbccbX",
            &[
                (1, 2, -1),
                (2, 3, -1),
                (3, 2, 1),
                (3, 4, 0),
                (4, 2, 1),
                (4, 5, 0),
                (5, 6, -1),
            ],
            "1 (endless: 2 3 [3=false: 4 [4=false: break 1 ] ] ) 5 6",
        ),
        // A search: the arm for an element that is found ends outside of the loop.
        (
            "EbccbbX",
            &[
                (1, 2, -1),
                (2, 3, -1),
                (3, 4, 1),
                (3, 7, 0),
                (4, 6, 1),
                (4, 5, 0),
                (5, 3, -1),
                (6, 7, -1),
            ],
            "1 2 (endless: 3 [3=false: goto 7 ] 4 [4=true: break 1 ] 5 ) 6 7",
        ),
        // An arm that is empty, two arms that meet, a branch that decides nothing.
        (
            "EcbbccbX",
            &[
                (1, 2, -1),
                (2, 3, 1),
                (2, 4, 0),
                (3, 5, -1),
                (4, 5, -1),
                (5, 6, 1),
                (5, 6, 0),
                (6, 7, 1),
                (6, 8, 0),
                (7, 8, -1),
            ],
            "1 2 [2=true: 3 | 4 ] 5 decide 5 6 [6=true: 7 ] 8",
        ),
        // The arms of a switch stand in it, as far as nothing else leads to them.
        (
            "EsbbbbX",
            &[
                (1, 2, -1),
                (2, 3, 1),
                (2, 4, 2),
                (2, 5, 3),
                (2, 6, 4),
                (3, 6, -1),
                (4, 6, -1),
                (5, 7, -1),
                (6, 7, -1),
            ],
            "1 2 [2: | 3 . | 4 . | 5 goto 7 . | . ] 6 7",
        ),
    ] {
        assert_eq!(line(&listed(letters, edges)), expected);
    }
}

/// An arm beyond the limit of open blocks is a jump; arms within the limit are none.
#[test]
fn what_is_too_deep_is_jumps() {
    for (depth, jumps) in [(DEEPEST, 0), (DEEPEST + 1, 2), (DEEPEST + 5, 10)] {
        // Each branch stands in an arm of the one before, and all arms meet at the end.
        let mut letters = String::from("E");
        let mut edges = vec![(1, 2, -1)];
        for k in 0..depth {
            let v = 2 + 2 * k;
            letters.push_str("cb");
            edges.extend([(v, v + 2, 1), (v, v + 1, 0), (v + 1, 2 * depth + 2, -1)]);
        }
        letters.push('X');
        let cfg = listed(&letters, &edges);
        let steps = Layout::build(&cfg).steps;
        let found = (steps.iter())
            .filter(|s| matches!(s, Step::Jump(_, Jump::Goto)))
            .count();
        assert_eq!(found, jumps, "{depth}: {}", line(&cfg));
        for seed in 0..20 {
            assert_eq!(run(&cfg, &steps, seed), walk(&cfg, seed));
        }
    }
}

/// A vertex to which a way out of many loops leads stands behind the outermost one of the innermost `LEVELS`.
#[test]
fn loops_that_are_left_on_both_sides_of_the_limit() {
    for (loops, header) in [(LEVELS, 1), (LEVELS + 1, 2)] {
        // Headers, the only branch that leaves them, the ways back, inner ones first, and the vertices behind.
        let branch = 2 + loops;
        let behind = branch + loops + 1;
        let letters = format!("E{}{}bbX", "b".repeat(loops), "c".repeat(loops));
        let mut edges = vec![
            (1, 2, -1),
            (branch, behind, 1),
            (branch, branch + 1, 0),
            (behind - 1, 2, -1),
            (behind, behind + 1, -1),
        ];
        edges.extend((2..branch).map(|v| (v, v + 1, -1)));
        for k in 1..loops {
            let back = branch + k;
            edges.extend([(back, branch - k, 1), (back, back + 1, 0)]);
        }
        let cfg = listed(&letters, &edges);
        let writer = Writer::new(&cfg, cfg.entry().unwrap());
        let behind = Some(VertexId::new(behind - 1));
        let found = writer.follower.iter().position(|&v| v == behind);
        assert_eq!(found, Some(header), "{loops}");
    }
}

/// The arms of a switch that is too deep stand behind it, the first one right there.
#[test]
fn arms_of_switches_that_are_too_deep_stand_behind_them() {
    for (depth, expected) in [(DEEPEST - 2, &[][..]), (DEEPEST - 1, &[2, 3, 4, 4])] {
        let (switch, exit) = (2 + 2 * depth, 2 * depth + 6);
        let mut letters = String::from("E");
        let mut edges = vec![(1, 2, -1)];
        for k in 0..depth {
            let v = 2 + 2 * k;
            letters.push_str("cb");
            edges.extend([(v, v + 2, 1), (v, v + 1, 0), (v + 1, exit, -1)]);
        }
        letters.push_str("sbbbX");
        for k in 1..4 {
            edges.extend([(switch, switch + k, k as i64), (switch + k, exit, -1)]);
        }
        let cfg = listed(&letters, &edges);
        let steps = Layout::build(&cfg).steps;
        let jumps = steps.iter().filter_map(|step| match step {
            Step::Jump(v, Jump::Goto) => Some(v.index() + 1 - switch),
            _ => None,
        });
        let jumps: Vec<usize> = jumps.collect();
        // To the second arm and the third one, and from the end of the first and the second to EXIT.
        assert_eq!(jumps, expected);
        for seed in 0..20 {
            assert_eq!(run(&cfg, &steps, seed), walk(&cfg, seed));
        }
    }
}
