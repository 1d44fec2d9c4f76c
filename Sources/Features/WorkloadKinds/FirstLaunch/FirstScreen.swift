import DataModel
import PersistentStore
import Runner
import SQLite

/// The content of an app's first screen: twenty objects of the entity with the most objects,
/// without their blobs.
struct FirstScreen {
  static let rows = 20

  private let subject: FetchSubject
  private(set) var shown = ReadLog()

  /// Fetches the rows as a list does; returns `nil` if no entity has objects.
  init?(of store: PersistentStore, _ recorder: Recorder) throws {
    let name = try store.connection.text(
      "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND Z_ENT < 16000 AND Z_MAX > 0 "
        + "ORDER BY Z_MAX DESC, Z_ENT LIMIT 1"
    )
    guard let entity = name.flatMap(store.model.entity(named:)) else { return nil }
    subject = try FetchSubject(entity, predicate: nil, following: nil, in: store.model)
    let context = try ObjectContext(store: store)
    defer { recorder.count(context) }
    let reader = try ObjectReader(subject, context: context)
    var taken = TakenValues(of: subject)
    try context.fetch(FetchRequest(entity.name, fetchLimit: Self.rows)).each {
      try reader.read($0, isTouched: false, into: &taken)
    }
    recorder.aside { taken.settle(into: &shown) }
  }

  func findings(in store: StoreFile, _ layout: StoreLayout) throws -> [String] {
    let content = try StoreContent(store: store, layout: layout)
    let entity = subject.entity.name
    let numbers = layout.numberList(ofFamily: entity)
    let table = try content.table(of: entity).name.quotedName
    let all = try content.connection.integer(
      "SELECT count(*) FROM \(table) WHERE Z_ENT IN (\(numbers))"
    )
    guard shown.keys.count == min(Self.rows, Int(all ?? 0)) else {
      return ["the first screen shows \(shown.keys.count) of \(all ?? 0) objects of \(entity)"]
    }
    let lookup = try content.lookup(subject.shape)
    var stored = ReadLog()
    for key in shown.keys {
      guard let digest = try lookup.digest(of: key) else {
        return ["the first screen shows \(entity) \(key), which is not there"]
      }
      stored.add(key, digest)
    }
    guard stored.objects.ordered != shown.objects.ordered else { return [] }
    return ["the first screen shows other values of \(entity) than the store holds"]
  }
}
