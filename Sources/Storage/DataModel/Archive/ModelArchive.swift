/// The keyed archive of a model: the content of a `.mom` file and, deflated, of Z_MODELCACHE
/// (coredata-format.md, section 9).
package enum ModelArchive {
  /// The model of an archive, and by name what in it is not understood and therefore not kept.
  ///
  /// Throws a ``DataModelError``: `damagedPropertyList` or `damagedArchive`.
  package static func read(_ bytes: [UInt8]) throws -> (model: Model, unknown: [String]) {
    let decoder = try ArchiveDecoder(bytes)
    var reader = ModelArchiveReader(decoder: decoder)
    return (try reader.model(), decoder.unknown)
  }

  /// The archive of a model; reading it gives an equal model back.
  ///
  /// Classes, keys and values are those of real archives, except for what none of them shows:
  /// derivations, predicates, patterns, lengths of texts and elements of composites stand as texts
  /// under keys of our own, which Apple's decoder does not ask for.
  package static func write(_ model: Model) -> [UInt8] {
    var writer = ModelArchiveWriter(model)
    return writer.archive()
  }

  /// Keys for what no real archive shows the form of.
  enum OwnKey {
    static let derivation = "StoreBench.derivation"
    static let predicate = "StoreBench.predicate"
    static let pattern = "StoreBench.pattern"
    static let minimumLength = "StoreBench.minimumLength"
    static let maximumLength = "StoreBench.maximumLength"
    static let elements = "StoreBench.elements"
  }

  /// The bits of NSFlagsKey.
  enum Flags {
    static let externalStorage: Int64 = 4
    static let preservedOnDeletion: Int64 = 16
  }

  /// The class of an attribute type's values, or `nil` where archives name none.
  static func valueClassName(of type: AttributeType) -> String? {
    switch type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .transformable, .objectID, .composite: nil
    }
  }

  /// The comparison operators of a predicate, numbered as `NSComparisonPredicate.Operator` is.
  enum Comparison: Int64 {
    case atMost = 1
    case atLeast = 3
    case matches = 6
  }
}
