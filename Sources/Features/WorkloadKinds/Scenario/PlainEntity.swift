import DataModel
import PersistentStore
import Runner

/// A model's entity reduced to its plain attributes and their indexes, for kinds that make their
/// own stores.
///
/// Relationships, validation and constraints are left out.
struct PlainEntity: Sendable {
  let name: String
  private(set) var attributes: [Attribute]
  /// The attributes whose values come from a seed; a workload kind sets the others itself.
  private(set) var seeded: [Attribute]
  let counter: String
  private let indexes: [FetchIndex]

  init(_ model: Model, entity name: String, but added: String = "") throws {
    let entity = try model.knownEntity(name)
    self.name = entity.name
    (attributes, counter) = Self.plain(model.attributes(of: entity), but: added)
    seeded = attributes
    let kept = Set(attributes.map(\.name))
    indexes = model.lineage(of: entity).flatMap(\.fetchIndexes).filter { index in
      index.partialPredicate == nil
        && index.elements.allSatisfy { $0.kind == .binary && kept.contains($0.property) }
    }
  }

  /// Returns the attributes whose values come from a seed, and the name of an integer attribute.
  ///
  /// The integer attribute is added if the entity has no such attribute.
  private static func plain(
    _ all: [Attribute],
    but added: String
  ) -> (kept: [Attribute], counter: String) {
    var kept = all.filter { $0.isPlain && $0.name != added }
      .map { Attribute(name: $0.name, type: $0.type) }
    let integers: [AttributeType] = [.integer16, .integer32, .integer64]
    if let counter = kept.first(where: { integers.contains($0.type) }) {
      return (kept, counter.name)
    }
    var name = "revision"
    while name == added || kept.contains(where: { $0.name == name }) { name += "Number" }
    kept.append(Attribute(name: name, type: .integer32))
    return (kept, name)
  }

  /// The size in bytes of a store with the given number of objects, including its WAL, minus the
  /// size of an empty store.
  static func diskBytes(of objects: Int, each bytes: Int = 2_000) -> Int64 {
    Int64(objects) * Int64(bytes) + 8_388_608
  }

  /// Returns the first attribute of a type that is not in `taken`; adds an attribute if no such
  /// attribute exists.
  mutating func attribute(
    of type: AttributeType,
    besides taken: [String] = [],
    orNew name: String
  ) -> String {
    if let found = attributes.first(where: { $0.type == type && !taken.contains($0.name) }) {
      return found.name
    }
    let added = add(type, named: name)
    seeded.append(Attribute(name: added, type: type))
    return added
  }

  mutating func add(_ type: AttributeType, named name: String) -> String {
    var name = name
    while attributes.contains(where: { $0.name == name }) { name += "Value" }
    attributes.append(Attribute(name: name, type: type))
    return name
  }

  /// Creates the entity with the plain attributes, their indexes and the given additions.
  func entity(
    with more: [Attribute] = [],
    relationships: [Relationship] = [],
    indexes added: [FetchIndex] = [],
    unique: [[String]] = []
  ) -> Entity {
    Entity(
      name: name,
      attributes: attributes + more,
      relationships: relationships,
      fetchIndexes: indexes + added,
      uniquenessConstraints: unique
    )
  }
}

extension Attribute {
  var isPlain: Bool {
    let types: [AttributeType] = [
      .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
      .uuid, .uri,
    ]
    return !isTransient && derivation == nil && types.contains(type)
  }
}

extension PlainEntity {
  private struct Choice: ParameterSet {
    @Parameter(.name, "entity whose attributes the objects have") var entity = ""
  }

  static let fit: KindDescription.Fitting = { fit, store in
    let choice = Choice(fit.values)
    _ = fit.entity(choice.$entity, choice.entity, store, orElse: onlyAbstractEntities) {
      let concrete = store.layout.numbers.entities.first { !$0.isAbstract }
      return (store.largestEntity ?? concrete).map { entity in
        (entity, madeObjects(of: entity) + "the entity with most objects")
      }
    }
  }

  static func madeObjects(of entity: Entity) -> String {
    "the new objects have the attributes of '\(entity.name)', but no relationships; it is "
  }
}

extension ObjectContext {
  /// Inserts objects for a range of keys, with 1,000 objects per save.
  ///
  /// A seed determines the values of the plain attributes, and `body` sets others.
  func fill(
    _ entity: String,
    _ rows: SeededRow? = nil,
    keys: ClosedRange<Int>,
    also body: (ManagedObject, Int64) throws -> Void
  ) throws {
    for some in Range(keys).chunks(of: 1_000) {
      for key in some {
        let object = try insert(entity)
        for (attribute, value) in zip(rows?.attributes ?? [], rows?.values(of: Int64(key)) ?? []) {
          try object.setValue(value, of: attribute.name)
        }
        try body(object, Int64(key))
      }
      try save()
      reset()
    }
  }
}
