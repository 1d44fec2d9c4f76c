@testable import Generators

/// A database of random shape, determined only by its number.
struct RandomDatabase {
  private var state: UInt64

  init(number: Int) {
    state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  private mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  private mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[below(choices.count)]
  }

  // MARK: Shapes

  mutating func make() -> TestDatabase {
    let tables = (0..<1 + below(3)).map { table($0) }
    return TestDatabase(
      tables: tables,
      pageSize: pick([512, 1_024, 4_096, 4_096, 4_096, 8_192, 16_384, 65_536]),
      fill: pick([100, 100, 100, 70, 1]),
      freeShare: pick([0, 0, 0.1, 0.9])
    )
  }

  private static let types = [
    "INTEGER", "VARCHAR", "FLOAT", "TIMESTAMP", "BLOB", "DECIMAL", "", "REAL",
  ]

  private mutating func table(_ number: Int) -> TestTable {
    let types = (0..<1 + below(6)).map { _ in pick(Self.types) }
    var table = TestTable(name: "T\(number)", types: types, rowidColumn: nil)
    if below(2) == 0 {
      table.rowidColumn = below(types.count)
      table.types[table.rowidColumn ?? 0] = "INTEGER"
    }
    table.fill = pick([nil, nil, 60])
    table.rowsPerChunk = pick([1, 3, 20, 1_000])
    let styles = types.map { _ in below(6) }
    var rowid: Int64 = below(8) == 0 ? -20 : 0
    let gap = pick([1, 1, 1, 100, 1 << 40])
    for _ in 0..<pick([0, 1, 2, 10, 60, 60, 60, 300]) {
      rowid += Int64(1 + below(gap))
      table.rows.append(TestTable.Row(rowid: rowid, values: styles.map { value(style: $0) }))
    }
    for index in 0..<below(4) { table.indexes.append(makeIndex(index, of: table)) }
    return table
  }

  private mutating func makeIndex(_ number: Int, of table: TestTable) -> TestTable.Index {
    let positions = Array(table.types.indices)
    let columns = (0..<1 + below(4)).map { _ in
      IndexPlan.Column(position: pick(positions), isDescending: below(4) == 0)
    }
    var seen: Set<Int> = []
    return TestTable.Index(
      name: "I_\(table.name)_\(number)",
      columns: columns.filter { seen.insert($0.position).inserted }
    )
  }

  // MARK: Values

  private mutating func value(style: Int) -> TestValue {
    if below(6) == 0 { return .null }
    switch style {
    case 0: return .integer(Int64(below(20)))
    case 1: return integer()
    case 2: return real()
    case 3: return .text(text())
    case 4: return .text("the same beginning of every text, " + String(below(1_000)))
    default:
      switch below(5) {
      case 0: return integer()
      case 1: return real()
      case 2: return .text(pick(Self.numericTexts))
      case 3: return .blob(text())
      default: return .text(text())
      }
    }
  }

  /// An integer at or next to a power of two, or its bitwise complement.
  private mutating func integer() -> TestValue {
    let power = Int64(1) << Int64(below(63))
    let value = power &+ Int64(below(3)) &- 1
    return .integer(below(2) == 0 ? value : ~value)
  }

  private mutating func real() -> TestValue {
    switch below(5) {
    case 0: .real(Double(below(1_000)))
    case 1: .real(Double(below(1_000_000)) / 64)
    case 2: .real(pick([0.0, -0.0, .infinity, -.infinity, .nan, 0x1p47, -0x1p47, 0x1p63, -0x1p63]))
    case 3: .real(Double(Int64(1) << Int64(below(63))) * (below(2) == 0 ? 1 : -1))
    default:
      // A number between 2^-40 and 2^40: SQLite's text of others depends on its version.
      .real(Double(bitPattern: (983 + next() % 80) << 52 | next() >> 12))
    }
  }

  private static let numericTexts = [
    "12", " 12", "12 ", "1.0", "1e3", "-0", "0x10", "1 2", "", " ", "9223372036854775808", "+7",
    ".5",
    "5.", ".", "e5", "1e", "1e+", "00012", "12345678901234567890123", "-9223372036854775808",
    "1.5e2x",
  ]

  /// Returns text bytes, often of a length near which a varint grows or a payload overflows.
  private mutating func text() -> [UInt8] {
    let bounds = [
      0, 1, 7, 8, 15, 16, 57, 58, 126, 127, 470, 500, 990, 1_000, 2_030, 4_050, 4_060, 8_185,
      16_300,
    ]
    let length = below(8) == 0 ? pick(bounds) + below(12) : below(30)
    let alphabet: [UInt8] = below(3) == 0 ? [0, 1, 97] : Array(97...122)
    return (0..<length).map { _ in pick(alphabet) }
  }
}
