/// Which framework a store is shaped for.
package enum Flavour: String, CaseIterable, Codable, Hashable, Sendable {
  case coreData
  /// SwiftData: history is always kept, and the schema version is "1.0.0" where none is given
  /// (coredata-format.md, section 14).
  case swiftData
}
