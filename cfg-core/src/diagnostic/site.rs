//! The place of a problem in a program: an element of the representation and a part of it, whatever text the program
//! was read from. Each front end finds the site in its own text: `cfg_format::json::pointer` as a JSON pointer,
//! `cfg_format::text::Places` as line and column. [`crate::text::site_text`] describes it in words.

use super::SourcePlace;
use crate::{
    entity::{EdgeId, GlobalId, RecordId, RoutineId, VarId, VertexId},
    ir::{Annotations, Cfg, Program, Span},
};

/// An element of a program, or of one of its routines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// The program as a whole.
    Program,
    /// A global.
    Global(GlobalId),
    /// A record type, or a field of it.
    Record(RecordId, Option<usize>),
    /// The routine, or its graph.
    Routine,
    /// A variable of the routine.
    Variable(VarId),
    /// A vertex.
    Vertex(VertexId),
    /// A statement of a block, by its position.
    Statement(VertexId, usize),
    /// An edge.
    Edge(EdgeId),
}

impl Element {
    /// The vertex, or the vertex of the statement; `None` of other elements.
    pub fn vertex(self) -> Option<VertexId> {
        match self {
            Self::Vertex(v) | Self::Statement(v, _) => Some(v),
            Self::Program
            | Self::Global(_)
            | Self::Record(..)
            | Self::Routine
            | Self::Variable(_)
            | Self::Edge(_) => None,
        }
    }

    /// The vertex and the position of the statement; `None` of other elements.
    pub fn statement(self) -> Option<(VertexId, usize)> {
        match self {
            Self::Statement(v, s) => Some((v, s)),
            Self::Program
            | Self::Global(_)
            | Self::Record(..)
            | Self::Routine
            | Self::Variable(_)
            | Self::Vertex(_)
            | Self::Edge(_) => None,
        }
    }
}

/// A part of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The name of a routine, a variable or a global.
    Name,
    /// The type of a variable.
    Type,
    /// The extents of a variable; with an index one of them.
    Shape,
    /// The storage in which a global lies.
    Overlay,
    /// The values with which a global starts; with an index one of them.
    Initial,
    /// The routine that a program marks.
    Main,
    /// The parameters of a routine.
    Parameters,
    /// The result of a function.
    Result,
    /// The independents of a routine; with an index one of them.
    Independents,
    /// The dependents of a routine; with an index one of them.
    Dependents,
    /// The derivatives that are given for a routine.
    Derivatives,
    /// The given tangent.
    Tangent,
    /// The given adjoint.
    Adjoint,
    /// The facts that are given about an external routine.
    External,
    /// The value of an external function.
    ExternalValue,
    /// The partials of an external function.
    Partials,
    /// The vertices of a routine.
    Vertices,
    /// The kind of test of a LOOP.
    Test,
    /// The condition of a LOOP or BRANCH.
    Condition,
    /// The integer that a BRANCH selects by.
    Selector,
    /// The arms of a BRANCH; with an index one of them.
    Arms,
    /// The index of a counted LOOP.
    Index,
    /// The first value of the index.
    First,
    /// The last value of the index.
    Last,
    /// The step of the index.
    Step,
    /// The place that a statement overwrites: the target of an assignment or of a pop, or the place for the result of
    /// a call.
    Target,
    /// The value that is assigned or pushed.
    Value,
    /// The arguments of a call; with an index one of them.
    Arguments,
    /// The variables that an opaque statement reads; with an index one of them.
    Reads,
    /// The variables that an opaque statement writes; with an index one of them.
    Writes,
}

/// A step from an expression or place to a part of it; counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// An operand.
    Operand(usize),
    /// A subscript.
    Subscript(usize),
    /// Lower end, upper end or stride of a range.
    Bound(usize),
    /// The place that a field or subscripts are applied to.
    Base,
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The routine that the element belongs to, where it is known.
    pub routine: Option<RoutineId>,
    /// The element.
    pub element: Element,
    /// The part of the element; `None` is the element as a whole.
    pub part: Option<Part>,
    /// The position of an item in a part that is a list.
    pub index: Option<usize>,
    /// The way from the part down to an expression in it.
    pub path: Box<[Step]>,
}

