//! The syntax tree of a file: expressions, statements and declarations in arenas, with names resolved. An expression
//! stands behind its operands in the arena, so the expressions of a function, a loop or a statement are a range of
//! numbers ([`Part`]).

pub(crate) use crate::ids::{DeclId, ExprId, StmtId, StructId};
use crate::{
    math::How,
    number::Number,
    source::{Pos, Problem},
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::{Checkpoint, Subscript};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Not,
    BitNot,
    Deref,
    Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
    Comma,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i128, Arith),
    Real(f64),
    Float(f32),
    /// A text: its bytes, without the 0 at the end. `None` for texts of wide characters, whose bytes are not known
    /// here.
    Str(Option<Rc<[u8]>>),
    Name(DeclId),
    Unary(Unary, ExprId),
    /// `++` and `--`: the step, and whether the value of the expression is that before the step.
    Step {
        of: ExprId,
        up: bool,
        post: bool,
    },
    Binary(Binary, ExprId, ExprId),
    Assign(Option<Binary>, ExprId, ExprId),
    Conditional(ExprId, ExprId, ExprId),
    Call(ExprId, Rc<[ExprId]>),
    Index(ExprId, ExprId),
    /// A member by its name; true for `->`, where the first operand is a pointer.
    Member(ExprId, Rc<str>, bool),
    Cast(Rc<Qualified>, ExprId),
    SizeofExpr(ExprId),
    SizeofType(Rc<Qualified>),
    /// A compound literal: a variable that is initialised where it stands.
    Literal(DeclId),
    /// Statements that come first, and the value behind them.
    Inlined(Rc<Inlined>),
    /// A problem has been reported.
    Bad,
}

/// The body of a function in place of a call, or statements that an operand needs.
#[derive(Clone, Debug)]
pub(crate) struct Inlined {
    pub(crate) body: StmtId,
    /// The value of the expression; `None` for a function without a result.
    pub(crate) value: Option<ExprId>,
    /// The expressions of the body.
    pub(crate) part: Part,
    /// The arguments of the call, if a function stands in place of it.
    pub(crate) arguments: Vec<ExprId>,
    /// The labels that are placed in the body.
    pub(crate) labels: Vec<Rc<str>>,
}

#[derive(Clone, Debug)]
pub(crate) struct ExprNode {
    pub(crate) kind: ExprKind,
    /// The type; `None` if a problem has been reported, or will be.
    pub(crate) ty: Option<Qualified>,
    /// The position of the token that stands for the expression: its operator or name.
    pub(crate) at: Pos,
    /// The first token.
    pub(crate) from: Pos,
    /// True if the expression assigns, calls a function that may, or needs statements in its translation.
    pub(crate) effects: bool,
    /// Levels of nodes.
    pub(crate) height: u32,
    /// True if the expression stands in parentheses.
    pub(crate) enclosed: bool,
}

/// The expressions of a part of a function: a range of their numbers.
pub(crate) type Part = std::ops::Range<u32>;

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Empty,
    Expr(ExprId),
    Decl(Vec<DeclId>),
    Block(Vec<StmtId>),
    /// Conditions with their statements, and the statement for the case that no condition holds.
    If(Vec<(ExprId, StmtId)>, Option<StmtId>),
    While(ExprId, StmtId),
    Do(StmtId, ExprId),
    For(Box<For>),
    Switch(ExprId, StmtId),
    Case(ExprId, Option<ExprId>),
    Default,
    Label(Rc<str>),
    Goto(Rc<str>),
    Break,
    Continue,
    Return(Option<ExprId>),
    /// A return of a function that stands in place of a call.
    Leave,
    /// A statement with a checkpoint; of a loop, so many snapshots are kept at most, if there is a number.
    Checkpoint(Checkpoint, StmtId),
}

