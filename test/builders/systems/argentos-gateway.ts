import { type Session, type Story, type StoryMessage, storyTokens, tellStory } from './story.ts'

const BEGIN_MS = Date.UTC(2026, 5, 1, 9)
const HISTORY = '[LCM Context — Compressed History]\n\n--- Summary (leaf, 40 tokens) ---\n'
const END = '\n[End LCM Compressed History]\n\n'
const SUMMARISER_SESSIONS = 30
/** Every so many messages, a session of the summariser gets messages of the real one. */
const MISFILED_EVERY = 6

export type GatewayTruth = {
  readonly synthetic_sessions: number
  readonly messages_of_main_transcript_in_wrong_session: readonly { readonly c: number }[]
}

/**
 * What the gateway of ArgentOS makes of one real conversation: the summariser's own calls are recorded as sessions, into
 * some of them goes what was said in the real one, and the summaries that were shown come back as if they had been said.
 */
export function pollutedStory(): { readonly story: Story; readonly truth: GatewayTruth } {
  const [main] = tellStory({ seed: 220, sessions: 1, turns: 20, tail: 10 }).sessions
  if (!main) throw new Error('no session')
  // The system stores texts only.
  const said = main.messages.map((one) => ({ ...one, hasParts: false }))
  let number = said.length
  const message = (role: 'user' | 'assistant' | 'system', content: string): StoryMessage => {
    number += 1
    return {
      number,
      seq: number,
      role,
      content,
      tokens: storyTokens(content),
      atMs: BEGIN_MS + number * 1000,
      entry: null,
      call: null,
      result: null,
      hasParts: false,
    }
  }
  const misfiled: { c: number }[] = []
  const sessions = Array.from({ length: SUMMARISER_SESSIONS }, (_, index): Session => {
    const own = [
      message('user', `Summarize the following conversation.\n\n${said[index % said.length]?.content}`),
      message('assistant', `Summary ${index}: what was said about the lease and the cursor.`),
    ]
    if (index % MISFILED_EVERY === 0) {
      const again = said.slice(0, 8 + index)
      own.push(...again.map(({ role, content }) => message(role === 'tool' ? 'assistant' : role, content)))
      own.push(message('user', `${HISTORY}Summary ${index} of what was said.${END}${said[1]?.content}`))
      own.push(message('system', ''))
      misfiled.push({ c: own.length })
    }
    return {
      id: `session-${1_780_000_000_000 + index}`,
      number: index + 2,
      messages: own,
      summaries: [],
      window: own.map((one) => one.number),
      files: index % 3 === 0 ? [largeFile(index)] : [],
    }
  })
  return {
    story: { sessions: [{ ...main, id: 'agent:main:main', messages: said }, ...sessions] },
    truth: { synthetic_sessions: sessions.length, messages_of_main_transcript_in_wrong_session: misfiled },
  }
}

const largeFile = (index: number): Session['files'][number] => ({
  id: `file_${index}`,
  name: `tool-result-read-${1_780_000_000_000 + index}`,
  mime: null,
  bytes: null,
  uri: '',
  about: 'A file that was read again and again.',
  atMs: BEGIN_MS,
})
