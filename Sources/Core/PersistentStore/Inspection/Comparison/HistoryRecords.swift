import DataModel
import SQLite

extension HistoryComparison {
  /// The rows of a history table in key order, as values that can be compared between stores.
  ///
  /// Entity numbers and keys of the string table differ between stores, so they are replaced by the
  /// names that they stand for.
  struct Rows {
    struct Row {
      let key: Int64
      let values: [ContentValue]

      static func precedes(_ one: Row, _ other: Row) -> Bool { one.key < other.key }
    }

    let table: String
    let columns: [String]
    private let expressions: [String]

    static func changes(of layout: StoreLayout, withColumns: Bool) -> Rows {
      var columns = ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
      if withColumns {
        columns.append("ZCOLUMNS")
        columns += (0..<layout.tombstoneCount).map { "ZTOMBSTONE\($0)" }
      }
      return Rows(table: "ACHANGE", columns: columns, expressions: columns.map(\.quotedColumn))
    }

    static let transactions: Rows = {
      let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
      let resolved = names.map {
        "coalesce((SELECT s.ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.Z\($0)TS), "
          + "t.Z\($0))"
      }
      return Rows(
        table: "ATRANSACTION",
        columns: ["ZTIMESTAMP"] + names.map { "Z" + $0 },
        expressions: ["t.ZTIMESTAMP"] + resolved
      )
    }()

    func stream(_ connection: Connection, through last: Int64) throws -> ContentStream<Row> {
      let list = (["t.Z_PK"] + expressions).joined(separator: ", ")
      let row = try connection.prepare(
        "SELECT \(list) FROM \(table) AS t NOT INDEXED WHERE t.Z_PK <= ?1 ORDER BY t.Z_PK"
      )
      row.bind(last, at: 1)
      let count = columns.count
      return ContentStream {
        guard try row.step() else { return nil }
        return Row(key: row.integer(at: 0), values: (1...count).map { ContentValue(row, at: $0) })
      }
    }

    func lastKey(_ connection: Connection) throws -> Int64 {
      try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
    }
  }

  struct Records {
    private struct Object: Hashable {
      let table: String
      let key: Int64
    }

    private struct Record {
      var entity: String
      var kinds: [HistoryChangeKind]
    }

    private var records: [Object: Record] = [:]

    init(_ content: StoreContent, after last: Int64) throws {
      let row = try content.connection.prepare(
        "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE Z_PK > ?1 ORDER BY Z_PK"
      )
      row.bind(last, at: 1)
      while try row.step() {
        // Skip changes with an unknown entity or kind, which the audit reports.
        guard let kind = HistoryChangeKind(rawValue: row.integer(at: 0)),
          let entity = Int(exactly: row.integer(at: 1)).flatMap(content.layout.numbers.entity)?
            .name,
          let table = content.layout.table(of: entity)?.name
        else { continue }
        let object = Object(table: table, key: row.integer(at: 2))
        records[object, default: Record(entity: entity, kinds: [])].kinds.append(kind)
        records[object]?.entity = entity
      }
    }

    mutating func findings(
      about object: ContentReference,
      table: EntityTable,
      done: HistoryChangeKind?
    ) -> [String] {
      let record = records.removeValue(forKey: Object(table: table.name, key: object.key))
      let kinds = Set(record?.kinds ?? [])
      var findings: [String] = []
      if let done, !kinds.contains(done) || record?.entity != object.entity {
        findings.append("the persistent history lacks the \(done) of \(object)")
      }
      for kind in HistoryChangeKind.allCases where kinds.contains(kind) && kind != done {
        // An unexpected update is allowed: an object may have been saved several times without a
        // lasting difference.
        if kind != .update { findings.append(Self.untrue(kind, object)) }
      }
      return findings
    }

    /// Findings about changes of objects that exist neither before nor after the work, except for
    /// objects that the work both inserted and deleted.
    var unexplained: [String] {
      records.sorted { ($0.key.table, $0.key.key) < ($1.key.table, $1.key.key) }
        .compactMap { object, record in
          let kinds = Set(record.kinds)
          if kinds.contains(.insertion), kinds.contains(.deletion) { return nil }
          let kind = record.kinds.first ?? .update
          return Self.untrue(kind, ContentReference(entity: record.entity, key: object.key))
        }
    }

    private static func untrue(_ kind: HistoryChangeKind, _ object: ContentReference) -> String {
      "the persistent history records a wrong \(kind) of \(object): no such change was made"
    }
  }
}
