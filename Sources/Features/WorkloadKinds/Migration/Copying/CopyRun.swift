import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Fills a new store with copies of all objects, and leaves the old store unchanged.
struct CopyRun {
  let session: MigrationSession
  let recorder: Recorder

  private var parameters: MigrationParameters { session.parameters }

  func run() throws {
    let target = try makeStore()
    session.target = target
    session.result = target.file
    let store = try session.opened(recorder)
    switch parameters.engine {
    case .bareSQL: try copySets(from: store, to: target)
    case .objectGraph: try copyObjects(from: store, to: target)
    }
  }

  private func makeStore() throws -> PersistentStore {
    let file = session.trial.newStore
    if let begun = try openBegun(file) { return begun }
    try FileManager.default.createDirectory(atPath: file.folder, withIntermediateDirectories: true)
    let target = try PersistentStore.create(
      at: file.path,
      model: session.destination.model,
      options: PersistentStore.Options(
        settings: session.trial.settings,
        seed: session.trial.seed,
        keepsHistory: session.destination.keepsHistory
      )
    )
    recorder.observe(target.connection)
    return target
  }

  private func openBegun(_ file: StoreFile) throws -> PersistentStore? {
    guard file.exists else { return nil }
    do {
      let target = try session.trial.open(file)
      recorder.observe(target.connection)
      return target
    } catch is PersistentStoreError {
      // An earlier launch ended before the file became a store, so start with a new file.
      try file.remove()
      return nil
    }
  }

  private func copySets(from store: PersistentStore, to target: PersistentStore) throws {
    let copy = try SetBasedCopy(from: session.source, to: session.destination)
    try copy.run(from: store.file, on: target.connection)
    let (old, new) = (store.file.supportFolder, target.file.supportFolder)
    guard FileManager.default.fileExists(atPath: old) else { return }
    try StoreFile.copy(old, to: new)
  }

  private func copyObjects(from store: PersistentStore, to target: PersistentStore) throws {
    let plan = CopyPlan(mapping: session.mapping, source: session.source)
    let (old, new) = (try ObjectContext(store: store), try ObjectContext(store: target))
    defer {
      recorder.count(old)
      recorder.count(new)
    }
    let source = ContextSource(context: old, plan: plan, fetchBatchSize: parameters.fetchBatchSize)
    let policy = MissingValuePolicy(parameters.onNil)
    let unique = parameters.duplicates == .upserted ? UniqueObjects(context: new) : nil
    let sink = try makeSink(new, unique)
    switch parameters.strategy {
    case .exportImport: try export(source, plan) { try fill(sink, from: $0, policy) }
    case .mappingModel:
      try HeavyweightMigration(source: source, target: new, policy: policy, recorder: recorder)
        .run()
    default: try fill(sink, from: source, policy)
    }
    if parameters.duplicates == .upserted {
      let found = (sink as? RecordSink)?.found
      recorder.count(.migration.merged, found ?? unique?.merged ?? 0)
    }
    if parameters.onNil == .skip { recorder.count(.migration.skipped, policy.skips) }
    if parameters.onNil == .standIn { recorder.count(.migration.substituted, policy.substitutions) }
  }

  private func makeSink(
    _ context: ObjectContext,
    _ unique: UniqueObjects?
  ) throws -> any ObjectSink {
    if parameters.strategy == .gradual {
      return RecordSink(
        context: context,
        destination: session.destination.model,
        identifiers: try makeIdentifiers(),
        isResumed: session.isResumed
      )
    }
    if parameters.batchSize == 0 { return SingleSaveSink(context: context, unique: unique) }
    return BatchedContextSink(
      context: context,
      batchSize: parameters.batchSize,
      unique: unique,
      identifiers: try makeIdentifiers()
    )
  }

  private func makeIdentifiers() throws -> IdentifierMap {
    let identifiers = try IdentifierMap()
    recorder.observe(identifiers.connection)
    return identifiers
  }

  private func export(
    _ source: ContextSource,
    _ plan: CopyPlan,
    _ body: (ExportFiles) throws -> Void
  ) throws {
    let export = ExportFiles(folder: session.trial.folder + "/export", plan: plan)
    try recorder.phase(.phases.export) { try export.write(source) }
    recorder.record(.migration.exportBytes, Double(export.bytes))
    try recorder.phase(.phases.import) { try body(export) }
  }

  private func fill(
    _ sink: any ObjectSink,
    from source: any ObjectSource,
    _ policy: MissingValuePolicy
  ) throws {
    try source.forEachObject { carried in
      if let object = policy(carried) { try sink.insert(object) }
    }
    try sink.finishObjects()
    try source.forEachLinks { links in
      if !policy.isSkipped(links) { try sink.relate(links) }
    }
    try sink.finish()
  }
}
