import DataModel
import Testing

@testable import Generators

/// Tests rules that connect attributes of the same object or of related objects.
struct RelatedValueTests {
  private static let model = """
    Task:
      attributes:
        createdAt: { type: date, optional: false }
        doneAt: date
        changedAt: date
        dueAt: date
        isDone: { type: boolean, optional: false }
        name: { type: string, optional: false }
      relationships: { steps: { to: Step, many: true, inverse: task }, tags: { to: Tag, many: true, inverse: tasks } }
    Step:
      attributes:
        createdAt: { type: date, optional: false }
        isDone: { type: boolean, optional: false }
        place: integer32
        taskName: string
      relationships: { task: { to: Task, inverse: steps } }
    Tag:
      attributes: { name: string }
      relationships: { tasks: { to: Task, many: true, inverse: tags } }
    """

  private static let recipe = """
    period: [2024-01-01, 2025-01-01]
    entities:
      Task:
        count: 500
        edited: changedAt
        attributes:
          createdAt: { date: { ordered: true } }
          isDone: { chance: 0.5 }
          doneAt: { date: { after: createdAt, days: { exponential: 90 } }, when: isDone }
          changedAt: { date: { after: [createdAt, doneAt], days: { exponential: 30 }, atOnce: 0.4 } }
          dueAt: { date: { after: createdAt, days: { exponential: 90 }, future: true } }
      Step:
        count: 3_000
        attributes:
          createdAt: { date: { after: task.createdAt } }
          isDone: { consistentWith: { attribute: task.isDone, values: { true: true }, otherwise: { chance: 0.2 } } }
          place: { position: task }
          taskName: { sameAs: task.name }
        relationships: { task: { zipfian: 0.5, null: 0.1 } }
      Tag: { count: 4 }
    """

  private func dataset(_ recipe: String = recipe) throws -> Dataset {
    try Dataset(Recipes.make(model: Self.model, recipe))
  }

