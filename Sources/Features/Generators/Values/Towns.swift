import DataModel

/// Towns with what belongs to them: streets, postal codes and where they are.
enum Town {
  /// Name, pattern of postal codes, latitude, longitude, streets; `#` stands for a digit.
  private static let table = """
    Kyoto;600-8###;35.01;135.77;Shijō-dōri|Karasuma-dōri|Teramachi-dōri
    Lisboa;1##0-0##;38.72;-9.14;Rua Augusta|Rua Garrett|Avenida da Liberdade
    København;1#5#;55.68;12.57;Østergade|Nørrebrogade|Vesterbrogade
    Zürich;80##;47.37;8.54;Bahnhofstrasse|Seestrasse|Langstrasse
    São Paulo;01###-000;-23.55;-46.63;Rua Augusta|Avenida Paulista|Rua da Consolação
    서울;04###;37.57;126.98;세종대로|을지로|종로
    Αθήνα;105 ##;37.98;23.73;Ερμού|Σταδίου|Πατησίων
    Reykjavík;10#;64.15;-21.94;Laugavegur|Hverfisgata|Skólavörðustígur
    Köln;50###;50.94;6.96;Lindenstraße|Aachener Straße|Venloer Straße
    Łódź;90-###;51.77;19.46;ul. Piotrkowska|ul. Długa|ul. Zachodnia
    Québec;G1R ##;46.81;-71.21;Rue Saint-Jean|Grande Allée|Rue de l’Église
    Málaga;290##;36.72;-4.42;Calle Larios|Calle Mayor|Alameda Principal
    Київ;010##;50.45;30.52;вул. Хрещатик|вул. Січових Стрільців|вул. Володимирська
    東京;100-0###;35.68;139.69;中央通り|表参道|外堀通り
    القاهرة;115##;30.04;31.24;شارع طلعت حرب|شارع رمسيس|شارع التحرير
    ירושלים;91###;31.77;35.21;רחוב יפו|רחוב בן יהודה|רחוב עמק רפאים
    मुंबई;4000##;19.08;72.88;लिंकिंग रोड|महात्मा गांधी रोड|हिल रोड
    北京;1000##;39.90;116.41;长安街|王府井大街|前门大街
    Oslo;01##;59.91;10.75;Storgata|Karl Johans gate|Markveien
    Paris;750##;48.86;2.35;Rue de Rivoli|Rue de l’Église|Boulevard Voltaire
    Roma;001##;41.90;12.50;Via Roma|Via Nazionale|Via del Corso
    London;N1 #AA;51.51;-0.13;High Street|Station Road|Park Avenue
    Wien;1##0;48.21;16.37;Mariahilfer Straße|Währinger Straße|Landstraße
    Praha;1#0 00;50.08;14.44;Národní|Vodičkova|Dlouhá
    İstanbul;34###;41.01;28.98;İstiklal Caddesi|Bağdat Caddesi|Abdi İpekçi Caddesi
    Mexico City;06###;19.43;-99.13;Avenida Juárez|Calle Madero|Paseo de la Reforma
    Toronto;M5V #K#;43.65;-79.38;Queen Street|King Street|Market Square
    Bergen;50##;60.39;5.32;Storgaten|Strandgaten|Kong Oscars gate
    """

  private static let rows = table.split(separator: "\n").map {
    $0.split(separator: ";").map(String.init)
  }

  static let names = WordList(rows.map { $0[0] }.joined(separator: "|"), separator: "|")
  private static let codes = WordList(rows.map { $0[1] }.joined(separator: "|"), separator: "|")
  private static let streets = rows.map { WordList($0[4], separator: "|") }
  private static let places = rows.map {
    (latitude: Double($0[2]) ?? 0, longitude: Double($0[3]) ?? 0)
  }

  /// The number of the town that a cell's text is or ends with; `nil` where it names none of them.
  static func number(in cell: Cell) -> Int? {
    guard cell.kind == .text else { return nil }
    return (0..<names.count).first { cell.bytes.suffix(names[$0].count).elementsEqual(names[$0]) }
  }

  /// Where a town is: latitude and longitude in degrees.
  static func place(_ number: Int) -> (latitude: Double, longitude: Double) { places[number] }

  static func appendAddress(_ number: Int, to text: inout [UInt8], _ draws: inout Draws) {
    streets[number].append(to: &text, draws: &draws)
    text.append(" ")
    text.append(decimal: 1 + draws.below(180))
    text.append(", ")
    for byte in codes[number] {
      text.append(byte == UInt8(ascii: "#") ? UInt8(48 + draws.below(10)) : byte)
    }
    text.append(" ")
    text.append(contentsOf: names[number])
  }
}

/// Names of towns, in the spelling of their own countries.
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

/// Postal addresses.
struct AddressGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "address",
    "postal addresses",
    types: [.string],
    keys: [.init("of", "a text attribute with the town")],
    examples: [.init("address", 15...90), .init("{ address: { of: path } }", 15...90)],
    bare: { _ in AddressGenerator() },
    parse: { $0.textSource().map { OfTown(path: $0) } }
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Town.appendAddress(draws.below(Town.names.count), to: &text, &draws)
  }

  /// Addresses in a town that another attribute names; anywhere where it names none.
  private struct OfTown: ValueRule {
    let path: AttributePath

    var paths: [AttributePath] { [path] }
    var isEditable: Bool { false }

    func generator(at site: AttributeSite) -> any CellGenerator {
      site.source(path).map { Generator(town: $0) } ?? AddressGenerator()
    }

    private struct Generator: CellGenerator {
      let town: PathSource

      func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
        town.fill(&cell, row: row)
        let number = Town.number(in: cell) ?? draws.below(Town.names.count)
        cell.setText { Town.appendAddress(number, to: &$0, &draws) }
      }
    }
  }
}

/// A coordinate within a few kilometres of a town that another attribute names.
struct CoordinateRule: ValueRule {
  /// Which coordinate.
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
      // Whole ten-thousandths of a degree: the same number everywhere.
      let offset = Double(draws.below(800) - 400) / 10_000
      form.set((degrees * 10_000 + offset * 10_000).rounded() / 10_000, in: &cell)
    }
  }
}
