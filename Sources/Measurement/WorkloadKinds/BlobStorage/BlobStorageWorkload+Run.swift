import Measurement
import PersistentStore
import Runner
import SQLite

extension BlobStorageWorkload {
  package static var metrics: [Metric] { Metric.blobStorage.all }

  package func run(_ session: BlobSession, _ recorder: Recorder) throws {
    recorder.observe(session.store.connection)
    let (files, objects) = (session.engine.fileCounters, session.engine.statistics)
    try carryOut(session, recorder)
    recorder.count(session.engine.fileCounters, since: files)
    if let earlier = objects, let now = session.engine.statistics {
      recorder.count(now, since: earlier)
      recorder.count(.objects.inserted, now.inserted - earlier.inserted)
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
      recorder.record(.blobStorage.storeBytesBefore, Double(session.store.file.storeBytes))
      try recorder.phase(.phases.delete) { try saves(engine.delete) }
      try shrink(session, recorder)
    }
  }

  /// Gives the pages that the deletion freed back to the file system, and takes the sizes.
  ///
  /// The WAL is moved into the store before each, so that the main file shows what is left.
  private func shrink(_ session: BlobSession, _ recorder: Recorder) throws {
    let (connection, file) = (session.store.connection, session.store.file)
    try recorder.phase(.phases.checkpoint) { try connection.checkpoint() }
    recorder.record(.blobStorage.storeBytesAfterDelete, Double(file.storeBytes))
    try recorder.phase(.phases.vacuum) {
      try connection.execute("PRAGMA incremental_vacuum")
      try connection.checkpoint()
    }
    recorder.record(.blobStorage.storeBytesAfterVacuum, Double(file.storeBytes))
  }
}

struct BlobStorageMetrics: MetricFamily {
  let storeBytesBefore = Metric.size(
    "storeBytesBefore",
    "bytes of the main file before a deletion"
  )
  let storeBytesAfterDelete = Metric.size(
    "storeBytesAfterDelete",
    "bytes of the main file after a deletion, its freed pages still there"
  )
  let storeBytesAfterVacuum = Metric.size(
    "storeBytesAfterVacuum",
    "bytes of the main file after incremental vacuum has given freed pages back"
  )
}

extension Metric {
  static let blobStorage = BlobStorageMetrics()
}
