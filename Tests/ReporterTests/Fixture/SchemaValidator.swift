import TestSupport

/// The JSON Schema of a result, held against documents by Python's `jsonschema` package.
enum SchemaValidator {
  /// Whether python3 and the package are on this machine.
  static let isInstalled = Python.has("jsonschema")

  /// What the schema says of each of some documents: a line a document, empty for a valid one.
  static func problems(of documents: [String]) throws -> [String] {
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
    let output = try Python.run(script, input: lines.utf8, arguments: [schemaPath]).output
    return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  private static let schemaPath = Repository.path("Results/schema/result-v1.schema.json")
}
