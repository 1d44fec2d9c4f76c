import Foundation

/// Reads models from whatever a developer has: Xcode's sources, compiled models, model files.
package enum ModelSource {
  private static let largestArchive = 16 << 20
  private static let versionInfo = "VersionInfo.plist"

  /// The versions of a model from an `.xcdatamodeld`, an `.xcdatamodel` or the XML in it, a `.momd`
  /// or `.mom`, a model file, a folder of model files, or a folder with one of the others below it.
  ///
  /// Throws a ``DataModelError`` with every problem of the source.
  package static func read(path: String) throws -> ModelFamily {
    switch fileExtension(of: path) {
    case "xcdatamodeld": try xcodeFamily(path: path)
    case "xcdatamodel", "xml": try xcodeModel(path: path)
    case "momd": try compiledFamily(path: path)
    case "mom": try compiledModelAlone(path: path)
    case "yaml", "yml": ModelFamily(versions: [try ModelFile.read(path: path)])
    case "" where path.hasSuffix("/contents"): try xcodeModel(path: path)
    default: try folder(path: path)
    }
  }

  private static func folder(path: String) throws -> ModelFamily {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let sources = names.contains { $0.hasSuffix(".yaml") } ? [] : searched(path)
    guard let source = sources.first else {
      return ModelFamily(versions: try ModelFolder.read(path: path))
    }
    guard sources.count == 1 else {
      let shown = sources.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
      throw DataModelError.unreadable(
        path: path,
        reason: "it holds \(sources.count) models; name one of them: \(shown)"
      )
    }
    return try read(path: source)
  }

  private static func searched(_ path: String) -> [String] {
    (try? ModelSearch.sources(below: path)) ?? []
  }

  private static func xcodeFamily(path: String) throws -> ModelFamily {
    let names = try FolderListing.names(of: path, endingWith: ".xcdatamodel")
    var family = try merged(names.map { try xcodeModel(path: path + "/" + $0) })
    let pointer = path + "/.xccurrentversion"
    if FileManager.default.fileExists(atPath: pointer) {
      let name = try PropertyListFile.read(path: pointer).dictionary?["_XCCurrentVersionName"]
      family.current = name?.string.map(ModelFile.versionName)
    } else if family.versions.count == 1 {
      family.current = family.versions[0].name
    }
    family.noteCurrent(says: ".xccurrentversion")
    return family
  }

  private static func xcodeModel(path: String) throws -> ModelFamily {
    // An .xcdatamodel is a folder with the XML in it; the XML may also stand alone.
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    let file = exists && !isFolder.boolValue ? path : path + "/contents"
    let diagnostics = Diagnostics(file: file)
    var reader = XcodeModelReader(diagnostics: diagnostics)
    let model = try MarkupReader.read(path: file, into: diagnostics).flatMap { reader.model($0) }
    guard let model, !diagnostics.hasErrors else { throw DataModelError.invalid(diagnostics.all) }
    let schema = VersionedSchema(name: ModelFile.versionName(of: path), model: model)
    var family = ModelFamily(versions: [schema], unknown: reader.unknown)
    family.isUsedWithCloudKit = reader.isUsedWithCloudKit
    return family
  }

  private static func compiledFamily(path: String) throws -> ModelFamily {
    let names: [String]
    do {
      names = try FolderListing.names(of: path, endingWith: ".mom")
    } catch let error {
      let all = try? FileManager.default.contentsOfDirectory(atPath: path)
      guard all?.contains(where: { $0.hasSuffix(".omo") }) == true else { throw error }
      throw DataModelError.unreadable(
        path: path,
        reason: "it holds only optimised models (*.omo); give the .xcdatamodeld or a .mom instead"
      )
    }
    var family = try merged(names.map { try compiledModel(path: path + "/" + $0) })
    let file = path + "/" + versionInfo
    guard FileManager.default.fileExists(atPath: file) else { return family }
    family.add(try VersionInfo(path: file))
    family.noteCurrent(says: versionInfo)
    return family
  }

  /// A `.mom`, with what the VersionInfo.plist beside it says of it.
  private static func compiledModelAlone(path: String) throws -> ModelFamily {
    var family = try compiledModel(path: path)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let file = folder + "/" + versionInfo
    guard FileManager.default.fileExists(atPath: file) else { return family }
    family.add(try VersionInfo(path: file))
    return family
  }

  private static func compiledModel(path: String) throws -> ModelFamily {
    let bytes = try InputFile.bytes(path: path, limit: largestArchive)
    let (model, unknown) = try ModelArchive.read(bytes)
    let schema = VersionedSchema(name: ModelFile.versionName(of: path), model: model)
    return ModelFamily(versions: [schema], unknown: unknown)
  }

  private static func merged(_ families: [ModelFamily]) throws -> ModelFamily {
    let unknown = families.flatMap { family in
      family.unknown.map { "\(family.versions[0].name): \($0)" }
    }
    var family = ModelFamily(versions: families.flatMap(\.versions), unknown: unknown)
    family.isUsedWithCloudKit = families.contains(where: \.isUsedWithCloudKit)
    return family
  }

  private static func fileExtension(of path: String) -> String {
    URL(fileURLWithPath: path).pathExtension.lowercased()
  }
}

extension ModelFamily {
  /// Takes over the hashes of the versions that are there.
  fileprivate mutating func add(_ info: VersionInfo) {
    let names = Set(versions.map(\.name))
    current = info.current.flatMap { names.contains($0) || versions.count > 1 ? $0 : nil }
    versionHashes = info.hashes.filter { names.contains($0.key) }
    checksums = info.checksums.filter { names.contains($0.key) }
    unknown += info.unknown
  }

  /// Says where the source leaves open which version is current, or names one that is not there.
  fileprivate mutating func noteCurrent(says source: String) {
    if let name = current, version(named: name) == nil {
      unknown.append("\(source): the current version '\(name)' is not there")
      current = nil
    } else if current == nil, versions.count > 1 {
      unknown.append("\(source): it is missing or does not say which version is current")
    }
  }
}
