import Runner
import Testing

@testable import Forecasting

struct MemoryReturnTests {
  private func chunks(_ count: Int, _ first: (Int) -> Double) -> [MemoryProbe.Chunk] {
    (0..<count).map { MemoryProbe.Chunk(first: first($0), second: 3e-7) }
  }

  @Test func `pages that cost more the first time alone are memory that the host has`() throws {
    let found = try #require(MemoryProbe.judge(chunks(32) { $0 < 8 ? 3e-7 : 9e-6 }))
    #expect(found.atHand == Double(8 * MemoryProbe.chunkBytes))
    #expect(abs(found.secondsPerByte * 4096 - 8.7e-6) < 1e-9)
    #expect(found.delay(needing: found.atHand) == 0)
    #expect(abs(found.delay(needing: found.atHand + 1e9) - 1e9 * 8.7e-6 / 4096) < 1e-9)
  }

  @Test func `even costs, and a few disturbed chunks, are no such memory`() {
    #expect(MemoryProbe.judge(chunks(32) { _ in 3.2e-7 }) == nil)
    #expect(MemoryProbe.judge(chunks(32) { $0 % 12 == 5 ? 5e-6 : 3e-7 }) == nil)
    #expect(MemoryProbe.judge([]) == nil)
  }

  @Test func `measures the machine at hand, within a few seconds, or says nothing`() {
    // Only some machines delay the first use of memory; 1 MB has too few chunks to measure a delay.
    let found = MemoryProbe.measure(bytes: 200e6)
    #expect(found.map { $0.atHand >= 0 && $0.secondsPerByte > 0 } ?? true)
    #expect(MemoryProbe.measure(bytes: 1e6) == nil)
  }

  @Test func `times are later by what the memory takes, lower ends by half of it`() throws {
    let data = LadderData(
      [1000, 2000, 4000, 8000, 16_000].map { size in
        Observation(
          objects: ["Task": size],
          seconds: 0.02 + 3e-5 * Double(size),
          peakMemory: 5e6 + 500 * Double(size),
          peakDisk: 2000 * Double(size),
          storeBytes: 1000 * Double(size)
        )
      }
    )
    var forecast = Forecast(data)
    forecast.reach = 100
    let before = try forecast.predict(.time, objects: 1_000_000).get()
    forecast.memoryReturn = MemoryReturn(atHand: 1e9, secondsPerByte: 2e-9)
    let after = try forecast.predict(.time, objects: 1_000_000).get()
    let delay = forecast.memoryDelay(objects: 1_000_000)
    #expect(delay > 2)
    #expect(abs(after.high - before.high - delay) < 1e-9)
    #expect(abs(after.value - before.value - delay) < 1e-9)
    #expect(abs(after.low - before.low - delay / 2) < 1e-9)
    #expect(forecast.memoryDelay(objects: 100_000) == 0)
    // The delay was measured on the ladder's machine and does not apply to another machine.
    let costs = UnitCosts(row: 1e-6, pageRead: 1e-6, pageWrite: 1e-6, sync: 0)
    let same = MachineProfile(machine: "other", sqlite: "3", costs: costs)
    forecast.machine = MachineScale(to: same, from: costs)
    let other = try forecast.predict(.time, objects: 1_000_000).get()
    #expect(abs(other.value - before.value) < 1e-9)
  }
}
