import Basics
import Testing

@testable import Forecasting

struct ObservedRunTests {
  private let text = """
    # storebench observation
    duration_seconds,objects,device,work,case,store,run
    0.5,1000,"Phone, large",migration,m,a.sqlite,1
    0.1,1000,"Phone, large",fetch,f,a.sqlite,1
    # end
    """

  @Test func `reads what an app has printed`() throws {
    #expect(ObservedRun.isTable(text))
    #expect(!ObservedRun.isTable("duration_seconds,objects\n1,2"))
    let runs = try ObservedRun.read(csv: text, path: "a.csv")
    #expect(runs.map(\.seconds) == [0.5, 0.1])
    #expect(runs.map(\.work) == ["migration", "fetch"])
    #expect(runs[0].device == "Phone, large")
  }

  @Test func `a forecast takes migrations alone`() throws {
    let shape = EntityShape(smaller: ["A": 1], larger: ["A": 2])
    let found = try ObservedMigration.read(csv: text, path: "a.csv", shape: shape)
    #expect(found.map(\.seconds) == [0.5])
    let fetches = text.replacing(",migration,", with: ",fetch,")
    #expect(throws: Refusal.empty(path: "a.csv")) {
      try ObservedMigration.read(csv: fetches, path: "a.csv", shape: shape)
    }
  }

  @Test(
    arguments: zip(
      ["seconds,a_count,b_count\n2,0,0", "seconds,bytes\n2,3", "seconds,bytes\n0,4096"],
      ["'a_count' with 'b_count'", "'bytes'", "'seconds'"]
    )
  )
  func `a migration of nothing, or without a time, is refused by its columns`(
    csv: String,
    columns: String
  ) throws {
    let shape = EntityShape(smaller: ["A": 1, "B": 1], larger: ["A": 2, "B": 2])
    let refusal = try #require(throws: Refusal.self) {
      try ObservedMigration.read(csv: csv, path: "a.csv", shape: shape)
    }
    #expect("\(refusal)".contains("line 2: \(columns) must be"), "\(refusal)")
  }
}
