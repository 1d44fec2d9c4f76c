#if SwiftSource
  import DataModel
  import SwiftModelReader
  import SwiftModels
  import Testing

  /// Tests the inferred type of a property that has only an initial value.
  @Suite struct InitialValueTests {
    @Test(
      arguments: [
        ("Calendar.current.startOfDay(for: .now)", AttributeType.date), ("60 * 60", .integer64),
        ("Date.now.addingTimeInterval(60)", .date), ("1 << 3", .integer64), ("1.5 + 2", .double),
        ("2 > 1", .boolean), ("flag ? \"a\" : \"b\"", .string), ("Self.first", .string),
        ("A.first", .string), ("Int.max", .integer64), ("UUID().uuidString", .string),
        ("\"a\" + \"b\"", .string), ("true && false", .boolean), ("0 as Int16", .integer16),
        ("Double(1)", .double), ("Data()", .binary), ("-1.5", .double), ("!true", .boolean),
        ("Level.two", .integer64), ("Level.two.rawValue", .integer64),
        ("\"\\(1)\"", .string), ("Locale.current.identifier", .string),
      ]
    )
    func `a value whose type the source shows gives it`(_ value: String, _ type: AttributeType) {
      let family = SwiftModelFamily.read(
        """
        @Model final class A { var a = \(value); static let first = "x" }
        enum Level: Int, Codable { case one = 1, two }
        """
      )
      #expect(family.attribute("A.a")?.type == type)
      #expect(!family.notes.contains { $0.message.contains("only a compiler") })
    }

    @Test func `a constant of the class itself is the schema's default`() {
      let family = SwiftModelFamily.body("static let first = \"x\"\nvar a: String = Self.first")
      #expect(family.attribute("A.a")?.defaultValue == .text("x"))
    }

    @Test(arguments: ["unknown()", "a.b.c()", "{ 1 }()"])
    func `a value that only a compiler knows is a warning with its place`(_ value: String) {
      let family = SwiftModelFamily.body("var a = \(value)")
      #expect(family.attribute("A.a")?.type == .transformable)
      #expect(
        family.notes.contains { $0.place?.line == 3 && $0.message.contains("only a compiler") }
      )
    }
  }
#endif
