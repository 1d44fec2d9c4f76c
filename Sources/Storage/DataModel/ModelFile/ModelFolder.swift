/// A folder of model files: the versions of one model, `v1.yaml`, `v2.yaml` and so on.
package enum ModelFolder {
  /// The versions in the order of their names, numbers by value: `v2` before `v10`.
  ///
  /// Throws a ``DataModelError`` with the problems of all files.
  package static func read(path: String) throws -> [VersionedSchema] {
    let files = try FolderListing.names(of: path, endingWith: ".yaml")
    var schemas: [VersionedSchema] = []
    var problems: [Diagnostic] = []
    for file in files {
      let diagnostics = Diagnostics(file: path + "/" + file)
      if let schema = try ModelFile.read(path: diagnostics.file, into: diagnostics) {
        schemas.append(schema)
      }
      if diagnostics.hasErrors { problems += diagnostics.all }
    }
    guard problems.isEmpty else { throw DataModelError.invalid(problems) }
    return schemas
  }
}
