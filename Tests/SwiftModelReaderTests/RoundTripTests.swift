#if SwiftSource
  import DataModel
  import Foundation
  import Inspector
  import SwiftModelReader
  import TestSupport
  import Testing

  @testable import SwiftModels

  /// Tests models that are written as SwiftData code and read back.
  @Suite struct RoundTripTests {
    /// The differences between a model and the model read back: those without and with a writer's
    /// note.
    private struct Trip {
      var unexplained: [String] = []
      var explained = 0

      init(_ version: VersionedSchema) {
        let written = SchemaWriter(classesOf: version, source: "model")
        let read = SwiftSource.read(texts: RoundTripTests.texts(of: written.files)).current.model
        let comparison = SchemaComparison(from: version.model, to: read)
        let places = Set(written.notes.map(\.place))
        for difference in comparison.differences {
          let own = difference.property.map { "\(difference.entity).\($0)" } ?? difference.entity
          // A renamed property differs twice: its old name is missing and its new name is added.
          let isNamed = difference.property.map { name in
            written.notes.contains {
              $0.subject == .name && $0.place.hasPrefix(difference.entity + ".")
                && (name == SwiftNames.property(String($0.place.split(separator: ".").last ?? "")))
            }
          }
          if places.contains(own) || isNamed == true {
            explained += 1
          } else {
            unexplained.append("\(difference) [\(difference.effect.rawValue)]")
          }
        }
      }
    }

    fileprivate static func texts(of files: [SwiftFile]) -> [String: String] {
      Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.text) })
    }

    /// The steps that the plan, read from code, classifies differently from the models.
    private static func faults(of family: [VersionedSchema]) -> [String] {
      let plan = WrittenPlan(family)
      let files = SchemaWriter(versions: family, source: "model").files
      let read = SwiftSource.read(texts: texts(of: files))
      var faults: [String] = []
      if read.versions.map(\.name).sorted() != plan.versions.map(\.type).sorted() {
        faults.append("versions \(read.versions.map(\.name)), not \(plan.versions.map(\.type))")
      }
      let stages = read.plan?.stages ?? []
      guard stages.count == plan.stages.count else {
        return faults + ["\(stages.count) stages, not \(plan.stages.count)"]
      }
      for stage in plan.stages {
        let found = stages.first { $0.from == stage.from && $0.to == stage.to }
        guard let found else {
          faults.append("no stage from \(stage.from) to \(stage.to)")
          continue
        }
        let isWritten = if case .lightweight = stage.kind { true } else { false }
        if found.isLightweight != isWritten {
          faults.append("\(stage.from) to \(stage.to) is read as another kind of stage")
        }
      }
      let own = plan.versions.enumerated().filter { $0.element.name != nil }
      for (from, to) in zip(own, own.dropFirst()) {
        guard let old = family.first(where: { $0.name == from.element.name }),
          let new = family.first(where: { $0.name == to.element.name })
        else { continue }
        let mapping = MappingModel(from: old.model, to: new.model)
        let isRenamed = mapping.entities.contains {
          $0.source != nil && $0.source != $0.destination
        }
        let types = plan.versions[from.offset...to.offset].map(\.type)
        let between = stages.filter { types.contains($0.from) && types.contains($0.to) }
        let isLightweight = between.allSatisfy(\.isLightweight)
        if isLightweight != (mapping.isLightweight && !isRenamed) {
          faults.append("'\(old.name)' to '\(new.name)': \(mapping.obstacles.map(\.description))")
        }
      }
      return faults
    }

    @Test(arguments: ["tasks", "catalog", "contacts", "documents", "planner", "trips"])
    func `a model of the repository is the same after writing and reading`(name: String) throws {
      let path = Repository.path("Workloads/models/\(name)")
      let family = try ModelSource.read(path: path)
      #expect(!family.versions.isEmpty)
      for version in family.versions {
        #expect(Trip(version).unexplained == [], "\(name), \(version.name)")
      }
      #expect(Self.faults(of: family.versions) == [])
    }

    @Test func `the check finds a difference`() throws {
      let old = Entity(name: "A", attributes: [Attribute(name: "x", type: .string)])
      let written = SchemaWriter(
        classesOf: VersionedSchema(name: "v", model: Model(entities: [old])),
        source: "m"
      )
      let texts = written.files.map { ($0.path, $0.text.replacing("String", with: "Int")) }
      let read = SwiftSource.read(texts: Dictionary(uniqueKeysWithValues: texts)).current.model
      #expect(SchemaComparison(from: Model(entities: [old]), to: read).answer == .changed)
    }

    @Test func `defaults that initializers spell are constants of the schema`() {
      let uuid: [UInt8] = Array(0..<16)
      let defaults: [(String, AttributeType, Value)] = [
        ("a", .date, .real(-978_307_200)), ("b", .date, .real(0.5)), ("c", .uuid, .blob(uuid)),
        ("d", .uri, .text("https://a.example/b?c")), ("e", .decimal, .real(1.25)),
        ("f", .binary, .blob([1, 2, 255])), ("g", .decimal, .integer(-3)),
        ("h", .float, .real(0.5)),
      ]
      let entity = Entity(
        name: "A",
        attributes: defaults.map {
          Attribute(name: $0.0, type: $0.1, isOptional: false, defaultValue: $0.2)
        }
      )
      let trip = Trip(VersionedSchema(name: "v", model: Model(entities: [entity])))
      #expect(trip.unexplained == [])
      #expect(trip.explained == 0)
      let read = SwiftSource.read(
        text: "@Model final class A { var x: Date = .init(timeIntervalSince1970: 0) }"
      )
      let found = read.current.model.entity(named: "A")?.attribute(named: "x")
      #expect(found?.defaultValue == .real(-978_307_200))
    }

    @Test(
      .enabled(
        if: ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] != nil,
        "STOREBENCH_REAL_STORES is not set"
      )
    )
    func `the model of a real SwiftData store equals the one read from its written classes`() throws
    {
      let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] ?? ""
      let store = try ModelInput.read(path: folder + "/cart/CartKitSwiftData_v1.sqlite")
      let written = SchemaWriter(classesOf: store.version, source: "cart")
      #expect(written.notes == [])
      let read = SwiftSource.read(texts: Self.texts(of: written.files)).current.model
      #expect(read == store.version.model)
    }

    /// Tests real models and stores in the folder `STOREBENCH_REAL_MODELS`; prints every reason.
    @Test(
      .enabled(
        if: ProcessInfo.processInfo.environment["STOREBENCH_REAL_MODELS"] != nil,
        "STOREBENCH_REAL_MODELS is not set"
      )
    )
    func `every real model is the same after writing and reading, or the reason is listed`() throws
    {
      let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_MODELS"] ?? ""
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      var (versions, same, explained, steps) = (0, 0, 0, 0)
      for name in names {
        let path = folder + "/" + name
        let isModel = [".xcdatamodeld", ".momd"].contains { name.hasSuffix($0) }
        let isStore = [".sqlite", ".storedata"].contains { name.hasSuffix($0) }
        guard isModel || isStore, let family = try? ModelInput.read(path: path).family.versions
        else { continue }
        for version in family {
          let trip = Trip(version)
          versions += 1
          same += trip.unexplained.isEmpty && trip.explained == 0 ? 1 : 0
          explained += trip.explained
          #expect(trip.unexplained == [], "\(name), \(version.name)")
        }
        steps += max(0, family.count - 1)
        #expect(Self.faults(of: family) == [], "\(name)")
      }
      print(
        "\(versions) versions: \(same) the same, \(explained) differences with a reason; "
          + "\(steps) steps"
      )
      #expect(versions > 0)
    }
  }
#endif
