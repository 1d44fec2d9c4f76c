import TestSupport

/// The compiled SwiftData declarations, made once for all tests.
enum WrittenSwiftCheck {
  private static let made = Result { try WrittenSwift() }

  static func shared() throws -> WrittenSwift? { try made.get() }
}
