/// An index of an entity's table that the model asks for (`NSFetchIndexDescription`).
package struct FetchIndex: Hashable, Sendable {
  /// One column of a fetch index.
  package struct Element: Hashable, Sendable {
    /// How the element is stored: in a B-tree or in an R-tree.
    package enum Kind: Int, Hashable, Sendable {
      case binary = 0
      case rTree = 1
    }

    /// The property's name; `entity` stands for the entity number, Z_ENT.
    package var property: String
    package var isAscending: Bool
    package var kind: Kind

    package init(property: String, isAscending: Bool = true, kind: Kind = .binary) {
      self.property = property
      self.isAscending = isAscending
      self.kind = kind
    }
  }

  package var name: String
  package var elements: [Element]
  /// The predicate of a partial index, as the model spells it.
  package var partialPredicate: String?

  package init(name: String, elements: [Element], partialPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }
}
