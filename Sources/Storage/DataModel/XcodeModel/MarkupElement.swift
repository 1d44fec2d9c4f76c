/// An element of an XML file with its place.
struct MarkupElement {
  let name: String
  let attributes: [String: String]
  let place: Place
  var children: [MarkupElement] = []
  var text = ""

  /// The children of that name.
  func children(named name: String) -> [MarkupElement] {
    children.filter { $0.name == name }
  }
}
