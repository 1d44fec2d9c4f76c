import DataModel

struct ConstantGenerator: CellGenerator, ValueRule {
  static let entry = ValueGenerator(
    "constant",
    "the same value for every object",
    types: ValueGenerator.numberTypes + [.boolean, .string, .uri, .date],
    examples: [
      .init("4", 4...4, for: ValueGenerator.numberTypes),
      .init("true", 1...1, for: [.boolean]),
      .init("{ constant: a }", 1...1, for: [.string, .uri]),
      .init("{ constant: 2001-01-02 }", 86_400...86_400, for: [.date]),
    ],
    parse: { $0.reader.constant($0.value).map { ConstantGenerator(value: $0) } }
  )

  let value: Value

  var isEditable: Bool { false }

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) { cell.set(value) }
}

struct ChoiceRule: ValueRule {
  static let entry = ValueGenerator(
    "weighted",
    "one of a few values, each with a weight: { VALUE: WEIGHT, … }",
    types: types,
    examples: [
      .init("{ weighted: { 1: 3, 20: 1 } }", 1...20, for: ValueGenerator.numberTypes),
      .init("{ weighted: { red: 3, green: 1 } }", 3...5, for: [.string, .uri]),
      .init("{ weighted: { true: 3, false: 1 } }", 0...1, for: [.boolean]),
    ],
    parse: { weighted($0.value, $0.reader) }
  )

  fileprivate static let types = ValueGenerator.numberTypes + [.string, .uri, .boolean]

  let values: [Value]
  let weights: [Double]

  var listed: [Value] { values }

  fileprivate static func weighted(_ value: YAMLValue, _ reader: AttributeReader) -> ChoiceRule? {
    guard let mapping = value.mapping() else { return nil }
    var (values, weights): ([Value], [Double]) = ([], [])
    for entry in mapping.entries {
      guard let weight = DistributionReader.weight(entry.value),
        let constant = reader.constant(of: entry)
      else { continue }
      values.append(constant)
      weights.append(weight)
    }
    guard weights.contains(where: { $0 > 0 }) else {
      value.report("\(value.name) must give at least one value a weight above 0")
      return nil
    }
    return ChoiceRule(values: values, weights: weights)
  }

  func generator(at site: AttributeSite) -> any CellGenerator { prepared }

  fileprivate var prepared: Generator {
    Generator(values: values, choice: WeightedChoice(weights: weights))
  }

  fileprivate struct Generator: CellGenerator {
    let values: [Value]
    let choice: WeightedChoice

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      cell.set(values[choice.choice(&draws)])
    }
  }
}

/// A choice whose weights depend on whether the date in another attribute falls within working
/// hours.
struct HourlyChoiceRule: ValueRule {
  static let entry = ValueGenerator(
    "byHour",
    "one of a few values, with different weights inside and outside working hours",
    types: ChoiceRule.types,
    keys: [
      .init("of", "a date attribute"), .init("working", "{ VALUE: WEIGHT, … }"),
      .init("otherwise", "{ VALUE: WEIGHT, … }"),
    ],
    examples: [
      .init(
        "{ byHour: { of: madeAt, working: { 1: 1 }, otherwise: { 20: 1 } } }",
        1...20,
        for: ValueGenerator.numberTypes
      ),
      .init(
        "{ byHour: { of: madeAt, working: { desk: 1 }, otherwise: { sofa: 1 } } }",
        4...4,
        for: [.string, .uri]
      ),
      .init(
        "{ byHour: { of: madeAt, working: { true: 1 }, otherwise: { false: 1 } } }",
        0...1,
        for: [.boolean]
      ),
    ],
    parse: { input in
      guard let mapping = input.mapping() else { return nil }
      let date = mapping.required("of").flatMap { input.reader.sibling($0, of: [.date]) }
      let working = mapping.required("working").flatMap { ChoiceRule.weighted($0, input.reader) }
      let otherwise = mapping.required("otherwise").flatMap {
        ChoiceRule.weighted($0, input.reader)
      }
      guard let date, let working, let otherwise else { return nil }
      return HourlyChoiceRule(attribute: date, working: working, otherwise: otherwise)
    }
  )

  let attribute: String
  let working: ChoiceRule
  let otherwise: ChoiceRule

  var bases: [String] { [attribute] }
  var listed: [Value] { working.values + otherwise.values }

  func generator(at site: AttributeSite) -> any CellGenerator {
    guard let date = site.sources[attribute] else { return ConstantGenerator(value: .null) }
    return Generator(date: date, working: working.prepared, otherwise: otherwise.prepared)
  }

  private struct Generator: CellGenerator {
    let date: AttributeSource
    let working: ChoiceRule.Generator
    let otherwise: ChoiceRule.Generator

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      date.fill(&cell, row: row)
      guard let time = cell.number else { return cell.setNull() }
      let choice = WorkingCalendar.isWorkingHour(time) ? working : otherwise
      choice.fill(&cell, row: row, draws: &draws)
    }
  }
}

struct ChanceGenerator: CellGenerator, ValueRule {
  static let entry = ValueGenerator(
    "chance",
    "true with a probability, which may change linearly with a date",
    types: [.boolean],
    keys: [
      .init("along", "a date attribute"), .init("from", "a probability"),
      .init("to", "a probability"),
    ],
    examples: [
      .init("{ chance: 0.3 }", 0...1),
      .init("{ chance: { along: madeAt, from: 0.9, to: 0.1 } }", 0...1),
    ],
    parse: { input in
      guard !input.value.isMapping else { return Trend.rule(input) }
      return probability(input.value).map { ChanceGenerator(probability: $0) }
    }
  )

  let probability: Double

  fileprivate static func probability(_ value: YAMLValue) -> Double? {
    value.number(being: "a probability from 0 to 1") { (0...1).contains($0) }
  }

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.set(Int64(draws.happens(probability) ? 1 : 0))
  }

  private struct Trend: ValueRule {
    let attribute: String
    let from: Double
    let to: Double

    static func rule(_ input: ValueGenerator.Input) -> Trend? {
      guard let mapping = input.mapping() else { return nil }
      let date = mapping.required("along").flatMap { input.reader.sibling($0, of: [.date]) }
      let first = mapping.required("from").flatMap(ChanceGenerator.probability)
      let last = mapping.required("to").flatMap(ChanceGenerator.probability)
      guard let date, let first, let last else { return nil }
      return Trend(attribute: date, from: first, to: last)
    }

    var bases: [String] { [attribute] }

    func generator(at site: AttributeSite) -> any CellGenerator {
      guard let date = site.sources[attribute] else { return ConstantGenerator(value: .null) }
      let period = site.recipes[attribute]?.rule.period(site.recipes, depth: 0) ?? 0...0
      return Generator(date: date, period: period, first: from, last: to)
    }

    private struct Generator: CellGenerator {
      let date: AttributeSource
      /// The period over which the probability changes, in seconds since 2001-01-01.
      let period: ClosedRange<Double>
      let first: Double
      let last: Double

      func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
        date.fill(&cell, row: row)
        guard let time = cell.number else { return cell.setNull() }
        let length = period.upperBound - period.lowerBound
        let share = length > 0 ? min(max((time - period.lowerBound) / length, 0), 1) : 0
        cell.set(Int64(draws.happens(first + share * (last - first)) ? 1 : 0))
      }
    }
  }
}

extension Cell {
  var number: Double? {
    switch kind {
    case .integer: Double(integer)
    case .real: real
    default: nil
    }
  }
}
