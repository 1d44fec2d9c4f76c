import DataModel
import Foundation
import PersistentStore
import SQLite

/// The operations by plain statements on the same layout.
final class BareSQLBlobs: BlobEngine {
  private let work: BlobWork
  private let table: Table
  private let connection: Connection
  private let reading: Reading
  /// The app's files, or those that stand for external storage.
  private var files: BlobFiles
  private var keepsFiles: Bool {
    work.model.strategy == .file || work.parameters.usesExternalFiles
  }

  init(_ work: BlobWork) throws {
    self.work = work
    table = try Table(work.model, layout: work.store.layout)
    connection = work.store.connection
    reading = Reading(
      work.model,
      table,
      keepsFiles: work.model.strategy == .file || work.parameters.usesExternalFiles
    )
    files =
      work.model.strategy == .file
      ? work.appFiles : work.files(in: work.store.file.externalDataFolder)
  }

  var fileCounters: FileBytes.Counters { files.counters }
  var statistics: ObjectContext.Statistics? { nil }

  // MARK: Writing

  func insert(_ keys: ArraySlice<Int64>) throws {
    try transaction {
      for key in keys { try insert(key) }
      guard let last = keys.last else { return }
      try raiseMaximum(of: table.entityNumber, to: last)
      if let separate = table.separate { try raiseMaximum(of: separate.entityNumber, to: last) }
    }
  }

  private func transaction(_ body: () throws -> Void) throws {
    try connection.transaction { try body() }
    try files.didCommit()
  }

