import Generators

/// How fast a store is generated.
struct GenerationRace {
  private static let rounds = 7
  private static let tasks = 20_000

  private let folder: BenchFolder

  init(_ folder: BenchFolder) {
    self.folder = folder
  }

  func print(to table: BenchTable) throws {
    let recipe = try BenchRecipe.read(tasks: Self.tasks)
    let contest = Contest(
      title: "objects generated, of all entities",
      rounds: Self.rounds,
      contestants: [
        .init(name: "store of \(Self.tasks) tasks") {
          try StoreGenerator(recipe).generate(at: folder.file("generated.sqlite")).objectCount
        }
      ]
    )
    table.print(try contest.results(), of: contest.title)
  }
}
