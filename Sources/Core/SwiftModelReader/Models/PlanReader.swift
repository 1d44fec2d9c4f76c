#if SwiftSource
  import SwiftModels

  extension FamilyReader {
    private func versionName(_ parts: [String], _ scope: Scope) -> String {
      if case .type(let type)? = index.find(parts, in: scope.path, from: scope.file),
        let found = versionTypes.first(where: { $0.type.path == type.path })
      {
        return found.name
      }
      return parts.joined(separator: ".")
    }

    mutating func plan(_ type: Declaration) -> SwiftPlan {
      let scope = Scope(type)
      var plan = SwiftPlan(name: type.name, place: type.place)
      hasUnread = false
      let lists = ["schemas", "stages"].map { index.property($0, of: type)?.value }
      if lists.contains(nil) {
        hasUnread = true
        note("\(type.name): its schemas or its stages are not in the sources", type.place)
      }
      if let schemas = lists[0] {
        let names = elements("of the plan's schemas", in: schemas, scope, throughCalls: false) {
          _,
          value,
          _,
          _ in value.metatype.map { [$0] }
        }
        plan.versions = names.map { versionName($0, scope) }
      }
      if let stages = lists[1] {
        plan.stages = elements("of the plan's stages", in: stages, scope) {
          reader,
          value,
          scope,
          _ in
          reader.stage(value, scope).map { [$0] }
        }
      }
      plan.isWhole = !hasUnread
      return plan
    }

    private func stage(_ value: SourceExpression, _ scope: Scope) -> SwiftStage? {
      guard let call = value.namedCall, let kind = call.name.last,
        ["lightweight", "custom"].contains(kind)
      else { return nil }
      func version(_ label: String) -> String? {
        call.arguments.first { $0.label == label }?.value.metatype.map { versionName($0, scope) }
      }
      guard let from = version("fromVersion"), let to = version("toVersion") else { return nil }
      return SwiftStage(
        from: from,
        to: to,
        isLightweight: kind == "lightweight",
        place: SourcePlace(file: scope.file, line: value.line)
      )
    }

    func containers() -> [SwiftContainer] {
      let calls = files.flatMap(\.calls).filter { !SourceFolder.isTest($0.place.file) }
      let configurations = calls.filter { $0.name == "ModelConfiguration" }
      return calls.filter { ["ModelContainer", "modelContainer"].contains($0.name) }
        .filter { $0.arguments.contains { ["for", "migrationPlan"].contains($0.label) } }
        .map { call in
          let plan = call.arguments.first { $0.label == "migrationPlan" }.flatMap {
            Self.planName($0.value)
          }
          let spelled = call.arguments.filter { $0.label == "for" || $0.label == nil }
          let near = configurations.filter { $0.place.file == call.place.file }
          let databases = near.compactMap { configuration in
            configuration.arguments.first { $0.label == "cloudKitDatabase" }?.value
          }
          return SwiftContainer(
            place: call.place,
            plan: plan,
            cloudKit: Self.cloudKit(databases),
            models: spelled.map(\.value.text)
          )
        }
    }

    /// The name of a migration plan, for example in `Plan.self` or `isTest ? nil : Plan.self`.
    ///
    /// For a variable, the result is its source text, because its value is unknown.
    private static func planName(_ value: SourceExpression) -> String? {
      let parts = Self.parts(of: value).filter { $0.kind != .null }
      return parts.compactMap { $0.metatype?.last }.last ?? parts.last?.text
    }

    /// The possible values of an expression: for `a ? b : c`, the values `b` and `c`.
    private static func parts(of value: SourceExpression) -> [SourceExpression] {
      switch value.kind {
      case .operation(let operands, let operators):
        operands.dropFirst(operators.firstIndex(of: "?").map { $0 + 1 } ?? 0).flatMap(parts)
      case .cast(let inner, _): parts(of: inner)
      default: [value]
      }
    }

    private static func cloudKit(_ databases: [SourceExpression]) -> SwiftContainer.CloudKit {
      let words = databases.flatMap(parts).map { database -> String in
        if case .names(let parts) = database.kind { return parts.last ?? "" }
        return database.namedCall?.name.last ?? ""
      }
      if words.contains(where: { ["private", "automatic"].contains($0) }) { return .used }
      return !words.isEmpty && words.allSatisfy { $0 == "none" } ? .none : .automatic
    }
  }
#endif
