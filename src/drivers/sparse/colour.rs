//! Colourings: which columns, rows or variables may share a seed vector.

use std::cmp::Reverse;
use std::ops::Range;

use nalgebra_sparse::pattern::SparsityPattern;

use super::saturated::colours_below;
use crate::drivers::mode::SeedVectors;
use crate::number::Real;

/// The colour of items without one.
const NONE: u32 = u32::MAX;

/// A lane for each colour: the sum of the unit vectors of that colour, and of multiples for items without entries.
#[derive(Clone, Debug)]
pub(super) struct Colours {
    of: Vec<u32>,
    /// The component of each item in its lane.
    seeds: Vec<f64>,
    count: usize,
}

impl<T: Real> SeedVectors<T> for Colours {
    fn lanes(&self, _: usize) -> Range<usize> {
        0..self.count
    }
    fn component(&self, lane: usize, i: usize) -> T {
        T::lit(if self.of[i] as usize == lane { self.seeds[i] } else { 0.0 })
    }
}

impl Colours {
    pub fn count(&self) -> usize {
        self.count
    }
    pub fn of(&self, i: usize) -> usize {
        self.of[i] as usize
    }
    /// Whether `i` has a colour.
    pub fn is_given(&self, i: usize) -> bool {
        self.of[i] != NONE
    }
    pub fn none(len: usize) -> Self {
        Colours { of: vec![NONE; len], seeds: vec![1.0; len], count: 0 }
    }
    /// The colours of all items.
    fn given(of: Vec<u32>) -> Self {
        let count = of.iter().filter(|&&colour| colour != NONE).max().map_or(0, |&most| most as usize + 1);
        Colours { seeds: vec![1.0; of.len()], of, count }
    }
    /// Gives items without entries a lane, so that products which are zero by the pattern are formed and checked: their own
    /// lane if there is no other or if one more `is_free`, else the last one, which has few items. Seeds of one size
    /// would miss differences of two such items.
    pub fn include_rest(&mut self, wanted: impl Fn(usize) -> bool, is_free: impl Fn(usize) -> bool) {
        let lane = if self.count == 0 || is_free(self.count) { self.count } else { self.count - 1 };
        for (i, (of, seed)) in self.of.iter_mut().zip(&mut self.seeds).enumerate() {
            if *of == NONE && wanted(i) {
                (*of, *seed) = (lane as u32, 1.0 + (i as f64 * 0.618_033_988_749_895).fract());
                self.count = lane + 1;
            }
        }
    }
    /// Gives `i` the least colour that is not forbidden.
    pub fn give(&mut self, i: usize, forbidden: &[usize]) {
        let colour = (0..self.count).find(|&c| forbidden[c] != i).unwrap_or(self.count);
        self.of[i] = colour as u32;
        self.count = self.count.max(colour + 1);
    }
    /// Columns of one colour share no row, or rows no column: `lines` are the lines of each item, `items` the items
    /// of each line. Unwanted items have no colour; unwanted lines may be shared. Greedy, the items with the most
    /// neighbours first. If a line might need fewer colours, also in the order of saturation.
    pub fn greedy(
        lines: &SparsityPattern,
        items: &SparsityPattern,
        wanted_item: impl Fn(usize) -> bool,
        wanted_line: impl Fn(usize) -> bool,
    ) -> Self {
        let n = lines.major_dim();
        let mut colours = Colours::none(n);
        let wanted_lines = |i: usize| lines.lane(i).iter().copied().filter(|&line| wanted_line(line));
        let mut order: Vec<usize> =
            (0..n).filter(|&i| wanted_item(i) && wanted_lines(i).next().is_some()).collect();
        let is_full = |line: usize| {
            wanted_line(line) && items.lane(line).iter().filter(|&&i| wanted_item(i)).count() == order.len()
        };
        if (0..items.major_dim()).any(is_full) {
            order.iter().enumerate().for_each(|(colour, &i)| colours.of[i] = colour as u32);
            colours.count = order.len();
            return colours;
        }
        order.sort_by_key(|&i| Reverse(wanted_lines(i).map(|line| items.lane(line).len()).sum::<usize>()));
        // The last item for which a colour was forbidden.
        let mut forbidden = vec![usize::MAX; n];
        for &i in &order {
            for &other in wanted_lines(i).flat_map(|line| items.lane(line)) {
                if colours.of[other] != NONE {
                    forbidden[colours.of[other] as usize] = i;
                }
            }
            colours.give(i, &forbidden);
        }
        let longest = (0..items.major_dim()).filter(|&line| wanted_line(line));
        let longest = longest.map(|line| items.lane(line).iter().filter(|&&i| wanted_item(i)).count()).max();
        if longest.is_some_and(|longest| longest < colours.count) {
            let fewer = colours_below(colours.count, n, &order, |i, each| {
                let others = wanted_lines(i).flat_map(|line| items.lane(line)).copied();
                others.filter(|&other| wanted_item(other)).for_each(each);
            });
            return fewer.map_or(colours, Colours::given);
        }
        colours
    }
}

