import Basics
import DataModel

/// The stored properties of an entity's objects, including inherited ones.
package final class ContentShape: Sendable {
  package let entity: String
  /// The properties, sorted by the bytes of their names.
  package let properties: [Property]
  private let indexes: [String: Int]

  init(entity: String, properties: [Property]) {
    self.entity = entity
    self.properties = properties.sorted(byBytesOf: \.name)
    indexes = Dictionary(keepingFirst: self.properties.enumerated().map { ($1.name, $0) })
  }

  convenience init?(
    entity name: String,
    layout: StoreLayout,
    pathAttributes: Set<PathAttribute> = []
  ) {
    guard let entity = layout.model.entity(named: name), let table = layout.table(of: name) else {
      return nil
    }
    let lineage = Set(layout.model.lineage(of: entity).map(\.name))
    var properties: [Property] = []
    for column in table.columns {
      switch column.content {
      case .foreignEntity: continue
      case .inverselessKey(let relationship, _):
        // Skip other entities' columns: every row has the column for the source's key, but only the
        // destination and its sub-entities use it.
        guard lineage.contains(relationship.destination) else { continue }
      default: guard lineage.contains(column.entity) else { continue }
      }
      properties.append(
        Property(
          column,
          entityColumn: Self.entityColumn(beside: column, in: table),
          isPath: pathAttributes.contains(
            PathAttribute(entity: column.entity, attribute: column.property)
          )
        )
      )
    }
    self.init(entity: name, properties: properties)
  }

  private static func entityColumn(beside column: Column, in table: EntityTable) -> String? {
    guard case .foreignKey(let relationship) = column.content else { return nil }
    return table.column(of: column.entity) { $0 == .foreignEntity(relationship) }?.name
  }

  convenience init(strayRowsOf table: EntityTable) {
    self.init(
      entity: "no entity of \(table.name)",
      properties: (["Z_ENT"] + table.columns.map(\.name)).map(Property.init(raw:))
    )
  }

  func filtered(to names: Set<String>) -> ContentShape {
    ContentShape(entity: entity, properties: properties.filter { names.contains($0.name) })
  }

  var columns: [String] {
    properties.flatMap { property in
      if case .toOne(_, let entityColumn?) = property.kind {
        return [property.column, entityColumn]
      }
      return [property.column]
    }
  }

  /// Returns the index of a property in `properties`, if any.
  package func index(of property: String) -> Int? { indexes[property] }
}

extension ContentShape {
  /// A property of an entity, with the column that stores it.
  package struct Property: Hashable, Sendable {
    /// The kind of value of a property.
    package enum Kind: Hashable, Sendable {
      case attribute
      /// An attribute with external storage, whose values start with a marker byte.
      case externalAttribute
      /// An attribute that holds the path of a file, relative to the store's files folder; the
      /// property's value is the content of that file.
      case pathAttribute
      /// A to-one relationship. `entityColumn` holds the target's entity number; if it is `nil`,
      /// every target belongs to the destination entity.
      case toOne(destination: String, entityColumn: String?)
      /// The position in an ordered to-many relationship whose inverse is the given to-one
      /// relationship.
      case orderKey(toOne: String)
      case inverselessSource(String)
    }

    /// The name of the attribute or to-one relationship; `TO-ONE.order` for a position,
    /// `SOURCE.RELATIONSHIP` for the source of a to-many relationship without an inverse.
    package let name: String
    package let column: String
    package let kind: Kind

    init(_ column: Column, entityColumn: String?, isPath: Bool = false) {
      self.column = column.name
      switch column.content {
      case .attribute(let attribute):
        name = attribute.name
        kind =
          isPath
          ? .pathAttribute : attribute.allowsExternalStorage ? .externalAttribute : .attribute
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

    init(raw column: String) {
      name = column
      self.column = column
      kind = .attribute
    }

    /// Whether the property is an attribute.
    package var isAttribute: Bool {
      switch kind {
      case .attribute, .externalAttribute, .pathAttribute: true
      case .toOne, .orderKey, .inverselessSource: false
      }
    }

    /// Whether the property is a position in an ordered relationship.
    package var isOrderKey: Bool {
      if case .orderKey = kind { true } else { false }
    }
  }
}

/// An attribute that holds the paths of the app's own files, relative to the store's files folder.
package struct PathAttribute: Hashable, Sendable {
  /// The entity that declares the attribute.
  package let entity: String
  package let attribute: String

  package init(entity: String, attribute: String) {
    self.entity = entity
    self.attribute = attribute
  }
}
