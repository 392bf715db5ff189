//! Embedded stub seats for a first look without an account.
