import ArgumentParser
import Basics
import DataModel
import Foundation
import Inspector
import SwiftModels

struct SchemaGenerateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Write a model as SwiftData code: classes, versions, a plan, and a migrator.",
    usage: "storebench schema generate <model or store> [<new model>] [<option>]... -o <folder>",
    discussion: """
      Writes a class for each entity, as Xcode's Create SwiftData Code does, with inverses, delete \
      rules, unique constraints, indexes, external storage and former names. What SwiftData cannot \
      have is a comment at its place, and listed in NOTES.md. The code is checked against \
      declarations of the public API; it has not run on Apple's systems.

      --versions writes a VersionedSchema for each version and a SchemaMigrationPlan: its stages \
      are lightweight where that is enough, and otherwise custom, with bridge versions where \
      values have to be converted.

      --rename-from writes a migrator that copies the objects of the old store into a new one by a \
      map file, and its test, which prints a line for 'forecast --observed'. Without a new model, \
      the map's names make one.

      EXAMPLE: storebench schema generate App.xcdatamodeld --versions -o Models
      EXAMPLE: storebench schema generate App.sqlite --rename-from map.yaml -o Models
      """
  )

  @Argument(
    help: ArgumentHelp(
      "A store or a model; with '--rename-from', a second model has the new classes.",
      valueName: "model or store"
    ),
    transform: InstalledFiles.resolved
  )
  var paths: [String]

  @OptionGroup var model: StoreModelOption

  @Flag(help: "Write all versions of the model, and a plan of stages between them.")
  var versions = false

  @Option(
    help: ArgumentHelp("Copy the objects as this map file says.", valueName: "map"),
    transform: InstalledFiles.resolved
  )
  var renameFrom: String?

  @Flag(help: "Write Core Data classes for use next to SwiftData's: CDTask next to Task.")
  var coexistence = false

  @Option(name: .shortAndLong, help: ArgumentHelp("Folder for the code.", valueName: "folder"))
  var output: String

  func validate() throws {
    guard (1...2).contains(paths.count) else {
      throw ValidationError("name a model or a store, and with '--rename-from' a new model")
    }
    guard paths.count == 1 || renameFrom != nil else {
      throw ValidationError("a second model needs '--rename-from'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    let input = try ModelInput.read(path: paths[0], model: try model.family())
    let generated = try SchemaFiles(
      of: input,
      new: try paths.dropFirst().first.map { try ModelInput.read(path: $0) },
      map: renameFrom,
      isVersioned: versions,
      isCoexisting: coexistence
    )
    guard !generated.files.isEmpty else {
      throw Refusal.badInput("'\(paths[0])' has no entities, so there is nothing to write")
    }
    for file in generated.files {
      let path = "\(output)/\(file.path)"
      guard !FileManager.default.fileExists(atPath: path) else { throw Refusal.exists(path) }
    }
    for file in generated.files {
      let path = "\(output)/\(file.path)"
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try AtomicFile.write(file.text, to: path)
      console.print(path)
    }
    for note in generated.summary { console.note(note) }
    return .done
  }
}

struct SchemaFiles {
  let files: [SwiftFile]
  let summary: [String]

  init(
    of input: ModelInput,
    new: ModelInput?,
    map: String?,
    isVersioned: Bool,
    isCoexisting: Bool
  ) throws {
    let source = input.title
    var (version, family, files): (VersionedSchema, [VersionedSchema], [SwiftFile]) = (
      input.version, input.family.versions, []
    )
    var code: [String] = []
    if let map {
      let mapped = try MapFile.read(path: map)
      let model = new?.version.model ?? input.version.model.renamed(by: mapped)
      let mapping = try MappingModel(from: input.version.model, to: model, by: mapped)
      let migrator = MigratorWriter(mapping, source: URL(fileURLWithPath: map).lastPathComponent)
      files = migrator.files
      code = migrator.notes
      version = VersionedSchema(name: new?.version.name ?? "new", model: model)
      family = new?.family.versions ?? [version]
    }
    let written =
      isVersioned
      ? SchemaWriter(versions: family, source: source)
      : SchemaWriter(classesOf: version, source: source)
    // Keep only one file per path: the migration plan and the migrator both write the file with the
    // conversions.
    let known = Set(written.files.map(\.path))
    files = written.files + files.filter { !known.contains($0.path) }
    if isCoexisting {
      let classes = Set(version.model.entities.map(\.name))
      files += CoexistenceWriter(input.version, nextTo: classes, source: source).files
    }
    let lines =
      written.notes.map(\.description)
      + code.map { "\($0): only the app's code can make it, and the migrator leaves it out" }
    summary = Self.summary(of: lines)
    let names = files.map(\.path).sorted()
    self.files =
      version.model.entities.isEmpty && family.allSatisfy(\.model.entities.isEmpty)
      ? [] : files + [Self.notes(lines, source: source, names: names)]
  }

  private static func summary(of lines: [String]) -> [String] {
    guard !lines.isEmpty else { return ["SwiftData has all that the model has"] }
    let most = 10
    let more = lines.count - most
    return [
      "SwiftData lacks, or has in another way, \(Figures.counted(lines.count, "place")); "
        + "NOTES.md lists them all:"
    ] + lines.prefix(most).map { "  - \($0)" } + (more > 0 ? ["  and \(more) more"] : [])
  }

  private static func notes(_ lines: [String], source: String, names: [String]) -> SwiftFile {
    let body =
      ["# SwiftData code from \(TerminalText.plain(source))", "", Head.warning, "", "## Files", ""]
      + names.map { "- \($0)" } + ["", "## Not in SwiftData, or in another way", ""]
      + (lines.isEmpty ? ["Nothing."] : lines.map { "- \(TerminalText.plain($0))" })
    return SwiftFile(path: "NOTES.md", text: body.joined(separator: "\n") + "\n")
  }
}
