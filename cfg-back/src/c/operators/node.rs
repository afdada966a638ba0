//! Expressions of C as lists of nodes in postfix order: the operands of a node stand before it. An operand is a part of
//! the list, so that no function recurses on depth.

use super::precedence::{
    AND, ASSIGNMENT, BITS, COMMA, CONDITIONAL, EQUALITY, OR, POSTFIX, PRODUCT, RELATION, SUM, UNARY,
};
use std::{
    fmt::{self, Display, Formatter},
    rc::Rc,
};

/// The name of a variable, a function or a type.
pub(crate) type Name = Rc<str>;

/// A part of an expression, behind its operands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A variable, or a constant or type that has a name.
    Name(Name),
    /// A literal integer; the least one has a name in C, since its magnitude alone is no constant of 64 bits.
    Integer(i64),
    /// A literal integer that has no sign and does not fit into 63 bits.
    Unsigned(u64),
    /// A real of 64 bits.
    Real(f64),
    /// A real of 32 bits.
    Real32(f32),
    /// A logical.
    Logical(bool),
    /// A literal text, as it stands between its quotes.
    Text(Name),
    /// An operator before its operand.
    Prefix(Prefix),
    /// A conversion to a type.
    Cast(Name),
    /// The declaration of its operand, behind this text.
    Declaration(Name),
    /// An operator between two operands.
    Infix(Infix),
    /// `?:`
    Conditional,
    /// A function of so many arguments.
    Call(Name, u32),
    /// So many values between braces, of a type in parentheses or of that which is declared.
    List(&'static str, u32),
    /// The element behind a pointer at an index.
    Element,
    /// A member of a structure, behind `.` or `->`.
    Member(Name),
    /// Parentheses that precedence does not ask for.
    Parentheses,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Minus,
    Not,
    Complement,
    Dereference,
    Address,
    Increment,
    Decrement,
    Sizeof,
}

impl Prefix {
    fn symbol(self) -> &'static str {
        match self {
            Self::Minus => "-",
            Self::Not => "!",
            Self::Complement => "~",
            Self::Dereference => "*",
            Self::Address => "&",
            Self::Increment => "++",
            Self::Decrement => "--",
            Self::Sizeof => "sizeof ",
        }
    }
}

/// An operator between operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Infix {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    /// A product and a quotient of offsets of elements, which stand without spaces.
    Times,
    Over,
    /// A sum of offsets, all of which are written one behind the other.
    Plus,
    /// Assignments.
    Set,
    AddTo,
    SubFrom,
    MulBy,
    Comma,
}

impl Infix {
    /// The text, how tightly it binds, and how tightly its operands do that stand without parentheses.
    fn form(self) -> (&'static str, u8, [u8; 2]) {
        match self {
            Self::Mul => (" * ", PRODUCT, [PRODUCT, UNARY]),
            Self::Div => (" / ", PRODUCT, [PRODUCT, UNARY]),
            Self::Rem => (" % ", PRODUCT, [PRODUCT, UNARY]),
            Self::Times => ("*", PRODUCT, [PRODUCT, UNARY]),
            Self::Over => ("/", PRODUCT, [PRODUCT, UNARY]),
            Self::Add => (" + ", SUM, [SUM, PRODUCT]),
            Self::Sub => (" - ", SUM, [SUM, PRODUCT]),
            Self::Plus => (" + ", SUM, [SUM; 2]),
            Self::Lt => (" < ", RELATION, [SUM; 2]),
            Self::Le => (" <= ", RELATION, [SUM; 2]),
            Self::Gt => (" > ", RELATION, [SUM; 2]),
            Self::Ge => (" >= ", RELATION, [SUM; 2]),
            Self::Eq => (" == ", EQUALITY, [SUM; 2]),
            Self::Ne => (" != ", EQUALITY, [SUM; 2]),
            Self::BitAnd => (" & ", BITS, [UNARY; 2]),
            Self::BitOr => (" | ", BITS, [UNARY; 2]),
            Self::BitXor => (" ^ ", BITS, [UNARY; 2]),
            Self::And => (" && ", AND, [AND; 2]),
            Self::Or => (" || ", OR, [OR; 2]),
            Self::Set => (" = ", ASSIGNMENT, [UNARY, ASSIGNMENT]),
            Self::AddTo => (" += ", ASSIGNMENT, [UNARY, ASSIGNMENT]),
            Self::SubFrom => (" -= ", ASSIGNMENT, [UNARY, ASSIGNMENT]),
            Self::MulBy => (" *= ", ASSIGNMENT, [UNARY, ASSIGNMENT]),
            Self::Comma => (", ", COMMA, [COMMA; 2]),
        }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "most properties are those of few nodes"
)]
impl Node {
    /// The number of operands.
    fn arity(&self) -> usize {
        match self {
            Self::Prefix(_)
            | Self::Cast(_)
            | Self::Declaration(_)
            | Self::Member(_)
            | Self::Parentheses => 1,
            Self::Infix(_) | Self::Element => 2,
            Self::Conditional => 3,
            Self::Call(_, count) | Self::List(_, count) => *count as usize,
            _ => 0,
        }
    }

