import DataModel
import Testing

@Suite struct ModelWriterTests {
  @Test func `writes everything of a model, and reads it back equal`() throws {
    let text = ModelWriter.text(of: everythingModel)
    let read = try ModelFile.parse(text, file: "m.yaml").model
    #expect(read == everythingModel)
    #expect(ModelWriter.text(of: read) == text)
  }

  @Test func `leaves out what has its default`() {
    let entity = Entity(
      name: "Task",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [
        Relationship(name: "list", destination: "List", inverse: "tasks", deleteRule: .deny)
      ],
      fetchIndexes: [
        FetchIndex(name: "byTitle", elements: [.init(property: "title", isAscending: false)])
      ],
      uniquenessConstraints: [["title"]]
    )
    #expect(
      ModelWriter.text(of: Model(entities: [entity])) == """
        entities:
          Task:
            attributes:
              title: string
            relationships:
              list: { to: List, inverse: tasks, delete: deny }
            unique: [[title]]
            indexes:
              byTitle: [-title]

        """
    )
  }

  @Test(arguments: [
    ("2001-01-01T00:00:00Z", 0), ("2001-01-01", 0), ("2000-12-31T23:59:59Z", -1),
    ("1970-01-01T00:00:00Z", -978_307_200), ("2026-04-01T12:30:00Z", 796_739_400),
    ("0000-01-01T00:00:00Z", -63_145_526_400), ("9999-12-31T23:59:59Z", 252_423_993_599),
    ("2024-02-29T00:00:00Z", 730_857_600),
  ])
  func `counts the seconds of a date from 2001`(text: String, seconds: Int64) {
    #expect(ReferenceDate.seconds(iso8601: text) == seconds)
    let written = ReferenceDate.iso8601(seconds: seconds)
    #expect(written?.prefix(text.count) == text[...])
  }

  @Test(arguments: [
    "2023-02-29T00:00:00Z", "2026-13-01", "2026-00-01", "2026-04-01T24:00:00Z", "2026-04-31",
    "26-04-01", "2026-04-01T12:00:00", "2026-04-01 12:00:00Z", "",
  ])
  func `refuses what is no date`(text: String) {
    #expect(ReferenceDate.seconds(iso8601: text) == nil)
  }
}
