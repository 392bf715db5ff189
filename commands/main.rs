//! The way in.

fn main() {}
