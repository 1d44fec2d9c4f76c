import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Fetches objects and reads some of them, as a list on a screen does.
package struct FetchWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "fetch",
    summary: "fetches objects and reads them as a list on a screen does",
    question: "How should the objects be fetched?",
    metrics: Metric.fetching.all,
    fit: fit
  )

  /// An open store, with the case's names looked up in its model.
  package final class Session {
    let store: PersistentStore
    let subject: FetchSubject
    let path: AccessPath
    let engine: any FetchEngine
    /// The logs of the objects that each iteration read.
    var logs: [ReadLog] = []
    let host: HostTime

    /// Reports every statement of the engine to an observer, which must outlive the session.
    package func trace(_ observer: any StatementObserver) throws { try engine.trace(observer) }

    /// The connection that the engine uses; `nil` if the engine opens its own connection.
    package var connection: Connection? { engine.connection }

    init(
      store: PersistentStore,
      subject: FetchSubject,
      path: AccessPath,
      engine: any FetchEngine,
      host: HostTime
    ) {
      (self.store, self.subject, self.path) = (store, subject, path)
      (self.engine, self.host) = (engine, host)
    }
  }

  package let parameters: FetchParameters

  package init(parameters: FetchParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(
      endState: parameters.endState,
      onlyReads: true,
      startingStore: parameters.hasIndexes
        ? nil : "fetch: '\(parameters.entity)' without fetch indexes"
    )
    traits.job = parameters.job
    traits.behaviours = parameters.assumptions
    if !parameters.hasIndexes {
      traits.notes = ["altered store: the entity's fetch indexes are dropped"]
    }
    if parameters.engine == .bareSQL {
      traits.notes.append("plain statements select only the columns that are read")
    }
    traits.notes += parameters.engine.notes
    return traits
  }

  package func makeStartingStore(_ trial: Trial) throws {
    let store = try trial.open()
    guard let table = store.layout.table(of: parameters.entity) else { return }
    for index in store.layout.indexes(of: table)
    where index.columns.contains(where: { $0.direction != nil }) && !index.isUnique {
      try store.connection.execute("DROP INDEX IF EXISTS \(index.name)")
    }
  }

  package func prepare(_ trial: Trial) throws -> Session {
    let store = try trial.open(mode: .readOnly)
    let subject = try FetchSubject(parameters, model: store.model)
    if parameters.usesFrameworkSearch { try FrameworkFunctions.register(on: store.connection) }
    let host = HostTime()
    if parameters.usesCollation {
      try FrameworkFunctions.registerCollations(on: store.connection, host.add)
    }
    return Session(
      store: store,
      subject: subject,
      path: AccessPath(
        pattern: parameters.accessPattern,
        touchedShare: parameters.irrelevant.contains(parameters.$touchedShare)
          ? 0 : parameters.touchedShare,
        seed: trial.seed
      ),
      engine: try parameters.engine.writer(on: store, trial.settings, onlyReads: true).map {
        try StatementFetch(parameters, subject, $0, store)
      } ?? ObjectGraphFetch(parameters, subject, store: store),
      host: host
    )
  }

  package func run(_ session: Session, _ recorder: Recorder) throws {
    if let connection = session.engine.connection { recorder.observe(connection) }
    var log = ReadLog()
    let earlier = session.host.reading
    if parameters.strategy == .count {
      log.fetched = try session.engine.count()
    } else {
      let results = try session.engine.fetch()
      log.fetched = results.count
      try read(results, session, into: &log, recorder)
    }
    session.engine.report(to: recorder)
    recorder.count(.objects.fetched, parameters.strategy == .count ? 0 : log.fetched)
    session.host.report(since: earlier, as: .fetching.hostTime, .fetching.hostCalls, to: recorder)
    session.logs.append(log)
  }

  private func read(
    _ results: any FetchResults,
    _ session: Session,
    into log: inout ReadLog,
    _ recorder: Recorder
  ) throws {
    // Buffer at most one object with blobs, because an app would not keep more of them in memory.
    let chunk = session.subject.readsBlobs ? 1 : ReadLog.chunk
    var (number, taken) = (0, TakenValues(of: session.subject))
    for range in session.path.ranges(count: results.count) {
      for place in range {
        try results.read(place, isTouched: session.path.isTouched(number), into: &taken)
        number += 1
        if number.isMultiple(of: chunk) { recorder.aside { taken.settle(into: &log) } }
      }
      // The recorder keeps only the first mark, which is set when the first screen is complete.
      recorder.mark(.firstScreen)
    }
    recorder.aside { taken.settle(into: &log) }
  }

  package func evidence(_ session: Session, _ trial: Trial) -> Evidence? {
    // The evidence contains only the values that were read. Digests of the files show whether the
    // store has changed.
    Evidence(stores: [], facts: Set(session.logs.map(\.fact)).sorted())
  }

  package func verify(_ session: Session, _ trial: Trial) throws -> Verification {
    let verification = FetchVerification(
      parameters: parameters,
      subject: session.subject,
      content: try StoreContent(store: trial.start, layout: session.store.layout),
      path: session.path
    )
    return Verification(digest: try verification.check(session.logs))
  }
}

extension FetchWorkload {
  struct Metrics: MetricFamily {
    let hostTime = Metric.time(
      "fetch.hostTime",
      "time inside the collation that compares texts; this Foundation's, so assumed"
    )
    let hostCalls = Metric.counter("fetch.hostCalls", "texts that the collation compared")
  }

  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = FetchParameters(fit.values)
    guard let entity = fit.entity(parameters.$entity, parameters.entity, store) else { return }
    let model = store.model
    fit.look(parameters.$predicate) {
      _ = try Condition(parameters.predicate)?.predicate(on: entity, of: model)
    }
    fit.look(parameters.$sort) {
      for key in parameters.sortKeys { try model.check(key, of: entity) }
    }
    fit.look(parameters.$attributes) {
      for name in parameters.attributes { _ = try model.storedAttribute(name, of: entity) }
    }
    fit.look(parameters.$prefetch) {
      for path in parameters.prefetch { _ = try model.storedRelationships(at: path, of: entity) }
    }
    if !parameters.irrelevant.contains(parameters.$touchedShare) {
      let stored = model.relationships(of: entity).filter { !$0.isTransient }
      let first = (stored.first { !$0.isToMany } ?? stored.first)?.name
      _ = fit.name(
        parameters.$relationship,
        parameters.relationship,
        check: { _ = try model.storedRelationships(at: $0, of: entity) },
        orElse:
          "the entity '\(entity.name)' has no relationship to follow: set 'touchedShare' to 0",
        choose: {
          (parameters.prefetch.first ?? first).map {
            ($0, "relationship '\($0)' of '\(entity.name)'")
          }
        }
      )
    }
    fit.works(on: "'\(entity.name)'", objects: store.count(of: entity))
  }
}

extension Metric {
  static let fetching = FetchWorkload.Metrics()
}
