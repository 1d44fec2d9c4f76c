import Basics
import Foundation
import Runner
import TestSupport
import Testing

@testable import Forecasting
@testable import bench

@Suite struct RegisteredTests {
  private let choices = ["a.yaml", "b.yaml", "c.yaml"].flatMap { file in
    (0..<4).map { RegisteredDraw.Choice(file: file, id: "\(file)/case\($0)") }
  }
  private let commit = String(repeating: "0123456789abcdef", count: 3).prefix(40)

  private func drawn(_ count: Int = 30, commit: String? = nil) -> [RegisteredCase] {
    RegisteredDraw(commit: commit ?? String(self.commit)).cases(count, from: choices)
  }

  @Test func `a commit's hash draws the same migrations each time, another one others`() {
    #expect(drawn() == drawn())
    #expect(drawn() != drawn(commit: String(repeating: "f", count: 40)))
  }

  @Test func `half of the sizes lie at eight or more times the ladder's top, within its reach`() {
    let cases = drawn(40)
    for ladder in RegisteredCase.Ladder.allCases {
      let own = cases.filter { $0.ladder == ladder }
      #expect(own.count == 20)
      #expect(own.count { $0.objects >= ladder.top * 8 } >= 10)
      #expect(own.allSatisfy { (ladder.top * 2...ladder.farthest).contains($0.objects) })
    }
    #expect(cases.allSatisfy { (500...20_000).contains($0.cachePages) })
    #expect(Set(cases.map(\.isHeld)).count == 2)
    #expect(Set(cases.map(\.isLike)).count == 2)
  }

  @Test func `every file comes once before one comes again`() {
    let files = drawn(9).map(\.file)
    for start in [0, 3, 6] { #expect(Set(files[start..<start + 3]).count == 3) }
  }

  @Test func `draws, observations and verdicts are read as they were written`() throws {
    let folder = try TemporaryFolder()
    let drawn = drawn(3)[0]
    #expect(RegisteredCase(fields: drawn.fields) == drawn)
    let kept = Self.observations(of: drawn) { 0.02 + 3e-5 * $0 }
    try kept.write(in: folder.path)
    let found = try #require(try RegisteredObservations.read(drawn.number, in: folder.path))
    #expect(found.observations == kept.observations)
    let verdict = RegisteredVerdict(drawn, found)
    #expect(RegisteredVerdict(fields: verdict.fields) == verdict)
    // To the bit, also after the way through a file.
    #expect(verdict == RegisteredVerdict(drawn, kept))
  }

  @Test func `a migration in proportion is held, one that turns quadratic beyond is not`() {
    var drawn = drawn(1)[0]
    drawn.ladder = .quick
    drawn.objects = 160_000
    let straight = RegisteredVerdict(drawn, Self.observations(of: drawn) { 0.02 + 3e-5 * $0 })
    #expect(straight.isHeld)
    #expect(abs(straight.error ?? 1) < 0.1)
    let bent = Self.observations(of: drawn) { size in
      0.02 + 3e-5 * size * (size > 20_000 ? size / 20_000 : 1)
    }
    let missed = RegisteredVerdict(drawn, bent)
    #expect(missed.isJudged && !missed.isHeld)
    #expect((missed.score ?? 0) > (straight.score ?? 9))
  }

  @Test func `a refusal is a miss, unless it was registered`() {
    var drawn = drawn(1)[0]
    drawn.ladder = .quick
    let refused = RegisteredVerdict(
      drawn,
      RegisteredObservations(
        number: drawn.number,
        environment: .example,
        divisor: 1,
        failure: "at 1 object: a reason",
        observations: []
      )
    )
    #expect(!refused.refusal.isEmpty)
    let miss = RegisteredReport(cases: [drawn], verdicts: [refused]).lines
    #expect(miss.contains { $0.hasPrefix("held: 0 of 1") })
    drawn.isRefusalExpected = true
    let expected = RegisteredReport(cases: [drawn], verdicts: [refused]).lines
    #expect(expected.contains { $0.hasPrefix("held: 1 of 1") })
  }

  @Test func `a table without measurements names what is to do`() {
    let lines = RegisteredReport(cases: drawn(3), verdicts: []).lines
    #expect(lines.count { $0.contains("to do") } == 3)
    #expect(lines.allSatisfy { $0.count <= 90 })
  }

  /// A quick ladder without scatter, and three runs of the size that is judged.
  private static func observations(
    of drawn: RegisteredCase,
    _ seconds: (Double) -> Double
  ) -> RegisteredObservations {
    let sizes = (0...8).map { 1000 * pow(2, Double($0) / 2) }.flatMap { [$0, $0] }
    let all = sizes + Array(repeating: Double(drawn.objects), count: 3)
    return RegisteredObservations(
      number: drawn.number,
      environment: .example,
      divisor: 1,
      observations: all.enumerated().map { index, size in
        let size = size.rounded()
        let scatter = index.isMultiple(of: 2) ? 1.01 : 0.99
        return Observation(
          objects: ["Task": Int(size)],
          seconds: seconds(size) * scatter,
          storeBytes: size * 100
        )
      }
    )
  }
}
