import Basics

/// The size of a store, as given in a query or a file.
package enum StoreSize: Hashable, Sendable {
  /// The number of objects of all entities.
  case objects(Double)
  case bytes(Double)
  /// The numbers of objects of some entities, by name; other entities are assumed to be in
  /// proportion.
  case entities([String: Double])

  func rounded(_ objects: Double) -> Double {
    if case .objects = self { objects.rounded() } else { Double(objects.rounded().threeDigits) }
  }

  func words(objects: Double) -> String { rounded(objects).whole }

  /// The number of objects that the size states explicitly; 0 for a size in bytes.
  fileprivate var named: Double {
    switch self {
    case .objects(let objects): objects
    case .bytes: 0
    case .entities(let counts): counts.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
    }
  }
}

extension Double {
  /// The number as text, without decimal places and with thousands separators.
  var whole: String { Int(Swift.min(rounded(), 1e15)).grouped }
}

/// Converts store sizes to numbers of objects of all entities.
package struct SizeScale: Sendable {
  let shape: EntityShape
  /// Converts a store's size from bytes to objects; returns `nil` if no measured store's size in
  /// bytes is known.
  let objects: @Sendable (_ bytes: Double) -> Double?

  /// A scale that assumes 500 bytes per object, for use before anything has been measured.
  static func assumed(_ shape: EntityShape) -> SizeScale { SizeScale(shape: shape) { $0 / 500 } }

  func objects(of size: StoreSize) -> Double? {
    switch size {
    case .objects(let objects): objects
    case .bytes(let bytes): objects(bytes)
    case .entities(let counts):
      shape.size(
        ofKnown: Dictionary(
          counts.compactMap { name, count in shape.entity(named: name).map { ($0, count) } }
        ) { $1 }
      )
    }
  }

  /// Converts a store size to a number of objects; returns the number that the size states
  /// explicitly if it cannot be converted.
  func knownObjects(of size: StoreSize) -> Double { objects(of: size) ?? size.named }
}

/// A table of comma-separated rows below a line of column names, as analytics tools export it.
struct SizeTable {
  struct Row {
    let line: Int
    let fields: [String]
  }

  /// Separators that show that a table is not comma-separated.
  private static let otherSeparators: [Character] = [";", "\t"]
  private static let mostBytes = 64 << 20

  let path: String
  /// The column names in lowercase.
  let columns: [String]
  let rows: [Row]

  init(_ text: String, path: String) throws {
    guard text.utf8.count <= Self.mostBytes else {
      throw Refusal.tooLarge(path: path, limit: "64 MB")
    }
    self.path = path
    var lines: [(number: Int, text: Substring)] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    where !line.allSatisfy(\.isWhitespace) && line.first != "#" {
      lines.append((index + 1, line))
    }
    guard let first = lines.first, lines.count > 1 else { throw Refusal.empty(path: path) }
    columns = Self.fields(of: first.text).map { $0.lowercased() }
    if columns.count == 1, let separator = Self.otherSeparators.first(where: first.text.contains) {
      throw Refusal.badInput(
        "'\(path)' separates its fields by "
          + "\(separator == "\t" ? "tabs" : "'\(separator)'"): export it with commas"
      )
    }
    rows = lines.dropFirst().map { Row(line: $0.number, fields: Self.fields(of: $0.text)) }
    for row in rows where row.fields.count != columns.count {
      throw Refusal.badInput(
        "'\(path)', line \(row.line): \(row.fields.count) fields, but the first "
          + "line names \(columns.count)"
      )
    }
  }

