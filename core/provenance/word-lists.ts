import { stem } from './tokens.ts'

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))
const stems = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/).map(stem))

/** Stop words. Words are compared with them before their endings are removed. */
export const STOP_WORDS = list(`
  a about above after again all also am an and any are as at be because been before being below between both but by can
  could did do does doing down during each few for from further had has have having he her here hers him his how i if in
  into is it its itself just me more most my no nor not now of off on once only or other our ours out over own s same she
  should so some such t than that the their theirs them then there these they this those through to too under until up
  very was we were what when where which while who whom why will with would you your yours
  d ll m re ve don didn doesn isn wasn weren won wouldn couldn shouldn hasn haven hadn aren ain cannot never without none
  may might must shall upon via per etc
  der die das und ist nicht ein eine einen einem einer zu den dem des mit von für auf im in es wir ich sie er
  le la les un une des et est dans pour que qui sur pas ne au aux du de
  el los las una y es en por con del se lo
  il lo gli di che e per una un non sono`)

/** Words, as stems, with which summaries speak about a conversation, and which the conversation itself seldom uses. */
export const REPORTING = stems(`
  user users assistant agent tool asked ask asks said says saying told tells mention mentioned mentions noted notes
  note discuss discussed discussion explain explained report reported reports describe described conversation session
  summary summarize summarized message messages then later next finally first afterwards subsequently initially
  currently overall total main key point points include includes included including related various several regarding
  decided decision concluded conclusion confirm confirmed request requested proposed propose suggested suggest
  identified identify found find observed observe stated state states`)

/** Negations, which deny the next words. Words are compared with them before their endings are removed. */
export const NEGATIONS = list(`
  not no never none nor neither without cannot nothing nobody nowhere
  nicht kein keine keinen keinem keiner nie niemals ohne
  pas jamais sans aucun aucune ni nunca sin ningún ninguna non mai senza
  не нет без никогда ни`)

/** Words that deny what stands near them without a negation. Nothing near them counts as a contradiction. */
export const SOFT_NEGATIONS = stems(`
  against avoid avoids avoided lack lacks lacking missing unable fails refuse refuses refused
  stop stops stopped skip skips skipped instead rather forbid forbids prevent prevents prevented except absent impossible
  unless exclude excludes excluded`)

const opposites: readonly (readonly [string, string])[] = [
  ['pass', 'fail'],
  ['passed', 'failed'],
  ['succeed', 'fail'],
  ['success', 'failure'],
  ['succeeded', 'failed'],
  ['enable', 'disable'],
  ['enabled', 'disabled'],
  ['increase', 'decrease'],
  ['increased', 'decreased'],
  ['raise', 'lower'],
  ['add', 'remove'],
  ['added', 'removed'],
  ['accept', 'reject'],
  ['accepted', 'rejected'],
  ['allow', 'forbid'],
  ['allowed', 'forbidden'],
  ['before', 'after'],
  ['open', 'close'],
  ['opened', 'closed'],
  ['start', 'stop'],
  ['started', 'stopped'],
  ['true', 'false'],
  ['valid', 'invalid'],
  ['safe', 'unsafe'],
  ['possible', 'impossible'],
  ['correct', 'wrong'],
  ['faster', 'slower'],
  ['larger', 'smaller'],
  ['more', 'less'],
  ['more', 'fewer'],
  ['higher', 'lower'],
  ['above', 'below'],
  ['first', 'last'],
  ['minimum', 'maximum'],
  ['upgrade', 'downgrade'],
  ['synchronous', 'asynchronous'],
  ['public', 'private'],
  ['always', 'never'],
  ['works', 'broken'],
  ['fixed', 'broken'],
]

