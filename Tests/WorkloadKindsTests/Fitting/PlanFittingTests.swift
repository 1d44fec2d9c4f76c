import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests plans on stores whose names the workload files do not use.
struct PlanFittingTests {
  private static let task = """
    kind: fetch
    store: { recipe: recipes/tasks.yaml }
    parameters:
      entity: Task
      sort: [subject]
      prefetch: [[], [project]]
    """
  private static let own = """
    kind: cascadeDelete
    store: { recipe: recipes/tasks.yaml }
    parameters: { shape: own, strategy: [objectByObject, sqlForeignKey] }
    """

  @Test func `names that only the file's recipe has are left out, and the kind chooses`() throws {
    let given = try GivenStore()
    let workload = try #require(try given.plan(["list": Self.task]).workloads.first)
    #expect(workload.cases.map(\.id) == ["list/prefetch=none,sort=subject"])
    let planned = try #require(workload.cases.first)
    #expect(planned.allParameters.text("entity") == "Letter")
    #expect(
      planned.notes == [
        "entity 'Letter', the one with most objects",
        "the file's entity=Task was left out: the store has no entity 'Task': it has 'Box', "
          + "'Drawer', 'Letter', 'Stamp'",
        "6 objects of 'Letter': too few for meaningful times; the counters are valid",
      ]
    )
  }

  private static let here = FileManager.default.currentDirectoryPath + "/"

  @Test(.enabled(if: MigrationFixture.models.hasPrefix(here)))
  func `a model on the command line is found where that is typed`() throws {
    let given = try GivenStore()
    let text = "kind: migration\nstore: { recipe: recipes/tasks.yaml }\n"
    let path = MigrationFixture.models + "/tasks/v2.yaml"
    let typed = String(path.dropFirst(Self.here.count))
    #expect(
      try given.problems(["app": text], ["to": typed]) == [
        "--set to=\(path): error: '\(path)' is not a version of the store's model: it has none of the store's entities with objects, such as 'Letter'"
      ]
    )
    // The workloads folder is searched first for a model's path.
    try given.folder.write(ModelWriter.text(of: GivenStore.model), to: typed)
    let plan = try given.plan(["app": text], ["to": typed])
    #expect(plan.workloads.first?.cases.first?.allParameters.text("to") == typed)
  }

  @Test func `names on the command line must be there, and are named once`() throws {
    let given = try GivenStore()
    let files = ["list": Self.task, "other": Self.task, "boxes": Self.own]
    #expect(
      try given.problems(files, ["entity": "Leter"]) == [
        "--set entity=Leter: error: the store has no entity 'Leter'; did you mean 'Letter'?"
      ]
    )
    #expect(
      try given.problems(["list": Self.task], ["sort": "[-Subject]", "entity": "Letter"]) == [
        "--set sort=-Subject: error: the entity 'Letter' has no stored attribute 'Subject'; did you "
          + "mean 'subject'?"
      ]
    )
  }

  @Test func `names of a file whose store is its own have their place`() throws {
    let given = try GivenStore()
    let path = try given.folder.write(
      """
      kind: fetch
      store: { path: mine/My Letters.sqlite }
      parameters:
        entity: Letter
        sort: [box]
        predicate: wrods > 3
      """,
      to: "own.yaml"
    )
    do {
      _ = try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
      Issue.record("it was planned")
    } catch let error as InvalidInput {
      let problems = error.problems
      #expect(
        problems.map { given.without($0.description) } == [
          "own.yaml:5:10: error: sort: 'box' is a relationship: sort by an attribute of 'Box', as "
            + "in 'box.NAME'",
          "own.yaml:6:14: error: predicate: the entity 'Letter' has no stored attribute 'wrods'; "
            + "did you mean 'words'?",
        ]
      )
    }
  }

  @Test func `what the store offers nothing for is left out, and the rest is run`() throws {
    let given = try GivenStore(model: .init(entities: [.init(name: "Drawer")])) { context in
      _ = try context.insert("Drawer")
    }
    let plan = try given.plan(["boxes": Self.own, "list": Self.task])
    #expect(plan.workloads.map(\.file.name) == ["list"])
    #expect(
      plan.remarks.first.map(given.without)
        == "boxes.yaml: 2 cases not possible on this store and left out: the store has no objects "
        + "with a cascading relationship"
    )
    #expect(
      try given.problems(["boxes": Self.own]) == [
        "boxes.yaml: error: 2 cases not possible on this store and left out: the store has no "
          + "objects with a cascading relationship"
      ]
    )
  }

  @Test func `cases that find changes by history are left out on a store without one`() throws {
    let model = Model(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "id", type: .uuid), Attribute(name: "body", type: .string),
          Attribute(name: "changedAt", type: .date),
        ]
      )
    ])
    let given = try GivenStore(model: model) { context in _ = try context.insert("Note") }
    let text = "kind: coexistence\nstore: { recipe: recipes/tasks.yaml }\n"
    let plan = try given.plan([
      "widget": text + "parameters: { detection: [history, attribute, sideFile] }"
    ])
    #expect(
      plan.workloads.first?.cases.map(\.id)
        == ["widget/detection=attribute", "widget/detection=sideFile"]
    )
    #expect(
      plan.remarks.map(given.without).contains {
        $0.hasPrefix(
          "widget.yaml: 1 case not possible on this store and left out: the store keeps no "
            + "history"
        )
      },
      "\(plan.remarks)"
    )
  }

  @Test func `a larger store is advised where the store is too small to time`() throws {
    let given = try GivenStore()
    let plan = try given.plan(["list": Self.task])
    #expect(
      plan.remarks.map(given.without) == [
        "6 objects of 'Letter': too few for meaningful times; the counters are valid. For times, "
          + "make a larger store of the same shape:",
        "  storebench generate --like 'mine/My Letters.sqlite' --to 1700x --output "
          + "'My Letters-x1700.sqlite'",
      ]
    )
  }

  @Test func `no larger store is advised for a few objects of a large store`() throws {
    let given = try GivenStore { context in
      try GivenStore.fill(context)
      for number in 0..<1_200 {
        try context.insert("Drawer").setValue(.text("Drawer \(number)"), of: "label")
      }
    }
    let plan = try given.plan(["list": Self.task], ["entity": "Letter"])
    #expect(
      plan.remarks.map(given.without) == [
        "6 objects of 'Letter': too few for meaningful times; the counters are valid. The store "
          + "has 1,214 objects, so the number of these probably does not grow with its use: for "
          + "times, measure an entity with more objects"
      ]
    )
  }

  @Test func `the store's folder stays as it is`() throws {
    let given = try GivenStore()
    let before = try given.folder.contents()
    let names = try given.folder.names()
    let plan = try given.plan([:])
    #expect(plan.workloads.isEmpty)
    _ = try given.plan(["list": Self.task])
    for (name, bytes) in before { #expect(try given.folder.contents()[name] == bytes) }
    #expect(try given.folder.names() == (names + ["list.yaml"]).sorted())
  }
}
