import Testing

@testable import Generators

struct DirtyProblemTests {
  private static let model = """
    Thing:
      attributes:
        name: { type: string, optional: false, default: "" }
        note: string
        size: integer64
        madeAt: date
        id: { type: uuid, optional: false }
        data: { type: binary, external: true }
      relationships:
        box: { to: Box, inverse: things }
        lid: { to: Lid, inverse: thing }
        tags: { to: Tag, many: true, inverse: things }
      unique: [[id]]
    Box:
      relationships: { things: { to: Thing, many: true, inverse: box } }
    Lid:
      relationships: { thing: { to: Thing, inverse: lid } }
    Tag:
      relationships: { things: { to: Thing, many: true, inverse: tags } }
    """

  private func problems(_ dirty: String, age: String = "") throws -> [String] {
    try Recipes.problems(
      model: Self.model,
      """
      entities:
        Thing:
          count: 10
          dirty: { \(dirty) }
        Tag: { count: 2, dirty: { \(dirty.contains("things") ? dirty : "") } }
      \(age)
      """
    )
  }

  @Test(arguments: [
    ("nam: { empty: 0.1 }", "4:14 unknown key 'nam' in 'dirty'; did you mean 'name'?"),
    (
      "name: { emty: 0.1 }",
      "4:22 'emty' is no defect of Thing.name; did you mean 'empty'? (one of null, empty, long, combining, rightToLeft, emoji)"
    ),
    (
      "note: { null: 0.1 }",
      "4:22 Thing.note is optional, so a missing value is not a defect; give 'null' under "
        + "'attributes'"
    ),
    (
      "box: { null: 0.1 }",
      "4:21 Thing.box is optional, so a missing value is not a defect; give 'null' under "
        + "'relationships'"
    ),
    (
      "size: { outOfRange: 0.1 }",
      "4:28 'outOfRange' is no defect of Thing.size (it can have no "
        + "defects)"
    ),
    ("id: { empty: 0.1 }", "4:20 'empty' is no defect of Thing.id (one of null)"),
    (
      "lid: { dangling: 0.1 }", "4:24 'dangling' is no defect of Thing.lid (it can have no defects)"
    ),
    (
      "data: { null: 0.1 }",
      "4:22 Thing.data is optional, so a missing value is not a defect; give 'null' under "
        + "'attributes'"
    ),
    (
      "data: { long: 0.1 }",
      "4:22 'long' is no defect of Thing.data (one of missingFile, orphanedFile)"
    ),
    ("madeAt: { year1970: 0 }", "4:34 'year1970' must be above 0 and at most 1, not 0.0"),
    (
      "madeAt: { year1970: 0.6, year2100: 0.5 }",
      "4:22 the shares of Thing.madeAt add up to more than 1"
    ),
    ("Z_MAX: { low: 0.1 }", "4:23 'low' is no defect of Thing.Z_MAX (one of tooLow)"),
  ])
  func `says what is wrong with a defect, and where`(dirty: String, problem: String) throws {
    #expect(try problems(dirty).map { $0.drop { $0 != " " } } == [problem.drop { $0 != " " }])
    #expect(try problems(dirty).allSatisfy { $0.hasPrefix("4:") })
  }

  @Test func `a store is dirty or aged`() throws {
    #expect(
      try problems("name: { empty: 0.1 }", age: "age: { edits: 0.1 }")
        == [
          "6:6 a store cannot be both aged and dirty: aging saves objects, and dirty objects "
            + "cannot be saved"
        ]
    )
  }

  @Test(arguments: [
    ("edits: 0.8, deletes: 0.3", "the shares of edits and deletes add up to more than 1"),
    ("deletes: 1.5", "'deletes' must be from 0 to 1, not 1.5"),
    ("edits: 0.1, vacum: never", "unknown key 'vacum' in 'age'; did you mean 'vacuum'?"),
    ("vacuum: some", "'vacuum' cannot be 'some' (one of never, incremental, full)"),
    ("wal: 1000", "only edits fill a -wal: give 'edits' a share above 0"),
    ("edits: 0.1, entities: [Thin]", "the model has no entity 'Thin'; did you mean 'Thing'?"),
  ])
  func `says what is wrong with an age`(age: String, problem: String) throws {
    let problems = try problems("", age: "age: { \(age) }")
    #expect(problems.map { String($0.drop { $0 != " " }.dropFirst()) } == [problem])
    #expect(problems.allSatisfy { $0.hasPrefix("6:") })
  }
}
