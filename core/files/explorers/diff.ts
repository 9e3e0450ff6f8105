import { plural } from '#core/text.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { linesOf } from './lines.ts'
import { counted, shown } from './shown.ts'
import type { Entry, Findings } from './summary-text.ts'

const NAME_CHARS = 80
/** Further files are counted and not kept. */
const MOST_FILES = 2000
const MOST_PLACES = 4

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)$/
const GIT_HEADER = /^diff --git "?a\/(.+?)"? "?b\/(.+?)"?$/

/** Says whether the head of a file has the marks of a diff. */
export const isLikelyDiff = (head: string): boolean =>
  /^diff --git /m.test(head) || /^--- \S.*\r?\n\+\+\+ \S.*\r?\n@@ -\d/m.test(head)

/** The files that a diff changes, each with what happens to it. */
export const exploreDiff: Explorer = function* (file) {
  const diff = new DiffLines()
  for (const line of linesOf(yield* file.text())) {
    diff.add(line)
    yield
  }
  return diff.findings()
}

type Changed = {
  name: string
  added: number
  removed: number
  hunks: number
  note: string
  readonly places: string[]
  hasMorePlaces: boolean
}

class DiffLines {
  readonly #files: Changed[] = []
  #file: Changed | null = null
  #fileCount = 0
  #added = 0
  #removed = 0
  #commits = 0
  readonly #subjects: string[] = []
  /** Lines of the hunk that are still to come: a line in it that begins with dashes is no header. */
  #oldLeft = 0
  #newLeft = 0

  add(line: string): void {
    if (this.#oldLeft > 0 || this.#newLeft > 0) this.#addInHunk(line)
    else this.#addHeader(line)
  }

  findings(): Findings {
    if (this.#fileCount === 0) throw new Unreadable('it changes no file')
    const bySize = [...this.#files].sort(
      (a, b) => b.added + b.removed - a.added - a.removed || (a.name < b.name ? -1 : 1),
    )
    return {
      facts: [
        `${plural(this.#fileCount, 'file')} changed, ${plural(this.#added, 'line')} added, ${counted(this.#removed)} removed.`,
        ...(this.#commits === 0 ? [] : [`${plural(this.#commits, 'commit')}.`]),
      ],
      sections: [
        {
          kind: 'entries',
          title: 'Commits',
          entries: this.#subjects.map((subject) => ({ name: '', detail: subject })),
          total: this.#commits,
          use: 'always',
        },
        {
          kind: 'entries',
          title: `Files, the most changed ${this.#fileCount > MOST_FILES ? `of the first ${counted(MOST_FILES)} ` : ''}first`,
          entries: bySize.map(entryOf),
          total: this.#fileCount,
          use: 'always',
        },
      ],
    }
  }

  #addInHunk(line: string): void {
    const mark = line[0]
    if (mark === '+') {
      this.#newLeft -= 1
      this.#added += 1
      if (this.#file !== null) this.#file.added += 1
    } else if (mark === '-') {
      this.#oldLeft -= 1
      this.#removed += 1
      if (this.#file !== null) this.#file.removed += 1
    } else if (mark === ' ' || mark === undefined) {
      this.#oldLeft -= 1
      this.#newLeft -= 1
    } else if (mark !== '\\') {
      this.#oldLeft = 0
      this.#newLeft = 0
      this.#addHeader(line)
    }
  }

  #addHeader(line: string): void {
    const git = GIT_HEADER.exec(line)
    const hunk = HUNK.exec(line)
    if (git !== null) this.#begin(git[2] ?? '')
    else if (hunk !== null) this.#beginHunk(hunk)
    else if (/^commit [\da-f]{7,64}\b/.test(line) || /^From [\da-f]{40} /.test(line)) this.#commits += 1
    else if (/^Subject: /.test(line) && this.#subjects.length < 50)
      this.#subjects.push(shown(line.slice(9), NAME_CHARS))
    else if (line.startsWith('+++ ')) this.#named(line.slice(4))
    else if (line.startsWith('--- ')) this.#old(line.slice(4))
    else if (this.#file !== null) this.#note(this.#file, line)
  }

  #begin(name: string): void {
    this.#fileCount += 1
    this.#file = {
      name: shown(name, NAME_CHARS),
      added: 0,
      removed: 0,
      hunks: 0,
      note: '',
      places: [],
      hasMorePlaces: false,
    }
    if (this.#files.length < MOST_FILES) this.#files.push(this.#file)
  }

  /** In a plain diff a file begins here. */
  #old(name: string): void {
    if (this.#file !== null && this.#file.hunks === 0) return
    this.#begin(pathIn(name))
  }

  #named(name: string): void {
    if (this.#file === null) this.#begin(pathIn(name))
    else if (pathIn(name) !== '/dev/null') this.#file.name = shown(pathIn(name), NAME_CHARS)
  }

  #beginHunk([, old = '1', now = '1', place = '']: RegExpExecArray): void {
    this.#oldLeft = Number(old)
    this.#newLeft = Number(now)
    if (this.#file === null) return
    this.#file.hunks += 1
    const text = shown(place, 50)
    if (text === '' || this.#file.places.includes(text)) return
    if (this.#file.places.length < MOST_PLACES) this.#file.places.push(text)
    else this.#file.hasMorePlaces = true
  }

  #note(file: Changed, line: string): void {
    if (line.startsWith('new file')) file.note = 'new'
    else if (line.startsWith('deleted file')) file.note = 'deleted'
    else if (line.startsWith('rename from ')) file.note = `renamed from ${shown(line.slice(12), NAME_CHARS)}`
    else if (line.startsWith('Binary files')) file.note ||= 'binary'
  }
}

/** Without the prefix of Git and the time behind a tab. */
const pathIn = (name: string): string => (name.split('\t')[0] ?? '').replace(/^[ab]\//, '').trim()

function entryOf({ name, added, removed, hunks, note, places, hasMorePlaces }: Changed): Entry {
  const within = places.length === 0 ? '' : ` in ${places.join(', ')}${hasMorePlaces ? ' and others' : ''}`
  return {
    name,
    detail: `${note === '' ? '' : `${note}, `}+${counted(added)} −${counted(removed)} in ${plural(hunks, 'hunk')}${within}`,
  }
}
