//! Pictures of small directed graphs with labelled edges, such as linearized computational graphs.

use super::{
    Pen,
    frame::{Frame, LabelledEdge, LabelledVertex, Line, Mark, Place},
    line, node_name,
    places::Places,
    quote, style,
};
use graphviz_rust::dot_structures::{self as dot, Attribute};
use quote::{attribute, plain, quoted};
use std::{
    collections::BTreeSet,
    fmt::{self, Write},
};

/// Writes a graph; Graphviz finds the places of its vertices.
///
/// # Errors
/// The errors are those of `out`.
pub fn write_labelled(out: &mut impl Write, graph: &Frame) -> fmt::Result {
    let mut pen = Pen::start(out)?;
    for statement in style::defaults(&graph.title) {
        pen.write(statement)?;
    }
    for vertex in &graph.vertices {
        pen.write(node_statement(node("", vertex.id), vertex, None))?;
    }
    for edge in &graph.edges {
        pen.write(edge_statement("", edge))?;
    }
    pen.end()
}

/// Writes states of a graph so that each vertex has one place in all of them, those of the first state.
#[derive(Debug)]
pub struct States {
    places: Places,
    legend: bool,
}

/// States that stand beside one another; the others are below.
const COLUMNS: usize = 4;
/// The space between states, in inches.
const SPACE: f64 = 0.9;

impl States {
    /// Places for the first state, which has all vertices; `legend` adds what colours and lines mean.
    pub fn new(first: &Frame, legend: bool) -> Self {
        Self {
            places: Places::assign(first),
            legend,
        }
    }

    /// Writes one state.
    ///
    /// # Errors
    /// The errors are those of `out`.
    pub fn write(&self, out: &mut impl Write, state: &Frame) -> fmt::Result {
        let mut pen = start(out)?;
        let mut legend = Legend::default();
        self.write_state(&mut pen, state, "", (0.0, 0.0))?;
        legend.add(state);
        self.finish(pen, &legend, self.places.width)
    }

    /// Writes several states in one picture. Nodes of the n-th one, from 0, are named `pn_…`.
    ///
    /// # Errors
    /// The errors are those of `out`.
    pub fn write_panels(&self, out: &mut impl Write, states: &[Frame]) -> fmt::Result {
        let mut pen = start(out)?;
        let mut legend = Legend::default();
        let (width, height) = (self.places.width + SPACE, self.places.height + SPACE);
        for (n, state) in states.iter().enumerate() {
            let corner = (width * (n % COLUMNS) as f64, -height * (n / COLUMNS) as f64);
            self.write_state(&mut pen, state, &format!("p{n}_"), corner)?;
            legend.add(state);
        }
        let right = width * states.len().min(COLUMNS) as f64;
        self.finish(pen, &legend, right)
    }

    fn write_state<W: Write>(
        &self,
        pen: &mut Pen<'_, W>,
        state: &Frame,
        prefix: &str,
        (right, up): (f64, f64),
    ) -> fmt::Result {
        let at = |(x, y): (f64, f64)| position(x + right, y + up);
        pen.write(text(
            plain(format!("{prefix}title")),
            quote::title(&state.title),
            at((self.places.width / 2.0, 0.6)),
        ))?;
        for vertex in &state.vertices {
            let place = self.places.get(vertex.id).map(at);
            pen.write(node_statement(node(prefix, vertex.id), vertex, place))?;
        }
        for edge in &state.edges {
            pen.write(edge_statement(prefix, edge))?;
        }
        Ok(())
    }

    fn finish<W: Write>(&self, mut pen: Pen<'_, W>, legend: &Legend, right: f64) -> fmt::Result {
        if self.legend {
            legend.write(&mut pen, right + 1.4)?;
        }
        pen.end()
    }
}

/// The head of a picture with fixed places.
fn start<W: Write>(out: &mut W) -> Result<Pen<'_, W>, fmt::Error> {
    let mut pen = Pen::start(out)?;
    for statement in style::defaults("") {
        pen.write(statement)?;
    }
    pen.write(dot::Stmt::GAttribute(dot::GraphAttributes::Graph(vec![
        attribute("layout", plain("neato")),
        attribute("splines", plain("true")),
    ])))?;
    Ok(pen)
}

fn position(x: f64, y: f64) -> Attribute {
    // There is no negative zero.
    let [x, y] = [x, y].map(|at| at + 0.0);
    attribute("pos", quoted(&format!("{x:.2},{y:.2}!")))
}

fn node(prefix: &str, id: i64) -> dot::NodeId {
    dot::NodeId(plain(format!("{prefix}{}", node_name(id))), None)
}

/// A text without a box.
fn text(id: dot::Id, label: dot::Id, position: Attribute) -> dot::Stmt {
    let attributes = vec![
        attribute("label", label),
        attribute("shape", plain("plaintext")),
        attribute("style", quoted("")),
        position,
    ];
    dot::Stmt::Node(dot::Node {
        id: dot::NodeId(id, None),
        attributes,
    })
}

