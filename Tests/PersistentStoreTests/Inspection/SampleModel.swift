import DataModel

/// A model with every kind of relationship and attribute that an inspection distinguishes.
enum SampleModel {
  static let model = Model(entities: [
    category, project, person, task, reminder, subtask, tag, attachment, imageAttachment,
  ])

  private static let category = Entity(
    name: "Category",
    attributes: [
      Attribute(name: "name", type: .string, isOptional: false),
      Attribute(name: "color", type: .string),
    ],
    relationships: [
      Relationship(name: "tasks", destination: "Task", inverse: "category", isToMany: true)
    ]
  )

  private static let project = Entity(
    name: "Project",
    attributes: [
      Attribute(name: "id", type: .uuid, isOptional: false),
      Attribute(name: "name", type: .string, isOptional: false),
      Attribute(name: "createdAt", type: .date, isOptional: false),
      Attribute(name: "isArchived", type: .boolean, isOptional: false),
    ],
    relationships: [
      Relationship(
        name: "tasks",
        destination: "Task",
        inverse: "project",
        isToMany: true,
        deleteRule: .cascade
      ),
      Relationship(name: "watchers", destination: "Person", isToMany: true),
    ]
  )

  private static let person = Entity(
    name: "Person",
    attributes: [Attribute(name: "name", type: .string)]
  )

  private static let task = Entity(
    name: "Task",
    attributes: [
      Attribute(name: "id", type: .uuid, isOptional: false, preservesValueOnDeletion: true),
      Attribute(name: "title", type: .string, isOptional: false),
      Attribute(name: "details", type: .string),
      Attribute(name: "createdAt", type: .date, isOptional: false),
      Attribute(name: "dueDate", type: .date),
      Attribute(name: "isCompleted", type: .boolean, isOptional: false),
      Attribute(name: "isFlagged", type: .boolean, isOptional: false),
      Attribute(name: "sortOrder", type: .integer32, isOptional: false),
      Attribute(name: "estimatedMinutes", type: .integer16),
      Attribute(name: "progress", type: .double, isOptional: false),
      Attribute(name: "price", type: .decimal),
      Attribute(name: "link", type: .uri),
    ],
    relationships: [
      Relationship(name: "project", destination: "Project", inverse: "tasks"),
      Relationship(name: "category", destination: "Category", inverse: "tasks"),
      Relationship(name: "cover", destination: "Attachment"),
      Relationship(name: "reminder", destination: "Reminder", inverse: "task"),
      Relationship(
        name: "subtasks",
        destination: "Subtask",
        inverse: "task",
        isToMany: true,
        isOrdered: true,
        deleteRule: .cascade
      ),
      Relationship(
        name: "attachments",
        destination: "Attachment",
        inverse: "task",
        isToMany: true,
        deleteRule: .cascade
      ),
      Relationship(name: "tags", destination: "Tag", inverse: "tasks", isToMany: true),
    ],
    fetchIndexes: [
      FetchIndex(
        name: "byDueDate",
        elements: [
          FetchIndex.Element(property: "dueDate"),
          FetchIndex.Element(property: "sortOrder", isAscending: false),
        ]
      )
    ],
    uniquenessConstraints: [["id"]]
  )

  private static let reminder = Entity(
    name: "Reminder",
    attributes: [Attribute(name: "at", type: .date, isOptional: false)],
    relationships: [
      Relationship(name: "task", destination: "Task", inverse: "reminder", isOptional: false)
    ]
  )

  private static let subtask = Entity(
    name: "Subtask",
    attributes: [
      Attribute(name: "title", type: .string, isOptional: false),
      Attribute(name: "isCompleted", type: .boolean, isOptional: false),
    ],
    relationships: [
      Relationship(name: "task", destination: "Task", inverse: "subtasks", isOptional: false)
    ]
  )

  private static let tag = Entity(
    name: "Tag",
    attributes: [Attribute(name: "name", type: .string, isOptional: false)],
    relationships: [
      Relationship(
        name: "tasks",
        destination: "Task",
        inverse: "tags",
        isToMany: true,
        isOrdered: true
      )
    ],
    uniquenessConstraints: [["name"]]
  )

  private static let attachment = Entity(
    name: "Attachment",
    attributes: [
      Attribute(name: "filename", type: .string, isOptional: false),
      Attribute(name: "data", type: .binary, allowsExternalStorage: true),
      Attribute(name: "checksum", type: .binary),
    ],
    relationships: [
      Relationship(name: "task", destination: "Task", inverse: "attachments")
    ]
  )

  private static let imageAttachment = Entity(
    name: "ImageAttachment",
    superentity: "Attachment",
    attributes: [
      Attribute(name: "width", type: .integer32, isOptional: false),
      Attribute(name: "height", type: .integer32, isOptional: false),
    ]
  )
}
