import Basics
import Foundation

/// What every page carries: its templates, style and script, from the files beside this one.
enum PageAssets {
  static let style = text(PackageResources.style_css)
  static let script = text(PackageResources.script_js)

  /// The templates by the name that others include them by.
  static let templates = [
    ("page", text(PackageResources.page_mustache)),
    ("block", text(PackageResources.block_mustache)),
    ("figure", text(PackageResources.figure_mustache)),
  ]

  /// A digest as a content security policy takes it.
  static func digest(of text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: text.utf8)).base64EncodedString()
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
