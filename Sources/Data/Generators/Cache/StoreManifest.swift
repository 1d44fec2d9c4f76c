import Basics
import Foundation

/// The files of a cache entry with their sizes, and a digest that samples their bytes.
///
/// Files of up to 16 MiB are digested whole, larger ones at their ends and at even distances
/// between: damage that truncates, mixes up or blanks a file is seen without reading all of it.
struct StoreManifest: Codable, Equatable {
  /// One file by its path below the entry.
  struct File: Codable, Equatable {
    let path: String
    let bytes: Int
    let sample: String
  }

  let files: [File]

  /// Lists the files of a folder as they are now.
  init(ofFilesIn folder: String, except excluded: String? = nil) throws {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    files = try paths.compactMap { path in
      guard path != excluded else { return nil }
      return try Self.file(path, in: folder)
    }
  }

  init(readFrom path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    self = try JSONDecoder().decode(StoreManifest.self, from: data)
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }

  private static let piece = 65_536
  private static let pieces = 64
  /// Files of more bytes than that are sampled.
  private static let smallest = 1 << 24

  /// `nil` for a folder, and for what SQLite keeps beside a store that is open somewhere.
  private static func file(_ path: String, in folder: String) throws -> File? {
    let full = folder + "/" + path
    let attributes = try FileManager.default.attributesOfItem(atPath: full)
    guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
    let bytes = (attributes[.size] as? NSNumber)?.intValue ?? 0
    if path.hasSuffix("-shm") || (path.hasSuffix("-wal") && bytes == 0) { return nil }
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: full))
    defer { try? handle.close() }
    var hash = SHA256()
    for offset in offsets(bytes) {
      try handle.seek(toOffset: UInt64(offset))
      hash.update(data: try handle.read(upToCount: piece) ?? Data())
    }
    return File(path: path, bytes: bytes, sample: hash.finalize().hexadecimal)
  }

  /// Where the pieces that are digested begin.
  private static func offsets(_ bytes: Int) -> [Int] {
    guard bytes > smallest else { return Array(stride(from: 0, to: bytes, by: piece)) }
    return (0..<pieces).map { (bytes - piece) * $0 / (pieces - 1) }
  }
}
