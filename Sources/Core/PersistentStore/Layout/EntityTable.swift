import Basics
import DataModel

/// The table of a root entity and all its sub-entities.
package struct EntityTable: Hashable, Sendable {
  package let name: String
  /// The root entity's name.
  package let root: String
  /// The root and its sub-entities, in the order of their numbers.
  package let entities: [String]
  /// The columns after Z_PK, Z_ENT and Z_OPT, in the order of the table.
  package let columns: [Column]
  /// The columns of each unique constraint in the CREATE TABLE statement, as in old layouts.
  package var constraints: [[String]] = []

  /// The names of all columns, starting with the system columns.
  package var columnNames: [String] { ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name) }

  package var definition: TableDefinition {
    let single = Set(constraints.filter { $0.count == 1 }.map { $0[0] })
    return .objects(
      name,
      columns.map { column in
        TableDefinition.Column(
          name: column.name,
          type: column.type.rawValue,
          isUnique: single.contains(column.name)
        )
      },
      constraints: constraints.filter { $0.count > 1 }.map { .unique($0) }
    )
  }

  /// Returns the column of an entity's attribute.
  package func column(attribute: String, of declaring: String) -> Column? {
    columns.first {
      if case .attribute(let held) = $0.content {
        return held.name == attribute && $0.entity == declaring
      }
      return false
    }
  }

  func column(of declaring: String, where matches: (Column.Content) -> Bool) -> Column? {
    columns.first { $0.entity == declaring && matches($0.content) }
  }
}

/// A column of an entity's table, with its content.
package struct Column: Hashable, Sendable {
  /// The declared type, which determines SQLite's affinity.
  package enum DeclaredType: String, Hashable, Sendable {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"
  }

  /// The content of a column.
  package enum Content: Hashable, Sendable {
    case attribute(Attribute)
    /// The key of a to-one relationship's target.
    case foreignKey(Relationship)
    /// The entity number of a to-one relationship's target, if the destination has sub-entities.
    case foreignEntity(Relationship)
    /// The key of the source of a to-many relationship without an inverse, which the entity
    /// `source` declares.
    case inverselessKey(Relationship, source: String)
    /// The position in an ordered to-many relationship; stored with its inverse, a to-one
    /// relationship.
    case orderKey(Relationship)
  }

  package var name: String
  package var type: DeclaredType
  package var content: Content
  /// The entity that declares the property; for `inverselessKey`, the root entity of the table.
  package var entity: String

  /// The name of the attribute or relationship.
  package var property: String {
    switch content {
    case .attribute(let attribute): attribute.name
    case .foreignKey(let relationship), .foreignEntity(let relationship),
      .inverselessKey(let relationship, _), .orderKey(let relationship):
      relationship.name
    }
  }

  fileprivate var holdsProperty: Bool {
    switch content {
    case .attribute, .foreignKey: true
    case .foreignEntity, .inverselessKey, .orderKey: false
    }
  }
}

extension AttributeType {
  /// The declared type of a column for attributes of this type (coredata-format.md, section 4).
  var declaredType: Column.DeclaredType {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .double, .float: .float
    case .date: .timestamp
    case .decimal: .decimal
    case .string, .uri: .varchar
    case .undefined, .uuid, .transformable, .binary, .objectID, .composite: .blob
    }
  }

  /// The group of columns that contains the attribute; tables list their columns group by group.
  ///
  /// Object IDs and composites, which no known file contains, are last.
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
    case .undefined, .objectID, .composite: 10
    }
  }
}