  private func raiseMaximum(of number: Int64, to key: Int64) throws {
    let statement = try connection.cached("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
    statement.bind(key, at: 1)
    statement.bind(number, at: 2)
    try statement.run()
  }

  private func insert(_ key: Int64) throws {
    let columns = (table.columns + [table.blob]).map { ", \($0)" }.joined()
    let marks = table.columns.map { _ in ", ?" }.joined()
    let statement = try connection.cached(
      "INSERT INTO \(table.name)(Z_PK, Z_ENT, Z_OPT\(columns)) VALUES(?, ?, 1\(marks), ?)"
    )
    statement.bind(key, at: 1)
    statement.bind(table.entityNumber, at: 2)
    for (index, value) in work.rows.values(of: key).enumerated() {
      statement.bind(value, at: 3 + index)
    }
    let last = 3 + table.columns.count
    let blob = work.blobs.bytes(of: key)
    if let separate = table.separate {
      statement.bind(key, at: last)
      try insert(blob, of: key, into: separate)
    } else {
      try bind(blob, to: statement, at: last)
    }
    try statement.run()
  }

  private func insert(_ blob: [UInt8], of key: Int64, into separate: Table.Separate) throws {
    let statement = try connection.cached(
      "INSERT INTO \(separate.name)(Z_PK, Z_ENT, Z_OPT, \(separate.owner), \(separate.data))"
        + " VALUES(?, ?, 1, ?, ?)"
    )
    statement.bind(key, at: 1)
    statement.bind(separate.entityNumber, at: 2)
    statement.bind(key, at: 3)
    statement.bind(blob, at: 4)
    try statement.run()
  }

  /// Binds what the blob's column holds, once the blob is in its place.
  private func bind(_ blob: [UInt8], to statement: Statement, at index: Int) throws {
    switch work.model.strategy {
    case .inline, .separateEntity: statement.bind(blob, at: index)
    case .file: statement.bind(try files.write(blob), at: index)
    case .externalStorage where work.parameters.usesExternalFiles:
      statement.bind(ExternalStorage.reference(to: try files.write(blob)), at: index)
    case .externalStorage: statement.bind(ExternalStorage.inlinePrefix + blob, at: index)
    }
  }

  func update(_ keys: ArraySlice<Int64>) throws {
    let (name, column, condition) =
      table.separate.map {
        ($0.name, $0.data, "(SELECT \(table.blob) FROM \(table.name) WHERE Z_PK = ?)")
      } ?? (table.name, table.blob, "?")
    try transaction {
      for key in keys {
        if keepsFiles { try abandonFile(of: key) }
        let statement = try connection.cached(
          "UPDATE \(name) SET \(column) = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = \(condition)"
        )
        try bind(work.blobs.bytes(of: key, version: 1), to: statement, at: 1)
        statement.bind(key, at: 2)
        try runOnOneRow(statement, of: key)
      }
    }
  }

  func updateOther(_ keys: ArraySlice<Int64>) throws {
    try transaction {
      for key in keys {
        let statement = try connection.cached(
          "UPDATE \(table.name) SET \(table.counter) = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?"
        )
        statement.bind(work.rows.counterValue(of: key, version: 1), at: 1)
        statement.bind(key, at: 2)
        try runOnOneRow(statement, of: key)
      }
    }
  }

  func delete(_ keys: ArraySlice<Int64>) throws {
    try transaction {
      for key in keys {
        if keepsFiles { try abandonFile(of: key) }
        if let separate = table.separate {
          let holder = try connection.cached(
            "DELETE FROM \(separate.name) WHERE \(separate.owner) = ?"
          )
          holder.bind(key, at: 1)
          try runOnOneRow(holder, of: key)
        }
        let statement = try connection.cached("DELETE FROM \(table.name) WHERE Z_PK = ?")
        statement.bind(key, at: 1)
        try runOnOneRow(statement, of: key)
      }
    }
  }

  private func runOnOneRow(_ statement: Statement, of key: Int64) throws {
    try statement.run()
    guard connection.changes == 1 else {
      throw BlobStorageError.missingObject(entity: work.model.entity, key: key)
    }
  }

  private func abandonFile(of key: Int64) throws {
    let statement = try connection.cached(
      "SELECT \(table.blob) FROM \(table.name) WHERE Z_PK = ?"
    )
    defer { statement.reset() }
    statement.bind(key, at: 1)
    guard try statement.step() else {
      throw BlobStorageError.missingObject(entity: work.model.entity, key: key)
    }
    files.abandon(try fileName(statement, at: 0, key: key))
  }

  private func fileName(_ statement: Statement, at column: Int, key: Int64) throws -> String {
    if work.model.strategy == .file { return statement.text(at: column) }
    guard let name = ExternalStorage.fileName(in: statement.blob(at: column)) else {
      throw BlobStorageError.noFile(entity: work.model.entity, key: key)
    }
    return name
  }

  // MARK: Reading

  func readOne(_ key: Int64) throws -> BlobReading {
    let statement = try connection.cached(reading.one)
    defer { statement.reset() }
    statement.bind(key, at: 1)
    guard try statement.step() else {
      throw BlobStorageError.missingObject(entity: work.model.entity, key: key)
    }
    return try read(statement, withBlob: true)
  }

  func readPrefix(_ key: Int64, upTo count: Int) throws -> BlobReading {
    let statement = try connection.cached(reading.place)
    defer { statement.reset() }
    statement.bind(key, at: 1)
    guard try statement.step() else {
      throw BlobStorageError.missingObject(entity: work.model.entity, key: key)
    }
    var result = BlobReading(key: statement.integer(at: 0))
    let last = statement.columnCount - 1
    for column in 1..<last { result.values.append(statement.value(at: column)) }
    let blob: [UInt8]
    if keepsFiles {
      blob = try files.read(fileName(statement, at: last, key: key), upTo: count)
    } else {
      // A function such as substr would have the whole blob read, with all of its pages.
      blob = try connection.blobBytes(
        table: table.separate?.name ?? table.name,
        column: table.separate?.data ?? table.blob,
        row: statement.integer(at: last),
        from: work.model.strategy == .externalStorage ? 1 : 0,
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
    let prefix = work.model.strategy == .externalStorage ? 1 : 0
    return statement.withBytes(at: column) { Array($0.dropFirst(prefix)) }
  }
}

/// Files that hold one blob each, written before a commit and given up only after it.
///
/// The app's own files and, where plain statements do the framework's work, those of external
/// storage.
struct BlobFiles {
  private let folder: String
  private let isDurable: Bool
  private let identifiers: IdentifierSource
  private var bytes = FileBytes()
  private var abandoned: [String] = []
  private var folderExists = false

  init(folder: String, isDurable: Bool, identifiers: IdentifierSource) {
    self.folder = folder
    self.isDurable = isDurable
    self.identifiers = identifiers
  }

  var counters: FileBytes.Counters { bytes.counters }

  /// Writes a blob into a new file and returns the file's name.
  mutating func write(_ blob: [UInt8]) throws -> String {
    if !folderExists {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      folderExists = true
    }
    let name = identifiers.next()
    try blob.withUnsafeBytes {
      try bytes.write($0, to: folder + "/" + name, durable: isDurable)
    }
    return name
  }

  /// The bytes of a file, or its first ones.
  mutating func read(_ name: String, upTo limit: Int? = nil) throws -> [UInt8] {
    try bytes.read(folder + "/" + name, upTo: limit)
  }

  /// Notes a file that the rows lead to no longer once the transaction is committed.
  mutating func abandon(_ name: String) {
    abandoned.append(name)
  }

  /// Removes what was given up.
  ///
  /// Unsynced, as in external storage: a file that comes back is an orphan and not a loss.
  mutating func didCommit() throws {
    for name in abandoned { try bytes.remove(folder + "/" + name) }
    abandoned.removeAll(keepingCapacity: true)
  }
}

extension BareSQLBlobs {
  /// Where a layout keeps the objects and the blobs of a case.
  struct Table: Sendable {
    let name: String
    let entityNumber: Int64
    /// The columns of the plain attributes, in the attributes' order.
    let columns: [String]
    let counter: String
    /// The column of the blob, its path, or the key of its row.
    let blob: String
    /// The blobs' own table; `nil` but for a separate entity.
    let separate: Separate?

    struct Separate: Sendable {
      let name: String
      let entityNumber: Int64
      let data: String
      let owner: String
    }

    init(_ model: BlobModel, layout: StoreLayout) throws {
      func column(_ attribute: String, _ entity: String) throws -> String {
        guard let column = layout.column(of: attribute, in: entity) else {
          throw ObjectContextError.unknownProperty(entity: entity, property: attribute)
        }
        return column.name
      }
      func key(_ relationship: String, _ entity: String) throws -> String {
        guard case .foreignKey(let column, _, _) = layout.storage(of: relationship, in: entity)
        else {
          throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
        }
        return column
      }
      func table(_ entity: String) throws -> (String, Int64) {
        guard let table = layout.table(of: entity), let number = layout.numbers[entity] else {
          throw ObjectContextError.unknownEntity(entity)
        }
        return (table.name, Int64(number))
      }
      (name, entityNumber) = try table(model.entity)
      columns = try model.attributes.map { try column($0.name, model.entity) }
      counter = try column(model.counter, model.entity)
      guard model.strategy == .separateEntity else {
        blob = try column(model.blob, model.entity)
        separate = nil
        return
      }
      blob = try key(model.blob, model.entity)
      let (holder, number) = try table(model.blobEntity)
      separate = Separate(
        name: holder,
        entityNumber: number,
        data: try column(BlobModel.data, model.blobEntity),
        owner: try key(BlobModel.owner, model.blobEntity)
      )
    }
  }

  /// The statements that read objects plainly, their columns in the order of the digest.
  struct Reading {
    let shape: ObjectDigest.Shape
    /// The result column of the blob, after the key's.
    let blobColumn: Int?
    let one: String
    let all: String
    let withoutBlobs: String
    /// An object without its blob, and where that is: the key of its row, or what names its file.
    let place: String

    init(_ model: BlobModel, _ table: Table, keepsFiles: Bool) {
      shape = model.digestShape(withBlob: true)
      let names = model.properties(withBlob: true)
      blobColumn = names.firstIndex(of: model.blob).map { $0 + 1 }
      let columns = Dictionary(
        zip(model.attributes.map(\.name), table.columns),
        uniquingKeysWith: { first, _ in first }
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
        "SELECT t0.Z_PK\(list(model.properties(withBlob: false))) FROM \(table.name) t0"
      let keepsRow = !keepsFiles && table.separate == nil
      place =
        "SELECT t0.Z_PK\(list(model.properties(withBlob: false))), "
        + "t0.\(keepsRow ? "Z_PK" : table.blob) FROM \(table.name) t0 WHERE t0.Z_PK = ?"
    }
  }
}
