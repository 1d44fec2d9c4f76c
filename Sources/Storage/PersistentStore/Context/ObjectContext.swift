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
    /// Statements run within saves, those that begin and end their transactions among them.
    package var saveStatements = 0
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
    /// The most objects in memory at a save or a reset.
    package var held = 0

    package init() {}
  }

  package let connection: Connection
  package let layout: StoreLayout
  package let behaviours: StoreBehaviours
  /// What the context has done so far.
  package var statistics: Statistics {
    var statistics = counted
    statistics.materialised = materialised.pointee
    return statistics
  }

  /// What was done to files of external storage so far; exact.
  package var fileCounters: FileBytes.Counters { externalStorage.counters }

  var counted = Statistics()
  /// Behind a pointer, because it is counted for every row.
  let materialised: UnsafeMutablePointer<Int>

  let keyTables: KeyTables
  let identityMap: IdentityMap
  /// The objects that a save has to insert, update or delete; kept alive until then.
  var inserted: [ManagedObject] = []
  var changed: [ManagedObject] = []
  var deleted: [ManagedObject] = []
  /// Entries of an app's own in the store's metadata, which the next save writes with everything
  /// else; `nil` takes one away.
  package var metadataChanges: [String: PropertyList?] = [:]
  let externalStorage: ExternalStorage
  let history: HistoryWriter?

  private let descriptions: [EntityDescription]
  private var plans: [Int: SelectPlan] = [:]
  private var lastTemporaryKey: Int64 = 0

  /// Opens a context on a store; several may work on one connection, one after the other.
  package init(
    store: PersistentStore,
    behaviours: StoreBehaviours = StoreBehaviours(),
    author: String? = nil
  ) throws {
    materialised = .allocate(capacity: 1)
    materialised.initialize(to: 0)
    connection = store.connection
    layout = store.layout
    keyTables = store.keyTables
    self.behaviours = behaviours
    let layout = store.layout
    let identityMap = IdentityMap(entityCount: layout.numbers.entities.count)
    descriptions = layout.numbers.entities.enumerated().compactMap { index, entity in
      layout.table(of: entity.name).map { table in
        EntityDescription(
          entity: entity,
          number: index + 1,
          layout: layout,
          table: table,
          objects: identityMap[layout.numbers[table.root] ?? 0]
        )
      }
    }
    self.identityMap = identityMap
    externalStorage = ExternalStorage(
      folder: store.file.externalDataFolder,
      behaviours: behaviours,
      identifiers: store.identifiers
    )
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

  /// Inserts a new object of an entity, its attributes at their defaults.
  package func insert(_ entity: String) throws -> ManagedObject {
    let description = try description(of: entity)
    guard !description.entity.isAbstract else { throw ObjectContextError.abstractEntity(entity) }
    lastTemporaryKey -= 1
    let values = description.columns.map { column in
      if case .attribute(let attribute) = column.content { return attribute.defaultValue }
      return Value.null
    }
    let object = object(description, key: lastTemporaryKey)
    object.setValues(values)
    object.flags.insert(.inserted)
    object.toManys = description.toManys.map { _ in ManagedObject.ToManyCache(targets: []) }
    inserted.append(object)
    return object
  }

  /// The object of an identity, as a fault where it is not in memory yet.
  @inline(__always)
  package func object(_ entity: EntityDescription, key: Int64) -> ManagedObject {
    let place = entity.objects.place(of: key)
    if let object = entity.objects.object(at: place) { return object }
    let object = ManagedObject.make(context: self, description: entity, key: key)
    entity.objects.insert(object, at: place)
    return object
  }

  /// Forgets every unsaved change and lets go of all objects reached through others, so that
  /// objects which hold each other go away too.
  package func reset() {
    countHeld()
    for object in identityMap.objects { object.releaseReached() }
    inserted = []
    changed = []
    deleted = []
  }

  func countHeld() { counted.held = max(counted.held, identityMap.count) }

  deinit {
    materialised.deallocate()
  }
}
