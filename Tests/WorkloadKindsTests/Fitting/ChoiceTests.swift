import DataModel
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests the choices of each kind on a user's own store.
struct ChoiceTests {
  private func file(_ kind: String, _ parameters: String) -> String {
    "kind: \(kind)\nstore: { recipe: recipes/tasks.yaml }\nparameters: { \(parameters) }\n"
  }

  @Test(
    arguments: [
      (
        "fetch", "touchedShare: 1",
        ["entity 'Letter', the one with most objects", "relationship 'box' of 'Letter'"]
      ),
      (
        "cascadeDelete", "shape: own",
        ["entity 'Box', the one with the longest cascade: 2 levels"]
      ),
      (
        "cascadeDelete", "depth: 2",
        ["a generated chain of objects, not your store's objects: for these, set 'shape' to 'own'"]
      ),
      (
        "blobStorage", "strategy: inline",
        [
          "the new objects have the attributes of 'Letter', but no relationships; it is the entity "
            + "with most objects among the entities with a blob",
          "the blob is used as 'Letter.scan'",
        ]
      ),
      (
        "blobStorage", "strategy: inline, entity: Letter, attribute: scan",
        [
          "the objects are made for the case: they have the attributes of 'Letter', but no "
            + "relationships; for the store's own use the kind 'scenario'"
        ]
      ),
      (
        "migration", "strategy: lightweight",
        [
          "to the store's own model with one additional optional attribute of 'Letter', the entity "
            + "with most objects; for a different model set 'to'"
        ]
      ),
      (
        "migration", "strategy: customStage",
        [
          "to the store's own model with one additional optional attribute of 'Letter', the entity "
            + "with most objects; for a different model set 'to'",
          "the stage transforms 'Letter.subject'",
        ]
      ),
    ] as [(String, String, [String])]
  )
  func `says what was chosen`(kind: String, parameters: String, notes: [String]) throws {
    let plan = try GivenStore().plan(["own": file(kind, parameters)])
    let planned = try #require(plan.workloads.first?.cases.first)
    #expect(planned.notes.filter { !$0.contains("too few") } == notes)
  }

  @Test func `model files of another store's are left out, and no case is run twice`() throws {
    let given = try GivenStore()
    for version in ["v2", "v3"] {
      try given.folder.write(
        "identifier: \"1\"\nentities:\n  Task:\n    attributes:\n      title: string\n",
        to: "models/tasks/\(version).yaml"
      )
    }
    let text = file(
      "migration",
      "from: ['', models/tasks/v2.yaml], to: [models/tasks/v2.yaml, models/tasks/v3.yaml]"
    )
    let workload = try #require(try given.plan(["app": text]).workloads.first)
    #expect(workload.cases.map(\.id) == ["app/from="])
    #expect(workload.cases.map { $0.allParameters.text("to") } == ["+Letter"])
    #expect(
      try given.problems(["app": text], ["to": "models/tasks/v2.yaml", "from": "''"]) == [
        "--set to=models/tasks/v2.yaml: error: 'models/tasks/v2.yaml' is not a version of the store's model: it has none of the store's entities with objects, such as 'Letter'"
      ]
    )
    #expect(
      try given.problems(["app": text], ["to": "+Leter", "from": "''"])
        == ["--set to=+Leter: error: the store has no entity 'Leter'; did you mean 'Letter'?"]
    )
  }

  @Test func `what needs a new unique constraint is not possible without one`() throws {
    let text = file("migration", "duplicates: [ignored, merged, failing]")
    let plan = try GivenStore().plan(["app": text])
    #expect(plan.workloads.flatMap(\.cases).map(\.id) == ["app/duplicates=ignored"])
    #expect(
      plan.remarks.first?.contains(
        "2 cases not possible on this store and left out: the model '+Letter' adds"
      ) == true
    )
  }
}
