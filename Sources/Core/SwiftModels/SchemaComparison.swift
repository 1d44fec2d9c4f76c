import DataModel

/// How two schemas differ, judged by what Apple documents of a version's identity.
///
/// SwiftData identifies a version by version hashes, which are not computed here: what is compared
/// is what Apple's *Core Data Model Versioning and Data Migration*, *Understanding Versions*, lists.
package struct SchemaComparison: Hashable, Sendable {
  /// What a difference does to the identity.
  package enum Effect: String, Hashable, Sendable, Encodable {
    case changesIdentity
    /// The list is silent, or how the source is stored is assumed.
    case notKnown
    /// Defaults, indexes, names of classes and former names are not part of it.
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
    /// `nil` for the entity itself.
    package let property: String?
    package let text: String

    package var description: String { (property.map { "\(entity).\($0)" } ?? entity) + " " + text }
  }

  package private(set) var differences: [Difference] = []
  private let assumed: Set<String>

  /// Compares two models; `assumed` has the properties (`Trip.kind`) whose form is assumed.
  package init(from old: Model, to new: Model, assumed: Set<String> = []) {
    self.assumed = assumed
    for entity in old.entities where new.entity(named: entity.name) == nil {
      add(.changesIdentity, entity.name, nil, "is missing")
    }
    for entity in new.entities {
      guard let former = old.entity(named: entity.name) else {
        add(.changesIdentity, entity.name, nil, "is new")
        continue
      }
      compare(former, entity)
    }
  }

  package var answer: Answer {
    if differences.contains(where: { $0.effect == .changesIdentity }) { return .changed }
    return differences.contains { $0.effect == .notKnown } ? .notKnown : .same
  }

  /// Those that bear on the identity, or may.
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
      "has other indexes"
    )
    compareProperties(old, new)
  }

  private static func text(_ constraints: [[String]]) -> String {
    constraints.isEmpty
      ? "none" : constraints.map { $0.joined(separator: " + ") }.sorted().joined(separator: ", ")
  }

  private mutating func compareProperties(_ old: Entity, _ new: Entity) {
    let name = new.name
    for attribute in old.attributes where new.attribute(named: attribute.name) == nil {
      let isOther = new.relationship(named: attribute.name) != nil
      add(
        .changesIdentity,
        name,
        attribute.name,
        isOther ? "is a relationship, not an attribute" : "is missing"
      )
    }
    for attribute in new.attributes {
      guard let former = old.attribute(named: attribute.name) else {
        if old.relationship(named: attribute.name) == nil {
          add(.changesIdentity, name, attribute.name, "is new")
        }
        continue
      }
      compare(former, attribute, in: name)
    }
    for relationship in old.relationships where new.relationship(named: relationship.name) == nil {
      let isOther = new.attribute(named: relationship.name) != nil
      add(
        .changesIdentity,
        name,
        relationship.name,
        isOther ? "is an attribute, not a relationship" : "is missing"
      )
    }
    for relationship in new.relationships {
      guard let former = old.relationship(named: relationship.name) else {
        if old.attribute(named: relationship.name) == nil {
          add(.changesIdentity, name, relationship.name, "is new")
        }
        continue
      }
      compare(former, relationship, in: name)
    }
  }

  private mutating func compare(_ old: Attribute, _ new: Attribute, in entity: String) {
    let name = new.name
    let isAssumed = assumed.contains("\(entity).\(name)")
    note(
      old.type == new.type,
      isAssumed ? .notKnown : .changesIdentity,
      entity,
      name,
      "is of type \(new.type.name), not \(old.type.name)" + (isAssumed ? ", which is assumed" : "")
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
      (Self.shape(old) == Self.shape(new), "fields of its composite value"),
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

  /// The elements of a composite attribute, as far as a schema has them.
  private static func shape(_ attribute: Attribute) -> [String] {
    attribute.type != .composite
      ? []
      : attribute.elements.map {
        "\($0.name): \($0.type.name)\($0.isOptional ? "?" : "") \(shape($0))"
      }.sorted()
  }

  private mutating func compare(_ old: Relationship, _ new: Relationship, in entity: String) {
    let name = new.name
    let isAssumed = assumed.contains("\(entity).\(name)")
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
