import DataModel

/// A chain of entities, each object of which has children of the next one.
struct ChainModel: Sendable {
  let depth: Int
  let rule: CascadeRule
  let hasBlobs: Bool

  /// The entity of a level; the roots' is 0.
  static func entity(_ level: Int) -> String { "Node\(level)" }

  var model: Model {
    Model(entities: (0...depth).map(entity))
  }

  private func entity(_ level: Int) -> Entity {
    var attributes = [
      Attribute(name: "name", type: .string, preservesValueOnDeletion: true),
      Attribute(name: "number", type: .integer64, preservesValueOnDeletion: true),
    ]
    if hasBlobs && level == depth {
      attributes.append(Attribute(name: "data", type: .binary, allowsExternalStorage: true))
    }
    var relationships: [Relationship] = []
    if level > 0 {
      relationships.append(
        Relationship(name: "parent", destination: Self.entity(level - 1), inverse: "children")
      )
    }
    if level < depth {
      relationships.append(
        Relationship(
          name: "children",
          destination: Self.entity(level + 1),
          inverse: "parent",
          isToMany: true,
          deleteRule: level == 0 ? rule.deleteRule : .cascade
        )
      )
    }
    return Entity(
      name: Self.entity(level),
      attributes: attributes,
      relationships: relationships
    )
  }
}