impl Site {
    /// An element of a routine, as a whole.
    pub fn whole(routine: RoutineId, element: Element) -> Self {
        Self {
            routine: Some(routine),
            ..Self::local(element)
        }
    }

    /// An element, as a whole, of a routine that is not known here.
    pub fn local(element: Element) -> Self {
        Self {
            routine: None,
            element,
            part: None,
            index: None,
            path: Box::default(),
        }
    }

    /// A part of the element.
    #[must_use]
    pub fn part(self, part: Part) -> Self {
        Self {
            part: Some(part),
            ..self
        }
    }

    /// The place of the element in a source; a statement or an edge without a span has its vertex's.
    pub fn source(&self, program: &Program) -> Option<SourcePlace> {
        let span = self.span(program)?;
        let source = usize::try_from(span.source).ok()?;
        let name = program.sources.get(source)?.clone();
        Some(SourcePlace { name, span })
    }

    fn span(&self, program: &Program) -> Option<Span> {
        if let Element::Global(g) = self.element {
            return program
                .globals
                .get(g.index())?
                .variable
                .at
                .as_deref()
                .copied();
        }
        let routine = program.routines.get(self.routine?.index())?;
        let cfg = routine.body.as_ref();
        let vertex = |v: VertexId| {
            let cfg: &Cfg = cfg.filter(|cfg| v.index() < cfg.vertex_count())?;
            Some(cfg.vertex(v))
        };
        let at = match self.element {
            Element::Program | Element::Global(_) | Element::Record(..) => None,
            Element::Routine => routine.at.as_deref(),
            Element::Variable(v) => routine.variables.get(v.index())?.at.as_deref(),
            Element::Vertex(v) => vertex(v)?.at.as_deref(),
            Element::Statement(v, s) => {
                let vertex = vertex(v)?;
                let own = vertex.statements().get(s).and_then(|s| s.at.as_deref());
                own.or(vertex.at.as_deref())
            }
            Element::Edge(e) => {
                let cfg = cfg.filter(|cfg| e.index() < cfg.edge_count())?;
                vertex(cfg.edge(e).from)?.at.as_deref()
            }
        };
        at.copied()
    }

    /// The annotations of the element, or of the nearest one around it that has some.
    pub fn annotations<'p>(&self, program: &'p Program) -> Option<&'p Annotations> {
        if let Element::Global(g) = self.element {
            let global = program.globals.get(g.index())?;
            return Some(&global.variable.annotations).filter(|a| a.is_some());
        }
        let routine = self.routine.and_then(|r| program.routines.get(r.index()));
        let Some(routine) = routine else {
            return Some(&program.annotations).filter(|a| a.is_some());
        };
        let cfg = routine.body.as_ref();
        let vertex = |v: VertexId| {
            let cfg: &Cfg = cfg.filter(|cfg| v.index() < cfg.vertex_count())?;
            Some(cfg.vertex(v))
        };
        let own = match self.element {
            Element::Program | Element::Global(_) | Element::Record(..) | Element::Routine => {
                [None, None]
            }
            Element::Variable(v) => {
                let variable = routine.variables.get(v.index());
                [variable.map(|v| &v.annotations), None]
            }
            Element::Vertex(v) => [vertex(v).map(|v| &v.annotations), None],
            Element::Statement(v, s) => {
                let statement = vertex(v).and_then(|v| v.statements().get(s));
                [
                    statement.map(|s| &s.annotations),
                    vertex(v).map(|v| &v.annotations),
                ]
            }
            Element::Edge(e) => {
                let cfg = cfg.filter(|cfg| e.index() < cfg.edge_count());
                [cfg.map(|cfg| &cfg.edge(e).annotations), None]
            }
        };
        let around = [Some(&routine.annotations), Some(&program.annotations)];
        own.into_iter()
            .chain(around)
            .flatten()
            .find(|a| a.is_some())
    }
}
