import DataModel

/// Brings an object of one model into the shape of another: what a lightweight migration does.
struct Reshaping {
  private enum Source {
    case value(at: Int)
    case constant(ContentValue)
  }

  let shape: ContentShape
  private let sources: [Source]
  private let origin: Origin

  /// - Returns: `nil` where the object's entity is dropped.
  init?(_ old: ContentShape, to layout: StoreLayout, origin: Origin) {
    guard let entity = origin.successor(of: old.entity),
      let shape = ContentShape(entity: entity, layout: layout)
    else { return nil }
    self.shape = shape
    self.origin = origin
    sources = shape.properties.map { property in
      if let former = Self.formerName(of: property, in: entity, origin: origin),
        let index = old.index(of: former)
      {
        return .value(at: index)
      }
      return .constant(Self.defaultValue(of: property, in: entity, model: layout.model))
    }
  }

  private static func formerName(
    of property: ContentProperty,
    in entity: String,
    origin: Origin
  ) -> String? {
    switch property.kind {
    case .attribute, .externalAttribute, .pathAttribute, .toOne:
      origin.property(property.name, of: entity)
    case .orderKey(let toOne): origin.property(toOne, of: entity).map { $0 + ".order" }
    case .inverselessSource(let source):
      origin.entity(source).flatMap { former in
        origin.property(String(property.name.dropFirst(source.count + 1)), of: source)
          .map { "\(former).\($0)" }
      }
    }
  }

  private static func defaultValue(
    of property: ContentProperty,
    in entity: String,
    model: Model
  ) -> ContentValue {
    guard property.isAttribute, let described = model.entity(named: entity) else { return .null }
    let attribute = model.attributes(of: described).first { $0.name == property.name }
    return ContentValue(attribute?.defaultValue ?? .null)
  }

  func callAsFunction(_ object: ContentObject) -> ContentObject {
    let values = sources.map { source in
      switch source {
      case .value(let index): translated(object.values[index])
      case .constant(let value): value
      }
    }
    return ContentObject(shape: shape, key: object.key, version: object.version, values: values)
  }

  /// A reference to an object of a dropped entity leads nowhere any more.
  private func translated(_ value: ContentValue) -> ContentValue {
    guard case .object(let target) = value else { return value }
    return origin.successor(of: target.entity).map {
      .object(ContentReference(entity: $0, key: target.key))
    } ?? .null
  }
}
