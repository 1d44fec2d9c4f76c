import DataModel
import Foundation
import PersistentStore
import SQLite

/// Edits and deletes objects of a generated store through an object context, as an app does over
/// time.
///
/// The result has gaps in the keys, free and half-empty pages, and a `-wal` file of a chosen size.
/// It has persistent history if the recipe keeps it.
struct StoreAging {
  private let dataset: Dataset
  private let age: AgeRecipe
  private let plan: AgingPlan
  private let store: StoreFile

  init(_ age: AgeRecipe, dataset: Dataset, store: StoreFile) {
    self.dataset = dataset
    self.age = age
    self.store = store
    plan = AgingPlan(
      age,
      dataset: dataset,
      key: StreamKey(seed: dataset.recipe.seed).derived("age")
    )
  }

  func play(progress: (GenerationProgress) -> Void) throws {
    // No other process sees the file until it is complete, so neither a journal nor syncs are
    // needed.
    let settings = ConnectionSettings(journalMode: .off, synchronous: .off, cachePages: 16_384)
    let values = LaterValues(of: dataset.recipe, round: 1)
    let saves = (plan.count + age.objectsPerSave - 1) / age.objectsPerSave
    let period = age.days * 86_400
    try with(settings, after: 0, tick: period / Double(max(saves, 1))) { player in
      for start in stride(from: 0, to: plan.count, by: age.objectsPerSave) {
        let end = min(start + age.objectsPerSave, plan.count)
        try player.play((start..<end).lazy.map { plan[$0] }, values)
        progress(GenerationProgress(table: "age", done: end, total: plan.count))
      }
    }
    try removeFilesOfTheGone()
    try vacuum()
    if age.walBytes > 0 { try fillLog() }
  }

  private func with(
    _ settings: ConnectionSettings,
    after seconds: Double,
    tick: Double,
    _ body: (Player) throws -> Void
  ) throws {
    var options = PersistentStore.Options(settings: settings, seed: dataset.recipe.seed)
    if let history = dataset.recipe.history {
      options.bundleIdentifier = history.bundleIdentifier
      options.processName = history.processName
      options.startTime = history.to + seconds
      options.tick = tick
    }
    let opened = try PersistentStore.open(store, model: dataset.recipe.model, options: options)
    try body(
      Player(
        store: opened,
        dataset: dataset,
        threshold: dataset.recipe.externalStorageThreshold,
        start: options.startTime,
        tick: tick
      )
    )
  }

  /// Removes the app's own files of deleted objects, as an app would; external storage files have
  /// already been removed.
  private func removeFilesOfTheGone() throws {
    let names = FileManager.default.subpaths(atPath: store.filesFolder) ?? []
    guard !names.isEmpty else { return }
    let connection = try StoreContent(store: store, layout: dataset.layout).connection
    var owned: Set<String> = []
    for entity in dataset.entities {
      for (attribute, source) in entity.attributes where source.makesFiles {
        guard let table = dataset.layout.table(of: entity.name),
          let column = dataset.layout.column(of: attribute, in: entity.name)
        else { continue }
        let row = try connection.prepare("SELECT \(column.name) FROM \(table.name)")
        while try row.step() { owned.insert(row.text(at: 0)) }
      }
    }
    var files = FileBytes()
    for name in names where !owned.contains(name) {
      try files.remove(store.filesFolder + "/" + name)
    }
  }

  private func vacuum() throws {
    let connection = try Connection(path: store.path, mode: .readWrite)
    switch age.vacuum {
    case .never: break
    case .incremental: try connection.execute("PRAGMA incremental_vacuum")
    case .full: try connection.execute("VACUUM")
    }
    try connection.checkpoint()
  }

  private static let editsPerLook = 16

  private func fillLog() throws {
    let settings = ConnectionSettings(synchronous: .off, walAutocheckpoint: 0)
    // Fill the `-wal` file after all other saves, with one save per minute of the store's time.
    try with(settings, after: age.days * 86_400, tick: 60) { player in
      player.keepLog()
      for round in 2... {
        let values = LaterValues(of: dataset.recipe, round: round)
        var isEdited = false
        for (number, edit) in plan.edits.enumerated() {
          isEdited = try player.play(CollectionOfOne(edit), values) || isEdited
          // Check the size only after several edits: stores from different writers differ by a few
          // pages, which must not change the number of edits.
          if number % Self.editsPerLook == 0, store.walBytes >= age.walBytes { return }
        }
        // Stop if no edit has an effect: all objects to be edited may have been deleted with their
        // owners.
        guard isEdited else { return }
      }
    }
  }

