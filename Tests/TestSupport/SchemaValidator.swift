/// Validates documents against a JSON Schema with Python's `jsonschema` package.
package enum SchemaValidator {
  /// Whether python3 and `jsonschema` are installed.
  package static let isInstalled = Python.has("jsonschema")

  /// Returns one line per document with its violations; an empty line if the document is valid.
  ///
  /// The path `schema` is relative to the repository.
  package static func problems(
    of documents: [String],
    schema: String = "Results/schema/result-v1.schema.json"
  ) throws -> [String] {
    let script = """
      import json, sys
      from jsonschema import Draft202012Validator as Validator
      schema = json.load(open(sys.argv[1]))
      Validator.check_schema(schema)
      validator = Validator(schema)
      for line in sys.stdin:
          print("; ".join(error.message[:200] for error in validator.iter_errors(json.loads(line))))
      """
    let lines = documents.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
    let output = try Python.run(script, input: lines.utf8, arguments: [Repository.path(schema)])
      .output
    return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }
}
