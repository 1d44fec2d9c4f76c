import Foundation
import PersistentStore
import Runner
import SQLite

final class BlobSession: StageSession {
  let store: PersistentStore
  /// The reader of the objects; all writes use `writer`, whatever the engine.
  let reader: any BlobReader
  let writer: ObjectGraphBlobs
  let keys: [Int64]
  private let content: BlobScenario
  let copy: StoreFile
  fileprivate var copied = FileBytes()
  var digests: [ListDigest] = []

  init(_ stage: Stage<BlobScenario>) throws {
    (store, content) = (stage.store, stage.content)
    keys = content.parameters.keys(seed: content.seed)
    copy = StoreFile(path: "\(stage.trial.folder)/copy/\(stage.trial.store.name)")
    writer = try ObjectGraphBlobs(stage)
    reader = content.parameters.engine == .bareSQL ? try BareSQLBlobs(stage) : writer
  }

  fileprivate var fileCounters: FileBytes.Counters { reader.fileCounters + copied.counters }

  func forget() throws {
    writer.forget()
    try store.connection.execute("PRAGMA shrink_memory")
  }

  func shape(_ withBlobs: Bool) -> ObjectDigest.Shape { content.digestShape(withBlob: withBlobs) }
}

extension BlobStorageWorkload {
  func run(_ session: BlobSession, _ recorder: Recorder) throws {
    recorder.observe(session.store.connection)
    let (files, objects) = (session.fileCounters, session.reader.statistics)
    try carryOut(session, recorder)
    recorder.count(session.fileCounters, since: files)
    if let earlier = objects, let now = session.reader.statistics {
      recorder.count(now, since: earlier)
      recorder.count(.objects.inserted, now.inserted - earlier.inserted)
    }
  }

  private func carryOut(_ session: BlobSession, _ recorder: Recorder) throws {
    let (writer, keys) = (session.writer, session.keys)
    let saves = { (body: (ArraySlice<Int64>) throws -> Void) in
      try keys.chunks(of: parameters.objectsPerSave).forEach(body)
    }
    switch parameters.operation {
    case .insert: try saves(writer.insert)
    case .readOne, .readPrefix, .readMany, .list:
      for pass in 0..<parameters.passes {
        if pass > 0 { try recorder.aside(session.forget) }
        try read(session, recorder)
      }
    case .copyStore: try copyStore(session, recorder)
    case .update: try saves(writer.update)
    case .updateOther: try saves(writer.updateOther)
    case .delete:
      recorder.record(.blobStorage.storeBytesBefore, Double(session.store.file.storeBytes))
      try recorder.phase(.phases.delete) { try saves(writer.delete) }
      try shrink(session, recorder)
    }
  }

  private func read(_ session: BlobSession, _ recorder: Recorder) throws {
    let withBlobs = parameters.operation != .list
    let shape = session.shape(withBlobs)
    var list = ListDigest()
    let take = { (reading: BlobReading) in
      recorder.aside { list.add(reading.digest(shape)) }
    }
    switch parameters.operation {
    case .readOne: for key in session.keys { take(try session.reader.readOne(key)) }
    case .readPrefix:
      for key in session.keys {
        take(try session.reader.readPrefix(key, upTo: parameters.prefixBytes))
      }
    default: try session.reader.readAll(withBlobs: withBlobs, take)
    }
    session.digests.append(list)
  }

  private func copyStore(_ session: BlobSession, _ recorder: Recorder) throws {
    let copy = session.copy
    try recorder.aside {
      try? FileManager.default.removeItem(atPath: copy.folder)
      try FileManager.default.createDirectory(
        atPath: copy.folder,
        withIntermediateDirectories: true
      )
    }
    let store = session.store.file
    for (path, target) in zip(store.paths, copy.paths) {
      for file in StoreFile.files(at: path) {
        try session.copied.copy(
          file,
          to: target + file.dropFirst(path.count),
          durable: parameters.durability == .commit
        )
      }
    }
  }

  /// Returns the pages freed by the deletion to the file system and records the sizes.
  ///
  /// Each size is taken after a checkpoint, so that the main file contains all changes.
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

extension BlobStorageWorkload {
  struct Metrics: MetricFamily {
    let storeBytesBefore = Metric.size(
      "storeBytesBefore",
      "bytes of the main file before a deletion"
    )
    let storeBytesAfterDelete = Metric.size(
      "storeBytesAfterDelete",
      "bytes of the main file after a deletion, with the freed pages"
    )
    let storeBytesAfterVacuum = Metric.size(
      "storeBytesAfterVacuum",
      "bytes of the main file after incremental vacuum has given freed pages back"
    )
  }
}

extension Metric {
  static let blobStorage = BlobStorageWorkload.Metrics()
}
