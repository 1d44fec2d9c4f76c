import Testing

@testable import Runner

struct FindingTests {
  @Test func `names the fastest of two with the ratio and its interval`() throws {
    var fixture = FindingFixture()
    fixture.add(["strategy": "eager"], seconds: 0.020)
    fixture.add(["strategy": "batched"], seconds: 0.010)
    let finding = try #require(fixture.findings().first)
    #expect(finding.topic == .fastest)
    #expect(finding.claim == "batched is the fastest strategy")
    #expect(FindingText.noun("steps", "chunks") == "way")
    #expect(FindingText.noun("strategies", "apart") == "strategy")
    let figure = try #require(finding.figures.first)
    #expect(figure.name == "time of eager / time of batched")
    let (lower, upper) = (try #require(figure.lower), try #require(figure.upper))
    #expect(lower < 2 && 2 < upper && lower > 1.5)
    #expect(finding.evidence.trials == 5)
    #expect(finding.evidence.confidence == TrialIntervals.confidence)
    #expect(finding.evidence.cases.count == 2)
  }

  @Test(arguments: [2, 3, 4, 5, 10])
  func `a ratio is that of the two medians that tables show`(trials: Int) throws {
    var fixture = FindingFixture(noise: 0.1)
    fixture.add(["strategy": "eager"], seconds: 5, memory: 9e7, trials: trials)
    fixture.add(["strategy": "batched"], seconds: 0.010, memory: 2e7, trials: trials)
    let findings = fixture.findings()
    for (topic, metric, most) in [
      (Finding.Topic.fastest, Metric.wallClock, 0), (.memory, .peakMemory, 0),
    ] {
      let figure = try #require(findings.first { $0.topic == topic }?.figures.first)
      let shown = try fixture.cases.map { try #require($0.sample(of: metric.name)?.median) }
      #expect(abs(figure.value / (shown[most] / shown[1 - most]) - 1) < 1e-9)
    }
  }

  @Test func `finds nothing in one trial`() {
    var fixture = FindingFixture()
    fixture.add(["strategy": "eager"], seconds: 0.020, trials: 1)
    fixture.add(["strategy": "batched"], seconds: 0.001, trials: 1)
    #expect(fixture.findings().isEmpty)
  }

  @Test func `finds nothing in results of earlier builds, which name no jobs`() {
    var workload = Fixture.workload("w")
    workload.cases = [
      Fixture.result("a", Fixture.sample(.wallClock, 1, 1)),
      Fixture.result("b", Fixture.sample(.wallClock, 2, 2)),
    ]
    #expect(FindingAnalysis(workload, Inquiry()).findings.isEmpty)
  }

  @Test func `says that it cannot tell where the trials scatter`() throws {
    var fixture = FindingFixture(noise: 0.2)
    fixture.add(["strategy": "eager"], seconds: 0.0102, trials: 3)
    fixture.add(["strategy": "batched"], seconds: 0.010, trials: 3)
    let finding = try #require(fixture.findings().first)
    #expect(finding.topic == .cannotTell)
    #expect(finding.claim.hasPrefix("The samples do not show which is the fastest of "))
    #expect(finding.detail.hasPrefix("Not decided after 3 rounds"))
    #expect(!finding.text.contains("%"))
  }

  @Test func `prints no interval that looks as if it had 1 in it`() {
    let figure = Finding.Figure(
      "time of a / time of b",
      metric: "wallClock",
      unit: .ratio,
      value: 1.04,
      lower: 1.01,
      upper: 1.07
    )
    #expect(FindingText.times(figure) == "1.04 times as long (1.01 to 1.07)")
  }

  @Test func `says what is slower even where the fastest two are not told apart`() throws {
    var fixture = FindingFixture(noise: 0.02)
    fixture.add(["strategy": "inline"], seconds: 0.100, trials: 5)
    fixture.add(["strategy": "externalStorage"], seconds: 0.0101, trials: 5)
    fixture.add(["strategy": "file"], seconds: 0.010, trials: 5)
    let finding = try #require(fixture.findings().first { $0.topic == .cannotTell })
    #expect(finding.detail.contains("; inline takes "), "\(finding.detail)")
    #expect(finding.detail.contains(" times as long (") && finding.evidence.cases.count == 3)
    let figure = try #require(finding.figures.first)
    #expect(figure.name.hasPrefix("time of inline / time of ") && figure.value > 8)
  }

  @Test func `says that there is no difference only where the interval is inside the margin`()
    throws
  {
    var fixture = FindingFixture(noise: 0.001)
    fixture.add(["strategy": "eager"], seconds: 0.01, trials: 15)
    fixture.add(["strategy": "batched"], seconds: 0.01, trials: 15)
    let finding = try #require(fixture.findings().first)
    #expect(finding.topic == .noDifference)
    #expect(finding.detail == "No difference above 3 % would have been missed")
    for figure in finding.figures {
      #expect(try #require(figure.lower) > 1 / 1.03 && #require(figure.upper) < 1.03)
    }
  }

  @Test func `lets alternatives that do the same work not compete`() {
    var fixture = FindingFixture(noise: 0.001)
    fixture.add(["strategy": "inline"], seconds: 0.010, method: "row")
    fixture.add(["strategy": "externalStorage"], seconds: 0.005, method: "row")
    #expect(fixture.findings().isEmpty)
    fixture.add(["strategy": "file"], seconds: 0.1, method: "file")
    let claims = fixture.findings().map(\.claim)
    #expect(claims.first == "inline is the fastest strategy")
    #expect(!fixture.findings()[0].detail.contains("externalStorage"))
  }

  @Test func `lets cases of different jobs not compete`() {
    var fixture = FindingFixture()
    fixture.add(["strategy": "eager"], seconds: 0.02, job: "read all")
    fixture.add(["strategy": "batched"], seconds: 0.01, job: "read some")
    #expect(fixture.findings().isEmpty)
  }

  @Test func `states the assumed behavior that a finding rests on`() throws {
    let assumed = Behaviour(name: "externalDataLoad", value: "onFetch", evidence: .assumed)
    let known = Behaviour(name: "layout", value: "1030", evidence: .file)
    var fixture = FindingFixture()
    fixture.add(["strategy": "inline"], seconds: 0.02, behaviours: [known])
    fixture.add(["strategy": "externalStorage"], seconds: 0.01, behaviours: [known, assumed])
    let finding = try #require(fixture.findings().first)
    #expect(finding.evidence.assumed == [assumed])
    #expect(
      finding.basis
        == "5 trials of each case; assumes externalDataLoad=onFetch"
    )
  }

  @Test func `compares a case in every setting that does not matter to it`() throws {
    var fixture = FindingFixture()
    fixture.add(["strategy": "eager"], seconds: 0.02)
    fixture.add(["strategy": "batched", "batchSize": "20"], seconds: 0.01)
    fixture.add(["strategy": "batched", "batchSize": "100"], seconds: 0.005)
    let claims = fixture.findings().map(\.claim)
    #expect(claims[0] == "batched is the fastest strategy in all 2 comparisons")
    #expect(claims.contains("batchSize=100 is the fastest setting"))
  }

  @Test func `names the fastest for each operation where it differs`() throws {
    var fixture = FindingFixture()
    for (operation, times) in [("insert", (0.01, 0.02)), ("list", (0.02, 0.01))] {
      let job = operation
      fixture.add(["operation": operation, "strategy": "inline"], seconds: times.0, job: job)
      fixture.add(["operation": operation, "strategy": "file"], seconds: times.1, job: job)
    }
    let finding = try #require(fixture.findings().first)
    #expect(finding.claim == "The fastest strategy depends on operation")
    #expect(finding.detail == "inline for insert; file for list")
  }

  @Test func `names only the conditions on which the fastest depends`() throws {
    var fixture = FindingFixture()
    for engine in ["objectGraph", "bareSQL"] {
      for (operation, inline) in [("insert", 0.01), ("list", 0.04)] {
        for (strategy, seconds) in [("inline", inline), ("file", 0.02)] {
          fixture.add(
            ["engine": engine, "operation": operation, "strategy": strategy],
            seconds: seconds,
            job: "\(engine) \(operation)"
          )
        }
      }
    }
    let finding = try #require(fixture.findings().first)
    #expect(finding.claim == "The fastest strategy depends on operation", "\(finding.text)")
  }

  @Test func `names the comparisons that are decided and those that are not`() throws {
    // Seed 7 instead of 1, with which noise alone makes the equal strategies differ.
    var fixture = FindingFixture(seed: 7)
    for (operation, file) in [("insert", 0.01), ("list", 0.02)] {
      fixture.add(["operation": operation, "strategy": "inline"], seconds: 0.02, job: operation)
      fixture.add(["operation": operation, "strategy": "file"], seconds: file, job: operation)
    }
    let finding = try #require(fixture.findings().first)
    #expect(finding.claim == "file is the fastest strategy for insert; no clear winner for list")
  }

  @Test func `states what a batch saves for the first screen and costs overall`() throws {
    var fixture = FindingFixture(noise: 0.005)
    fixture.add(["strategy": "eager"], seconds: 0.02, screen: 0.019)
    fixture.add(["strategy": "batched"], seconds: 0.03, screen: 0.0019)
    let finding = try #require(fixture.findings().first { $0.topic == .firstScreen })
    #expect(finding.claim == "batched shows the first screen 10 times sooner than eager")
    #expect(finding.detail.contains(" times); the whole work takes 1.5"))
    #expect(finding.detail.contains("instead of 19"))
    #expect(finding.detail.contains("the whole work takes 1.5"))
  }

  @Test func `a first screen that is a little sooner is not 1.0 times sooner`() throws {
    var fixture = FindingFixture(noise: 0.002)
    fixture.add(["strategy": "eager"], seconds: 0.02, screen: 0.0104)
    fixture.add(["strategy": "batched"], seconds: 0.02, screen: 0.01)
    let claim = try #require(fixture.findings().first { $0.topic == .firstScreen }).claim
    #expect(claim.hasPrefix("batched shows the first screen 1.0"), "\(claim)")
    #expect(!claim.contains(" 1.0 times "), "\(claim)")
  }

  @Test func `states who needs more memory, and how it grows`() throws {
    var fixture = FindingFixture()
    for size in [1024, 10_240, 102_400] {
      let job = "\(size)"
      let memory = 20e6 + Double(size) * 1000
      fixture.add(["size": job, "strategy": "inline"], seconds: 0.01, memory: memory, job: job)
      fixture.add(["size": job, "strategy": "file"], seconds: 0.01, memory: 20e6, job: job)
    }
    let finding = try #require(fixture.findings().first { $0.topic == .memory })
    #expect(finding.claim == "for size=102400, inline needs 6.1 times as much memory as file")
    #expect(finding.detail.contains("its memory grows 5.8 ("))
    #expect(finding.detail.hasSuffix("times while size grows 100 times"))
  }

  @Test func `names the phase that takes most of the time`() throws {
    var fixture = FindingFixture()
    fixture.add(["strategy": "a"], seconds: 1, phases: ["backup": 0.2, "migrate": 0.75])
    fixture.add(["strategy": "b"], seconds: 1, phases: ["backup": 0.3, "migrate": 0.65])
    let finding = try #require(fixture.findings().first { $0.topic == .phase })
    #expect(finding.claim == "The phase 'migrate' takes most of the time in every case")
    #expect(finding.detail == "65 % to 75 % of the time of each trial")
  }

  @Test func `a share that is the same in every trial stands once`() throws {
    var fixture = FindingFixture()
    fixture.add(["strategy": "a"], seconds: 1, phases: ["backup": 0.2, "migrate": 0.75])
    let finding = try #require(fixture.findings().first { $0.topic == .phase })
    #expect(finding.detail == "75 % of the time of each trial")
  }

  @Test func `names the only case in which a phase takes most of the time`() throws {
    var fixture = FindingFixture()
    fixture.add(["strategy": "a"], seconds: 1, phases: ["backup": 0.2, "migrate": 0.75])
    fixture.add(["strategy": "b"], seconds: 1)
    let finding = try #require(fixture.findings().first { $0.topic == .phase })
    #expect(finding.claim == "a: the phase 'migrate' takes most of the time")
  }

  @Test func `names what needs more memory before what the samples do not decide`() {
    var fixture = FindingFixture(noise: 0.2)
    fixture.add(["strategy": "eager"], seconds: 0.01, memory: 50e6)
    fixture.add(["strategy": "batched"], seconds: 0.01, memory: 20e6)
    #expect(fixture.findings().map(\.topic) == [.memory, .cannotTell])
  }

  private func document(_ topics: [String: [Finding.Topic]]) -> ResultDocument {
    var document = Fixture.document()
    document.workloads = topics.sorted { $0.key < $1.key }.map { name, topics in
      var workload = Fixture.workload(name)
      workload.findings = topics.enumerated().map { number, topic in
        Finding(
          topic: topic,
          workload: name,
          claim: "\(name)\(number)",
          evidence: Finding.Evidence(cases: [], trials: 3)
        )
      }
      return workload
    }
    return document
  }

  @Test func `opens a report with five findings at most, from every workload`() {
    let four = [Finding.Topic](repeating: .fastest, count: 4)
    let document = document(["a": four, "b": four, "c": four])
    #expect(document.leadingFindings.map(\.claim) == ["a0", "a1", "b0", "b1", "c0"])
  }

  @Test func `opens a report with the strongest answer, of whichever workload`() {
    let document = document([
      "a": [.cannotTell], "b": [.memory], "c": [.noDifference], "d": [.fastest],
      "e": [.recommendation, .crossover], "f": [.cannotTell],
    ])
    #expect(document.leadingFindings.map(\.claim) == ["e0", "d0", "c0", "b0", "a0"])
  }
}
