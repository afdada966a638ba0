//! What the parser makes of a file: expressions, statements and declarations in arenas, names resolved.

pub(crate) use crate::ids::{DeclId, ExprId, StmtId, StructId};
use crate::{
    math::How,
    number::Number,
    source::{Pos, Problem},
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::Subscript;
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
    /// A text: its bytes, without the 0 at the end. None where they are not known here, as of wide characters.
    Str(Option<Rc<[u8]>>),
    Name(DeclId),
    Unary(Unary, ExprId),
    /// `++` and `--`: the step, and whether the value is that before it.
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
    /// A member by its name; of what a pointer points to where the arrow is written.
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
    /// None of a function without a result.
    pub(crate) value: Option<ExprId>,
    /// The expressions of the body.
    pub(crate) part: Part,
    /// The arguments, where a function stands in place of its call.
    pub(crate) arguments: Vec<ExprId>,
    /// The labels that are placed in the body.
    pub(crate) labels: Vec<Rc<str>>,
}

#[derive(Clone, Debug)]
pub(crate) struct ExprNode {
    pub(crate) kind: ExprKind,
    /// The type; none where a problem has been reported, or will be.
    pub(crate) ty: Option<Qualified>,
    /// The token that stands for it: the operator, the name.
    pub(crate) at: Pos,
    /// The first token.
    pub(crate) from: Pos,
    /// It assigns, or calls what may, or its translation takes statements.
    pub(crate) effects: bool,
    /// Levels of nodes.
    pub(crate) height: u32,
    /// It stands in parentheses.
    pub(crate) enclosed: bool,
}

/// What may be evaluated or changed by the expressions of a part of a function: their numbers.
pub(crate) type Part = std::ops::Range<u32>;

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Empty,
    Expr(ExprId),
    Decl(Vec<DeclId>),
    Block(Vec<StmtId>),
    /// Conditions with what is done, and what is done if none holds.
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
}

#[derive(Clone, Debug)]
pub(crate) struct For {
    pub(crate) init: Option<StmtId>,
    pub(crate) condition: Option<ExprId>,
    pub(crate) step: Option<ExprId>,
    pub(crate) body: StmtId,
    /// The expressions of the body.
    pub(crate) part: Part,
    /// A label or a case of a switch outside is in the body.
    pub(crate) entered: bool,
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
    /// What braces or a text give to the parts of an array or structure, in the order of the parts; all others are 0.
    Parts(Vec<InitialPart>),
    /// Braces that are no initial value of the type: the problem is told where the variable is read.
    Wrong(Rc<Problem>),
}

/// What a part is given, a number, a pointer or a structure, and the subscripts and members that lead to the part.
pub(crate) type InitialPart = (Vec<Subscript>, ExprId);

