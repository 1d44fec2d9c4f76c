import DataModel
import SQLite

/// The objects of one store in memory, with the changes since the last save
/// (`NSManagedObjectContext`).
///
/// Not thread-safe.
package final class ObjectContext {
  /// Exact counts of the context's work since it was opened.
  package struct Statistics: Hashable, Sendable {
    /// The number of objects whose rows were loaded.
    package var materialised = 0
    /// The number of faults fired one at a time, for objects and to-many relationships.
    package var faultsFired = 0
    package var saves = 0
    /// The number of statements run in saves, including those that begin and end transactions.
    package var saveStatements = 0
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
    /// The maximum number of objects in memory at any save or reset.
    package var held = 0

    package init() {}
  }

  package let connection: Connection
  package let layout: StoreLayout
  package let behaviours: StoreBehaviours
  /// Exact counts of the context's work since it was opened.
  package var statistics: Statistics {
    var statistics = counted
    statistics.materialised = materialised.pointee
    return statistics
  }

  /// Exact counts of operations on external storage files since the context was opened.
  package var fileCounters: FileBytes.Counters { externalStorage.counters }

  var counted = Statistics()
  /// The count of loaded rows is behind a pointer, to avoid an exclusivity check per row.
  let materialised: UnsafeMutablePointer<Int>

  let keyTables: KeyTables
  let identityMap: IdentityMap
  var inserted: [ManagedObject] = []
  var changed: [ManagedObject] = []
  var deleted: [ManagedObject] = []
  /// Whether loaded many-to-many relationships may still have objects that were deleted from their
  /// other side.
  var hasDeletedPairs = false
  /// The app's own changes to the store's metadata, written by the next save; `nil` removes an
  /// entry.
  package var metadataChanges: [String: PropertyList?] = [:]
  let externalStorage: ExternalStorage
  let history: HistoryWriter?

  private let descriptions: [EntityDescription]
  private var plans: [Int: SelectPlan] = [:]
  private var lastTemporaryKey: Int64 = 0

  /// Opens a context on a store; several contexts may take turns using one connection.
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

  /// Returns the description of an entity.
  ///
  /// - Throws: ``ObjectContextError/unknownEntity(_:)``.
  package func description(of entity: String) throws -> EntityDescription {
    guard let number = layout.numbers[entity] else {
      throw ObjectContextError.unknownEntity(entity)
    }
    return descriptions[number - 1]
  }

  /// Returns the description of the entity with the given number, its Z_ENT.
  ///
  /// - Throws: ``ObjectContextError/unknownEntity(_:)``.
  package func description(number: Int) throws -> EntityDescription {
    guard descriptions.indices.contains(number - 1) else {
      throw ObjectContextError.unknownEntity("number \(number)")
    }
    return descriptions[number - 1]
  }

  func plan(for description: EntityDescription) throws -> SelectPlan {
    if let plan = plans[description.number] { return plan }
    let family = try layout.model.family(of: description.entity).map {
      try self.description(of: $0.name)
    }
    let plan = SelectPlan(description: description, family: family)
    plans[description.number] = plan
    try debugWriter?.learn(plan, in: self)
    return plan
  }

  /// The statement logger, if any; it receives plans, counts and prefetches, which SQLite does not
  /// know.
  ///
  /// It is not called per object, row or save.
  var debugWriter: SQLDebugWriter? { connection.observer as? SQLDebugWriter }

  /// The objects whose rows the next save deletes, including those that delete rules reach.
  package var deletedObjects: [ManagedObject] { deleted }

  /// Inserts a new object of an entity, with the default values of its attributes.
  package func insert(_ entity: String) throws -> ManagedObject {
    let description = try description(of: entity)
    guard !description.entity.isAbstract else { throw ObjectContextError.abstractEntity(entity) }
    lastTemporaryKey -= 1
    let object = object(description, key: lastTemporaryKey)
    object.setValues(description.defaults)
    object.flags.insert(.inserted)
    if !description.toManys.isEmpty {
      object.toManys = description.toManys.map { _ in ManagedObject.ToManyCache(targets: []) }
    }
    inserted.append(object)
    return object
  }

  /// Returns the object with the given identity, as a new fault if it is not in memory.
  @inline(__always)
  package func object(_ entity: EntityDescription, key: Int64) -> ManagedObject {
    let place = entity.objects.place(of: key)
    if let object = entity.objects.object(at: place) { return object }
    let object = ManagedObject.make(context: self, description: entity, key: key)
    entity.objects.insert(object, at: place)
    return object
  }

  /// Discards all unsaved changes and releases the objects that others retain, which breaks retain
  /// cycles.
  package func reset() {
    countHeld()
    for object in identityMap.objects { object.releaseReached() }
    inserted = []
    changed = []
    deleted = []
    hasDeletedPairs = false
  }

  func countHeld() { counted.held = max(counted.held, identityMap.count) }

  deinit {
    materialised.deallocate()
  }
}