#[derive(Clone, Debug)]
pub(crate) struct For {
    pub(crate) init: Option<StmtId>,
    pub(crate) condition: Option<ExprId>,
    pub(crate) step: Option<ExprId>,
    pub(crate) body: StmtId,
    /// The expressions of the body.
    pub(crate) part: Part,
    /// True if the body has a label, or a case of a switch around it.
    pub(crate) entered: bool,
    /// True if the iterations are promised to be independent.
    pub(crate) promised: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct StmtNode {
    pub(crate) kind: StmtKind,
    pub(crate) from: Pos,
    pub(crate) to: Pos,
}

/// An initial value.
#[derive(Clone, Debug)]
pub(crate) enum Init {
    Expr(ExprId),
    /// The values that braces or a text give to parts of an array or structure, in the order of the parts. All other
    /// parts are 0.
    Parts(Vec<InitialPart>),
    /// Braces that are no initial value of the type. The problem is reported where the variable is used, and not at
    /// all if it never is.
    Wrong(Rc<Problem>),
}

/// The value of a part (a number, a pointer or a structure), with the subscripts and members that lead to the part.
pub(crate) type InitialPart = (Vec<Subscript>, ExprId);

impl Init {
    /// The values of the variable or of its parts, each with the steps that lead to the part.
    pub(crate) fn given_values(&self) -> impl Iterator<Item = (&[Subscript], ExprId)> {
        let (whole, parts) = match self {
            Self::Expr(e) => (Some((&[][..], *e)), &[][..]),
            Self::Parts(parts) => (None, &parts[..]),
            Self::Wrong(_) => (None, &[][..]),
        };
        let parts = parts.iter().map(|(steps, e)| (&steps[..], *e));
        whole.into_iter().chain(parts)
    }

    /// The same initial value with each expression replaced by `made` of it.
    pub(crate) fn map(&self, mut made: impl FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Self::Expr(e) => Self::Expr(made(*e)),
            Self::Parts(parts) => {
                let parts = parts.iter().map(|(steps, e)| (steps.clone(), made(*e)));
                Self::Parts(parts.collect())
            }
            Self::Wrong(problem) => Self::Wrong(Rc::clone(problem)),
        }
    }
}

/// The expressions of an initial value.
pub(crate) fn initial_exprs(init: Option<&Init>) -> Vec<ExprId> {
    let given = init.into_iter().flat_map(Init::given_values);
    given.map(|(_, e)| e).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclKind {
    /// A variable of the file.
    Global,
    /// A static variable of a function, kept between calls.
    Static,
    Local,
    Parameter,
    Function,
    Constant(i128),
}

#[derive(Clone, Debug)]
pub(crate) struct Decl {
    pub(crate) name: Rc<str>,
    pub(crate) kind: DeclKind,
    pub(crate) ty: Qualified,
    pub(crate) at: Pos,
    pub(crate) init: Option<Init>,
    /// The value of a variable that is constant and initialised with a number.
    pub(crate) fixed: Option<Number>,
    /// True of an `extern` declaration without a definition.
    pub(crate) external: bool,
    /// True of `static` at file scope.
    pub(crate) internal: bool,
    /// The first extent of a parameter that is written as an array.
    pub(crate) extent: Option<ExprId>,
    /// The expressions that assign to the name itself, in order.
    pub(crate) assigned: Vec<ExprId>,
    /// True if `&` takes the address of the variable.
    pub(crate) address: bool,
    /// True if the variable is declared `register`, and so has no address.
    pub(crate) register: bool,
    /// True if the derivative of the variable's value is taken to be 0.
    pub(crate) passive: bool,
    /// For a function of the library, how it is computed.
    pub(crate) library: Option<How>,
    /// True of a function that does not return.
    pub(crate) noreturn: bool,
    /// The number of a function's definition.
    pub(crate) definition: Option<usize>,
    /// The number of the definition that a variable belongs to.
    pub(crate) function: Option<usize>,
    /// The number of expressions that stand before the declaration.
    pub(crate) place: u32,
}

impl Decl {
    /// True of the streams of stdio.h, which are texts here.
    pub(crate) fn is_stream(&self) -> bool {
        self.kind == DeclKind::Global
            && self.external
            && matches!(&*self.name, "stdin" | "stdout" | "stderr")
    }

    /// How the library computes the function, if the program has no text of it.
    pub(crate) fn how(&self) -> Option<How> {
        self.library.filter(|_| self.definition.is_none())
    }
}

/// A declaration with nothing but a name, a kind, a type and a position.
pub(crate) fn new_decl(name: &Rc<str>, kind: DeclKind, ty: Qualified, at: Pos) -> Decl {
    Decl {
        name: Rc::clone(name),
        kind,
        ty,
        at,
        init: None,
        fixed: None,
        external: false,
        internal: false,
        extent: None,
        assigned: Vec::new(),
        address: false,
        register: false,
        passive: false,
        library: None,
        noreturn: false,
        definition: None,
        function: None,
        place: 0,
    }
}

/// A structure or union.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    /// The tag, or the name given by a typedef.
    pub(crate) name: Option<Rc<str>>,
    /// True if the name is a tag.
    pub(crate) tagged: bool,
    /// The position of the declaration of the members.
    pub(crate) at: Pos,
    /// True if the declaration is inside of a function, where nothing else can name the structure.
    pub(crate) inside: bool,
    pub(crate) members: Vec<Member>,
    /// All members as they are declared; `None` if no member is left out.
    pub(crate) declared: Option<Rc<[Member]>>,
    /// True if members that are never named are read or written, for instance because a value is copied as a whole.
    pub(crate) copied: bool,
    /// True if members that are left out are assigned.
    pub(crate) assigned: bool,
    /// The number of scalars and arrays in the structure, those of inner structures included.
    pub(crate) leaves: usize,
    /// True if the members have been read.
    pub(crate) complete: bool,
    /// True if the layout is not that of C (packed, or aligned otherwise): the size is then not known.
    pub(crate) packed: bool,
    /// True of a union.
    pub(crate) union: bool,
    /// The unsupported construct in the structure, if there is one.
    pub(crate) refused: Option<Rc<str>>,
}

