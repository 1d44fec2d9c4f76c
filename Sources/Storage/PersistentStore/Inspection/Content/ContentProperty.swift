import DataModel

/// A property of an entity and where a store keeps it.
package struct ContentProperty: Hashable, Sendable {
  /// What a property holds.
  package enum Kind: Hashable, Sendable {
    case attribute
    /// An attribute with external storage: a marker byte comes first.
    case externalAttribute
    /// An attribute that holds a path below the store's files folder: the file is its content.
    case pathAttribute
    /// A to-one. `entityColumn` holds the number of the target's entity; without it every target
    /// is of the destination itself.
    case toOne(destination: String, entityColumn: String?)
    /// The position in an ordered to-many, beside the to-one of that name.
    case orderKey(toOne: String)
    /// The source of a to-many without inverse.
    case inverselessSource(String)
  }

  /// The attribute's or to-one's name; `TO-ONE.order` for an order key, `SOURCE.RELATIONSHIP` for
  /// the source of a to-many without inverse.
  package let name: String
  package let column: String
  package let kind: Kind

  init(_ column: Column, entityColumn: String?, isPath: Bool = false) {
    self.column = column.name
    switch column.content {
    case .attribute(let attribute):
      name = attribute.name
      kind =
        isPath ? .pathAttribute : attribute.allowsExternalStorage ? .externalAttribute : .attribute
    case .foreignKey(let relationship), .foreignEntity(let relationship):
      name = relationship.name
      kind = .toOne(destination: relationship.destination, entityColumn: entityColumn)
    case .orderKey(let relationship):
      name = relationship.name + ".order"
      kind = .orderKey(toOne: relationship.name)
    case .inverselessKey(let relationship, let source):
      name = "\(source).\(relationship.name)"
      kind = .inverselessSource(source)
    }
  }

  /// A column read as it is, for rows that belong to no entity.
  init(raw column: String) {
    name = column
    self.column = column
    kind = .attribute
  }

  /// Whether it holds an attribute's value.
  package var isAttribute: Bool {
    switch kind {
    case .attribute, .externalAttribute, .pathAttribute: true
    case .toOne, .orderKey, .inverselessSource: false
    }
  }

  /// Whether it holds a position.
  package var isOrderKey: Bool {
    if case .orderKey = kind { true } else { false }
  }
}
