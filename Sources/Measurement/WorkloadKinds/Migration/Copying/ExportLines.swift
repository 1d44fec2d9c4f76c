import Compression
import Foundation

/// Writes lines into a file as they come, as gzip or as they are.
final class LineWriter {
  private let file: FileHandle
  private var compressor: GzipWriter?
  private var buffer: [UInt8] = []
  private static let bufferSize = 1 << 16

  init(path: String, isCompressed: Bool) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    self.file = file
    compressor = isCompressed ? try GzipWriter { try file.write(contentsOf: Data($0)) } : nil
  }

  func append(_ line: Data) throws {
    buffer += line
    buffer.append(0x0a)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  func finish() throws {
    try flush()
    try compressor?.finish()
    try file.close()
  }

  private func flush() throws {
    if compressor != nil {
      try compressor?.append(buffer)
    } else {
      try file.write(contentsOf: buffer)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Reads the lines of a file one after the other.
final class LineReader {
  private let file: FileHandle
  private let piece: () throws -> ArraySlice<UInt8>?
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(path: String, isCompressed: Bool) throws {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    self.file = file
    let raw: () throws -> [UInt8]? = {
      try file.read(upToCount: 1 << 16).flatMap { $0.isEmpty ? nil : [UInt8]($0) }
    }
    guard isCompressed else {
      piece = { try raw().map { $0[...] } }
      return
    }
    let reader = try GzipReader(source: raw)
    piece = { try reader.next() }
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
      guard !isAtEnd, let more = try piece() else {
        isAtEnd = true
        defer { buffer = [] }
        return buffer.isEmpty ? nil : Data(buffer)
      }
      buffer += more
    }
  }
}
