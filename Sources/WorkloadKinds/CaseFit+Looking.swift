import Runner

extension CaseFit {
  /// Looks up what a parameter names; what the look throws is wrong with its value.
  mutating func look(_ parameter: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      reject(parameter, "\(error)")
    }
  }
}