  final class Player {
    private let store: PersistentStore
    private let context: ObjectContext
    private let dataset: Dataset
    private let start: Double
    private let tick: Double
    private var saves = 0
    private static let mostAttempts = 8

    init(
      store: PersistentStore,
      dataset: Dataset,
      threshold: Int,
      start: Double,
      tick: Double
    ) throws {
      self.start = start
      self.tick = tick
      var behaviours = StoreBehaviours()
      behaviours.externalStorageThreshold = threshold
      self.store = store
      self.dataset = dataset
      context = try ObjectContext(
        store: store,
        behaviours: behaviours,
        author: dataset.recipe.history?.author
      )
    }

    func keepLog() { store.connection.keepWALAtClose() }

    @discardableResult
    func play(_ actions: some Sequence<AgingPlan.Action>, _ values: LaterValues) throws -> Bool {
      for action in actions {
        let entity = try dataset.entity(action.entity)
        let object = context.object(
          try context.description(of: action.entity),
          key: entity.primaryKey(row: action.row)
        )
        do {
          if action.isDeletion {
            try context.delete(object)
          } else if !object.isDeleted {
            // If the object already has all of the new values, try the values of the next row.
            for offset in 0..<Self.mostAttempts {
              let row = (action.row + offset) % entity.count
              if try edit(object, values.values(of: action.entity, row: row)) { break }
            }
          }
        } catch ObjectContextError.missingObject {
          continue
        }
      }
      guard context.hasChanges else { return false }
      saves += 1
      try context.save()
      context.reset()
      return true
    }

    private func edit(
      _ object: ManagedObject,
      _ values: [(attribute: String, value: Value)]
    ) throws -> Bool {
      let date = modificationDate(of: object.description)
      for (attribute, value) in values where attribute != date {
        let slot = try object.description.slot(of: attribute)
        var value = value
        if case .attribute(let described) = object.description.columns[slot].content,
          described.type == .boolean
        {
          value = .integer(try object.value(at: slot) == .integer(0) ? 1 : 0)
        }
        guard try object.value(at: slot) != value else { continue }
        try object.setValue(value, at: slot)
        if let date {
          try object.setValue(.real(time), at: object.description.slot(of: date))
        }
        return true
      }
      return false
    }

    private var time: Double { start + Double(saves + 1) * tick }

    /// The name of an entity's modification date, recognized by words such as `updated`.
    private func modificationDate(of entity: EntityDescription) -> String? {
      let names = ["modified", "updated", "changed", "edited"]
      return entity.columns.lazy.compactMap { column -> String? in
        guard case .attribute(let attribute) = column.content, attribute.type == .date,
          attribute.derivation == nil
        else { return nil }
        let name = attribute.name.lowercased()
        return names.contains(where: name.contains) ? attribute.name : nil
      }.first
    }
  }

  /// The new values of edited attributes, taken from a dataset with another seed.
  struct LaterValues {
    private let dataset: Dataset
    private let editable: [String: [String]]
    private let key: StreamKey

    init(of recipe: Recipe, round: Int) {
      let rules = AgingPlan.Rules(recipe: recipe)
      editable = recipe.entities.reduce(into: [:]) { $0[$1.name] = rules.editable($1) }
      key = StreamKey(seed: recipe.seed).derived("edit \(round)")
      var later = recipe
      var draws = key.draws(row: 0)
      later.seed = draws.next()
      // Skip the relationships, because edits change only attributes.
      later.relationships = []
      for index in later.entities.indices {
        later.entities[index].duplicates = nil
        later.entities[index].defects = []
        // If every editable attribute may be null, edits set no nulls: a null replaced with a null
        // would change nothing.
        let names = editable[later.entities[index].name] ?? []
        let attributes = later.entities[index].attributes
        guard names.allSatisfy({ (attributes[$0]?.nullShare ?? 0) > 0 }) else { continue }
        for name in names { later.entities[index].attributes[name]?.nullShare = 0 }
      }
      dataset = Dataset(later)
    }

    /// The new values of an object's editable attributes, in the order in which to try them.
    func values(of entity: String, row: Int) throws -> [(attribute: String, value: Value)] {
      let names = editable[entity] ?? []
      guard !names.isEmpty else { return [] }
      var draws = key.derived(entity).draws(row: row)
      let first = draws.below(names.count)
      return try names.indices.map { index in
        let name = names[(first + index) % names.count]
        return (name, try dataset.value(entity: entity, row: row, attribute: name))
      }
    }
  }
}
