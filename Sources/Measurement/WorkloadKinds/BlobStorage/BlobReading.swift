import DataModel
import PersistentStore

/// The statements that read objects plainly, their columns in the order of the digest.
struct BlobReading {
  let shape: ObjectDigest.Shape
  let shapeWithoutBlob: ObjectDigest.Shape
  /// The result column of the blob, after the key's.
  let blobColumn: Int?
  let one: String
  let all: String
  let withoutBlobs: String

  init(_ model: BlobModel, _ table: BlobTable) {
    shape = model.digestShape(withBlob: true)
    shapeWithoutBlob = model.digestShape(withBlob: false)
    let names = model.properties(withBlob: true)
    blobColumn = names.firstIndex(of: model.blob).map { $0 + 1 }
    let columns = Dictionary(
      zip(model.attributes.map(\.name), table.columns),
      uniquingKeysWith: { first, _ in first }
    )
    let blob = table.separate.map { "t1.\($0.data)" } ?? "t0.\(table.blob)"
    let list = { (names: [String]) in
      names.map { name in ", " + (columns[name].map { "t0.\($0)" } ?? blob) }.joined()
    }
    let join =
      table.separate.map { " JOIN \($0.name) t1 ON t1.Z_PK = t0.\(table.blob)" } ?? ""
    all = "SELECT t0.Z_PK\(list(names)) FROM \(table.name) t0\(join)"
    one = all + " WHERE t0.Z_PK = ?"
    withoutBlobs =
      "SELECT t0.Z_PK\(list(model.properties(withBlob: false))) FROM \(table.name) t0"
  }
}
