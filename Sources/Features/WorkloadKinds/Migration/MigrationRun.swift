import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

struct MigrationRun {
  let session: MigrationSession
  let recorder: Recorder

  private var parameters: MigrationParameters { session.parameters }

  func run() throws {
    let backup = StoreBackup(
      of: session.trial.store,
      method: parameters.backup,
      in: session.trial.folder
    )
    let store = try session.opened(recorder)
    recorder.observe(store.connection)
    if parameters.thread == .none {
      try migrate(backup)
    } else {
      recorder.record(try MainLoop(parameters.thread).run { try migrate(backup) })
      try fetchFirst()
    }
    try cleanUp()
    if session.result != session.trial.store { recorder.leaves(session.result) }
  }

  func migrate(_ backup: StoreBackup) throws {
    // Do nothing if an earlier launch has completed the migration.
    guard !session.isComplete else { return }
    if parameters.backup != .none {
      let store = try session.opened(recorder)
      try recorder.phase(.phases.backup) { try backup.make(store.connection) }
    }
    do {
      try migrate()
      try finish(backup)
    } catch {
      if parameters.rollsBack { try rollBack(to: backup) }
      throw error
    }
    if parameters.rollsBack { try rollBack(to: backup) }
  }

  /// Fetches the first screen: twenty objects of the root entity with the highest primary key.
  private func fetchFirst() throws {
    let store = try session.target ?? session.opened(recorder)
    let root = try store.connection.text(
      "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND Z_ENT < 16000 "
        + "ORDER BY Z_MAX DESC, Z_ENT LIMIT 1"
    )
    guard let table = root.flatMap(store.layout.table(of:)) else { return }
    let rows = try store.connection.prepare("SELECT * FROM \(table.name) LIMIT 20")
    while try rows.step() {}
    recorder.mark(.waits.firstFetch)
  }

  private func migrate() throws {
    if parameters.duplicates == .merged, session.isAtSource {
      try recorder.phase(.phases.deduplicate) { try deduplicate() }
    }
    try recorder.phase(.phases.migrate) { try carryOver() }
    try recorder.phase(.phases.checkpoint) {
      let left = try session.target ?? session.opened(recorder)
      try left.connection.checkpoint()
    }
  }

  private func deduplicate() throws {
    let context = try ObjectContext(store: session.opened(recorder))
    defer { recorder.count(context) }
    try ObjectDeduplication(
      context: context,
      constraints: session.constraints,
      children: parameters.children,
      saves: SavePolicy(parameters)
    ).run()
  }

  private func carryOver() throws {
    switch parameters.strategy {
    case .lightweight: try migrateSchema()
    case .onCopy: try migrateCopy()
    case .staged: try runStaged()
    case .customStage: try runStage()
    case .additive:
      try migrateSchema()
      try recorder.phase(.migration.backfill) {
        try session.backfill?.run(on: session.opened(recorder), parameters, recorder)
      }
    case .sideBySide, .exportImport, .gradual, .mappingModel:
      try CopyRun(session: session, recorder: recorder).run()
    }
  }

  private func migrateSchema(setting entries: [String: PropertyList?] = [:]) throws {
    try session.route?.run(on: session.opened(recorder), setting: entries)
    // Close the store, which still uses the old layout.
    session.close(recorder)
  }

  private func migrateCopy() throws {
    let (old, new) = (try session.opened(recorder), session.trial.newStore)
    try recorder.phase(.migration.copying) { try StoreBackup.copy(old.file, to: new) }
    let copy = try session.trial.open(new)
    recorder.observe(copy.connection)
    try session.route?.run(on: copy)
    recorder.settle(copy.connection)
    // Open the copy again, because the open connection still uses the old layout.
    let migrated = try session.trial.open(new)
    recorder.observe(migrated.connection)
    session.target = migrated
    session.result = new
  }

  /// Finishes the work that a deferred migration has left, task by task.
  func cleanUp() throws {
    guard parameters.shape == .deferred, parameters.isInPlace, session.refusal == nil,
      !parameters.rollsBack
    else { return }
    let store = try session.migrated(recorder)
    let work = DeferredCleanUp(store)
    while try recorder.phase(.migration.cleanUp, work.finishTask) {
      recorder.count(.migration.cleanUpTasks)
    }
    try recorder.phase(.migration.cleanUp) { try store.connection.checkpoint() }
  }

  private func runStage() throws {
    guard let stage = session.stage else { return }
    switch parameters.hook {
    case .willMigrate:
      guard session.isAtSource else { return }
      let progress = try StageProgress(session.opened(recorder)) ?? .through(.min)
      if progress != .complete { try transform(stage, after: progress, ending: .complete) }
      try migrateSchema(setting: StageProgress.noEntry)
    case .didMigrate:
      try migrateSchema(setting: StageProgress.through(.min).entry)
      guard let progress = try StageProgress(session.opened(recorder)) else { return }
      try transform(stage, after: progress, ending: nil)
    }
  }

  private func transform(
    _ stage: CustomStage,
    after progress: StageProgress,
    ending: StageProgress?
  ) throws {
    let context = try ObjectContext(store: session.opened(recorder))
    defer { recorder.count(context) }
    let last = ending?.entry ?? StageProgress.noEntry
    try stage.transformObjects(context, SavePolicy(parameters), after: progress, setting: last)
  }

  private func rollBack(to backup: StoreBackup) throws {
    session.close(recorder)
    session.closeTarget(recorder)
    try recorder.phase(.phases.rollback) {
      var files = FileBytes()
      try MigrationMarker(store: session.trial.store, version: parameters.to).remove(&files)
      try backup.restore()
    }
    session.result = session.trial.store
  }
}

