/// What somebody says of such work, as a workload file quotes it.
package struct Claim: Hashable, Sendable {
  package var text: String
  package var source: String
  /// Why nothing here can say whether it is true; `nil` where the expectations do.
  package var notTestable: String?

  package init(text: String, source: String, notTestable: String? = nil) {
    self.text = text
    self.source = source
    self.notTestable = notTestable
  }
}
