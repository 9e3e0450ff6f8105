import { isLikelyTable } from './delimiter.ts'
import { isLikelyDiff } from './diff.ts'
import { FILE_TYPES, type FileType, TYPE_FACTS } from './file-type.ts'
import { isLikelyLog } from './log.ts'
import { isLikelySql } from './sql.ts'

const BY_EXTENSION: ReadonlyMap<string, FileType> = new Map(
  (
    [
      ['json', 'json jsonc json5 geojson webmanifest har map'],
      ['jsonl', 'jsonl ndjson'],
      ['notebook', 'ipynb'],
      ['csv', 'csv'],
      ['tsv', 'tsv tab'],
      ['yaml', 'yaml yml'],
      ['toml', 'toml'],
      ['xml', 'xml svg xsd xsl xslt rss atom plist csproj pom wsdl kml gpx'],
      ['html', 'html htm xhtml'],
      ['sql', 'sql ddl dml'],
      ['log', 'log'],
      ['diff', 'diff patch'],
      ['typescript', 'ts tsx mts cts'],
      ['javascript', 'js jsx mjs cjs'],
      ['python', 'py pyi pyw'],
      ['rust', 'rs'],
      ['go', 'go'],
      ['java', 'java'],
      ['c', 'c h'],
      ['cpp', 'cpp cc cxx c++ hpp hh hxx ino cu'],
      ['csharp', 'cs'],
      ['ruby', 'rb rake gemspec'],
      ['php', 'php phtml'],
      ['shell', 'sh bash zsh ksh'],
      [
        'code',
        'kt kts swift scala lua pl pm r jl dart ex exs erl hs clj groovy m mm vb fs ml zig nim sol ps1 asm s css scss less vue svelte proto graphql tf',
      ],
      ['markdown', 'md markdown mdx'],
      ['pdf-text', 'pdf'],
      ['text', 'txt text rst adoc tex'],
    ] satisfies [FileType, string][]
  ).flatMap(([type, extensions]) => extensions.split(' ').map((extension): [string, FileType] => [extension, type])),
)

const BY_MIME: ReadonlyMap<string, FileType> = new Map([
  ...FILE_TYPES.filter((type) => type !== 'empty' && type !== 'binary' && type !== 'text').map(
    (type): [string, FileType] => [TYPE_FACTS[type].mime, type],
  ),
  ...([
    ['application/jsonl', 'jsonl'],
    ['application/x-yaml', 'yaml'],
    ['text/yaml', 'yaml'],
    ['text/x-yaml', 'yaml'],
    ['text/xml', 'xml'],
    ['text/tab-separated-values', 'tsv'],
    ['application/javascript', 'javascript'],
    ['application/typescript', 'typescript'],
    ['text/typescript', 'typescript'],
    ['text/x-shellscript', 'shell'],
    ['text/x-patch', 'diff'],
    ['text/x-csrc', 'c'],
    ['text/x-c++src', 'cpp'],
    ['text/x-java-source', 'java'],
  ] satisfies [string, FileType][]),
])

/** The type that the extension of a name stands for. */
export function typeByName(name: string | null): FileType | null {
  const extension = /\.([a-z\d+]{1,12})$/i.exec((name ?? '').trim().slice(-60))?.[1]?.toLowerCase()
  return extension === undefined ? null : (BY_EXTENSION.get(extension) ?? null)
}

export function typeByMime(mime: string | null): FileType | null {
  const plain = (mime ?? '').slice(0, 200).split(';')[0]?.trim().toLowerCase() ?? ''
  return BY_MIME.get(plain) ?? (plain.endsWith('+json') ? 'json' : plain.endsWith('+xml') ? 'xml' : null)
}

