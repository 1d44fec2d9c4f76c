import Basics

/// Why a model or another input file could not be read.
package enum DataModelError: Error, Equatable, CustomStringConvertible {
  case noSuchFile(path: String)
  case unreadable(path: String, reason: String)
  case tooLarge(path: String, limit: Int)
  case damagedPropertyList(PropertyList.Fault)
  /// A keyed archive that holds no model, or one that contradicts itself.
  case damagedArchive(reason: String)
  /// Problems of one or more files, at least one of them an error.
  case invalid([Diagnostic])

  /// Why an input file could not be read, as this module's error.
  package init(_ failure: InputFile.Failure, path: String) {
    self =
      switch failure {
      case .missing: .noSuchFile(path: path)
      case .tooLarge(let limit): .tooLarge(path: path, limit: limit)
      default: .unreadable(path: path, reason: failure.reason)
      }
  }

  package var description: String {
    switch self {
    case .noSuchFile(let path): "no such file: '\(path)'"
    case .unreadable(let path, let reason): "cannot read '\(path)': \(reason)"
    case .tooLarge(let path, let limit):
      "cannot read '\(path)': it is larger than \(limit) bytes, the most allowed for such a file"
    case .damagedPropertyList(let fault): "the binary property list is damaged: \(fault)"
    case .damagedArchive(let reason): "the archived model is damaged: \(reason)"
    case .invalid(let diagnostics): diagnostics.map(\.description).joined(separator: "\n")
    }
  }
}

extension InputFile {
  /// The file's bytes; throws a ``DataModelError``.
  package static func bytes(path: String, limit: Int) throws(DataModelError) -> [UInt8] {
    do { return try bytes(of: path, limit: limit) } catch {
      throw DataModelError(error, path: path)
    }
  }

  /// The file's text; throws a ``DataModelError``.
  package static func text(path: String, limit: Int) throws(DataModelError) -> String {
    do { return try text(of: path, limit: limit) } catch { throw DataModelError(error, path: path) }
  }
}
