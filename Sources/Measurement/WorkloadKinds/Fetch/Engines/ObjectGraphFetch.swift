import DataModel
import Measurement
import PersistentStore
import Runner
import SQLite

/// Fetches through an object context.
final class ObjectGraphFetch: FetchEngine {
  private let context: ObjectContext
  private let request: FetchRequest
  private let reader: ObjectReader
  private let readsFiles: Bool
  private var reported: ObjectContext.Statistics
  private var reportedFiles: FileBytes.Counters

  var connection: Connection? { context.connection }

  init(_ parameters: FetchParameters, _ subject: FetchSubject, store: PersistentStore) throws {
    context = try ObjectContext(store: store, behaviours: parameters.behaviours)
    reported = context.statistics
    reportedFiles = context.fileCounters
    request = parameters.request(for: subject.entity.name, predicate: subject.predicate)
    reader = try ObjectReader(subject, context: context)
    readsFiles = store.model.entities.contains { entity in
      entity.attributes.contains(where: \.allowsExternalStorage)
    }
  }

  func fetch() throws -> any FetchResults {
    FetchedObjectResults(objects: try context.fetch(request), reader: reader)
  }

  func count() throws -> Int { try context.count(request) }

  func report(to recorder: Recorder) {
    let statistics = context.statistics
    recorder.count(.objects.materialised, statistics.materialised - reported.materialised)
    recorder.count(.objects.faultsFired, statistics.faultsFired - reported.faultsFired)
    reported = statistics
    guard readsFiles else { return }
    let files = context.fileCounters
    recorder.count(.files.opens, files.opens - reportedFiles.opens)
    recorder.count(.files.reads, files.reads - reportedFiles.reads)
    recorder.count(.files.readBytes, files.readBytes - reportedFiles.readBytes)
    reportedFiles = files
  }
}

/// Digests objects by the slots of the attributes that a case reads.
private final class ObjectReader {
  private let own: AttributeSlots
  private let touched: (slots: AttributeSlots, by: FetchSubject.Touched)?

  init(_ subject: FetchSubject, context: ObjectContext) throws {
    own = try AttributeSlots(subject.shape, context: context)
    touched = try subject.touched.map {
      (try AttributeSlots($0.shape, context: context), $0)
    }
  }

  func read(_ object: ManagedObject, isTouched: Bool, into log: inout ReadLog) throws {
    log.add(object.key, try own.digest(object))
    if isTouched, let (slots, touched) = touched {
      log.add(link: try link(from: object, touched, slots))
    }
  }

  private func link(
    from object: ManagedObject,
    _ touched: FetchSubject.Touched,
    _ slots: AttributeSlots
  ) throws -> UInt64 {
    var link = LinkDigest(touched, from: object.key)
    if touched.relationship.isToMany {
      for target in try object.targets(of: touched.relationship.name) {
        link.add(try slots.digest(target))
      }
    } else if let target = try object.target(of: touched.relationship.name) {
      link.add(try slots.digest(target))
    }
    return link.value
  }
}

/// The objects of a context's fetch.
private final class FetchedObjectResults: FetchResults {
  private let objects: FetchedObjects
  private let reader: ObjectReader

  init(objects: FetchedObjects, reader: ObjectReader) {
    self.objects = objects
    self.reader = reader
  }

  var count: Int { objects.count }

  func read(_ place: Int, isTouched: Bool, into log: inout ReadLog) throws {
    try reader.read(try objects.object(at: place), isTouched: isTouched, into: &log)
  }
}
