import DataModel
import Foundation

/// Reads and writes the blobs that external storage keeps in files (coredata-format.md, section 8).
///
/// The first byte of a column shows where its data is. After 0x01, the data itself follows; after
/// 0x02, the file's name: a UUID of 36 characters in upper case, ended by 0x00.
package final class ExternalStorage {
  package static let inlinePrefix: [UInt8] = [0x01]
  static let referencePrefix: UInt8 = 0x02
  static let referenceLength = 38

  private let folder: String
  private let behaviours: StoreBehaviours
  private let identifiers: IdentifierSource
  private var files = FileBytes()
  private var folderExists = false
  private var made: [String] = []
  private var abandoned: [String] = []

  init(folder: String, behaviours: StoreBehaviours, identifiers: IdentifierSource) {
    self.folder = folder
    self.behaviours = behaviours
    self.identifiers = identifiers
  }

  package var counters: FileBytes.Counters { files.counters }

  /// Returns the name of the file that a column's bytes refer to, or `nil` for inline data.
  ///
  /// Only characters of a UUID are accepted, so that an untrusted store cannot refer to a file
  /// elsewhere.
  package static func fileName(in column: [UInt8]) -> String? {
    guard column.count == referenceLength, column.first == referencePrefix, column.last == 0 else {
      return nil
    }
    let name = column[1..<37]
    let isUUID = name.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || $0 == 0x2d
    }
    return isUUID ? String(decoding: name, as: UTF8.self) : nil
  }

  /// Returns the column bytes that refer to a file.
  package static func reference(to name: String) -> [UInt8] {
    [referencePrefix] + Array(name.utf8) + [0]
  }

  /// The number of reads of missing files, as in stores copied without their _SUPPORT folder
  /// (coredata-format.md, section 16).
  package private(set) var missingFiles = 0

  func resolve(_ column: [UInt8], in object: ManagedObject, slot: Int) throws -> Value {
    guard let first = column.first else { return .blob([]) }
    guard first == Self.referencePrefix else { return .blob(Array(column.dropFirst())) }
    if let bytes = object.externalData[slot] { return .blob(bytes) }
    guard let bytes = try read(column) else { return .null }
    object.externalData[slot] = bytes
    return .blob(bytes)
  }

  private func read(_ column: [UInt8]) throws -> [UInt8]? {
    guard let name = Self.fileName(in: column) else {
      throw ObjectContextError.unreadableExternalData(path: folder)
    }
    let bytes = try files.readIfPresent(folder + "/" + name)
    if bytes == nil { missingFiles += 1 }
    return bytes
  }

  func loadAll(of object: ManagedObject) throws {
    for slot in object.description.externalSlots {
      guard case .blob(let column) = object.values[slot], column.first == Self.referencePrefix
      else { continue }
      object.externalData[slot] = try read(column)
    }
  }

  func prepareForSaving(_ object: ManagedObject) throws {
    for slot in object.description.externalSlots {
      abandonFile(of: object, slot: slot, unless: object.values[slot])
      guard case .blob(let column) = object.values[slot],
        column.first == Self.inlinePrefix[0],
        column.count - 1 > behaviours.externalStorageThreshold
      else { continue }
      let name = identifiers.next()
      try makeFolder()
      try column.withUnsafeBytes {
        try files.write(
          UnsafeRawBufferPointer(rebasing: $0[1...]),
          to: folder + "/" + name,
          durable: behaviours.syncsExternalFiles
        )
      }
      made.append(folder + "/" + name)
      object.values[slot] = .blob(Self.reference(to: name))
      object.externalData[slot] = nil
    }
  }

  func prepareForDeleting(_ object: ManagedObject) {
    for slot in object.description.externalSlots {
      abandonFile(of: object, slot: slot, unless: .null)
    }
  }

  private func abandonFile(of object: ManagedObject, slot: Int, unless current: Value) {
    let saved = object.snapshot ?? (object.isInserted ? [] : Array(object.values))
    guard saved.indices.contains(slot), saved[slot] != current,
      case .blob(let column) = saved[slot],
      let name = Self.fileName(in: column)
    else { return }
    abandoned.append(folder + "/" + name)
  }

  func didCommit() throws {
    for path in abandoned { try files.remove(path) }
    abandoned = []
    made = []
  }

  func didFail() throws {
    for path in made { try files.remove(path) }
    abandoned = []
    made = []
  }

  private func makeFolder() throws {
    guard !folderExists else { return }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    folderExists = true
  }
}
