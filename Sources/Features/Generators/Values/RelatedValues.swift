import DataModel

/// A rule that copies the value of another attribute, of the same object or of a to-one
/// relationship's target.
struct SameAsRule: ValueRule {
  static let entry = ValueGenerator(
    "sameAs",
    "the value of another attribute, of the object or of a to-one's target",
    types: GivenRule.types + [.date, .uuid],
    examples: [
      .init("{ sameAs: other }", -1e9...1e9, for: ValueGenerator.numberTypes + [.uuid]),
      .init("{ sameAs: isOpen }", 0...1, for: [.boolean]),
      .init("{ sameAs: other }", 3...200, for: [.string, .uri]),
      .init("{ sameAs: madeAt }", 694_224_000...788_918_400, for: [.date]),
    ],
    parse: { input in
      let reader = input.reader
      return reader.path(input.value, of: [reader.attribute.type]).map { SameAsRule(path: $0) }
    }
  )

  let path: AttributePath

  var paths: [AttributePath] { [path] }
  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    site.source(path).map { Generator(source: $0) } ?? ConstantGenerator(value: .null)
  }

  private struct Generator: CellGenerator {
    let source: PathSource

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) { source.fill(&cell, row: row) }
  }
}

/// A rule that generates values by a different rule for each value of another attribute.
struct GivenRule: ValueRule {
  static let types = ValueGenerator.numberTypes + [.boolean, .string, .uri, .date]

  static let entry = ValueGenerator(
    "consistentWith",
    "a generator for each value of an attribute, of the object or a to-one's target",
    types: types + [.binary],
    keys: [
      .init("attribute", "an attribute, or RELATIONSHIP.ATTRIBUTE"),
      .init("values", "{ VALUE: GENERATOR, … }; of a date also the name of another date"),
      .init("otherwise", "a generator"),
    ],
    examples: [
      example("3", otherwise: "9", 3...9, for: ValueGenerator.numberTypes),
      example("true", otherwise: "{ chance: 0.5 }", 0...1, for: [.boolean]),
      example("{ constant: a }", otherwise: "{ constant: abc }", 1...3, for: [.string, .uri]),
      example(
        "{ constant: 2001-01-02 }",
        otherwise: "{ date: { after: madeAt } }",
        86_400...788_918_400,
        for: [.date]
      ),
      example("{ blob: { size: 5 } }", otherwise: "{ blob: { size: 9 } }", 5...9, for: [.binary]),
    ],
    parse: { input in input.mapping().flatMap { rule($0, input.reader) } }
  )

  private static func example(
    _ open: String,
    otherwise: String,
    _ range: ClosedRange<Double>,
    for types: [AttributeType]
  ) -> ValueGenerator.Example {
    let values = "attribute: isOpen, values: { true: \(open) }, otherwise: \(otherwise)"
    return ValueGenerator.Example("{ consistentWith: { \(values) } }", range, for: types)
  }

  struct Case: Hashable, Sendable {
    enum Other: Hashable, Sendable {
      case value(Value)
      case attribute(AttributePath)
    }

    let other: Other
    let recipe: AttributeRecipe
  }

  let path: AttributePath
  let cases: [Case]
  let otherwise: AttributeRecipe

  private static func rule(_ mapping: YAMLMapping, _ reader: AttributeReader) -> GivenRule? {
    guard let path = mapping.required("attribute").flatMap({ reader.path($0, of: types) }),
      let base = reader.attribute(at: path),
      let values = mapping.required("values")?.mapping()
    else { return nil }
    var other = reader
    other.attribute = base
    let cases = values.entries.compactMap { entry in
      compared(entry, with: base, other).flatMap { compared in
        reader.plain(entry.value).map { Case(other: compared, recipe: $0) }
      }
    }
    if mapping["otherwise"] == nil, !reader.attribute.isOptional {
      mapping.report(
        "\(mapping.name) needs 'otherwise', as \(reader.attribute.name) is not optional"
      )
      return nil
    }
    let missing = AttributeRecipe(ConstantGenerator(value: .null))
    guard let otherwise = mapping["otherwise"].map({ reader.plain($0) }) ?? missing,
      cases.count == values.entries.count
    else { return nil }
    return GivenRule(path: path, cases: cases, otherwise: otherwise)
  }

  private static func compared(
    _ entry: YAMLMapping.Entry,
    with base: Attribute,
    _ reader: AttributeReader
  ) -> Case.Other? {
    let isDate =
      base.type == .date
      && reader.siblings.contains {
        $0.type == .date && $0.name == entry.key
      }
    guard !isDate else { return .attribute(AttributePath(attribute: entry.key)) }
    return reader.constant(of: entry).map { .value($0) }
  }

