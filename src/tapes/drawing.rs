//! A tape as a graph.

use std::fmt::{self, Write};

use super::operand::{Edge, NOWHERE, Operand};
use super::record::{Content, Record};
use crate::number::Real;

impl<T: Real> Record<T> {
    /// Appends nodes and edges, in the language of Graphviz.
    pub(super) fn draw(&self, len: usize, text: &mut String) -> fmt::Result {
        let name = |node: u32| if self.is_input(node) { format!("x{node}") } else { format!("n{node}") };
        let mut plain = vec![true; len];
        plain[..self.first_inputs].fill(false);
        (0..self.first_inputs).try_for_each(|n| writeln!(text, "  x{n} [shape=box];"))?;
        for (i, &block) in self.blocks.iter().enumerate() {
            let nodes = block.first..block.first + self.width(block) as u32;
            nodes.clone().for_each(|n| plain[n as usize] = false);
            match block.content {
                Content::Inputs(_) => {
                    nodes.into_iter().try_for_each(|n| writeln!(text, "  x{n} [shape=box];"))?
                }
                Content::Sum { edges_end } => {
                    for &(partial, parent) in &self.edges[self.edges_start(i)..edges_end as usize] {
                        writeln!(text, "  {} -> n{} [label=\"{partial}\"];", name(parent), block.first)?;
                    }
                }
                Content::Runs(r) => {
                    for (run, partials) in self.runs_of(r) {
                        for (parent, partial) in run.zip(partials) {
                            let parent = name(parent as u32);
                            writeln!(text, "  {parent} -> n{} [label=\"{partial}\"];", block.first)?;
                        }
                    }
                }
                Content::Map(m) => {
                    let map = &self.maps[m as usize];
                    writeln!(text, "  m{m} [shape=diamond, label={:?}];", map.name)?;
                    let active = |&(_, node): &Edge<T>| node != NOWHERE;
                    for (slope, parent) in map.operands.iter().flat_map(Operand::edges).filter(active) {
                        writeln!(text, "  {} -> m{m} [label=\"{slope}\"];", name(parent))?;
                    }
                    nodes.into_iter().try_for_each(|n| writeln!(text, "  m{m} -> n{n};"))?;
                }
            }
        }
        for (k, node) in self.nodes[..len].iter().enumerate().filter(|(k, _)| plain[*k]) {
            for (partial, parent) in node.partials.iter().zip(node.parents) {
                writeln!(text, "  {} -> n{k} [label=\"{partial}\"];", name(parent))?;
            }
        }
        Ok(())
    }
}
