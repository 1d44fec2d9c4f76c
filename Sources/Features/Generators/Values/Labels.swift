import DataModel

struct LabelRule: ValueRule {
  static let entry = ValueGenerator(
    "label",
    "names of lists, such as tags, projects and categories",
    types: [.string],
    keys: [.init("topic", Topic.allCases.map(\.rawValue).joined(separator: ", "))],
    examples: [.init("label", 5...40), .init("{ label: { topic: people } }", 5...40)],
    isUnique: true,
    bare: { _ in LabelRule() },
    parse: { input in
      input.mapping()?.required("topic").flatMap { $0.choice() }.map { LabelRule(topic: $0) }
    }
  )

  enum Topic: String, CaseIterable, Hashable, Sendable {
    case tasks
    case people
    case writing

    /// The word lists for the two parts of a label; any combination is valid.
    fileprivate var parts: (first: WordList, second: WordList) {
      switch self {
      case .tasks: LabelRule.tasks
      case .people: LabelRule.people
      case .writing: LabelRule.writing
      }
    }
  }

  private static let tasks = (
    first: WordList(
      """
      Personal Shared Family Household Small Open Current Other My Our Zoë’s José’s Anna’s
      Søren’s Grandma’s Łukasz’s Chloé’s Björn’s Emma’s Leo’s Noah’s
      """
    ),
    second: WordList(
      """
      Plans List To-dos Backlog Reminders Tasks Things Jobs Projects Notes Ideas Matters Items
      Priorities Checklist Agenda Follow-ups
      """
    )
  )
  private static let people = (
    first: WordList(
      """
      Football Choir Chess Running Yoga Theatre Hiking Cycling Sailing Film Tennis Cooking Photo
      Dance Swimming Book Garden Music Pottery Salsa
      """
    ),
    second: WordList("Club Friends Group Team Evening Meetup")
  )
  private static let writing = (
    first: WordList(
      """
      Notes on the|Letter from the|A walk to the|Morning at the|Evening at the|Winter at the
      Summer at the|Return to the|Behind the|Beyond the|Memories of the|Last days at the
      Stories from the|Sketches of the|Conversations at the|A night near the|On the way to the
      Waiting near the|The sounds of the|Déjà vu at the
      """,
      separator: "|"
    ),
    second: WordList(
      """
      harbour|old bridge|market|lighthouse|railway station|mill|library|river|school|ferry|café
      museum|lake|workshop|theatre|bakery|canal|palace|observatory|boarding house|pier|inn|tower
      """,
      separator: "|"
    )
  )

  var topic = Topic.tasks

  var isDistinct: Bool { true }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(parts: topic.parts, key: site.key)
  }

  private struct Generator: TextGenerator {
    private let parts: (first: WordList, second: WordList)
    private let shuffle: Permutation

    init(parts: (first: WordList, second: WordList), key: StreamKey) {
      self.parts = parts
      shuffle = Permutation(count: parts.first.count * parts.second.count, key: key)
    }

    func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
      let place = shuffle.image(of: row % shuffle.count)
      text.append(contentsOf: parts.first[place / parts.second.count])
      text.append(" ")
      text.append(contentsOf: parts.second[place % parts.second.count])
      guard row >= shuffle.count else { return }
      text.append(" ")
      text.append(decimal: row / shuffle.count + 1)
    }
  }
}

/// Unique codes such as `SKU-00482913`: a prefix and digits in shuffled order.
struct CodeRule: ValueRule {
  static let entry = ValueGenerator(
    "code",
    "codes with a prefix and digits, in shuffled order",
    types: [.string],
    keys: [.init("prefix", "a text"), .init("digits", "1 to 18")],
    examples: [.init("code", 8...8), .init("{ code: { prefix: X-, digits: 6 } }", 8...8)],
    isUnique: true,
    bare: { _ in CodeRule() },
    parse: { input in
      guard let mapping = input.mapping() else { return nil }
      let prefix = mapping["prefix"].map { $0.string() } ?? ""
      let digits = mapping["digits"].map { $0.integer(in: 1...18) } ?? 8
      guard let prefix, let digits else { return nil }
      return CodeRule(prefix: prefix, digits: digits)
    }
  )

