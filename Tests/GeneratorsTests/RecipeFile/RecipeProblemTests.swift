import DataModel
import Testing

@testable import Generators

struct RecipeProblemTests {
  private static let model = """
    Thing:
      attributes:
        name: { type: string, optional: false, default: "" }
        size: integer16
        flag: { type: boolean, optional: false, default: false }
        madeAt: date
        goneAt: date
        code: string
        data: binary
        id: { type: uuid, optional: false }
      relationships:
        box: { to: Box, inverse: things, optional: false }
        tags: { to: Tag, many: true, inverse: things }
      unique: [[id]]
    Box:
      attributes: { name: string }
      relationships: { things: { to: Thing, many: true, inverse: box } }
    Tag:
      relationships: { things: { to: Thing, many: true, inverse: tags } }
    """

  private func problems(_ recipe: String) throws -> [String] {
    try Recipes.problems(model: Self.model, recipe)
  }

  /// The problems found in the rules for an entity's attributes.
  private func attributeProblems(_ rule: String) throws -> [String] {
    try problems(
      "entities: { Box: { count: 1 }, Thing: { count: 9, attributes: { \(rule) } } }"
    ).map { String($0[($0.firstIndex(of: " ").map { $0 } ?? $0.startIndex)...].dropFirst()) }
  }

