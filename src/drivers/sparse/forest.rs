//! Acyclic colourings: fewer colours than star colourings; some entries are computed from others.

use std::cmp::Reverse;

use nalgebra_sparse::pattern::SparsityPattern;

use super::colour::Colours;
use super::table::CompressedMatrix;

/// Sets of edges, each the tree of two colours that it belongs to.
struct UnionFind(Vec<u32>);

impl UnionFind {
    fn root(&mut self, mut edge: usize) -> usize {
        while self.0[edge] as usize != edge {
            self.0[edge] = self.0[self.0[edge] as usize];
            edge = self.0[edge] as usize;
        }
        edge
    }
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b as u32;
    }
}

/// An acyclic colouring of a symmetric pattern: neighbours differ in colour, and every cycle has three. So the
/// entries between two colours form trees, and follow from the leaves: the product at a leaf is its only entry, which
/// is then subtracted from the product at its neighbour.
pub(super) struct AcyclicColouring {
    pub colours: Colours,
}

impl AcyclicColouring {
    /// Greedy, the variables with the most neighbours first.
    pub fn of(pattern: &SparsityPattern) -> Self {
        let n = pattern.major_dim();
        let edges = edges(pattern);
        let around = |i: usize| {
            let places = pattern.major_offsets()[i]..pattern.major_offsets()[i + 1];
            places.map(|place| (edges[place], pattern.minor_indices()[place])).filter(move |&(_, j)| j != i)
        };
        let mut trees = UnionFind((0..pattern.nnz() as u32).collect());
        let mut colours = Colours::none(n);
        let mut order: Vec<usize> = (0..n).filter(|&i| !pattern.lane(i).is_empty()).collect();
        order.sort_by_key(|&i| Reverse(pattern.lane(i).len()));
        let mut forbidden = vec![usize::MAX; n];
        // The last variable that reached a tree, and its neighbour there.
        let mut seen = vec![(usize::MAX, 0); pattern.nnz()];
        for i in order {
            for (_, j) in around(i).filter(|&(_, j)| colours.is_given(j)) {
                forbidden[colours.of(j)] = i;
                for (edge, k) in around(j).filter(|&(_, k)| k != i && colours.is_given(k)) {
                    let tree = trees.root(edge);
                    match seen[tree] {
                        // With the colour of k, i would close a cycle.
                        (by, from) if by == i && from != j => forbidden[colours.of(k)] = i,
                        _ => seen[tree] = (i, j),
                    }
                }
            }
            colours.give(i, &forbidden);
            for (edge, j) in around(i).filter(|&(_, j)| colours.is_given(j)) {
                let same = |&(_, k): &(usize, usize)| colours.is_given(k) && colours.of(k) == colours.of(i);
                around(j).filter(same).for_each(|(other, _)| trees.join(edge, other));
                let same = |&(_, k): &(usize, usize)| colours.is_given(k) && colours.of(k) == colours.of(j);
                around(i).filter(same).for_each(|(other, _)| trees.join(edge, other));
            }
        }
        AcyclicColouring { colours }
    }
    /// States how all entries follow from the products.
    pub fn place(pattern: &SparsityPattern, table: &mut CompressedMatrix) {
        let (n, colours) = (pattern.major_dim(), table.lanes.clone());
        let entries = |i: usize| {
            let first = pattern.major_offsets()[i];
            (first..).zip(pattern.lane(i).iter().copied())
        };
        // For each variable and colour: the entries that are not yet known.
        let mut open = vec![0_u32; n * colours.count()];
        for i in 0..n {
            for (entry, j) in entries(i) {
                let slot = i + colours.of(j) * n;
                table.expect(i, colours.of(j));
                match i == j {
                    true => table.add(entry, i, colours.of(i)),
                    false => open[slot] += 1,
                }
            }
        }
        let mut known = vec![false; pattern.nnz()];
        let mut leaves: Vec<usize> = (0..open.len()).filter(|&slot| open[slot] == 1).collect();
        while let Some(leaf) = leaves.pop().map(|slot| (slot, slot % n, slot / n)) {
            let (slot, i, colour) = leaf;
            let is_open = |&(entry, j): &(usize, usize)| j != i && colours.of(j) == colour && !known[entry];
            let Some((entry, j)) = entries(i).find(is_open) else { continue };
            let (mirror, _) = entries(j).find(|&(_, k)| k == i).expect("the pattern is symmetric");
            let parent = j + colours.of(i) * n;
            table.take(entry, mirror, slot, parent);
            (known[entry], known[mirror]) = (true, true);
            open[slot] -= 1;
            open[parent] -= 1;
            if open[parent] == 1 {
                leaves.push(parent);
            }
        }
        debug_assert!(open.iter().all(|&open| open == 0), "no cycle has two colours");
    }
}

/// A number for each entry of the pattern, the same for both of a pair.
fn edges(pattern: &SparsityPattern) -> Vec<usize> {
    let mut edges: Vec<usize> = (0..pattern.nnz()).collect();
    for i in 0..pattern.major_dim() {
        for (place, &j) in (pattern.major_offsets()[i]..).zip(pattern.lane(i)).filter(|&(_, &j)| j < i) {
            let mirror = pattern.lane(j).binary_search(&i).expect("the pattern is symmetric");
            edges[place] = pattern.major_offsets()[j] + mirror;
        }
    }
    edges
}
