//! What was measured, and what it is held against.

use std::collections::BTreeMap;

use crate::peers::Peer;

/// Samples by cell, measure and peer; one a round.
#[derive(Default)]
pub struct Samples(BTreeMap<(String, &'static str), BTreeMap<Peer, Vec<f64>>>);

impl Samples {
    pub fn add(&mut self, cell: &str, measure: &'static str, peer: Peer, value: f64) {
        if value.is_finite() {
            self.0.entry((cell.to_owned(), measure)).or_default().entry(peer).or_default().push(value);
        }
    }

    /// The median over the rounds.
    pub fn median(&self, cell: &str, measure: &'static str, peer: Peer) -> Option<f64> {
        quantile(self.0.get(&(cell.to_owned(), measure))?.get(&peer)?, 0.5)
    }

    /// Everything, one line a measure.
    pub fn print(&self) {
        println!("\n| cell | measure |{}", Peer::ALL.map(|p| format!(" {} |", p.name())).concat());
        println!("|---|---|{}", "---:|".repeat(Peer::ALL.len()));
        for (cell, measure) in self.0.keys() {
            let values = Peer::ALL.map(|p| format!(" {} |", shown(self.median(cell, measure, p))));
            println!("| {cell} | {measure} |{}", values.concat());
        }
    }
}

/// A row with a limit.
pub struct Row {
    pub name: &'static str,
    pub unit: &'static str,
    pub value: Option<f64>,
    pub must: f64,
    pub aim: f64,
    /// Otherwise less is better.
    pub more_is_better: bool,
}

/// Prints the rows. Whether every one reaches its `must`.
pub fn judge(rows: &[Row]) -> bool {
    println!("\n| row | must | aim | measured | |");
    println!("|---|---:|---:|---:|---|");
    let mut good = true;
    for row in rows.iter().filter(|r| r.value.is_some()) {
        let value = row.value.unwrap_or(f64::NAN);
        let reaches = |limit: f64| if row.more_is_better { value >= limit } else { value <= limit };
        let verdict = match (reaches(row.must), reaches(row.aim)) {
            (_, true) => "aim",
            (true, false) => "must",
            (false, false) => "MISSED",
        };
        good &= reaches(row.must);
        let sign = if row.more_is_better { ">=" } else { "<=" };
        println!(
            "| {} | {sign} {} | {sign} {} | {} {} | {verdict} |",
            row.name,
            shown(Some(row.must)),
            shown(Some(row.aim)),
            shown(Some(value)),
            row.unit
        );
    }
    good
}

/// A quantile of values in any order.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (q * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(at).copied()
}

fn shown(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(v) if v.abs() >= 100.0 => format!("{v:.0}"),
        Some(v) if v.abs() >= 10.0 => format!("{v:.1}"),
        Some(v) => format!("{v:.2}"),
    }
}
