import DataModel

/// A rule that makes the values of one attribute.
///
/// A value depends on the row number and the draws of its cell only.
protocol CellGenerator: Sendable {
  /// Sets the cell to the value of one row.
  func fill(_ cell: inout Cell, row: Int, draws: inout Draws)
}

/// A rule that makes texts, which other texts can contain.
protocol TextGenerator: CellGenerator {
  /// Appends the UTF-8 of one row's text.
  func append(to text: inout [UInt8], row: Int, draws: inout Draws)
}

extension TextGenerator {
  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.setText { append(to: &$0, row: row, draws: &draws) }
  }
}

/// How an attribute's values are made, as a recipe has it.
///
/// Its stored properties are what the recipe says, and part of the key of cached stores. A rule
/// that needs no preparation is its own generator.
protocol ValueRule: Hashable, Sendable {
  /// The generator of one attribute of a dataset.
  func generator(at site: AttributeSite) -> any CellGenerator

  /// The attributes of the same object that the values depend on.
  var bases: [String] { get }
  /// The attributes that the values depend on, those of related objects among them.
  var paths: [AttributePath] { get }
  /// Whether no two objects get the same value.
  var isDistinct: Bool { get }
  /// Whether a value can be drawn anew for one object alone.
  var isEditable: Bool { get }
  /// Whether the values are names of files that the app keeps beside the store.
  var makesFiles: Bool { get }
  /// Whether the row's number can follow the text, so that no two are alike.
  var canBeNumbered: Bool { get }
  /// The values of an enumeration; none of other rules.
  var listed: [Value] { get }
  /// When the rule's dates begin and end; `others` has the recipes of the entity's attributes.
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

/// What a rule's generator is made for: an attribute, and what its object has besides.
struct AttributeSite {
  let attribute: Attribute
  private(set) var rows: Int
  let key: StreamKey
  let offset: Int
  let sources: [String: AttributeSource]
  let relationships: [String: RelationshipSource]
  let recipes: [String: AttributeRecipe]
  let binder: PathBinder

  /// The same for another number of rows.
  func with(rows: Int) -> AttributeSite {
    var site = self
    site.rows = rows
    return site
  }
}

/// A value generator as recipes name it: its form in YAML, the types it fits, its parser, a line of
/// documentation, and what the test of all generators needs.
///
/// A new generator is one such value beside its ``ValueRule``, and a line in ``all``.
package struct ValueGenerator: Sendable {
  /// A key of the mapping that follows the generator's name.
  package struct Key: Sendable {
    package let name: String
    /// What can be written behind it.
    package let values: String

    init(_ name: String, _ values: String) {
      self.name = name
      self.values = values
    }
  }

  /// A rule in YAML, for attributes of some of the generator's types.
  package struct Example: Sendable {
    package let rule: String
    /// All of the generator's types where it is `nil`.
    package var types: [AttributeType]?
    /// The bounds of the example's values: of numbers and dates as they are, of texts and blobs in
    /// bytes.
    let range: ClosedRange<Double>

    init(_ rule: String, _ range: ClosedRange<Double>, for types: [AttributeType]? = nil) {
      self.rule = rule
      self.range = range
      self.types = types
    }
  }

  /// What a recipe has written behind a generator's name.
  struct Input {
    let value: YAMLValue
    let keys: [String]
    let reader: AttributeReader

    func mapping() -> YAMLMapping? { value.mapping(knowing: keys) }

    /// The text attribute that `of` names; `nil` after reporting what is wrong.
    func textSource() -> AttributePath? {
      mapping()?.required("of").flatMap { reader.path($0, of: [.string]) }
    }
  }

  package let name: String
  /// What it makes, in one line.
  package let summary: String
  /// The types of the attributes that it fits.
  package let types: [AttributeType]
  /// The keys that it knows; none where it takes no mapping, or one with keys of the recipe's own.
  package let keys: [Key]
  package let examples: [Example]
  let isUnique: Bool
  /// The rule that the name alone stands for; `nil` where parameters are needed.
  let bare: (@Sendable (AttributeReader) -> any ValueRule)?
  /// The rule of what follows the name, or `nil` after reporting what is wrong with it.
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

  /// The rule that a recipe's entry stands for, or `nil` after reporting what is wrong with it.
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
  /// Every generator that a recipe can name, in the order in which messages list them.
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
  /// The whole numbers that an attribute of the type can hold; `nil` for other types.
  var integerRange: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: Int64.min...Int64.max
    default: nil
    }
  }
}
