import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `The first launch after an update` {
  private static let releases = (2...6).map { MigrationFixture.models + "/tasks/v\($0).yaml" }

  private static func bench() throws -> KindBench<FirstLaunchWorkload> {
    try MigrationFixture.tasks(of: FirstLaunchWorkload.self)
  }

  private static func values(
    _ more: [String: ParameterValue]
  ) -> [String: ParameterValue] {
    ["to": .text(MigrationFixture.models + "/tasks/v7.yaml")].merging(more) { $1 }
  }

  @Test(arguments: FirstLaunchParameters.Strategy.allCases)
  func `shows the migrated store, and the old one before where it is still there`(
    strategy: FirstLaunchParameters.Strategy
  ) throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values(["strategy": .text(strategy.rawValue), "meanwhile": .text("oldStore")])
    )
    _ = try opened.finish()
    #expect(opened.figures["launch.count"] == 1)
    #expect(opened.session.newScreen?.shown.keys.count == FirstScreen.rows)
    let isInNewFile = opened.workload.parameters.migration.isInNewFile
    #expect((opened.session.oldScreen != nil) == isInNewFile)
    #expect(!opened.trial.newStore.exists)
  }

  @Test func `is compared with launches that keep the old store only if it has a backup`() {
    func goal(_ strategy: String, _ backup: String) -> String {
      let values = Self.values(["strategy": .text(strategy), "backup": .text(backup)])
      let parameters = FirstLaunchParameters(ParameterValues(values))
      return FirstLaunchWorkload(parameters: parameters).traits.goal
    }
    #expect(goal("inPlace", "copy") == goal("onCopy", "none"))
    #expect(goal("inPlace", "none") != goal("onCopy", "none"))
  }

  @Test(arguments: ["inPlace", "onCopy"])
  func `makes every table anew as older frameworks do, if asked`(strategy: String) throws {
    let bench = try Self.bench()
    let steps = try FirstLaunchParameters.Shape.allCases.map { shape in
      let opened = try bench.open(
        Self.values(["strategy": .text(strategy), "shape": .text(shape.rawValue)])
      )
      _ = try opened.finish()
      return opened.figures["sqlite.vmSteps"] ?? 0
    }
    #expect(steps[0] > 0 && steps[1] > steps[0])
  }

  @Test func `leaves a deferred clean-up for after the screen, a table a task`() throws {
    let bench = try Self.bench()
    let from = ParameterValue.text(Self.releases[3])
    func figures(_ strategy: String) throws -> (steps: [String: Double], tables: [String]) {
      let opened = try bench.open(Self.values(["strategy": .text(strategy), "from": from]))
      _ = try opened.finish()
      let left = try opened.trial.store.plainConnection()
        .prepare("SELECT name FROM sqlite_master WHERE name LIKE 'T\\_%' ESCAPE '\\'")
      var tables: [String] = []
      while try left.step() { tables.append(left.text(at: 0)) }
      return (opened.figures, tables)
    }
    let (atOnce, deferred) = (try figures("inPlace"), try figures("deferred"))
    #expect(atOnce.steps["cleanUp.tasks"] == nil)
    // The clean-up drops the table of attachments and a column of the table of tasks.
    #expect(deferred.steps["cleanUp.tasks"] == 2)
    #expect(deferred.tables == [])
  }

  @Test func `finishes an earlier clean-up before the next migration`() throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values([
        "strategy": .text("deferred"),
        "via": .list(Self.releases), "from": .text(Self.releases[2]),
      ])
    )
    _ = try opened.finish()
    #expect(opened.figures["cleanUp.tasks"] == 1)
  }

  @Test(arguments: ["inPlace", "onCopy", "sideBySide"])
  func `begins anew after each launch that a watchdog ends`(strategy: String) throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values(["strategy": .text(strategy), "stepsPerLaunch": .integer(3_000)])
    )
    _ = try opened.finish()
    #expect(opened.figures["launch.stuck"] == 1)
    #expect(opened.figures["launch.count"] == 2)
    #expect(opened.session.messages.first?.contains("would never finish") == true)
  }

  @Test func `copies each record once, however often a watchdog ends it`() throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values(["strategy": .text("gradual"), "stepsPerLaunch": .integer(3_000)])
    )
    _ = try opened.finish()
    let ended = opened.figures["launch.ended", default: 0]
    #expect(ended > 0)
    #expect(opened.figures["launch.count"] == ended + 1)
  }

  @Test func `goes on from the last complete step of a chain`() throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values([
        "via": .list(Self.releases), "stepsPerLaunch": .integer(6_000),
      ])
    )
    _ = try opened.finish()
    #expect(opened.figures["launch.ended", default: 0] > 1)
    #expect(opened.figures["launch.stuck"] == nil)
  }

  @Test func `leaves out the releases that the user had already`() throws {
    let bench = try Self.bench()
    let inner = try bench.workload(
      Self.values([
        "via": .list(Self.releases), "from": .text(Self.releases[3]),
      ])
    ).parameters.migration
    #expect(inner.via == [Self.releases[4]])
  }

  @Test func `asks for more free disk than any strategy needs`() throws {
    let bench = try Self.bench()
    let store = bench.original
    let plain = SpaceEstimate(of: store, MigrationParameters(ParameterValues())).bytes
    let copied = SpaceEstimate(
      of: store,
      MigrationParameters(ParameterValues(["strategy": .text("onCopy")]))
    ).bytes
    #expect(plain >= 2 * store.storeBytes)
    #expect(copied - plain == store.storeBytes + store.walBytes + store.externalBytes)
  }

  @Test func `tells its user what to free`() {
    #expect(
      "\(SpaceShortage(needed: 60 << 20, free: 20 << 20, isMet: false))"
        == "the update needs 60 MB of free disk and finds 20 MB; the store is as it was: free 40 MB "
        + "more, then open the app again"
    )
    #expect(
      "\(SpaceShortage(needed: 60 << 20, free: 20 << 20, isMet: true))"
        == "the disk was full during the update, with 20 MB free before; the store is whole: have 60 MB "
        + "free, then open the app again"
    )
  }
}
