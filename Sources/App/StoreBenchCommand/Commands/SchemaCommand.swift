import ArgumentParser
import Basics
import DataModel
import Foundation
import Inspector
import SwiftModels

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Check the versions of a SwiftData schema, or write them from a model.",
    discussion: """
      The sources are parsed, never compiled or run. docs/schema.md shows how a CI uses it.

      EXAMPLE: storebench schema lock Sources
      EXAMPLE: storebench schema check Sources --lock schema.lock
      EXAMPLE: storebench schema generate App.xcdatamodeld --versions -o Models
      """,
    subcommands: [SchemaCheckCommand.self, SchemaLockCommand.self, SchemaGenerateCommand.self]
  )

  static let standardLock = "schema.lock"

  static func read(_ path: String, on console: Console) throws -> SwiftModelFamily {
    guard FileManager.default.fileExists(atPath: path) else { throw Refusal.noSuchFile(path: path) }
    if let refusal = refusal(ofModelAt: path) { throw refusal }
    guard let reader = console.program.swiftSources else {
      throw ModelSource.lacksParser(path: path)
    }
    let family = try reader(path)
    guard !family.versions.isEmpty || !family.current.model.entities.isEmpty else {
      for note in family.notes where note.place != nil { console.note("\(note)") }
      throw Refusal.badInput(
        "'\(path)' contains no @Model class; give the folder of the app's models"
      )
    }
    return family
  }

  /// The error for a store or a model given instead of Swift sources; `nil` for any other path.
  private static func refusal(ofModelAt path: String) -> Refusal? {
    if StoreSearch.isSQLiteFile(path) {
      return .badInput(
        "'\(path)' is a store, not Swift sources; name the sources, and the store after '--store'"
      )
    }
    let isSwift = path.lowercased().hasSuffix(".swift")
    guard !isSwift, ModelInput.isModelFolder(path) || !StoreSearch.isFolder(path),
      ModelInput.isModelFile(path)
    else { return nil }
    let quoted = ShellWord.quoted(path)
    return .badInput(
      "'\(path)' is a model, not Swift sources; 'storebench inspect \(quoted)' checks the steps "
        + "between its versions, and 'storebench schema generate \(quoted) --versions -o Models' "
        + "writes it as Swift sources"
    )
  }
}

struct SchemaCheckCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find what makes shipped stores fail to open, before users do.",
    discussion: """
      Compares the versions (VersionedSchema), the migration plan and the classes of the sources \
      with each other, with the shipped versions in the lock file, and with shipped stores. \
      Schemas are compared, not version hashes: an answer is 'same', 'changed' or 'not known \
      whether this changes the identity'.

      Exit status: 0 no fault, also with warnings; 2 a fault; 65 the sources, the lock file or \
      a store cannot be used.

      EXAMPLE: storebench schema check Sources --lock schema.lock
      EXAMPLE: storebench schema check Sources --store default.store --format github
      """
  )

  @Argument(help: "A folder of Swift sources, or a Swift file.")
  var sources: String

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("A shipped store; may be repeated. It is not changed.", valueName: "file")
  )
  var store: [String] = []

  @Option(
    help: ArgumentHelp("Lock file with the shipped versions.", valueName: "file")
  )
  var lock: String?

  @Flag(help: "Check CloudKit's rules, also if no container of the sources asks for them.")
  var cloudkit = false

  @Option(help: ArgumentHelp("One of text, json, github, junit.", valueName: "name"))
  var format = SchemaFormat.text

  func run(on console: Console) throws -> CommandStatus {
    let family = try SchemaCommand.read(sources, on: console)
    for path in store where !FileManager.default.fileExists(atPath: path) {
      throw Refusal.noSuchFile(path: path)
    }
    let check = try SchemaGuard(
      family: family,
      shipped: lock.map { try LockFile.read(path: $0) },
      stores: store,
      asksForCloudKit: cloudkit
    )
    let view = SchemaView(check)
    switch format {
    case .text: console.show(view.report)
    case .json: console.write(try view.jsonText())
    case .github: console.write(view.annotations)
    case .junit: console.write(view.junit)
    }
    if check.stores.contains(where: \.isUnreadable) { return .badInput }
    return check.hasErrors ? .regression : .done
  }
}

extension SchemaFormat: ExpressibleByArgument {}

struct SchemaLockCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Write the versions that ship to a lock file.",
    discussion: """
      Run it when a release ships, and commit the file: it is a text in which a review sees every \
      change. A version that is in the file already is not replaced, since shipped versions do \
      not change; '--replace' does so.

      EXAMPLE: storebench schema lock Sources
      """
  )

  @Argument(help: "A folder of Swift sources, or a Swift file.")
  var sources: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The lock file.", valueName: "file")
  )
  var output = SchemaCommand.standardLock

  @Flag(help: "Replace versions that the lock file has with those of the sources.")
  var replace = false

  func run(on console: Console) throws -> CommandStatus {
    let family = try SchemaCommand.read(sources, on: console)
    let isThere = FileManager.default.fileExists(atPath: output)
    let old = isThere ? try LockFile.read(path: output) : ModelFamily(versions: [])
    try AtomicFile.write(LockFile.text(of: family, after: old, replacing: replace), to: output)
    console.print(output)
    let names = family.modelFamily.versions.map(\.name)
    let changed = old.versions.filter { locked in
      family.modelFamily.version(named: locked.name).map { $0.model != locked.model } ?? false
    }
    if !changed.isEmpty {
      let list = changed.map(\.name).joined(separator: ", ")
      console.note(
        replace
          ? "replaced \(list), which had shipped"
          : "kept \(list) as locked, although the sources differ; '--replace' writes theirs"
      )
    }
    // The lock file also keeps versions that are no longer in the sources.
    let all = old.versions.map(\.name).filter { !names.contains($0) } + names
    console.note("\(Figures.counted(all.count, "version")): \(all.joined(separator: ", "))")
    return .done
  }
}
