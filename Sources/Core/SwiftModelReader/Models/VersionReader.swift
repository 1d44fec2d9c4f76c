#if SwiftSource
  import DataModel
  import SwiftModels

  /// Reads versions, plans and containers, and combines them into a family of all models.
  struct FamilyReader {
    let index: SourceIndex
    let files: [SourceFileContent]
    private let values: [String: SourceExpression]
    private var builder: ModelBuilder
    var versionTypes: [(name: String, type: Declaration)] = []
    private var notes = SourceNotes()
    var hasUnread = false
    private static let deepest = 8
    /// The maximum number of classes, larger than in any known app.
    static let mostClasses = 5_000
    private static let mostVersions = 200

    static func read(_ files: [SourceFileContent]) -> SwiftModelFamily {
      var reader = FamilyReader(files)
      return reader.family()
    }

    private init(_ all: [SourceFileContent]) {
      (files, notes) = Self.limited(all)
      index = SourceIndex(files)
      var values: [String: SourceExpression] = [:]
      for file in files { values.merge(file.values) { first, _ in first } }
      self.values = values
      builder = ModelBuilder(resolver: TypeResolver(index: index))
      let types = index.types(conformingTo: "VersionedSchema")
      let twins = Dictionary(types.map { ($0.name, 1) }, uniquingKeysWith: +)
      for type in types.prefix(Self.mostVersions) {
        let isOnly = twins[type.name] == 1
        versionTypes.append((isOnly ? type.name : type.path.joined(separator: "."), type))
      }
      if types.count > Self.mostVersions {
        note("there are more than \(Self.mostVersions) versions; the others are left out", nil)
      }
    }

    private mutating func family() -> SwiftModelFamily {
      let plans = index.types(conformingTo: "SchemaMigrationPlan").map { plan($0) }
      var seen: Set<String> = []
      var versions: [SwiftVersion] = []
      for (name, type) in versionTypes {
        guard seen.insert(name).inserted else {
          note("two versions are called \(name); the first is used", type.place)
          continue
        }
        versions.append(version(name, type))
      }
      noteUnlisted(versions)
      let containers = self.containers()
      versions = Self.ordered(versions, by: plans, used: containers.compactMap(\.plan).first)
      let current = self.current(newest: versions.last)
      if versions.isEmpty, current.model.entities.isEmpty {
        note("there is no @Model class and no version of a schema", nil)
      }
      var all = SourceNotes()
      for note in files.flatMap(\.notes) + builder.notes.all + notes.all { all.add(note) }
      return SwiftModelFamily(
        versions: versions,
        current: current,
        plans: plans,
        containers: containers,
        notes: all.all
      )
    }

    private static func limited(
      _ files: [SourceFileContent]
    ) -> ([SourceFileContent], SourceNotes) {
      var (files, notes, left) = (files, SourceNotes(), mostClasses)
      for index in files.indices {
        files[index].declarations.removeAll { type in
          guard type.isModel else { return false }
          left -= 1
          if left == -1 {
            notes.add(
              SourceNote(
                "there are more than \(mostClasses) @Model classes; the others are left out",
                at: type.place
              )
            )
          }
          return left < 0
        }
      }
      return (files, notes)
    }

    /// Adds notes about model classes that the app declares but no version lists.
    ///
    /// A container that uses a version's schema cannot contain objects of these classes.
    private mutating func noteUnlisted(_ versions: [SwiftVersion]) {
      guard !versions.isEmpty else { return }
      let names = Set(versions.flatMap { $0.model.entities.map(\.name) })
      let places = Set(versions.flatMap { $0.uses.filter { $0.kind == .model }.map(\.place) })
      for type in index.models
      where !places.contains(type.place) && !SourceFolder.isTest(type.place.file) {
        // Skip a class with the same name as a version's class: it is the app's current class,
        // which is compared with the frozen class.
        guard !names.contains(type.name) else { continue }
        note("\(type.name) is a @Model class in no version; left out", type.place)
      }
    }

    mutating func note(_ message: String, _ place: SourcePlace?) {
      notes.add(SourceNote(message, at: place))
    }

    /// Sorts versions in the order of the migration plan that the app uses.
    ///
    /// Versions that only other plans contain come first. If any of the remaining versions is in no
    /// plan, all remaining versions are sorted by identifier.
    private static func ordered(
      _ versions: [SwiftVersion],
      by plans: [SwiftPlan],
      used: String?
    ) -> [SwiftVersion] {
      let main = plans.first { $0.name == used } ?? plans.first
      let others = Set(plans.filter { $0.name != main?.name }.flatMap(\.versions))
      let members = Set(main?.versions ?? [])
      let apart = versions.filter { others.contains($0.name) && !members.contains($0.name) }
      let own = versions.filter { version in !apart.contains { $0.name == version.name } }
      if let main, own.allSatisfy({ members.contains($0.name) }) {
        return apart + main.versions.compactMap { name in own.first { $0.name == name } }
      }
      let sorted = own.enumerated().sorted { first, second in
        let (left, right) = (numbers(first.element), numbers(second.element))
        return left == right ? first.offset < second.offset : left.lexicographicallyPrecedes(right)
      }
      return apart + sorted.map(\.element)
    }

    private static func numbers(_ version: SwiftVersion) -> [Int] {
      (version.identifier ?? "").split(separator: ".").compactMap { Int($0) }
    }
  }

  extension FamilyReader {
    private static func owner(
      of type: Declaration,
      among versions: [(name: String, type: Declaration)]
    ) -> String? {
      versions.filter {
        type.path.count > $0.type.path.count && type.path.starts(with: $0.type.path)
      }
      .max { $0.type.path.count < $1.type.path.count }?.name
    }

    private mutating func version(_ name: String, _ type: Declaration) -> SwiftVersion {
      let (types, identifiers) = (versionTypes, identifier(of: type))
      hasUnread = false
      var listed = models(of: type)
      let list = index.property("models", of: type)
      if listed.isEmpty, hasUnread || list?.value == nil {
        listed = index.models.filter { $0.path.starts(with: type.path) }
        hasUnread = hasUnread || !listed.isEmpty
        if list != nil {
          note(
            "\(name): its list of models cannot be read; the classes inside it are taken",
            type.place
          )
        }
      }
      var version = builder.version(
        named: name,
        identifier: identifiers,
        place: type.place,
        listed: listed,
        owner: { Self.owner(of: $0, among: types) }
      )
      if hasUnread {
        version.assumed[SwiftVersion.wholeList] = "its list cannot be read to its end"
      }
      return version
    }

    private mutating func models(of type: Declaration) -> [Declaration] {
      guard let value = index.property("models", of: type)?.value else { return [] }
      return classes(in: value, Scope(type), 0)
    }

    private mutating func classes(
      in value: SourceExpression,
      _ scope: Scope,
      _ depth: Int
    ) -> [Declaration] {
      elements("of the list of models", in: value, scope, depth) { reader, value, scope, depth in
        if let name = value.metatype { return reader.named(name, scope, value) }
        // Read initializers such as `Schema([…])` and `Array(…)`; the results of other functions
        // are unknown.
        guard case .call(_, let arguments) = value.kind,
          value.namedCall?.name.last?.first?.isUppercase == true
        else { return nil }
        return arguments.flatMap { reader.classes(in: $0.value, scope, depth + 1) }
      }
    }

    /// The elements of a list expression, including those of nested lists, constants and, with
    /// `throughCalls`, functions without parameters.
    ///
    /// `read` converts names and calls; if it returns `nil`, a warning names the list.
    mutating func elements<Element>(
      _ whole: String,
      in value: SourceExpression,
      _ scope: Scope,
      _ depth: Int = 0,
      throughCalls: Bool = true,
      read: (inout FamilyReader, SourceExpression, Scope, _ depth: Int) -> [Element]?
    ) -> [Element] {
      guard depth < Self.deepest, !value.isEmptyList else { return [] }
      if case .names = value.kind, let found = read(&self, value, scope, depth) { return found }
      if let (parts, scope) = parts(of: value, scope, throughCalls) {
        return parts.flatMap {
          elements(whole, in: $0, scope, depth + 1, throughCalls: throughCalls, read: read)
        }
      }
      if case .call = value.kind, let found = read(&self, value, scope, depth) { return found }
      leaveOut(value, whole, scope)
      return []
    }

    private func parts(
      of value: SourceExpression,
      _ scope: Scope,
      _ throughCalls: Bool
    ) -> ([SourceExpression], Scope)? {
      switch value.kind {
      case .list(let elements): return (elements, scope)
      case .operation(let operands, let operators):
        return (SourceExpression.sum(operands, operators), scope)
      case .cast(let inner, _): return ([inner], scope)
      case .names(let parts): return constant(parts, scope).map { ([$0.value], $0.scope) }
      case .call(let callee, let arguments):
        guard throughCalls, arguments.isEmpty, case .names(let parts) = callee.kind else {
          return nil
        }
        return constant(parts, scope).map { ([$0.value], $0.scope) }
      default: return nil
      }
    }

    private mutating func leaveOut(_ value: SourceExpression, _ list: String, _ scope: Scope) {
      hasUnread = true
      note(
        "'\(value.text)' \(list) cannot be read; left out",
        SourcePlace(file: scope.file, line: value.line)
      )
    }

    private mutating func named(
      _ parts: [String],
      _ scope: Scope,
      _ value: SourceExpression
    ) -> [Declaration] {
      if case .type(let type)? = index.find(parts, in: scope.path, from: scope.file) {
        if type.isModel { return [type] }
      }
      let name = parts.joined(separator: ".")
      hasUnread = true
      note(
        "\(name) is listed as a model, but is no @Model class of the sources; left out",
        SourcePlace(file: scope.file, line: value.line)
      )
      return []
    }

    private func constant(
      _ parts: [String],
      _ scope: Scope
    ) -> (value: SourceExpression, scope: Scope)? {
      guard let last = parts.last else { return nil }
      let owner = Array(parts.dropLast()).filter { $0 != "Self" && $0 != "self" }
      if owner.isEmpty {
        for length in (1...max(1, scope.path.count)).reversed() where length <= scope.path.count {
          if case .type(let type)? = index.find(
            Array(scope.path[..<length]),
            in: [],
            from: scope.file
          ), let value = index.property(last, of: type)?.value {
            return (value, Scope(type))
          }
        }
        return values[last].map { ($0, scope) }
      }
      guard case .type(let type)? = index.find(owner, in: scope.path, from: scope.file),
        let value = index.property(last, of: type)?.value
      else { return nil }
      return (value, Scope(type))
    }

    /// The version identifier: `1.2.0` for `Schema.Version(1, 2, 0)` and `.init(1, 2, 0)`.
    private func identifier(of type: Declaration) -> String? {
      var value = index.property("versionIdentifier", of: type)?.value
      if case .names(let parts)? = value?.kind, let found = constant(parts, Scope(type)) {
        value = found.value
      }
      guard case .call(_, let arguments)? = value?.kind else { return nil }
      let numbers = arguments.map { argument -> String? in
        guard case .integer(let number) = argument.value.kind else { return nil }
        return String(number)
      }
      return numbers.isEmpty || numbers.contains(nil)
        ? nil : numbers.compactMap(\.self).joined(separator: ".")
    }

    /// The classes that the app uses.
    ///
    /// For each class of the newest version, the result contains the top-level class of the same
    /// name, or else the version's own class. Without versions, the result contains all classes.
    private mutating func current(newest: SwiftVersion?) -> SwiftVersion {
      let types = versionTypes
      guard let newest, let newestType = types.first(where: { $0.name == newest.name })?.type else {
        return builder.version(
          named: "current",
          identifier: nil,
          place: nil,
          listed: chosen(index.models),
          owner: { _ in nil }
        )
      }
      let own = models(of: newestType)
      let listed = own.map { model -> Declaration in
        guard
          case .type(let used)? = index.find(
            [model.name],
            in: [],
            from: newestType.place.file
          ), used.isModel
        else { return model }
        return used
      }
      var version = builder.version(
        named: "current",
        identifier: newest.identifier,
        place: newest.place,
        listed: listed.isEmpty
          ? index.models.filter { $0.path.starts(with: newestType.path) } : listed,
        owner: { Self.owner(of: $0, among: types) }
      )
      version.identifier = newest.identifier
      return version
    }

    /// Selects one of several classes with the same name, for example in two targets: the class
    /// whose folder contains the most models.
    private mutating func chosen(_ models: [Declaration]) -> [Declaration] {
      let inApp = models.filter { !SourceFolder.isTest($0.place.file) }
      let all = inApp.isEmpty ? models : inApp
      func folder(_ type: Declaration) -> Substring {
        let file = type.place.file
        return file[..<(file.lastIndex(of: "/") ?? file.startIndex)]
      }
      let counts = Dictionary(grouping: all, by: folder).mapValues(\.count)
      var best: [String: Declaration] = [:]
      for type in all {
        guard let other = best[type.name] else {
          best[type.name] = type
          continue
        }
        let isBetter = counts[folder(type), default: 0] > counts[folder(other), default: 0]
        let (used, left) = isBetter ? (type, other) : (other, type)
        best[type.name] = used
        note("two classes are called \(type.name); the one at \(used.place) is used", left.place)
      }
      return all.filter { best[$0.name]?.place == $0.place }
    }
  }
#endif
