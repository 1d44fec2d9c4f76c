import Basics
import Foundation
import Synchronization

/// Reads models from Xcode's sources, compiled models, model files and Swift source.
package enum ModelSource {
  private static let largestArchive = 16 << 20
  private static let versionInfo = "VersionInfo.plist"

  /// Reads the versions of a model from a file or a folder.
  ///
  /// The path names one of these sources:
  /// - Xcode's model: an `.xcdatamodeld`, an `.xcdatamodel`, or its `contents` or `elements` file;
  /// - a compiled model: a `.momd` or a `.mom`;
  /// - a model file, a lock file or Swift source;
  /// - a folder of model files, or a folder that contains any of the other sources.
  ///
  /// `Model.xcdatamodeld#v2` names a single version. Versions that cannot be read are listed as the
  /// family's failures. If no version can be read, throws a ``Refusal`` or an ``InvalidInput`` with
  /// every problem of the source.
  package static func read(path: String) throws -> ModelFamily {
    let (file, version) = parts(of: path)
    if let version { return try read(path: file).only(version, path: file) }
    switch fileExtension(of: path) {
    case "xcdatamodeld": return try xcodeFamily(path: path)
    case "xcdatamodel", "xml": return try xcodeModel(path: path)
    case "momd": return try compiledFamily(path: path)
    case "mom": return try compiledModelAlone(path: path)
    case "swift": return try swiftFamily(path: path)
    case "lock": return try VersionsFile.read(path: path)
    case "yaml", "yml": return ModelFamily(versions: [try ModelFile.read(path: path)])
    case "" where ["contents", "elements"].contains { path.hasSuffix("/" + $0) || path == $0 }:
      return try xcodeModel(path: path)
    default:
      if let kind = MistakenFile(path: path) { throw kind.error(path: path) }
      return try folder(path: path)
    }
  }

  private static func folder(path: String) throws -> ModelFamily {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let hasFiles = names.contains { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
    let sources = hasFiles ? [] : searched(path)
    guard let source = sources.first else {
      if holdsSwift(path) { return try swiftFamily(path: path) }
      return ModelFamily(versions: try ModelFile.readFolder(path: path))
    }
    guard sources.count == 1 else {
      let shown = sources.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
      throw Refusal.cannotRead(
        path,
        reason: "it holds \(sources.count) models; name one of them: \(shown)"
      )
    }
    return try read(path: source)
  }

  private static func searched(_ path: String) -> [String] {
    (try? sources(below: path)) ?? []
  }

  private static func xcodeFamily(path: String) throws -> ModelFamily {
    let names = try Self.names(of: path, endingWith: ".xcdatamodel")
    var family = try merged(names.map { path + "/" + $0 }, read: xcodeModel)
    let pointer = path + "/.xccurrentversion"
    if FileManager.default.fileExists(atPath: pointer) {
      family.readCurrent(".xccurrentversion") {
        let name = try PropertyList(path: pointer).dictionary?["_XCCurrentVersionName"]
        return name?.string.map(ModelFile.versionName)
      }
    } else if names.count == 1 {
      family.current = family.versions[0].name
    }
    family.noteCurrent(says: ".xccurrentversion")
    return family
  }

  private static func xcodeModel(path: String) throws -> ModelFamily {
    let file = try modelFile(in: path)
    let diagnostics = Diagnostics(file: file)
    var reader = XcodeModelReader(diagnostics: diagnostics)
    let bytes = try InputFile.bytes(path: file, limit: largestArchive)
    let isArchive = bytes.starts(with: Array("bplist".utf8)) || file.hasSuffix("/elements")
    let root =
      isArchive ? try LegacyModelReader.markup(bytes) : MarkupReader.parse(bytes, into: diagnostics)
    guard let model = root.flatMap({ reader.model($0) }), !diagnostics.hasErrors else {
      throw InvalidInput(diagnostics.all)
    }
    let schema = VersionedSchema(name: ModelFile.versionName(of: path), model: model)
    var family = ModelFamily(versions: [schema], unknown: reader.unknown)
    family.unusual = reader.unusual
    family.isUsedWithCloudKit = reader.isUsedWithCloudKit
    return family
  }

  private static func modelFile(in path: String) throws -> String {
    guard isFolder(path) else { return path }
    let inside = (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
    if let name = ["contents", "elements"].first(where: inside.contains) {
      return path + "/" + name
    }
    let nested = inside.filter { $0.hasSuffix(".xcdatamodel") }
    if nested.count == 1,
      let name = ["contents", "elements"].first(where: { name in
        FileManager.default.fileExists(atPath: "\(path)/\(nested[0])/\(name)")
      })
    {
      return "\(path)/\(nested[0])/\(name)"
    }
    throw Refusal.wrongContent(
      path: path,
      reason: "there is no model in it: it has neither the file 'contents' nor the file 'elements' "
        + "of old Xcode versions"
    )
  }

  private static func isFolder(_ path: String) -> Bool { FileStatus(path)?.kind == .folder }

  private static func compiledFamily(path: String) throws -> ModelFamily {
    let names: [String]
    do {
      names = try Self.names(of: path, endingWith: ".mom")
    } catch let error {
      let all = try? FileManager.default.contentsOfDirectory(atPath: path)
      guard all?.contains(where: { $0.hasSuffix(".omo") }) == true else { throw error }
      throw Refusal.wrongContent(
        path: path,
        reason: "it holds only optimized models (*.omo); give the .xcdatamodeld or a .mom instead"
      )
    }
    var family = try merged(names.map { path + "/" + $0 }, read: compiledModel)
    family.add(from: path + "/" + versionInfo)
    family.noteCurrent(says: versionInfo)
    return family
  }

  private static func compiledModelAlone(path: String) throws -> ModelFamily {
    var family = try compiledModel(path: path)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    family.add(from: folder + "/" + versionInfo)
    return family
  }

  private static func compiledModel(path: String) throws -> ModelFamily {
    // Reject folders: a symbolic link named like a compiled model may even refer to a parent
    // folder.
    if isFolder(path) {
      throw Refusal.wrongContent(path: path, reason: "it is a folder, not a compiled model")
    }
    let content = try content(InputFile.bytes(path: path, limit: largestArchive), path: path)
    let schema = VersionedSchema(name: ModelFile.versionName(of: path), model: content.model)
    var family = ModelFamily(versions: [schema], unknown: content.unknown)
    family.unusual = content.unusual
    return family
  }

  private static func content(_ bytes: [UInt8], path: String) throws -> ModelArchive.Content {
    do {
      return try ModelArchive.read(bytes)
    } catch let error where error is Refusal || error is InvalidInput {
      throw Refusal.wrongContent(path: path, reason: "\(error)")
    }
  }

  private static func merged(
    _ paths: [String],
    read: (String) throws -> ModelFamily
  ) throws -> ModelFamily {
    var family = ModelFamily(versions: [])
    var firstError: (any Error)?
    for path in paths {
      do {
        let version = try read(path)
        try version.requireSound(path: path)
        let name = version.versions[0].name
        let prefix = paths.count > 1 ? "\(name): " : ""
        family.versions += version.versions
        family.unknown += version.unknown.map { prefix + $0 }
        family.unusual += version.unusual.map { prefix + $0 }
        if version.isUsedWithCloudKit { family.isUsedWithCloudKit = true }
      } catch {
        firstError = firstError ?? error
        let name = ModelFile.versionName(of: path)
        family.failures.append(ModelFamily.Failure(version: name, reason: "\(error)"))
      }
    }
    if family.versions.isEmpty, let firstError { throw firstError }
    return family
  }

  private static func fileExtension(of path: String) -> String {
    URL(fileURLWithPath: path).pathExtension.lowercased()
  }
}

extension ModelFamily {
  /// Throws ``InvalidInput`` with the errors of the first version that has any.
  package func requireSound(path: String) throws {
    for version in versions {
      let errors = version.model.errors
      guard errors.isEmpty else {
        throw InvalidInput(
          errors.map { Diagnostic(file: "\(path) (\(version.name))", message: $0) }
        )
      }
    }
  }

  fileprivate mutating func add(from file: String) {
    guard FileManager.default.fileExists(atPath: file) else { return }
    do {
      let info = try VersionInfo(path: file)
      let names = Set(versions.map(\.name))
      current = info.current.flatMap { names.contains($0) || versions.count > 1 ? $0 : nil }
      versionHashes = info.hashes.filter { names.contains($0.key) }
      unknown += info.unknown
    } catch {
      unusual.append("VersionInfo.plist: \(error); the models are read without version hashes")
    }
  }

  fileprivate mutating func readCurrent(_ source: String, _ read: () throws -> String?) {
    do { current = try read() } catch {
      unusual.append("\(source): \(error); it is ignored")
    }
  }

  fileprivate mutating func noteCurrent(says source: String) {
    guard let last = versions.last?.name else { return }
    if let name = current, version(named: name) == nil {
      let isBroken = failures.contains { $0.version == name }
      let state = isBroken ? "cannot be read" : "is not there"
      unusual.append(
        "\(source): the current version '\(name)' \(state); '\(last)', the last by name, is used"
      )
      current = nil
    } else if current == nil, versions.count > 1 {
      unusual.append(
        "\(source): it is missing or does not name the current version; '\(last)', the last by "
          + "name, is used"
      )
    }
  }
}

/// A compiled model's `VersionInfo.plist`: the version hashes that Apple's compiler computed.
package struct VersionInfo: Hashable, Sendable {
  package let current: String?
  /// The 32-byte version hash of each entity, by version name.
  package let hashes: [String: [String: [UInt8]]]
  /// One sentence for each unknown part of the file, with the action taken.
  package let unknown: [String]

  /// Reads a `VersionInfo.plist`.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read or a hash is invalid.
  package init(path: String) throws {
    let list = try PropertyList(path: path)
    guard let fields = list.dictionary,
      let versions = fields["NSManagedObjectModel_VersionHashes"]?.dictionary
    else { throw Refusal.wrongContent(path: path, reason: "it contains no version hashes") }
    current = fields["NSManagedObjectModel_CurrentVersionName"]?.string
    var hashes: [String: [String: [UInt8]]] = [:]
    for (version, entities) in versions {
      let found = entities.dictionary?.compactMapValues(\.data).filter { $0.value.count == 32 }
      guard let found, found.count == entities.dictionary?.count else {
        throw Refusal.cannotRead(
          path,
          reason: "the version hashes of '\(version)' are not 32 bytes each"
        )
      }
      hashes[version] = found
    }
    self.hashes = hashes
    let known: Set<String> = [
      "NSManagedObjectModel_CurrentVersionName", "NSManagedObjectModel_VersionHashes",
      "NSManagedObjectModel_VersionChecksums",
    ]
    unknown = fields.keys.sorted().filter { !known.contains($0) }.map {
      "VersionInfo.plist: the key \($0) is unknown; ignored"
    }
  }
}

extension ModelSource {
  /// Splits a path such as `schema.lock#SchemaV1` into the source and the version's name.
  package static func parts(of path: String) -> (file: String, version: String?) {
    guard let mark = path.lastIndex(of: "#"), !FileManager.default.fileExists(atPath: path) else {
      return (path, nil)
    }
    return (String(path[..<mark]), String(path[path.index(after: mark)...]))
  }

  /// Advice for a user who gave a model where a recipe or a store is expected; `nil` if there is no
  /// file, or if its name is not that of an Xcode model, a compiled model or a Swift file.
  package static func remedy(forModelAt path: String) -> String? {
    let file = parts(of: path).file
    let models = ["xcdatamodeld", "xcdatamodel", "momd", "mom", "swift"]
    guard models.contains(fileExtension(of: file)), FileManager.default.fileExists(atPath: file)
    else { return nil }
    let command = "storebench new recipe NAME --store \(ShellWord.quoted(path))"
    return "it is a model: write '\(command)', and name the recipe"
  }
}

extension ModelFamily {
  fileprivate func only(_ name: String, path: String) throws -> ModelFamily {
    guard let version = version(named: name) else {
      let names = versions.map(\.name)
      throw Refusal.badInput(
        "'\(path)' has no version '\(name)'; it has \(names.joined(separator: ", "))"
      )
    }
    var family = self
    (family.versions, family.current) = ([version], name)
    return family
  }
}

extension ModelSource {
  /// A function that reads the models of a `.swift` file or a folder of such files.
  package typealias SwiftReader = @Sendable (_ path: String) throws -> ModelFamily

  private static let swiftReader = Mutex<SwiftReader?>(nil)

  /// Registers the reader of Swift source, so that all commands can read models from it.
  ///
  /// A program with a parser calls this once.
  package static func readSwift(with reader: @escaping SwiftReader) {
    swiftReader.withLock { $0 = reader }
  }

  /// The error for Swift source if the program has no parser.
  package static func lacksParser(path: String) -> Refusal {
    .badInput(
      "'\(path)' is Swift source, and this storebench was built without the parser: 'make install' "
        + "in its folder installs one with it"
    )
  }

  private static func swiftFamily(path: String) throws -> ModelFamily {
    guard FileManager.default.fileExists(atPath: path) else { throw Refusal.noSuchFile(path: path) }
    guard let reader = swiftReader.withLock({ $0 }) else { throw lacksParser(path: path) }
    return try reader(path)
  }

  /// Whether a folder contains a `.swift` file; the number of entries and the depth searched are
  /// limited.
  package static func holdsSwift(_ folder: String) -> Bool {
    var left = mostEntries
    func visit(_ folder: String, depth: Int) -> Bool {
      var folders: [String] = []
      for name in (try? entries(of: folder, isTop: false)) ?? [] {
        left -= 1
        guard left > 0 else { return false }
        let path = folder + "/" + name
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type]
        if kind as? FileAttributeType == .typeDirectory {
          folders.append(path)
        } else if name.hasSuffix(".swift") {
          return true
        }
      }
      return depth < deepest && folders.contains { visit($0, depth: depth + 1) }
    }
    return visit(folder, depth: 0)
  }
}

extension ModelSource {
  private static let deepest = 8
  private static let mostEntries = 20_000

  /// The sorted paths of Xcode's sources and of compiled models.
  ///
  /// The versions of a model family share one path, and links are not followed. If a folder with
  /// Swift sources is too large, only the paths found before the limit are returned.
  ///
  /// - Throws: ``Refusal`` if the folder cannot be listed, or is too large and has no Swift source.
  package static func sources(below folder: String) throws -> [String] {
    var found: [String] = []
    var seen = 0
    func visit(_ folder: String, depth: Int) throws {
      for name in try entries(of: folder, isTop: depth == 0) {
        seen += 1
        guard seen <= mostEntries else {
          throw Refusal.cannotRead(
            folder,
            reason: "there are more than \(mostEntries) files to search; name the model itself"
          )
        }
        let path = folder + "/" + name
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type]
        let isFolder = kind as? FileAttributeType == .typeDirectory
        if isSource(name, isFolder: isFolder) {
          found.append(path)
        } else if isFolder, depth < deepest {
          try visit(path, depth: depth + 1)
        }
      }
    }
    do {
      try visit(folder, depth: 0)
    } catch {
      // Ignore the limit if the folder contains Swift source, which can be read as a model.
      guard holdsSwift(folder) else { throw error }
    }
    return found
  }

  private static func isSource(_ name: String, isFolder: Bool) -> Bool {
    let suffix = URL(fileURLWithPath: name).pathExtension.lowercased()
    return isFolder
      ? ["xcdatamodeld", "xcdatamodel", "momd"].contains(suffix)
      : suffix == "mom" || name == "contents.xml"
  }

  private static func entries(of folder: String, isTop: Bool) throws -> [String] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      return names.filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      guard isTop else { return [] }
      throw Refusal.cannotRead(folder, reason: "it is not a folder that can be listed")
    }
  }
}

