import Foundation

/// `sqlite3 .import` of the same rows from files of comma-separated values: what a plain loader
/// must not be slower than.
///
/// Comma-separated values have no blobs and no NULLs: blobs are hexadecimal digits, NULLs empty.
struct ShellImport {
  private let folder: String
  private let rows: MemoryRows

  /// Writes the rows of each table into the folder.
  init(rows: MemoryRows, folder: String) throws {
    self.rows = rows
    self.folder = folder
    try rows.withBytes { bytes in
      for table in rows.tables { try Self.write(table, bytes, to: "\(folder)/\(table.name).csv") }
    }
  }

  /// Imports all rows; false where there is no `sqlite3`.
  func run(into path: String) throws -> Bool {
    var commands = PlainLoader.settings + ["PRAGMA synchronous=OFF", "PRAGMA cache_size=65536"]
    commands += ["BEGIN"] + rows.tableStatements
    commands = commands.map { $0 + ";" }
    for table in rows.tables {
      commands.append(".import --csv \"\(folder)/\(table.name).csv\" \(table.name)")
    }
    commands += (rows.indexStatements + ["COMMIT"]).map { $0 + ";" }
    let script = folder + "/import.sql"
    try commands.joined(separator: "\n").write(toFile: script, atomically: false, encoding: .utf8)
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    shell.arguments = ["sqlite3", "-bail", path, ".read \(script)"]
    shell.standardOutput = FileHandle.nullDevice
    try shell.run()
    shell.waitUntilExit()
    return shell.terminationStatus == 0
  }

  private static func write(
    _ table: MemoryRows.Table,
    _ bytes: UnsafeRawBufferPointer,
    to path: String
  ) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var line: [UInt8] = []
    for (place, value) in table.values.enumerated() {
      append(value, bytes, to: &line)
      line.append(place % table.columnCount == table.columnCount - 1 ? 10 : 44)
      guard line.count > 1 << 20 else { continue }
      try file.write(contentsOf: line)
      line.removeAll(keepingCapacity: true)
    }
    try file.write(contentsOf: line)
  }

  private static func append(
    _ value: MemoryRows.Value,
    _ bytes: UnsafeRawBufferPointer,
    to line: inout [UInt8]
  ) {
    let digits = Array("0123456789abcdef".utf8)
    switch value {
    case .null: break
    case .integer(let integer): line += Array("\(integer)".utf8)
    case .real(let real): line += Array("\(real)".utf8)
    case .text(let offset, let count):
      line.append(34)
      for byte in bytes[Int(offset)..<Int(offset + count)] {
        if byte == 34 { line.append(34) }
        line.append(byte)
      }
      line.append(34)
    case .blob(let offset, let count):
      for byte in bytes[Int(offset)..<Int(offset + count)] {
        line.append(digits[Int(byte >> 4)])
        line.append(digits[Int(byte & 15)])
      }
    }
  }
}
