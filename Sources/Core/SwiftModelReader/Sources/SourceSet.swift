#if SwiftSource
  import SwiftModels

  /// Parses the files that matter for models.
  ///
  /// Relevant files declare a model, a version, a plan or a container, or a type that these
  /// declarations use.
  struct SourceSet {
    private static let signs = [
      "@Model", "@SwiftData.Model", "VersionedSchema", "SchemaMigrationPlan", "ModelContainer",
      "modelContainer",
    ]
    private static let keywords = [
      "struct ", "enum ", "class ", "actor ", "typealias ", "extension ", "protocol ",
    ]
    private static let mostRounds = 8
    /// The maximum number of bytes to parse; parsing takes much longer than searching for names.
    private static let mostParsed = 32 << 20

    private var folder: SourceFolder
    private var declaring: [String: Set<String>] = [:]
    private var parsed: [String: SourceFileContent] = [:]
    /// The number of models that may still be read.
    ///
    /// The start value is one more than the limit of ``FamilyReader``, so that the reader notices
    /// if there are too many models.
    private var modelsLeft = FamilyReader.mostClasses + 1
    private var bytesLeft = SourceSet.mostParsed
    private var limit: SourceNote?

    init(_ folder: SourceFolder) { self.folder = folder }

    var notes: [SourceNote] { folder.notes + (limit.map { [$0] } ?? []) }
    var root: String { folder.isFolder ? folder.root : "" }

    mutating func read() -> [SourceFileContent] {
      let isOnly = folder.files.count == 1
      for file in folder.files {
        guard let bytes = folder.bytes(of: file) else { continue }
        for keyword in Self.keywords {
          for name in bytes.names(after: keyword) { declaring[name, default: []].insert(file) }
        }
        guard isOnly || Self.signs.contains(where: bytes.contains) else { continue }
        parse(bytes, file)
      }
      addUsed()
      let files = withoutTests(parsed.keys.sorted())
      return files.compactMap { parsed[$0] }
    }

    private mutating func parse(_ bytes: [UInt8], _ file: String) {
      let (end, models) = bytes.end(before: "@Model", most: modelsLeft)
      modelsLeft -= models
      guard bytesLeft >= end else {
        limit = SourceNote(
          "the files with models, and those that they use, have more than "
            + "\(Self.mostParsed >> 20) MiB; the rest is left out: name the folder of the models",
          at: SourcePlace(file: file, line: 1)
        )
        return
      }
      bytesLeft -= end
      let isWhole = end == bytes.count
      parsed[file] = DeclarationReader.read(isWhole ? bytes : Array(bytes[..<end]), file: file)
    }

    private func withoutTests(_ files: [String]) -> [String] {
      let app = files.filter { !SourceFolder.isTest($0) }
      let hasModels = app.contains { parsed[$0]?.declarations.contains(where: \.isModel) == true }
      return hasModels ? app : files
    }

    private mutating func addUsed() {
      var known: Set<String> = []
      for _ in 0..<Self.mostRounds {
        let names = names(known).subtracting(known)
        guard !names.isEmpty else { return }
        known.formUnion(names)
        let files = Set(names.flatMap { declaring[$0] ?? [] })
        for file in files.sorted() where parsed[file] == nil {
          guard let bytes = folder.bytes(of: file) else { continue }
          parse(bytes, file)
        }
      }
    }

    private func names(_ known: Set<String>) -> Set<String> {
      var names: Set<String> = []
      let signs: Set = ["VersionedSchema", "SchemaMigrationPlan"]
      for content in parsed.values {
        for type in content.declarations {
          let isSchema = type.inherited.contains { signs.contains($0.lastName ?? "") }
          let isWanted = type.path.contains(where: known.contains) && type.kind != .classType
          guard type.isModel || isSchema || isWanted else { continue }
          for inherited in type.inherited { names.formUnion(inherited.names) }
          for property in type.properties {
            names.formUnion(property.type?.names ?? [])
            names.formUnion(property.value?.names ?? [])
          }
        }
        for alias in content.aliases where known.contains(alias.path.last ?? "") {
          names.formUnion(alias.target.names)
        }
      }
      return names
    }
  }

  extension SourceType {
    var names: Set<String> {
      switch self {
      case .named(let parts, let arguments):
        arguments.reduce(into: Set(parts)) { $0.formUnion($1.names) }
      case .optional(let inner), .array(let inner): inner.names
      case .dictionary(let key, let value): key.names.union(value.names)
      case .other: []
      }
    }
  }

  extension SourceExpression {
    /// The capitalized parts of names, which may be types.
    var names: Set<String> {
      switch kind {
      case .names(let parts): Set(parts.filter { $0.first?.isUppercase == true })
      case .list(let elements), .operation(let elements, _):
        elements.reduce(into: []) { $0.formUnion($1.names) }
      case .call(let callee, let arguments):
        arguments.reduce(into: callee.names) { $0.formUnion($1.value.names) }
      case .member(let inner, _), .cast(let inner, _): inner.names
      case .type(let type): type.names
      case .integer, .real, .text, .boolean, .null, .dictionary, .keyPath, .other: []
      }
    }
  }
#endif