/// A colour that neighbours of a variable have.
#[derive(Clone, Debug)]
struct NeighbourColour {
    colour: u32,
    /// The first neighbour that got it.
    first: usize,
    /// Whether another neighbour has it too.
    repeated: bool,
}

/// A star colouring of a symmetric pattern: neighbours differ in colour, and no path of four variables has two
/// colours. So for each entry one of its two variables is the only neighbour of the other with its colour.
pub(super) struct StarColouring {
    pub colours: Colours,
    around: Vec<Vec<NeighbourColour>>,
}

impl StarColouring {
    /// Greedy, the variables with the most neighbours first. If it takes fewer colours, as on a grid, all variables
    /// with a common neighbour differ.
    pub fn of(pattern: &SparsityPattern) -> Self {
        let stars = Self::greedy(pattern);
        Self::apart(pattern, stars.colours.count).unwrap_or(stars)
    }
    /// Variables with a common neighbour differ, and so do neighbours: fewer than `limit` colours, if that is
    /// possible.
    fn apart(pattern: &SparsityPattern, limit: usize) -> Option<Self> {
        let n = pattern.major_dim();
        let neighbours = |i: usize| pattern.lane(i).iter().copied().filter(move |&j| j != i);
        if (0..n).any(|i| neighbours(i).count() + 1 >= limit) {
            return None;
        }
        let order: Vec<usize> = (0..n).filter(|&i| !pattern.lane(i).is_empty()).collect();
        let colours = colours_below(limit, n, &order, |i, each| {
            neighbours(i).for_each(|j| {
                each(j);
                neighbours(j).for_each(&mut *each);
            })
        })?;
        let colours = Colours::given(colours);
        let single = |j: usize| NeighbourColour { colour: colours.of[j], first: j, repeated: false };
        let around = (0..n).map(|i| neighbours(i).map(single).collect()).collect();
        Some(StarColouring { colours, around })
    }
    /// Greedy, the variables with the most neighbours first.
    fn greedy(pattern: &SparsityPattern) -> Self {
        let n = pattern.major_dim();
        let neighbours = |i: usize| pattern.lane(i).iter().copied().filter(move |&j| j != i);
        let mut colours = Colours::none(n);
        let mut around: Vec<Vec<NeighbourColour>> = vec![Vec::new(); n];
        // The neighbours of a variable around which its colour is repeated.
        let mut shared: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut order: Vec<usize> = (0..n).filter(|&i| !pattern.lane(i).is_empty()).collect();
        order.sort_by_key(|&i| Reverse(pattern.lane(i).len()));
        let mut forbidden = vec![usize::MAX; n];
        for i in order {
            for j in neighbours(i) {
                if colours.of[j] == NONE {
                    around[j].iter().for_each(|a| forbidden[a.colour as usize] = i);
                    continue;
                }
                forbidden[colours.of(j)] = i;
                for &k in shared[j].iter().filter(|&&k| colours.of[k] != NONE) {
                    forbidden[colours.of(k)] = i;
                }
            }
            colours.give(i, &forbidden);
            let colour = colours.of[i];
            for j in neighbours(i) {
                let Some(seen) = around[j].iter_mut().find(|a| a.colour == colour) else {
                    around[j].push(NeighbourColour { colour, first: i, repeated: false });
                    continue;
                };
                if !std::mem::replace(&mut seen.repeated, true) {
                    shared[seen.first].push(j);
                }
                shared[i].push(j);
            }
        }
        StarColouring { colours, around }
    }
    /// Whether there is a neighbour of this colour, and only one.
    fn is_unique_around(&self, colour: usize, around: usize) -> bool {
        self.around[around].iter().any(|a| a.colour as usize == colour && !a.repeated)
    }
    /// The component and the lane that have the entry of a pair.
    pub fn place(&self, i: usize, j: usize) -> (usize, usize) {
        if i == j || self.is_unique_around(self.colours.of(j), i) {
            return (i, self.colours.of(j));
        }
        debug_assert!(self.is_unique_around(self.colours.of(i), j), "a star colouring");
        (j, self.colours.of(i))
    }
    /// The lanes of the neighbours of a variable.
    pub fn lanes_around(&self, i: usize) -> impl Iterator<Item = usize> {
        self.around[i].iter().map(|a| a.colour as usize)
    }
}
