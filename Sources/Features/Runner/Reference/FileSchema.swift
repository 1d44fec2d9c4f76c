import DataModel
import Foundation

/// Creates the JSON Schema (draft 2020-12) of a kind of YAML file, for editors; the readers check
/// more than the schema does.
package enum FileSchema {
  /// Returns the schema as JSON text with sorted keys.
  ///
  /// The schema of a workload file needs its `kinds`, because the kind determines the allowed
  /// parameters.
  package static func text(
    of form: FileForm,
    title: String,
    kinds: [any WorkloadKind.Type]
  ) throws -> String {
    var schema = form.schema
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = title
    if !kinds.isEmpty {
      schema["allOf"] = kinds.map { kind in
        [
          "if": ["properties": ["kind": ["const": kind.name]]],
          "then": ["properties": ["parameters": FileForm.mapping(kind.axes.map(\.key)).schema]],
        ]
      }
    }
    let options: JSONSerialization.WritingOptions = [
      .prettyPrinted, .sortedKeys, .withoutEscapingSlashes,
    ]
    let data = try JSONSerialization.data(withJSONObject: schema, options: options)
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}

extension FileForm {
  fileprivate var schema: [String: Any] {
    switch self {
    // YAML may read a string such as `1.0` or `yes` as a number or a Boolean.
    case .text, .written: ["type": ["string", "number", "boolean"]]
    case .boolean: ["type": "boolean"]
    case .number: ["type": "number"]
    case .integer(let range):
      [
        "anyOf": [
          ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound],
          ["type": "string", "pattern": "^[0-9][0-9_,.]*[kKM]?$"],
        ]
      ]
    case .share: ["type": "number", "minimum": 0, "maximum": 1]
    case .choice(let words):
      // Allow a choice such as a page size as a string and as a number, because YAML reads it as a
      // number.
      ["enum": words.flatMap { word in Int(word).map { [word, $0] as [Any] } ?? [word] }]
    case .mapping(let keys): Self.object(keys)
    case .named(_, let form): ["type": "object", "additionalProperties": form.schema]
    case .list(let form): ["type": "array", "items": form.schema]
    case .either(let forms): ["anyOf": forms.map(\.schema)]
    case .any: [:]
    }
  }

  private static func object(_ keys: [FileKey]) -> [String: Any] {
    var properties: [String: Any] = [:]
    for key in keys {
      properties[key.name] = key.form.schema.merging(["description": key.summary]) { $1 }
    }
    var schema: [String: Any] = [
      "type": "object", "properties": properties, "additionalProperties": false,
    ]
    let required = keys.filter(\.isRequired).map(\.name)
    if !required.isEmpty { schema["required"] = required }
    return schema
  }
}

extension Axis {
  fileprivate var key: FileKey {
    let form: FileForm =
      switch domain {
      case .choice(let words): .oneOrMore(.choice(words))
      case .integer(let range): .oneOrMore(.integer(range))
      case .real: .oneOrMore(.number)
      case .boolean: .oneOrMore(.boolean)
      case .bytes(let range):
        .oneOrMore(.either([.integer(range), .written("a size such as 100 KB")]))
      case .name, .path: .oneOrMore(.text)
      case .names, .paths: .oneOrMore(.oneOrMore(.text))
      case .script(let form): .either([form.form, .named("NAME", form.form)])
      case .actions(let actions):
        .oneOrMore(.oneOrMore(.either([.choice(actions.map(\.name)), .mapping(counts(actions))])))
      }
    return FileKey(name, form, summary)
  }

  private func counts(_ actions: [Action]) -> [FileKey] {
    actions.compactMap { action in
      action.count.map { FileKey(action.name, .integer($0.range), $0.unit) }
    }
  }
}
