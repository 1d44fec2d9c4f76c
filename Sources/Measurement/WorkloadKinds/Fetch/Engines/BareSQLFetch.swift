import DataModel
import Measurement
import PersistentStore
import Runner
import SQLite

/// Fetches by plain statements that select what is read and nothing else.
final class BareSQLFetch: FetchEngine {
  private let store: PersistentStore
  private let strategy: FetchParameters.Strategy
  private let batchSize: Int
  private let statements: BareSQLStatements
  private let reader: BareRowReader
  private lazy var keys = Result { try IntegerArray(connection: store.connection, name: "batch") }
  private var reportedFiles = FileBytes().counters

  var connection: Connection? { store.connection }

  init(_ parameters: FetchParameters, _ subject: FetchSubject, store: PersistentStore) throws {
    self.store = store
    strategy = parameters.strategy
    batchSize = parameters.batchSize
    statements = try BareSQLStatements(parameters, subject, layout: store.layout)
    reader = BareRowReader(subject.shape, store: store)
  }

  func fetch() throws -> any FetchResults {
    switch strategy {
    case .eager, .count:
      let rows = BareRows(reader)
      try statements.run(statements.rows, on: store.connection) { rows.append($0) }
      return rows
    case .batched:
      return BareBatches(
        keys: try fetchedKeys(),
        size: batchSize,
        reader: reader,
        array: try keys.get(),
        statement: try store.connection.cached(statements.batch)
      )
    case .faults:
      return BareFaults(
        keys: try fetchedKeys(),
        reader: reader,
        statement: try store.connection.cached(statements.row)
      )
    }
  }

  private func fetchedKeys() throws -> [Int64] {
    var keys: [Int64] = []
    try statements.run(statements.keys, on: store.connection) { keys.append($0.integer(at: 0)) }
    return keys
  }

  func count() throws -> Int {
    var count: Int64 = 0
    try statements.run(statements.count, on: store.connection) { count = $0.integer(at: 0) }
    return Int(count)
  }

  func report(to recorder: Recorder) {
    guard reader.readsFiles else { return }
    let files = reader.files.counters
    recorder.count(.files.opens, files.opens - reportedFiles.opens)
    recorder.count(.files.reads, files.reads - reportedFiles.reads)
    recorder.count(.files.readBytes, files.readBytes - reportedFiles.readBytes)
    reportedFiles = files
  }
}

/// All rows, in memory since the fetch.
private final class BareRows: FetchResults {
  private let reader: BareRowReader
  private var keys: [Int64] = []
  /// The values of all rows, row by row.
  private var values: [Value] = []

  init(_ reader: BareRowReader) {
    self.reader = reader
  }

  var count: Int { keys.count }

  func append(_ row: Statement) {
    keys.append(row.integer(at: 0))
    reader.append(row, to: &values)
  }

  func clear() {
    keys.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  func read(_ place: Int, isTouched: Bool, into log: inout ReadLog) throws {
    let first = place * reader.width
    log.add(
      keys[place],
      try reader.digest(keys[place], values[first..<first + reader.width])
    )
  }
}

/// The keys of all rows, and the rows of one batch.
private final class BareBatches: FetchResults {
  private let keys: [Int64]
  private let size: Int
  private let array: IntegerArray
  private let statement: Statement
  private let rows: BareRows
  private var loaded: Int?
  private var places: [Int64: Int] = [:]

  init(
    keys: [Int64],
    size: Int,
    reader: BareRowReader,
    array: IntegerArray,
    statement: Statement
  ) {
    self.keys = keys
    self.size = size
    self.array = array
    self.statement = statement
    rows = BareRows(reader)
  }

  var count: Int { keys.count }

  func read(_ place: Int, isTouched: Bool, into log: inout ReadLog) throws {
    if loaded != place / size { try load(place / size) }
    guard let row = places[keys[place]] else { throw BareRowMissing(key: keys[place]) }
    try rows.read(row, isTouched: false, into: &log)
  }

  private func load(_ batch: Int) throws {
    array.values = Array(keys[batch * size..<min((batch + 1) * size, keys.count)])
    rows.clear()
    places.removeAll(keepingCapacity: true)
    defer { statement.reset() }
    while try statement.step() {
      places[statement.integer(at: 0)] = rows.count
      rows.append(statement)
    }
    loaded = batch
  }
}

/// The keys of all rows; each row is read when it is asked for.
private final class BareFaults: FetchResults {
  private let keys: [Int64]
  private let statement: Statement
  private let rows: BareRows

  init(keys: [Int64], reader: BareRowReader, statement: Statement) {
    self.keys = keys
    self.statement = statement
    rows = BareRows(reader)
  }

  var count: Int { keys.count }

  func read(_ place: Int, isTouched: Bool, into log: inout ReadLog) throws {
    defer { statement.reset() }
    statement.bind(keys[place], at: 1)
    guard try statement.step() else { throw BareRowMissing(key: keys[place]) }
    rows.clear()
    rows.append(statement)
    try rows.read(0, isTouched: false, into: &log)
  }
}

/// A row that was there when the keys were read.
private struct BareRowMissing: Error, CustomStringConvertible {
  let key: Int64

  var description: String { "the row \(key) is gone since its key was read" }
}
