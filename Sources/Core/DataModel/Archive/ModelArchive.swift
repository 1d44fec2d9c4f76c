import Basics

/// The keyed archive of a model: the content of a `.mom` file and, deflated, of Z_MODELCACHE
/// (coredata-format.md, section 9).
package enum ModelArchive {
  /// What an archive holds.
  package struct Content {
    /// The model as a store can hold it.
    package let model: Model
    /// What is not understood, each with the action taken.
    package let unknown: [String]
    /// What a store cannot hold as it stands, each with the action taken.
    package let unusual: [String]
  }

  /// The model of an archive.
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

  /// The archive of a model; reading it gives an equal model back.
  ///
  /// Classes, keys and values are those of real archives, except for what none of them shows, or
  /// what no store needs: derivations, predicates, patterns, lengths of texts, elements of composites,
  /// fetch requests and fetched properties stand as texts under keys of our own, which Apple's
  /// decoder does not ask for.
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
    static let fetchRequests = "StoreBench.fetchRequests"
    static let fetchedProperties = "StoreBench.fetchedProperties"
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
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }

  /// The comparison operators of a predicate, numbered as `NSComparisonPredicate.Operator` is.
  enum Comparison: Int64 {
    case atMost = 1
    case atLeast = 3
    case matches = 6
  }
}