/// The errors of an object context.
package enum ObjectContextError: Error, Equatable, CustomStringConvertible {
  case unknownEntity(String)
  case unknownProperty(entity: String, property: String)
  case missingObject(entity: String, key: Int64)
  /// The entity stored in the object's row differs from the entity in the reference to the object.
  case otherEntity(entity: String, key: Int64, row: String)
  /// The row was changed or deleted after it was read (optimistic locking by Z_OPT).
  case conflict(entity: String, key: Int64)
  case deletionDenied(entity: String, key: Int64, relationship: String)
  case missingValue(entity: String, key: Int64, attribute: String)
  case uniqueConstraint(String)
  case abstractEntity(String)
  case unreadableExternalData(path: String)
  case keyReservation(entity: String)

  package var description: String {
    switch self {
    case .unknownEntity(let name): "the model has no entity '\(name)'"
    case .unknownProperty(let entity, let property):
      "entity '\(entity)' has no property '\(property)'"
    case .missingObject(let entity, let key): "\(entity) \(key) is no longer in the store"
    case .otherEntity(let entity, let key, let row):
      "the row of \(entity) \(key) has the entity '\(row)', but a reference to it has a different "
        + "entity; the store is damaged: examine it with 'storebench inspect'"
    case .conflict(let entity, let key):
      "\(entity) \(key) was changed or deleted since it was read; read it again and repeat"
    case .deletionDenied(let entity, let key, let relationship):
      "\(entity) \(key) cannot be deleted: the delete rule of '\(relationship)' is deny"
    case .missingValue(let entity, let key, let attribute):
      "\(entity) \(key) cannot be saved: '\(attribute)' is required and has no value"
    case .uniqueConstraint(let message): "unique constraint violated: \(message)"
    case .abstractEntity(let name): "entity '\(name)' is abstract and cannot have objects"
    case .unreadableExternalData(let path): "external data file '\(path)' cannot be read"
    case .keyReservation(let entity):
      "primary keys of '\(entity)' were reserved by another connection meanwhile; save again"
    }
  }
}

/// Choices among possible behaviors of Apple's frameworks that neither logs nor files reveal.
package struct StoreBehaviours: Hashable, Sendable {
  /// When an external storage file is read.
  package enum ExternalDataLoad: String, CaseIterable, Hashable, Sendable {
    case onFetch
    case onAccess
  }

  /// The data read when a to-many relationship's fault fires: only the keys, as in public logs
  /// (coredata-format.md, section 13), or the objects' rows too.
  package enum ToManyFault: String, CaseIterable, Hashable, Sendable {
    case keys
    case rows
  }

  /// Which batches of a batched fetch stay in memory as further batches are read.
  package enum BatchRetention: String, CaseIterable, Hashable, Sendable {
    case current
    case all
  }

  /// When a save reserves the keys of its history: before the transaction, together with the keys
  /// of new objects, or in it.
  ///
  /// History keys serve as tokens. If they are reserved before the transaction, several processes
  /// may commit out of key order.
  package enum HistoryKeys: String, CaseIterable, Hashable, Sendable {
    case beforeSave
    case inSave
  }

  package var externalDataLoad: ExternalDataLoad
  package var toManyFault: ToManyFault
  package var batchRetention: BatchRetention
  package var historyKeys: HistoryKeys
  /// The maximum size in bytes of an external storage blob that is stored in its row.
  ///
  /// It is about 100 kB in the fixtures (coredata-format.md, section 8); the exact value is
  /// assumed.
  package var externalStorageThreshold: Int
  /// Whether external files and their folder are synced before the store's commit.
  package var syncsExternalFiles: Bool

  package init(
    externalDataLoad: ExternalDataLoad = .onAccess,
    toManyFault: ToManyFault = .keys,
    batchRetention: BatchRetention = .current,
    historyKeys: HistoryKeys = .beforeSave,
    externalStorageThreshold: Int = 102_400,
    syncsExternalFiles: Bool = false
  ) {
    self.externalDataLoad = externalDataLoad
    self.toManyFault = toManyFault
    self.batchRetention = batchRetention
    self.historyKeys = historyKeys
    self.externalStorageThreshold = externalStorageThreshold
    self.syncsExternalFiles = syncsExternalFiles
  }
}
