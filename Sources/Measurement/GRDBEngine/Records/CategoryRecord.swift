import DataModel
import Foundation
import GRDB
import PersistentStore

/// A category with its colour, from the second version on.
struct CategoryRecord: StoreRecord {
  static let attributes: [RecordAttribute] = [
    RecordAttribute("color", .string),
    RecordAttribute("id", .uuid),
    RecordAttribute("name", .string),
    RecordAttribute("sortOrder", .integer32),
  ]
  static let entity = "Category"
  static let databaseTableName = "ZCATEGORY"
  static let columns = [
    "Z_PK", "ZCOLOR", "ZID", "ZNAME", "ZSORTORDER",
  ]

  let key: Int64
  let color: String
  let id: UUID
  let name: String
  let sortOrder: Int64

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    color = try row.decode(atIndex: 1)
    id = try row.decode(atIndex: 2)
    name = try row.decode(atIndex: 3)
    sortOrder = try row.decode(atIndex: 4)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(color)
    digest.add(id)
    digest.add(name)
    digest.add(sortOrder)
  }
}
