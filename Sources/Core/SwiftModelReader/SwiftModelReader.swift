#if SwiftSource
  import SwiftModels
  import SwiftParser
  import SwiftSyntax

  /// Whether a text of Swift declares a model.
  public func declaresModel(_ source: String) -> Bool {
    Parser.parse(source: source).description.contains("@Model")
  }
#endif
