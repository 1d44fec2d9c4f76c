/// An object as it lies in a store.
package struct ContentObject: Sendable {
  package internal(set) var shape: ContentShape
  /// The primary key, Z_PK.
  package var key: Int64
  /// The optimistic-lock counter, Z_OPT.
  package var version: ContentValue
  /// One for each property of the shape.
  package internal(set) var values: [ContentValue]

  /// An object with nothing set.
  package init(shape: ContentShape, key: Int64, version: ContentValue = .integer(1)) {
    self.init(
      shape: shape,
      key: key,
      version: version,
      values: Array(repeating: .null, count: shape.properties.count)
    )
  }

  init(shape: ContentShape, key: Int64, version: ContentValue, values: [ContentValue]) {
    self.shape = shape
    self.key = key
    self.version = version
    self.values = values
  }

  package var entity: String { shape.entity }
  package var reference: ContentReference { ContentReference(entity: shape.entity, key: key) }

  /// The value of a property; `nil` where the entity has none of that name.
  package subscript(property: String) -> ContentValue? {
    shape.index(of: property).map { values[$0] }
  }

  /// Sets a property's value.
  ///
  /// - Throws: ``InspectionError/unknownProperty(_:entity:)``.
  package mutating func set(_ property: String, _ value: ContentValue) throws {
    guard let index = shape.index(of: property) else {
      throw InspectionError.unknownProperty(property, entity: entity)
    }
    values[index] = value
  }
}
