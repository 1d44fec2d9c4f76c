#if SwiftSource
  import DataModel
  import Inspector
  import SwiftModels
  import Testing

  /// Tests publicly known defects of shipped apps that undoing a change cannot repair: each is
  /// found, and the requested repair is accepted.
  @Suite struct GuardRepairTests: GuardSources {
    /// A plan with versions numbered from 1, one stage per kind, and the container that uses the
    /// plan.
    private static func plan(_ kinds: [String]) -> String {
      let names = (1...kinds.count + 1).map { "V\($0)" }
      let stages = kinds.indices.map { index in
        let hooks = kinds[index] == "custom" ? ", willMigrate: nil, didMigrate: nil" : ""
        return ".\(kinds[index])(fromVersion: \(names[index]).self, toVersion: "
          + "\(names[index + 1]).self\(hooks))"
      }
      return """
        enum P: SchemaMigrationPlan {
          static var schemas: [any VersionedSchema.Type] {
            [\(names.map { $0 + ".self" }.joined(separator: ", "))] }
          static var stages: [MigrationStage] { [\(stages.joined(separator: ", "))] }
        }
        func open() throws { _ = try ModelContainer(for: Trip.self, migrationPlan: P.self) }
        typealias Trip = \(names[names.count - 1]).Trip

        """
    }

    private func chain(_ bodies: [String], _ kinds: [String]) -> String {
      bodies.enumerated().map { Self.version($0.offset + 1, $0.element) }.joined()
        + Self.plan(kinds)
    }

    private func rules(_ check: SchemaGuard) -> Set<SchemaRule> { Set(check.findings.map(\.rule)) }

    @Test func `versions that began after shipping lack the first state, until it is a version`() {
      let lock = Self.version(0, trip("var a: Int")).replacing("V0", with: "Shipped")
      let late = chain(
        [trip("var a: Int; var b: Int?"), trip("var a: Int; var c: Int?")],
        ["custom"]
      )
      #expect(errors(check(late, shipped: lock)) == [.shippedVersionMissing])
      let repaired = chain(
        [
          trip("var a: Int"), trip("var a: Int; var b: Int?"), trip("var a: Int; var c: Int?"),
        ],
        ["custom", "custom"]
      )
      #expect(errors(check(repaired, shipped: lock)) == [])
    }

    @Test func `classes that versions share are frozen by a copy inside each`() {
      let stop = "@Model class Stop { var t: Trip? }\n"
      let shared =
        Self.version(1, trip("var a: Int; var stops: [Stop]"))
        + Self.version(2, trip("var a: Int; var b: Int?; var stops: [Stop]"))
        + Self.plan(["lightweight"]) + "@Model class Stop { var t: V2.Trip? }\n"
      #expect(errors(check(shared)).contains(.notFrozen))
      let frozen = chain(
        [
          trip("var a: Int; var stops: [Stop]") + "\n" + stop,
          trip("var a: Int; var b: Int?; var stops: [Stop]") + "\n" + stop,
        ],
        ["lightweight"]
      )
      #expect(errors(check(frozen)) == [])
    }

    @Test func `a new required relationship is accepted as an optional one`() {
      let engine = "\n@Model class Engine { var n: Int }"
      func text(_ type: String) -> String {
        chain(
          [trip("var a: Int") + engine, trip("var a: Int; var e: \(type)") + engine],
          ["lightweight"]
        )
      }
      #expect(errors(check(text("Engine = Engine()"))) == [.notLightweight])
      #expect(errors(check(text("Engine?"))) == [])
    }

    @Test func `a plan of lightweight stages is accepted with a custom stage among them`() {
      let bodies = [
        trip("var a: Int"), trip("var a: Int; var b: Int?"),
        trip("var a: Int; var b: Int?; var c: Int?"),
      ]
      #expect(rules(check(chain(bodies, ["lightweight", "lightweight"]))) == [.lightweightPlan])
      #expect(rules(check(chain(bodies, ["lightweight", "custom"]))) == [])
    }

    @Test func `a new unique constraint is accepted in a custom stage`() {
      let bodies = [trip("var a: Int"), trip("@Attribute(.unique) var a: Int; var b: Int?")]
      #expect(rules(check(chain(bodies, ["lightweight"]))) == [.newUniqueConstraint])
      #expect(rules(check(chain(bodies, ["custom"]))) == [])
    }

    @Test func `an index gets to shipped stores with a version that has a hash modifier`() {
      let lock = Self.version(1, trip("var a: Int"))
      let alone = check(Self.version(1, trip("#Index<Trip>([\\.a]); var a: Int")), shipped: lock)
      #expect(alone.findings.contains { $0.rule == .indexAlone })
      let repaired = chain(
        [
          trip("var a: Int"),
          trip("#Index<Trip>([\\.a]); @Attribute(hashModifier: \"i\") var a: Int"),
        ],
        ["lightweight"]
      )
      #expect(rules(check(repaired, shipped: lock)) == [])
    }

    @Test(
      arguments: [
        ("var a: Int = 1", "var a: Int = 1; var b: Int?", true),
        ("var a: Int = 1; var b: Int?", "var a: Int = 1", false),
        ("var a: Int = 1", "@Attribute(originalName: \"a\") var b: Int = 1", false),
        ("var a: Int = 1", "var a: String = \"\"", false),
      ]
    )
    func `CloudKit takes additions, and no removal, renaming or other type`(
      _ old: String,
      _ new: String,
      _ isAccepted: Bool
    ) {
      let found = errors(check(chain([trip(old), trip(new)], ["custom"]), cloudKit: true))
      #expect(found.contains(.cloudKit) != isAccepted)
    }

    @Test(
      arguments: [
        ("@Attribute(.unique) var a: Int = 1", "var a: Int = 1"), ("var a: Int", "var a: Int = 1"),
        ("var a: Int", "var a: Int?"),
        ("var b: [B] = []", "@Relationship(inverse: \\B.t) var b: [B]? = []"),
        (
          "@Relationship(deleteRule: .deny, inverse: \\B.t) var b: B?",
          "@Relationship(deleteRule: .nullify, inverse: \\B.t) var b: B?"
        ),
      ]
    )
    func `what CloudKit refuses is accepted once it is mended`(_ bad: String, _ good: String) {
      func text(_ body: String) -> String {
        trip(body) + "\n@Model class B { \(body.contains("B") ? "var t: Trip?" : "var n: Int?") }"
      }
      #expect(errors(check(text(bad), cloudKit: true)).contains(.cloudKit))
      #expect(errors(check(text(good), cloudKit: true)) == [])
    }

    @Test func `a field added to a struct is not known to change the identity`() {
      let lock = Self.version(1, trip("var p: Place") + "\nstruct Place: Codable { var x: Int }")
      let text = Self.version(
        1,
        trip("var p: Place") + "\nstruct Place: Codable { var x: Int; var y: Int? }"
      )
      let found = check(text, shipped: lock)
      #expect(!found.hasErrors)
      #expect(
        found.findings.contains { $0.rule == .shippedVersionChanged && $0.severity == .notKnown }
      )
    }
  }
#endif
