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
    let scale: MachineScale = try #require(MachineScale(of: observed, against: forecast))
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
    let one = try #require(MachineScale(of: [observed[0]], against: forecast))
    let five = try #require(MachineScale(of: observed, against: forecast))
    #expect(five.variance < one.variance / 2)
    #expect(abs(five.factor - 2) < 0.1)
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
    // Twice 2.51 s, and 100 syncs of 50 ms.
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
