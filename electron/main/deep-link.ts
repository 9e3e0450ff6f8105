import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { requireLocalPath } from '#core/local-path.ts'

/** The scheme of links that open a memory, registered by electron-builder.yml. */
export const LINK_SCHEME = 'lcm-inspector'

/** Views that a link may lead to: they show and change nothing. */
export const LINK_VIEWS = ['start', 'find', 'messages', 'window', 'layers', 'health'] as const

const LONGEST_LINK = 4096
const NAMES: ReadonlySet<string> = new Set(['file', 'conversation', 'view', 'select'])
const CONVERSATION = /^\d{1,15}$/
/** A message, a summary or a file, as every door names them. */
const NODE = /^[A-Za-z0-9_.:-]{1,128}$/
/** Characters that are not seen, or that turn around what follows them: the question would show another path. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** Where a link leads: an existing file, and the address of a view in it. */
export type LinkTarget = { readonly file: string; readonly hash: string }
export type RefusedLink = { readonly refused: string }

/** Returns the link on a command line, or null. */
export const linkFromArguments = (argv: readonly string[]): string | null =>
  argv.slice(1).find((argument) => argument.toLowerCase().startsWith(`${LINK_SCHEME}:`)) ?? null

/**
 * Reads `lcm-inspector://open?file=PATH&conversation=12&view=messages&select=msg_3`. Anybody may have written it, so all
 * that is not exactly this is refused: the file has to be named by an absolute path of this machine and to be there.
 */
export function parseLink(link: string): LinkTarget | RefusedLink {
  if (link.length > LONGEST_LINK) return { refused: 'It is too long.' }
  const url = URL.parse(link)
  if (
    url?.protocol !== `${LINK_SCHEME}:` ||
    url.host !== 'open' ||
    !['', '/'].includes(url.pathname) ||
    url.hash !== ''
  )
    return { refused: `It does not begin with ${LINK_SCHEME}://open?file=.` }
  const params = [...url.searchParams]
  const given = new Map(params)
  if (given.size !== params.length) return { refused: 'It says something twice.' }
  const unknown = params.find(([name]) => !NAMES.has(name))
  if (unknown) return { refused: `It says ${JSON.stringify(unknown[0].slice(0, 40))}, which means nothing.` }
  const file = given.get('file') ?? ''
  const refused = refusedFile(file)
  return refused === null ? addressed(file, given) : { refused }
}

/** The file is not opened here. */
function refusedFile(file: string): string | null {
  if (!isAbsolute(file)) return 'It names no file by its whole path.'
  if (UNSEEN.test(file)) return 'The path of its file has characters that cannot be seen.'
  try {
    requireLocalPath(file)
    return statSync(file).isFile() ? null : 'What it names is no file.'
  } catch {
    return 'The file that it names is not on this computer.'
  }
}

function addressed(file: string, given: ReadonlyMap<string, string>): LinkTarget | RefusedLink {
  const { conversation = null, view = 'start', select = null } = Object.fromEntries(given)
  if (conversation !== null && !CONVERSATION.test(conversation)) return { refused: 'Its conversation is no number.' }
  if (!(LINK_VIEWS as readonly string[]).includes(view)) return { refused: 'No link leads to its view.' }
  if (select !== null && !NODE.test(select)) return { refused: 'What it selects is no id.' }
  const place = conversation === null ? '' : `/conversation/${conversation}`
  return { file, hash: `#${place}/${view}${select === null ? '' : `?select=${encodeURIComponent(select)}`}` }
}
