import DataModel

/// Names of products, as a shop lists them.
struct ProductGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "product",
    "names of products in a shop",
    bytes: 5...60
  ) { _ in ProductGenerator() }

  /// Things of one sort: what fits them, and sizes in centimetres where they have some.
  private static let sorts: [(qualities: WordList, nouns: WordList, sizes: WordList?)] = [
    (
      WordList("Oak|Walnut|White|Vintage|Nordic|Handmade|Classic|Folding", separator: "|"),
      WordList("bookshelf|desk|side table|stool|picture frame|coat rack|bench", separator: "|"),
      WordList("80 100 120 140 160")
    ),
    (
      WordList("Blue|Wool|Cotton|Organic|Soft|Striped|Recycled|Säkert", separator: "|"),
      WordList("blanket|bath towel|rug|cushion cover|tablecloth|scarf", separator: "|"),
      WordList("40 60 90 130 150")
    ),
    (
      WordList("Steel|Ceramic|Glass|Classic|Mini|Handmade|Crème", separator: "|"),
      WordList(
        "tea cup|water bottle|bread basket|flower pot|kitchen knife|mixing bowl|café cup",
        separator: "|"
      ),
      WordList("8 12 16 20 24")
    ),
    (
      WordList("Waterproof|Leather|Canvas|Recycled|Black|Lightweight", separator: "|"),
      WordList("backpack|wallet|rain jacket|laptop bag|belt|hat", separator: "|"),
      nil
    ),
    (
      WordList("Magnetic|Compact|Wireless|Deluxe|Mini|Black", separator: "|"),
      WordList(
        "desk lamp|phone stand|headphones|wall clock|bicycle bell|alarm clock|toolbox",
        separator: "|"
      ),
      nil
    ),
    (
      WordList("Large|Colourful|Classic|Deluxe|Small", separator: "|"),
      WordList(
        "puzzle (1,000 pieces)|notebook|fountain pen|candle|card game|sketchbook",
        separator: "|"
      ),
      nil
    ),
  ]

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    let sort = Self.sorts[draws.below(Self.sorts.count)]
    sort.qualities.append(to: &text, draws: &draws)
    text.append(" ")
    sort.nouns.append(to: &text, draws: &draws)
    guard let sizes = sort.sizes, draws.below(3) == 0 else { return }
    text.append(", ")
    sizes.append(to: &text, draws: &draws)
    text.append(" cm")
  }
}

/// Names of files, as cameras, scanners and people give them.
struct FilenameGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "filename",
    "names of files, such as those of cameras, scanners and people",
    types: [.string],
    keys: [.init("of", "a text attribute with the file's media type, such as image/jpeg")],
    examples: [.init("filename", 8...30), .init("{ filename: { of: path } }", 8...30)],
    bare: { _ in FilenameGenerator() },
    parse: { $0.textSource().map { OfMediaType(path: $0) } }
  )

  /// Names that end as files of a media type do.
  private struct OfMediaType: ValueRule {
    let path: AttributePath

    var paths: [AttributePath] { [path] }
    var isEditable: Bool { false }

    func generator(at site: AttributeSite) -> any CellGenerator {
      site.source(path).map { Generator(mediaType: $0) } ?? FilenameGenerator()
    }

    private struct Generator: CellGenerator {
      let mediaType: PathSource

      func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
        mediaType.fill(&cell, row: row)
        let type = cell.kind == .text ? BlobRule.Format.named(by: cell.bytes) : nil
        cell.setText { text in
          switch type {
          case .jpeg?:
            FilenameGenerator.appendPhoto(to: &text, ".jpg", &draws)
          case let type?:
            FilenameGenerator.appendDocument(to: &text, &draws, isData: type == .json)
            text.append(contentsOf: type.rawValue.utf8)
          default: FilenameGenerator().append(to: &text, row: row, draws: &draws)
          }
        }
      }
    }
  }

  private static let words = WordList(
    "scan invoice contract Rechnung résumé notes draft receipt budget plan screenshot letter"
  )
  private static let extensions = WordList("pdf pdf json txt png docx csv")

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    if draws.below(5) < 3 {
      return Self.appendPhoto(to: &text, nil, &draws)
    }
    Self.appendDocument(to: &text, &draws)
    Self.extensions.append(to: &text, draws: &draws)
  }

  private static func appendPhoto(
    to text: inout [UInt8],
    _ ending: StaticString?,
    _ draws: inout Draws
  ) {
    text.append("IMG_")
    text.append(decimal: draws.below(10_000), width: 4)
    text.append(ending ?? (draws.below(2) == 0 ? ".jpg" : ".JPG"))
  }

  private static func appendDocument(
    to text: inout [UInt8],
    _ draws: inout Draws,
    isData: Bool = false
  ) {
    (isData ? dataWords : words).append(to: &text, draws: &draws)
    text.append("-")
    text.append(decimal: 1 + draws.below(9_999), width: 4)
    text.append(".")
  }

  private static let dataWords = WordList("export settings backup route measurements data")
}