    /// One of the constants of [`super::precedence`].
    pub(super) fn precedence(&self) -> u8 {
        match self {
            Self::Infix(op) => op.form().1,
            Self::Conditional => CONDITIONAL,
            Self::Prefix(_) | Self::Cast(_) | Self::Declaration(_) => UNARY,
            _ if self.has_sign() => UNARY,
            _ => POSTFIX,
        }
    }

    /// True if its text begins with a minus sign.
    pub(super) fn has_sign(&self) -> bool {
        match *self {
            Self::Prefix(op) => op == Prefix::Minus,
            Self::Integer(n) => n < 0 && n != i64::MIN,
            Self::Real(x) => x.is_sign_negative() && !x.is_nan(),
            Self::Real32(x) => x.is_sign_negative() && !x.is_nan(),
            _ => false,
        }
    }

    /// How tightly an operand binds that stands without parentheses, by its number.
    fn least(&self, k: usize, operand: &Self) -> u8 {
        match self {
            Self::Prefix(Prefix::Minus) if operand.has_sign() => POSTFIX,
            Self::Prefix(_) | Self::Cast(_) => UNARY,
            // Compilers warn of `!a == b` and of `a && b || c`.
            Self::Infix(op) => match (operand, op.form()) {
                (Self::Prefix(Prefix::Not), (_, EQUALITY | RELATION, _)) if k == 0 => POSTFIX,
                (Self::Infix(Infix::And), (_, OR, _)) => POSTFIX,
                (_, (_, _, least)) => least[k],
            },
            Self::Conditional if k < 2 => OR,
            Self::Conditional => CONDITIONAL,
            Self::Element if k == 1 => COMMA,
            Self::Element | Self::Member(_) => POSTFIX,
            Self::Call(..) | Self::List(..) => ASSIGNMENT,
            _ => COMMA,
        }
    }

    /// The texts before the operands, between them and behind.
    fn around(&self) -> [&'static str; 3] {
        match self {
            Self::Infix(op) => ["", op.form().0, ""],
            Self::Conditional => ["", " ? ", ""],
            Self::Call(..) => ["(", ", ", ")"],
            Self::List(..) => ["{", ", ", "}"],
            Self::Element => ["", "[", "]"],
            Self::Parentheses => ["(", "", ")"],
            _ => [""; 3],
        }
    }

    /// The name of a variable.
    fn name(&self) -> Option<&Name> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The name that stands for a constant.
    fn constant(&self) -> Option<&'static str> {
        let x = match *self {
            Self::Integer(i64::MIN) => return Some("INT64_MIN"),
            Self::Logical(true) => return Some("true"),
            Self::Logical(false) => return Some("false"),
            Self::Real(x) => x,
            Self::Real32(x) => x.into(),
            _ => return None,
        };
        if x.is_nan() {
            return Some("NAN");
        }
        let name = if x > 0.0 { "INFINITY" } else { "-INFINITY" };
        x.is_infinite().then_some(name)
    }

    /// The names that the node itself has.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Call(name, _) | Self::Declaration(name) | Self::Cast(name) => {
                Some(name)
            }
            Self::List(name, _) => Some(name),
            Self::Member(name) => Some(name),
            _ => self.constant(),
        }
    }
}

/// The node without its operands.
impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.constant() {
            return f.write_str(name);
        }
        match self {
            Self::Name(name) | Self::Call(name, _) => f.write_str(name),
            Self::Declaration(of) if of.ends_with('*') => f.write_str(of),
            Self::Declaration(of) => write!(f, "{of} "),
            Self::Integer(n) => write!(f, "{n}"),
            Self::Unsigned(n) => write!(f, "{n}u"),
            Self::Real(x) => write!(f, "{x:?}"),
            Self::Real32(x) => write!(f, "{x:?}f"),
            Self::Logical(b) => write!(f, "{b}"),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Prefix(op) => f.write_str(op.symbol()),
            Self::List("", _) => Ok(()),
            Self::Cast(ty) => write!(f, "({ty})"),
            Self::List(ty, _) => write!(f, "({ty})"),
            Self::Member(name) => f.write_str(name),
            Self::Infix(_) | Self::Conditional | Self::Element | Self::Parentheses => Ok(()),
        }
    }
}