/** Pairs of verbs with opposite meanings. Each side lists verbs of about the same meaning. */
const sides: readonly (readonly [string, string])[] = [
  [
    'add added adds create created introduce introduced insert inserted append appended',
    'remove removed removes delete deleted deletes drop dropped strip stripped',
  ],
  [
    'pass passed passes succeed succeeded succeeds work worked works',
    'fail failed fails break broke broken crash crashed',
  ],
  ['enable enabled enables activate activated', 'disable disabled disables deactivate deactivated'],
  [
    'increase increased increases grow grew grown rise rose risen raise raised',
    'decrease decreased decreases shrink shrank shrunk fall fell fallen drop dropped drops reduce reduced lower lowered',
  ],
  ['merge merged merges', 'revert reverted reverts'],
  ['accept accepted accepts approve approved approves', 'reject rejected rejects decline declined refuse refused'],
  ['allow allowed allows permit permitted', 'forbid forbidden forbids deny denied block blocked'],
  ['lock locked locks', 'unlock unlocked unlocks'],
  ['show shown shows showed display displayed', 'hide hidden hides hid'],
  ['connect connected connects', 'disconnect disconnected disconnects'],
  ['install installed installs', 'uninstall uninstalled uninstalls'],
  ['include included includes', 'exclude excluded excludes'],
  ['grant granted grants', 'revoke revoked revokes'],
  ['encrypt encrypted encrypts', 'decrypt decrypted decrypts'],
  ['mount mounted mounts', 'unmount unmounted unmounts'],
  ['subscribe subscribed', 'unsubscribe unsubscribed'],
  ['publish published publishes', 'unpublish unpublished withdraw withdrew withdrawn'],
  ['online', 'offline'],
  ['cheap cheaper', 'expensive'],
  ['early earlier', 'late later'],
]

type WordMap = ReadonlyMap<string, readonly string[]>
const NONE: readonly string[] = []

// Finding all stems takes 15 ms or more. No window waits for that when it opens a file.
let contraries: WordMap | null = null
let synonyms: WordMap | null = null

/** Returns the opposites of a stem, as stems. They are known in both directions. */
export function oppositesOf(stemmed: string): readonly string[] {
  contraries ??= buildOpposites()
  return contraries.get(stemmed) ?? NONE
}

/** Returns the stems of words of about the same meaning. */
export function alikeTo(stemmed: string): readonly string[] {
  synonyms ??= buildAlike()
  return synonyms.get(stemmed) ?? NONE
}

function buildOpposites(): Map<string, string[]> {
  const map = new Map<string, string[]>()
  const note = (from: string, to: string): void => {
    const known = map.get(from) ?? []
    if (from !== to && !known.includes(to)) known.push(to)
    map.set(from, known)
  }
  const all = [
    ...opposites,
    ...sides.flatMap(([a, b]) => a.split(' ').flatMap((one) => b.split(' ').map((other) => [one, other] as const))),
  ]
  for (const [a, b] of all) {
    note(stem(a), stem(b))
    note(stem(b), stem(a))
  }
  return map
}

function buildAlike(): Map<string, string[]> {
  const map = new Map<string, string[]>()
  for (const side of sides.flat()) {
    const keys = [...new Set(side.split(' ').map(stem))]
    for (const key of keys)
      map.set(
        key,
        [...new Set([...(map.get(key) ?? []), ...keys])].filter((one) => one !== key),
      )
  }
  return map
}

/** Returns the verb for `on` or `off` after some words: "turned the flag off" means to disable it. */
export function switchedBy(word: string, before: string): string | undefined {
  const particle = word.toLowerCase()
  if (particle !== 'on' && particle !== 'off') return undefined
  if (!/\b(?:turn|switch)(?:s|ed|es|ing)?(?:\s+[\w-]+){0,3}\s+$/i.test(before.slice(-80))) return undefined
  return stem(particle === 'on' ? 'enabled' : 'disabled')
}

/** Words with a capital that are no names. */
export const NO_NAMES = list(`
  I OK USER ASSISTANT SYSTEM TOOL RESULT UTC GMT TODO NOTE WARNING ERROR INFO DEBUG YES NO NOT AND OR NULL TRUE FALSE
  Also But And Then The This That It We They He She If When While After Before Once Since For From With In On At By To
  Of As An All No Yes Not Now Today Yesterday Tomorrow User Assistant Tool System Agent Step Part Option Section Table
  Figure Summary Note Error Warning Decision Decisions Status Result Results Next Open`)
