import DataModel
import SQLite

/// What a store's new changes say was done to each object.
struct HistoryRecords {
  private struct Object: Hashable {
    let table: String
    let key: Int64
  }

  private struct Record {
    var entity: String
    var kinds: [HistoryChangeKind]
  }

  private var records: [Object: Record] = [:]

  /// Reads the changes after a key.
  init(_ content: StoreContent, after last: Int64) throws {
    let row = try content.connection.prepare(
      "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE Z_PK > ?1 ORDER BY Z_PK"
    )
    row.bind(last, at: 1)
    while try row.step() {
      // What has no entity or no known kind is the audit's to report.
      guard let kind = HistoryChangeKind(rawValue: row.integer(at: 0)),
        let entity = Int(exactly: row.integer(at: 1)).flatMap(content.layout.numbers.entity)?.name,
        let table = content.layout.table(of: entity)?.name
      else { continue }
      let object = Object(table: table, key: row.integer(at: 2))
      records[object, default: Record(entity: entity, kinds: [])].kinds.append(kind)
      records[object]?.entity = entity
    }
  }

  /// What is wrong with the changes of an object to which that was done, and forgets them.
  mutating func findings(
    about object: ContentReference,
    table: EntityTable,
    done: HistoryChangeKind?
  ) -> [HistoryFinding] {
    let record = records.removeValue(forKey: Object(table: table.name, key: object.key))
    let kinds = Set(record?.kinds ?? [])
    var findings: [HistoryFinding] = []
    if let done, !kinds.contains(done) || record?.entity != object.entity {
      findings.append(.unrecorded(object, done))
    }
    for kind in HistoryChangeKind.allCases where kinds.contains(kind) && kind != done {
      // Any object may have been saved on the way without a lasting difference.
      if kind != .update { findings.append(.untrue(object, kind)) }
    }
    return findings
  }

  /// Changes of objects that were never there before and are not there now, unless the changes
  /// themselves say that they came and went.
  var unexplained: [(ContentReference, HistoryChangeKind)] {
    records.sorted { ($0.key.table, $0.key.key) < ($1.key.table, $1.key.key) }
      .compactMap { object, record in
        let kinds = Set(record.kinds)
        if kinds.contains(.insertion), kinds.contains(.deletion) { return nil }
        let kind = record.kinds.first ?? .update
        return (ContentReference(entity: record.entity, key: object.key), kind)
      }
  }
}
