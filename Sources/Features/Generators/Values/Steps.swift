import DataModel

/// Strings from a list, in its order: checklist steps that fit a task's title, or strings from the
/// recipe.
///
/// Objects with the same target of a to-one relationship get distinct strings as long as the list
/// suffices.
struct StepRule: ValueRule {
  static let entry = ValueGenerator(
    "step",
    "steps of a checklist, in order; none twice for a target while they suffice",
    types: [.string],
    keys: [
      .init("of", "a to-one, or the title of its target: task.title"),
      .init("texts", "the list; without it, steps that fit the title"),
    ],
    examples: [
      .init("step", 3...60), .init("{ step: { of: owner, texts: [one, two] } }", 3...3),
    ],
    bare: { _ in StepRule(path: nil, texts: []) },
    parse: { input in
      guard let mapping = input.mapping(), let of = mapping.required("of") else { return nil }
      let texts = mapping["texts"].map { $0.items()?.compactMap { $0.string() } } ?? []
      guard let texts, let name = of.string() else { return nil }
      if let list = mapping["texts"],
        texts.isEmpty || texts.contains(where: { $0.isEmpty || $0.contains(where: \.isNewline) })
      {
        list.report("\(list.name) must be a list of texts, each of one line")
        return nil
      }
      if name.contains(".") {
        return input.reader.path(of, of: [.string]).map { StepRule(path: $0, texts: texts) }
      }
      return of.name(
        among: input.reader.targets.map(\.relationship),
        lackedBy: "\(input.reader.entity) has no to-one relationship"
      ).map { StepRule(path: AttributePath(relationship: $0, attribute: ""), texts: texts) }
    }
  )

  let path: AttributePath?
  let texts: [String]

  var paths: [AttributePath] { path.map { $0.attribute.isEmpty ? [] : [$0] } ?? [] }
  var isEditable: Bool { path == nil }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(
      title: paths.first.flatMap(site.source),
      owner: path?.relationship.flatMap { site.relationships[$0] },
      list: texts.isEmpty ? nil : WordList(texts.joined(separator: "\n"), separator: "\n"),
      offset: site.offset
    )
  }

  private struct Generator: CellGenerator {
    let title: PathSource?
    let owner: RelationshipSource?
    let list: WordList?
    let offset: Int
    private let theme = Cell.RowMemory.Source()

    init(title: PathSource?, owner: RelationshipSource?, list: WordList?, offset: Int) {
      (self.title, self.owner, self.list, self.offset) = (title, owner, list, offset)
    }

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      let list = list ?? steps(of: row, &cell, &draws)
      let step = list[place(of: row, among: list.count, &cell, &draws)]
      cell.setText { $0.append(contentsOf: step) }
    }

    private func steps(of row: Int, _ cell: inout Cell, _ draws: inout Draws) -> WordList {
      if let title, let owner = title.origin(of: row, &cell) {
        // Consecutive rows usually have the same title, so remember the title's theme (its kind of
        // task).
        if !cell.recall(theme, row: owner) {
          title.fill(&cell, row: row)
          let place =
            cell.kind == .text ? cell.bytes.withUnsafeBufferPointer(TaskTheme.place) : nil
          if let place { cell.set(Int64(place)) } else { cell.setNull() }
          cell.remember(theme, row: owner)
        }
        if cell.kind == .integer { return TaskTheme.all[Int(cell.integer)].steps }
      }
      return TaskTheme.all[draws.below(TaskTheme.all.count)].steps
    }

    /// Draws an index in the object's own section of the list.
    ///
    /// For example, the first of three objects gets an index in the first third.
    private func place(
      of row: Int,
      among count: Int,
      _ cell: inout Cell,
      _ draws: inout Draws
    ) -> Int {
      guard let place = owner?.place(of: offset + row, &cell), place.count <= count else {
        return draws.below(count)
      }
      let first = place.position * count / place.count
      return first + draws.below((place.position + 1) * count / place.count - first)
    }
  }
}
