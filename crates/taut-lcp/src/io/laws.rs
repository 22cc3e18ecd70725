//! Cones of a problem, in a file `laws.json` beside its matrices.
//!
//! ```json
//! {"version": 1, "cones": [
//!   {"row": 6, "mu": [0.5, 0.5], "associated": false},
//!   {"row": 9, "mu": [0.5, 0.5, 0.02], "associated": false}]}
//! ```
//!
//! `row` is the cone's first row (its normal), counting from 0; `mu` the coefficients of the
//! rows behind it, one to five ([`Law::cone`](crate::Law::cone)). With a further member `"rolling": 0.01`
//! rolling has a disc of its own ([`Law::RollingCone`]), and `mu` is a list of one. Rows of no cone are boxes, with
//! the bounds of `lo.mtx` and `hi.mtx`. Both files have all rows; those of cones must have 0 and `inf`
//! for the normal, `-inf` and `inf` for the others.

use std::fmt::Write as _;

use super::bad;
use crate::{Error, Law, Problem};

/// Name of the file.
pub const FILE: &str = "laws.json";

/// Lists within lists may be this deep.
const DEEPEST: usize = 8;

/// The text for a problem; `None` if it has no cones.
pub(super) fn text(problem: &Problem) -> Option<String> {
    let mut text = String::from("{\"version\": 1, \"cones\": [");
    let mut separator = "\n";
    for (row, law) in problem.laws_by_row() {
        let (mu, more, associated) = match *law {
            Law::RollingCone { mu, rolling, associated } => {
                (format!("{mu:e}"), format!("\"rolling\": {rolling:e}, "), associated)
            }
            _ => {
                let Some((mu, associated)) = law.coefficients() else { continue };
                let mu: Vec<String> = mu.iter().map(|mu| format!("{mu:e}")).collect();
                (mu.join(", "), String::new(), associated)
            }
        };
        let _ = write!(
            text,
            "{separator}  {{\"row\": {row}, \"mu\": [{mu}], {more}\"associated\": {associated}}}"
        );
        separator = ",\n";
    }
    text.push_str("]}\n");
    problem.has_cones().then_some(text)
}

/// Puts the cones of a text in the place of the boxes of a problem; `place` stands in errors.
pub(super) fn apply(text: &[u8], place: &str, problem: Problem) -> Result<Problem, Error> {
    let (mut lo, mut hi) = (Vec::new(), Vec::new());
    problem.bounds(&mut lo, &mut hi);
    let problem = merge(text, place, problem)?;
    for (first, law) in problem.laws_by_row().filter(|(_, law)| law.is_cone()) {
        // Bounds that a cone has not would be lost without a word.
        for row in first..first + law.rows() {
            let least = if row == first { 0.0 } else { f64::NEG_INFINITY };
            if (lo[row], hi[row]) != (least, f64::INFINITY) {
                let message = format!(
                    "row {row} belongs to the cone in row {first}: its bounds must be {least} and inf, \
                     not {} and {} (lo.mtx, hi.mtx)",
                    lo[row], hi[row]
                );
                return Err(bad(place, message));
            }
        }
    }
    Ok(problem)
}

fn merge(text: &[u8], place: &str, problem: Problem) -> Result<Problem, Error> {
    let mut cones = read(text).map_err(|message| bad(place, message))?;
    cones.sort_by_key(|(row, _)| *row);
    let Problem { operator, b, laws: boxes } = problem;
    let mut laws = Vec::with_capacity(boxes.len());
    let (mut row, mut cones) = (0, cones.into_iter().peekable());
    while row < boxes.len() {
        let law = match cones.next_if(|(first, _)| *first == row) {
            Some((_, law)) => law,
            None => boxes[row],
        };
        row += law.rows();
        laws.push(law);
    }
    if row > boxes.len() {
        let last = row - laws.last().map_or(0, Law::rows);
        let message = format!("the cone in row {last} ends beyond the {} rows", boxes.len());
        return Err(bad(place, message));
    }
    if let Some((row, _)) = cones.next() {
        let message = if row < boxes.len() {
            format!("the cone in row {row} begins within another cone")
        } else {
            format!(
                "the cone in row {row} lies beyond all rows; rows count from 0 to {}",
                boxes.len() - 1
            )
        };
        return Err(bad(place, message));
    }
    Problem::new(operator, b, laws).map_err(|e| bad(place, e.to_string()))
}

/// The cones of a text, each with its first row.
fn read(text: &[u8]) -> Result<Vec<(usize, Law)>, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not UTF-8".to_string())?;
    let mut parser = Parser { rest: text.trim() };
    let top = parser.value(0)?;
    if !parser.rest.is_empty() {
        return Err(format!("something follows the end: '{}'", parser.shown()));
    }
    let top = Members::of(top, &["version", "cones"], "the file")?;
    if top.number("version")? != 1.0 {
        return Err("expected version 1".into());
    }
    let Json::List(list) = top.get("cones")? else { return Err("\"cones\" is no list".into()) };
    list.iter().enumerate().map(|(k, cone)| read_cone(k, cone)).collect()
}

