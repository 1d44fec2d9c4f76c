import Basics

/// A file with several versions of a model, as `storebench schema lock` writes them.
///
///     versions:
///       SchemaV1:
///         identifier: "1.0.0"
///         entities:
///           Trip:
///             attributes:
///               name: { type: string, optional: false }
///
/// Each version is what a model file is. They are in the order of the file.
package enum VersionsFile {
  package static var form: FileForm { .mapping(keys) }

  private static let keys = [
    FileKey(
      "versions",
      .named("VERSION", ModelFile.form),
      "versions of a model by name, the oldest first: each as a model file",
      isRequired: true
    )
  ]

  /// The versions of a file, the last one current.
  ///
  /// Throws a ``Refusal`` or every problem of the file.
  package static func read(path: String) throws -> ModelFamily {
    let diagnostics = Diagnostics(file: path)
    let value = try YAMLDocument.read(path: path, into: diagnostics)
    let entries = value?.mapping(knowing: keys)?.required("versions")?.mapping()?.entries ?? []
    let versions = entries.compactMap { entry in
      ModelFile.model(entry.value).map { VersionedSchema(name: entry.key, model: $0) }
    }
    guard !diagnostics.hasErrors else { throw InvalidInput(diagnostics.all) }
    return ModelFamily(versions: versions, current: versions.last?.name)
  }

  /// The text of a file; reading it gives the same versions.
  package static func text(of versions: [VersionedSchema]) -> String {
    guard !versions.isEmpty else { return "versions: {}\n" }
    let sections = versions.map { version in
      let lines = ModelWriter.text(of: version.model).split(separator: "\n").map { "    " + $0 }
      return (["  \(YAMLText.word(version.name)):"] + lines).joined(separator: "\n")
    }
    return "versions:\n" + sections.joined(separator: "\n") + "\n"
  }
}
