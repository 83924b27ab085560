//! A tape as a graph.

use std::fmt::{self, Write};

use super::operand::NOWHERE;
use super::record::{Content, Record};
use crate::number::Real;

impl<T: Real> Record<T> {
    /// Appends nodes and edges, in the language of Graphviz.
    pub(super) fn draw(&self, len: usize, text: &mut String) -> fmt::Result {
        let name = |node: u32| if self.is_input(node) { format!("x{node}") } else { format!("n{node}") };
        let mut plain = vec![true; len];
        plain[..self.first_inputs].fill(false);
        (0..self.first_inputs).try_for_each(|n| writeln!(text, "  x{n} [shape=box];"))?;
        for &block in &self.blocks {
            let nodes = block.first..block.first + self.width(block) as u32;
            nodes.clone().for_each(|n| plain[n as usize] = false);
            let to = match block.content {
                Content::Map(m) => format!("m{m}"),
                _ => format!("n{}", block.first),
            };
            if let Content::Map(m) = block.content {
                writeln!(text, "  {to} [shape=diamond, label={:?}];", self.maps[m as usize].name)?;
            }
            let mut edges = Vec::new();
            self.each_edge(block, |edge| edges.push(edge));
            for (partial, parent) in edges.into_iter().filter(|&(_, parent)| parent != NOWHERE) {
                writeln!(text, "  {} -> {to} [label=\"{partial}\"];", name(parent))?;
            }
            nodes.into_iter().try_for_each(|n| match block.content {
                Content::Inputs(_) => writeln!(text, "  x{n} [shape=box];"),
                Content::Map(_) => writeln!(text, "  {to} -> n{n};"),
                _ => Ok(()),
            })?;
        }
        for (k, node) in self.nodes[..len].iter().enumerate().filter(|(k, _)| plain[*k]) {
            for (partial, parent) in node.partials.iter().zip(node.parents) {
                writeln!(text, "  {} -> n{k} [label=\"{partial}\"];", name(parent))?;
            }
        }
        Ok(())
    }
}
