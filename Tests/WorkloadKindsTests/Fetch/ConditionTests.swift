import Basics
import DataModel
import PersistentStore
import Testing

@testable import WorkloadKinds

@Suite struct ConditionTests {
  @Test func `reads operators in their order`() throws {
    let condition = try Condition("a == 1 OR NOT b < 2.5 AND (c != nil OR d.@count >= 3)")
    #expect(
      condition
        == .or([
          .comparison("a", .equal, .integer(1)),
          .and([
            .not(.comparison("b", .less, .real(2.5))),
            .or([
              .comparison("c", .notEqual, Condition.Literal.none),
              .count("d", .greaterOrEqual, 3),
            ]),
          ]),
        ])
    )
  }

  @Test(
    arguments: [
      ("a = 'it''s'", nil), ("a = \"it's\"", Condition.comparison("a", .equal, .text("it's"))),
      ("a <> TRUE", .comparison("a", .notEqual, .boolean(true))),
      ("a > -3", .comparison("a", .greater, .integer(-3))),
      ("a > 1e3", .comparison("a", .greater, .real(1000))),
      ("a > 1e-3", .comparison("a", .greater, .real(0.001))),
      ("a < 2001-01-02", .comparison("a", .less, .date(86_400))),
      ("a < 2001-01-01T00:01:00Z", .comparison("a", .less, .date(60))),
      ("a beginswith 'x'", .beginsWith("a", "x")),
      ("Ünï == 2", .comparison("Ünï", .equal, .integer(2))),
    ] as [(String, Condition?)]
  )
  func `reads values of every sort`(text: String, expected: Condition?) throws {
    guard let expected else {
      #expect(throws: Refusal.self) { try Condition(text) }
      return
    }
    #expect(try Condition(text) == expected)
  }

  private static let forms: [(String, Condition)] = [
    ("a =< 3", .comparison("a", .lessOrEqual, .integer(3))),
    ("a => 3", .comparison("a", .greaterOrEqual, .integer(3))),
    ("a.b == NULL", .comparison("a.b", .equal, Condition.Literal.none)),
    ("a == no", .comparison("a", .equal, .boolean(false))),
    ("#all == 1", .comparison("all", .equal, .integer(1))),
    ("a > CAST(60.000000, \"NSDate\")", .comparison("a", .greater, .date(60))),
    ("a IN (1, 2)", .isIn("a", [.integer(1), .integer(2)])),
    ("a IN [1, 2]", .isIn("a", [.integer(1), .integer(2)])),
    ("a ENDSWITH[c] 'x'", .text("a", TextMatch(.endsWith, "x", ignoresCase: true))),
    ("a contains 'x'", .text("a", TextMatch(.contains, "x"))),
    ("a ==[d] 'x'", .text("a", TextMatch(.equal, "x", ignoresDiacritics: true))),
    ("a LIKE 'x*?'", .text("a", TextMatch(.like, "x*?"))),
    ("ANY a == 3", .has("a", 3)),
    ("NONE a.b == 1", .not(.any("a", .comparison("b", .equal, .integer(1))))),
    ("SOME a IN {1, 2}", .or([.has("a", 1), .has("a", 2)])),
    ("TRUEPREDICATE", .and([])),
    ("FALSEPREDICATE", .or([])),
  ]

  @Test(arguments: forms)
  func `reads the forms that apps use`(text: String, expected: Condition) throws {
    #expect(try Condition(text) == expected)
  }

  @Test func `reads ranges, negations and options as other conditions`() throws {
    let range = try Condition("a >= 1 AND a <= 5")
    #expect(try Condition("a BETWEEN {1, 5}") == range)
    #expect(try Condition("a BETWEEN [1, 5]") == range)
    let words = try Condition("NOT a = 1 AND b = 2 OR c = 3")
    #expect(try Condition("!(a == 1) && b == 2 || c == 3") == words)
    #expect(try Condition("a !=[cd] 'x'") == Condition("a != nil AND NOT a == [dc] \"x\""))
  }

  @Test func `takes an empty text for no condition`() throws {
    #expect(try Condition("  ") == nil)
  }

  private static let mistakes: [(String, String)] = [
    (
      "a ==",
      "the predicate has the end at character 5 where a number, a quoted text, a date such as "
        + "2026-04-01, TRUE, FALSE or nil must be"
    ),
    ("a == 1 b == 2", "the predicate has 'b' at character 8 where AND, OR or the end must be"),
    ("(a == 1", "the predicate has the end at character 8 where ')' must be"),
    ("a & 1", "the predicate has '&' at character 3 where a name must be"),
    ("a == 'x", "the predicate's text that begins at character 6 has no closing quote"),
    ("== 1", "the predicate has '==' at character 1 where a property's name must be"),
    (
      "a 1",
      "the predicate has '1' at character 3 where an operator such as ==, <, IN, BEGINSWITH or "
        + "CONTAINS[cd] must be"
    ),
    ("a IN 1", "the predicate has '1' at character 6 where a list such as {1, 2} must be"),
    ("a IN {1; 2}", "the predicate has ';' at character 8 where a name must be"),
    ("a IN {1 2}", "the predicate has '2' at character 9 where ',' or '}' must be"),
    ("a IN {nil}", "the predicate has 'nil' at character 7 where a value must be"),
    (
      "a > nil",
      "the predicate has 'nil' at character 5 where a value, since only == and != know "
        + "nil, must be"
    ),
    ("a == 12x4", "the predicate has '12x4' at character 6, which is not a number"),
    ("a.@count > 1.5", "the predicate has '1.5' at character 12, which is not a number"),
    ("a BETWEEN {1}", "the predicate has '}' at character 13 where ',' must be"),
    ("a IN (1, 2}", "the predicate has '}' at character 11 where ',' or ')' must be"),
    ("a <[c] 'x'", "the predicate has '[' at character 4 where a value must be"),
    (
      "a CONTAINS[x] 'y'",
      "the predicate has 'x' at character 12 where one of the options c, d and cd must be"
    ),
    (
      "a == %@",
      "the predicate has '%' at character 6 where the value or name that it stands for must be"
    ),
    (
      "ALL a.b > 1",
      "the predicate has 'ALL' at character 1, which is not read here: write NOT (ANY tags.name …) "
        + "with the opposite comparison"
    ),
    (
      "a MATCHES 'x.*'",
      "the predicate has 'MATCHES' at character 3, which is not read here: write LIKE with * and "
        + "?, BEGINSWITH, ENDSWITH or CONTAINS"
    ),
    (
      "SUBQUERY(a, $x, $x.b == 1).@count > 0",
      "the predicate has 'SUBQUERY' at character 1, which is not read here: write ANY tags.name == "
        + "'x', or tags.@count > 2"
    ),
    (String(repeating: "(", count: 200), "the predicate has more than 32 nested brackets"),
  ]

  @Test(arguments: mistakes)
  func `says where a text is wrong`(text: String, message: String) throws {
    let error = try #require(throws: Refusal.self) { try Condition(text) }
    #expect("\(error)" == message)
  }

  @Test func `is refused by plain SQL if it names a property without a column`() throws {
    let entity = Entity(name: "Task", attributes: [Attribute(name: "title", type: .string)])
    let model = Model(entities: [entity])
    let subject = try FetchSubject(
      entity,
      predicate: .isNull("missing"),
      following: nil,
      in: model
    )
    #expect(throws: ObjectContextError.unknownProperty(entity: "Task", property: "missing")) {
      try StatementFetch.Statements(
        FetchParameters(),
        subject,
        layout: StoreLayout(model: model, keepsHistory: false)
      )
    }
  }
}