struct SavePolicy {
  /// The number of objects per save; 0 for one save at the end.
  let batchSize: Int
  let fetchBatchSize: Int

  var isBatched: Bool { batchSize > 0 }

  init(_ parameters: MigrationParameters) {
    batchSize = parameters.batchSize
    fetchBatchSize = parameters.fetchBatchSize
  }
}

extension MigrationRun {
  /// Migrates the store from its own version through every later version of the plan.
  ///
  /// A store of an unknown model is left unchanged: Core Data refuses it too, and the app does not
  /// start. A wrapper release, which only declares the store's model as a version, runs first if
  /// the case has one.
  private func runStaged() throws {
    let store = try session.opened(recorder)
    let plan = session.plan
    // If an earlier launch has already changed the version, the wrapper release has already run.
    if session.parameters.wrapper, session.isAtSource { try wrap(store) }
    let metadata = try StoreMetadata(from: store.connection, path: store.file.path)
    guard let place = plan.place(of: metadata, store.model) else {
      recorder.count(.migration.refused)
      session.refusal = Refusal(
        .badInput,
        "cannot use a staged migration from an unknown version: the model of '\(store.file.name)' is "
          + "none of " + plan.versions.map { "'\($0.name)'" }.joined(separator: ", ")
          + "; first publish a release that gives the store's model a version"
      )
      return
    }
    let route = try MigrationRoute(
      from: store.layout,
      through: Array(plan.versions[(place + 1)...]),
      shape: session.parameters.shape
    )
    try route.run(on: store)
    session.close(recorder)
  }

  private func wrap(_ store: PersistentStore) throws {
    try recorder.phase(.migration.wrap) {
      try MigrationRoute(
        from: session.source,
        through: [.wrapper(of: session.source.model)],
        shape: .inPlace
      ).run(on: store)
    }
  }
}

extension MigrationRun {
  private func finish(_ backup: StoreBackup) throws {
    // A refused migration needs no further work.
    guard session.refusal == nil else { return }
    if parameters.check != .none {
      let reference = parameters.isInNewFile ? session.trial.store : backup.backup
      try recorder.phase(.migration.check) {
        try AppCheck(session: session, reference: reference).run()
      }
    }
    guard parameters.check != .none || parameters.swaps else { return }
    var files = FileBytes()
    try recorder.phase(.migration.marker) { try mark(&files) }
    if parameters.swaps { try swap(&files) }
    recorder.count(files.counters)
  }

  /// Makes the result durable, then marks the migration as complete.
  private func mark(_ files: inout FileBytes) throws {
    if parameters.isInNewFile {
      let store = session.result
      // The checkpoint has synced the store itself, but not its blobs.
      let blobs = StoreFile.files(at: store.externalDataFolder)
      for blob in blobs { try files.sync(blob) }
      if let blob = blobs.first { try files.syncFolder(of: blob) }
      try files.syncFolder(of: store.path)
    }
    try MigrationMarker(store: session.trial.store, version: parameters.to).write(&files)
  }

  private func swap(_ files: inout FileBytes) throws {
    let swap = StoreSwap(new: session.result, old: session.trial.store)
    try recorder.phase(.migration.swap) {
      // Checkpoint the old store, so that none of its WAL is left next to the new one.
      try session.opened(recorder).connection.checkpoint()
      session.close(recorder)
      session.closeTarget(recorder)
      try swap.run(&files)
    }
    session.result = session.trial.store
    try recorder.phase(.migration.removal) { try swap.removeOld(&files) }
  }
}

extension MigrationWorkload {
  struct Metrics: MetricFamily {
    let check = Metric.phase("check", "checking the result as an app does")
    let marker = Metric.phase("marker", "making the result durable and marking it as complete")
    let swap = Metric.phase("swap", "putting the new store in the place of the old one")
    let removal = Metric.phase("removal", "removing the old store")
    let backfill = Metric.phase("backfill", "filling the new attribute from the old one")
    let copying = Metric.phase("copying", "copying the store whose copy is migrated")
    let cleanUp = Metric.phase("cleanUp", "finishing what a deferred migration has left")
    let cleanUpTasks = Metric.counter("cleanUp.tasks", "tables dropped or made anew later")
    let wrap = Metric.phase("wrap", "giving the store a version to begin with")
    let objectPass = Metric.phase("objectPass", "creating the objects, with a mapping model")
    let relationshipPass = Metric.phase(
      "relationshipPass",
      "setting relationships, with a mapping model"
    )
    let validationPass = Metric.phase(
      "validationPass",
      "validating and saving all objects at once, with a mapping model"
    )
    let merged = Metric.counter(
      "objects.merged",
      "number of duplicates merged while objects were copied"
    )
    let skipped = Metric.counter(
      "objects.skipped",
      "number of objects skipped because a required value is missing"
    )
    let substituted = Metric.counter(
      "values.substituted",
      "number of missing values replaced by defaults"
    )
    let newReads = Metric.counter(
      "reads.new",
      "number of reads that found a value in the new attribute"
    )
    let oldReads = Metric.counter("reads.old", "reads that fell back to the old attribute")
    let refused = Metric.counter(
      "migrations.refused",
      "number of migrations refused because the store's version is unknown"
    )
    let exportBytes = Metric.size("exportBytes", "bytes of all files of an export")
    let over100ms = stalls("100ms")
    let over250ms = stalls("250ms")
    let over1s = stalls("1s")

    private static func stalls(_ limit: String) -> Metric {
      Metric("stalls.over\(limit)", unit: .count, "stalls of the main loop over \(limit)")
    }
  }
}

extension Metric {
  static let migration = MigrationWorkload.Metrics()
}