extension EntityTable {
  init(root: Entity, in model: Model, numbers: EntityNumbers, keepsConstraints: Bool) {
    let family = model.family(of: root)
    let order = ColumnOrder(model: model, numbers: numbers, family: family, root: root.name)
    var columns = order.columns
    if WriterFault.current == .layout,
      let (first, second) = WriterFault.layout.exchanged(in: columns)
    {
      (columns[first].content, columns[second].content) =
        (columns[second].content, columns[first].content)
      (columns[first].entity, columns[second].entity) =
        (columns[second].entity, columns[first].entity)
    }
    name = "Z" + root.name.uppercased()
    self.root = root.name
    entities = family.map(\.name)
    self.columns = columns
    guard keepsConstraints else { return }
    constraints = family.flatMap { entity in
      entity.uniquenessConstraints.compactMap { properties in
        let names = properties.compactMap { property in
          let declarer = model.declarer(of: property, in: entity)?.name
          return self.columns.first {
            $0.property == property && $0.entity == declarer && $0.holdsProperty
          }?.name
        }
        return names.isEmpty || names.count < properties.count ? nil : names
      }
    }
  }
}

extension EntityTable {
  /// Arranges the columns of a table in Core Data's order (coredata-format.md, section 4).
  private struct ColumnOrder {
    let model: Model
    let numbers: EntityNumbers
    let family: [Entity]
    let root: String

    var columns: [Column] {
      let columns =
        family.flatMap(integers) + inverselessKeys + family.flatMap(orderKeys)
        + (3...10).flatMap { group in family.flatMap { attributes(of: $0, group: group) } }
      return renamingCollisions(columns)
    }

    private func attributes(of entity: Entity, group: Int) -> [Column] {
      entity.attributes
        .filter { !$0.isTransient && $0.type.columnGroup == group }
        .sorted(byBytesOf: \.name)
        .map {
          Column(
            name: columnName($0.name),
            type: $0.type.declaredType,
            content: .attribute($0),
            entity: entity.name
          )
        }
    }

    private func integer(_ name: String, _ content: Column.Content, of entity: String) -> Column {
      Column(name: name, type: .integer, content: content, entity: entity)
    }

    private func toOnes(of entity: Entity) -> [Relationship] {
      entity.relationships
        .filter { !$0.isToMany && !$0.isTransient }
        .sorted(byBytesOf: \.name)
    }

    private func integers(of entity: Entity) -> [Column] {
      var columns = attributes(of: entity, group: 1)
      for relationship in toOnes(of: entity) {
        let name = columnName(relationship.name)
        columns.append(integer(name, .foreignKey(relationship), of: entity.name))
        guard let number = numbers[relationship.destination],
          !model.subentities(of: relationship.destination).isEmpty
        else { continue }
        let entityName = "Z\(number)_\(relationship.name.uppercased())"
        columns.append(integer(entityName, .foreignEntity(relationship), of: entity.name))
      }
      return columns
    }

    private var inverselessKeys: [Column] {
      let names = Set(family.map(\.name))
      return numbers.entities.enumerated().flatMap { index, source in
        source.relationships
          .filter {
            $0.isToMany && !$0.isTransient && $0.inverse == nil && names.contains($0.destination)
          }
          .sorted(byBytesOf: \.name)
          .map {
            let name = "Z\(index + 1)\($0.name.uppercased())"
            return integer(name, .inverselessKey($0, source: source.name), of: root)
          }
      }
    }

    private func orderKeys(of entity: Entity) -> [Column] {
      toOnes(of: entity)
        .filter { model.inverse(of: $0)?.isOrdered == true }
        .map { integer("Z_FOK_\($0.name.uppercased())", .orderKey($0), of: entity.name) }
    }

    private func columnName(_ property: String) -> String { "Z" + property.uppercased() }

    /// Makes column names unique: the first column with a name keeps it; later columns get the
    /// suffixes 1, 2, 3 … in column order.
    private func renamingCollisions(_ columns: [Column]) -> [Column] {
      var uses: [String: Int] = [:]
      return columns.map { column in
        var column = column
        let earlier = uses[column.name, default: 0]
        uses[column.name] = earlier + 1
        if earlier > 0 { column.name += String(earlier) }
        return column
      }
    }
  }
}