/// The names of variables.
pub(super) fn names(nodes: &[Node]) -> impl Iterator<Item = &Name> {
    nodes.iter().filter_map(Node::name)
}

/// The names that an expression reads, or hands on: all but the variables that it assigns to or declares.
pub(super) fn reads(nodes: &[Node]) -> Vec<&Name> {
    let mut read = Vec::new();
    let mut open = vec![nodes];
    while let Some(nodes) = open.pop() {
        let Some((Node::Infix(operator), operands)) = nodes.split_last() else {
            read.extend(names(nodes));
            continue;
        };
        let (target, value) = operands.split_at(last(operands));
        if *operator == Infix::Comma {
            open.extend([value, target]);
            continue;
        }
        match operator.form().1 {
            ASSIGNMENT => read_by_target(target, &mut read),
            _ => read.extend(names(target)),
        }
        read.extend(names(value));
    }
    read
}

/// The names that the target of an assignment reads: all but that of a variable which has the element or the member.
fn read_by_target<'n>(mut target: &'n [Node], read: &mut Vec<&'n Name>) {
    loop {
        match target {
            [Node::Name(_)] | [.., Node::Declaration(_)] => return,
            [inner @ .., Node::Member(member)] if member.starts_with('.') => target = inner,
            [inner @ .., Node::Element] => {
                let (array, index) = inner.split_at(last(inner));
                read.extend(names(index));
                target = array;
            }
            _ => return read.extend(names(target)),
        }
    }
}

/// The place at which the operand begins that ends with a list.
pub(crate) fn last(nodes: &[Node]) -> usize {
    let mut missing = 1;
    for (at, node) in nodes.iter().enumerate().rev() {
        missing += node.arity();
        missing -= 1;
        if missing == 0 {
            return at;
        }
    }
    0
}

/// The node that is written first, unless a parenthesis is.
pub(super) fn first_written(mut nodes: &[Node]) -> Option<usize> {
    while let Some((node, mut operands)) = nodes.split_last() {
        if *node == Node::Parentheses {
            return None;
        }
        let begins_inside = matches!(
            node,
            Node::Infix(_) | Node::Conditional | Node::Element | Node::Member(_)
        );
        if !begins_inside {
            return Some(operands.len());
        }
        for _ in 1..node.arity() {
            operands = &operands[..last(operands)];
        }
        let first = operands.last()?;
        if first.precedence() < node.least(0, first) {
            return None;
        }
        nodes = operands;
    }
    None
}

/// A part of an expression that is still to be written.
enum Rest {
    Text(&'static str),
    /// The operand that ends at this place.
    Node(usize),
    /// The node alone.
    Own(usize),
}

/// An expression as text.
pub(super) struct Printed<'n>(pub(super) &'n [Node]);

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let nodes = self.0;
        if let [one @ (Node::Name(_) | Node::Integer(_) | Node::Real(_))] = nodes {
            return one.fmt(f);
        }
        // The place at which the operands of each node begin.
        let mut begins: Vec<usize> = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let begin = (0..node.arity()).fold(at, |end, _| begins[end - 1]);
            begins.push(begin);
        }
        let mut rest: Vec<Rest> = nodes
            .len()
            .checked_sub(1)
            .map(Rest::Node)
            .into_iter()
            .collect();
        let mut operands: Vec<usize> = Vec::new();
        while let Some(next) = rest.pop() {
            let at = match next {
                Rest::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Rest::Own(at) => {
                    nodes[at].fmt(f)?;
                    continue;
                }
                Rest::Node(at) => at,
            };
            let node = &nodes[at];
            let [open, between, close] = node.around();
            if let Node::Member(_) = node {
                rest.push(Rest::Own(at));
            } else {
                node.fmt(f)?;
            }
            rest.push(Rest::Text(close));
            operands.clear();
            let mut end = at;
            for _ in 0..node.arity() {
                operands.push(end - 1);
                end = begins[end - 1];
            }
            for (behind, &operand) in operands.iter().enumerate() {
                let k = operands.len() - 1 - behind;
                if behind == 1 && *node == Node::Conditional {
                    rest.push(Rest::Text(" : "));
                } else if behind > 0 {
                    rest.push(Rest::Text(between));
                }
                let inside = &nodes[operand];
                let loose = inside.precedence() < node.least(k, inside);
                rest.push(Rest::Text(if loose { ")" } else { "" }));
                rest.push(Rest::Node(operand));
                rest.push(Rest::Text(if loose { "(" } else { "" }));
            }
            rest.push(Rest::Text(open));
        }
        Ok(())
    }
}
