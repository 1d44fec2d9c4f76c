import DataModel

extension Entity {
  package static func folder(deleteRule: DeleteRule = .cascade) -> Entity {
    Entity(
      name: "Folder",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "notes",
          destination: "Note",
          inverse: "folder",
          isToMany: true,
          deleteRule: deleteRule
        )
      ]
    )
  }

  package static let project = Entity(
    name: "Project",
    attributes: [Attribute(name: "name", type: .string)],
    relationships: [
      Relationship(name: "tasks", destination: "Task", inverse: "project", isToMany: true)
    ]
  )
}
