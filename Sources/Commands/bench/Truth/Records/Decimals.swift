import Foundation

/// Numbers as ledgers and tables hold them.
enum Decimals {
  static func text(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  /// A share in per cent.
  static func percent(_ share: Double, _ digits: Int = 1) -> String {
    text(share * 100, digits) + " %"
  }
}
