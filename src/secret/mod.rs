//! Resolves where a key is kept into the key; remembers which source answered.
