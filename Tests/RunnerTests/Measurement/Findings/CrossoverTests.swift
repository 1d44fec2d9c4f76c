import Basics
import Testing

@testable import Runner

struct CrossoverTests {
  private static let sizes = [1024.0, 4096, 16_384, 65_536, 262_144, 1_048_576]

  private func fixture(
    noise: Double = 0.02,
    operation: String = "readOne",
    in given: FindingFixture? = nil,
    _ times: [String: (Double) -> Double]
  ) -> FindingFixture {
    var fixture = given ?? FindingFixture(noise: noise)
    for size in Self.sizes {
      for (strategy, time) in times.sorted(by: { $0.key < $1.key }) {
        let value = size.shortest
        fixture.add(
          ["operation": operation, "size": value, "strategy": strategy],
          seconds: time(size),
          job: "\(operation) \(value)"
        )
      }
    }
    return fixture
  }

  @Test func `finds the size at which another alternative becomes the fastest`() throws {
    let map = try #require(
      fixture(["inline": { $0 * 1e-6 }, "file": { _ in 32_768e-6 }]).analysis().leads.first
    )
    #expect(map.parameter == "size")
    #expect(map.unit == .bytes)
    #expect(map.sizes == Self.sizes)
    let change = try #require(map.rows.first?.changes.first)
    #expect(map.rows.first?.changes.count == 1)
    #expect(change.from == "inline" && change.to == "file")
    #expect(change.lower < 32_768 && 32_768 < change.upper)
    #expect(change.lower > 16_384 && change.upper < 65_536)
    #expect(map.rows[0].cells.first?.leaders == ["inline"])
    #expect(map.rows[0].cells.last?.leaders == ["file"])
  }

  @Test func `finds several changes`() throws {
    let analysis = fixture([
      "inline": { $0 < 10_000 ? 0.01 : $0 > 200_000 ? 0.01 : 0.04 }, "file": { _ in 0.02 },
    ]).analysis()
    let changes = try #require(analysis.leads.first?.rows.first?.changes)
    #expect(changes.map(\.from) == ["inline", "file"])
    #expect(changes.map(\.to) == ["file", "inline"])
    let finding = try #require(analysis.findings.first)
    #expect(finding.topic == .crossover)
    #expect(finding.detail.contains(", then file up to "))
    #expect(finding.detail.hasSuffix(", then inline"))
  }

  @Test func `names all that may be the fastest on a side of a change`() throws {
    let analysis = fixture([
      "inline": { $0 < 100_000 ? 0.01 : 0.05 }, "separateEntity": { $0 < 100_000 ? 0.01 : 0.05 },
      "file": { _ in 0.03 },
    ]).analysis()
    let change = try #require(analysis.leads.first?.rows.first?.changes.first)
    #expect(change.fromLeaders?.sorted() == ["inline", "separateEntity"])
    #expect(change.toLeaders == ["file"])
    let detail = try #require(analysis.findings.first).detail
    #expect(
      detail.contains("inline or separate entity (not told apart) up to ")
        || detail.contains("separate entity or inline (not told apart) up to "),
      "\(detail)"
    )
    #expect(detail.hasSuffix(", then file"))
  }

  @Test func `counts combinations where other parameters than the operation vary`() throws {
    var fixture = FindingFixture()
    for durability in ["commit", "power"] {
      for size in Self.sizes {
        for (strategy, seconds) in [("inline", size * 1e-6), ("file", 32_768e-6)] {
          fixture.add(
            ["durability": durability, "size": size.shortest, "strategy": strategy],
            seconds: seconds,
            job: "\(durability) \(size)"
          )
        }
      }
    }
    let claim = try #require(fixture.findings().first).claim
    #expect(
      claim == "The fastest strategy changes with size for 2 of 2 combinations: "
        + "durability=commit, durability=power"
    )
  }

  @Test(arguments: [["0", "20", "1000"], ["0.1", "0.5", "0.9"]])
  func `sweeps from 0 and of fractions have sizes in their range`(values: [String]) throws {
    var fixture = FindingFixture()
    for (place, value) in values.enumerated() {
      for (strategy, seconds) in [("fetchChunk", 0.01), ("upsert", place == 0 ? 0.02 : 0.005)] {
        fixture.add(["present": value, "strategy": strategy], seconds: seconds, job: value)
      }
    }
    let change = try #require(fixture.analysis().leads.first?.rows.first?.changes.first)
    let ends = try [values[0], values[2]].map { try #require(Double($0)) }
    for size in [change.size, change.lower, change.upper] {
      #expect((ends[0]...ends[1]).contains(size), "\(size)")
    }
    #expect(change.size > ends[0])
  }

  @Test func `names only the operations of a mix that were added up`() throws {
    var inquiry = FindingFixture.inquiry
    inquiry.mix = OperationMix(weights: ["insert": 1, "list": 2, "delete": 5])
    let times = ["inline": { (size: Double) in size * 1e-6 }, "file": { (_: Double) in 0.03 }]
    let inserts = fixture(operation: "insert", times)
    let found = fixture(operation: "list", in: inserts, times).findings(inquiry)
    let finding = try #require(found.first { $0.claim.contains("mix of operations") })
    #expect(finding.detail.hasPrefix("The mix is 2 list, 1 insert; "), "\(finding.detail)")
  }

  @Test func `finds none where one leads throughout, and where the trials scatter`() throws {
    let clear = fixture(["inline": { _ in 0.01 }, "file": { _ in 0.03 }]).analysis()
    #expect(clear.leads.first?.rows.first?.changes == [])
    #expect(clear.findings.first?.detail == "inline at every size")
    #expect(
      clear.findings.first?.claim
        == "The fastest strategy does not change with size in the measured range"
    )
    let noisy = fixture(
      noise: 0.4,
      ["inline": { 0.01 * pow($0 / 32_768, 0.05) }, "file": { _ in 0.01 }]
    ).analysis()
    #expect(noisy.leads.first?.rows.first?.changes == [])
    #expect(noisy.findings.first?.topic == .cannotTell)
    #expect(
      noisy.findings.first?.claim == "The samples do not show that the fastest strategy changes "
        + "with size"
    )
  }

  @Test func `ends the interval with the range where nothing excludes it`() {
    let points = [(0.0, -0.2), (1, 0.1), (2, 0.2)].map {
      CrossingPoint(size: $0.0, difference: .init(estimate: $0.1, halfWidth: 0.5))
    }
    let crossing = Crossing(points, near: 1)
    #expect(abs(crossing.estimate - 2.0 / 3) < 1e-9)
    #expect(crossing.lower == 0 && crossing.upper == 2)
  }

  @Test func `leaves an alternative out that is another one up to a threshold`() throws {
    var fixture = FindingFixture()
    for size in Self.sizes {
      let job = size.shortest
      let isRow = size < 100_000
      let times = [
        "inline": size * 1e-6, "file": 32_768e-6,
        "externalStorage": isRow ? size * 1e-6 : 32_768e-6,
      ]
      for (strategy, time) in times.sorted(by: { $0.key > $1.key }) {
        let method = strategy == "inline" || strategy == "externalStorage" && isRow ? "row" : nil
        fixture.add(["size": job, "strategy": strategy], seconds: time, job: job, method: method)
      }
    }
    let row = try #require(fixture.analysis().leads.first?.rows.first)
    #expect(row.changes.map { [$0.from, $0.to] } == [["inline", "file"]])
    #expect(row.cells[0].medians.keys.sorted() == ["file", "inline"])
    #expect(row.cells[5].medians.keys.sorted() == ["externalStorage", "file", "inline"])
  }

  @Test func `recommends nothing at sizes where the trials tell nothing apart`() throws {
    var inquiry = FindingFixture.inquiry
    inquiry.mix = OperationMix(weights: ["insert": 1, "list": 2])
    func claim(_ inline: @escaping (Double) -> Double) throws -> (String, Finding.Topic) {
      let times = ["inline": inline, "file": { (_: Double) in 0.01 }]
      let inserts = fixture(noise: 0.2, operation: "insert", times)
      let found = fixture(operation: "list", in: inserts, times).findings(inquiry)
      let finding = try #require(found.first { $0.claim.contains("mix of operations") })
      return (finding.claim, finding.topic)
    }
    // Inline storage is as fast as files up to 4 KB and ten times as slow from 16 KB.
    let (partly, topic) = try claim { $0 < 10_000 ? 0.01 : 0.1 }
    #expect(partly.hasPrefix("For the mix of operations, use file from "))
    #expect(partly.contains("; not decided: file or inline up to "))
    #expect(topic == .recommendation)
    let (open, none) = try claim { _ in 0.01 }
    #expect(
      open == "The samples do not show which strategy to use for the mix of operations: "
        + "file or inline at every size"
    )
    #expect(none == .cannotTell)
  }

  @Test func `prefers the simplest of the ways that are as good, and holds guides against them`()
    throws
  {
    var inquiry = FindingFixture.inquiry
    inquiry.mix = OperationMix(weights: ["insert": 1, "list": 1])
    inquiry.guide = LeadMap.Guide(
      simplest: ["inline", "externalStorage", "file"],
      rule: [.init("inline", upTo: 20_000), .init("file")]
    )
    func finding(_ inline: @escaping (Double) -> Double, noise: Double = 0.002) throws -> Finding {
      let times = [
        "inline": inline, "file": { _ in 0.01 }, "externalStorage": { (_: Double) in 0.01 },
      ]
      let inserts = fixture(noise: noise, operation: "insert", times)
      let found = fixture(operation: "list", in: inserts, times).findings(inquiry)
      return try #require(found.first { $0.claim.contains("mix of operations") })
    }
    let always = try finding { _ in 0.01 }
    #expect(
      always.claim == "For the mix of operations, use inline at every size (external storage and "
        + "file are as good)"
    )
    #expect(always.detail.contains("; the guides' rule (inline up to "))
    #expect(always.detail.contains(", file above) is as good at "))
    #expect(!always.detail.contains("slower at") && !always.detail.contains("not decided at"))
    let partly = try finding { $0 < 10_000 ? 0.01 : 0.012 }
    #expect(partly.claim.hasPrefix("For the mix of operations, use inline up to "))
    #expect(partly.claim.contains(", external storage from "))
    #expect(partly.claim.hasSuffix(" on (file is as good)"))
    #expect(partly.detail.contains(", slower at 16"))
    let open = try finding({ _ in 0.01 }, noise: 0.3)
    #expect(open.topic == .cannotTell)
    #expect(open.detail.contains(" is not decided at "))
  }

  @Test func `recommends one alternative for a mix of operations`() throws {
    var fixture = fixture(operation: "insert", ["inline": { _ in 0.01 }, "file": { _ in 0.02 }])
    fixture = self.fixture(
      operation: "list",
      in: fixture,
      ["inline": { $0 * 1e-7 }, "file": { _ in 0.001 }]
    )
    var inquiry = FindingFixture.inquiry
    inquiry.mix = OperationMix(weights: ["insert": 1, "list": 20])
    let finding = try #require(fixture.findings(inquiry).first { $0.topic == .recommendation })
    #expect(finding.claim.hasPrefix("For the mix of operations, use inline up to "))
    #expect(finding.claim.contains(", file from ") && finding.claim.hasSuffix(" on"))
    #expect(
      finding.detail.hasPrefix(
        "The mix is 20 list, 1 insert; times are added up in these proportions; the fastest "
          + "strategy is inline up to "
      )
    )
    #expect(finding.detail.hasSuffix(", then file"))
    #expect(fixture.findings(inquiry).first == finding)
    // Blobs of s bytes cost 10 + 20 · s / 10,000 ms inline and 20 + 20 · 1 ms in files, which is
    // equal at s = 15,000, interpolated between 4,096 and 16,384.
    let figure = try #require(finding.figures.first)
    #expect(try #require(figure.lower) < 15_000 && 15_000 < #require(figure.upper))
    inquiry.mix = OperationMix(weights: ["insert": 1, "delete": 20])
    #expect(!fixture.findings(inquiry).contains { $0.topic == .recommendation })
  }
}
