#if SwiftSource
  import SwiftModels
  import SwiftSyntax

  /// Calls that make schemas and containers, wherever they are.
  extension DeclarationReader {
    private static let calls: Set = [
      "ModelContainer", "modelContainer", "Schema", "ModelConfiguration",
    ]

    /// The label that tells a container which is made by `.init(…)` or by a function of the app.
    private static let planLabel = "migrationPlan"

    /// Goes through tokens, not through the tree: expressions may be nested deeply.
    mutating func readCalls(in tree: SourceFileSyntax) {
      guard lines.mentionsContainer else { return }
      for token in tree.tokens(viewMode: .sourceAccurate) {
        let isLabel = token.text == Self.planLabel
        guard isLabel || Self.calls.contains(token.text) else { continue }
        var node = token.parent
        // The name, a member access with the name, then the call; or an argument, the list, the call.
        for _ in 0..<3 {
          guard let current = node, !current.is(FunctionCallExprSyntax.self) else { break }
          node = current.parent
        }
        guard let call = node?.as(FunctionCallExprSyntax.self) else { continue }
        if isLabel {
          let callee = call.calledExpression.lastToken(viewMode: .sourceAccurate)?.text ?? ""
          if Self.calls.contains(callee) { continue }
        } else {
          guard token.position < (call.leftParen?.position ?? call.endPosition),
            token.endPosition.utf8Offset + 40 > (call.leftParen?.position.utf8Offset ?? 0)
          else { continue }
        }
        content.calls.append(
          SourceFileContent.Call(
            name: isLabel ? "ModelContainer" : token.text,
            arguments: expressions.arguments(call.arguments),
            context: context(of: call),
            place: place(token)
          )
        )
        readValue(around: call)
      }
    }

    private func context(of node: some SyntaxProtocol) -> [String] {
      var path: [String] = []
      var parent = node.parent
      while let current = parent {
        if let named = current.asProtocol((any NamedDeclSyntax).self),
          current.asProtocol((any DeclGroupSyntax).self) != nil
        {
          path.insert(named.name.plain, at: 0)
        } else if let type = current.as(ExtensionDeclSyntax.self),
          case .named(let parts, _) = expressions.type(type.extendedType)
        {
          path = parts + path
        }
        parent = current.parent
      }
      return path
    }

    /// `let schema = Schema([…])` inside a function or a property.
    private mutating func readValue(around call: FunctionCallExprSyntax) {
      guard let clause = call.parent?.as(InitializerClauseSyntax.self),
        let binding = clause.parent?.as(PatternBindingSyntax.self),
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plain
      else { return }
      content.values[name] = expressions.expression(clause.value)
    }
  }

  extension LineTable {
    var mentionsContainer: Bool {
      ["ModelContainer", "modelContainer", "Schema(", "ModelConfiguration", "migrationPlan"]
        .contains {
          bytes.contains($0)
        }
    }
  }
#endif
