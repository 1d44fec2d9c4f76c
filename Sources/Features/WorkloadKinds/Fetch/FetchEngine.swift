import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// A way to read the objects of a case.
protocol FetchEngine: AnyObject {
  /// The connection whose SQLite counters are read; `nil` if the engine opens its own connection.
  var connection: Connection? { get }

  /// Finds the objects, and loads those that the strategy loads immediately.
  func fetch() throws -> any FetchResults
  /// The number of objects that match the request.
  func count() throws -> Int
  /// Records the increase in the counters since the last call.
  func report(to recorder: Recorder)
  /// Reports every statement to an observer, which must outlive the engine.
  func trace(_ observer: any StatementObserver) throws
}

/// The objects of a fetch, in order.
protocol FetchResults: AnyObject {
  var count: Int { get }

  /// Reads the values that a case needs from the object at a position and, if its relationship is
  /// followed, from the related objects.
  func read(_ place: Int, isTouched: Bool, into taken: inout TakenValues) throws
}

/// Fetches through an object context.
final class ObjectGraphFetch: FetchEngine {
  private let context: ObjectContext
  private let request: FetchRequest
  private let reader: ObjectReader
  private let readsFiles: Bool
  /// Whether objects are loaded along a key path and may thus retain each other after an iteration.
  private let mayHoldCycles: Bool
  /// The condition that is checked in memory; `nil` if there is no condition or the statement
  /// contains it.
  private let filter: Predicate?
  private var reported: ObjectContext.Statistics
  private var reportedFiles: FileBytes.Counters

  var connection: Connection? { context.connection }

  func trace(_ observer: any StatementObserver) { context.connection.observe(observer) }

  init(_ parameters: FetchParameters, _ subject: FetchSubject, store: PersistentStore) throws {
    context = try ObjectContext(store: store, behaviours: parameters.behaviours)
    reported = context.statistics
    reportedFiles = context.fileCounters
    filter = parameters.filter == .memory ? subject.predicate : nil
    request = parameters.request(for: subject.entity.name, predicate: subject.predicate)
    reader = try ObjectReader(subject, context: context)
    mayHoldCycles = (parameters.prefetch + [parameters.relationship]).contains { $0.contains(".") }
    readsFiles = store.model.entities.contains { entity in
      entity.attributes.contains(where: \.allowsExternalStorage)
    }
  }

  func fetch() throws -> any FetchResults {
    let objects = try context.fetch(request)
    return Results(
      objects: objects,
      places: try filter.map { filter in
        try (0..<objects.count).filter { try filter.isMet(by: objects.object(at: $0)) == true }
      },
      reader: reader
    )
  }

  func count() throws -> Int { try context.count(request) }

  func report(to recorder: Recorder) {
    // Objects that retain each other would still be in memory during the next iteration.
    if mayHoldCycles { recorder.aside { context.reset() } }
    let statistics = context.statistics
    recorder.count(.objects.materialised, statistics.materialised - reported.materialised)
    recorder.count(.objects.faultsFired, statistics.faultsFired - reported.faultsFired)
    reported = statistics
    guard readsFiles else { return }
    recorder.countReads(context.fileCounters, since: reportedFiles)
    reportedFiles = context.fileCounters
  }
}

extension Recorder {
  /// Counts the files opened and read since an earlier reading of the counters.
  func countReads(_ files: FileBytes.Counters, since earlier: FileBytes.Counters) {
    count(.files.opens, files.opens - earlier.opens)
    count(.files.reads, files.reads - earlier.reads)
    count(.files.readBytes, files.readBytes - earlier.readBytes)
  }
}

extension ObjectGraphFetch {
  /// The results of a fetch through a context.
  private final class Results: FetchResults {
    private let objects: FetchedObjects
    /// The positions of the objects that meet the condition checked in memory; `nil` if no
    /// condition is checked in memory.
    private let places: [Int]?
    private let reader: ObjectReader

    init(objects: FetchedObjects, places: [Int]?, reader: ObjectReader) {
      (self.objects, self.places, self.reader) = (objects, places, reader)
    }

    var count: Int { places?.count ?? objects.count }

