/// Something wrong with a model, and the part of it that is meant.
package struct ModelProblem: Hashable, Sendable {
  package var severity: Diagnostic.Severity
  /// The entity's name; `nil` where the whole model is meant.
  package var entity: String?
  /// The name of the entity's attribute, relationship or fetch index.
  package var part: String?
  package var message: String
}

extension ModelProblem: CustomStringConvertible {
  package var description: String {
    let subject = [entity, part].compactMap(\.self).joined(separator: ".")
    return subject.isEmpty ? message : "\(subject): \(message)"
  }
}

extension Model {
  /// Everything wrong with the model: errors, and what Core Data's model compiler would warn of.
  ///
  /// A model without errors can be laid out as a store.
  package func problems() -> [ModelProblem] {
    var check = ModelCheck(self)
    check.run()
    return check.problems
  }

  /// Whether the model has no errors; warnings are allowed.
  package var isValid: Bool {
    !problems().contains { $0.severity == .error }
  }
}
