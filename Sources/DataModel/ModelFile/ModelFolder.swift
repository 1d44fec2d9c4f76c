import Foundation

/// A folder of model files: the versions of one model, `v1.yaml`, `v2.yaml` and so on.
package enum ModelFolder {
  /// The versions in the order of their names, numbers by value: `v2` before `v10`.
  ///
  /// Throws a ``DataModelError`` with the problems of all files.
  package static func read(path: String) throws -> [VersionedSchema] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      guard FileManager.default.fileExists(atPath: path) else {
        throw DataModelError.noSuchFile(path: path)
      }
      throw DataModelError.unreadable(path: path, reason: "it is not a folder that can be listed")
    }
    let files = names.filter { !$0.hasPrefix(".") && $0.hasSuffix(".yaml") }.sorted(by: precedes)
    guard !files.isEmpty else {
      throw DataModelError.unreadable(path: path, reason: "it holds no model file (*.yaml)")
    }
    var schemas: [VersionedSchema] = []
    var problems: [Diagnostic] = []
    for file in files {
      let diagnostics = Diagnostics(file: path + "/" + file)
      if let schema = try ModelFile.read(path: diagnostics.file, into: diagnostics) {
        schemas.append(schema)
      }
      if diagnostics.hasErrors { problems += diagnostics.all }
    }
    guard problems.isEmpty else { throw DataModelError.invalid(problems) }
    return schemas
  }

  /// Whether a file name comes first, with runs of digits compared as numbers.
  static func precedes(_ first: String, _ second: String) -> Bool {
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