fn read_cone(k: usize, cone: &Json) -> Result<(usize, Law), String> {
    let what = format!("cones[{k}]");
    let cone = Members::of(cone.clone(), &["row", "mu", "rolling", "associated"], &what)?;
    let row = cone.number("row")?;
    if !(row >= 0.0 && row.fract() == 0.0 && row < 1e15) {
        return Err(format!("{what}.row: {row} is no row"));
    }
    let Json::List(mu) = cone.get("mu")? else { return Err(format!("{what}.mu is no list")) };
    let number = |mu: &Json| match mu {
        Json::Number(mu) => Ok(*mu),
        _ => Err(format!("{what}.mu holds something that is no number")),
    };
    let mu: Vec<f64> = mu.iter().map(number).collect::<Result<_, _>>()?;
    if !(1..=crate::MOST_TANGENTS).contains(&mu.len()) {
        return Err(format!("{what}.mu: expected 1 to 5 coefficients, found {}", mu.len()));
    }
    let Json::Bool(associated) = *cone.get("associated")? else {
        return Err(format!("{what}.associated: expected true or false"));
    };
    if cone.get("rolling").is_err() {
        return Ok((row as usize, Law::cone(&mu, associated)));
    }
    let rolling = cone.number("rolling")?;
    match mu[..] {
        [mu] => Ok((row as usize, Law::RollingCone { mu, rolling, associated })),
        _ => Err(format!("{what}.mu: expected one coefficient beside rolling")),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Json {
    Bool(bool),
    Number(f64),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The members of an object that has exactly these.
struct Members {
    what: String,
    list: Vec<(String, Json)>,
}

impl Members {
    fn of(value: Json, names: &[&str], what: &str) -> Result<Members, String> {
        let Json::Object(list) = value else { return Err(format!("{what} is no object")) };
        for (k, (name, _)) in list.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                return Err(format!("{what}: unknown field '{name}', expected {names:?}"));
            }
            if list[..k].iter().any(|(other, _)| other == name) {
                return Err(format!("{what}: '{name}' is there twice"));
            }
        }
        Ok(Members { what: what.into(), list })
    }

    fn get(&self, name: &str) -> Result<&Json, String> {
        let found = self.list.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value).ok_or_else(|| format!("{}: '{name}' is missing", self.what))
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        match self.get(name)? {
            Json::Number(x) => Ok(*x),
            _ => Err(format!("{}.{name} is no number", self.what)),
        }
    }
}

