import Compression
import Foundation

/// Writes lines into a gzip file as they come.
final class CompressedLines {
  private let file: FileHandle
  private var writer: GzipWriter
  private var buffer: [UInt8] = []
  private static let bufferSize = 1 << 16

  init(writing path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    self.file = file
    writer = try GzipWriter { try file.write(contentsOf: Data($0)) }
  }

  func append(_ line: Data) throws {
    buffer += line
    buffer.append(0x0a)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  func finish() throws {
    try flush()
    try writer.finish()
    try file.close()
  }

  private func flush() throws {
    try writer.append(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Reads the lines of a gzip file one after the other.
final class CompressedLineReader {
  private let file: FileHandle
  private let reader: GzipReader
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(path: String) throws {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    self.file = file
    reader = try GzipReader {
      try file.read(upToCount: 1 << 16).flatMap { $0.isEmpty ? nil : [UInt8]($0) }
    }
  }

  /// The next line without its end; `nil` after the last.
  func next() throws -> Data? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0a) {
        defer { start = end + 1 }
        return Data(buffer[start..<end])
      }
      searched = buffer.count - start
      buffer.removeSubrange(..<start)
      start = 0
      guard !isAtEnd, let more = try reader.next() else {
        isAtEnd = true
        defer { buffer = [] }
        return buffer.isEmpty ? nil : Data(buffer)
      }
      buffer += more
    }
  }
}