extension ModelSource {
  /// The names with the given suffix, `v2` before `v10`, without hidden files.
  ///
  /// Throws a ``Refusal`` if the folder cannot be listed or contains no such files.
  static func names(of path: String, endingWith suffix: String) throws -> [String] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      guard FileManager.default.fileExists(atPath: path) else {
        throw Refusal.noSuchFile(path: path)
      }
      throw Refusal.cannotRead(path, reason: "it is not a folder that can be listed")
    }
    let found = names.filter { !$0.hasPrefix(".") && $0.hasSuffix(suffix) }
    guard !found.isEmpty else {
      throw Refusal.wrongContent(path: path, reason: "it contains no model (*\(suffix))")
    }
    let endless = found.map { String($0.dropLast(suffix.count)) }.sorted(by: precedes)
    return endless.map { $0 + suffix }
  }

  private static func precedes(_ first: String, _ second: String) -> Bool {
    let (left, right) = (pieces(first), pieces(second))
    for (one, other) in zip(left, right) where one != other {
      if let number = Int(one), let otherNumber = Int(other), number != otherNumber {
        return number < otherNumber
      }
      return one.utf8.lexicographicallyPrecedes(other.utf8)
    }
    return left.count < right.count
  }

  private static func pieces(_ name: String) -> [String] {
    var pieces: [String] = []
    var wasDigit: Bool?
    for character in name {
      let isDigit = ("0"..."9").contains(character)
      if isDigit == wasDigit {
        pieces[pieces.count - 1].append(character)
      } else {
        pieces.append(String(character))
      }
      wasDigit = isDigit
    }
    return pieces
  }
}
