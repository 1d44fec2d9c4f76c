import Testing

@testable import Runner

@Suite struct AssumedWorldsTests {
  private static func load(_ value: String) -> Behaviour {
    Behaviour(
      name: "dataLoad",
      value: value,
      evidence: .assumed,
      parameter: "dataLoad",
      alternatives: ["onAccess", "onFetch"].filter { $0 != value }
    )
  }

  private func findings(external: [(load: String, seconds: Double)]) -> [Finding] {
    var fixture = FindingFixture()
    fixture.add(["strategy": "file"], seconds: 0.01)
    for (load, seconds) in external {
      fixture.add(
        ["strategy": "externalStorage", "dataLoad": load],
        seconds: seconds,
        behaviours: [Self.load(load)]
      )
    }
    return fixture.findings()
  }

  @Test func `keeps a finding that is the same with every choice`() throws {
    let found = findings(external: [("onAccess", 0.02), ("onFetch", 0.04)])
    let first = try #require(found.first)
    #expect(first.claim == "file is the fastest strategy")
    #expect(first.topic == .fastest)
    #expect(first.basis == "5 trials of each case; the same with dataLoad=onFetch")
    #expect(first.detail.contains("; with onFetch 4."))
  }

  @Test func `gives no second ratio where another choice leaves it in the interval`() throws {
    let found = findings(external: [("onAccess", 0.02), ("onFetch", 0.02)])
    #expect(try #require(found.first).detail.contains("with onFetch") == false)
  }

  @Test func `makes none of a finding that another choice turns round`() throws {
    let found = findings(external: [("onAccess", 0.005), ("onFetch", 0.04)])
    let first = try #require(found.first)
    #expect(first.topic == .dependsOn)
    #expect(
      first.claim
        == "external storage is the fastest strategy, if dataLoad=onAccess, which is assumed"
    )
    #expect(first.detail.contains("with onFetch file is the fastest strategy"))
  }

  @Test func `what another choice shows continues the sentence`() throws {
    var fixture = FindingFixture()
    for (load, migrate) in [("onAccess", 0.75), ("onFetch", 0.2)] {
      for strategy in ["a", "b"] {
        fixture.add(
          ["strategy": strategy, "dataLoad": load],
          seconds: 1,
          phases: ["backup": 0.95 - migrate, "migrate": migrate],
          behaviours: [Self.load(load)]
        )
      }
    }
    let finding = try #require(fixture.findings().first { $0.claim.hasPrefix("The phase") })
    #expect(
      finding.detail.contains("; with onFetch the phase 'backup' takes most of the time in every"),
      "\(finding.text)"
    )
  }

  @Test func `makes none of a finding whose assumption ran one way only`() throws {
    let found = findings(external: [("onAccess", 0.005)])
    let first = try #require(found.first)
    #expect(first.topic == .dependsOn)
    #expect(first.detail.contains("dataLoad ran one way only"))
    #expect(first.detail.contains("'assumptions: varied'"))
  }

  @Test func `never compares two choices of an assumption`() {
    let found = findings(external: [("onAccess", 0.02), ("onFetch", 0.04)])
    #expect(!found.contains { $0.claim.contains("dataLoad=") })
  }
}
