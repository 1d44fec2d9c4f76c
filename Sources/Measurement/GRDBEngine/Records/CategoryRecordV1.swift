import DataModel
import Foundation
import GRDB
import PersistentStore

/// A category before it had a colour.
struct CategoryRecordV1: StoreRecord {
  static let attributes: [RecordAttribute] = [
    RecordAttribute("id", .uuid),
    RecordAttribute("name", .string),
    RecordAttribute("sortOrder", .integer32),
  ]
  static let entity = "Category"
  static let databaseTableName = "ZCATEGORY"
  static let columns = [
    "Z_PK", "ZID", "ZNAME", "ZSORTORDER",
  ]

  let key: Int64
  let id: UUID
  let name: String
  let sortOrder: Int64

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    id = try row.decode(atIndex: 1)
    name = try row.decode(atIndex: 2)
    sortOrder = try row.decode(atIndex: 3)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(id)
    digest.add(name)
    digest.add(sortOrder)
  }
}
