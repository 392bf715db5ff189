//! What a careful client sees in a stream, and which rules of the protocol the stream breaks.
