import DataModel
import Testing

@testable import Generators

struct NumberGeneratorTests {
  @Test func `whole numbers of a double are stored as reals, of a decimal as integers`() throws {
    #expect(try Dataset.ofThing("double", "4", count: 1).things() == [.real(4)])
    #expect(try Dataset.ofThing("decimal", "4", count: 1).things() == [.integer(4)])
    #expect(try Dataset.ofThing("decimal", "{ constant: 4.0 }", count: 1).things() == [.integer(4)])
    #expect(try Dataset.ofThing("decimal", "4.5", count: 1).things() == [.real(4.5)])
    #expect(try Dataset.ofThing("double", "-0.0", count: 1).things() == [.real(0)])
  }

  @Test func `floats have single precision`() throws {
    for number in try Dataset.ofThing("float", "{ uniform: [0, 1] }", count: 100).numbers() {
      #expect(Double(Float(number)) == number)
    }
  }

  @Test func `decimals have two places`() throws {
    let numbers = try Dataset.ofThing(
      "decimal",
      "{ logNormal: { median: 20, sigma: 1 } }",
      count: 500
    ).numbers()
    for number in numbers { #expect((number * 100).rounded() / 100 == number) }
    #expect(Set(numbers).count > 300)
  }

  @Test(arguments: [
    ("integer16", -32_768.0, 32_767.0), ("integer32", -2_147_483_648.0, 2_147_483_647.0),
  ])
  func `numbers beyond the type's range move to its ends`(
    type: String,
    low: Double,
    high: Double
  ) throws {
    let rule = "{ normal: { mean: 0, deviation: 1e12 } }"
    let numbers = try Dataset.ofThing(type, rule, count: 50).numbers()
    #expect(Set(numbers).isSubset(of: [low, high]))
    #expect(Set(numbers).count == 2)
  }

  @Test func `the model's bounds hold`() throws {
    let recipe = try Recipes.make(
      model: "Thing: { attributes: { value: { type: integer16, minimum: 2, maximum: 5 } } }",
      "entities: { Thing: { count: 200, attributes: { value: { poisson: 3 } } } }"
    )
    #expect(Set(try Dataset(recipe).numbers()) == [2, 3, 4, 5])
  }

  @Test func `weighted values come in their proportion`() throws {
    let texts = try Dataset.ofThing(
      "string",
      "{ weighted: { red: 3, green: 1, 7: 0 } }",
      count: 4_000
    ).texts()
    let counts = ["red", "green", "7"].map { word in texts.count { $0 == word } }
    #expect(counts[2] == 0)
    #expect(chiSquare(counts, expected: [3_000, 1_000, 0]) < limit(freedom: 1))
  }

  @Test func `chances come true at their probability`() throws {
    let numbers = try Dataset.ofThing("boolean", "{ chance: 0.2 }", count: 5_000).numbers()
    let counts = [numbers.count { $0 == 1 }, numbers.count { $0 == 0 }]
    #expect(chiSquare(counts, expected: [1_000, 4_000]) < limit(freedom: 1))
  }

  @Test func `a share of values is missing, and no other value changes with the share`() throws {
    let whole = try Dataset.ofThing("string", "title", count: 3_000).things()
    let part = try Dataset.ofThing("string", "{ title: , null: 0.25 }", count: 3_000).things()
    let missing = part.count { $0 == .null }
    #expect(chiSquare([missing, 3_000 - missing], expected: [750, 2_250]) < limit(freedom: 1))
    for (value, original) in zip(part, whole) where value != .null { #expect(value == original) }
  }
}
