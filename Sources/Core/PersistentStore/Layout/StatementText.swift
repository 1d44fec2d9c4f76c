import Basics

struct TableText: Hashable {
  struct Column: Hashable {
    let name: String
    let type: String
  }

  let name: String
  let isRenamed: Bool
  let columns: [Column]
  let constraints: [String]
  /// The number of columns at the end that ALTER TABLE added, or `nil` if the statement does not
  /// show it.
  ///
  /// SQLite inserts ", ZNEW TYPE" before the closing parenthesis, so the space that Core Data
  /// writes there precedes a comma: `… ZLAST BLOB , ZNEW INTEGER)`. Before constraints, an inserted
  /// column leaves no trace.
  let appendedCount: Int?

  init?(_ sql: String) {
    let bytes = Array(sql.utf8)
    guard sql.hasPrefix("CREATE TABLE "), let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    let title = String(decoding: bytes[13..<open], as: UTF8.self).split(separator: " ").joined()
    name = StatementText.unquoted(title)
    isRenamed = title.hasPrefix("\"")
    let items = StatementText.items(bytes[(open + 1)..<close])
    var (columns, constraints): ([Column], [String]) = ([], [])
    var appendedFrom: Int?
    for (index, item) in items.enumerated() {
      let words = item.split(separator: " ").map(String.init)
      guard let first = words.first else { return nil }
      if ["PRIMARY", "CONSTRAINT", "UNIQUE"].contains(first) {
        constraints.append(words.joined(separator: " "))
        continue
      }
      columns.append(
        Column(name: StatementText.unquoted(first), type: words.dropFirst().joined(separator: " "))
      )
      if appendedFrom == nil, item.hasSuffix(" "), index < items.count - 1 {
        appendedFrom = columns.count
      }
    }
    let hasConstraints = !constraints.isEmpty
    appendedCount = appendedFrom.map { columns.count - $0 } ?? (hasConstraints ? nil : 0)
    self.columns = columns
    self.constraints = constraints
  }
}

struct IndexText: Hashable {
  struct Column: Hashable {
    let name: String
    let rest: String
  }

  let name: String
  let isUnique: Bool
  let table: String
  let columns: [Column]
  let condition: String?

  init?(_ sql: String) {
    let isUnique = sql.hasPrefix("CREATE UNIQUE INDEX ")
    guard isUnique || sql.hasPrefix("CREATE INDEX "), let open = sql.firstIndex(of: "("),
      let close = sql[open...].firstIndex(of: ")")
    else { return nil }
    let words = sql[..<open].split(separator: " ").map(String.init).dropFirst(isUnique ? 3 : 2)
    guard words.count == 3, words[words.startIndex + 1].uppercased() == "ON",
      let title = words.last,
      let name = words.first
    else { return nil }
    let rest = sql[sql.index(after: close)...]
    guard rest.isEmpty || rest.hasPrefix(" WHERE ") else { return nil }
    self.isUnique = isUnique
    self.name = StatementText.unquoted(name)
    table = StatementText.unquoted(title)
    columns = sql[sql.index(after: open)..<close].split(separator: ",").map { item in
      let words = item.split(separator: " ").map(String.init)
      return Column(
        name: StatementText.unquoted(words.first ?? ""),
        rest: words.dropFirst().joined(separator: " ")
      )
    }
    condition = rest.isEmpty ? nil : String(rest.dropFirst(7))
  }

  var isFrameworks: Bool {
    let orders = ["", "COLLATE BINARY ASC", "COLLATE BINARY DESC"]
    guard columns.allSatisfy({ orders.contains($0.rest) }) else { return false }
    guard let condition else { return true }
    let predicate = condition.replacing(" IS NOT NULL", with: " != nil")
      .replacing(" IS NULL", with: " == nil")
    return IndexPredicate(predicate)?.condition { StatementText.isPlain($0) ? $0 : nil }
      == condition
  }

  struct Shape: Hashable {
    let isUnique: Bool
    let columns: [String]
    let condition: String?
  }

  var shape: Shape {
    Shape(
      isUnique: isUnique,
      columns: columns.map { $0.rest.isEmpty ? $0.name : "\($0.name) \($0.rest)" },
      condition: condition
    )
  }
}

enum StatementText {
  static func items(_ bytes: ArraySlice<UInt8>) -> [String] {
    var items: [String] = []
    var depth = 0
    var start = bytes.startIndex
    for (index, byte) in zip(bytes.indices, bytes) {
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        items.append(String(decoding: bytes[start..<index], as: UTF8.self))
        start = index + 1
      default: break
      }
    }
    return items + [String(decoding: bytes[start...], as: UTF8.self)]
  }

  static func unquoted(_ name: String) -> String {
    name.hasPrefix("\"") && name.hasSuffix("\"") && name.count > 1
      ? String(name.dropFirst().dropLast()) : name
  }

  /// Whether a word needs no quotes in a statement: it has only letters, digits, underscores and
  /// non-ASCII characters, and does not start with a digit.
  static func isPlain(_ word: String) -> Bool {
    guard let first = word.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x80...0xff: true
      default: false
      }
    }
  }
}
