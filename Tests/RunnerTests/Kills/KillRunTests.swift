import PersistentStore
import Reporting
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Runner

/// Tests the results of killed launches; a script replaces the launches.
struct KillRunTests {
  private let folder: TemporaryFolder
  private let store: StoreFile

  init() throws {
    folder = try TemporaryFolder()
    store = try makeTallyStore(in: folder, named: "original/items.sqlite")
  }

  private func cases(
    _ parameters: String,
    _ launcher: ScriptedLauncher,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) throws -> LaunchedCases {
    let path = try folder.write(
      "kind: killableTally\nstore: { path: a }\nparameters: { \(parameters) }",
      to: "w/kills.yaml"
    )
    return LaunchedCases(
      plan: try Plan(paths: [path], kinds: [KillableTally.self]),
      stores: GivenStore(store: store),
      launcher: launcher,
      scratch: try ScratchFolder(in: folder.path + "/scratch"),
      isStopped: isStopped
    )
  }

  private func kill(
    _ parameters: String,
    _ endings: [Int: LaunchEnding] = [:]
  ) throws -> KillReport {
    let run = KillRun(
      try cases(parameters, ScriptedLauncher(endings: endings)),
      choice: .count(1, seed: 1)
    )
    return try run.perform().report
  }

  @Test func `launches undisturbed, kills, launches again, and once more`() throws {
    let launcher = ScriptedLauncher()
    let run = KillRun(try cases("leaves: old", launcher), choice: .count(3, seed: 1))
    let (report, isInterrupted) = try run.perform()
    #expect(!report.hasFailed && !isInterrupted)
    #expect(report.outcomes.map(\.remains?.state) == [.old, .old, .old])
    let kills = launcher.requests.withLock { $0.map { $0.faults?.kill } }
    #expect(kills.count == 1 + 3 * 3)
    #expect(kills.enumerated().allSatisfy { ($1 != nil) == ($0 % 3 == 1) })
  }

  @Test(arguments: [
    ("leaves: between", "an atomic strategy left a state that is neither the old nor the new one"),
    ("leaves: old, loses: 2", "2 objects lost, 0 doubled"),
    (
      "leaves: nothing",
      "the files that it left cannot be read: SQLite error 11: malformed - while executing 'read'"
    ),
  ])
  func `says what a kill has done`(parameters: String, failure: String) throws {
    let report = try kill(parameters)
    #expect(report.hasFailed)
    #expect(report.outcomes.map(\.failure) == [failure])
  }

  @Test func `what is between is right where nothing is said to be atomic`() throws {
    #expect(try !kill("leaves: between, isAtomic: false").hasFailed)
  }

  @Test(
    arguments: [
      (1, ScriptedLauncher.finished("done"), "the launch ended before it reached"),
      (1, .failed("no"), "the launch failed before it was killed: no"),
      (
        2, ScriptedLauncher.finished("half"),
        "the restart ended with the content half, a run without kills with done"
      ),
      (2, .failed("exists"), "the restart failed: exists"),
      (3, .failed("exists"), "the launch after the restart failed: exists"),
    ] as [(Int, LaunchEnding, String)]
  )
  func `says which launch went wrong`(
    launch: Int,
    ending: LaunchEnding,
    failure: String
  ) throws {
    let report = try kill("leaves: old", [launch: ending])
    #expect(report.outcomes.first?.failure?.hasPrefix(failure) == true)
  }

  @Test func `a case that fails by itself is not killed`() throws {
    let report = try kill("leaves: old", [0: .failed("no such model")])
    #expect(report.hasFailed && report.outcomes.isEmpty)
    #expect(report.cases.first?.obstacle == "undisturbed, no such model")
  }

  @Test func `keeps what was tried when it is told to stop`() throws {
    let launcher = ScriptedLauncher()
    let cases = try cases("leaves: old", launcher) {
      launcher.requests.withLock { $0.count >= 4 }
    }
    let (report, isInterrupted) = try KillRun(cases, choice: .count(9, seed: 1)).perform()
    #expect(isInterrupted && report.outcomes.count == 1)
  }

  // MARK: The watchdog

  private func watch(_ endings: [Int: LaunchEnding]) throws -> WatchedCase? {
    let launcher = ScriptedLauncher(endings: endings)
    return try WatchdogRun(cases("leaves: old", launcher), seconds: 0.5).perform().cases.first
  }

  @Test func `a launch that keeps nothing never finishes`() throws {
    let watched = try #require(try watch([:]))
    #expect(watched.ending == .neverFinishes(launches: 6) && watched.hasFailed)
    #expect(watched.objects == 100)
  }

  @Test func `a launch in time finishes`() throws {
    // Launches 0 and 1 are not killed, so launch 2 is the first under the watchdog.
    #expect(try watch([2: ScriptedLauncher.finished("")])?.ending == .finished(launch: 1))
    #expect(try watch([4: ScriptedLauncher.finished("")])?.ending == .finished(launch: 3))
  }

  @Test(
    arguments: [
      ([.finished(launch: 1)], "Every case finishes or makes progress in each launch"),
      ([.failed("no such model"), .goesOn(launches: 6)], "1 of 2 cases failed"),
      (
        [.neverFinishes(launches: 6), .failed("no"), .finished(launch: 2)],
        "1 of 3 cases never finishes, 1 failed"
      ),
    ] as [([WatchedCase.Ending], String)]
  )
  func `a case that failed is not one that never finishes`(
    endings: [WatchedCase.Ending],
    title: String
  ) {
    let watched = endings.map { WatchedCase(id: "a", objects: 1000, ending: $0) }
    #expect(watched.report(seconds: 20).title.plain == title)
  }

  @Test func `the objects that a launch gets done go by its time`() {
    var watched = WatchedCase(id: "a", objects: 1000, ending: .neverFinishes(launches: 6))
    #expect(watched.objects(within: 20) == nil)
    watched.undisturbed = 40
    #expect(watched.objects(within: 20) == 500)
  }
}
