import DataModel

struct ProductGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "product",
    "names of products in a shop",
    bytes: 5...60
  ) { _ in ProductGenerator() }

  /// The words of product names by category: qualities, nouns and, for some categories, sizes in
  /// centimeters.
  private static let sorts: [(qualities: WordList, nouns: WordList, sizes: WordList?)] = [
    (
      WordList("Oak|Walnut|White|Vintage|Nordic|Handmade|Classic|Pine", separator: "|"),
      WordList("bookshelf|desk|side table|bench|cupboard", separator: "|"),
      WordList("80 100 120 140")
    ),
    (
      WordList("Grey|White|Vintage|Nordic|Handmade|Classic|Black", separator: "|"),
      WordList("picture frame|stool|wall shelf|mirror|lamp shade", separator: "|"),
      WordList("30 40 50 60")
    ),
    (
      WordList("Blue|Cotton|Organic|Soft|Striped|Green|Grey|Écru", separator: "|"),
      WordList("blanket|bath towel|rug|tablecloth|scarf", separator: "|"),
      WordList("120 140 160 180")
    ),
    (
      WordList("Ceramic|Glass|Classic|White|Blue|Handmade", separator: "|"),
      WordList("tea cup|water bottle|flower pot|mixing bowl|café cup|butter dish", separator: "|"),
      nil
    ),
    (
      WordList("Black|Grey|Navy|Green|Classic|Brown", separator: "|"),
      WordList("backpack|wallet|rain jacket|laptop bag|belt|hat", separator: "|"),
      nil
    ),
    (
      WordList("Compact|White|Deluxe|Black|Classic|Silver", separator: "|"),
      WordList(
        "desk lamp|phone stand|headphones|wall clock|bicycle bell|alarm clock|torch",
        separator: "|"
      ),
      nil
    ),
    (
      WordList("Classic|Deluxe|Colourful|Vintage|Modern", separator: "|"),
      WordList(
        "puzzle (1,000 pieces)|notebook|fountain pen|candle|card game|sketchbook",
        separator: "|"
      ),
      nil
    ),
  ]

  /// The usual price of each product.
  ///
  /// Longer nouns come first, so that a desk lamp does not match `desk`.
  fileprivate static let prices: [(noun: [UInt8], price: Double)] = """
    bookshelf:180|desk:240|side table:90|bench:130|cupboard:320
    picture frame:22|stool:60|wall shelf:45|mirror:70|lamp shade:30
    blanket:55|bath towel:25|rug:95|tablecloth:35|scarf:30
    tea cup:12|water bottle:22|flower pot:18|mixing bowl:24|café cup:11
    butter dish:20|backpack:85|wallet:40|rain jacket:110|laptop bag:75
    belt:35|hat:30|desk lamp:48|phone stand:20|headphones:90
    wall clock:32|bicycle bell:12|alarm clock:28|torch:18|puzzle (1,000 pieces):20
    notebook:9|fountain pen:38|candle:12|card game:15|sketchbook:11
    """.split { $0 == "|" || $0.isNewline }.map {
      let parts = $0.split(separator: ":")
      return (Array(parts[0].utf8), Double(parts[1]) ?? 0)
    }
    .sorted { $0.noun.count > $1.noun.count }

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

/// Shop prices near the usual price of the product that another attribute names.
struct PriceRule: ValueRule {
  static let entry = ValueGenerator(
    "price",
    "prices of a shop's products, by their names",
    types: [.decimal, .double, .float],
    keys: [.init("of", "a text attribute with the product's name")],
    examples: [.init("{ price: { of: path } }", 1...2_000)],
    parse: { $0.textSource().map { PriceRule(path: $0) } }
  )

  let path: AttributePath

  var paths: [AttributePath] { [path] }
  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    site.source(path).map { Generator(name: $0, form: NumberRule.Form(of: site.attribute)) }
      ?? ConstantGenerator(value: .null)
  }

  private struct Generator: CellGenerator {
    private static let usual = 25.0
    private static let ends = [0, 0.5, 0.9, 0.95, 0.99]
    private static let spread = LogNormalDistribution(median: 1, sigma: 0.2)

    let name: PathSource
    let form: NumberRule.Form

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      name.fill(&cell, row: row)
      let known = ProductGenerator.prices.first {
        cell.kind == .text && cell.bytes.contains($0.noun)
      }
      let price = (known?.price ?? Self.usual) * Self.spread.value(row: row, draws: &draws)
      form.set(max(price.rounded(.down), 1) + Self.ends[draws.below(Self.ends.count)], in: &cell)
    }
  }
}
