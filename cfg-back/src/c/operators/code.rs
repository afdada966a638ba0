//! C expressions.

use super::node::{self, Infix, Name, Node, Prefix, Printed};
use super::precedence::POSTFIX;
use cfg_core::flat::Constant;
use cfg_core::ir::{IntType, ScalarType};
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

/// A C expression and its scalar type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Code {
    /// The nodes in postfix order, which end with the outermost one.
    nodes: Vec<Node>,
    /// The type of the value. A constant integer may have the C type int, a logical that is computed too.
    pub(crate) ty: ScalarType,
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printed(&self.nodes).fmt(f)
    }
}

impl From<i64> for Code {
    fn from(n: i64) -> Self {
        literal_integer(n)
    }
}

impl From<Name> for Code {
    fn from(name: Name) -> Self {
        Self::name(name, ScalarType::Integer)
    }
}

impl Code {
    fn leaf(node: Node, ty: ScalarType) -> Self {
        let nodes = vec![node];
        Self { nodes, ty }
    }

    /// The variable, or the constant, of this name.
    pub(crate) fn name(name: impl Into<Name>, ty: ScalarType) -> Self {
        Self::leaf(Node::Name(name.into()), ty)
    }

    /// A literal text, as it stands between its quotes.
    pub(crate) fn text(text: &str) -> Self {
        Self::leaf(Node::Text(text.into()), ScalarType::Integer)
    }

    /// The node over these operands.
    fn over(node: Node, operands: impl IntoIterator<Item = Self>, ty: ScalarType) -> Self {
        let mut operands = operands.into_iter();
        let mut nodes = operands.next().map_or(Vec::new(), |first| first.nodes);
        operands.for_each(|operand| nodes.extend(operand.nodes));
        nodes.push(node);
        Self { nodes, ty }
    }

    /// The call of a function.
    pub(crate) fn call(
        function: &str,
        arguments: impl IntoIterator<Item = Self>,
        ty: ScalarType,
    ) -> Self {
        let mut count = 0;
        let arguments = arguments.into_iter().inspect(|_| count += 1);
        let mut code = Self::over(Node::Element, arguments, ty);
        code.nodes.pop();
        code.nodes.push(Node::Call(function.into(), count));
        code
    }

    /// Values between braces, of a type, or if there is none of that which is declared.
    pub(crate) fn list(of: &'static str, values: impl IntoIterator<Item = Self>) -> Self {
        let mut code = Self::call("", values, ScalarType::Integer);
        if let Some(Node::Call(_, count)) = code.nodes.pop() {
            code.nodes.push(Node::List(of, count));
        }
        code
    }

    /// The code behind an operator.
    pub(crate) fn prefix(self, operator: Prefix) -> Self {
        let ty = self.ty;
        Self::over(Node::Prefix(operator), [self], ty)
    }

    /// The code and another one with an operator between them.
    pub(crate) fn infix(self, operator: Infix, other: Self, ty: ScalarType) -> Self {
        Self::over(Node::Infix(operator), [self, other], ty)
    }

    /// True if the code and another one are equal, or in another relation.
    pub(crate) fn is(self, operator: Infix, other: impl Into<Self>) -> Self {
        self.infix(operator, other.into(), ScalarType::Logical)
    }

    /// The code and another one, both of which have the type.
    pub(crate) fn with(self, operator: Infix, other: impl Into<Self>) -> Self {
        let ty = self.ty;
        self.infix(operator, other.into(), ty)
    }

    /// The assignment to the code.
    pub(crate) fn set(self, value: impl Into<Self>) -> Self {
        self.with(Infix::Set, value)
    }

    /// One of two values, if the code holds or not.
    pub(crate) fn choose(self, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        let yes = yes.into();
        let ty = yes.ty;
        Self::over(Node::Conditional, [self, yes, no.into()], ty)
    }

    /// The value `yes` if one of the tests holds, each made only if none before it does, or another value. Takes time
    /// in proportion to the tests.
    pub(crate) fn choose_first(
        tests: impl IntoIterator<Item = Self>,
        yes: &Self,
        otherwise: Self,
    ) -> Self {
        let (mut nodes, mut count) = (Vec::new(), 0);
        for test in tests {
            nodes.extend(test.nodes);
            nodes.extend_from_slice(&yes.nodes);
            count += 1;
        }
        nodes.extend(otherwise.nodes);
        nodes.extend(std::iter::repeat_n(Node::Conditional, count));
        let ty = otherwise.ty;
        Self { nodes, ty }
    }

    /// The element behind the pointer.
    pub(crate) fn at(self, index: impl Into<Self>) -> Self {
        let ty = self.ty;
        Self::over(Node::Element, [self, index.into()], ty)
    }

    /// The member of a structure, with the operator before its name.
    pub(crate) fn member(self, name: impl Into<Name>) -> Self {
        let ty = self.ty;
        Self::over(Node::Member(name.into()), [self], ty)
    }

    /// The code behind a cast.
    pub(crate) fn cast(self, c_type: &str, ty: ScalarType) -> Self {
        Self::over(Node::Cast(c_type.into()), [self], ty)
    }

