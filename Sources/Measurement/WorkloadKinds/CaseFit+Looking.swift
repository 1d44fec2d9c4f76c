import Runner

extension CaseFit {
  /// Looks up what a parameter names; what the look throws is wrong with its value.
  mutating func look(_ parameter: ParameterName, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      reject(parameter, "\(error)")
    }
  }

  /// Tries what the case needs; what the try throws keeps the store from offering it.
  mutating func require(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      ruleOut("\(error)")
    }
  }
}
