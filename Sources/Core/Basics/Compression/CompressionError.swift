extension Refusal {
  static func invalidLevel(_ level: Int) -> Refusal {
    Refusal.badInput("compression level \(level) does not exist: use 0 (none) to 9 (smallest)")
  }

  static let notGzip = Refusal.badInput("the data is not gzip: it does not start with 1f 8b")

  static let unsupportedHeader = Refusal.badInput(
    "the gzip header asks for a method or a flag that the format does not "
      + "define"
  )

  static let truncated = Refusal.badInput("the compressed data ends too early: it was cut off")

  static func corrupt(offset: Int) -> Refusal {
    Refusal.badInput("the compressed data is damaged near byte \(offset)")
  }

  static func trailingBytes(_ count: Int) -> Refusal {
    Refusal.badInput("\(count) bytes follow the end of the compressed data")
  }

  static func tooLarge(limit: Int) -> Refusal {
    Refusal.badInput(
      "the compressed data unpacks to more than \(limit) bytes, the most allowed "
        + "here"
    )
  }

  static func zlib(status: Int32) -> Refusal {
    Refusal.badInput("zlib failed with status \(status)")
  }
}
