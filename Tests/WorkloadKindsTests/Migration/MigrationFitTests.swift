import DataModel
import Runner
import Testing

@testable import WorkloadKinds

/// Tests the refusal to copy objects that an object context cannot make.
struct MigrationFitTests {
  private static func obstacle(
    _ values: [String: ParameterValue],
    isRequired: Bool = false,
    oneSided: Set<String> = []
  ) -> String? {
    let cover = Relationship(
      name: "cover",
      destination: "Cover",
      inverse: "book",
      isOptional: !isRequired
    )
    let model = Model(entities: [
      Entity(name: "Book", relationships: [cover]),
      Entity(
        name: "Cover",
        relationships: [Relationship(name: "book", destination: "Book", inverse: "cover")]
      ),
    ])
    let defaults = Dictionary(MigrationWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
    var fit = CaseFit(
      ParameterValues(defaults.merging(values) { $1 }),
      models: ModelFiles(folder: "")
    )
    let counts = ["Book": 3, "Cover": 3]
    MigrationWorkload.fit(
      &fit,
      to: StoreOffer(model: model, counts: counts, isMade: true, oneSided: oneSided)
    )
    return fit.obstacle
  }

  @Test(arguments: ["sideBySide", "exportImport", "gradual"])
  func `what is saved before it is led anywhere may not have to lead somewhere`(strategy: String) {
    let values: [String: ParameterValue] = ["strategy": .text(strategy)]
    #expect(Self.obstacle(values) == nil)
    #expect(
      Self.obstacle(values, isRequired: true)
        == "copies are saved before their relationships are set, and 'Book.cover' is required: use "
        + "'batchSize: 0' with 'sideBySide' or 'exportImport'"
    )
  }

  @Test func `one save of everything, and rows, may have what is required`() {
    let copy: [String: ParameterValue] = ["strategy": .text("sideBySide")]
    for values: [String: ParameterValue] in [
      ["batchSize": .integer(0)], ["engine": .text("bareSQL")],
    ] {
      #expect(Self.obstacle(copy.merging(values) { $1 }, isRequired: true) == nil)
    }
  }

  @Test(arguments: ["sideBySide", "exportImport", "gradual"], [1000, 0])
  func `sides that differ are kept by no object graph`(strategy: String, batchSize: Int) {
    #expect(
      Self.obstacle(
        ["strategy": .text(strategy), "batchSize": .integer(batchSize)],
        oneSided: ["Cover.book"]
      )
        == "in this store the two sides of the one-to-one 'Cover.book' are inconsistent; the object "
        + "context would repair them, so use the engine 'bareSQL'"
    )
  }

  @Test(arguments: [
    ["strategy": "sideBySide", "engine": "bareSQL"], ["strategy": "lightweight"],
  ])
  func `sides that differ are columns to whatever copies rows`(names: [String: String]) {
    #expect(
      Self.obstacle(names.mapValues { .text($0) }, oneSided: ["Cover.book", "Book.cover"]) == nil
    )
  }
}
