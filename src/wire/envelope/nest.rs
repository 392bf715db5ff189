//! Which containers are open.

/// The deepest nesting that is accepted, as in `serde_json`.
const MAX_DEPTH: u32 = 127;

/// The open containers, one bit each.
#[derive(Debug, Default)]
pub(super) struct Nest {
    depth: u32,
    /// The innermost is the lowest bit: 1 for an object.
    objects: u128,
}

impl Nest {
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    pub(super) fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }

    /// Opens a container; `false` when it would be too deep.
    pub(super) fn open(&mut self, is_object: bool) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth = self.depth.saturating_add(1);
        self.objects = (self.objects << 1) | u128::from(is_object);
        true
    }

    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.objects >>= 1;
    }
}