impl Structure {
    /// All members as they are declared, including those that are left out.
    pub(crate) fn declared_members(&self) -> &[Member] {
        self.declared.as_deref().unwrap_or(&self.members)
    }

    /// Keeps these members and leaves out all others.
    pub(crate) fn leave(&mut self, kept: Vec<Member>) {
        let all = std::mem::replace(&mut self.members, kept);
        self.declared.get_or_insert_with(|| all.into());
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Rc<str>,
    pub(crate) ty: Qualified,
    pub(crate) at: Pos,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) decl: DeclId,
    pub(crate) parameters: Vec<DeclId>,
    pub(crate) body: StmtId,
    /// All expressions of the function.
    pub(crate) part: Part,
    /// The expressions of each loop, including loops made of jumps back to a label, in the order of their ends.
    pub(crate) loops: Vec<Part>,
    /// The variables that the function declares.
    pub(crate) locals: Vec<DeclId>,
    pub(crate) labels: Vec<(Rc<str>, Pos)>,
    pub(crate) from: Pos,
    pub(crate) to: Pos,
    /// The statements of pragmas and options about the function.
    pub(crate) given: Option<Rc<Given>>,
}

/// The statements of pragmas and options about a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// True if the function is defined elsewhere.
    pub(crate) elsewhere: bool,
    /// The functions that compute the partial derivatives of the result, by the names of parameters.
    pub(crate) partials: Vec<(Rc<str>, DeclId)>,
    /// The functions that compute the tangent and the adjoint.
    pub(crate) tangent: Option<DeclId>,
    pub(crate) adjoint: Option<DeclId>,
    /// True if the derivative is taken to be 0.
    pub(crate) passive: bool,
}

impl Given {
    /// The functions that the statements name.
    pub(crate) fn named(&self) -> impl Iterator<Item = DeclId> + '_ {
        let partials = self.partials.iter().map(|(_, d)| *d);
        partials.chain(self.tangent).chain(self.adjoint)
    }

    /// True if the derivative is given, or taken to be 0.
    pub(crate) fn has_derivatives(&self) -> bool {
        self.passive || self.named().next().is_some()
    }
}

/// The files with what they include.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit {
    pub(crate) exprs: Vec<ExprNode>,
    pub(crate) stmts: Vec<StmtNode>,
    pub(crate) decls: Vec<Decl>,
    pub(crate) functions: Vec<Function>,
    pub(crate) structures: Vec<Structure>,
    /// The number of functions that the files define; those behind them are made from pragmas and options.
    pub(crate) written: usize,
    /// The functions of each file, by their names.
    pub(crate) files: Vec<HashMap<Rc<str>, usize>>,
    /// Parameters that are functions which pragmas or options declare.
    pub(crate) callbacks: HashMap<DeclId, DeclId>,
    /// The function, given by the caller, that a pragma or option declares in the file's place.
    pub(crate) callback: Option<Rc<str>>,
    /// Parameters that callers pass as `double` or `int`, whatever the definition in the old style says.
    pub(crate) promoted: HashSet<DeclId>,
    /// Constructs that were read and are not supported.
    pub(crate) refused: Vec<Problem>,
    /// True if members may lie elsewhere than their types say: a type is declared with an alignment, or a pragma
    /// packs structures.
    pub(crate) has_layouts: bool,
    /// Types that the command line gives parameters.
    pub(crate) given_types: HashMap<DeclId, Qualified>,
}

