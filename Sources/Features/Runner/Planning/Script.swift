import DataModel

/// A list of steps in a workload kind's own format, given as the value of a parameter.
package struct Script: Codable, Hashable, Sendable {
  /// The name that distinguishes the scripts of a file; empty if the file has only one.
  package let name: String
  /// The steps in the kind's canonical spelling, so that equal steps are equal strings.
  package let text: String

  package init(name: String, text: String) {
    (self.name, self.text) = (name, text)
  }
}

/// The format of a kind's steps in a workload file.
package struct ScriptForm: Hashable, Sendable {
  /// A description of the steps, for the reference.
  package let words: String
  /// The format of the steps in the file's schema.
  package let form: FileForm
  /// Whether the steps are a mapping instead of a list.
  package let isMapping: Bool
  /// Returns the steps in the kind's canonical spelling, or `nil` after reporting errors in them.
  package let read: @Sendable (YAMLValue) -> String?

  package init(
    _ words: String,
    _ form: FileForm,
    isMapping: Bool = false,
    read: @escaping @Sendable (YAMLValue) -> String?
  ) {
    (self.words, self.form, self.isMapping, self.read) = (words, form, isMapping, read)
  }

  /// Compares the descriptions, because each kind has only one format.
  package static func == (left: ScriptForm, right: ScriptForm) -> Bool { left.words == right.words }

  package func hash(into hasher: inout Hasher) { hasher.combine(words) }

  /// Reads one script (a list or mapping of steps), or several named scripts, each of which is a
  /// value of the parameter.
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
  /// Whether the value is the only script of its file.
  var isUnnamedScript: Bool {
    if case .script(let script) = self { script.name.isEmpty } else { false }
  }
}

extension Parameter {
  /// Declares a script, with functions that parse the kind's canonical spelling and write it.
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
