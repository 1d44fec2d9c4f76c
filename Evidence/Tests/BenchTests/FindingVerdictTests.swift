import Basics
import Testing

@testable import bench

struct FindingVerdictTests {
  /// The traces of two cases whose trials scatter by up to 3 %.
  private func traces(heavy: Double) -> FindingTraces {
    var random = SplitMix64(state: 5)
    let trace = { (load: Int, seconds: Double) in
      FindingTraces.Trace(
        work: "insert inline",
        load: load,
        seconds: (0..<60).map { _ in
          seconds * (1 + 0.03 * (Double(random.next() % 1000) / 500 - 1))
        }
      )
    }
    return FindingTraces([trace(40, 0.01), trace(160, heavy)])
  }

  @Test func `keeps trials as they were`() throws {
    let traces = traces(heavy: 0.04)
    let read = try #require(FindingTraces(csv: traces.csv))
    #expect(read.csv == traces.csv)
    #expect(read.traces[0].seconds.count == 60)
    #expect(FindingTraces(csv: "x\n") == nil)
  }

  @Test func `counts winners among equals and where there is more work`() {
    let verdicts = FindingVerdicts(traces: traces(heavy: 0.04))
    let nulls = verdicts.nulls()
    #expect(nulls.map(\.workloads) == [20, 12, 5])
    #expect(nulls.reduce(0) { $0 + $1.right + $1.wrong } <= 1)
    let injected = verdicts.injected()
    #expect(injected.map(\.workloads) == [20, 12, 5])
    #expect(injected.allSatisfy { $0.right == $0.workloads && $0.wrong == 0 })
  }

  @Test func `counts the wrong winner as one`() {
    let injected = FindingVerdicts(traces: traces(heavy: 0.002)).injected()
    #expect(injected.allSatisfy { $0.wrong == $0.workloads && $0.right == 0 })
  }
}
