import DataModel

extension NextVersion {
  /// An example of each model change that a lightweight migration supports.
  static let examples: [NextVersion] = [
    NextVersion("nothing changes") { _ in },
    NextVersion("attributes are added, with and without defaults") {
      $0.change("Task") { task in
        task.attributes += [
          Attribute(
            name: "priority",
            type: .integer16,
            isOptional: false,
            defaultValue: .integer(1)
          ),
          Attribute(name: "notes", type: .string),
          Attribute(name: "effort", type: .double, defaultValue: .real(0.1)),
          Attribute(name: "label", type: .string, defaultValue: .text("it's new")),
          Attribute(name: "mark", type: .binary, defaultValue: .blob([0, 255])),
        ]
      }
      $0.change("ImageAttachment") {
        $0.attributes.append(
          Attribute(name: "camera", type: .string, isOptional: false, defaultValue: .text("none"))
        )
      }
    },
    NextVersion("attributes are renamed and dropped") {
      $0.change("Task") { task in
        task.attributes.removeAll { $0.name == "progress" || $0.name == "link" }
        task.attributes.change("details") {
          $0.name = "summary"
          $0.renamingIdentifier = "details"
        }
      }
      $0.change("Tag") { tag in
        tag.attributes.change("name") {
          $0.name = "title"
          $0.renamingIdentifier = "name"
        }
        tag.uniquenessConstraints = [["title"]]
      }
    },
    NextVersion("two attributes exchange their names") {
      $0.change("Task") { task in
        task.attributes.change("title") {
          $0.renamingIdentifier = "details"
          $0.isOptional = true
        }
        task.attributes.change("details") { $0.renamingIdentifier = "title" }
      }
    },
    NextVersion("an entity that sorts first renumbers all others") {
      $0.append(Entity(name: "Agenda", attributes: [Attribute(name: "day", type: .date)]))
    },
    NextVersion("entities are renamed") {
      $0.change("Tag") {
        $0.name = "Bookmark"
        $0.renamingIdentifier = "Tag"
      }
      $0.change("Task") { task in
        task.relationships.change("tags") { $0.destination = "Bookmark" }
      }
    },
    NextVersion("an entity goes, and what led to it") {
      $0.removeAll { $0.name == "Category" }
      $0.change("Task") { $0.relationships.removeAll { $0.name == "category" } }
    },
    NextVersion("a sub-entity goes, with its objects") {
      $0.removeAll { $0.name == "ImageAttachment" }
    },
    NextVersion("attributes move up to the super-entity") {
      $0.change("ImageAttachment") { $0.attributes.removeAll { $0.name == "width" } }
      $0.change("Attachment") {
        $0.attributes.append(Attribute(name: "width", type: .integer32))
      }
    },
    NextVersion("a to-many loses its order, another gets one") {
      $0.change("Task") { task in
        task.relationships.change("subtasks") { $0.isOrdered = false }
      }
      $0.change("Project") { project in
        project.relationships.change("watchers") { $0.deleteRule = .deny }
      }
    },
    NextVersion("relationships are renamed on both sides") {
      $0.change("Task") { task in
        task.relationships.change("tags") {
          $0.name = "labels"
          $0.renamingIdentifier = "tags"
        }
        task.relationships.change("project") {
          $0.name = "area"
          $0.renamingIdentifier = "project"
        }
      }
      $0.change("Tag") { tag in tag.relationships.change("tasks") { $0.inverse = "labels" } }
      $0.change("Project") { project in
        project.relationships.change("tasks") { $0.inverse = "area" }
      }
    },
    NextVersion("indexes and delete rules change") {
      $0.change("Task") {
        $0.fetchIndexes = [
          FetchIndex(name: "byTitle", elements: [FetchIndex.Element(property: "title")])
        ]
      }
    },
    NextVersion("types widen and history keeps more") {
      $0.change("Task") { task in
        task.attributes.change("sortOrder") { $0.type = .integer64 }
        task.attributes.change("title") { $0.preservesValueOnDeletion = true }
      }
    },
  ]
}
