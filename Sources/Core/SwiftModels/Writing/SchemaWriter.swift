import Basics
import DataModel

/// Writes models as SwiftData code.
///
/// The code is either classes only, like the output of Xcode's *Create SwiftData Code*, or a
/// migration plan with a `VersionedSchema` for each version.
package struct SchemaWriter {
  package let files: [SwiftFile]
  /// Notes about parts of the models that SwiftData cannot express, or expresses differently.
  package let notes: [WritingNote]

  /// Writes the classes of one version; `source` is the model's name for the comment at the top of
  /// each file.
  package init(classesOf version: VersionedSchema, source: String) {
    let types = Self.types(in: version.model)
    let head = Head(source: source, version: version.name)
    var (files, notes): ([SwiftFile], [WritingNote]) = ([], Self.notes(of: version.model))
    for entity in version.model.entities {
      let writer = ClassWriter(model: version.model, entity: entity, types: types)
      let name = SwiftNames.identifier(entity.name) + ".swift"
      files.append(head.file(name, imports: ["Foundation", "SwiftData"], writer.lines))
      notes += writer.notes
    }
    (self.files, self.notes) = (files, notes)
  }

  /// Writes a `VersionedSchema` for each version, in the given order, and the migration plan.
  package init(versions: [VersionedSchema], source: String) {
    let plan = WrittenPlan(versions)
    var (files, notes): ([SwiftFile], [WritingNote]) = ([], plan.notes)
    for version in plan.versions {
      let (file, found) = Self.schema(version, source: source)
      files.append(file)
      notes += found
    }
    let head = Head(source: source, version: nil)
    let names = SwiftNames(types: plan.versions.last.map { Self.types(in: $0.model) } ?? [])
    let writer = PlanWriter(plan: plan, names: names)
    let body = writer.lines + writer.error
    files.append(head.file("\(PlanWriter.type).swift", imports: ["Foundation", "SwiftData"], body))
    if let last = plan.versions.last {
      files.append(head.file("Models.swift", imports: ["SwiftData"], Self.aliases(of: last)))
    }
    if body.contains(where: { $0.contains("Convert.") }) { files.append(Self.conversions(head)) }
    (self.files, self.notes) = (files, notes)
  }

  static func conversions(_ head: Head) -> SwiftFile {
    let lines = ConversionCode.source.split(separator: "\n", omittingEmptySubsequences: false)
    return head.file("Convert.swift", imports: [], lines.dropLast().map(String.init))
  }

  /// The entity names, which may shadow framework types.
  static func types(in model: Model) -> [String] { model.entities.map(\.name) }

  private static func notes(of model: Model) -> [WritingNote] {
    var notes: [WritingNote] = []
    let names = Set(model.configurations.keys).subtracting(["default"]).sorted()
    if !names.isEmpty {
      notes.append(
        WritingNote(
          .configuration,
          "",
          "the configurations \(names.joined(separator: ", ")) are left out: pass a "
            + "ModelConfiguration for each, with a Schema of its classes"
        )
      )
    }
    notes += model.fetchRequests.map { request in
      WritingNote(
        .fetched,
        "",
        "the fetch request '\(request.name)' is left out: write it as a FetchDescriptor"
      )
    }
    let count = model.entities.count { entity in
      !entity.userInfo.isEmpty || entity.attributes.contains { !$0.userInfo.isEmpty }
        || entity.relationships.contains { !$0.userInfo.isEmpty }
    }
    if count > 0 {
      let entities = Figures.counted(count, "entity", "entities")
      notes.append(WritingNote(.userInfo, "", "the user info of \(entities) is left out"))
    }
    return notes
  }

  private static func schema(_ version: WrittenVersion, source: String) -> (
    SwiftFile, [WritingNote]
  ) {
    let (model, types) = (version.model, types(in: version.model))
    let names = SwiftNames(types: types)
    var (classes, notes): ([String], [WritingNote]) = ([], Self.notes(of: model))
    for entity in model.entities {
      let writer = ClassWriter(
        model: model,
        entity: entity,
        types: types,
        filled: version.filled[entity.name] ?? []
      )
      classes += [""] + writer.lines
      notes += writer.notes
    }
    let identifier = version.identifier.map { "\($0)" }.joined(separator: ", ")
    let own = model.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", ")
    let text = version.identifier.map { "\($0)" }.joined(separator: ".")
    if version.name != nil, own != text {
      notes.append(
        WritingNote(
          .versionIdentifier,
          "",
          "its identifier is \(text); the model's is \(own.isEmpty ? "none" : own)"
        )
      )
    }
    let schemaVersion = names.swiftData("Schema") + ".Version"
    let listed = SwiftText.list(
      "",
      model.entities.map { SwiftNames.member($0.name) + ".self" },
      "",
      indent: 4,
      brackets: ("[", "]")
    )
    let hasSubclasses = model.entities.contains { $0.superentity != nil }
    let documentation = SwiftText.doc(
      version.name.map { "Version '\($0)' of the model." }
        ?? "A bridge between two versions, with the properties of both. The app never opens its "
        + "store with it.",
      indent: 0
    )
    let lines =
      documentation + (hasSubclasses ? [ClassWriter.availability] : [])
      + ["enum \(version.type): \(names.swiftData("VersionedSchema")) {"]
      + SwiftText.indented(
        [
          "static var versionIdentifier: \(schemaVersion) { \(schemaVersion)(\(identifier)) }", "",
          "static var models: [any \(names.swiftData("PersistentModel")).Type] {",
        ] + SwiftText.indented(listed) + ["}"] + classes
      ) + ["}"]
    let head = Head(source: source, version: version.name)
    let file = head.file("\(version.type).swift", imports: ["Foundation", "SwiftData"], lines)
    return (
      file,
      notes.map { note in
        var note = note
        note.version = version.type
        return note
      }
    )
  }

  private static func aliases(of version: WrittenVersion) -> [String] {
    let isNew = version.model.entities.contains { $0.superentity != nil }
    return SwiftText.doc("The model classes of the newest version.", indent: 0)
      + version.model.entities.flatMap { entity in
        (isNew ? [ClassWriter.availability] : []) + [
          "typealias \(SwiftNames.quoted(entity.name)) = "
            + "\(version.type).\(SwiftNames.member(entity.name))"
        ]
      }
  }
}

/// The comment at the top of each file.
package struct Head {
  let source: String
  let version: String?

  package static let warning =
    "Its types are checked against declarations of the public API; it has not run on Apple's systems."

  func file(_ path: String, imports: [String], _ lines: [String]) -> SwiftFile {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let from =
      "Written by 'storebench schema generate' from \(source)"
      + (version.map { ", version '\($0)'" } ?? "") + "."
    let head =
      ["//", "// \(name)"] + SwiftText.comment(from, indent: 0)
      + SwiftText.comment(Self.warning, indent: 0) + ["//", ""]
    let modules = imports.map { "import \($0)" }
    let parts = head + modules + (modules.isEmpty ? [] : [""]) + lines
    return SwiftFile(path: path, text: parts.joined(separator: "\n") + "\n")
  }
}
