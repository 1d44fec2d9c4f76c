/// Parts of real stores that are understood and never written, since no source shows all their
/// text (coredata-format.md, sections 6 and 7).
enum FrameworkParts {
  private static let prefixes: [(prefix: String, note: String)] = [
    ("Z_RT_", "an R-tree index: the table, its shadow tables and its triggers"),
    ("Z_DA_", "the triggers of a derived attribute"),
    ("ZT_", "a private counter's triggers"),
    ("ANSCK", "mirroring to CloudKit"),
  ]

  /// What an object belongs to, or `nil` for one of no such part.
  static func note(on object: SchemaObject) -> String? {
    prefixes.first { prefix, _ in
      object.name.hasPrefix(prefix) || object.table.hasPrefix(prefix)
    }?.note
  }
}
