import DataModel

extension Entity {
  /// A folder with a name and its notes.
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

  /// A project with a name and its tasks.
  package static let project = Entity(
    name: "Project",
    attributes: [Attribute(name: "name", type: .string)],
    relationships: [
      Relationship(name: "tasks", destination: "Task", inverse: "project", isToMany: true)
    ]
  )
}
