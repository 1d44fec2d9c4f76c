import DataModel

enum Town {
  /// A line for each town: its name, pattern of postal codes, pattern of telephone numbers,
  /// latitude, longitude and streets.
  ///
  /// Each `#` becomes a digit.
  private static let table = """
    Genève;120#;+41 78 ### ## ##;46.20;6.14;Rue du Rhône|Rue de Lausanne|Rue de Berne
    Lisboa;1##0-0##;+351 91# ### ###;38.72;-9.14;Rua Augusta|Rua Garrett|Avenida da Liberdade
    København;162#;+45 2# ## ## ##;55.68;12.57;Østergade|Nørrebrogade|Vesterbrogade
    Zürich;804#;+41 79 ### ## ##;47.37;8.54;Bahnhofstrasse|Seestrasse|Langstrasse
    São Paulo;01###-000;+55 11 9####-####;-23.55;-46.63;Rua Augusta|Avenida Paulista|Rua da Consolação
    서울;04###;+82 10-4###-####;37.57;126.98;세종대로|을지로|종로
    Αθήνα;105 ##;+30 69# ### ####;37.98;23.73;Ερμού|Σταδίου|Πατησίων
    Reykjavík;10#;+354 6## ####;64.15;-21.94;Laugavegur|Hverfisgata|Skólavörðustígur
    Köln;5067#;+49 151 1#######;50.94;6.96;Lindenstraße|Aachener Straße|Venloer Straße
    Łódź;90-###;+48 60# ### ###;51.77;19.46;ul. Piotrkowska|ul. Długa|ul. Zachodnia
    Québec;G1R #K#;+1 418-5##-####;46.81;-71.21;Rue Saint-Jean|Grande Allée|Rue de l’Église
    Málaga;290##;+34 6## ### ###;36.72;-4.42;Calle Larios|Calle Mayor|Alameda Principal
    Київ;010##;+380 67 ### ## ##;50.45;30.52;вул. Хрещатик|вул. Січових Стрільців|вул. Володимирська
    東京;100-0005;+81 80-1###-####;35.68;139.77;丸の内1丁目|丸の内2丁目|丸の内3丁目
    القاهرة;115##;+20 10 #### ####;30.04;31.24;شارع طلعت حرب|شارع رمسيس|شارع التحرير
    ירושלים;94#####;+972 50-###-####;31.77;35.21;רחוב יפו|רחוב בן יהודה|רחוב עמק רפאים
    मुंबई;40001#;+91 98### #####;19.08;72.88;लिंकिंग रोड|महात्मा गांधी रोड|हिल रोड
    北京;1000##;+86 13# #### ####;39.90;116.41;长安街|王府井大街|前门大街
    Oslo;01##;+47 4## ## ###;59.91;10.75;Storgata|Karl Johans gate|Markveien
    Paris;7501#;+33 6 ## ## ## ##;48.86;2.35;Rue de Rivoli|Rue de l’Église|Boulevard Voltaire
    Roma;001##;+39 347 ### ####;41.90;12.50;Via Roma|Via Nazionale|Via del Corso
    London;N1 #AA;+44 77## ######;51.51;-0.13;High Street|Station Road|Park Avenue
    Wien;11#0;+43 664 #######;48.21;16.37;Mariahilfer Straße|Währinger Straße|Landstraße
    Praha;1#0 00;+420 72# ### ###;50.08;14.44;Národní|Vodičkova|Dlouhá
    İstanbul;34###;+90 53# ### ## ##;41.01;28.98;İstiklal Caddesi|Bağdat Caddesi|Abdi İpekçi Caddesi
    Mexico City;06###;+52 55 5### ####;19.43;-99.13;Avenida Juárez|Calle Madero|Paseo de la Reforma
    Toronto;M5V #K#;+1 416-5##-####;43.65;-79.38;Queen Street|King Street|Market Square
    Bergen;50##;+47 9## ## ###;60.39;5.32;Storgaten|Strandgaten|Kong Oscars gate
    """

  private static let rows = table.split(separator: "\n").map {
    $0.split(separator: ";").map(String.init)
  }

  static let names = WordList(rows.map { $0[0] }.joined(separator: "|"), separator: "|")
  private static let codes = WordList(rows.map { $0[1] }.joined(separator: "|"), separator: "|")
  private static let phones = WordList(rows.map { $0[2] }.joined(separator: "|"), separator: "|")
  private static let streets = rows.map { WordList($0[5], separator: "|") }
  private static let places = rows.map {
    (latitude: Double($0[3]) ?? 0, longitude: Double($0[4]) ?? 0)
  }

  /// The index of the town whose name is at the end of a cell's text; `nil` if there is no such
  /// town.
  static func number(in cell: Cell) -> Int? {
    guard cell.kind == .text else { return nil }
    return (0..<names.count).first { cell.bytes.suffix(names[$0].count).elementsEqual(names[$0]) }
  }

