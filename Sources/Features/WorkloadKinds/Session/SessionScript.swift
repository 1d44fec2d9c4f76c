import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// The script of a session: which positions of the list it shows, which words it searches for and
/// which objects it edits.
///
/// The parameters, the seed and the trial's store determine everything, so a session that is ended
/// and started again repeats the same actions.
struct SessionScript: Sendable {
  struct Edit: Hashable, Sendable {
    let key: Int64
    let value: Value
  }

  struct Step: Sendable {
    let kind: SessionAction.Kind
    /// The positions in the list that scroll into view.
    var places = 0..<0
    var words: [String] = []
    var edits: [Edit] = []
  }

  private(set) var steps: [Step] = []
  let edited: Attribute?

  /// Plans the session.
  ///
  /// - Throws: ``Refusal`` if a name in the parameters does not exist in the model.
  init(_ setting: SessionSetting, _ trial: Trial) throws {
    let (parameters, sql) = (setting.parameters, try SessionSQL(setting))
    let start = try trial.start.plainConnection()
    edited = try setting.edited.map {
      try setting.layout.model.storedAttribute($0, of: setting.subject.entity)
    }
    let keys = try start.prepare(sql.orderedKeys).map { $0.integer(at: 0) }
    var (place, words) = (0, 0)
    // Edit each object only once, so that editing it again after a crash changes nothing.
    var free = Array(keys.indices)
    for action in parameters.steps {
      var step = Step(kind: action.kind)
      switch action.kind {
      case .launch: place = 0
      case .background: break
      case .firstScreen:
        step.places = 0..<min(parameters.screen, keys.count)
        place = step.places.upperBound
      case .scroll:
        step.places = place..<min(place + action.count, keys.count)
        place = step.places.upperBound
      case .search:
        step.words = try (0..<action.count).map {
          try Self.word(words + $0, sql, start, seed: trial.seed)
        }
        words += action.count
      case .edit:
        let shown = free.filter { $0 < place }.suffix(action.count)
        let chosen = shown + free.filter { $0 >= place }.prefix(action.count - shown.count)
        step.edits = chosen.map { Edit(key: keys[$0], value: Self.value(of: edited, keys[$0])) }
        free.removeAll(where: Set(chosen).contains)
      }
      steps.append(step)
    }
  }

  /// The keys of the edited objects that already have their new values in a store.
  func saved(in store: StoreFile, _ layout: StoreLayout, of entity: String) throws -> Set<Int64> {
    guard let edited else { return [] }
    let names = try EntityNames(entity, in: layout)
    let row = try store.plainConnection().prepare(
      "SELECT \(try names.column(edited.name)) FROM \(names.table) WHERE Z_PK = ?"
    )
    return try Set(
      steps.flatMap(\.edits).filter { edit in
        row.reset()
        row.bind(edit.key, at: 1)
        return try row.step() && row.value(at: 0) == edit.value
      }.map(\.key)
    )
  }

  /// The first three letters of a string in the store, chosen by the seed.
  private static func word(
    _ number: Int,
    _ sql: SessionSQL,
    _ start: Connection,
    seed: UInt64
  ) throws -> String {
    let row = try start.cached(sql.text)
    let last = try start.integer("SELECT max(Z_PK) FROM \(sql.table)") ?? 1
    let first = 1 + SplitMix64.word(seed, 0x7365_7373, UInt64(number)) % UInt64(max(1, last))
    for key in [Int64(first), 0] {
      row.reset()
      row.bind(key, at: 1)
      if try row.step() { return String(row.text(at: 0).prefix(3)) }
    }
    return "a"
  }

  /// The new value of an object, which is always the same, so that an edit can be repeated.
  private static func value(of attribute: Attribute?, _ key: Int64) -> Value {
    attribute?.type == .string ? .text("edited in a session") : .integer(key % 30_000)
  }
}
