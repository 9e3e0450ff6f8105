// What XML 1.0 cannot hold, escaped or not. https://www.w3.org/TR/xml/#charsets
const NOT_MARKUP = /[^\t\n\r\u0020-\ufffd]/g

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Returns a text as it stands in XML or HTML, between tags or in an attribute with double quotes. */
export const escapeMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_MARKUP, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #5d6776; --line: #d9dee5; --ground: #fff; --raised: #f5f7f9; --link: #1f5fc4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --faint: #98a2b3; --line: #2b3340; --ground: #12161c; --raised: #1a2029; --link: #7aa7ff; } }
body { margin: 40px auto; max-width: 1180px; padding: 0 24px; font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
h1 { font-size: 22px; margin: 0 0 8px; } h2 { font-size: 17px; margin: 40px 0 8px; } h3 { font-size: 14px; margin: 28px 0 8px; }
p, small { color: var(--faint); } p { margin: 4px 0; } a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
pre { margin: 6px 0; padding: 10px 12px; background: var(--raised); border-radius: 6px; font: 12.5px/1.55 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--faint); white-space: nowrap; }`

/** The beginning of a page that loads nothing and runs nothing. `HTML_END` ends it. */
export const htmlStart = (title: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title)}</title><style>${STYLE}</style></head><body>
`
export const HTML_END = '</body></html>\n'
