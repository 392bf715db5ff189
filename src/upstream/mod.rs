//! One attempt at one seat: clocks, body framing, and the seat's standing.
