import DataModel
import Measurement
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
      try recorder.phase(.phases.backup) { try backup.make(store.connection) }
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
    let store = try session.opened(recorder)
    switch parameters.engine {
    case .bareSQL:
      let merged = try SetBasedDeduplication(store: store, constraints: session.constraints).run()
      recorder.count(.objects.deleted, merged)
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
      try recorder.phase(.migration.backfill) {
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
    try recorder.phase(.phases.rollback) {
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

extension MigrationWorkload {
  package static var metrics: [Metric] {
    Metric.migration.all + [Metric.waits.stall, Metric.waits.firstFetch]
  }
}

struct MigrationMetrics: MetricFamily {
  let check = Metric.phase("check", "making sure of the result as an app does")
  let marker = Metric.phase("marker", "making the result durable and marking it as complete")
  let swap = Metric.phase("swap", "putting the new store in the place of the old one")
  let removal = Metric.phase("removal", "removing the old store")
  let backfill = Metric.phase("backfill", "filling the new attribute beside the old one")
  let wrap = Metric.phase("wrap", "giving the store a version to begin with")
  let merged = Metric.counter("objects.merged", "duplicates merged while objects were copied")
  let skipped = Metric.counter("objects.skipped", "objects skipped for want of a required value")
  let substituted = Metric.counter("values.substituted", "missing values replaced by stand-ins")
  let newReads = Metric.counter("reads.new", "reads that found the new attribute filled")
  let oldReads = Metric.counter("reads.old", "reads that fell back to the old attribute")
  let refused = Metric.counter("migrations.refused", "migrations refused as of no known version")
  let exportBytes = Metric.size("exportBytes", "bytes of all files of an export")
  let over100ms = stalls("100ms")
  let over250ms = stalls("250ms")
  let over1s = stalls("1s")

  private static func stalls(_ limit: String) -> Metric {
    Metric("stalls.over\(limit)", unit: .count, "stalls of the main loop over \(limit)")
  }
}

extension Metric {
  static let migration = MigrationMetrics()
}
