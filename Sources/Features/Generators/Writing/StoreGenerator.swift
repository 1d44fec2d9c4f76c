import Basics
import DataModel
import Foundation
import PersistentStore

/// Generates the store of a recipe.
package struct StoreGenerator: Sendable {
  /// The outcome of a generation.
  package struct Result: Hashable, Sendable {
    package let file: StoreFile
    /// The paths of the lists of duplicates and defects; empty if the store has neither.
    package let answerKeys: [String]
    /// The number of generated objects, including objects that aging deleted.
    package let objectCount: Int
    /// The digest of an aged store's content, including object versions; `nil` for other stores.
    ///
    /// The bytes of an aged store depend on the version of SQLite.
    package let contentDigest: String?
  }

  /// The version of the generators.
  ///
  /// It changes whenever the same recipe produces different bytes.
  package static let version = 6

  package let dataset: Dataset
  package let writer: any StoreWriter

  package init(_ recipe: Recipe, writer: any StoreWriter = BulkStoreWriter()) {
    dataset = Dataset(recipe)
    self.writer = writer
  }

  /// Generates the store and all its files in a folder next to the final path, and then moves them
  /// to that path.
  ///
  /// No file appears under the final name until the store is complete. The main file is moved last.
  ///
  /// - Throws: A ``Refusal`` if there is a file at the path and `replacing` is `false`, or if the
  ///   store cannot be written.
  @discardableResult
  package func generate(
    at path: String,
    replacing: Bool = false,
    progress: (GenerationProgress) -> Void = { _ in }
  ) throws -> Result {
    let file = StoreFile(path: path)
    guard replacing || !file.exists else { throw Refusal.exists(path) }
    let folder = try BuildFolder(beside: path)
    let made = StoreFile(path: folder.path + "/" + file.name)
    try writer.write(StoreContents(dataset), to: made, progress: progress)
    try CopiedTriggers.make(dataset.recipe.origin?.triggers ?? [], in: made, dataset.layout)
    if let age = dataset.recipe.age {
      try StoreAging(age, dataset: dataset, store: made).play(progress: progress)
    }
    let answers = try AnswerKeyFile.write(for: dataset, of: made)
    let digest =
      dataset.recipe.age == nil
      ? nil : try Self.contentDigest(of: made, layout: dataset.layout)
    try moveIntoPlace(made, file, folder)
    return Result(
      file: file,
      answerKeys: answers.map { $0.path(of: file) },
      objectCount: dataset.entities.reduce(0) { $0 + $1.count },
      contentDigest: digest
    )
  }

  private func moveIntoPlace(_ made: StoreFile, _ file: StoreFile, _ folder: BuildFolder) throws {
    if file.exists {
      try file.remove()
      // Remove the replaced store's lists of duplicates and defects, because they do not describe
      // the new store.
      for answers in AnswerKeyFile.allCases {
        try? FileManager.default.removeItem(atPath: answers.path(of: file))
      }
    }
    let answers = AnswerKeyFile.allCases.map { ($0.path(of: made), $0.path(of: file)) }
    let pairs =
      [(made.supportFolder, file.supportFolder), (made.filesFolder, file.filesFolder)] + answers
      + [(made.wal, file.wal), (made.path, file.path)]
    for (source, target) in pairs where FileManager.default.fileExists(atPath: source) {
      try folder.move(source, to: target)
    }
  }
}

extension StoreGenerator {
  /// The SHA-256 of an aged store's content in lower-case hexadecimal digits, as in `digests.txt`.
  ///
  /// The digest covers all objects with their versions, and all relationships with their order, but
  /// not the location of rows in the file.
  package static func contentDigest(of store: StoreFile, layout: StoreLayout) throws -> String {
    let parts = try StoreContent(store: store, layout: layout)
      .digest(.keys(countsVersions: true)).parts
    let text = parts.map { "\($0.name) \($0.count) \($0.digest)\n" }.joined()
    return SHA256.hash(data: Array(text.utf8)).hexadecimal
  }
}

/// The expected digests of recipes' stores, from the file `digests.txt` next to the recipes.
///
/// Each line has the form of `sha256sum`: a SHA-256, two spaces and a name. The name `1M.sqlite` is
/// for the file that is generated from `1M.yaml` with the recipe's seed and counts. The name
/// `1M.content` is for the content of an aged store, whose bytes depend on SQLite.
package struct PublishedDigests: Equatable {
  private static let fileName = "digests.txt"
  private static let largestFile = 1 << 20

  private let digests: [String: String]

  /// Reads the file `digests.txt` next to a recipe; without that file, there are no published
  /// digests.
  ///
  /// - Throws: An error if the file cannot be read.
  package init(besideRecipe path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let path = folder + "/" + Self.fileName
    guard FileManager.default.fileExists(atPath: path) else {
      self.init(text: "")
      return
    }
    let bytes = try InputFile.bytes(path: path, limit: Self.largestFile)
    self.init(text: String(decoding: bytes, as: UTF8.self))
  }

  init(text: String) {
    var digests: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard parts.count == 2, parts[0].utf8.count == 64 else { continue }
      digests[String(parts[1].drop { $0 == " " || $0 == "*" })] = parts[0].lowercased()
    }
    self.digests = digests
  }

  /// The published digest of a recipe's store; `nil` if it is not published.
  ///
  /// The digest is valid only if the recipe has not been changed since it was read from its file.
  package func digest(of recipe: Recipe) -> String? {
    digests[recipe.name + (recipe.age == nil ? ".sqlite" : ".content")]
  }
}

/// A hidden folder next to a final path, in which files are created before they are moved into
/// place.
///
/// A lock on the folder is released when its process ends, so that the next run can recognize and
/// remove the folders of killed processes.
final class BuildFolder {
  private static let suffix = ".building"

  let path: String
  private let lock: Int32

  init(beside target: String) throws {
    let url = URL(fileURLWithPath: target)
    let parent = url.deletingLastPathComponent().path
    let prefix = ".\(url.lastPathComponent)\(Self.suffix)-"
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    } catch {
      throw Refusal.cannotWrite(target, reason: "its folder cannot be made")
    }
    Self.removeAbandoned(in: parent, prefix: prefix)
    let process = ProcessInfo.processInfo.processIdentifier
    var number = 0
    while true {
      let candidate = "\(parent)/\(prefix)\(process)-\(number)"
      if mkdir(candidate, 0o755) == 0 {
        if let lock = Self.locked(candidate) {
          (self.path, self.lock) = (candidate, lock)
          return
        }
      } else if errno != EEXIST {
        throw Refusal.cannotWrite(target)
      }
      number += 1
    }
  }

  /// Locks a folder and returns the lock's descriptor; `nil` if another process holds it or the
  /// folder is gone.
  private static func locked(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // Check that the folder still exists, because another process may have removed it before this
    // process locked it.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, access(path, F_OK) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    close(lock)
  }

  private static func removeAbandoned(in parent: String, prefix: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let lock = locked("\(parent)/\(name)") else { continue }
      try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
      close(lock)
    }
  }

  func move(_ source: String, to target: String) throws {
    if FileStatus(target, followingLinks: false)?.kind == .folder {
      try FileManager.default.removeItem(atPath: target)
    }
    guard rename(source, target) == 0 else {
      throw Refusal.cannotWrite(target)
    }
  }
}