    func read(_ place: Int, isTouched: Bool, into taken: inout TakenValues) throws {
      let object = try objects.object(at: places?[place] ?? place)
      try reader.read(object, isTouched: isTouched, into: &taken)
    }
  }
}

/// Reads the attributes that a case needs from objects, by slot (index among an object's values).
struct ObjectReader {
  /// Reads a blob that a case keeps outside the object.
  typealias BlobReading = (ManagedObject, KeptBlob) throws -> Value

  private let own: Slots
  private let touched: (slots: Slots, path: [Relationship])?

  init(
    _ subject: FetchSubject,
    context: ObjectContext,
    readBlob: @escaping BlobReading = { _, _ in .null }
  ) throws {
    own = try Slots(subject.shape, context: context, subject.blobsElsewhere, readBlob)
    touched = try subject.touched.map {
      (try Slots($0.shape, context: context), $0.path)
    }
  }

  func read(_ object: ManagedObject, isTouched: Bool, into taken: inout TakenValues) throws {
    taken.begin(object.key)
    try own.read(object, into: &taken)
    guard isTouched, let (slots, path) = touched else { return }
    taken.beginLink(from: object.key)
    try follow(path[...], from: object, slots, into: &taken)
  }

  /// Follows the rest of a key path from an object, and reads the objects at its end.
  private func follow(
    _ path: ArraySlice<Relationship>,
    from object: ManagedObject,
    _ slots: Slots,
    into taken: inout TakenValues
  ) throws {
    guard let relationship = path.first else {
      taken.beginTarget(object.key)
      return try slots.read(object, into: &taken)
    }
    // An app reads a relationship of each intermediate object, which fires the object's fault.
    if path.startIndex > 0 { try object.fireFault() }
    let rest = path.dropFirst()
    if relationship.isToMany {
      for target in try object.targets(of: relationship.name) {
        try follow(rest, from: target, slots, into: &taken)
      }
    } else if let target = try object.target(of: relationship.name) {
      try follow(rest, from: target, slots, into: &taken)
    }
  }

  /// The slots of the attributes that are read, for the objects of an entity and its sub-entities.
  private struct Slots {
    private let entity: Int
    private let slots: [Int]
    /// The slots by entity number, because each sub-entity may order its columns differently.
    private let others: [Int: [Int]]
    /// The blobs that the case keeps outside the object, by the index of their attribute.
    private let blobs: [Int: KeptBlob]
    private let readBlob: BlobReading

    init(
      _ shape: ObjectDigest.Shape,
      context: ObjectContext,
      _ elsewhere: [KeptBlob] = [],
      _ readBlob: @escaping BlobReading = { _, _ in .null }
    ) throws {
      self.readBlob = readBlob
      let places = elsewhere.compactMap { blob in
        shape.properties.firstIndex(of: blob.attribute).map { ($0, blob) }
      }
      let blobs = Dictionary(keepingFirst: places)
      self.blobs = blobs
      let own = try context.description(of: shape.entity)
      let family = context.layout.model.family(of: own.entity)
      entity = own.number
      slots = try Self.slots(of: shape, in: own, but: blobs)
      others = Dictionary(
        keepingFirst: try family.map { entity in
          let description = try context.description(of: entity.name)
          return (description.number, try Self.slots(of: shape, in: description, but: blobs))
        }
      )
    }

    private static func slots(
      of shape: ObjectDigest.Shape,
      in description: EntityDescription,
      but blobs: [Int: KeptBlob]
    ) throws -> [Int] {
      try shape.properties.enumerated().map {
        blobs[$0] == nil ? try description.slot(of: $1) : -1
      }
    }

    /// Reads an object's values, which fires its fault.
    func read(_ object: ManagedObject, into taken: inout TakenValues) throws {
      let number = object.description.number
      let slots = number == entity ? slots : others[number] ?? slots
      guard blobs.isEmpty else {
        for (place, slot) in slots.enumerated() {
          taken.take(try blobs[place].map { try readBlob(object, $0) } ?? object.value(at: slot))
        }
        return
      }
      for slot in slots { taken.take(try object.value(at: slot)) }
    }
  }
}
