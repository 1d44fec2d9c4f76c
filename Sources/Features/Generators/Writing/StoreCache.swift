import Basics
import DataModel
import Foundation
import PersistentStore

/// A folder of generated stores, each made once for everything that shaped it.
///
/// The stores in it are never opened in place: whoever works on one copies it first. Processes may
/// use one cache at the same time: an entry appears as a whole, and of two that are made at once
/// one is kept.
package struct StoreCache: Sendable {
  private static let storeName = "store.sqlite"
  private static let manifestName = "manifest.json"

  /// The folder of all entries; made when it is first needed.
  package let folder: String
  private let writer: any StoreWriter

  package init(folder: String, writer: any StoreWriter = BulkStoreWriter()) {
    self.folder = folder
    self.writer = writer
  }

  /// The name of a recipe's entry: a digest of all that shapes the store's bytes.
  ///
  /// The recipe's own name is no part of it.
  package func key(of recipe: Recipe) -> String {
    var recipe = recipe
    (recipe.name, recipe.notes) = ("", [])
    let parts: [Any] = [
      "format \(Recipe.format)", "generator \(StoreGenerator.version)", writer.identity, recipe,
    ]
    return CanonicalForm.digest(of: parts)
  }

  /// The store of a recipe: an entry that is whole, or one made now.
  package func store(
    of recipe: Recipe,
    progress: (GenerationProgress) -> Void = { _ in }
  ) throws -> StoreFile {
    let entry = folder + "/" + key(of: recipe)
    let store = StoreFile(path: entry + "/" + Self.storeName)
    if isWhole(entry) {
      // What is used now is not the first to go (`storebench clean`).
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

  /// Moves a new entry to its place, unless another process was faster, or in place of a damaged
  /// one.
  private func publish(_ made: String, as entry: String, _ build: BuildFolder) throws {
    // One process at a time, so that nobody takes a new entry for the damaged one it replaced.
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(lock) }
    flock(lock, LOCK_EX)
    if isWhole(entry) { return }
    // Moved away in one step; there is usually nothing to move.
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

  /// The files of a cache entry with their sizes, and a digest that samples their bytes.
  ///
  /// Files of up to 16 MiB are digested whole, larger ones at their ends and at even distances
  /// between: damage that truncates, mixes up or blanks a file is seen without reading all of it.
  struct Manifest: Codable, Equatable {
    /// One file by its path below the entry.
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

    private static func offsets(_ bytes: Int) -> [Int] {
      guard bytes > smallest else { return Array(stride(from: 0, to: bytes, by: piece)) }
      return (0..<pieces).map { (bytes - piece) * $0 / (pieces - 1) }
    }
  }
}

/// A text that says all there is in a value, the same in every process: what digests are made of.
///
/// Every stored property takes part by itself, so none can be forgotten.
package enum CanonicalForm {
  /// The text of a value of structs, enums, arrays, dictionaries and plain values.
  package static func text(of value: Any) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  /// The SHA-256 of a value's text, in lower-case hexadecimal digits.
  package static func digest(of value: Any) -> String {
    SHA256.hash(data: Array(text(of: value).utf8)).hexadecimal
  }

  private static func append(_ value: Any, to text: inout String) {
    switch value {
    case let string as String: text += "\(string.utf8.count):\(string)"
    // The bits, since two texts of one number could differ between versions of the library.
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
    // A case without values has no children to tell it from the others.
    if mirror.displayStyle == .enum, mirror.children.isEmpty { text += ".\(value)" }
    // Two rules of different generators can have the same properties.
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

/// A dictionary whose pairs can be listed in an order that no process changes.
private protocol CanonicalDictionary {
  var canonicalPairs: [(key: String, value: Any)] { get }
}

extension Dictionary: CanonicalDictionary where Key == String {
  fileprivate var canonicalPairs: [(key: String, value: Any)] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value as Any) }
  }
}
