import Basics
import Foundation
import Testing

@testable import Forecasting

struct MachineTests {
  private let ladder = SyntheticLadder(seconds: { 0.01 + 25e-6 * $0 })

  @Test func `one observed migration scales the forecast and widens it`() throws {
    var forecast = ladder.forecast()
    let here = try forecast.predict(.time, objects: 500_000).get()
    let observed = try ObservedMigration.read(
      csv: "task_count,project_count,duration_seconds\n80000,20000,7.5\n",
      path: "observed.csv",
      shape: forecast.shape
    )
    let scale: MachineScale = try #require(MachineScale(of: observed.map { ($0, [forecast]) }))
    forecast.machine = scale
    let there = try forecast.predict(.time, objects: 500_000).get()
    #expect(abs(there.value / here.value - 3) < 0.15)
    #expect(there.halfWidth > here.halfWidth * 2)
  }

  @Test func `more of them narrow it`() throws {
    let forecast = ladder.forecast()
    let observed = [20_000.0, 50_000, 100_000, 200_000, 300_000].map {
      ObservedMigration(size: .objects($0), seconds: 2 * ladder.seconds($0))
    }
    let one = try #require(MachineScale(of: [(observed[0], [forecast])]))
    let five = try #require(MachineScale(of: observed.map { ($0, [forecast]) }))
    #expect(five.variance < one.variance / 2)
    #expect(abs(five.factor - 2) < 0.1)
  }

  @Test func `a migration of two possible shapes widens the scale by half of their distance`()
    throws
  {
    let forecast = ladder.forecast()
    let slow = SyntheticLadder(seconds: { 4 * (0.01 + 25e-6 * $0) }).forecast()
    let observed = ObservedMigration(size: .objects(100_000), seconds: 2 * ladder.seconds(100_000))
    let one = try #require(MachineScale(of: [(observed, [forecast])]))
    let both = try #require(MachineScale(of: [(observed, [forecast, slow])]))
    #expect(abs(both.factor / one.factor - 0.5) < 0.05)
    #expect(abs(both.variance - one.variance - log(2) * log(2)) < 0.05)
  }

  private let strategies = [
    "engine=objectGraph,strategy=lightweight,shape=inPlace",
    "engine=objectGraph,strategy=lightweight,shape=rebuild",
    "engine=objectGraph,saves=one,strategy=sideBySide",
    "engine=bareSQL,saves=one,strategy=sideBySide",
  ]

  @Test(
    arguments: zip(
      [
        "lightweight", "engine=bareSQL,saves=one,strategy=sideBySide", "",
        "sideBySide", "lightwieght",
      ],
      [
        nil, nil, "does not say how the app migrates, and 3 strategies are compared",
        "the strategy 'sideBySide' is more than one of", "is none of",
      ] as [String?]
    )
  )
  func `an observed migration names one strategy of several`(name: String, reason: String?) throws {
    let observed = ObservedMigration(size: .objects(1000), seconds: 1, strategy: name)
    let questions = ForecastQuestions(observed: ("seen.csv", [observed]))
    guard let reason else { return try questions.check(strategies: strategies) }
    let error = try #require(throws: Refusal.self) { try questions.check(strategies: strategies) }
    #expect("\(error)".contains(reason))
    #expect("\(error)".hasPrefix("'seen.csv'"))
  }

  @Test func `without a choice of strategies none need be named`() throws {
    let observed = ObservedMigration(size: .objects(1000), seconds: 1)
    let questions = ForecastQuestions(observed: ("seen.csv", [observed]))
    try questions.check(strategies: Array(strategies.prefix(2)))
    try questions.check(strategies: [strategies[3]])
  }

  @Test func `a profile scales by the cost of a row and adds its syncs`() throws {
    var slow = ladder
    slow.counters = { ["vfs.syncs": $0 / 1000] }
    var forecast = slow.forecast()
    let here = UnitCosts(row: 1e-6, pageRead: 2e-6, pageWrite: 3e-6, sync: 1e-4)
    let there = UnitCosts(row: 2e-6, pageRead: 4e-6, pageWrite: 6e-6, sync: 0.0502)
    forecast.machine = MachineScale(
      to: MachineProfile(machine: "slow", sqlite: "3", costs: there),
      from: here
    )
    let time = try forecast.predict(.time, objects: 100_000).get()
    // The slow machine takes 2 · 2.51 s plus 50 ms for each of 100 syncs.
    #expect(abs(time.value / 10.02 - 1) < 0.05)
  }

  @Test func `calibrations that scatter widen what a profile predicts`() throws {
    let here = UnitCosts(row: 1e-6, pageRead: 2e-6, pageWrite: 3e-6, sync: 1e-4, scatter: 0.05)
    var there = here
    let calm = MachineScale(to: MachineProfile(machine: "m", sqlite: "3", costs: there), from: here)
    there.scatter = 0.4
    let busy = MachineScale(to: MachineProfile(machine: "m", sqlite: "3", costs: there), from: here)
    #expect(abs(calm.variance - (0.01 + 2 * 0.0025)) < 1e-12)
    #expect(abs(busy.variance - (0.01 + 0.0025 + 0.16)) < 1e-12)
  }

  @Test func `a profile of an older calibration has no scatter`() throws {
    let json = """
      {"format":1,"machine":"x","sqlite":"3",
       "costs":{"row":0.1,"pageRead":0.1,"pageWrite":0.1,"sync":0.1}}
      """
    #expect(try MachineProfile(json: Data(json.utf8), path: "p").costs.scatter == nil)
  }

  @Test(arguments: ["{}", "[1]", "{\"format\":1,\"machine\":\"x\",\"sqlite\":\"3\"}"])
  func `refuses what is no profile`(json: String) {
    #expect(
      throws: Refusal.badInput("'p' is not a machine profile: 'storebench calibrate' writes one")
    ) {
      try MachineProfile(json: Data(json.utf8), path: "p")
    }
  }

  @Test(arguments: [(2, 1.0), (1, 0), (1, -3), (1, 1e9)])
  func `refuses a profile of another format or with absurd costs`(format: Int, row: Double) {
    let json = """
      {"format":\(format),"machine":"x","sqlite":"3",
       "costs":{"row":\(row),"pageRead":0.1,"pageWrite":0.1,"sync":0.1}}
      """
    #expect(
      throws: Refusal.badInput(
        "'p' has a different format, or its costs are not times: write it again "
          + "with 'storebench calibrate'"
      )
    ) {
      try MachineProfile(json: Data(json.utf8), path: "p")
    }
  }
}
