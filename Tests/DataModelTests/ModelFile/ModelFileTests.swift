import Basics
import Foundation
import Testing

@testable import DataModel

@Suite struct ModelFileTests {
  @Test(arguments: ShippedModels.families)
  func `reads every shipped model without a warning`(family: String) throws {
    let folder = ShippedModels.folder + "/" + family
    for schema in try ModelFile.readFolder(path: folder) {
      #expect(schema.model.problems() == [])
    }
  }

  @Test(arguments: ShippedModels.families)
  func `writes what reads back equal`(family: String) throws {
    for schema in try ModelFile.readFolder(path: ShippedModels.folder + "/" + family) {
      let text = ModelWriter.text(of: schema.model)
      #expect(try ModelFile.parse(text, file: schema.name + ".yaml") == schema)
    }
  }

  @Test func `names and orders the versions by their files`() throws {
    let names = try ModelFile.readFolder(path: ShippedModels.folder + "/tasks").map(\.name)
    #expect(names == ["shared", "synced"] + (1...7).map { "v\($0)" })
  }

  @Test func `takes the defaults of Core Data's editor`() throws {
    let text = """
      entities:
        Task:
          attributes: { title: string }
          relationships: { project: { to: Project, inverse: tasks } }
        Project:
          relationships: { tasks: { to: Task, many: true, inverse: project } }
      """
    let model = try ModelFile.parse(text, file: "m.yaml").model
    #expect(model.versionIdentifiers == [""])
    let task = try #require(model.entity(named: "Task"))
    #expect(task.attributes == [Attribute(name: "title", type: .string, isOptional: true)])
    let project = try #require(task.relationship(named: "project"))
    #expect(project.isOptional && project.maximumCount == 1 && project.deleteRule == .nullify)
    let tasks = try #require(model.entity(named: "Project")?.relationship(named: "tasks"))
    #expect(tasks.isToMany && tasks.maximumCount == 0 && !tasks.isOrdered)
  }

  @Test func `reports every problem of a file at once, in its order`() {
    let text = """
      identifer: 1
      entities:
        Task:
          attributes:
            title: strng
            done: { type: boolean, default: maybe, optinal: true }
            due: { type: date, default: tomorrow }
            key: { type: uuid, default: abc }
          relationships:
            project: { inverse: tasks, delete: cascad }
          unique: id
          indices: {}
      """
    #expect(
      problems(of: text) == """
        m.yaml:1:1: error: unknown key 'identifer' in the file; did you mean 'identifier'?
        m.yaml:5:14: error: 'title' cannot be 'strng'; did you mean 'string'?
        m.yaml:6:39: error: 'default' must be true or false, not text 'maybe'
        m.yaml:6:46: error: unknown key 'optinal' in 'done'; did you mean 'optional'?
        m.yaml:7:35: error: 'default' must be a date such as 2026-04-01T12:00:00Z, not 'tomorrow'
        m.yaml:8:35: error: 'default' must be a UUID, not 'abc'
        m.yaml:10:16: error: 'project' lacks the key 'to'
        m.yaml:11:13: error: 'unique' must be a list, not text 'id'
        m.yaml:12:5: error: unknown key 'indices' in 'Task'; did you mean 'indexes'?
        """
    )
  }

  @Test func `gives a model's problems the places of their parts`() {
    let text = """
      entities:
        Task:
          relationships:
            project: { to: Projct, inverse: tasks }
        Project:
          attributes: { name: string, Name: string }
          indexes: { byTitle: [title] }
      """
    #expect(
      problems(of: text) == """
        m.yaml:4:7: error: Task.project: the destination 'Projct' does not exist; \
        did you mean 'Project'?
        m.yaml:6:19: warning: Project.name: the name differs only in case from 'Name'
        m.yaml:7:16: error: Project.byTitle: the index names 'title', which is not a property of \
        the entity
        """
    )
  }

  @Test func `says what is wrong with a path`() {
    #expect(throws: Refusal.noSuchFile(path: "/no/such.yaml")) {
      try ModelFile.read(path: "/no/such.yaml")
    }
    #expect(throws: Refusal.noSuchFile(path: "/no/such")) {
      try ModelFile.readFolder(path: "/no/such")
    }
    let folder = ShippedModels.folder
    #expect(throws: Refusal.cannotRead(folder, reason: "it is a folder")) {
      try ModelFile.read(path: folder)
    }
    let reason = "it contains no model (*.yaml)"
    #expect(throws: Refusal.wrongContent(path: folder, reason: reason)) {
      try ModelFile.readFolder(path: folder)
    }
  }
}
