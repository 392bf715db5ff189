//! Rules across keys, one family a file. Pure: a draft in, findings out.

mod access;
mod chains;
mod clocks;
mod names;
mod providers;
mod seats;

use super::draft::Draft;
use super::report::Report;

/// A family of rules.
type Rules = fn(&Draft<'_>, &mut Report<'_>);

/// Every family.
pub(crate) const FAMILIES: [Rules; 6] =
    [names::check, providers::check, seats::check, chains::check, clocks::check, access::check];

#[cfg(test)]
mod tests;
