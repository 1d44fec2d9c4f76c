import GRDB
import PersistentStore

/// Reads the records of one request.
package final class RecordReader {
  private let readAll: () throws -> any RecordList
  private let readBatches: (Int) throws -> any RecordList
  private let readCount: () throws -> Int

  init<Record: StoreRecord>(
    type: Record.Type,
    queue: DatabaseQueue,
    request: QueryInterfaceRequest<Record>
  ) throws {
    let shape = ObjectDigest.Shape(
      entity: Record.entity,
      properties: Record.attributes.map(\.name)
    )
    readAll = {
      AllRecords(records: try queue.read { try request.fetchAll($0) }, shape: shape)
    }
    readBatches = { size in
      let keys = try queue.read { database in
        try Int64.fetchAll(database, request.select(GRDB.Column("Z_PK")))
      }
      return RecordBatches<Record>(keys: keys, size: size, queue: queue, shape: shape)
    }
    readCount = { try queue.read { try request.fetchCount($0) } }
  }

  /// All records at once.
  package func all() throws -> any RecordList { try readAll() }

  /// The keys at once, the records batch by batch as they are read.
  package func batches(of size: Int) throws -> any RecordList { try readBatches(size) }

  /// The number of records; without the request's limit and offset where it has none.
  package func count() throws -> Int { try readCount() }
}

/// Records in the order of a request.
package protocol RecordList: AnyObject {
  var count: Int { get }

  /// The key of the record at a place and the digest of all its attributes.
  func read(_ place: Int) throws -> (key: Int64, digest: UInt64)
}

private final class AllRecords<Record: StoreRecord>: RecordList {
  private let records: [Record]
  private let shape: ObjectDigest.Shape

  init(records: [Record], shape: ObjectDigest.Shape) {
    self.records = records
    self.shape = shape
  }

  var count: Int { records.count }

  func read(_ place: Int) -> (key: Int64, digest: UInt64) {
    (records[place].key, records[place].digest(shape))
  }
}

private final class RecordBatches<Record: StoreRecord>: RecordList {
  private let keys: [Int64]
  private let size: Int
  private let queue: DatabaseQueue
  private let shape: ObjectDigest.Shape
  private var batch: Int?
  private var records: [Int64: Record] = [:]

  init(keys: [Int64], size: Int, queue: DatabaseQueue, shape: ObjectDigest.Shape) {
    self.keys = keys
    self.size = size
    self.queue = queue
    self.shape = shape
  }

  var count: Int { keys.count }

  func read(_ place: Int) throws -> (key: Int64, digest: UInt64) {
    if batch != place / size { try load(place / size) }
    guard let record = records[keys[place]] else {
      throw ObjectContextError.missingObject(entity: Record.entity, key: keys[place])
    }
    return (record.key, record.digest(shape))
  }

  private func load(_ number: Int) throws {
    let wanted = keys[number * size..<min((number + 1) * size, keys.count)]
    let found = try queue.read { database in
      try Record.filter(wanted.contains(GRDB.Column("Z_PK"))).fetchAll(database)
    }
    records = Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    batch = number
  }
}

extension StoreRecord {
  fileprivate func digest(_ shape: ObjectDigest.Shape) -> UInt64 {
    var digest = ObjectDigest(shape, key: key)
    add(to: &digest)
    return digest.value
  }
}
