import Basics
import DataModel

/// The properties of an entity's objects in a store, inherited ones among them, in name order.
package final class ContentShape: Sendable {
  package let entity: String
  /// In the byte order of their names.
  package let properties: [Property]
  private let indexes: [String: Int]

  init(entity: String, properties: [Property]) {
    self.entity = entity
    self.properties = properties.sorted(byBytesOf: \.name)
    indexes = Dictionary(keepingFirst: self.properties.enumerated().map { ($1.name, $0) })
  }

  /// The shape of an entity's objects; `nil` for an entity that the layout does not have.
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
        // The column belongs to the table; only objects of the destination's family use it.
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

  /// Where a property stands in `properties`.
  package func index(of property: String) -> Int? { indexes[property] }
}

extension ContentShape {
  /// A property of an entity and where a store keeps it.
  package struct Property: Hashable, Sendable {
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
}

/// An attribute by which an app keeps blobs as files of its own: it holds a path below the store's
/// files folder.
package struct PathAttribute: Hashable, Sendable {
  /// The entity that declares the attribute.
  package let entity: String
  package let attribute: String

  package init(entity: String, attribute: String) {
    self.entity = entity
    self.attribute = attribute
  }
}
