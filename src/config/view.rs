//! A mapping seen through the table: what was written, else the table's default.
//!
//! Lenient where a value is wrong: the walk has said so already, and other rules still want to be heard.

use std::collections::HashSet;

use super::schema::{Field, Shape};
use super::tree::{Entry, Kind, Node, Place};

/// A mapping, perhaps absent, with the fields that it may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    node: Option<&'a Node>,
    fields: &'static [Field],
}

/// A number, whole or not.
pub(crate) fn number(node: &Node) -> Option<f64> {
    match &node.kind {
        Kind::Int(value, _) => Some(*value as f64),
        Kind::Float(value, _) => Some(*value),
        _ => None,
    }
}

impl<'a> View<'a> {
    /// `node` seen through `fields`.
    pub(crate) const fn new(node: Option<&'a Node>, fields: &'static [Field]) -> Self {
        Self { node, fields }
    }

    fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == key)
    }

    /// What was written under `key`, where it is not nothing.
    pub(crate) fn written(&self, key: &str) -> Option<&'a Node> {
        self.node?.get(key).filter(|node| !node.is_null())
    }

    /// The place of the value of `key`, else `otherwise`.
    pub(crate) fn place(&self, key: &str, otherwise: Place) -> Place {
        self.written(key).map_or(otherwise, |node| node.place)
    }

    fn default_of(&self, key: &str) -> Option<&'static str> {
        self.field(key)?.default
    }

    /// The text of a scalar.
    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.written(key).and_then(Node::text).or_else(|| self.default_of(key))
    }

    /// A whole number.
    pub(crate) fn whole(&self, key: &str) -> Option<u64> {
        match self.written(key).map(|node| &node.kind) {
            Some(Kind::Int(value, _)) => u64::try_from(*value).ok(),
            _ => self.default_of(key)?.parse().ok(),
        }
    }

    /// A number.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.written(key).and_then(number).or_else(|| self.default_of(key)?.parse().ok())
    }

    /// True or false.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        match self.written(key).map(|node| &node.kind) {
            Some(Kind::Bool(value)) => Some(*value),
            _ => self.default_of(key)?.parse().ok(),
        }
    }

    /// The texts of a list, or of one item that stands for a list; `None` where nothing was written.
    pub(crate) fn texts(&self, key: &str) -> Option<Vec<(&'a str, Place)>> {
        let node = self.written(key)?;
        Some(match &node.kind {
            Kind::Seq(items) => items.iter().filter_map(|item| Some((item.text()?, item.place))).collect(),
            _ => node.text().map(|text| (text, node.place)).into_iter().collect(),
        })
    }

    /// The mapping under `key`.
    pub(crate) fn sub(&self, key: &str) -> View<'a> {
        let fields: &'static [Field] = match self.field(key).map(|field| &field.shape) {
            Some(Shape::Object(fields)) => fields,
            _ => &[],
        };
        View::new(self.written(key), fields)
    }

    /// The mappings of a list.
    pub(crate) fn list(&self, key: &str) -> Vec<(&'a Node, View<'a>)> {
        let fields: &'static [Field] = match self.field(key).map(|field| &field.shape) {
            Some(Shape::List { item: Shape::Object(fields), .. }) => fields,
            _ => &[],
        };
        self.written(key)
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .map(|n| (n, View::new(Some(n), fields)))
            .collect()
    }

    /// The mappings under the names that the user chose, each name once.
    pub(crate) fn named(&self, key: &str) -> Vec<(&'a Entry, View<'a>)> {
        let fields: &'static [Field] = match self.field(key).map(|field| &field.shape) {
            Some(Shape::Map { value: Shape::Object(fields), .. }) => fields,
            _ => &[],
        };
        let entries = self.written(key).map(Node::entries).unwrap_or_default();
        let mut seen = HashSet::new();
        entries
            .iter()
            .filter(|entry| seen.insert(entry.key.as_str()))
            .map(|entry| (entry, View::new(Some(&entry.value), fields)))
            .collect()
    }
}
