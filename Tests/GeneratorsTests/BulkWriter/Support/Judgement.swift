import DatabaseReading
import SQLite
import Testing

/// Checks of a database file by SQLite and by an independent page reader.
enum Judgement {
  /// Expects SQLite's integrity check to find no error in a file.
  static func expectIntegrity(
    of path: String,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let connection = try Connection(path: path, mode: .immutable, settings: nil)
    let answer = try connection.text("PRAGMA integrity_check")
    #expect(answer == "ok", comment, sourceLocation: sourceLocation)
  }

  /// Expects two files to have the same schema, and the same records in the same order.
  static func expectSameRecords(
    _ path: String,
    _ reference: String,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (items, expected) = (try schema(of: path), try schema(of: reference))
    #expect(items.map(\.text) == expected.map(\.text), comment, sourceLocation: sourceLocation)
    let (reader, other) = (try PageReader(path: path), try PageReader(path: reference))
    for (item, match) in zip(items, expected) {
      let (entries, wanted) = (
        try reader.entries(root: item.root), try other.entries(root: match.root)
      )
      if entries != wanted {
        let place = zip(entries, wanted).prefix { $0 == $1 }.count
        Issue.record(
          """
          \(comment?.rawValue ?? ""): \(item.text): entry \(place) of \(entries.count) (\(wanted.count)):
          \(place < entries.count ? "\(entries[place])" : "-")
          \(place < wanted.count ? "\(wanted[place])" : "-")
          """,
          sourceLocation: sourceLocation
        )
      }
    }
  }

  private struct Item {
    let text: String
    let root: Int
  }

  private static func schema(of path: String) throws -> [Item] {
    let connection = try Connection(path: path, mode: .immutable, settings: nil)
    let statement = try connection.prepare(
      "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '-'), rootpage FROM sqlite_schema"
    )
    var items: [Item] = []
    while try statement.step() {
      items.append(Item(text: statement.text(at: 0), root: Int(statement.integer(at: 1))))
    }
    return items
  }
}
