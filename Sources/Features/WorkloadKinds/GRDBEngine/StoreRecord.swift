import DataModel
import Foundation
import GRDB
import PersistentStore

/// An entity's object as a Swift developer writes it down for GRDB: a struct with typed
/// properties, decoded by position, which is GRDB's fastest way.
protocol StoreRecord: FetchableRecord, TableRecord {
  static var entity: String { get }
  /// In the byte order of their names.
  static var attributes: KeyValuePairs<String, AttributeType> { get }
  /// The to-ones whose keys a record has after its attributes.
  static var toOnes: [String] { get }

  /// The primary key, Z_PK.
  var key: Int64 { get }

  /// Adds all attributes in the byte order of their names.
  func add(to digest: inout ObjectDigest)
}

extension StoreRecord {
  static var toOnes: [String] { [] }
  /// The columns in the order in which a record is decoded, the key first.
  static var columns: [String] {
    ["Z_PK"] + (attributes.map(\.key) + toOnes).map { "Z\($0.uppercased())" }
  }
  static var databaseSelection: [any SQLSelectable] { columns.map { GRDB.Column($0) } }
}

/// The record types of the bundled tasks models.
enum RecordTypes {
  private static let all: [any StoreRecord.Type] = [
    AttachmentRecord.self, CategoryRecord.self, CategoryRecordV1.self, ProjectRecord.self,
    SubtaskRecord.self, TagRecord.self, TaskRecordV1.self, TaskRecordV2.self, TaskRecordV3.self,
  ]

  /// The record type of an entity with these very attributes; `nil` where there is none.
  static func type(for entity: Entity) -> (any StoreRecord.Type)? {
    guard entity.superentity == nil else { return nil }
    let attributes = entity.attributes.filter { !$0.isTransient }.map { ($0.name, $0.type) }
    let types = Dictionary(attributes) { $1 }
    let isPlain = !entity.attributes.contains(where: \.allowsExternalStorage)
    return all.first {
      $0.entity == entity.name && isPlain
        && Dictionary($0.attributes.map { ($0.key, $0.value) }) { $1 } == types
    }
  }
}

extension ObjectDigest {
  @inline(__always)
  mutating func add(_ value: Bool) { add(value ? 1 : 0 as Int64) }

  @inline(__always)
  mutating func add(_ value: UUID) {
    withUnsafeBytes(of: value.uuid) { add(blob: $0) }
  }

  /// Adds seconds since 2001, which the store keeps as an integer where they are whole.
  @inline(__always)
  mutating func add(date: Double) { add(numeric: date) }

  @inline(__always)
  mutating func add(date: Double?) {
    if let date { add(numeric: date) } else { addNull() }
  }

  @inline(__always)
  mutating func add(_ value: Int64?) {
    if let value { add(value) } else { addNull() }
  }

  @inline(__always)
  mutating func add(_ value: String?) {
    if let value { add(value) } else { addNull() }
  }

  @inline(__always)
  mutating func add(_ value: Data?) {
    guard let value else { return addNull() }
    value.withUnsafeBytes { add(blob: $0) }
  }
}
