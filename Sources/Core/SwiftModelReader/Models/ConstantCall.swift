#if SwiftSource
  import DataModel
  import Foundation

  /// Evaluates initializers whose value is visible in the source, such as
  /// `Date(timeIntervalSince1970: 0)`.
  enum ConstantCall {
    static func value(of expression: SourceExpression, _ type: AttributeType) -> Value? {
      guard case .call(let callee, let arguments) = expression.kind, arguments.count == 1,
        case .names(let parts) = callee.kind,
        let name = parts.last(where: { $0 != "init" && !$0.isEmpty }) ?? inferred(type)
      else { return nil }
      let (label, argument) = (arguments[0].label, arguments[0].value.kind)
      switch (type, name, label, argument) {
      case (.date, "Date", "timeIntervalSinceReferenceDate", _):
        return number(argument).map { .real($0) }
      case (.date, "Date", "timeIntervalSince1970", _):
        return number(argument).map { .real($0 - 978_307_200) }
      case (.uuid, "UUID", "uuidString", .text(let text)):
        return UUIDText.bytes(of: text).map { .blob($0) }
      case (.uri, "URL", "string", .text(let text)): return .text(text)
      case (.decimal, "Decimal", "string", .text(let text)):
        return Double(text).map { number in
          Int64(exactly: number).map { .integer($0) } ?? .real(number)
        }
      case (.binary, "Data", "base64Encoded", .text(let text)):
        return Data(base64Encoded: text).map { .blob([UInt8]($0)) }
      default: return nil
      }
    }

    private static func inferred(_ type: AttributeType) -> String? {
      switch type {
      case .date: "Date"
      case .uuid: "UUID"
      case .uri: "URL"
      case .decimal: "Decimal"
      case .binary: "Data"
      default: nil
      }
    }

    private static func number(_ kind: SourceExpression.Kind) -> Double? {
      switch kind {
      case .integer(let number): Double(number)
      case .real(let number): number
      default: nil
      }
    }
  }
#endif
