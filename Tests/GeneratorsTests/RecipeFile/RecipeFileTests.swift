import Basics
import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Generators

struct RecipeFileTests {
  private static let names = [
    "tasks", "trips", "catalog", "feed", "feed-external", "feed-file", "feed-entity", "feed-small",
  ]

  @Test(arguments: names)
  func `the project's own recipes have no problems`(name: String) throws {
    let recipe = try Recipes.named(name)
    #expect(recipe.name == name)
    #expect(recipe.entities.contains { $0.count > 0 })
  }

  @Test func `a model is no recipe, and the message says how to make one`() throws {
    let folder = try TemporaryFolder()
    let model = try folder.write("entities: { Note: { attributes: { a: string } } }", to: "m.yaml")
    let written = #expect(throws: InvalidInput.self) { try RecipeFile.read(path: model) }
    #expect("\(written as Any)".contains("'storebench new recipe NAME --store FILE'"))
    for name in ["Models.swift", "App.xcdatamodeld/contents"] {
      let path = try folder.write("", to: name).replacing("/contents", with: "")
      let error = #expect(throws: Refusal.self) { try RecipeFile.read(path: path) }
      #expect("\(error as Any)".contains("'storebench new recipe NAME --store \(path)'"))
    }
  }

  @Test func `a recipe of a few lines describes everything else by default`() throws {
    let model = try ModelFile.read(path: "\(Recipes.workloads)/models/tasks/v3.yaml").model
    let recipe = try RecipeFile.parse(
      "format: 1\nmodel: models/tasks/v3.yaml\nentities: { Task: { count: 3 } }",
      path: "\(Recipes.workloads)/recipes/short.yaml"
    )
    #expect(recipe.model == model)
    let task = try #require(recipe.entity(named: "Task"))
    #expect(task.attributes["id"]?.rule is UUIDGenerator)
    #expect(task.attributes["title"]?.rule is TitleGenerator)
    #expect(task.attributes["completedAt"]?.condition == "isCompleted")
    #expect((task.attributes["priority"]?.rule as? NumberRule)?.isWithin(0...3) == true)
    let dataset = Dataset(recipe)
    for attribute in task.attributes.keys {
      #expect(throws: Never.self) {
        try dataset.value(entity: "Task", row: 2, attribute: attribute)
      }
    }
  }

  @Test func `a recipe fits another version of its model`() throws {
    let path = "\(Recipes.workloads)/models/tasks/v2.yaml"
    let recipe = try Recipes.named("tasks", options: RecipeFile.Options(model: path))
    #expect(recipe.entity(named: "Task")?.attributes["dueDate"] != nil)
    let first = Dataset(try Recipes.named("tasks"))
    let second = Dataset(recipe)
    for attribute in ["id", "title", "details", "createdAt", "completedAt", "progress"] {
      for row in [0, 17, 9_999] {
        #expect(
          try first.value(entity: "Task", row: row, attribute: attribute)
            == second.value(entity: "Task", row: row, attribute: attribute)
        )
      }
    }
  }

  @Test func `other numbers of objects scale the rest in proportion`() throws {
    let options = RecipeFile.Options(seed: 5, objects: ["Task": 1_000, "Subtask": 100])
    let recipe = try Recipes.named("tasks", options: options)
    let counts = Dictionary(uniqueKeysWithValues: recipe.entities.map { ($0.name, $0.count) })
    #expect(
      counts == [
        "Task": 1_000, "Subtask": 100, "Project": 6, "Attachment": 60, "Category": 12, "Tag": 80,
      ]
    )
    #expect(recipe.seed == 5)
    let small = try Recipes.named("tasks", options: RecipeFile.Options(objects: ["Task": 1]))
    #expect(small.entity(named: "Project")?.count == 1)
  }

  @Test(arguments: [
    ("Tsk", 1, "the model of recipe '…' has no entity 'Tsk'; did you mean 'Task'?"),
    ("Task", -1, "cannot make -1 objects of 'Task': use a number from 0 to 1000000000"),
  ])
  func `impossible numbers of objects are refused`(
    entity: String,
    count: Int,
    message: String
  ) throws {
    let path = "\(Recipes.workloads)/recipes/tasks.yaml"
    do {
      _ = try RecipeFile.read(path: path, options: .init(objects: [entity: count]))
      Issue.record("no error")
    } catch let error as Refusal {
      #expect(error.description.replacing(path, with: "…") == message)
    }
  }

  @Test func `an enum gets its raw values, none more often than another`() {
    let mood = Attribute(name: "mood", type: .string)
    let values: [Value] = [.text("good"), .text("bad")]
    let defaults = DefaultGenerators(
      entity: "Habit",
      attributes: [mood],
      period: 0...1,
      enumValues: ["mood": values]
    )
    let recipe = defaults.recipe(for: mood)
    #expect((recipe.rule as? ChoiceRule)?.weights == [1, 1])
    #expect(recipe.rule.listed == values)
    #expect(recipe.nullShare > 0)
  }

  @Test func `a composite attribute is said to stay empty`() throws {
    let recipe = try Recipes.make(
      model:
        "Thing: { attributes: { at: { type: composite, elements: { x: { type: double } } } } }",
      "entities: { Thing: { count: 1 } }"
    )
    #expect(recipe.notes.contains { $0.hasPrefix("Thing.at is a composite attribute") })
  }

  @Test func `a recipe that is not there is said to be so`() {
    #expect(throws: Refusal.noSuchFile(path: "/no/such.yaml")) {
      try RecipeFile.read(path: "/no/such.yaml")
    }
  }

  @Test func `a model's own problems are reported with the model's places`() throws {
    let problems = try Recipes.problems(
      model: "Thing: { attributes: { value: strin } }",
      "entities: { Thing: { count: 1 } }"
    )
    #expect(problems.count == 2)
    #expect(problems.contains { $0.hasPrefix("0:8 the model '") && $0.hasSuffix("has errors") })
    #expect(problems.contains { $0.contains("strin") })
  }
}

extension NumberRule {
  fileprivate func isWithin(_ range: ClosedRange<Double>) -> Bool {
    numbers.minimum == range.lowerBound && numbers.maximum == range.upperBound
  }
}
