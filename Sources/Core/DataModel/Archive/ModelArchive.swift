import Basics

/// The keyed archive of a model: the content of a `.mom` file and, deflated, of Z_MODELCACHE
/// (coredata-format.md, section 9).
package enum ModelArchive {
  /// The model in an archive, and the problems found while reading it.
  package struct Content {
    /// The model in a form that a store can hold.
    package let model: Model
    /// The parts that could not be read, one sentence each with the action taken.
    package let unknown: [String]
    /// The parts that a store cannot hold unchanged, one sentence each with the action taken.
    package let unusual: [String]
  }

  /// Reads the model of an archive.
  ///
  /// - Throws: ``Refusal`` if the archive is damaged.
  package static func read(_ bytes: [UInt8]) throws -> Content {
    let decoder = try ArchiveDecoder(bytes)
    var reader = ModelArchiveReader(decoder: decoder)
    let (model, problems) = try reader.model().workable()
    var notes = ModelNotes()
    for problem in problems {
      notes.add(problem.description, at: nil, action: problem.remedy?.action ?? "")
    }
    return Content(model: model, unknown: decoder.unknown, unusual: notes.sentences)
  }

  /// Returns the archive of a model; reading it gives an equal model.
  ///
  /// Classes, keys and values are those of real archives. Parts with an unknown real form, or that
  /// no store needs, are strings under StoreBench's own keys, which Apple's decoder ignores:
  /// derivations, predicates, patterns, string lengths, elements of composites, fetch requests and
  /// fetched properties.
  package static func write(_ model: Model) -> [UInt8] {
    var writer = ModelArchiveWriter(model)
    return writer.archive()
  }

  /// StoreBench's keys for parts whose form in real archives is unknown.
  enum OwnKey {
    static let derivation = "StoreBench.derivation"
    static let predicate = "StoreBench.predicate"
    static let pattern = "StoreBench.pattern"
    static let minimumLength = "StoreBench.minimumLength"
    static let maximumLength = "StoreBench.maximumLength"
    static let elements = "StoreBench.elements"
    static let fetchRequests = "StoreBench.fetchRequests"
    static let fetchedProperties = "StoreBench.fetchedProperties"
  }

  enum Flags {
    static let externalStorage: Int64 = 4
    static let preservedOnDeletion: Int64 = 16
  }

  static func valueClassName(of type: AttributeType) -> String? {
    switch type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }

  /// The comparison operators of a predicate, with the numbers of `NSComparisonPredicate.Operator`.
  enum Comparison: Int64 {
    case atMost = 1
    case atLeast = 3
    case matches = 6
  }
}
