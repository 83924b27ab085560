//! The kinds of expressions, as the text shows them.

use syn::punctuated::Punctuated;
use syn::{BinOp, Block, Expr, ExprCall, ExprPath, Lit, Member, Pat, Path, Stmt, Token, Type, UnOp};

use super::body::Body;
use super::constants::{is_arithmetic, is_float_method, is_integer_of_float, is_shouted, method_of_operator};
use super::kind::Kind;
use super::names::Function;

impl Body<'_> {
    /// The kind of an expression of the plain code after its translation.
    pub fn kind(&mut self, e: &Expr) -> Kind {
        let float = self.context.bound.float;
        match e {
            Expr::Lit(e) => match &e.lit {
                Lit::Float(x) if x.suffix().is_empty() || x.suffix() == float => Kind::Data,
                Lit::Int(x) if x.suffix() == float => Kind::Data,
                _ => Kind::Plain,
            },
            Expr::Paren(e) => self.kind(&e.expr),
            Expr::Group(e) => self.kind(&e.expr),
            Expr::Reference(e) => self.kind(&e.expr).lifted().by_ref(),
            Expr::Unary(e) => {
                let of = self.kind(&e.expr);
                match (e.op, of.value()) {
                    (UnOp::Deref(_), _) => of.target(),
                    (UnOp::Neg(_), Kind::Struct(key, _)) => self.kind_of_operator(key, "neg"),
                    (_, of) => of.clone(),
                }
            }
            Expr::Binary(e) if is_arithmetic(&e.op) => {
                let (left, right) = (self.kind(&e.left), self.kind(&e.right));
                match left.value() {
                    Kind::Struct(key, _) => self.kind_of_operator(key, method_of_operator(&e.op)),
                    left => left.arithmetic(&right, self.context.bound.vectors),
                }
            }
            Expr::Binary(_) | Expr::Assign(_) | Expr::While(_) | Expr::ForLoop(_) | Expr::Let(_) => {
                Kind::Plain
            }
            Expr::Cast(e) if !self.context.names.is_float_type(&e.ty) => match self.kind_of_type(&e.ty) {
                // A type of elsewhere is an integer.
                Kind::Unknown => Kind::Plain,
                kind => kind,
            },
            Expr::Cast(e) if self.is_number(&e.expr) => Kind::Number,
            Expr::Cast(_) => Kind::Data,
            Expr::Path(path) => self.kind_of_path(path),
            Expr::Index(e) => match self.kind(&e.expr).value() {
                Kind::List(_) if matches!(&*e.index, Expr::Range(_)) => self.kind(&e.expr).value().clone(),
                Kind::List(of) => (**of).clone(),
                Kind::Struct(key, _) => self.kind_of_operator(key, "index").target(),
                _ => Kind::Unknown,
            },
            Expr::Field(e) => self.kind_of_field(&e.base, &e.member),
            Expr::MethodCall(e) => self.kind_of_method(e),
            Expr::Call(e) => self.kind_of_call(e),
            Expr::Closure(e) => {
                let arguments: Vec<Kind> = e.inputs.iter().map(|pat| self.declared(pat)).collect();
                let result = self.result(&Expr::Closure(e.clone()), &[]).lifted();
                Kind::Function(arguments, Box::new(result))
            }
            Expr::If(e) => {
                let then = self.scope(|body| {
                    body.bind_conditions(&e.cond);
                    body.kind_of_block(&e.then_branch)
                });
                match &e.else_branch {
                    Some((_, otherwise)) => then.join(self.kind(otherwise)),
                    None => Kind::Plain,
                }
            }
            Expr::Match(e) => {
                let of = self.kind(&e.expr);
                e.arms.iter().fold(Kind::Never, |kind, arm| {
                    let arm = self.scope(|body| {
                        body.bind_silently(&arm.pat, of.clone());
                        body.kind(&arm.body)
                    });
                    kind.join(arm)
                })
            }
            // A labelled block may have other values than the last, which all become numbers.
            Expr::Block(e) if e.label.is_some() => self.kind_of_block(&e.block).lifted(),
            Expr::Block(e) => self.kind_of_block(&e.block),
            Expr::Const(e) => self.kind_of_block(&e.block),
            Expr::Unsafe(e) => self.kind_of_block(&e.block),
            Expr::Tuple(e) => Kind::Tuple(e.elems.iter().map(|e| self.kind(e).lifted()).collect()),
            Expr::Array(e) => e.elems.first().map_or(Kind::Unknown, |e| self.kind(e).lifted()).list(),
            Expr::Repeat(e) => self.kind(&e.expr).lifted().list(),
            Expr::Range(e) => {
                let plain = |e: &Option<Box<Expr>>, body: &mut Self| {
                    e.as_deref().is_none_or(|e| body.kind(e) == Kind::Plain)
                };
                if plain(&e.start, self) && plain(&e.end, self) { Kind::Plain.iter() } else { Kind::Unknown }
            }
            Expr::Try(e) => match self.kind(&e.expr) {
                Kind::Maybe(of) => *of,
                _ => Kind::Unknown,
            },
            Expr::Struct(e) => {
                self.kind_of_type(&Type::Path(syn::TypePath { qself: None, path: e.path.clone() }))
            }
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => Kind::Never,
            Expr::Macro(e) => self.kind_of_macro(&e.mac),
            _ => Kind::Unknown,
        }
    }
    pub fn is_constant(&mut self, e: &Expr) -> bool {
        self.kind(e) == Kind::Data
    }
    pub fn is_number(&mut self, e: &Expr) -> bool {
        *self.kind(e).value() == Kind::Number
    }
    pub fn kind_of_type(&self, ty: &Type) -> Kind {
        self.context.names.kind(ty, &self.context.names.at, false)
    }
    /// The kind that a pattern states.
    fn declared(&self, pat: &Pat) -> Kind {
        match pat {
            Pat::Type(typed) if super::names::has_data(&typed.attrs) => {
                self.kind_of_type(&typed.ty).into_data()
            }
            Pat::Type(typed) => self.kind_of_type(&typed.ty),
            _ => Kind::Unknown,
        }
    }
    /// The result of an operator of a struct.
    fn kind_of_operator(&self, key: &str, method: &str) -> Kind {
        let method = self.context.names.functions.get(&format!("{key}::{method}"));
        method.map_or(Kind::Unknown, |method| self.kind_of_result(method))
    }
    fn kind_of_path(&mut self, path: &ExprPath) -> Kind {
        if let Some(name) = path.path.get_ident()
            && let Some(local) = self.local(&name.to_string())
        {
            return local.clone();
        }
        let names = &self.context.names;
        if let Some(item) = names.item_of_float(path) {
            return match () {
                () if is_integer_of_float(&item) => Kind::Plain,
                () if is_shouted(&item) => Kind::Data,
                () => Kind::Unknown,
            };
        }
        if path.qself.is_some() {
            return Kind::Unknown;
        }
        let key = names.key(&path.path);
        match names.constants.get(&key) {
            Some(kind) => kind.clone(),
            None if names.is_of_std(&path.path) => Kind::Data,
            None => names.type_of(&key).map_or(Kind::Unknown, |key| Kind::Struct(key, false)),
        }
    }
    fn kind_of_field(&mut self, base: &Expr, member: &Member) -> Kind {
        let of = self.kind(base);
        let names = &self.context.names;
        match (of.value(), member) {
            (Kind::Tuple(of), Member::Unnamed(i)) => {
                of.get(i.index as usize).cloned().unwrap_or(Kind::Unknown)
            }
            (Kind::Struct(key, data), member)
                if *data
                    || names.fields.get(key).is_some_and(|all| all.iter().any(|f| f.member == *member)) =>
            {
                self.kind_of_member(key, member, &of)
            }
            // The only kind of the fields of that name, which a struct may reach by `Deref`.
            (Kind::Unknown | Kind::Struct(..), Member::Named(_)) => {
                let mut all = names.fields.values().flatten().filter(|f| f.member == *member);
                let kinds = |f: &super::names::Field| names.kind_of_field(f, false);
                let Some(first) = all.next().map(kinds) else { return Kind::Unknown };
                if all.all(|f| kinds(f) == first) { first } else { Kind::Unknown }
            }
            _ => Kind::Unknown,
        }
    }
    fn kind_of_call(&mut self, call: &ExprCall) -> Kind {
        let Expr::Path(path) = &*call.func else {
            return match self.kind(&call.func).value() {
                Kind::Function(_, result) => (**result).clone(),
                _ => Kind::Unknown,
            };
        };
        let first = call.args.first();
        match self.context.names.item_of_float(path).as_deref() {
            // `from` of an integer, unless the argument is known to be a number.
            Some("from") => {
                return if call.args.iter().any(|e| self.is_number(e)) { Kind::Number } else { Kind::Data };
            }
            Some("from_bits" | "from_be_bytes" | "from_le_bytes" | "from_ne_bytes") => return Kind::Data,
            Some(item) => {
                let all = call.args.iter().all(|e| self.is_constant(e) || is_integer(e));
                let number = if is_float_method(item) { Kind::Number } else { Kind::Unknown };
                return if all && number == Kind::Number { Kind::Data } else { number };
            }
            None => {}
        }
        if let Some(name) = path.path.get_ident()
            && let Some(local) = self.local(&name.to_string())
        {
            return match local.value() {
                Kind::Function(_, result) => (**result).clone(),
                _ => Kind::Unknown,
            };
        }
        if let Some(function) = self.function_of(&path.path) {
            let result = self.kind_of_result(&function);
            return if self.runs_at_floats(&function, &call.args) { result.into_data() } else { result };
        }
        let key = self.context.names.key(&path.path);
        match key.rsplit("::").next().unwrap_or_default() {
            "Some" | "Ok" => first.map_or(Kind::Unknown, |e| self.kind(e).lifted().maybe()),
            "from_fn" => first.map_or(Kind::Unknown, |e| self.result(e, &[Kind::Plain]).lifted().list()),
            _ => self.context.names.type_of(&key).map_or(Kind::Unknown, |key| Kind::Struct(key, false)),
        }
    }
    /// Whether a function with the parameter is called with lists of data, and no numbers: it runs at floats.
    pub fn runs_at_floats(&mut self, function: &Function, arguments: &Punctuated<Expr, Token![,]>) -> bool {
        let kinds: Vec<Kind> = arguments.iter().map(|e| self.kind(e)).collect();
        let is_list = |(kind, data): (&Kind, &bool)| !data && kind.is_data() && *kind.value() != Kind::Data;
        kinds.iter().zip(&function.data).any(is_list)
            && kinds.iter().all(|kind| kind.is_data() || *kind.value() == Kind::Plain)
    }
    /// The kind of a function's result.
    pub fn kind_of_result(&self, function: &Function) -> Kind {
        self.context.names.kind(&function.result.ty, &function.result.at, function.is_plain)
    }
    /// The function or method that a path names.
    pub fn function_of(&self, path: &Path) -> Option<Function> {
        let names = &self.context.names;
        let key = names.key(path);
        if let Some(function) = names.functions.get(&key) {
            return Some(function.clone());
        }
        // `Self::f` of a trait, or `S::f` of a parameter.
        let (owner, name) = key.rsplit_once("::")?;
        names.method(None, name).filter(|_| !owner.is_empty() && !owner.starts_with("::"))
    }
    /// The result of a function for arguments of these kinds; its stated kinds count before.
    pub fn result(&mut self, function: &Expr, arguments: &[Kind]) -> Kind {
        match function {
            Expr::Closure(closure) => self.scope(|body| {
                for (i, pat) in closure.inputs.iter().enumerate() {
                    let given = arguments.get(i).cloned().unwrap_or(Kind::Unknown);
                    body.bind_silently(pat, given);
                }
                let result = body.kind(&closure.body);
                match &closure.output {
                    syn::ReturnType::Type(_, ty) if result != Kind::Data => body.kind_of_type(ty),
                    _ => result,
                }
            }),
            Expr::Path(path) => {
                if let Some(item) = self.context.names.item_of_float(path) {
                    let of = |kind: &Kind| {
                        if is_float_method(&item) { kind.value().clone() } else { Kind::Unknown }
                    };
                    return arguments.first().map_or(Kind::Unknown, of);
                }
                match self.kind_of_path(path) {
                    Kind::Function(_, result) => *result,
                    _ => self.function_of(&path.path).map_or(Kind::Unknown, |f| self.kind_of_result(&f)),
                }
            }
            _ => Kind::Unknown,
        }
    }
    pub fn kind_of_block(&mut self, block: &Block) -> Kind {
        let outer = std::mem::take(&mut self.data_variables);
        let kind = self.scope(|body| {
            for stmt in &block.stmts {
                if let Stmt::Local(local) = stmt {
                    let value = body.value(local);
                    body.bind_let_silently(local, value);
                }
            }
            match block.stmts.last() {
                Some(Stmt::Expr(e, None)) => body.kind(e),
                Some(Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _)) => Kind::Never,
                Some(Stmt::Macro(call)) if call.semi_token.is_none() => body.kind_of_macro(&call.mac),
                _ => Kind::Plain,
            }
        });
        self.data_variables = outer;
        kind
    }
    fn kind_of_macro(&mut self, call: &syn::Macro) -> Kind {
        let name = call.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        match &*name {
            "panic" | "unreachable" | "todo" | "unimplemented" => Kind::Never,
            "format" | "println" | "assert" | "assert_eq" | "debug_assert" | "matches" => Kind::Plain,
            "vec" => {
                let tokens = &call.tokens;
                syn::parse2::<Expr>(quote::quote!([#tokens])).map_or(Kind::Unknown, |list| self.kind(&list))
            }
            _ => Kind::Unknown,
        }
    }
    /// Binds the names of `if let` and of `&&` of them.
    pub fn bind_conditions(&mut self, condition: &Expr) {
        match condition {
            Expr::Let(e) => {
                let kind = self.kind(&e.expr);
                self.bind_silently(&e.pat, kind);
            }
            Expr::Binary(e) if matches!(e.op, BinOp::And(_)) => {
                self.bind_conditions(&e.left);
                self.bind_conditions(&e.right);
            }
            _ => {}
        }
    }
    /// Binds the names of a pattern and reports nothing.
    pub fn bind_silently(&mut self, pat: &Pat, kind: Kind) {
        let mut pat = pat.clone();
        self.silently(|body| body.bind_pattern(&mut pat, kind));
    }
    /// Binds the names of a `let` of this value and reports nothing.
    pub fn bind_let_silently(&mut self, local: &syn::Local, value: Kind) {
        let mut local = local.clone();
        self.silently(|body| body.bind_let(&mut local, value));
    }
    fn silently(&mut self, inside: impl FnOnce(&mut Self)) {
        let errors = self.context.errors();
        inside(self);
        self.context.forget(errors);
    }
}

/// `2` or `-2`.
pub fn is_integer(e: &Expr) -> bool {
    match e {
        Expr::Lit(e) => matches!(e.lit, Lit::Int(_)),
        Expr::Unary(e) => matches!(e.op, UnOp::Neg(_)) && is_integer(&e.expr),
        _ => false,
    }
}
