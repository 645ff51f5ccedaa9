//! Parts that are written into a tensor, as equations: a block cannot write into what it made itself, but it can say of each element
//! where it comes from.

use super::words::number;
use crate::expr::Axis;

/// Where an axis of the result stands in the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Along the whole of this axis of the part.
    Whole(usize),
    /// From this position on along an axis of the part, or a second time along one.
    From(usize, usize),
    /// At one position.
    At(usize),
}

/// A part in its place.
pub(super) struct Placed {
    places: Vec<Place>,
    /// The extents of the part.
    extents: Vec<usize>,
}

impl Placed {
    /// A part of the second extents that is written into a tensor of the first ones along some axes; nothing for fused axes.
    pub(super) fn new(axes: &[Axis], [whole, part]: [&[usize]; 2]) -> Option<Placed> {
        let mut places: Vec<Place> = Vec::with_capacity(axes.len());
        for (axis, &extent) in axes.iter().zip(whole) {
            places.push(match *axis {
                Axis::Label { label, start: 0 } if part[label] == extent && !places.contains(&Place::Whole(label)) => {
                    Place::Whole(label)
                }
                Axis::Label { label, start } => Place::From(label, start),
                Axis::Chip(position) => Place::At(position),
                Axis::Fused(_) => return None,
            });
        }
        Some(Placed { places, extents: part.to_vec() })
    }

    /// Whether the part tells the extent of an axis of the result.
    pub(super) fn tells(&self, axis: usize) -> bool {
        matches!(self.places[axis], Place::Whole(_))
    }

    /// The right side over the labels of the result: the part by its name, and what stands elsewhere, which is zero without a name.
    pub(super) fn text(&self, left: &[String], part: &str, base: Option<&str>) -> String {
        let whole = |axis: usize| self.places.iter().position(|place| *place == Place::Whole(axis));
        let names: Vec<String> =
            (0..self.extents.len()).map(|axis| whole(axis).map_or_else(|| format!("p{axis}"), |n| left[n].clone())).collect();
        let over: Vec<&str> =
            (0..self.extents.len()).filter(|&axis| whole(axis).is_none()).map(|axis| &names[axis][..]).collect();
        let mut meets = Vec::new();
        for (place, own) in self.places.iter().zip(left) {
            match *place {
                Place::Whole(_) => {}
                Place::At(position) => meets.push(format!("iota[{own}] == {}", number(position as f64))),
                Place::From(axis, 0) => meets.push(format!("iota[{own}] == iota[{}]", names[axis])),
                Place::From(axis, start) => {
                    meets.push(format!("iota[{own}] == iota[{}] + {}", names[axis], number(start as f64)))
                }
            }
        }
        let read = |name: &str, labels: &[String]| match labels {
            [] => name.to_string(),
            _ => format!("{name}[{}]", labels.join(", ")),
        };
        let (part, base) = (read(part, &names), base.map(|name| read(name, left)));
        let chosen = |condition: &[String], value: &str, other: &str| match condition {
            [] => value.to_string(),
            _ => format!("select({}; {value}, {other})", condition.join(" && ")),
        };
        let sum = |chosen: String| format!("sum({}; {chosen})", over.join(", "));
        match (base, over.is_empty()) {
            (base, true) => chosen(&meets, &part, base.as_deref().unwrap_or("0.0")),
            (None, false) => sum(chosen(&meets, &part, "0.0")),
            // Whether any element of the part belongs here, which is not more than one.
            (Some(base), false) => {
                let found = sum(chosen(&meets, "1.0", "0.0"));
                format!("select({found} == 1.0; {}, {base})", sum(chosen(&meets, &part, "0.0")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(axes: &[Axis], extents: [&[usize]; 2], base: Option<&str>) -> String {
        let left: Vec<String> = ["a", "b", "c"].iter().take(extents[0].len()).map(|name| name.to_string()).collect();
        Placed::new(axes, extents).unwrap().text(&left, "t", base)
    }

    #[test]
    fn each_element_says_where_it_comes_from() {
        let along = |label, start| Axis::Label { label, start };
        let chip = [along(0, 0), Axis::Chip(2)];
        assert_eq!(text(&chip, [&[3, 4], &[3]], None), "select(iota[b] == 2.0; t[a], 0.0)");
        assert_eq!(text(&chip, [&[3, 4], &[3]], Some("x")), "select(iota[b] == 2.0; t[a], x[a, b])");
        assert_eq!(text(&[along(0, 0)], [&[3], &[3]], Some("x")), "t[a]");
        let part = [along(0, 2), along(1, 0)];
        assert_eq!(text(&part, [&[5, 4], &[2, 4]], None), "sum(p0; select(iota[a] == iota[p0] + 2.0; t[p0, b], 0.0))");
        assert_eq!(
            text(&part, [&[5, 4], &[2, 4]], Some("x")),
            "select(sum(p0; select(iota[a] == iota[p0] + 2.0; 1.0, 0.0)) == 1.0; \
             sum(p0; select(iota[a] == iota[p0] + 2.0; t[p0, b], 0.0)), x[a, b])"
        );
        let diagonal = [along(0, 0), along(0, 0), Axis::Chip(0)];
        assert_eq!(text(&diagonal, [&[3, 3, 2], &[3]], None), "select(iota[b] == iota[a] && iota[c] == 0.0; t[a], 0.0)");
        assert!(Placed::new(&[Axis::Fused(vec![0, 1])], [&[6], &[2, 3]]).is_none());
    }
}
