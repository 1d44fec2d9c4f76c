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
      #expect(own.count(where: \.isFar) == 10)
      #expect(own.allSatisfy { !$0.isFar || $0.objects >= ladder.far })
      #expect(own.allSatisfy { (ladder.top * 2...ladder.farthest).contains($0.objects) })
    }
    #expect(cases.allSatisfy { (500...20_000).contains($0.cachePages) })
    #expect(Set(cases.map(\.isHeld)).count == 2)
    #expect(Set(cases.map(\.isLike)).count == 2)
  }

  @Test
  func `of thirty, fifteen are far and eight of them on quick ladders, within what is answered`() {
    let far = drawn().filter(\.isFar)
    #expect(far.count == 15)
    let quick = far.filter { $0.ladder == .quick }
    #expect(quick.count == 8 && quick.allSatisfy { (160_000..<640_000).contains($0.objects) })
    let full = far.filter { $0.ladder == .full }
    #expect(full.allSatisfy { (1_024_000..<3_200_000).contains($0.objects) })
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
    let verdict = Self.verdict(drawn, found)
    #expect(RegisteredVerdict(fields: verdict.fields) == verdict)
    // Observations that were written to a file and read again give the same verdict to the last
    // bit.
    #expect(verdict == Self.verdict(drawn, kept))
  }

  @Test func `a migration in proportion is held, one that turns quadratic beyond is not`() {
    var drawn = drawn(1)[0]
    drawn.ladder = .quick
    drawn.objects = 160_000
    let straight = Self.verdict(drawn, Self.observations(of: drawn) { 0.02 + 3e-5 * $0 })
    #expect(straight.isHeld)
    #expect(abs(straight.error ?? 1) < 0.1)
    let bent = Self.observations(of: drawn) { size in
      0.02 + 3e-5 * size * (size > 20_000 ? size / 20_000 : 1)
    }
    let missed = Self.verdict(drawn, bent)
    #expect(missed.isJudged && !missed.isHeld)
    #expect((missed.score ?? 0) > (straight.score ?? 9))
  }

  @Test func `a refusal is a miss, unless it was registered`() {
    var drawn = drawn(1)[0]
    drawn.ladder = .quick
    let refused = Self.verdict(
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

  @Test func `memory and disk are judged of what was registered for them, each by its own aims`()
    throws
  {
    let temporary = try TemporaryFolder()
    let folder = RegisteredFolder(path: temporary.path + "/draw")
    var (near, far) = (drawn(2)[0], drawn(2)[1])
    (near.number, near.ladder, near.objects) = (1, .quick, 64_000)
    (far.number, far.ladder, far.objects) = (2, .quick, 320_000)
    for drawn in [near, far] { try folder.draw.append(drawn) }
    try Self.observations(of: near) { 0.02 + 3e-5 * $0 }.write(in: folder.path)
    // Memory grows in proportion to the number of objects, but the largest store needs three times
    // as much disk space per object.
    try Self.observations(of: far, disk: { $0 < 100_000 ? $0 * 300 : $0 * 900 }) {
      0.02 + 3e-5 * $0
    }
    .write(in: folder.path)
    #expect(folder.resources == [.time])
    #expect(try folder.lines(of: folder.judged()).contains { $0.hasPrefix("held: 2 of 2") })
    try folder.verdicts(of: .memory).create()
    try folder.verdicts(of: .disk).create()
    let judged = try folder.judged()
    #expect(judged[.memory]?.map(\.isHeld) == [true, true])
    #expect(judged[.disk]?.map(\.isHeld) == [true, false])
    let lines = try folder.lines(of: judged)
    let row = { (name: String) in
      lines.first { $0.hasPrefix(name + " ") && $0.contains(" of ") }?.split(separator: " ")
        .dropFirst().joined(separator: " ")
    }
    #expect(row("memory") == "0 of 0 0 of 0 1 of 1 1 of 1 2 of 2 1 of 1")
    #expect(row("disk") == "0 of 0 0 of 0 1 of 1 0 of 1 1 of 2 0 of 1")
    #expect(
      lines.contains { $0.contains("held 1 of 2 (aim 2): missed; at 8 times the top or more") }
    )
    for (resource, verdicts) in judged {
      for verdict in verdicts { try folder.verdicts(of: resource).append(verdict) }
    }
    #expect(try folder.lines(of: folder.judged()).last?.hasPrefix("6 predictions equal") == true)
  }

  @Test func `the time to measure others follows from what was measured`() throws {
    let temporary = try TemporaryFolder()
    let folder = RegisteredFolder(path: temporary.path + "/draw")
    #expect(try RegisteredEstimate(from: folder) == nil)
    let cases = (0..<3).map { index in
      var drawn = drawn(3)[index]
      (drawn.number, drawn.ladder, drawn.objects) = (index + 1, .quick, 160_000)
      return drawn
    }
    for drawn in cases {
      try folder.draw.append(drawn)
      var kept = Self.observations(of: drawn) { 1e-4 * $0 }
      kept.environment.startedAt = "2026-11-23T19:0\(drawn.number):00Z"
      try kept.write(in: folder.path)
    }
    let estimate = try #require(try RegisteredEstimate(from: folder))
    let one = estimate.seconds(of: [cases[0]])
    // The judged migration takes three runs of 16 s and a ladder; migrations start a minute apart.
    #expect((50...100).contains(one), "\(one)")
    #expect(abs(estimate.seconds(of: cases) / one - 3) < 0.1)
  }

  @Test func `a table without measurements names what is to do`() {
    let lines = RegisteredReport(cases: drawn(3), verdicts: []).lines
    #expect(lines.count { $0.contains("to do") } == 3)
    #expect(lines.allSatisfy { $0.count <= 90 })
  }

  private static func verdict(
    _ drawn: RegisteredCase,
    _ kept: RegisteredObservations
  ) -> RegisteredVerdict {
    RegisteredVerdict.all([.time], of: drawn, kept)[0]
  }

  /// Returns the observations of a quick ladder without scatter, and of three runs at the judged
  /// size.
  private static func observations(
    of drawn: RegisteredCase,
    disk: (Double) -> Double = { $0 * 300 },
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
          peakMemory: 30e6 + size * 100,
          peakDisk: disk(size),
          storeBytes: size * 100
        )
      }
    )
  }
}
