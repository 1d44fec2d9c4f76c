/// The writing systems of generated names.
package enum Script: String, CaseIterable, Hashable, Sendable {
  case latin
  case cyrillic
  case greek
  case arabic
  case hebrew
  case chinese
  case japanese
  case korean
  case hindi
}
