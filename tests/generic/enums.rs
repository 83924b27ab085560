//! Enums and tuple structs with `#[data]` of their own, and `self` taken apart.

both_with_data! { taken_apart_by_reference {
    pub struct Part {
        #[data]
        length: f64,
        angle: f64,
    }
    pub enum Element {
        Drift(#[data] f64),
        Kick(f64),
        Bend {
            #[data]
            length: f64,
            angle: f64,
        },
        Thick(Part, #[data] Option<f64>),
        Marker,
    }
    impl Element {
        fn length(&self) -> f64 {
            match self {
                Element::Drift(l) => *l,
                Self::Bend { length, .. } => *length,
                Element::Thick(Part { length: l, .. }, Some(more)) => *l + *more,
                Element::Thick(Part { length: l, .. }, None) => *l,
                Element::Kick(_) | Element::Marker => 0.0,
            }
        }
        fn angle(&self) -> f64 {
            if let Element::Bend { length: l, angle } = self {
                return *angle / *l;
            }
            if let Self::Kick(k) = self { *k } else { 0.0 }
        }
        fn drift(&self) -> f64 {
            let Element::Drift(l) = self else { return 0.0 };
            *l
        }
        fn twice(&self) -> f64 {
            let l = match self {
                Element::Drift(l) | Element::Bend { length: l, .. } => l,
                _ => return 1.0,
            };
            let sum = *l + l;
            sum
        }
        fn scaled(&self, k: f64) -> f64 {
            match (self, k > 0.5) {
                (Element::Drift(l), true) => *l * k + l.sqrt(),
                (Element::Thick(part, Some(more)), _) => part.length * k - more * part.angle,
                (Element::Thick(part, _), _) => part.length,
                (_, is_large) => {
                    if is_large { k } else { 0.25 }
                }
            }
        }
        fn stretch(&mut self) {
            match self {
                Element::Drift(l) => *l *= 2.0,
                Element::Bend { angle, length } => *angle += *length,
                _ => {}
            }
        }
        fn into_length(self) -> f64 {
            match self {
                Element::Drift(l) => l,
                _ => 0.5,
            }
        }
        fn longest(&self, others: &[Element]) -> f64 {
            others.iter().fold(self.length(), |max, e| match e {
                Element::Drift(l) => max.max(*l),
                Element::Kick(k) => max + *k,
                _ => max,
            })
        }
    }
    impl Part {
        fn arc(&self) -> f64 {
            let Part { length, angle } = self;
            if *angle > 0.0 { *length } else { *angle }
        }
        fn own(&self) -> f64 {
            let Self { length: l, angle: a } = self;
            *l - *a * l
        }
    }
    trait Length {
        fn of(&self) -> f64;
    }
    impl Length for Element {
        fn of(&self) -> f64 {
            match self {
                Self::Drift(l) => *l,
                _ => self.angle(),
            }
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut line = vec![
            Element::Drift(0.5),
            Element::Kick(x[0]),
            Element::Bend { length: 2.0, angle: x[1] },
            Element::Thick(Part { length: 0.25, angle: x[0] }, Some(0.125)),
            Element::Thick(Part { length: 0.75, angle: x[1] }, None),
            Element::Marker,
        ];
        let mut sum = Element::Drift(1.5).into_length() * x[0];
        for e in &line {
            sum += e.length() * x[0] + e.angle() * e.drift() + e.twice() + e.scaled(x[1]) * x[0] + e.of();
        }
        for e in line.iter_mut() {
            e.stretch();
        }
        let part = Part { length: 3.0, angle: x[1] };
        sum + line[0].longest(&line) * line[0].length() + line[2].angle() + part.arc() * x[0] + part.own()
    }
} }
check!(taken_apart_by_reference, at, [0.7, 1.2]);

both_with_data! { enums_of_data {
    #[derive(Clone, Debug)]
    pub enum Load {
        Fixed(#[data] f64),
        Ramp {
            #[data]
            from: f64,
            #[data]
            to: f64,
            steps: usize,
        },
        Table(#[data] Vec<f64>),
        None,
    }
    impl Load {
        fn at(&self, i: usize) -> f64 {
            match self {
                Load::Fixed(l) => *l,
                Load::Ramp { from, to, steps } => from + (to - from) * i as f64 / *steps as f64,
                Self::Table(t) => t[i],
                Load::None => 0.0,
            }
        }
        fn on(&self, x: f64) -> f64 {
            if let Load::Fixed(l) = self { *l * x } else { x - self.at(1) }
        }
    }
    fn work(load: &Load, x: f64) -> f64 {
        match load {
            Load::Fixed(l) => l * x,
            other => other.on(x),
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let loads = [
            Load::Fixed(1.5),
            Load::Ramp { from: 0.5, to: 2.0, steps: 3 },
            Load::Table(vec![0.25, 0.75]),
            Load::None,
        ];
        loads.iter().map(|load| work(load, x[0]) + load.at(0) * x[1] + load.on(x[1]).sin()).sum()
    }
} }
check!(enums_of_data, at, [0.7, 1.2]);

both_with_data! { constructors {
    #[derive(Clone, Copy)]
    pub struct Kick(#[data] pub f64, pub f64);
    #[derive(Clone)]
    pub struct Spline(#[data] Vec<f64>, Vec<f64>, Option<f64>);
    pub struct Node {
        #[data]
        times: Vec<f64>,
        value: f64,
    }
    pub enum Element {
        Drift(#[data] f64),
        Pair(#[data] f64, f64),
        Tuple(#[data] (f64, f64), usize),
        Bend {
            #[data]
            length: f64,
        },
        Inner(Kick, #[data] Kick),
    }
    impl Kick {
        const HALF: f64 = 0.5;
        fn new(x: f64) -> Self {
            Self(2.0, x)
        }
        fn unit() -> Self {
            Self(1.0, 1.0)
        }
        fn of(#[data] length: f64, k: f64) -> Kick {
            Kick(length * Self::HALF, if k > 1.0 { k } else { 1.0 })
        }
        fn strength(&self) -> f64 {
            if self.1 > 2.0 { self.0 } else { self.0 * self.1 }
        }
        fn times(self, k: f64) -> Self {
            let Kick(l, x) = self;
            Self(l, x * k)
        }
    }
    impl Element {
        fn short() -> Self {
            Self::Drift(0.1)
        }
        fn pair(x: f64) -> Self {
            Self::Pair(0.3, x)
        }
        fn length(&self) -> f64 {
            match self {
                Element::Drift(l) | Element::Bend { length: l } => *l,
                Element::Pair(l, k) => *l * *k,
                Element::Tuple((a, b), n) => *a + *b * *n as f64,
                Element::Inner(k, by) => k.strength() + by.0 * by.1,
            }
        }
    }
    fn weighted(#[data] kick: Kick, x: f64) -> f64 {
        kick.1 * x + kick.0
    }
    fn marked(#[data] kick: &Kick, #[data] e: Element, x: f64) -> f64 {
        let of_element = match e {
            Element::Drift(l) => l,
            Element::Pair(l, k) => l + k,
            _ => 0.0,
        };
        of_element * x + kick.1
    }
    pub fn at(x: &[f64]) -> f64 {
        let k = Kick(2.0, x[0]);
        let constant = Kick(2.0, 0.5);
        let t = vec![0.0, 0.5, 1.0];
        let grid = vec![1.0, 3.0];
        let s = Spline(t, vec![x[1], 2.0], None);
        let node = Node { times: grid, value: 1.5 };
        let drift = Element::Drift(2.5);
        let bend = Element::Bend { length: 0.75 };
        let tuple = Element::Tuple((0.5, 1.5), 2);
        let inner = Element::Inner(Kick(0.25, x[1]), Kick(0.5, 4.0));
        let line = [Element::short(), Element::pair(x[1]), drift, bend, tuple, inner, Element::Pair(0.5, 2.0)];
        let lengths: f64 = line.iter().map(|e| e.length()).sum();
        let by_map: Vec<Kick> = x.iter().map(|&x| Kick(0.5, x)).collect();
        let more: f64 = by_map.iter().map(|k| k.times(3.0).strength()).sum();
        let alone = Element::Drift(1.25);
        k.strength() + constant.strength() * x[0] + s.0[1] * s.1[0] + s.2.unwrap_or(0.25) * x[1]
            + node.times[1] * x[0] * node.value + lengths * x[0] + more
            + Kick::new(x[1]).strength() + Kick::unit().1 + Kick::of(3.0, x[1]).strength()
            + weighted(Kick(1.0, 2.0), x[0]) + marked(&Kick(1.0, 2.0), Element::Drift(0.5), x[1])
            + marked(&Kick(1.0, 2.0), Element::Pair(0.5, 0.125), x[0]) + x[0] * alone.length()
    }
} }
check!(constructors, at, [0.7, 1.2]);

both_with_data! { fields_by_deref {
    use std::ops::Deref;
    pub struct Inner {
        stiffness: f64,
        #[data]
        length: f64,
    }
    pub struct Outer {
        inner: Inner,
        mass: f64,
    }
    impl Deref for Outer {
        type Target = Inner;
        fn deref(&self) -> &Inner {
            &self.inner
        }
    }
    impl Outer {
        fn energy(&self) -> f64 {
            let mut sum = self.length;
            sum += if self.mass > 0.0 { self.length } else { self.stiffness };
            sum * self.stiffness + self.mass
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        Outer { inner: Inner { stiffness: x[0], length: 0.5 }, mass: x[1] }.energy()
    }
} }
check!(fields_by_deref, at, [0.7, 1.2]);
