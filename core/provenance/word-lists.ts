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
  dont doesnt didnt isnt wasnt arent werent cant couldnt wont wouldnt hasnt havent hadnt
  nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder
  pas jamais sans aucun aucune ne ni nunca jamás sin ningún ninguna ninguno nadie tampoco non senza nessun nessuna
  não nem sem nenhum nenhuma niet geen nooit zonder inte ingen utan
  не нет без никогда ни`)

/** What has a negation and denies nothing. */
export const NOT_A_DENIAL =
  /\bnot (?:only|just|merely|simply|solely)\b|\b(?:no|not) (?:more|less|fewer|later|earlier|sooner|greater|higher|lower) than\b|\bno (?:doubt|matter|wonder)\b|\bno\.? ?(?=\d)|\b(?:whether )?or not\b|\bnothing (?:but|less)\b|\bnot to mention\b|\b(?:if|why) not\b|\bnicht (?:nur|bloß|zuletzt)\b|\bnon (?:solo|soltanto)\b|\bno (?:solo|sólo|solamente)\b|\bpas (?:seulement|que)\b|\bnão (?:só|apenas)\b|не только|\bniet alleen\b|不(?:仅|僅|但|只|光|过|過|久|断|斷|同|管|论|論)|非常|无论|無論|[特分区區级級]别|别的|だけで(?:は)?な[くい]|かもしれない/giu

/** Verbs that deny the next words as a negation does: what refuses to start does not start. */
export const REFUSALS =
  /\b(?:fail(?:s|ed|ing)?|refus(?:es?|ed|ing)|declin(?:es?|ed|ing)|neglect(?:s|ed)?|forg(?:et|ets|ot)|omit(?:s|ted)?|unable|unwilling|ceas(?:es?|ed)) to\b|\b(?:stop(?:s|ped)?|ceas(?:es?|ed)) (?=\w+ing\b)|\black(?:s|ed)?\b|\bfree (?:of|from)\b|\bfrei von\b|\b(?:is|are|was|were) missing (?=the\b|an?\b|its?\b|their\b)|\b(?:weigert|weigerte) sich\b|\brefus(?:e|é) de\b|\bse negó a\b|\bdejó de\b|拒绝|拒絕/iu

/** Negations of scripts without word breaks, and whether what they deny stands before or after them. */
export const UNSPACED_NEGATIONS: readonly { readonly pattern: RegExp; readonly kind: 'plain' | 'after' }[] = [
  { pattern: /没有|沒有|尚未|从未|從未|不再|[不没沒未无無非别勿]/g, kind: 'plain' },
  { pattern: /ませんでした|ません|なかった|ない|ずに|않|못|없/g, kind: 'after' },
]

/** Words after a negation that say nothing of what is denied. */
export const WITHOUT_WEIGHT = list(`
  longer yet more any anymore already even still fully really actually ever mehr plus encore más già mai nog meer`)

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
  ['open opened opens', 'shut closed close closes'],
  ['agree agreed agrees consent consented consents', 'disagree disagreed refuse refused refuses decline declined'],
  ['positive', 'negative'],
  ['full', 'empty'],
  ['wet', 'dry'],
  ['hot warm', 'cold'],
  ['alive', 'dead'],
  ['present', 'absent missing'],
  ['inside', 'outside'],
  ['heavier', 'lighter'],
  ['win won wins', 'lose lost loses'],
  ['buy bought buys', 'sell sold sells'],
  ['arrive arrived arrives', 'depart departed departs'],
  ['begin began begun begins', 'end ended ends'],
  ['clean', 'dirty contaminated'],
  ['hire hired', 'fire fired dismiss dismissed'],
  ['tighten tightened', 'loosen loosened'],
  ['confirm confirmed confirms', 'deny denied refute refuted'],
  ['keep kept keeps', 'discard discarded'],
  ['offen geöffnet', 'geschlossen'],
  ['ouvert ouverte', 'fermé fermée'],
  ['abierto abierta', 'cerrado cerrada'],
  ...negated(
    'un',
    `able available approved assigned authorized balanced blocked certain changed checked clear common complete confirmed
    covered defined documented expected fair familiar finished happy harmed healthy important insured known licensed likely
    limited loaded lucky marked necessary occupied opened packed paid planned pleasant protected read registered related
    reliable resolved safe sealed secured settled signed stable sterile successful suitable supported tested tied touched
    treated used usable usual verified wanted willing wrapped`,
  ),
  ...negated(
    'in',
    'accurate active adequate admissible applicable capable complete correct dependent eligible secure sufficient valid visible',
  ),
  ...negated('im', 'mature moral patient perfect possible proper'),
  ...negated('ir', 'regular relevant reversible responsible'),
  ...negated('il', 'legal legible logical'),
  ...negated(
    'dis',
    'agree allow appear approve assemble connect continue continued honest infected integrate like obey qualify qualified satisfied similar trust',
  ),
  ...negated(
    'non',
    'binding conforming compliant empty essential existent functional refundable returnable stop toxic zero',
  ),
]

/** Pairs of a word and the same with a prefix that turns its meaning. */
function negated(prefix: string, words: string): [string, string][] {
  return words
    .trim()
    .split(/\s+/)
    .map((word) => [word, `${prefix}${word}`])
}

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
  return SWITCHED[particle === 'on' ? 0 : 1]
}

/** What `switchedBy` returns. */
export const SWITCHED = [stem('enabled'), stem('disabled')] as const

/** Words with a capital that are no names. */
export const NO_NAMES = list(`
  I OK USER ASSISTANT SYSTEM TOOL RESULT UTC GMT TODO NOTE WARNING ERROR INFO DEBUG YES NO NOT AND OR NULL TRUE FALSE
  Also But And Then The This That It We They He She If When While After Before Once Since For From With In On At By To
  Of As An All No Yes Not Now Today Yesterday Tomorrow User Assistant Tool System Agent Step Part Option Section Table
  Figure Summary Note Error Warning Decision Decisions Status Result Results Next Open
  Mr Mrs Ms Miss Dr Prof Professor Sir Madam Madame Monsieur Mademoiselle Herr Frau Señor Señora Signor Signora
  Ltd Inc Corp GmbH LLC PLC`)

/** What follows the number of a day in German. The point after such a number ends no sentence and no list number. */
export const BEFORE_MONTH =
  /^\.\s+(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L})/u