/// As much of JSON as the format needs: no null, no escapes in names.
struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn shown(&self) -> String {
        self.rest.chars().take(20).collect()
    }

    /// Whether this comes next; if so, it is passed, and the blanks behind it.
    fn passes(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.passes(token) {
            return Ok(());
        }
        Err(format!("expected '{token}', found '{}'", self.shown()))
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err("lists within lists, too deep".into());
        }
        if self.passes("true") {
            return Ok(Json::Bool(true));
        }
        if self.passes("false") {
            return Ok(Json::Bool(false));
        }
        if self.passes("[") {
            let mut list = Vec::new();
            while !self.passes("]") {
                if !list.is_empty() {
                    self.expect(",")?;
                }
                list.push(self.value(depth + 1)?);
            }
            return Ok(Json::List(list));
        }
        if self.passes("{") {
            let mut list: Vec<(String, Json)> = Vec::new();
            while !self.passes("}") {
                if !list.is_empty() {
                    self.expect(",")?;
                }
                let name = self.name()?;
                self.expect(":")?;
                list.push((name, self.value(depth + 1)?));
            }
            return Ok(Json::Object(list));
        }
        let of_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let end = self.rest.find(|c| !of_number(c)).unwrap_or(self.rest.len());
        let number = self.rest[..end].parse::<f64>();
        let number = number.map_err(|_| format!("expected a value, found '{}'", self.shown()))?;
        self.rest = self.rest[end..].trim_start();
        Ok(Json::Number(number))
    }

    fn name(&mut self) -> Result<String, String> {
        let shown = self.shown();
        let name = self.rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (name, rest) = name.ok_or_else(|| format!("expected a name, found '{shown}'"))?;
        self.rest = rest.trim_start();
        Ok(name.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, Operator};

    fn boxes(n: usize) -> Problem {
        let identity = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let a = Operator::Dense(Dense::from_rows(n, identity).expect("square"));
        Problem::boxed(a, vec![0.0; n], &vec![0.0; n], &vec![1.0; n]).expect("valid")
    }

    #[test]
    fn there_and_back() {
        let mut problem = boxes(16);
        assert_eq!(text(&problem), None);
        let cone = Law::cone(&[0.1 + 0.2, 0.5, 1e-3], true);
        let rolling = Law::RollingCone { mu: 0.3, rolling: 1e-3, associated: true };
        problem.laws.truncate(2);
        problem.laws.extend([Law::cone(&[0.5, 0.5], false), cone]);
        problem.laws.extend([Law::cone(&[0.7], false), rolling]);
        problem.validate().expect("sixteen rows");
        let text = text(&problem).expect("cones");
        let back = merge(text.as_bytes(), "laws.json", boxes(16)).expect("readable");
        assert_eq!(back.laws, problem.laws);
    }

    #[test]
    fn mistakes_are_named() {
        let one = |cone: &str| format!("{{\"version\": 1, \"cones\": [{cone}]}}");
        let cone = |row: &str, mu: &str| {
            one(&format!("{{\"row\": {row}, \"mu\": [{mu}], \"associated\": false}}"))
        };
        let deep = "[".repeat(1000);
        for (text, why) in [
            (String::new(), "expected a value"),
            (deep, "too deep"),
            ("{}".into(), "missing"),
            ("{\"version\": 2, \"cones\": []}".into(), "version 1"),
            ("{\"version\": 1, \"cones\": 3}".into(), "no list"),
            ("{\"version\": 1, \"cones\": []} x".into(), "follows"),
            ("{\"version\": 1, \"version\": 1, \"cones\": []}".into(), "twice"),
            (one("{\"row\": 0}"), "missing"),
            (one("7"), "no object"),
            (cone("-1", "0.5, 0.5"), "no row"),
            (cone("0.5", "0.5, 0.5"), "no row"),
            (cone("7", "0.5, 0.5"), "ends beyond"),
            (cone("9", "0.5, 0.5"), "beyond all rows"),
            (cone("0", ""), "1 to 5"),
            (cone("0", "0.5, -0.5"), "at least 0"),
            (cone("0", "0.5, true"), "no number"),
            (one("{\"row\": 0, \"mu\": [1, 1], \"associated\": 1}"), "true or false"),
            (one("{\"row\": 0, \"mu\": [1, 1], \"size\": 1}"), "unknown"),
            (
                one("{\"row\": 0, \"mu\": [1, 1], \"rolling\": 1, \"associated\": true}"),
                "beside rolling",
            ),
        ] {
            let error = merge(text.as_bytes(), "laws.json", boxes(9)).expect_err(&text).to_string();
            assert!(error.contains(why) && error.contains("laws.json"), "{text}: {error}");
        }
        let within = "{\"row\": 1, \"mu\": [1], \"associated\": true}";
        let first = "{\"row\": 0, \"mu\": [1, 1], \"associated\": true}";
        let error = merge(one(&format!("{first}, {within}")).as_bytes(), "", boxes(9));
        assert!(error.expect_err("overlap").to_string().contains("row 1 begins within"));
        let twice = "{\"row\": 0, \"mu\": [1, 1], \"associated\": true}";
        assert!(merge(one(&format!("{twice}, {twice}")).as_bytes(), "", boxes(9)).is_err());
    }

    /// Bounds of a cone's rows other than its own are refused, not lost.
    #[test]
    fn bounds_of_cones_are_their_own() {
        let text = b"{\"version\": 1, \"cones\": [{\"row\": 1, \"mu\": [0.5, 0.5], \"associated\": false}]}";
        let with = |row: usize, lo: f64, hi: f64| {
            let mut problem = boxes(4);
            problem.laws[1] = Law::Box { lo: 0.0, hi: f64::INFINITY };
            problem.laws[2..].fill(Law::Bilateral);
            if row > 0 {
                problem.laws[row] = Law::Box { lo, hi };
            }
            apply(text, "laws.json", problem)
        };
        assert!(with(0, 0.0, 0.0).is_ok());
        for (row, lo, hi) in [(1, 0.0, 5.0), (1, -1.0, f64::INFINITY), (3, -1.0, 1.0)] {
            let error = with(row, lo, hi).expect_err("bounds").to_string();
            assert!(error.contains(&format!("row {row} belongs to the cone in row 1")), "{error}");
        }
    }

    /// Texts with bytes changed, lost, doubled and put elsewhere are refused, or read as laws that
    /// are valid and written out again to the same: never a panic.
    #[test]
    fn damaged_texts_are_refused_or_sound() {
        let mut problem = boxes(9);
        problem.laws.truncate(2);
        problem.laws.extend([Law::cone(&[0.5, 0.25], false), Law::cone(&[0.1, 0.5, 1e-3], true)]);
        let good = text(&problem).expect("cones").into_bytes();
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        let bytes = b"{}[]\":,.0123456789eE+-truefalsinversocd \n\x00\xff";
        let (mut read, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mut text = good.clone();
            for _ in 0..=random(3) {
                let at = random(text.len());
                match random(4) {
                    0 => text[at] = bytes[random(bytes.len())],
                    1 => drop(text.remove(at)),
                    2 => text.insert(at, bytes[random(bytes.len())]),
                    _ => {
                        let to = random(text.len());
                        let part = text[at.min(to)..at.max(to)].to_vec();
                        let place = random(text.len());
                        text.splice(place..place, part);
                    }
                }
            }
            match merge(&text, "laws.json", boxes(9)) {
                Ok(found) => {
                    found.validate().expect("valid");
                    let again =
                        super::text(&found).unwrap_or("{\"version\": 1, \"cones\": []}".into());
                    let again = merge(again.as_bytes(), "laws.json", boxes(9)).expect("readable");
                    assert_eq!(again.laws, found.laws);
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
        assert!(read > 500 && refused > 5000, "{read} {refused}");
    }
}
