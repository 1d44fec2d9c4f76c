import DataModel
import Foundation
import GRDB
import PersistentStore

/// A project of any version.
struct ProjectRecord: StoreRecord {
  static let attributes: [RecordAttribute] = [
    RecordAttribute("createdAt", .date),
    RecordAttribute("id", .uuid),
    RecordAttribute("isArchived", .boolean),
    RecordAttribute("name", .string),
    RecordAttribute("sortOrder", .integer32),
    RecordAttribute("summary", .string),
  ]
  static let entity = "Project"
  static let databaseTableName = "ZPROJECT"
  static let columns = [
    "Z_PK", "ZCREATEDAT", "ZID", "ZISARCHIVED", "ZNAME", "ZSORTORDER", "ZSUMMARY",
  ]

  let key: Int64
  let createdAt: Double
  let id: UUID
  let isArchived: Bool
  let name: String
  let sortOrder: Int64
  let summary: String?

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    createdAt = try row.decode(atIndex: 1)
    id = try row.decode(atIndex: 2)
    isArchived = try row.decode(atIndex: 3)
    name = try row.decode(atIndex: 4)
    sortOrder = try row.decode(atIndex: 5)
    summary = try row.decode(atIndex: 6)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(date: createdAt)
    digest.add(id)
    digest.add(isArchived)
    digest.add(name)
    digest.add(sortOrder)
    digest.add(summary)
  }
}