  @Test func `a one-to-one has nothing to distribute, and the message says what to write`() throws {
    let model = """
      Note:
        relationships: { file: { to: File, inverse: note } }
      File:
        relationships: { note: { to: Note, inverse: file } }
      """
    let recipe =
      "entities: { Note: { count: 3 }, File: { count: 3, relationships: { note: uniform } } }"
    let found = try Recipes.problems(model: model, recipe)
    #expect(
      found.contains {
        $0.contains("File.note is a one-to-one: each object has a target of its own")
          && $0.contains("write { null: 0.1 }")
      },
      "\(found)"
    )
    let given = recipe.replacing("uniform", with: "{ null: 0.1 }")
    #expect(try Recipes.problems(model: model, given) == [])
  }

  @Test(arguments: [
    ("{ uniform: [1, 200] }", "200"), ("{ uniform: [0, 9] }", "0"),
    ("{ poisson: { mean: 4, max: 90 } }", "90"),
  ])
  func `numbers beyond the model's limits would pile up there`(rule: String, wrong: String) throws {
    let model = "Set: { attributes: { reps: { type: integer16, minimum: 1, maximum: 50 } } }"
    func problems(_ rule: String) throws -> [String] {
      try Recipes.problems(
        model: model,
        "entities: { Set: { count: 3, attributes: { reps: \(rule) } } }"
      )
    }
    let found = try problems(rule)
    let reason = "reaches \(wrong), and the model allows at least 1 and at most 50"
    #expect(found.contains { $0.contains(reason) }, "\(found)")
    #expect(try problems("{ uniform: [1, 50] }") == [])
    #expect(try problems("{ normal: { mean: 30, deviation: 20 } }") == [])
  }

  @Test(arguments: [
    (
      "name: titel",
      "Thing.name cannot be 'titel'; did you mean 'title'? (one of \(ValueGenerator.names(for: .string).joined(separator: ", ")); a fixed text is { constant: titel })"
    ),
    (
      "size: title",
      "'title' cannot make Thing.size, which is of type integer16 (one of \(ValueGenerator.names(for: .integer16).joined(separator: ", ")))"
    ),
    ("nam: title", "unknown key 'nam' in 'attributes'; did you mean 'name'?"),
    ("size: { uniform: [1, 2], poisson: 3 }", "Thing.size must have one generator, not 2"),
    ("size: { unifrom: [1, 2] }", "unknown key 'unifrom' in 'size'; did you mean 'uniform'?"),
    (
      "size: { uniform: [2, 1] }", "'uniform' must be a list of the smallest and the largest number"
    ),
    ("size: { uniform: [0, 99999] }", "'uniform' leaves the range of integer16, -32768 to 32767"),
    ("size: { uniform: [0.2, 0.8] }", "'uniform' has no whole number between 0.2 and 0.8"),
    (
      "size: { zipfian: { exponent: 0, count: 4 } }",
      "'exponent' must be above 0 and at most 20, not 0.0"
    ),
    ("size: { zipfian: { exponent: 1 } }", "'zipfian' lacks the key 'count'"),
    ("size: { normal: { mean: 1 } }", "'normal' lacks the key 'deviation'"),
    (
      "size: { normal: { mean: 1, deviation: 1, min: 5, max: 2 } }",
      "'normal' has a 'min' above its 'max'"
    ),
    ("size: { poisson: -1 }", "'poisson' cannot be -1.0 here: it is out of range"),
    ("size: { weighted: { 1: 0 } }", "'weighted' must give at least one value a weight above 0"),
    ("size: { weighted: { x: 1 } }", "'x' is not a value of type integer16"),
    ("size: poisson", "'poisson' needs parameters: write { poisson: … }"),
    ("size: 70000", "'70000' is not a value of type integer16"),
    ("size: { constant: 1, null: 2 }", "'null' must be from 0 to 1, not 2.0"),
    ("name: { title: , null: 0.5 }", "Thing.name is not optional, so its values cannot be null"),
    ("name: ", "Thing.name is not optional, so it needs a value"),
    (
      "name: { title: , when: flag }",
      "Thing.name is not optional, so it needs a value in every object"
    ),
    (
      "code: { code: , when: flog }",
      "Thing has no other boolean attribute 'flog'; did you mean 'flag'?"
    ),
    (
      "code: { colour: , distinct: true }",
      "Thing.code cannot be made distinct; use title, notes, name, label, code or uuid"
    ),
    ("code: { title: 5 }", "'title' takes no parameters; write it without a value"),
    ("flag: { chance: 1.5 }", "'chance' must be a probability from 0 to 1, not 1.5"),
    (
      "madeAt: { date: { from: 2024-13-01 } }",
      "'from' must be a date such as 2026-04-01 or 2026-04-01T12:00:00Z, not '2024-13-01'"
    ),
    ("madeAt: { date: { from: 2024-02-01, to: 2024-01-01 } }", "'date' ends before it begins"),
    ("madeAt: { date: { after: madeAt } }", "Thing has no other date attribute 'madeAt'"),
    ("data: { blob: { size: -4 } }", "'size' must be from 0 to 1000000000, and -4 is not"),
    (
      "data: { blob: { size: 9999999999 } }",
      "'size' must be from 0 to 1000000000, and 9999999999 is not"
    ),
    (
      "data: { blob: { size: { normal: { mean: 5, deviation: 1, min: -1 } } } }",
      "'size' must be from 0 to 1000000000, and -1 is not"
    ),
    (
      "data: { blob: { size: { weighted: { 1: 1, 2000000000: 1 } } } }",
      "'size' must be from 0 to 1000000000, and 2000000000 is not"
    ),
    (
      "data: { blob: { compressibility: 2, size: 1 } }",
      "'compressibility' must be from 0 (not at all) to 1 (to almost nothing), not 2.0"
    ),
    (
      "data: { blob: { size: 1, signature: gif } }",
      "'signature' cannot be 'gif' (one of none, jpeg, png, pdf, json)"
    ),
    (
      "name: { name: { scripts: { klingon: 1 } } }",
      "unknown key 'klingon' in 'scripts' (known: latin, cyrillic, greek, arabic, hebrew, chinese, japanese, korean, hindi)"
    ),
  ])
  func `says what is wrong with an attribute`(rule: String, message: String) throws {
    let problems = try attributeProblems(rule)
    #expect(problems.contains(message), "\(problems)")
  }

  @Test(arguments: [
    (
      "entities: { Thin: { count: 1 } }",
      "1:13 unknown key 'Thin' in 'entities'; did you mean 'Thing'?"
    ),
    ("entities: { Box: { } }", "1:18 'Box' lacks the key 'count'"),
    ("entities: { Box: { count: -1 } }", "1:27 'count' must be from 0 to 1000000000, not -1"),
    (
      "entities: { Box: { count: 1, scaling: none } }",
      "1:39 'scaling' cannot be 'none' (one of proportional, fixed)"
    ),
    (
      "flavor: coreData\nentities: {}",
      "1:1 unknown key 'flavor' in the file; did you mean 'flavour'?"
    ),
    (
      "flavour: swiftdata\nentities: {}",
      "1:10 'flavour' cannot be 'swiftdata'; did you mean 'swiftData'?"
    ),
    (
      "flavour: swiftData\nhistory: false\nentities: {}",
      "2:10 SwiftData always keeps history; for a store without history use 'flavour: coreData'"
    ),
    (
      "period: [2026-01-01, 2025-01-01]\nentities: {}",
      "1:9 'period' must be a list of two dates, the earlier first"
    ),
    ("seed: -3\nentities: {}", "1:7 'seed' must be at least 0, not -3"),
    (
      "entities: { Thing: { count: 1 } }",
      "1:20 Thing.box is not optional, but there are no objects "
        + "of Box"
    ),
  ])
  func `says what is wrong with a recipe`(recipe: String, message: String) throws {
    let problems = try problems(recipe)
    #expect(problems.contains(message), "\(problems)")
  }

  @Test(arguments: [
    (
      "Thing", "box: { zipfian: 1, null: 0.1 }",
      "Thing.box is not optional, so its values cannot be null"
    ),
    (
      "Thing", "box: { count: 2 }",
      "unknown key 'count' in 'box' (known: uniform, zipfian, spread, null, placement, hours)"
    ),
    (
      "Thing", "box: { uniform: , zipfian: 1 }",
      "Thing.box must have one of uniform, zipfian, spread"
    ),
    ("Thing", "bok: uniform", "unknown key 'bok' in 'relationships'; did you mean 'box'?"),
    (
      "Thing", "tags: { zipfian: 1, null: 0.1 }",
      "unknown key 'null' in 'tags' (known: uniform, zipfian, spread, count)"
    ),
    ("Thing", "box: sometimes", "'box' cannot be 'sometimes' (one of uniform)"),
    (
      "Box", "things: uniform",
      "describe its inverse 'Thing.box' instead: that side holds the "
        + "foreign key"
    ),
  ])
  func `says what is wrong with a relationship`(
    entity: String,
    rule: String,
    message: String
  ) throws {
    let parts = ["Box", "Thing", "Tag"].map { name in
      name == entity
        ? "\(name): { count: 2, relationships: { \(rule) } }" : "\(name): { count: 2 }"
    }
    let problems = try problems("entities: { \(parts.joined(separator: ", ")) }")
    #expect(problems.contains { $0.hasSuffix(" " + message) }, "\(problems)")
  }

  @Test func `a relationship described from both sides is said to be so`() throws {
    let problems = try problems(
      """
      entities:
        Thing: { count: 1, relationships: { tags: uniform } }
        Box: { count: 1 }
        Tag: { count: 1, relationships: { things: uniform } }
      """
    )
    #expect(
      problems == ["4:45 'Tag.things' is described by its inverse 'Thing.tags' already"]
        || problems == ["2:45 'Thing.tags' is described by its inverse 'Tag.things' already"]
    )
  }

  @Test(arguments: [
    (
      "key: id, rate: 0.1",
      "'id' is unique in the model, so it cannot have duplicates; use a version of the model without the constraint"
    ),
    ("key: cod, rate: 0.1", "Thing has no attribute 'cod'; did you mean 'code'?"),
    (
      "key: name, rate: 0.1",
      "the originals of Thing's duplicates need distinct keys: use uuid, code, label, email, or 'distinct: true' for one of 'name'"
    ),
    (
      "key: code, rate: 0.1",
      "'code' cannot be null, because it is the key by which duplicates are "
        + "recognized"
    ),
    ("key: code, rate: 1", "'rate' must be at least 0 and below 1, not 1.0"),
    ("key: code", "'duplicates' lacks the key 'rate'"),
  ])
  func `says what is wrong with duplicates`(rule: String, message: String) throws {
    let problems = try problems(
      """
      entities:
        Box: { count: 1 }
        Thing: { count: 9, attributes: { name: title, code: { code: , null: 0.1 } }, duplicates: { \(rule) } }
      """
    )
    #expect(problems.contains { $0.hasSuffix(message) }, "\(problems)")
  }

  @Test func `unique values must be distinct`() throws {
    let problems = try Recipes.problems(
      model: "Thing: { attributes: { name: string }, unique: [[name]] }",
      "entities: { Thing: { count: 2, attributes: { name: title } } }"
    )
    #expect(
      problems == [
        "1:20 Thing needs distinct values of 'name', which is unique: use uuid, code, label, "
          + "email, or 'distinct: true'"
      ]
    )
  }

  @Test func `dates that follow each other in a circle are found`() throws {
    let problems = try problems(
      """
      entities:
        Box: { count: 1 }
        Thing:
          count: 2
          attributes: { madeAt: { date: { after: goneAt } }, goneAt: { date: { after: madeAt } } }
      """
    )
    #expect(
      problems == [
        "4:5 'goneAt' of Thing depends on itself", "4:5 'madeAt' of Thing depends on itself",
      ]
    )
  }

  @Test func `all problems come at once`() throws {
    let problems = try problems(
      "colour: red\nentities:\n  Box: { count: many }\n  Thing: { count: 1, attributes: { name: 5, size: x } }"
    )
    #expect(problems.count >= 3)
  }
}