  var prefix = ""
  var digits = 8

  var isDistinct: Bool { true }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(prefix: prefix, digits: digits, rows: site.rows, key: site.key)
  }

  private struct Generator: TextGenerator {
    private let prefix: [UInt8]
    private let digits: Int
    private let shuffle: Permutation

    init(prefix: String, digits: Int, rows: Int, key: StreamKey) {
      self.prefix = Array(prefix.utf8)
      var width = min(max(digits, 1), 18)
      var capacity = 1
      for _ in 0..<width { capacity *= 10 }
      while capacity < rows, width < 18 {
        capacity *= 10
        width += 1
      }
      self.digits = width
      shuffle = Permutation(count: capacity, key: key)
    }

    func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
      text.append(contentsOf: prefix)
      text.append(decimal: shuffle.image(of: row), width: digits)
    }
  }
}

/// Random UUIDs (RFC 9562, version 4): 16 bytes, or upper-case text in text columns.
struct UUIDGenerator: CellGenerator, ValueRule {
  static let entry = ValueGenerator(
    "uuid",
    "random UUIDs: 16 bytes, or upper-case text",
    types: [.uuid, .string],
    bytes: 16...36,
    isUnique: true
  ) { UUIDGenerator(isText: $0.attribute.type == .string) }

  let isText: Bool

  var isDistinct: Bool { true }
  var isEditable: Bool { false }

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    let (high, low) = Self.halves(&draws)
    if isText {
      cell.setText { Self.append(high, low, to: &$0) }
    } else {
      cell.setBlob { bytes in
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
      }
    }
  }

  static func text(_ draws: inout Draws) -> String {
    let (high, low) = halves(&draws)
    var bytes: [UInt8] = []
    append(high, low, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func halves(_ draws: inout Draws) -> (UInt64, UInt64) {
    let high = draws.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = draws.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return (high, low)
  }

  private static func append(_ high: UInt64, _ low: UInt64, to text: inout [UInt8]) {
    text.append(hexadecimal: high >> 32, width: 8)
    text.append("-")
    text.append(hexadecimal: high >> 16, width: 4)
    text.append("-")
    text.append(hexadecimal: high, width: 4)
    text.append("-")
    text.append(hexadecimal: low >> 48, width: 4)
    text.append("-")
    text.append(hexadecimal: low, width: 12)
  }
}

struct ColourGenerator: CellGenerator, ValueRule {
  static let entry = ValueGenerator(
    "colour",
    "colours, mostly of a small palette: `#RRGGBB`, or 0xRRGGBB in integers",
    types: [.string, .integer32, .integer64],
    examples: [
      .init("colour", 7...7, for: [.string]),
      .init("colour", 0...16_777_215, for: [.integer32, .integer64]),
    ],
    bare: { ColourGenerator(isText: $0.attribute.type == .string) },
    parse: nil
  )

  let isText: Bool

  private static let palette: [UInt64] = [
    0xFF3B30, 0xFF9500, 0xFFCC00, 0x34C759, 0x00C7BE, 0x30B0C7, 0x32ADE6, 0x007AFF, 0x5856D6,
    0xAF52DE, 0xFF2D55, 0xA2845E, 0x8E8E93,
  ]

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    let isOwn = draws.below(5) == 0
    let colour =
      isOwn ? draws.next() & 0xFF_FFFF : Self.palette[draws.below(Self.palette.count)]
    guard isText else { return cell.set(Int64(colour)) }
    cell.setText {
      $0.append("#")
      $0.append(hexadecimal: colour, width: 6)
    }
  }
}
