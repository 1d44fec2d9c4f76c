/// A chart that can be drawn at a given width in pixels.
package protocol Chart: Sendable {
  var width: Double { get set }
  var drawing: Drawing { get }
}
