import Basics
import Foundation
import Mustache

/// The parts that all pages share: templates, style sheet and script, from the files next to this
/// source file.
enum PageAssets {
  /// The style sheet.
  ///
  /// Its rules for stacked tables, which show the cells of a row below one another, are repeated
  /// for each page width at which tables become stacked.
  static let style: String = {
    let parts = text(PackageResources.style_css).components(separatedBy: "/* stacked */\n")
    guard parts.count == 3 else { preconditionFailure("style.css has no block of stacked tables") }
    let widths = [
      ("stacked", "screen and (max-width:760px)"), ("below-wide", "screen and (max-width:1120px)"),
      ("always", "all"),
    ]
    let blocks = widths.map { name, media in
      "@media \(media){\(parts[1].replacing("table.stacked", with: "table.\(name)"))}"
    }
    return parts[0] + blocks.joined() + parts[2]
  }()
  static let chartStyle = style.split(separator: "/*", maxSplits: 1).first.map(String.init) ?? ""
  static let script = text(PackageResources.script_js)

  static func policy(with style: String) -> String {
    "default-src 'none'; style-src '\(digest(of: style))'; script-src '\(digest(of: script))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  static func rendered(_ view: Any, with template: String) -> String {
    library.render(view, withTemplate: template) ?? ""
  }

  private static let library: MustacheLibrary = {
    MustacheContentTypes.register(EscapedText(), named: "REPORT")
    var library = MustacheLibrary()
    let templates = [
      ("page", PackageResources.page_mustache), ("table", PackageResources.table_mustache),
      ("figure", PackageResources.figure_mustache),
    ]
    for (name, bytes) in templates {
      do {
        try library.register(text(bytes), named: name)
      } catch {
        preconditionFailure("template '\(name)': \(error)")
      }
    }
    return library
  }()

  /// Escapes the values of `{{name}}` tags in attributes and in plain text.
  private struct EscapedText: MustacheContentType {
    func escapeText(_ text: String) -> String { MarkupText.attribute(text) }
  }

  private static func digest(of text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: text.utf8)).base64EncodedString()
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
