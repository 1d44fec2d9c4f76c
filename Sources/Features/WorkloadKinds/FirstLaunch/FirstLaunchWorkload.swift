import DataModel
import PersistentStore
import Runner

/// Measures the storage work of the first launch after an update, from the tap to the first screen.
///
/// The migration, its recovery and its verification are the same as in the migration kind. This
/// kind adds the screen shown in the meantime, launches that a watchdog ends, and a disk that is
/// nearly full.
struct FirstLaunchWorkload: WorkloadKind {
  static let description = KindDescription(
    name: "firstLaunch",
    summary: "the first launch after an update, until the first screen is there",
    question: "Which migration lets the first launch after an update end soonest?",
    metrics: [
      .migration.check, .migration.marker, .migration.swap, .migration.removal, .migration.copying,
      .migration.cleanUp, .migration.cleanUpTasks, .migration.objectPass,
      .migration.relationshipPass, .migration.validationPass,
    ] + Metric.firstLaunch.all,
    example: "to: +Note, strategy: onCopy, meanwhile: oldStore, check: counts",
    fit: fit,
    remains: { try RemainsReader(FirstLaunchParameters($0).migration, $1, $2, $3).read() }
  )

  let parameters: FirstLaunchParameters
  private let migration: MigrationWorkload

  init(parameters: FirstLaunchParameters) {
    self.parameters = parameters
    migration = MigrationWorkload(parameters: parameters.migration)
  }

  var traits: CaseTraits {
    var traits = migration.traits
    traits.job = job
    // Until a new file is complete, the old store is the backup.
    if migration.parameters.isInNewFile {
      traits.safeguards = migration.safeguards(hasBackup: true)
    }
    return traits
  }

  /// The name of the work, which includes the watchdog's limit and the free disk space.
  ///
  /// Cases with the same name are compared.
  private var job: String {
    var parts = [migration.endState]
    if parameters.stepsPerLaunch > 0 {
      parts.append("ended after \(parameters.stepsPerLaunch) steps")
    }
    if parameters.free > 0 { parts.append("\(parameters.free) times the store's bytes free") }
    return parts.joined(separator: ", ")
  }

  func makeStartingStore(_ trial: Trial) throws { try migration.makeStartingStore(trial) }

  func prepare(_ trial: Trial) throws -> FirstLaunchSession {
    try FirstLaunchSession(trial, parameters)
  }

  func run(_ session: FirstLaunchSession, _ recorder: Recorder) throws {
    try FirstLaunchRun(session: session, recorder: recorder).run()
  }

  func verify(_ session: FirstLaunchSession, _ trial: Trial) throws -> Verification {
    var found = try migration.verify(session.migration, trial)
    var findings = session.findings
    findings +=
      try session.oldScreen?.findings(in: trial.start, session.migration.source)
      .map { "before the migration, " + $0 } ?? []
    findings +=
      try session.newScreen?
      .findings(in: session.migration.result, session.migration.destination) ?? []
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    found.notes += session.messages
    return found
  }
}

extension FirstLaunchWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let values = FirstLaunchParameters(fit.values).migrationValues
    fit.fit(as: MigrationWorkload.self, with: values, to: store)
  }

  struct Metrics: MetricFamily {
    let oldScreen = Metric.phase("oldScreen", "fetching the first screen from the old store")
    let newScreen = Metric.phase("newScreen", "fetching the first screen from the migrated store")
    let ready = Metric.time("ready", "time until the migrated store shows the first screen")
    let screenBytes = Metric.counter(
      "launch.screenBytes",
      "bytes that SQLite wrote until the first screen was there"
    )
    let readyBytes = Metric.counter(
      "launch.readyBytes",
      "bytes that SQLite wrote until the migrated store showed it"
    )
    let launches = Metric.counter("launch.count", "launches until the migrated store was shown")
    let ended = Metric.counter("launch.ended", "launches that the watchdog ended")
    let stuck = Metric.counter("launch.stuck", "launches that left nothing that a later one uses")
    let refused = Metric.counter(
      "launch.refused",
      "launches that found too little free disk before"
    )
    let full = Metric.counter("launch.full", "launches that met a full disk during the work")
    let estimate = Metric.size("spaceEstimate", "free disk that the app asks for before it begins")
  }
}

extension Metric {
  static let firstLaunch = FirstLaunchWorkload.Metrics()
}

/// The launches of one trial: the current launch's migration, and the screens that were shown.
final class FirstLaunchSession {
  let trial: Trial
  let parameters: FirstLaunchParameters
  private(set) var migration: MigrationSession
  var oldScreen: FirstScreen?
  var newScreen: FirstScreen?
  var isReady = false
  var findings: [String] = []
  var messages: [String] = []

  init(_ trial: Trial, _ parameters: FirstLaunchParameters) throws {
    self.trial = trial
    self.parameters = parameters
    migration = try MigrationSession(trial, parameters.migration)
  }

  func relaunch() throws {
    migration.store = nil
    migration.target = nil
    migration = try MigrationSession(trial, parameters.migration)
  }
}