impl Init {
    /// What is given to the variable or to its parts.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&[Subscript], ExprId)> {
        let (whole, parts) = match self {
            Self::Expr(e) => (Some((&[][..], *e)), &[][..]),
            Self::Parts(parts) => (None, &parts[..]),
            Self::Wrong(_) => (None, &[][..]),
        };
        let parts = parts.iter().map(|(steps, e)| (&steps[..], *e));
        whole.into_iter().chain(parts)
    }

    /// The same with other expressions.
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
pub(crate) fn leaves(init: Option<&Init>) -> Vec<ExprId> {
    let given = init.into_iter().flat_map(Init::given);
    given.map(|(_, e)| e).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclKind {
    /// Of the file.
    Global,
    /// Of a function, but kept between calls.
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
    /// The number that it always has.
    pub(crate) fixed: Option<Number>,
    /// `extern` without a definition.
    pub(crate) external: bool,
    /// Static at file scope.
    pub(crate) internal: bool,
    /// The first extent of a parameter that is written as an array.
    pub(crate) extent: Option<ExprId>,
    /// The expressions that assign to the name itself, in order.
    pub(crate) assigned: Vec<ExprId>,
    /// Its address is taken with &.
    pub(crate) address: bool,
    /// The variable is declared `register`, and has no address.
    pub(crate) register: bool,
    /// The derivative of what it holds is taken to be 0.
    pub(crate) passive: bool,
    /// How a function of the library is computed.
    pub(crate) library: Option<How>,
    /// A function that does not return.
    pub(crate) noreturn: bool,
    /// A function's place among the definitions.
    pub(crate) definition: Option<usize>,
    /// The number of the definition that a variable belongs to.
    pub(crate) function: Option<usize>,
    /// The number of expressions that stand before it.
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

/// A declaration of which no more is known.
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
    /// Its tag, or the name that a typedef gives it.
    pub(crate) name: Option<Rc<str>>,
    /// The name is a tag.
    pub(crate) tagged: bool,
    /// Where its members are declared.
    pub(crate) at: Pos,
    /// Its declaration is inside of a function, where nothing else can name it.
    pub(crate) inside: bool,
    pub(crate) members: Vec<Member>,
    /// All members as they are declared, where some are left out.
    pub(crate) declared: Option<Rc<[Member]>>,
    /// More of it than the members that are named is read or written, as where a value is copied.
    pub(crate) copied: bool,
    /// Members are assigned that are left out.
    pub(crate) assigned: bool,
    /// The scalars and arrays in it, those of structures inside included.
    pub(crate) leaves: usize,
    /// Its members have been read.
    pub(crate) complete: bool,
    /// Its members lie otherwise than C has them, so that its size is not known.
    pub(crate) packed: bool,
    /// It is a union.
    pub(crate) union: bool,
    /// What it has that is not supported.
    pub(crate) refused: Option<Rc<str>>,
}

impl Structure {
    /// All members as they are declared, those too that are left out.
    pub(crate) fn declared(&self) -> &[Member] {
        self.declared.as_deref().unwrap_or(&self.members)
    }

    /// Reads it as if it had these members only.
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
    /// All expressions of it.
    pub(crate) part: Part,
    /// The expressions of each loop, also of those that jumps back to a label make, in the order of their ends.
    pub(crate) loops: Vec<Part>,
    /// The variables that it declares.
    pub(crate) locals: Vec<DeclId>,
    pub(crate) labels: Vec<(Rc<str>, Pos)>,
    pub(crate) from: Pos,
    pub(crate) to: Pos,
    /// What pragmas and options say of it.
    pub(crate) given: Option<Rc<Given>>,
}

/// What pragmas and options say of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// The function is defined elsewhere.
    pub(crate) elsewhere: bool,
    /// The functions that compute the partial derivatives of the result, by the names of parameters.
    pub(crate) partials: Vec<(Rc<str>, DeclId)>,
    /// The functions that compute the tangent and the adjoint.
    pub(crate) tangent: Option<DeclId>,
    pub(crate) adjoint: Option<DeclId>,
    /// The derivative is taken to be 0.
    pub(crate) passive: bool,
}

impl Given {
    /// The functions that are named.
    pub(crate) fn named(&self) -> impl Iterator<Item = DeclId> + '_ {
        let partials = self.partials.iter().map(|(_, d)| *d);
        partials.chain(self.tangent).chain(self.adjoint)
    }

    /// True if something is said of the derivative.
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
    /// The number of functions that the file defines; those behind are made of pragmas and options.
    pub(crate) written: usize,
    /// Those of each file, by their names.
    pub(crate) files: Vec<HashMap<Rc<str>, usize>>,
    /// Parameters that are functions which pragmas or options declare.
    pub(crate) callbacks: HashMap<DeclId, DeclId>,
    /// A function that the caller gives, and that is said to be one of the file.
    pub(crate) callback: Option<Rc<str>>,
    /// Parameters that callers pass as `double` or `int`, whatever the definition in the old style says.
    pub(crate) promoted: HashSet<DeclId>,
    /// Constructs that were read and are not supported.
    pub(crate) refused: Vec<Problem>,
    /// Members may lie elsewhere than their types say: types are declared with an alignment, or a pragma packs structures.
    pub(crate) has_layouts: bool,
    /// Types that the command line gives parameters.
    pub(crate) given_types: HashMap<DeclId, Qualified>,
}

