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
