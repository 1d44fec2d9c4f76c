import DataModel

/// A column of an entity's table and what it holds.
package struct Column: Hashable, Sendable {
  /// The declared type, which decides SQLite's affinity.
  package enum DeclaredType: String, Hashable, Sendable {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"
  }

  /// What a column holds.
  package enum Content: Hashable, Sendable {
    case attribute(Attribute)
    /// The key of a to-one's target.
    case foreignKey(Relationship)
    /// The entity number of a to-one's target, where the target's entity has sub-entities.
    case foreignEntity(Relationship)
    /// The key of the source of a to-many without inverse; `source` declares it.
    case inverselessKey(Relationship, source: String)
    /// The position in an ordered to-many, beside its inverse to-one.
    case orderKey(Relationship)
  }

  package var name: String
  package var type: DeclaredType
  package var content: Content
  /// The entity that declares the property; for `inverselessKey` the root of the table.
  package var entity: String

  /// The property's name: an attribute's or a relationship's.
  package var property: String {
    switch content {
    case .attribute(let attribute): attribute.name
    case .foreignKey(let relationship), .foreignEntity(let relationship),
      .inverselessKey(let relationship, _), .orderKey(let relationship):
      relationship.name
    }
  }
}

extension AttributeType {
  /// The declared type of the attribute's column (coredata-format.md, section 4).
  var declaredType: Column.DeclaredType {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .double, .float: .float
    case .date: .timestamp
    case .decimal: .decimal
    case .string, .uri: .varchar
    case .uuid, .transformable, .binary, .objectID, .composite: .blob
    }
  }

  /// The group of columns the attribute falls into; groups follow each other in a table.
  ///
  /// Object IDs and composites were not seen in a file; they go last.
  var columnGroup: Int {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: 1
    case .double, .float, .date: 3
    case .decimal: 4
    case .string: 5
    case .uri: 6
    case .uuid: 7
    case .transformable: 8
    case .binary: 9
    case .objectID, .composite: 10
    }
  }
}
