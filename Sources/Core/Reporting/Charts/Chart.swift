/// A value that can be drawn at a width in pixels.
package protocol Chart: Sendable {
  var width: Double { get set }
  var drawing: Drawing { get }
}
