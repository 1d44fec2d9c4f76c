import DataModel
import Foundation
import Measurement
import PersistentStore
import Runner
import SQLite

/// The app's side: it saves again and again while the other process looks.
struct CoexistenceWriter {
  let session: CoexistenceSession
  let recorder: Recorder

  private var parameters: CoexistenceParameters { session.parameters }

  func run() throws {
    let store = session.store
    recorder.observe(store.connection)
    let context = try ObjectContext(store: store)
    let log = SaveLog(folder: session.folder)
    var inserted: ManagedObject?
    for save in 0..<parameters.saves {
      var keys = try update(save, context)
      if session.script.inserts(save) {
        inserted = try insert(save, context)
      } else if session.script.deletes(save), let object = inserted {
        keys.append(object.key)
        try context.delete(object)
      }
      try recorder.phase(.phases.save) { try context.save() }
      if session.script.inserts(save), let inserted { keys.append(inserted.key) }
      if parameters.detection == .sideFile {
        try recorder.phase(.coexistence.append) {
          try SideFile(folder: session.folder).append(keys)
        }
      }
      try log.append(save, at: DispatchTime.now().uptimeNanoseconds)
      usleep(UInt32(parameters.interval) * 1000)
    }
    recorder.count(context)
    try takeFigures()
    if parameters.purges {
      let reader = try HistoryReader(store)
      try recorder.phase(.coexistence.purge) {
        recorder.count(.coexistence.purged, try store.purgeHistory(through: reader.lastToken()))
      }
    }
    try store.connection.checkpoint()
  }

  private func update(_ save: Int, _ context: ObjectContext) throws -> [Int64] {
    let shape = session.script.shape
    let keys = session.script.updates(of: save)
    let unique = Array(Set(keys)).sorted()
    let objects = try context.objects(shape.entity, keys: unique, fetchBatchSize: unique.count)
    for index in unique.indices {
      let object = try objects.object(at: index)
      try object.setValue(session.script.text(of: save), of: shape.textAttribute)
      try object.setValue(session.script.date(of: save), of: shape.dateAttribute)
    }
    return unique
  }

  private func insert(_ save: Int, _ context: ObjectContext) throws -> ManagedObject {
    let shape = session.script.shape
    let object = try context.insert(shape.entity)
    for attribute in context.layout.model.attributes(of: object.description.entity)
    where !attribute.isTransient && !attribute.isOptional && attribute.defaultValue == .null {
      try object.setValue(
        MissingValuePolicy.standIn(of: attribute.type, key: Int64(save) + 1 << 40),
        of: attribute.name
      )
    }
    try object.setValue(session.script.text(of: save), of: shape.textAttribute)
    try object.setValue(session.script.date(of: save), of: shape.dateAttribute)
    return object
  }

  /// What the other process measured, and what finding changes takes on disk.
  private func takeFigures() throws {
    let response = try session.reader?.response()
    let figures = response?.iterations.first ?? []
    for metric in CoexistenceMetrics.ofReader {
      if let figure = figures.first(where: { $0.name == metric.name }) {
        recorder.record(metric, figure.value)
      }
    }
    if case .passed(let verification)? = response?.outcome {
      session.readerNotes = verification.notes
    }
    let bytes: Int64 =
      switch parameters.detection {
      case .attribute: 0
      case .sideFile: StoreFile.bytes(at: SideFile(folder: session.folder).path)
      case .history:
        // Where SQLite was built without it, nothing is known.
        (try? session.store.connection.integer(
          "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
            + "WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))"
        )) ?? 0
      }
    recorder.record(.coexistence.detectionBytes, Double(bytes))
  }
}

extension CoexistenceWorkload {
  package static var metrics: [Metric] {
    Metric.coexistence.all + [Metric.waits.lag, Metric.waits.longestLag]
  }
}

struct CoexistenceMetrics: MetricFamily {
  let append = Metric.phase("append", "appending the keys of a save to the side file")
  let purge = Metric.phase("purge", "deleting history that was read")
  let purged = Metric.counter("history.purged", "transactions of history deleted")
  let looks = Metric("reader.looks", unit: .count, "looks of the other process for changes")
  let tombstones = Metric("reader.tombstones", unit: .count, "values found in tombstones")
  let highLag = Metric.time("lag.p90", "90th percentile of the lag")
  let detectionBytes = Metric(
    "detection.bytes",
    unit: .bytes,
    "bytes on disk that finding changes takes"
  )

  /// What the other process measures.
  static var ofReader: [Metric] {
    [
      .coexistence.looks, .coexistence.tombstones, .waits.lag, .coexistence.highLag,
      .waits.longestLag,
    ]
  }
}

extension Metric {
  static let coexistence = CoexistenceMetrics()
}
