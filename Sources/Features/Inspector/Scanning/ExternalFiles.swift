import Basics
import PersistentStore

/// The folder of a store's external data and the files in it that values reference.
final class ExternalFolder {
  private let path: String
  /// Whether the folder is a symbolic link, which could lead outside the store's folders.
  private let isLinked: Bool
  /// The hashes of the names of referenced files.
  private var names: Set<UInt64> = []
  private(set) var malformed = 0

  init(of store: StoreFile) {
    path = store.externalDataFolder
    isLinked = store.isExternalDataLinked
  }

  func refer(to name: String) { names.insert(Self.hash(name)) }
  func addMalformed() { malformed += 1 }

  /// Returns the number and the total size of the folder's files that no value references.
  func orphans() -> (count: Int, bytes: Int64) {
    var result = (count: 0, bytes: Int64(0))
    guard !isLinked, let listing = opendir(path) else { return result }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let size = Self.size(of: path + "/" + name), !names.contains(Self.hash(name)) else {
        continue
      }
      result.count += 1
      result.bytes += size
    }
    return result
  }

  /// Returns the size in bytes of a regular file in the folder; `nil` for a missing file or another
  /// kind of file.
  func size(of name: String) -> Int64? { isLinked ? nil : Self.size(of: path + "/" + name) }

  private static func size(of path: String) -> Int64? {
    guard let status = FileStatus(path, followingLinks: false), status.kind == .file else {
      return nil
    }
    return status.size
  }

  private static func hash(_ name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { Mixing.digest(of: UnsafeRawBufferPointer($0)) }
  }
}

struct ExternalFiles {
  private let folder: ExternalFolder
  private(set) var references = 0
  private(set) var missing = 0
  private(set) var bytes: Int64 = 0
  private(set) var sizes = QuantileSketch()

  init(_ folder: ExternalFolder) {
    self.folder = folder
  }

  /// Records a value that has the size of a reference to a file.
  ///
  /// Returns `false` if the value is not a reference but data of the same size.
  mutating func add(_ value: UnsafeRawBufferPointer) -> Bool {
    switch BlobContent.reference(value) {
    case .inline: return false
    case .malformed:
      folder.addMalformed()
      return false
    case .file(let name):
      references += 1
      folder.refer(to: name)
      guard let size = folder.size(of: name) else {
        missing += 1
        return true
      }
      bytes &+= size
      sizes.add(Double(size))
      return true
    }
  }

  var survey: EntitySurvey.Attribute.External {
    EntitySurvey.Attribute.External(
      references: references,
      missing: missing,
      bytes: bytes,
      sizes: DistributionSurvey(sizes)
    )
  }
}
