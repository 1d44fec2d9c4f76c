import DataModel
import SQLite

/// Objects of one store in memory, with what changed since the last save
/// (`NSManagedObjectContext`); used by one thread at a time.
package final class ObjectContext {
  /// What the context has done so far; exact.
  package struct Statistics: Hashable, Sendable {
    /// Objects whose rows were loaded.
    package var materialised = 0
    /// Faults fired one at a time: objects and to-manys.
    package var faultsFired = 0
    package var saves = 0
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
  }

  package let connection: Connection
  package let layout: StoreLayout
  package let behaviours: StoreBehaviours
  package internal(set) var statistics = Statistics()

  var identityMap: IdentityMap
  /// The objects that a save has to insert, update or delete; kept alive until then.
  var inserted: [ManagedObject] = []
  var changed: [ManagedObject] = []
  var deleted: [ManagedObject] = []
  let externalStorage: ExternalStorage
  let history: HistoryWriter?

  private let descriptions: [EntityDescription]
  private var plans: [Int: SelectPlan] = [:]
  private var arrays: [IntegerArray] = []
  private var lastTemporaryKey: Int64 = 0

  /// Opens a context on a store; several may work on one connection, one after the other.
  package init(
    store: PersistentStore, behaviours: StoreBehaviours = StoreBehaviours(), author: String? = nil
  ) throws {
    connection = store.connection
    layout = store.layout
    self.behaviours = behaviours
    let layout = store.layout
    descriptions = layout.numbers.entities.enumerated().compactMap { index, entity in
      layout.table(of: entity.name).map {
        EntityDescription(entity: entity, number: index + 1, layout: layout, table: $0)
      }
    }
    identityMap = IdentityMap(entityCount: descriptions.count)
    externalStorage = ExternalStorage(
      folder: store.file.externalDataFolder, behaviours: behaviours,
      identifiers: store.identifiers)
    history =
      layout.keepsHistory
      ? try HistoryWriter(store: store, author: author) : nil
  }

  /// The description of an entity.
  ///
  /// - Throws: ``ObjectContextError/unknownEntity(_:)``.
  package func description(of entity: String) throws -> EntityDescription {
    guard let number = layout.numbers[entity] else {
      throw ObjectContextError.unknownEntity(entity)
    }
    return descriptions[number - 1]
  }

  func description(number: Int) throws -> EntityDescription {
    guard descriptions.indices.contains(number - 1) else {
      throw ObjectContextError.unknownEntity("number \(number)")
    }
    return descriptions[number - 1]
  }

  /// How the rows of an entity and of its sub-entities are read.
  func plan(for description: EntityDescription) throws -> SelectPlan {
    if let plan = plans[description.number] { return plan }
    let family = try layout.model.family(of: description.entity).map {
      try self.description(of: $0.name)
    }
    let plan = SelectPlan(description: description, family: family)
    plans[description.number] = plan
    return plan
  }

  /// The table `_Z_intarray{index}`, holding some keys for the next statement.
  func bindKeys(_ keys: [Int64], to index: Int = 0) throws {
    while arrays.count <= index {
      arrays.append(
        try IntegerArray(connection: connection, name: "_Z_intarray\(arrays.count)"))
    }
    arrays[index].values = keys
  }

  /// Inserts a new object of an entity, its attributes at their defaults.
  package func insert(_ entity: String) throws -> ManagedObject {
    let description = try description(of: entity)
    guard !description.entity.isAbstract else { throw ObjectContextError.abstractEntity(entity) }
    lastTemporaryKey -= 1
    let object = ManagedObject(context: self, description: description, key: lastTemporaryKey)
    object.values = description.columns.map { column in
      if case .attribute(let attribute) = column.content { return attribute.defaultValue }
      return .null
    }
    object.toManys = description.toManys.map { _ in ManagedObject.ToManyCache(targets: []) }
    object.flags = [.loaded, .inserted]
    identityMap.insert(object)
    inserted.append(object)
    return object
  }

  /// The object of an identity, as a fault where it is not in memory yet.
  package func object(_ entity: EntityDescription, key: Int64) -> ManagedObject {
    if let object = identityMap.object(root: entity.root, key: key) { return object }
    let object = ManagedObject(context: self, description: entity, key: key)
    identityMap.insert(object)
    return object
  }

  /// Forgets every object and every unsaved change.
  package func reset() {
    for object in inserted + changed + deleted {
      object.toManys = []
      object.retained = [:]
    }
    inserted = []
    changed = []
    deleted = []
  }
}
