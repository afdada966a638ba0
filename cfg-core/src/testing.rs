//! Graphs for unit tests: from a shorthand, from lists, at random.

use crate::{
    builder::{RoutineBuilder, expr::*},
    entity::{VarId, VertexId},
    ir::{
        Arm, CaseRange, Cfg, Edge, Expr, LoopTest, Routine,
        ScalarType::{Integer, Real},
        Selector, Vertex, VertexKind,
    },
};

/// A small deterministic generator (xorshift64*, S. Vigna 2016).
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % n
    }
}

/// A vertex of the type that the letter stands for: E(ntry), X (exit), b(lock), l(oop), `)` ENDLOOP,
/// c (two-way branch), s (multi-way branch with labels 1, 2, ...), `]` ENDBRANCH.
pub(crate) fn vertex(id: i64, letter: char) -> Vertex {
    Vertex::new(
        id,
        match letter {
            'E' => VertexKind::Entry,
            'X' => VertexKind::Exit,
            'b' => VertexKind::Block(Vec::new()),
            'l' => VertexKind::loop_on(LoopTest::Pre(Expr::Logical(false))),
            ')' => VertexKind::EndLoop,
            'c' => VertexKind::branch_on(Expr::Logical(true)),
            's' => VertexKind::Branch(Box::new(Selector::Cases {
                value: Expr::Int(1),
                arms: Box::default(),
            })),
            ']' => VertexKind::EndBranch,
            other => panic!("no vertex type {other}"),
        },
    )
}

/// Vertices numbered from 1, and edges `from, to, label`; label -1 is none. The arms of `s` vertices
/// are made from their edges.
pub(crate) fn graph(letters: &str, edges: &[(usize, usize, i64)]) -> Cfg {
    let mut vertices: Vec<Vertex> = (1..)
        .zip(letters.chars())
        .map(|(i, c)| vertex(i, c))
        .collect();
    for (v, vertex) in vertices.iter_mut().enumerate() {
        if let VertexKind::Branch(selector) = &mut vertex.kind
            && let Selector::Cases { arms, .. } = &mut **selector
        {
            *arms = edges
                .iter()
                .filter(|e| e.0 == v + 1)
                .map(|e| Arm {
                    label: e.2,
                    cases: Box::new([CaseRange {
                        lower: Some(e.2),
                        upper: Some(e.2),
                    }]),
                    default: false,
                })
                .collect();
        }
    }
    let edges = edges
        .iter()
        .map(|&(from, to, label)| {
            let label = (label >= 0).then_some(label);
            Edge::new(VertexId::new(from - 1), VertexId::new(to - 1), label)
        })
        .collect();
    Cfg::new(vertices, edges).expect("edges of a test graph are in range")
}

/// The graph of a shorthand: `b` block, `l(...)` loop, `[...|...|...]` branch; two arms make it
/// two-way. Vertices are numbered in the order of the text, ENTRY first.
pub(crate) fn nested(text: &str) -> Cfg {
    let mut letters = String::from("E");
    let mut edges: Vec<(usize, usize, i64)> = Vec::new();
    // The edges to the next vertex, as sources with labels; several at the end of a branch.
    let mut from = vec![(1usize, -1i64)];
    enum Open {
        Loop(usize),
        Branch {
            header: usize,
            arms: i64,
            ends: Vec<(usize, i64)>,
        },
    }
    let mut open = Vec::new();
    let mut two_way = Vec::new();
    for c in text.chars() {
        if c == '(' || c.is_whitespace() {
            continue;
        }
        if c == '|' {
            let Some(Open::Branch { header, arms, ends }) = open.last_mut() else {
                panic!("| outside a branch")
            };
            ends.append(&mut from);
            *arms += 1;
            from.push((*header, *arms));
            continue;
        }
        let id = letters.len() + 1;
        let letter = match c {
            '[' => 's',
            other => other,
        };
        letters.push(letter);
        if let (']', Some(Open::Branch { header, arms, ends })) = (c, open.last_mut()) {
            ends.append(&mut from);
            from.append(ends);
            if *arms == 2 {
                two_way.push(*header);
            }
        }
        for (source, label) in from.drain(..) {
            edges.push((source, id, label));
        }
        from.push((id, -1));
        match c {
            'l' => {
                from[0].1 = 1;
                open.push(Open::Loop(id));
            }
            ')' => {
                let Some(Open::Loop(header)) = open.pop() else {
                    panic!(") without a loop")
                };
                edges.push((id, header, -1));
                from[0] = (header, -1);
            }
            '[' => {
                from[0].1 = 1;
                open.push(Open::Branch {
                    header: id,
                    arms: 1,
                    ends: Vec::new(),
                });
            }
            ']' => {
                open.pop();
            }
            _ => {}
        }
    }
    letters.push('X');
    for (source, label) in from.drain(..) {
        edges.push((source, letters.len(), label));
    }
    // Two-way branches have labels 1 and 0.
    let mut kinds: Vec<char> = letters.chars().collect();
    for &header in &two_way {
        kinds[header - 1] = 'c';
    }
    for e in &mut edges {
        if kinds[e.0 - 1] == 'c' && e.2 == 2 {
            e.2 = 0;
        }
    }
    graph(&kinds.into_iter().collect::<String>(), &edges)
}

