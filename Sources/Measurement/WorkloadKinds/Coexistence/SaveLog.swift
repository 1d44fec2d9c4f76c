import Foundation

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
