//! Rules across keys, one family a file. Pure: a draft in, findings out.

mod access;
mod chains;
mod clocks;
mod families;
mod names;
mod providers;
mod seats;

pub(crate) use families::FAMILIES;

#[cfg(test)]
mod tests;