/** Lines that hardly any other language has. A few of them make a type likely. */
const CODE_SIGNS: readonly (readonly [type: FileType, sign: RegExp])[] = [
  ['go', /^package \w+\s*$|^func (?:\(\w+ [*\w.]+\) )?\w+\(|^import \(\s*$/gm],
  ['rust', /^\s*(?:pub )?fn \w+.*\{$|^use (?:std|crate|super)::|^impl\b.*\{$|^\s*#\[derive\(|^(?:pub )?mod \w+;/gm],
  [
    'csharp',
    /^using [\w.]+;\s*$|^namespace [\w.]+|^\s*public (?:\w+ )*(?:class|interface|struct|async|static|override) .*|\{ get; (?:private )?set; \}/gm,
  ],
  [
    'java',
    /^import (?:static )?(?:java|javax|org|com)\.[\w.*]+;|^package [\w.]+;|^\s*(?:public|private|protected) (?:\w+ )*(?:class|interface|void|static|final) .*\{\s*$|^\s*@Override/gm,
  ],
  ['cpp', /^#include <\w+>\s*$|^using namespace \w+;|^template\s*<|\bstd::\w+|^class \w+.*\{?$/gm],
  [
    'c',
    /^#include [<"][\w/.]+\.h[>"]|^#(?:define|ifdef|ifndef|endif)\b|^(?:static )?(?:int|void|char|double|struct \w+) \*?\w+\(.*\)\s*\{?$/gm,
  ],
  [
    'typescript',
    /^\s*(?:export )?(?:interface \w+.*\{|type \w+(?:<.*>)? = )|^import (?:type )?.* from ['"]|^(?:export )?(?:async )?function \w+\(.*\): .*\{$|^\s*(?:private|public|readonly) \w+.*[;:]|^(?:export )?const \w+: /gm,
  ],
  [
    'javascript',
    /^import .* from ['"]|^(?:export )?(?:default )?(?:async )?function \w+\(|\brequire\(['"]|^(?:export )?(?:const|let|var) \w+ = |^module\.exports\b/gm,
  ],
  [
    'python',
    /^\s*(?:async )?def \w+\(.*\)?.*:\s*$|^from [\w.]+ import |^import [\w.]+(?: as \w+)?\s*$|^class \w+.*:\s*$|^if __name__ ==|^\s*self\.\w+ = /gm,
  ],
  [
    'ruby',
    /^require(?:_relative)? ['"]|^\s*def [\w.?!]+(?:\(.*\))?\s*$|^\s*end\s*$|^module [A-Z]\w*|^class [A-Z]\w*(?: < .*)?$/gm,
  ],
  ['php', /^\s*(?:public|private|protected) (?:static )?function \w+\(|^\s*\$\w+ = .*;|^use [\w\\]+;/gm],
  ['shell', /^\s*(?:fi|done|esac)\b|^\s*(?:if|elif) \[\[? .*; then|^\s*echo ["$]|^export \w+=|^\w+\(\)\s*\{/gm],
]
const ENOUGH_SIGNS = 4

const LINES_LOOKED_AT = 400

/** What a text looks like, or null when it looks like nothing but a text. */
export function likelyType(head: string): FileType | null {
  const text = head
    .split('\n', LINES_LOOKED_AT)
    .join('\n')
    .slice(0, 32 * 1024)
  if (isLikelyDiff(text)) return 'diff'
  if (isLikelyLog(text)) return 'log'
  if (isLikelySql(text)) return 'sql'
  if (/^\s*<(?:!--|[A-Za-z_][\w:.-]*[\s/>])/.test(text) && /<\/[A-Za-z]|\/>/.test(text))
    return isLikelyHtml(text) ? 'html' : 'xml'
  const language = likelyLanguage(text)
  if (language !== null) return language
  if (isLikelyTable(text)) return text.includes('\t') && !text.includes(',') ? 'tsv' : 'csv'
  if (isLikelyToml(text)) return 'toml'
  if (isLikelyYaml(text)) return 'yaml'
  return isLikelyMarkdown(text) ? 'markdown' : null
}

const isLikelyHtml = (text: string): boolean => /<(?:html|head|body|div|span|p|h[1-6]|table|ul|script)[\s>]/i.test(text)

function likelyLanguage(text: string): FileType | null {
  let best: { readonly type: FileType; readonly signs: number } | null = null
  for (const [type, sign] of CODE_SIGNS) {
    const signs = text.match(sign)?.length ?? 0
    if (signs >= ENOUGH_SIGNS && signs > (best?.signs ?? 0)) best = { type, signs }
  }
  if (best?.type !== 'javascript') return best?.type ?? null
  // TypeScript has all signs of JavaScript as well.
  const typed = CODE_SIGNS.find(([type]) => type === 'typescript')?.[1]
  return typed !== undefined && (text.match(typed)?.length ?? 0) >= ENOUGH_SIGNS ? 'typescript' : 'javascript'
}

function isLikelyToml(text: string): boolean {
  const headers = text.match(/^\[\[?[\w."-]+\]\]?\s*$/gm)?.length ?? 0
  const keys = text.match(/^[\w-]+ ?= ?(?:["'[{\d]|true|false)/gm)?.length ?? 0
  return headers >= 1 && keys >= 2
}

const YAML_LINES = 60

function isLikelyYaml(text: string): boolean {
  const all = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line))
  const lines = all.slice(0, YAML_LINES)
  const marked = lines.filter((line) => /^\s*(?:- )?["']?[\w./-]+["']?:(?:\s|$)|^\s*- \S|^---\s*$/.test(line))
  const keys = lines.filter((line) => /^\s*(?:- )?[\w./-]+:(?:\s|$)/.test(line))
  return (
    lines.length >= 3 &&
    keys.length >= 2 &&
    marked.length >= lines.length * (/^---\s*$/.test(lines[0] ?? '') ? 0.5 : 0.8)
  )
}

const isLikelyMarkdown = (text: string): boolean =>
  (text.match(/^#{1,6} \S/gm)?.length ?? 0) >= 2 ||
  /^```\w*\s*$/m.test(text) ||
  (text.match(/\]\(https?:\/\//g)?.length ?? 0) >= 3
