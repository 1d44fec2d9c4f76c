import DataModel
import TestSupport
import Testing

@testable import Generators

/// Tests properties of every registered generator, with the generator's own examples.
struct ValueGeneratorTests {
  /// A generator's example for attributes of one type.
  struct Trial: CustomTestStringConvertible {
    let generator: ValueGenerator
    let example: ValueGenerator.Example
    let type: AttributeType

    var testDescription: String { "\(example.rule) as \(type.name)" }
  }

  private static let trials = ValueGenerator.all.flatMap { generator in
    generator.examples.flatMap { example in
      (example.types ?? generator.types).map {
        Trial(generator: generator, example: example, type: $0)
      }
    }
  }

  private static let rows = 3_000
  /// The number of rows for tests of a single value's properties.
  private static let fewRows = FuzzSeeds.isThorough ? rows : 300

  private func recipe(
    _ rule: String,
    _ type: AttributeType,
    rows: Int = Self.rows
  ) throws -> Recipe {
    try Recipes.make(
      model: """
        Thing:
          attributes:
            value: { type: \(type.name), optional: true }
            madeAt: date
            path: string
            isOpen: { type: boolean, optional: false }
            other: { type: \(type.name), optional: false }
          relationships:
            tags: { to: Tag, many: true, inverse: things }
            owner: { to: Owner, inverse: things }
        Owner:
          relationships: { things: { to: Thing, many: true, inverse: owner } }
        Tag:
          relationships: { things: { to: Thing, many: true, inverse: tags } }
        """,
      """
      seed: 7
      entities:
        Tag: { count: 20 }
        Owner: { count: 20 }
        Thing:
          count: \(rows)
          attributes:
            madeAt: date
            path: { file: { size: 100, signature: jpeg } }
            value: \(rule)
      """
    )
  }

  private func values(_ dataset: Dataset) throws -> [Value] {
    let count = try dataset.entity("Thing").count
    return try (0..<count).map { try dataset.value(entity: "Thing", row: $0, attribute: "value") }
  }

  @Test func `every generator has a line of documentation and an example for each type`() {
    #expect(Set(ValueGenerator.all.map(\.name)).count == ValueGenerator.all.count)
    for generator in ValueGenerator.all {
      #expect(!generator.summary.isEmpty && generator.summary.count <= 80, "\(generator.name)")
      for type in generator.types {
        #expect(
          generator.examples.contains { ($0.types ?? generator.types).contains(type) },
          "\(generator.name) has no example of type \(type.name)"
        )
      }
    }
  }

  @Test(arguments: trials)
  func `fuzz: values are of their type and within their range`(trial: Trial) throws {
    let dataset = Dataset(try recipe(trial.example.rule, trial.type, rows: Self.fewRows))
    for value in try values(dataset) {
      let measure: Double
      switch (trial.type, value) {
      case (.boolean, .integer(let integer)):
        measure = integer == 0 || integer == 1 ? Double(integer) : -1
      case (.integer16, .integer(let integer)), (.integer32, .integer(let integer)),
        (.integer64, .integer(let integer)):
        #expect(trial.type.integerRange?.contains(integer) == true)
        measure = Double(integer)
      case (.decimal, .integer(let integer)), (.date, .integer(let integer)):
        measure = Double(integer)
      case (.decimal, .real(let real)), (.date, .real(let real)), (.double, .real(let real)):
        measure = real
      case (.float, .real(let real)):
        #expect(Double(Float(real)) == real)
        measure = real
      case (.string, .text(let text)), (.uri, .text(let text)): measure = Double(text.utf8.count)
      case (.uuid, .blob(let bytes)):
        #expect(bytes.count == 16)
        measure = 16
      case (.binary, .blob(let bytes)), (.transformable, .blob(let bytes)):
        measure = Double(bytes.count)
      default:
        Issue.record("\(value) is no \(trial.type.name)")
        return
      }
      guard trial.example.range.contains(measure) else {
        Issue.record("\(measure) is not in \(trial.example.range)")
        return
      }
    }
  }

  @Test(arguments: trials)
  func `fuzz: the same seed and row give the same value, in any order`(trial: Trial) throws {
    let recipe = try recipe(trial.example.rule, trial.type, rows: Self.fewRows)
    let (values, again) = (try values(Dataset(recipe)), Dataset(recipe))
    for row in stride(from: Self.fewRows - 1, through: 0, by: -7) {
      #expect(try again.value(entity: "Thing", row: row, attribute: "value") == values[row])
    }
  }

  @Test(arguments: trials.filter(\.generator.isUnique))
  func `unique values never repeat`(trial: Trial) throws {
    let dataset = Dataset(try recipe(trial.example.rule, trial.type))
    #expect(Set(try values(dataset)).count == Self.rows)
    #expect(dataset.recipe.entity(named: "Thing")?.attributes["value"]?.isDistinct == true)
  }

  @Test(arguments: ValueGenerator.all.map(\.name))
  func `a misspelled name is refused with a suggestion`(name: String) throws {
    let generator = try #require(ValueGenerator.named(name))
    for rule in [name + "x", "{ \(name)x: }"] {
      let problems = try problems(rule, generator.types[0])
      #expect(problems.contains { $0.contains("did you mean '\(name)'?") }, "\(problems)")
    }
  }

  private static let keys = ValueGenerator.all.flatMap { generator in
    generator.keys.map { (generator.name, $0.name) }
  }

  @Test(arguments: keys)
  func `a misspelled key is refused with a suggestion`(name: String, key: String) throws {
    let generator = try #require(ValueGenerator.named(name))
    // The keys `days`, `atOnce` and `future` are valid only in a rule with `after`.
    let others = ["days", "atOnce", "future"].contains(key) ? "after: madeAt, " : ""
    let problems = try problems("{ \(name): { \(others)\(key)x: 1 } }", generator.types[0])
    #expect(
      problems.contains {
        $0.contains("unknown key '\(key)x' in '\(name)'; did you mean '")
      },
      "\(problems)"
    )
  }

  private func problems(_ rule: String, _ type: AttributeType) throws -> [String] {
    do {
      _ = try recipe(rule, type)
      return []
    } catch let error as InvalidInput {
      let diagnostics = error.problems
      return diagnostics.map(\.message)
    }
  }
}
