//! The tree with its names looked up: what the cross-key rules and the resolving read.

use super::schema::{ROOT, key_ref};
use super::tree::{Entry, Node, Place};
use super::view::View;
use crate::wire::Wire;

/// A provider or a seat under its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    /// The place of its name.
    pub(crate) place: Place,
    pub(crate) view: View<'a>,
}

/// A route at its index.
#[derive(Debug, Clone)]
pub(crate) struct RouteDraft<'a> {
    /// `routes[0]`
    pub(crate) path: String,
    pub(crate) place: Place,
    pub(crate) view: View<'a>,
    /// What its chain names, each with its place.
    pub(crate) chain: Vec<(&'a str, Place)>,
}

/// A whole configuration before it is resolved.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) root: View<'a>,
    pub(crate) providers: Vec<Named<'a>>,
    pub(crate) seats: Vec<Named<'a>>,
    pub(crate) routes: Vec<RouteDraft<'a>>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(tree: &'a Node) -> Self {
        let root = View::new(Some(tree), ROOT);
        let named =
            |(entry, view): (&'a Entry, View<'a>)| Named { name: &entry.key, place: entry.place, view };
        let route = |(i, (node, view)): (usize, (&'a Node, View<'a>))| RouteDraft {
            path: format!("routes[{i}]"),
            place: node.place,
            view,
            chain: view.texts("chain").unwrap_or_default(),
        };
        Self {
            root,
            providers: root.named("providers").into_iter().map(named).collect(),
            seats: root.named("seats").into_iter().map(named).collect(),
            routes: root.list("routes").into_iter().enumerate().map(route).collect(),
        }
    }

    pub(crate) fn provider(&self, name: &str) -> Option<&Named<'a>> {
        self.providers.iter().find(|provider| provider.name == name)
    }

    pub(crate) fn seat(&self, name: &str) -> Option<&Named<'a>> {
        self.seats.iter().find(|seat| seat.name == name)
    }

    /// The provider that a seat names.
    pub(crate) fn provider_of(&self, seat: &Named<'a>) -> Option<&Named<'a>> {
        self.provider(seat.view.text("provider")?)
    }

    /// The seats of a route's chain that exist, with their index and place.
    pub(crate) fn chain_of<'d>(
        &'d self,
        route: &'d RouteDraft<'a>,
    ) -> impl Iterator<Item = (usize, Place, &'d Named<'a>)> {
        let seats = route.chain.iter().enumerate();
        seats.filter_map(|(i, (name, place))| Some((i, *place, self.seat(name)?)))
    }
}

impl Named<'_> {
    /// The wire of a provider.
    pub(crate) fn wire(&self) -> Option<Wire> {
        let word = self.view.text("wire")?;
        Wire::ALL.into_iter().find(|wire| wire.name() == word)
    }

    /// Why no seat of this provider can be asked yet.
    pub(crate) fn not_built(&self) -> bool {
        let keyless =
            |text| matches!(key_ref(text), Ok(super::KeyRef::Keychain(_) | super::KeyRef::Vault { .. }));
        self.wire().is_some_and(|wire| !wire.is_built()) || self.view.text("key").is_some_and(keyless)
    }
}

/// Whether a wire runs a program instead of asking an address.
pub(crate) const fn is_cli(wire: Wire) -> bool {
    matches!(wire, Wire::ClaudeCli | Wire::CodexCli)
}
