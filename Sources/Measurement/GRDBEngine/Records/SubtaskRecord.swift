import DataModel
import GRDB
import PersistentStore

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
