import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport

/// A small store in the frameworks' layout, filled by plain SQL, in a folder of its own.
final class SampleStore {
  let file: StoreFile
  let layout: StoreLayout
  var folder: String { home.path }
  private let home: TemporaryFolder
  private let connection: Connection
  /// The highest key used so far, by table.
  var lastKeys: [String: Int64] = [:]

  init(model: Model = SampleModel.model, keepsHistory: Bool = true) throws {
    home = try TemporaryFolder()
    file = StoreFile(path: home.path + "/Sample.sqlite")
    layout = StoreLayout(model: model, keepsHistory: keepsHistory)
    connection = try Connection(
      path: file.path,
      mode: .create,
      settings: ConnectionSettings(synchronous: .off)
    )
    try connection.execute("BEGIN")
    try connection.executeScript(layout.definitions)
    for table in layout.tables { lastKeys[table.name] = 0 }
  }

  /// Opens a copy of a store that has the sample model.
  init(copyOf files: [String: Data]) throws {
    home = try TemporaryFolder()
    file = StoreFile(path: home.path + "/Sample.sqlite")
    layout = StoreLayout(model: SampleModel.model, keepsHistory: true)
    for (name, bytes) in files { try home.write(bytes, to: name) }
    connection = try Connection(
      path: file.path,
      mode: .readWrite,
      settings: ConnectionSettings(synchronous: .off)
    )
  }

  /// The bytes of the main file and of the external files, by their paths in the folder.
  func files() throws -> [String: Data] {
    let names = FileManager.default.subpaths(atPath: folder) ?? []
    var files: [String: Data] = [:]
    for name in names where !name.hasSuffix("-wal") && !name.hasSuffix("-shm") {
      files[name] = try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    }
    return files
  }

  /// Writes the rows that belong to no object, commits, and moves the WAL into the main file.
  func finish() throws {
    for entity in layout.numbers.entities {
      let root = entity.superentity == nil
      let last = root ? lastKeys[layout.table(of: entity.name)?.name ?? ""] ?? 0 : 0
      let above = entity.superentity.flatMap { layout.numbers[$0] } ?? 0
      try connection.execute(
        "INSERT INTO Z_PRIMARYKEY VALUES (\(layout.numbers[entity.name] ?? 0), "
          + "'\(entity.name)', \(above), \(last))"
      )
    }
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["NSStoreType": "SQLite"],
      format: .binary,
      options: 0
    )
    try run(
      "INSERT INTO Z_METADATA VALUES (1, ?1, ?2)",
      [.text("5A0B5FB4-7E6A-4F0E-9D4B-2C1C0A4F6E11"), .blob(Array(list))]
    )
    try run("INSERT INTO Z_MODELCACHE VALUES (?1)", [.blob(ModelCache.content(of: layout.model))])
    try connection.execute("COMMIT")
    try connection.checkpoint()
  }

  /// Runs a statement with bound values.
  func run(_ sql: String, _ values: [Value] = []) throws {
    let statement = try connection.prepare(sql)
    for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
    try statement.run()
  }

  /// Changes the finished store by SQL.
  func execute(_ sql: String) throws {
    try connection.execute(sql)
    try connection.checkpoint()
  }

  /// Overwrites the start of a page of the main file; the first page is 1.
  func overwrite(page: Int, with bytes: [UInt8]) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
    try handle.seek(toOffset: UInt64((page - 1) * 4096))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  /// Inserts an object with attributes by name, to-one targets by name as keys, and raw columns.
  @discardableResult
  func insert(
    _ entity: String,
    _ values: KeyValuePairs<String, Value>,
    columns: KeyValuePairs<String, Value> = [:]
  ) throws -> Int64 {
    guard let table = layout.table(of: entity), let number = layout.numbers[entity] else {
      return 0
    }
    let key = lastKeys[table.name, default: 0] + 1
    lastKeys[table.name] = key
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    var row: [Value] = [.integer(key), .integer(Int64(number)), .integer(1)]
    for (name, value) in values {
      if let column = layout.column(of: name, in: entity)?.name {
        names.append(column)
      } else if case .foreignKey(let column, _, _) = layout.storage(of: name, in: entity) {
        names.append(column)
      }
      row.append(value)
    }
    for (name, value) in columns {
      names.append(name)
      row.append(value)
    }
    let places = (1...names.count).map { "?\($0)" }.joined(separator: ", ")
    try run("INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(places))", row)
    return key
  }

  /// The keys of a table's rows with their entity numbers.
  func rows(of table: EntityTable) throws -> [(key: Int64, entity: Int64)] {
    let row = try connection.prepare("SELECT Z_PK, Z_ENT FROM \(table.name) ORDER BY Z_PK")
    var rows: [(key: Int64, entity: Int64)] = []
    while try row.step() { rows.append((row.integer(at: 0), row.integer(at: 1))) }
    return rows
  }

  /// Writes an external file and returns the value that refers to it.
  func externalFile(_ bytes: [UInt8], name: String) throws -> Value {
    try FileManager.default.createDirectory(
      atPath: file.externalDataFolder,
      withIntermediateDirectories: true
    )
    try Data(bytes).write(to: URL(fileURLWithPath: file.externalDataFolder + "/" + name))
    return .blob([2] + Array(name.utf8) + [0])
  }

  /// Copies the store, with its external files, into a new folder.
  func copy() throws -> StoreCopy { try StoreCopy(of: file) }
}

/// A copy of a store, whose files are removed with this object.
final class StoreCopy {
  let file: StoreFile
  private let folder: TemporaryFolder

  init(of store: StoreFile) throws {
    folder = try TemporaryFolder()
    file = StoreFile(path: folder.path + "/" + store.name)
    for (from, to) in zip(store.paths, file.paths)
    where FileManager.default.fileExists(atPath: from) {
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
  }

  /// Changes the copy by SQL.
  func execute(_ sql: String) throws {
    let connection = try Connection(path: file.path, mode: .readWrite, settings: nil)
    try connection.execute("PRAGMA synchronous=off")
    try connection.execute(sql)
  }
}

extension Statement {
  func bind(_ value: Value, at index: Int) {
    switch value {
    case .null: bindNull(at: index)
    case .integer(let value): bind(value, at: index)
    case .real(let value): bind(value, at: index)
    case .text(let value): bind(value, at: index)
    case .blob(let value): bind(value, at: index)
    }
  }
}
