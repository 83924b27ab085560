//! The methods of std's lists, iterators and options: what their closures receive, and what they return.

use syn::ExprMethodCall;

use super::body::Body;
use super::constants::{is_float_method, is_unstable};
use super::infer::is_integer;
use super::kind::Kind;
use super::kind::Kind::{Data, Iter, List, Maybe, Number, Plain, Struct, Tuple, Unknown};

/// Float methods that integers have too.
const OF_INTEGERS: &str = " abs clamp max min div_euclid rem_euclid signum ";

impl Body<'_> {
    /// The arguments that a method of `receiver` passes to its closures.
    pub fn received(&mut self, call: &ExprMethodCall, receiver: &Kind) -> Vec<Kind> {
        let item = match receiver.value() {
            // Methods of slices pass references. Arrays and options pass their items.
            List(item) if call.method != "map" => (**item).clone(),
            _ => receiver.item(),
        };
        match &*call.method.to_string() {
            "map" | "for_each" | "flat_map" | "filter_map" | "map_while" | "any" | "all" | "position"
            | "and_then" | "map_or" | "map_or_else" | "is_some_and" | "find_map" | "is_none_or" => vec![item],
            "filter" | "take_while" | "skip_while" | "inspect" | "find" | "partition" | "partition_point"
            | "max_by_key" | "min_by_key" | "sort_by_key" | "retain" | "binary_search_by" => {
                vec![item.by_ref()]
            }
            "max_by" | "min_by" | "sort_by" | "sort_unstable_by" | "is_sorted_by" => {
                vec![item.clone().by_ref(), item.by_ref()]
            }
            "reduce" => vec![item.clone(), item],
            "fold" => vec![self.accumulator(call, &item), item],
            "scan" => {
                let state = call.args.first().map_or(Unknown, |e| self.kind(e).lifted());
                vec![state.by_ref(), item]
            }
            _ => Vec::new(),
        }
    }
    /// The accumulator of a fold: data only if nothing but data is folded.
    fn accumulator(&mut self, call: &ExprMethodCall, item: &Kind) -> Kind {
        let init = call.args.first().map_or(Unknown, |e| self.kind(e));
        if init == Data
            && item.is_data()
            && let Some(f) = call.args.get(1)
            && self.result(f, &[Data, item.clone()]) == Data
        {
            return Data;
        }
        init.lifted()
    }
    /// The result of the closure of a method. It stays data if the method receives nothing else.
    fn returned(&mut self, call: &ExprMethodCall, receiver: &Kind) -> Kind {
        let received = self.received(call, receiver);
        let Some(f) = call.args.last() else { return Unknown };
        let result = self.result(f, &received);
        match result {
            result if receiver.is_data() && !self.lifts => result,
            Maybe(of) if *of == Data => Number.maybe(),
            result => result.lifted(),
        }
    }
    pub fn kind_of_method(&mut self, call: &ExprMethodCall) -> Kind {
        let receiver = self.kind(&call.receiver);
        let name = call.method.to_string();
        match receiver.value() {
            Number | Data | Plain | Unknown if is_float_method(&name) => {
                return self.kind_of_float_method(call, receiver.value(), &name);
            }
            Iter(item) => {
                let item = (**item).clone();
                return self.kind_of_adapter(call, &receiver, item);
            }
            List(item) => {
                let item = (**item).clone();
                return self.kind_of_list_method(call, &receiver, item);
            }
            Maybe(_) => return self.kind_of_option_method(call, &receiver),
            Number | Data => match &*name {
                "clone" | "to_owned" | "get" => return receiver.value().clone(),
                name if is_unstable(name) => return receiver.value().clone(),
                "sin_cos" => return Tuple(vec![receiver.value().clone(), receiver.value().clone()]),
                "primal" => return Data,
                "to_bits" | "is_nan" | "is_finite" | "is_infinite" | "is_sign_negative"
                | "is_sign_positive" | "total_cmp" | "eq" | "lt" | "gt" => return Plain,
                _ => {}
            },
            Plain
                if matches!(
                    &*name,
                    "pow" | "len" | "is_empty" | "abs_diff" | "wrapping_add" | "saturating_sub"
                ) =>
            {
                return Plain;
            }
            _ => {}
        }
        // `*map.entry(key).or_insert(0.0)`
        if name == "or_insert" {
            return call.args.first().map_or(Unknown, |e| self.kind(e).lifted()).by_ref();
        }
        if name == "parse" {
            let data = call.turbofish.as_ref().and_then(|t| match t.args.first() {
                Some(syn::GenericArgument::Type(ty)) => Some(self.kind_of_type(ty).into_data()),
                _ => None,
            });
            return data.unwrap_or(Unknown).maybe();
        }
        // `x.iter()` of a slice of unknown type, `sum::<f64>()` of an unknown iterator.
        if let (Unknown, Some(turbofish)) = (receiver.value(), &call.turbofish)
            && matches!(&*name, "sum" | "product")
            && let Some(syn::GenericArgument::Type(ty)) = turbofish.args.first()
        {
            return self.kind_of_type(ty);
        }
        self.method_of(&receiver, &name).map_or(Unknown, |method| self.kind_of_result(&method))
    }
    /// The method of a struct, or of a receiver of unknown type.
    pub fn method_of(&self, receiver: &Kind, name: &str) -> Option<super::names::Function> {
        match receiver.value() {
            Struct(key, _) => self.context.names.method(Some(key), name),
            Unknown => self.context.names.method(None, name),
            _ => None,
        }
    }
    fn kind_of_float_method(&mut self, call: &ExprMethodCall, receiver: &Kind, name: &str) -> Kind {
        let vectors = self.context.bound.vectors;
        match receiver {
            // Data with arguments that are none: the receiver becomes a number.
            Data => {
                let all = call.args.iter().all(|e| {
                    let of = self.kind(e);
                    matches!(of.value(), Data | Plain) || is_integer(e)
                });
                if all { Data } else { Number }
            }
            Number => Number,
            Plain => Plain,
            // Integers have some of the methods too, and matrices have functions.
            _ if OF_INTEGERS.contains(&format!(" {name} ")) || vectors => Unknown,
            _ => Number,
        }
    }
    fn kind_of_adapter(&mut self, call: &ExprMethodCall, receiver: &Kind, item: Kind) -> Kind {
        match &*call.method.to_string() {
            "map" => self.returned(call, receiver).iter(),
            "flat_map" | "filter_map" | "map_while" | "scan" => self.returned(call, receiver).item().iter(),
            "filter" | "take_while" | "skip_while" | "skip" | "take" | "step_by" | "rev" | "peekable"
            | "chain" | "cycle" | "fuse" | "by_ref" | "inspect" | "into_iter" | "clone" => item.iter(),
            "enumerate" => Tuple(vec![Plain, item]).iter(),
            "zip" => {
                let other = call.args.first().map_or(Unknown, |e| self.kind(e).item());
                Tuple(vec![item, other]).iter()
            }
            "copied" | "cloned" => item.target().iter(),
            "flatten" => item.item().iter(),
            "sum" | "product" => item.value().clone(),
            "fold" => match &self.received(call, receiver)[0] {
                Unknown => self.returned(call, receiver),
                accumulator => accumulator.clone(),
            },
            "reduce" | "last" | "next" | "nth" | "min" | "max" | "min_by" | "max_by" | "min_by_key"
            | "max_by_key" | "find" => item.maybe(),
            "find_map" => self.returned(call, receiver),
            "position" => Plain.maybe(),
            "count" | "any" | "all" | "len" => Plain,
            "collect" => item.list(),
            "partition" => Tuple(vec![item.clone().list(), item.list()]),
            "unzip" => match item {
                Tuple(of) => Tuple(of.into_iter().map(Kind::list).collect()),
                _ => Unknown,
            },
            _ => Unknown,
        }
    }
    fn kind_of_list_method(&mut self, call: &ExprMethodCall, receiver: &Kind, item: Kind) -> Kind {
        let slice = |item: Kind| item.list().by_ref();
        match &*call.method.to_string() {
            "iter" | "iter_mut" => item.by_ref().iter(),
            "into_iter" => receiver.item().iter(),
            "drain" => item.iter(),
            "windows" | "chunks" | "chunks_exact" | "chunks_mut" | "rchunks" | "split" => slice(item).iter(),
            "first" | "last" | "get" | "first_mut" | "last_mut" | "get_mut" => item.by_ref().maybe(),
            "pop" => item.maybe(),
            "to_vec" | "clone" | "to_owned" | "repeat" | "split_off" => item.list(),
            "as_slice" | "as_mut_slice" | "as_ref" => slice(item),
            "split_at" | "split_at_mut" => Tuple(vec![slice(item.clone()), slice(item)]),
            "split_first" | "split_last" => Tuple(vec![item.clone().by_ref(), slice(item)]).maybe(),
            "map" => self.returned(call, receiver).list(),
            "concat" => item.item().list(),
            "len" | "is_empty" | "contains" => Plain,
            _ => Unknown,
        }
    }
    fn kind_of_option_method(&mut self, call: &ExprMethodCall, receiver: &Kind) -> Kind {
        let item = receiver.item();
        match &*call.method.to_string() {
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else" => item,
            "map" => self.returned(call, receiver).maybe(),
            "and_then" => self.returned(call, receiver),
            "map_or" | "map_or_else" => self.returned(call, receiver).lifted(),
            "copied" | "cloned" => item.target().maybe(),
            "ok_or" | "ok_or_else" | "ok" | "filter" | "or" | "or_else" | "map_err" => item.maybe(),
            "as_ref" | "as_mut" | "as_deref" => item.value().clone().by_ref().maybe(),
            "iter" | "into_iter" => item.iter(),
            "is_some" | "is_none" | "is_ok" | "is_err" | "is_some_and" => Plain,
            _ => Unknown,
        }
    }
}
