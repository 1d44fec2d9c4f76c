import DataModel

/// Makes the object expected out of an object of the original.
final class Transformation {
  private let expected: ExpectedContent
  private let isSameModel: Bool
  private var reshapings: [ObjectIdentifier: Reshaping?] = [:]

  init(_ expected: ExpectedContent) {
    self.expected = expected
    isSameModel = expected.layout.model == expected.original.layout.model
  }

  /// The object expected; `nil` where it is removed or its entity dropped.
  func callAsFunction(_ original: ContentObject) throws -> ContentObject? {
    guard !expected.isRemoved(original.entity, original.key) else { return nil }
    var object = original
    nullify(&object)
    if !isSameModel {
      guard let reshaping = reshaping(of: original.shape) else { return nil }
      object = reshaping(object)
    }
    for change in expected.changes(of: object.entity) { try change(&object) }
    if let map = expected.keyMap { map.apply(to: &object, in: expected.layout) }
    return object
  }

  private func reshaping(of shape: ContentShape) -> Reshaping? {
    let identity = ObjectIdentifier(shape)
    if let known = reshapings[identity] { return known }
    let made = Reshaping(shape, to: expected.layout, origin: expected.origin)
    reshapings[identity] = .some(made)
    return made
  }

  /// References to removed objects become NULL, and so does the place beside them.
  private func nullify(_ object: inout ContentObject) {
    for (index, value) in object.values.enumerated() {
      guard case .object(let target) = value, expected.isRemoved(target.entity, target.key),
        isNullified(object.shape.properties[index], of: object.entity)
      else { continue }
      object.values[index] = .null
      if let order = object.shape.index(of: object.shape.properties[index].name + ".order") {
        object.values[order] = .null
      }
    }
  }

  /// Whether the deletion of its target empties a to-one: the rule is the other side's.
  private func isNullified(_ property: ContentProperty, of entity: String) -> Bool {
    guard expected.nullification == .byDeleteRule else { return true }
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
