#if SwiftSource
  import DataModel
  import Inspector
  import SwiftModels
  import Testing

  /// Tests that each fault in small sources is found, and that its repair is accepted.
  @Suite struct GuardTests: GuardSources {
    private static func plan(_ count: Int, _ stages: String) -> String {
      let names = (1...count).map { "V\($0).self" }.joined(separator: ", ")
      return """
        enum P: SchemaMigrationPlan {
          static var schemas: [any VersionedSchema.Type] { [\(names)] }
          static var stages: [MigrationStage] { [\(stages)] }
        }
        func open() throws { _ = try ModelContainer(for: Trip.self, migrationPlan: P.self) }

        """
    }

    private static let light = ".lightweight(fromVersion: V1.self, toVersion: V2.self)"
    private static let custom =
      ".custom(fromVersion: V1.self, toVersion: V2.self, willMigrate: nil, didMigrate: nil)"

    private func two(_ first: String, _ second: String, stage: String = Self.light) -> String {
      Self.version(1, first) + Self.version(2, second) + Self.plan(2, stage)
        + "typealias Trip = V2.Trip\n"
    }

    @Test func `sound versions have no fault`() {
      let check = self.check(two(trip("var a: Int"), trip("var a: Int; var b: Int?")))
      #expect(check.findings.isEmpty, "\(check.findings)")
    }

    @Test func `a shipped version that was changed is found, and its restoration accepted`() {
      let lock = Self.version(1, trip("var a: Int"))
      let changed = two(trip("var a: Int; var x: Int"), trip("var a: Int; var b: Int?; var x: Int"))
      #expect(errors(check(changed, shipped: lock)) == [.shippedVersionChanged])
      let restored = two(trip("var a: Int"), trip("var a: Int; var b: Int?"))
      #expect(errors(check(restored, shipped: lock)) == [])
    }

    @Test func `a finding is at the file and line of the change`() {
      let lock = Self.version(1, trip("var a: Int"))
      let text = Self.version(1, trip("var a: Int\nvar x: Int"))
      let finding = check(text, shipped: lock).findings.first { $0.rule == .shippedVersionChanged }
      #expect(finding?.place?.line == 6)
    }

    @Test func `a shipped version that is gone is found`() {
      let lock = Self.version(1, trip("var a: Int"))
      let text = Self.version(2, trip("var a: Int; var b: Int?"))
      #expect(errors(check(text, shipped: lock)) == [.shippedVersionMissing])
    }

    @Test func `a version that is called otherwise now is accepted by its shape`() {
      let lock = Self.version(1, trip("var a: Int"))
      let text = Self.version(2, trip("var a: Int"))
      #expect(errors(check(text, shipped: lock)) == [])
    }

    @Test func `classes that differ from the newest version are found`() {
      let versions = Self.version(1, trip("var a: Int"))
      let changed = versions + trip("var a: Int; var b: Int?")
      #expect(errors(check(changed)) == [.currentDiffers])
      #expect(errors(check(versions + trip("var a: Int"))) == [])
    }

    @Test func `two equal versions are found, also if an index differs`() {
      #expect(errors(check(two(trip("var a: Int"), trip("var a: Int")))) == [.equalVersions])
      let indexed = check(two(trip("var a: Int"), trip("#Index<Trip>([\\.a]); var a: Int")))
      #expect(errors(indexed) == [.equalVersions])
      let repaired = two(
        trip("var a: Int"),
        trip("#Index<Trip>([\\.a]); @Attribute(hashModifier: \"2\") var a: Int")
      )
      #expect(errors(check(repaired)) == [])
    }

    @Test func `one identifier for two shapes is found`() {
      let text = two(trip("var a: Int"), trip("var a: Int; var b: Int?"))
        .replacing("Schema.Version(2, 0, 0)", with: "Schema.Version(1, 0, 0)")
      #expect(errors(check(text)) == [.repeatedIdentifier])
    }

    @Test func `versions that share top-level classes are found`() {
      let text =
        Self.version(1, "")
        + Self.version(2, "@Model class Extra { var b: Int }", list: "Trip Extra")
        + Self.plan(2, Self.light) + trip("var a: Int")
      let check = self.check(text)
      #expect(errors(check) == [.notFrozen])
      #expect(check.findings.first?.message.contains("V1 has shipped and reaches Trip") == true)
    }

    @Test func `a relationship into another version is found`() {
      let text =
        Self.version(
          1,
          trip("var a: Int; var stops: [Stop]") + "\n@Model class Stop { var t: Trip? }"
        )
        + Self.version(2, trip("var a: Int; var b: Int?; var stops: [V1.Stop]"))
        + Self.plan(2, Self.light) + "typealias Trip = V2.Trip\n"
      #expect(errors(check(text)).contains(.notFrozen))
    }

    @Test func `a struct that is not frozen is found, an enum is not known`() {
      let shared = "struct Place: Codable { var x: Int }\nenum Kind: String, Codable { case a }\n"
      let body = "var place: Place; var kind: Kind"
      let text = two(trip(body), trip(body + "; var b: Int?")) + shared
      let check = self.check(text)
      #expect(errors(check) == [.notFrozen])
      #expect(check.findings.contains { $0.rule == .notFrozen && $0.severity == .notKnown })
      let frozen = "struct Place: Codable { var x: Int }\n"
      let repaired = two(
        trip("var place: Place") + frozen,
        trip("var place: Place; var b: Int?") + frozen
      )
      #expect(errors(self.check(repaired)) == [])
    }

    @Test func `a version that the plan lacks is found`() {
      let text = two(trip("var a: Int"), trip("var a: Int; var b: Int?"))
      let added = text + Self.version(3, trip("var a: Int; var c: Int?"))
      #expect(errors(check(added)).contains(.versionNotInPlan))
    }

    @Test func `a chain without a stage is found`() {
      let text = two(trip("var a: Int"), trip("var a: Int; var b: Int?"), stage: "")
      #expect(errors(check(text)) == [.stageMissing])
    }

    @Test(
      arguments: [
        ("var a: Int", "var a: Int; var b: Int"), ("var a: Int?", "var a: Int"),
        ("var a: Int", "var a: String"),
      ]
    )
    func `a lightweight stage over a change that is none is found`(
      _ old: String,
      _ new: String
    ) {
      #expect(errors(check(two(trip(old), trip(new)))) == [.notLightweight])
      #expect(errors(check(two(trip(old), trip(new), stage: Self.custom))) == [])
    }

    @Test func `a new required property with a default, known or computed, is lightweight`() {
      let text = two(trip("var a: Int"), trip("var a: Int; var b = 1; var c: UUID = UUID()"))
      #expect(errors(check(text)) == [])
    }

    @Test func `a new required relationship is found, also with a default`() {
      let engine = "\n@Model class Engine { var n: Int }"
      let text = two(
        trip("var a: Int") + engine,
        trip("var a: Int; var e: Engine = Engine()") + engine
      )
      #expect(errors(check(text)).contains(.notLightweight))
      let inferred = check(
        trip("var a: Int; var e: Engine") + engine,
        shipped: trip("var a: Int") + engine
      )
      #expect(!inferred.hasErrors)
      let messages = inferred.findings.map(\.message)
      #expect(messages.contains { $0.hasSuffix("no target of the required Trip.e") })
    }

    @Test(
      arguments: [
        ("var b: [B] = []", true), ("var b: [B]", true),
        ("@Relationship(deleteRule: .cascade, inverse: \\B.t) var b: [B] = []", true),
        ("@Relationship(minimumModelCount: 1) var b: [B] = []", false),
      ]
    )
    func `a new array of models begins empty, and is lightweight`(
      _ property: String,
      _ isAccepted: Bool
    ) {
      let other = "\n@Model class B { var t: Trip? }"
      let found = check(two(trip("var a: Int"), trip("var a: Int; \(property)") + other))
      let expected: [SchemaRule] = isAccepted ? [] : [.notLightweight]
      #expect(errors(found) == expected)
    }

    @Test func `a struct with other fields is not known to be migrated`() {
      let structs = ["var x: Int", "var x: Int; var y: Int?"].map {
        "\nstruct Place: Codable { \($0) }"
      }
      let (first, second) = (trip("var p: Place"), trip("var p: Place; var b: Int?"))
      func isOpen(_ check: SchemaGuard, _ rule: SchemaRule) -> Bool {
        !check.hasErrors
          && check.findings.contains { $0.rule == rule && $0.severity == .notKnown }
      }
      let staged = check(two(first + structs[0], second + structs[1]))
      #expect(isOpen(staged, .notLightweight))
      let alone = check(first + structs[1], shipped: first + structs[0])
      #expect(isOpen(alone, .shippedVersionChanged))
      let inferred = check(second + structs[1], shipped: first + structs[0])
      let messages = inferred.findings.map(\.message)
      #expect(messages.contains { $0.contains("; whether that works is not known; a new field") })
      #expect(!messages.contains { $0.contains("which these changes allow") })
    }

    @Test func `a struct with other fields is not known to be lightweight for inspect and ready`()
      throws
    {
      let fields = ["var x: Int", "var x: Int; var y: Int?"]
      let sides = try fields.map { fields in
        let text =
          trip("var p: Place") + "\n@Model class Walk: Trip { var n: Int }"
          + "\nstruct Place: Codable { \(fields) }"
        return try ModelInput(path: "Sources", family: SwiftModelFamily.read(text).modelFamily)
      }
      let comparison = try ModelComparison(from: sides[0], to: sides[1])
      #expect(!comparison.isLightweight)
      let places = Readiness(comparison, survey: nil).decisions.flatMap(\.places)
      #expect(places.filter { $0.hasSuffix(".p") } == ["Trip.p"])
    }

    private static let changedEnums: [(String, String, String?)] = [
      ("case a, b", "case a = 1, b", "a is 1, not 0; b is 2, not 1"),
      ("case a, b", "case a", "no case has 1, the raw value of b"),
      ("case a, b", "case a, b, c", nil), ("case a, b", "case x, b", nil),
    ]

    @Test(arguments: changedEnums)
    func `a case of an enum keeps its raw value, or a custom stage may convert it`(
      _ former: String,
      _ cases: String,
      _ values: String?
    ) {
      func body(_ cases: String, _ rest: String = "") -> String {
        trip("var k: Kind\(rest)") + "\nenum Kind: Int, Codable { \(cases) }"
      }
      func messages(_ check: SchemaGuard) -> [String] {
        check.findings.filter { $0.rule == .enumValueChanged }.map(\.message)
      }
      func expected(_ version: String) -> [String] {
        values.map { ["Trip.k has other raw values than in \(version): \($0)"] } ?? []
      }
      let shipped = check(body(cases), shipped: body(former))
      #expect(messages(shipped) == expected("current"))
      #expect(!shipped.hasErrors)
      let (old, new) = (body(former), body(cases, "; var b: Int?"))
      #expect(messages(check(two(old, new))) == expected("V1"))
      #expect(messages(check(two(old, new, stage: Self.custom))) == [])
      let family = SwiftModelFamily.read(two(old, new)).modelFamily
      let changes = ModelReport.steps(of: family).flatMap(\.changes)
      let isNamed = changes.contains { $0.contains("raw values of 'k'") }
      #expect(isNamed == (values != nil))
    }

    @Test func `a lightweight stage to a new unique constraint is a warning without a store`() {
      let check = self.check(
        two(trip("var a: Int"), trip("@Attribute(.unique) var a: Int; var b: Int?"))
      )
      #expect(check.findings.map(\.rule) == [.newUniqueConstraint])
      #expect(!check.hasErrors)
    }

    @Test func `a new unique property with a computed default is said to be one for all perhaps`() {
      let check = self.check(
        two(trip("var a: Int"), trip("var a: Int; @Attribute(.unique) var id: UUID = UUID()"))
      )
      #expect(check.findings.map(\.rule) == [.newUniqueConstraint])
      #expect(check.findings[0].message.contains("may get one value"))
      #expect(!check.hasErrors)
    }

    @Test func `an index alone since the shipped version is a warning`() {
      let lock = Self.version(1, trip("var a: Int"))
      let check = self.check(
        Self.version(1, trip("#Index<Trip>([\\.a]); var a: Int")),
        shipped: lock
      )
      #expect(check.findings.contains { $0.rule == .indexAlone && $0.severity == .warning })
    }

    @Test func `a difference of which the list is silent is not known, and no error`() {
      let lock = Self.version(1, trip("var a: Data"))
      let text = Self.version(1, trip("@Attribute(.externalStorage) var a: Data"))
      let check = self.check(text, shipped: lock)
      #expect(!check.hasErrors)
      #expect(check.findings.contains { $0.severity == .notKnown })
    }

    @Test func `an assumed type affects no verdict`() {
      let lock = Self.version(1, trip("var a: String"))
      let text = Self.version(
        1,
        trip("var a: Kind") + "\nenum Kind: Int, Codable { case x }"
      )
      #expect(!check(text, shipped: lock).hasErrors)
    }

    @Test func `a plan of lightweight stages alone is a warning`() {
      let text =
        Self.version(1, trip("var a: Int")) + Self.version(2, trip("var a: Int; var b: Int?"))
        + Self.version(3, trip("var a: Int; var b: Int?; var c: Int?"))
        + Self.plan(3, Self.light + ", .lightweight(fromVersion: V2.self, toVersion: V3.self)")
        + "typealias Trip = V3.Trip\n"
      #expect(check(text).findings.map(\.rule) == [.lightweightPlan])
    }

    @Test func `a plan that no container names is a warning`() {
      let text = two(trip("var a: Int"), trip("var a: Int; var b: Int?"))
        .replacing(", migrationPlan: P.self", with: "")
      #expect(check(text).findings.map(\.rule) == [.planNotUsed])
    }

    @Test(
      arguments: [
        "@Attribute(.unique) var a: Int = 1", "var a: Int", "var b: [B] = []",
        "@Relationship(deleteRule: .deny) var b: B?",
      ]
    )
    func `what CloudKit refuses is found if it is asked for`(_ body: String) {
      let text = trip(body) + "\n@Model class B { var t: Trip? }"
      #expect(errors(check(text, cloudKit: true)).contains(.cloudKit))
      #expect(errors(check(text)) == [])
    }

    @Test func `a container with a database of CloudKit asks for its rules`() {
      let text =
        trip("var a: Int")
        + "\nlet c = ModelContainer(for: Trip.self, configurations: ModelConfiguration("
        + "cloudKitDatabase: .private(\"x\")))"
      #expect(errors(check(text)) == [.cloudKit])
    }

    @Test func `sources without versions are checked against what shipped`() {
      let lock = trip("var a: Int")
      let bad = check(trip("var a: Int; var b: Int"), shipped: lock)
      #expect(errors(bad) == [.shippedVersionChanged])
      let good = check(trip("var a: Int; var b: Int?"), shipped: lock)
      #expect(!good.hasErrors)
      #expect(good.findings.contains { $0.rule == .shippedVersionChanged })
    }
  }
#endif
