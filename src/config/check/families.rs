//! The list of families.

use super::{access, chains, clocks, names, providers, seats};
use crate::config::draft::Draft;
use crate::config::report::Report;

/// A family of rules.
type Rules = fn(&Draft<'_>, &mut Report<'_>);

/// Every family; each adds what it finds.
pub(crate) const FAMILIES: [Rules; 6] =
    [names::check, providers::check, seats::check, chains::check, clocks::check, access::check];
