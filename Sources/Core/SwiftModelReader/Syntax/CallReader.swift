#if SwiftSource
  import SwiftModels
  import SwiftSyntax

  extension DeclarationReader {
    private static let calls: Set = [
      "ModelContainer", "modelContainer", "Schema", "ModelConfiguration",
    ]

    /// The argument label that identifies a container created by `.init(…)` or by one of the app's
    /// own functions.
    private static let planLabel = "migrationPlan"

    /// Finds the calls that create containers, schemas and configurations by their tokens, because
    /// expressions may be too deeply nested for a walk of the tree.
    mutating func readCalls(in tree: SourceFileSyntax) {
      guard lines.mentionsContainer else { return }
      for token in tree.tokens(viewMode: .sourceAccurate) {
        let isLabel = token.text == Self.planLabel
        guard isLabel || Self.calls.contains(token.text) else { continue }
        var node = token.parent
        // Walk up to the call. Between the call and its name there may be a member access; between
        // the call and an argument label, the argument and the argument list.
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
