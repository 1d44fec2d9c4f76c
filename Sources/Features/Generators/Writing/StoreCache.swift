import Basics
import DataModel
import Foundation
import PersistentStore

/// A folder of generated stores, one for each combination of inputs that affect a store's bytes.
///
/// Cached stores are never opened in place: copy a store before working on it. Several processes
/// may use a cache at the same time. Entries appear atomically. If two processes create the same
/// entry, the cache keeps one copy.
package struct StoreCache: Sendable {
  private static let storeName = "store.sqlite"
  private static let manifestName = "manifest.json"

  /// The folder that contains all entries.
  ///
  /// It is created when it is first needed.
  package let folder: String
  private let writer: any StoreWriter

  package init(folder: String, writer: any StoreWriter = BulkStoreWriter()) {
    self.folder = folder
    self.writer = writer
  }

  /// The name of a recipe's entry: a digest of everything that affects the store's bytes.
  ///
  /// The recipe's name and notes are not included.
  package func key(of recipe: Recipe) -> String {
    var recipe = recipe
    (recipe.name, recipe.notes) = ("", [])
    let parts: [Any] = [
      "format \(Recipe.format)", "generator \(StoreGenerator.version)", writer.identity, recipe,
    ]
    return CanonicalForm.digest(of: parts)
  }

  /// Returns the store of a recipe: an intact cache entry, or a newly generated store.
  ///
  /// - Throws: A ``Refusal`` if the store cannot be generated or written.
  package func store(
    of recipe: Recipe,
    progress: (GenerationProgress) -> Void = { _ in }
  ) throws -> StoreFile {
    let entry = folder + "/" + key(of: recipe)
    let store = StoreFile(path: entry + "/" + Self.storeName)
    if isWhole(entry) {
      // Update the modification time, so that `storebench clean` removes recently used entries
      // last.
      utimes(entry, nil)
      return store
    }
    let build = try BuildFolder(beside: entry)
    let made = build.path + "/entry"
    try StoreGenerator(recipe, writer: writer)
      .generate(at: made + "/" + Self.storeName, progress: progress)
    try Manifest(ofFilesIn: made).write(to: made + "/" + Self.manifestName)
    try publish(made, as: entry, build)
    return store
  }

  /// Moves a new entry into place and replaces a damaged entry, unless another process has
  /// published an intact entry.
  private func publish(_ made: String, as entry: String, _ build: BuildFolder) throws {
    // Lock the folder, so that no other process mistakes the new entry for the damaged entry that
    // it replaces.
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(lock) }
    flock(lock, LOCK_EX)
    if isWhole(entry) { return }
    // Move any damaged entry away atomically.
    _ = rename(entry, build.path + "/damaged")
    guard rename(made, entry) == 0 else {
      throw Refusal.cannotWrite(entry)
    }
  }

  private func isWhole(_ entry: String) -> Bool {
    guard let manifest = try? Manifest(readFrom: entry + "/" + Self.manifestName),
      let present = try? Manifest(ofFilesIn: entry, except: Self.manifestName)
    else { return false }
    return manifest == present
  }

  /// The files of a cache entry with their sizes and sampled digests.
  ///
  /// A file of up to 16 MiB is digested completely, a larger file at both ends and at regular
  /// distances. Samples detect truncated, swapped or zeroed files without reading all bytes.
  struct Manifest: Codable, Equatable {
    struct File: Codable, Equatable {
      let path: String
      let bytes: Int
      let sample: String
    }

    let files: [File]

    init(ofFilesIn folder: String, except excluded: String? = nil) throws {
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      files = try paths.compactMap { path in
        guard path != excluded else { return nil }
        return try Self.file(path, in: folder)
      }
    }

    init(readFrom path: String) throws {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      self = try JSONDecoder().decode(Manifest.self, from: data)
    }

    func write(to path: String) throws {
      try JSONEncoder.document().encode(self).write(to: URL(fileURLWithPath: path))
    }

    private static let piece = 65_536
    private static let pieces = 64
    private static let smallest = 1 << 24

    /// Returns the size and digest of a file; `nil` for a folder, and for the files that SQLite
    /// keeps next to an open store.
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

    private static func offsets(_ bytes: Int) -> [Int] {
      guard bytes > smallest else { return Array(stride(from: 0, to: bytes, by: piece)) }
      return (0..<pieces).map { (bytes - piece) * $0 / (pieces - 1) }
    }
  }
}

/// The canonical text of a value, identical in every process, from which digests are computed.
///
/// The text includes every stored property automatically, so that no property can be forgotten.
package enum CanonicalForm {
  /// The canonical text of a value made of structs, enums, arrays, dictionaries and plain values.
  package static func text(of value: Any) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  /// The SHA-256 of a value's canonical text, in lower-case hexadecimal digits.
  package static func digest(of value: Any) -> String {
    SHA256.hash(data: Array(text(of: value).utf8)).hexadecimal
  }

  private static func append(_ value: Any, to text: inout String) {
    switch value {
    case let string as String: text += "\(string.utf8.count):\(string)"
    // Use the bit pattern, because the decimal text of a number could differ between versions of
    // the standard library.
    case let number as Double: text += "d\(String(number.bitPattern, radix: 16))"
    case let number as any FixedWidthInteger: text += "\(number)"
    case let flag as Bool: text += flag ? "true" : "false"
    case let dictionary as any CanonicalDictionary:
      text += "{"
      for (key, element) in dictionary.canonicalPairs {
        text += "\(key.utf8.count):\(key)="
        append(element, to: &text)
        text += ","
      }
      text += "}"
    default: appendChildren(of: value, to: &text)
    }
  }

  private static func appendChildren(of value: Any, to text: inout String) {
    let mirror = Mirror(reflecting: value)
    // Append the name of an enum case without associated values, because its mirror has no
    // children.
    if mirror.displayStyle == .enum, mirror.children.isEmpty { text += ".\(value)" }
    // Append the type of a rule, because rules of different types can have the same properties.
    if value is any ValueRule { text += "\(type(of: value))" }
    text += "("
    for child in mirror.children {
      text += "\(child.label ?? "")="
      append(child.value, to: &text)
      text += ","
    }
    text += ")"
  }
}

/// A dictionary that lists its pairs in the same order in every process.
private protocol CanonicalDictionary {
  var canonicalPairs: [(key: String, value: Any)] { get }
}

extension Dictionary: CanonicalDictionary where Key == String {
  fileprivate var canonicalPairs: [(key: String, value: Any)] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value as Any) }
  }
}
