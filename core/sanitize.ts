import { sha256 } from './hashing.ts'

/** A pattern for what must not leave the machine when a memory is attached to a bug report, and what replaces it. */
type Rule = { readonly pattern: RegExp; readonly by: string }

const MOST_PASSES = 4

/** The lengths are bounded, so that no text makes a pattern slow. */
const RULES: readonly Rule[] = [
  {
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    by: '[private key]',
  },
  // The beginning of these keys names their issuer.
  {
    pattern:
      /(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{16,400}|(?:gh[opsur]|github_pat|glpat|npm|hf|pypi|dop_v1|shpat|sk_live|sk_test|rk_live|pk_live)[_-][A-Za-z0-9_-]{16,400}|xox[abeprs]-[A-Za-z0-9-]{10,400}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,60}|ya29\.[A-Za-z0-9_-]{20,400})/g,
    by: '[key]',
  },
  { pattern: /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{0,4000}/g, by: '[token]' },
  { pattern: /\b(Bearer|Basic|token)(\s{1,4})[A-Za-z0-9._~+/=-]{16,4000}/gi, by: '$1$2[token]' },
  // The user name and password within an address.
  { pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:'"]{1,200}:[^\s/@'"]{1,200}@/gi, by: '$1[credentials]@' },
  // A name that says that its value is secret. The value must not be an ordinary word that merely follows.
  {
    pattern:
      /((?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|authorization|credential|private[_-]?key|client[_-]?secret)[A-Za-z0-9_-]{0,30}\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)(?!\[|Bearer\b|Basic\b)([^\s"'\\,;)}\]]{6,2000})/gi,
    by: '$1[secret]',
  },
  {
    pattern:
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu,
    by: '[e-mail]',
  },
]

/** Patterns of paths up to their end. A space ends a path unless the path is quoted. */
const PATHS: readonly RegExp[] = [
  // Quoted paths with everything in the quotes: "/Users/ada/My Documents/x", 'C:\\Program Files\\x'.
  /(?<=(["'`]))(?:file:|~[\w-]{0,64}|[A-Za-z]:)?(?:[\\/]{1,4}[^"'`\\/\n<>|]{1,255}){2,100}[\\/]{0,4}(?=\1)/gi,
  // file:/x, file:///x, file://localhost/x, file:C:/x, and any other scheme before three slashes (sqlite:///x).
  /\bfile:(?:[\\/~]|%2f|%5c|[A-Za-z](?::|%3a|\|))[^\s"'`<>|)\]]{0,2000}/gi,
  /\b[a-z][a-z0-9+.-]{1,20}:\/{3,4}[^\s"'`<>|)\]/][^\s"'`<>|)\]]{0,2000}/gi,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:file|localhost)\/[^\s"'`<>|)\]]{1,2000}/gi,
  // Percent-encoded: %2Fhome%2Fada, file%3A%2F%2F…, C%3A%5CUsers.
  /(?:file(?:%3a)|[A-Za-z]%3a)?(?:(?:%2f|%5c){1,4}[\p{L}\p{N}_.~@+-]{1,255}){2,100}/giu,
  // C:\Users\…, also as it is written in JSON; \\server\share\…, \\?\C:\…, //server/share/….
  /(?<=\\[nrtbf])[A-Za-z]:(?:\\{1,4}|\/)[^\s"'`<>|*?:,;)\]]{1,1000}/g,
  /\\{2,8}(?:[A-Za-z]:|[A-Za-z0-9._$?-]{1,100})(?:\\{1,4}(?:[A-Za-z]:)?[^\s"'`<>|*?,;)\]\\]{1,255}){1,100}/g,
  /(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,4}|\/)[^\s"'`<>|*?:,;)\]]{1,1000}/g,
  /(?<![\p{L}\p{N}_/:\\.-])\/\/[\p{L}\p{N}_.$-]{1,100}(?:\/[\p{L}\p{N}_.$@+%-]{1,255}){1,100}/gu,
  // ~\x, %USERPROFILE%\x, $HOME/x.
  /(?:(?<![\p{L}\p{N}])~|%[A-Za-z_]{1,40}%|\$\{?(?:HOME|USERPROFILE|PWD)\}?)(?:[\\/]{1,2}[\p{L}\p{N}_.@+%-]{1,255}){1,100}/gu,
  // /home/…, ~/…, -I/usr/…, a:/b/c: from the root or the home, two names or more; the rest of a web address is none.
  /(?:(?<![\p{L}\p{M}\p{N}_/.~@-])|(?<=(?<![\p{L}\p{N}])-[A-Za-z]))(?:~[\w-]{0,64}|\/[\p{L}\p{M}\p{N}_.@+-]{1,255})(?:\/[\p{L}\p{M}\p{N}_.@+%-]{1,255}){1,100}\/?/gu,
  // A home as agents name folders after it.
  /(?<![\p{L}\p{N}_-])-{1,2}(?:home|Users|root|mnt)-[\p{L}\p{N}_.-]{1,255}/gu,
]

/** Makes a text fit to be shown to others. Equal texts give equal results. */
export type Sanitizer = (text: string) => string

export const asItIs: Sanitizer = (text) => text

/** Replaces keys, tokens, secrets, e-mail addresses and absolute paths by what they are. */
export const withoutSecrets: Sanitizer = (text) => {
  let clean = text
  // Once a match is replaced, the text beside it may match, too.
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = clean
    clean = onePass(clean)
    // In a JSON text a line begins after an escape such as \n, so the path in \n/home/… begins after its letter.
    if (clean.includes('\\'))
      clean = clean
        .split(ESCAPES)
        .map((piece, i) => (i % 2 === 0 ? onePass(piece) : piece))
        .join('')
    if (clean === before) break
  }
  return clean
}

const ESCAPES = /(\\{1,8}[nrtbf])/
const onePass: Sanitizer = (text) =>
  withoutPaths(RULES.reduce((rest, { pattern, by }) => rest.replace(pattern, by), text))

/** Replaces absolute paths in every notation. */
export const withoutPaths: Sanitizer = (text) =>
  PATHS.reduce((clean, pattern) => clean.replace(pattern, '[path]'), text)

/** Replaces a text by its length in characters and the beginning of its SHA-256. */
export const asHash: Sanitizer = (text) =>
  text === '' ? '' : `[${text.length} characters, sha256 ${sha256(text).slice(0, 16)}]`

/** Fields that name a session or a project. Importers use the path of a file for them. */
const IDENTITIES: ReadonlySet<string> = new Set([
  ...[
    'sessionId',
    'session_id',
    'sessionKey',
    'session_key',
    'logicalKey',
    'logical_key',
    'title',
    'cwd',
    'path',
    'source',
  ],
])
const WHOLE_PATH = /^\s*(?:file:|~[\w-]*[\\/]|[A-Za-z]:[\\/]|[\\/]|[a-z][\w+.-]{1,20}:[\\/~])/i

/**
 * Replaces a name that begins as a path completely, spaces included. Different names get different replacements, so
 * that two sessions stay two.
 */
export function withoutPathName(text: string): string {
  if (!WHOLE_PATH.test(text) || /^\s*https?:\/\/[^/]/i.test(text)) return withoutSecrets(text)
  return `[path ${sha256(text).slice(0, 8)}]`
}

/** Sanitizes every text in a value that came from JSON, and every name of a field. */
export function sanitizeValue(value: unknown, sanitize: Sanitizer, key = ''): unknown {
  if (typeof value === 'string')
    return sanitize !== asItIs && IDENTITIES.has(key) ? sanitize(withoutPathName(value)) : sanitize(value)
  if (Array.isArray(value)) return value.map((one) => sanitizeValue(one, sanitize, key))
  if (typeof value !== 'object' || value === null) return value
  const cleanName = sanitize === asItIs ? asItIs : withoutSecrets
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [cleanName(name), sanitizeValue(one, sanitize, name)]),
  )
}
