import DataModel

/// Names of products, as a shop lists them.
struct ProductGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "product",
    "names of products in a shop",
    bytes: 5...60
  ) { _ in ProductGenerator() }

  private static let qualities = WordList(
    """
    Blue|Oak|Steel|Cotton|Folding|Vintage|Organic|Mini|Deluxe|Wool|Ceramic|Bamboo|Waterproof|Classic
    Nordic|Handmade|Café|Leather|Recycled|Glass|Magnetic|Quick-dry|Crème|Säkert|XL
    """,
    separator: "|"
  )
  private static let nouns = WordList(
    """
    desk lamp|office chair|tea cup|blanket|backpack|bookshelf|water bottle|notebook|rain jacket
    rug|headphones|picture frame|kitchen knife|garden hose|candle|sofa|wall clock|toolbox|yoga mat
    wallet|flower pot|bread basket|phone stand|bath towel|bicycle bell|puzzle (1,000 pieces)
    fountain pen
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Self.qualities.append(to: &text, draws: &draws)
    text.append(" ")
    Self.nouns.append(to: &text, draws: &draws)
    guard draws.below(3) == 0 else { return }
    text.append(", ")
    text.append(decimal: 10 * (1 + draws.below(20)))
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
    parse: { input in
      guard let mapping = input.mapping() else { return nil }
      return mapping.required("of").flatMap { input.reader.path($0, of: [.string]) }
        .map { OfMediaType(path: $0) }
    }
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
            FilenameGenerator.appendDocument(to: &text, &draws)
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

  private static func appendDocument(to text: inout [UInt8], _ draws: inout Draws) {
    Self.words.append(to: &text, draws: &draws)
    text.append("-")
    text.append(decimal: 2_020 + draws.below(7))
    text.append("-")
    text.append(decimal: 1 + draws.below(12), width: 2)
    text.append(".")
  }
}

/// Names of towns, in the spelling of their own countries.
struct CityGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "city",
    "names of towns, in their local spelling",
    bytes: 4...20
  ) { _ in CityGenerator() }

  static let names = WordList(
    """
    Kyoto|Lisboa|København|Zürich|São Paulo|서울|Αθήνα|Reykjavík|Köln|Łódź|Québec|Málaga|Київ|東京
    القاهرة|ירושלים|मुंबई|北京|Oslo|Paris|Roma|London|Wien|Praha|İstanbul|Mexico City|Toronto|Bergen
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Self.names.append(to: &text, draws: &draws)
  }
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

/// Postal addresses.
struct AddressGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "address",
    "postal addresses",
    bytes: 15...60
  ) { _ in AddressGenerator() }

  private static let streets = WordList(
    """
    Lindenstraße|High Street|Rue de l’Église|Calle Mayor|Via Roma|Storgata|Rua Augusta|Market Square
    Bahnhofstraße|Park Avenue|Kungsgatan|ul. Długa|Station Road|Plaça Reial|Östergade
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Self.streets.append(to: &text, draws: &draws)
    text.append(" ")
    text.append(decimal: 1 + draws.below(180))
    text.append(", ")
    text.append(decimal: draws.below(100_000), width: 5)
    text.append(" ")
    CityGenerator.names.append(to: &text, draws: &draws)
  }
}

/// E-mail addresses at reserved names; no two rows have the same one.
struct EmailGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "email",
    "e-mail addresses at reserved names",
    bytes: 15...60,
    isUnique: true
  ) { _ in EmailGenerator() }

  var isDistinct: Bool { true }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Words.first.append(to: &text, draws: &draws)
    text.append(".")
    Words.last.append(to: &text, draws: &draws)
    text.append(decimal: row + 1)
    text.append("@")
    Words.hosts.append(to: &text, draws: &draws)
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
