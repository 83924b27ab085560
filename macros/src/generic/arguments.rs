//! Calls of functions and methods: arguments that are data, numbers, closures or functions.

use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprCall, ExprMethodCall, Ident, PathArguments, Token, parse_quote, parse_quote_spanned};

use super::body::Body;
use super::constants::{has_shape, is_float_method};
use super::forms::take_expression_data;
use super::kind::Kind;
use super::names::{Function, arguments};
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
        if *receiver.value() == Kind::Number {
            self.no_value_method(&call.method);
        }
        // `0.5.into()` of a struct with the parameter.
        if *receiver.value() == Kind::Data && matches!(&*name, "into" | "try_into") {
            return self.visit_expr_mut(&mut call.receiver);
        }
        // `t.total_cmp(&u)` of data.
        if *receiver.value() == Kind::Data && !is_float && call.args.iter().all(|e| of_data(self, e)) {
            return self.method_of_data(call);
        }
        let known = self.method_of(&receiver, &name).map(|method| method.data);
        let is_number = *receiver.value() == Kind::Number;
        let known = known.or_else(|| (is_number && has_shape(&name)).then(|| vec![true]));
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
            // `map(f64::from)` of integers.
            if let Expr::Path(f) = &*e
                && self.context.names.item_of_float(f).is_some_and(|item| item == "from")
                && !received.first().is_some_and(|kind| *kind.value() == Kind::Number)
            {
                let span = f.path.segments[0].ident.span();
                let value = Ident::new("value", proc_macro2::Span::mixed_site());
                let number = self.context.bound.number(&self.context.param, &parse_quote!(#f(#value)));
                *e = parse_quote_spanned!(span=> |#value| #number);
                continue;
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
    /// Reports a method that reads the bits of a value.
    fn no_value_method(&mut self, name: &Ident) {
        const OF_BITS: &str =
            " to_bits to_be_bytes to_le_bytes to_ne_bytes next_up next_down to_int_unchecked ";
        if OF_BITS.contains(&format!(" {name} ")) {
            let value = self.context.bound.value();
            let message = format!(
                "a number has no `{name}`, its value has: `{value}.{name}()`, and the derivative ends there"
            );
            self.context.error(name, message);
        }
    }
    /// An argument, which may be the name of a function.
    fn value_or_function(&mut self, e: &mut Expr) {
        if matches!(e, Expr::Path(_)) && !self.is_constant(e) { self.path(e) } else { self.visit_expr_mut(e) }
    }
    pub fn call(&mut self, call: &mut ExprCall) {
        // `$f(x)` of a macro, where `$f` is an expression.
        if let Expr::Group(group) = &*call.func
            && let Expr::Path(path) = &*group.expr
        {
            *call.func = Expr::Path(path.clone());
        }
        let ExprCall { func, args, .. } = call;
        let of_local = match self.kind(func).value() {
            Kind::Function(of, _) => of.iter().map(Kind::is_data).collect(),
            _ => Vec::new(),
        };
        let Expr::Path(path) = &mut **func else {
            self.visit_expr_mut(func);
            return self.arguments(args, &of_local);
        };
        if let Some(item) = self.context.names.item_of_float(path) {
            self.no_value_method(&Ident::new(&item, path.path.segments.last().expect("a name").ident.span()));
            self.path(func);
            let mut arguments = args.iter_mut();
            arguments.by_ref().take(1).for_each(|e| self.visit_expr_mut(e));
            return arguments.for_each(|e| self.operand(e));
        }
        if let Some(fields) = self.fields_of_call(path) {
            return self.tuple_structure(&mut path.path, args, &fields);
        }
        // `Real::beta_i(x, [2.5, 1.5])`.
        let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let of_local = match &names[..] {
            [owner, name] if owner == "Real" && has_shape(name) => vec![false, true],
            _ => of_local,
        };
        let is_local = path.path.get_ident().is_some_and(|name| self.local(&name.to_string()).is_some());
        let known = self.function_of(&path.path).filter(|_| !is_local);
        let is_function = known.as_ref().is_some_and(|f| f.is_generic);
        let at_floats = known.as_ref().is_some_and(|function| self.runs_at_floats(function, args));
        let mut data = known.as_ref().map_or(of_local, |function| function.data.clone());
        data.iter_mut().for_each(|data| *data |= at_floats);
        if is_function
            && let Some(last) = path.path.segments.last_mut()
            && let PathArguments::AngleBracketed(given) = &mut last.arguments
        {
            given.args.push(parse_quote_spanned!(last.ident.span()=> _));
        }
        if is_function
            && !at_floats
            && let Some(function) = &known
            && self.is_over_numbers(function, args)
            && let Some(last) = path.path.segments.last_mut()
            && last.arguments.is_none()
        {
            let all = arguments(function.parameters, &self.context.param);
            last.arguments = PathArguments::AngleBracketed(all);
        }
        // A method called as a function has its receiver first.
        if known.as_ref().is_some_and(|f| f.is_method) && data.len() + 1 == args.len() {
            data.insert(0, false);
        }
        let param = self.context.param.clone();
        self.visit_path_mut(&mut path.path);
        let is_over_numbers = match &known {
            Some(f) => f.is_method && !f.is_plain && self.is_over_numbers(f, args),
            // A derived `default`.
            None => args.is_empty(),
        };
        self.complete_owner(&mut path.path, &param, is_over_numbers && !at_floats && path.qself.is_none());
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
            || all.all(|(kind, data)| *data || kind.is_plain())
    }
}
