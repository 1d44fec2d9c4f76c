import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures a user's session with an app, action by action: the time of each action, and the memory
/// in use after it.
struct SessionWorkload: WorkloadKind {
  static let description = KindDescription(
    name: "session",
    summary: "a user's session, action by action: time, counters, live objects and memory",
    question: "What should an app keep in memory during a session?",
    metrics: SessionAction.Kind.allCases.flatMap { Metric.session($0).ofSession },
    example:
      "actions: [launch, firstScreen, scroll: 30, search: 2, edit: 3, background], batchSize: 10, "
      + "screen: 8, entity: Note, relationship: folder",
    fit: fit,
    remains: { try SessionWorkload(parameters: $0).remains(of: $1, beside: $2, digest: $3) }
  )

  let parameters: SessionParameters

  var onlyReads: Bool { !parameters.does(.edit) }

  var traits: CaseTraits {
    // The end state depends on the objects that the app shows and edits, but not on how it keeps
    // them in memory.
    let names: Set = [
      parameters.$actions, parameters.$screen, parameters.$entity, parameters.$sort,
      parameters.$relationship, parameters.$searched, parameters.$edited,
    ]
    let shown = parameters.values.keeping(names.subtracting(parameters.irrelevant))
    var traits = CaseTraits(endState: shown.canonical, onlyReads: onlyReads)
    traits.batchSize = parameters.batchSize > 0 ? parameters.batchSize : nil
    traits.notes = parameters.engine.notes
    if parameters.held == .faults {
      traits.notes.append(
        "a fault keeps the memory of its slots here, and gives up texts and blobs"
      )
    }
    guard parameters.engine == .objectGraph else { return traits }
    if parameters.batchSize > 0 {
      traits.behaviours.assume(parameters.$batchRetention, parameters.batchRetention)
    }
    if parameters.held == .faults {
      traits.behaviours.add("refreshObject", "values and to-ones released", .documented)
    }
    return traits
  }

  func prepare(_ trial: Trial) throws -> SessionRun {
    try SessionRun(parameters, trial)
  }

  func run(_ session: SessionRun, _ recorder: Recorder) throws {
    if parameters.engine == .grdb { recorder.worksUnobserved() }
    try session.begin(recorder)
    for step in session.script.steps { try session.perform(step, recorder) }
  }
}

extension SessionWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = SessionParameters(fit.values)
    let model = store.model
    guard let entity = fit.entity(parameters.$entity, parameters.entity, store) else { return }
    fit.look(parameters.$sort) {
      for key in parameters.list.sortKeys {
        _ = try model.storedAttribute(key.text, of: entity)
      }
    }
    if !parameters.relationship.isEmpty {
      fit.look(parameters.$relationship) {
        let found = try model.storedRelationship(parameters.relationship, of: entity)
        if found.isToMany {
          throw Refusal.badInput(
            "'\(found.name)' is a to-many, and a row shows a to-one: name one of those"
          )
        }
      }
    }
    let names = SessionNames(entity: entity, model: model, sorted: parameters.sortedAttributes)
    var searched = parameters.searched
    if parameters.does(.search) {
      let found = fit.name(
        parameters.$searched,
        searched,
        check: names.checkSearched,
        orElse: "'\(entity.name)' has no text to search: leave 'search' out of the actions",
        choose: { names.searched.map { ($0, "the attribute '\($0)' is searched") } }
      )
      guard let found else { return }
      searched = found
    }
    if parameters.does(.edit) {
      let found = fit.name(
        parameters.$edited,
        parameters.edited,
        check: { try names.checkEdited($0, besides: searched) },
        orElse: "'\(entity.name)' has no text or whole number to edit besides those that order the "
          + "list or are searched: leave 'edit' out of the actions",
        choose: { names.edited(besides: searched).map { ($0, "the attribute '\($0)' is edited") } }
      )
      guard found != nil else { return }
    }
    let shown = parameters.steps.filter { $0.kind == .scroll }.reduce(parameters.screen) {
      $0 + $1.count
    }
    let count = store.count(of: entity)
    if shown > count {
      fit.note("the list has only \(count) objects: scrolling stops at its end")
    }
    fit.works(on: "'\(entity.name)'", objects: count)
  }
}

