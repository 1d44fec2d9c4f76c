import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// An app with its store open: the objects that it shows, and the objects that it keeps.
protocol SessionEngine: MeasuredApp {
  /// Fetches the list, or only the objects whose searched string begins with a word.
  func fetch(beginningWith word: String?) throws -> any FetchResults
  func edit(_ edits: [SessionScript.Edit]) throws
  /// Releases all objects and resets the context, if any.
  func reset()
}

struct SessionSetting {
  let parameters: SessionParameters
  let subject: FetchSubject
  let layout: StoreLayout

  init(_ parameters: SessionParameters, _ layout: StoreLayout) throws {
    (self.parameters, self.layout) = (parameters, layout)
    let entity = try layout.model.knownEntity(parameters.entity)
    let name = parameters.relationship
    subject = try FetchSubject(
      entity,
      predicate: nil,
      following: name.isEmpty ? nil : layout.model.storedRelationship(name, of: entity),
      in: layout.model
    )
  }

  /// The attribute to edit; `nil` if no action edits.
  var edited: String? { parameters.does(.edit) ? parameters.edited : nil }

  func subject(beginningWith word: String?) throws -> FetchSubject {
    guard let word else { return subject }
    return try FetchSubject(
      subject.entity,
      predicate: .beginsWith(parameters.searched, word),
      following: subject.touched?.relationship,
      in: layout.model
    )
  }
}

final class ContextSession: SessionEngine {
  private let store: PersistentStore
  private let context: ObjectContext
  private let setting: SessionSetting
  private let reader: ObjectReader
  /// The shown objects that the app keeps, in the order in which they were shown.
  private var shown: [ManagedObject] = []

  var connection: Connection? { store.connection }
  var statistics: ObjectContext.Statistics { context.statistics }
  var liveObjects: Int { context.liveObjects }
  var memoryBytes: Int { context.memoryBytes }

  init(_ store: PersistentStore, _ setting: SessionSetting) throws {
    self.store = store
    self.setting = setting
    let context = try ObjectContext(
      store: store,
      behaviours: StoreBehaviours(batchRetention: setting.parameters.batchRetention)
    )
    self.context = context
    reader = try ObjectReader(setting.subject, context: context)
  }

  func fetch(beginningWith word: String?) throws -> any FetchResults {
    let parameters = setting.parameters
    let isPrefetching = parameters.prefetches && !parameters.relationship.isEmpty
    let request = FetchRequest(
      setting.subject.entity.name,
      predicate: word.map { .beginsWith(parameters.searched, $0) },
      sortDescriptors: parameters.list.sortKeys.map {
        FetchRequest.SortDescriptor($0.property, ascending: !$0.isDescending)
      },
      fetchBatchSize: parameters.batchSize,
      relationshipsForPrefetching: isPrefetching ? [parameters.relationship] : []
    )
    return Results(objects: try context.fetch(request), session: self)
  }

  func edit(_ edits: [SessionScript.Edit]) throws {
    guard let edited = setting.edited, !edits.isEmpty else { return }
    // The app already has the objects on the screen, so fetch only the other objects.
    let wanted = Set(edits.map(\.key))
    var found = Dictionary(
      keepingFirst: shown.filter { wanted.contains($0.key) }.map { ($0.key, $0) }
    )
    let missing = edits.map(\.key).filter { found[$0] == nil }
    if !missing.isEmpty {
      let entity = setting.subject.entity.name
      let fetched = try context.fetch(FetchRequest(entity, predicate: .keys(missing)))
      try fetched.each { found[$0.key] = $0 }
    }
    for edit in edits { try found[edit.key]?.setValue(edit.value, of: edited) }
    try context.save()
  }

  func reset() {
    shown = []
    context.reset()
  }

  /// Adds an object to the screen; the oldest object leaves a full screen.
  private func show(_ object: ManagedObject) throws {
    shown.append(object)
    let leaving = shown.count - 1 - setting.parameters.screen
    guard leaving >= 0 else { return }
    switch setting.parameters.held {
    case .objects: break
    case .screen: shown.removeFirst()
    case .faults:
      let left = shown[leaving]
      try context.merge(left.description.name, updated: [left.key], deleted: [])
    }
  }

  private final class Results: FetchResults {
    private let objects: FetchedObjects
    private let session: ContextSession

    var count: Int { objects.count }

    init(objects: FetchedObjects, session: ContextSession) {
      (self.objects, self.session) = (objects, session)
    }

    func read(_ place: Int, isTouched: Bool, into taken: inout TakenValues) throws {
      let object = try objects.object(at: place)
      try session.reader.read(object, isTouched: isTouched, into: &taken)
      try session.show(object)
    }
  }
}
