import DataModel
import Foundation
import GRDB
import PersistentStore

/// A task of the first version.
struct TaskRecordV1: StoreRecord {
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "completedAt": .date, "createdAt": .date, "details": .string, "estimatedMinutes": .integer16,
    "id": .uuid, "isCompleted": .boolean, "isFlagged": .boolean, "modifiedAt": .date,
    "progress": .double, "sortOrder": .integer32, "title": .string,
  ]
  static let entity = "Task"
  static let databaseTableName = "ZTASK"
  static let toOnes = ["category", "project"]

  let key: Int64
  let completedAt: Double?
  let createdAt: Double
  let details: String?
  let estimatedMinutes: Int64?
  let id: UUID
  let isCompleted: Bool
  let isFlagged: Bool
  let modifiedAt: Double?
  let progress: Double
  let sortOrder: Int64
  let title: String
  let category: Int64?
  let project: Int64?

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    completedAt = try row.decode(atIndex: 1)
    createdAt = try row.decode(atIndex: 2)
    details = try row.decode(atIndex: 3)
    estimatedMinutes = try row.decode(atIndex: 4)
    id = try row.decode(atIndex: 5)
    isCompleted = try row.decode(atIndex: 6)
    isFlagged = try row.decode(atIndex: 7)
    modifiedAt = try row.decode(atIndex: 8)
    progress = try row.decode(atIndex: 9)
    sortOrder = try row.decode(atIndex: 10)
    title = try row.decode(atIndex: 11)
    category = try row.decode(atIndex: 12)
    project = try row.decode(atIndex: 13)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(date: completedAt)
    digest.add(date: createdAt)
    digest.add(details)
    digest.add(estimatedMinutes)
    digest.add(id)
    digest.add(isCompleted)
    digest.add(isFlagged)
    digest.add(date: modifiedAt)
    digest.add(progress)
    digest.add(sortOrder)
    digest.add(title)
  }
}

/// A task of the second version.
struct TaskRecordV2: StoreRecord {
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "completedAt": .date, "createdAt": .date, "details": .string, "dueDate": .date,
    "estimatedMinutes": .integer16, "id": .uuid, "isCompleted": .boolean, "isFlagged": .boolean,
    "modifiedAt": .date, "notes": .string, "priority": .integer16, "progress": .double,
    "sortOrder": .integer32, "title": .string,
  ]
  static let entity = "Task"
  static let databaseTableName = "ZTASK"
  static let toOnes = ["category", "project"]

  let key: Int64
  let completedAt: Double?
  let createdAt: Double
  let details: String?
  let dueDate: Double?
  let estimatedMinutes: Int64?
  let id: UUID
  let isCompleted: Bool
  let isFlagged: Bool
  let modifiedAt: Double?
  let notes: String?
  let priority: Int64
  let progress: Double
  let sortOrder: Int64
  let title: String
  let category: Int64?
  let project: Int64?

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    completedAt = try row.decode(atIndex: 1)
    createdAt = try row.decode(atIndex: 2)
    details = try row.decode(atIndex: 3)
    dueDate = try row.decode(atIndex: 4)
    estimatedMinutes = try row.decode(atIndex: 5)
    id = try row.decode(atIndex: 6)
    isCompleted = try row.decode(atIndex: 7)
    isFlagged = try row.decode(atIndex: 8)
    modifiedAt = try row.decode(atIndex: 9)
    notes = try row.decode(atIndex: 10)
    priority = try row.decode(atIndex: 11)
    progress = try row.decode(atIndex: 12)
    sortOrder = try row.decode(atIndex: 13)
    title = try row.decode(atIndex: 14)
    category = try row.decode(atIndex: 15)
    project = try row.decode(atIndex: 16)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(date: completedAt)
    digest.add(date: createdAt)
    digest.add(details)
    digest.add(date: dueDate)
    digest.add(estimatedMinutes)
    digest.add(id)
    digest.add(isCompleted)
    digest.add(isFlagged)
    digest.add(date: modifiedAt)
    digest.add(notes)
    digest.add(priority)
    digest.add(progress)
    digest.add(sortOrder)
    digest.add(title)
  }
}

/// A task of the third version.
struct TaskRecordV3: StoreRecord {
  static let attributes: KeyValuePairs<String, AttributeType> = [
    "completedAt": .date, "createdAt": .date, "dueDate": .date, "estimatedMinutes": .integer16,
    "id": .uuid, "isCompleted": .boolean, "isFlagged": .boolean, "modifiedAt": .date,
    "notes": .string, "priority": .integer16, "sortOrder": .integer32, "summary": .string,
    "title": .string,
  ]
  static let entity = "Task"
  static let databaseTableName = "ZTASK"
  static let toOnes = ["category", "project"]

  let key: Int64
  let completedAt: Double?
  let createdAt: Double
  let dueDate: Double?
  let estimatedMinutes: Int64?
  let id: UUID
  let isCompleted: Bool
  let isFlagged: Bool
  let modifiedAt: Double?
  let notes: String?
  let priority: Int64
  let sortOrder: Int64
  let summary: String?
  let title: String
  let category: Int64?
  let project: Int64?

  init(row: Row) throws {
    key = try row.decode(atIndex: 0)
    completedAt = try row.decode(atIndex: 1)
    createdAt = try row.decode(atIndex: 2)
    dueDate = try row.decode(atIndex: 3)
    estimatedMinutes = try row.decode(atIndex: 4)
    id = try row.decode(atIndex: 5)
    isCompleted = try row.decode(atIndex: 6)
    isFlagged = try row.decode(atIndex: 7)
    modifiedAt = try row.decode(atIndex: 8)
    notes = try row.decode(atIndex: 9)
    priority = try row.decode(atIndex: 10)
    sortOrder = try row.decode(atIndex: 11)
    summary = try row.decode(atIndex: 12)
    title = try row.decode(atIndex: 13)
    category = try row.decode(atIndex: 14)
    project = try row.decode(atIndex: 15)
  }

  func add(to digest: inout ObjectDigest) {
    digest.add(date: completedAt)
    digest.add(date: createdAt)
    digest.add(date: dueDate)
    digest.add(estimatedMinutes)
    digest.add(id)
    digest.add(isCompleted)
    digest.add(isFlagged)
    digest.add(date: modifiedAt)
    digest.add(notes)
    digest.add(priority)
    digest.add(sortOrder)
    digest.add(summary)
    digest.add(title)
  }
}
