import DataModel

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
            FilenameGenerator.appendPhoto(to: &text, "_small.jpg", &draws)
          case let type?:
            FilenameGenerator.appendDocument(
              to: &text,
              &draws,
              FilenameGenerator.words(of: type)
            )
            text.append(contentsOf: type.rawValue.utf8)
          default: FilenameGenerator().append(to: &text, row: row, draws: &draws)
          }
        }
      }
    }
  }

  private static let words = WordList(
    "scan notes document copy overview page Übersicht details summary"
  )
  private static let pictureWords = WordList("screenshot picture image")
  private static let dataWords = WordList("export backup data")

  private static func words(of format: BlobRule.Format) -> WordList {
    switch format {
    case .png: pictureWords
    case .json: dataWords
    default: words
    }
  }

  private static let extensions = WordList("pdf pdf json txt png docx csv")

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    if draws.below(5) < 3 {
      return Self.appendPhoto(to: &text, nil, &draws)
    }
    Self.appendDocument(to: &text, &draws, Self.words)
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
    _ words: WordList
  ) {
    words.append(to: &text, draws: &draws)
    text.append("-")
    text.append(decimal: 1 + draws.below(9_999), width: 4)
    text.append(".")
  }
}

struct PlaceGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "place",
    "names of hotels and other places to stay",
    bytes: 8...40
  ) { _ in PlaceGenerator() }

  private static let kinds = WordList("Hotel Pension Guesthouse Residence Villa")
  private static let names = WordList(
    """
    Lumière|Aurora|Belvedere|Bellevue|Mirador|Étoile|Centrale|Riverside|Astoria|Panorama|Royal|Atlas
    Continental|Plaza|Victoria|Paradiso|Métropole|Aurélia|Splendid
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Self.kinds.append(to: &text, draws: &draws)
    text.append(" ")
    Self.names.append(to: &text, draws: &draws)
  }
}

/// Unique e-mail addresses in reserved domains.
struct EmailRule: ValueRule {
  static let entry = ValueGenerator(
    "email",
    "e-mail addresses at reserved names",
    types: [.string],
    keys: [.init("of", "a text attribute with the person's name")],
    examples: [.init("email", 15...60), .init("{ email: { of: path } }", 14...60)],
    isUnique: true,
    bare: { _ in EmailRule() },
    parse: { $0.textSource().map { EmailRule(path: $0) } }
  )

  var path: AttributePath?

  var paths: [AttributePath] { path.map { [$0] } ?? [] }
  var isDistinct: Bool { true }
  var isEditable: Bool { path == nil }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(name: path.flatMap { site.source($0) }, rows: site.rows, key: site.key)
  }

  private struct Generator: CellGenerator {
    /// The numbers that make addresses unique, shuffled so that an address does not reveal its
    /// row's position.
    private let shuffle: Permutation
    private let name: PathSource?

    init(name: PathSource?, rows: Int, key: StreamKey) {
      self.name = name
      var count = 100
      while count < rows { count *= 10 }
      shuffle = Permutation(count: count, key: key)
    }

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      var start: [UInt8] = []
      if let name {
        name.fill(&cell, row: row)
        if cell.kind == .text { PlainLetters.append(cell.bytes, to: &start) }
      }
      cell.setText { text in
        if name == nil {
          Words.first.append(to: &text, draws: &draws)
          text.append(".")
          Words.last.append(to: &text, draws: &draws)
        } else if start.isEmpty {
          // The Latin spelling of a name in a non-Latin script is unknown, so use a random mailbox.
          Words.mailboxes.append(to: &text, draws: &draws)
        } else {
          text.append(contentsOf: start)
        }
        text.append(decimal: shuffle.image(of: row) + 1)
        text.append("@")
        Words.hosts.append(to: &text, draws: &draws)
      }
    }
  }

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
    static let mailboxes = WordList("mail post me hello home box")
    /// Domains reserved by RFC 2606, so that no mail reaches a real address.
    static let hosts = WordList(
      "example.com example.org example.net mail.example.com post.example.org"
    )
    static let path = WordList(
      """
      articles blog docs guides help images library news notes photos posts recipes reports shop
      stories support tasks travel users videos wiki archive download profile
      search
      """
    )
  }
}

/// Converts names to lower-case ASCII letters, for use in e-mail addresses.
private enum PlainLetters {
  private static let letters: [Unicode.Scalar: String] = {
    let groups = [
      "a": "áàâäãåăāąảạấầẩẫậắằẳẵặ", "c": "çćč", "d": "ďđ", "e": "éèêëęěēėẻẽẹếềểễệ", "g": "ğģ",
      "i": "íìîïīıỉĩị",
      "k": "ķ",
      "l": "łļľ", "n": "ñńňņ", "o": "óòôöõőøỏọốồổỗộơớờởỡợ", "r": "ŕř", "s": "śšșş", "t": "ťțţ",
      "u": "úùûüůűūủũụưứừửữự",
      "y": "ýÿỳỷỹỵ", "z": "žźż", "ae": "æ", "ss": "ß",
    ]
    var letters: [Unicode.Scalar: String] = [:]
    for (plain, group) in groups {
      for letter in group.unicodeScalars { letters[letter] = plain }
    }
    return letters
  }()

  /// Appends a name with dots between its parts; appends nothing for a name in a non-Latin script.
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
    // Remove trailing dots. A name in a non-Latin script consists only of dots at this point.
    while text.count > start, text[text.count - 1] == UInt8(ascii: ".") { text.removeLast() }
  }
}

/// URLs in reserved domains with one to three folders; a third of the URLs have a query.
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
    EmailRule.Words.hosts.append(to: &text, draws: &draws)
    for _ in 0...draws.below(3) {
      text.append("/")
      EmailRule.Words.path.append(to: &text, draws: &draws)
    }
    text.append("/")
    text.append(hexadecimal: draws.next(), width: 8)
    guard draws.below(3) == 0 else { return }
    text.append("?page=")
    text.append(decimal: draws.below(40) + 1)
  }
}
