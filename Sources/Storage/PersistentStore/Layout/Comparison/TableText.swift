/// The text of a CREATE TABLE statement in its parts, as far as the frameworks write such.
struct TableText: Hashable {
  struct Column: Hashable {
    let name: String
    /// Everything after the name, spaces collapsed.
    let type: String
  }

  let columns: [Column]
  /// `PRIMARY KEY (…)`, `CONSTRAINT … UNIQUE (…)`.
  let constraints: [String]
  /// How many columns at the end were added by ALTER TABLE.
  ///
  /// It puts ", ZNEW TYPE" before the last parenthesis, so that the blank the frameworks leave there
  /// stands before the first comma: `… ZLAST BLOB , ZNEW INTEGER)`.
  let appendedCount: Int
  /// Whether the table's name is quoted, as ALTER TABLE … RENAME TO writes it.
  let isRenamed: Bool

  init?(_ sql: String) {
    let bytes = Array(sql.utf8)
    guard sql.hasPrefix("CREATE TABLE "), let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    isRenamed = bytes[13] == UInt8(ascii: "\"")
    let items = Self.items(bytes[(open + 1)..<close])
    var (columns, constraints): ([Column], [String]) = ([], [])
    var appendedFrom: Int?
    for (index, item) in items.enumerated() {
      let words = item.split(separator: " ").map(String.init)
      guard let first = words.first else { return nil }
      if ["PRIMARY", "CONSTRAINT", "UNIQUE"].contains(first) {
        constraints.append(words.joined(separator: " "))
      } else {
        columns.append(
          Column(name: Self.unquoted(first), type: words.dropFirst().joined(separator: " "))
        )
        if appendedFrom == nil, item.hasSuffix(" "), index < items.count - 1 {
          appendedFrom = columns.count
        }
      }
    }
    self.columns = columns
    self.constraints = constraints
    appendedCount = appendedFrom.map { columns.count - $0 } ?? 0
  }

  /// The pieces between commas that stand in no parentheses.
  private static func items(_ bytes: ArraySlice<UInt8>) -> [String] {
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
}
