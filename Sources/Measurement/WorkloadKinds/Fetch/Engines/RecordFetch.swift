import DataModel
import GRDBEngine
import PersistentStore
import Runner
import SQLite

/// Fetches GRDB's records.
final class RecordFetch: FetchEngine {
  private let reader: RecordReader
  private let strategy: FetchParameters.Strategy
  private let batchSize: Int

  /// GRDB has a connection of its own.
  var connection: Connection? { nil }

  init(
    _ parameters: FetchParameters,
    _ subject: FetchSubject,
    store: PersistentStore,
    settings: ConnectionSettings
  ) throws {
    let records = try RecordStore(file: store.file, layout: store.layout, settings: settings)
    let isCount = parameters.strategy == .count
    let condition = RecordCondition(
      predicate: subject.predicate,
      sortKeys: isCount ? [] : parameters.sortKeys,
      limit: isCount ? 0 : parameters.limit,
      offset: isCount ? 0 : parameters.offset
    )
    guard let reader = try records.reader(of: subject.entity, condition) else {
      throw FetchError.noRecordType(entity: subject.entity.name)
    }
    self.reader = reader
    strategy = parameters.strategy
    batchSize = parameters.batchSize
  }

  func fetch() throws -> any FetchResults {
    RecordResults(
      records: strategy == .batched ? try reader.batches(of: batchSize) : try reader.all()
    )
  }

  func count() throws -> Int { try reader.count() }

  func report(to recorder: Recorder) {}
}

private final class RecordResults: FetchResults {
  private let records: any RecordList

  init(records: any RecordList) {
    self.records = records
  }

  var count: Int { records.count }

  func read(_ place: Int, isTouched: Bool, into log: inout ReadLog) throws {
    let (key, digest) = try records.read(place)
    log.add(key, digest)
  }
}