  private func number(_ value: Value) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }

  @Test func `children follow their parents' values`() throws {
    let dataset = try dataset()
    var (orphans, places): (Int, [Int: Set<Int64>]) = (0, [:])
    for row in 0..<3_000 {
      func own(_ name: String) throws -> Value {
        try dataset.value(entity: "Step", row: row, attribute: name)
      }
      guard let task = try dataset.target(entity: "Step", row: row, relationship: "task")?.row
      else {
        orphans += 1
        #expect(try number(own("createdAt")) != nil)
        #expect(try own("taskName") == .null)
        continue
      }
      func above(_ name: String) throws -> Value {
        try dataset.value(entity: "Task", row: task, attribute: name)
      }
      #expect(try number(own("createdAt")) ?? 0 >= number(above("createdAt")) ?? .infinity)
      #expect(try own("taskName") == above("name"))
      if try above("isDone") == .integer(1) { #expect(try own("isDone") == .integer(1)) }
      if case .integer(let place) = try own("place") {
        #expect(places[task, default: []].insert(place).inserted)
      }
    }
    #expect(orphans == 300)
  }

  @Test func `nothing but what may be is of the future`() throws {
    let dataset = try dataset()
    let end = Double(try #require(ReferenceDate.seconds(iso8601: "2025-01-01")))
    var (late, atOnce) = (0, 0)
    for row in 0..<500 {
      func own(_ name: String) throws -> Double? {
        try number(dataset.value(entity: "Task", row: row, attribute: name))
      }
      let created = try #require(try own("createdAt"))
      let changed = try #require(try own("changedAt"))
      let done = try own("doneAt")
      #expect(changed <= end && done ?? 0 <= end)
      #expect(changed >= max(created, done ?? 0))
      if changed == max(created, done ?? 0) { atOnce += 1 }
      if try own("dueAt") ?? 0 > end { late += 1 }
      var cell = Cell()
      let saves = try dataset.entity("Task").saves?.count(row: row, &cell)
      #expect((saves ?? 0 > 1) == (changed > created))
    }
    #expect(late > 50)
    #expect((150...250).contains(atOnce))
  }

  @Test(arguments: [
    (
      "createdAt: { date: { ordered: true } }", "createdAt: { date: { after: steps.createdAt } }",
      "Task has no to-one relationship 'steps'"
    ),
    (
      "taskName: { sameAs: task.name }", "taskName: { sameAs: task.title }",
      "the target of 'task' has no string attribute 'title'"
    ),
    (
      "taskName: { sameAs: task.name }", "taskName: { sameAs: tusk.name }",
      "Step has no to-one relationship 'tusk'; did you mean 'task'?"
    ),
    (
      "doneAt: { date: { after: createdAt,", "doneAt: { date: { after: dueAt,",
      "'doneAt' of Task cannot follow 'dueAt', which may lie after the end of the period, and lie "
        + "within it; give it 'future: true'"
    ),
    (
      "taskName: { sameAs: task.name }", "taskName: { template: \"{name}\" }",
      "Step has no other text attribute 'name'"
    ),
    (
      "taskName: { sameAs: task.name }", "taskName: { step: { of: task, texts: [] } }",
      "'texts' must be a list of texts, each of one line"
    ),
    (
      "taskName: { sameAs: task.name }", "taskName: { step: { of: task, texts: [one, \"\"] } }",
      "'texts' must be a list of texts, each of one line"
    ),
    (
      "taskName: { sameAs: task.name }", "taskName: { template: \"{name\" }",
      "'template' has a brace that is not closed"
    ),
    (
      "edited: changedAt", "edited: createdAt",
      "'edited' of Task needs a date that follows another: give 'createdAt' a date 'after'"
    ),
    (
      "otherwise: { chance: 0.2 }", "otherwise: { chance: 0.2, null: 0.5 }",
      "'null' belongs beside the generator of isDone, not within it"
    ),
    (
      "Tag: { count: 4 }",
      "Tag: { count: 4, relationships: { tasks: { count: { constant: 600 } } } }",
      "Tag.tasks asks for 600 targets of each object, and there are 500"
    ),
  ])
  func `a rule that cannot hold is refused`(written: String, instead: String, problem: String)
    throws
  {
    let recipe = Self.recipe.replacing(written, with: instead)
    #expect(recipe != Self.recipe)
    let problems = try Recipes.problems(model: Self.model, recipe)
    #expect(problems.contains { $0.hasSuffix(problem) }, "\(problems)")
  }

  @Test func `objects of one kind do not depend on each other in a circle`() throws {
    let problems = try Recipes.problems(
      model: """
        Folder:
          attributes: { madeAt: date }
          relationships:
            parent: { to: Folder, inverse: children }
            children: { to: Folder, many: true, inverse: parent }
        """,
      """
      entities:
        Folder: { count: 9, attributes: { madeAt: { date: { after: parent.madeAt } } } }
      """
    )
    #expect(problems.contains { $0.contains("'madeAt' of Folder depends on itself") })
  }

  @Test func `a smaller store has what there is, and says so`() throws {
    let recipe = Self.recipe.replacing(
      "Tag: { count: 4 }",
      with: "Tag: { count: 4, relationships: { tasks: { count: { constant: 100 } } } }"
    )
    let options = RecipeFile.Options(objects: ["Task": 20])
    let made = try Recipes.make(model: Self.model, recipe, options: options)
    #expect(
      made.notes.contains(
        "Tag.tasks asks for 100 targets of each object; in this smaller store there are 20"
      )
    )
    #expect(try Recipes.make(model: Self.model, recipe).notes == [])
  }

  @Test func `sums and targets' values are derived, in whatever order entities are made`() throws {
    let dataset = try Dataset(
      Recipes.make(
        model: """
          Album:
            attributes:
              name: { type: string, optional: false }
              seconds: { type: integer64, derivation: "songs.@sum.length" }
            relationships: { songs: { to: Song, many: true, inverse: album } }
          Song:
            attributes:
              length: { type: integer32, optional: false }
              albumName: { type: string, derivation: "album.name" }
            relationships: { album: { to: Album, inverse: songs } }
          """,
        "entities: { Album: { count: 20 }, Song: { count: 300 } }"
      )
    )
    var sums = [Int64](repeating: 0, count: 20)
    for row in 0..<300 {
      let album = try dataset.target(entity: "Song", row: row, relationship: "album")?.row
      let own = try dataset.value(entity: "Song", row: row, attribute: "albumName")
      guard let album else { continue }
      #expect(try own == dataset.value(entity: "Album", row: album, attribute: "name"))
      if case .integer(let length) = try dataset.value(
        entity: "Song",
        row: row,
        attribute: "length"
      ) {
        sums[album] += length
      }
    }
    for row in 0..<20 {
      let sum = try dataset.value(entity: "Album", row: row, attribute: "seconds")
      #expect(sum == .integer(sums[row]))
    }
  }

  @Test func `a value can depend on whether two dates are one, and a text hold others`() throws {
    let dataset = try self.dataset(
      Self.recipe.replacing(
        "isDone: { chance: 0.5 }",
        with: "isDone: { chance: 0.5 }\n      name: { consistentWith: { attribute: changedAt, "
          + "values: { createdAt: { constant: new } }, otherwise: { constant: old } } }"
      )
    )
    var seen: Set<Value> = []
    for row in 0..<500 {
      func own(_ name: String) throws -> Value {
        try dataset.value(entity: "Task", row: row, attribute: name)
      }
      let name = try own("name")
      seen.insert(name)
      #expect(try name == .text(own("changedAt") == own("createdAt") ? "new" : "old"))
    }
    #expect(seen.count == 2)
  }

  @Test func `a template holds other texts and the number of the object`() throws {
    let dataset = try Dataset(
      Recipes.make(
        model: "Trip: { attributes: { name: string, town: string }, unique: [[name]] }",
        """
        entities:
          Trip:
            count: 50
            attributes: { town: city, name: { template: "{number}. To {town}!" } }
        """
      )
    )
    for row in 0..<50 {
      guard case .text(let town) = try dataset.value(entity: "Trip", row: row, attribute: "town")
      else { continue }
      let name = try dataset.value(entity: "Trip", row: row, attribute: "name")
      #expect(name == .text("\(row + 1). To \(town)!"))
    }
  }

  @Test func `what is saved twice at once follows its original, seconds later`() throws {
    let dataset = try self.dataset(
      Self.recipe.replacing(
        "edited: changedAt",
        with: "edited: changedAt\n"
          + "    duplicates: { key: name, rate: 0.1, likeness: { syncRetry: 1, doubleTap: 1 }, own: [createdAt] }"
      ).replacing("isDone: { chance: 0.5 }", with: "isDone: { chance: 0.5 }\n      name: label")
    )
    let clusters = try #require(try dataset.entity("Task").duplicates)
    var seen: Set<Likeness> = []
    for cluster in clusters.clusters {
      for copy in cluster.dropFirst() {
        let likeness = try #require(clusters.likeness(of: copy))
        seen.insert(likeness)
        #expect(cluster.last == cluster[0] + cluster.count - 1)
        func time(_ row: Int) throws -> Double {
          try #require(number(dataset.value(entity: "Task", row: row, attribute: "createdAt")))
        }
        let delay = try time(copy) - time(cluster[0])
        #expect(likeness == .syncRetry ? delay == 0 : delay > 0 && delay < 3)
      }
    }
    #expect(seen == [.syncRetry, .doubleTap])
    #expect(clusters.clusters.reduce(0) { $0 + $1.count - 1 } == 50)
  }
}