/// A random shorthand for [`nested`] with about `size` vertices.
pub(crate) fn random_nesting(rng: &mut Rng, size: usize) -> String {
    let mut text = String::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    for _ in 0..size {
        match rng.below(10) {
            0..3 => text.push('b'),
            3 | 4 => {
                text.push_str("l(");
                open.push((')', 0));
            }
            5 => {
                text.push('[');
                open.push((']', 1 + rng.below(3)));
            }
            _ => match open.last_mut() {
                Some((']', left)) if *left > 0 => {
                    *left -= 1;
                    text.push('|');
                }
                Some((end, _)) => {
                    text.push(*end);
                    open.pop();
                }
                None => text.push('b'),
            },
        }
    }
    while let Some((end, left)) = open.pop() {
        for _ in 0..left {
            text.push('|');
        }
        text.push(end);
    }
    text
}

/// A random routine over a few integers and an array, with all kinds of loops; with all variables
/// assigned at the start or not.
pub(crate) fn random_routine(rng: &mut Rng, length: usize, initialised: bool) -> Routine {
    let mut f = RoutineBuilder::new("f");
    let mut vars: Vec<VarId> = vec![
        f.input("a", Integer),
        f.output("b", Integer),
        f.inout("c", Integer),
    ];
    for i in 0..4 {
        vars.push(f.local(format!("l{i}"), Integer));
    }
    let array = f.local("array", Real.array([3]));
    if initialised {
        for &v in &vars[1..] {
            f.assign(v, 1);
        }
        f.assign(array, 1.0);
    }
    let mut open = Vec::new();
    for _ in 0..length {
        let v = vars[1 + rng.below(vars.len() - 1)];
        let w = vars[rng.below(vars.len())];
        match rng.below(14) {
            0..5 => f.assign(v, w + vars[rng.below(vars.len())]),
            5 => f.assign(array.at(w), real(v)),
            6 => f.assign(v, size(array, 1)),
            7 => {
                f.begin_while(lt(w, 3));
                open.push('w');
            }
            8 => {
                f.begin_repeat();
                open.push('r');
            }
            9 => {
                f.begin_for(v, w, 3, 1);
                open.push('w');
            }
            10 => {
                f.begin_if(lt(w, 3));
                open.push('i');
            }
            11 => f.block(),
            _ => close(&mut f, &mut open, w),
        }
    }
    while !open.is_empty() {
        close(&mut f, &mut open, vars[0]);
    }
    f.finish().unwrap()
}

fn close(f: &mut RoutineBuilder, open: &mut Vec<char>, w: VarId) {
    match open.pop() {
        Some('w') => f.end_loop(),
        Some('r') => f.end_repeat(lt(w, 3)),
        Some('i') => {
            f.begin_else();
            open.push('e');
        }
        Some(_) => f.end_if(),
        None => {}
    }
}
