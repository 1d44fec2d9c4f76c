import DataModel

/// The differences between two schemas, and whether they change a version's identity according to
/// Apple's documentation.
///
/// SwiftData identifies a version by version hashes, which are not computed here. Instead, this
/// type compares the properties listed in the section *Understanding Versions* of Apple's *Core
/// Data Model Versioning and Data Migration*.
package struct SchemaComparison: Hashable, Sendable {
  /// The effect of a difference on a version's identity.
  package enum Effect: String, Hashable, Sendable, Encodable {
    case changesIdentity
    /// Apple's list does not mention the difference, or the difference depends on an assumption
    /// about the Swift source.
    case notKnown
    /// The difference concerns defaults, indexes, class names or renaming identifiers, which do not
    /// affect the identity.
    case none
  }

  package enum Answer: String, Hashable, Sendable, Encodable {
    case same
    case changed
    case notKnown
  }

  package struct Difference: Hashable, Sendable, CustomStringConvertible {
    package let effect: Effect
    package let entity: String
    /// The name of the property; `nil` if the difference concerns the entity itself.
    package let property: String?
    package let text: String

    package var description: String { (property.map { "\(entity).\($0)" } ?? entity) + " " + text }
  }

  package private(set) var differences: [Difference] = []
  /// The assumptions about the older side's storage, by property; `nil` if the storage is known,
  /// such as that of a store.
  private let formerlyAssumed: [String: String]?
  private let assumed: [String: String]

  /// Compares two models.
  ///
  /// `assumed` lists the properties (`Trip.kind`) whose storage is only assumed, because the
  /// sources do not determine it.
  ///
  /// The effect of a difference in such a property is at most ``Effect/notKnown``.
  ///
  /// If `assumed.old` is `nil`, the older side's storage is known. If the newer side then has the
  /// same storage, the assumptions about it are confirmed.
  package init(
    from old: Model,
    to new: Model,
    assumed: (old: [String: String]?, new: [String: String]) = (nil, [:])
  ) {
    (formerlyAssumed, self.assumed) = assumed
    let former = Dictionary(old.entities.map { ($0.name, $0) }) { first, _ in first }
    let names = Set(new.entities.map(\.name))
    for entity in old.entities where !names.contains(entity.name) {
      add(effect(ofLacking: entity.name, in: self.assumed), entity.name, nil, "is missing")
    }
    for entity in new.entities {
      guard let former = former[entity.name] else {
        add(effect(ofLacking: entity.name, in: formerlyAssumed ?? [:]), entity.name, nil, "is new")
        continue
      }
      compare(former, entity)
    }
  }

  /// Compares two versions from Swift source.
  package init(from old: SwiftVersion, to new: SwiftVersion) {
    self.init(from: old.model, to: new.model, assumed: (old.assumed, new.assumed))
  }

  private func effect(ofLacking key: String, in assumed: [String: String]) -> Effect {
    SwiftVersion.leavesOpen(key, in: assumed) ? .notKnown : .changesIdentity
  }

  private func isAssumed(_ key: String) -> Bool {
    assumed[key] != nil || formerlyAssumed?[key] != nil
  }

  private func isAssumedOtherwise(_ key: String) -> Bool {
    formerlyAssumed.map { $0[key] != assumed[key] } ?? false
  }

  /// Compares two models as the classes generated from them: never abstract, and without hash
  /// modifiers and transient properties.
  init(ofClasses old: Model, _ new: Model) { self.init(from: old.asClasses, to: new.asClasses) }

  package var answer: Answer {
    if differences.contains(where: { $0.effect == .changesIdentity }) { return .changed }
    return differences.contains { $0.effect == .notKnown } ? .notKnown : .same
  }

  /// The entities whose indexes differ, which does not change the identity.
  package var reindexed: [String] {
    differences.filter { $0.text == Self.otherIndexes }.map(\.entity)
  }

  private static let otherIndexes = "has other indexes"

  /// The differences that change the identity or may change it.
  package var relevant: [Difference] { differences.filter { $0.effect != .none } }

  private mutating func add(_ effect: Effect, _ entity: String, _ property: String?, _ text: String)
  {
    differences.append(Difference(effect: effect, entity: entity, property: property, text: text))
  }

  private mutating func note(
    _ isSame: Bool,
    _ effect: Effect,
    _ entity: String,
    _ property: String?,
    _ text: @autoclosure () -> String
  ) {
    if !isSame { add(effect, entity, property, text()) }
  }

  private mutating func compare(_ old: Entity, _ new: Entity) {
    let name = new.name
    note(
      old.superentity == new.superentity,
      .changesIdentity,
      name,
      nil,
      "has the parent \(new.superentity ?? "none"), not \(old.superentity ?? "none")"
    )
    note(
      old.isAbstract == new.isAbstract,
      .changesIdentity,
      name,
      nil,
      new.isAbstract ? "becomes abstract" : "is no longer abstract"
    )
    note(
      old.versionHashModifier == new.versionHashModifier,
      .changesIdentity,
      name,
      nil,
      "has another hash modifier"
    )
    note(
      Set(old.uniquenessConstraints) == Set(new.uniquenessConstraints),
      .notKnown,
      name,
      nil,
      "has other unique constraints: \(Self.text(new.uniquenessConstraints)), not "
        + Self.text(old.uniquenessConstraints)
    )
    let (indexes, former) = (new.fetchIndexes.map(\.elements), old.fetchIndexes.map(\.elements))
    note(
      Set(indexes) == Set(former),
      .none,
      name,
      nil,
      Self.otherIndexes
    )
    compareProperties(old, new)
  }

  private static func text(_ constraints: [[String]]) -> String {
    constraints.isEmpty
      ? "none" : constraints.map { $0.joined(separator: " + ") }.sorted().joined(separator: ", ")
  }

  private mutating func compareProperties(_ old: Entity, _ new: Entity) {
    let attributes = matched(
      (old.attributes, new.attributes),
      others: (old.relationships.map(\.name), new.relationships.map(\.name)),
      name: \.name,
      in: new.name,
      retyped: "is a relationship, not an attribute"
    )
    for (former, attribute) in attributes { compare(former, attribute, in: new.name) }
    let relationships = matched(
      (old.relationships, new.relationships),
      others: (old.attributes.map(\.name), new.attributes.map(\.name)),
      name: \.name,
      in: new.name,
      retyped: "is an attribute, not a relationship"
    )
    for (former, relationship) in relationships { compare(former, relationship, in: new.name) }
  }

  /// The attributes, or the relationships, that both sides have; the others are reported as missing
  /// or new.
  ///
  /// An attribute that became a relationship of the same name, or vice versa, is reported once, as
  /// `retyped`.
  private mutating func matched<Property>(
    _ own: (old: [Property], new: [Property]),
    others: (old: [String], new: [String]),
    name: (Property) -> String,
    in entity: String,
    retyped: String
  ) -> [(Property, Property)] {
    let former = Dictionary(own.old.map { (name($0), $0) }) { first, _ in first }
    let present = Set(own.new.map(name))
    for missing in own.old.map(name) where !present.contains(missing) {
      let (isOther, key) = (others.new.contains(missing), "\(entity).\(missing)")
      add(
        isOther && isAssumed(key) ? .notKnown : effect(ofLacking: key, in: assumed),
        entity,
        missing,
        isOther ? retyped : "is missing"
      )
    }
    for added in own.new.map(name) where former[added] == nil && !others.old.contains(added) {
      let effect = effect(ofLacking: "\(entity).\(added)", in: formerlyAssumed ?? [:])
      add(effect, entity, added, "is new")
    }
    return own.new.compactMap { property in former[name(property)].map { ($0, property) } }
  }

  private mutating func compare(_ old: Attribute, _ new: Attribute, in entity: String) {
    let (name, key) = (new.name, "\(entity).\(new.name)")
    let isAssumed = isAssumed(key)
    note(
      old.type == new.type,
      isAssumed ? .notKnown : .changesIdentity,
      entity,
      name,
      "is of type \(new.type.name), not \(old.type.name)" + (isAssumed ? ", which is assumed" : "")
    )
    note(
      old.type != new.type || !isAssumedOtherwise(key),
      .notKnown,
      entity,
      name,
      "is stored in a way that is assumed"
    )
    note(
      old.isOptional == new.isOptional,
      .changesIdentity,
      entity,
      name,
      Self.optional(new.isOptional)
    )
    note(
      old.isTransient == new.isTransient,
      .changesIdentity,
      entity,
      name,
      new.isTransient ? "becomes transient" : "is no longer transient"
    )
    note(
      old.versionHashModifier == new.versionHashModifier,
      .changesIdentity,
      entity,
      name,
      "has another hash modifier"
    )
    let silent: [(Bool, String)] = [
      (old.allowsExternalStorage == new.allowsExternalStorage, "external storage"),
      (old.preservesValueOnDeletion == new.preservesValueOnDeletion, "preservation on deletion"),
      (old.derivation == new.derivation, "derivation"),
      (old.transformerName == new.transformerName, "value transformer"),
      (old.fields == new.fields, "fields of its composite value"),
    ]
    for (isSame, what) in silent {
      note(isSame, .notKnown, entity, name, "differs in its \(what)")
    }
    let hasSameDefault =
      old.defaultValue == new.defaultValue && old.computedDefault == new.computedDefault
    note(hasSameDefault, .none, entity, name, "has another default")
  }

  private static func optional(_ isOptional: Bool) -> String {
    isOptional ? "becomes optional" : "becomes required"
  }

  private mutating func compare(_ old: Relationship, _ new: Relationship, in entity: String) {
    let (name, key) = (new.name, "\(entity).\(new.name)")
    let isAssumed = isAssumed(key)
    func word(_ name: String?) -> String { name ?? "none" }
    note(
      old.destination == new.destination,
      .changesIdentity,
      entity,
      name,
      "leads to \(new.destination), not to \(old.destination)"
    )
    note(
      old.inverse == new.inverse,
      isAssumed ? .notKnown : .changesIdentity,
      entity,
      name,
      "has the inverse \(word(new.inverse)), not \(word(old.inverse))"
        + (isAssumed ? ", which is assumed" : "")
    )
    note(
      old.inverse != new.inverse || !isAssumedOtherwise(key),
      .notKnown,
      entity,
      name,
      "has an inverse that is assumed"
    )
    note(
      old.isOptional == new.isOptional,
      .changesIdentity,
      entity,
      name,
      Self.optional(new.isOptional)
    )
    let isCountedAlike =
      old.minimumCount == new.minimumCount && old.maximumCount == new.maximumCount
      && old.isToMany == new.isToMany
    note(isCountedAlike, .changesIdentity, entity, name, "may have another number of objects")
    note(
      old.deleteRule == new.deleteRule,
      .changesIdentity,
      entity,
      name,
      "has the delete rule \(new.deleteRule.name), not \(old.deleteRule.name)"
    )
    note(
      old.versionHashModifier == new.versionHashModifier,
      .changesIdentity,
      entity,
      name,
      "has another hash modifier"
    )
    note(old.isOrdered == new.isOrdered, .notKnown, entity, name, "differs in its order")
  }
}

extension Attribute {
  /// The fields of a composite attribute as sorted texts; empty for any other attribute.
  package var fields: [String] {
    type != .composite
      ? []
      : elements.map {
        "\($0.name): \($0.type.name)\($0.isOptional ? "?" : "") \($0.fields)"
      }.sorted()
  }
}

extension Model {
  fileprivate var asClasses: Model {
    with(
      entities.map { entity in
        var entity = entity
        (entity.isAbstract, entity.versionHashModifier) = (false, nil)
        entity.attributes.removeAll(where: \.isTransient)
        entity.relationships.removeAll(where: \.isTransient)
        return entity
      }
    )
  }
}