fn node_statement(
    id: dot::NodeId,
    vertex: &LabelledVertex,
    position: Option<Attribute>,
) -> dot::Stmt {
    let mut attributes = vec![attribute("label", quoted(&vertex.label))];
    attributes.extend(style::place_attributes(vertex.place));
    if vertex.is_next {
        attributes.extend(style::mark(Mark::Next));
    }
    attributes.extend(position);
    dot::Stmt::Node(dot::Node { id, attributes })
}

fn edge_statement(prefix: &str, edge: &LabelledEdge) -> dot::Stmt {
    let mut attributes = Vec::new();
    if !edge.label.is_empty() {
        attributes.push(attribute("label", quoted(&edge.label)));
    }
    attributes.extend(style::line(edge.line));
    let drawn = edge.is_next.then_some(Mark::Next).or(edge.change);
    attributes.extend(drawn.into_iter().flat_map(style::mark));
    attributes.extend(edge.change.map(style::mark_label));
    line(
        node(prefix, edge.source),
        node(prefix, edge.target),
        attributes,
    )
}

/// The colours and lines that were drawn.
#[derive(Default)]
struct Legend {
    places: BTreeSet<Place>,
    lines: BTreeSet<Line>,
    marks: BTreeSet<Mark>,
}

impl Legend {
    fn add(&mut self, state: &Frame) {
        for vertex in &state.vertices {
            self.places.insert(vertex.place);
            self.marks.extend(vertex.is_next.then_some(Mark::Next));
        }
        for edge in &state.edges {
            self.lines.insert(edge.line);
            self.marks.extend(edge.change);
            self.marks.extend(edge.is_next.then_some(Mark::Next));
        }
    }

    /// Writes samples below one another, at a distance from the left.
    fn write<W: Write>(&self, pen: &mut Pen<'_, W>, left: f64) -> fmt::Result {
        let mut down = 0.6;
        let mut next = || {
            // Vertices that touch keep Graphviz from leading edges around any.
            down -= 0.6;
            down
        };
        pen.write(text(plain("legend"), quoted("legend"), position(left, 0.6)))?;
        for &place in &self.places {
            let (name, meaning) = match place {
                Place::Source => ("source", "independent"),
                Place::Inner => ("inner", "intermediate"),
                Place::Sink => ("sink", "dependent"),
            };
            let mut attributes = vec![attribute("label", quoted(meaning))];
            attributes.extend(style::place_attributes(place));
            attributes.push(position(left, next()));
            pen.write(dot::Stmt::Node(dot::Node {
                id: legend_node(name, ""),
                attributes,
            }))?;
        }
        let lines = self.lines.iter().map(|&line| match line {
            Line::Solid => ("solid", "partial", style::line(line)),
            Line::Dashed => ("dashed", "partial of 1 or -1", style::line(line)),
            Line::Dotted => ("dotted", "constant partial", style::line(line)),
        });
        let marks = self.marks.iter().map(|&mark| {
            let attributes = style::mark(mark).to_vec();
            match mark {
                Mark::New => ("new", "fill-in: a new edge", attributes),
                Mark::Changed => ("changed", "absorption: a sum", attributes),
                Mark::Next => ("next", "eliminated next", attributes),
            }
        });
        for (name, meaning, attributes) in lines.chain(marks) {
            let row = next();
            for (end, x) in [("from", left - 1.0), ("to", left - 0.4)] {
                let attributes = vec![
                    attribute("label", quoted("")),
                    attribute("shape", plain("point")),
                    attribute("width", plain("0.01")),
                    attribute("style", plain("invis")),
                    position(x, row),
                ];
                pen.write(dot::Stmt::Node(dot::Node {
                    id: legend_node(name, end),
                    attributes,
                }))?;
            }
            pen.write(text(
                legend_node(name, "text").0,
                quoted(meaning),
                position(left + 0.6, row),
            ))?;
            pen.write(line(
                legend_node(name, "from"),
                legend_node(name, "to"),
                attributes,
            ))?;
        }
        Ok(())
    }
}

