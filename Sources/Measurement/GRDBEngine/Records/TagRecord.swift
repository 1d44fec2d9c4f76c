import DataModel
import GRDB
import PersistentStore

/// A tag of any version.
struct TagRecord: StoreRecord {
  static let attributes: [RecordAttribute] = [
    RecordAttribute("name", .string)
  ]
  static let entity = "Tag"
  static let databaseTableName = "ZTAG"
  static let columns = [
    "Z_PK", "ZNAME",
  ]

  let key: Int64
  let name: String

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    name = try row.decode(atIndex: 1)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(name)
  }
}
