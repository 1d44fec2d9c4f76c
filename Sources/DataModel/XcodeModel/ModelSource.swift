import Foundation

/// Reads models from whatever a developer has: Xcode's sources, compiled models, model files.
package enum ModelSource {
  private static let largestArchive = 64 << 20

  /// The versions of a model from an `.xcdatamodeld`, an `.xcdatamodel` or the XML in it, a `.momd`
  /// or `.mom`, a model file or a folder of model files.
  ///
  /// Throws a ``DataModelError`` with every problem of the source.
  package static func read(path: String) throws -> ModelFamily {
    switch fileExtension(of: path) {
    case "xcdatamodeld": try xcodeFamily(path: path)
    case "xcdatamodel", "xml": try xcodeModel(path: path)
    case "momd": try compiledFamily(path: path)
    case "mom": try compiledModel(path: path)
    case "yaml": ModelFamily(versions: [try ModelFile.read(path: path)])
    default: ModelFamily(versions: try ModelFolder.read(path: path))
    }
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
    return ModelFamily(versions: [schema], unknown: reader.unknown)
  }

  private static func compiledFamily(path: String) throws -> ModelFamily {
    let names = try FolderListing.names(of: path, endingWith: ".mom")
    var family = try merged(names.map { try compiledModel(path: path + "/" + $0) })
    let file = path + "/VersionInfo.plist"
    guard FileManager.default.fileExists(atPath: file) else { return family }
    let info = try VersionInfo(path: file)
    family.current = info.current
    family.versionHashes = info.hashes
    family.checksums = info.checksums
    family.unknown += info.unknown
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
    return ModelFamily(versions: families.flatMap(\.versions), unknown: unknown)
  }

  private static func fileExtension(of path: String) -> String {
    URL(fileURLWithPath: path).pathExtension.lowercased()
  }
}
