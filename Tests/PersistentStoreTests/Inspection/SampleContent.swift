import DataModel
import Foundation
import PersistentStore

extension SampleStore {
  /// A store of three projects, twelve tasks and related objects, with three transactions in its
  /// history.
  static func filled() throws -> SampleStore { try SampleStore(copyOf: template.get()) }

  /// The files of the filled store, made once for all tests.
  private static let template = Result {
    let store = try SampleStore()
    try store.fill()
    try store.writeHistory()
    try store.finish()
    return try store.files()
  }

  func fill() throws {
    for (name, color) in [("Home", "#ff8800"), ("Work", ""), ("Straße", "#00ff88")] {
      try insert("Category", ["name": .text(name), "color": color.isEmpty ? .null : .text(color)])
    }
    for index in 1...3 {
      try insert(
        "Project",
        [
          "id": uuid(100 + index), "name": .text("Project \(index)"),
          "createdAt": .real(7e8 + Double(index) + 0.25),
          "isArchived": .integer(index == 2 ? 1 : 0),
        ]
      )
    }
    for index in 1...4 {
      try insert(
        "Person",
        ["name": index == 4 ? .null : .text("Person \(index)")],
        columns: [watcherColumn: index == 3 ? .null : .integer(Int64(index % 3 + 1))]
      )
    }
    for index in 1...12 { try insertTask(index) }
    for index in 1...5 {
      try insert("Tag", ["name": .text("tag \(index)")])
    }
    try insertPairs()
    try insertAttachments()
  }

  private var watcherColumn: String {
    guard case .inverseForeignKey(_, let column, _) = layout.storage(of: "watchers", in: "Project")
    else { return "" }
    return column
  }

  private func insertTask(_ index: Int) throws {
    let number = Int64(index)
    let task = try insert(
      "Task",
      [
        "id": uuid(index), "title": .text("Task \(index) – Äpfel kaufen"),
        "details": index % 3 == 0 ? .null : .text(index % 3 == 1 ? "" : "Details \(index)"),
        "createdAt": .real(7e8 + Double(index) * 86_400.5),
        "dueDate": index % 4 == 0 ? .null : .integer(700_000_000 + number),
        "isCompleted": .integer(number % 2), "isFlagged": .integer(number % 3 == 0 ? 1 : 0),
        "sortOrder": .integer(number * 10), "estimatedMinutes": .integer(number + 5),
        "progress": .real(Double(index) / 8), "price": .real(1.25 * Double(index)),
        "link": .text("https://example.com/\(index)"),
        "project": index == 12 ? .null : .integer(number % 3 + 1),
        "category": index % 5 == 0 ? .null : .integer(number % 3 + 1),
        "reminder": index <= 3 ? .integer(number) : .null,
      ],
      columns: index <= 2 ? coverColumns(number) : [:]
    )
    if index <= 3 {
      try insert("Reminder", ["at": .real(7.1e8 + Double(index) / 4), "task": .integer(task)])
    }
    for child in 0..<(index % 4) {
      try insert(
        "Subtask",
        [
          "title": .text("Step \(child) of \(index)"), "isCompleted": .integer(Int64(child % 2)),
          "task": .integer(task),
        ],
        columns: ["Z_FOK_TASK": .integer(Int64(2048 + 1024 * child))]
      )
    }
  }

  /// The columns of a task's cover: the attachment with the task's key, and its entity number.
  private func coverColumns(_ key: Int64) -> KeyValuePairs<String, Value> {
    guard
      case .foreignKey(let column, let entityColumn?, _) =
        layout.storage(of: "cover", in: "Task")
    else { return [:] }
    let entity = key % 2 == 0 ? "ImageAttachment" : "Attachment"
    return [
      column: .integer(key), entityColumn: .integer(Int64(layout.numbers[entity] ?? 0)),
    ]
  }

  private func insertPairs() throws {
    guard let table = layout.joinTables.first,
      let tags = table.side(of: "tasks", declaredBy: "Tag"), let order = tags.orderColumn
    else { return }
    for tag in 1...4 {
      for place in 0..<(tag + 1) {
        try run(
          "INSERT INTO \(table.name) (\(tags.ownColumn), \(tags.otherColumn), \(order)) "
            + "VALUES (?1, ?2, ?3)",
          [
            .integer(Int64(tag)), .integer(Int64(1 + (tag + place * 2) % 12)),
            .integer(Int64(2048 + 1024 * place)),
          ]
        )
      }
    }
  }

  private func insertAttachments() throws {
    for index in 1...8 {
      let bytes = (0..<(index * 1000)).map { UInt8(truncatingIfNeeded: $0 &* (index + 6)) }
      let name = "0000000\(index)-1111-4222-8333-444455556666"
      let data: Value =
        index == 8 ? .null : index > 4 ? try externalFile(bytes, name: name) : .blob([1] + bytes)
      let task = Value.integer(Int64(index))
      if index % 2 == 0 {
        try insert(
          "ImageAttachment",
          [
            "filename": .text("photo \(index).heic"), "data": data, "task": task,
            "checksum": .blob(Array(bytes.prefix(20))), "width": .integer(4032),
            "height": .integer(3024),
          ]
        )
      } else {
        try insert(
          "Attachment",
          ["filename": .text("scan \(index).pdf"), "data": data, "task": task]
        )
      }
    }
  }

  func uuid(_ number: Int) -> Value {
    .blob((0..<16).map { UInt8(truncatingIfNeeded: number &* 37 &+ $0 &* $0) })
  }
}
