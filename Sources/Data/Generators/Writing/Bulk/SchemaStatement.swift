/// A statement of a store's layout, taken apart without SQLite.
///
/// Only what ``StoreLayout`` writes is understood: plain names, a type behind each column, keys of
/// the table and collations by their usual words.
enum SchemaStatement: Hashable {
  struct Column: Hashable {
    let name: String
    let type: String
    let isRowid: Bool
  }

  struct IndexedColumn: Hashable {
    let name: String
    let isDescending: Bool
  }

  /// A table; `keys` has the columns of each key that SQLite makes an index for by itself: unique
  /// columns, then the constraints of the table, the rowid not among them.
  case table(name: String, columns: [Column], keys: [[String]])
  case index(name: String, table: String, columns: [IndexedColumn], isUnique: Bool)

  /// `nil` where the statement is of another kind.
  init?(_ sql: String) {
    guard let open = sql.firstIndex(of: "("), sql.last == ")" else { return nil }
    let words = sql[..<open].split(separator: " ").map(String.init)
    let list = Self.elements(of: sql[sql.index(after: open)...].dropLast())
    switch (words.count, words.first, words.dropFirst().first) {
    case (3, "CREATE", "TABLE"):
      self = Self.table(words[2], list)
    case (5, "CREATE", "INDEX"):
      self = Self.index(name: words[2], table: words[4], columns: list, isUnique: false)
    case (6, "CREATE", "UNIQUE"):
      self = Self.index(name: words[3], table: words[5], columns: list, isUnique: true)
    default: return nil
    }
  }

  private static func table(_ name: String, _ list: [[String]]) -> SchemaStatement {
    var columns: [Column] = []
    var keys: [[String]] = []
    for words in list {
      if ["PRIMARY", "CONSTRAINT"].contains(words.first), let key = words.last {
        keys.append(elements(of: key.dropFirst().dropLast()).compactMap(\.first))
      } else {
        if words.last == "UNIQUE", let column = words.first { keys.append([column]) }
        columns.append(
          Column(
            name: words.first ?? "",
            type: words.dropFirst().first ?? "",
            isRowid: words.dropFirst() == ["INTEGER", "PRIMARY", "KEY"]
          )
        )
      }
    }
    return .table(name: name, columns: columns, keys: keys)
  }

  private static func index(
    name: String,
    table: String,
    columns: [[String]],
    isUnique: Bool
  ) -> SchemaStatement {
    .index(
      name: name,
      table: table,
      columns: columns.map {
        IndexedColumn(name: $0.first ?? "", isDescending: $0.last == "DESC")
      },
      isUnique: isUnique
    )
  }

  /// The words of each element of a list; what is in parentheses is one word.
  private static func elements(of list: Substring) -> [[String]] {
    var elements: [[String]] = [[]]
    var word = ""
    var depth = 0
    func endWord() {
      if !word.isEmpty { elements[elements.count - 1].append(word) }
      word = ""
    }
    for character in list {
      switch character {
      case "," where depth == 0:
        endWord()
        elements.append([])
      case " " where depth == 0: endWord()
      default:
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        word.append(character)
      }
    }
    endWord()
    return elements
  }
}