  /// The fields of a line; a comma between quotes does not separate fields (RFC 4180).
  private static func fields(of line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    for character in line where character != "\u{FEFF}" {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: fields.append("")
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields.map { field in
      let start = field.drop { $0 == " " || $0 == "\t" }
      return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
  }

  func column(_ names: String...) -> Int? {
    columns.firstIndex { names.contains($0) }
  }

  /// Parses a number from 0 to a limit in one column of a row.
  ///
  /// - Throws: ``Refusal/badNumber(path:line:column:text:expected:)``
  func number(
    _ row: Row,
    _ column: Int,
    upTo limit: Double,
    _ expected: String,
    isWhole: Bool = false
  ) throws -> Double {
    let text = row.fields[column]
    guard let value = Double(text), value.isFinite, value >= 0, value <= limit,
      !isWhole || value == value.rounded()
    else {
      throw Refusal.badNumber(
        path: path,
        line: row.line,
        column: columns[column],
        text: text,
        expected: expected
      )
    }
    return value
  }

  /// The maximum number of objects in a store; a larger number is an error in the file.
  static let mostObjects = 1e10

  func bytes(_ row: Row, _ column: Int) throws -> Double {
    try number(row, column, upTo: 1e15, "from 0 to 10^15 bytes")
  }
}

extension SizeTable {
  struct Sizes {
    private enum Kind {
      case objects(Int)
      case bytes(Int)
      case entities([(column: Int, entity: String)])
    }

    static let expected = "'objects', 'bytes', or a count of each entity, such as 'task_count'"

    private let table: SizeTable
    private let kind: Kind
    /// The positions of the columns that contain the size.
    var columns: [Int] {
      switch kind {
      case .objects(let column), .bytes(let column): [column]
      case .entities(let columns): columns.map(\.column)
      }
    }
    /// The names of ignored columns, which contain counts but do not name an entity.
    private(set) var unread: [String] = []

    /// Finds the size columns, ignoring those named in `others`.
    ///
    /// - Throws: ``Refusal`` if no column gives a size.
    init(_ table: SizeTable, but others: [String] = [], of shape: EntityShape) throws {
      self.table = table
      if let column = table.column("objects", "object_count") {
        kind = .objects(column)
        return
      }
      if let column = table.column("bytes", "store_bytes", "store_size") {
        kind = .bytes(column)
        return
      }
      let counts = table.columns.enumerated().filter {
        $0.element.hasSuffix("_count") && !others.contains($0.element)
      }
      guard !counts.isEmpty else {
        throw Refusal.unknownColumns(
          path: table.path,
          found: table.columns,
          expected: Self.expected
        )
      }
      let known = counts.compactMap { column, name -> (column: Int, entity: String)? in
        let plain = name.dropLast("_count".count).filter { $0 != "_" }
        return shape.entity(named: plain).map { (column, $0) }
      }
      guard !known.isEmpty else {
        throw Refusal.unknownEntities(
          path: table.path,
          found: counts.map(\.element),
          known: shape.entities
        )
      }
      kind = .entities(known)
      unread = counts.filter { count in !known.contains { $0.column == count.offset } }
        .map(\.element)
    }

    func size(_ row: Row) throws -> StoreSize {
      func objects(_ column: Int) throws -> Double {
        let expected = "from 0 to 10,000,000,000 objects"
        return try table.number(row, column, upTo: SizeTable.mostObjects, expected)
      }
      switch kind {
      case .objects(let column): return .objects(try objects(column))
      case .bytes(let column): return .bytes(try table.bytes(row, column))
      case .entities(let columns):
        let counts = try columns.map { ($0.entity, try objects($0.column)) }
        return .entities(Dictionary(counts) { $1 })
      }
    }
  }
}

/// Errors in the input files of a forecast.
extension Refusal {
  static func empty(path: String) -> Refusal {
    Refusal.badInput(
      "'\(path)' has no rows: it needs a first line with column names, then one line per row"
    )
  }

  static func unknownColumns(path: String, found: [String], expected: String) -> Refusal {
    Refusal.badInput("'\(path)' has the columns \(Self.quoted(found)); it needs \(expected)")
  }

  static func badNumber(path: String, line: Int, column: String, text: String, expected: String)
    -> Refusal
  {
    Refusal.badInput(
      "'\(path)', line \(line): '\(column)' must be \(expected), not '\(text.prefix(40))'"
        + (hasThousandsSeparators(text) ? ": write it without thousands separators" : "")
    )
  }

  private static func hasThousandsSeparators(_ text: String) -> Bool {
    let separators = ",.'’_ \u{A0}\u{202F}"
    let groups = text.split(omittingEmptySubsequences: false) { separators.contains($0) }
    return groups.count > 1 && (1...3).contains(groups[0].count)
      && groups.dropFirst().allSatisfy { $0.count == 3 }
      && groups.joined().allSatisfy(\.isNumber)
  }

  package static func tooLarge(path: String, limit: String) -> Refusal {
    Refusal.badInput("'\(path)' is larger than \(limit)")
  }

  static func unknownEntities(path: String, found: [String], known: [String]) -> Refusal {
    Refusal.badInput(
      "'\(path)' counts \(Self.quoted(found)), but the store's entities are \(Self.quoted(known))"
    )
  }

  /// An error for a size given as objects of an unknown entity.
  package static func unknownEntity(name: String, known: [String]) -> Refusal {
    Refusal.badInput("'--to \(name)': unknown entity; available: \(Self.quoted(known))")
  }

  private static func quoted(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.prefix(12).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
  }
}
