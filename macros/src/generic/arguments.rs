//! Calls of functions and methods: arguments that are data, numbers, closures or functions.

use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprCall, ExprMethodCall, PathArguments, Token, parse_quote_spanned};

use super::body::Body;
use super::constants::{is_float_method, item_of_float};
use super::forms::take_expression_data;
use super::kind::Kind;
use super::names::{Function, Names, arguments};
use super::types::Replace;

impl Body<'_> {
    /// An argument, which may be data of the function.
    fn argument(&mut self, argument: &mut Expr, is_data: bool) {
        if take_expression_data(argument) {
            return;
        }
        match argument {
            Expr::Reference(e) if is_data => self.data(&mut e.expr),
            Expr::Path(_) if is_data && self.kind(argument).is_data() => {}
            argument if is_data && !matches!(argument, Expr::Path(_)) => self.data(argument),
            argument => self.value_or_function(argument),
        }
    }
    pub fn method(&mut self, call: &mut ExprMethodCall) {
        let name = call.method.to_string();
        let receiver = self.kind(&call.receiver);
        let is_float = is_float_method(&name) && !matches!(receiver, Kind::Iter(_) | Kind::List(_));
        let of_data = |body: &mut Self, e: &Expr| {
            let of = body.kind(if let Expr::Reference(e) = e { &e.expr } else { e });
            of.is_data() || of == Kind::Plain
        };
        // `t.total_cmp(&u)` of data.
        if *receiver.value() == Kind::Data && !is_float && call.args.iter().all(|e| of_data(self, e)) {
            return self.method_of_data(call);
        }
        let known = self.context.names.methods.get(&name).map(|method| method.data.clone());
        let known = known.filter(|_| matches!(receiver.value(), Kind::Unknown | Kind::Struct(..)));
        // `text.parse::<f64>()` reads a float.
        if let Some(turbofish) = &mut call.turbofish
            && name != "parse"
        {
            Replace(self.context).visit_angle_bracketed_generic_arguments_mut(turbofish);
        }
        let received = self.received(call, &receiver);
        self.visit_expr_mut(&mut call.receiver);
        for (i, e) in call.args.iter_mut().enumerate() {
            // The compiler keeps a reference to a constant alive, and none to a number.
            if name == "unwrap_or" && matches!(e, Expr::Reference(r) if self.is_constant(&r.expr)) {
                let message = "a reference to a number made here does not live long enough: write \
                    `.copied().unwrap_or(…)` with a value";
                self.context.error(&*e, message);
            }
            match (e, &known) {
                (Expr::Closure(closure), None) => self.closure(closure, &received, receiver.is_data()),
                (e, Some(data)) => self.argument(e, data.get(i).copied().unwrap_or(false)),
                // These methods take arguments that can become numbers.
                (e, None) if is_float => self.operand(e),
                (e, None) => self.value_or_function(e),
            }
        }
    }
    /// An argument, which may be the name of a function.
    fn value_or_function(&mut self, e: &mut Expr) {
        if matches!(e, Expr::Path(_)) && !self.is_constant(e) { self.path(e) } else { self.visit_expr_mut(e) }
    }
    pub fn call(&mut self, call: &mut ExprCall) {
        let ExprCall { func, args, .. } = call;
        let of_local = match self.kind(func).value() {
            Kind::Function(of, _) => of.iter().map(Kind::is_data).collect(),
            _ => Vec::new(),
        };
        let Expr::Path(path) = &mut **func else {
            self.visit_expr_mut(func);
            return self.arguments(args, &of_local);
        };
        if item_of_float(path, self.context.bound.float).is_some() {
            self.path(func);
            let mut arguments = args.iter_mut();
            arguments.by_ref().take(1).for_each(|e| self.visit_expr_mut(e));
            return arguments.for_each(|e| self.operand(e));
        }
        let is_local = path.path.get_ident().is_some_and(|name| self.local(&name.to_string()).is_some());
        let known = self.function_of(&path.path).filter(|_| !is_local);
        let is_function = Names::key(&path.path)
            .is_some_and(|key| self.context.names.functions.get(&key).is_some_and(|f| !f.is_plain));
        let at_floats = known.as_ref().is_some_and(|function| self.runs_at_floats(function, args));
        let mut data = known.as_ref().map_or(of_local, |function| function.data.clone());
        data.iter_mut().for_each(|data| *data |= at_floats);
        // A method called as a function has its receiver first.
        if !is_local && data.len() + 1 == args.len() {
            data.insert(0, false);
        }
        if is_function
            && !is_local
            && let Some(last) = path.path.segments.last_mut()
            && let PathArguments::AngleBracketed(given) = &mut last.arguments
        {
            given.args.push(parse_quote_spanned!(last.ident.span()=> _));
        }
        if is_function
            && !is_local
            && !at_floats
            && let Some(function) = &known
            && self.is_over_numbers(function, args)
            && let Some(last) = path.path.segments.last_mut()
            && last.arguments.is_none()
        {
            let all = arguments(function.parameters, &self.context.param);
            last.arguments = PathArguments::AngleBracketed(all);
        }
        let param = self.context.param.clone();
        self.visit_path_mut(&mut path.path);
        self.complete_owner(&mut path.path, &param);
        self.arguments(args, &data);
    }
    /// Arguments of a function whose data arguments are known.
    fn arguments(&mut self, arguments: &mut Punctuated<Expr, Token![,]>, data: &[bool]) {
        for (i, argument) in arguments.iter_mut().enumerate() {
            self.argument(argument, data.get(i).copied().unwrap_or(false));
        }
    }
    /// Whether a call is over the parameter. The compiler looks into `&|x| …` before it knows the numbers among the other
    /// arguments, and data say nothing of it.
    fn is_over_numbers(&mut self, function: &Function, arguments: &Punctuated<Expr, Token![,]>) -> bool {
        let kinds: Vec<Kind> = arguments.iter().map(|e| self.kind(e)).collect();
        let mut all = kinds.iter().zip(&function.data);
        all.clone().any(|(kind, data)| !data && kind.has_numbers())
            || all.all(|(kind, data)| *data || *kind == Kind::Plain)
    }
}