/// Greatest height of an expression that is translated without statements. Higher expressions are taken apart, so
/// they count as having effects.
const MAX_HEIGHT: u32 = 25;

impl Unit {
    /// The function of a file, by its name.
    pub(crate) fn function_named(&self, file: usize, name: &str) -> Option<usize> {
        self.files.get(file)?.get(name).copied()
    }

    /// The conditions of all statements.
    pub(crate) fn conditions(&self) -> Vec<ExprId> {
        let mut found = Vec::new();
        for stmt in &self.stmts {
            match &stmt.kind {
                StmtKind::If(arms, _) => found.extend(arms.iter().map(|(c, _)| *c)),
                StmtKind::While(c, _) | StmtKind::Do(_, c) => found.push(*c),
                StmtKind::For(of) => found.extend(of.condition),
                _ => {}
            }
        }
        found
    }

    /// The operands of `!`, `&&`, `||` and `?:` that are asked whether they are 0.
    pub(crate) fn asked_operands(&self, e: ExprId) -> impl Iterator<Item = ExprId> {
        let [first, second] = match self.expr(e).kind {
            ExprKind::Unary(Unary::Not, a) | ExprKind::Conditional(a, ..) => [Some(a), None],
            ExprKind::Binary(Binary::And | Binary::Or, a, b) => [Some(a), Some(b)],
            _ => [None, None],
        };
        first.into_iter().chain(second)
    }

