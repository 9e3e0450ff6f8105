type Entry = Readonly<Record<string, unknown>>

const at = (second: number): string => new Date(Date.UTC(2026, 8, 2, 10, 0, second)).toISOString()

export const piHeader = (id: string): Entry => ({ type: 'session', version: 3, id, timestamp: at(0), cwd: '/' })

/** The entries of a session, a second apart. Each has the one before it as its parent, unless it names another. */
export const piChain = (...entries: readonly Entry[]): Entry[] =>
  entries.map((entry, index) => ({
    id: `e${index + 1}`,
    parentId: index === 0 ? null : `e${index}`,
    timestamp: at(index + 1),
    ...entry,
  }))

/** An entry with a message of a text. `more` is added to the message. */
export const piSaid = (role: string, text: string, more: Entry = {}): Entry => ({
  type: 'message',
  message: { role, content: [{ type: 'text', text }], ...more },
})