/// An app with an open store, whose work is measured in parts (actions or steps).
protocol MeasuredApp: AnyObject {
  /// The connection whose counters are read; `nil` if the engine uses a connection that cannot be
  /// observed.
  var connection: Connection? { get }
  /// The statistics of the app's context since its creation; all zero for plain statements.
  var statistics: ObjectContext.Statistics { get }
  /// The number of objects in memory, including faults; if there is no context, the number of rows.
  var liveObjects: Int { get }
  /// The memory that the objects or rows occupy, in bytes.
  var memoryBytes: Int { get }
}

/// The metrics of a named part of the work: an action of a session, or a step of a scenario.
struct PartMetrics: Sendable {
  let time: Metric
  let sqlite: SQLiteMetrics
  let materialised, faultsFired, held, contextBytes: Metric
  let resident: Metric
  // The metrics from `mostHeld` to `objects` are measured only in scenarios.
  let mostHeld, removed, leftBehind, reads, quietRead, longestRead: Metric
  let turns, objects: Metric

  init(_ kind: String, _ name: String) {
    let family = "\(kind).\(name)"
    let words = "'\(name)'"
    let whole = kind == "session" ? "action \(words) of a session" : "part \(words) of a scenario"
    time = .phase(name, "the " + whole)
    turns = .tally("\(family).turns", "how often \(words) was done")
    objects = .tally(
      "\(family).objects",
      "objects that its steps fetched, counted or changed, each as often as a step did (\(name))"
    )
    sqlite = SQLiteMetrics(family)
    materialised = .counter(
      "\(family).materialised",
      "objects whose rows were loaded (\(name))"
    )
    faultsFired = .counter(
      "\(family).faultsFired",
      "faults fired one at a time (\(name))"
    )
    held = .counter(
      "\(family).held",
      "live objects after the last \(words), faults among them, or rows"
    )
    contextBytes = .counter(
      "\(family).contextBytes",
      "bytes of these objects with their values, computed from sizes (\(name))"
    )
    resident = Metric(
      "\(family).residentBytes",
      unit: .bytes,
      "resident set of the process after the last \(words)"
    )
    mostHeld = .counter(
      "\(family).mostHeld",
      "live objects at most after a statement of \(words) and before a reset, faults among them"
    )
    removed = .tally("\(family).removed", "objects that its deletions removed (\(name))")
    leftBehind = .tally(
      "\(family).leftBehind",
      "objects that stay, and lost a to-one by its deletions (\(name))"
    )
    reads = .tally("\(family).reads", "how often the list was read during \(words)")
    quietRead = .time("\(family).quietRead", "a read of that list alone (\(name))")
    longestRead = .time("\(family).longestRead", "the longest read of that list (\(name))")
  }

  /// Records the app's work on objects since an earlier state, and the objects in memory.
  func measure(
    _ app: some MeasuredApp,
    since earlier: ObjectContext.Statistics,
    memory: Bool = true,
    _ recorder: Recorder
  ) {
    let statistics = app.statistics
    recorder.count(materialised, statistics.materialised - earlier.materialised)
    recorder.count(faultsFired, statistics.faultsFired - earlier.faultsFired)
    guard memory else { return }
    recorder.set(held, app.liveObjects)
    recorder.set(contextBytes, app.memoryBytes)
    if let bytes = Probes.residentMemory() { recorder.set(resident, Int(bytes)) }
  }

  /// The metrics that apply to an action of a session.
  var ofSession: [Metric] {
    [time] + sqlite.all + [materialised, faultsFired, held, contextBytes, resident]
  }

  /// The metrics that apply to a part of a scenario.
  var ofScenario: [Metric] {
    ofSession + [turns, objects, removed, leftBehind, mostHeld, reads, quietRead, longestRead]
  }
}

extension Metric {
  private static let sessions = Dictionary(
    uniqueKeysWithValues: SessionAction.Kind.allCases.map {
      ($0, PartMetrics("session", $0.rawValue))
    }
  )

  static func session(_ action: SessionAction.Kind) -> PartMetrics {
    sessions[action] ?? PartMetrics("session", action.rawValue)
  }
}