  private var compared: [AttributePath] {
    cases.compactMap { if case .attribute(let path) = $0.other { path } else { nil } }
  }

  private var recipes: [AttributeRecipe] { cases.map(\.recipe) + [otherwise] }

  var paths: [AttributePath] { [path] + compared + recipes.flatMap(\.rule.paths) }
  var bases: [String] { recipes.flatMap(\.rule.bases) }
  var isEditable: Bool { false }
  var canBeNumbered: Bool { false }
  var listed: [Value] { recipes.flatMap(\.rule.listed) }

  func period(_ others: [String: AttributeRecipe], depth: Int) -> ClosedRange<Double> {
    let periods = recipes.map { $0.rule.period(others, depth: depth + 1) }
      .filter { $0.lowerBound < $0.upperBound }
    guard let first = periods.map(\.lowerBound).min(), let last = periods.map(\.upperBound).max()
    else { return 0...0 }
    return first...last
  }

  func generator(at site: AttributeSite) -> any CellGenerator {
    guard let base = site.source(path) else { return otherwise.rule.generator(at: site) }
    return Generator(
      base: base,
      cases: cases.map { known in
        let compared: Generator.Other =
          switch known.other {
          case .value(let value): .value(value)
          case .attribute(let path): site.source(path).map { .source($0) } ?? .value(.null)
          }
        return (compared, known.recipe.rule.generator(at: site))
      },
      otherwise: otherwise.rule.generator(at: site)
    )
  }

  private struct Generator: CellGenerator {
    enum Other: Sendable {
      case value(Value)
      case source(PathSource)
    }

    let base: PathSource
    let cases: [(other: Other, generator: any CellGenerator)]
    let otherwise: any CellGenerator

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      base.fill(&cell, row: row)
      for known in cases {
        switch known.other {
        case .value(let value): guard cell.holds(value) else { continue }
        case .source(let source):
          let time = cell.number
          source.fill(&cell, row: row)
          let isSame = time != nil && time == cell.number
          base.fill(&cell, row: row)
          guard isSame else { continue }
        }
        return known.generator.fill(&cell, row: row, draws: &draws)
      }
      otherwise.fill(&cell, row: row, draws: &draws)
    }
  }
}

/// An object's position among the objects with the same target of a to-one relationship, from 0.
struct PositionRule: ValueRule {
  static let entry = ValueGenerator(
    "position",
    "the place among the objects that have the same target of a to-one, from 0",
    types: ValueGenerator.integerTypes,
    examples: [.init("{ position: owner }", 0...9_999)],
    parse: { input in
      let names = input.reader.targets.map(\.relationship)
      return input.value.name(
        among: names,
        lackedBy: "\(input.reader.entity) has no to-one relationship"
      ).map { PositionRule(relationship: $0) }
    }
  )

  let relationship: String

  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    guard let relationship = site.relationships[relationship] else {
      return ConstantGenerator(value: .integer(0))
    }
    let most = site.attribute.type.integerRange?.upperBound ?? .max
    return Generator(relationship: relationship, offset: site.offset, most: most)
  }

  private struct Generator: CellGenerator {
    let relationship: RelationshipSource
    let offset: Int
    let most: Int64

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      cell.set(min(Int64(relationship.position(of: offset + row, &cell) ?? row), most))
    }
  }
}

extension AttributeReader {
  /// Parses a generator without modifiers, for use within another generator; returns `nil` after
  /// reporting a problem.
  func plain(_ value: YAMLValue) -> AttributeRecipe? {
    let modifiers = value.isMapping ? value.mapping()?.entries.map(\.key) ?? [] : []
    if let key = modifiers.first(where: Self.modifiers.contains) {
      value.report("'\(key)' belongs beside the generator of \(attribute.name), not within it")
      return nil
    }
    guard let recipe = recipe(value) else { return nil }
    guard !recipe.rule.makesFiles else {
      value.report("names of files cannot depend on another attribute")
      return nil
    }
    return recipe
  }
}

extension Cell {
  /// Whether the cell contains the given value.
  ///
  /// A whole floating-point number equals the integer with the same value.
  func holds(_ value: Value) -> Bool {
    switch (kind, value) {
    case (.integer, .integer(let other)): integer == other
    case (.integer, .real(let other)): Double(integer) == other
    case (.real, .integer(let other)): real == Double(other)
    case (.real, .real(let other)): real == other
    case (.text, .text(let text)): bytes.elementsEqual(text.utf8)
    default: false
    }
  }
}