    /// The statements that a statement is made of; that behind `else` comes first.
    pub(crate) fn statements_inside(&self, s: StmtId) -> Vec<StmtId> {
        match &self.stmt(s).kind {
            StmtKind::Block(list) => list.clone(),
            StmtKind::If(arms, other) => {
                let arms = arms.iter().map(|(_, s)| *s);
                other.iter().copied().chain(arms).collect()
            }
            StmtKind::While(_, s)
            | StmtKind::Do(s, _)
            | StmtKind::Switch(_, s)
            | StmtKind::Checkpoint(_, s) => vec![*s],
            StmtKind::For(of) => vec![of.body],
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Decl(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Leave
            | StmtKind::Case(..)
            | StmtKind::Default
            | StmtKind::Label(_) => Vec::new(),
        }
    }

    /// The expressions of a statement, without those of the statements that are inside of it.
    pub(crate) fn evaluated(&self, s: StmtId) -> Vec<ExprId> {
        match &self.stmt(s).kind {
            StmtKind::Expr(e)
            | StmtKind::While(e, _)
            | StmtKind::Do(_, e)
            | StmtKind::Switch(e, _) => vec![*e],
            StmtKind::If(arms, _) => arms.iter().map(|(e, _)| *e).collect(),
            StmtKind::For(of) => {
                let init = of.init.map(|s| self.evaluated(s));
                let rest = of.condition.into_iter().chain(of.step);
                init.into_iter().flatten().chain(rest).collect()
            }
            StmtKind::Return(e) => e.iter().copied().collect(),
            StmtKind::Decl(all) => {
                let inits = all.iter().map(|d| self.decl(*d).init.as_ref());
                inits.flat_map(initial_exprs).collect()
            }
            StmtKind::Empty
            | StmtKind::Block(_)
            | StmtKind::Checkpoint(..)
            | StmtKind::Case(..)
            | StmtKind::Default
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Leave => Vec::new(),
        }
    }

    /// True if there is a label or a case in the statements.
    pub(crate) fn is_entered(&self, statements: &[StmtId]) -> bool {
        let mut open = statements.to_vec();
        while let Some(s) = open.pop() {
            match &self.stmt(s).kind {
                StmtKind::Case(..) | StmtKind::Default | StmtKind::Label(_) => return true,
                _ => open.extend(self.statements_inside(s)),
            }
        }
        false
    }

    /// Adds an expression.
    pub(crate) fn push(&mut self, kind: ExprKind, at: Pos, from: Pos) -> ExprId {
        let ty = self.type_of(&kind);
        let node = ExprNode {
            kind,
            ty,
            at,
            from,
            effects: false,
            height: 1,
            enclosed: false,
        };
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(node);
        self.find_effects(id);
        self.note(id);
        id
    }

    /// Finds whether an expression has effects, and its height, from those of its operands.
    pub(crate) fn find_effects(&mut self, id: ExprId) {
        let node = self.expr(id);
        let mut effects = match &node.kind {
            ExprKind::Step { .. }
            | ExprKind::Assign(..)
            | ExprKind::Literal(_)
            | ExprKind::Inlined(_) => true,
            ExprKind::Call(f, _) => !self.only_computes(*f),
            // A choice between structures is written as statements.
            ExprKind::Conditional(..) => self.structure_of(id).is_some(),
            _ => false,
        };
        let mut height = 0;
        for e in self.operands(id) {
            let below = self.expr(e);
            effects |= below.effects;
            height = height.max(below.height);
        }
        let node = &mut self.exprs[id.index()];
        node.height = height.saturating_add(1);
        node.effects = effects || node.height > MAX_HEIGHT;
    }

    /// True if the called function is one of the library that becomes an expression, without statements.
    fn only_computes(&self, callee: ExprId) -> bool {
        let ExprKind::Name(d) = self.expr(callee).kind else {
            return false;
        };
        let decl = self.decl(d);
        let writes = match &decl.ty.ty {
            Type::Function(signature) => {
                (signature.parameters.iter()).any(|p| p.ty.target().is_some())
            }
            _ => true,
        };
        decl.library.is_some_and(How::is_pure) && !writes
    }

    /// Notes the variables that an expression assigns, and those whose addresses it takes.
    fn note(&mut self, id: ExprId) {
        match self.expr(id).kind {
            ExprKind::Unary(Unary::Address, of) => {
                if let Some(d) = self.addressed(of) {
                    self.decls[d.index()].address = true;
                }
            }
            ExprKind::Step { of: target, .. } | ExprKind::Assign(_, target, _) => {
                if let ExprKind::Name(d) | ExprKind::Literal(d) = self.expr(target).kind {
                    self.decls[d.index()].assigned.push(id);
                }
            }
            _ => {}
        }
    }

    /// The variable whose address is taken if the address of this place is taken: a member lies in its variable.
    pub(crate) fn addressed(&self, mut place: ExprId) -> Option<DeclId> {
        while let ExprKind::Member(of, _, false) = self.expr(place).kind {
            place = of;
        }
        match self.expr(place).kind {
            ExprKind::Name(d) | ExprKind::Literal(d) => Some(d),
            _ => None,
        }
    }

    /// The expressions that are no operands of others: of statements, initial values, and bodies in place of calls.
    pub(crate) fn values(&self) -> Vec<ExprId> {
        let statements = (0..self.stmts.len() as u32).map(StmtId);
        let mut all: Vec<ExprId> = statements.flat_map(|s| self.evaluated(s)).collect();
        all.extend(
            self.decls
                .iter()
                .flat_map(|decl| initial_exprs(decl.init.as_ref())),
        );
        all.extend(self.exprs.iter().filter_map(|node| match &node.kind {
            ExprKind::Inlined(inlined) => inlined.value,
            _ => None,
        }));
        all
    }

    pub(crate) fn expr(&self, e: ExprId) -> &ExprNode {
        &self.exprs[e.index()]
    }

    pub(crate) fn stmt(&self, s: StmtId) -> &StmtNode {
        &self.stmts[s.index()]
    }

    pub(crate) fn decl(&self, d: DeclId) -> &Decl {
        &self.decls[d.index()]
    }

    pub(crate) fn structure(&self, s: StructId) -> &Structure {
        &self.structures[s.index()]
    }

    /// The member of a name. Members that are left out are found, too: `sizeof` may name them.
    pub(crate) fn member(&self, s: StructId, name: &str) -> Option<&Member> {
        let structure = self.structure(s);
        let mut all = structure.members.iter().chain(structure.declared_members());
        all.find(|m| &*m.name == name)
    }

    /// The structure and the member's name, if an expression is a member.
    pub(crate) fn member_of(&self, e: ExprId) -> Option<(StructId, &Rc<str>)> {
        let ExprKind::Member(of, name, _) = &self.expr(e).kind else {
            return None;
        };
        let ty = self.expr(*of).ty.as_ref()?;
        match (&ty.ty, ty.target().map(|to| &to.ty)) {
            (Type::Struct(s), _) | (_, Some(Type::Struct(s))) => Some((*s, name)),
            _ => None,
        }
    }

    /// If an expression calls a function of the file by its name, the function and the arguments.
    pub(crate) fn own_call(&self, e: ExprId) -> Option<(usize, &Rc<[ExprId]>)> {
        let ExprKind::Call(f, arguments) = &self.expr(e).kind else {
            return None;
        };
        let ExprKind::Name(d) = self.expr(*f).kind else {
            return None;
        };
        Some((self.decl(d).definition?, arguments))
    }

    /// The expressions that a function returns.
    pub(crate) fn returned_exprs(&self, f: usize) -> Vec<ExprId> {
        let body = self.functions.get(f).map(|f| f.body);
        body.map_or_else(Vec::new, |body| self.returned_in(body))
    }

    /// The expressions that a body returns.
    pub(crate) fn returned_in(&self, body: StmtId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut open = vec![body];
        while let Some(s) = open.pop() {
            match self.stmt(s).kind {
                StmtKind::Return(Some(e)) => found.push(e),
                _ => open.extend(self.statements_inside(s)),
            }
        }
        found
    }

    /// True of arrays.
    pub(crate) fn is_array(&self, e: ExprId) -> bool {
        let ty = self.expr(e).ty.as_ref();
        ty.is_some_and(|ty| matches!(ty.ty, Type::Array(..)))
    }

    /// True of pointers and arrays.
    pub(crate) fn is_pointer(&self, e: ExprId) -> bool {
        self.expr(e)
            .ty
            .as_ref()
            .is_some_and(|ty| ty.target().is_some())
    }

    /// The structure type of an expression, if it has one.
    pub(crate) fn structure_of(&self, e: ExprId) -> Option<StructId> {
        match self.expr(e).ty.as_ref()?.ty {
            Type::Struct(s) => Some(s),
            Type::Void
            | Type::Arith(_)
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Function(_)
            | Type::Refused(_) => None,
        }
    }

    /// The operands of an expression, from left to right.
    pub(crate) fn operands(&self, e: ExprId) -> Vec<ExprId> {
        match &self.expr(e).kind {
            ExprKind::Int(..)
            | ExprKind::Real(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::Inlined(_)
            | ExprKind::Bad => Vec::new(),
            ExprKind::Literal(d) => initial_exprs(self.decl(*d).init.as_ref()),
            ExprKind::Unary(_, a)
            | ExprKind::Step { of: a, .. }
            | ExprKind::Member(a, ..)
            | ExprKind::Cast(_, a) => vec![*a],
            ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) | ExprKind::Index(a, b) => {
                vec![*a, *b]
            }
            ExprKind::Conditional(a, b, c) => vec![*a, *b, *c],
            ExprKind::Call(f, arguments) => {
                let mut all = vec![*f];
                all.extend(arguments.iter());
                all
            }
        }
    }

    /// Calls `visit` for an expression and all below it.
    pub(crate) fn walk(&self, e: ExprId, visit: &mut impl FnMut(ExprId)) {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            visit(e);
            open.extend(self.operands(e));
        }
    }

