#if SwiftSource
  import DataModel
  import SwiftModelReader
  import SwiftModels
  import Testing

  /// Tests reading each part of a schema from classes.
  @Suite struct ClassReadingTests {
    @Test(
      arguments: [
        "@Model final class Trip { var a: Int }", "@Model class Trip { var a: Int }",
        "@Model public class Trip { var a: Int }",
        "enum Outer { @Model final class Trip { var a: Int } }",
        "enum Outer {}\nextension Outer { @Model final class Trip { var a: Int } }",
        "@available(iOS 17, *) @Model final class Trip { var a: Int }",
        "@SwiftData.Model final class Trip { var a: Int }",
        "#if canImport(SwiftData)\n@Model\n#endif\nfinal class Trip { var a: Int }",
        "#if os(macOS)\n@Model class Mac {}\n#else\n@Model class Trip { var a: Int }\n#endif",
      ]
    )
    func `a class with the macro is an entity, wherever it stands`(_ text: String) {
      let family = SwiftModelFamily.read(text)
      #expect(family.entityNames == ["Trip"])
      #expect(family.attribute("Trip.a")?.type == .integer64)
    }

    @Test func `a class without the macro is none`() {
      #expect(SwiftModelFamily.read("class Trip { var a: Int }").entityNames == [])
    }

    @Test func `a stored variable without a default is a required attribute`() {
      let name = SwiftModelFamily.body("var name: String").attribute("A.name")
      #expect(name == Attribute(name: "name", type: .string, isOptional: false))
    }

    @Test func `a constant with a value is stored, with a warning at its line`() {
      let family = SwiftModelFamily.body("let id = UUID()")
      #expect(family.attribute("A.id")?.type == .uuid)
      #expect(family.notes.contains { $0.place?.line == 3 && $0.message.contains("'let'") })
    }

    @Test func `what is not stored is left out`() {
      let family = SwiftModelFamily.body(
        """
        var stored: Int
        var computed: Int { 1 }
        var both: Int { get { stored } set { stored = newValue } }
        static var shared = 1
        class var other: Int { 2 }
        @Transient var left = 1
        lazy var late = 1
        @Attribute(.ephemeral) var seen: Int = 0
        func f() { var inner: Int = 1; inner += 1 }
        """
      )
      #expect(family.current.model.entities[0].attributes.map(\.name) == ["stored"])
    }

    @Test func `observers leave a variable stored`() {
      let family = SwiftModelFamily.body("var a: Int = 1 { didSet { print(a) } }")
      #expect(family.attribute("A.a")?.defaultValue == .integer(1))
    }

    @Test(arguments: ["String?", "Optional<String>", "String!", "Swift.String?"])
    func `each spelling of an optional is optional`(_ type: String) {
      let name = SwiftModelFamily.body("var name: \(type)").attribute("A.name")
      #expect(name?.isOptional == true)
      #expect(name?.type == .string)
    }

    @Test(
      arguments: [
        ("= 1", AttributeType.integer64, Value.integer(1)), ("= -1", .integer64, .integer(-1)),
        ("= \"a\"", .string, .text("a")), ("= 1.5", .double, .real(1.5)),
        ("= true", .boolean, .integer(1)), (": Int16 = 0x10", .integer16, .integer(16)),
        (": Double = 2", .double, .real(2)), (": Decimal = 3", .decimal, .integer(3)),
        ("= 1_000", .integer64, .integer(1000)),
      ]
    )
    func `a literal gives the type and the default`(
      _ value: String,
      _ type: AttributeType,
      _ expected: Value
    ) {
      let attribute = SwiftModelFamily.body("var a \(value)").attribute("A.a")
      #expect(attribute?.type == type)
      #expect(attribute?.defaultValue == expected)
    }

    @Test(
      arguments: [
        ("= UUID()", AttributeType.uuid, "UUID()"), ("= Date.now", .date, "Date.now"),
        ("= Date()", .date, "Date()"), (": Date = .now", .date, ".now"),
        ("= UUID().uuidString", .string, "UUID().uuidString"),
      ]
    )
    func `a computed default gives the type, and is kept as its expression`(
      _ value: String,
      _ type: AttributeType,
      _ expected: String
    ) {
      let attribute = SwiftModelFamily.body("var a\(value)").attribute("A.a")
      #expect(attribute?.type == type)
      #expect(attribute?.computedDefault == expected)
      #expect(attribute?.defaultValue == .null)
    }

    @Test func `a default in an initializer is none of the schema`() {
      let family = SwiftModelFamily.body("var a: Int\ninit(a: Int = 3) { self.a = a }")
      #expect(family.attribute("A.a")?.hasDefault == false)
    }

    @Test(
      arguments: [
        ("String", AttributeType.string), ("Bool", .boolean), ("Int", .integer64),
        ("Int16", .integer16), ("Int32", .integer32), ("Int64", .integer64), ("Float", .float),
        ("Double", .double), ("Decimal", .decimal), ("Date", .date), ("Data", .binary),
        ("UUID", .uuid), ("URL", .uri), ("Foundation.Date", .date), ("TimeInterval", .double),
      ]
    )
    func `each type that a store keeps is one of the schema`(
      _ name: String,
      _ type: AttributeType
    ) {
      let family = SwiftModelFamily.body("var a: \(name)")
      #expect(family.attribute("A.a")?.type == type)
      #expect(family.current.assumed.isEmpty)
      #expect(family.notes.isEmpty)
    }

    @Test func `a struct is a composite attribute with an element a field, which is assumed`() {
      let family = SwiftModelFamily.read(
        """
        struct Place: Codable { var street: String; var zip: Int?; var city = "X"; static let a = 1
          var line: String { street }
          enum CodingKeys: String, CodingKey { case street = "s" } }
        @Model class A { var place: Place }
        """
      )
      let place = family.attribute("A.place")
      #expect(place?.type == .composite)
      #expect(place?.elements.map(\.name) == ["street", "zip", "city"])
      #expect(place?.elements.map(\.isOptional) == [false, true, false])
      #expect(family.current.assumed["A.place"] != nil)
      let note = "A.place: it is not known how a store keeps a struct; it gets one column"
      #expect(family.modelFamily.unusual.contains { $0.contains(note) })
    }

    @Test(arguments: ["[String]", "Array<String>", "[String]?", "Set<Int>", "[String: Int]"])
    func `a collection of values is one transformable value, which is assumed`(_ type: String) {
      let family = SwiftModelFamily.body("var a: \(type)")
      #expect(family.attribute("A.a")?.type == .transformable)
      #expect(family.current.assumed["A.a"] != nil)
    }

    @Test func `an enum has the type of its raw value, and its cases give defaults`() {
      let family = SwiftModelFamily.read(
        """
        @Model class A { var kind: Kind = .low; var level = Level.two; var open: Open
          enum Kind: String, Codable { case low = "l", high }
          enum Open: Codable { case a, b(Int) } }
        enum Level: Int, Codable { case one = 1, two, three }
        """
      )
      #expect(family.attribute("A.kind")?.type == .string)
      #expect(family.attribute("A.kind")?.defaultValue == .text("l"))
      #expect(family.attribute("A.level")?.type == .integer64)
      #expect(family.attribute("A.level")?.defaultValue == .integer(2))
      #expect(family.attribute("A.open")?.type == .transformable)
      #expect(Set(family.current.assumed.keys) == ["A.kind", "A.level", "A.open"])
      let values = family.modelFamily.enumValues["current"]
      #expect(values?["A.kind"] == [.text("l"), .text("high")])
      #expect(values?["A.level"] == [.integer(1), .integer(2), .integer(3)])
      #expect(values?["A.open"] == [])
    }

    @Test func `a class without the macro is an attribute`() {
      let family = SwiftModelFamily.read("class Plain {}\n@Model class A { var plain: Plain }")
      #expect(family.attribute("A.plain")?.type == .transformable)
      #expect(family.relationship("A.plain") == nil)
    }

    @Test func `an unknown type is a warning with its place and what is done`() {
      let family = SwiftModelFamily.body("var a: Int\nvar b: Mystery")
      #expect(family.attribute("A.b")?.type == .transformable)
      let note = family.notes.first { $0.message.contains("Mystery") }
      #expect(note?.place?.line == 4)
      #expect(note?.message.contains("taken as") == true)
    }

    @Test func `the options of an attribute are its flags`() {
      let family = SwiftModelFamily.body(
        """
        @Attribute(.unique) var id: String
        @Attribute(.externalStorage) var image: Data?
        @Attribute(.spotlight, .preserveValueOnDeletion) var title: String
        @Attribute(.allowsCloudEncryption) var secret: String
        @Attribute(originalName: "old", hashModifier: "2") var new: String
        @Attribute(.transformable(by: ColorTransformer.self)) var color: UIColor?
        @Attribute(.transformable(by: "Name")) var other: UIColor?
        @Attribute(.codable) var form: Point
        """
      )
      #expect(family.current.model.entities[0].uniquenessConstraints == [["id"]])
      #expect(family.attribute("A.image")?.allowsExternalStorage == true)
      #expect(family.attribute("A.title")?.isIndexedBySpotlight == true)
      #expect(family.attribute("A.title")?.preservesValueOnDeletion == true)
      #expect(family.attribute("A.secret")?.type == .string)
      #expect(family.attribute("A.new")?.renamingIdentifier == "old")
      #expect(family.attribute("A.new")?.versionHashModifier == "2")
      #expect(family.attribute("A.color")?.type == .transformable)
      #expect(family.attribute("A.color")?.transformerName == "ColorTransformer")
      #expect(family.attribute("A.other")?.transformerName == "Name")
      #expect(family.attribute("A.form")?.type == .transformable)
    }

    @Test func `#Unique and #Index are constraints and indexes of several attributes`() {
      let family = SwiftModelFamily.body(
        """
        #Unique<A>([\\.name], [\\.start, \\.end])
        #Index<A>([\\.start], [\\.name, \\.end])
        #Index<A>(.rtree([\\.x, \\.y]), .binary([\\.end]))
        var name: String
        var start: Date
        var end: Date
        var x: Double
        var y: Double
        """
      )
      let entity = family.current.model.entities[0]
      #expect(entity.uniquenessConstraints == [["name"], ["start", "end"]])
      let lists = entity.fetchIndexes.map { $0.elements.map(\.property) }
      #expect(lists == [["start"], ["name", "end"], ["x", "y"], ["end"]])
      #expect(entity.fetchIndexes[2].elements.allSatisfy { $0.kind == .rTree })
      #expect(family.current.model.errors.isEmpty)
    }

    @Test func `a class below another is a sub-entity with its own properties alone`() {
      let family = SwiftModelFamily.read(
        """
        @Model class Trip { var name: String }
        @available(iOS 26, *) @Model class BusinessTrip: Trip { var cost: Decimal }
        """
      )
      let entity = family.current.model.entity(named: "BusinessTrip")
      #expect(entity?.superentity == "Trip")
      #expect(entity?.attributes.map(\.name) == ["cost"])
    }

    @Test func `a SwiftData store's model has one configuration and names no class`() {
      let model = SwiftModelFamily.body("var a: Int").current.model
      #expect(model.configurations == ["default": ["A"]])
      #expect(model.entities[0].className == Entity.genericClassName)
      #expect(model.versionIdentifiers == ["1.0.0"])
    }

    @Test func `types are found across files, nested types and aliases`() {
      let family = SwiftSource.read(texts: [
        "A.swift": "@Model class A { var state: State; var amount: Money; var b: Alias? }",
        "B.swift": "extension A { enum State: Int, Codable { case on } }\n@Model class B {}",
        "C.swift": "typealias Money = Decimal\ntypealias Alias = B",
      ])
      #expect(family.attribute("A.state")?.type == .integer64)
      #expect(family.attribute("A.amount")?.type == .decimal)
      #expect(family.relationship("A.b")?.destination == "B")
    }

    @Test func `a type of a system's module is not the class of the app that has its name`() {
      let family = SwiftModelFamily.read(
        "@Model class Data { var bytes: Foundation.Data = Foundation.Data(); var next: Data? }"
      )
      #expect(family.attribute("Data.bytes")?.type == .binary)
      #expect(family.relationship("Data.next")?.destination == "Data")
    }

    @Test func `what an extension holds is found where its type is declared elsewhere`() {
      let family = SwiftModelFamily.read(
        """
        extension Far { @Model class A { var b: Far.B?; var kind: Far.Kind } }
        extension Far { @Model class B { var all: [Far.A] }
          enum Kind: Int, Codable { case on } }
        """
      )
      #expect(family.relationship("A.b")?.destination == "B")
      #expect(family.relationship("B.all")?.inverse == "b")
      #expect(family.attribute("A.kind")?.type == .integer64)
    }

    @Test func `one declaration may name several properties`() {
      let family = SwiftModelFamily.body("var a, b: Int\nvar c = 1, d: String?")
      #expect(family.current.model.entities[0].attributes.map(\.name) == ["a", "b", "c", "d"])
      #expect(family.attribute("A.a")?.type == .integer64)
      #expect(family.attribute("A.c")?.type == .integer64)
      #expect(family.attribute("A.d")?.isOptional == true)
    }

    @Test func `a branch of the build that is not known is taken, with a warning`() {
      let family = SwiftModelFamily.body(
        "#if PRO\nvar a: Int\n#else\nvar b: Int\n#endif\n#if os(macOS)\nvar c: Int\n#endif"
      )
      #expect(family.current.model.entities[0].attributes.map(\.name) == ["a"])
      #expect(family.notes.contains { $0.message.contains("#if PRO") })
    }
  }
#endif