fn legend_node(name: &str, end: &str) -> dot::NodeId {
    let end = if end.is_empty() {
        ""
    } else {
        &format!("_{end}")
    };
    dot::NodeId(plain(format!("legend_{name}{end}")), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(source: i64, target: i64, label: &str, line: Line) -> LabelledEdge {
        LabelledEdge {
            source,
            target,
            label: label.to_owned(),
            line,
            change: None,
            is_next: false,
        }
    }

    fn vertex(id: i64, label: &str, place: Place) -> LabelledVertex {
        LabelledVertex {
            id,
            label: label.to_owned(),
            place,
            is_next: false,
        }
    }

    #[test]
    fn the_picture_is_read_by_a_parser() {
        let graph = Frame {
            title: "after (5)".to_owned(),
            vertices: vec![
                vertex(-1, "x[\"1\"]", Place::Source),
                vertex(5, "5", Place::Inner),
                vertex(i64::MAX, "y", Place::Sink),
            ],
            edges: vec![
                edge(-1, 5, "c(5,-1)", Line::Dashed),
                edge(5, 6, "a \"b\\", Line::Dotted),
                edge(5, 6, "J1", Line::Solid),
            ],
        };
        let mut text = String::new();
        write_labelled(&mut text, &graph).expect("strings take everything");
        assert!(graphviz_rust::parse(&text).is_ok(), "{text}");
        for part in [
            "m1 -> v5 [label=\"c(5,-1)\" style=dashed]",
            "a \\\"b\\\\",
            "x[\\\"1\\\"]",
            "after (5)",
            "v9223372036854775807",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// The places of vertices in a picture, by name.
    fn places(text: &str) -> std::collections::BTreeMap<&str, (f64, f64)> {
        let place = |line: &'_ str| -> Option<(f64, f64)> {
            let (x, y) = line
                .split_once("pos=\"")?
                .1
                .split_once("!\"")?
                .0
                .split_once(',')?;
            Some((x.parse().ok()?, y.parse().ok()?))
        };
        let named = |line| Some((str::trim(line).split_once('[')?.0, place(line)?));
        text.lines().filter_map(named).collect()
    }

    /// Vertices keep their places from state to state, in files and in panels; no two have the same.
    #[test]
    fn states_share_places() {
        let before = Frame {
            title: "g".to_owned(),
            vertices: vec![
                vertex(1, "1", Place::Source),
                vertex(2, "2", Place::Source),
                LabelledVertex {
                    is_next: true,
                    ..vertex(3, "3", Place::Inner)
                },
                vertex(4, "4", Place::Sink),
                vertex(5, "5", Place::Sink),
            ],
            edges: vec![
                edge(1, 3, "c(3,1)", Line::Solid),
                edge(2, 3, "c(3,2)", Line::Solid),
                edge(3, 5, "c(5,3)", Line::Solid),
                edge(3, 4, "c(4,3)", Line::Dashed),
                edge(1, 4, "c(4,1)", Line::Solid),
            ],
        };
        let mut after = before.clone();
        after.vertices.remove(2);
        after.edges = [(1, 4, Mark::Changed), (1, 5, Mark::New)]
            .map(|(a, b, mark)| LabelledEdge {
                change: Some(mark),
                ..edge(a, b, "", Line::Solid)
            })
            .to_vec();
        let states = States::new(&before, true);
        let written = |state| {
            let mut text = String::new();
            states
                .write(&mut text, state)
                .expect("strings take everything");
            text
        };
        let (first, second) = (written(&before), written(&after));
        let mut panels = String::new();
        let both = [before, after];
        states
            .write_panels(&mut panels, &both)
            .expect("strings take everything");
        let [first_places, second_places, all] = [&first, &second, &panels].map(|text| {
            assert!(graphviz_rust::parse(text).is_ok(), "{text}");
            places(text)
        });
        let ids = ["v1", "v2", "v3", "v4", "v5"];
        for (at, id) in ids.into_iter().enumerate() {
            let place = first_places[id];
            assert!(
                ids[..at].iter().all(|other| first_places[other] != place),
                "{first}"
            );
            assert!(
                second_places.get(id).is_none_or(|second| *second == place),
                "{second}"
            );
            // Sources above.
            assert_eq!(place.1 == 0.0, at < 2, "{first}");
        }
        assert!(!second_places.contains_key("v3"));
        for id in ["v1", "v2", "v4", "v5"] {
            let [a, b] = ["p0_", "p1_"].map(|panel| all[&*format!("{panel}{id}")]);
            assert_eq!((a, b.1), (first_places[id], a.1));
            assert_eq!(b.0 - a.0, all["p1_v1"].0 - all["p0_v1"].0);
        }
        // The next vertex and the edges of the last step are marked, and the legend says how.
        let marks = |text: &str, name: &str| {
            let line = text.lines().find(|l| l.trim_start().starts_with(name));
            let mut words = line.expect("it is there").split([' ', '[', ']']);
            words
                .find(|word| word.starts_with("color="))
                .map(str::to_owned)
        };
        assert_eq!(marks(&first, "v3["), marks(&first, "legend_next_from ->"));
        assert_eq!(marks(&first, "v1["), None);
        assert_eq!(
            marks(&second, "v1 -> v4"),
            marks(&second, "legend_changed_from ->")
        );
        assert_eq!(
            marks(&second, "v1 -> v5"),
            marks(&second, "legend_new_from ->")
        );
        assert!(!second.contains("legend_next") && panels.contains("legend_next"));
    }
}
