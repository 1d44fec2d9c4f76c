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
}
