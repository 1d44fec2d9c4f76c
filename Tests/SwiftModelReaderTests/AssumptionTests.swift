#if SwiftSource
  import DataModel
  import Inspector
  import SwiftModels
  import Testing

  /// Tests that facts missing in the sources are reported as unknown and cause no errors.
  @Suite struct AssumptionTests: GuardSources {
    private static let text = "enum Kind: String, Codable { case a }\n"

    private func isOpen(_ check: SchemaGuard, _ rule: SchemaRule) -> Bool {
      !check.hasErrors
        && check.findings.contains { $0.rule == rule && $0.severity == .notKnown }
    }

    private func two(_ first: String, _ second: String) -> String {
      Self.version(1, first) + Self.version(2, second) + "typealias Trip = V2.Trip\n"
    }

    @Test(
      arguments: [
        ("enum Kind: String, Codable { case a }", "Kind", "String"),
        ("enum Kind: Codable { case a }", "Kind", "Data"),
        ("struct Kind: OptionSet, Codable { var rawValue: Int }", "Kind", "Int"),
      ]
    )
    func `a value type in the place of what it is assumed to be stored as makes no equal versions`(
      _ type: String,
      _ first: String,
      _ second: String
    ) {
      let text = two(
        trip("\(type); var k: \(first)?"),
        trip("var k: \(second)?")
      )
      #expect(isOpen(check(text), .equalVersions))
    }

    @Test func `a case of an enum without raw values makes no equal versions`() {
      let text = two(
        trip("enum Kind: Codable { case a }; var k: Kind?"),
        trip("enum Kind: Codable { case a, b(Int) }; var k: Kind?")
      )
      #expect(isOpen(check(text), .equalVersions))
    }

    @Test func `a locked version keeps what was assumed of it`() {
      let lock = Self.version(1, trip("enum Kind: String { case a }; var k: Kind?"))
      let text = Self.version(1, trip("var k: String?"))
      #expect(isOpen(check(text, shipped: lock), .shippedVersionChanged))
      #expect(check(lock, shipped: lock).findings.filter { $0.severity != .warning } == [])
    }

    @Test func `a class that the sources lack is not known to be gone`() {
      let both = "\n@Model class Tag { var name: String?; var trip: Trip? }"
      let lock = Self.version(1, trip("var tags: [Tag] = []; var a: Int?") + both, list: "Trip Tag")
      let text = Self.version(1, trip("var tags: [Tag] = []; var a: Int?"))
      #expect(isOpen(check(text, shipped: lock), .shippedVersionChanged))
      let spelled = trip("@Relationship(deleteRule: .cascade) var tags: [Tag] = []; var a: Int?")
      #expect(isOpen(check(Self.version(1, spelled), shipped: lock), .shippedVersionChanged))
      // The sources contain all about the changed property, so the change is an error.
      let changed = check(Self.version(1, trip("var tags: [Tag] = []; var a: Int")), shipped: lock)
      #expect(errors(changed) == [.shippedVersionChanged])
    }

    @Test func `an array of a type that the sources lack is a warning`() {
      let family = SwiftModelFamily.body("var tags: [Tag] = []")
      #expect(family.notes.map(\.place?.line) == [3])
      #expect(family.current.assumed["A.tags"] != nil)
    }

    @Test func `an inferred migration is not said to fail for what is assumed`() {
      let lock = trip("var k: Int = 0; var a: Int?")
      let open = Self.text + trip("var k: Kind = Kind.a; var a: Int?; var b: Int?")
      let found = check(open, shipped: lock)
      #expect(found.findings.contains { $0.rule == .shippedVersionChanged })
      #expect(!found.hasErrors)
      let firm = check(Self.text + trip("var k: Kind = Kind.a; var a: String?"), shipped: lock)
      #expect(errors(firm) == [.shippedVersionChanged])
    }

    @Test
    func `CloudKit's rules on inverses and types are not known to be broken by what is assumed`() {
      let both = "\n@Model class B { var trips: [Trip]? = [] }"
      let many = check(trip("var bs: [B]? = []") + both, cloudKit: true)
      #expect(isOpen(many, .cloudKit))
      let step = check(
        two(trip("enum Kind: Int { case a }; var k: Kind?"), trip("var k: String?; var b: Int?")),
        cloudKit: true
      )
      #expect(isOpen(step, .cloudKit))
      let required = check(trip("var k: Kind") + "\n" + Self.text, cloudKit: true)
      #expect(errors(required) == [.cloudKit])
    }

    @Test(arguments: ["steps.filter { _ in true }", "makeStages()", "[one, Elsewhere.two]"])
    func `a plan that cannot be read to its end lacks no stage for certain`(_ stages: String) {
      let text =
        two(trip("var a: Int?"), trip("var a: Int?; var b: Int?"))
          + """
          enum P: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
            static var stages: [MigrationStage] { \(stages) }
          }
          """
      #expect(isOpen(check(text), .stageMissing))
      #expect(SwiftModelFamily.read(text).notes.contains { $0.message.contains("stages") })
    }

    @Test func `a plan whose lists are elsewhere lacks no version for certain`() {
      let text = two(trip("var a: Int?"), trip("var a: Int?; var b: Int?"))
      let found = check(text + "enum P: SchemaMigrationPlan {}")
      #expect(isOpen(found, .versionNotInPlan))
    }

    @Test func `a list that cannot be read to its end lacks no class for certain`() {
      let rest = "\n@Model class B { var b: Int? }"
      let lock = Self.version(1, trip("var a: Int?") + rest, list: "Trip B")
      let open = """
        enum V1: VersionedSchema {
          static var versionIdentifier = Schema.Version(1, 0, 0)
          static var models: [any PersistentModel.Type] { [Trip.self] + others() }
          \(trip("var a: Int?"))
        }
        """
      #expect(isOpen(check(open, shipped: lock), .shippedVersionChanged))
    }
  }
#endif
