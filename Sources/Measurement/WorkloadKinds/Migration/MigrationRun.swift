import DataModel
import PersistentStore
import Runner
import SQLite

/// The phases of a migration, one after the other.
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
    if session.result != session.trial.store { recorder.leaves(session.result) }
  }

  private func migrate(_ backup: StoreBackup) throws {
    // A launch after the one that completed it.
    guard !session.isComplete else { return }
    if parameters.backup != .none {
      let store = try session.opened(recorder)
      try recorder.phase("backup") { try backup.make(store.connection) }
    }
    do {
      try migrate()
      try MigrationFinish(session: session, recorder: recorder, backup: backup).run()
    } catch {
      if parameters.rollsBack { try rollBack(to: backup) }
      throw error
    }
    if parameters.rollsBack { try rollBack(to: backup) }
  }

  /// Fetches what the first screen shows: twenty objects of the entity with the most keys.
  private func fetchFirst() throws {
    let store = try session.target ?? session.opened(recorder)
    let root = try store.connection.text(
      "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND Z_ENT < 16000 "
        + "ORDER BY Z_MAX DESC, Z_ENT LIMIT 1"
    )
    guard let table = root.flatMap(store.layout.table(of:)) else { return }
    let rows = try store.connection.prepare("SELECT * FROM \(table.name) LIMIT 20")
    while try rows.step() {}
    recorder.mark("firstFetch")
  }

  private func migrate() throws {
    if parameters.duplicates == .merged, session.isAtSource {
      try recorder.phase("deduplicate") { try deduplicate() }
    }
    try recorder.phase("migrate") { try carryOver() }
    try recorder.phase("checkpoint") {
      let left = try session.target ?? session.opened(recorder)
      try left.connection.checkpoint()
    }
  }

  private func deduplicate() throws {
    let store = try session.opened(recorder)
    switch parameters.engine {
    case .bareSQL:
      let merged = try SetBasedDeduplication(store: store, constraints: session.constraints).run()
      recorder.count("objects.deleted", merged)
    case .objectGraph, .grdb:
      let context = try ObjectContext(store: store)
      defer { recorder.count(context) }
      try ObjectDeduplication(
        context: context,
        constraints: session.constraints,
        children: parameters.children,
        saves: SavePolicy(parameters)
      ).run()
    }
  }

  private func carryOver() throws {
    switch parameters.strategy {
    case .lightweight: try migrateSchema()
    case .staged: try StagedMigration(session: session, recorder: recorder).run()
    case .customStage: try runStage()
    case .additive:
      try migrateSchema()
      try recorder.phase("backfill") {
        try session.backfill?.run(on: session.opened(recorder), parameters, recorder)
      }
    case .sideBySide, .exportImport, .gradual:
      try CopyRun(session: session, recorder: recorder).run()
    }
  }

  private func migrateSchema(setting entries: [String: PropertyList?] = [:]) throws {
    try session.route?.run(on: session.opened(recorder), setting: entries)
    // The open store still has the old layout.
    session.close(recorder)
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
    let store = try session.opened(recorder)
    let last = ending?.entry ?? StageProgress.noEntry
    switch parameters.engine {
    case .bareSQL: try stage.transformSet(store, setting: last)
    case .objectGraph, .grdb:
      let context = try ObjectContext(store: store)
      defer { recorder.count(context) }
      try stage.transformObjects(context, SavePolicy(parameters), after: progress, setting: last)
    }
  }

  private func rollBack(to backup: StoreBackup) throws {
    session.close(recorder)
    session.closeTarget(recorder)
    try recorder.phase("rollback") {
      var files = FileBytes()
      try MigrationMarker(store: session.trial.store, version: parameters.to).remove(&files)
      try backup.restore()
    }
    session.result = session.trial.store
  }
}

/// How many changed objects a context saves at once.
struct SavePolicy {
  /// 0 saves once at the end.
  let batchSize: Int
  /// Objects that are read at once.
  let fetchBatchSize: Int

  var isBatched: Bool { batchSize > 0 }

  init(_ parameters: MigrationParameters) {
    batchSize = parameters.saves == .one ? 0 : parameters.batchSize
    fetchBatchSize = parameters.batchSize
  }
}

extension Recorder {
  /// Counts what a context has done to objects and to files of external storage.
  func count(_ context: ObjectContext) {
    let statistics = context.statistics
    count("objects.materialised", statistics.materialised)
    count("objects.faultsFired", statistics.faultsFired)
    count("objects.inserted", statistics.inserted)
    count("objects.updated", statistics.updated)
    count("objects.deleted", statistics.deleted)
    count("objects.held", statistics.held)
    count("objects.saves", statistics.saves)
    count("objects.saveStatements", statistics.saveStatements)
    for (name, value) in context.fileCounters.named { count("files.\(name)", value) }
  }
}
