import DataModel

extension ExpectedContent {
  final class Transformation {
    private let expected: ExpectedContent
    private let isSameModel: Bool
    private var reshapings: [ObjectIdentifier: Reshaping?] = [:]

    init(_ expected: ExpectedContent) {
      self.expected = expected
      isSameModel = expected.layout.model == expected.original.layout.model
    }

    /// Returns the expected object, or `nil` if it is removed or its entity is dropped.
    func callAsFunction(_ original: ContentObject) throws -> ContentObject? {
      guard !expected.isRemoved(original.entity, original.key) else { return nil }
      var object = original
      nullify(&object)
      if !isSameModel {
        guard let reshaping = try reshaping(of: original.shape) else { return nil }
        object = reshaping(object)
      }
      for change in expected.changes(of: object.entity) { try change(&object) }
      if let map = expected.keyMap { map.apply(to: &object, in: expected.layout) }
      return object
    }

    private func reshaping(of shape: ContentShape) throws -> Reshaping? {
      let identity = ObjectIdentifier(shape)
      if let known = reshapings[identity] { return known }
      let made = try Reshaping(
        shape,
        of: expected.original,
        to: expected.layout,
        origin: expected.origin
      )
      reshapings[identity] = .some(made)
      return made
    }

    private func nullify(_ object: inout ContentObject) {
      var isChanged = false
      for (index, value) in object.values.enumerated() {
        guard case .object(let target) = value, expected.isRemoved(target.entity, target.key),
          isNullified(object.shape.properties[index], of: object.entity)
        else { continue }
        object.values[index] = .null
        isChanged = true
        if let order = object.shape.index(of: object.shape.properties[index].name + ".order") {
          object.values[order] = .null
        }
      }
      if isChanged, expected.raisesVersions, case .integer(let version) = object.version {
        object.version = .integer(version + 1)
      }
    }

    private func isNullified(_ property: ContentShape.Property, of entity: String) -> Bool {
      guard expected.nullification == .byDeleteRule else {
        return expected.nullification == .always
      }
      let model = expected.original.layout.model
      let rule: DeleteRule? =
        switch property.kind {
        case .toOne:
          model.entity(named: entity)
            .flatMap { described in
              model.relationships(of: described).first { $0.name == property.name }
            }
            .flatMap(model.inverse)?.deleteRule
        case .inverselessSource(let source):
          model.entity(named: source)?
            .relationship(named: String(property.name.dropFirst(source.count + 1)))?.deleteRule
        default: nil
        }
      return rule == .nullify
    }
  }

  struct Reshaping {
    private enum Source {
      case value(at: Int)
      /// The key of the source of a to-many relationship without an inverse; `entities` has the
      /// entity of each source that belongs to a sub-entity.
      case owner(at: Int, entities: [Int64: String])
      case constant(ContentValue)
    }

    let shape: ContentShape
    private let sources: [Source]
    private let origin: Origin

    init?(
      _ old: ContentShape,
      of original: StoreContent,
      to layout: StoreLayout,
      origin: Origin
    ) throws {
      guard let entity = origin.successor(of: old.entity),
        let shape = ContentShape(entity: entity, layout: layout)
      else { return nil }
      self.shape = shape
      self.origin = origin
      sources = try shape.properties.map { property in
        if case .toOne = property.kind, origin.property(property.name, of: entity) == nil,
          let former = origin.formerToMany(of: property.name, of: entity),
          let index = old.index(of: former)
        {
          let declaring = former.prefix { $0 != "." }
          return .owner(at: index, entities: try Self.entities(below: String(declaring), original))
        }
        if let former = Self.formerName(of: property, in: entity, origin: origin),
          let index = old.index(of: former)
        {
          return .value(at: index)
        }
        if case .inverselessSource(let source) = property.kind,
          let toOne = origin.formerToOne(
            of: String(property.name.dropFirst(source.count + 1)),
            of: source
          )?.name, let index = old.index(of: toOne)
        {
          return .value(at: index)
        }
        return .constant(Self.defaultValue(of: property, in: entity, model: layout.model))
      }
    }

    private static func entities(
      below declaring: String,
      _ original: StoreContent
    ) throws -> [Int64: String] {
      let model = original.layout.model
      guard let entity = model.entity(named: declaring), model.family(of: entity).count > 1 else {
        return [:]
      }
      var entities: [Int64: String] = [:]
      let cursor = try original.objects(of: declaring)
      while let object = try cursor.next() {
        if object.entity != declaring { entities[object.key] = object.entity }
      }
      return entities
    }

    private static func formerName(
      of property: ContentShape.Property,
      in entity: String,
      origin: Origin
    ) -> String? {
      switch property.kind {
      case .attribute, .externalAttribute, .pathAttribute:
        origin.property(property.name, of: entity)
      case .toOne: origin.toOne(property.name, of: entity)
      case .orderKey(let toOne): origin.toOne(toOne, of: entity).map { $0 + ".order" }
      case .inverselessSource(let source):
        origin.entity(source).flatMap { former in
          origin.property(String(property.name.dropFirst(source.count + 1)), of: source)
            .map { "\(former).\($0)" }
        }
      }
    }

    private static func defaultValue(
      of property: ContentShape.Property,
      in entity: String,
      model: Model
    ) -> ContentValue {
      guard property.isAttribute, let described = model.entity(named: entity) else { return .null }
      let attribute = model.attributes(of: described).first { $0.name == property.name }
      return attribute.map(ContentValue.init(defaultOf:)) ?? .null
    }

    func callAsFunction(_ object: ContentObject) -> ContentObject {
      let values = sources.map { source in
        switch source {
        case .value(let index): translated(object.values[index])
        case .owner(let index, let entities): translated(object.values[index], entities)
        case .constant(let value): value
        }
      }
      return ContentObject(shape: shape, key: object.key, version: object.version, values: values)
    }

    private func translated(
      _ value: ContentValue,
      _ entities: [Int64: String] = [:]
    ) -> ContentValue {
      guard case .object(let target) = value else { return value }
      return origin.successor(of: entities[target.key] ?? target.entity).map {
        .object(ContentReference(entity: $0, key: target.key))
      } ?? .null
    }
  }
}
