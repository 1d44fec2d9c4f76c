import DataModel
import PersistentStore
import SQLite

/// Takes the attributes of a shape out of rows whose first column is the key.
final class BareRowReader {
  private let shape: ObjectDigest.Shape
  /// The attributes with a marker byte before their data.
  private let external: Set<Int>
  private let folder: String
  private(set) var files = FileBytes()

  var width: Int { shape.properties.count }
  var readsFiles: Bool { !external.isEmpty }

  init(_ shape: ObjectDigest.Shape, store: PersistentStore) {
    self.shape = shape
    folder = store.file.externalDataFolder
    external = Set(
      shape.properties.indices.filter { index in
        guard
          case .attribute(let attribute) = store.layout.column(
            of: shape.properties[index],
            in: shape.entity
          )?.content
        else { return false }
        return attribute.allowsExternalStorage
      }
    )
  }

  @inline(__always)
  func append(_ row: Statement, to values: inout [Value]) {
    for column in 0..<width { values.append(row.value(at: column + 1)) }
  }

  /// The digest of a row's values, files of external storage read for it.
  func digest(_ key: Int64, _ values: ArraySlice<Value>) throws -> UInt64 {
    var digest = ObjectDigest(shape, key: key)
    for (index, value) in zip(0..<width, values) {
      if case .blob(let bytes) = value, external.contains(index) {
        digest.add(.blob(try content(of: bytes)))
      } else {
        digest.add(value)
      }
    }
    return digest.value
  }

  private func content(of column: [UInt8]) throws -> [UInt8] {
    guard let name = ExternalStorage.fileName(in: column) else { return Array(column.dropFirst()) }
    return try files.read(folder + "/" + name)
  }
}
