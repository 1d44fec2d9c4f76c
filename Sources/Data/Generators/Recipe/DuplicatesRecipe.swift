/// Which share of an entity's objects are copies of earlier ones, and how like them they are.
package struct DuplicatesRecipe: Hashable, Sendable {
  /// Who the children of an original and its copies belong to.
  package enum Children: String, CaseIterable, Hashable, Sendable {
    /// As the children's own relationship says, which knows of no copies.
    case own
    /// To all of the cluster alike, as far as they go round.
    case spread
    /// All to the original.
    case original
  }

  /// The attributes that copies have in common with their original, or nearly so.
  package var key: [String]
  /// The share of all objects that are copies, from 0 to 1.
  package var rate: Double
  /// How many copies an original has.
  package var copies: DistributionRecipe
  /// How like its original a copy is, by weight.
  package var likeness: [LikenessWeight] = [LikenessWeight(likeness: .sameKey, weight: 1)]
  /// The attributes of which every copy has a value of its own.
  package var own: [String] = []
  /// What is different in near copies.
  package var edits: EditsRecipe?
  package var children = Children.own
}

/// How like its original a copy is.
package enum Likeness: String, CaseIterable, Hashable, Sendable {
  /// The key alone: what was entered twice.
  case sameKey
  /// Every attribute but the copy's own: what was imported twice.
  case exact
  /// As exact, but with texts that were mistyped: what was typed in twice.
  case near
}

/// A likeness and how often it is chosen.
package struct LikenessWeight: Hashable, Sendable {
  package var likeness: Likeness
  package var weight: Double
}

/// What is different in near copies.
package struct EditsRecipe: Hashable, Sendable {
  /// The text attributes that edits are made in.
  package var attributes: [String]
  /// How many edits a copy has, at least one.
  package var count: DistributionRecipe
  package var kinds: [TextEditWeight]
}

/// An edit and how often it is chosen.
package struct TextEditWeight: Hashable, Sendable {
  package var edit: TextEdit
  package var weight: Double
}
