import Basics
import DataModel

struct PlanWriter {
  let plan: WrittenPlan
  let names: SwiftNames

  static let type = "AppMigrationPlan"

  var lines: [String] {
    let types = plan.versions.map(\.type)
    let schemas = SwiftText.list(
      "",
      types.map { "\($0).self" },
      "",
      indent: 4,
      brackets: ("[", "]")
    )
    let stages = SwiftText.list(
      "",
      plan.stages.map(Self.name),
      "",
      indent: 4,
      brackets: ("[", "]")
    )
    let stage = names.swiftData("MigrationStage")
    return documentation + ["enum \(Self.type): \(names.swiftData("SchemaMigrationPlan")) {"]
      + SwiftText.indented(
        ["static var schemas: [any \(names.swiftData("VersionedSchema")).Type] {"]
          + SwiftText.indented(schemas) + ["}", "", "static var stages: [\(stage)] {"]
          + SwiftText.indented(stages) + ["}"] + plan.stages.flatMap(declaration) + helpers
      ) + ["}"]
  }

  private var documentation: [String] {
    var lines = SwiftText.doc(
      "The migration path from each version to the newest one. Add a version for each change that "
        + "ships, and never change a version that has shipped.",
      indent: 0
    )
    if let risk = plan.risk {
      lines += ["///"] + SwiftText.doc("- Warning: \(risk.description).", indent: 0)
    }
    return lines
  }

  private static func name(_ stage: WrittenStage) -> String {
    "from\(stage.from)To\(stage.to)"
  }

  private func declaration(_ stage: WrittenStage) -> [String] {
    let arguments = ["fromVersion: \(stage.from).self", "toVersion: \(stage.to).self"]
    let head = "static var \(Self.name(stage)): \(names.swiftData("MigrationStage")) {"
    return [""] + documentation(of: stage) + [head]
      + SwiftText.indented(body(stage, arguments)) + ["}"]
  }

  private func documentation(of stage: WrittenStage) -> [String] {
    func doc(_ text: String) -> [String] { SwiftText.doc(text, indent: 2) }
    let reasons = stage.reasons.flatMap { doc("- \($0)") }
    switch stage.kind {
    case .lightweight:
      let repeats =
        "It fails or drops objects if values repeat that become unique: make it custom then, and "
        + "remove the duplicates in willMigrate. They are unique from here on:"
      return doc("The frameworks can make all changes.")
        + (reasons.isEmpty ? [] : ["///"] + doc(repeats) + reasons)
    case .custom: return doc("Needs code:") + reasons
    case .refused(let reason):
      return doc("Stops, and leaves the store as it is: \(reason).")
        + (stage.reasons.isEmpty ? [] : ["///"] + reasons)
    }
  }

  private func body(_ stage: WrittenStage, _ arguments: [String]) -> [String] {
    switch stage.kind {
    case .lightweight: return SwiftText.list(".lightweight", arguments, "", indent: 6)
    case .custom(let code):
      let context = code.contains { $0.contains("in: context") } ? "context" : "_"
      return [".custom("] + SwiftText.indented(arguments.map { $0 + "," })
        + ["  willMigrate: nil,", "  didMigrate: { \(context) in"]
        + SwiftText.indented(code, by: 4) + ["  }", ")"]
    case .refused(let reason):
      return [".custom("] + SwiftText.indented(arguments.map { $0 + "," })
        + [
          "  willMigrate: { _ in", "    throw StoreNeedsCopy(", "      reason:",
          "        \(SwiftText.literal(reason))", "    )", "  },", "  didMigrate: nil", ")",
        ]
    }
  }

  private var helpers: [String] {
    let isChanging = plan.stages.contains { stage in
      if case .custom(let code) = stage.kind {
        code.contains { $0.contains("try change(") }
      } else {
        false
      }
    }
    guard isChanging else { return [] }
    let (model, context) = (names.swiftData("PersistentModel"), names.swiftData("ModelContext"))
    return """

      /// Changes all objects of a class, and saves after every 500 objects.
      private static func change<Object: \(model)>(
        _ type: Object.Type,
        in context: \(context),
        _ body: (Object) throws -> Void
      ) throws {
        let all = try context.fetchIdentifiers(\(names.swiftData("FetchDescriptor"))<Object>())
        for start in stride(from: 0, to: all.count, by: 500) {
          for identifier in all[start..<min(start + 500, all.count)] {
            if let object = context.model(for: identifier) as? Object { try body(object) }
          }
          try context.save()
        }
      }
      """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  var error: [String] {
    let isRefusing = plan.stages.contains { if case .refused = $0.kind { true } else { false } }
    return isRefusing
      ? [
        "", "/// The store cannot be migrated in place.", "struct StoreNeedsCopy: Error {",
        "  let reason: String", "}",
      ] : []
  }
}
