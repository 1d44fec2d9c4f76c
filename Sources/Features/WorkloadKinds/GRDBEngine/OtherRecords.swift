import DataModel
import Foundation
import GRDB
import PersistentStore

/// An attachment of any version, its data in the row.
struct AttachmentRecord: StoreRecord {
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "createdAt": .date, "data": .binary, "filename": .string, "mediaType": .string,
  ]
  static let entity = "Attachment"
  static let databaseTableName = "ZATTACHMENT"
  static let toOnes = ["task"]

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
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "color": .string, "id": .uuid, "name": .string, "sortOrder": .integer32,
  ]
  static let entity = "Category"
  static let databaseTableName = "ZCATEGORY"

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
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "id": .uuid, "name": .string, "sortOrder": .integer32,
  ]
  static let entity = "Category"
  static let databaseTableName = "ZCATEGORY"

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
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "createdAt": .date, "id": .uuid, "isArchived": .boolean, "name": .string,
    "sortOrder": .integer32, "summary": .string,
  ]
  static let entity = "Project"
  static let databaseTableName = "ZPROJECT"

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
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "isCompleted": .boolean, "sortOrder": .integer32, "title": .string,
  ]
  static let entity = "Subtask"
  static let databaseTableName = "ZSUBTASK"
  static let toOnes = ["task"]

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
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "name": .string
  ]
  static let entity = "Tag"
  static let databaseTableName = "ZTAG"

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
