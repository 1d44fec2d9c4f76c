import DataModel

/// Steps that a kind reads itself, as a parameter's value.
package struct Script: Codable, Hashable, Sendable {
  /// The name that tells several scripts of a file apart; empty for a file's only one.
  package let name: String
  /// The steps in the kind's own spelling, the same for the same steps.
  package let text: String

  package init(name: String, text: String) {
    (self.name, self.text) = (name, text)
  }
}

/// How a workload file writes the steps of a kind.
package struct ScriptForm: Hashable, Sendable {
  /// What the steps are, for the reference.
  package let words: String
  /// The steps as the schema knows them.
  package let form: FileForm
  /// Whether the steps are a mapping and not a list.
  package let isMapping: Bool
  /// The steps in the kind's spelling; `nil` after reporting what is wrong with them.
  package let read: @Sendable (YAMLValue) -> String?

  package init(
    _ words: String,
    _ form: FileForm,
    isMapping: Bool = false,
    read: @escaping @Sendable (YAMLValue) -> String?
  ) {
    (self.words, self.form, self.isMapping, self.read) = (words, form, isMapping, read)
  }

  /// A kind has one form, which its words tell from others.
  package static func == (left: ScriptForm, right: ScriptForm) -> Bool { left.words == right.words }

  package func hash(into hasher: inout Hasher) { hasher.combine(words) }

  /// One list of steps or one mapping, or several by name, which make an axis.
  func readAll(_ value: YAMLValue) -> [Axis.PlacedValue]? {
    let entries = value.isMapping ? value.mapping()?.entries ?? [] : []
    let isNamed = isMapping ? entries.contains { $0.value.isMapping } : value.isMapping
    let named = isNamed ? entries.map { (name: $0.key, value: $0.value) } : [("", value)]
    guard !named.isEmpty else {
      value.report("\(value.name) has no steps")
      return nil
    }
    let read = named.compactMap { name, value -> Axis.PlacedValue? in
      guard isMapping ? value.isMapping : value.isSequence else {
        value.report(
          "\(value.name) must be "
            + (isMapping
              ? "a mapping, or a mapping of names to such mappings"
              : "a list of steps, or a mapping of names to such lists")
        )
        return nil
      }
      return self.read(value).map {
        Axis.PlacedValue(value: .script(Script(name: name, text: $0)), place: value.place)
      }
    }
    return read.count == named.count ? read : nil
  }
}

extension ParameterValue {
  /// Whether it is a script that nothing needs to be told apart from.
  var isUnnamedScript: Bool {
    if case .script(let script) = self { script.name.isEmpty } else { false }
  }
}

extension Parameter {
  /// Steps that the kind reads itself, from their text and into it.
  package convenience init(
    wrappedValue: Value,
    named: String? = nil,
    _ form: ScriptForm,
    _ summary: String,
    read: @escaping (String) -> Value?,
    write: @escaping (Value) -> String
  ) {
    self.init(wrappedValue, named, .script(form), summary) {
      if case .script(let script) = $0 { read(script.text) } else { nil }
    } write: {
      .script(Script(name: "", text: write($0)))
    }
  }
}
