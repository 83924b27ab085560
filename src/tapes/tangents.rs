//! The forward sweep: tangents from inputs to results.

use super::operand::{Edge, NOWHERE, Operand};
use super::record::{Content, MapBlock, Node, Record};
use crate::number::Real;
use crate::pool::Spare;

impl<T: Real> Record<T> {
    /// Tangents of all nodes from the tangents of the inputs.
    pub(super) fn sweep_forward(&self, len: usize, seeds: impl IntoIterator<Item = (u32, T)>) -> Spare<T> {
        let mut buffer = Spare::new();
        let tangents = buffer.clear(len);
        tangents.resize(len, T::lit(0.0));
        for (node, tangent) in seeds {
            tangents[node as usize] = tangent;
        }
        let mut done = self.first_inputs;
        for &block in &self.blocks {
            let first = block.first as usize;
            run_forward(&self.nodes, tangents, done, first);
            match block.content {
                Content::Inputs(_) => {}
                Content::Map(m) => apply(&self.maps[m as usize], tangents, first),
                Content::Sum { .. } | Content::Runs(_) => {
                    let mut sum = T::lit(0.0);
                    self.each_edge(block, |(p, node)| sum += p.strong_both(tangents[node as usize]));
                    tangents[first] = sum;
                }
            }
            done = first + self.width(block);
        }
        run_forward(&self.nodes, tangents, done, len);
        buffer
    }
}

fn run_forward<T: Real>(nodes: &[Node<T>], tangents: &mut [T], low: usize, high: usize) {
    for k in low..high {
        let Node { partials: [p, q], parents: [a, b] } = nodes[k];
        tangents[k] = p.strong_both(tangents[a as usize]) + q.strong_both(tangents[b as usize]);
    }
}

fn apply<T: Real>(block: &MapBlock<T>, tangents: &mut [T], first: usize) {
    let gather = |operand: &Operand<T>| {
        let tangent = |(slope, node): Edge<T>| {
            if node == NOWHERE { T::lit(0.0) } else { slope.strong_both(tangents[node as usize]) }
        };
        operand.is_active().then(|| operand.edges().map(tangent).collect::<Vec<T>>())
    };
    let operands: Vec<Option<Vec<T>>> = block.operands.iter().map(gather).collect();
    let views: Vec<Option<&[T]>> = operands.iter().map(|o| o.as_deref()).collect();
    block.map.apply(&views, &mut tangents[first..first + block.outputs]);
}