/// Names of hotels and other places to stay.
struct PlaceGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "place",
    "names of hotels and other places to stay",
    bytes: 8...40
  ) { _ in PlaceGenerator() }

  private static let kinds = WordList(
    "Hotel|Pension|Hostel|Casa|Villa|Auberge|Gasthof|Riad|Ryokan|Camping|Apartment",
    separator: "|"
  )
  private static let names = WordList(
    """
    Lumière|zur Post|Aurora|Belvedere|del Mar|Nordlys|São João|Grüner Baum|Sakura|Bellevue|Mirador
    Étoile|am See|Centrale|La Peña|Fjord|Old Town|Riverside|Ζέφυρος|Astoria
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Self.kinds.append(to: &text, draws: &draws)
    text.append(" ")
    Self.names.append(to: &text, draws: &draws)
  }
}

/// E-mail addresses at reserved names; no two rows have the same one.
struct EmailGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "email",
    "e-mail addresses at reserved names",
    types: [.string],
    keys: [.init("of", "a text attribute with the person's name")],
    examples: [.init("email", 15...60), .init("{ email: { of: path } }", 14...60)],
    isUnique: true,
    bare: { _ in EmailGenerator() },
    parse: { $0.textSource().map { OfName(path: $0) } }
  )

  var isDistinct: Bool { true }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Words.first.append(to: &text, draws: &draws)
    text.append(".")
    Words.last.append(to: &text, draws: &draws)
    Self.appendEnd(to: &text, row: row, &draws)
  }

  private static func appendEnd(to text: inout [UInt8], row: Int, _ draws: inout Draws) {
    text.append(decimal: row + 1)
    text.append("@")
    Words.hosts.append(to: &text, draws: &draws)
  }

  /// Addresses made of a name that another attribute has, in the letters of ASCII.
  private struct OfName: ValueRule {
    let path: AttributePath

    var paths: [AttributePath] { [path] }
    var isDistinct: Bool { true }
    var isEditable: Bool { false }

    func generator(at site: AttributeSite) -> any CellGenerator {
      site.source(path).map { Generator(name: $0) } ?? EmailGenerator()
    }

    private struct Generator: CellGenerator {
      let name: PathSource

      func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
        name.fill(&cell, row: row)
        var start: [UInt8] = []
        if cell.kind == .text { PlainLetters.append(cell.bytes, to: &start) }
        cell.setText { text in
          if start.isEmpty {
            // A name in another script does not say how its owner spells it here.
            Words.mailboxes.append(to: &text, draws: &draws)
          } else {
            text.append(contentsOf: start)
          }
          EmailGenerator.appendEnd(to: &text, row: row, &draws)
        }
      }
    }
  }

  /// Words of which e-mail addresses and URLs are made.
  fileprivate enum Words {
    static let first = WordList(
      """
      ana jose zoe bjorn chloe soren lukas jurgen renee inigo sian noel asa emre maelle joao maria
      stefan ilze karlis oyvind roisin sean anais elodie francois emma liam olivia noah mia lucas
      sofia ethan
      """
    )
    static let last = WordList(
      """
      garcia muller nunez kowalski dvorak oconnor lefevre akesson celik nguyen tran novak szabo
      ionescu smith jones taylor brown wilson evans thomas johnson roberts walker wright rossi
      silva moreau
      """
    )
    static let mailboxes = WordList("mail post me hello office home contact box")
    /// Names that RFC 2606 reserves, so that no mail reaches a real address.
    static let hosts = WordList(
      "example.com example.org example.net mail.example.com post.example.org"
    )
    static let path = WordList(
      """
      articles blog docs guides help images library news notes photos posts recipes reports shop
      stories support tasks travel users videos wiki 2023 2024 2025 archive download profile
      search
      """
    )
  }
}

/// Names in small letters of ASCII, as e-mail addresses have them.
private enum PlainLetters {
  private static let letters: [Unicode.Scalar: String] = {
    let groups = [
      "a": "áàâäãåăāąảầ", "c": "çćč", "d": "ďđ", "e": "éèêëęěēėễ", "g": "ğģ", "i": "íìîïīı",
      "k": "ķ",
      "l": "łļľ", "n": "ñńňņ", "o": "óòôöõőøọ", "r": "ŕř", "s": "śšșş", "t": "ťțţ", "u": "úùûüůűū",
      "y": "ýÿ", "z": "žźż", "ae": "æ", "ss": "ß",
    ]
    var letters: [Unicode.Scalar: String] = [:]
    for (plain, group) in groups {
      for letter in group.unicodeScalars { letters[letter] = plain }
    }
    return letters
  }()

  /// Appends a name with points between its parts; nothing of one in another script.
  static func append(_ name: [UInt8], to text: inout [UInt8]) {
    let start = text.count
    for scalar in String(decoding: name, as: UTF8.self).lowercased().unicodeScalars {
      if scalar.isASCII, scalar.properties.isAlphabetic {
        text.append(UInt8(scalar.value))
      } else if let plain = letters[scalar] {
        text.append(contentsOf: plain.utf8)
      } else if scalar == " ", text.count > start, text[text.count - 1] != UInt8(ascii: ".") {
        text.append(UInt8(ascii: "."))
      }
    }
    // Of a name in another script no letter is left.
    while text.count > start, text[text.count - 1] == UInt8(ascii: ".") { text.removeLast() }
  }
}

/// URLs at reserved names, with one to three folders, a third of them with a query.
struct URLGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "url",
    "URLs at reserved names, with one to three folders",
    types: [.uri, .string],
    bytes: 25...90
  ) { _ in URLGenerator() }

  var canBeNumbered: Bool { false }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    text.append("https://")
    EmailGenerator.Words.hosts.append(to: &text, draws: &draws)
    for _ in 0...draws.below(3) {
      text.append("/")
      EmailGenerator.Words.path.append(to: &text, draws: &draws)
    }
    text.append("/")
    text.append(hexadecimal: draws.next(), width: 8)
    guard draws.below(3) == 0 else { return }
    text.append("?page=")
    text.append(decimal: draws.below(40) + 1)
  }
}
