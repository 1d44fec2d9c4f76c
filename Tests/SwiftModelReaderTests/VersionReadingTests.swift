#if SwiftSource
  import DataModel
  import SwiftModelReader
  import SwiftModels
  import Testing

  @Suite struct VersionReadingTests {
    @Test(
      arguments: [
        """
        enum S: VersionedSchema { static var versionIdentifier = Schema.Version(1, 2, 0)
          static var models: [any PersistentModel.Type] { [Trip.self] }
          @Model class Trip { var a: Int } }
        """,
        """
        struct S: VersionedSchema { static let versionIdentifier: Schema.Version = .init(1, 2, 0)
          static var models: [any PersistentModel.Type] = [Trip.self] }
        extension S { @Model class Trip { var a: Int } }
        """,
        """
        nonisolated enum S: VersionedSchema {
          static var versionIdentifier: Schema.Version { Schema.Version(1, 2, 0) }
          static var models: [any PersistentModel.Type] { return [S.Trip.self] }
          @Model class Trip { var a: Int } }
        """,
        """
        enum S: VersionedSchema { static let versionIdentifier = Numbers.first
          static var models: [any PersistentModel.Type] { Base.models }
          @Model class Trip { var a: Int } }
        enum Base { static let models: [any PersistentModel.Type] = [S.Trip.self] }
        enum Numbers { static let first = Schema.Version(1, 2, 0) }
        """,
        """
        enum S {}
        extension S: VersionedSchema { static let versionIdentifier = Schema.Version(1, 2, 0)
          static var models: [any PersistentModel.Type] { let all = [Trip.self]
            return all } }
        @Model class Trip { var a: Int }
        """,
        """
        public enum S: VersionedSchema {
          public static let versionIdentifier: Schema.Version = Schema.Version(1, 2, 0)
          public static var models: [any PersistentModel.Type] {
            [Trip.self] as [any PersistentModel.Type] } }
        typealias Current = S
        extension Current { @Model class Trip { var a: Int } }
        """,
      ]
    )
    func `a version is read in each of its forms`(_ text: String) {
      let family = SwiftModelFamily.read(text)
      #expect(family.versions.map(\.name) == ["S"])
      #expect(family.versions.first?.identifier == "1.2.0")
      #expect(family.versions.first?.model.entities.map(\.name) == ["Trip"])
      #expect(family.notes.isEmpty, "\(family.notes)")
    }

    private static let twoVersions = """
      enum V1: VersionedSchema { static var versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Trip.self] }
        @Model class Trip { var a: Int; var stops: [Stop] }
        @Model class Stop { var trip: Trip? } }
      enum V2: VersionedSchema { static var versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { V1.models + [Extra.self] }
        @Model class Extra { var b: Int } }

      """

    @Test func `a list may be made of another version's list`() {
      let family = SwiftModelFamily.read(Self.twoVersions)
      #expect(family.versions[1].model.entities.map(\.name) == ["Extra", "Stop", "Trip"])
    }

    @Test func `what relationships reach belongs to a version, and shows where it is declared`() {
      let family = SwiftModelFamily.read(Self.twoVersions)
      let stop = family.versions[1].uses.first { $0.type == "V1.Stop" }
      #expect(stop?.owner == "V1")
      #expect(stop?.property == "Trip.stops")
    }

    @Test(
      arguments: [
        "static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }",
        """
        static var stages: [MigrationStage] = [first]
        static let first = MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)
        """,
        """
        static var stages: [MigrationStage] { [Self.first()] }
        static func first() -> MigrationStage { .lightweight(fromVersion: V1.self, toVersion: V2.self) }
        """,
        """
        static var stages: [MigrationStage] {
          var all = [MigrationStage]()
          all.append(.lightweight(fromVersion: V1.self, toVersion: V2.self))
          return all
        }
        """,
        """
        static var stages: [MigrationStage] { return [P.first] }
        static var first: MigrationStage {
          MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self) }
        """,
      ]
    )
    func `a plan's stages are read in each of their forms`(_ stages: String) {
      let family = SwiftModelFamily.read(
        Self.twoVersions
          + """
          enum P: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
            \(stages)
          }
          """
      )
      #expect(family.plan?.versions == ["V1", "V2"])
      #expect(family.plan?.isWhole == true)
      let stage = family.plan?.stages.first
      #expect(stage?.from == "V1")
      #expect(stage?.to == "V2")
      #expect(stage?.isLightweight == true)
    }

    @Test func `a custom stage is read with its closures`() {
      let family = SwiftModelFamily.read(
        Self.twoVersions
          + """
          enum P: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
            static var stages: [MigrationStage] { [move] }
            static let move = MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self,
              willMigrate: nil, didMigrate: { context in try context.save() })
          }
          """
      )
      #expect(family.plan?.stages.map(\.isLightweight) == [false])
    }

    @Test func `the app's classes are those that the top level names`() {
      let family = SwiftModelFamily.read(
        Self.twoVersions + "typealias Trip = V1.Trip\n@Model class Extra { var b: Int; var c: Int }"
      )
      let extra = family.current.model.entity(named: "Extra")
      #expect(extra?.attributes.map(\.name) == ["b", "c"])
    }

    @Test func `without versions all classes are the model`() {
      let family = SwiftModelFamily.read("@Model class A {}\n@Model class B {}")
      #expect(family.modelFamily.versions.map(\.name) == ["current"])
      #expect(family.entityNames == ["A", "B"])
    }

    @Test(
      arguments: [
        (
          "try ModelContainer(for: Trip.self, migrationPlan: P.self)", "P",
          SwiftContainer.CloudKit.automatic
        ),
        ("view.modelContainer(for: [Trip.self])", nil, .automatic),
        (
          """
          try ModelContainer(for: schema, migrationPlan: P.self,
            configurations: ModelConfiguration(cloudKitDatabase: .private("x")))
          """, "P", .used
        ),
        (
          "try ModelContainer(for: s, configurations: ModelConfiguration(cloudKitDatabase: .none))",
          nil, .none
        ),
        (
          "try ModelContainer(for: Trip.self, migrationPlan: isTest ? nil : P.self)", "P",
          .automatic
        ),
        (
          "try ModelContainer(for: Trip.self, migrationPlan: isTest ? P.self : nil)", "P",
          .automatic
        ),
        ("try ModelContainer(for: Trip.self, migrationPlan: nil)", nil, .automatic),
        ("try ModelContainer(for: Trip.self, migrationPlan: plan)", "plan", .automatic),
        ("try Self.init(for: Trip.self, migrationPlan: P.self)", "P", .automatic),
        (
          "try ModelContainer(for: s, configurations: "
            + "ModelConfiguration(cloudKitDatabase: isOn ? .private(\"x\") : .none))", nil, .used
        ),
      ] as [(String, String?, SwiftContainer.CloudKit)]
    )
    func `a container shows its plan and whether CloudKit is used`(
      _ call: String,
      _ plan: String?,
      _ cloudKit: SwiftContainer.CloudKit
    ) {
      let family = SwiftModelFamily.read("@Model class Trip {}\nfunc f() { let c = \(call) }")
      #expect(family.containers.map(\.plan) == [plan])
      #expect(family.containers.map(\.cloudKit) == [cloudKit])
    }

    @Test func `a protocol of the app may stand for the protocol of versions`() {
      let family = SwiftModelFamily.read(
        "protocol AppSchema: VersionedSchema {}\n"
          + Self.twoVersions.replacing(": VersionedSchema", with: ": AppSchema")
      )
      #expect(family.versions.map(\.name) == ["V1", "V2"])
    }

    @Test(
      arguments: [
        ("if #available(iOS 18, *) { all.append(B.self) }", ["A", "B"], false),
        ("if isOn { all.append(B.self) }", ["A"], true), ("all += [B.self]", ["A", "B"], false),
        ("all = []", ["A"], true), ("", ["A"], false), ("return []", [], false),
      ] as [(String, [String], Bool)]
    )
    func `a list that a body puts together is read, or known to be open`(
      _ line: String,
      _ names: [String],
      _ isOpen: Bool
    ) {
      let family = SwiftModelFamily.read(
        """
        enum V: VersionedSchema {
          static var versionIdentifier = Schema.Version(1, 0, 0)
          static var models: [any PersistentModel.Type] {
            var all: [any PersistentModel.Type] = [A.self]
            \(line)
            return all
          }
          @Model class A {}
          @Model class B {}
        }
        """
      )
      #expect((family.versions[0].assumed[SwiftVersion.wholeList] != nil) == isOpen)
      if !isOpen { #expect(family.versions[0].model.entities.map(\.name) == names) }
    }

    @Test func `two classes of one name are one warning, and one is used`() {
      let family = SwiftSource.read(texts: [
        "App/A.swift": "@Model class A { var a: Int }\n@Model class B {}",
        "Watch/A.swift": "@Model class A { var b: Int }",
      ])
      #expect(family.entityNames == ["A", "B"])
      #expect(family.attribute("A.a") != nil)
      #expect(family.notes.count { $0.message.contains("two classes") } == 1)
    }
  }
#endif
