import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite

final class BareSQLBlobs: BlobReader {
  private let content: BlobScenario
  private let table: Table
  private let connection: Connection
  private let reading: Reading
  /// The files that contain blobs: the app's own files, or those of external storage.
  private var files: BlobFiles
  private let keepsFiles: Bool

  init(_ stage: Stage<BlobScenario>) throws {
    content = stage.content
    table = try Table(content, layout: stage.store.layout)
    connection = stage.store.connection
    keepsFiles = content.strategy == .file || content.parameters.usesExternalFiles
    reading = Reading(content, table, keepsFiles: keepsFiles)
    files = content.strategy == .file ? stage.appFiles : stage.externalFiles
  }

  var fileCounters: FileBytes.Counters { files.counters }
  var statistics: ObjectContext.Statistics? { nil }

  func readOne(_ key: Int64) throws -> BlobReading {
    let statement = try row(reading.one, key)
    defer { statement.reset() }
    return try read(statement, withBlob: true)
  }

  private func row(_ sql: String, _ key: Int64) throws -> Statement {
    let statement = try connection.cached(sql)
    statement.bind(key, at: 1)
    guard try statement.step() else {
      statement.reset()
      throw ObjectContextError.missingObject(entity: content.entity, key: key)
    }
    return statement
  }

  private func fileName(_ statement: Statement, at column: Int, key: Int64) throws -> String {
    if content.strategy == .file { return statement.text(at: column) }
    guard let name = ExternalStorage.fileName(in: statement.blob(at: column)) else {
      throw content.noFile(key)
    }
    return name
  }

  func readPrefix(_ key: Int64, upTo count: Int) throws -> BlobReading {
    let statement = try row(reading.place, key)
    defer { statement.reset() }
    var result = BlobReading(key: statement.integer(at: 0))
    let last = statement.columnCount - 1
    for column in 1..<last { result.values.append(statement.value(at: column)) }
    let blob: [UInt8]
    if keepsFiles {
      blob = try files.read(fileName(statement, at: last, key: key), upTo: count)
    } else {
      // Read the first bytes only: a function such as `substr` would read all pages of the blob.
      blob = try connection.blobBytes(
        table: table.separate?.name ?? table.name,
        column: table.separate?.data ?? table.blob,
        row: statement.integer(at: last),
        from: content.strategy == .externalStorage ? 1 : 0,
        count: count
      )
    }
    let index = (reading.blobColumn ?? 1) - 1
    result.values.insert(.blob(blob), at: min(index, result.values.count))
    return result
  }

  func readAll(withBlobs: Bool, _ body: (BlobReading) -> Void) throws {
    let statement = try connection.cached(withBlobs ? reading.all : reading.withoutBlobs)
    defer { statement.reset() }
    while try statement.step() { body(try read(statement, withBlob: withBlobs)) }
  }

  private func read(_ statement: Statement, withBlob: Bool) throws -> BlobReading {
    var result = BlobReading(key: statement.integer(at: 0))
    let blobColumn = withBlob ? reading.blobColumn : nil
    for column in 1..<statement.columnCount {
      result.values.append(
        column == blobColumn
          ? .blob(try blob(in: statement, at: column, of: result.key))
          : statement.value(at: column)
      )
    }
    return result
  }

  private func blob(in statement: Statement, at column: Int, of key: Int64) throws -> [UInt8] {
    if keepsFiles { return try files.read(fileName(statement, at: column, key: key)) }
    let prefix = content.strategy == .externalStorage ? 1 : 0
    return statement.withBytes(at: column) { Array($0.dropFirst(prefix)) }
  }
}

extension BareSQLBlobs {
  /// The tables and columns that hold the objects and blobs of a case.
  struct Table: Sendable {
    let name: String
    /// The columns of the attributes other than the blob, in the order of the attributes.
    let columns: [String]
    /// The column that contains the blob, the path of its file, or the key of its row.
    let blob: String
    /// The table and column of the blobs; `nil` if no separate entity holds them.
    let separate: (name: String, data: String)?

    init(_ content: BlobScenario, layout: StoreLayout) throws {
      let names = try EntityNames(content.entity, in: layout)
      name = names.table
      columns = try content.plain.attributes.map { try names.column($0.name) }
      blob = try names.column(content.blob)
      guard content.strategy == .separateEntity else {
        separate = nil
        return
      }
      let holders = try EntityNames(content.blobEntity, in: layout)
      separate = (holders.table, try holders.column(BlobScenario.data))
    }
  }

  /// The SQL statements that read objects, with the columns in the order that the digest requires.
  struct Reading {
    /// The index of the blob among the result columns, counted from the key column (0).
    let blobColumn: Int?
    let one: String
    let all: String
    let withoutBlobs: String
    /// The SQL that selects an object without its blob, with the key of the blob's row or the name
    /// of its file.
    let place: String

    init(_ content: BlobScenario, _ table: Table, keepsFiles: Bool) {
      let names = content.properties(withBlob: true)
      blobColumn = names.firstIndex(of: content.blob).map { $0 + 1 }
      let columns = Dictionary(
        keepingFirst: zip(content.plain.attributes.map(\.name), table.columns)
      )
      let blob = table.separate.map { "t1.\($0.data)" } ?? "t0.\(table.blob)"
      let list = { (names: [String]) in
        names.map { name in ", " + (columns[name].map { "t0.\($0)" } ?? blob) }.joined()
      }
      let join =
        table.separate.map { " JOIN \($0.name) t1 ON t1.Z_PK = t0.\(table.blob)" } ?? ""
      all = "SELECT t0.Z_PK\(list(names)) FROM \(table.name) t0\(join)"
      one = all + " WHERE t0.Z_PK = ?"
      withoutBlobs =
        "SELECT t0.Z_PK\(list(content.properties(withBlob: false))) FROM \(table.name) t0"
      let keepsRow = !keepsFiles && table.separate == nil
      place =
        "SELECT t0.Z_PK\(list(content.properties(withBlob: false))), "
        + "t0.\(keepsRow ? "Z_PK" : table.blob) FROM \(table.name) t0 WHERE t0.Z_PK = ?"
    }
  }
}
