import DataModel
import Foundation
import Measurement
import PersistentStore
import Runner
import SQLite
import Synchronization

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
    for metric in CoexistenceWorkload.Metrics.ofReader {
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

/// The other process: this program again, at work on the same store.
///
/// Unchecked: the response is read after the end was signalled.
final class ReaderProcess: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<TrialResponse, any Error>?

  /// Starts the process and waits until it has looked once.
  ///
  /// - Throws: ``CoexistenceError``.
  init(_ request: TrialRequest, ready: String) throws {
    let thread = Thread {
      self.result = Result {
        try WorkerProcess(executable: Self.executable.withLock { $0 })
          .execute(request, within: TrialLimits(time: 120))
      }
      self.done.signal()
    }
    thread.start()
    for _ in 0..<4000 where !FileManager.default.fileExists(atPath: ready) {
      // A reader that cannot begin has an end to tell of.
      if done.wait(timeout: .now() + .milliseconds(5)) == .success {
        done.signal()
        _ = try response()
      }
    }
    guard FileManager.default.fileExists(atPath: ready) else {
      throw CoexistenceError.readerNotReady
    }
  }

  /// The program to start: this one, but in tests, whose program is no worker.
  static let executable = Mutex(
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
  )

  /// Waits for the end of the process.
  func response() throws -> TrialResponse {
    done.wait()
    done.signal()
    let response = try result?.get() ?? TrialResponse(outcome: .failed("it gave no answer"))
    if case .failed(let reason) = response.outcome { throw CoexistenceError.readerFailed(reason) }
    return response
  }
}

/// What the writer does, save by save: decided by numbers alone, so that it can be told afterwards.
struct SaveScript {
  /// 2026-04-01 09:00 UTC.
  static let start: Int64 = 796_726_800

  let shape: ReplicaShape
  let parameters: CoexistenceParameters
  /// The keys of the objects that are there, ascending.
  let keys: [Int64]

  init(shape: ReplicaShape, parameters: CoexistenceParameters, connection: Connection) throws {
    self.shape = shape
    self.parameters = parameters
    let rows = try connection.prepare("SELECT Z_PK FROM \(shape.table.name) ORDER BY Z_PK")
    var keys: [Int64] = []
    while try rows.step() { keys.append(rows.integer(at: 0)) }
    guard !keys.isEmpty else { throw CoexistenceError.nothingToChange(entity: shape.entity) }
    self.keys = keys
  }

  /// The keys that a save updates, in the order of the updates.
  func updates(of save: Int) -> [Int64] {
    (0..<parameters.objects).map { keys[(save * parameters.objects + $0) * 7919 % keys.count] }
  }

  func inserts(_ save: Int) -> Bool { save % CoexistenceParameters.savesPerRound == 3 }
  func deletes(_ save: Int) -> Bool { save % CoexistenceParameters.savesPerRound == 4 }

  func text(of save: Int) -> Value { .text("save \(save)") }
  func date(of save: Int) -> Value { .integer(Self.start + Int64(save)) }
}

/// Why a case of two processes cannot be run.
enum CoexistenceError: Error, Equatable, CustomStringConvertible {
  case nothingToChange(entity: String)
  case noHistory(path: String)
  case readerNotReady
  case readerFailed(String)

  var description: String {
    switch self {
    case .nothingToChange(let entity): "'\(entity)' has no objects to change; name another entity"
    case .noHistory(let path):
      "'\(path)' keeps no history to find changes by; use a store of the flavour swiftData, or "
        + "another 'detection'"
    case .readerNotReady: "the other process did not begin to read within 20 seconds"
    case .readerFailed(let reason): "the other process failed: \(reason)"
    }
  }
}

/// The writer's notes of its saves: when each was committed.
struct SaveLog {
  private let path: String

  init(folder: String) {
    path = folder + "/saves.log"
  }

  /// Begins the log anew.
  func begin() throws { try Data().write(to: URL(fileURLWithPath: path)) }

  func append(_ save: Int, at nanoseconds: UInt64) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data("\(save) \(nanoseconds)\n".utf8))
  }

  /// When each save was committed, in the order of the saves.
  func times() throws -> [UInt64] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      line.split(separator: " ").last.flatMap { UInt64($0) }
    }
  }
}

/// The file that the writer appends to for the reader: a line a save, the keys of what it changed.
struct SideFile {
  let path: String

  init(folder: String) {
    path = folder + "/changes.txt"
  }

  func begin() throws { try Data().write(to: URL(fileURLWithPath: path)) }

  func append(_ keys: [Int64]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    let line = keys.map(String.init).joined(separator: " ") + "\n"
    try file.write(contentsOf: Data(line.utf8))
  }

  /// The whole lines behind an offset, and the offset behind them.
  func lines(from offset: UInt64) throws -> (keys: [[Int64]], end: UInt64) {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seek(toOffset: offset)
    let data = try file.readToEnd() ?? Data()
    guard let last = data.lastIndex(of: 0x0a) else { return ([], offset) }
    let whole = data[data.startIndex...last]
    let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n")
    return (
      lines.map { $0.split(separator: " ").compactMap { Int64($0) } }, offset + UInt64(whole.count)
    )
  }
}

extension CoexistenceWorkload {
  package static var metrics: [Metric] {
    Metric.coexistence.all + [Metric.waits.lag, Metric.waits.longestLag]
  }
  package static var conformance: String { "rounds: 2, interval: 2, poll: 1" }

  struct Metrics: MetricFamily {
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
}

extension Metric {
  static let coexistence = CoexistenceWorkload.Metrics()
}
