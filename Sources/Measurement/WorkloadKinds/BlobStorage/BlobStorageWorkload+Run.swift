import Measurement
import PersistentStore
import Runner
import SQLite

extension BlobStorageWorkload {
  package func run(_ session: BlobSession, _ recorder: Recorder) throws {
    recorder.observe(session.store.connection)
    let (files, objects) = (session.engine.fileCounters, session.engine.statistics)
    try carryOut(session, recorder)
    count(session.engine.fileCounters, since: files, recorder)
    if let earlier = objects, let now = session.engine.statistics {
      count(now, since: earlier, recorder)
    }
  }

  private func carryOut(_ session: BlobSession, _ recorder: Recorder) throws {
    let (engine, keys) = (session.engine, session.keys)
    let saves = { (body: (ArraySlice<Int64>) throws -> Void) in
      try engine.inSaves(of: parameters.objectsPerSave, keys, body)
    }
    switch parameters.operation {
    case .insert: try saves(engine.insert)
    case .readOne:
      var list = ListDigest()
      for key in keys { list.add(try engine.readOne(key)) }
      session.digests.append(list)
    case .readMany: session.digests.append(try engine.readAll(withBlobs: true))
    case .list: session.digests.append(try engine.readAll(withBlobs: false))
    case .update: try saves(engine.update)
    case .updateOther: try saves(engine.updateOther)
    case .delete:
      recorder.record(.storeBytesBefore, Double(session.store.file.storeBytes))
      try recorder.phase("delete") { try saves(engine.delete) }
      try shrink(session, recorder)
    }
  }

  /// Gives the pages that the deletion freed back to the file system, and takes the sizes.
  ///
  /// The WAL is moved into the store before each, so that the main file shows what is left.
  private func shrink(_ session: BlobSession, _ recorder: Recorder) throws {
    let (connection, file) = (session.store.connection, session.store.file)
    try recorder.phase("checkpoint") { try connection.checkpoint() }
    recorder.record(.storeBytesAfterDelete, Double(file.storeBytes))
    try recorder.phase("vacuum") {
      try connection.execute("PRAGMA incremental_vacuum")
      try connection.checkpoint()
    }
    recorder.record(.storeBytesAfterVacuum, Double(file.storeBytes))
  }

  private func count(
    _ now: FileBytes.Counters,
    since earlier: FileBytes.Counters,
    _ recorder: Recorder
  ) {
    for (counter, before) in zip(now.named, earlier.named) {
      recorder.count("files.\(counter.name)", counter.value - before.value)
    }
  }

  private func count(
    _ now: ObjectContext.Statistics,
    since earlier: ObjectContext.Statistics,
    _ recorder: Recorder
  ) {
    recorder.count("objects.materialised", now.materialised - earlier.materialised)
    recorder.count("objects.faultsFired", now.faultsFired - earlier.faultsFired)
    recorder.count("objects.saves", now.saves - earlier.saves)
    recorder.count("objects.saveStatements", now.saveStatements - earlier.saveStatements)
    recorder.count("objects.inserted", now.inserted - earlier.inserted)
    recorder.count("objects.updated", now.updated - earlier.updated)
    recorder.count("objects.deleted", now.deleted - earlier.deleted)
  }
}

extension Metric {
  /// Bytes of the main file before a deletion.
  static let storeBytesBefore = Metric("storeBytesBefore", unit: .bytes, isExact: true)
  /// Bytes of the main file once the deletion is in it, its freed pages still there.
  static let storeBytesAfterDelete = Metric("storeBytesAfterDelete", unit: .bytes, isExact: true)
  /// Bytes of the main file once incremental vacuum has given the freed pages back.
  static let storeBytesAfterVacuum = Metric("storeBytesAfterVacuum", unit: .bytes, isExact: true)
}