    /// The variable that a place, or a pointer made from it, leads to.
    pub(crate) fn root_variable(&self, e: ExprId) -> Option<DeclId> {
        self.root_variables(e).first().copied()
    }

    /// The variables that a place, or a pointer made from them, may lead to.
    pub(crate) fn root_variables(&self, e: ExprId) -> Vec<DeclId> {
        let mut roots = Vec::new();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match &self.expr(e).kind {
                ExprKind::Name(d) | ExprKind::Literal(d) => roots.push(*d),
                ExprKind::Unary(Unary::Deref | Unary::Address, a)
                | ExprKind::Member(a, ..)
                | ExprKind::Step { of: a, .. }
                | ExprKind::Cast(_, a) => open.push(*a),
                // Either operand may be the pointer: `a[i]` is `i[a]`.
                ExprKind::Index(a, b) | ExprKind::Binary(Binary::Add | Binary::Sub, a, b) => {
                    open.push(if self.is_pointer(*a) { *a } else { *b });
                }
                ExprKind::Binary(Binary::Comma, _, b) => open.push(*b),
                ExprKind::Assign(_, a, b) => {
                    // The value of an assignment of pointers is the pointer on the right.
                    if self.is_pointer(*a) {
                        open.push(*b);
                    }
                    open.push(*a);
                }
                ExprKind::Conditional(_, a, b) => open.extend([*b, *a]),
                ExprKind::Inlined(inlined) => open.extend(inlined.value),
                _ => {}
            }
        }
        roots
    }
}