    /// The declaration of the name, behind its type.
    pub(crate) fn declared(self, of: &str) -> Self {
        let ty = self.ty;
        Self::over(Node::Declaration(of.into()), [self], ty)
    }

    /// The code in parentheses that precedence does not ask for.
    pub(crate) fn parenthesised(self) -> Self {
        let ty = self.ty;
        Self::over(Node::Parentheses, [self], ty)
    }

    /// The code in parentheses if it does not bind at least this tightly.
    pub(crate) fn at_least(self, precedence: u8) -> Self {
        match self.precedence() < precedence {
            true => self.parenthesised(),
            false => self,
        }
    }

    /// The code, taken for a value of this type.
    pub(crate) fn typed(self, ty: ScalarType) -> Self {
        Self { ty, ..self }
    }

    /// How tightly it binds: one of the constants of [`super::precedence`].
    pub(crate) fn precedence(&self) -> u8 {
        self.nodes.last().map_or(POSTFIX, Node::precedence)
    }

    /// The code without the minus sign that it begins with; nothing if there is none.
    pub(crate) fn without_sign(&self) -> Option<Self> {
        let at = node::first_written(&self.nodes)?;
        if !self.nodes[at].has_sign() {
            return None;
        }
        let mut positive = self.clone();
        let node = &mut positive.nodes[at];
        if let Node::Integer(n) = node {
            *n = -*n;
        } else if let Node::Real(x) = node {
            *x = -*x;
        } else if let Node::Real32(x) = node {
            *x = -*x;
        } else {
            positive.nodes.remove(at);
        }
        Some(positive)
    }

    /// The operator and the value that an assignment of the code to a place adds to it or subtracts from it.
    pub(crate) fn increment(&self, target: &Self) -> Option<(Infix, Self)> {
        let (Node::Infix(operator @ (Infix::Add | Infix::Sub)), operands) =
            self.nodes.split_last()?
        else {
            return None;
        };
        let at = node::last(operands);
        (operands[..at] == target.nodes).then(|| {
            let nodes = operands[at..].to_vec();
            let operator = match *operator == Infix::Add {
                true => Infix::AddTo,
                false => Infix::SubFrom,
            };
            (operator, Self { nodes, ty: self.ty })
        })
    }

    /// An integer of 64 bits without the constant that is added last or subtracted, and this constant.
    pub(crate) fn without_constant(mut self) -> (Self, i64) {
        let constant = match &*self.nodes {
            [
                _,
                ..,
                Node::Integer(n),
                Node::Infix(Infix::Add | Infix::Plus),
            ] => Some(*n),
            [_, .., Node::Integer(n), Node::Infix(Infix::Sub)] => n.checked_neg(),
            _ => None,
        };
        match constant.filter(|_| self.ty == ScalarType::Integer) {
            Some(n) => {
                self.nodes.truncate(self.nodes.len() - 2);
                (self, n)
            }
            None => (self, 0),
        }
    }

    /// The operand of a conversion to a C type; other code as it is.
    pub(crate) fn without_cast(mut self, c_type: &str) -> Self {
        self.nodes
            .pop_if(|node| matches!(node, Node::Cast(to) if &**to == c_type));
        self
    }

    /// True of an assignment to a variable of a value that does not name it.
    pub(crate) fn assigns(&self, name: &Name) -> bool {
        match &*self.nodes {
            [Node::Name(target), value @ .., Node::Infix(Infix::Set)] => {
                target == name && node::last(value) == 0 && node::names(value).all(|n| n != name)
            }
            _ => false,
        }
    }

    /// The variables of an assignment of one to another one: the target first.
    pub(crate) fn copied(&self) -> Option<(&Name, &Name)> {
        match &*self.nodes {
            [
                Node::Name(target),
                Node::Name(value),
                Node::Infix(Infix::Set),
            ] => Some((target, value)),
            _ => None,
        }
    }

    /// True of a declaration.
    pub(crate) fn declares(&self) -> bool {
        self.nodes
            .iter()
            .any(|node| matches!(node, Node::Declaration(_)))
    }

    /// An assignment to a variable with this target in place of the variable.
    pub(crate) fn with_target(mut self, target: &Self) -> Self {
        self.nodes.splice(0..1, target.nodes.iter().cloned());
        self
    }

    /// True if both are declarations of scalars of the same type, which can share a line.
    pub(crate) fn has_declaration_of(&self, other: &Self) -> bool {
        match (&*self.nodes, &*other.nodes) {
            ([Node::Name(_), Node::Declaration(x)], [Node::Name(_), Node::Declaration(y)]) => {
                x == y && !x.ends_with('*')
            }
            _ => false,
        }
    }

    /// The operand of a declaration.
    pub(crate) fn undeclared(mut self) -> Self {
        self.nodes
            .pop_if(|node| matches!(node, Node::Declaration(_)));
        self
    }

    /// The index of an element whose address it is; 0 of other expressions.
    pub(crate) fn index(&self) -> Self {
        let nodes = match &*self.nodes {
            [element @ .., Node::Element, Node::Prefix(Prefix::Address)] => {
                element[node::last(element)..].to_vec()
            }
            _ => vec![Node::Integer(0)],
        };
        let ty = ScalarType::Integer;
        Self { nodes, ty }
    }

