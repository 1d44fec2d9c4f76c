import DataModel
import Foundation
import GRDB
import PersistentStore

/// An attachment of any version, its data in the row.
struct AttachmentRecord: StoreRecord {
  static let attributes: [RecordAttribute] = [
    RecordAttribute("createdAt", .date),
    RecordAttribute("data", .binary),
    RecordAttribute("filename", .string),
    RecordAttribute("mediaType", .string),
  ]
  static let entity = "Attachment"
  static let databaseTableName = "ZATTACHMENT"
  static let columns = [
    "Z_PK", "ZCREATEDAT", "ZDATA", "ZFILENAME", "ZMEDIATYPE", "ZTASK",
  ]

  let key: Int64
  let createdAt: Double
  let data: Data?
  let filename: String
  let mediaType: String
  let task: Int64?

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    createdAt = try row.decode(atIndex: 1)
    data = try row.decode(atIndex: 2)
    filename = try row.decode(atIndex: 3)
    mediaType = try row.decode(atIndex: 4)
    task = try row.decode(atIndex: 5)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(date: createdAt)
    digest.add(data)
    digest.add(filename)
    digest.add(mediaType)
  }
}

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

/// A subtask of any version.
struct SubtaskRecord: StoreRecord {
  static let attributes: [RecordAttribute] = [
    RecordAttribute("isCompleted", .boolean),
    RecordAttribute("sortOrder", .integer32),
    RecordAttribute("title", .string),
  ]
  static let entity = "Subtask"
  static let databaseTableName = "ZSUBTASK"
  static let columns = [
    "Z_PK", "ZISCOMPLETED", "ZSORTORDER", "ZTITLE", "ZTASK",
  ]

  let key: Int64
  let isCompleted: Bool
  let sortOrder: Int64
  let title: String
  let task: Int64?

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    isCompleted = try row.decode(atIndex: 1)
    sortOrder = try row.decode(atIndex: 2)
    title = try row.decode(atIndex: 3)
    task = try row.decode(atIndex: 4)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(isCompleted)
    digest.add(sortOrder)
    digest.add(title)
  }
}

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