  static func place(_ number: Int) -> (latitude: Double, longitude: Double) { places[number] }

  static func appendAddress(_ number: Int, to text: inout [UInt8], _ draws: inout Draws) {
    streets[number].append(to: &text, draws: &draws)
    text.append(" ")
    text.append(decimal: 1 + draws.below(180))
    text.append(", ")
    append(codes[number], to: &text, &draws)
    text.append(" ")
    text.append(contentsOf: names[number])
  }

  static func appendPhone(_ number: Int, to text: inout [UInt8], _ draws: inout Draws) {
    append(phones[number], to: &text, &draws)
  }

  private static func append(
    _ pattern: UnsafeBufferPointer<UInt8>,
    to text: inout [UInt8],
    _ draws: inout Draws
  ) {
    for byte in pattern {
      text.append(byte == UInt8(ascii: "#") ? UInt8(48 + draws.below(10)) : byte)
    }
  }
}

/// A rule for a town's addresses and telephone numbers; another attribute may name the town.
struct TownRule: ValueRule {
  enum Part: Hashable, Sendable {
    case address
    case phone
  }

  let part: Part
  /// The attribute that names the town; the town is random if the path is `nil` or the name is
  /// unknown.
  var path: AttributePath?

  static let phone = entry(
    "phone",
    "telephone numbers, as their countries write them",
    .phone,
    bytes: 8...25
  )
  static let address = entry("address", "postal addresses", .address, bytes: 15...90)

  private static func entry(
    _ name: String,
    _ summary: String,
    _ part: Part,
    bytes: ClosedRange<Double>
  ) -> ValueGenerator {
    ValueGenerator(
      name,
      summary,
      types: [.string],
      keys: [.init("of", "a text attribute with the town")],
      examples: [.init(name, bytes), .init("{ \(name): { of: path } }", bytes)],
      bare: { _ in TownRule(part: part) },
      parse: { $0.textSource().map { TownRule(part: part, path: $0) } }
    )
  }

  var paths: [AttributePath] { path.map { [$0] } ?? [] }
  var isEditable: Bool { path == nil }
  var canBeNumbered: Bool { path == nil }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(part: part, town: path.flatMap { site.source($0) })
  }

  private struct Generator: CellGenerator {
    let part: Part
    let town: PathSource?

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      if let town { town.fill(&cell, row: row) } else { cell.setNull() }
      let number = Town.number(in: cell) ?? draws.below(Town.names.count)
      cell.setText { text in
        switch part {
        case .address: Town.appendAddress(number, to: &text, &draws)
        case .phone: Town.appendPhone(number, to: &text, &draws)
        }
      }
    }
  }
}

struct CityGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "city",
    "names of towns, in their local spelling",
    bytes: 4...20
  ) { _ in CityGenerator() }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Town.names.append(to: &text, draws: &draws)
  }
}

/// A coordinate within a few kilometers of a town that another attribute names.
struct CoordinateRule: ValueRule {
  enum Axis: String, CaseIterable, Hashable, Sendable {
    case latitude
    case longitude
  }

  static let entry = ValueGenerator(
    "coordinate",
    "a coordinate in degrees, near a town that an attribute names",
    types: [.double, .float],
    keys: [.init("axis", "latitude or longitude"), .init("of", "a text attribute with the town")],
    examples: [.init("{ coordinate: { axis: latitude, of: path } }", -90...90)],
    parse: { input in
      guard let mapping = input.mapping() else { return nil }
      let axis: Axis? = mapping.required("axis").flatMap { $0.choice() }
      let path = mapping.required("of").flatMap { input.reader.path($0, of: [.string]) }
      guard let axis, let path else { return nil }
      return CoordinateRule(axis: axis, path: path)
    }
  )

  let axis: Axis
  let path: AttributePath

  var paths: [AttributePath] { [path] }
  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    let form = NumberRule.Form(of: site.attribute)
    return site.source(path).map { Generator(axis: axis, town: $0, form: form) }
      ?? ConstantGenerator(value: .real(0))
  }

  private struct Generator: CellGenerator {
    let axis: Axis
    let town: PathSource
    let form: NumberRule.Form

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      town.fill(&cell, row: row)
      let place = Town.place(Town.number(in: cell) ?? draws.below(Town.names.count))
      let degrees = axis == .latitude ? place.latitude : place.longitude
      // Compute in whole ten-thousandths of a degree, so that results are the same on every
      // machine.
      let offset = Double(draws.below(800) - 400) / 10_000
      form.set((degrees * 10_000 + offset * 10_000).rounded() / 10_000, in: &cell)
    }
  }
}
