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
///     assumed:
///       SchemaV1: {}
///     enums:
///       SchemaV1:
///         Trip.kind: { business: 0, leisure: 1 }
///
/// Each version has the form of a model file. The versions keep the order of the file.
package enum VersionsFile {
  package static var form: FileForm { .mapping(keys) }

  private static let keys = [
    FileKey(
      "versions",
      .named("VERSION", ModelFile.form),
      "versions of a model by name, the oldest first: each as a model file",
      isRequired: true
    ),
    FileKey(
      "assumed",
      .named("VERSION", assumptions.form),
      "by version, how properties are stored that sources leave open: no verdict rests on it"
    ),
    FileKey(
      "enums",
      .named("VERSION", .named("ENTITY.PROPERTY", .named("CASE", .any))),
      "by version, the raw value of each case of an enum: a whole number or a text"
    ),
  ]
  private static let assumptions = FileValue<[String: String]>.texts("ENTITY.PROPERTY")

  /// Reads the versions in a file; the last version is the current one.
  ///
  /// Throws a ``Refusal`` if the file cannot be read, or an ``InvalidInput`` with every problem of
  /// the file.
  package static func read(path: String) throws -> ModelFamily {
    let diagnostics = Diagnostics(file: path)
    let value = try YAMLDocument.read(path: path, into: diagnostics)
    let mapping = value?.mapping(knowing: keys)
    let entries = mapping?.required("versions")?.mapping()?.entries ?? []
    let versions = entries.compactMap { entry in
      ModelFile.model(entry.value).map { VersionedSchema(name: entry.key, model: $0) }
    }
    var family = ModelFamily(versions: versions, current: versions.last?.name)
    for entry in mapping?["assumed"]?.mapping()?.entries ?? [] {
      family.assumed[entry.key] = assumptions.read(entry.value)
    }
    for entry in mapping?["enums"]?.mapping()?.entries ?? [] {
      for property in entry.value.mapping()?.entries ?? [] {
        let cases = property.value.mapping()?.entries ?? []
        family.enumCases[entry.key, default: [:]][property.key] = cases.compactMap { element in
          rawValue(element.value).map { EnumValue(name: element.key, value: $0) }
        }
      }
    }
    guard !diagnostics.hasErrors else { throw InvalidInput(diagnostics.all) }
    return family
  }

  private static func rawValue(_ value: YAMLValue) -> Value? {
    if case .integer(let number)? = value.scalar { return .integer(number) }
    return value.string().map { .text($0) }
  }

  /// Returns the text of a versions file; reading the text gives equal versions, assumptions and
  /// raw values.
  package static func text(of family: ModelFamily) -> String {
    guard !family.versions.isEmpty else { return "versions: {}\n" }
    let sections = family.versions.map { version in
      let lines = ModelWriter.text(of: version.model).split(separator: "\n").map { "    " + $0 }
      return (["  \(YAMLText.word(version.name)):"] + lines).joined(separator: "\n")
    }
    let assumed = family.versions.compactMap { version in
      family.assumed[version.name].map { text(of: $0, for: version.name) }
    }
    let enums = family.versions.compactMap { version in
      enumText(family.enumCases[version.name] ?? [:], of: version.name)
    }
    let tail =
      (assumed.isEmpty ? [] : ["assumed:"] + assumed) + (enums.isEmpty ? [] : ["enums:"] + enums)
    return (["versions:"] + sections + tail).joined(separator: "\n") + "\n"
  }

  /// The enums of a version that have raw values; `nil` if there are none.
  private static func enumText(_ enums: [String: [EnumValue]], of version: String) -> String? {
    let lines = enums.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { enumeration in
      let pairs = enumeration.value.map { element in
        (
          key: YAMLText.word(element.name),
          value: YAMLText.value(element.value, type: .string) ?? "~"
        )
      }
      return "    \(YAMLText.word(enumeration.key)): \(YAMLText.mapping(pairs))"
    }
    guard !lines.isEmpty else { return nil }
    return (["  \(YAMLText.word(version)):"] + lines).joined(separator: "\n")
  }

  private static func text(of assumed: [String: String], for version: String) -> String {
    let lines = assumed.sorted { $0.key < $1.key }.map {
      "    \(YAMLText.word($0.key)): \(YAMLText.word($0.value))"
    }
    return (["  \(YAMLText.word(version)):" + (lines.isEmpty ? " {}" : "")] + lines)
      .joined(separator: "\n")
  }
}
