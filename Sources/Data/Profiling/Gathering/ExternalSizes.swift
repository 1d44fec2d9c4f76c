import Foundation
import PersistentStore
import SQLite

/// The sizes of blobs that external storage keeps in the row or in files.
struct ExternalSizes {
  let store: StoreFile

  /// Each different size with its count; a blob whose file is missing has none.
  func counts(_ values: Statement) throws -> ValueCounts {
    var counts: [Double: Int] = [:]
    while try values.step() {
      guard values.storageClass(at: 0) == .blob,
        let size = values.withBytes(at: 0, { size(of: $0) })
      else { continue }
      counts[Double(size), default: 0] += 1
    }
    return ValueCounts(counts)
  }

  private func size(of bytes: UnsafeRawBufferPointer) -> Int? {
    switch BlobContent.reference(bytes) {
    case .inline: return bytes.count - 1
    case .malformed: return nil
    case .file(let name):
      let path = store.externalDataFolder + "/" + name
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
      return (attributes?[.size] as? NSNumber)?.intValue
    }
  }
}
