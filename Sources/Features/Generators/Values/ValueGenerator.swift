import DataModel

/// Generates the values of an attribute.
///
/// A value depends only on the row number and the given draws.
protocol CellGenerator: Sendable {
  func fill(_ cell: inout Cell, row: Int, draws: inout Draws)
}

/// Generates strings that can be part of other strings.
protocol TextGenerator: CellGenerator {
  func append(to text: inout [UInt8], row: Int, draws: inout Draws)
}

extension TextGenerator {
  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.setText { append(to: &$0, row: row, draws: &draws) }
  }
}

/// The rule in a recipe for an attribute's values.
///
/// Its stored properties are part of the key of cached stores. A rule that needs no preparation is
/// also the generator.
protocol ValueRule: Hashable, Sendable {
  func generator(at site: AttributeSite) -> any CellGenerator

  var bases: [String] { get }
  /// The paths to all attributes on which the values depend, including attributes of related
  /// objects.
  var paths: [AttributePath] { get }
  var isDistinct: Bool { get }
  /// Whether an edit can draw a new value for a single object.
  var isEditable: Bool { get }
  var makesFiles: Bool { get }
  /// Whether the row number can be appended to a generated string to make it unique.
  var canBeNumbered: Bool { get }
  /// The values of an enumeration; empty for other rules.
  var listed: [Value] { get }
  /// The period of the rule's dates, in seconds since 2001-01-01.
  ///
  /// `others` contains the recipes of the entity's attributes.
  func period(_ others: [String: AttributeRecipe], depth: Int) -> ClosedRange<Double>
}

extension ValueRule {
  var bases: [String] { [] }
  var paths: [AttributePath] { [] }
  var isDistinct: Bool { false }
  var isEditable: Bool { true }
  var makesFiles: Bool { false }
  var canBeNumbered: Bool { self is any TextGenerator }
  var listed: [Value] { [] }
  func period(_ others: [String: AttributeRecipe], depth: Int) -> ClosedRange<Double> { 0...0 }
}

extension ValueRule where Self: CellGenerator {
  func generator(at site: AttributeSite) -> any CellGenerator { self }
}

/// The attribute for which a rule creates its generator, and the sources of the object's other
/// properties.
struct AttributeSite {
  let attribute: Attribute
  private(set) var rows: Int
  let key: StreamKey
  let offset: Int
  let sources: [String: AttributeSource]
  let relationships: [String: RelationshipSource]
  let recipes: [String: AttributeRecipe]
  let binder: PathBinder

  /// Returns a copy of the context with a different number of rows.
  func with(rows: Int) -> AttributeSite {
    var site = self
    site.rows = rows
    return site
  }
}

/// A value generator that recipes can name.
///
/// It consists of the YAML form, the supported types, a parser, a line of documentation, and
/// examples for a test.
///
/// To add a generator, define such a value next to its ``ValueRule`` and add it to ``all``.
package struct ValueGenerator: Sendable {
  /// A key of the mapping after the generator's name.
  package struct Key: Sendable {
    package let name: String
    /// The description of the key's values.
    package let values: String

    init(_ name: String, _ values: String) {
      self.name = name
      self.values = values
    }
  }

  /// An example in YAML of a rule with the generator.
  package struct Example: Sendable {
    package let rule: String
    /// The attribute types for which the example is valid; `nil` for all of the generator's types.
    package var types: [AttributeType]?
    let range: ClosedRange<Double>

    init(_ rule: String, _ range: ClosedRange<Double>, for types: [AttributeType]? = nil) {
      self.rule = rule
      self.range = range
      self.types = types
    }
  }

  /// The part of a recipe that follows a generator's name.
  struct Input {
    let value: YAMLValue
    let keys: [String]
    let reader: AttributeReader

    func mapping() -> YAMLMapping? { value.mapping(knowing: keys) }

    func textSource() -> AttributePath? {
      mapping()?.required("of").flatMap { reader.path($0, of: [.string]) }
    }
  }

  package let name: String
  /// A one-line description of the generated values.
  package let summary: String
  /// The supported attribute types.
  package let types: [AttributeType]
  /// The keys that the generator accepts; empty if it takes no mapping, or a mapping whose keys the
  /// recipe chooses.
  package let keys: [Key]
  package let examples: [Example]
  let isUnique: Bool
  /// Creates the rule if the recipe has only the generator's name; `nil` if parameters are
  /// required.
  let bare: (@Sendable (AttributeReader) -> any ValueRule)?
  /// Parses the parameters after the name; returns `nil` after reporting a problem.
  private let parse: (@Sendable (Input) -> (any ValueRule)?)?

  init(
    _ name: String,
    _ summary: String,
    types: [AttributeType],
    keys: [Key] = [],
    examples: [Example],
    isUnique: Bool = false,
    bare: (@Sendable (AttributeReader) -> any ValueRule)? = nil,
    parse: (@Sendable (Input) -> (any ValueRule)?)?
  ) {
    self.name = name
    self.summary = summary
    self.types = types
    self.keys = keys
    self.examples = examples
    self.isUnique = isUnique
    self.bare = bare
    self.parse = parse
  }

  init(
    _ name: String,
    _ summary: String,
    types: [AttributeType] = [.string],
    bytes: ClosedRange<Double>,
    isUnique: Bool = false,
    rule: @escaping @Sendable (AttributeReader) -> any ValueRule
  ) {
    self.init(
      name,
      summary,
      types: types,
      examples: [Example(name, bytes)],
      isUnique: isUnique,
      bare: rule,
      parse: nil
    )
  }

  func rule(_ value: YAMLValue, _ reader: AttributeReader) -> (any ValueRule)? {
    if value.scalar == .null, let bare { return bare(reader) }
    guard let parse else {
      value.report("\(value.name) takes no parameters; write it without a value")
      return nil
    }
    return parse(Input(value: value, keys: keys.map(\.name), reader: reader))
  }
}

// MARK: The registry

extension ValueGenerator {
  /// All generators that recipes can name, in the order in which messages list them.
  package static let all: [ValueGenerator] =
    [
      TitleGenerator.entry,
      TemplateRule.entry,
      StepRule.entry,
      NotesRule.entry,
      PersonNameRule.entry,
      BiographyGenerator.entry,
      LabelRule.entry,
      CodeRule.entry,
      ProductGenerator.entry,
      FilenameGenerator.entry,
      CityGenerator.entry,
      PlaceGenerator.entry,
      TownRule.address,
      TownRule.phone,
      EmailRule.entry,
      URLGenerator.entry,
      ColourGenerator.entry,
      UUIDGenerator.entry,
      DateRule.entry,
      ChanceGenerator.entry,
      ChoiceRule.entry,
      HourlyChoiceRule.entry,
    ] + NumberRule.entries + [
      PriceRule.entry,
      CoordinateRule.entry,
      BlobRule.entry,
      FileRule.entry,
      FileSizeRule.entry,
      SameAsRule.entry,
      GivenRule.entry,
      PositionRule.entry,
      ConstantGenerator.entry,
    ]

  static func named(_ name: String) -> ValueGenerator? { all.first { $0.name == name } }

  static func names(for type: AttributeType) -> [String] {
    all.filter { $0.types.contains(type) }.map(\.name)
  }

  static let integerTypes: [AttributeType] = [.integer16, .integer32, .integer64]
  static let numberTypes = integerTypes + [.decimal, .double, .float]
}

extension AttributeType {
  /// The range of whole numbers that an attribute of the type can hold; `nil` for other types.
  var integerRange: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: Int64.min...Int64.max
    default: nil
    }
  }
}