/// Higher expressions are taken apart, which emits statements: they count as having effects.
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

    /// The statements that a statement is made of; what follows `else` comes first.
    pub(crate) fn inside(&self, s: StmtId) -> Vec<StmtId> {
        match &self.stmt(s).kind {
            StmtKind::Block(list) => list.clone(),
            StmtKind::If(arms, other) => {
                let arms = arms.iter().map(|(_, s)| *s);
                other.iter().copied().chain(arms).collect()
            }
            StmtKind::While(_, s) | StmtKind::Do(s, _) | StmtKind::Switch(_, s) => vec![*s],
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
                inits.flat_map(leaves).collect()
            }
            StmtKind::Empty
            | StmtKind::Block(_)
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
                _ => open.extend(self.inside(s)),
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
            // A structure is chosen by statements.
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

    /// True if a function of the library is called that becomes an expression, without statements.
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

    /// Notes which variables an expression assigns and whose address it takes.
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

    /// The variable that has an address if this place has one: the address of a member is one in its variable.
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
                .flat_map(|decl| leaves(decl.init.as_ref())),
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

    /// The member of a name; sizes may be asked of those that are left out, too.
    pub(crate) fn member(&self, s: StructId, name: &str) -> Option<&Member> {
        let structure = self.structure(s);
        let mut all = structure.members.iter().chain(structure.declared());
        all.find(|m| &*m.name == name)
    }

    /// The structure and the name of the member that an expression is.
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

    /// The function of the file that an expression calls by its name, and the arguments.
    pub(crate) fn own_call(&self, e: ExprId) -> Option<(usize, &Rc<[ExprId]>)> {
        let ExprKind::Call(f, arguments) = &self.expr(e).kind else {
            return None;
        };
        let ExprKind::Name(d) = self.expr(*f).kind else {
            return None;
        };
        Some((self.decl(d).definition?, arguments))
    }

    /// What a function returns.
    pub(crate) fn returned(&self, f: usize) -> Vec<ExprId> {
        let body = self.functions.get(f).map(|f| f.body);
        body.map_or_else(Vec::new, |body| self.returned_in(body))
    }

    /// What a body returns.
    pub(crate) fn returned_in(&self, body: StmtId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut open = vec![body];
        while let Some(s) = open.pop() {
            match self.stmt(s).kind {
                StmtKind::Return(Some(e)) => found.push(e),
                _ => open.extend(self.inside(s)),
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

    /// The structure that an expression is.
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
            ExprKind::Literal(d) => leaves(self.decl(*d).init.as_ref()),
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
    pub(crate) fn root(&self, e: ExprId) -> Option<DeclId> {
        self.roots(e).first().copied()
    }

    /// The variables that a place, or a pointer made from them, may lead to.
    pub(crate) fn roots(&self, e: ExprId) -> Vec<DeclId> {
        let mut roots = Vec::new();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match &self.expr(e).kind {
                ExprKind::Name(d) | ExprKind::Literal(d) => roots.push(*d),
                ExprKind::Unary(Unary::Deref | Unary::Address, a)
                | ExprKind::Member(a, ..)
                | ExprKind::Step { of: a, .. }
                | ExprKind::Cast(_, a) => open.push(*a),
                // The pointer may be either operand.
                ExprKind::Index(a, b) | ExprKind::Binary(Binary::Add | Binary::Sub, a, b) => {
                    open.push(if self.is_pointer(*a) { *a } else { *b });
                }
                ExprKind::Binary(Binary::Comma, _, b) => open.push(*b),
                ExprKind::Assign(_, a, b) => {
                    // What is assigned leads there, too, if it is a pointer.
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
