/// A model file: one version of a model as YAML that people write.
///
///     # A to-do list.
///     identifier: "1.0.0"                 # the version identifier; may be left out
///     entities:
///       Task:
///         attributes:
///           title: string                 # the short form: only the type
///           dueDate: { type: date, optional: false, default: 2026-01-01T00:00:00Z }
///         relationships:
///           project: { to: Project, inverse: tasks }             # to-one, delete: nullify
///           steps: { to: Step, many: true, inverse: task, delete: cascade, ordered: true }
///         unique: [[id], [list, position]]
///         indexes:
///           byDueDate: [dueDate, -priority]                      # a minus sign: descending
///
/// As in Core Data's own model editor, attributes and relationships are optional and relationships
/// to-one with the delete rule `nullify` unless the file says otherwise.
///
/// - Model: `identifier` (a text or a list), `entities`, `configurations` (name to a list of
///   entities).
/// - Entity: `class`, `abstract`, `parent`, `attributes`, `relationships`, `unique`, `indexes`,
///   `renamed` (the former name), `hashModifier`, `userInfo`.
/// - Attribute: `type`, `optional`, `default`, `transient`, `renamed`, `external` (storage),
///   `preserveOnDeletion`, `derivation`, `transformer`, `class` (of a transformable's values),
///   `spotlight`, `elements` (of a composite), `minimum`, `maximum` (of a number, a date or a
///   text's length), `pattern`, `hashModifier`, `userInfo`.
/// - Relationship: `to`, `inverse`, `many`, `ordered`, `optional`, `transient`, `minimum`,
///   `maximum`, `delete`, `spotlight`, `renamed`, `hashModifier`, `userInfo`.
/// - Index: a list of properties, or `on` (that list), `kind` (`binary` or `rTree`), `where`.
///
/// Dates are ISO 8601 in UTC or seconds since 2001-01-01, UUIDs in their usual text form, binary
/// values base64.
package enum ModelFile {
  /// The model of a file; its name is the file's without folder and extension.
  ///
  /// Throws a ``DataModelError`` with every problem of the file, those of the model included.
  package static func read(path: String) throws -> VersionedSchema {
    let diagnostics = Diagnostics(file: path)
    let schema = try read(path: path, into: diagnostics)
    guard let schema, !diagnostics.hasErrors else { throw DataModelError.invalid(diagnostics.all) }
    return schema
  }

  /// The model of a text, under the name of the file that it stands for.
  package static func parse(_ text: String, file: String) throws -> VersionedSchema {
    let diagnostics = Diagnostics(file: file)
    let schema = schema(from: YAMLDocument.parse(text, into: diagnostics), file: file)
    guard let schema, !diagnostics.hasErrors else { throw DataModelError.invalid(diagnostics.all) }
    return schema
  }

  /// The model of a file with warnings and errors gathered beside it; `nil` where there is none.
  package static func read(
    path: String,
    into diagnostics: Diagnostics
  ) throws -> VersionedSchema? {
    schema(from: try YAMLDocument.read(path: path, into: diagnostics), file: path)
  }

  /// The model of a value inside another file, or `nil` after reporting what is wrong with it.
  package static func model(_ value: YAMLValue) -> Model? {
    schema(from: value, file: "")?.model
  }

  private static func schema(from value: YAMLValue?, file: String) -> VersionedSchema? {
    guard let value else { return nil }
    var reader = ModelReader(diagnostics: value.diagnostics)
    guard let model = reader.model(value) else { return nil }
    // A part that could not be read would only make others seem wrong.
    if !value.diagnostics.hasErrors { reader.report(model.problems()) }
    return VersionedSchema(name: versionName(of: file), model: model)
  }

  /// The name of the version that a file holds: `v2` for `models/tasks/v2.yaml`.
  static func versionName(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The models of a folder: the versions of one model, `v1.yaml`, `v2.yaml` and so on.
  ///
  /// In the order of their names, numbers by value: `v2` before `v10`.
  ///
  /// Throws a ``DataModelError`` with the problems of all files.
  package static func readFolder(path: String) throws -> [VersionedSchema] {
    let files = try ModelSource.names(of: path, endingWith: ".yaml")
    var schemas: [VersionedSchema] = []
    var problems: [Diagnostic] = []
    for file in files {
      let diagnostics = Diagnostics(file: path + "/" + file)
      if let schema = try read(path: diagnostics.file, into: diagnostics) {
        schemas.append(schema)
      }
      if diagnostics.hasErrors { problems += diagnostics.all }
    }
    guard problems.isEmpty else { throw DataModelError.invalid(problems) }
    return schemas
  }
}