    /// The names of variables that it has.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Name> {
        node::names(&self.nodes)
    }

    /// The names that it reads, or hands on: all but the variables that it assigns to or declares.
    pub(crate) fn reads(&self) -> Vec<&Name> {
        node::reads(&self.nodes)
    }

    /// Gives variables other names.
    pub(crate) fn rename(&mut self, new: &HashMap<Name, Name>) {
        for node in &mut self.nodes {
            if let Node::Name(name) = node
                && let Some(other) = new.get(name)
            {
                *name = other.clone();
            }
        }
    }

    /// The nodes in postfix order.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The value of the expression if it is one node.
    fn single(&self) -> Option<&Node> {
        match &*self.nodes {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The node that is written first, unless a parenthesis is.
    pub(super) fn first_written(&self) -> Option<&Node> {
        self.nodes.get(node::first_written(&self.nodes)?)
    }

    /// The names that it has, those of functions and types too.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let words = self.nodes.iter().filter_map(Node::word);
        words.flat_map(|name| name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
    }

    /// The value of a literal integer.
    pub(crate) fn integer(&self) -> Option<i64> {
        (self.ty == ScalarType::Integer).then(|| self.whole())?
    }

    /// The cell of a literal integer of a type other than `integer`, as [`literal_cell`] makes it.
    pub(super) fn cell(&self) -> Option<i64> {
        matches!(self.ty, ScalarType::Sized(_)).then(|| self.whole())?
    }

    /// The number that it is; none of other expressions, and of numbers beyond 63 bits.
    pub(crate) fn whole(&self) -> Option<i64> {
        match self.single() {
            Some(Node::Integer(n)) => Some(*n),
            _ => None,
        }
    }

    /// The value of a literal real of 64 bits; `None` of NaN and infinities.
    pub(super) fn real(&self) -> Option<f64> {
        match self.single() {
            Some(Node::Real(x)) => Some(*x).filter(|x| x.is_finite()),
            _ => None,
        }
    }

    /// The value of a literal logical.
    pub(crate) fn logical(&self) -> Option<bool> {
        match self.single() {
            Some(Node::Logical(b)) => Some(*b),
            _ => None,
        }
    }

    /// True of a literal zero that has no sign.
    pub(super) fn is_real_zero(&self) -> bool {
        match self.single() {
            Some(Node::Real(x)) => x.to_bits() == 0,
            Some(Node::Real32(x)) => x.to_bits() == 0,
            _ => false,
        }
    }

    /// True of a literal number, but for NaN, infinities and the least integer.
    pub(super) fn is_number(&self) -> bool {
        match self.single() {
            Some(Node::Integer(n)) => *n != i64::MIN,
            Some(Node::Unsigned(_)) => true,
            Some(Node::Real(x)) => x.is_finite(),
            Some(Node::Real32(x)) => x.is_finite(),
            _ => false,
        }
    }

    /// True if the operand may as well be written twice.
    pub(super) fn is_short(&self) -> bool {
        /// Longest place that is: `a[i + 1][j]` is.
        const LONGEST: usize = 16;
        let text = self.to_string();
        self.precedence() == POSTFIX && text.len() <= LONGEST && !text.contains('(')
    }
}

/// A constant.
pub(crate) fn literal_constant(constant: Constant) -> Code {
    match constant {
        Constant::Int(n) => literal_integer(n),
        Constant::Real(x) => literal_real(x),
        Constant::Real32(x) => literal_real32(x),
        Constant::Logical(b) => literal_logical(b),
    }
}

/// An integer constant.
pub(crate) fn literal_integer(n: i64) -> Code {
    Code::leaf(Node::Integer(n), ScalarType::Integer)
}

/// A constant of an integer type other than `integer`, from its cell.
pub(crate) fn literal_sized(ty: IntType, cell: i64) -> Code {
    // Without a suffix C gives a constant that `int` does not have a type with sign.
    let node = match (i64::try_from(ty.value(cell)), ty) {
        (Ok(n), IntType::Uint32) if n > i64::from(i32::MAX) => Node::Unsigned(n as u64),
        (Ok(n), _) => Node::Integer(n),
        (Err(_), _) => Node::Unsigned(cell as u64),
    };
    Code::leaf(node, ScalarType::Sized(ty))
}

/// A constant of an integer type other than `integer` in a file with checks, where such a value is its cell.
pub(crate) fn literal_cell(ty: IntType, cell: i64) -> Code {
    Code::leaf(Node::Integer(cell), ScalarType::Sized(ty))
}

/// A 64-bit real constant.
pub(crate) fn literal_real(x: f64) -> Code {
    Code::leaf(Node::Real(x), ScalarType::Real)
}

/// A 32-bit real constant.
pub(crate) fn literal_real32(x: f32) -> Code {
    Code::leaf(Node::Real32(x), ScalarType::Real32)
}

/// A logical constant.
pub(crate) fn literal_logical(b: bool) -> Code {
    Code::leaf(Node::Logical(b), ScalarType::Logical)
}
