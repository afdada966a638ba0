//! Every kind of statement, vertex, decision, expression, subscript and type is read, parsed, built and drawn.
//!
//! The numbers below come from matches without a wildcard: whoever adds a variant is led here by the compiler, gives
//! it a number and counts it in `ALL`; then these tests fail until each way to make a program makes one of that kind.

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::VertexId,
    ir::{
        ControlWidth, Dim, Expr, Extent, IntType, LoopForm, LoopTest, Place, PointerType, Program,
        Range, Role, Routine, ScalarType, Selector, Stmt, StmtKind, Subscript, TapeClass, Variable,
        Vertex, VertexKind,
        visit::{self, PlaceRole, Visit},
    },
};
use cfg_format::{json, text};
use cfg_testkit::{
    general,
    generate::{Options, dressed, generate},
    pointers, records,
};
use std::collections::BTreeSet;

/// The variants in a program, by name of the enum and number.
#[derive(Default)]
struct Found(BTreeSet<(&'static str, usize)>);

/// Each enum with the number of its variants.
const ALL: [(&str, usize); 11] = [
    ("statement", 9),
    ("vertex", 7),
    ("form", 2),
    ("test", 3),
    ("selector", 2),
    ("expression", 8),
    ("subscript", 4),
    ("type", 14),
    ("extent", 2),
    ("role", 3),
    ("class", 6),
];

impl Found {
    fn count(program: &Program) -> Self {
        let mut found = Self::default();
        found.add(program);
        found
    }

    fn add(&mut self, program: &Program) {
        for routine in &program.routines {
            self.visit_routine(routine);
        }
    }

    fn note(&mut self, what: &'static str, number: usize) {
        let counted = ALL.iter().any(|&(name, n)| name == what && number < n);
        assert!(counted, "{what} {number} is not counted in ALL");
        self.0.insert((what, number));
    }

    /// The variants that are missing, except those in `but`.
    fn missing(&self, but: &[(&str, usize)]) -> Vec<(&'static str, usize)> {
        let all = ALL
            .iter()
            .flat_map(|&(what, n)| (0..n).map(move |k| (what, k)));
        all.filter(|x| !self.0.contains(x) && !but.contains(x))
            .collect()
    }
}

impl<'ir> Visit<'ir> for Found {
    fn visit_routine(&mut self, routine: &'ir Routine) {
        for variable in &routine.variables {
            self.note(
                "type",
                match variable.ty {
                    ScalarType::Real => 0,
                    ScalarType::Real32 => 1,
                    ScalarType::Integer => 2,
                    ScalarType::Logical => 3,
                    ScalarType::Tape => 4,
                    ScalarType::Sized(ty) => 5 + ty as usize,
                    ScalarType::Record(_) => 12,
                    ScalarType::Pointer(_) => 13,
                },
            );
            self.note(
                "role",
                match variable.role {
                    Role::Parameter { .. } => 0,
                    Role::Local => 1,
                    Role::Global(_) => 2,
                },
            );
            for dim in &variable.shape {
                self.note(
                    "extent",
                    match dim.extent {
                        Extent::Fixed(_) => 0,
                        Extent::Deferred => 1,
                    },
                );
            }
        }
        visit::walk_routine(self, routine);
    }

    fn visit_vertex(&mut self, _: VertexId, vertex: &'ir Vertex) {
        let number = match &vertex.kind {
            VertexKind::Entry => 0,
            VertexKind::Exit => 1,
            VertexKind::Block(_) => 2,
            VertexKind::Loop { form, test } => {
                self.note(
                    "form",
                    match form {
                        LoopForm::Loop => 0,
                        LoopForm::ForLoop => 1,
                    },
                );
                self.note(
                    "test",
                    match **test {
                        LoopTest::Pre(_) => 0,
                        LoopTest::Post(_) => 1,
                        LoopTest::Counted { .. } => 2,
                    },
                );
                3
            }
            VertexKind::EndLoop => 4,
            VertexKind::Branch(selector) => {
                self.note(
                    "selector",
                    match **selector {
                        Selector::Condition(_) => 0,
                        Selector::Cases { .. } => 1,
                    },
                );
                5
            }
            VertexKind::EndBranch => 6,
        };
        self.note("vertex", number);
        visit::walk_vertex(self, vertex);
    }

    fn visit_statement(&mut self, statement: &'ir Stmt) {
        let number = match &statement.kind {
            StmtKind::Assign { .. } => 0,
            StmtKind::Call { .. } => 1,
            StmtKind::Push { class, .. } => {
                self.note(
                    "class",
                    match class {
                        TapeClass::Control(ControlWidth::Bits(_)) => 0,
                        TapeClass::Control(ControlWidth::Count) => 1,
                        TapeClass::Integer => 2,
                        TapeClass::Real => 3,
                        TapeClass::Real32 => 4,
                        TapeClass::Disk => 5,
                    },
                );
                2
            }
            StmtKind::Pop { .. } => 3,
            StmtKind::Opaque { .. } => 4,
            StmtKind::Stop { .. } => 5,
            StmtKind::Allocate { .. } => 6,
            StmtKind::Free { .. } => 7,
            StmtKind::Resize { .. } => 8,
        };
        self.note("statement", number);
        visit::walk_statement(self, statement);
    }

    fn visit_expr(&mut self, e: &'ir Expr, role: PlaceRole) {
        let number = match e {
            Expr::Int(_) => 0,
            Expr::Real(_) => 1,
            Expr::Real32(_) => 2,
            Expr::Logical(_) => 3,
            Expr::Place(_) => 4,
            Expr::Op(..) => 5,
            Expr::Null(_) => 6,
            Expr::Addr(_) => 7,
        };
        self.note("expression", number);
        visit::walk_expr(self, e, role);
    }

    fn visit_place(&mut self, place: &'ir Place, _: PlaceRole) {
        for subscript in &place.subscripts {
            self.note(
                "subscript",
                match subscript {
                    Subscript::Index(_) => 0,
                    Subscript::Range(_) => 1,
                    Subscript::Field(_) => 2,
                    Subscript::Deref => 3,
                },
            );
        }
        visit::walk_place(self, place);
    }
}

/// Random programs of all kinds.
fn drawn() -> Vec<Program> {
    let wide = (0..150).map(|seed| generate(&Options::WIDE, seed).expect("it runs").program);
    let general = (0..10).map(|seed| dressed(&general::generate(seed), seed).program);
    let records = (0..20).map(|seed| parsed(&records::text(seed)));
    let pointers = (0..20).map(|seed| parsed(&pointers::text(seed)));
    wide.chain(general).chain(records).chain(pointers).collect()
}

fn parsed(source: &str) -> Program {
    let parsed = text::parse(source);
    parsed.program.expect("it can be parsed")
}

/// FORLOOP is for adjoint graphs only: no front end writes it, the reversal makes it.
const FORLOOP: (&str, usize) = ("form", 1);

/// The same program as if it were an adjoint.
fn with_forloops(mut program: Program) -> Program {
    let bodies = program.routines.iter_mut().filter_map(|r| r.body.as_mut());
    for vertex in bodies.flat_map(|body| body.vertices_mut()) {
        if let VertexKind::Loop { form, test } = &mut vertex.kind
            && let LoopTest::Counted { .. } = **test
        {
            *form = LoopForm::ForLoop;
        }
    }
    program
}

/// A program that the builder makes with all its means.
fn built() -> Program {
    use ScalarType::{Integer, Logical, Real, Real32, Tape};
    let mut program = ProgramBuilder::new();
    let total = program.global("total", Real);
    let node = program.declare_record("Node");
    let link = PointerType::to(node).expect("a record");
    program.fields(node, [("value", Real), ("next", ScalarType::Pointer(link))]);
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.inout("x", Real.array([4])), f.inout("y", Real));
    let tape = f.inout("tape", Tape);
    let (i, more) = (f.local("i", Integer), f.local("more", Logical));
    let narrow = f.local("narrow", Real32);
    let shape = vec![Dim {
        lower: Expr::Int(1),
        extent: Extent::Deferred,
    }];
    let any = f.variable(Variable::new("any", Real, shape, Role::Local));
    let sum = f.global(program.program(), total);
    let classes = [
        (TapeClass::Control(ControlWidth::Bits(1)), more),
        (TapeClass::Control(ControlWidth::Count), i),
        (TapeClass::Integer, i),
        (TapeClass::Real, y),
        (TapeClass::Real32, narrow),
        (TapeClass::Disk, narrow),
    ];
    for ty in IntType::ALL {
        let v = f.local(ty.name(), ScalarType::Sized(ty));
        f.assign(v, Expr::sized(ty, ty.max()).expect("the type has it"));
    }
    f.assign(more, false);
    f.assign(narrow, Expr::Real32(0.5));
    let section = Range {
        lower: Some(Expr::Int(2)),
        ..Range::default()
    };
    f.assign(
        Place {
            var: x,
            subscripts: [Subscript::Range(Box::new(section))].into(),
        },
        0.25,
    );
    f.assign(any, x);
    f.for_loop(i, 1, 4, |f| f.assign(sum, x.at(i)));
    f.while_loop(more, |f| f.assign(more, false));
    f.repeat_while(lt(y, 0.0), |f| f.assign(y, y + 1.0));
    f.if_then(more, |f| f.assign(y, 1.0));
    f.cases(i, |arms| {
        arms.arm([1], |f| f.opaque("print", [y], []));
        arms.default(|f| f.stop("no case"));
    });
    let (p, last) = (
        f.local("p", ScalarType::Pointer(link)),
        f.local("last", node),
    );
    f.allocate_zeroed(p, 2);
    f.assign(p.deref_at(1).field("value"), 1.0);
    f.assign(p.deref().field("next"), addr(last));
    f.if_then(ne(shift(p, 1), null(link)), |f| f.resize(p, 3));
    f.free(p);
    for (class, v) in classes {
        f.push(tape, class, v);
    }
    for (class, v) in classes.into_iter().rev() {
        f.pop(tape, class, v);
    }
    let mut g = RoutineBuilder::new("g");
    let (x, y) = (g.inout("x", Real.array([4])), g.inout("y", Real));
    let tape = g.inout("tape", Tape);
    let f = program.add(f);
    g.call(f, [x, y, tape]);
    program.add(g);
    (*program.finish().expect("it is valid")).clone()
}

#[test]
fn the_generator_draws_each() {
    let mut found = Found::default();
    drawn().iter().for_each(|program| found.add(program));
    assert_eq!(found.missing(&[FORLOOP]), []);
}

#[test]
fn readers_and_parsers_read_each() {
    let mut programs = vec![with_forloops(built())];
    programs.extend(drawn());
    let [mut json_form, mut text_form] = [Found::default(), Found::default()];
    for program in &programs {
        let mut bytes = Vec::new();
        json::write(program, &mut bytes).expect("it can be written");
        json_form.add(&json::read(&bytes).expect("it can be read"));
        let parsed = text::parse(&program.to_string());
        text_form.add(&parsed.program.expect("it can be parsed"));
    }
    assert_eq!(json_form.missing(&[]), []);
    assert_eq!(text_form.missing(&[]), []);
}

#[test]
fn the_builder_builds_each() {
    assert_eq!(Found::count(&built()).missing(&[FORLOOP]), []);
}
