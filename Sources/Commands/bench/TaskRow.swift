import GRDB

import struct Foundation.Data

/// The columns of a task, in the order in which every contestant reads them.
let taskColumns = [
  "Z_PK", "Z_OPT", "ZESTIMATEDMINUTES", "ZISCOMPLETED", "ZISFLAGGED", "ZSORTORDER", "ZCATEGORY",
  "ZPROJECT", "ZCOMPLETEDAT", "ZCREATEDAT", "ZMODIFIEDAT", "ZPROGRESS", "ZDETAILS", "ZTITLE", "ZID",
]

/// The values of a task, as a plain loop over SQLite's C API puts them into a struct.
struct TaskRow {
  var key: Int64
  var version: Int64
  var estimatedMinutes: Int64?
  var isCompleted: Int64?
  var isFlagged: Int64?
  var sortOrder: Int64?
  var category: Int64?
  var project: Int64?
  var completedAt: Double?
  var createdAt: Double?
  var modifiedAt: Double?
  var progress: Double?
  var details: String?
  var title: String?
  var id: [UInt8]?
}

/// The same values as a record of GRDB's, decoded by position, which is its fastest way.
struct TaskRecord: FetchableRecord {
  var key: Int64
  var version: Int64
  var estimatedMinutes: Int64?
  var isCompleted: Int64?
  var isFlagged: Int64?
  var sortOrder: Int64?
  var category: Int64?
  var project: Int64?
  var completedAt: Double?
  var createdAt: Double?
  var modifiedAt: Double?
  var progress: Double?
  var details: String?
  var title: String?
  var id: Data?

  init(row: Row) throws {
    key = row[0]
    version = row[1]
    estimatedMinutes = row[2]
    isCompleted = row[3]
    isFlagged = row[4]
    sortOrder = row[5]
    category = row[6]
    project = row[7]
    completedAt = row[8]
    createdAt = row[9]
    modifiedAt = row[10]
    progress = row[11]
    details = row[12]
    title = row[13]
    id = row[14]
  }
}
