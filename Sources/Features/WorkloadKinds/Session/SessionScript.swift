import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// What a session does on one store: which places of the list it shows, which words it searches for
/// and which objects it edits.
///
/// Everything follows from the parameters, the seed and the store that the trial started from, so
/// that a session which was ended and begun again does the same.
struct SessionScript: Sendable {
  /// One object and its new value.
  struct Edit: Hashable, Sendable {
    let key: Int64
    let value: Value
  }

  /// One action.
  struct Step: Sendable {
    let kind: SessionAction.Kind
    /// The places of the list that come on the screen.
    var places = 0..<0
    /// The beginnings of texts that are searched for.
    var words: [String] = []
    var edits: [Edit] = []
  }

  private(set) var steps: [Step] = []
  let edited: Attribute?

  /// - Throws: ``Refusal`` for names that the model does not have.
  init(_ parameters: SessionParameters, _ layout: StoreLayout, _ trial: Trial) throws {
    let start = try SessionStart(parameters, layout, trial.start)
    edited = parameters.does(.edit) ? start.edited : nil
    let keys = try start.keys()
    var (place, words) = (0, 0)
    // Each object is edited once, so that editing it again after a crash changes nothing.
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
        step.words = try (0..<action.count).map { try start.word(words + $0, seed: trial.seed) }
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

  /// The keys of the edited objects that have their new values in a store.
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

  /// The new value of an object: the same however often it is set.
  private static func value(of attribute: Attribute?, _ key: Int64) -> Value {
    attribute?.type == .string ? .text("edited in a session") : .integer(key % 30_000)
  }
}

/// The store that a session starts from, read by plain SQL.
private struct SessionStart {
  private let connection: Connection
  private let table: String
  private let condition: String
  private let order: String
  private let searched: String?
  let edited: Attribute?

  init(_ parameters: SessionParameters, _ layout: StoreLayout, _ store: StoreFile) throws {
    connection = try store.plainConnection()
    let model = layout.model
    let entity = try model.knownEntity(parameters.entity)
    let names = try EntityNames(entity.name, in: layout)
    table = names.table
    condition = "Z_ENT IN (\(layout.numberList(ofFamily: entity.name)))"
    order = try parameters.list.sortKeys.map {
      try names.column($0.property) + ($0.isDescending ? " DESC, " : ", ")
    }.joined()
    searched = parameters.does(.search) ? try names.column(parameters.searched) : nil
    edited = try parameters.does(.edit) ? model.storedAttribute(parameters.edited, of: entity) : nil
  }

  /// The keys in the order of the list, and of themselves where that leaves a choice.
  func keys() throws -> [Int64] {
    try connection.prepare("SELECT Z_PK FROM \(table) WHERE \(condition) ORDER BY \(order)Z_PK")
      .map { $0.integer(at: 0) }
  }

  /// The first letters of a text of the store, which the seed chooses.
  func word(_ number: Int, seed: UInt64) throws -> String {
    guard let searched else { return "" }
    let row = try connection.cached(
      "SELECT \(searched) FROM \(table) WHERE \(condition) AND length(\(searched)) > 0 "
        + "AND Z_PK >= ? LIMIT 1"
    )
    let last = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 1
    let first = 1 + SplitMix64.word(seed, 0x7365_7373, UInt64(number)) % UInt64(max(1, last))
    for key in [Int64(first), 0] {
      row.reset()
      row.bind(key, at: 1)
      if try row.step() { return String(row.text(at: 0).prefix(3)) }
    }
    return "a"
  }
}
